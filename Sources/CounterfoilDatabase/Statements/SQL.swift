// SPDX-License-Identifier: Apache-2.0

/// The text of one statement: the common subset of SQLite and PostgreSQL, with parameters `$1`,
/// `$2` … that may be used in any order and more than once.
///
/// It can be written as a literal only, never interpolated, so no value can get into it. Constant
/// pieces may be joined with `+`; keep a joined statement in a `static let`, because a statement
/// is prepared once per identity: its address for a literal, its instance for a joined one.
package struct SQL: Sendable, ExpressibleByStringLiteral {
    private enum Source {
        case literal(StaticString)
        case made(MadeText)
    }

    private final class MadeText: Sendable {
        let text: String
        let isReusable: Bool

        init(_ text: String, isReusable: Bool) {
            self.text = text
            self.isReusable = isReusable
        }
    }

    private let source: Source

    package init(stringLiteral value: StaticString) {
        source =
            value.hasPointerRepresentation
            ? .literal(value) : .made(MadeText(value.description, isReusable: true))
    }

    private init(made: MadeText) {
        source = .made(made)
    }

    /// Wraps text that the schema generator wrote; it runs once, so engines do not keep it.
    init(generated text: String) {
        self.init(made: MadeText(text, isReusable: false))
    }

    package static func + (lhs: SQL, rhs: SQL) -> SQL {
        SQL(made: MadeText(lhs.text + rhs.text, isReusable: true))
    }

    package var text: String {
        switch source {
        case .literal(let text): text.description
        case .made(let made): made.text
        }
    }

    /// Whether an engine should keep the prepared statement for the next call.
    package var isReusable: Bool {
        switch source {
        case .literal: true
        case .made(let made): made.isReusable
        }
    }
}

/// Equality is identity, which costs nothing: two literals with the same text may differ. A cache
/// that uses the statement itself as its key keeps a joined one alive, so that its identity cannot
/// come back as another's.
extension SQL: Hashable {
    package static func == (lhs: SQL, rhs: SQL) -> Bool {
        lhs.address == rhs.address
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(address)
    }

    private var address: UInt {
        switch source {
        case .literal(let text): UInt(bitPattern: text.utf8Start)
        case .made(let made): UInt(bitPattern: ObjectIdentifier(made))
        }
    }
}
