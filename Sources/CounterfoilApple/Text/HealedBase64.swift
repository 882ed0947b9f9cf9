// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

/// Base64 that a form, a log, a JSON literal or an e-mail has damaged, read where one reading is left.
struct HealedBase64 {
    private(set) var bytes: [UInt8] = []
    private(set) var repairs: Set<TextRepair> = []

    private var characters: [UInt8] = []
    private var spacePositions: [Int] = []
    private var paddingCount = 0

    /// A plus sign or a character of the URL alphabet: the text did not pass through a form, so its
    /// spaces are no plus signs.
    private var keptItsPlusSigns = false

    init(_ text: ArraySlice<UInt8>) throws(EvidenceTextError) {
        characters.reserveCapacity(text.count)
        var reader = EscapeReader(text)
        while let byte = try reader.next() { try take(byte, at: reader.position) }
        repairs.formUnion(reader.repairs)
        try resolveSpaces()
        try resolvePadding()
        guard let decoded = Base64.decode(characters, .standard) else { throw .length }
        bytes = decoded
    }

    private mutating func take(_ byte: UInt8, at position: Int) throws(EvidenceTextError) {
        if Evidence.isLineBreak(byte) {
            repairs.insert(.lineBreaks)
            return
        }
        if byte == UInt8(ascii: "=") {
            paddingCount += 1
            return
        }
        guard paddingCount == 0 else { throw .innerPadding }
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"):
            characters.append(byte)
        case UInt8(ascii: "+"):
            keptItsPlusSigns = true
            characters.append(byte)
        case UInt8(ascii: "-"), UInt8(ascii: "_"):
            keptItsPlusSigns = true
            repairs.insert(.urlAlphabet)
            characters.append(UInt8(ascii: byte == UInt8(ascii: "-") ? "+" : "/"))
        case UInt8(ascii: " "):
            spacePositions.append(characters.count)
            characters.append(byte)
        default: throw .character(byte, at: position)
        }
    }

    private mutating func resolveSpaces() throws(EvidenceTextError) {
        guard !spacePositions.isEmpty else { return }
        let space = UInt8(ascii: " ")
        if standForLineBreaks {
            characters.removeAll { $0 == space }
            repairs.insert(.lineBreaks)
        } else if keptItsPlusSigns {
            throw .ambiguousSpaces
        } else {
            for position in spacePositions { characters[position] = UInt8(ascii: "+") }
            repairs.insert(.plusSigns)
        }
    }

    /// Whether the spaces cut the text into lines: pieces of one length, the last at most as long.
    ///
    /// Plus signs fall anywhere, so three equal pieces of whole groups are no accident; two are, unless
    /// they have the length that PEM (64) or MIME (76) give to lines.
    private var standForLineBreaks: Bool {
        var lengths: [Int] = []
        var start = 0
        for position in spacePositions {
            lengths.append(position - start)
            start = position + 1
        }
        let width = lengths[0]
        let last = characters.count - start
        guard width > 0, width % 4 == 0, last > 0, last <= width,
            lengths.allSatisfy({ $0 == width })
        else { return false }
        return lengths.count > 1 || width == 64 || width == 76
    }

    private mutating func resolvePadding() throws(EvidenceTextError) {
        let remainder = characters.count % 4
        guard remainder != 1 else { throw .length }
        let missing = (4 - remainder) % 4
        guard paddingCount <= missing else { throw .excessPadding }
        if paddingCount < missing { repairs.insert(.padding) }
        characters.append(contentsOf: repeatElement(UInt8(ascii: "="), count: missing))
    }
}

/// Resolves the escapes of JSON literals and of forms on the way.
private struct EscapeReader {
    private var rest: ArraySlice<UInt8>
    private let start: Int
    private(set) var repairs: Set<TextRepair> = []

    init(_ text: ArraySlice<UInt8>) {
        rest = text
        start = text.startIndex
    }

    /// How many bytes of the text have been read.
    var position: Int { rest.startIndex - start }

    mutating func next() throws(EvidenceTextError) -> UInt8? {
        guard let byte = rest.popFirst() else { return nil }
        switch byte {
        case UInt8(ascii: "\\"):
            repairs.insert(.jsonEscapes)
            return try escaped()
        case UInt8(ascii: "%"):
            repairs.insert(.percentEscapes)
            return try hexadecimal(digits: 2)
        default: return byte
        }
    }

    private mutating func escaped() throws(EvidenceTextError) -> UInt8 {
        switch rest.popFirst() {
        case UInt8(ascii: "/"): return UInt8(ascii: "/")
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): return try hexadecimal(digits: 4)
        default: throw .character(UInt8(ascii: "\\"), at: position)
        }
    }

    private mutating func hexadecimal(digits: Int) throws(EvidenceTextError) -> UInt8 {
        var value = 0
        for _ in 0..<digits {
            guard let digit = rest.popFirst().flatMap(Hexadecimal.value(of:)) else {
                throw .character(UInt8(ascii: "%"), at: position)
            }
            value = value << 4 | Int(digit)
        }
        guard value < 0x80 else { throw .character(UInt8(ascii: "%"), at: position) }
        return UInt8(value)
    }
}
