// SPDX-License-Identifier: Apache-2.0

/// How a client connects, and how much it does at once.
public struct HTTPClientConfiguration: Sendable {
    /// Who may vouch for a server's certificate.
    public enum Authorities: Hashable, Sendable {
        /// Those that the operating system trusts.
        case system

        /// Only those in a PEM file.
        case file(String)

        /// Only those in a PEM text.
        case pem(String)
    }

    /// The name that other servers see.
    public var userAgent = "Counterfoil"

    /// Who may vouch for a server's certificate.
    public var authorities = Authorities.system

    /// How many requests are under way at once. Slow hosts hold their places until the deadline;
    /// duties that must not hinder each other get a client each.
    public var maximumRunningCount = 64

    /// How many more may wait for a place; further ones fail at once.
    public var maximumWaitingCount = 1024

    /// How many requests one host has under way, each on a connection of its own; further ones wait
    /// and let those for other hosts pass.
    public var maximumRunningCountPerHost = 16

    /// How long finding the host and connecting to it may take, within the deadline.
    public var connectTimeout: Duration = .seconds(10)

    /// Takes the defaults.
    public init() {}
}
