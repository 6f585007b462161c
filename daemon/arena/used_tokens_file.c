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

struct used_tokens_file {
    struct table *table;
    bool is_mapped;
    char runtime[PATH_MAX]; // of the thread that records tokens; "": none
    struct store *store;    // NULL: none
    char state[NAME_MAX];   // in the store's directory; "": not marked, or another arena's
    uint64_t mark, sync;    // changes of the store
};

// --- Files ---

static void write_name(char file[NAME_MAX], const char *arena)
{
    snprintf(file, NAME_MAX, "%s.tokens", arena);
}

static bool write_path(char path[PATH_MAX], const char *directory, const char *arena)
{
    static const char longest[] = ".new";
    char file[NAME_MAX];
    path[0] = '\0';
    if (directory == NULL)
        return true;
    write_name(file, arena);
    errno = ENAMETOOLONG;
    return snprintf(path, PATH_MAX, "%s/%s", directory, file) + sizeof longest <= PATH_MAX;
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

// Reads the copy of the last clean end.
static enum found read_copy(const struct used_tokens_file_def *def, struct table *table)
{
    char file[NAME_MAX], path[PATH_MAX];
    write_name(file, def->name);
    if (!store_has(def->store, file) || !store_path(def->store, file, path))
        return FOUND_NONE;
    return store_is_running(def->store) ? FOUND_DAMAGED : read_file(path, table);
}

// Loads the table of the last process, or marks the used tokens as unknown.
static void load(const char *runtime, const struct used_tokens_file_def *def, struct table *table)
{
    char boot[BOOT_BYTES];
    read_boot(boot);
    enum found found = read_file(runtime, table);
    bool is_complete = boot[0] != '\0' && memcmp(boot, table->boot, sizeof boot) == 0;
    if (found == FOUND_NONE) {
        found = read_copy(def, table);
        is_complete = table->reserved == 0 && table->digest == digest_of(table);
    }
    if (found == FOUND_NONE && !def->is_continued)
        clear(table, (uint64_t)store_restored_s(def->store)); // the arena's first start since
    else if (found != FOUND || !is_complete)
        clear(table, (uint64_t)def->now_s);
    memcpy(table->boot, boot, sizeof boot);
}

static bool start(struct used_tokens_file *file, const struct used_tokens_file_def *def)
{
    load(file->runtime, def, file->table);
    if (file->runtime[0] == '\0')
        return true;
    struct table *mapped =
        state_file_replace(file->runtime, file->table, sizeof *file->table, STATE_FILE_PROCESS)
            ? map_file(file->runtime)
            : NULL;
    if (mapped == NULL)
        return false;
    free(file->table);
    file->table = mapped;
    file->is_mapped = true;
    return true;
}

static void release(struct used_tokens_file *file)
{
    if (file->is_mapped)
        munmap(file->table, sizeof *file->table);
    else
        free(file->table);
    free(file);
}

struct used_tokens_file *used_tokens_file_open(const struct used_tokens_file_def *def, char *error,
                                               size_t capacity)
{
    struct used_tokens_file *file = calloc(1, sizeof *file);
    struct table *table = calloc(1, sizeof *table);
    error[0] = '\0';
    if (file == NULL || table == NULL) {
        snprintf(error, capacity, "out of memory");
        free(file);
        free(table);
        return NULL;
    }
    file->table = table;
    file->store = store_has_directory(def->store) ? def->store : NULL;
    if (write_path(file->runtime, def->runtime, def->name) && start(file, def)) {
        if (file->table->tokens.unknown_until_s == (uint64_t)def->now_s)
            snprintf(error, capacity,
                     "the list of used tokens was lost; tokens issued until now are rejected");
        return file;
    }
    snprintf(error, capacity, "cannot write \"%s\": %s", file->runtime, strerror(errno));
    release(file);
    return NULL;
}

bool used_tokens_file_mark(struct used_tokens_file *file, const char *name)
{
    static const char mark[] = "in use\n";
    char old[NAME_MAX];
    if (file->store == NULL)
        return false;
    strcpy(old, file->state);
    write_name(file->state, name);
    const bool is_renamed = old[0] != '\0' && strcmp(old, file->state) != 0;
    const bool is_known = is_renamed && store_has(file->store, file->state);
    file->mark =
        store_replace(file->store, file->state, strdup(mark), sizeof mark - 1, STATE_FILE_PROCESS);
    if (is_renamed)
        store_remove(file->store, old);
    return is_known;
}

void used_tokens_file_note_sync(struct used_tokens_file *file, uint64_t number)
{
    file->sync = number;
}

enum store_outcome used_tokens_file_marked(const struct used_tokens_file *file)
{
    if (file->store == NULL)
        return STORE_WRITTEN;
    const enum store_outcome outcome = store_outcome(file->store, file->state, file->mark);
    return outcome != STORE_WRITTEN ? outcome : store_outcome(file->store, "", file->sync);
}

const char *used_tokens_file_name(const struct used_tokens_file *file)
{
    return file->state;
}

void used_tokens_file_leave(struct used_tokens_file *file)
{
    file->state[0] = '\0';
}

// Posts a copy of the table. Not synced: where a power cut spoils the copy, its digest says so.
static uint64_t post_copy(struct used_tokens_file *file)
{
    struct table *copy = malloc(sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, file->table, sizeof *copy);
        copy->reserved = 0;
        copy->digest = digest_of(copy);
    }
    return store_replace(file->store, file->state, (char *)copy, sizeof *copy, STATE_FILE_PROCESS);
}

void used_tokens_file_close(struct used_tokens_file *file)
{
    if (file == NULL)
        return;
    if (file->state[0] != '\0') {
        const uint64_t number = post_copy(file);
        if (!store_is_running(file->store)) {
            store_flush(file->store);
            if (store_outcome(file->store, file->state, number) == STORE_WRITTEN &&
                file->runtime[0] != '\0')
                unlink(file->runtime);
        }
    }
    release(file);
}

void used_tokens_file_remove(struct used_tokens_file *file)
{
    if (file == NULL)
        return;
    if (file->runtime[0] != '\0')
        unlink(file->runtime);
    release(file);
}

bool used_tokens_file_rename(struct used_tokens_file *file, const char *name, bool is_known,
                             int64_t now_s, char *error, size_t capacity)
{
    char directory[PATH_MAX], path[PATH_MAX];
    bool good = true;
    if (file->runtime[0] != '\0') {
        snprintf(directory, sizeof directory, "%.*s",
                 (int)(strrchr(file->runtime, '/') - file->runtime), file->runtime);
        good = write_path(path, directory, name);
        if (good && strcmp(path, file->runtime) != 0) {
            is_known = is_known || access(path, F_OK) == 0;
            good = rename(file->runtime, path) == 0;
        }
        if (good)
            strcpy(file->runtime, path);
        else
            snprintf(error, capacity, "cannot write \"%s\": %s", path, strerror(errno));
    }
    if (is_known)
        file->table->tokens.unknown_until_s = (uint64_t)now_s;
    return good;
}

struct used_tokens *used_tokens_file_table(struct used_tokens_file *file)
{
    return &file->table->tokens;
}
