/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_FAULTY_FILES_H
#define COUNTERFOIL_FAULTY_FILES_H

#include <stdint.h>

/*
 * A disk in memory that SQLite writes to, as a file system of its own (a "VFS"). It knows of each
 * file what was synced and what was only written, and loses the latter when the power fails.
 *
 * What it models: a write may be kept, lost or torn between sectors until it is synced, in any
 * order; so may a truncation, a new name and a removed one; a sync that fails leaves its writes
 * readable but may have lost them for ever, and says so once to each descriptor that was open.
 * Bytes outside of a write are never harmed, as SQLite assumes of today's disks.
 */
struct counterfoil_disk;

/* What can fail; a set of bits. */
enum {
    COUNTERFOIL_OPEN = 1,
    COUNTERFOIL_READ = 2,
    COUNTERFOIL_WRITE = 4,
    COUNTERFOIL_SYNC = 8,
    COUNTERFOIL_TRUNCATE = 16,
    COUNTERFOIL_DELETE = 32,
    COUNTERFOIL_SHARE = 64
};

/* How it fails. */
enum {
    COUNTERFOIL_NO_FAULT = 0,
    COUNTERFOIL_IO_ERROR = 1,
    COUNTERFOIL_DISK_FULL = 2,
    COUNTERFOIL_PROCESS_DIES = 3,
    COUNTERFOIL_POWER_FAILS = 4
};

/* Makes a disk and registers it with SQLite under the name; with the files of another, and
 * what is not synced of them, if there is one. NULL without memory. */
struct counterfoil_disk *counterfoil_disk_make(
    const char *name, uint64_t seed, struct counterfoil_disk *model);

/* Takes the disk from SQLite; it goes when the last file on it is closed. */
void counterfoil_disk_release(struct counterfoil_disk *disk);

/* Ends the process or the power: every open file is dead, its locks and shared memory are gone. */
void counterfoil_disk_crash(struct counterfoil_disk *disk, int fault);

/* Plans one fault for the n-th operation from now that is in the set, and for all later ones if
 * `stays`. It replaces an earlier plan; n = 0 takes the plan back. */
void counterfoil_disk_plan(
    struct counterfoil_disk *disk, int fault, uint64_t n, int operations, int stays);

/* Lets the plan wait while somebody looks at the files, or go on. */
void counterfoil_disk_pause(struct counterfoil_disk *disk, int pauses);

/* How often the plan has struck. */
uint64_t counterfoil_disk_strikes(struct counterfoil_disk *disk);

/* How many operations of the set were tried since the disk was made. */
uint64_t counterfoil_disk_count(struct counterfoil_disk *disk, int operations);

/* How many bytes were written since the disk was made. */
int64_t counterfoil_disk_written(struct counterfoil_disk *disk);

/* The bytes of a file as a reader sees them, or that a power failure cannot take; -1 without it. */
int64_t counterfoil_disk_size(struct counterfoil_disk *disk, const char *file, int is_durable);

#endif
