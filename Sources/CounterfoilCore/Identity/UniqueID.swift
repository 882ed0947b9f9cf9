// SPDX-License-Identifier: Apache-2.0

/// A UUID: 128 bits, written in lower case with hyphens (RFC 9562).
///
/// Reading accepts upper case too, since StoreKit hands tokens out in upper case.
public struct UniqueID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Takes the first sixteen bytes as they are, or nil when there are fewer.
    public init?(bytes: some Sequence<UInt8>) {
        let id = bytes.withContiguousStorageIfAvailable { UniqueID(reading: $0) }
        guard
            let id = id
                ?? Array(bytes.prefix(16)).withUnsafeBufferPointer({ UniqueID(reading: $0) })
        else { return nil }
        self = id
    }

    private init?(reading bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 16 else { return nil }
        let words = UnsafeRawBufferPointer(bytes)
        high = UInt64(bigEndian: words.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
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
        Array(unsafeUninitializedCapacity: 16) { buffer, count in
            write { position, byte in buffer.initializeElement(at: position, to: byte) }
            count = 16
        }
    }

    private func write(_ place: (_ position: Int, _ byte: UInt8) -> Void) {
        for position in 0..<8 {
            let shift = UInt64(56 - position * 8)
            place(position, UInt8(truncatingIfNeeded: high >> shift))
            place(position + 8, UInt8(truncatingIfNeeded: low >> shift))
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
        String(unsafeUninitializedCapacity: 36) { text in
            for hyphen in [8, 13, 18, 23] { text[hyphen] = UInt8(ascii: "-") }
            write { position, byte in
                // Four hyphens stand behind the bytes 4, 6, 8 and 10.
                let place = position * 2 + min(max(position / 2 - 1, 0), 4)
                text[place] = Hexadecimal.digit(byte >> 4)
                text[place + 1] = Hexadecimal.digit(byte & 15)
            }
            return 36
        }
    }
}
