// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import Synchronization

/// What an operator should be able to read afterwards: one line for each event, with its time, a
/// stable name, and fields as `name=value`.
///
/// Whoever writes hands in ids of ours and words of the program, never evidence, keys, tokens or what
/// a studio calls its customers.
package final class Log: Sendable {
    /// A log that nobody reads.
    package static let none = Log(clock: FixedClock(Instant(millisecondsSinceEpoch: 0))) { _ in }

    private let clock: any WallClock
    private let sink: @Sendable (_ line: String) -> Void
    private let budgets = Mutex<[String: Budget]>([:])

    /// How many lines of one name were written since when.
    private struct Budget: Sendable {
        var since: Instant
        var written = 0
        var dropped = 0
    }

    /// - Parameter sink: Takes each line, without its end; it must not wait.
    package init(clock: any WallClock, sink: @escaping @Sendable (_ line: String) -> Void) {
        self.clock = clock
        self.sink = sink
    }

    /// Writes an event, unless there were too many of its name in the last minute; the next one that is
    /// written says how many were not.
    package func write(_ event: String, _ fields: (name: String, value: String)...) {
        let now = clock.now
        guard let dropped = admit(event, at: now) else { return }
        var line = "\(now.rfc3339) \(event)"
        for (name, value) in fields { line += " \(name)=\(Self.text(of: value))" }
        if dropped > 0 { line += " unlogged=\(dropped)" }
        sink(line)
    }

    /// How many events of the name were dropped before this one; nil if it is dropped itself.
    private func admit(_ event: String, at now: Instant) -> Int? {
        budgets.withLock { budgets in
            var budget = budgets[event] ?? Budget(since: now)
            defer { budgets[event] = budget }
            if now < budget.since || now.since(budget.since) >= Limits.logWindow {
                budget.since = now
                budget.written = 0
            }
            guard budget.written < Limits.logLinesPerWindow else {
                budget.dropped += 1
                return nil
            }
            budget.written += 1
            defer { budget.dropped = 0 }
            return budget.dropped
        }
    }

    /// The value as it is, or in quotes as JSON writes them where a reader could not see its end.
    private static func text(of value: String) -> String {
        let isLong = value.utf8.count > Limits.logValueByteCount
        let shown = isLong ? String(value.prefix(Limits.logValueByteCount / 4)) + "…" : value
        let isPlain =
            !shown.isEmpty
            && shown.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "=")
            }
        return isPlain ? shown : JSONValue.string(shown).text
    }
}
