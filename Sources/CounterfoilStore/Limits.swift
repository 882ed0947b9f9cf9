// SPDX-License-Identifier: Apache-2.0

/// The longest values that the schema takes, each with its reason. Keys use the limits of their
/// identifier kinds.
package enum Limits {
    /// Apple's environments are at most 12 bytes; room for new ones.
    package static let environment = 32

    /// Stable names that this program writes: states, kinds, reasons, event types.
    package static let word = 64

    /// A sale's key: a letter, an original transaction id and a count, or a line item and an expiry.
    package static let sale = 160

    /// Free text of ours in a row, such as the last error of a job.
    package static let message = 1024

    /// An address as text; IPv6 with a zone fits.
    package static let address = 80

    /// One piece of evidence; the largest body that may be configured.
    package static let evidence = 32 << 20

    /// The certificates of one piece of evidence: three of Apple's are 4 KB, a notification has one
    /// set of them.
    package static let certificateChain = 64 << 10

    /// Certificates that are looked for in one piece of evidence, repeats included: a notification
    /// with two signed texts inside has nine.
    package static let certificateFinds = 16

    /// How deep signed texts stand in one another: a notification holds transactions.
    package static let signedTextDepth = 3

    /// By how many bytes the parts of evidence may exceed it: a few for each part, and most stand
    /// for many more.
    package static let partOverhead = 1024

    /// Frozen goods as JSON: 32 parts of at most 200 bytes.
    package static let goods = 16 << 10

    /// Refunds of one transaction that are told apart, and reversals; more than two of either were
    /// never seen. Each takes some 25 bytes.
    static let refundsPerTransaction = 20
    static let refundHistory = 2 * refundsPerTransaction * 40

    /// Transactions of one original that are read at once; nearly all have one.
    static let transactionPage: Int64 = 1000

    /// What a change of a sale's goods came to: a share, a date, a count, and the one that it undid.
    static let changeCause = 512

    /// What the studio says about an order: a server and a role take a hundred bytes.
    package static let orderContext = 4 << 10

    /// Lines of an imported file that were not taken, as JSON: a hundred, with what is wrong with each.
    package static let importFaults = 256 << 10

    /// An event's body; its snapshot lists balances and entitlements.
    package static let event = 1 << 20

    /// An answer that is kept to be given again; those of writes are an order or a customer at most.
    package static let keptReply = 256 << 10

    /// The address of an endpoint: some carry a token of a few hundred bytes.
    package static let url = 2048

    /// The types that an endpoint wants: all that there are fit several times.
    package static let eventTypes = 2048

    /// A secret as text: 64 bytes in base64 with a prefix.
    static let webhookSecret = 128

    /// What is kept of the reply to an attempt, in bytes of UTF-8: enough to see what went wrong.
    package static let reply = 2048

    /// How many unsuccessful attempts of one delivery are kept: two whole schedules.
    static let keptAttempts: Int64 = 26

    /// How far a backlog is counted: far beyond what needs somebody's attention, and still quick.
    package static let backlogCount: Int64 = 10_000

    /// How many merged customers are read with the one that they are now.
    package static let mergedKeys = 64

    /// How many customers may be merged one into the other, one behind the other.
    package static let mergeDepth = 16

    /// Anything else that Apple sends in a short field.
    package static let appleText = 255
}
