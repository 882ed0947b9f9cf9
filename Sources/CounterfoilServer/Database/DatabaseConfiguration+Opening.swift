// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilDatabasePostgres
import CounterfoilDatabaseSQLite

extension DatabaseConfiguration {
    /// Opens the database as it is; its schema may be old or not there yet.
    ///
    /// - Parameters:
    ///   - isServer: Whether to refuse a SQLite file that another server has.
    ///   - waitsForServer: Asked, while a PostgreSQL is not there yet, whether to wait for it; nil
    ///     does not wait.
    ///   - makesFile: Whether to make a SQLite file that is not there.
    ///   - random: Spreads pauses before tries.
    ///   - readSecret: Returns the bytes of the password's file, if nobody else may read it.
    /// - Throws: ``DatabaseError`` with a message for the operator.
    package func open(
        isServer: Bool = false, makesFile: Bool = true, random: any RandomSource,
        waitsForServer: (@Sendable (DatabaseError) -> Bool)? = nil,
        readSecret: @escaping @Sendable (_ path: String) throws -> [UInt8]
    ) throws(DatabaseError) -> any Database {
        switch self {
        case .sqlite(let path):
            let options = SQLiteOptions(isServer: isServer, makesFile: makesFile)
            return try SQLiteDatabase(path: path, options: options)
        case .postgres(let configuration):
            var options = PostgresOptions(
                random: random, scheduling: .threads(writers: configuration.connections),
                isolation: configuration.isolation,
                allowsWeakDurability: configuration.allowsWeakDurability)
            options.waitsForServer = waitsForServer
            if let path = configuration.passwordPath {
                options.password = { try Self.password(in: readSecret(path), path) }
            }
            return try PostgresDatabase(address: configuration.address, options: options)
        }
    }

    /// The password in a file, without the line's end that editors add.
    private static func password(
        in bytes: [UInt8], _ path: String
    ) throws(ConfigurationError) -> String {
        var bytes = bytes[...]
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard !bytes.isEmpty, bytes.count <= Limits.passwordByteCount, !bytes.contains(0),
            let password = String(validating: bytes, as: UTF8.self)
        else { throw ConfigurationError("\(path) does not hold a password") }
        return password
    }
}
