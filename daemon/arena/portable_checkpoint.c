// SPDX-License-Identifier: MIT
// One row per member drives the writer and the reader.
#define _GNU_SOURCE
#include "portable_checkpoint.h"

#include "digest.h"
#include "json_writer.h"
#include "phase.h"
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 4 << 20 };

enum kind {
    COUNT, // uint32_t
    TIME,  // int64_t or uint64_t, up to INT64_MAX
    FLAG,  // bool
    TEXT,  // char[]
    BYTES, // as hexadecimal digits
    OTHER, // written and read apart
};

struct row {
    const char *key;
    enum kind kind;
    size_t at, size;
};

#define ROW(type, key, kind, member)                                                               \
    {                                                                                              \
        key, kind, offsetof(type, member), sizeof((type *)0)->member                               \
    }
#define MATCH(key, kind, member) ROW(struct portable_checkpoint, key, kind, member)
#define PLAYER(key, kind, member) ROW(struct raim_portable_player, key, kind, member)

static const char players_key[] = "players", departed_key[] = "departed", digest_key[] = "digest";

static const struct row match_rows[] = {
    MATCH("format", COUNT, format),
    MATCH("saved_ms", TIME, saved.ms),
    MATCH("boot", BYTES, saved.boot),
    MATCH("arena", TEXT, arena),
    MATCH("map", TEXT, match.map),
    MATCH("map_index", COUNT, map.index),
    MATCH("map_path", TEXT, map.path),
    MATCH("tick_hz", COUNT, match.tick_hz),
    MATCH("tick", COUNT, match.tick),
    MATCH("events", COUNT, match.events),
    MATCH("round", COUNT, match.round),
    MATCH("phase", COUNT, match.phase),
    MATCH("paused", COUNT, match.paused),
    MATCH("has_end", FLAG, match.has_end),
    MATCH("left_ticks", COUNT, match.left_ticks),
    MATCH("score_limit", COUNT, match.score_limit),
    MATCH("played_ticks", COUNT, match.played_ticks),
    MATCH("start_ms", TIME, match.start_ms),
    MATCH("vote", TEXT, match.vote),
    MATCH("omitted", COUNT, match.omitted),
    {players_key, OTHER, 0, 0},
    {departed_key, OTHER, 0, 0},
    {digest_key, OTHER, 0, 0},
    {NULL, OTHER, 0, 0},
};

static const struct row player_rows[] = {
    PLAYER("name", TEXT, name),
    PLAYER("subject", TEXT, subject),
    PLAYER("token", BYTES, token),
    PLAYER("id", COUNT, id),
    PLAYER("bot", FLAG, bot),
    PLAYER("muted", FLAG, muted),
    PLAYER("winner", FLAG, winner),
    PLAYER("score", COUNT, score),
    PLAYER("deaths", COUNT, deaths),
    PLAYER("shots", COUNT, shots),
    PLAYER("hits", COUNT, hits),
    PLAYER("played_ticks", COUNT, played_ticks),
    PLAYER("inputs_due", COUNT, inputs_due),
    PLAYER("inputs_missed", COUNT, inputs_missed),
    PLAYER("chat_debt_ticks", COUNT, chat_debt_ticks),
    PLAYER("address", BYTES, address),
    PLAYER("scope", COUNT, scope),
    PLAYER("port", COUNT, port),
    {NULL, OTHER, 0, 0},
};

// Of members that a document lacks.
static const struct portable_checkpoint defaults = {
    .format = PORTABLE_CHECKPOINT_FORMAT,
    .match = {.tick_hz = 60, .round = 1, .phase = RAIM_PHASE_PLAY},
};

size_t portable_checkpoint_size(uint32_t rows)
{
    return sizeof(struct portable_checkpoint) + rows * sizeof(struct raim_portable_player);
}

uint32_t portable_checkpoint_rows(const struct portable_checkpoint *saved)
{
    return saved->match.players + saved->match.departed;
}

bool portable_checkpoint_path(const char *directory, const char *arena,
                              char path[CHECKPOINT_PATH_BYTES])
{
    return snprintf(path, CHECKPOINT_PATH_BYTES, "%s/%s.match", directory, arena) <
           CHECKPOINT_PATH_BYTES;
}

// Two digits a byte, and a NUL.
static void print_hex(const uint8_t *bytes, size_t size, char *digits)
{
    *digits = '\0';
    for (size_t i = 0; i < size; i++)
        sprintf(digits + 2 * i, "%02x", bytes[i]);
}

static bool read_hex(const char *digits, uint8_t *bytes, size_t size)
{
    static const char values[] = "0123456789abcdef";
    if (strlen(digits) != 2 * size || strspn(digits, values) != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((strchr(values, digits[2 * i]) - values) << 4 |
                             (strchr(values, digits[2 * i + 1]) - values));
    return true;
}

// By which the members of a player that are not known are kept.
static void print_key(const struct raim_portable_player *player, bool has_left,
                      char key[2 * RAIM_TOKEN_BYTES + 1])
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    static_assert(sizeof player->name <= 2 * RAIM_TOKEN_BYTES, "the key has room for a name");
    if (memcmp(player->token, none, sizeof none) != 0)
        print_hex(player->token, sizeof player->token, key);
    else
        sprintf(key, "%s%s", has_left ? "-" : "", player->name);
}

// --- Writing ---

static void write_row(struct json_writer *json, const struct row *row, const uint8_t *from)
{
    char digits[2 * sizeof((struct raim_portable_player *)0)->address + 1];
    int64_t time;
    uint32_t count;
    switch (row->kind) {
    case COUNT:
        memcpy(&count, from, sizeof count);
        json_write_count(json, row->key, count);
        break;
    case TIME:
        memcpy(&time, from, sizeof time);
        json_write_number(json, row->key, time);
        break;
    case FLAG:
        json_write_flag(json, row->key, *(const bool *)from);
        break;
    case TEXT:
        json_write_text(json, row->key, (const char *)from);
        break;
    case BYTES:
        print_hex(from, row->size, digits);
        json_write_text(json, row->key, digits);
        break;
    case OTHER:
        break;
    }
}

// Writes the members of an object, and those that are kept; NULL: none.
static void write_rows(struct json_writer *json, const struct row *rows, const void *from,
                       json_t *kept)
{
    const char *key;
    json_t *value;
    for (const struct row *row = rows; row->key != NULL; row++)
        write_row(json, row, (const uint8_t *)from + row->at);
    json_object_foreach(kept, key, value)
    {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        json_write_document(json, key, text);
        free(text);
    }
}

static void write_players(struct json_writer *json, const char *name,
                          const struct raim_portable_player *players, uint32_t count, json_t *kept)
{
    char key[2 * RAIM_TOKEN_BYTES + 1];
    json_begin_array(json, name);
    for (uint32_t i = 0; i < count; i++) {
        print_key(&players[i], strcmp(name, departed_key) == 0, key);
        json_begin_object(json, NULL);
        write_rows(json, player_rows, &players[i], json_object_get(kept, key));
        json_write_end(json);
    }
    json_write_end(json);
}

static void write_digest(struct json_writer *json)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016" PRIx64, raim_digest(json->out.text, json->out.size));
    json_write_text(json, digest_key, digits);
}

char *portable_checkpoint_encode(const char *block, size_t *size)
{
    struct json_writer json = {0};
    const struct portable_checkpoint *saved = (const struct portable_checkpoint *)block;
    const size_t behind = portable_checkpoint_size(portable_checkpoint_rows(saved));
    json_t *kept = *size > behind ? json_loadb(block + behind, *size - behind, 0, NULL) : NULL;
    json_begin_object(&json, NULL);
    write_rows(&json, match_rows, saved, json_object_get(kept, "match"));
    json_t *kept_players = json_object_get(kept, players_key);
    write_players(&json, players_key, saved->rows, saved->match.players, kept_players);
    write_players(&json, departed_key, saved->rows + saved->match.players, saved->match.departed,
                  kept_players);
    write_digest(&json);
    json_write_end(&json);
    *size = json.out.size;
    json_decref(kept);
    return json_write_take(&json);
}

// --- Reading ---

static bool read_integer(const json_t *value, int64_t most, int64_t *number)
{
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= 0 && *number <= most;
}

static bool read_row(const struct row *row, const json_t *value, uint8_t *into)
{
    const char *text = json_string_value(value);
    int64_t number;
    switch (row->kind) {
    case COUNT:
        if (!read_integer(value, UINT32_MAX, &number))
            return false;
        memcpy(into, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
        return true;
    case TIME:
        if (!read_integer(value, INT64_MAX, &number))
            return false;
        memcpy(into, &number, sizeof number);
        return true;
    case FLAG:
        *(bool *)into = json_is_true(value);
        return json_is_boolean(value);
    case TEXT:
        return text != NULL && snprintf((char *)into, row->size, "%s", text) < (int)row->size;
    case BYTES:
        return text != NULL && read_hex(text, into, row->size);
    case OTHER:
        break;
    }
    return true;
}

static bool is_known(const struct row *rows, const char *key)
{
    while (rows->key != NULL && strcmp(rows->key, key) != 0)
        rows++;
    return rows->key != NULL;
}

static bool read_rows(const struct row *rows, const json_t *object, void *into)
{
    for (const struct row *row = rows; row->key != NULL; row++) {
        const json_t *value = json_object_get(object, row->key);
        if (value != NULL && !read_row(row, value, (uint8_t *)into + row->at))
            return false;
    }
    return json_is_object(object);
}

// Adds the members of an object that are not known, under a name, if there are any.
static bool keep_unknown(json_t *kept, const char *name, const struct row *rows, json_t *object)
{
    const char *key;
    json_t *value, *unknown = json_object();
    bool good = unknown != NULL;
    json_object_foreach(object, key, value)
    {
        if (good && !is_known(rows, key))
            good = json_object_set(unknown, key, value) == 0;
    }
    if (good && json_object_size(unknown) > 0)
        good = json_object_set(kept, name, unknown) == 0;
    json_decref(unknown);
    return good;
}

static bool read_players(const json_t *list, bool has_left, struct raim_portable_player *players,
                         json_t *kept)
{
    char key[2 * RAIM_TOKEN_BYTES + 1];
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *object = json_array_get(list, i);
        if (!read_rows(player_rows, object, &players[i]))
            return false;
        print_key(&players[i], has_left, key);
        if (!keep_unknown(kept, key, player_rows, object))
            return false;
    }
    return true;
}

static struct portable_checkpoint *read_document(json_t *document, json_t *kept, const char **why)
{
    const json_t *list = json_object_get(document, players_key);
    const json_t *departed = json_object_get(document, departed_key);
    const size_t count = json_array_size(list), gone = json_array_size(departed);
    struct portable_checkpoint *saved =
        count <= RAIM_MAX_PLAYERS && gone <= RAIM_MAX_PLAYERS
            ? calloc(1, portable_checkpoint_size((uint32_t)(count + gone)))
            : NULL;
    if (saved == NULL)
        return NULL;
    *saved = defaults;
    saved->match.players = (uint32_t)count;
    saved->match.departed = (uint32_t)gone;
    json_t *players = json_object();
    const bool good = read_rows(match_rows, document, saved) &&
                      keep_unknown(kept, "match", match_rows, document) &&
                      read_players(list, false, saved->rows, players) &&
                      read_players(departed, true, saved->rows + count, players) &&
                      json_object_set(kept, players_key, players) == 0;
    if (saved->format > PORTABLE_CHECKPOINT_FORMAT)
        *why = "it is of a newer version";
    if (json_object_size(players) == 0)
        json_object_del(kept, players_key);
    json_decref(players);
    if (good && saved->format <= PORTABLE_CHECKPOINT_FORMAT)
        return saved;
    free(saved);
    return NULL;
}

static bool has_digest(const char *text, size_t size)
{
    char end[32];
    const size_t length = sizeof ",\"digest\":\"0123456789abcdef\"}" - 1;
    if (size < length)
        return false;
    snprintf(end, sizeof end, ",\"%s\":\"%016" PRIx64 "\"}", digest_key,
             raim_digest(text, size - length));
    return memcmp(text + size - length, end, length) == 0;
}

struct portable_checkpoint *portable_checkpoint_decode(const char *text, size_t size, char **kept,
                                                       const char **why)
{
    *kept = NULL;
    *why = "it is damaged";
    json_t *document =
        has_digest(text, size) ? json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    json_t *unknown = json_object();
    struct portable_checkpoint *saved =
        document != NULL && unknown != NULL ? read_document(document, unknown, why) : NULL;
    if (saved != NULL && json_object_size(unknown) > 0)
        *kept = json_dumps(unknown, JSON_COMPACT);
    json_decref(unknown);
    json_decref(document);
    return saved;
}

struct portable_checkpoint *portable_checkpoint_read(const char *path, char **kept,
                                                     const char **why)
{
    struct stat status = {0};
    struct portable_checkpoint *saved = NULL;
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SECRET, why);
    *kept = NULL;
    if (file < 0) {
        *why = errno == ENOENT ? NULL : *why;
        return NULL;
    }
    const bool fits = fstat(file, &status) == 0 && status.st_size <= MAX_FILE_BYTES;
    char *text = fits ? malloc((size_t)status.st_size + 1) : NULL;
    const ssize_t size = text != NULL ? read(file, text, (size_t)status.st_size) : -1;
    *why = "it cannot be read";
    if (size >= 0)
        saved = portable_checkpoint_decode(text, (size_t)size, kept, why);
    free(text);
    close(file);
    return saved;
}
