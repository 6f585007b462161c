// SPDX-License-Identifier: MIT
// Maps the table of used tokens, and copies it at a clean end.
#define _GNU_SOURCE
#include "used_tokens_file.h"

#include "crypto.h"
#include "state_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LAYOUT = 1, BOOT_BYTES = 40 };

static const char magic[8] = "RAIMUSED";

struct table {
    char magic[8];
    uint32_t layout;
    uint32_t reserved;     // 0
    uint64_t digest;       // in the state directory: of everything that follows
    char boot[BOOT_BYTES]; // the kernel's boot_id: a power cut may have lost writes
    struct used_tokens tokens;
};

static_assert(sizeof(struct table) == 8 + 8 + 8 + BOOT_BYTES + sizeof(struct used_tokens),
              "no padding");

struct paths {
    char runtime[PATH_MAX], state[PATH_MAX]; // "": none
};

struct used_tokens_file {
    struct paths paths;
    struct table *table;
    bool is_mapped;
    dev_t device; // of the file in the state directory, with the inode
    ino_t inode;
};

// --- Files ---

static bool write_path(char path[PATH_MAX], const char *directory, const char *name)
{
    static const char longest[] = ".new";
    path[0] = '\0';
    if (directory == NULL)
        return true;
    errno = ENAMETOOLONG;
    return snprintf(path, PATH_MAX, "%s/%s.tokens", directory, name) + sizeof longest <= PATH_MAX;
}

// Opens a regular file of the right size that only this user can access. Returns -1 with errno on
// failure.
static int open_file(const char *path)
{
    struct stat status;
    const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return -1;
    const bool is_ours = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_uid == geteuid() && (status.st_mode & 077) == 0 &&
                         status.st_size == sizeof(struct table);
    if (is_ours)
        return file;
    close(file);
    errno = EPERM;
    return -1;
}

enum found { FOUND, FOUND_NONE, FOUND_DAMAGED };

static enum found read_file(const char *path, struct table *table)
{
    const int file = path[0] != '\0' ? open_file(path) : -1;
    if (file < 0)
        return path[0] == '\0' || errno == ENOENT ? FOUND_NONE : FOUND_DAMAGED;
    const bool good = pread(file, table, sizeof *table, 0) == (ssize_t)sizeof *table &&
                      memcmp(table->magic, magic, sizeof magic) == 0 && table->layout == LAYOUT;
    close(file);
    return good ? FOUND : FOUND_DAMAGED;
}

static struct table *map_file(const char *path)
{
    const int file = open_file(path);
    if (file < 0)
        return NULL;
    void *memory = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, file, 0);
    close(file);
    return memory != MAP_FAILED ? memory : NULL;
}

static void read_boot(char boot[BOOT_BYTES])
{
    memset(boot, 0, BOOT_BYTES);
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (read(file, boot, BOOT_BYTES - 1) < 0)
        boot[0] = '\0';
    close(file);
}

static uint64_t digest_of(const struct table *table)
{
    static const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES] = "raim used tokens"; // public
    return raim_crypto_siphash(key, table->boot, sizeof *table - offsetof(struct table, boot));
}

// --- Opening and closing ---

static void clear(struct table *table, uint64_t unknown_until_s)
{
    memset(table, 0, offsetof(struct table, tokens));
    memcpy(table->magic, magic, sizeof magic);
    table->layout = LAYOUT;
    used_tokens_init(&table->tokens, unknown_until_s);
}

// Loads the table of the last process, or marks the used tokens as unknown.
static void load(const struct paths *paths, struct table *table, uint64_t now_s, bool is_continued)
{
    char boot[BOOT_BYTES];
    read_boot(boot);
    enum found found = read_file(paths->runtime, table);
    bool is_complete = boot[0] != '\0' && memcmp(boot, table->boot, sizeof boot) == 0;
    if (found == FOUND_NONE) {
        found = read_file(paths->state, table);
        is_complete = table->reserved == 0 && table->digest == digest_of(table);
    }
    if (found == FOUND_NONE && !is_continued)
        clear(table, 0); // the arena's first start
    else if (found != FOUND || !is_complete)
        clear(table, now_s);
    memcpy(table->boot, boot, sizeof boot);
}

// Puts a mark in the place of the copy in the state directory, and remembers its inode. A later
// start finds no table there, so it knows that it does not know the used tokens.
static bool mark_in_use(struct used_tokens_file *store)
{
    static const char mark[] = "in use\n";
    const char *path = store->paths.state;
    struct stat status;
    if (path[0] == '\0')
        return true;
    if (!state_file_replace(path, mark, sizeof mark - 1, STATE_FILE_PROCESS) ||
        stat(path, &status) != 0)
        return false;
    store->device = status.st_dev;
    store->inode = status.st_ino;
    return true;
}

// Whether the file in the state directory is still the one of this table. It is not if an arena was
// removed and added again while this one was still leaving.
static bool is_newest(const struct used_tokens_file *store)
{
    struct stat status;
    return stat(store->paths.state, &status) == 0 && status.st_dev == store->device &&
           status.st_ino == store->inode;
}

static bool start(struct used_tokens_file *store, uint64_t now_s, bool is_continued,
                  const char **failed)
{
    struct paths *paths = &store->paths;
    load(paths, store->table, now_s, is_continued);
    *failed = paths->state;
    if (!mark_in_use(store))
        return false;
    *failed = paths->runtime;
    if (paths->runtime[0] == '\0')
        return true;
    struct table *mapped =
        state_file_replace(paths->runtime, store->table, sizeof *store->table, STATE_FILE_PROCESS)
            ? map_file(paths->runtime)
            : NULL;
    if (mapped == NULL)
        return false;
    free(store->table);
    store->table = mapped;
    store->is_mapped = true;
    return true;
}

static void release(struct used_tokens_file *store)
{
    if (store->is_mapped)
        munmap(store->table, sizeof *store->table);
    else
        free(store->table);
    free(store);
}

struct used_tokens_file *used_tokens_file_open(const struct used_tokens_file_def *def, char *error,
                                               size_t capacity)
{
    struct used_tokens_file *store = calloc(1, sizeof *store);
    struct table *table = calloc(1, sizeof *table);
    error[0] = '\0';
    if (store == NULL || table == NULL) {
        snprintf(error, capacity, "out of memory");
        free(store);
        free(table);
        return NULL;
    }
    store->table = table;
    const char *failed = def->name;
    if (write_path(store->paths.runtime, def->runtime, def->name) &&
        write_path(store->paths.state, def->state, def->name) &&
        start(store, (uint64_t)def->now_s, def->is_continued, &failed)) {
        if (store->table->tokens.unknown_until_s == (uint64_t)def->now_s)
            snprintf(error, capacity,
                     "the used ones are unknown, tokens issued until now are refused");
        return store;
    }
    snprintf(error, capacity, "cannot write \"%s\": %s", failed, strerror(errno));
    release(store);
    return NULL;
}

bool used_tokens_file_is_marked(const struct used_tokens_file *store)
{
    return store->paths.state[0] != '\0';
}

bool used_tokens_file_sync(const struct used_tokens_file *store)
{
    return state_file_sync_directory(store->paths.state);
}

void used_tokens_file_close(struct used_tokens_file *store)
{
    if (store == NULL)
        return;
    const struct paths *paths = &store->paths;
    struct table *table = store->table;
    table->reserved = 0;
    table->digest = digest_of(table);
    // Not synced: where a power cut spoils the copy, its digest says so.
    if (paths->state[0] != '\0' && is_newest(store) &&
        state_file_replace(paths->state, table, sizeof *table, STATE_FILE_PROCESS) &&
        paths->runtime[0] != '\0')
        unlink(paths->runtime);
    release(store);
}

void used_tokens_file_remove(struct used_tokens_file *store)
{
    if (store == NULL)
        return;
    if (store->paths.state[0] != '\0' && is_newest(store))
        unlink(store->paths.state);
    if (store->paths.runtime[0] != '\0')
        unlink(store->paths.runtime);
    release(store);
}

bool used_tokens_file_rename(struct used_tokens_file *store, const char *name, int64_t now_s,
                             char *error, size_t capacity)
{
    struct paths *paths = &store->paths;
    char *const olds[] = {paths->runtime, paths->state};
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        if (olds[i][0] == '\0')
            continue;
        const int length = (int)(strrchr(olds[i], '/') - olds[i]);
        char directory[PATH_MAX];
        snprintf(directory, sizeof directory, "%.*s", length, olds[i]);
        const bool fits = write_path(path, directory, name);
        if (fits && strcmp(path, olds[i]) == 0)
            continue;
        // The overwritten files hold tokens that an earlier arena of this name has admitted.
        const bool is_known = fits && access(path, F_OK) == 0;
        if (rename(olds[i], path) != 0) {
            snprintf(error, capacity, "cannot write \"%s\": %s", path, strerror(errno));
            return false;
        }
        if (is_known)
            store->table->tokens.unknown_until_s = (uint64_t)now_s;
        strcpy(olds[i], path);
    }
    return true;
}

struct used_tokens *used_tokens_file_table(struct used_tokens_file *store)
{
    return &store->table->tokens;
}
