// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

struct Encoding {
    static let integers: [(Int64, String)] = [
        (0, "020100"), (127, "02017f"), (128, "02020080"), (256, "02020100"), (-1, "0201ff"),
        (-128, "020180"), (-129, "0202ff7f"), (.max, "02087fffffffffffffff"),
        (.min, "02088000000000000000"),
    ]

    @Test("Integers take as few bytes as their sign allows", arguments: integers)
    func integer(number: Int64, expected: String) {
        #expect(Hexadecimal.text(of: DER.integer(number)) == expected)
    }

    @Test("Lengths take one byte below 128 and as few as possible above")
    func lengths() {
        #expect(DER.length(127) == [0x7F])
        #expect(DER.length(128) == [0x81, 0x80])
        #expect(DER.length(256) == [0x82, 0x01, 0x00])
        #expect(DER.length(65_536) == [0x83, 0x01, 0x00, 0x00])
    }

    @Test("Object identifiers encode their arcs in base 128")
    func identifiers() {
        #expect(
            Hexadecimal.text(of: DER.objectIdentifier("1.2.840.113635.100.6.11.1"))
                == "060a2a864886f76364060b01")
        #expect(Hexadecimal.text(of: DER.objectIdentifier("2.5.4.3")) == "0603550403")
    }

    @Test("Times have two digits of the year until 2049 and four after it")
    func times() throws {
        let early = try #require(Instant(rfc3339: "2049-12-31T23:59:59Z"))
        let late = try #require(Instant(rfc3339: "2050-01-01T00:00:00Z"))
        #expect(DER.time(early) == [0x17, 13] + "491231235959Z".utf8)
        #expect(DER.time(late) == [0x18, 15] + "20500101000000Z".utf8)
    }

    @Test("Receipt dates drop milliseconds")
    func receiptDates() {
        let instant = Instant(millisecondsSinceEpoch: 1_999)
        #expect(DER.receiptDate(instant) == [0x16, 20] + "1970-01-01T00:00:01Z".utf8)
    }
}

struct SigningAuthority {
    let authority: Authority

    init() throws {
        authority = try TestAuthority.shared
    }

    private func purchase() -> SimulatedPurchase {
        SimulatedPurchase(
            environment: .sandbox, bundleID: "com.example.counterfoil", transactionID: "1",
            productID: "coins", kind: .consumable, purchaseDate: TestAuthority.clock.now)
    }

    @Test("A signed transaction has three parts, three certificates and a valid signature")
    func transaction() throws {
        let purchase = purchase()
        let token = try authority.signedTransaction(purchase)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try JSONValue(parsing: #require(Base64.decode(parts[0].utf8, .url)))
        #expect(header["alg"] == "ES256")
        let certificates = header["x5c"]?.array?.compactMap(\.string)
            .compactMap { Base64.decode($0.utf8, .standard) }
        #expect(certificates == authority.signedDataChain.certificates)
        let signature = try #require(Base64.decode(parts[2].utf8, .url))
        #expect(
            authority.signedDataChain.leaf.key.publicKey.isValidRawSignature(
                signature, of: "\(parts[0]).\(parts[1])".utf8))
        let payload = try JSONValue(parsing: #require(Base64.decode(parts[1].utf8, .url)))
        #expect(payload == purchase.transactionPayload)
        #expect(payload["environment"] == "Sandbox")
    }

    @Test("The roots are given as PEM blocks with lines of 64 characters")
    func roots() throws {
        for (text, certificate) in zip(authority.rootCertificatesPEM, authority.rootCertificates) {
            #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 64 })
            #expect(PEM.firstBlock(labelled: PEM.certificateLabel, in: text) == certificate)
            #expect(throws: Never.self) { try TrustAnchor(parsing: text.utf8) }
        }
    }

    @Test("A receipt of iOS 6 carries a signature over version and purchase, and its signer")
    func transactionReceipt() throws {
        let chain = authority.transactionReceiptChain
        let receipt = TransactionReceipt(purchase())
        let text = String(decoding: try receipt.encoded(signer: chain.leaf), as: UTF8.self)
        let quoted = text.split(separator: "\"").map(String.init)
        let blob = try #require(Base64.decode(quoted[3].utf8, .standard))
        let content = try #require(Base64.decode(quoted[7].utf8, .standard))
        #expect(blob[0] == 2)
        #expect(Array(blob[133...]) == chain.leaf.certificate)
        #expect(
            chain.leaf.key.publicKey.isValidSignature(
                blob[1...128], of: [2] + content, algorithm: .sha1))
        #expect(String(decoding: content, as: UTF8.self).contains("\"product-id\" = \"coins\";"))
    }
}

struct SeededRandomness {
    @Test("Equal seeds give equal bytes, however they are asked for")
    func equal() {
        let (one, other) = (SeededRandom(seed: 7), SeededRandom(seed: 7))
        #expect(one.bytes(16) == other.bytes(8) + other.bytes(8))
        #expect(SeededRandom(seed: 8).bytes(16) != SeededRandom(seed: 7).bytes(16))
        #expect(one.bytes(0).isEmpty)
        #expect(one.bytes(3).count == 3)
    }
}
