// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import Glibc

/// The right to serve from a database file, which one process at a time can have.
///
/// It is a lock on an empty file beside the database, since SQLite's own locks go with any descriptor
/// of the database that the process closes. The system gives it back however the process ends.
final class ServerClaim: Sendable {
    private let descriptor: Int32

    /// - Throws: ``DatabaseError`` with `busy` if another server has it.
    init(_ file: SQLiteFile) throws(DatabaseError) {
        descriptor = open("\(file.resolvedPath)-server", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw file.failure(errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // The end of this object closes the file, also now; a second close could hit another's.
            let number = errno
            throw number == EWOULDBLOCK
                ? DatabaseError(
                    .busy,
                    "another server has the database \(file.path); one file belongs to one server, and "
                        + "several servers share a PostgreSQL")
                : file.failure(number)
        }
    }

    deinit {
        close(descriptor)
    }
}
