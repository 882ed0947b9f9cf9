// SPDX-License-Identifier: Apache-2.0

/// Checks that the parts of a head lie in the library's buffer as a strict reader would find them.
///
/// Up to 0.9.76 the library reads heads in place, ends every part with a NUL, and reports C strings:
/// what stands behind a NUL in a value is lost, a continued line is joined to the field's *name*,
/// and a bare line feed ends a line. All of these leave a gap between two parts that is not what CR
/// and LF leave, so comparing addresses finds them without reading a byte. From 0.9.77 on the
/// library has a strict parser and refuses these itself.
struct HeadLayout {
    private var expected: UInt
    private(set) var isStrict = true

    /// Starts behind the version, which ends the request line.
    init(version: UInt, byteCount: Int) {
        expected = version + UInt(byteCount) + Self.lineEnd
    }

    private static let lineEnd: UInt = 2

    mutating func add(name: UInt, value: UInt, valueByteCount: Int) {
        if name != expected { isStrict = false }
        expected = value + UInt(valueByteCount) + Self.lineEnd
    }

    /// Ends with the empty line, which must be the head's last bytes.
    mutating func finish(end: UInt) {
        if end != expected + Self.lineEnd { isStrict = false }
    }
}
