// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilTrust

/// Apple's published chain and the signed data of its libraries' tests.
struct AppleChains {
    private func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: OutsideVectors.bytes("apple/certs/\(name)"))
    }

    private func realPath() throws -> CertificatePath {
        try PathBuilder(store: .apple, policy: .token).path(
            from: certificate("apple-real/prod-receipt-signing-2025.cer"),
            through: [certificate("apple-real/AppleWWDRCAG6.cer")])
    }

    private func testStore() throws -> TrustStore {
        TrustStore(anchors: [
            try TrustAnchor(parsing: OutsideVectors.bytes("apple/certs/testCA.der"))
        ])
    }

    @Test("The chain of 2025 ends in Apple Root CA - G3 and was valid in November")
    func positive() throws {
        guard try OutsideVectors.require(1, of: "AppleChains") else { return }
        let path = try realPath()
        #expect(path.anchor.subject.commonName == "Apple Root CA - G3")
        try path.requireValidity(at: Instant(secondsSinceEpoch: 1_761_962_975))
        try path.requireValidity(at: path.leaf.validity.notBefore)
    }

    @Test("In 2028 the leaf of that chain is out of date")
    func negative() throws {
        guard try OutsideVectors.require(1, of: "AppleChains") else { return }
        let path = try realPath()
        let late = try #require(Instant(rfc3339: "2028-01-01T00:00:00Z"))
        let failure = try #require(throws: TrustFailure.self) {
            try path.requireValidity(at: late)
        }
        #expect(failure.verdict == .certificateNotValidAtCreationDate)
        #expect(failure.check == "path.leaf-validity")
        #expect(failure.actual == "2028-01-01T00:00:00Z")
    }

    @Test("The real chain on the deny list is refused")
    func denied() throws {
        guard try OutsideVectors.require(1, of: "AppleChains") else { return }
        let leaf = try certificate("apple-real/prod-receipt-signing-2025.cer")
        let store = TrustStore.apple.denying(serialNumbers: [Array(leaf.serialNumber)])
        let failure = try #require(throws: TrustFailure.self) {
            try PathBuilder(store: store, policy: .token).path(
                from: leaf, through: [certificate("apple-real/AppleWWDRCAG6.cer")])
        }
        #expect(failure.verdict == .certificateDenied)
    }

    @Test("A leaf with the marker of something else is refused")
    func invalidMarker() throws {
        guard try OutsideVectors.require(1, of: "AppleChains") else { return }
        func path(_ leaf: String) throws -> CertificatePath {
            try PathBuilder(store: testStore(), policy: .token).path(
                from: TrustAnchorFile.certificate(leaf),
                through: [TrustAnchorFile.certificate("testIntermediate.pem")])
        }
        _ = try path("testLeaf.pem")
        let failure = try #require(throws: TrustFailure.self) {
            try path("testInvalidOIDLeaf.pem")
        }
        #expect(failure.check == "path.leaf-marker")
    }

    /// Where the payload has no date, the caller says now; here the moment of the suites.
    private func date(_ payload: JSONObject) throws(TrustFailure) -> DatedPayload<JSONObject> {
        let milliseconds = payload["signedDate"]?.int64 ?? 1_761_962_975_000
        return DatedPayload(
            payload, effectiveDate: Instant(millisecondsSinceEpoch: milliseconds))
    }

    @Test(
        "Signed data of the libraries' tests is good under their root and not under Apple's",
        arguments: ["testNotification", "renewalInfo", "wrongBundleId"])
    func mockSignedData(_ name: String) throws {
        guard try OutsideVectors.require(1, of: "AppleChains") else { return }
        let text = Array(try OutsideVectors.text("apple/mock_signed_data/\(name)").utf8)
        let verified = try TrustVerifier(store: testStore()).verify(
            jws: text[...], reading: date)
        #expect(verified.payload.keys.isEmpty == false)
        let failure = try #require(throws: TrustFailure.self) {
            try TrustVerifier(store: .apple).verify(jws: text[...], reading: date)
        }
        #expect(failure.verdict == .untrustedRoot)
        #expect(failure.check == "path.anchor")
    }

    @Test(
        "Data made by Xcode has one certificate and no root",
        arguments: ["xcode-signed-app-transaction", "xcode-signed-transaction"])
    func xcode(_ name: String) throws {
        guard try OutsideVectors.require(1, of: "AppleChains") else { return }
        let text = Array(try OutsideVectors.text("apple/xcode/\(name)").utf8)
        let failure = try #require(throws: TrustFailure.self) {
            try TrustVerifier(store: .apple).verify(jws: text[...], reading: date)
        }
        #expect(failure.verdict == .untrustedRoot)
        #expect(failure.check == "jws.x5c")
        #expect(failure.actual == "1")
    }

    @Test("An old property list is no JWS")
    func legacy() throws {
        guard try OutsideVectors.require(1, of: "AppleChains") else { return }
        let text = Array(
            try OutsideVectors.text("apple/mock_signed_data/legacyTransaction").utf8)
        let failure = try #require(throws: TrustFailure.self) {
            try TrustVerifier(store: .apple).verify(jws: text[...], reading: date)
        }
        #expect(failure.verdict == .malformed)
    }
}

/// Certificates of Apple's test suites, which are kept as PEM.
private enum TrustAnchorFile {
    static func certificate(_ name: String) throws -> Certificate {
        let file = try OutsideVectors.bytes("apple/certs/\(name)")
        return try Certificate(der: AnchorText.der(of: file))
    }
}
