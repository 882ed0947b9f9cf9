// SPDX-License-Identifier: Apache-2.0

extension Collection where Element == UInt8 {
    /// Calls `body` with the bytes in place where they lie in one piece, otherwise with a copy.
    ///
    /// Inlinable, as are its callers in the interface: a generic call that is not specialised costs
    /// as much as hashing a short message.
    @inlinable
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = withContiguousStorageIfAvailable(body) { return result }
        return Array(self).withUnsafeBufferPointer(body)
    }
}
