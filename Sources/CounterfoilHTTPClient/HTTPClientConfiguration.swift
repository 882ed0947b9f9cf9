// SPDX-License-Identifier: Apache-2.0

public import CounterfoilHTTP

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

    /// Where it connects to, judged by the address of each connection when it is opened; what a look-up
    /// of the host's name said before does not count. A host all of whose addresses are refused fails
    /// with `transport.address_refused`.
    public var addresses = AddressPolicy.any

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

    /// Addresses of hosts, as `name:port:address`, asked for anew with each request and used before any
    /// look-up: a name server for tests.
    package var knownHosts: @Sendable () -> [String] = { [] }

    /// Takes the defaults.
    public init() {}
}
