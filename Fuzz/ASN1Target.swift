// SPDX-License-Identifier: Apache-2.0

import CounterfoilTrust

/// Walks over elements as deep as they go, asks each for every kind of value, and holds the answers
/// against each other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzASN1(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    for rules in [ASN1Rules.basic, .distinguished] {
        if let reader = attempt({ try ASN1Reader(bytes[...], rules: rules) }) {
            walk(reader, over: bytes[...])
            compareAttributes(reader)
        }
    }
    _ = attempt { try Certificate(der: bytes) }
    _ = attempt { try TrustAnchor(parsing: bytes) }
    return 0
}

private func walk(_ reader: ASN1Reader, over bytes: ArraySlice<UInt8>) {
    var reader = reader
    var rest = bytes
    while let element = attempt({ try reader.next() }) ?? nil {
        precondition(rest.starts(with: element.encoding), "an element lies elsewhere")
        rest = rest.dropFirst(element.encoding.count)
        readValues(of: element)
        if let children = attempt({ try element.children() }) {
            walk(children, over: element.content)
        }
    }
}

private func readValues(of element: ASN1Element) {
    _ = attempt { try element.bool() }
    _ = attempt { try element.objectIdentifier().description }
    _ = attempt { try element.bits() }
    _ = attempt { try element.instant() }
    _ = attempt { try element.octets() }
    if let integer = attempt({ try element.int64() }) {
        let octets = attempt { try element.integerOctets() } ?? []
        precondition((integer < 0) == (octets.first ?? 0 >= 0x80), "an integer of another sign")
    }
    if let text = attempt({ try element.text() }) {
        let octets = attempt { try element.textOctets() } ?? []
        precondition(text.utf8.elementsEqual(octets), "a text of other bytes")
    }
}

/// The short way to read attributes must find what the long way finds.
private func compareAttributes(_ reader: ASN1Reader) {
    var short = reader
    var long = reader
    while true {
        let found = attempt { try short.nextAttribute() } ?? nil
        let expected: (type: Int64, version: Int64, octets: ArraySlice<UInt8>)? =
            attempt {
                guard let element = try long.next() else { return nil }
                try element.require(.sequence)
                var fields = try element.children()
                let type = try fields.next(.integer).int64()
                let version = try fields.next(.integer).int64()
                let octets = try fields.next(.octetString).octets()
                try fields.finish()
                return (type, version, octets)
            } ?? nil
        precondition(found?.type == expected?.type, "two types")
        precondition(found?.version == expected?.version, "two versions")
        precondition(found?.octets == expected?.octets, "two values")
        guard found != nil else { return }
    }
}
