// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@Suite(.onEveryDatabase) struct EvidenceIsKeptOnce {
    @Test("Purchases of one store share one row of certificates")
    func sharedChain() async throws {
        try await withDatabase { database in
            for number in 1...20 {
                let token = try TestAuthority.shared.signedTransaction(Sample.purchase(number))
                try await keep(Array(token.utf8), isVerified: true, in: database)
            }
            #expect(try await count("SELECT COUNT(*) FROM evidence", in: database) == 20)
            #expect(try await count("SELECT COUNT(*) FROM certificate_chains", in: database) == 1)
            #expect(
                try await count(
                    "SELECT CAST(MAX(LENGTH(bytes)) AS BIGINT) FROM evidence", in: database) < 400)
        }
    }

    @Test("Evidence is read as it came", arguments: Sample.all)
    func read(_ sample: Sample) async throws {
        try await withDatabase { database in
            let digest = Digest.sha256(sample.bytes)
            try await keep(sample.bytes, isVerified: true, in: database)
            let record = try #require(try await database.read { try $0.evidence(digest) })
            #expect(try record.original() == sample.bytes)
            #expect(record.byteCount == Int64(sample.bytes.count))
        }
    }

    @Test("A beginning becomes whole, unproven becomes proven, and never back")
    func improving() async throws {
        let bytes = Sample.all[0].bytes
        let digest = Digest.sha256(bytes)
        let beginning = PackedEvidence(beginning: Array(bytes.prefix(100)))
        let unproven = PackedEvidence(packing: bytes, sharesCertificates: false)
        let proven = PackedEvidence(packing: bytes, sharesCertificates: true)
        try await withDatabase { database in
            let steps: [(PackedEvidence, Bool, PackedEvidence, Bool)] = [
                (beginning, false, beginning, false), (unproven, false, unproven, false),
                (beginning, false, unproven, false), (proven, true, proven, true),
                (unproven, false, proven, true), (beginning, false, proven, true),
            ]
            for (handed, isVerified, kept, isKeptVerified) in steps {
                let record = EvidenceRecord(
                    sha256: digest, kind: "jws", packed: handed, byteCount: Int64(bytes.count),
                    isVerified: isVerified, receivedAt: TestAuthority.clock.now)
                try await database.write { try $0.keep(record) }
                let found = try #require(try await database.read { try $0.evidence(digest) })
                #expect(found.packed.encoding == kept.encoding)
                #expect(found.packed.chain == kept.chain)
                #expect(found.isVerified == isKeptVerified)
                let (isKept, isKeptAsProven) = try await database.read {
                    (
                        try $0.isKept(digest, asVerified: false),
                        try $0.isKept(digest, asVerified: true)
                    )
                }
                #expect(isKept == (kept.encoding != .beginning))
                #expect(isKeptAsProven == isKeptVerified)
            }
        }
    }

    private func keep(
        _ bytes: [UInt8], isVerified: Bool, in database: any Database
    ) async throws {
        let record = EvidenceRecord(
            sha256: Digest.sha256(bytes), kind: "jws",
            packed: PackedEvidence(packing: bytes, sharesCertificates: isVerified),
            byteCount: Int64(bytes.count), isVerified: isVerified,
            receivedAt: TestAuthority.clock.now)
        try await database.write { try $0.keep(record) }
    }

    private func count(_ query: SQL, in database: any Database) async throws -> Int64 {
        try await database.read { try $0.row(query)?.integer(0) ?? 0 }
    }

    private func withDatabase(_ body: (any Database) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let database = try await DatabaseEngine.current.open(in: folder)
        try await database.migrate(Schema.migrations, at: TestAuthority.clock.now)
        try await body(database)
        await database.close()
    }
}
