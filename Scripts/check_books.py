#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the database's books against what its clients wrote down (promises P1, P2, P4).

usage: check_books.py DATABASE [LOG] [--json]

Nothing of the server is used: plain SQL on the file, and the log of a load client that ran in
another process. The log has one JSON object a line, in two kinds:

  {"sent": TRANSACTION, "app": …, "environment": …, "customer": …, "goods": {UNIT: AMOUNT}}
      written before the purchase is handed in; a purchase that was never sent must not appear
  {"acknowledged": TRANSACTION, "status": …, "client": …, "submission": ID}
      written after the answer was read; goods are owed from here on

Without a log only the books themselves are checked. A table of checks is printed; the exit status
is 0 when all hold, 1 when one does not, 64 when the arguments are wrong.
"""

import collections
import json
import sqlite3
import sys

DELIVERED = {"fulfilled", "already_fulfilled", "restored"}

# States of grants of which nothing was given.
WAITING = {"parked", "withdrawn"}


class Books:
    """The checks, each a name and the findings that speak against it."""

    def __init__(self, database):
        self.db = database
        self.results = []

    def check(self, name, findings, count=None):
        findings = list(findings)
        self.results.append({"check": name, "findings": findings, "count": count})

    def none(self, name, sql, parameters=()):
        """The query looks for breaches, so it must find nothing."""
        self.check(name, (", ".join(map(show, row)) for row in self.db.execute(sql, parameters)))

    def value(self, sql, parameters=()):
        return self.db.execute(sql, parameters).fetchone()[0]


def show(value):
    return value.hex() if isinstance(value, bytes) else str(value)


def check_file(books):
    rows = books.db.execute("PRAGMA integrity_check").fetchall()
    books.check("the file is sound", (row[0] for row in rows if row[0] != "ok"))
    books.none("no row points to nowhere", "PRAGMA foreign_key_check")


def check_ledger(books):
    count = books.value("SELECT COUNT(*) FROM transfers")
    books.check("transfers counted", [], count)
    books.none("each transfer has two entries that cancel out and are its amount", """
        SELECT t.transfer_id FROM transfers t LEFT JOIN entries e USING (transfer_id)
        GROUP BY t.transfer_id
        HAVING COUNT(e.amount) <> 2 OR SUM(e.amount) <> 0 OR MAX(e.amount) <> t.amount""")
    books.none("no entry is without its transfer or its account", """
        SELECT e.account_id, e.transfer_id FROM entries e
        LEFT JOIN transfers t USING (transfer_id) LEFT JOIN accounts a USING (account_id)
        WHERE t.transfer_id IS NULL OR a.account_id IS NULL""")
    books.none("both sides of a transfer are in its app, environment and unit", """
        SELECT t.transfer_id FROM transfers t
        JOIN entries e USING (transfer_id) JOIN accounts a USING (account_id)
        WHERE (a.app, a.environment, a.unit) <> (t.app, t.environment, t.unit)""")
    books.none("each unit sums to zero in each app and environment", """
        SELECT a.app, a.environment, a.unit, SUM(e.amount)
        FROM entries e JOIN accounts a USING (account_id)
        GROUP BY a.app, a.environment, a.unit HAVING SUM(e.amount) <> 0""")
    books.none("each stored balance is the sum of its entries", """
        SELECT a.account_id, a.balance, COALESCE(SUM(e.amount), 0)
        FROM accounts a LEFT JOIN entries e USING (account_id)
        WHERE a.balance IS NOT NULL GROUP BY a.account_id
        HAVING a.balance <> COALESCE(SUM(e.amount), 0)""")
    books.none("each customer's account has a balance, no system account has one", """
        SELECT account_id FROM accounts WHERE (customer_key IS NULL) <> (balance IS NULL)""")
    books.none("no wallet is below zero", """
        SELECT account_id, kind, balance FROM accounts
        WHERE kind IN ('paid', 'bonus', 'held') AND balance < 0 OR kind = 'debt' AND balance > 0""")
    books.none("each wallet's balance is what is left of its lots", """
        SELECT a.account_id, a.kind, a.balance, COALESCE(SUM(l.remaining), 0)
        FROM accounts a LEFT JOIN lots l USING (account_id)
        WHERE a.kind IN ('paid', 'bonus', 'debt') GROUP BY a.account_id
        HAVING CASE a.kind WHEN 'debt' THEN -a.balance ELSE a.balance END
        <> COALESCE(SUM(l.remaining), 0)""")
    books.none("what is left of a lot is what nothing has taken", """
        SELECT l.lot_id, l.amount, l.remaining, COALESCE(SUM(u.amount), 0)
        FROM lots l LEFT JOIN lot_uses u USING (lot_id)
        GROUP BY l.account_id, l.lot_id
        HAVING l.amount - COALESCE(SUM(u.amount), 0) <> l.remaining""")
    books.none("each entry of a wallet makes a lot or is told by its uses of lots", """
        SELECT e.transfer_id, a.kind, e.amount FROM entries e
        JOIN accounts a ON a.account_id = e.account_id AND a.kind IN ('paid', 'bonus', 'debt')
        WHERE CASE a.kind WHEN 'debt' THEN -e.amount ELSE e.amount END <>
        COALESCE((SELECT l.amount FROM lots l WHERE l.account_id = e.account_id
            AND l.is_open IN (0, 1) AND l.lot_id = e.transfer_id), 0)
        - COALESCE((SELECT SUM(u.amount) FROM lot_uses u WHERE u.transfer_id = e.transfer_id
            AND u.account_id = e.account_id), 0)""")
    books.none("there is one account per customer, unit and kind", """
        SELECT app, environment, customer_key, unit, kind FROM accounts
        GROUP BY app, environment, customer_key, unit, kind HAVING COUNT(*) > 1""")


def check_sales(books):
    count = books.value("SELECT COUNT(*) FROM sales")
    books.check("sales counted", [], count)
    books.none("each granted sale is granted once", """
        SELECT app, environment, sale FROM grants WHERE revision = 0
        GROUP BY app, environment, sale HAVING COUNT(*) > 1""")
    books.none("no grant and no transfer is without its sale", """
        SELECT 'grant', g.sale FROM grants g LEFT JOIN sales s USING (app, environment, sale)
        WHERE s.sale IS NULL
        UNION ALL
        SELECT 'transfer', t.sale FROM transfers t
        LEFT JOIN sales s USING (app, environment, sale)
        WHERE t.sale IS NOT NULL AND s.sale IS NULL""")
    books.none("a sale's goods move once per unit, kind of account and revision", """
        SELECT t.sale, t.revision, a.unit, a.kind FROM transfers t
        JOIN entries e USING (transfer_id) JOIN accounts a USING (account_id)
        WHERE t.kind = 'grant' AND a.customer_key IS NOT NULL
        GROUP BY t.app, t.environment, t.sale, t.revision, a.account_id HAVING COUNT(*) > 1""")
    books.none("goods that moved have a grant that says so", """
        SELECT t.sale, t.revision FROM transfers t
        LEFT JOIN grants g USING (app, environment, sale, revision)
        WHERE t.kind = 'grant'
        AND (g.grant_id IS NULL OR g.state IN ('parked', 'withdrawn', 'delivered_elsewhere'))""")
    books.none("no transaction was granted by two sales", """
        SELECT app, environment, transaction_id FROM grants WHERE revision = 0
        GROUP BY app, environment, transaction_id HAVING COUNT(*) > 1""")


def check_events(books):
    books.none("each customer's events count 1, 2, 3 … to the wallet's number", """
        SELECT w.app, w.environment, w.customer_key, w.sequence, COUNT(e.sequence)
        FROM wallets w LEFT JOIN events e USING (app, environment, customer_key)
        GROUP BY w.app, w.environment, w.customer_key
        HAVING w.sequence <> COUNT(e.sequence) OR w.sequence <> COALESCE(MAX(e.sequence), 0)
        OR COUNT(DISTINCT e.sequence) <> COUNT(e.sequence)""")
    books.none("the numbers of an app's events follow its customers' sequences", """
        SELECT event_id FROM (
            SELECT event_id, number, MAX(number) OVER (
                PARTITION BY app, environment, customer_key ORDER BY sequence
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
            FROM events WHERE sequence IS NOT NULL)
        WHERE number <= before""")


def read_log(path):
    sent, acknowledged = {}, collections.defaultdict(list)
    with open(path, encoding="utf-8") as log:
        for line in log:
            # The log's writer may have been stopped in the middle of its last line.
            if not line.endswith("\n"):
                break
            entry = json.loads(line)
            if "sent" in entry:
                sent[entry["sent"]] = entry
            else:
                acknowledged[entry["acknowledged"]].append(entry)
    return sent, acknowledged


def granted_amounts(books):
    """What each sale's first grant moved to its customer: {(app, environment, sale): {unit: n}}."""
    amounts = collections.defaultdict(collections.Counter)
    for app, environment, sale, unit, amount in books.db.execute("""
            SELECT t.app, t.environment, t.sale, t.unit, e.amount FROM transfers t
            JOIN entries e USING (transfer_id) JOIN accounts a USING (account_id)
            WHERE t.revision = 0 AND a.customer_key IS NOT NULL"""):
        amounts[app, environment, sale][unit] += amount
    return amounts


def check_log(books, path):
    sent, acknowledged = read_log(path)
    delivered = {
        key: [entry for entry in entries if entry["status"] in DELIVERED]
        for key, entries in acknowledged.items()}
    delivered = {key: entries for key, entries in delivered.items() if entries}
    books.check("purchases sent", [], len(sent))
    books.check("purchases acknowledged", [], len(acknowledged))
    books.check("purchases acknowledged as delivered", [], len(delivered))
    books.check(
        "every acknowledgement is of a purchase that was sent",
        (key for key in acknowledged if key not in sent))

    amounts = granted_amounts(books)
    customers = {key: (app, name) for key, app, name in books.db.execute(
        "SELECT customer_key, app, customer_id FROM aliases")}
    grants = collections.defaultdict(list)
    for row in books.db.execute("""
            SELECT transaction_id, app, environment, sale, customer_key, state, parked_reason
            FROM grants WHERE revision = 0"""):
        grants[row[0]].append(row[1:])

    lost, twice, wrong = [], [], []
    for transaction, entry in sent.items():
        found = grants.get(transaction, [])
        if transaction in delivered and not found:
            lost.append(f"{transaction}: acknowledged, and there is no grant")
        if len(found) > 1:
            twice.append(f"{transaction}: {len(found)} grants")
        for app, environment, sale, customer, state, reason in found:
            if (app, environment) != (entry["app"], entry["environment"]):
                wrong.append(f"{transaction}: in {app}, {environment}")
            elif transaction in delivered and state in WAITING:
                lost.append(f"{transaction}: acknowledged, and parked as {reason}")
            elif state not in WAITING:
                if customers.get(customer) != (app, entry["customer"]):
                    wrong.append(f"{transaction}: granted to {customers.get(customer)}")
                if dict(amounts[app, environment, sale]) != entry["goods"]:
                    wrong.append(f"{transaction}: {dict(amounts[app, environment, sale])}")
    books.check("nothing that was acknowledged is lost", lost)
    books.check("nothing was delivered twice", twice)
    books.check("every grant is the right goods for the right customer", wrong)
    books.check(
        "nothing was granted that nobody sent", (key for key in grants if key not in sent))
    books.check(
        "no purchase was called new twice",
        (f"{key}: {len(news)} times" for key, news in (
            (key, [entry for entry in entries if entry["status"] == "fulfilled"])
            for key, entries in delivered.items()) if len(news) > 1))
    check_wallets(books, sent, grants)
    check_submissions(books, acknowledged)


def check_wallets(books, sent, grants):
    """Each customer owns exactly what the purchases with a grant are worth."""
    owed = collections.Counter()
    for transaction, entry in sent.items():
        if any(state not in WAITING for *_, state, _ in grants.get(transaction, [])):
            for unit, amount in entry["goods"].items():
                owed[entry["app"], entry["environment"], entry["customer"], unit] += amount
    owned = collections.Counter()
    for app, environment, customer, unit, balance in books.db.execute("""
            SELECT a.app, a.environment, n.customer_id, a.unit, a.balance FROM accounts a
            JOIN aliases n ON n.customer_key = a.customer_key AND n.app = a.app
            WHERE a.balance <> 0"""):
        owned[app, environment, customer, unit] += balance
    books.check("each wallet holds what its purchases gave", (
        f"{key}: has {owned[key]}, should have {owed[key]}"
        for key in sorted(owed.keys() | owned.keys()) if owed[key] != owned[key]))


def check_submissions(books, acknowledged):
    """Every answer that was read stands in the table with the same outcome (P6)."""
    stored = {
        row[0].hex(): row[1:] for row in books.db.execute(
            "SELECT submission_id, transaction_id, status, client FROM submissions")}
    wrong = []
    for transaction, entries in acknowledged.items():
        for entry in entries:
            submission = entry["submission"].replace("-", "").lower()
            expected = (transaction, entry["status"], entry["client"])
            if stored.get(submission) != expected:
                wrong.append(f"{entry['submission']}: {stored.get(submission)}, not {expected}")
    books.check("every answer was recorded as it was given", wrong)


def report(books, as_json):
    failed = [result for result in books.results if result["findings"]]
    if as_json:
        print(json.dumps({"balanced": not failed, "checks": books.results}, indent=2))
        return not failed
    for result in books.results:
        mark = "FAIL" if result["findings"] else "ok"
        count = "" if result["count"] is None else f": {result['count']}"
        print(f"{mark:>4}  {result['check']}{count}")
        for finding in result["findings"][:5]:
            print(f"        {finding}")
        if len(result["findings"]) > 5:
            print(f"        … {len(result['findings']) - 5} more")
    print(f"books: {'do not balance' if failed else 'balance'}")
    return not failed


def main(arguments):
    options = [word for word in arguments if word.startswith("--")]
    paths = [word for word in arguments if not word.startswith("--")]
    if not 1 <= len(paths) <= 2 or any(option != "--json" for option in options):
        print(__doc__, file=sys.stderr)
        return 64
    # Opened for writing, because only then can a log that a killed server left be replayed.
    database = sqlite3.connect(f"file:{paths[0]}?mode=rw", uri=True, isolation_level=None)
    database.execute("PRAGMA busy_timeout = 5000")
    database.execute("PRAGMA query_only = ON")
    # One snapshot for all checks, so that they may also run beside a server at work.
    database.execute("BEGIN")
    books = Books(database)
    check_file(books)
    check_ledger(books)
    check_sales(books)
    check_events(books)
    if len(paths) == 2:
        check_log(books, paths[1])
    return 0 if report(books, "--json" in options) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
