// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// The switch that holds webhooks back, of the app or of a product.
    var deliveryHoldRoutes: [Route] {
        [
            .secret(.get, "/v1/deliveries/holds") { context, principal in
                try context.query { _ in }
                let holds = try await engine.deliveryHolds(of: principal.app)
                return .json(["holds": .array(holds.map(\.json))])
            },
            .secret(.post, "/v1/deliveries/holds") { context, principal in
                let request = try context.body { HoldRequest(&$0, hasNote: true) }
                let hold = DeliveryHold(
                    app: principal.app, product: request.product, note: request.note,
                    createdAt: context.receivedAt)
                let reply = try await once(context, principal) { transaction in
                    guard try hold.begin(in: transaction) else { throw Self.tooManyHolds }
                    return StoredReply(body: ["held": true])
                }
                log.held(request.product, isHeld: true, by: principal)
                return reply
            },
            .secret(.post, "/v1/deliveries/holds/release") { context, principal in
                let request = try context.body { HoldRequest(&$0, hasNote: false) }
                return try await onceDone(context, principal) {
                    let wasHeld = try await engine.endDeliveryHold(
                        of: principal.app, product: request.product)
                    log.held(request.product, isHeld: false, by: principal)
                    return StoredReply(body: ["held": false, "was_held": .bool(wasHeld)])
                }
            },
        ]
    }

    private static let tooManyHolds = Problem(
        status: 409, code: "hold.too_many",
        detail: "an app holds back at most \(CounterfoilEngine.Limits.holdsPerApp) products; "
            + "hold the app")
}

/// The body of a request about a hold: a product, or without one the app.
private struct HoldRequest {
    let product: ProductID?
    let note: String?

    init?(_ body: inout ObjectReader, hasNote: Bool) {
        product = body.identifier("product_id", ProductKind.self, isRequired: false)
        note =
            hasNote
            ? body.string("note", maximum: Limits.noteByteCount, isRequired: false) : nil
        guard body.findings.isEmpty else { return nil }
    }
}

extension DeliveryHold {
    fileprivate var json: JSONValue {
        [
            "product_id": .optional(product?.rawValue), "note": .optional(note),
            "created_at": .string(createdAt.rfc3339),
        ]
    }
}
