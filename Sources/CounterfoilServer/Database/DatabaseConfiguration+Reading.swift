// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabasePostgres

extension DatabaseConfiguration {
    /// Reads the member `database`: a path or an address, or an object with one of them and more.
    ///
    /// Returns nil after it reported a fault.
    init?(_ value: JSONValue, path: String, findings: DocumentFindings) {
        if let text = value.string {
            guard let configuration = Self.short(text) else {
                findings.report(path, "is neither a path nor a postgres:// address")
                return nil
            }
            self = configuration
            return
        }
        var reader = ObjectReader(value, path: path, findings: findings)
        let isPostgres = reader.value("postgres") != nil
        let file = reader.string("sqlite", maximum: Limits.pathByteCount, isRequired: !isPostgres)
        if isPostgres {
            if file != nil { reader.report("sqlite", "stands beside postgres; name one of them") }
            let configuration = Self.postgres(&reader)
            reader.finish()
            guard let configuration else { return nil }
            self = .postgres(configuration)
        } else {
            reader.finish()
            guard let file else { return nil }
            self = .sqlite(path: file)
        }
    }

    private static func short(_ text: String) -> DatabaseConfiguration? {
        if isAddress(text) { return .postgres(PostgresConfiguration(address: text)) }
        guard !text.isEmpty, text.utf8.count <= Limits.pathByteCount, !text.contains("://"),
            !text.utf8.contains(0)
        else { return nil }
        return .sqlite(path: text)
    }

    private static func isAddress(_ text: String) -> Bool {
        (text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"))
            && text.utf8.count <= Limits.databaseAddressByteCount && !text.utf8.contains(0)
    }

    private static func postgres(_ reader: inout ObjectReader) -> PostgresConfiguration? {
        // The value may hold a password, so it does not appear in the finding.
        let address = reader.value("postgres")?.string.flatMap { isAddress($0) ? $0 : nil }
        if address == nil {
            reader.report("postgres", "is no address such as postgres://host/name")
        }
        let passwordPath = reader.string(
            "password_file", maximum: Limits.pathByteCount, isRequired: false)
        let connections = reader.integer(
            "connections", in: PostgresLimits.connectionRange, isRequired: false)
        let isolation = reader.choice(
            "isolation", PostgresOptions.Isolation.self, isRequired: false)
        let allowsWeakDurability = reader.bool("allow_weak_durability", isRequired: false)
        guard let address else { return nil }
        var configuration = PostgresConfiguration(address: address)
        configuration.passwordPath = passwordPath
        if let connections { configuration.connections = Int(connections) }
        if let isolation { configuration.isolation = isolation }
        configuration.allowsWeakDurability = allowsWeakDurability ?? false
        return configuration
    }
}
