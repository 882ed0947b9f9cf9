// SPDX-License-Identifier: Apache-2.0

package import CounterfoilDatabasePostgres

/// Which database the server keeps its books in.
package enum DatabaseConfiguration: Hashable, Sendable {
    /// One file, for one server.
    case sqlite(path: String)

    /// A PostgreSQL server, which several servers of ours may share.
    case postgres(PostgresConfiguration)

    /// The configuration with every relative path put where `resolve` says.
    func resolved(_ resolve: (String) -> String) -> DatabaseConfiguration {
        switch self {
        case .sqlite(let path):
            return .sqlite(path: resolve(path))
        case .postgres(var configuration):
            configuration.passwordPath = configuration.passwordPath.map(resolve)
            return .postgres(configuration)
        }
    }
}

/// How to reach and use a PostgreSQL server.
package struct PostgresConfiguration: Hashable, Sendable {
    /// A `postgres://` URI. It may hold a password, so it is never shown.
    package var address: String

    /// A file with the password and nothing else; it is read again for each connection.
    package var passwordPath: String?

    /// How many connections write; a quarter as many read.
    package var connections = PostgresLimits.defaultConnections
    package var isolation = PostgresOptions.Isolation.readCommitted
    package var allowsWeakDurability = false

    package init(address: String) {
        self.address = address
    }
}
