// SPDX-License-Identifier: Apache-2.0

/// A text compared byte for byte.
///
/// `String` calls canonically equivalent spellings equal: a K and the Kelvin sign, é in one scalar
/// and in two. A database does not, and two JSON readers might not, so keys use this instead.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (lhs: ExactText, rhs: ExactText) -> Bool {
        areIdentical(lhs.text, rhs.text)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// A number that is the same for identical texts and mostly another for others.
    static func mark(of text: String) -> UInt16 {
        var text = text
        return text.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return 0 }
            return UInt16(truncatingIfNeeded: bytes.count) << 8
                ^ UInt16(first) &* 31 ^ UInt16(last) &* 7 ^ UInt16(bytes[bytes.count / 2])
        }
    }

    static func areIdentical(_ lhs: String, _ rhs: String) -> Bool {
        guard lhs.utf8.count == rhs.utf8.count else { return false }
        var (lhs, rhs) = (lhs, rhs)
        return lhs.withUTF8 { lhs in
            rhs.withUTF8 { rhs in
                areIdentical(UnsafeRawBufferPointer(lhs), UnsafeRawBufferPointer(rhs))
            }
        }
    }

    /// Compares buffers of one length eight bytes at a time.
    private static func areIdentical(
        _ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer
    ) -> Bool {
        var position = 0
        while position + 8 <= lhs.count {
            let left = lhs.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let right = rhs.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard left == right else { return false }
            position += 8
        }
        while position < lhs.count {
            guard lhs[position] == rhs[position] else { return false }
            position += 1
        }
        return true
    }
}
