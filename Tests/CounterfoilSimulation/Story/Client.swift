// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilEngine

/// An order as the device that made it knows it.
struct ClientOrder {
    let id: UniqueID
    let token: UniqueID
    let ticket: String
    let product: String
}

/// A customer's device: hands things in until it is told that it may stop.
final class Client {
    /// Something that the client wants to be rid of.
    struct Parcel {
        let evidence: Evidence
        let claim: String?
        var order: NamedOrder?
        var attempts = 0
    }

    let name: String

    /// Tokens of this customer; the server may not know them yet.
    var tokens: [UniqueID] = []
    var orders: [ClientOrder] = []
    private(set) var parcels: [Int: Parcel] = [:]
    private var nextParcel = 0

    /// How often a parcel is handed in at most while the story runs.
    private static let patience = 6

    init(_ name: String) {
        self.name = name
    }

    func add(_ evidence: Evidence, claim: String?, order: NamedOrder?) -> Int {
        nextParcel += 1
        parcels[nextParcel] = Parcel(evidence: evidence, claim: claim, order: order)
        return nextParcel
    }

    /// The parcel, if it is worth another try.
    func take(_ number: Int) -> Parcel? {
        guard let parcel = parcels[number], parcel.attempts < Self.patience else { return nil }
        parcels[number]?.attempts += 1
        return parcel
    }

    func drop(_ number: Int) {
        parcels[number] = nil
    }
}
