// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the library refuses by itself, of which we can tell whom it concerns.
enum LibraryRefusal {
    case contentLength, headTooLarge, chunkMalformed, chunkTooLarge

    /// - Parameter message: The text that the library is about to send (of 0.9.75).
    init?(status: UInt32, message: UnsafePointer<CChar>?) {
        func names(_ word: String) -> Bool { message.map { strstr($0, word) != nil } ?? false }
        switch status {
        case 400 where names("Content-Length"), 413 where names("Content-Length"):
            self = .contentLength
        case 400 where names("chunked"): self = .chunkMalformed
        case 413 where names("chunk"): self = .chunkTooLarge
        case 431: self = .headTooLarge
        default: return nil
        }
    }
}
