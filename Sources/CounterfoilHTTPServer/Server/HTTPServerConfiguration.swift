// SPDX-License-Identifier: Apache-2.0

/// Where a server listens and how much it takes.
public struct HTTPServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address in numbers; nil listens on all addresses of both kinds, and so does
    /// `::`, which unlike nil is an error on a machine without IPv6.
    public var address: String?

    /// The port; 0 lets the system choose.
    public var port: UInt16

    /// The longest request body. By default 8 MB: the largest real receipt known has 4 MB.
    public var maximumBodyByteCount = 8 << 20

    /// What bodies that are being received or answered, and answers that are being sent, may take
    /// together beyond the first 64 KB of each; by default 64 MB. Beyond it requests are refused with
    /// 503 until others are done; requests that stay within their 64 KB never are.
    public var maximumBufferedByteCount = 64 << 20

    /// How many requests with more than 64 KB handlers may have at a time; the others wait in their
    /// order. Nil is half the cores, at least one, so that small requests find a core.
    public var maximumLargeRequestCount: Int?

    /// How many connections may be open. A further one takes the place of one that is not being
    /// answered, if that one's address holds at least two more than the newcomer's; else it is refused
    /// with 503. IPv6 addresses count together if their first 64 bits are equal.
    public var maximumConnectionCount = 1024

    /// How many connections one address may hold; further ones are refused with 503. By default not
    /// limited, since behind a proxy every connection comes from one address.
    public var maximumConnectionCountPerAddress: Int?

    /// How long a request's head may take from its first line.
    public var headTimeout: Duration = .seconds(15)

    /// How long a request's body may take; 8 MB over a slow mobile connection.
    public var bodyTimeout: Duration = .seconds(60)

    /// How long the handler may take before the client is told 503.
    public var handlerTimeout: Duration = .seconds(30)

    /// How long a client may take to receive an answer.
    public var answerTimeout: Duration = .seconds(60)

    /// How long a connection may stay open between two requests, or before the first.
    public var idleTimeout: Duration = .seconds(75)

    /// The threads that serve connections; nil takes one for each core.
    public var threadCount: Int?

    /// Where handlers go on after they waited; nil is the global executor.
    public var taskExecutor: (any TaskExecutor)?

    /// Takes the defaults of everything else.
    public init(address: String?, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Whether a text is an IPv4 or IPv6 address in numbers, as ``address`` must be.
    public static func isAddress(_ text: String) -> Bool {
        MicroHTTPD.isAddress(text)
    }

    /// How often deadlines are looked at.
    var sweepInterval: Duration {
        max(
            Limits.shortestSweepInterval, min(Limits.longestSweepInterval, shortestTimeout / 4))
    }

    private var shortestTimeout: Duration {
        [headTimeout, bodyTimeout, handlerTimeout, answerTimeout, idleTimeout].min() ?? headTimeout
    }
}
