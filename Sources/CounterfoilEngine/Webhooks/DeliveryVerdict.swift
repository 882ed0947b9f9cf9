// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilStore

/// What the answer to an attempt means.
struct DeliveryVerdict: Hashable, Sendable {
    enum Result: Hashable, Sendable {
        case delivered

        /// The receiver does not want it.
        case rejected

        /// It is tried again.
        case failed

        /// The receiver is gone for good.
        case gone

        /// Nothing was found out, since this server stops.
        case interrupted
    }

    let result: Result
    let status: Int64?

    /// A stable name for what was wrong (docs/errors.md); nil for success.
    let error: String?
    let reply: String?

    /// How long the receiver asked us to stay away.
    var wish: Duration?

    /// Whether it asked that for everything.
    var isOverloaded = false
}

extension DeliveryVerdict {
    /// Reads an answer: only 2xx is success.
    ///
    /// The body of such an answer may say more. One that names a result which is none of ours is a
    /// failure: a receiver that tries to say something must not be taken for one that agrees.
    init(_ response: HTTPResponse, now: Instant) {
        status = Int64(response.status)
        reply = Self.text(of: response.body)
        wish = RetryAfter.duration(in: response.headers, now: now)
        isOverloaded = [429, 503].contains(response.status)
        switch response.status {
        case 200...299:
            (result, error) = Self.result(in: response.body)
        case 300...399: (result, error) = (.failed, "webhook.redirected")
        case 410: (result, error) = (.gone, "webhook.gone")
        case 429, 503: (result, error) = (.failed, "webhook.overloaded")
        default: (result, error) = (.failed, "webhook.status")
        }
    }

    /// There was no whole answer.
    init(_ error: HTTPTransportError) {
        let isOurs = [.closed, .cancelled].contains(error.code)
        result = isOurs ? .interrupted : .failed
        status = nil
        self.error = error.code.description
        reply = nil
    }

    /// The endpoint's address may not be used any more.
    static let addressNotAllowed = DeliveryVerdict(
        result: .failed, status: nil, error: "webhook.address_not_allowed", reply: nil)

    /// That the member is a number or an object has nothing to do with us.
    private static func result(in body: [UInt8]) -> (Result, String?) {
        guard let value = try? JSONValue(parsing: body),
            let word = value.object?["result"]?.string
        else { return (.delivered, nil) }
        return switch GrantResult(rawValue: word) {
        case .delivered: (.delivered, nil)
        case .rejected: (.rejected, "webhook.rejected")
        case .later: (.failed, "webhook.later")
        case nil: (.failed, "webhook.result_unknown")
        }
    }

    private static func text(of body: [UInt8]) -> String? {
        guard !body.isEmpty else { return nil }
        // Half a character at the end of the part becomes a replacement of at most three bytes.
        return String(decoding: body.prefix(CounterfoilStore.Limits.reply), as: UTF8.self)
            .storable(byteCount: CounterfoilStore.Limits.reply)
    }

    /// What it says about the goods that the event handed over.
    var grantResult: GrantResult {
        switch result {
        case .delivered: .delivered
        case .rejected: .rejected
        case .failed, .gone, .interrupted: .later
        }
    }
}
