/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_STATEMENTS_H
#define COUNTERFOIL_STATEMENTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What SQLite can do by itself: the statements of recorded pieces of work, run again on a copy of the
 * database that they were recorded on. Nothing of ours is around them; every statement is prepared
 * once and its parameters are bound without copying.
 */

enum counterfoil_value_kind {
    counterfoil_value_null,
    counterfoil_value_integer,
    counterfoil_value_text,
    counterfoil_value_bytes
};

struct counterfoil_value {
    int32_t kind;
    int32_t length;
    /* The integer itself, or where text and bytes begin. */
    int64_t number;
};

/* One run of a statement; the next `value_count` values are its parameters $1, $2, … */
struct counterfoil_call {
    int32_t statement;
    int32_t value_count;
};

struct counterfoil_recording {
    const struct counterfoil_call *calls;
    const struct counterfoil_value *values;
    const uint8_t *bytes;
    /* The number of calls that each piece of work makes. */
    const int32_t *calls_of_piece;
};

struct counterfoil_replay;

/* Opens the database as the server does: write-ahead log, a sync for each commit. NULL on failure. */
struct counterfoil_replay *counterfoil_replay_open(const char *path);

/* Prepares the next statement; those that read get a connection of their own. 1 on success. */
int counterfoil_replay_prepare(struct counterfoil_replay *replay, const char *text, int reads);

/* Runs the next `count` pieces of work, `per_commit` of them in each transaction. 1 on success. */
int counterfoil_replay_run(struct counterfoil_replay *replay,
                           const struct counterfoil_recording *recording, size_t count,
                           size_t per_commit);

/* What the last failure was about. */
const char *counterfoil_replay_message(const struct counterfoil_replay *replay);

void counterfoil_replay_close(struct counterfoil_replay *replay);

#endif
