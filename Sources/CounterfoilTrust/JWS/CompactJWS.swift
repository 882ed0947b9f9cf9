// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// A JWS in compact form (RFC 7515 § 7.1), cut into its three segments but not judged.
public struct CompactJWS: Sendable {
    let headerSegment: ArraySlice<UInt8>
    private let payloadSegment: ArraySlice<UInt8>
    private let signatureSegment: ArraySlice<UInt8>

    let text: ArraySlice<UInt8>

    /// What the signature is over: header and payload as they were sent, with the dot.
    let signingInputByteCount: Int

    private static let dot = UInt8(ascii: ".")

    /// Cuts a text; nothing is decoded or copied.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `malformed` if there are not exactly three
    ///   segments, or if it is longer than 1 MB.
    public init(_ text: ArraySlice<UInt8>) throws(TrustFailure) {
        guard text.count <= Limits.maximumTokenByteCount else {
            throw TrustFailure(
                .malformed, .tokenSize, expected: "at most \(Limits.maximumTokenByteCount) bytes",
                actual: "\(text.count)")
        }
        guard let first = text.offset(of: Self.dot),
            let second = text[(first + 1)...].offset(of: Self.dot),
            text[(second + 1)...].offset(of: Self.dot) == nil
        else {
            let count = text.reduce(1) { $1 == Self.dot ? $0 + 1 : $0 }
            throw TrustFailure(.malformed, .segments, expected: "3 segments", actual: "\(count)")
        }
        headerSegment = text[..<first]
        payloadSegment = text[(first + 1)..<second]
        signatureSegment = text[(second + 1)...]
        signingInputByteCount = second - text.startIndex
        self.text = text
    }

    /// Decodes the header.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `malformed` if it is not base64url of one JSON
    ///   object.
    public func header() throws(TrustFailure) -> JSONObject {
        guard headerSegment.count <= Limits.maximumTokenHeaderByteCount else {
            throw TrustFailure(
                .malformed, .header,
                expected: "at most \(Limits.maximumTokenHeaderByteCount) bytes",
                actual: "\(headerSegment.count)")
        }
        let bytes = try Self.decode(headerSegment, "the header")
        return try Self.object(bytes, orVerdict: .malformed, .header)
    }

    /// Decodes the payload, whoever signed it.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `malformed` if it is not base64url,
    ///   `malformed-payload` if it is not one JSON object.
    public func payload() throws(TrustFailure) -> JSONObject {
        try Self.payload(from: payloadBytes())
    }

    static func payload(from bytes: [UInt8]) throws(TrustFailure) -> JSONObject {
        try object(bytes, orVerdict: .malformedPayload, .tokenPayload)
    }

    func payloadBytes() throws(TrustFailure) -> [UInt8] {
        try Self.decode(payloadSegment, "the payload")
    }

    func signature() throws(TrustFailure) -> [UInt8] {
        try Self.decode(signatureSegment, "the signature")
    }

    private static func decode(
        _ segment: ArraySlice<UInt8>, _ name: String
    ) throws(TrustFailure) -> [UInt8] {
        guard let bytes = Base64.decode(segment, .url) else {
            throw TrustFailure(
                .malformed, .base64, expected: "base64url without padding", actual: name)
        }
        return bytes
    }

    private static func object(
        _ bytes: [UInt8], orVerdict verdict: Verdict, _ check: Check
    ) throws(TrustFailure) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw TrustFailure(
                verdict, check, expected: "a JSON object", actual: error.description)
        }
        guard let object = value.object else {
            throw TrustFailure(verdict, check, expected: "a JSON object", actual: value.kindName)
        }
        return object
    }
}
