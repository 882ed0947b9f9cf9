// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilTrust

/// What evidence says, decoded without asking who signed it.
struct EvidenceContent {
    enum Body {
        case receipt(AppReceipt)
        case transactionReceipt(TransactionReceipt)
        case signed(SignedContent)
    }

    let body: Body

    /// What lies inside a notification, by the name under which it is shown.
    private(set) var inner: [(name: String, content: SignedContent)] = []

    /// The certificates that lie in the evidence, in their order, as far as they can be read.
    private(set) var certificates: [Certificate] = []

    /// How many bytes follow the container of a receipt.
    private(set) var trailingByteCount = 0

    /// - Throws: ``TrustFailure`` with one of the malformed verdicts.
    init(_ evidence: Evidence) throws(TrustFailure) {
        switch evidence.kind {
        case .appReceipt:
            let container = try SignedCMS(evidence.bytes[...])
            do {
                body = .receipt(try AppReceipt(payload: container.content))
            } catch {
                throw TrustFailure(error)
            }
            trailingByteCount = container.trailingByteCount
            certificates = Self.readable { () throws(TrustFailure) in
                try container.certificates()
            }
        case .transactionReceipt:
            guard let receipt = TransactionReceipt(evidence.bytes) else {
                throw .noTransactionReceipt
            }
            body = .transactionReceipt(receipt)
        case .jws:
            let token = try CompactJWS(evidence.bytes[...])
            let content = try Self.content(token)
            body = .signed(content)
            inner = Self.inner(content)
            certificates = Self.readable { () throws(TrustFailure) in
                try Self.certificates(try token.header())
            }
        }
    }

    private static let shownCertificateCount = 8

    /// The name of the kind, as `--json` prints it.
    var kindName: String {
        switch body {
        case .receipt: EvidenceKind.appReceipt.rawValue
        case .transactionReceipt: EvidenceKind.transactionReceipt.rawValue
        case .signed(let content): content.kindName
        }
    }

    private static func content(_ token: CompactJWS) throws(TrustFailure) -> SignedContent {
        let fields = try token.payload()
        do {
            return try SignedContent(fields: fields)
        } catch {
            throw TrustFailure(error)
        }
    }

    private static func inner(_ content: SignedContent) -> [(String, SignedContent)] {
        guard case .notification(let notification) = content else { return [] }
        let texts = [
            ("transaction", notification.data?.signedTransactionInfo),
            ("renewal_info", notification.data?.signedRenewalInfo),
            ("app_transaction", notification.appData?.signedAppTransactionInfo),
        ]
        var inner: [(String, SignedContent)] = []
        for case (let name, let text?) in texts {
            do throws(TrustFailure) {
                inner.append((name, try Self.content(CompactJWS(Array(text.utf8)[...]))))
            } catch {
                // Stays visible as the text that it is; whoever wants the reason verifies.
                continue
            }
        }
        return inner
    }

    private static func certificates(
        _ header: JSONObject
    ) throws(TrustFailure) -> [Certificate] {
        var certificates: [Certificate] = []
        for entry in (header["x5c"]?.array ?? []).prefix(shownCertificateCount) {
            guard let text = entry.string, let der = Base64.decode(text.utf8, .standard) else {
                continue
            }
            certificates.append(try Certificate(der: der))
        }
        return certificates
    }

    /// Certificates are shown where they can be; the verdict on them is somebody else's business.
    private static func readable(
        _ read: () throws(TrustFailure) -> [Certificate]
    ) -> [Certificate] {
        do throws(TrustFailure) { return try read() } catch { return [] }
    }
}
