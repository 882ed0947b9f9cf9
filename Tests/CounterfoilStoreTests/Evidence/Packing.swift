// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilStore

/// Evidence of the test authority, by name.
struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]

    var testDescription: String { name }

    static let all: [Sample] = (try? made()) ?? []

    private static func made() throws -> [Sample] {
        let authority = try TestAuthority.shared
        let transaction = try authority.signedTransaction(purchase(1))
        let notification: JSONValue = [
            "notificationType": "DID_RENEW",
            "data": [
                "bundleId": "com.example.counterfoil",
                "signedTransactionInfo": .string(transaction),
            ],
        ]
        return [
            Sample(name: "signed transaction", bytes: Array(transaction.utf8)),
            Sample(
                name: "notification",
                bytes: Array(try authority.sign(notification).utf8)),
            Sample(name: "receipt of one", bytes: try receipt(of: 1)),
            Sample(name: "receipt of forty", bytes: try receipt(of: 40)),
        ]
    }

    static func purchase(_ number: Int) -> SimulatedPurchase {
        SimulatedPurchase(
            environment: .production, bundleID: "com.example.counterfoil",
            transactionID: "20000010\(number)", productID: "com.example.counterfoil.coins100",
            kind: .consumable, purchaseDate: TestAuthority.clock.now - .seconds(3600))
    }

    private static func receipt(of count: Int) throws -> [UInt8] {
        let receipt = SimulatedReceipt(
            bundleID: "com.example.counterfoil", environment: .production,
            creationDate: TestAuthority.clock.now - .seconds(60),
            purchases: (0..<count).map(purchase))
        return try TestAuthority.shared.appReceipt(receipt)
    }
}

@Suite struct PackedEvidenceComesBackAsItWas {
    @Test("What the store signs comes back, and is far smaller", arguments: Sample.all)
    func signed(_ sample: Sample) throws {
        let packed = PackedEvidence(packing: sample.bytes, sharesCertificates: true)
        #expect(packed.encoding == .packed)
        #expect(packed.bytes.count * 2 < sample.bytes.count)
        #expect(packed.chain != nil)
        #expect(try original(packed, of: sample.bytes) == sample.bytes)
    }

    @Test("There are samples")
    func samples() {
        #expect(Sample.all.count == 4)
    }

    @Test("The certificates of a store are the same row for all that it signs")
    func oneChain() throws {
        let chains = try (1...3).map { number in
            let token = try TestAuthority.shared.signedTransaction(Sample.purchase(number))
            return PackedEvidence(packing: Array(token.utf8), sharesCertificates: true).chain
        }
        #expect(Set(chains).count == 1)
        let nested = PackedEvidence(packing: Sample.all[1].bytes, sharesCertificates: true).chain
        #expect(nested == chains[0], "a notification's inner transaction adds none")
    }

    @Test("Evidence that is not proven keeps its certificates", arguments: Sample.all)
    func unproven(_ sample: Sample) throws {
        let packed = PackedEvidence(packing: sample.bytes, sharesCertificates: false)
        #expect(packed.chain == nil)
        #expect(try original(packed, of: sample.bytes) == sample.bytes)
    }

    @Test(
        "Anything else comes back too",
        arguments: [
            "", "0", "not evidence", ". .", "a.b.c", String(repeating: "A", count: 5_000),
            String(repeating: "A", count: 400) + ".e30." + String(repeating: "=", count: 100),
            "{\"a\":\"" + String(repeating: "TUlJ", count: 50) + "\"}",
        ])
    func strange(_ text: String) throws {
        for sharesCertificates in [true, false] {
            let bytes = Array(text.utf8)
            let packed = PackedEvidence(packing: bytes, sharesCertificates: sharesCertificates)
            #expect(try original(packed, of: bytes) == bytes)
        }
    }

    @Test("Hostile material comes back too")
    func hostile() throws {
        for item in try (HostileEvidence.tokens + HostileEvidence.receipts).map(\.evidence) {
            let packed = PackedEvidence(packing: item, sharesCertificates: true)
            #expect(try original(packed, of: item) == item)
        }
    }

    @Test("Random bytes that begin like a container or a token come back", arguments: 0..<40)
    func random(_ seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var bytes = random.bytes(Int(random.next() % 3_000))
        let sample = Sample.all[Int(seed) % Sample.all.count].bytes
        // A real one with a hole, a doubled part and noise.
        let cut = Int(random.next() % UInt64(sample.count))
        bytes = Array(sample.prefix(cut)) + bytes + Array(sample.dropFirst(cut / 2))
        let packed = PackedEvidence(packing: bytes, sharesCertificates: true)
        #expect(try original(packed, of: bytes) == bytes)
    }

    @Test("What merely looks like certificates is left where it is after a few finds")
    func manyCertificates() throws {
        var bytes: [UInt8] = [0x30]
        for number in 0..<2_000 {
            var piece = [UInt8](repeating: 0, count: 132)
            piece.replaceSubrange(
                0..<13, with: [0x30, 0x82, 0, 128, 0x30, 0x82, 0, 124, 0xA0, 3, 2, 1, 2])
            piece[130] = UInt8(number >> 8)
            piece[131] = UInt8(number & 255)
            bytes += piece
        }
        var writer = PartWriter(takesCertificates: true)
        writer.write(bytes)
        #expect(writer.certificates.count == Limits.certificateFinds)
        let packed = PackedEvidence(packing: bytes, sharesCertificates: true)
        #expect(packed.chain?.bytes.count == Limits.certificateFinds * 132)
        #expect(try original(packed, of: bytes) == bytes)
    }

    @Test("Certificates longer than a chain may be are left where they are")
    func longCertificates() throws {
        var bytes: [UInt8] = [0x30]
        for number in 0..<4 as Range<UInt8> {
            bytes += [0x30, 0x82, 0x7F, 0xFC, 0x30, 0x82, 0x7F, 0xF8, 0xA0, 3, 2, 1, 2]
            bytes += [UInt8](repeating: number, count: 0x7FFC + 4 - 13)
        }
        let packed = PackedEvidence(packing: bytes, sharesCertificates: true)
        #expect(packed.chain?.bytes.count == 2 * 0x8000)
        #expect(try original(packed, of: bytes) == bytes)
    }

    private func original(_ packed: PackedEvidence, of bytes: [UInt8]) throws -> [UInt8] {
        try packed.original(sha256: Digest.sha256(bytes), byteCount: Int64(bytes.count))
    }
}

@Suite struct DamagedEvidenceIsNoticed {
    @Test("With one changed bit anywhere nothing else comes back", arguments: Sample.all)
    func flipped(_ sample: Sample) throws {
        let packed = PackedEvidence(packing: sample.bytes, sharesCertificates: true)
        let digest = Digest.sha256(sample.bytes)
        let random = SeededRandom(seed: 5)
        var noticed = 0
        for index in stride(from: 0, to: packed.bytes.count, by: 1 + packed.bytes.count / 300) {
            var bytes = packed.bytes
            bytes[index] ^= 1 << UInt8(random.next() % 8)
            let damaged = PackedEvidence(encoding: .packed, bytes: bytes, chain: packed.chain)
            do {
                // A copy from another place, or a bit behind the end, may make no difference.
                let count = Int64(sample.bytes.count)
                #expect(try damaged.original(sha256: digest, byteCount: count) == sample.bytes)
            } catch {
                #expect(error.code == .corrupt)
                noticed += 1
            }
        }
        #expect(noticed > 100)
    }

    @Test("Another chain, none, or another length is noticed")
    func otherChain() throws {
        let sample = Sample.all[0].bytes
        let packed = PackedEvidence(packing: sample, sharesCertificates: true)
        let digest = Digest.sha256(sample)
        let other = PackedEvidence(packing: Sample.all[2].bytes, sharesCertificates: true).chain
        for chain in [nil, other, CertificateChain([1, 2, 3])] {
            let damaged = PackedEvidence(encoding: .packed, bytes: packed.bytes, chain: chain)
            #expect(throws: DatabaseError.self) {
                _ = try damaged.original(sha256: digest, byteCount: Int64(sample.count))
            }
        }
        for count in [-1, 0, Int64(sample.count) - 1, Int64(sample.count) + 1, .max] {
            #expect(throws: DatabaseError.self) {
                _ = try packed.original(sha256: digest, byteCount: count)
            }
        }
    }

    @Test("A few bytes that would become gigabytes are refused")
    func bomb() throws {
        let zeros = [UInt8](repeating: 0, count: 20 << 20)
        let small = try #require(Deflate.compress(zeros, dictionary: EvidenceDictionary.first))
        #expect(small.count < 32 << 10)
        let bomb = PackedEvidence(
            encoding: .packed, bytes: VariableNumber.bytes(of: 1 << 34) + small, chain: nil)
        #expect(throws: DatabaseError.self) {
            _ = try bomb.original(sha256: Digest.sha256(zeros), byteCount: 5_000)
        }
        let lying = PackedEvidence(
            encoding: .packed, bytes: VariableNumber.bytes(of: 5_000) + small, chain: nil)
        #expect(throws: DatabaseError.self) {
            _ = try lying.original(sha256: Digest.sha256(zeros), byteCount: 5_000)
        }
    }

    @Test("Only the beginning is no evidence")
    func beginning() {
        let packed = PackedEvidence(beginning: [1, 2, 3])
        #expect(throws: DatabaseError.self) {
            _ = try packed.original(sha256: Digest.sha256([1, 2, 3]), byteCount: 3)
        }
    }
}
