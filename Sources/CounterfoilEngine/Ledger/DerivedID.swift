// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilStore

/// Ids that follow from what they are for, so that settling again after a lost commit or a restored
/// backup makes the same ones.
enum DerivedID {
    /// The id of something that a sale makes once per revision.
    static func of(_ sale: SaleReference, _ kind: String, revision: Int64) -> UniqueID {
        digest([
            "sale", sale.app.rawValue, sale.environment.rawValue, sale.key, kind, String(revision),
        ])
    }

    /// The id of something that a change of a sale makes once. What it came to tells it apart from the
    /// sale's other changes, since their number depends on what arrived when.
    static func of(_ refund: RefundRecord, _ kind: String) -> UniqueID {
        // Older versions counted.
        guard let cause = refund.cause else {
            return of(refund.sale, kind, revision: refund.revision)
        }
        let sale = refund.sale
        return digest([
            "change", sale.app.rawValue, sale.environment.rawValue, sale.key, kind, cause,
        ])
    }

    /// The kind of an event's id. A sale is fulfilled in two steps where its units waited for evidence
    /// of ownership.
    static func kind(of event: EventType, isSecondStep: Bool) -> String {
        "event:\(event.rawValue)" + (isSecondStep ? ":released" : "")
    }

    /// The id of an account.
    static func account(
        _ app: AppID, _ environment: AppStoreEnvironment, customer: UniqueID?, _ unit: UnitID,
        _ kind: AccountKind
    ) -> UniqueID {
        let holder = customer?.description ?? "system"
        return digest([
            "account", app.rawValue, environment.rawValue, holder, unit.rawValue, kind.rawValue,
        ])
    }

    /// The id of the event about an order's last change.
    static func of(_ order: OrderRecord) -> UniqueID {
        digest([
            "order", order.orderID.description, "event:order.changed", String(order.revision),
            order.state.rawValue,
        ])
    }

    /// The id of something that a transaction makes once, where it has no sale.
    static func of(_ record: TransactionRecord, _ kind: String) -> UniqueID {
        digest([
            "transaction", record.app.rawValue, record.environment.rawValue,
            record.transactionID.rawValue, kind,
        ])
    }

    /// The id of something that an operation makes once; the operation's id was drawn or derived.
    static func ofOperation(_ id: UniqueID, _ kind: String) -> UniqueID {
        digest(["operation", id.description, kind])
    }

    /// The id of an alarm that is raised once a day about something of ours.
    static func alarm(_ alarm: String, about id: UniqueID, day: Int64) -> UniqueID {
        digest(["alarm", alarm, id.description, String(day)])
    }

    /// The id of something that follows from the fields alone; the first names its kind.
    static func digest(_ fields: [String]) -> UniqueID {
        var digest = RunningDigest(.sha256)
        for field in fields { digest.appendField(field.utf8) }
        return UniqueID.derived(fromDigest: digest.finish())
    }
}
