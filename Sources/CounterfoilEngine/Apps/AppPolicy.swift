// SPDX-License-Identifier: Apache-2.0

package import CounterfoilApple
package import CounterfoilCore

/// What an app's owner decided: whose evidence counts, what it is worth, and from when.
package struct AppPolicy: Sendable {
    package let app: AppID
    package let bundleID: BundleID

    /// Whether the app sells in a simulated store; from birth or never.
    package let isSimulated: Bool
    package internal(set) var catalogue: Catalogue
    package let sandbox: SandboxPolicy

    /// The instant from which Counterfoil delivers, per environment; purchases before it were
    /// delivered by the backend that ran earlier (docs/settlement.md, "Cut-over").
    package let deliverFrom: [AppStoreEnvironment: Instant]

    /// What becomes of refunded goods that are no longer there.
    package let refunds: RefundPolicy

    package let orders: OrderPolicy

    /// Verifies under Apple's roots, or under those of the simulated store that the app was born with.
    package let verifier: EvidenceVerifier
    package let wallet: WalletPolicy
    package let clientKeys: ClientKeyPolicy
    package let ownership: OwnershipPolicy

    package init(
        app: AppID, bundleID: BundleID, isSimulated: Bool, catalogue: Catalogue,
        sandbox: SandboxPolicy,
        deliverFrom: [AppStoreEnvironment: Instant], orders: OrderPolicy = OrderPolicy(),
        verifier: EvidenceVerifier, wallet: WalletPolicy = WalletPolicy(),
        refunds: RefundPolicy = RefundPolicy(),
        clientKeys: ClientKeyPolicy = ClientKeyPolicy(),
        ownership: OwnershipPolicy = OwnershipPolicy()
    ) {
        self.app = app
        self.bundleID = bundleID
        self.isSimulated = isSimulated
        self.catalogue = catalogue
        self.sandbox = sandbox
        self.deliverFrom = deliverFrom
        self.refunds = refunds
        self.orders = orders
        self.verifier = verifier
        self.wallet = wallet
        self.clientKeys = clientKeys
        self.ownership = ownership
    }
}

/// What purchases from the sandbox are worth. They never reach production's books.
package enum SandboxPolicy: Hashable, Sendable {
    /// Everything works, in books of its own.
    case isolate

    /// As ``isolate``, for the named customers only.
    case allowListed(Set<CustomerID>)

    /// Nothing is taken.
    case reject

    package func admits(_ customer: CustomerID?) -> Bool {
        switch self {
        case .isolate: true
        case .allowListed(let customers): customer.map { customers.contains($0) } ?? false
        case .reject: false
        }
    }
}
