// SPDX-License-Identifier: Apache-2.0

/// The forms in which purchases are proven.
public enum EvidenceKind: String, Hashable, Sendable {
    /// The PKCS #7 file of an installed app (iOS 7 and later).
    case appReceipt = "app-receipt"

    /// The signed dictionary of one purchase (iOS 6 and earlier).
    case transactionReceipt = "transaction-receipt"

    /// Signed JSON in compact form (StoreKit 2, notifications).
    case jws
}

/// What was mended in a text before it could be read.
public enum TextRepair: String, Hashable, Sendable, CaseIterable {
    /// Line breaks, tabs, and spaces in the place of line breaks were taken out.
    case lineBreaks = "line-breaks"

    /// Spaces became the plus signs that a form's decoding had made of them.
    case plusSigns = "plus-signs"

    /// `-` and `_` of the URL alphabet were read as `+` and `/`.
    case urlAlphabet = "url-alphabet"

    /// Missing `=` were put back.
    case padding

    /// Escapes of a JSON literal were resolved.
    case jsonEscapes = "json-escapes"

    /// Percent signs of a form that nobody had decoded were resolved.
    case percentEscapes = "percent-escapes"

    /// Quotation marks or a byte order mark around the text were taken off.
    case wrapping
}

/// Why a text is no evidence; the mistake is named, so that a client's developer can find it.
public struct EvidenceTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The check that failed: one of the names below, stable.
    public let check: String

    /// What a text of evidence is at this point.
    public let expected: String

    /// What was found.
    public let actual: String

    /// The sentence.
    public var description: String { "\(check): expected \(expected), found \(actual)" }

    static let empty = EvidenceTextError(
        check: "text.present", expected: "base64 or a compact JWS", actual: "nothing")

    static let tooLong = EvidenceTextError(
        check: "text.size", expected: "at most \(Limits.textByteCount) bytes", actual: "more")

    static let transactionID = EvidenceTextError(
        check: "text.evidence", expected: "signed evidence", actual: "a transaction id")

    static func character(_ byte: UInt8, at position: Int) -> EvidenceTextError {
        let shown =
            (0x21..<0x7F).contains(byte)
            ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte \(byte)"
        return EvidenceTextError(
            check: "text.alphabet", expected: "base64", actual: "\(shown) at position \(position)")
    }

    static let ambiguousSpaces = EvidenceTextError(
        check: "text.spaces", expected: "spaces that stand for plus signs or for line breaks",
        actual: "spaces that could be either")

    static let innerPadding = EvidenceTextError(
        check: "text.padding", expected: "= only at the end", actual: "= inside the text")

    static let excessPadding = EvidenceTextError(
        check: "text.padding", expected: "as many = as the length asks for", actual: "more")

    static let length = EvidenceTextError(
        check: "text.length", expected: "a whole number of bytes", actual: "a text cut short")

    static let doubleEncoded = EvidenceTextError(
        check: "text.encoded-once", expected: "evidence behind the base64",
        actual: "base64 once more")

    static let unknownContent = EvidenceTextError(
        check: "text.kind", expected: "an app receipt (0x30) or a transaction receipt ({)",
        actual: "bytes that begin with neither")

    static let json = EvidenceTextError(
        check: "text.kind", expected: "the evidence itself", actual: "a JSON document")
}
