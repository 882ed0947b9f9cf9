// SPDX-License-Identifier: Apache-2.0

/// One piece of Swift source, as far as the rules need to tell pieces apart.
struct Token: Hashable, Sendable {
    enum Kind: Sendable {
        /// A name, a keyword or a number.
        case word

        /// One character of punctuation.
        case mark

        /// A comment with its slashes.
        case comment

        /// The text between two interpolations or quotes; what is interpolated follows as tokens.
        case string
    }

    let kind: Kind
    let text: String
    let line: Int

    /// Whether nothing stands between this token and the one before.
    var isAttached = false
}

/// A breach of a rule, at a place.
struct Finding: Hashable, Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}
