// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A place where two closures, each on a thread of its own, wait for each other.
///
/// `@unchecked Sendable`: `attendance` is touched only with `condition` held.
final class Meeting: @unchecked Sendable {
    private let condition = NSCondition()
    private var attendance = 0

    /// Waits until both are there.
    func attend() {
        condition.lock()
        attendance += 1
        condition.broadcast()
        while attendance < 2 { condition.wait() }
        condition.unlock()
    }
}
