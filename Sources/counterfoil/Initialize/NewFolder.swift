// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A folder that gets files which were not there before.
struct NewFolder: Sendable {
    let path: String

    func path(of name: String) -> String {
        path == "." ? name : "\(path)/\(name)"
    }

    /// How a file in the folder names another, given relative to the working folder.
    func name(of file: String) -> String {
        guard path != ".", !file.hasPrefix("/") else { return file }
        return "\(WorkingFolder.path)/\(file)"
    }

    /// Makes the folder and writes the files; if one exists, none is written.
    func write(_ files: [(name: String, text: String)]) throws(OutputError) {
        try make("")
        for (name, _) in files where access(path(of: name), F_OK) == 0 {
            throw OutputError(path: path(of: name), problem: "exists and is not overwritten")
        }
        for (name, text) in files { try write(text, to: path(of: name)) }
    }

    /// Makes a folder inside, or leaves it if it is there.
    func make(_ name: String) throws(OutputError) {
        let folder = name.isEmpty ? path : path(of: name)
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw OutputError(path: folder, errno: errno)
        }
    }

    private func write(_ text: String, to path: String) throws(OutputError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw OutputError(path: path, errno: errno) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw OutputError(path: path, errno: errno) }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

/// That a file cannot be written.
struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
    let path: String
    let problem: String

    init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    init(path: String, errno code: Int32) {
        self.init(path: path, problem: "cannot be written: \(String(cString: strerror(code)))")
    }

    var description: String { "\(path) \(problem)" }
}
