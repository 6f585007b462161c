// SPDX-License-Identifier: MIT
// A record is a text of lines "KEY VALUE" in a fixed order, the longest last.
#define _GNU_SOURCE
#include "arena_store.h"

#include "arena_request.h"
#include "config_keys.h"
#include "json_writer.h"
#include "log.h"
#include "state_file.h"
#include "store.h"
#include "text_buffer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_RECORD_BYTES = 512 * 1024 };

static const char suffix[] = ".arena";

// Names of files have an arena's name, which is short.
enum { FILE_NAME_BYTES = CONFIG_NAME_BYTES + sizeof suffix };

static void print_name(const char *arena, char name[FILE_NAME_BYTES])
{
    snprintf(name, FILE_NAME_BYTES, "%s%s", arena, suffix);
}

static char *record_text(const struct arena_record *record)
{
    struct text_buffer text = {0};
    text_buffer_print(&text,
                      "raimd-arena 1\nid %s\nname %s\nport %u\nmax_players %u\nmade_s %" PRId64
                      "\njoin_until_s %" PRId64 "\nwas_joined %d\nis_draining %d\n"
                      "drain_until_s %" PRId64 "\ncause %s\nmetadata %s\nrequest %s\n",
                      record->id, record->name, record->port, record->max_players, record->made_s,
                      record->join_until_s, record->was_joined, record->is_draining,
                      record->drain_until_s, record->cause[0] != '\0' ? record->cause : "-",
                      record->metadata, record->request);
    if (record->result != NULL)
        text_buffer_print(&text, "result %s\n", record->result);
    return text_buffer_take(&text);
}

void arena_store_write(struct store *store, const struct arena_record *record)
{
    char name[FILE_NAME_BYTES];
    char *text = record_text(record);
    print_name(record->name, name);
    store_replace(store, name, text, text != NULL ? strlen(text) : 0, STATE_FILE_PROCESS);
}

void arena_store_remove(struct store *store, const char *arena)
{
    char name[FILE_NAME_BYTES];
    print_name(arena, name);
    store_remove(store, name);
}

// Reads a file of at most MAX_RECORD_BYTES; the caller frees the text. NULL with errno; EFBIG: it
// is longer.
static char *read_text(const char *path)
{
    const char *problem;
    struct stat status;
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SECRET, &problem);
    char *text = NULL;
    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && status.st_size > MAX_RECORD_BYTES)
        errno = EFBIG;
    else
        text = calloc(1, MAX_RECORD_BYTES + 1);
    if (text != NULL && read(file, text, MAX_RECORD_BYTES) < 0) {
        free(text);
        text = NULL;
    }
    const int error = errno;
    close(file);
    errno = error;
    return text;
}

// The value of the next line, which must have this key; NULL otherwise.
static char *take_line(char **at, const char *key)
{
    const size_t length = strlen(key);
    char *line = *at, *end = strchr(line, '\n');
    if (end == NULL || strncmp(line, key, length) != 0 || line[length] != ' ')
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line + length + 1;
}

static bool take_text(char **at, const char *key, char *into, size_t capacity)
{
    const char *value = take_line(at, key);
    return value != NULL && snprintf(into, capacity, "%s", value) < (int)capacity;
}

static bool take_number(char **at, const char *key, int64_t most, int64_t *number)
{
    char *end;
    const char *value = take_line(at, key);
    if (value == NULL)
        return false;
    errno = 0;
    *number = strtoll(value, &end, 10);
    return errno == 0 && end != value && *end == '\0' && *number >= 0 && *number <= most;
}

static bool is_cause(const char *text)
{
    return strcmp(text, "-") == 0 ||
           (text[0] != '\0' && strspn(text, "abcdefghijklmnopqrstuvwxyz_") == strlen(text));
}

static bool parse(char *text, struct arena_record *record)
{
    char version[8];
    int64_t port, max_players, joined, draining;
    char *at = text;
    if (!take_text(&at, "raimd-arena", version, sizeof version) || strcmp(version, "1") != 0 ||
        !take_text(&at, "id", record->id, sizeof record->id) ||
        !take_text(&at, "name", record->name, sizeof record->name) ||
        !config_is_name(record->name) || !take_number(&at, "port", UINT16_MAX, &port) ||
        !take_number(&at, "max_players", UINT16_MAX, &max_players) ||
        !take_number(&at, "made_s", INT64_MAX, &record->made_s) ||
        !take_number(&at, "join_until_s", INT64_MAX, &record->join_until_s) ||
        !take_number(&at, "was_joined", 1, &joined) ||
        !take_number(&at, "is_draining", 1, &draining) ||
        !take_number(&at, "drain_until_s", INT64_MAX, &record->drain_until_s) ||
        !take_text(&at, "cause", record->cause, sizeof record->cause) || !is_cause(record->cause))
        return false;
    if (strcmp(record->cause, "-") == 0)
        record->cause[0] = '\0';
    record->port = (uint16_t)port;
    record->max_players = (uint32_t)max_players;
    record->was_joined = joined != 0;
    record->is_draining = draining != 0;
    const char *metadata = take_line(&at, "metadata"), *request = take_line(&at, "request");
    if (metadata == NULL || request == NULL || !json_text_is_object(metadata))
        return false;
    const char *result = at[0] != '\0' ? take_line(&at, "result") : NULL;
    if (at[0] != '\0' || (result != NULL && !json_text_is_object(result)))
        return false;
    record->metadata = strdup(metadata);
    record->request = strdup(request);
    record->result = result != NULL ? strdup(result) : NULL;
    return record->metadata != NULL && record->request != NULL &&
           (result == NULL || record->result != NULL);
}

// Reads the record in a file of this name. Returns false if it is none.
static bool read_record(struct store *store, const char *file, struct arena_record *record)
{
    char path[PATH_MAX], expected[FILE_NAME_BYTES];
    *record = (struct arena_record){0};
    errno = ENAMETOOLONG;
    char *text = store_path(store, file, path) ? read_text(path) : NULL;
    const char *problem =
        text == NULL ? strerror(errno) : "its content is not the record of the arena of that name";
    bool good = text != NULL && parse(text, record);
    free(text);
    print_name(record->name, expected);
    good = good && strcmp(file, expected) == 0;
    if (good)
        return true;
    free(record->metadata);
    free(record->request);
    free(record->result);
    log_warning("arena not reopened: \"%s\": %s", file, problem);
    store_note_unread(store, file, 1, 1); // another version or process may read it
    return false;
}

static bool has_suffix(const char *file)
{
    const size_t length = strlen(file);
    return length >= sizeof suffix && strcmp(file + length - (sizeof suffix - 1), suffix) == 0;
}

void arena_store_read(struct store *store, void *context,
                      void (*take)(void *context, struct arena_record *record))
{
    char path[PATH_MAX];
    DIR *directory = store_path(store, ".", path) ? opendir(path) : NULL;
    if (directory == NULL)
        return;
    int count = 0;
    for (struct dirent *entry; count < CONFIG_MAX_ARENAS && (entry = readdir(directory)) != NULL;) {
        struct arena_record record;
        if (!has_suffix(entry->d_name) || !read_record(store, entry->d_name, &record))
            continue;
        count++;
        take(context, &record);
    }
    closedir(directory);
}
