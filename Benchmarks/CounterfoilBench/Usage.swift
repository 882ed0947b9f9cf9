// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What somebody used, or the difference of two readings.
struct Usage {
    /// Wall time.
    var seconds: Double

    var processorSeconds: Double

    /// Bytes that were given to the file system to be written.
    var bytesWritten: Int64

    /// What the calling thread has used.
    static func ofThread() throws -> Usage {
        Usage(
            seconds: Clock.seconds(CLOCK_MONOTONIC),
            processorSeconds: Clock.seconds(CLOCK_THREAD_CPUTIME_ID),
            bytesWritten: try TextFile.number("write_bytes:", in: "/proc/thread-self/io"))
    }

    /// What all threads of a process have used.
    static func ofProcess(_ pid: pid_t) throws -> Usage {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else {
            throw BenchmarkFailure("the processor time of process \(pid) cannot be read")
        }
        return Usage(
            seconds: Clock.seconds(CLOCK_MONOTONIC), processorSeconds: Clock.seconds(clock),
            bytesWritten: try TextFile.number("write_bytes:", in: "/proc/\(pid)/io"))
    }

    static func - (lhs: Usage, rhs: Usage) -> Usage {
        Usage(
            seconds: lhs.seconds - rhs.seconds,
            processorSeconds: lhs.processorSeconds - rhs.processorSeconds,
            bytesWritten: lhs.bytesWritten - rhs.bytesWritten)
    }
}

enum Clock {
    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Why a measurement is worth nothing.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
