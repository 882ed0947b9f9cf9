// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// What the engine has to know of a statement before it sends it.
struct StatementText {
    let text: String

    /// The highest `$n`. The server itself takes more values than a statement uses.
    let parameterCount: Int

    /// Whether it can write: everything that does not begin with SELECT.
    let mayWrite: Bool

    init(_ text: String) throws(DatabaseError) {
        self.text = text
        mayWrite = !text.utf8.starts(with: "SELECT".utf8)
        let numbers = Self.parameters(of: text)
        parameterCount = numbers.max() ?? 0
        guard Set(numbers).count == parameterCount, !numbers.contains(0) else {
            throw DatabaseError(
                .statement, "parameters are not numbered from $1 without gaps", details: text)
        }
    }

    /// The numbers after the dollar signs that stand outside of quotes.
    private static func parameters(of text: String) -> [Int] {
        var numbers: [Int] = []
        var quote: UInt8?
        var number: Int?
        for byte in text.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            if let sofar = number, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                // A statement has far fewer; this only keeps the number from overflowing.
                number = min(sofar * 10 + Int(byte - UInt8(ascii: "0")), 100_000)
                continue
            }
            if let ended = number { numbers.append(ended) }
            number = byte == UInt8(ascii: "$") ? 0 : nil
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { quote = byte }
        }
        if let ended = number { numbers.append(ended) }
        return numbers
    }
}
