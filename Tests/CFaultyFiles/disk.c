/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next_random(struct counterfoil_disk *disk) {
    disk->random += 0x9E3779B97F4A7C15u;
    uint64_t mixed = disk->random;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

static int coin(struct counterfoil_disk *disk) {
    return (int)(next_random(disk) & 1);
}

/* Bytes */

static int resize(struct bytes *bytes, int64_t count) {
    if (count > bytes->capacity) {
        int64_t capacity = count + count / 2 + 4096;
        unsigned char *start = realloc(bytes->start, (size_t)capacity);
        if (!start) {
            return 0;
        }
        bytes->start = start;
        bytes->capacity = capacity;
    }
    if (count > bytes->count) {
        memset(bytes->start + bytes->count, 0, (size_t)(count - bytes->count));
    }
    bytes->count = count;
    return 1;
}

static int overwrite(struct bytes *bytes, const void *data, int64_t count, int64_t offset) {
    if (offset + count > bytes->count && !resize(bytes, offset + count)) {
        return 0;
    }
    memcpy(bytes->start + offset, data, (size_t)count);
    return 1;
}

static int assign(struct bytes *bytes, const struct bytes *other) {
    bytes->count = 0;
    return resize(bytes, other->count) &&
           (other->count == 0 || overwrite(bytes, other->start, other->count, 0));
}

/* Files */

static int remember(struct node *node, const void *data, int64_t count, int64_t offset) {
    if (node->change_count == node->change_capacity) {
        int64_t capacity = node->change_capacity * 2 + 64;
        struct change *changes = realloc(node->changes, (size_t)capacity * sizeof *changes);
        if (!changes) {
            return 0;
        }
        node->changes = changes;
        node->change_capacity = capacity;
    }
    struct change change = {.offset = offset, .data = NULL, .count = count};
    if (data) {
        change.data = malloc((size_t)count + 1);
        if (!change.data) {
            return 0;
        }
        memcpy(change.data, data, (size_t)count);
    }
    node->changes[node->change_count++] = change;
    return 1;
}

int node_write(struct node *node, const void *data, int64_t count, int64_t offset) {
    return remember(node, data, count, offset) && overwrite(&node->current, data, count, offset);
}

/* A write that failed has often written its beginning. */
int node_write_part(
    struct counterfoil_disk *disk, struct node *node, const void *data, int64_t count,
    int64_t offset) {
    int64_t sectors = count / sector_bytes;
    int64_t part = (int64_t)(next_random(disk) % (uint64_t)(sectors + 1)) * sector_bytes;
    return part == 0 || node_write(node, data, part, offset);
}

int node_truncate(struct node *node, int64_t size) {
    return remember(node, NULL, 0, size) && resize(&node->current, size);
}

static void forget_changes(struct node *node) {
    for (int64_t i = 0; i < node->change_count; i++) {
        free(node->changes[i].data);
    }
    node->change_count = 0;
}

static void apply(struct node *node, const struct change *change) {
    if (change->data) {
        overwrite(&node->durable, change->data, change->count, change->offset);
    } else {
        resize(&node->durable, change->offset);
    }
}

void node_sync(struct node *node) {
    for (int64_t i = 0; i < node->change_count; i++) {
        apply(node, &node->changes[i]);
    }
    forget_changes(node);
}

/* Keeps each sector of a write or not. */
static void apply_torn(
    struct counterfoil_disk *disk, struct node *node, const struct change *change) {
    int64_t done = 0;
    while (done < change->count) {
        int64_t place = change->offset + done;
        int64_t part = sector_bytes - place % sector_bytes;
        if (part > change->count - done) {
            part = change->count - done;
        }
        if (coin(disk)) {
            overwrite(&node->durable, change->data + done, part, place);
        }
        done += part;
    }
}

enum mood { mood_mixed, mood_lost, mood_kept };

/* Keeps, drops or tears each change that was not synced. */
static void settle_changes(struct counterfoil_disk *disk, struct node *node, enum mood mood) {
    for (int64_t i = 0; i < node->change_count; i++) {
        const struct change *change = &node->changes[i];
        uint64_t chance = next_random(disk) % 5;
        if (mood == mood_kept || (mood == mood_mixed && chance < 2)) {
            apply(node, change);
        } else if (mood == mood_mixed && chance == 2 && change->data) {
            apply_torn(disk, node, change);
        }
    }
    forget_changes(node);
}

/* What a failed sync leaves: each change is on the disk or lost, and is never written again. */
void node_fail_sync(struct counterfoil_disk *disk, struct node *node) {
    settle_changes(disk, node, coin(disk) ? mood_mixed : mood_lost);
    for (struct faulty_file *file = disk->files; file; file = file->next) {
        if (file->node == node && file->generation == disk->generation) {
            file->owes_sync_error = 1;
        }
    }
}

/* The folder */

struct node *disk_find(struct counterfoil_disk *disk, const char *name) {
    for (int i = 0; i < maximum_files; i++) {
        struct node *node = disk->nodes[i];
        if (node && node->is_linked && node->name && strcmp(node->name, name) == 0) {
            return node;
        }
    }
    return NULL;
}

struct node *disk_create(struct counterfoil_disk *disk, const char *name) {
    for (int i = 0; i < maximum_files; i++) {
        if (disk->nodes[i]) {
            continue;
        }
        struct node *node = calloc(1, sizeof *node);
        if (!node) {
            return NULL;
        }
        if (name) {
            node->name = strdup(name);
            node->is_linked = 1;
        }
        disk->nodes[i] = node;
        return node;
    }
    return NULL;
}

void disk_sync_names(struct counterfoil_disk *disk) {
    for (int i = 0; i < maximum_files; i++) {
        if (disk->nodes[i]) {
            disk->nodes[i]->is_linked_durably = disk->nodes[i]->is_linked;
        }
    }
}

static void free_node(struct node *node) {
    forget_changes(node);
    free(node->changes);
    free(node->current.start);
    free(node->durable.start);
    for (int i = 0; i < node->region_count; i++) {
        free(node->regions[i]);
    }
    free(node->name);
    free(node);
}

/* Frees the files that nobody can reach any more. */
void disk_collect(struct counterfoil_disk *disk) {
    for (int i = 0; i < maximum_files; i++) {
        struct node *node = disk->nodes[i];
        if (node && !node->is_linked && !node->is_linked_durably && node->open_count == 0) {
            free_node(node);
            disk->nodes[i] = NULL;
        }
    }
}

/* Faults */

/* The change of a name that was not synced is there or not; one answer for all nodes of a name. */
static void settle_names(struct counterfoil_disk *disk) {
    uint64_t choice = next_random(disk);
    for (int i = 0; i < maximum_files; i++) {
        struct node *node = disk->nodes[i];
        if (!node || !node->name) {
            continue;
        }
        unsigned hash = 0;
        for (const char *c = node->name; *c; c++) {
            hash = hash * 31 + (unsigned char)*c;
        }
        if ((choice >> (hash % 64)) & 1) {
            node->is_linked = node->is_linked_durably;
        }
        node->is_linked_durably = node->is_linked;
    }
}

static void bury_shared_memory(struct counterfoil_disk *disk, struct node *node) {
    if (node->region_count > 0) {
        size_t count = (size_t)(disk->grave_count + node->region_count);
        void **graves = realloc(disk->graves, count * sizeof *graves);
        if (graves) {
            disk->graves = graves;
            for (int i = 0; i < node->region_count; i++) {
                graves[disk->grave_count++] = node->regions[i];
            }
        }
    }
    node->region_count = 0;
    node->sharer_count = 0;
    memset(node->slot_shared, 0, sizeof node->slot_shared);
    memset(node->slot_exclusive, 0, sizeof node->slot_exclusive);
}

void disk_lose(struct counterfoil_disk *disk, int fault) {
    disk->generation++;
    for (int i = 0; i < maximum_files; i++) {
        struct node *node = disk->nodes[i];
        if (!node) {
            continue;
        }
        bury_shared_memory(disk, node);
        node->reserved_by = node->pending_by = node->exclusive_by = NULL;
        node->shared_count = 0;
        node->open_count = 0;
        if (!node->name) {
            node->is_linked = node->is_linked_durably = 0;
        }
    }
    if (fault == COUNTERFOIL_POWER_FAILS) {
        uint64_t chance = next_random(disk) % 4;
        enum mood mood = chance == 0 ? mood_lost : chance == 1 ? mood_kept : mood_mixed;
        settle_names(disk);
        for (int i = 0; i < maximum_files; i++) {
            struct node *node = disk->nodes[i];
            if (node) {
                settle_changes(disk, node, mood);
                assign(&node->current, &node->durable);
            }
        }
    }
    disk_collect(disk);
}

/* Counts an operation; the fault that strikes it, if one does. A crash has then happened. */
int disk_strike(struct counterfoil_disk *disk, int operation) {
    if (disk->is_paused) {
        return COUNTERFOIL_NO_FAULT;
    }
    disk->counts[__builtin_ctz((unsigned)operation)]++;
    if (disk->fault_in == 0 || !(disk->fault_operations & operation)) {
        return COUNTERFOIL_NO_FAULT;
    }
    if (disk->fault_in > 1) {
        disk->fault_in--;
        return COUNTERFOIL_NO_FAULT;
    }
    disk->strikes++;
    if (!disk->fault_stays) {
        disk->fault_in = 0;
    }
    return disk->fault;
}

/* A file as it is, with what is not synced of it. */
static void copy_node(struct counterfoil_disk *disk, const struct node *model) {
    struct node *node = disk_create(disk, model->name);
    if (!node) {
        return;
    }
    node->is_linked = model->is_linked;
    node->is_linked_durably = model->is_linked_durably;
    assign(&node->current, &model->current);
    assign(&node->durable, &model->durable);
    for (int64_t i = 0; i < model->change_count; i++) {
        const struct change *change = &model->changes[i];
        remember(node, change->data, change->count, change->offset);
    }
}

/* The interface */

struct counterfoil_disk *counterfoil_disk_make(
    const char *name, uint64_t seed, struct counterfoil_disk *model) {
    struct counterfoil_disk *disk = calloc(1, sizeof *disk);
    if (!disk) {
        return NULL;
    }
    pthread_mutex_init(&disk->mutex, NULL);
    disk->name = strdup(name);
    disk->references = 1;
    disk->random = seed;
    disk_install_methods(disk);
    if (model) {
        pthread_mutex_lock(&model->mutex);
        for (int i = 0; i < maximum_files; i++) {
            if (model->nodes[i] && model->nodes[i]->name) {
                copy_node(disk, model->nodes[i]);
            }
        }
        pthread_mutex_unlock(&model->mutex);
    }
    if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) {
        disk_give_back(disk);
        return NULL;
    }
    return disk;
}

void counterfoil_disk_release(struct counterfoil_disk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    disk_give_back(disk);
}

void disk_give_back(struct counterfoil_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    int left = --disk->references;
    pthread_mutex_unlock(&disk->mutex);
    if (left > 0) {
        return;
    }
    for (int i = 0; i < maximum_files; i++) {
        if (disk->nodes[i]) {
            free_node(disk->nodes[i]);
        }
    }
    for (int64_t i = 0; i < disk->grave_count; i++) {
        free(disk->graves[i]);
    }
    free(disk->graves);
    free(disk->name);
    pthread_mutex_destroy(&disk->mutex);
    free(disk);
}

void counterfoil_disk_crash(struct counterfoil_disk *disk, int fault) {
    pthread_mutex_lock(&disk->mutex);
    disk_lose(disk, fault);
    pthread_mutex_unlock(&disk->mutex);
}

void counterfoil_disk_plan(
    struct counterfoil_disk *disk, int fault, uint64_t n, int operations, int stays) {
    pthread_mutex_lock(&disk->mutex);
    disk->fault = fault;
    disk->fault_in = n;
    disk->fault_operations = operations;
    disk->fault_stays = stays;
    disk->strikes = 0;
    pthread_mutex_unlock(&disk->mutex);
}

void counterfoil_disk_pause(struct counterfoil_disk *disk, int pauses) {
    pthread_mutex_lock(&disk->mutex);
    disk->is_paused = pauses;
    pthread_mutex_unlock(&disk->mutex);
}

uint64_t counterfoil_disk_strikes(struct counterfoil_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    uint64_t strikes = disk->strikes;
    pthread_mutex_unlock(&disk->mutex);
    return strikes;
}

uint64_t counterfoil_disk_count(struct counterfoil_disk *disk, int operations) {
    pthread_mutex_lock(&disk->mutex);
    uint64_t count = 0;
    for (int i = 0; i < 7; i++) {
        if (operations & (1 << i)) {
            count += disk->counts[i];
        }
    }
    pthread_mutex_unlock(&disk->mutex);
    return count;
}

int64_t counterfoil_disk_written(struct counterfoil_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    int64_t written = disk->written;
    pthread_mutex_unlock(&disk->mutex);
    return written;
}

int64_t counterfoil_disk_size(struct counterfoil_disk *disk, const char *file, int is_durable) {
    pthread_mutex_lock(&disk->mutex);
    struct node *node = disk_find(disk, file);
    int64_t size = node ? (is_durable ? node->durable.count : node->current.count) : -1;
    pthread_mutex_unlock(&disk->mutex);
    return size;
}
