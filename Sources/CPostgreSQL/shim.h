/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CPOSTGRESQL_SHIM_H
#define COUNTERFOIL_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

/* A character macro, which the importer leaves out. */
static inline const char *counterfoil_postgres_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/* The library prints notices on standard error unless told otherwise. */
static inline void counterfoil_postgres_drop_notice(void *argument, const PGresult *result) {
    (void)argument;
    (void)result;
}

static inline void counterfoil_postgres_drop_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, counterfoil_postgres_drop_notice, 0);
}

#endif
