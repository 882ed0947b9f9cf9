// SPDX-License-Identifier: Apache-2.0

/// What an app's owner lets apps on devices do.
package struct ClientKeyPolicy: Hashable, Sendable {
    /// Whether an app may make customers that the studio does not know.
    package let allowsAnonymousCustomers: Bool

    package init(allowsAnonymousCustomers: Bool = false) {
        self.allowsAnonymousCustomers = allowsAnonymousCustomers
    }
}
