// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@testable import CounterfoilDatabasePostgres

@Suite struct AServerMustKeepPromises {
    private static let good = ServerState(
        version: 150_018, isStandby: false, encoding: "UTF8", syncsFiles: "on",
        writesFullPages: "on", synchronousCommit: "on", synchronousStandbys: "")

    private func changed(_ change: (inout ServerState) -> Void) -> ServerState {
        var state = Self.good
        change(&state)
        return state
    }

    @Test("A server with the usual settings is taken")
    func good() throws {
        try Self.good.check(hasSeveralHosts: false, allowsWeakDurability: false)
        try changed { $0.synchronousStandbys = "*" }
            .check(hasSeveralHosts: true, allowsWeakDurability: false)
    }

    @Test("What can never work is refused, whatever is allowed")
    func impossible() {
        expect(.cannotOpen, "14 or newer", of: changed { $0.version = 130_012 }, isAllowed: true)
        expect(.readOnly, "standby", of: changed { $0.isStandby = true }, isAllowed: true)
        expect(.cannotOpen, "UTF8", of: changed { $0.encoding = "LATIN1" }, isAllowed: true)
    }

    @Test("Weak durability is refused by the setting's name, unless it is allowed")
    func weak() throws {
        for (state, severalHosts, words) in [
            (changed { $0.syncsFiles = "off" }, false, "fsync is off"),
            (changed { $0.writesFullPages = "off" }, false, "full_page_writes is off"),
            (changed { $0.synchronousCommit = "off" }, false, "synchronous_commit is off"),
            (Self.good, true, "several hosts"),
            (
                changed {
                    $0.synchronousCommit = "local"
                    $0.synchronousStandbys = "*"
                }, false, "synchronous_commit is local"
            ),
        ] {
            expect(.cannotOpen, words, of: state, hasSeveralHosts: severalHosts, isAllowed: false)
            try state.check(hasSeveralHosts: severalHosts, allowsWeakDurability: true)
        }
    }

    private func expect(
        _ code: DatabaseError.Code, _ words: String, of state: ServerState,
        hasSeveralHosts: Bool = false, isAllowed: Bool
    ) {
        let error = #expect(throws: DatabaseError.self) {
            try state.check(hasSeveralHosts: hasSeveralHosts, allowsWeakDurability: isAllowed)
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
}

@Suite struct AnAbsentServerIsNoMistake {
    @Test(
        "Only what somebody must correct ends a start for good",
        arguments: [
            ("connection to server at \"::1\" failed: Connection refused", .unavailable),
            ("could not translate host name \"db\" to address", .unavailable),
            ("FATAL:  57P03: the database system is starting up", .unavailable),
            ("FATAL:  57P03: a; port 2 failed: FATAL:  28P01: b", .unavailable),
            ("FATAL:  53300: sorry, too many clients already", .busy),
            ("failed: FATAL:  28P01: password authentication failed for user", .cannotOpen),
            ("FATAL:  28000: no pg_hba.conf entry", .cannotOpen),
            ("FATAL:  3D000: database \"d\" does not exist; LOCATION:  InitPostgres", .cannotOpen),
            ("FATAL:  42501: permission denied for database", .cannotOpen),
        ] as [(String, DatabaseError.Code)])
    func code(words: String, code: DatabaseError.Code) {
        #expect(PostgresFailure.codeOfRefusal(words) == code)
    }
}

@Suite struct AnAddressIsCompleted {
    private func words(
        _ address: String, environment: [String: String] = [:], password: String? = nil
    ) throws -> [String: String] {
        try ConnectionSettings(address: address, environment: environment).words(password: password)
    }

    @Test(
        "Encryption is required for another machine, unless somebody said otherwise",
        arguments: [
            ("postgres://db.example.com/d", "require"), ("postgres://10.0.0.1/d", "require"),
            ("postgres://127.0.0.1,db/d", "require"), ("host=db dbname=d", "require"),
            ("postgres://db/d?sslmode=disable", "disable"),
            ("postgres://db/d?sslmode=verify-full", "verify-full"),
            ("postgres://127.0.0.1/d", nil), ("postgres://localhost/d", nil),
            ("postgres://[::1]/d", nil), ("postgres:///d", nil),
            ("postgres://%2Fvar%2Frun%2Fpostgresql/d", nil),
        ] as [(String, String?)])
    func encryption(address: String, mode: String?) throws {
        #expect(try words(address)["sslmode"] == mode)
    }

    @Test("The environment's choice stands, and libpq's own default is none")
    func environment() throws {
        #expect(
            try words("postgres://db/d", environment: ["sslmode": "prefer"])["sslmode"] == "require"
        )
        #expect(try words("postgres://db/d", environment: ["sslmode": "disable"])["sslmode"] == nil)
        #expect(try words("postgres:///d", environment: ["host": "db"])["sslmode"] == "require")
        #expect(
            try words("postgres://db/d", environment: ["connect_timeout": "2"])["connect_timeout"]
                == nil)
    }

    @Test("A password from elsewhere goes before the written one")
    func password() throws {
        #expect(try words("postgres://u:a@localhost/d")["password"] == "a")
        #expect(try words("postgres://u:a@localhost/d", password: "b")["password"] == "b")
    }

    @Test("Several hosts are asked for the one that takes writes")
    func hosts() throws {
        let words = try words("postgres://a,b:5433/d")
        #expect(words["host"] == "a,b")
        #expect(words["target_session_attrs"] == "read-write")
        #expect(try self.words("postgres://a/d")["target_session_attrs"] == nil)
        #expect(words["connect_timeout"] == "5")
    }
}

@Suite struct PausesGrowAndDiffer {
    @Test("Each pause is drawn from the upper half of a length that doubles up to the longest")
    func lengths() {
        var pauses = Pauses(random: SeededRandom(seed: 1), longestMilliseconds: 64)
        for length in [4, 8, 16, 32, 64, 64, 64] as [Int64] {
            #expect((length / 2...length).contains(pauses.draw()))
        }
    }
}
