// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilHTTP

extension RequestContext {
    /// The header by which a caller names a write.
    static let idempotencyHeader = "Idempotency-Key"

    /// The name that the caller gave to this request, or nil.
    ///
    /// - Throws: ``Problem`` 400 if it is given twice, empty, too long, or holds other bytes than
    ///   visible ASCII.
    func idempotencyKey(of principal: Principal) throws(Problem) -> IdempotencyKey? {
        let values = request.headers.values(of: Self.idempotencyHeader)
        guard let key = values.first else { return nil }
        let isVisible = key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard values.count == 1, isVisible,
            (1...CounterfoilEngine.Limits.idempotencyKeyByteCount).contains(key.utf8.count)
        else {
            throw Problem(
                status: 400, code: "idempotency.key_invalid",
                detail: "\(Self.idempotencyHeader) is one value of 1 to "
                    + "\(CounterfoilEngine.Limits.idempotencyKeyByteCount) visible ASCII characters"
            )
        }
        return IdempotencyKey(
            app: principal.app, key: key, principal: scope(of: principal),
            requestDigest: requestDigest)
    }

    /// Who may repeat a write: any server of the studio, also with another key; or the customer.
    ///
    /// A server that hands on a customer's token repeats as itself where the path names the customer:
    /// the token may have run out by then, and the path is part of the request's digest.
    private func scope(of principal: Principal) -> String {
        let isServer = principal.kind == .secret
        if let customer = principal.customer, !isServer || parameters["customer_id"] == nil {
            return "customer:\(customer)"
        }
        return isServer ? "secret" : "key:\(principal.keyID)"
    }

    /// Over everything that the caller asks for; each part is followed by a byte that none can hold.
    private var requestDigest: [UInt8] {
        var bytes = Array(request.method.rawValue.utf8) + [0]
        bytes += Array(request.target.path.utf8) + [0]
        for item in request.target.query {
            bytes += Array(item.name.utf8) + [0] + Array(item.value.utf8) + [0]
        }
        return Digest.sha256(bytes + [0] + request.body)
    }
}

extension Interface {
    /// Runs a write of an app once for each ``RequestContext/idempotencyHeader``, and answers a repeat
    /// as the first time.
    ///
    /// - Parameters:
    ///   - shown: What is shown of an answer, where not all of it may be stored.
    ///   - effect: May run more than once, so it draws nothing; a ``Problem`` that it throws undoes
    ///     everything and is not remembered.
    func once(
        _ context: RequestContext, _ principal: Principal,
        showing shown: (JSONValue) -> JSONValue = { $0 },
        _ effect: @escaping @Sendable (any WriteTransaction) throws -> StoredReply
    ) async throws -> HTTPResponse {
        let key = try context.idempotencyKey(of: principal)
        return try await Self.response(showing: shown) { try await engine.once(key, effect) }
    }

    /// The same for work in several transactions that does no harm when it is done again.
    func onceDone(
        _ context: RequestContext, _ principal: Principal,
        _ work: () async throws -> StoredReply
    ) async throws -> HTTPResponse {
        let key = try context.idempotencyKey(of: principal)
        return try await Self.response { try await engine.onceDone(key, work) }
    }

    private static func response(
        showing shown: (JSONValue) -> JSONValue = { $0 },
        of reply: () async throws -> StoredReply
    ) async throws -> HTTPResponse {
        do {
            let reply = try await reply()
            var response = HTTPResponse.json(shown(reply.body), status: reply.status)
            if reply.isRepeat { response.headers["Idempotency-Replayed"] = "true" }
            return response
        } catch let conflict as IdempotencyConflict {
            throw Problem(conflict)
        }
    }
}

extension Problem {
    fileprivate init(_ conflict: IdempotencyConflict) {
        switch conflict {
        case .keyReused:
            self.init(
                status: 422, code: "idempotency.key_reused",
                detail: "the key named another request before; repeat method, path and body")
        case .stillRunning:
            self = Problem(
                status: 409, code: "idempotency.running",
                detail: "the first request with this key is still on its way"
            ).retryable(after: .seconds(1))
        }
    }
}
