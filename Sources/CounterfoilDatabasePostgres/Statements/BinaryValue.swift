// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// PostgreSQL's binary form of values: its types by their numbers, integers most significant byte
/// first.
enum BinaryValue {
    /// The numbers of the types that the server sends us, from its catalogue; they never change.
    enum TypeNumber {
        static let unspecified: UInt32 = 0
        static let boolean: UInt32 = 16
        static let bytes: UInt32 = 17
        static let name: UInt32 = 19
        static let integer64: UInt32 = 20
        static let integer16: UInt32 = 21
        static let integer32: UInt32 = 23
        static let text: UInt32 = 25
        static let objectNumber: UInt32 = 26
        static let unknown: UInt32 = 705
        static let fixedText: UInt32 = 1042
        static let limitedText: UInt32 = 1043
        static let decimal: UInt32 = 1700
        static let nothing: UInt32 = 2278
    }

    /// The type that a parameter is declared with; NULL has none, and the server infers it.
    static func typeNumber(of value: DatabaseValue) -> UInt32 {
        switch value {
        case .null: TypeNumber.unspecified
        case .integer: TypeNumber.integer64
        case .text: TypeNumber.text
        case .bytes: TypeNumber.bytes
        }
    }

    /// Appends the bytes of a parameter.
    static func append(_ value: DatabaseValue, to buffer: inout [UInt8]) {
        switch value {
        case .null: break
        case .integer(let number):
            withUnsafeBytes(of: number.bigEndian) { buffer.append(contentsOf: $0) }
        case .text(let text): buffer.append(contentsOf: text.utf8)
        case .bytes(let bytes): buffer.append(contentsOf: bytes)
        }
    }

    /// Reads a column of a result; nil for a type or a value that nothing of ours has, such as a
    /// fraction.
    static func value(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> DatabaseValue? {
        switch type {
        case TypeNumber.text, TypeNumber.limitedText, TypeNumber.fixedText, TypeNumber.name,
            TypeNumber.unknown:
            .text(String(decoding: bytes, as: UTF8.self))
        case TypeNumber.bytes:
            .bytes(Array(bytes))
        case TypeNumber.integer64:
            integer(bytes, Int64.self)
        case TypeNumber.integer32:
            integer(bytes, Int32.self)
        case TypeNumber.integer16:
            integer(bytes, Int16.self)
        case TypeNumber.objectNumber:
            integer(bytes, UInt32.self)
        case TypeNumber.boolean:
            bytes.first.map { .integer($0 == 0 ? 0 : 1) }
        case TypeNumber.decimal:
            wholeNumber(decimal: bytes).map(DatabaseValue.integer)
        case TypeNumber.nothing:
            .null
        default:
            nil
        }
    }

    private static func integer<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ type: Number.Type
    ) -> DatabaseValue? {
        guard bytes.count == MemoryLayout<Number>.size else { return nil }
        return .integer(Int64(Number(bigEndian: bytes.loadUnaligned(as: Number.self))))
    }

    /// The value of a `numeric`, which is what the server makes of a sum of integers; nil when it
    /// has a fraction or needs more than 64 bits.
    ///
    /// It comes as four numbers of 16 bits (how many digits, the power of the first, the sign, the
    /// scale), then the digits to the base of ten thousand.
    private static func wholeNumber(decimal bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes.count >= 8, bytes.count.isMultiple(of: 2) else { return nil }
        func number(at index: Int) -> Int {
            Int(
                Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)))
        }
        let (count, weight, sign) = (number(at: 0), number(at: 1), number(at: 2))
        let isNegative = sign == 0x4000
        guard isNegative || sign == 0, bytes.count == 8 + count * 2 else { return nil }
        // Five digits hold every number of 64 bits; the rest of a longer one overflows below.
        guard count == 0 || (0..<5).contains(weight) else { return nil }
        var total: Int64 = 0
        for index in 0..<max(count, weight + 1) {
            let digit = index < count ? number(at: 4 + index) : 0
            if index > weight {
                guard digit == 0 else { return nil }
                continue
            }
            let (shifted, overflow) = total.multipliedReportingOverflow(by: 10_000)
            let (sum, carry) =
                isNegative
                ? shifted.subtractingReportingOverflow(Int64(digit))
                : shifted.addingReportingOverflow(Int64(digit))
            guard !overflow, !carry else { return nil }
            total = sum
        }
        return total
    }
}
