// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilTrust

/// Everything that `verify` and `inspect` tell about one piece of evidence.
struct EvidenceReport {
    enum Conclusion {
        /// Every check passed.
        case trusted

        /// The check that failed.
        case refused(TrustFailure)

        /// Nobody asked.
        case unjudged
    }

    let conclusion: Conclusion

    /// Nil where the text is no evidence.
    let evidence: Evidence?

    /// Nil where it cannot be decoded.
    let content: EvidenceContent?

    /// The path, where the signature is good.
    let path: CertificatePath?

    /// Judges evidence.
    init(
        verifying text: [UInt8], by verifier: EvidenceVerifier, as identity: EvidenceIdentity,
        at now: Instant
    ) {
        var path: CertificatePath?
        var inspected = EvidenceReport(inspecting: text)
        if let evidence = inspected.evidence {
            do throws(TrustFailure) {
                let verified = try verifier.verify(evidence, at: now)
                path = verified.path
                try identity.check(verified, at: now)
                inspected = EvidenceReport(.trusted, evidence, inspected.content, path)
            } catch {
                inspected = EvidenceReport(.refused(error), evidence, inspected.content, path)
            }
        }
        self = inspected
    }

    /// Decodes evidence without judging it.
    init(inspecting text: [UInt8]) {
        let evidence: Evidence
        do {
            evidence = try Evidence(text)
        } catch {
            self.init(.refused(TrustFailure(error)), nil, nil, nil)
            return
        }
        do throws(TrustFailure) {
            self.init(.unjudged, evidence, try EvidenceContent(evidence), nil)
        } catch {
            self.init(.refused(error), evidence, nil, nil)
        }
    }

    private init(
        _ conclusion: Conclusion, _ evidence: Evidence?, _ content: EvidenceContent?,
        _ path: CertificatePath?
    ) {
        self.conclusion = conclusion
        self.evidence = evidence
        self.content = content
        self.path = path
    }

    /// The name of the kind; of a JWS that cannot be decoded only that it is one.
    var kindName: String? { content?.kindName ?? evidence?.kind.rawValue }

    var verdict: Verdict? {
        switch conclusion {
        case .trusted: .trusted
        case .refused(let failure): failure.verdict
        case .unjudged: nil
        }
    }

    var failure: TrustFailure? {
        if case .refused(let failure) = conclusion { failure } else { nil }
    }

    /// The verified path, else the certificates that lie in the evidence.
    var certificates: [CertificatePath.Step] {
        path?.steps ?? content?.certificates.map { CertificatePath.Step($0) } ?? []
    }

    var exitCode: ExitCode {
        switch verdict {
        case nil, Verdict.trusted?: .success
        case Verdict.malformed?, Verdict.malformedPayload?: .unreadable
        default: .failure
        }
    }
}
