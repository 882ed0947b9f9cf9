/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* What SQLite calls: each call is counted, may be struck by the planned fault, and fails on a file
 * that was opened before the last crash. */

static struct faulty_file *begin(sqlite3_file *base) {
    struct faulty_file *file = (struct faulty_file *)base;
    pthread_mutex_lock(&file->disk->mutex);
    return file;
}

static int end(struct faulty_file *file, int status) {
    pthread_mutex_unlock(&file->disk->mutex);
    return status;
}

static int is_dead(const struct faulty_file *file) {
    return file->generation != file->disk->generation;
}

/* The code for an operation that a fault strikes; 0 for none. A crash happens here. */
static int struck(struct faulty_file *file, int operation, int code) {
    if (is_dead(file)) {
        return code;
    }
    int fault = disk_strike(file->disk, operation);
    switch (fault) {
    case COUNTERFOIL_NO_FAULT: return SQLITE_OK;
    case COUNTERFOIL_IO_ERROR: return code;
    case COUNTERFOIL_DISK_FULL: return operation == COUNTERFOIL_WRITE ? SQLITE_FULL : code;
    default: disk_lose(file->disk, fault); return code;
    }
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    struct faulty_file *file = begin(base);
    int status = struck(file, COUNTERFOIL_READ, SQLITE_IOERR_READ);
    if (status != SQLITE_OK) {
        return end(file, status);
    }
    const struct bytes *bytes = &file->node->current;
    int64_t there = bytes->count > offset ? bytes->count - offset : 0;
    if (there >= count) {
        memcpy(buffer, bytes->start + offset, (size_t)count);
        return end(file, SQLITE_OK);
    }
    memset(buffer, 0, (size_t)count);
    if (there > 0) {
        memcpy(buffer, bytes->start + offset, (size_t)there);
    }
    return end(file, SQLITE_IOERR_SHORT_READ);
}

static int file_write(
    sqlite3_file *base, const void *data, int count, sqlite3_int64 offset) {
    struct faulty_file *file = begin(base);
    if (is_dead(file)) {
        return end(file, SQLITE_IOERR_WRITE);
    }
    int fault = disk_strike(file->disk, COUNTERFOIL_WRITE);
    int done = 1;
    if (fault == COUNTERFOIL_IO_ERROR || fault == COUNTERFOIL_DISK_FULL) {
        node_write_part(file->disk, file->node, data, count, offset);
        int code = fault == COUNTERFOIL_IO_ERROR ? SQLITE_IOERR_WRITE : SQLITE_FULL;
        return end(file, code);
    }
    file->disk->written += count;
    done = node_write(file->node, data, count, offset);
    if (fault != COUNTERFOIL_NO_FAULT) {
        disk_lose(file->disk, fault);
        return end(file, SQLITE_IOERR_WRITE);
    }
    return end(file, done ? SQLITE_OK : SQLITE_IOERR_NOMEM);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    struct faulty_file *file = begin(base);
    int status = struck(file, COUNTERFOIL_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    if (status == SQLITE_OK && !node_truncate(file->node, size)) {
        status = SQLITE_IOERR_NOMEM;
    }
    return end(file, status);
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    struct faulty_file *file = begin(base);
    if (is_dead(file)) {
        return end(file, SQLITE_IOERR_FSYNC);
    }
    int fault = disk_strike(file->disk, COUNTERFOIL_SYNC);
    if (fault == COUNTERFOIL_PROCESS_DIES || fault == COUNTERFOIL_POWER_FAILS) {
        disk_lose(file->disk, fault);
        return end(file, SQLITE_IOERR_FSYNC);
    }
    if (fault != COUNTERFOIL_NO_FAULT) {
        node_fail_sync(file->disk, file->node);
    }
    if (fault != COUNTERFOIL_NO_FAULT || file->owes_sync_error) {
        file->owes_sync_error = 0;
        return end(file, SQLITE_IOERR_FSYNC);
    }
    node_sync(file->node);
    /* SQLite syncs the folder with the first sync of a new file. */
    if (file->node->is_linked && !file->node->is_linked_durably) {
        disk_sync_names(file->disk);
        disk_collect(file->disk);
    }
    return end(file, SQLITE_OK);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    struct faulty_file *file = begin(base);
    if (is_dead(file)) {
        return end(file, SQLITE_IOERR_FSTAT);
    }
    *size = file->node->current.count;
    return end(file, SQLITE_OK);
}

/* Locks of the file */

static int lock_shared(struct faulty_file *file) {
    struct node *node = file->node;
    if ((node->pending_by && node->pending_by != file) || node->exclusive_by) {
        return SQLITE_BUSY;
    }
    node->shared_count++;
    file->level = SQLITE_LOCK_SHARED;
    return SQLITE_OK;
}

static int lock_exclusive(struct faulty_file *file) {
    struct node *node = file->node;
    if (node->pending_by && node->pending_by != file) {
        return SQLITE_BUSY;
    }
    node->pending_by = file;
    file->level = SQLITE_LOCK_PENDING;
    if (node->shared_count > 1) {
        return SQLITE_BUSY;
    }
    node->exclusive_by = file;
    file->level = SQLITE_LOCK_EXCLUSIVE;
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level) {
    struct faulty_file *file = begin(base);
    struct node *node = file->node;
    if (is_dead(file)) {
        return end(file, SQLITE_IOERR_LOCK);
    }
    if (file->level >= level) {
        return end(file, SQLITE_OK);
    }
    switch (level) {
    case SQLITE_LOCK_SHARED:
        return end(file, lock_shared(file));
    case SQLITE_LOCK_RESERVED:
        if (node->reserved_by && node->reserved_by != file) {
            return end(file, SQLITE_BUSY);
        }
        node->reserved_by = file;
        file->level = SQLITE_LOCK_RESERVED;
        return end(file, SQLITE_OK);
    default:
        return end(file, lock_exclusive(file));
    }
}

static void unlock_to(struct faulty_file *file, int level) {
    struct node *node = file->node;
    if (file->level <= level) {
        return;
    }
    if (node->exclusive_by == file) {
        node->exclusive_by = NULL;
    }
    if (node->pending_by == file) {
        node->pending_by = NULL;
    }
    if (node->reserved_by == file) {
        node->reserved_by = NULL;
    }
    if (level == SQLITE_LOCK_NONE && file->level >= SQLITE_LOCK_SHARED) {
        node->shared_count--;
    }
    file->level = level;
}

static int file_unlock(sqlite3_file *base, int level) {
    struct faulty_file *file = begin(base);
    if (!is_dead(file)) {
        unlock_to(file, level);
    }
    return end(file, SQLITE_OK);
}

static int file_check_reserved(sqlite3_file *base, int *is_reserved) {
    struct faulty_file *file = begin(base);
    *is_reserved = !is_dead(file) && file->node->reserved_by != NULL;
    return end(file, SQLITE_OK);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    (void)argument;
    struct faulty_file *file = begin(base);
    /* Whoever asks how to overwrite safely hears what Linux says. */
    if (operation == SQLITE_FCNTL_POWERSAFE_OVERWRITE) {
        return end(file, SQLITE_OK);
    }
    return end(file, SQLITE_NOTFOUND);
}

static int file_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/* Shared memory */

static int share_map(
    sqlite3_file *base, int region, int size, int extends, void volatile **address) {
    struct faulty_file *file = begin(base);
    struct node *node = file->node;
    *address = NULL;
    int status = struck(file, COUNTERFOIL_SHARE, SQLITE_IOERR_SHMMAP);
    if (status != SQLITE_OK) {
        return end(file, status);
    }
    if (!file->is_sharing) {
        file->is_sharing = 1;
        node->sharer_count++;
    }
    if (region >= maximum_regions || (region >= node->region_count && !extends)) {
        return end(file, region >= maximum_regions ? SQLITE_IOERR_SHMSIZE : SQLITE_OK);
    }
    while (node->region_count <= region) {
        void *memory = calloc(1, (size_t)size);
        if (!memory) {
            return end(file, SQLITE_IOERR_NOMEM);
        }
        node->regions[node->region_count++] = memory;
    }
    *address = node->regions[region];
    return end(file, SQLITE_OK);
}

static void unlock_slots(struct faulty_file *file, unsigned mask) {
    for (int i = 0; i < lock_slots; i++) {
        if (file->slots_shared & mask & (1u << i)) {
            file->node->slot_shared[i]--;
        }
        if (file->slots_exclusive & mask & (1u << i)) {
            file->node->slot_exclusive[i] = NULL;
        }
    }
    file->slots_shared &= ~mask;
    file->slots_exclusive &= ~mask;
}

static int share_lock(sqlite3_file *base, int first, int count, int flags) {
    struct faulty_file *file = begin(base);
    struct node *node = file->node;
    unsigned mask = ((1u << count) - 1) << first;
    if (is_dead(file)) {
        return end(file, SQLITE_IOERR_SHMLOCK);
    }
    if (flags & SQLITE_SHM_UNLOCK) {
        unlock_slots(file, mask);
        return end(file, SQLITE_OK);
    }
    for (int i = first; i < first + count; i++) {
        int others = node->slot_shared[i] - ((file->slots_shared >> i) & 1u ? 1 : 0);
        struct faulty_file *holder = node->slot_exclusive[i];
        if ((holder && holder != file) || ((flags & SQLITE_SHM_EXCLUSIVE) && others > 0)) {
            return end(file, SQLITE_BUSY);
        }
    }
    for (int i = first; i < first + count; i++) {
        if (flags & SQLITE_SHM_EXCLUSIVE) {
            node->slot_exclusive[i] = file;
            file->slots_exclusive |= 1u << i;
        } else if (!(file->slots_shared & (1u << i))) {
            node->slot_shared[i]++;
            file->slots_shared |= 1u << i;
        }
    }
    return end(file, SQLITE_OK);
}

static void share_barrier(sqlite3_file *base) {
    struct faulty_file *file = begin(base);
    __sync_synchronize();
    end(file, SQLITE_OK);
}

static void stop_sharing(struct faulty_file *file) {
    struct node *node = file->node;
    if (!file->is_sharing) {
        return;
    }
    unlock_slots(file, ~0u);
    file->is_sharing = 0;
    if (--node->sharer_count == 0) {
        for (int i = 0; i < node->region_count; i++) {
            free(node->regions[i]);
        }
        node->region_count = 0;
    }
}

static int share_unmap(sqlite3_file *base, int deletes) {
    (void)deletes;
    struct faulty_file *file = begin(base);
    if (!is_dead(file)) {
        stop_sharing(file);
    }
    return end(file, SQLITE_OK);
}

static int file_close(sqlite3_file *base) {
    struct faulty_file *file = begin(base);
    struct counterfoil_disk *disk = file->disk;
    if (!is_dead(file)) {
        stop_sharing(file);
        unlock_to(file, SQLITE_LOCK_NONE);
        file->node->open_count--;
        if (file->deletes_on_close) {
            file->node->is_linked = 0;
        }
        disk_collect(disk);
    }
    for (struct faulty_file **place = &disk->files; *place; place = &(*place)->next) {
        if (*place == file) {
            *place = file->next;
            break;
        }
    }
    end(file, SQLITE_OK);
    disk_give_back(disk);
    return SQLITE_OK;
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = share_map,
    .xShmLock = share_lock,
    .xShmBarrier = share_barrier,
    .xShmUnmap = share_unmap,
};

/* The file system */

/* As `struck`, for operations without an open file. */
static int struck_disk(struct counterfoil_disk *disk, int operation, int code) {
    int fault = disk_strike(disk, operation);
    if (fault == COUNTERFOIL_PROCESS_DIES || fault == COUNTERFOIL_POWER_FAILS) {
        disk_lose(disk, fault);
    }
    return fault == COUNTERFOIL_NO_FAULT ? SQLITE_OK : code;
}

static int disk_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *flags_out) {
    struct counterfoil_disk *disk = vfs->pAppData;
    struct faulty_file *file = (struct faulty_file *)base;
    memset(file, 0, sizeof *file);
    pthread_mutex_lock(&disk->mutex);
    int status = struck_disk(disk, COUNTERFOIL_OPEN, SQLITE_CANTOPEN);
    struct node *node = status == SQLITE_OK && name ? disk_find(disk, name) : NULL;
    if (status == SQLITE_OK && !node) {
        node = (flags & SQLITE_OPEN_CREATE) ? disk_create(disk, name) : NULL;
        status = node ? SQLITE_OK : SQLITE_CANTOPEN;
    }
    if (status == SQLITE_OK) {
        file->base.pMethods = &file_methods;
        file->disk = disk;
        file->node = node;
        file->generation = disk->generation;
        file->deletes_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
        file->next = disk->files;
        disk->files = file;
        node->open_count++;
        disk->references++;
        if (flags_out) {
            *flags_out = flags;
        }
    }
    pthread_mutex_unlock(&disk->mutex);
    return status;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
    struct counterfoil_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    int status = struck_disk(disk, COUNTERFOIL_DELETE, SQLITE_IOERR_DELETE);
    struct node *node = status == SQLITE_OK ? disk_find(disk, name) : NULL;
    if (status == SQLITE_OK && !node) {
        status = SQLITE_IOERR_DELETE_NOENT;
    }
    if (status == SQLITE_OK) {
        node->is_linked = 0;
        if (syncs_folder) {
            disk_sync_names(disk);
        }
        disk_collect(disk);
    }
    pthread_mutex_unlock(&disk->mutex);
    return status;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    struct counterfoil_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    struct node *node = disk_find(disk, name);
    /* As on Linux, an empty file does not count as there. */
    *answer = node && (flags != SQLITE_ACCESS_EXISTS || node->current.count > 0);
    pthread_mutex_unlock(&disk->mutex);
    return SQLITE_OK;
}

static int disk_full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    (void)vfs;
    sqlite3_snprintf(count, path, "%s", name);
    return SQLITE_OK;
}

static int disk_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    struct counterfoil_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    for (int i = 0; i < count; i++) {
        disk->random = disk->random * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (char)(disk->random >> 56);
    }
    pthread_mutex_unlock(&disk->mutex);
    return count;
}

/* Nobody waits on this disk: its clock moves on, and another thread may run. */
static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
    struct counterfoil_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    disk->slept_microseconds += microseconds;
    pthread_mutex_unlock(&disk->mutex);
    sched_yield();
    return microseconds;
}

static int disk_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    struct counterfoil_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    /* The Julian day of 2026-01-01 and what was slept since. */
    *milliseconds = INT64_C(212633985600000) + disk->slept_microseconds / 1000;
    pthread_mutex_unlock(&disk->mutex);
    return SQLITE_OK;
}

static int disk_last_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs;
    (void)count;
    (void)text;
    return 0;
}

void disk_install_methods(struct counterfoil_disk *disk) {
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(struct faulty_file),
        .mxPathname = 512,
        .zName = disk->name,
        .pAppData = disk,
        .xOpen = disk_open,
        .xDelete = disk_delete,
        .xAccess = disk_access,
        .xFullPathname = disk_full_path,
        .xRandomness = disk_randomness,
        .xSleep = disk_sleep,
        .xGetLastError = disk_last_error,
        .xCurrentTimeInt64 = disk_time,
    };
}
