// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP

extension RequestContext {
    /// The header with a token that the studio's server signed.
    static let customerTokenHeader = "Counterfoil-Customer-Token"

    /// The header with the id of an anonymous customer, a colon, and the secret.
    static let customerSecretHeader = "Counterfoil-Customer-Secret"

    /// The key as it was sent.
    ///
    /// - Throws: ``Problem`` 401 if there is none or several.
    func bearer() throws(Problem) -> String {
        let values = request.headers.values(of: "Authorization")
        guard values.count == 1, let value = values.first else {
            throw .unauthorized("auth.key_missing", "send Authorization: Bearer with a key")
        }
        let parts = value.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            parts[1].utf8.count <= Limits.bearerByteCount
        else {
            throw .unauthorized("auth.key_missing", "Authorization is not Bearer and a key")
        }
        return String(parts[1])
    }

    /// How the request shows for whom it acts; nil if it does not.
    ///
    /// - Throws: ``Problem`` 401 if there are several credentials, or one that cannot be read.
    func customerCredential() throws(Problem) -> CustomerCredential? {
        let tokens = request.headers.values(of: Self.customerTokenHeader)
        let secrets = request.headers.values(of: Self.customerSecretHeader)
        guard tokens.count + secrets.count <= 1 else {
            throw .unauthorized(
                "auth.customer_ambiguous", "send one token or one secret of a customer")
        }
        if let token = tokens.first { return .token(token) }
        guard let secret = secrets.first else { return nil }
        // Ids that are issued with a secret have no colon.
        let parts = secret.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, secret.utf8.count <= Limits.bearerByteCount,
            let customer = try? CustomerID(String(parts[0]))
        else { throw .customerSecretInvalid }
        return .secret(customer: customer, text: String(parts[1]))
    }
}

extension RequestContext {
    /// Holds a request to one customer where the route is not made for that: its path must name the
    /// customer, and a route whose path names none concerns others too.
    func requirePath(of customer: CustomerID) throws(Problem) {
        guard parameters["customer_id"] == customer.rawValue else { throw .foreignCustomer }
    }
}

extension Problem {
    /// The same for an unknown customer as for a wrong secret.
    static let customerSecretInvalid = unauthorized(
        "auth.customer_secret_invalid", "there is no customer with this id and secret")

    /// The secret stays on devices that the player may have left to somebody else.
    static let customerKnown = unauthorized(
        "auth.customer_known",
        "the customer was merged into another one and its secret opens nothing; send a token of that one"
    )

    static let customerMissing = unauthorized(
        "auth.customer_missing",
        "with a client key, send \(RequestContext.customerTokenHeader) or "
            + RequestContext.customerSecretHeader)
}
