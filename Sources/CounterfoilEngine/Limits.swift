// SPDX-License-Identifier: Apache-2.0

/// The engine's limits, each with its reason.
package enum Limits {
    /// A catalogue file; ten thousand products with texts take about 5 MB.
    package static let catalogueByteCount = 8 << 20

    /// Products of one app; App Store Connect allows 10,000.
    package static let productCount = 10_000

    /// Currencies and items of one app.
    package static let unitCount = 10_000

    /// Goods of one product; each becomes two transfers.
    package static let goodsPerProduct = 32

    /// The most of one unit that one product may hold: with the largest quantity it fits into a balance
    /// nine thousand times.
    package static let goodsAmount: Int64 = 1_000_000_000_000

    /// Apple sells at most ten of a consumable at a time; anything above is clamped to what is safe
    /// to multiply and would stand out in the books.
    package static let quantity: Int64 = 1000

    /// A balance that a catalogue may name as the most; a thousand of the largest goods.
    static let maximumBalance: Int64 = 1_000_000_000_000_000

    /// The most of one unit that one request may move: as much as a product may hold.
    package static let walletAmount = goodsAmount

    /// How long units may be set aside: until a person looked at it, not for ever.
    package static let holdSeconds: ClosedRange<Int64> = 1...(90 * 86_400)

    /// Open holds of one customer that are shown.
    static let shownHolds: Int64 = 100

    /// Holds and lots that ran out and are looked for at once.
    static let lapsePage: Int64 = 200

    /// Open lots of an account that are read at once; most customers have a handful.
    static let lotPage: Int64 = 1000

    /// Periods that one sale of a right for a time gives; Apple sells one at a time.
    package static let periodsPerSale: Int64 = 1000

    /// How long a job is one server's without a sign of life; each of its steps is one. Far longer
    /// than a step takes, short enough that a dead server's work does not wait for long.
    package static let jobLease = Duration.seconds(15)

    /// The longest pause between two tries of a job.
    static let longestJobPause = Duration.seconds(3600)

    /// What is kept of a job's last error, in bytes of UTF-8; the column takes twice as much.
    static let jobErrorByteCount = 512

    /// What is kept of the detail of an outcome, in bytes of UTF-8: as much as its column takes.
    static let detailByteCount = 1024

    /// How far back refunds of a customer are counted.
    static let refundHistory = Duration.seconds(365 * 86_400)

    /// Rows that a rebuild looks at in one snapshot: some milliseconds each.
    static let rebuildPage: Int64 = 200

    /// Differences that a rebuild lists; whoever has more needs a backup, not a longer list.
    static let listedDifferences = 1000

    /// Events that are numbered in one database transaction; that takes some milliseconds.
    package static let eventsPerNumbering: Int64 = 500

    /// Transactions of one receipt that are listed in an answer.
    package static let transactionsPerAnswer = 100

    /// Evidence that is refused, or proves nothing that was not known, and is kept whole, per app and
    /// day; what exceeds it keeps digest and start.
    package static let refusedEvidencePerAppAndDay: Int64 = 256 << 20

    /// The same for one address.
    package static let refusedEvidencePerAddressAndDay: Int64 = 16 << 20

    /// Evidence that is packed without asking the database first whether it is stored, if this server
    /// does not remember it: packing it takes about as long as asking.
    static let quicklyPacked = 64 << 10

    /// How much evidence a server remembers as stored, in digests of 32 bytes: an hour of a busy shop,
    /// in which apps hand the same in again.
    static let recentEvidence = 4_096

    /// What is kept of such evidence beyond the quota.
    package static let refusedEvidencePrefix = 1024

    /// Events or grants in one page.
    package static let pageSize: Int64 = 500

    /// Lines of a file that are imported in one database transaction: below 5 ms, so that those who buy
    /// meanwhile do not notice.
    static let importChunk = 50

    /// What names a line of a file with balances.
    static let importIDByteCount = 200

    /// The most units that a line gives; the sum of any number of customers stays far from overflow.
    static let importedAmount: Int64 = 1_000_000_000_000

    /// Faults of a file that are listed; whoever has more has the wrong file.
    static let listedFaults = 1_000

    /// Those of them that are kept for a repeat of the same file, and the bytes of each.
    static let keptFaults = 100
    static let keptFaultByteCount = 256

    /// Lots, and sales with rights, that one merge of customers moves: some ten milliseconds each hundred.
    static let mergedRows = 1_000

    /// Orders of one customer that expect a payment; a person looks at one at a time.
    package static let openOrdersPerCustomer: Int64 = 100

    /// Payments on one order that are looked at; more than one is an accident already.
    static let paymentsPerOrder: Int64 = 100

    /// Transactions of one order that are listed.
    package static let transactionsPerOrder: Int64 = 100

    /// Orders that one purchase is held against; each may have been paid by another meanwhile.
    static let ordersPerPurchase: Int64 = 20

    /// By how much our clock and the App Store's may differ about what came first, the order or its
    /// payment.
    package static let orderClockSkew = Duration.seconds(300)

    /// Orders that lapse in one round; further ones do in the next, a second later.
    static let lapsesPerRound: Int64 = 500

    /// Customers who handed in one receipt whose orders are looked at.
    static let presentersPerEvidence: Int64 = 20

    /// Account tokens of one customer beside those of orders, so that a leaked key cannot fill the disk.
    package static let tokensPerCustomer: Int64 = 10_000

    /// What a caller may call a write; as elsewhere in the trade.
    package static let idempotencyKeyByteCount = 255

    /// How long an answer is given again: a mobile client may come back after days.
    package static let idempotencyLifetime = Duration.seconds(7 * 86_400)

    /// Answers that are forgotten in one transaction; that takes a few milliseconds.
    static let idempotencySweep: Int64 = 500

    /// How often old answers are looked for.
    static let idempotencySweepInterval = Duration.seconds(600)

    // MARK: Webhooks

    /// Endpoints of one app, so that a purchase is not sent to a thousand places.
    package static let endpointsPerApp: Int64 = 50

    /// An endpoint's address, as its column takes it.
    static let endpointURLByteCount = 2048

    /// Requests under way to one endpoint.
    package static let endpointConcurrency: ClosedRange<Int64> = 1...64
    package static let usualEndpointConcurrency: Int64 = 8

    /// Requests that begin in one second.
    package static let endpointRate: ClosedRange<Int64> = 1...1000

    /// How long a changed secret may go on to sign.
    package static let secretGraceSeconds: ClosedRange<Int64> = 0...(7 * 86_400)
    package static let usualSecretGraceSeconds: Int64 = 86_400

    /// How long a receiver may take. Longer work belongs behind its answer.
    package static let webhookTimeout = Duration.seconds(15)

    /// How long an endpoint is one server's without a sign of life: longer than the longest request.
    package static let endpointLease = webhookTimeout + .seconds(5)

    /// What is read of a receiver's answer; its result fits a thousand times.
    static let webhookAnswerByteCount = 64 << 10

    /// What many receivers take as a body, and what Standard Webhooks advises.
    package static let webhookBodyByteCount = 20_000

    /// How long a receiver can make us wait by its own wish.
    static let longestWish = Duration.seconds(6 * 3600)

    /// The pause after an attempt that this server broke off: it may find its way out closed for longer.
    static let pauseAfterInterruption = Duration.seconds(1)

    /// How long a receiver is left alone that has too much to do and does not say for how long.
    static let longestSlowdown = Duration.seconds(300)

    /// After so many attempts a customer's later events pass an endpoint that does not want order.
    static let attemptsBeforePassing: Int64 = 3

    /// Endpoints that one server serves at the same time.
    static let visitsPerRound: Int64 = 32

    /// Events that are owed to an endpoint in one database transaction; that takes some milliseconds.
    static let eventsPerFanOut: Int64 = 100

    /// Events that one call replays at most; who wants more calls again.
    package static let eventsPerReplay = 10_000

    /// By how much the clocks of two servers may differ before a replay by time misses an event.
    static let clockSlack = Duration.seconds(600)

    /// Products of one app that are held back.
    package static let holdsPerApp: Int64 = 1000

    /// Places in the list of products: room to leave gaps, and to put something in front.
    static let sortOrders: ClosedRange<Int64> = -1_000_000...1_000_000

    /// Products that are not in an app's catalogue and are noted as unknown to the store: everybody who
    /// has a client key may make one up.
    static let strangeProductReports = 1000

    /// How long a report is not noted again.
    static let productReportInterval = Duration.seconds(60)

    /// A customer's newest submissions that are looked at to say why a right is not there.
    static let explainedSubmissions: Int64 = 200
}
