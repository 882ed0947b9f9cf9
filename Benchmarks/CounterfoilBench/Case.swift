// SPDX-License-Identifier: Apache-2.0

/// One row of the report: work of ours against a yardstick, on so many threads.
struct Case: Sendable {
    /// The row of the design's table of goals, or a word.
    let row: String
    let work: Work
    let yardstick: Work
    var threads = 1

    /// The share of the yardstick's speed that the design asks for.
    var goal: Double?
}

/// The samples of a case, in pairs of one round.
struct Result {
    let row: String
    let name: String
    let yardstickName: String
    let threads: Int
    let goal: Double?
    private(set) var pairs: [(ours: Sample, yardstick: Sample)] = []

    init(_ measured: Case) {
        row = measured.row
        name = measured.work.name
        yardstickName = measured.yardstick.name
        threads = measured.threads
        goal = measured.goal
    }

    mutating func append(ours: Sample, yardstick: Sample) {
        pairs.append((ours, yardstick))
    }

    var rate: Double { pairs.map(\.ours.rate).median }

    var yardstickRate: Double { pairs.map(\.yardstick.rate).median }

    var processorMicroseconds: Double { pairs.map(\.ours.processorMicroseconds).median }

    var yardstickMicroseconds: Double { pairs.map(\.yardstick.processorMicroseconds).median }

    /// The median over the rounds of our rate divided by the yardstick's of the same round.
    var rateRatio: Double { pairs.map { $0.ours.rate / $0.yardstick.rate }.median }

    /// The same by processor time, which other programs on the machine disturb less.
    var processorRatio: Double {
        pairs.map { $0.yardstick.processorMicroseconds / $0.ours.processorMicroseconds }.median
    }
}
