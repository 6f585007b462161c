// SPDX-License-Identifier: MIT
// A hash table of nonces with buckets of fixed size, in a mapped file.
#define _GNU_SOURCE
#include "used_tokens.h"

#include "crypto.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LAYOUT = 1,
    // With USED_TOKENS_CAPACITY random nonces a bucket has 32 in the mean; that any of them has
    // more than 64 happens once in ten thousand times.
    BUCKETS = 256,
    BUCKET_ENTRIES = 64,
    ENTRIES = BUCKETS * BUCKET_ENTRIES,
    BOOT_BYTES = 40,
};

static_assert(ENTRIES == 2 * USED_TOKENS_CAPACITY, "buckets are half full at most, in the mean");

static const char magic[8] = "RAIMUSED";

struct entry {
    uint8_t nonce[RAIM_ACCESS_NONCE_BYTES];
    _Atomic uint64_t expiry_s; // 0: free
};

struct table {
    char magic[8];
    uint32_t layout;
    uint32_t in_use;       // in the state directory: 1 until a clean end
    uint64_t digest;       // in the state directory: of all that follows
    char boot[BOOT_BYTES]; // the kernel's boot_id: a power cut may have lost what was written
    uint64_t unknown_until_s;
    uint64_t forgotten_until_s;
    struct entry entries[ENTRIES];
};

static_assert(sizeof(struct entry) == 24, "no padding");
static_assert(sizeof(struct table) == 8 + 8 + 8 + BOOT_BYTES + 16 + ENTRIES * sizeof(struct entry),
              "no padding");

struct paths {
    char runtime[PATH_MAX], state[PATH_MAX]; // "": none
};

struct used_tokens {
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

static bool sync_directory_of(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool good = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return good;
}

// Whole and on the disk, or not at all; false with errno.
static bool write_file(const char *path, const struct table *table)
{
    char temporary[PATH_MAX];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    unlink(temporary); // of a process that did not get further
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    errno = ENOSPC; // unless write says otherwise
    bool good = write(file, table, sizeof *table) == (ssize_t)sizeof *table && fsync(file) == 0;
    const int error = errno;
    good = close(file) == 0 && good;
    errno = error;
    if (good && rename(temporary, path) == 0)
        return sync_directory_of(path);
    const int reason = errno;
    unlink(temporary);
    errno = reason;
    return false;
}

// A descriptor of a file that is ours alone; -1 with errno.
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
    static const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES] = "raim used tokens"; // no secret
    return raim_crypto_siphash(key, table->boot, sizeof *table - offsetof(struct table, boot));
}

// --- Opening and closing ---

static void clear(struct table *table, uint64_t unknown_until_s)
{
    memset(table, 0, sizeof *table);
    memcpy(table->magic, magic, sizeof magic);
    table->layout = LAYOUT;
    table->unknown_until_s = unknown_until_s;
}

// What the last process knew, as far as it can be found.
static void load(const struct paths *paths, struct table *table, uint64_t now_s)
{
    char boot[BOOT_BYTES];
    read_boot(boot);
    enum found found = read_file(paths->runtime, table);
    bool is_complete = boot[0] != '\0' && memcmp(boot, table->boot, sizeof boot) == 0;
    if (found == FOUND_NONE) {
        found = read_file(paths->state, table);
        is_complete = table->in_use == 0 && table->digest == digest_of(table);
    }
    if (found == FOUND_NONE)
        clear(table, 0); // the arena's first start
    else if (found == FOUND_DAMAGED || !is_complete)
        clear(table, now_s);
    memcpy(table->boot, boot, sizeof boot);
}

// Says in the state directory that the table is elsewhere, and remembers that file.
static bool mark_in_use(struct used_tokens *tokens)
{
    const char *path = tokens->paths.state;
    struct stat status;
    tokens->table->in_use = 1;
    tokens->table->digest = 0;
    if (path[0] == '\0')
        return true;
    if (!write_file(path, tokens->table) || stat(path, &status) != 0)
        return false;
    tokens->device = status.st_dev;
    tokens->inode = status.st_ino;
    return true;
}

// Whether no other table of this name has been opened since: of an arena that was removed and added
// again while this one still says goodbye.
static bool is_newest(const struct used_tokens *tokens)
{
    struct stat status;
    return stat(tokens->paths.state, &status) == 0 && status.st_dev == tokens->device &&
           status.st_ino == tokens->inode;
}

static bool start(struct used_tokens *tokens, uint64_t now_s, const char **failed)
{
    struct paths *paths = &tokens->paths;
    load(paths, tokens->table, now_s);
    *failed = paths->state;
    if (!mark_in_use(tokens))
        return false;
    *failed = paths->runtime;
    if (paths->runtime[0] == '\0')
        return true;
    struct table *mapped =
        write_file(paths->runtime, tokens->table) ? map_file(paths->runtime) : NULL;
    if (mapped == NULL)
        return false;
    free(tokens->table);
    tokens->table = mapped;
    tokens->is_mapped = true;
    return true;
}

static void release(struct used_tokens *tokens)
{
    if (tokens->is_mapped)
        munmap(tokens->table, sizeof *tokens->table);
    else
        free(tokens->table);
    free(tokens);
}

struct used_tokens *used_tokens_open(const struct used_tokens_def *def, char *error,
                                     size_t capacity)
{
    struct used_tokens *tokens = calloc(1, sizeof *tokens);
    struct table *table = calloc(1, sizeof *table);
    if (tokens == NULL || table == NULL) {
        snprintf(error, capacity, "out of memory");
        free(tokens);
        free(table);
        return NULL;
    }
    tokens->table = table;
    const char *failed = def->name;
    if (write_path(tokens->paths.runtime, def->runtime, def->name) &&
        write_path(tokens->paths.state, def->state, def->name) &&
        start(tokens, (uint64_t)def->now_s, &failed)) {
        if (tokens->table->unknown_until_s == (uint64_t)def->now_s)
            snprintf(error, capacity,
                     "it is unknown which were used before, those issued until now are refused");
        return tokens;
    }
    snprintf(error, capacity, "cannot write \"%s\": %s", failed, strerror(errno));
    release(tokens);
    return NULL;
}

void used_tokens_close(struct used_tokens *tokens)
{
    if (tokens == NULL)
        return;
    const struct paths *paths = &tokens->paths;
    struct table *table = tokens->table;
    table->in_use = 0;
    table->digest = digest_of(table);
    if (paths->state[0] != '\0' && is_newest(tokens) && write_file(paths->state, table) &&
        paths->runtime[0] != '\0')
        unlink(paths->runtime);
    release(tokens);
}

bool used_tokens_rename(struct used_tokens *tokens, const char *name, int64_t now_s, char *error,
                        size_t capacity)
{
    struct paths *paths = &tokens->paths;
    char *const olds[] = {paths->runtime, paths->state};
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        if (olds[i][0] == '\0')
            continue;
        const int length = (int)(strrchr(olds[i], '/') - olds[i]);
        char directory[PATH_MAX];
        snprintf(directory, sizeof directory, "%.*s", length, olds[i]);
        // An earlier arena of that name has used tokens that are in the files this one overwrites.
        const bool is_known = write_path(path, directory, name) && access(path, F_OK) == 0;
        if (rename(olds[i], path) != 0) {
            snprintf(error, capacity, "cannot write \"%s\": %s", path, strerror(errno));
            return false;
        }
        if (is_known)
            tokens->table->unknown_until_s = (uint64_t)now_s;
        strcpy(olds[i], path);
    }
    return true;
}

// --- Nonces ---

static const struct entry *bucket_of(const struct table *table,
                                     const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES])
{
    static const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES] =
        "raim nonces"; // a signer's nonces are its own
    const uint64_t hash = raim_crypto_siphash(key, nonce, RAIM_ACCESS_NONCE_BYTES);
    return &table->entries[hash % BUCKETS * BUCKET_ENTRIES];
}

bool used_tokens_has(const struct used_tokens *tokens, const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES])
{
    const struct entry *bucket = bucket_of(tokens->table, nonce);
    for (int i = 0; i < BUCKET_ENTRIES; i++)
        if (bucket[i].expiry_s != 0 && memcmp(bucket[i].nonce, nonce, sizeof bucket[i].nonce) == 0)
            return true;
    return false;
}

bool used_tokens_add(struct used_tokens *tokens, const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES],
                     uint64_t expiry_s, uint64_t over_s)
{
    assert(expiry_s > 0);
    struct table *table = tokens->table;
    struct entry *bucket = (struct entry *)bucket_of(table, nonce);
    for (int i = 0; i < BUCKET_ENTRIES; i++) {
        const uint64_t before_s = bucket[i].expiry_s;
        if (before_s > over_s)
            continue;
        // A process that is killed between any two of these stores leaves an entry that is free, or
        // one that is complete.
        if (before_s > table->forgotten_until_s)
            table->forgotten_until_s = before_s;
        atomic_store(&bucket[i].expiry_s, 0);
        memcpy(bucket[i].nonce, nonce, sizeof bucket[i].nonce);
        atomic_store(&bucket[i].expiry_s, expiry_s);
        return true;
    }
    return false;
}

uint64_t used_tokens_unknown_until(struct used_tokens *tokens, int64_t now_s)
{
    if (now_s > 0 && tokens->table->unknown_until_s > (uint64_t)now_s)
        tokens->table->unknown_until_s = (uint64_t)now_s;
    return tokens->table->unknown_until_s;
}

uint64_t used_tokens_forgotten_until(const struct used_tokens *tokens)
{
    return tokens->table->forgotten_until_s;
}
