/* SPDX-License-Identifier: Apache-2.0 */
#include "statements.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { maximum_statements = 128, maximum_parameters = 48 };

struct prepared {
    sqlite3_stmt *statement;
    /* Where SQLite put parameter $n, at index n - 1: it numbers them as they appear. */
    int positions[maximum_parameters];
};

struct counterfoil_replay {
    sqlite3 *writer;
    sqlite3 *reader;
    sqlite3_stmt *begin;
    sqlite3_stmt *commit;
    struct prepared statements[maximum_statements];
    int statement_count;
    size_t next_piece;
    size_t next_call;
    size_t next_value;
    const char *message;
    /* Keeps the compiler from leaving out what reads a result. */
    volatile int64_t seen;
};

struct counterfoil_replay *counterfoil_replay_open(const char *path) {
    struct counterfoil_replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        return NULL;
    }
    const char *pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                          "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
                          "PRAGMA cache_size = -16000";
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &replay->writer, flags, NULL) != SQLITE_OK ||
        sqlite3_exec(replay->writer, pragmas, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_open_v2(path, &replay->reader, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_prepare_v2(replay->writer, "BEGIN IMMEDIATE", -1, &replay->begin, NULL) !=
            SQLITE_OK ||
        sqlite3_prepare_v2(replay->writer, "COMMIT", -1, &replay->commit, NULL) != SQLITE_OK) {
        counterfoil_replay_close(replay);
        return NULL;
    }
    replay->message = "";
    return replay;
}

int counterfoil_replay_prepare(struct counterfoil_replay *replay, const char *text, int reads) {
    sqlite3 *connection = reads ? replay->reader : replay->writer;
    if (replay->statement_count == maximum_statements) {
        replay->message = "too many statements";
        return 0;
    }
    struct prepared *prepared = &replay->statements[replay->statement_count];
    if (sqlite3_prepare_v3(connection, text, -1, SQLITE_PREPARE_PERSISTENT, &prepared->statement,
                           NULL) != SQLITE_OK) {
        replay->message = sqlite3_errmsg(connection);
        return 0;
    }
    for (int number = 1; number <= maximum_parameters; number++) {
        char name[16];
        snprintf(name, sizeof name, "$%d", number);
        prepared->positions[number - 1] =
            sqlite3_bind_parameter_index(prepared->statement, name);
    }
    replay->statement_count += 1;
    return 1;
}

static int bind(const struct prepared *prepared, int index, const struct counterfoil_value *value,
                const uint8_t *bytes) {
    int position = prepared->positions[index];
    const uint8_t *start = bytes + value->number;
    switch (value->kind) {
    case counterfoil_value_integer:
        return sqlite3_bind_int64(prepared->statement, position, value->number);
    case counterfoil_value_text:
        return sqlite3_bind_text(prepared->statement, position, (const char *)start, value->length,
                                 SQLITE_STATIC);
    case counterfoil_value_bytes:
        return sqlite3_bind_blob(prepared->statement, position, start, value->length,
                                 SQLITE_STATIC);
    default:
        return sqlite3_bind_null(prepared->statement, position);
    }
}

/* Looks at every column of a row, as whoever uses it must. */
static int64_t look(sqlite3_stmt *statement) {
    int64_t sum = 0;
    for (int column = 0; column < sqlite3_column_count(statement); column++) {
        switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            sum += sqlite3_column_int64(statement, column);
            break;
        case SQLITE_NULL:
            break;
        default:
            sum += sqlite3_column_blob(statement, column) != NULL;
            sum += sqlite3_column_bytes(statement, column);
        }
    }
    return sum;
}

static int run_to_the_end(struct counterfoil_replay *replay, sqlite3_stmt *statement) {
    int status;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        replay->seen += look(statement);
    }
    if (status != SQLITE_DONE) {
        replay->message = sqlite3_errmsg(sqlite3_db_handle(statement));
        return 0;
    }
    sqlite3_reset(statement);
    return 1;
}

static int run_piece(struct counterfoil_replay *replay,
                     const struct counterfoil_recording *recording) {
    int32_t calls = recording->calls_of_piece[replay->next_piece++];
    for (int32_t i = 0; i < calls; i++) {
        const struct counterfoil_call *call = &recording->calls[replay->next_call++];
        if (call->statement >= replay->statement_count || call->value_count > maximum_parameters) {
            replay->message = "a call that was not prepared";
            return 0;
        }
        const struct prepared *prepared = &replay->statements[call->statement];
        for (int index = 0; index < call->value_count; index++) {
            const struct counterfoil_value *value = &recording->values[replay->next_value++];
            if (bind(prepared, index, value, recording->bytes) != SQLITE_OK) {
                replay->message = "a value could not be bound";
                return 0;
            }
        }
        if (!run_to_the_end(replay, prepared->statement)) {
            return 0;
        }
    }
    return 1;
}

int counterfoil_replay_run(struct counterfoil_replay *replay,
                           const struct counterfoil_recording *recording, size_t count,
                           size_t per_commit) {
    for (size_t done = 0; done < count;) {
        if (!run_to_the_end(replay, replay->begin)) {
            return 0;
        }
        for (size_t i = 0; i < per_commit && done < count; i++, done++) {
            if (!run_piece(replay, recording)) {
                return 0;
            }
        }
        if (!run_to_the_end(replay, replay->commit)) {
            return 0;
        }
    }
    return 1;
}

const char *counterfoil_replay_message(const struct counterfoil_replay *replay) {
    return replay->message;
}

void counterfoil_replay_close(struct counterfoil_replay *replay) {
    for (int i = 0; i < replay->statement_count; i++) {
        sqlite3_finalize(replay->statements[i].statement);
    }
    sqlite3_finalize(replay->begin);
    sqlite3_finalize(replay->commit);
    sqlite3_close(replay->reader);
    sqlite3_close(replay->writer);
    free(replay);
}
