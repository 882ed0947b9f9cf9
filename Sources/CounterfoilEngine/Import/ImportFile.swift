// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto

/// What a file says about the time before Counterfoil.
package enum ImportKind: String, CaseIterable, Sendable {
    /// Transactions that the former backend delivered.
    case delivered

    /// Transactions from before the cut-over that it did not deliver.
    case undelivered

    /// Account tokens and whom they name.
    case tokens

    /// What customers have; each line once, by its id, or else by customer and unit.
    case balances

    /// The columns or members of a line.
    fileprivate var members: [String] {
        switch self {
        case .delivered, .undelivered: ["transaction_id", "environment"]
        case .tokens: ["token", "customer_id"]
        case .balances: ["id", "customer_id", "environment", "unit", "paid", "bonus"]
        }
    }
}

package enum ImportFormat: String, CaseIterable, Sendable {
    /// A line with the names of the columns, then one for each row; values may stand between double quotes.
    case csv

    /// One JSON object a line.
    case jsonl
}

/// What one line says.
package enum ImportRow: Hashable, Sendable {
    case delivery(TransactionID, AppStoreEnvironment, isDelivered: Bool)
    case token(UniqueID, CustomerID)
    case balance(ImportedBalance)
}

/// What a customer had of a unit at the former backend.
package struct ImportedBalance: Hashable, Sendable {
    /// Names the line, so that it counts once; without one its customer and unit do.
    let id: String?
    let customer: CustomerID
    let environment: AppStoreEnvironment
    let unit: UnitID
    let paid: Int64
    let bonus: Int64
}

/// Why a line, or a file, is not taken.
package struct ImportFault: Error, Hashable, Sendable, CustomStringConvertible {
    package let line: Int
    package let problem: String

    package var description: String { "\(line): \(problem)" }
}

/// A file that is imported, cut into lines.
package struct ImportFile: Sendable {
    package let kind: ImportKind
    let environment: AppStoreEnvironment

    /// Names this content, read in this way.
    let digest: [UInt8]
    private let format: ImportFormat
    private let bytes: [UInt8]
    private let lines: [Range<Int>]
    private let columns: [String]

    /// How many lines it has, the heading of a table too.
    package var lineCount: Int { lines.count }

    /// - Parameter environment: Of rows that name none.
    /// - Throws: ``ImportFault`` if the columns are not those of the kind.
    package init(
        _ bytes: [UInt8], _ kind: ImportKind, _ format: ImportFormat,
        environment: AppStoreEnvironment
    ) throws(ImportFault) {
        self.kind = kind
        self.format = format
        self.environment = environment
        self.bytes = bytes
        lines = Self.lines(of: bytes)
        var digest = RunningDigest(.sha256)
        for field in [kind.rawValue, format.rawValue, environment.rawValue] {
            digest.appendField(field.utf8)
        }
        digest.appendField(bytes)
        self.digest = digest.finish()
        guard format == .csv else {
            columns = []
            return
        }
        guard let heading = lines.first.map({ bytes[$0] }), let names = Self.values(in: heading)
        else {
            throw ImportFault(line: 1, problem: "has no names of columns")
        }
        columns = names
        let known = kind.members.joined(separator: ", ")
        for name in names where !kind.members.contains(name) {
            throw ImportFault(
                line: 1, problem: "the column \(name) is unknown; there are: \(known)")
        }
        guard Set(names).count == names.count else {
            throw ImportFault(line: 1, problem: "a column stands there twice")
        }
    }

    /// What a line says, counted from 0; nil for one that says nothing.
    func row(_ index: Int) -> Result<ImportRow, ImportFault>? {
        let line = bytes[lines[index]]
        guard !line.isEmpty, format == .jsonl || index > 0 else { return nil }
        let value: JSONValue
        switch format {
        case .csv:
            guard let values = Self.values(in: line) else {
                return .failure(fault(index, "is no row of values between commas"))
            }
            guard values.count == columns.count else {
                return .failure(
                    fault(index, "has \(values.count) values for \(columns.count) columns"))
            }
            // An empty value is none.
            value = .object(
                JSONObject(
                    zip(columns, values).filter { !$0.1.isEmpty }
                        .map { .init(key: $0.0, value: .string($0.1)) }))
        case .jsonl:
            do throws(JSONError) {
                value = try JSONValue(parsing: line)
            } catch {
                return .failure(fault(index, "column \(error.column): \(error.message)"))
            }
        }
        return read(value, index)
    }

    private func read(_ value: JSONValue, _ index: Int) -> Result<ImportRow, ImportFault> {
        let findings = DocumentFindings()
        var reader = ObjectReader(value, findings: findings)
        let row = row(&reader)
        reader.finish()
        guard let row, findings.isEmpty else {
            let problems = findings.all.map(\.description).joined(separator: "; ")
            return .failure(fault(index, problems))
        }
        return .success(row)
    }

    private func row(_ reader: inout ObjectReader) -> ImportRow? {
        switch kind {
        case .delivered, .undelivered:
            let id = reader.identifier("transaction_id", TransactionKind.self)
            let environment = environment(&reader)
            return id.map { .delivery($0, environment, isDelivered: kind == .delivered) }
        case .tokens:
            let token = reader.member("token", "a UUID") { $0.string.flatMap { UniqueID($0) } }
            let customer = reader.identifier("customer_id", CustomerKind.self)
            guard let token, let customer else { return nil }
            return .token(token, customer)
        case .balances: return balance(&reader).map { .balance($0) }
        }
    }

    private func balance(_ reader: inout ObjectReader) -> ImportedBalance? {
        let id = reader.string("id", maximum: Limits.importIDByteCount, isRequired: false)
        let customer = reader.identifier("customer_id", CustomerKind.self)
        let unit = reader.identifier("unit", UnitKind.self)
        let (paid, bonus) = (amount("paid", &reader), amount("bonus", &reader))
        let environment = environment(&reader)
        if paid + bonus == 0 { reader.report("paid", "and bonus are nothing") }
        guard let customer, let unit else { return nil }
        return ImportedBalance(
            id: id, customer: customer, environment: environment,
            unit: unit, paid: paid, bonus: bonus)
    }

    /// An amount; in a table it is text.
    private func amount(_ key: String, _ reader: inout ObjectReader) -> Int64 {
        let limit = Limits.importedAmount
        return reader.member(key, "an integer from 0 to \(limit)", isRequired: false) { value in
            (value.int64 ?? value.string.flatMap { Int64($0) }).flatMap {
                (0...limit).contains($0) ? $0 : nil
            }
        } ?? 0
    }

    private func environment(_ reader: inout ObjectReader) -> AppStoreEnvironment {
        let named = reader.member(
            "environment", "Production or Sandbox", isRequired: false
        ) { value in
            [AppStoreEnvironment.production, .sandbox].first { $0.rawValue == value.string }
        }
        return named ?? environment
    }

    private func fault(_ index: Int, _ problem: String) -> ImportFault {
        ImportFault(line: index + 1, problem: problem)
    }

    // MARK: Text

    private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        // Spreadsheets write a mark of the encoding first.
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < bytes.count {
            let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            let next = (feed ?? bytes.count) + 1
            var end = feed ?? bytes.count
            if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            lines.append(start..<end)
            start = next
        }
        return lines
    }

    /// The values of a row: plain, or between double quotes with each quote inside written twice.
    private static func values(in line: ArraySlice<UInt8>) -> [String]? {
        let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
        var values: [String] = []
        var rest = line
        while true {
            var value: [UInt8] = []
            if rest.first == quote {
                rest.removeFirst()
                var isClosed = false
                while let end = rest.firstIndex(of: quote) {
                    value += rest[..<end]
                    rest = rest[(end + 1)...]
                    isClosed = rest.first != quote
                    guard !isClosed else { break }
                    value.append(quote)
                    rest.removeFirst()
                }
                guard isClosed, rest.isEmpty || rest.first == comma else { return nil }
            } else {
                value = Array(rest.prefix { $0 != comma })
                guard !value.contains(quote) else { return nil }
                rest = rest.dropFirst(value.count)
            }
            guard let text = String(validating: value, as: UTF8.self) else { return nil }
            values.append(text)
            guard rest.first == comma else { return values }
            rest.removeFirst()
        }
    }
}
