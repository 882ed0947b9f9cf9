/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_DISK_H
#define COUNTERFOIL_DISK_H

#include "faulty_files.h"

#include <pthread.h>
#include <sqlite3.h>

enum { sector_bytes = 512, maximum_files = 16, maximum_regions = 256, lock_slots = 8 };

struct bytes {
    unsigned char *start;
    int64_t count;
    int64_t capacity;
};

/* A write or truncation that was not synced. */
struct change {
    int64_t offset; /* of a truncation: the new size */
    unsigned char *data; /* NULL: a truncation */
    int64_t count;
};

struct faulty_file;

struct node {
    char *name; /* NULL: a temporary file */
    struct bytes current;
    struct bytes durable;
    struct change *changes;
    int64_t change_count;
    int64_t change_capacity;
    int is_linked;
    int is_linked_durably;
    int open_count;

    struct faulty_file *reserved_by;
    struct faulty_file *pending_by;
    struct faulty_file *exclusive_by;
    int shared_count;

    void *regions[maximum_regions];
    int region_count;
    int sharer_count;
    int slot_shared[lock_slots];
    struct faulty_file *slot_exclusive[lock_slots];
};

struct counterfoil_disk {
    sqlite3_vfs vfs;
    char *name;
    pthread_mutex_t mutex;
    int references;
    uint64_t random;

    /* Files that were opened before the last crash are dead. */
    uint64_t generation;
    struct node *nodes[maximum_files];
    struct faulty_file *files;

    /* Shared memory of dead connections, which may still write to it. */
    void **graves;
    int64_t grave_count;

    uint64_t counts[7];
    int64_t written;
    int fault;
    uint64_t fault_in;
    int fault_operations;
    int fault_stays;
    int is_paused;
    uint64_t strikes;
    int64_t slept_microseconds;
};

struct faulty_file {
    sqlite3_file base;
    struct counterfoil_disk *disk;
    struct node *node;
    struct faulty_file *next;
    uint64_t generation;
    int level;
    int deletes_on_close;
    int owes_sync_error;
    int is_sharing;
    unsigned slots_shared;
    unsigned slots_exclusive;
};

/* All of these expect the disk's mutex to be held. */
int disk_strike(struct counterfoil_disk *disk, int operation);
void disk_lose(struct counterfoil_disk *disk, int fault);
struct node *disk_find(struct counterfoil_disk *disk, const char *name);
struct node *disk_create(struct counterfoil_disk *disk, const char *name);
void disk_collect(struct counterfoil_disk *disk);
void disk_sync_names(struct counterfoil_disk *disk);

int node_write(struct node *node, const void *data, int64_t count, int64_t offset);
int node_write_part(
    struct counterfoil_disk *disk, struct node *node, const void *data, int64_t count,
    int64_t offset);
int node_truncate(struct node *node, int64_t size);
void node_sync(struct node *node);
void node_fail_sync(struct counterfoil_disk *disk, struct node *node);
void node_release_locks(struct faulty_file *file);
void node_stop_sharing(struct faulty_file *file);

void disk_give_back(struct counterfoil_disk *disk);
void disk_install_methods(struct counterfoil_disk *disk);

#endif
