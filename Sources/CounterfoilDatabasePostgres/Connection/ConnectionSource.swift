// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Opens connections that are fit for use: to the server that writes, checked and set up.
struct ConnectionSource: Sendable {
    private let settings: ConnectionSettings
    private let options: PostgresOptions

    init(address: String, options: PostgresOptions) throws(DatabaseError) {
        settings = try ConnectionSettings(address: address)
        self.options = options
    }

    /// Opens a connection.
    ///
    /// - Parameter explains: Whether the code of a failure must tell what the operator has to
    ///   correct (`cannotOpen`) from what may pass; it can cost a second try.
    /// - Throws: What the operator should know; every reason may pass, if only by somebody's hand.
    func open(explains: Bool = false) throws(PostgresFailure) -> PostgresConnection {
        let handle = try PostgresHandle(
            words: settings.words(password: try password()), explains: explains)
        let connection = PostgresConnection(handle)
        try connection.setUp()
        let server = try ServerState.read(from: connection)
        do {
            try server.check(
                hasSeveralHosts: settings.hasSeveralHosts,
                allowsWeakDurability: options.allowsWeakDurability)
        } catch {
            throw PostgresFailure(.reconnect, error)
        }
        return connection
    }

    private func password() throws(PostgresFailure) -> String? {
        guard let read = options.password else { return nil }
        do {
            return try read()
        } catch {
            throw PostgresFailure(
                .none,
                DatabaseError(
                    .cannotOpen, "the password of the database cannot be read: \(error)"))
        }
    }
}
