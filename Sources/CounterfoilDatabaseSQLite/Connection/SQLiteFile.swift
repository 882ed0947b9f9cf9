// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import Glibc

/// The database file, and how connections to it are made.
struct SQLiteFile: Sendable {
    let path: String
    let options: SQLiteOptions

    init(path: String, options: SQLiteOptions = SQLiteOptions()) {
        self.path = path
        self.options = options
    }

    /// Creates the file if it is missing and may be made, for the owner's eyes only; the library gives
    /// the files that it makes beside it the same mode.
    ///
    /// Only in the system's file system: others make their own files.
    ///
    /// - Throws: ``DatabaseError`` with `cannotOpen` or `readOnly`, naming the path.
    func create() throws(DatabaseError) {
        guard options.fileSystem == nil else { return }
        guard options.makesFile || access(path, F_OK) == 0 || errno != ENOENT else {
            throw DatabaseError(.cannotOpen, "the database \(path) does not exist")
        }
        // A file that exists is not opened here: closing it again would drop the locks that another
        // connection of this process has on it.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno == EEXIST {
            try checkExisting()
        } else {
            throw failure(errno)
        }
        // The library syncs the folder of its log, not that of a file that was there before it.
        let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw failure(errno) }
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw failure(errno) }
        guard faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0 else {
            throw DatabaseError(
                .readOnly, "the folder of the database \(path) cannot be written to")
        }
    }

    private func checkExisting() throws(DatabaseError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(EISDIR) }
        guard faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 else { throw failure(errno) }
    }

    /// The path by which all names of the file lead to it; it need not exist.
    var resolvedPath: String {
        if let whole = Self.resolved(path) { return whole }
        let name = path.split(separator: "/").last ?? ""
        return Self.resolved(folder).map { "\($0)/\(name)" } ?? path
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func failure(_ number: Int32) -> DatabaseError {
        switch number {
        case ENOENT:
            DatabaseError(.cannotOpen, "the folder of the database \(path) does not exist")
        case EISDIR:
            DatabaseError(.cannotOpen, "\(path) is a folder, not a database")
        case EACCES, EROFS, EPERM:
            DatabaseError(.readOnly, "the database \(path) cannot be written to")
        case ENOSPC, EDQUOT:
            DatabaseError(.full, "there is no space for the database \(path)")
        default:
            DatabaseError(
                .cannotOpen, "the database \(path) cannot be opened",
                details: String(cString: strerror(number)))
        }
    }
}
