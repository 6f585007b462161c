// SPDX-License-Identifier: MIT
// The portable checkpoint of an arena: its match as JSON, member by member, from which a version of
// raimd with another layout of checkpoints continues. A reader takes the default for a member that
// is missing, and keeps those that it does not know for the next document. The last member is a
// digest of all bytes before it. Any thread.
#pragma once

#include "checkpoint_file.h"
#include "config.h"
#include "portable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The document as a block of memory. Behind the rows may follow, as text, the members that are
// kept.
struct portable_checkpoint {
    uint64_t number; // of the block, from 1; not written
    uint32_t format;
    struct checkpoint_time saved;
    char arena[CONFIG_NAME_BYTES]; // the audience of its access tokens
    struct checkpoint_map map;
    struct raim_portable_match match;
    struct raim_portable_player rows[]; // of players, and of those who have left
};

#define PORTABLE_CHECKPOINT_FORMAT 1 // grows when the meaning of a member changes

size_t portable_checkpoint_size(uint32_t rows);
uint32_t portable_checkpoint_rows(const struct portable_checkpoint *saved);

// Writes the path of an arena's document, "NAME.match". False if it is too long.
bool portable_checkpoint_path(const char *directory, const char *arena,
                              char path[CHECKPOINT_PATH_BYTES]);

// The document of a block, and of the members behind it. NULL when memory runs out.
char *portable_checkpoint_encode(const char *block, size_t *size);

// Reads a document into a block, for free(). Sets `kept` to the members that are not known, for
// free(); NULL: none. Returns NULL with a reason for any other text.
struct portable_checkpoint *portable_checkpoint_decode(const char *text, size_t size, char **kept,
                                                       const char **why);

// Reads a file; as above. Where there is none, the reason is NULL.
struct portable_checkpoint *portable_checkpoint_read(const char *path, char **kept,
                                                     const char **why);
