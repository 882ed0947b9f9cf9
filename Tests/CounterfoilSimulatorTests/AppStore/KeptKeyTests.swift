// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

struct KeptServiceKey {
    @Test("The key is made once, and the next start has the same")
    func keeping() throws {
        let folder = TemporaryFolder()
        let made = try ServiceKey.kept(in: folder.path, random: SystemRandom())
        let loaded = try ServiceKey.kept(in: folder.path, random: SystemRandom())
        #expect(made.keyID == loaded.keyID)
        #expect(made.keyID.utf8.count == 10)
        #expect(made.issuerID == loaded.issuerID)
        #expect(made.publicKey == loaded.publicKey)
        let secret = try PrivateKey(
            pem: String(contentsOfFile: folder.file(ServiceKey.secretFileName), encoding: .utf8))
        #expect(secret.publicKey == made.publicKey)
    }

    @Test("A key that was half written is made anew")
    func interrupted() throws {
        let folder = TemporaryFolder()
        try Data("half".utf8).write(
            to: URL(fileURLWithPath: folder.file(ServiceKey.secretFileName)))
        let made = try ServiceKey.kept(in: folder.path, random: SystemRandom())
        #expect(try ServiceKey.kept(in: folder.path, random: SystemRandom()).keyID == made.keyID)
    }

    @Test("A secret half that others may read is refused")
    func permissions() throws {
        let folder = TemporaryFolder()
        _ = try ServiceKey.kept(in: folder.path, random: SystemRandom())
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.file(ServiceKey.secretFileName))
        #expect {
            _ = try ServiceKey.kept(in: folder.path, random: SystemRandom())
        } throws: {
            ($0 as? AuthorityError)?.code == .permissions
        }
    }
}
