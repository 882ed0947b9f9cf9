// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: WallClock {
    private let moment: Mutex<Instant>

    /// Shows this moment first; the default is that of the shared authority.
    public init(_ moment: Instant = TestAuthority.clock.now) {
        self.moment = Mutex(moment)
    }

    /// The moment it was set or moved to last.
    public var now: Instant {
        moment.withLock { $0 }
    }

    /// Moves the clock by a duration, backward too.
    public func advance(by duration: Duration) {
        moment.withLock { $0 = $0 + duration }
    }

    /// Sets the clock to any moment.
    public func set(to instant: Instant) {
        moment.withLock { $0 = instant }
    }
}
