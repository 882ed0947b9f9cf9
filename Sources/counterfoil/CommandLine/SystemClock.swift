// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Glibc

/// The machine's clock: the only place where the program asks for the time.
struct SystemClock: WallClock {
    var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(
            millisecondsSinceEpoch: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
