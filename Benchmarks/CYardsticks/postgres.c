/* SPDX-License-Identifier: Apache-2.0 */
#include "postgres.h"

#include <endian.h>
#include <postgresql/libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { maximum_statements = 128, maximum_parameters = 48, maximum_clients = 64 };

/* Numbers of types in the server's catalogue. */
enum { type_bytes = 17, type_integer = 20, type_text = 25 };

struct counterfoil_postgres_replay {
    const char *address;
    const struct counterfoil_recording *recording;
    /* Where the calls and the values of each piece begin. */
    size_t *first_call;
    size_t *first_value;
    const char *texts[maximum_statements];
    int statement_count;
    Oid types[maximum_statements][maximum_parameters];
    int parameter_counts[maximum_statements];
    atomic_size_t next_piece;
    size_t end;
    pthread_barrier_t prepared;
    atomic_int failures;
    char message[512];
};

struct client {
    struct counterfoil_postgres_replay *replay;
    pthread_t thread;
};

static Oid type_of(const struct counterfoil_value *value) {
    switch (value->kind) {
    case counterfoil_value_integer:
        return type_integer;
    case counterfoil_value_text:
        return type_text;
    case counterfoil_value_bytes:
        return type_bytes;
    default:
        return 0;
    }
}

struct counterfoil_postgres_replay *
counterfoil_postgres_replay_open(const char *address,
                                 const struct counterfoil_recording *recording, size_t pieces) {
    struct counterfoil_postgres_replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        return NULL;
    }
    replay->address = strdup(address);
    replay->recording = recording;
    replay->first_call = calloc(pieces + 1, sizeof *replay->first_call);
    replay->first_value = calloc(pieces + 1, sizeof *replay->first_value);
    if (!replay->address || !replay->first_call || !replay->first_value) {
        counterfoil_postgres_replay_close(replay);
        return NULL;
    }
    size_t call = 0;
    size_t value = 0;
    for (size_t piece = 0; piece < pieces; piece++) {
        replay->first_call[piece] = call;
        replay->first_value[piece] = value;
        for (int32_t i = 0; i < recording->calls_of_piece[piece]; i++, call++) {
            int statement = recording->calls[call].statement;
            int count = recording->calls[call].value_count;
            for (int index = 0; index < count; index++, value++) {
                if (statement < maximum_statements && index < maximum_parameters &&
                    !replay->types[statement][index]) {
                    replay->types[statement][index] = type_of(&recording->values[value]);
                }
            }
            if (statement < maximum_statements) {
                replay->parameter_counts[statement] = count;
            }
        }
    }
    return replay;
}

int counterfoil_postgres_replay_add(struct counterfoil_postgres_replay *replay, const char *text) {
    if (replay->statement_count == maximum_statements) {
        snprintf(replay->message, sizeof replay->message, "too many statements");
        return 0;
    }
    replay->texts[replay->statement_count++] = text;
    return 1;
}

static int fail(struct counterfoil_postgres_replay *replay, const char *message) {
    if (atomic_fetch_add(&replay->failures, 1) == 0) {
        snprintf(replay->message, sizeof replay->message, "%s", message);
    }
    return 0;
}

static int is_good(struct counterfoil_postgres_replay *replay, PGconn *connection,
                   PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    int good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!good) {
        fail(replay, PQerrorMessage(connection));
    }
    PQclear(result);
    return good;
}

static int prepare(struct counterfoil_postgres_replay *replay, PGconn *connection) {
    if (PQstatus(connection) != CONNECTION_OK) {
        return fail(replay, PQerrorMessage(connection));
    }
    for (int i = 0; i < replay->statement_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        if (!is_good(replay, connection,
                     PQprepare(connection, name, replay->texts[i], replay->parameter_counts[i],
                               replay->types[i]))) {
            return 0;
        }
    }
    return 1;
}

static int run_call(struct counterfoil_postgres_replay *replay, PGconn *connection,
                    const struct counterfoil_call *call, const struct counterfoil_value *values) {
    const char *places[maximum_parameters];
    int lengths[maximum_parameters];
    int formats[maximum_parameters];
    uint64_t numbers[maximum_parameters];
    for (int i = 0; i < call->value_count; i++) {
        formats[i] = 1;
        lengths[i] = values[i].length;
        places[i] = (const char *)replay->recording->bytes + values[i].number;
        if (values[i].kind == counterfoil_value_integer) {
            numbers[i] = htobe64((uint64_t)values[i].number);
            places[i] = (const char *)&numbers[i];
            lengths[i] = sizeof numbers[i];
        } else if (values[i].kind == counterfoil_value_null) {
            places[i] = NULL;
        }
    }
    char name[16];
    snprintf(name, sizeof name, "s%d", call->statement);
    return is_good(replay, connection,
                   PQexecPrepared(connection, name, call->value_count, places, lengths, formats,
                                  1));
}

static int run_piece(struct counterfoil_postgres_replay *replay, PGconn *connection,
                     size_t piece) {
    const struct counterfoil_recording *recording = replay->recording;
    const struct counterfoil_call *call = &recording->calls[replay->first_call[piece]];
    const struct counterfoil_value *value = &recording->values[replay->first_value[piece]];
    if (!is_good(replay, connection, PQexec(connection, "BEGIN"))) {
        return 0;
    }
    for (int32_t i = 0; i < recording->calls_of_piece[piece]; i++, call++) {
        if (call->statement >= replay->statement_count || call->value_count > maximum_parameters) {
            return fail(replay, "a call that was not added");
        }
        if (!run_call(replay, connection, call, value)) {
            return 0;
        }
        value += call->value_count;
    }
    return is_good(replay, connection, PQexec(connection, "COMMIT"));
}

static void *run_client(void *context) {
    struct counterfoil_postgres_replay *replay = ((struct client *)context)->replay;
    PGconn *connection = PQconnectdb(replay->address);
    int good = prepare(replay, connection);
    pthread_barrier_wait(&replay->prepared);
    while (good && !atomic_load(&replay->failures)) {
        size_t piece = atomic_fetch_add(&replay->next_piece, 1);
        if (piece >= replay->end) {
            break;
        }
        good = run_piece(replay, connection, piece);
    }
    PQfinish(connection);
    return NULL;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int counterfoil_postgres_replay_run(struct counterfoil_postgres_replay *replay, size_t count,
                                    int clients, double *seconds) {
    struct client threads[maximum_clients];
    if (clients > maximum_clients) {
        return fail(replay, "too many clients");
    }
    size_t start = replay->end;
    replay->end = start + count;
    atomic_store(&replay->next_piece, start);
    pthread_barrier_init(&replay->prepared, NULL, (unsigned)clients + 1);
    for (int i = 0; i < clients; i++) {
        threads[i].replay = replay;
        if (pthread_create(&threads[i].thread, NULL, run_client, &threads[i]) != 0) {
            /* The barrier will never open; nothing can be measured any more. */
            abort();
        }
    }
    pthread_barrier_wait(&replay->prepared);
    double began = now();
    for (int i = 0; i < clients; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    *seconds = now() - began;
    pthread_barrier_destroy(&replay->prepared);
    return atomic_load(&replay->failures) == 0;
}

const char *counterfoil_postgres_replay_message(const struct counterfoil_postgres_replay *replay) {
    return replay->message;
}

void counterfoil_postgres_replay_close(struct counterfoil_postgres_replay *replay) {
    free((void *)replay->address);
    free(replay->first_call);
    free(replay->first_value);
    free(replay);
}
