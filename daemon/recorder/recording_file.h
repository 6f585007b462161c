// SPDX-License-Identifier: MIT
// A recording's file while it is written: NAME.raimrec.part, locked, of mode 0600, which becomes
// NAME.raimrec when it is finished. Every append is whole or undone, so that after a crash or on a
// full disk the file is a recording without its index, which recording_file_complete adds.
// Thread rule: any thread; a file belongs to one.
#pragma once

#include "recording_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_FILE_ERROR_BYTES 192

struct recording_file {
    int directory, file; // owned; -1: none
    char name[RECORDING_NAME_BYTES];
    uint64_t size;
};

// Creates an empty file in a directory, whose descriptor it takes. Returns false with errno; EEXIST
// if there is a recording of this name, finished or not.
bool recording_file_begin(struct recording_file *file, int directory, const char *name);

// Appends all of the bytes or none. Returns false with errno.
bool recording_file_append(struct recording_file *file, const void *bytes, size_t size);

// Reads bytes that were appended. Returns false with errno.
bool recording_file_read(const struct recording_file *file, uint64_t offset, void *bytes,
                         size_t size);

// Syncs the file and gives it its final name. Returns false with errno; the file in progress stays.
// The descriptor of the directory stays open until recording_file_close.
bool recording_file_finish(struct recording_file *file);

// Removes the file in progress.
void recording_file_remove(struct recording_file *file);

// Unlocks the file in progress, for recording_file_complete. Only recording_file_close may follow.
void recording_file_unlock(struct recording_file *file);

// Closes the descriptors. Of a zeroed or closed file it does nothing.
void recording_file_close(struct recording_file *file);

enum recording_file_outcome {
    RECORDING_FILE_COMPLETED,
    RECORDING_FILE_AS_IT_IS, // it cannot be read, by this version, but has its final name
    RECORDING_FILE_REMOVED,  // there was no frame in it
    RECORDING_FILE_BUSY,     // a process is writing it
    RECORDING_FILE_FAILED,   // it stays in progress
};

// Completes the file in progress of a crash: keeps its whole frames, appends their index and gives
// it its final name. Reads and decompresses the whole file. Writes a reason into `error` unless the
// outcome is COMPLETED or BUSY.
enum recording_file_outcome recording_file_complete(int directory, const char *name, char *error,
                                                    size_t capacity);
