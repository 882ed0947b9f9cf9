// SPDX-License-Identifier: Apache-2.0

package import CounterfoilHTTP

/// Where the operator lets events be sent to.
package struct WebhookRules: Sendable {
    /// Hosts that are sent to without encryption, in small letters.
    package let plainHosts: Set<String>

    /// What else than the public internet may be connected to.
    package let addresses: AddressPolicy

    package init(plainHosts: Set<String> = [], allowing ranges: [IPAddressRange] = []) {
        self.plainHosts = Set(plainHosts.map { $0.lowercased() })
        addresses = .publicOnly(and: ranges)
    }

    /// Why an endpoint must not have this address, as the end of a sentence; nil if it may.
    ///
    /// What a name leads to is judged when a connection is opened, not here: the answer of a name server
    /// may be another one by then.
    package func problem(withURL url: String) -> String? {
        guard url.utf8.count <= Limits.endpointURLByteCount else { return "is too long" }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "holds a character that must be percent-encoded"
        }
        let isPlain = url.lowercased().hasPrefix("http://")
        guard isPlain || url.lowercased().hasPrefix("https://") else {
            return "does not begin with https://"
        }
        guard !url.contains("#") else { return "has a fragment, which is never sent" }
        let authority = url.dropFirst(isPlain ? 7 : 8).prefix { !"/?".contains($0) }
        guard let (host, port) = Self.parts(of: authority) else {
            return "has no host that can be connected to"
        }
        guard !isPlain || plainHosts.contains(host.lowercased()) else {
            return "is not encrypted, and the configuration does not allow that for this host"
        }
        // Below are the ports of other protocols, which a stranger's firewall may trust.
        let usualPort = isPlain ? 80 : 443
        guard port ?? usualPort == usualPort || (port ?? 0) >= 1024 else {
            return "has a port below 1024 that is not the usual one"
        }
        if let address = IPAddress(host), !addresses.admits(address) {
            return "is an address of an inner network, which the configuration does not allow"
        }
        return nil
    }

    /// Host, without the brackets of an address of version 6, and port.
    private static func parts(of authority: Substring) -> (host: String, port: Int?)? {
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<close].dropFirst()
            rest = authority[close...].dropFirst()
            guard IPAddress(host)?.bytes.count == 16 else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority.dropFirst(host.count)
            guard isName(host) else { return nil }
        }
        if rest.isEmpty { return (String(host), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        return (String(host), port)
    }

    /// A name, or an address in the one form in which every program reads the same.
    private static func isName(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                }
        }
        guard isPlain, host.utf8.count <= 253, let last = labels.last else { return false }
        let isNumber = last.utf8.first.map((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        return isNumber != true || IPAddress(host) != nil
    }
}
