import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct InstantArithmeticClamps {
    private static let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    private let earliest = Instant(millisecondsSinceEpoch: .min)
    private let latest = Instant(millisecondsSinceEpoch: .max)
    private let epoch = Instant(millisecondsSinceEpoch: 0)

    @Test("Adding and subtracting stop at the ends of the range")
    func ends() {
        #expect(latest + .milliseconds(1) == latest)
        #expect(earliest + .milliseconds(-1) == earliest)
        #expect(earliest - .milliseconds(1) == earliest)
        #expect(latest - .milliseconds(-1) == latest)
        #expect(latest + .seconds(Int64.max) == latest)
        #expect(earliest - .seconds(Int64.max) == earliest)
        #expect(epoch - .seconds(Int64.min) == latest)
        #expect(epoch + .seconds(Int64.min) == earliest)
    }

    @Test("No pair of extremes traps, and + and - mirror each other inside the range")
    func extremePairs() {
        for left in Self.ends {
            for right in Self.ends {
                let instant = Instant(millisecondsSinceEpoch: left)
                let duration = Duration.milliseconds(right)
                let (sum, difference) = (instant + duration, instant - duration)
                #expect(right < 0 ? sum <= instant : sum >= instant)
                #expect(right < 0 ? difference >= instant : difference <= instant)
            }
        }
        #expect(epoch - .milliseconds(Int64.min) == latest)
        #expect(Instant(millisecondsSinceEpoch: -1) - .milliseconds(Int64.min) == latest)
        #expect(
            Instant(millisecondsSinceEpoch: -2) - .milliseconds(Int64.min)
                == Instant(millisecondsSinceEpoch: .max - 1))
    }

    @Test("The time between the ends is the longest duration, not a trap")
    func since() {
        #expect(latest.since(earliest).wholeMilliseconds == .max)
        #expect(earliest.since(latest).wholeMilliseconds == .min)
        #expect(epoch.since(earliest).wholeMilliseconds == .max)
        #expect(earliest.since(epoch).wholeMilliseconds == .min)
        #expect(latest.since(latest) == .zero)
        #expect((epoch + .seconds(90)).since(epoch) == .seconds(90))
        #expect(epoch.since(epoch + .seconds(90)) == .seconds(-90))
    }

    @Test("Whole seconds beyond the range clamp")
    func wholeSeconds() {
        #expect(
            Instant(secondsSinceEpoch: 1_598_979_529).millisecondsSinceEpoch == 1_598_979_529_000)
        #expect(Instant(secondsSinceEpoch: -1).millisecondsSinceEpoch == -1_000)
        #expect(Instant(secondsSinceEpoch: .max) == latest)
        #expect(Instant(secondsSinceEpoch: .min) == earliest)
        #expect(
            Instant(secondsSinceEpoch: .max / 1000).millisecondsSinceEpoch == .max / 1000 * 1000)
    }

    @Test("Moments are ordered")
    func order() {
        #expect(earliest < epoch)
        #expect(epoch < latest)
        #expect(!(epoch < epoch))
    }

    @Test("A fixed clock shows its moment again and again")
    func fixedClock() {
        let clock: any WallClock = FixedClock(Instant(millisecondsSinceEpoch: 7))
        #expect(clock.now == clock.now)
        #expect(clock.now.millisecondsSinceEpoch == 7)
    }
}

struct DurationsInMilliseconds {
    @Test(
        "Parts below a millisecond are dropped toward zero",
        arguments: [
            (.zero, 0), (.milliseconds(1), 1), (.microseconds(1_999), 1),
            (.microseconds(-1_999), -1),
            (.microseconds(999), 0), (.nanoseconds(-999_999), 0), (.seconds(90), 90_000),
            (.milliseconds(-1_500), -1_500), (.seconds(-1) + .milliseconds(1), -999),
        ] as [(Duration, Int64)])
    func rounding(_ duration: Duration, _ milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }

    @Test("Durations beyond 64 bits of milliseconds clamp")
    func clamping() {
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeMilliseconds == .min)
        #expect(Duration.milliseconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.milliseconds(Int64.min).wholeMilliseconds == .min)
        #expect((Duration.milliseconds(Int64.max) + .milliseconds(1)).wholeMilliseconds == .max)
        #expect((Duration.milliseconds(Int64.min) - .milliseconds(1)).wholeMilliseconds == .min)
    }
}
