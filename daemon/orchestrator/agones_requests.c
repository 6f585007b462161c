// SPDX-License-Identifier: MIT
// Writes the requests to Agones' SDK server: https://agones.dev/site/docs/guides/client-sdks/rest/.
#define _GNU_SOURCE
#include "agones_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const agones_apis[AGONES_APIS] = {"v1beta1", "v1"};

static const struct {
    const char *name, *method, *path;
} calls[AGONES_KINDS] = {
    [AGONES_SHUTDOWN] = {"shutdown", "POST", "/shutdown"},
    [AGONES_HEALTH] = {"health", "POST", "/health"},
    [AGONES_WATCH] = {"watch", "GET", "/watch/gameserver"},
    [AGONES_GAMESERVER] = {"gameserver", "GET", "/gameserver"},
    [AGONES_READY] = {"ready", "POST", "/ready"},
    [AGONES_ALLOCATE] = {"allocate", "POST", "/allocate"},
    [AGONES_API] = {"version", "GET", ""},
    [AGONES_CAPACITY] = {"capacity", "PATCH", "/counters/" GAMESERVER_ARENAS},
    [AGONES_COUNT] = {"count", "PATCH", "/counters/" GAMESERVER_ARENAS},
    [AGONES_REMOVE] = {"arena-remove", "POST", "/lists/" GAMESERVER_ARENAS ":removeValue"},
    [AGONES_ADD] = {"arena-add", "POST", "/lists/" GAMESERVER_ARENAS ":addValue"},
    [AGONES_PLAYERS] = {"players", "PATCH", "/lists/" GAMESERVER_PLAYERS},
    [AGONES_LABEL] = {"label", "PUT", "/metadata/label"},
    [AGONES_REPORT] = {"annotation", "PUT", "/metadata/annotation"},
    [AGONES_AUDIT] = {"audit", "GET", "/counters/" GAMESERVER_ARENAS},
};

const char *agones_kind_name(enum agones_kind kind)
{
    return calls[kind].name;
}

bool agones_uses_api(enum agones_kind kind)
{
    return (kind >= AGONES_API && kind <= AGONES_PLAYERS) || kind == AGONES_AUDIT;
}

// A body that is being written. What does not fit is left out whole, by `mark` and `back`.
struct body {
    char *text;
    size_t size;
    bool is_full;
};

__attribute__((format(printf, 2, 3))) static void print(struct body *body, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size =
        vsnprintf(body->text + body->size, AGONES_BODY_BYTES - body->size, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= AGONES_BODY_BYTES - body->size) {
        body->text[body->size] = '\0';
        body->is_full = true;
    } else {
        body->size += (size_t)size;
    }
}

// Writes a string of JSON without its quotes; `depth` 2: inside of a string of JSON.
static void print_escaped(struct body *body, const char *text, int depth)
{
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            print(body, depth == 2 ? "\\\\\\%c" : "\\%c", byte);
        else if (byte < ' ' || byte == 0x7F)
            print(body, depth == 2 ? "\\\\u%04x" : "\\u%04x", byte);
        else
            print(body, "%c", byte);
    }
}

// Ends an element that was begun at `mark`: takes it back if it, or `closing` bytes, do not fit.
static bool has_ended(struct body *body, size_t mark, size_t closing)
{
    if (!body->is_full && AGONES_BODY_BYTES - body->size > closing)
        return true;
    body->size = mark;
    body->text[mark] = '\0';
    body->is_full = false;
    return false;
}

static void write_players(struct agones *agones, struct body *body)
{
    static const char end[] = "]}";
    const int64_t arena = agones->seen.player_capacity;
    print(body, "{\"values\":[");
    for (int i = 0; i < agones->name_count && i < arena; i++) {
        const size_t mark = body->size;
        print(body, i > 0 ? ",\"" : "\"");
        print_escaped(body, agones->names[i], 1);
        print(body, "\"");
        if (!has_ended(body, mark, sizeof end))
            break;
    }
    print(body, end);
    agones->sent_digest = agones_players_digest(agones);
}

// The port of the node that leads to a port of the pool: that of the GameServer's port
// "arena-PORT". Without such a port, as with portPolicy None, it is the pool's port.
static uint16_t public_port(const struct agones *agones, uint16_t port)
{
    char name[16];
    snprintf(name, sizeof name, "arena-%u", port);
    const uint16_t found = agones_port(agones, name);
    return found != 0 ? found : port;
}

// The arenas that run, by their ID, and those that failed of late.
static void write_report(struct agones *agones, struct body *body)
{
    static const char end[] = "}\"}";
    const char *comma = "";
    print(body, "{\"key\":\"raimd-arenas\",\"value\":\"{");
    for (int i = 0; i < AGONES_MAX_ARENAS; i++) {
        const struct agones_arena *arena = &agones->arenas[i];
        const size_t mark = body->size;
        if (arena->state == AGONES_ARENA_RUNNING) {
            print(body, "%s\\\"%s\\\":{\\\"port\\\":%u,\\\"name\\\":\\\"", comma, arena->id,
                  public_port(agones, arena->port));
            print_escaped(body, arena->name, 2);
            print(body, "\\\"}");
        } else if (arena->state == AGONES_ARENA_GONE && arena->problem[0] != '\0') {
            print(body, "%s\\\"%s\\\":{\\\"error\\\":\\\"", comma, arena->id);
            print_escaped(body, arena->problem, 2);
            print(body, "\\\"}");
        } else {
            continue;
        }
        if (!has_ended(body, mark, sizeof end))
            break;
        comma = ",";
    }
    print(body, end);
    agones->sent_digest = agones_arenas_digest(agones);
}

static void write_value(struct body *body, const char *value)
{
    print(body, "{\"value\":\"");
    print_escaped(body, value, 1);
    print(body, "\"}");
}

static void write_body(struct agones *agones, enum agones_kind kind, struct body *body)
{
    switch (kind) {
    case AGONES_CAPACITY:
        print(body, "{\"capacity\":\"%" PRId64 "\"}", agones->sent_number);
        break;
    case AGONES_COUNT:
        print(body, "{\"countDiff\":\"%" PRId64 "\"}", agones->sent_number);
        break;
    case AGONES_REMOVE:
    case AGONES_ADD:
        write_value(body, agones->subject->value);
        break;
    case AGONES_PLAYERS:
        if (agones->sends_values)
            write_value(body, agones->value);
        else
            write_players(agones, body);
        break;
    case AGONES_LABEL:
        print(body, "{\"key\":\"raimd-accepts\",\"value\":\"%s\"}",
              agones->sent_number != 0 ? "true" : "false");
        break;
    case AGONES_REPORT:
        write_report(agones, body);
        break;
    default:
        print(body, "{}"); // Health with an empty body is rejected
        break;
    }
}

// A counter or list that the GameServer has.
static const char *any_counter_or_list(const struct agones *agones)
{
    if (agones->seen.has_arena_counter)
        return "/counters/" GAMESERVER_ARENAS;
    return agones->seen.has_arena_list ? "/lists/" GAMESERVER_ARENAS : "/lists/" GAMESERVER_PLAYERS;
}

void agones_compose(struct agones *agones, enum agones_kind kind, struct agones_request *request)
{
    struct body body = {.text = agones->body};
    const bool has_body = calls[kind].method[0] != 'G';
    agones->body[0] = '\0';
    if (has_body)
        write_body(agones, kind, &body);
    const bool is_value = kind == AGONES_PLAYERS && agones->sends_values;
    const char *path = kind == AGONES_API ? any_counter_or_list(agones) : calls[kind].path;
    const char *verb = !is_value ? "" : agones->removes_value ? ":removeValue" : ":addValue";
    if (agones_uses_api(kind))
        snprintf(agones->path, sizeof agones->path, "/%s%s%s", agones_apis[agones->api], path,
                 verb);
    else
        snprintf(agones->path, sizeof agones->path, "%s", path);
    *request = (struct agones_request){.kind = kind,
                                       .method = is_value ? "POST" : calls[kind].method,
                                       .path = agones->path,
                                       .body = has_body ? agones->body : NULL};
}
