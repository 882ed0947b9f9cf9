// SPDX-License-Identifier: Apache-2.0
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@Suite("The import command")
struct TheImportCommand {
    @Test("It tells faults by line, takes the rest, and goes on where it stopped")
    func wholeStory() throws {
        let folder = TemporaryFolder()
        let files = [
            "counterfoil.json": """
            {
              "database": "books.db",
              "apps": [{
                "id": "game", "bundle_id": "com.example.game", "simulated": true,
                "roots": ["root.pem"], "catalogue": "catalog.json",
                "deliver_from": { "Production": "2026-01-01T00:00:00Z" }
              }]
            }
            """,
            "catalog.json": "{ units: [], products: [] }",
            "root.pem": try TestAuthority.shared.rootCertificatesPEM[0],
            "old.csv": "transaction_id,environment\nT1,\nT2,Mars\nT3,Sandbox\nT4,Production\n",
        ]
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        let words = [
            "import", folder.file("old.csv"), "--app", "game", "--kind", "delivered", "--config",
            folder.file("counterfoil.json"),
        ]
        let first = try ChildProcess.run(Installation.program, words)
        #expect(first.status == 1)
        #expect(first.output.contains("old.csv:3: environment is \"Mars\""), "\(first.output)")
        #expect(first.output.contains("old.csv:4: deliver_from does not name Sandbox"))
        #expect(first.output.contains("imported: 2\n"))
        let second = try ChildProcess.run(Installation.program, words)
        #expect(second.status == 1)
        #expect(second.output.contains("lines done before: 5\n"), "\(second.output)")
        #expect(second.output.contains("old.csv:3: environment is \"Mars\""), "\(second.output)")
        #expect(second.output.hasSuffix("not taken: 2"), "\(second.output)")
        let third = try ChildProcess.run(Installation.program, words + ["--start-over"])
        #expect(third.output.contains("known already: 2\n"), "\(third.output)")
    }
}
