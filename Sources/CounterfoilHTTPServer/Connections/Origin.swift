// SPDX-License-Identifier: Apache-2.0

/// Where a connection comes from.
struct Origin: Sendable {
    /// The address in numbers.
    let address: String

    /// What is counted as one: an IPv4 address, or the first 64 bits of an IPv6 address, since whoever
    /// has one of those has all of them.
    let network: String
}
