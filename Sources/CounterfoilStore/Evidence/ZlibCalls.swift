// SPDX-License-Identifier: Apache-2.0
import CZlib

// Every call into the C library is in this file.

/// Raw deflate (RFC 1951) with a dictionary that both sides know.
enum Deflate {
    /// The bytes in short form; nil without memory.
    static func compress(_ bytes: [UInt8], dictionary: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // Small inputs need no window of 32 KB, and most inputs are small.
        let isSmall = bytes.count + dictionary.count <= 8 << 10
        let status = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, isSmall ? -13 : -15, isSmall ? 6 : 8,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        guard deflateSetDictionary(&stream, dictionary, UInt32(dictionary.count)) == Z_OK else {
            return nil
        }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        return run(&stream, on: bytes, capacity: bound) { deflate($0, Z_FINISH) }
    }

    /// The bytes as they were.
    ///
    /// - Parameter count: How many they are; a longer or shorter result is refused, so that nothing
    ///   can grow beyond it.
    static func expand(_ bytes: [UInt8], dictionary: [UInt8], count: Int) -> [UInt8]? {
        var stream = z_stream()
        let status = inflateInit2_(
            &stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        guard inflateSetDictionary(&stream, dictionary, UInt32(dictionary.count)) == Z_OK else {
            return nil
        }
        let output = run(&stream, on: bytes, capacity: count) { inflate($0, Z_FINISH) }
        return output?.count == count ? output : nil
    }

    /// Runs the stream over all bytes in one step; nil unless it ends within the capacity.
    private static func run(
        _ stream: inout z_stream, on bytes: [UInt8], capacity: Int,
        step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> [UInt8]? {
        guard let inputCount = UInt32(exactly: bytes.count),
            // Room for one byte, so that an empty result has an address.
            let outputCount = UInt32(exactly: max(capacity, 1))
        else { return nil }
        var hasEnded = false
        let output = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: Int(outputCount)) { output, initialized in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = inputCount
                stream.next_out = output.baseAddress
                stream.avail_out = outputCount
                hasEnded = step(&stream) == Z_STREAM_END && stream.avail_in == 0
                initialized = Int(outputCount - stream.avail_out)
            }
        }
        return hasEnded ? output : nil
    }
}
