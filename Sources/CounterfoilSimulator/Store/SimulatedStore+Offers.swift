// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    /// The position of the offer that the options ask for, if the customer may have it.
    func chosenOffer(
        _ product: Int, _ account: Int, _ options: PurchaseOptions
    ) throws(StoreError) -> Int? {
        let item = shelf[product]
        let record = subscriptionPosition(account: account, group: item.group)
        let introductory = item.offers.firstIndex { $0.kind == .introductory }
        let mayHaveIntroduction =
            record.map { !subscriptions[$0].has(.usedIntroductoryOffer) } ?? true
        switch options.offer {
        case .none: return nil
        case .automatic: return mayHaveIntroduction ? introductory : nil
        case .introductory:
            guard let introductory else { throw unknownOffer("introductory", of: item) }
            return introductory
        case .promotional(let id):
            let offer = try position(of: id, .promotional, item)
            guard record != nil else {
                throw StoreError(
                    .offerIneligible, "promotional offers are for present and former subscribers",
                    allowed: ["introductory", "code"])
            }
            return offer
        case .code(let name):
            let offer = try position(of: name, .offerCode, item)
            try checkEligibility(item.offers[offer], record)
            return offer
        case .winBack(let id):
            let offer = try position(of: id, .winBack, item)
            guard let record, !subscriptions[record].state.isOpen,
                item.offers[offer].isWinBackOpen
            else {
                throw StoreError(
                    .offerIneligible, "win-back offers are for subscribers who left")
            }
            return offer
        }
    }

    private func checkEligibility(_ offer: StoreOffer, _ record: Int?) throws(StoreError) {
        guard !offer.eligibility.isEmpty else { return }
        let standing: StoreOffer.Eligibility =
            record.map { subscriptions[$0].state.isOpen ? .existing : .expired } ?? .new
        guard offer.eligibility.contains(standing) else {
            throw StoreError(
                .offerIneligible, "the code is not for customers who are \(standing.rawValue)",
                allowed: offer.eligibility.map(\.rawValue).sorted())
        }
    }

    private func position(
        of id: String, _ kind: OfferType, _ item: ShelfItem
    ) throws(StoreError) -> Int {
        guard let position = item.offers.firstIndex(where: { $0.kind == kind && $0.id == id })
        else {
            throw unknownOffer(id, of: item)
        }
        return position
    }

    private func unknownOffer(_ name: String, of item: ShelfItem) -> StoreError {
        StoreError(
            .offerUnknown, "\(item.product.id) has no such offer as \(name)",
            allowed: item.offers.map { $0.id ?? "introductory" })
    }

    /// The customer's subscription of a group.
    func subscriptionPosition(account: Int, group: Int32) -> Int? {
        guard group >= 0 else { return nil }
        return accounts[account].subscriptions.first {
            subscriptions[Int($0)].group == group && subscriptions[Int($0)].sharedFrom < 0
        }.map { Int($0) }
    }
}
