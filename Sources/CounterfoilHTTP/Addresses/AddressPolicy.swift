// SPDX-License-Identifier: Apache-2.0

/// Which addresses a client connects to.
///
/// Addresses that others may choose lead to hosts of the public internet only: otherwise whoever names
/// one could reach the machines behind the firewall through this program.
public struct AddressPolicy: Hashable, Sendable {
    private let isPublicOnly: Bool
    private let allowed: [IPAddressRange]

    private init(isPublicOnly: Bool, allowed: [IPAddressRange]) {
        self.isPublicOnly = isPublicOnly
        self.allowed = allowed
    }

    /// Every address; for hosts that the operator names.
    public static let any = AddressPolicy(isPublicOnly: false, allowed: [])

    /// Addresses of the public internet, and those in the given ranges.
    public static func publicOnly(and allowed: [IPAddressRange] = []) -> AddressPolicy {
        AddressPolicy(isPublicOnly: true, allowed: allowed)
    }

    /// Whether a connection to the address may be opened.
    public func admits(_ address: IPAddress) -> Bool {
        !isPublicOnly || Self.isPublic(address) || allowed.contains { $0.contains(address) }
    }

    /// Whether the address is one of the public internet.
    ///
    /// Of version 6 that is the global unicast block without the parts that stand for addresses of
    /// version 4 or for documentation; so the mapped, translated and private ones are none.
    static func isPublic(_ address: IPAddress) -> Bool {
        if address.bytes.count == 4 {
            return !special4.contains { $0.contains(address) }
        }
        return global6.contains { $0.contains(address) }
            && !special6.contains { $0.contains(address) }
    }

    /// The IANA registry of special addresses, shared and reserved space, multicast, and the one public
    /// address by which a cloud serves the machines inside it.
    private static let special4 = ranges([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16",
    ])

    private static let global6 = ranges(["2000::/3"])

    /// Protocol assignments with Teredo, documentation, and 6to4.
    private static let special6 = ranges([
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ])

    private static func ranges(_ texts: [String]) -> [IPAddressRange] {
        texts.map { text in
            guard let range = IPAddressRange(text) else {
                preconditionFailure("\(text) is no range")
            }
            return range
        }
    }
}
