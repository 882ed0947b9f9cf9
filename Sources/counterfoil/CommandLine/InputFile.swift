// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTrust
import Glibc

/// Reads files that a user names.
enum InputFile {
    /// More than any evidence or certificate has; a device file must not fill the memory.
    private static let maximumByteCount = 64 << 20

    private static let chunkByteCount = 1 << 16

    /// All bytes of a file, or of standard input where the name is `-`.
    static func bytes(of name: String) throws(InputError) -> [UInt8] {
        let descriptor = name == "-" ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError(name: name, errno: errno) }
        defer { if name != "-" { close(descriptor) } }
        return try bytes(from: descriptor, of: name)
    }

    /// All bytes of a file that holds a secret, if it keeps it from others.
    ///
    /// A file of our own account is its owner's alone. One of another account, such as those that
    /// come with a container or a unit of systemd, may be read by our group.
    static func secret(of name: String) throws(InputError) -> [UInt8] {
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError(name: name, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw InputError(name: name, errno: errno) }
        let forbidden: mode_t = status.st_uid == geteuid() ? 0o077 : 0o037
        guard status.st_mode & forbidden == 0 else {
            throw InputError(
                name: name, problem: "holds a secret and others may use it; chmod 600 mends that")
        }
        return try bytes(from: descriptor, of: name)
    }

    private static func bytes(
        from descriptor: Int32, of name: String
    ) throws(InputError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 {
                guard errno == EINTR else { throw InputError(name: name, errno: errno) }
                continue
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= maximumByteCount else {
                throw InputError(name: name, problem: "is larger than \(maximumByteCount) bytes")
            }
        }
    }

    /// The JSON document in a file.
    static func document(of name: String) throws(InputError) -> JSONValue {
        let bytes = try bytes(of: name)
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            throw InputError(name: name, problem: "is no JSON: \(error)")
        }
    }

    /// The certificates in a file (PEM, DER or base64) as trust anchors.
    static func anchors(in name: String) throws(InputError) -> [TrustAnchor] {
        let bytes = try bytes(of: name)
        do {
            let anchors = try TrustAnchor.all(in: bytes)
            if !anchors.isEmpty { return anchors }
        } catch {
            throw InputError(name: name, problem: "holds no certificate to trust: \(error)")
        }
        throw InputError(name: name, problem: "holds no certificate to trust")
    }

    /// The names in a folder, sorted by bytes.
    static func names(in folder: String) throws(InputError) -> [String] {
        guard let directory = opendir(folder) else { throw InputError(name: folder, errno: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let length = Int(entry.pointee.d_reclen)
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: length) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether there is a folder of that name.
    static func isFolder(_ name: String) -> Bool {
        guard let directory = opendir(name) else { return false }
        closedir(directory)
        return true
    }
}

/// That a file cannot be read.
struct InputError: Error, Hashable, Sendable, CustomStringConvertible {
    let name: String
    let problem: String

    init(name: String, problem: String) {
        self.name = name
        self.problem = problem
    }

    init(name: String, errno code: Int32) {
        self.init(name: name, problem: "cannot be read: \(String(cString: strerror(code)))")
    }

    var description: String { "\(name == "-" ? "standard input" : name) \(problem)" }
}
