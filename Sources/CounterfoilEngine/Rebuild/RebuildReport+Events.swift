// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Whether readers find every event: those of a customer and those of an app are numbered without gaps.
extension RebuildReport {
    mutating func compareWallets(_ page: RebuildPage) throws -> PageEnd? {
        let (wallets, end) = try page.transaction.wallets(after: page.after, limit: page.limit)
        count(.wallets, wallets.count)
        for wallet in wallets {
            compare(
                "wallets", expected: [wallet.key: wallet.expectedJSON],
                stored: [wallet.key: wallet.storedJSON])
        }
        return end
    }

    mutating func compareCustomersOfEvents(_ page: RebuildPage) throws -> PageEnd? {
        let (keys, end) = try page.transaction.customersWithoutWallet(
            after: page.after, limit: page.limit)
        for key in keys {
            add(
                Difference(
                    "wallets", key, expected: "a wallet, since there are events", stored: nil))
        }
        return end
    }

    /// An event that readers can see stays, and new ones go behind it.
    mutating func compareEventNumbers(_ page: RebuildPage) throws -> PageEnd? {
        let (events, end) = try page.transaction.eventNumbers(after: page.after, limit: page.limit)
        count(.events, events.count)
        var last = page.after?.eventNumber
        for event in events {
            let expected = last?.app == event.app ? (last?.number ?? 0) + 1 : 1
            if event.number != expected {
                add(
                    Difference(
                        "events", "\(event.app), \(expected)",
                        expected: "an event with this number",
                        stored: nil))
            }
            last = event
        }
        return end
    }
}

extension StoredWallet {
    /// As many events as were numbered, by the wallet or by an event.
    fileprivate var expectedJSON: JSONValue {
        let number = max(sequence, last)
        return Self.json(
            sequence: number, events: number, sequences: number, first: min(1, number), last: number
        )
    }

    fileprivate var storedJSON: JSONValue {
        Self.json(
            sequence: sequence, events: events, sequences: sequences, first: first, last: last)
    }

    private static func json(
        sequence: Int64, events: Int64, sequences: Int64, first: Int64, last: Int64
    ) -> JSONValue {
        [
            "sequence": .integer(sequence), "events": .integer(events),
            "event_sequences": .integer(sequences), "first_event": .integer(first),
            "last_event": .integer(last),
        ]
    }
}

extension PageEnd {
    /// The app and the number of the last event.
    fileprivate var eventNumber: (app: String, number: Int64)? {
        guard values.count == 2, let app = String(databaseValue: values[0]),
            let number = Int64(databaseValue: values[1])
        else { return nil }
        return (app, number)
    }
}
