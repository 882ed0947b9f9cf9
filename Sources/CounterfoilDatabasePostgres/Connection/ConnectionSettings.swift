// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// The operator's address of a database, completed with what a server of ours needs.
///
/// What the address says goes before the environment (`PGHOST`, `PGSSLMODE` …), and that before
/// our own choice, which goes before libpq's.
struct ConnectionSettings: Sendable {
    private let written: [String: String]
    private let environment: [String: String]

    /// - Parameter environment: What libpq would choose for words that are not written.
    init(
        address: String, environment: [String: String] = defaultConnectionWords()
    ) throws(DatabaseError) {
        guard let written = connectionWords(of: address) else {
            throw DatabaseError(
                .cannotOpen,
                "the address of the database cannot be read; expected "
                    + "postgres://user@host:5432/name?sslmode=verify-full")
        }
        self.written = written
        self.environment = environment
    }

    /// Whether a fail-over may lead to another server.
    var hasSeveralHosts: Bool { hosts.count > 1 }

    private var hosts: [String] {
        let names = written["host"] ?? written["hostaddr"] ?? environment["host"] ?? ""
        return names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// All words for libpq.
    func words(password: String?) -> [String: String] {
        var words = choices.merging(written) { _, written in written }
        words["client_encoding"] = "UTF8"
        if let password { words["password"] = password }
        return words
    }

    /// What we choose where nobody else has.
    private var choices: [String: String] {
        var choices = [
            "fallback_application_name": "counterfoil",
            "keepalives_idle": "\(PostgresLimits.keepaliveIdleSeconds)",
            "keepalives_interval": "\(PostgresLimits.keepaliveIntervalSeconds)",
            "keepalives_count": "\(PostgresLimits.keepaliveCount)",
            "tcp_user_timeout": "\(PostgresLimits.unconfirmedMilliseconds)",
        ]
        if environment["connect_timeout"] == nil {
            choices["connect_timeout"] = "\(PostgresLimits.connectSeconds)"
        }
        if hasSeveralHosts { choices["target_session_attrs"] = "read-write" }
        // Passwords and purchases do not cross a network in clear unless somebody wrote so.
        if hosts.contains(where: { !Self.isLocal($0) }), !environmentNamesEncryption {
            choices["sslmode"] = "require"
        }
        return choices
    }

    /// `prefer` is what libpq says when nobody chose.
    private var environmentNamesEncryption: Bool {
        (environment["sslmode"] ?? "prefer") != "prefer"
    }

    /// Whether the host is this machine: a socket's folder or the loopback interface.
    private static func isLocal(_ host: String) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost"
            || host == "::1" || host.hasPrefix("127.")
    }
}
