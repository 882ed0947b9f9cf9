// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

struct SavedAuthority {
    /// A folder of this test's own, removed at its end.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("authority-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test("A loaded authority has the keys and certificates of the saved one")
    func roundTrip() throws {
        try withFolder { folder in
            let saved = try TestAuthority.shared
            try saved.save(to: folder)
            let loaded = try Authority(folder: folder)
            for (one, other) in [
                (saved.signedDataChain, loaded.signedDataChain),
                (saved.receiptChain, loaded.receiptChain),
                (saved.transactionReceiptChain, loaded.transactionReceiptChain),
            ] {
                #expect(one.certificates == other.certificates)
                #expect(one.leaf.key.publicKey == other.leaf.key.publicKey)
            }
            let receipt = SimulatedReceipt(
                bundleID: "com.example.counterfoil", environment: .sandbox,
                creationDate: TestAuthority.clock.now)
            // PKCS #1 v1.5 is deterministic, so equal keys and names give equal bytes.
            #expect(try saved.appReceipt(receipt) == loaded.appReceipt(receipt))
            for (name, text) in zip(Authority.rootFileNames, saved.rootCertificatesPEM) {
                #expect(try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) == text)
            }
        }
    }

    @Test("Files with keys are for their owner alone, and others are refused")
    func permissions() throws {
        try withFolder { folder in
            try TestAuthority.shared.save(to: folder)
            let key = "\(folder)/signed-data/leaf.pem"
            let attributes = try FileManager.default.attributesOfItem(atPath: key)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
            expectFailure(.permissions) { _ = try Authority(folder: folder) }
        }
    }

    @Test("A saved authority is never overwritten")
    func overwriting() throws {
        try withFolder { folder in
            try TestAuthority.shared.save(to: folder)
            expectFailure(.exists) { try TestAuthority.shared.save(to: folder) }
        }
    }

    @Test("A missing file, a file without a key and a foreign key are errors")
    func damaged() throws {
        try withFolder { folder in
            expectFailure(.file) { _ = try Authority(folder: folder) }
            try TestAuthority.shared.save(to: folder)
            let leaf = "\(folder)/receipts/leaf.pem"
            let root = try String(contentsOfFile: "\(folder)/receipts/root.pem", encoding: .utf8)
            let own = try String(contentsOfFile: leaf, encoding: .utf8)
            let marker = "-----BEGIN PRIVATE KEY-----"
            let certificate = String(
                own.prefix(upTo: try #require(own.range(of: marker)).lowerBound))
            let key = String(root.suffix(from: try #require(root.range(of: marker)).lowerBound))
            for text in ["", certificate, certificate + key, String(repeating: "x", count: 70_000)]
            {
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: leaf))
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: Data(text.utf8))
                try handle.close()
                expectFailure(.invalid) { _ = try Authority(folder: folder) }
            }
        }
    }

    private func expectFailure(_ code: AuthorityError.Code, _ body: () throws -> Void) {
        #expect {
            try body()
        } throws: {
            ($0 as? AuthorityError)?.code == code
        }
    }
}
