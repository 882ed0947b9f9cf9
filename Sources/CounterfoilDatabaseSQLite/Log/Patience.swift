// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// How long the log can wait for one reader's snapshot.
///
/// The log cannot start over while a snapshot needs its pages, so a reader that stays too long is
/// told to give its snapshot back.
final class Patience: Sendable {
    private let hasEnded = Atomic(false)

    var isOver: Bool { hasEnded.load(ordering: .relaxed) }

    func end() {
        hasEnded.store(true, ordering: .relaxed)
    }

    /// Begins afresh with the next snapshot.
    func renew() {
        hasEnded.store(false, ordering: .relaxed)
    }
}
