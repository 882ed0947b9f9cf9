// SPDX-License-Identifier: Apache-2.0

/// What distinguishes one family of text identifiers from another: its name and its longest value.
public protocol IdentifierKind: Sendable {
    /// The name used in messages, in the words of the HTTP interface.
    static var name: String { get }

    /// The longest value in bytes of UTF-8; it bounds the database column.
    static var maximumByteCount: Int { get }
}

/// An identifier kept as the text it came as.
///
/// Apple's ids look numeric and are not (requirement 000-05): they are compared byte for byte and
/// never parsed. Distinct kinds are distinct types, so one cannot be passed for another.
public struct Identifier<Kind: IdentifierKind>: Hashable, Sendable {
    private let exact: ExactText

    /// The text as it came: never empty, never longer than the kind allows.
    public var rawValue: String { exact.text }

    /// Checks and wraps the text.
    ///
    /// - Throws: ``IdentifierError`` if the text is empty, longer than the kind allows, or holds
    ///   a control character (NUL would be cut off by a C library behind us).
    public init(_ text: String) throws(IdentifierError) {
        let count = text.utf8.count
        guard count > 0 else {
            throw IdentifierError(name: Kind.name, problem: "is empty")
        }
        guard count <= Kind.maximumByteCount else {
            throw IdentifierError(
                name: Kind.name, problem: "is longer than \(Kind.maximumByteCount) bytes")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw IdentifierError(name: Kind.name, problem: "holds a control character")
        }
        exact = ExactText(text)
    }
}

extension Identifier: Comparable {
    /// Orders by bytes, as the database does.
    public static func < (lhs: Identifier, rhs: Identifier) -> Bool {
        lhs.rawValue.utf8.lexicographicallyPrecedes(rhs.rawValue.utf8)
    }
}

extension Identifier: CustomStringConvertible {
    /// The text itself.
    public var description: String { rawValue }
}

/// A text that cannot be an identifier of the kind asked for.
public struct IdentifierError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The identifier's name, for example `transaction_id`.
    public let name: String

    /// What is wrong, as the end of a sentence that begins with the name.
    public let problem: String

    /// A sentence that is safe to show: it does not repeat the value.
    public var description: String { "\(name) \(problem)" }
}
