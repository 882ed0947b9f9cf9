// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Testing

@testable import CounterfoilEngine

@Suite("Lines of an imported file")
struct LinesOfAnImportedFile {
    private func words(
        _ text: String, _ kind: ImportKind = .delivered, _ format: ImportFormat = .csv
    ) throws -> [String] {
        let file = try ImportFile(Array(text.utf8), kind, format, environment: .production)
        return (0..<file.lineCount).compactMap { file.row($0) }.map { row in
            switch row {
            case .success(.delivery(let id, let environment, let isDelivered)):
                "\(id) \(environment) \(isDelivered)"
            case .success(.token(let token, let customer)): "\(token) \(customer)"
            case .success(.balance(let balance)): "\(balance.customer) \(balance.paid)"
            case .failure(let fault): "fault \(fault.line)"
            }
        }
    }

    @Test(
        "A table reads as spreadsheets write it",
        arguments: [
            ("transaction_id\nT1\nT2\n", ["T1 Production true", "T2 Production true"]),
            ("transaction_id\r\nT1\r\n\r\n", ["T1 Production true"]),
            ("\u{FEFF}transaction_id\nT1", ["T1 Production true"]),
            ("\"environment\",transaction_id\nSandbox,\"T1\"\n", ["T1 Sandbox true"]),
            ("transaction_id,environment\nT1,\nT2,Xcode\n", ["T1 Production true", "fault 3"]),
            ("transaction_id\n\"a\"\"b,c\"\n", ["a\"b,c Production true"]),
            (
                "transaction_id\n\"T1\nT1\"\nT1,T2\nT3\n",
                ["fault 2", "fault 3", "fault 4", "T3 Production true"]
            ),
            ("transaction_id,environment\n\",Sandbox\n", ["fault 2"]),
        ])
    func tables(text: String, expected: [String]) throws {
        #expect(try words(text) == expected)
    }

    @Test("Lines of JSON read one by one, and a fault spoils its own line only")
    func objects() throws {
        let token = "00000000-0000-4000-8000-00000000000a"
        let text = """
            {"token": "\(token.uppercased())", "customer_id": "u1"}
            {"token": "none", "customer_id": "u1"}

            {"token": "\(token)", "customer_id": "u2", "note": 1}
            not JSON
            {"token": "\(token)", "customer_id": "u3"}
            """
        #expect(
            try words(text, .tokens, .jsonl)
                == ["\(token) u1", "fault 2", "fault 4", "fault 5", "\(token) u3"])
    }

    @Test("Columns that are not those of the kind are told at once")
    func columns() {
        for text in ["", "id\nT1\n", "transaction_id,transaction_id\n", "\"transaction_id\n"] {
            #expect(throws: ImportFault.self) { try words(text) }
        }
    }
}
