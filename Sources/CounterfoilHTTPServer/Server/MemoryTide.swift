// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Gives memory back to the system when a flood has passed.
///
/// The C library keeps what is freed, and a few living pieces between thousands of free ones keep all
/// of them: ten thousand connections left 170 MB behind. Looking through the heap takes some
/// milliseconds, so it is done only when much less is in use than was.
final class MemoryTide: Sendable {
    private let highest = Atomic(0)

    /// Takes notice of what connections and bodies may be using, in bytes; one caller at a time.
    func observe(_ byteCount: Int) {
        let peak = max(highest.load(ordering: .relaxed), byteCount)
        guard peak - byteCount > Limits.tideByteCount, byteCount < peak / 2 else {
            return highest.store(peak, ordering: .relaxed)
        }
        highest.store(byteCount, ordering: .relaxed)
        MicroHTTPD.releaseFreeMemory()
    }
}
