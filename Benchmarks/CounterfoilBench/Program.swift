// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Glibc

/// Reads the arguments, measures, prints.
enum Program {
    private static let usage = """
        usage: counterfoil-bench [--json] [--rounds N] [--slice MS] [--only TEXT] [--no-openssl]

          --json        print one JSON document in place of the table
          --rounds N    measure each case N times, in turn with all others (default 15)
          --slice MS    milliseconds of each measurement (default 150)
          --only TEXT   only the cases whose name contains the text
          --no-openssl  do not run `openssl speed` beside our own yardstick
          --race N      measure nothing: hand in each of N purchases by two callers at once, and
                        fail unless it is new to exactly one of them
          --store-year N
                        measure only a simulated year of the App Store with N subscribers
          --postgres A  the server's rows, or the race, on the PostgreSQL database at that
                        address, which must be empty

        """

    static func run(_ arguments: [String]) -> Int32 {
        guard let options = Options(arguments) else {
            write(usage, to: STDERR_FILENO)
            return 64
        }
        do {
            let progress = { @Sendable in write($0 + "\n", to: STDERR_FILENO) }
            if let trials = options.raceTrials {
                let race = try Race(
                    of: trials, on: options.postgresAddress, progress: progress)
                write(race.report, to: STDOUT_FILENO)
                return race.isWon ? 0 : 1
            }
            if let subscribers = options.storeSubscribers {
                let year = try StoreYear(subscribers: subscribers, progress: progress)
                let peak = try TextFile.number("VmHWM:", in: "/proc/self/status") / 1024
                let text = year.report(subscribers: subscribers, residentMegabytes: peak)
                write(text, to: STDOUT_FILENO)
                return 0
            }
            let report = try Report(options: options, progress: progress)
            let answers = try AnswerReport(options: options, progress: progress)
            let server = try ServerReport(options: options, progress: progress)
            let small = try SmallBesideLarge(options: options, progress: progress)
            let game = try GameReport(options: options, progress: progress)
            if options.isJSON {
                var json = report.json.object ?? JSONObject()
                answers?.append(to: &json)
                server?.append(to: &json)
                small?.append(to: &json)
                game?.append(to: &json)
                write(JSONValue.object(json).text + "\n", to: STDOUT_FILENO)
            } else {
                let tables = [
                    report.table, answers?.table ?? "", server?.table ?? "", small?.table ?? "",
                    game?.table ?? "",
                ].filter { !$0.isEmpty }
                write(tables.joined(separator: "\n"), to: STDOUT_FILENO)
            }
            return 0
        } catch {
            write("counterfoil-bench: \(error)\n", to: STDERR_FILENO)
            return 1
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// What the command line asks for.
struct Options {
    var isJSON = false
    var rounds = 15
    var sliceMilliseconds = 150
    var only: String?
    var runsOpenSSL = true

    /// How many purchases to race for, in place of measuring.
    var raceTrials: Int?

    /// How many subscribers to simulate a year of, in place of measuring anything else.
    var storeSubscribers: Int?

    /// A PostgreSQL database in place of an SQLite file.
    var postgresAddress: String?

    /// Nil where the arguments are not understood.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--no-openssl": runsOpenSSL = false
            case "--rounds":
                guard let count = Self.count(&rest) else { return nil }
                rounds = count
            case "--slice":
                guard let count = Self.count(&rest) else { return nil }
                sliceMilliseconds = count
            case "--race":
                guard let count = Self.count(&rest) else { return nil }
                raceTrials = count
            case "--store-year":
                guard let count = Self.count(&rest) else { return nil }
                storeSubscribers = count
            case "--postgres":
                guard let address = rest.popFirst() else { return nil }
                postgresAddress = address
            case "--only":
                guard let text = rest.popFirst() else { return nil }
                only = text
            default: return nil
            }
        }
    }

    private static func count(_ rest: inout ArraySlice<String>) -> Int? {
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
        return count
    }
}
