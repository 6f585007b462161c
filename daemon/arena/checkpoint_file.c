// SPDX-License-Identifier: MIT
// Writes and reads checkpoint files: a header and two slots. Each slot begins with the digest of
// the rest of its content.
#define _GNU_SOURCE
#include "checkpoint_file.h"

#include "digest.h"
#include "state_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LAYOUT = 4, // version of this file's layout; the match's bytes have their own
    SLOTS = 2,
    LINE_BYTES = 64,                    // slots share no cache line
    MAX_FILE_BYTES = 256 * 1024 * 1024, // a larger file was not written by this code
};

enum in_tick { NOT_IN_TICK, IN_TICK, CRASHED_IN_TICK };

static const char magic[8] = {'R', 'A', 'I', 'M', 'K', 'E', 'E', 'P'}; // without a NUL

struct file_header {
    char magic[8];
    uint32_t layout;
    uint32_t slot_bytes;
    uint32_t restores; // since the last checkpoint_trust
    uint32_t restores_inverted;
    uint32_t tick_deaths; // restores that ended in a tick of the arena, without the last
    uint32_t in_tick;     // enum in_tick: during a restore and a tick that follows it
    uint8_t reserved[LINE_BYTES - 32];
};

struct slot {
    uint64_t digest;   // of the rest of the slot
    uint64_t sequence; // from 1 on
    struct checkpoint_time saved;
    uint32_t addresses;
    uint32_t match_bytes;
    uint32_t map_index;
    uint32_t path_bytes;
    // The addresses, the bytes of the match and the path of its map follow.
};

static_assert(sizeof(struct file_header) == LINE_BYTES, "no padding");
static_assert(sizeof(struct slot) == 4 * 8 + 4 * 4, "no padding");
static_assert(sizeof(struct checkpoint_address) == 32, "no padding");

struct checkpoint {
    char path[PATH_MAX];
    uint64_t boot;
    bool is_excused, only_checks;
    uint32_t restores, tick_deaths, in_tick; // as in the header
    uint64_t sequence;
    uint32_t addresses;
    uint32_t match_bytes;
    struct checkpoint_map map;
    size_t file_bytes;
    struct file_header *header; // the file, mapped; NULL: none
};

// The checkpoint of the arena whose tick this thread runs, or NULL.
static _Thread_local struct checkpoint *ticking;

static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
static struct sigaction before_crashes[sizeof crashes / sizeof crashes[0]];

// Other arenas may be in a tick, too, when the process dies.
static void note_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (ticking != NULL && ticking->header != NULL)
        ticking->header->in_tick = CRASHED_IN_TICK;
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        if (crashes[i] == number)
            sigaction(number, &before_crashes[i], NULL);
    if (info->si_code <= 0)
        raise(number); // else the instruction runs again
}

void checkpoint_note_crashes(void)
{
    const struct sigaction action = {.sa_sigaction = note_crash,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        sigaction(crashes[i], &action, &before_crashes[i]);
}

// The digest of the kernel's boot_id, or 0 if it cannot be read. The runtime directory is emptied
// at a boot in any case.
static uint64_t read_boot(void)
{
    char id[64];
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t size = file >= 0 ? read(file, id, sizeof id) : 0;
    if (file >= 0)
        close(file);
    return size > 0 ? raim_digest(id, (size_t)size) : 0;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct checkpoint_time checkpoint_now(const struct checkpoint *checkpoint)
{
    return (struct checkpoint_time){now_ms(), checkpoint->boot};
}

const char *checkpoint_time_fault(const struct checkpoint *checkpoint, struct checkpoint_time saved)
{
    // In its unit raimd cannot read the boot_id, unlike who checks its files from outside.
    const bool is_same = saved.boot == checkpoint->boot ||
                         (checkpoint->only_checks && (saved.boot == 0 || checkpoint->boot == 0));
    return is_same && saved.ms <= now_ms() ? NULL : "the machine has been rebooted since";
}

bool checkpoint_is_expired(struct checkpoint_time saved, double max_age_s)
{
    return (double)(now_ms() - saved.ms) > max_age_s * 1000;
}

bool checkpoint_is_there(const struct checkpoint *checkpoint)
{
    return access(checkpoint->path, F_OK) == 0;
}

// Returns false if the path, with the longest suffix, is too long.
static bool write_path(char path[PATH_MAX], int length, const char *directory, const char *name)
{
    static const char longest[] = ".new";
    const int size = snprintf(path, PATH_MAX, "%.*s/%s.checkpoint", length, directory, name);
    return size + sizeof longest <= PATH_MAX;
}

struct checkpoint *checkpoint_create(const char *directory, const char *name)
{
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (checkpoint == NULL ||
        !write_path(checkpoint->path, (int)strlen(directory), directory, name)) {
        free(checkpoint);
        return NULL;
    }
    checkpoint->boot = read_boot();
    return checkpoint;
}

bool checkpoint_rename(struct checkpoint *checkpoint, const char *name)
{
    char path[PATH_MAX];
    const int length = (int)(strrchr(checkpoint->path, '/') - checkpoint->path);
    errno = ENAMETOOLONG;
    if (!write_path(path, length, checkpoint->path, name) ||
        (checkpoint->header != NULL && rename(checkpoint->path, path) != 0))
        return false;
    strcpy(checkpoint->path, path);
    return true;
}

static void release(struct checkpoint *checkpoint)
{
    if (checkpoint->header != NULL)
        munmap(checkpoint->header, checkpoint->file_bytes);
    checkpoint->header = NULL;
}

void checkpoint_destroy(struct checkpoint *checkpoint)
{
    if (checkpoint == NULL)
        return;
    release(checkpoint);
    free(checkpoint);
}

static void sibling_path(const struct checkpoint *checkpoint, const char *ending,
                         char path[PATH_MAX])
{
    const size_t length = strlen(checkpoint->path);
    assert(length + strlen(ending) < PATH_MAX);
    memcpy(path, checkpoint->path, length);
    strcpy(path + length, ending);
}

// The size of a slot's content. The sum of 32-bit sizes cannot overflow.
static uint64_t content_bytes(const struct slot *slot)
{
    return sizeof *slot + (uint64_t)slot->addresses * sizeof(struct checkpoint_address) +
           slot->match_bytes + slot->path_bytes;
}

// The content must be known to lie in the file, which fits the address space.
static uint64_t digest_of(const struct slot *slot)
{
    return raim_digest(&slot->sequence, (size_t)content_bytes(slot) - sizeof slot->digest);
}

// --- Writing ---

static void set_restores(struct file_header *header, uint32_t restores)
{
    header->restores = restores;
    header->restores_inverted = ~restores;
}

// The header of a slot for the bound match.
static struct slot slot_of(const struct checkpoint *checkpoint)
{
    return (struct slot){
        .saved = checkpoint_now(checkpoint),
        .addresses = checkpoint->addresses,
        .match_bytes = checkpoint->match_bytes,
        .map_index = (uint32_t)checkpoint->map.index,
        .path_bytes = (uint32_t)strlen(checkpoint->map.path),
    };
}

void checkpoint_save(struct checkpoint *checkpoint, const struct raim_match *match,
                     const struct checkpoint_address *addresses)
{
    struct file_header *header = checkpoint->header;
    if (header == NULL)
        return;
    assert(raim_match_checkpoint_size(match) == checkpoint->match_bytes);
    const uint64_t sequence = ++checkpoint->sequence;
    struct slot *slot =
        (struct slot *)((uint8_t *)(header + 1) + sequence % SLOTS * header->slot_bytes);
    uint8_t *end = (uint8_t *)(slot + 1);
    *slot = slot_of(checkpoint);
    slot->sequence = sequence;
    memcpy(end, addresses, checkpoint->addresses * sizeof *addresses);
    end += checkpoint->addresses * sizeof *addresses;
    raim_match_save(match, end);
    memcpy(end + checkpoint->match_bytes, checkpoint->map.path, slot->path_bytes);
    slot->digest = digest_of(slot);
}

void checkpoint_trust(struct checkpoint *checkpoint)
{
    checkpoint->restores = checkpoint->tick_deaths = 0;
    checkpoint_set_in_tick(checkpoint, false);
    if (checkpoint->header == NULL)
        return;
    set_restores(checkpoint->header, 0);
    checkpoint->header->tick_deaths = 0;
}

void checkpoint_set_in_tick(struct checkpoint *checkpoint, bool is_in_tick)
{
    ticking = is_in_tick ? checkpoint : NULL;
    checkpoint->in_tick = is_in_tick ? IN_TICK : NOT_IN_TICK;
    if (checkpoint->header != NULL)
        checkpoint->header->in_tick = checkpoint->in_tick;
}

// Creates and maps a new file of `bytes` bytes. Returns NULL with errno on failure. Allocates every
// page first: a write to a mapping cannot report that the file system is full.
static struct file_header *map_file(const struct checkpoint *checkpoint, char path[PATH_MAX],
                                    size_t bytes)
{
    const int file = state_file_begin(checkpoint->path, path);
    if (file < 0)
        return NULL;
    void *memory = MAP_FAILED;
    errno = posix_fallocate(file, 0, (off_t)bytes);
    if (errno == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    const int error = errno;
    close(file);
    if (memory == MAP_FAILED)
        unlink(path);
    errno = error;
    return memory == MAP_FAILED ? NULL : memory;
}

bool checkpoint_bind(struct checkpoint *checkpoint, const struct raim_match *match,
                     const struct checkpoint_map *map, const struct checkpoint_address *addresses,
                     char *error, size_t capacity)
{
    char path[PATH_MAX];
    checkpoint->map = *map;
    checkpoint->addresses = raim_match_world(match)->max_players;
    checkpoint->match_bytes = (uint32_t)raim_match_checkpoint_size(match);
    const struct slot slot = slot_of(checkpoint);
    const uint64_t lines = (content_bytes(&slot) + LINE_BYTES - 1) / LINE_BYTES;
    const uint32_t slot_bytes = (uint32_t)lines * LINE_BYTES;
    const size_t file_bytes = sizeof(struct file_header) + SLOTS * (size_t)slot_bytes;
    struct file_header *header = map_file(checkpoint, path, file_bytes);
    int problem = errno;
    release(checkpoint);
    if (header == NULL && problem == ENOSPC && unlink(checkpoint->path) == 0) {
        header = map_file(checkpoint, path, file_bytes); // in the room of the old one
        problem = errno;
    }
    if (header == NULL) {
        snprintf(error, capacity, "cannot write \"%s\": %s", path, strerror(problem));
        unlink(checkpoint->path); // out of date
        return false;
    }
    checkpoint->header = header;
    checkpoint->file_bytes = file_bytes;
    memcpy(header->magic, magic, sizeof magic);
    header->layout = LAYOUT;
    header->slot_bytes = slot_bytes;
    set_restores(header, checkpoint->restores);
    header->tick_deaths = checkpoint->tick_deaths;
    header->in_tick = checkpoint->in_tick;
    checkpoint_save(checkpoint, match, addresses);
    if (rename(path, checkpoint->path) == 0)
        return true;
    snprintf(error, capacity, "cannot write \"%s\": %s", checkpoint->path, strerror(errno));
    unlink(path);
    checkpoint_remove(checkpoint);
    return false;
}

void checkpoint_remove(struct checkpoint *checkpoint)
{
    if (checkpoint->header != NULL)
        unlink(checkpoint->path);
    release(checkpoint);
}

// --- Reading ---

struct content {
    int file;
    size_t bytes;
    uint8_t *memory;
};

static void close_content(struct content *content)
{
    if (content->file >= 0)
        close(content->file);
    free(content->memory);
}

// Reads a file. Returns false with errno and a reason on failure. An empty file counts as damaged.
static bool open_content(const char *path, struct content *content, const char **why)
{
    struct stat status;
    *content = (struct content){.file = state_file_open(path, O_RDWR, STATE_FILE_SECRET, why)};
    if (content->file < 0)
        return false;
    *why = "it cannot be read";
    errno = EIO;
    if (fstat(content->file, &status) != 0 || status.st_size > MAX_FILE_BYTES)
        return false;
    content->bytes = (size_t)status.st_size;
    content->memory = malloc(content->bytes + 1);
    return content->memory != NULL &&
           pread(content->file, content->memory, content->bytes, 0) == (ssize_t)content->bytes;
}

// The file's header if it is valid; otherwise NULL with a reason.
static const struct file_header *header_of(const struct content *content, const char **why)
{
    const struct file_header *header = (const struct file_header *)content->memory;
    *why = "it is damaged";
    if (content->bytes < sizeof *header || memcmp(header->magic, magic, sizeof magic) != 0)
        return NULL;
    if (header->layout != LAYOUT) {
        *why = "it is of another version";
        return NULL;
    }
    const bool good = header->restores == ~header->restores_inverted &&
                      header->slot_bytes >= sizeof(struct slot) &&
                      header->slot_bytes % LINE_BYTES == 0 &&
                      content->bytes == sizeof *header + SLOTS * (size_t)header->slot_bytes;
    return good ? header : NULL;
}

static bool is_whole(const struct file_header *header, const struct slot *slot)
{
    return content_bytes(slot) <= header->slot_bytes && slot->path_bytes < CHECKPOINT_PATH_BYTES &&
           slot->sequence > 0 && slot->digest == digest_of(slot);
}

static const struct slot *newest_slot(const struct file_header *header)
{
    const struct slot *newest = NULL;
    for (int i = 0; i < SLOTS; i++) {
        const struct slot *slot =
            (const struct slot *)((const uint8_t *)(header + 1) + i * (size_t)header->slot_bytes);
        if (is_whole(header, slot) && (newest == NULL || slot->sequence > newest->sequence))
            newest = slot;
    }
    return newest;
}

static const uint8_t *match_in(const struct slot *slot)
{
    return (const uint8_t *)(slot + 1) + slot->addresses * sizeof(struct checkpoint_address);
}

bool checkpoint_find_map(const struct checkpoint *checkpoint, double max_age_s,
                         struct checkpoint_map *map, char name[RAIM_MAP_NAME_BYTES])
{
    struct content content;
    const char *why;
    const struct file_header *header = NULL;
    if (open_content(checkpoint->path, &content, &why))
        header = header_of(&content, &why);
    const struct slot *slot = header != NULL ? newest_slot(header) : NULL;
    const bool found = slot != NULL && !checkpoint_is_expired(slot->saved, max_age_s) &&
                       raim_match_checkpoint_map(match_in(slot), slot->match_bytes, name);
    if (found) {
        *map = (struct checkpoint_map){.index = (int)slot->map_index};
        memcpy(map->path, match_in(slot) + slot->match_bytes, slot->path_bytes);
    }
    close_content(&content);
    return found;
}

// The reason why a slot cannot be restored into a match, or NULL.
static const char *fault_of(const struct checkpoint *checkpoint, const struct slot *slot,
                            const struct raim_match *match)
{
    if (slot == NULL)
        return "it is damaged";
    const char *fault = checkpoint_time_fault(checkpoint, slot->saved);
    if (fault == NULL)
        fault = raim_match_checkpoint_fault(match, match_in(slot), slot->match_bytes);
    if (fault == NULL && slot->addresses > RAIM_MAX_PLAYERS)
        fault = "it is damaged";
    return fault;
}

static uint32_t tick_deaths(const struct file_header *header)
{
    return header->tick_deaths + (header->in_tick != NOT_IN_TICK);
}

enum checkpoint_guilt checkpoint_guilt(const struct checkpoint *checkpoint)
{
    struct content content;
    const char *why;
    const struct file_header *header = NULL;
    if (open_content(checkpoint->path, &content, &why))
        header = header_of(&content, &why);
    enum checkpoint_guilt guilt = CHECKPOINT_INNOCENT;
    if (header != NULL && header->restores >= CHECKPOINT_MAX_RESTORES &&
        tick_deaths(header) >= header->restores)
        guilt = header->in_tick == CRASHED_IN_TICK ? CHECKPOINT_CULPRIT : CHECKPOINT_SUSPECT;
    close_content(&content);
    return guilt;
}

void checkpoint_excuse(struct checkpoint *checkpoint)
{
    checkpoint->is_excused = true;
}

void checkpoint_only_check(struct checkpoint *checkpoint)
{
    checkpoint->only_checks = true;
}

// Counts a restore before it is tried, because the try may crash the process.
static bool count_restore(struct checkpoint *checkpoint, const struct content *content,
                          const struct file_header *header)
{
    struct file_header counted = *header;
    if (checkpoint->only_checks)
        return true;
    checkpoint->restores = checkpoint->is_excused ? 1 : header->restores + 1;
    checkpoint->tick_deaths = checkpoint->is_excused ? 0 : tick_deaths(header);
    set_restores(&counted, checkpoint->restores);
    counted.tick_deaths = checkpoint->tick_deaths;
    counted.in_tick = IN_TICK;
    return pwrite(content->file, &counted, sizeof counted, 0) == (ssize_t)sizeof counted;
}

static void reject(struct checkpoint_result *result, const char *why)
{
    result->verdict = CHECKPOINT_REJECTED;
    snprintf(result->why, sizeof result->why, "%s", why);
}

static void set_aside(const struct checkpoint *checkpoint, uint32_t restores,
                      struct checkpoint_result *result)
{
    char path[PATH_MAX];
    sibling_path(checkpoint, ".bad", path);
    result->verdict = CHECKPOINT_SET_ASIDE;
    const bool renamed = checkpoint->only_checks || rename(checkpoint->path, path) == 0;
    snprintf(result->why, sizeof result->why,
             "it was restored %u times and has not run well since%s", restores,
             renamed ? "" : "; it cannot be renamed");
}

static void restore(struct checkpoint *checkpoint, const struct content *content,
                    struct raim_match *match, double max_age_s,
                    struct checkpoint_address *addresses, struct checkpoint_result *result)
{
    const char *why;
    const struct file_header *header = header_of(content, &why);
    if (header == NULL) {
        reject(result, why);
        return;
    }
    if (header->restores >= CHECKPOINT_MAX_RESTORES && !checkpoint->is_excused) {
        set_aside(checkpoint, header->restores, result);
        return;
    }
    const struct slot *slot = newest_slot(header);
    why = fault_of(checkpoint, slot, match);
    if (why != NULL) {
        reject(result, why);
        return;
    }
    result->age_ms = now_ms() - slot->saved.ms;
    if (checkpoint_is_expired(slot->saved, max_age_s)) {
        result->verdict = CHECKPOINT_EXPIRED;
        return;
    }
    const struct checkpoint_address *saved = (const struct checkpoint_address *)(slot + 1);
    if (!count_restore(checkpoint, content, header) ||
        !raim_match_restore(match, match_in(slot), slot->match_bytes)) {
        checkpoint->restores = 0;
        reject(result, "its match is invalid, or has more players than there are slots now");
        return;
    }
    memcpy(addresses, saved, slot->addresses * sizeof *addresses);
    checkpoint->sequence = slot->sequence;
    result->verdict = CHECKPOINT_RESTORED;
}

struct checkpoint_result checkpoint_restore(struct checkpoint *checkpoint, struct raim_match *match,
                                            double max_age_s, struct checkpoint_address *addresses)
{
    struct checkpoint_result result = {.verdict = CHECKPOINT_NONE};
    struct content content;
    const char *why;
    if (open_content(checkpoint->path, &content, &why))
        restore(checkpoint, &content, match, max_age_s, addresses, &result);
    else if (errno != ENOENT)
        reject(&result, why);
    close_content(&content);
    return result;
}
