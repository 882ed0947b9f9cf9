// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Files that hold keys: readable by their owner alone, never overwritten.
enum PrivateFile {
    /// A certificate and a key take 5 KB; more is not a file of ours.
    private static let maximumByteCount = 65_536

    static func makeFolder(_ path: String) throws(AuthorityError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .failed(to: "make the folder", path, errno)
        }
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Gives a whole folder its name, which is on disk when this returns.
    static func rename(_ path: String, to name: String) throws(AuthorityError) {
        guard Glibc.rename(path, name) == 0 else { throw .failed(to: "rename", path, errno) }
        let parent = String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)])
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(to: "open", parent, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .failed(to: "store", parent, errno) }
    }

    /// Removes a file, if it is there.
    static func removeFile(_ path: String) throws(AuthorityError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .failed(to: "remove", path, errno) }
    }

    /// Removes a folder that holds no other files than these, if it is there.
    static func removeFolder(_ path: String, with names: [String]) throws(AuthorityError) {
        for name in names { unlink("\(path)/\(name)") }
        guard rmdir(path) == 0 || errno == ENOENT else { throw .failed(to: "remove", path, errno) }
    }

    /// Writes a new file, which is on disk when this returns.
    static func create(
        _ path: String, _ text: String, mode: mode_t = 0o600
    ) throws(AuthorityError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                throw AuthorityError(code: .exists, message: "\(path) exists already")
            }
            throw .failed(to: "create", path, errno)
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw .failed(to: "write", path, errno) }
            rest = rest.dropFirst(max(0, count))
        }
        guard fsync(descriptor) == 0 else { throw .failed(to: "store", path, errno) }
    }

    /// Reads a file that nobody but its owner may read.
    static func read(_ path: String) throws(AuthorityError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(to: "open", path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed(to: "look at", path, errno) }
        guard status.st_mode & 0o077 == 0 else {
            throw AuthorityError(
                code: .permissions, message: "\(path) holds a key and others may read it")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8_192)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed(to: "read", path, errno) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer.prefix(count)
            guard bytes.count <= maximumByteCount else {
                throw AuthorityError(code: .invalid, message: "\(path) is too long")
            }
        }
    }
}

extension AuthorityError {
    fileprivate static func failed(
        to action: String, _ path: String, _ number: Int32
    ) -> AuthorityError {
        AuthorityError(
            code: .file, message: "cannot \(action) \(path): \(String(cString: strerror(number)))")
    }
}
