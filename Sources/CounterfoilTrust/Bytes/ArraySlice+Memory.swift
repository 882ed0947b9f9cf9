// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Searching and comparing kilobytes with the C library, which looks at many bytes at once.
extension ArraySlice<UInt8> {
    /// The index of the first such byte.
    package func offset(of byte: UInt8) -> Index? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = memchr(start, Int32(byte), bytes.count)
            else { return nil }
            return startIndex + (UnsafeRawPointer(found) - start)
        }
    }

    func hasSameBytes(as other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { other in
                guard let start = bytes.baseAddress, let otherStart = other.baseAddress else {
                    return true
                }
                return memcmp(start, otherStart, bytes.count) == 0
            }
        }
    }
}
