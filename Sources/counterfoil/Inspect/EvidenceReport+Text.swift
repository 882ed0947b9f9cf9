// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilTrust

extension EvidenceReport {
    /// The report for people.
    var text: String {
        let blocks = [summary, certificateLines, contentLines].filter { !$0.isEmpty }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private var summary: [String] {
        var rows: [(String, String)] = [("Kind", kindName ?? "none")]
        switch conclusion {
        case .trusted: rows.append(("Verdict", Verdict.trusted.rawValue))
        case .unjudged: rows.append(("Verdict", "none: decoded without asking who signed it"))
        case .refused(let failure):
            rows.append(("Verdict", failure.verdict.rawValue))
            rows.append(("Failed check", failure.check))
            if let expected = failure.expected { rows.append(("Expected", expected)) }
            if let actual = failure.actual { rows.append(("Found", actual)) }
        }
        if let evidence {
            let digest = Hexadecimal.text(of: Digest.sha256(evidence.bytes))
            rows.append(("Evidence", "\(evidence.bytes.count) bytes, SHA-256 \(digest)"))
            let repairs = TextRepair.allCases.filter(evidence.repairs.contains)
            if !repairs.isEmpty {
                rows.append(("Mended", repairs.map(\.rawValue).joined(separator: ", ")))
            }
        }
        return Self.lines(rows, indent: 0)
    }

    private var certificateLines: [String] {
        guard !certificates.isEmpty else { return [] }
        var table = TextTable("SUBJECT", "VALID FROM", "VALID TO", "SHA-256")
        for step in certificates {
            table.append([
                step.subject, step.validity.notBefore.rfc3339, step.validity.notAfter.rfc3339,
                String(step.sha256.prefix(Self.shownDigestLength)) + "…",
            ])
        }
        return [path == nil ? "Certificates in the evidence" : "Certificate path"] + table.lines
    }

    private static let shownDigestLength = 16

    private var contentLines: [String] {
        guard let content else { return [] }
        let claim = verdict == .trusted ? "" : " (as claimed, not proven)"
        switch content.body {
        case .receipt(let receipt): return Self.lines(receipt, claim)
        case .transactionReceipt(let receipt):
            let around = receipt.outer.filter { !["signature", "purchase-info"].contains($0.key) }
            return ["Purchase\(claim)"] + Self.lines(receipt.purchase.map { ($0.key, $0.value) })
                + ["", "Around it, not signed"] + Self.lines(around.map { ($0.key, $0.value) })
        case .signed(let signed):
            return ["Payload\(claim)"] + Self.lines(signed.fields)
                + content.inner.flatMap {
                    ["", "Inside: \($0.name)\(claim)"] + Self.lines($0.content.fields)
                }
        }
    }

    private static func lines(_ receipt: AppReceipt, _ claim: String) -> [String] {
        let head = lines([
            ("App", receipt.bundleID?.rawValue ?? "–"),
            ("Version", receipt.applicationVersion ?? "–"),
            ("Receipt type", receipt.receiptType ?? "–"),
            ("Created", receipt.creationDate?.rfc3339 ?? "–"),
        ])
        var table = TextTable(
            "TRANSACTION", "ORIGINAL", "PRODUCT", "TYPE", "QUANTITY", "PURCHASED", "EXPIRES",
            "CANCELLED")
        for purchase in receipt.purchases {
            table.append([
                purchase.transactionID?.rawValue, purchase.originalTransactionID?.rawValue,
                purchase.productID?.rawValue, purchase.type?.rawValue,
                purchase.quantity.map { "\($0)" }, purchase.purchaseDate?.rfc3339,
                purchase.expiresDate?.rfc3339, purchase.cancellationDate?.rfc3339,
            ])
        }
        let count = receipt.purchases.count
        return ["Receipt\(claim)"] + head
            + ["", "Purchases (\(count))\(claim)"] + (count == 0 ? ["  none"] : table.lines)
    }

    private static func lines(_ fields: JSONObject) -> [String] {
        lines(fields.members.map { ($0.key, shown($0.key, $0.value)) })
    }

    private static let shownTextLength = 120

    /// A value in one line; dates, which payloads write as numbers, get their meaning beside them.
    private static func shown(_ key: String, _ value: JSONValue) -> String {
        switch value {
        case .string(let text):
            return text.utf8.count > shownTextLength ? "<\(text.utf8.count) bytes>" : text
        case .number(let number) where key.hasSuffix("Date"):
            guard let milliseconds = number.truncated else { return number.text }
            return "\(number.text) (\(Instant(millisecondsSinceEpoch: milliseconds)))"
        case .object(let object):
            return object.members.map { "\($0.key): \(shown($0.key, $0.value))" }
                .joined(separator: ", ")
        default: return value.text
        }
    }

    private static func lines(_ rows: [(String, String)], indent: Int = 2) -> [String] {
        let names = rows.map { TextTable.printable($0.0) }
        let width = names.map(\.count).max() ?? 0
        return zip(names, rows).map { name, row in
            String(repeating: " ", count: indent) + name
                + String(repeating: " ", count: width - name.count + 2)
                + TextTable.printable(row.1)
        }
    }
}
