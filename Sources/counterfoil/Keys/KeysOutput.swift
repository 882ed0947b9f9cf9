// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// What `counterfoil keys` prints.
struct KeysOutput: Sendable {
    let console: Console
    let app: AppID
    let isJSON: Bool

    func show(created record: APIKeyRecord, text: String) {
        guard !isJSON else {
            var object = object(of: record)
            object.append("key", .string(text))
            return printJSON(.object(object))
        }
        console.print(
            """
            A \(record.kind) key for \(app), shown only now:

              \(text)

            Its id is \(record.keyID); counterfoil keys revoke takes that.

            """)
    }

    func show(_ records: [APIKeyRecord]) {
        guard !isJSON else {
            return printJSON(.array(records.map { .object(object(of: $0)) }))
        }
        guard !records.isEmpty else { return console.print("\(app) has no keys.\n") }
        var table = TextTable("key", "kind", "label", "made", "revoked")
        for record in records {
            table.append([
                record.keyID.description, record.kind, record.label, record.createdAt.rfc3339,
                record.revokedAt?.rfc3339,
            ])
        }
        console.print(table.lines.joined(separator: "\n") + "\n")
    }

    func show(revoked id: UniqueID) {
        guard !isJSON else {
            return printJSON(["key_id": .string(id.description), "revoked": true])
        }
        console.print("The key \(id) of \(app) is revoked.\n")
    }

    private func object(of record: APIKeyRecord) -> JSONObject {
        JSONObject([
            .init(key: "key_id", value: .string(record.keyID.description)),
            .init(key: "app", value: .string(record.app.rawValue)),
            .init(key: "kind", value: .string(record.kind)),
            .init(key: "label", value: .string(record.label)),
            .init(key: "created_at", value: .string(record.createdAt.rfc3339)),
            .init(key: "revoked_at", value: .optional(record.revokedAt?.rfc3339)),
        ])
    }

    private func printJSON(_ value: JSONValue) {
        console.print(value.indentedUTF8)
        console.print("\n")
    }
}
