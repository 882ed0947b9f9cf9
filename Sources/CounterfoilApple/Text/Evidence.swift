// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
internal import CounterfoilTrust

/// Bytes that somebody says prove a purchase, freed from the damage of their journey but not judged.
public struct Evidence: Hashable, Sendable {
    /// Told by the first bytes.
    public let kind: EvidenceKind

    /// DER of an app receipt, the dictionary of a transaction receipt, or the text of a JWS: what is
    /// hashed, stored and judged.
    public let bytes: [UInt8]

    /// What had to be mended; none for most texts.
    public let repairs: Set<TextRepair>

    /// Reads the text in which evidence travels, or a receipt file as it lies on a device.
    ///
    /// Damage with one possible reading is mended: line breaks, spaces in place of plus signs, the URL
    /// alphabet, missing padding, JSON and percent escapes. A damaged text never counts as fraud. A JWS
    /// is taken as it is but for white space around it: its signature is over the text itself.
    ///
    /// - Throws: ``EvidenceTextError`` where the text is empty, too long, ambiguous or something else.
    public init(_ text: some Collection<UInt8>) throws(EvidenceTextError) {
        guard text.count <= Limits.textByteCount else { throw .tooLong }
        var rest = Array(text)[...]
        if Self.isContainer(rest) {
            self.init(kind: .appReceipt, bytes: Array(rest), repairs: [])
            return
        }
        var repairs: Set<TextRepair> = []
        if Self.unwrap(&rest) { repairs.insert(.wrapping) }
        guard let first = rest.first else { throw .empty }
        if first == UInt8(ascii: "{") {
            guard OpenStepDictionary(rest) != nil else { throw .json }
            self.init(kind: .transactionReceipt, bytes: Array(rest), repairs: repairs)
        } else if rest.offset(of: UInt8(ascii: ".")) != nil {
            self.init(kind: .jws, bytes: Array(rest), repairs: repairs)
        } else {
            try self.init(base64: rest, repairs: repairs)
        }
    }

    /// Reads the text in which evidence travels.
    ///
    /// - Throws: ``EvidenceTextError`` as ``init(_:)``.
    public init(text: some StringProtocol) throws(EvidenceTextError) {
        try self.init(Array(text.utf8))
    }

    private init(kind: EvidenceKind, bytes: [UInt8], repairs: Set<TextRepair>) {
        self.kind = kind
        self.bytes = bytes
        self.repairs = repairs
    }

    private init(
        base64 text: ArraySlice<UInt8>, repairs: Set<TextRepair>
    ) throws(EvidenceTextError) {
        if text.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) { throw .transactionID }
        var repairs = repairs
        var decoded = Base64.decode(text, .standard)
        if decoded == nil {
            let healed = try HealedBase64(text)
            repairs.formUnion(healed.repairs)
            decoded = healed.bytes
        }
        guard let bytes = decoded, let first = bytes.first else { throw .length }
        switch first {
        case 0x30: self.init(kind: .appReceipt, bytes: bytes, repairs: repairs)
        case UInt8(ascii: "{"):
            self.init(kind: .transactionReceipt, bytes: bytes, repairs: repairs)
        default:
            guard !Self.isEncodedAgain(bytes) else { throw .doubleEncoded }
            throw .unknownContent
        }
    }

    /// A receipt file begins with SEQUENCE and a long length, which no text does.
    private static func isContainer(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > 1 && bytes[0] == 0x30 && bytes[1] >= 0x80
    }

    /// Takes white space, a byte order mark and quotation marks from the ends; false where there was
    /// nothing but white space to take.
    private static func unwrap(_ text: inout ArraySlice<UInt8>) -> Bool {
        let count = text.count
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        let hadMark = text.count != count
        trim(&text)
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else { return hadMark }
        text = text.dropFirst().dropLast()
        trim(&text)
        return true
    }

    private static func trim(_ text: inout ArraySlice<UInt8>) {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || isLineBreak($0) }
        text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
    }

    static func isLineBreak(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Whether the bytes are the base64 of a receipt, or a JWS: then somebody encoded twice.
    private static func isEncodedAgain(_ bytes: [UInt8]) -> Bool {
        let starts = ["MI", "ew", "ey"]
        return starts.contains { bytes.starts(with: $0.utf8) }
            && bytes.allSatisfy { (0x20..<0x7F).contains($0) || isLineBreak($0) }
    }
}
