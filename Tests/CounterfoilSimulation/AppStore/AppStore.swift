// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilReferenceModel
import CounterfoilSimulator

/// The store of the simulation: sells, takes back, and signs what it sold.
///
/// Signatures differ from run to run. Where the order of their digests could be seen, copies are
/// signed until the digest begins as the seed wants it.
final class AppStore {
    static let bundle = "com.example.counterfoil"

    private let authority: Authority
    private let scheduler: Scheduler
    private(set) var sold: [Sold] = []

    /// All evidence that was ever signed, by digest.
    private(set) var signed: [[UInt8]: Evidence] = [:]

    /// The same in the order of signing.
    private(set) var inOrder: [Evidence] = []

    init(authority: Authority, scheduler: Scheduler) {
        self.authority = authority
        self.scheduler = scheduler
    }

    // MARK: Selling

    /// Sells a product; the index of the purchase.
    func sell(_ purchase: Sold) -> Int {
        sold.append(purchase)
        return sold.count - 1
    }

    func change(_ index: Int, _ body: (inout Sold) -> Void) {
        body(&sold[index])
    }

    func nextTransaction() -> String {
        String(2_000_000_000 + sold.count)
    }

    /// A moment without milliseconds, since receipts know none.
    var wholeSecond: Int64 { scheduler.now / 1000 * 1000 }

    // MARK: Signing

    /// Signs a purchase as it stands now.
    func signedTransaction(of index: Int) throws -> Evidence {
        let (moment, seal) = occasion(for: [index])
        let purchase = sold[index].purchase(signed: moment, bundle: Self.bundle)
        let copy = sold[index].copy(.signedTransaction, signed: moment, seal: seal)
        var text = ""
        repeat {
            text = try authority.signedTransaction(purchase)
        } while Self.seal(of: Digest.sha256(text.utf8)) != seal
        return keep(
            Evidence(
                text: text,
                meaning: meaning(
                    of: [copy], in: sold[index].environment, isReceipt: false)))
    }

    /// Signs a receipt of purchases of one environment.
    func receipt(of indices: [Int]) throws -> Evidence {
        let (moment, seal) = occasion(for: indices)
        let environment = sold[indices[0]].environment
        var receipt = SimulatedReceipt(
            bundleID: Self.bundle, environment: environment,
            creationDate: Instant(millisecondsSinceEpoch: moment))
        receipt.additionalAttributes = indices.map { index in
            let attributes = sold[index].purchase(signed: moment, bundle: Self.bundle)
                .receiptAttributes.filter { sold[index].isTypeTold || $0.type != 1707 }
            return ReceiptAttribute(type: 17, value: ReceiptAttribute.encoded(attributes))
        }
        let copies = indices.map { sold[$0].copy(.receipt, signed: moment, seal: seal) }
        var bytes: [UInt8] = []
        repeat {
            receipt.opaqueValue = SystemRandom().bytes(16)
            bytes = try authority.appReceipt(receipt)
        } while Self.seal(of: Digest.sha256(bytes)) != seal
        return keep(
            Evidence(
                Base64.encode(bytes, .standard), digest: Digest.sha256(bytes),
                meaning: meaning(of: copies, in: environment, isReceipt: true)))
    }

    /// When something is signed, and how its digest begins; now and then at the moment of an earlier
    /// copy, with another beginning.
    private func occasion(for indices: [Int]) -> (moment: Int64, seal: Int) {
        let first = sold[indices[0]]
        let (moment, seal) =
            scheduler.isOne(in: 4) && first.lastSigned > 0 && first.copiesThen < Self.sealCount
            ? (first.lastSigned, first.copiesThen) : (wholeSecond, 0)
        for index in indices {
            if sold[index].lastSigned == moment {
                sold[index].copiesThen = max(sold[index].copiesThen, seal) + 1
            } else {
                sold[index].copiesThen = seal + 1
            }
            sold[index].lastSigned = moment
        }
        return (moment, seal)
    }

    private static let sealCount = 4

    private static func seal(of digest: [UInt8]) -> Int {
        Int(digest[0] >> 6)
    }

    private func meaning(
        of copies: [Copy], in environment: AppStoreEnvironment, isReceipt: Bool,
        flaw: String? = nil
    ) -> ReferenceModel.Evidence {
        ReferenceModel.Evidence(
            name: "\(isReceipt ? "R" : "J")\(inOrder.count)", environment: environment.rawValue,
            isReceipt: isReceipt, flaw: flaw, copies: copies)
    }

    private func keep(_ evidence: Evidence) -> Evidence {
        signed[evidence.digest] = evidence
        inOrder.append(evidence)
        return evidence
    }

    // MARK: What nobody signed

    /// Evidence about a purchase that must be refused.
    func forgery(of index: Int) throws -> Evidence {
        let purchase = sold[index]
        let now = wholeSecond
        let (text, flaw): (String, String)
        switch scheduler.number(below: 4) {
        case 0:
            var token = Array(
                try authority.signedTransaction(
                    purchase.purchase(signed: now, bundle: Self.bundle)
                ).utf8)
            // The tenth character from the end carries whole bits of the signature.
            let place = token.count - 10
            token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            (text, flaw) = (String(decoding: token, as: UTF8.self), "bad_signature")
        case 1:
            text = try authority.signedTransaction(
                purchase.purchase(signed: now, bundle: "com.example.other"))
            flaw = "other_bundle"
        case 2:
            text = try authority.signedTransaction(
                purchase.purchase(signed: now + 10 * 86_400_000, bundle: Self.bundle))
            flaw = "dated_in_future"
        default:
            (text, flaw) = ("not.a.transaction \(inOrder.count)", "malformed")
        }
        return keep(
            Evidence(
                text: text,
                meaning: meaning(
                    of: [], in: purchase.environment, isReceipt: false, flaw: flaw)))
    }
}
