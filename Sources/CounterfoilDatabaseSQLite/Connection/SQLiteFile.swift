// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import Glibc

/// The database file before the library opens it.
enum SQLiteFile {
    /// Creates the file if it is missing, for the owner's eyes only; the library gives the files
    /// that it makes beside it the same mode.
    ///
    /// - Throws: ``DatabaseError`` with `cannotOpen` or `readOnly`, naming the path.
    static func create(at path: String) throws(DatabaseError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno, path) }
        close(descriptor)
        let folder = folder(of: path)
        // The library syncs the folder of its log, not that of a file that was there before it.
        let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw failure(errno, path) }
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw failure(errno, path) }
        guard faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0 else {
            throw DatabaseError(
                .readOnly, "the folder of the database \(path) cannot be written to")
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ number: Int32, _ path: String) -> DatabaseError {
        switch number {
        case ENOENT:
            DatabaseError(.cannotOpen, "the folder of the database \(path) does not exist")
        case EISDIR:
            DatabaseError(.cannotOpen, "\(path) is a folder, not a database")
        case EACCES, EROFS, EPERM:
            DatabaseError(.readOnly, "the database \(path) cannot be written to")
        default:
            DatabaseError(
                .cannotOpen, "the database \(path) cannot be opened",
                details: String(cString: strerror(number)))
        }
    }
}
