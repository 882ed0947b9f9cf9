// SPDX-License-Identifier: Apache-2.0

/// Limits that are not configured, with their reasons; those that are stand in
/// ``HTTPServerConfiguration`` with theirs.
enum Limits {
    /// Browsers and proxies send 10 to 30 fields.
    static let headerCount = 100

    /// Room for what programs send.
    static let usualHeaderCount = 8

    /// The target, all names and all values together, as in HAProxy and Node.js. Browsers send some
    /// 2 KB, servers less. Each connection has a buffer of that size.
    static let headByteCount = 16 << 10

    /// Longer request targets are no address of ours; RFC 9110 § 4.1 asks for at least 8,000.
    static let targetByteCount = 8 << 10

    /// The interface has no address with more than ten.
    static let queryPairCount = 64

    /// What the library may use for the head of a request and its bookkeeping (56 bytes for a field
    /// or a pair): the limits above with room, so that our answer comes before the library's. It
    /// clears all of it for each request (48 KB: 1.2 µs of 10), and keeps it while a connection is
    /// idle.
    static let connectionMemoryByteCount = 28 << 10

    /// How much of an unwanted body is thrown away behind a refusal before the connection closes.
    /// Closing with unread bytes makes TCP reset, and a reset may overtake the answer.
    static let discardedByteCount = 16 << 20

    /// How long that may take.
    static let discardTimeout: Duration = .seconds(2)

    /// What a body's buffer takes at first, or less if less was announced.
    static let initialBodyByteCount = 16 << 10

    /// What each body and each answer may take beside the common budget, so that small requests are
    /// answered while large ones have used it up. Signed transactions have 4 KB, receipts of some
    /// hundred purchases 100 KB in base64; reading so much takes a fraction of a millisecond.
    static let smallBodyByteCount = 64 << 10

    /// How many connections may be closing in favour of others, beyond the limit of connections.
    static let closingConnectionCount = 64

    /// Deadlines are looked at this often, or four times within the shortest of them.
    static let longestSweepInterval: Duration = .milliseconds(500)

    /// No finer than this.
    static let shortestSweepInterval: Duration = .milliseconds(10)

    /// What an answer to a cut-off request may take to leave when the server stops.
    static let lastAnswerTimeout: Duration = .seconds(1)

    /// What a connection may hold: the library's buffer, its records, a small body.
    static let connectionByteCount = 96 << 10

    /// How much less must be in use before free memory is given back.
    static let tideByteCount = 16 << 20

    /// How many times its size a large body takes while a handler reads it: text, bytes, values.
    static let largeBodyWeight = 4

    /// What the process may have open beside connections: databases, logs, calls of other servers.
    static let otherDescriptorCount = 256

    /// How many connections the system may complete before we take them; it cuts this down itself.
    static let backlog: Int32 = 1024

    /// How long taking connections pauses when the system has no room for them.
    static let acceptPause: Duration = .milliseconds(100)
}
