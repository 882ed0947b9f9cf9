// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

/// What became of a request for a new endpoint.
package enum EndpointCreation: Sendable {
    case created(EndpointRecord)

    /// The app has as many as it may have.
    case tooMany
}

/// One write about the endpoints of an app, with the id and the secret that it may need, which are
/// drawn before its transaction.
package struct EndpointWrite: Sendable {
    let app: AppID
    let freshID: UniqueID
    let freshSecret: String
    let now: Instant

    /// Makes an endpoint, to which everything is sent that is published from now on.
    ///
    /// The first endpoint of an app is taken for the game server, whose success means that the player
    /// has the goods; a further one must say so itself.
    ///
    /// - Parameter number: Instead of now, the event behind which it begins.
    package func create(
        _ settings: EndpointSettings, url: String, after number: Int64?,
        in transaction: any WriteTransaction
    ) throws -> EndpointCreation {
        let others = try transaction.endpoints(app, limit: Limits.endpointsPerApp)
        guard others.count < Int(Limits.endpointsPerApp) else { return .tooMany }
        let newest = try transaction.newestEventNumber(app)
        var endpoint = EndpointRecord(
            endpointID: freshID, app: app, url: url, description: nil, types: nil,
            environment: nil, isOrdered: true,
            acknowledges: !others.contains(where: \.acknowledges),
            concurrency: Limits.usualEndpointConcurrency, rate: nil, secret: freshSecret,
            cursor: min(number ?? newest, newest), createdAt: now)
        settings.apply(to: &endpoint)
        try transaction.insert(endpoint)
        return .created(endpoint)
    }

    /// Changes an endpoint. One that is switched on again is sent everything that waits for it at once.
    ///
    /// - Returns: How it is now; nil if the app has none with this id.
    package func update(
        _ id: UniqueID, _ settings: EndpointSettings, in transaction: any WriteTransaction
    ) throws -> EndpointRecord? {
        guard var endpoint = try transaction.lockEndpoint(app, id) else { return nil }
        let wasEnabled = endpoint.state == .enabled
        settings.apply(to: &endpoint)
        endpoint.updatedAt = now
        try transaction.save(endpoint)
        if !wasEnabled, endpoint.state == .enabled {
            try transaction.endPause(of: id)
            try transaction.hasten(to: id, at: try transaction.currentTime())
        }
        return try transaction.endpoint(app, id)
    }

    /// Takes an endpoint away; its deliveries stay in the books and its secrets do not.
    ///
    /// - Returns: false if the app has none with this id.
    package func delete(_ id: UniqueID, in transaction: any WriteTransaction) throws -> Bool {
        guard var endpoint = try transaction.lockEndpoint(app, id) else { return false }
        endpoint.state = .deleted
        (endpoint.secret, endpoint.previousSecret) = ("", nil)
        endpoint.updatedAt = now
        try transaction.save(endpoint)
        return true
    }

    /// Gives an endpoint a new secret; the old one signs too for a while, so that the receiver can
    /// change without losing anything. One that still did so from an earlier change does not any more.
    ///
    /// - Returns: nil if the app has no such endpoint.
    package func rotateSecret(
        of id: UniqueID, grace: Duration, in transaction: any WriteTransaction
    ) throws -> EndpointRecord? {
        guard var endpoint = try transaction.lockEndpoint(app, id) else { return nil }
        endpoint.previousSecret = grace > .zero ? endpoint.secret : nil
        endpoint.previousUntil = grace > .zero ? now + grace : nil
        endpoint.secret = freshSecret
        endpoint.updatedAt = now
        try transaction.save(endpoint)
        return endpoint
    }
}
