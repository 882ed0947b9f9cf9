// SPDX-License-Identifier: Apache-2.0

/// The old property list of transaction receipts: `{ "key" = "value"; … }`, texts only.
///
/// Quotes and backslashes are escaped with a backslash; white space is free.
struct OpenStepDictionary: Hashable, Sendable {
    /// In the order of the text.
    let entries: [TransactionReceipt.Entry]

    /// Reads exactly one dictionary; nil for anything else, a key named twice included.
    init?(_ text: some Collection<UInt8>) {
        var reader = Reader(rest: Array(text)[...])
        guard reader.skip("{") else { return nil }
        var entries: [TransactionReceipt.Entry] = []
        while !reader.skip("}") {
            guard entries.count < Limits.dictionaryEntryCount, let key = reader.quoted(),
                reader.skip("="), let value = reader.quoted(), reader.skip(";"),
                !entries.contains(where: { $0.key == key })
            else { return nil }
            entries.append(TransactionReceipt.Entry(key: key, value: value))
        }
        guard reader.isAtEnd else { return nil }
        self.entries = entries
    }

    subscript(key: String) -> String? {
        entries.first { $0.key == key }?.value
    }
}

private struct Reader {
    var rest: ArraySlice<UInt8>

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return rest.isEmpty
        }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func quoted() -> String? {
        guard skip("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped)
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }
}
