// SPDX-License-Identifier: Apache-2.0

/// The bytes of one try.
func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
}

/// The result, or nil where reading refused the input; refusing is always right here.
func attempt<Result>(_ reading: () throws -> Result) -> Result? {
    do { return try reading() } catch { return nil }
}
