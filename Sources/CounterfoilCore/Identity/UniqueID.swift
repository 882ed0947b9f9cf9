// SPDX-License-Identifier: Apache-2.0

/// A UUID: 128 bits, written in lower case with hyphens (RFC 9562).
///
/// Reading accepts upper case too, since StoreKit hands tokens out in upper case.
public struct UniqueID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Takes the first sixteen bytes as they are, or nil when there are fewer.
    public init?(bytes: some Sequence<UInt8>) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count = 0
        for byte in bytes.prefix(16) {
            if count < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
            count += 1
        }
        guard count == 16 else { return nil }
        self.high = high
        self.low = low
    }

    /// Parses the 36-character form in either case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let id = text.utf8.withContiguousStorageIfAvailable { UniqueID(parsing: $0) }
        guard let id = id ?? Array(text.utf8).withUnsafeBufferPointer({ UniqueID(parsing: $0) })
        else { return nil }
        self = id
    }

    private init?(parsing text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for (position, character) in text.enumerated() {
            switch position {
            case 8, 13, 18, 23:
                guard character == UInt8(ascii: "-") else { return nil }
            default:
                guard let nibble = Hexadecimal.value(of: character) else { return nil }
                words.high = words.high << 4 | words.low >> 60
                words.low = words.low << 4 | UInt64(nibble)
            }
        }
        high = words.high
        low = words.low
    }

    /// Takes the first sixteen bytes and writes version and variant over their places.
    private init(stamping bytes: [UInt8], version: UInt64) {
        guard let plain = UniqueID(bytes: bytes) else {
            preconditionFailure("an id is made from at least sixteen bytes")
        }
        high = plain.high & ~0xF000 | version << 12
        low = plain.low & ~(0b11 << 62) | 0b10 << 62
    }

    /// Makes a version 7 id: it sorts by the millisecond it was made in.
    public static func timeOrdered(at now: Instant, random: some RandomSource) -> UniqueID {
        let milliseconds = UInt64(bitPattern: now.millisecondsSinceEpoch)
        let stamp = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * $0)) }
        return UniqueID(stamping: stamp + random.bytes(10), version: 7)
    }

    /// Makes a version 4 id: nothing can be told from it, which suits what is handed to devices.
    public static func random(_ random: some RandomSource) -> UniqueID {
        UniqueID(stamping: random.bytes(16), version: 4)
    }

    /// Makes a version 8 id from a digest, so that whoever derives it again gets the same one.
    ///
    /// - Parameter digest: At least sixteen bytes; only the first sixteen count.
    public static func derived(fromDigest digest: [UInt8]) -> UniqueID {
        UniqueID(stamping: digest, version: 8)
    }

    /// The sixteen bytes, most significant first.
    public var bytes: [UInt8] {
        (0..<16).map { index in
            let word = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: word >> (56 - UInt64(index % 8) * 8))
        }
    }
}

extension UniqueID: Comparable {
    /// Orders by bytes, which is the order of the text too.
    public static func < (lhs: UniqueID, rhs: UniqueID) -> Bool {
        (lhs.high, lhs.low) < (rhs.high, rhs.low)
    }
}

extension UniqueID: CustomStringConvertible {
    /// The 36-character form in lower case.
    public var description: String {
        let digits = Hexadecimal.text(of: bytes)
        var text = ""
        for (index, character) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(character)
        }
        return text
    }
}
