import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct AnIdentifierIsCheckedOnce {
    @Test(
        "A text within the limit is kept as it came", arguments: ["1", " 0001 ", "Ünïcode", "a/b"])
    func keepsText(_ text: String) throws {
        #expect(try CustomerID(text).rawValue == text)
        #expect(try "\(CustomerID(text))" == text)
    }

    @Test("The limit counts bytes of UTF-8, and the longest value passes")
    func limitCountsBytes() throws {
        #expect(try TransactionID(String(repeating: "7", count: 64)).rawValue.utf8.count == 64)
        #expect(throws: IdentifierError(name: "transaction_id", problem: "is longer than 64 bytes"))
        {
            try TransactionID(String(repeating: "7", count: 65))
        }
        #expect(throws: IdentifierError.self) {
            try TransactionID(String(repeating: "é", count: 33))
        }
    }

    @Test("An empty text is refused")
    func refusesEmpty() {
        #expect(throws: IdentifierError(name: "product_id", problem: "is empty")) {
            try ProductID("")
        }
    }

    @Test(
        "A control character is refused, NUL first of all",
        arguments: ["\0", "a\0b", "a\u{1}", "\n", "a\tb", "a\u{7F}"])
    func refusesControlCharacters(_ text: String) {
        #expect(
            throws: IdentifierError(name: "customer_id", problem: "holds a control character")
        ) {
            try CustomerID(text)
        }
    }

    @Test("The message names the identifier and never repeats the value")
    func messageIsSafe() {
        let error = IdentifierError(name: "app", problem: "is empty")
        #expect("\(error)" == "app is empty")
    }

    @Test("The limits are the widths of the database columns")
    func limits() {
        #expect(AppKind.maximumByteCount == 64)
        #expect(BundleKind.maximumByteCount == 255)
        #expect(CustomerKind.maximumByteCount == 128)
        #expect(ProductKind.maximumByteCount == 255)
        #expect(OriginalTransactionKind.maximumByteCount == TransactionKind.maximumByteCount)
    }
}

struct IdentifiersCompareByteForByte {
    /// Pairs that `String` calls equal.
    static let equivalents = [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"), (";", "\u{37E}"),
    ]

    @Test("Canonically equivalent spellings are two customers", arguments: equivalents)
    func equivalentSpellingsDiffer(_ first: String, _ second: String) throws {
        try #require(first == second)
        let (one, other) = (try CustomerID(first), try CustomerID(second))
        #expect(one != other)
        #expect(Set([one, other]).count == 2)
        #expect((one < other) != (other < one))
    }

    @Test("Digits are not numbers: 10 comes before 9, and 01 is not 1")
    func digitsAreText() throws {
        #expect(try TransactionID("10") < TransactionID("9"))
        #expect(try TransactionID("01") != TransactionID("1"))
        #expect(try TransactionID("1") < TransactionID("10"))
    }

    @Test("Order is the order of bytes, also beyond ASCII")
    func ordersByBytes() throws {
        let sorted = try ["Z", "a", "é", "\u{FFFD}", "\u{1F600}"].map { try CustomerID($0) }
        #expect(sorted.reversed().sorted() == sorted)
    }
}
