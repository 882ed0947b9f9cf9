// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What evidence proves about one transaction, beside what is stored about it.
struct TakenFacts {
    /// nil for a transaction that was not known.
    let stored: TransactionRecord?
    let joined: TransactionRecord

    /// Whether the evidence tells anything that the copies before it did not tell, or as late as they
    /// did; that it is another piece of evidence is no news.
    var areNews: Bool {
        stored.map { $0.withoutDigests != joined.withoutDigests } ?? true
    }

    /// Whether the evidence tells anything of a refund that was not known.
    var haveNewRefund: Bool {
        joined.refundIntervals != stored?.refundIntervals ?? []
    }

    /// As if the evidence had not come; the facts must not be news.
    var withoutEvidence: TakenFacts {
        TakenFacts(stored: stored, joined: stored ?? joined)
    }
}

extension ReadTransaction {
    /// Whether one of the facts is news to an app (``TakenFacts/areNews``).
    func areNews(_ facts: [VerifiedFact], to app: AppID) throws -> Bool {
        try facts.contains { verified in
            let fact = verified.fact
            let stored = try transaction(app, fact.environment, fact.transactionID)
            guard let stored else { return true }
            var joined = stored
            joined.join(verified)
            return TakenFacts(stored: stored, joined: joined).areNews
        }
    }
}

extension TransactionRecord {
    fileprivate var withoutDigests: TransactionRecord {
        var record = self
        record.identity.source.evidence = []
        record.expiresDate?.source.evidence = []
        record.isUpgraded?.source.evidence = []
        record.price?.source.evidence = []
        record.ownership?.source.evidence = []
        record.revocation?.source.evidence = []
        return record
    }
}
