// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilTrust

extension EvidenceReport {
    /// One object for programs; docs/command-line.md lists its names.
    var json: JSONValue {
        var object = JSONObject()
        object.append("kind", .optional(kindName))
        object.append("verdict", .optional(verdict?.rawValue))
        object.append("check", .optional(failure?.check))
        object.append("expected", .optional(failure?.expected))
        object.append("actual", .optional(failure?.actual))
        object.append("proven", .bool(verdict == .trusted))
        if let evidence {
            object.append("byte_length", .integer(evidence.bytes.count))
            object.append("sha256", .string(Hexadecimal.text(of: Digest.sha256(evidence.bytes))))
            let repairs = TextRepair.allCases.filter(evidence.repairs.contains)
            object.append("repairs", .array(repairs.map { .string($0.rawValue) }))
        }
        object.append("certificates_are", .string(path == nil ? "embedded" : "path"))
        object.append("certificates", .array(certificates.map(Self.json)))
        for (name, value) in contentMembers { object.append(name, value) }
        return .object(object)
    }

    private var contentMembers: [(String, JSONValue)] {
        guard let content else { return [] }
        switch content.body {
        case .receipt(let receipt): return [("receipt", ReceiptDocument.json(receipt))]
        case .transactionReceipt(let receipt):
            let around = receipt.outer.filter { !["signature", "purchase-info"].contains($0.key) }
            return [
                ("outer", Self.json(around)), ("purchase_info", Self.json(receipt.purchase)),
            ]
        case .signed(let signed):
            return [("payload", .object(signed.fields))]
                + content.inner.map { ($0.name, .object($0.content.fields)) }
        }
    }

    private static func json(_ step: CertificatePath.Step) -> JSONValue {
        [
            "subject": .string(step.subject), "serial_hex": .optional(step.serialNumber),
            "sha256": .string(step.sha256), "not_before": .string(step.validity.notBefore.rfc3339),
            "not_after": .string(step.validity.notAfter.rfc3339),
        ]
    }

    private static func json(_ entries: [TransactionReceipt.Entry]) -> JSONValue {
        .object(JSONObject(entries.map { .init(key: $0.key, value: .string($0.value)) }))
    }
}
