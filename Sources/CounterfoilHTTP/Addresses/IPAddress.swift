// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An address of the Internet Protocol.
public struct IPAddress: Hashable, Sendable {
    /// Four bytes of version 4 or sixteen of version 6, as they go over the network.
    public let bytes: [UInt8]

    /// Takes four or sixteen bytes; nil for any other number of them.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads an address in numbers: `192.0.2.1` or `2001:db8::1`, without brackets, zone or the short
    /// and octal forms of version 4 that some programs take.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= Self.longestText, !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        bytes = withUnsafeBytes(of: &six) { Array($0) }
    }

    /// `INET6_ADDRSTRLEN`.
    private static let longestText = 46
}

/// All addresses that begin with the same bits.
public struct IPAddressRange: Hashable, Sendable {
    private let first: IPAddress
    private let bitCount: Int

    /// Reads `10.0.0.0/8`, `fd00::/8` or a single address; nil where bits behind the prefix are set,
    /// since then it is not clear what was meant.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = IPAddress(parts[0]) else { return nil }
        let width = first.bytes.count * 8
        let digits = parts.count == 2 ? parts[1] : nil
        guard let bitCount = digits.map({ Self.bitCount($0, width) }) ?? width else { return nil }
        self.first = first
        self.bitCount = bitCount
        let isPlain = (bitCount..<width).allSatisfy { bit in
            first.bytes[bit / 8] & (0x80 >> UInt8(bit % 8)) == 0
        }
        guard isPlain else { return nil }
    }

    /// Whether the address is one of them; versions 4 and 6 have none in common.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let whole = bitCount / 8
        guard address.bytes[..<whole] == first.bytes[..<whole] else { return false }
        let rest = UInt8(bitCount % 8)
        guard rest > 0 else { return true }
        let mask = ~(UInt8.max >> rest)
        return address.bytes[whole] & mask == first.bytes[whole] & mask
    }

    private static func bitCount(_ text: some StringProtocol, _ width: Int) -> Int? {
        guard (1...3).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int(text), count <= width
        else { return nil }
        return count
    }
}
