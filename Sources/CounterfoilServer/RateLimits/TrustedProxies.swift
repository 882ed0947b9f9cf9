// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP

/// The proxies that are believed when they say for whom they ask.
package struct TrustedProxies: Hashable, Sendable {
    package static let none = TrustedProxies(addresses: [])

    private static let header = "X-Forwarded-For"

    package let addresses: Set<String>

    package init(addresses: Set<String>) {
        self.addresses = addresses
    }

    /// Where a request came from: behind trusted proxies, the last address in `X-Forwarded-For` that is
    /// not one of them. What stands further left anybody can have written.
    func address(of request: HTTPRequest) -> String {
        var address = request.remoteAddress
        guard addresses.contains(address) else { return address }
        let named = request.headers.values(of: Self.header)
            .flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        for text in named.reversed().prefix(Limits.forwardedAddressCount) {
            let next = text.filter { $0 != " " }
            guard Network.isAddress(next) else { return address }
            address = next
            guard addresses.contains(next) else { return next }
        }
        return address
    }
}
