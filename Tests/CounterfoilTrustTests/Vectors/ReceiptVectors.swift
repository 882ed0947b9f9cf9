// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

/// One of the receipts that lie beside the project, with what its description expects.
struct ReceiptVector: CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let verdict: String

    /// The moment at which the description judges, where the receipt has one.
    let creationDate: Instant?

    /// The root that the description judges by; nil for Apple's.
    let rootFile: String?

    /// The store with that root.
    let store: TrustStore

    var testDescription: String { name }

    /// The app receipts whose text is plain base64; the others are a matter of reading texts.
    static let all: [ReceiptVector] = OutsideVectors.names(
        in: "receipts", ending: ".expected.json"
    ).compactMap { try? ReceiptVector(named: $0) }

    private init?(named name: String) throws {
        let expected = try JSONValue(
            parsing: OutsideVectors.bytes("receipts/\(name).expected.json"))
        guard expected["kind"]?.string == "app-receipt",
            let verdict = expected["verification"]?["verdict"]?.string,
            let bytes = Base64.decode(
                try OutsideVectors.text("receipts/\(name).b64").utf8, .standard)
        else { return nil }
        self.name = name
        self.bytes = bytes
        self.verdict = verdict
        let anchor = expected["verification"]?["anchor"]?.string ?? "apple"
        creationDate = expected["receipt"]?["creation_date"]?["epoch_ms"]?.int64
            .map(Instant.init(millisecondsSinceEpoch:))
        rootFile = anchor.split(separator: ":").dropFirst().first
            .map { "receipts/synthetic-\($0.dropFirst("receipt-".count)).cert.b64" }
        if let rootFile {
            let anchor = try TrustAnchor(parsing: OutsideVectors.bytes(rootFile))
            store = TrustStore(anchors: [anchor])
        } else {
            store = .apple
        }
    }
}

/// Reads nothing of a receipt's payload but its creation date (attribute 12).
func creationDate(
    _ content: ArraySlice<UInt8>
) throws(TrustFailure) -> DatedPayload<ArraySlice<UInt8>> {
    var date: Instant?
    do throws(ASN1Error) {
        var attributes = try ASN1Reader.only(.set, in: content, rules: .basic).children()
        while let attribute = try attributes.next() {
            var fields = try attribute.children()
            let type = try fields.next(.integer).int64()
            _ = try fields.next(.integer)
            let value = try fields.next(.octetString).octets()
            guard type == 12 else { continue }
            var reader = try ASN1Reader(value, rules: .basic)
            date = Instant(rfc3339: try reader.next(.ia5String).textOctets())
        }
    } catch {
        throw TrustFailure(.malformedPayload, check: "receipt", actual: error.description)
    }
    guard let date else { throw TrustFailure(.malformedPayload, check: "receipt.date") }
    return DatedPayload(content, effectiveDate: date)
}

/// The verdict of a verification, and its check where it failed.
func verdict<Result>(_ verification: () throws(TrustFailure) -> Result) -> (String, String?) {
    do throws(TrustFailure) {
        _ = try verification()
        return ("trusted", nil)
    } catch {
        return (error.verdict.rawValue, error.check)
    }
}

struct RealReceipts {
    @Test("Every receipt gets the verdict that its description expects")
    func present() throws {
        if try OutsideVectors.require(ReceiptVector.all.count, of: "RealReceipts") {
            #expect(ReceiptVector.all.count >= 40)
        }
    }

    @Test("A receipt gets its verdict, the first time and the second", arguments: ReceiptVector.all)
    func verdicts(_ vector: ReceiptVector) {
        let verifier = TrustVerifier(store: vector.store)
        for _ in 0..<2 {
            let (verdict, check) = verdict { () throws(TrustFailure) in
                try verifier.verify(cms: vector.bytes[...], reading: creationDate)
            }
            #expect(verdict == vector.verdict, "\(check ?? "no check failed")")
        }
    }

    @Test("Under the roots of iOS 6 no app receipt is believed", arguments: ReceiptVector.all)
    func otherStore(_ vector: ReceiptVector) {
        let verifier = TrustVerifier(store: .appleTransactionReceipts)
        let (verdict, _) = verdict { () throws(TrustFailure) in
            try verifier.verify(cms: vector.bytes[...], reading: creationDate)
        }
        let isBelieved = vector.verdict == "trusted" || vector.verdict.hasPrefix("wrong")
        #expect(verdict == (isBelieved ? "untrusted-root" : vector.verdict))
    }
}
