// SPDX-License-Identifier: MIT
// Reads a GameServer with jansson. The SDK server writes int64 as JSON strings and int32 as numbers
// (protobuf's JSON mapping); both are accepted for both.
#define _GNU_SOURCE
#include "gameserver.h"

#include <jansson.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char last_allocated_key[] = "agones.dev/last-allocated";

static const json_t *member(const json_t *object, const char *name)
{
    return object != NULL ? json_object_get(object, name) : NULL;
}

// Copies a string. False if it does not fit, is none or contains a NUL; an absent one is "".
static bool copy_text(const json_t *value, char *text, size_t capacity)
{
    text[0] = '\0';
    if (value == NULL || json_is_null(value))
        return true;
    const char *from = json_string_value(value);
    const size_t length = json_string_length(value);
    if (from == NULL || length >= capacity || strlen(from) != length)
        return false;
    memcpy(text, from, length + 1);
    return true;
}

// Reads an integer, or a string of decimal digits with an optional sign.
static bool read_integer(const json_t *value, int64_t *number)
{
    const char *text = json_string_value(value);
    char *end;
    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        return true;
    }
    if (text == NULL || text[strspn(text, "-0123456789")] != '\0' || text[0] == '\0')
        return false;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0';
}

// Reads an integer member. An absent one is 0, as in protobuf's JSON mapping.
static bool read_member(const json_t *object, const char *name, int64_t *number)
{
    const json_t *value = member(object, name);
    *number = 0;
    return value == NULL || json_is_null(value) || read_integer(value, number);
}

static bool is_true(const json_t *values, const char *key)
{
    const char *text = json_string_value(member(values, key));
    return text != NULL && strcmp(text, "false") != 0;
}

// Keeps the request for an arena, an object, as compact JSON without its "id". Anything else is
// kept as it is; the code that executes it rejects it.
static bool read_arena(struct gameserver *gameserver, const json_t *value)
{
    json_error_t error;
    const char *text = json_string_value(value);
    if (text == NULL)
        return true;
    json_t *request = json_loadb(text, json_string_length(value), 0, &error);
    if (!json_is_object(request) ||
        !copy_text(member(request, "id"), gameserver->arena_id, sizeof gameserver->arena_id)) {
        gameserver->arena_id[0] = '\0';
        gameserver->arena = strdup(text);
    } else {
        json_object_del(request, "id");
        gameserver->arena = json_dumps(request, JSON_COMPACT);
    }
    json_decref(request);
    return gameserver->arena != NULL;
}

static bool read_meta(struct gameserver *gameserver, const json_t *meta)
{
    const json_t *annotations = member(meta, "annotations");
    int64_t deleted;
    gameserver->is_drain_wanted = is_true(member(meta, "labels"), GAMESERVER_DRAIN_KEY) ||
                                  is_true(annotations, GAMESERVER_DRAIN_KEY);
    if (!read_arena(gameserver, member(annotations, GAMESERVER_ARENA_KEY)) ||
        !read_member(meta, "deletion_timestamp", &deleted))
        return false;
    gameserver->is_deleting = deleted != 0;
    return copy_text(member(meta, "name"), gameserver->name, sizeof gameserver->name) &&
           copy_text(member(annotations, last_allocated_key), gameserver->last_allocated,
                     sizeof gameserver->last_allocated);
}

static bool read_health(struct gameserver *gameserver, const json_t *health)
{
    int64_t period_s;
    if (!read_member(health, "period_seconds", &period_s) || period_s < 0 || period_s > INT32_MAX)
        return false;
    gameserver->health_is_disabled = json_is_true(member(health, "disabled"));
    gameserver->health_period_s = (uint32_t)period_s;
    return true;
}

static bool read_ports(struct gameserver *gameserver, const json_t *ports)
{
    for (size_t i = 0; i < json_array_size(ports) && i < GAMESERVER_MAX_PORTS; i++) {
        struct gameserver_port *port = &gameserver->ports[i];
        int64_t number;
        const json_t *value = json_array_get(ports, i);
        if (!copy_text(member(value, "name"), port->name, sizeof port->name) ||
            !read_member(value, "port", &number) || number < 1 || number > UINT16_MAX)
            return false;
        port->port = (uint16_t)number;
        gameserver->port_count++;
    }
    return true;
}

static bool read_counter(struct gameserver *gameserver, const json_t *counter)
{
    gameserver->has_arena_counter = json_is_object(counter);
    return read_member(counter, "count", &gameserver->arenas) &&
           read_member(counter, "capacity", &gameserver->arena_capacity) &&
           gameserver->arenas >= 0 && gameserver->arena_capacity >= 0;
}

static bool read_arenas(struct gameserver *gameserver, const json_t *list)
{
    const json_t *values = member(list, "values");
    gameserver->has_arena_list = json_is_object(list);
    for (size_t i = 0; i < json_array_size(values); i++) {
        if (gameserver->arena_value_count == GAMESERVER_MAX_ARENAS)
            break;
        char *value = gameserver->arena_values[gameserver->arena_value_count];
        gameserver->arena_value_count +=
            copy_text(json_array_get(values, i), value, GAMESERVER_VALUE_BYTES);
    }
    return read_member(list, "capacity", &gameserver->arena_list_capacity);
}

static bool read_players(struct gameserver *gameserver, const json_t *list)
{
    const json_t *values = member(list, "values");
    gameserver->has_player_list = json_is_object(list);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (value == NULL)
            continue;
        struct gameserver_players *players = &gameserver->players;
        players->digest += gameserver_digest(value);
        if (players->count < GAMESERVER_MAX_PLAYERS)
            players->count += copy_text(json_array_get(values, i), players->values[players->count],
                                        GAMESERVER_VALUE_BYTES);
    }
    return read_member(list, "capacity", &gameserver->player_capacity);
}

static bool read_status(struct gameserver *gameserver, const json_t *status)
{
    const json_t *lists = member(status, "lists");
    return copy_text(member(status, "state"), gameserver->state, sizeof gameserver->state) &&
           read_ports(gameserver, member(status, "ports")) &&
           read_counter(gameserver, member(member(status, "counters"), GAMESERVER_ARENAS)) &&
           read_arenas(gameserver, member(lists, GAMESERVER_ARENAS)) &&
           read_players(gameserver, member(lists, GAMESERVER_PLAYERS));
}

struct gameserver *gameserver_parse(const char *text, size_t size, const char **problem)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, 0, &error);
    const json_t *object = root;
    if (json_is_object(member(root, "result")))
        object = member(root, "result");
    if (!json_is_object(member(object, "object_meta")) ||
        !json_is_object(member(object, "status"))) {
        *problem = root == NULL ? "not JSON" : "not a GameServer";
        json_decref(root);
        return NULL;
    }
    struct gameserver *gameserver = calloc(1, sizeof *gameserver);
    *problem = "a value of the GameServer has a wrong type or range, or memory ran out";
    if (gameserver != NULL && (!read_meta(gameserver, member(object, "object_meta")) ||
                               !read_health(gameserver, member(member(object, "spec"), "health")) ||
                               !read_status(gameserver, member(object, "status")))) {
        gameserver_free(gameserver);
        gameserver = NULL;
    }
    json_decref(root);
    return gameserver;
}

void gameserver_free(struct gameserver *gameserver)
{
    if (gameserver == NULL)
        return;
    free(gameserver->arena);
    free(gameserver);
}

uint16_t gameserver_port(const struct gameserver *gameserver, const char *name)
{
    if (name[0] == '\0')
        return gameserver->port_count == 1 ? gameserver->ports[0].port : 0;
    for (int i = 0; i < gameserver->port_count; i++)
        if (strcmp(gameserver->ports[i].name, name) == 0)
            return gameserver->ports[i].port;
    return 0;
}

bool gameserver_parse_counter(const char *text, size_t size, int64_t *count)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, 0, &error);
    const bool is_counter = member(root, "count") != NULL && read_member(root, "count", count);
    json_decref(root);
    return is_counter;
}

void gameserver_parse_problem(const char *text, size_t size, char *problem, size_t capacity)
{
    json_error_t error;
    json_t *root = json_loadb(text != NULL ? text : "", size, 0, &error);
    const char *message = json_string_value(json_object_get(root, "message"));
    snprintf(problem, capacity, "%s", message != NULL ? message : "");
    json_decref(root);
}

uint64_t gameserver_digest(const char *value)
{
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    for (; *value != '\0'; value++)
        digest = (digest ^ (unsigned char)*value) * UINT64_C(0x100000001B3);
    return digest;
}

static bool keep_bytes(struct gameserver_stream *stream, const char *bytes, size_t size)
{
    size_t capacity = stream->capacity == 0 ? 4096 : stream->capacity;
    if (size > GAMESERVER_MAX_BYTES - stream->size)
        return false;
    while (capacity < stream->size + size)
        capacity *= 2;
    if (capacity != stream->capacity) {
        char *line = realloc(stream->line, capacity);
        if (line == NULL)
            return false;
        stream->line = line;
        stream->capacity = capacity;
    }
    if (size > 0)
        memcpy(stream->line + stream->size, bytes, size);
    stream->size += size;
    return true;
}

size_t gameserver_stream_take(struct gameserver_stream *stream, const char *bytes, size_t size,
                              const char **line, size_t *line_size)
{
    *line = NULL;
    if (stream->is_failed || size == 0)
        return 0;
    const char *end = memchr(bytes, '\n', size);
    const size_t taken = end != NULL ? (size_t)(end - bytes) : size;
    if (!keep_bytes(stream, bytes, taken)) {
        stream->is_failed = true;
        return 0;
    }
    if (end == NULL)
        return size;
    *line = stream->line;
    *line_size = stream->size;
    stream->size = 0;
    return taken + 1;
}

void gameserver_stream_clear(struct gameserver_stream *stream)
{
    free(stream->line);
    *stream = (struct gameserver_stream){0};
}
