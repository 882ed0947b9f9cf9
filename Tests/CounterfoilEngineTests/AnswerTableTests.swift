// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import CounterfoilEngine

/// Promise P7: the documented table is what decides between `finish` and `keep`.
struct TheDocumentedAnswersHold {
    private struct Row: Hashable {
        let reason: String?
        let status: String
        let client: String
    }

    /// The rows of the table in `docs/answers.md`: a reason or a dash, then status and action.
    private static func documentedRows() throws -> [Row] {
        let place = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/answers.md")
        let text = try String(contentsOf: place, encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7, cells[3] == "`finish`" || cells[3] == "`keep`" else {
                return nil
            }
            return Row(
                reason: cells[1] == "–" ? nil : word(cells[1]), status: word(cells[2]),
                client: word(cells[3]))
        }
    }

    private static func word(_ cell: String) -> String {
        cell.trimmingCharacters(in: ["`"])
    }

    private static var decisions: [Decision] {
        [.fulfilled, .alreadyFulfilled, .restored] + Reason.allCases.map { .withheld($0) }
    }

    @Test("Every decision is in the table, and the table has no other")
    func tableIsComplete() throws {
        let rows = try Self.documentedRows()
        let decided = Self.decisions.map {
            Row(reason: $0.reason?.rawValue, status: $0.status.rawValue, client: $0.client.rawValue)
        }
        #expect(rows.count == decided.count)
        #expect(Set(decided).subtracting(rows) == [])
        #expect(Set(rows).subtracting(decided) == [])
    }

    @Test("Whatever cannot be verified is kept; whatever may be finished is proven and decided")
    func finishNeedsProof() {
        for decision in Self.decisions where decision.client == .finish {
            #expect(decision.status != .pending)
        }
        for decision in Self.decisions where decision.status == .pending {
            #expect(decision.client == .keep)
        }
        for decision in Self.decisions where decision.client == .keep {
            #expect(RetryAdvice.pause(for: decision, earlier: 0) != nil)
        }
        for decision in Self.decisions where decision.client == .finish {
            #expect(RetryAdvice.pause(for: decision, earlier: 0) == nil)
        }
    }

    @Test("Pauses double up to an hour, for refusals up to a day")
    func pauses() {
        #expect(RetryAdvice.pause(for: .withheld(.queued), earlier: 0) == .seconds(5))
        #expect(RetryAdvice.pause(for: .withheld(.noOwner), earlier: 3) == .seconds(40))
        #expect(RetryAdvice.pause(for: .withheld(.queued), earlier: .max) == .seconds(3600))
        #expect(RetryAdvice.pause(for: .withheld(.malformed), earlier: 0) == .seconds(60))
        #expect(RetryAdvice.pause(for: .withheld(.malformed), earlier: .max) == .seconds(86_400))
    }
}
