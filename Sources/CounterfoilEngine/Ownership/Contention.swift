// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// That a customer comes up for what is another's.
struct Contention: Hashable {
    enum Claim: String {
        /// Handed in a proof of exactly this transaction.
        case submitter

        /// Is named by the token inside a copy that was not known before.
        case token
    }

    let holder: UniqueID
    let contender: UniqueID
    let claim: Claim

    /// - Parameter named: The customer whom a token names that was not known before; one that was
    ///   known has had its say, and whoever owns the purchase now may have it in spite of it.
    init?(owner: Owner, claimant: UniqueID?, named: UniqueID?) {
        guard let holder = owner.customer else { return nil }
        if let claimant, claimant != holder {
            (contender, claim) = (claimant, .submitter)
        } else if let named, named != holder {
            (contender, claim) = (named, .token)
        } else {
            return nil
        }
        self.holder = holder
    }
}
