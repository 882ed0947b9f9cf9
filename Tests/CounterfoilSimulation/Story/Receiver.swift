// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP

/// The studio's receiver of webhooks: it acts once on each id, and keeps what it acted on.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class Receiver: @unchecked Sendable {
    private var bodies: [String: [UInt8]] = [:]
    private var last: [String: Int64] = [:]

    /// The ids in the order in which they first came.
    private(set) var acts: [String] = []
    private(set) var findings: [String] = []

    /// Takes a request in, known or not.
    func take(_ request: OutgoingRequest) {
        let id = request.headers["webhook-id"] ?? ""
        let json = (try? JSONValue(parsing: request.body)) ?? .null
        if json["id"]?.string != id { findings.append("a webhook has another id than its event") }
        if let body = bodies[id] {
            if body != request.body { findings.append("a webhook came with two bodies") }
            return
        }
        bodies[id] = request.body
        acts.append(id)
        guard let customer = json["customer_id"]?.string, let sequence = json["sequence"]?.int64
        else { return }
        let stream = "\(json["environment"]?.string ?? "") \(customer)"
        let expected = (last[stream] ?? 0) + 1
        if sequence != expected {
            findings.append("webhook \(sequence) of \(stream) came where \(expected) was next")
        }
        last[stream] = sequence
    }
}

/// The way of a server's webhooks, on which requests and answers are lost.
struct WebhookNetwork: HTTPTransport {
    let receiver: Receiver
    let process: SimulatedProcess
    let scheduler: Scheduler
    let faults: Faults

    func send(
        _ request: OutgoingRequest, deadline: Duration
    ) async throws(HTTPTransportError) -> HTTPResponse {
        await process.pause()
        let luck = faults.areOn ? scheduler.number(below: 10) : 9
        if luck == 0 { throw HTTPTransportError(.connect, "the network is away") }
        if luck == 1 { return HTTPResponse(status: 500) }
        receiver.take(request)
        await process.pause()
        if luck == 2 { throw HTTPTransportError(.timeout, "the answer is lost", wasSent: true) }
        return HTTPResponse(status: 204)
    }
}
