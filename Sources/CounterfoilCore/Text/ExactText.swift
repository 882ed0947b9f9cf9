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

    static func areIdentical(_ lhs: String, _ rhs: String) -> Bool {
        guard lhs.utf8.count == rhs.utf8.count else { return false }
        // Reading a text byte by byte is slow where it does not lie bare in memory.
        let areEqual = lhs.utf8.withContiguousStorageIfAvailable { lhs in
            rhs.utf8.withContiguousStorageIfAvailable { rhs in lhs.elementsEqual(rhs) }
        }
        return (areEqual ?? nil) ?? lhs.utf8.elementsEqual(rhs.utf8)
    }
}
