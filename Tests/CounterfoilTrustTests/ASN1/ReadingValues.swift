// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Testing

@testable import CounterfoilTrust

struct ReadingValues {
    private func element(_ text: String, _ rules: ASN1Rules = .basic) throws -> ASN1Element {
        var reader = try ASN1Reader(hex(text)[...], rules: rules)
        return try #require(try reader.next())
    }

    @Test(
        "An INTEGER of up to eight bytes is exact",
        arguments: [
            ("02 01 00", 0), ("02 01 7F", 127), ("02 02 00 80", 128), ("02 01 80", -128),
            ("02 01 FF", -1), ("02 08 07 00 12 34 56 78 9A BC", 0x0700_1234_5678_9ABC),
            ("02 08 7F FF FF FF FF FF FF FF", .max), ("02 08 80 00 00 00 00 00 00 00", .min),
        ] as [(String, Int64)])
    func integers(_ text: String, value: Int64) throws {
        #expect(try element(text).int64() == value)
    }

    @Test(
        "What is no 64-bit INTEGER is refused",
        arguments: [
            "02 00", "02 02 00 7F", "02 02 FF 80", "02 09 00 FF FF FF FF FF FF FF FF", "04 01 00",
            "22 03 02 01 00",
        ])
    func notIntegers(_ text: String) throws {
        let element = try element(text)
        #expect(throws: ASN1Error.self) { try element.int64() }
    }

    @Test("A long INTEGER is read as octets")
    func longIntegers() throws {
        let octets = try element("02 09 00 FF FF FF FF FF FF FF FF").integerOctets()
        #expect(octets.count == 9)
    }

    @Test(
        "An OCTET STRING is joined from its pieces",
        arguments: [
            ("04 03 61 62 63", "61 62 63"), ("04 00", ""), ("24 00", ""), ("24 80 00 00", ""),
            ("24 80 04 03 61 62 63 00 00", "61 62 63"),
            ("24 07 04 01 61 04 02 62 63", "61 62 63"),
            ("24 80 24 80 04 01 61 00 00 24 03 04 01 62 04 01 63 00 00", "61 62 63"),
        ])
    func octetStrings(_ text: String, octets: String) throws {
        #expect(try Array(element(text).octets()) == hex(octets))
    }

    @Test("A piece of another type spoils an OCTET STRING")
    func wrongPieces() throws {
        let mixed = try element("24 06 04 01 61 0C 01 62")
        #expect(throws: ASN1Error.self) { try mixed.octets() }
    }

    @Test(
        "Text comes in three types, whole or in pieces",
        arguments: [
            ("0C 02 C3 A9", "é"), ("16 02 34 2B", "4+"), ("13 01 41", "A"), ("0C 00", ""),
            ("2C 06 04 01 61 04 01 62", "ab"),
        ])
    func texts(_ text: String, value: String) throws {
        #expect(try element(text).text() == value)
    }

    @Test(
        "Bytes that are no text of their type are refused",
        arguments: ["0C 01 C3", "16 01 80", "13 02 C3 A9", "04 01 61", "0C 03 ED A0 80"])
    func notTexts(_ text: String) throws {
        let element = try element(text)
        #expect(throws: ASN1Error.self) { try element.text() }
    }

    @Test(
        "An object identifier reads as its arcs",
        arguments: [
            ("06 0A 2A 86 48 86 F7 63 64 06 0B 01", "1.2.840.113635.100.6.11.1"),
            ("06 03 55 1D 13", "2.5.29.19"), ("06 01 00", "0.0"), ("06 02 88 37", "2.999"),
            ("06 05 2B 0E 03 02 1A", "1.3.14.3.2.26"),
            ("06 0B 2A FF FF FF FF FF FF FF FF FF 7F", "1.2.?"),
        ])
    func identifiers(_ text: String, arcs: String) throws {
        #expect(try element(text).objectIdentifier().description == arcs)
    }

    @Test(
        "Bytes that are no object identifier are refused",
        arguments: ["06 00", "06 01 80", "06 02 2A 86", "06 03 2A 80 01"])
    func notIdentifiers(_ text: String) throws {
        let element = try element(text)
        #expect(throws: ASN1Error.self) { try element.objectIdentifier() }
    }

    @Test("A constant identifier has the encoding that is read")
    func constants() throws {
        let read = try element("06 0A 2A 86 48 86 F7 63 64 06 0B 01").objectIdentifier()
        #expect(OID(1, 2, 840, 113_635, 100, 6, 11, 1) == read)
        #expect(OID(2, 999).octets == hex("88 37"))
    }

    @Test(
        "Bits and truth values keep to their forms",
        arguments: [
            ("01 01 FF", "true", "true"), ("01 01 00", "false", "false"),
            ("01 01 01", "true", "refused"), ("01 02 00 00", "refused", "refused"),
        ])
    func booleans(_ text: String, basic: String, distinguished: String) throws {
        func reading(_ rules: ASN1Rules) throws -> String {
            let element = try element(text, rules)
            do { return String(try element.bool()) } catch { return "refused" }
        }
        #expect(try reading(.basic) == basic)
        #expect(try reading(.distinguished) == distinguished)
    }

    @Test("A BIT STRING tells how many bits of its last byte do not count")
    func bitStrings() throws {
        let usage = try element("03 02 01 06").bits()
        #expect(Array(usage.octets) == [0x06])
        #expect(usage.unusedBitCount == 1)
        #expect(try Array(element("03 03 00 AA BB").bitStringOctets()) == [0xAA, 0xBB])
        for wrong in ["03 00", "03 01 01", "03 02 08 00", "03 02 01 06"] {
            let element = try element(wrong)
            #expect(throws: ASN1Error.self) { try element.bitStringOctets() }
        }
    }

    @Test(
        "A time is read with its century",
        arguments: [
            ("240101000000Z", 0x17, "2024-01-01T00:00:00Z"),
            ("491231235959Z", 0x17, "2049-12-31T23:59:59Z"),
            ("500101000000Z", 0x17, "1950-01-01T00:00:00Z"),
            ("20501231235959Z", 0x18, "2050-12-31T23:59:59Z"),
            ("240229120000Z", 0x17, "2024-02-29T12:00:00Z"),
            ("2401010000Z", 0x17, nil), ("240101000000+0100", 0x17, nil),
            ("230229120000Z", 0x17, nil), ("240101000060Z", 0x17, nil),
            ("2401010000 0Z", 0x17, nil), ("", 0x17, nil), ("20240101000000.5Z", 0x18, nil),
            ("20240101000000", 0x18, nil), ("2024010100000ZZ", 0x18, nil),
            ("240101000000Z", 0x18, nil), ("240101000000Z", 0x04, nil),
        ] as [(String, UInt8, String?)])
    func times(_ text: String, identifier: UInt8, value: String?) throws {
        let bytes = [identifier, UInt8(text.utf8.count)] + Array(text.utf8)
        var reader = try ASN1Reader(bytes[...], rules: .distinguished)
        let element = try #require(try reader.next())
        #expect((try? element.instant())?.rfc3339 == value)
    }
}
