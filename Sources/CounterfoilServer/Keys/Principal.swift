// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// Who sends a request, as its key shows.
package struct Principal: Hashable, Sendable {
    /// The app that the key belongs to.
    package let app: AppID

    /// Names the key in records and logs; the key itself stays unknown.
    package let keyID: UniqueID

    package let kind: KeyKind

    /// The only customer for whom it may act; nil for a server of the studio, which may act for all,
    /// and for an app that has shown no customer's credential.
    package var customer: CustomerID?

    package init(
        app: AppID, keyID: UniqueID, kind: KeyKind = .secret, customer: CustomerID? = nil
    ) {
        self.app = app
        self.keyID = keyID
        self.kind = kind
        self.customer = customer
    }

    /// The customer that a request names, if the sender may act for them.
    ///
    /// Nothing is looked up for the answer, so it tells nothing about whether there is such a customer.
    ///
    /// - Throws: ``Problem/foreignCustomer``.
    package func mayAct(for named: CustomerID) throws(Problem) -> CustomerID {
        guard let customer else { return named }
        guard customer == named else { throw .foreignCustomer }
        return named
    }

    /// What is answered about a thing that is not there, or not the sender's: to an app both are one.
    package func missing(_ detail: String) -> Problem {
        customer == nil ? .notFound(detail) : .foreignCustomer
    }
}

extension Problem {
    /// The same whether or not there is such a customer, or such a thing of another customer.
    package static let foreignCustomer = Problem(
        status: 403, code: "auth.customer_forbidden",
        detail: "the credential names another customer, or there is no such thing of this one")

    static let secretKeyRequired = Problem(
        status: 403, code: "auth.secret_key_required",
        detail: "a client key does not open this; it is for the studio's own servers")
}

/// What a key is worth.
package enum KeyStanding: Hashable, Sendable {
    case valid(Principal)

    /// It was valid once and opens nothing any more.
    case revoked(Principal)

    /// There is no such key.
    case unknown
}

/// Finds out who sends a request.
package protocol Authenticator: Sendable {
    /// Whose a key is, and whether it still opens anything.
    func standing(ofKey text: String) async throws -> KeyStanding
}

/// How a request through a client key shows for whom it acts.
package enum CustomerCredential: Sendable {
    /// A token that the studio's server signed for one of its users.
    case token(String)

    /// The id and the secret of an anonymous customer, as this server issued them.
    case secret(customer: CustomerID, text: String)
}

/// Finds out for which customer a request acts.
package protocol CustomerAuthenticator: Sendable {
    /// The customer whom the credential names.
    ///
    /// - Throws: ``Problem`` 401 for a credential that names nobody.
    func customer(
        named credential: CustomerCredential, of app: AppID, at now: Instant
    ) async throws -> CustomerID
}
