/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CSQLITE_SHIM_H
#define COUNTERFOIL_CSQLITE_SHIM_H

#include <sqlite3.h>

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

#endif
