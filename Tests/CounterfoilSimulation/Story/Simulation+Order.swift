// SPDX-License-Identifier: Apache-2.0
import CounterfoilReferenceModel

extension Simulation {
    /// Hands everything that no order decides in again, in two orders, and compares.
    func differencesByOrder() throws -> [String] {
        let decided = familiesDecidedByOrder
        let deliveries = deliveries.filter { delivery in
            delivery.evidence.meaning.copies.allSatisfy {
                !decided.contains("\(delivery.evidence.meaning.environment) \($0.original)")
            }
        }
        return try Replay(
            policy: editions[edition].policy, tokens: knownTokens, deliveries: deliveries,
            scheduler: scheduler
        ).differences()
    }

    /// Families in which who comes first counts: several customers claim what no token decides.
    private var familiesDecidedByOrder: Set<String> {
        var claimants: [String: Set<String>] = [:]
        var tokens: [String: Set<String?>] = [:]
        var decided: Set<String> = []
        for delivery in deliveries {
            let meaning = delivery.evidence.meaning
            for copy in meaning.copies {
                let family = "\(meaning.environment) \(copy.original)"
                claimants[family, default: []].insert(delivery.customer)
                if copy.form == .signedTransaction {
                    tokens[family, default: []].insert(copy.token)
                }
            }
        }
        for (family, customers) in claimants {
            let named = (tokens[family] ?? []).map { $0.map { knownTokens[$0] } ?? nil }
            let isOneToken = (tokens[family] ?? []).count <= 1
            // A receipt tells no token: whoever claims by it may come before the token is known.
            let isOneCustomer = customers.count == 1 && named.allSatisfy { $0 == customers.first }
            let hasNoToken = tokens[family] == nil || tokens[family] == [nil]
            if !isOneToken || !(isOneCustomer || hasNoToken && customers.count == 1) {
                decided.insert(family)
            }
        }
        return decided
    }
}
