// SPDX-License-Identifier: Apache-2.0

/// The server's limits, each with its reason.
package enum Limits {
    /// A configuration file; a hundred apps with long allow lists stay below.
    package static let configurationByteCount = 4 << 20

    /// Apps of one installation; each keeps its catalogue in memory.
    package static let appCount = 200

    /// Serial numbers on a deny list; Apple uses about one signing certificate a year.
    package static let deniedLeafCount = 1000

    /// Files with roots of one simulated app.
    package static let rootFileCount = 16

    /// Customers who may use the sandbox in production.
    package static let allowListedCount = 10_000

    /// A path of the file system (PATH_MAX on Linux).
    package static let pathByteCount = 4096

    /// The address of a PostgreSQL server, with several hosts and the names of certificate files.
    package static let databaseAddressByteCount = 8192

    /// A database's password, which programs make and people seldom see.
    static let passwordByteCount = 1024

    /// A host name or an address.
    package static let addressByteCount = 255

    /// A body: a receipt with 2,000 purchases is about 1 MB of base64 (field case 9).
    package static let defaultBodyByteCount: Int64 = 8 << 20

    /// What may be configured as that; the smallest takes any signed transaction, the largest is what
    /// the schema keeps of one piece of evidence.
    package static let bodyByteCountRange: ClosedRange<Int64> = (64 << 10)...(32 << 20)

    /// 100,000 connections keep some 3 GB of buffers.
    package static let connectionCountRange: ClosedRange<Int64> = 1...100_000

    /// As many as a busy proxy keeps; their buffers take 32 MB.
    package static let defaultConnectionCount: Int64 = 1024

    /// Our deepest request body has 4 levels; a device's signals may nest further.
    static let bodyDepth = 16

    /// More values than any request has members, by far; a value costs about 100 bytes.
    static let bodyValueCount = 100_000

    /// How many label combinations one metric keeps; further ones are counted together, so that no
    /// request can make the page of metrics grow.
    static let seriesPerMetric = 500

    /// How old the counts of what waits may be: a page that is asked for by many costs the database
    /// no more than one.
    static let waitingWorkInterval = Duration.seconds(10)

    /// How old the answer of `/readyz` may be; load balancers ask every few seconds.
    static let readinessInterval = Duration.seconds(1)

    /// Lines of one name that the log takes in a while: enough to see what is wrong, too few for
    /// anybody to fill the disk by asking.
    static let logLinesPerWindow = 60
    static let logWindow = Duration.seconds(60)

    /// The longest value in a line of the log.
    static let logValueByteCount = 2000

    /// What a bearer token may have; ours have 47 bytes.
    static let bearerByteCount = 512

    /// What a game server may say about a grant, for people.
    static let noteByteCount = 1000

    /// What an order may be for; Apple sells at most ten of a consumable at a time.
    static let orderQuantities: ClosedRange<Int64> = 1...10

    /// What the studio may say about an order: a server and a role take a hundred bytes. Its column
    /// takes no more.
    static let orderContextByteCount = 4 << 10

    /// How long an order may wait: a month is longer than any bank or parent takes.
    static let orderHours: ClosedRange<Int64> = 1...720

    /// The text of a receipt: as much as its reader takes, and as a body holds unless more is configured.
    static let receiptTextByteCount = 8 << 20

    /// Pieces of evidence in one restore: StoreKit lists one transaction for each non-consumable and
    /// subscription; more come in a second request. Each is a database transaction, so that many keep
    /// a handler for a second.
    static let restoreCount = 50

    /// What a client may name as an order or a ticket; ours have 36 and 47 bytes.
    static let orderWordByteCount = 255

    /// Why a wallet is changed, for people.
    static let reasonByteCount = 1000

    /// A name of the studio's own for a change of a wallet: an id of its own, or a short word.
    static let referenceByteCount = 255

    /// Elements of one page of a list: enough to catch up fast, little enough to hold in memory.
    static let pageLimits: ClosedRange<Int64> = 1...500
    static let defaultPageLimit: Int64 = 100

    /// Refunds in a year that a setting may name; beyond them nothing is left to suggest.
    static let refundCount: Int64 = 1000

    /// A notification of Apple's: three signed texts of some KB each, encoded in one another.
    static let notificationByteCount = 256 << 10

    /// Types in one filter: all that there are, several times.
    static let typesPerEndpoint = 32

    /// Webhooks that are under way at once: four busy endpoints, with some hundred KB each.
    static let webhooksUnderWay = 256

    /// Events that one replay names one by one.
    static let idsPerReplay = 500

    /// Hosts, or ranges of addresses, that webhooks may be sent to beside the public internet.
    static let allowedHostCount = 100

    /// A customer token; with a long id, a key's name and claims of the studio's own it has 1 KB.
    static let customerTokenByteCount = 4096

    /// How long a customer token may be good: an app fetches a new one with each session.
    static let customerTokenLifetime = Duration.seconds(3600)

    /// How far the clocks of the studio's servers and ours may be apart.
    static let customerTokenLeeway = Duration.seconds(60)

    /// A secret for HS256: RFC 7518 § 3.2 asks for 256 bits at least.
    static let tokenSecretByteCounts = 32...1024

    /// Keys for customer tokens of one app: one, and another while it takes its place.
    static let tokenKeyCount = 8

    /// Customers and addresses whose rates are known at the same time; each takes about 150 bytes.
    static let rateBuckets = 100_000
    static let ratesPerSecond: ClosedRange<Int64> = 1...100_000
    static let bursts: ClosedRange<Int64> = 1...1_000_000

    /// Proxies that are trusted; a machine has a few before it.
    static let trustedProxyCount = 64

    /// Addresses that are read of what a chain of proxies says.
    static let forwardedAddressCount = 16
}
