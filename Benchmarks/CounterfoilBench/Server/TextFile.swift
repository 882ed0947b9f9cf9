// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Small files, read and written whole.
enum TextFile {
    static func read(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// The number behind a name that begins a line.
    static func number(_ name: String, in path: String) throws -> Int64 {
        let words = try read(path).split(separator: "\n").first { $0.hasPrefix(name) }?
            .split { $0 == " " || $0 == "\t" }
        guard let words, words.count > 1, let number = Int64(words[1]) else {
            throw BenchmarkFailure("\(path) names no \(name)")
        }
        return number
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkFailure("\(path) cannot be opened") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw BenchmarkFailure("\(path) cannot be read") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkFailure("\(path) cannot be made") }
        defer { close(descriptor) }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw BenchmarkFailure("\(path) cannot be written") }
            rest = rest.dropFirst(count)
        }
    }
}
