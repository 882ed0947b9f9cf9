// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where a command writes: results on one side, complaints on the other.
struct Console: Sendable {
    enum Stream: Sendable {
        case output
        case errors
    }

    private let write: @Sendable (Stream, [UInt8]) -> Void

    /// Hands everything to a function, for tests.
    init(write: @escaping @Sendable (Stream, [UInt8]) -> Void) {
        self.write = write
    }

    /// The process's own standard output and standard error, unbuffered.
    static let standard = Console { stream, bytes in
        writeAll(bytes, to: stream == .output ? STDOUT_FILENO : STDERR_FILENO)
    }

    /// Writes a result as it is; the caller ends its lines.
    func print(_ text: String) {
        write(.output, Array(text.utf8))
    }

    /// Writes a result in bytes.
    func print(_ bytes: [UInt8]) {
        write(.output, bytes)
    }

    /// Writes what went wrong; the caller ends its lines.
    func complain(_ text: String) {
        write(.errors, Array(text.utf8))
    }

    /// Writes as much as the other end takes; a reader that went away is no error of the command.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    guard errno == EINTR else { return }
                } else {
                    rest = rest.dropFirst(count)
                }
            }
        }
    }
}
