// SPDX-License-Identifier: Apache-2.0

/// One of the library's threads, and what its connections have begun.
///
/// `@unchecked Sendable`: the counts are used only inside the library's callbacks on this thread.
final class ServingThread: @unchecked Sendable {
    /// A part of a request that the library reads by itself and may refuse by itself.
    enum Part {
        case head, chunkedBody
    }

    let core: ServerCore
    private var openHeads = 0
    private var openChunkedBodies = 0

    init(core: ServerCore) {
        self.core = core
    }

    func begin(_ part: Part) {
        switch part {
        case .head: openHeads += 1
        case .chunkedBody: openChunkedBodies += 1
        }
    }

    func end(_ part: Part) {
        switch part {
        case .head: openHeads -= 1
        case .chunkedBody: openChunkedBodies -= 1
        }
    }

    /// Whether the library can mean only one connection when it refuses such a part.
    ///
    /// A chunked body ends with lines like a head's, so a head that is too large may be either.
    func hasOnlyOne(_ part: Part) -> Bool {
        switch part {
        case .head: openHeads == 1 && openChunkedBodies == 0
        case .chunkedBody: openChunkedBodies == 1
        }
    }
}
