// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Testing

@testable import CounterfoilTrust

/// Bytes written as hexadecimal text with spaces.
func hex(_ text: String) -> [UInt8] {
    Hexadecimal.bytes(of: text.filter { $0 != " " }) ?? []
}

struct ReadingElements {
    private func walk(_ reader: ASN1Reader) throws(ASN1Error) -> Int {
        var reader = reader
        var count = 0
        while let element = try reader.next() {
            count += 1
            if element.isConstructed { count += try walk(try element.children()) }
        }
        return count
    }

    private func code(_ bytes: [UInt8], _ rules: ASN1Rules) -> String? {
        do throws(ASN1Error) {
            _ = try walk(try ASN1Reader(bytes[...], rules: rules))
            return nil
        } catch {
            return error.code.description
        }
    }

    @Test(
        "Each form of an encoding is judged by the rules that apply",
        arguments: [
            ("05 00", nil, nil),
            ("30 03 02 01 05", nil, nil),
            ("30 81 03 02 01 05", nil, "encoding"),
            ("30 83 00 00 03 02 01 05", nil, "encoding"),
            ("04 81 80" + String(repeating: " 00", count: 128), nil, nil),
            ("04 82 00 80" + String(repeating: " 00", count: 128), nil, "encoding"),
            ("30 80 02 01 05 00 00", nil, "encoding"),
            ("24 80 04 01 61 04 01 62 00 00", nil, "encoding"),
            ("24 06 04 01 61 04 01 62", nil, "encoding"),
            ("A0 03 02 01 05", nil, nil),
            ("30 80 30 80 00 00 00 00", nil, "encoding"),
            ("30 80 02 01 05", "truncated", "encoding"),
            ("30 80 00", "truncated", "encoding"),
            ("30 80 00 01 00 00 00", "length", "encoding"),
            ("04 80 00 00", "length", "encoding"),
            ("00 00", "tag", "tag"),
            ("30 02 00 00", "tag", "tag"),
            ("30", "truncated", "truncated"),
            ("30 05 02 01 05", "truncated", "truncated"),
            ("30 82 01", "truncated", "truncated"),
            ("30 FF", "length", "length"),
            ("30 89 00 00 00 00 00 00 00 00 00", "length", "length"),
            ("30 88 FF FF FF FF FF FF FF FF", "length", "length"),
            ("30 88 7F FF FF FF FF FF FF FF", "truncated", "truncated"),
            ("30 84 FF FF FF FF", "truncated", "truncated"),
            ("1F 81 00 00", "tag", "tag"),
            ("BF 20 00", "tag", "tag"),
            ("", nil, nil),
        ] as [(String, String?, String?)])
    func forms(_ text: String, basic: String?, distinguished: String?) {
        #expect(code(hex(text), .basic) == basic)
        #expect(code(hex(text), .distinguished) == distinguished)
    }

    @Test("Nesting ends at fifty levels, with lengths and with end markers")
    func depth() throws {
        func definite(_ levels: Int) -> [UInt8] {
            (0..<levels).reduce([]) { inner, _ in
                inner.count < 128
                    ? [0x30, UInt8(inner.count)] + inner
                    : [0x30, 0x81, UInt8(inner.count)] + inner
            }
        }
        func indefinite(_ levels: Int) -> [UInt8] {
            Array(repeatElement([0x30, 0x80], count: levels).joined())
                + [UInt8](repeating: 0, count: 2 * levels)
        }
        #expect(code(definite(50), .basic) == nil)
        #expect(code(definite(52), .basic) == "depth")
        #expect(code(indefinite(50), .basic) == nil)
        #expect(code(indefinite(52), .basic) == "depth")
        #expect(
            code(Array(repeatElement([0x30, 0x80], count: 20_000).joined()), .basic) == "depth")
    }

    @Test("More bytes or more siblings than the limits are refused")
    func limits() {
        let many = Array(
            repeatElement([0x05, 0x00] as [UInt8], count: Limits.maximumSiblingCount + 1).joined())
        #expect(code(many, .basic) == "count")
        #expect(code(Array(many.dropLast(2)), .basic) == nil)
        let large = [UInt8](repeating: 0, count: Limits.maximumContainerByteCount + 1)
        #expect(code(large, .basic) == "size")
    }

    @Test("An element is found where it lies, with its end marker or without")
    func ranges() throws {
        let bytes = hex("FF 30 80 02 01 05 00 00 04 01 61")
        var reader = try ASN1Reader(bytes[1...], rules: .basic)
        let sequence = try reader.next(.sequence)
        #expect(sequence.offset == 0)
        #expect(Array(sequence.encoding) == hex("30 80 02 01 05 00 00"))
        #expect(Array(sequence.content) == hex("02 01 05"))
        let text = try reader.next(.octetString)
        #expect(text.offset == 7)
        #expect(reader.isAtEnd)
        #expect(throws: ASN1Error.self) { try text.children() }
        #expect(throws: ASN1Error.self) { try sequence.int64() }
    }

    @Test("A place asks for its element and says what it found instead")
    func expectations() throws {
        var reader = try ASN1Reader(hex("02 01 05 04 00")[...], rules: .basic)
        #expect(try reader.nextIfPresent(.octetString)?.offset == nil)
        #expect(try reader.nextIfPresent(.integer)?.int64() == 5)
        let error = try #require(throws: ASN1Error.self) { try reader.next(.sequence) }
        #expect(error.code == .unexpected)
        #expect(error.message == "OCTET STRING in place of SEQUENCE")
        #expect(error.offset == 3)
        // A call that fails takes nothing.
        #expect(try reader.next(.octetString).offset == 3)
        #expect(reader.isAtEnd)
        #expect(throws: ASN1Error.self) { try reader.next(.null) }
    }

    @Test("Bytes behind the only element have a code of their own")
    func trailing() throws {
        let error = try #require(throws: ASN1Error.self) {
            try ASN1Reader.only(.null, in: hex("05 00 00 00")[...], rules: .basic)
        }
        #expect(error.code == .trailing)
        #expect(error.offset == 2)
    }

    @Test(
        "An attribute reads as its parts do, and takes nothing where it throws",
        arguments: [
            ("30 0A 02 01 0C 02 01 01 04 02 16 00", "12 1 1600"),
            ("30 0B 02 02 06 A5 02 01 01 04 02 0C 00", "1701 1 0c00"),
            ("30 80 02 01 0C 02 01 01 24 80 04 01 61 04 01 62 00 00 00 00", "12 1 6162"),
            ("31 0A 02 01 0C 02 01 01 04 02 16 00", nil),
            ("30 0A 02 01 0C 02 01 01 0C 02 16 00", nil),
            ("30 06 02 01 0C 02 01 01", nil),
            ("30 0C 02 01 0C 02 01 01 04 02 16 00 05 00", nil),
            ("30 0B 02 02 00 0C 02 01 01 04 02 16 00", nil),
            ("10 0A 02 01 0C 02 01 01 04 02 16 00", nil),
        ] as [(String, String?)])
    func attributes(_ text: String, expected: String?) throws {
        var reader = try ASN1Reader(hex(text)[...], rules: .basic)
        let whole = reader.remainingByteCount
        let attribute = try? reader.nextAttribute()
        let parts = attribute.map {
            "\($0.type) \($0.version) \(Hexadecimal.text(of: $0.octets))"
        }
        #expect(parts == expected)
        #expect(reader.remainingByteCount == (expected == nil ? whole : 0))
        guard expected != nil else { return }
        #expect(try reader.nextAttribute()?.type == nil)
    }
}
