// SPDX-License-Identifier: Apache-2.0

/// Finds base64 in a text, byte by byte: every purchase is read through it.
enum Base64Runs {
    private static let dot = UInt8(ascii: ".")

    /// Whether a byte may stand in base64 of either alphabet, or is the dot between parts of a token.
    private static let isMember: [Bool] = {
        var table = [Bool](repeating: false, count: 256)
        for byte in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_.".utf8 {
            table[Int(byte)] = true
        }
        return table
    }()

    /// The next run of such bytes that begins at `place` or later.
    static func next(in text: ArraySlice<UInt8>, from place: Int) -> Range<Int>? {
        isMember.withUnsafeBufferPointer { isMember in
            text.withUnsafeBufferPointer { bytes in
                var start = place - text.startIndex
                while start < bytes.count, !isMember[Int(bytes[start])] { start += 1 }
                guard start < bytes.count else { return nil }
                var end = start + 1
                while end < bytes.count, isMember[Int(bytes[end])] { end += 1 }
                return (text.startIndex + start)..<(text.startIndex + end)
            }
        }
    }

    /// The three parts of a token; nil unless there are exactly two dots.
    static func parts(
        of run: ArraySlice<UInt8>
    ) -> (header: ArraySlice<UInt8>, payload: ArraySlice<UInt8>, signature: ArraySlice<UInt8>)? {
        guard let first = run.firstIndex(of: dot) else { return nil }
        let rest = run[(first + 1)...]
        guard let second = rest.firstIndex(of: dot) else { return nil }
        let signature = rest[(second + 1)...]
        guard !signature.contains(dot) else { return nil }
        return (run[..<first], rest[..<second], signature)
    }
}
