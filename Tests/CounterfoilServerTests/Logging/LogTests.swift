// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Synchronization
import Testing

@testable import CounterfoilServer

/// Keeps what a log writes.
final class LoggedLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func log(_ clock: any WallClock) -> Log {
        Log(clock: clock) { line in self.lines.withLock { $0.append(line) } }
    }
}

@Suite("The log tells what happened, a line for each event")
struct TheLog {
    @Test("A line has time, name and fields; what could hide its end is quoted")
    func format() {
        let logged = LoggedLines()
        let log = logged.log(FixedClock(requestTime))
        log.write("start", ("version", "1.0"), ("apps", "a,b"), ("empty", ""))
        log.write(
            "work.failed", ("error", "line\nnext \"x\" é"),
            ("long", .init(repeating: "x", count: 9000)))
        #expect(
            logged.all.first
                == "2023-11-14T22:13:20.123Z start version=1.0 apps=a,b empty=\"\"")
        #expect(
            logged.all[1].hasPrefix(
                #"2023-11-14T22:13:20.123Z work.failed error="line\nnext \"x\""#))
        #expect(logged.all[1].utf8.count < 1000)
    }

    @Test("Of one name only so many are written in a minute, and the next says how many were not")
    func bounded() {
        let clock = ManualClock()
        let logged = LoggedLines()
        let log = logged.log(clock)
        for _ in 0..<100 { log.write("auth.refused") }
        log.write("stop")
        #expect(logged.all.count == Limits.logLinesPerWindow + 1)
        clock.advance(by: Limits.logWindow)
        log.write("auth.refused")
        log.write("auth.refused")
        #expect(logged.all.suffix(2).first?.hasSuffix("auth.refused unlogged=40") == true)
        #expect(logged.all.last?.hasSuffix("auth.refused") == true)
    }

    @Test("Parked and suspect purchases are written, without customer, evidence or token")
    func purchases() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase())
        var foreign = server.purchase("coins100", "T2")
        foreign.bundleID = "com.example.another"
        let suspect = try await server.submit(foreign, for: "somebody")
        let parked = try await server.submit(server.purchase("gems", "T3"), for: "somebody")
        let lines = server.log.map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) }
        #expect(lines.count == 2)
        let id = try #require(suspect.json["submission_id"]?.string)
        #expect(
            lines[0]?.hasPrefix(
                "purchase.suspect app=game environment=unknown reason=other_bundle submission=\(id)"
            )
                == true)
        #expect(lines[0]?.contains("com.example.another") == true)
        #expect(
            lines[1]
                == "purchase.parked app=game environment=Production reason=unknown_product "
                + "submission=\(parked.json["submission_id"]?.string ?? "")")
        #expect(!server.log.contains { $0.contains("somebody") || $0.contains("eyJ") })
    }

    @Test("A refused key is written by its id, also a revoked one, and never as it is")
    func keys() async throws {
        let server = try await GameServer()
        let former = try await server.keys.create(for: AppID("former"), label: "")
        let revoked = try await server.keys.create(for: AppID("game"), label: "")
        _ = try await server.keys.revoke(revoked.record.keyID, of: AppID("game"))
        for key in [former.text, revoked.text, "cfs_unknown"] {
            _ = try await server.get("/v1/grants", key: key)
        }
        let expected = [
            "auth.refused code=auth.app_not_configured key=\(former.record.keyID) request=",
            "auth.refused code=auth.key_invalid key=\(revoked.record.keyID) request=",
            "auth.refused code=auth.key_invalid key=unknown request=",
        ]
        #expect(server.log.count == expected.count)
        for (line, part) in zip(server.log, expected) { #expect(line.contains(part), "\(line)") }
        #expect(!server.log.contains { $0.contains("cfs_") })
    }

    @Test("Trouble of the database is written with the request that met it")
    func database() async throws {
        let server = try await GameServer()
        await server.engine.database.close()
        let answer = try await server.post("/v1/customers/u1/tokens", [:])
        #expect(answer.status == 503)
        let id = try #require(answer.headers["Request-Id"])
        #expect(server.log.count == 1)
        #expect(server.log.first?.contains("database.failed request=\(id) error=") == true)
    }
}
