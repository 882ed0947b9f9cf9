// SPDX-License-Identifier: Apache-2.0

/// Why a customer token names nobody.
package struct CustomerTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name for the reason, as answers carry it.
    package struct Code: Hashable, Sendable {
        private enum Value: String {
            case invalid = "auth.customer_token_invalid"
            case expired = "auth.customer_token_expired"
        }

        private let value: Value

        package var name: String { value.rawValue }

        /// It is no token, is not signed for this app, or claims what it must not.
        package static let invalid = Code(value: .invalid)

        /// It was good once; the app fetches a new one.
        package static let expired = Code(value: .expired)
    }

    package let code: Code

    /// What is wrong, safe to show: it repeats nothing of the token.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ description: String) {
        self.init(.invalid, description)
    }
}
