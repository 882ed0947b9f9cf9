// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation
import Testing

/// A checker that cannot fail proves nothing: each fault that it is there for is planted.
@Suite struct TheBooksCheckerFindsFaults {
    /// A fault, and the check that must name it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let check: String
        let sql: String

        var testDescription: String { check }
    }

    static let faults = [
        Fault(
            check: "each transfer has two entries that cancel out and are its amount",
            sql: "DELETE FROM entries WHERE amount < 0"),
        Fault(
            check: "each transfer has two entries that cancel out and are its amount",
            sql: "UPDATE entries SET amount = amount * 2"),
        Fault(
            check: "each unit sums to zero in each app and environment",
            sql: "UPDATE entries SET amount = amount + 1 WHERE amount > 0"),
        Fault(
            check: "both sides of a transfer are in its app, environment and unit",
            sql: "UPDATE transfers SET environment = 'Sandbox'"),
        Fault(
            check: "each stored balance is the sum of its entries",
            sql: "UPDATE accounts SET balance = balance + 1 WHERE balance IS NOT NULL"),
        Fault(
            check: "each wallet's balance is what is left of its lots",
            sql: "DELETE FROM lots"),
        Fault(
            check: "what is left of a lot is what nothing has taken",
            sql: "UPDATE lots SET remaining = remaining - 1"),
        Fault(
            check: "each entry of a wallet makes a lot or is told by its uses of lots",
            sql: "UPDATE lots SET amount = amount + 1"),
        Fault(
            check: "nothing that was acknowledged is lost",
            sql: "DELETE FROM grants WHERE transaction_id = '200000002'"),
        Fault(
            check: "nothing that was acknowledged is lost",
            sql: "UPDATE grants SET state = 'parked', parked_reason = 'unknown_product'"),
        Fault(
            check: "nothing was delivered twice",
            sql: """
                INSERT INTO grants (app, environment, sale, revision, grant_id, customer_key,
                transaction_id, product_id, quantity, goods, catalogue_version, state,
                parked_reason, created_at, updated_at, note)
                SELECT app, environment, sale || 'x', revision, randomblob(16), customer_key,
                transaction_id, product_id, quantity, goods, catalogue_version, state,
                parked_reason, created_at, updated_at, note FROM grants
                WHERE transaction_id = '200000000'
                """),
        Fault(
            check: "every grant is the right goods for the right customer",
            sql: """
                UPDATE grants SET customer_key =
                (SELECT customer_key FROM aliases WHERE customer_id = 'bob')
                """),
        Fault(
            check: "nothing was granted that nobody sent",
            sql: "UPDATE grants SET transaction_id = '3' WHERE transaction_id = '200000002'"),
        Fault(
            check: "goods that moved have a grant that says so",
            sql: "DELETE FROM grants"),
        Fault(
            check: "no grant and no transfer is without its sale",
            sql: "DELETE FROM sales"),
        Fault(
            check: "each customer's events count 1, 2, 3 … to the wallet's number",
            sql: "DELETE FROM events WHERE sequence = 1"),
        Fault(
            check: "the numbers of an app's events follow its customers' sequences",
            sql: "UPDATE events SET number = 1000 - number"),
        Fault(
            check: "every answer was recorded as it was given",
            sql: "UPDATE submissions SET status = 'rejected' WHERE transaction_id = '200000001'"),
    ]

    @Test("Books that balance pass", arguments: DatabaseEngine.kinds)
    func balanced(on engine: DatabaseEngine) async throws {
        let folder = TemporaryFolder()
        try await SampleBooks().write(to: folder, on: engine)
        let (isBalanced, output) = try Installation.checkBooks(
            folder.file("books.db"), log: folder.file("client.log"))
        #expect(isBalanced, "\(output)")
        #expect(output.contains("purchases acknowledged as delivered: 3"), "\(output)")
    }

    @Test("A planted fault is named", arguments: faults)
    func planted(fault: Fault) async throws {
        let folder = TemporaryFolder()
        try await SampleBooks().write(to: folder)
        let script =
            "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()"
        let (status, complaint) = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-c", script, folder.file("books.db"), fault.sql])
        try #require(status == 0, "\(complaint)")
        let (isBalanced, output) = try Installation.checkBooks(
            folder.file("books.db"), log: folder.file("client.log"))
        #expect(!isBalanced)
        #expect(output.contains("FAIL  \(fault.check)"), "\(output)")
    }

    @Test("A second acknowledgement as new is named")
    func newTwice() async throws {
        let folder = TemporaryFolder()
        try await SampleBooks().write(to: folder)
        _ = try ClientLog(path: folder.file("client.log")).acknowledged(
            "200000000", status: "fulfilled", client: "finish", submission: "none")
        let (isBalanced, output) = try Installation.checkBooks(
            folder.file("books.db"), log: folder.file("client.log"))
        #expect(!isBalanced)
        #expect(output.contains("FAIL  no purchase was called new twice"), "\(output)")
    }
}
