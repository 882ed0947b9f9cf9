// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Glibc

/// How long a small answer takes while large bodies are uploaded, beside how long it takes alone.
struct SmallBesideLarge {
    static let name = "small answer beside large bodies"

    private static let request = Array("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)

    /// So many answers in a slice, and so long at most while bodies are uploaded.
    private static let requests = 2_000
    private static let mostSeconds = 4.0

    private var alone: [[Double]] = []
    private var beside: [[Double]] = []
    private var statuses: [String: Int] = [:]

    /// The most anonymous memory that was seen, and what was there before.
    private(set) var highestMemory: Int64 = 0
    let idleMemory: Int64

    /// Nil if the options ask for other cases only.
    init?(options: Options, progress: (String) -> Void) throws {
        if let only = options.only, !Self.name.contains(only) { return nil }
        let installation = try Installation(postgres: options.postgresAddress)
        let material = try PurchaseMaterial(1, in: installation)
        let server = try installation.server(database: PurchaseMaterial.emptyDatabase)
        let client = try LoadClients(1, port: server.port)
        _ = try Self.times(client, within: Self.mostSeconds)
        idleMemory = try server.anonymousMemory()
        for round in 0..<options.rounds {
            progress("\(Self.name): round \(round + 1) of \(options.rounds)")
            alone.append(try Self.times(client, within: Self.mostSeconds))
            let uploads = LargeUploads(to: server.port, secretKey: material.secretKey)
            uploads.start()
            beside.append(
                try Self.times(client, within: Self.mostSeconds) {
                    highestMemory = max(highestMemory, try server.anonymousMemory())
                })
            statuses.merge(uploads.stop()) { $0 + $1 }
        }
        try server.stop()
    }

    private static func times(
        _ client: LoadClients, within seconds: Double, between: () throws -> Void = {}
    ) throws -> [Double] {
        let end = Clock.seconds(CLOCK_MONOTONIC) + seconds
        let slice = [[UInt8]](repeating: request, count: 50)[...]
        var times: [Double] = []
        while times.count < requests, Clock.seconds(CLOCK_MONOTONIC) < end {
            times += try client.send(slice) { $0.starts(with: "HTTP/1.1 200 ".utf8) }
                .map(\.seconds)
            try between()
        }
        return times
    }

    private static func milliseconds(_ rounds: [[Double]], ofThousand share: Int) -> Double {
        rounds.map { times in
            let ordered = times.sorted()
            return ordered[min(ordered.count - 1, ordered.count * share / 1_000)] * 1_000
        }.median
    }

    var table: String {
        let rows = [("p50", 500), ("p99", 990)].map { name, share in
            let without = Self.milliseconds(alone, ofThousand: share)
            let with = Self.milliseconds(beside, ofThousand: share)
            return [
                Self.name, name, without.text(digits: 2), with.text(digits: 2),
                (with / without).text(digits: 1),
            ]
        }
        let mebibyte = 1_048_576.0
        let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) times" }
        return Markdown.table(["case", "", "alone ms", "beside ms", "ratio"], rows) + """

            One client of /healthz; \(LargeUploads.connections) connections of \
            \(LargeUploads.networks) networks that hand in receipts of 8 MB without a pause. Medians \
            of \(alone.count) rounds. The receipts were answered with \(counts.joined(separator: ", ")). \
            RssAnon was \((Double(idleMemory) / mebibyte).text(digits: 1)) MiB before and \
            \((Double(highestMemory) / mebibyte).text(digits: 1)) MiB at most.

            """
    }

    /// Whole numbers only, as in ``Report``.
    func append(to json: inout JSONObject) {
        var values = JSONObject()
        for (name, share) in [("p50", 500), ("p99", 990)] {
            for (place, rounds) in [("alone", alone), ("beside", beside)] {
                let microseconds = Self.milliseconds(rounds, ofThousand: share) * 1_000
                values.append(
                    "\(name)_\(place)_microseconds", .integer(Int64(microseconds.rounded())))
            }
        }
        values.append("highest_kibibytes", .integer(highestMemory / 1_024))
        json.append("small_beside_large", .object(values))
    }
}
