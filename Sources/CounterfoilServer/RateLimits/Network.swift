// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTPServer

/// What is counted as one sender.
enum Network {
    /// An IPv4 address itself, or the first 64 bits of an IPv6 address, since whoever has one of those
    /// has all of them.
    static func name(of address: String) -> String {
        guard address.contains(":"), !address.contains(".") else { return address }
        let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        let front = halves[0].split(separator: ":")
        let back = halves.count == 2 ? halves[1].split(separator: ":") : []
        let zeros = max(0, 8 - front.count - back.count)
        let groups = front + Array(repeating: "0", count: zeros) + back
        return groups.prefix(4).joined(separator: ":")
    }

    static func isAddress(_ text: String) -> Bool {
        text.utf8.count <= Limits.addressByteCount && HTTPServerConfiguration.isAddress(text)
    }
}
