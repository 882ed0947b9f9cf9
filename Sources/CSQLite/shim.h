/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CSQLITE_SHIM_H
#define COUNTERFOIL_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stddef.h>

/* A cast macro, which the importer leaves out: "copy the bytes before the call returns". */
static inline sqlite3_destructor_type counterfoil_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

/* A variadic function. */
static inline int counterfoil_sqlite_leave_out_memory_count(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Macros of macros, which the importer leaves out too. */
static inline int counterfoil_sqlite_is_key_violation(int code) {
    return code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE
        || code == SQLITE_CONSTRAINT_ROWID;
}

/*
 * Reads the log through the library's own file and writes the same bytes back, then syncs them, so
 * that what can be read of it is on the disk. In C since the library's file is a table of functions.
 */
static inline int counterfoil_sqlite_rewrite_log(sqlite3 *connection) {
    sqlite3_file *log = NULL;
    int status = sqlite3_file_control(
        connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (status != SQLITE_OK || !log || !log->pMethods) {
        return status;
    }
    sqlite3_int64 size = 0;
    status = log->pMethods->xFileSize(log, &size);
    if (status != SQLITE_OK || size == 0) {
        return status;
    }
    const int part = 1 << 16;
    unsigned char *buffer = (unsigned char *)sqlite3_malloc(part);
    if (!buffer) {
        return SQLITE_NOMEM;
    }
    for (sqlite3_int64 done = 0; done < size && status == SQLITE_OK; done += part) {
        int count = size - done < part ? (int)(size - done) : part;
        status = log->pMethods->xRead(log, buffer, count, done);
        if (status == SQLITE_OK) {
            status = log->pMethods->xWrite(log, buffer, count, done);
        }
    }
    sqlite3_free(buffer);
    return status == SQLITE_OK ? log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) : status;
}

#endif
