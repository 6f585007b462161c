// SPDX-License-Identifier: MIT
// Reads the head and the index of a recording with bounded memory, whatever its size.
#define _GNU_SOURCE
#include "recording_describe.h"

#include "recording.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int recording_open_file(int directory, const char *name)
{
    struct stat status;
    // O_NONBLOCK: opening a FIFO would otherwise wait for its other end.
    const int file =
        openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        return file;
    close(file);
    errno = ENOENT;
    return -1;
}

static bool is_marked(int directory, const char *name)
{
    char path[NAME_MAX + 1];
    struct stat status;
    snprintf(path, sizeof path, "%s%s", name, RECORDING_KEPT_SUFFIX);
    return fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// A larger file is not read; raimd's own end after an hour.
static const uint64_t most_bytes = UINT64_C(1) << 32;

static uint32_t read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

// Reads a part of a file to its place. Returns false if it is not in the file.
static bool read_part(int file, uint8_t *bytes, uint64_t size, uint64_t offset, uint64_t part)
{
    return offset <= size && part <= size - offset &&
           pread(file, bytes + offset, part, (off_t)offset) == (ssize_t)part;
}

// Reads the head and the index to their places in `bytes`. Both are skippable frames of zstd, which
// begin with a magic number and their size (RFC 8878); the index also ends with its size and a mark.
static bool read_ends(int file, uint8_t *bytes, uint64_t size)
{
    enum { FRAME_HEAD = 8, FOOTER = 4 + sizeof RAIM_RECORDING_TAIL };
    return read_part(file, bytes, size, 0, FRAME_HEAD) &&
           read_u32(bytes + 4) <= RAIM_RECORDING_MOST_HEAD_BYTES &&
           read_part(file, bytes, size, 0, FRAME_HEAD + (uint64_t)read_u32(bytes + 4)) &&
           size > FOOTER && read_part(file, bytes, size, size - FOOTER, FOOTER) &&
           read_u32(bytes + size - FOOTER) <= size &&
           read_part(file, bytes, size, size - read_u32(bytes + size - FOOTER),
                     read_u32(bytes + size - FOOTER));
}

// Reads what the head and the index tell. The file is not mapped, because it could be truncated
// meanwhile; its data frames are pages that are never touched.
static bool peek(int file, uint64_t size, struct raim_recording_info *info)
{
    char error[RAIM_RECORDING_ERROR_BYTES];
    if (size == 0 || size > most_bytes)
        return false;
    uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return false;
    const bool is_good = read_ends(file, bytes, size) &&
                         raim_recording_peek(bytes, size, info, error, sizeof error);
    munmap(bytes, size);
    return is_good;
}

static_assert(RECORDING_MAP_BYTES == sizeof((struct raim_recording_info){0}.map), "maps fit");

static void take_info(struct recording_entry *entry, const struct raim_recording_info *info)
{
    memcpy(entry->map, info->map, sizeof entry->map);
    memcpy(entry->winner, info->winner, sizeof entry->winner);
    entry->start_ms = info->start_unix_ms;
    entry->ticks = info->ticks;
    entry->tick_hz = info->tick_hz;
    entry->players = info->clients;
    entry->bots = info->bots;
    entry->is_complete = info->is_complete;
}

bool recording_describe(int directory, const char *name, struct recording_entry *entry)
{
    struct recording_name parts;
    struct raim_recording_info info;
    struct stat status;
    if (!recording_name_read(name, &parts))
        return false;
    const int file = recording_open_file(directory, name);
    if (file < 0)
        return false;
    if (fstat(file, &status) != 0) {
        close(file);
        return false;
    }
    *entry = (struct recording_entry){
        .start_ms = parts.start_s * 1000,
        .size = (uint64_t)status.st_size,
        .round = parts.round,
        .part = parts.part,
        .is_clip = parts.is_clip,
        .is_kept = is_marked(directory, name),
    };
    strcpy(entry->name, name);
    strcpy(entry->arena, parts.arena);
    if (peek(file, entry->size, &info))
        take_info(entry, &info);
    close(file);
    return true;
}
