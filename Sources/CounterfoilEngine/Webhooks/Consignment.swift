// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilStore
import CounterfoilWebhooks

/// An event that is ready to be sent to an endpoint.
struct Consignment: Sendable {
    let delivery: DeliveryRecord
    let endpoint: EndpointRecord
    let body: [UInt8]

    /// The grant whose goods the event hands over, where the endpoint's word about them counts.
    let grantID: UniqueID?

    /// Where the pause before the next attempt falls, by chance.
    let chance: UInt16

    /// Which attempt this is, counted from 1 since the delivery began or was replayed.
    var attempt: Int64 { delivery.attempts + 1 }
}

/// What an attempt came to.
struct ConsignmentReport: Sendable {
    let consignment: Consignment
    let sentAt: Instant
    let duration: Duration
    let verdict: DeliveryVerdict

    var record: AttemptRecord {
        AttemptRecord(
            sentAt: sentAt, status: verdict.status, error: verdict.error,
            durationMilliseconds: max(0, duration.wholeMilliseconds), reply: verdict.reply)
    }
}

extension OutgoingRequest {
    /// The request of one attempt, signed now.
    init(
        to endpoint: EndpointRecord, id: UniqueID, body: [UInt8], isReplay: Bool, at now: Instant
    ) throws(WebhookRefusal) {
        let signature = try WebhookSignature(
            of: body, id: id.description, at: now, with: try endpoint.secrets(at: now))
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        for field in signature.fields { headers.append(field.name, field.value) }
        if isReplay { headers.append("webhook-replay", "1") }
        self.init(
            method: .post, url: endpoint.url, headers: headers, body: body,
            maximumAnswerByteCount: Limits.webhookAnswerByteCount)
    }
}

extension EndpointRecord {
    /// The secrets that sign now: the present one, and the one before it for a while.
    fileprivate func secrets(at now: Instant) throws(WebhookRefusal) -> [WebhookSecret] {
        var secrets = [try WebhookSecret(secret)]
        if let previousSecret, let previousUntil, now < previousUntil {
            secrets.append(try WebhookSecret(previousSecret))
        }
        return secrets
    }
}

extension EventRecord {
    /// The types that hand goods over or take them back, whose receiver says what became of them.
    private static let typesWithGoods: Set<String> = [
        "purchase.fulfilled", "grant.reversed", "grant.restored",
    ]

    /// The grant whose goods the event hands over.
    func grantID(in json: JSONValue) -> UniqueID? {
        guard Self.typesWithGoods.contains(type) else { return nil }
        return json["data"]?["grant_id"]?.string.flatMap { UniqueID($0) }
    }

    /// The product that the event is about, by which a person may hold it back.
    func productID(in json: JSONValue) -> ProductID? {
        json["data"]?["product_id"]?.string.flatMap { try? ProductID($0) }
    }

    /// The body as it is sent. One that is too long for many receivers says where to fetch it.
    func body(of json: JSONValue) -> [UInt8] {
        let whole = json.utf8
        guard whole.count > Limits.webhookBodyByteCount, let object = json.object else {
            return whole
        }
        var thin = JSONObject(object.members.filter { !["data", "state"].contains($0.key) })
        thin.append("data", .null)
        thin.append("fetch", .string("/v1/events/\(eventID)"))
        return JSONValue.object(thin).utf8
    }
}
