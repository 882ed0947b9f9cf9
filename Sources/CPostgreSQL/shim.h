/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CPOSTGRESQL_SHIM_H
#define COUNTERFOIL_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
#include <string.h>

/* Character macros, which the importer leaves out. */
static inline const char *counterfoil_postgres_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *counterfoil_postgres_primary_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline const char *counterfoil_postgres_table(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_TABLE_NAME);
}

static inline const char *counterfoil_postgres_constraint(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
}

/* The library prints notices on standard error unless told otherwise. Warnings without a code of
   their own are counted. */
static inline void counterfoil_postgres_take_notice(void *warnings, const PGresult *result) {
    const char *state = counterfoil_postgres_sqlstate(result);
    if (state && strcmp(state, "01000") == 0) ++*(int *)warnings;
}

static inline void counterfoil_postgres_count_warnings(PGconn *connection, int *warnings) {
    PQsetNoticeReceiver(connection, counterfoil_postgres_take_notice, warnings);
}

#endif
