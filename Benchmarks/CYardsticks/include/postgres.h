/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_YARDSTICK_POSTGRES_H
#define COUNTERFOIL_YARDSTICK_POSTGRES_H

#include "statements.h"

/*
 * What PostgreSQL can do by itself with the statements of recorded pieces of work, as `pgbench -M
 * prepared` would run them: each client has a connection and a thread, sends one prepared statement
 * after the other, and each piece is a transaction.
 */

struct counterfoil_postgres_replay;

/* Takes in the recording of so many pieces, which must outlive the replay. NULL without memory. */
struct counterfoil_postgres_replay *
counterfoil_postgres_replay_open(const char *address,
                                 const struct counterfoil_recording *recording, size_t pieces);

/* Adds the text of the next statement, which must outlive the replay. 1 on success. */
int counterfoil_postgres_replay_add(struct counterfoil_postgres_replay *replay, const char *text);

/* Runs the next `count` pieces by so many clients. `seconds` is the time from when all of them were
 * connected and had prepared. 1 on success. */
int counterfoil_postgres_replay_run(struct counterfoil_postgres_replay *replay, size_t count,
                                    int clients, double *seconds);

/* What the last failure was about. */
const char *counterfoil_postgres_replay_message(const struct counterfoil_postgres_replay *replay);

void counterfoil_postgres_replay_close(struct counterfoil_postgres_replay *replay);

#endif
