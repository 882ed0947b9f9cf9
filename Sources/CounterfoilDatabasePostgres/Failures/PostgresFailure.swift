// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Why a command did not succeed, and what may be done about it.
struct PostgresFailure: Error {
    enum Remedy {
        /// The same would happen again.
        case none

        /// Others were first; the closure runs again.
        case again

        /// The connection is of no use any more; the closure runs again on a new one.
        case reconnect
    }

    let remedy: Remedy
    let error: DatabaseError

    init(_ remedy: Remedy, _ error: DatabaseError) {
        self.remedy = remedy
        self.error = error
    }

    /// What the server said, without its DETAIL and CONTEXT, which quote the row.
    init(state: String, message: String?, table: String?, constraint: String?, sql: String) {
        let (remedy, code, meaning) = Self.meaning(of: state)
        var words = ["state \(state)"]
        // The messages of data exceptions quote the value.
        if let message, !state.hasPrefix("22") { words.append(message) }
        if let table { words.append("table \(table)") }
        if let constraint { words.append("constraint \(constraint)") }
        self.init(
            remedy,
            DatabaseError(code, meaning, details: "\(words.joined(separator: "; ")); in: \(sql)"))
    }

    /// What to make of a connection that did not come about, by the library's words with states in
    /// them, such as `FATAL:  28P01: password authentication failed`.
    ///
    /// - Returns: `cannotOpen` where every server that answered refuses us until somebody corrects
    ///   something; otherwise it may pass.
    static func codeOfRefusal(_ words: String) -> DatabaseError.Code {
        let states = words.split(separator: ":  ").dropFirst().compactMap { piece in
            let state = piece.prefix(5)
            return state.count == 5 && piece.dropFirst(5).hasPrefix(": ") ? state : nil
        }
        guard !states.isEmpty else { return .unavailable }
        // Wrong role or password, no such database, a right or a setting that is missing.
        if states.allSatisfy({ ["22", "28", "3D", "42"].contains($0.prefix(2)) }) {
            return .cannotOpen
        }
        return states.contains("53300") ? .busy : .unavailable
    }

    static func lost(_ details: String) -> PostgresFailure {
        PostgresFailure(
            .reconnect,
            DatabaseError(
                .unavailable, "the connection to the database was lost", details: details))
    }

    private typealias Meaning = (remedy: Remedy, code: DatabaseError.Code, message: String)

    /// The SQLSTATEs of PostgreSQL's appendix A that mean something of their own here.
    private static func meaning(of state: String) -> Meaning {
        switch state {
        case "23505": (.none, .uniqueViolation, "a row with this key exists")
        case "40001", "40P01": (.again, .busy, "other transactions were first each time")
        case "55P03": (.none, .busy, "another transaction holds a row for too long")
        case "57014": (.none, .busy, "a statement took longer than its limit")
        case "25006": (.none, .readOnly, "the database, or this transaction, cannot be written to")
        case "42501": (.none, .readOnly, "the database role lacks a right")
        case "53100": (.none, .full, "there is no space left for the database")
        case "53300": (.none, .busy, "the database server has no connection left")
        case "08P01": (.none, .statement, "a statement is wrong")
        case "25P03", "25P04", "57P01", "57P02", "57P03", "57P04", "57P05":
            (.reconnect, .unavailable, "the database server ended the connection")
        default: meaning(ofClass: state.prefix(2))
        }
    }

    private static func meaning(ofClass group: Substring) -> Meaning {
        switch group {
        case "08": (.reconnect, .unavailable, "the connection to the database was lost")
        case "22", "23": (.none, .constraintViolation, "a row breaks a rule of its table")
        case "40": (.again, .busy, "the database rolled the transaction back")
        case "53": (.none, .unavailable, "the database server lacks memory")
        case "54": (.none, .tooLarge, "a value or a statement is larger than the server takes")
        case "58": (.none, .unavailable, "the database server could not read or write its files")
        case "XX": (.none, .corrupt, "the database server found a fault in itself or in its files")
        default: (.none, .statement, "a statement is wrong")
        }
    }
}
