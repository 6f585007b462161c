// SPDX-License-Identifier: MIT
// Queues at a matchmaker. Reads its answers with jansson.
#include "matchmaker.h"

#include "http_request.h"
#include "message.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A request of a ticket is answered when an arena is found, or after WAIT_S.
enum { WAIT_S = 2, TIMEOUT_MS = 6000, HTTP_OK = 200, HTTP_ACCEPTED = 202, HTTP_NOT_FOUND = 404 };

// Of an answer. An arena's takes at most 1 kB; parsed, the same bytes can take 40 times as much.
enum { MAX_BYTES = 16 * 1024 };

// After a failure: doubled from the first to the longest wait. The first is also the shortest time
// between two requests for a ticket, should the matchmaker answer at once that it has no room.
static const double first_wait_s = 0.25, longest_wait_s = 4;

struct matchmaker {
    char url[512];
    char player[128];
    const struct regions *regions;
    struct http_request *request;    // NULL: none is under way
    struct matchmaker_answer ticket; // id "": there is none
    double asked_s, next_s, wait_s;
    char problem[MATCHMAKER_PROBLEM_BYTES];
};

struct matchmaker *matchmaker_queue(const char *url, const char *player,
                                    const struct regions *regions)
{
    struct matchmaker *matchmaker = calloc(1, sizeof *matchmaker);
    if (matchmaker == NULL)
        return NULL;
    snprintf(matchmaker->url, sizeof matchmaker->url, "%s", url);
    snprintf(matchmaker->player, sizeof matchmaker->player, "%s", player);
    matchmaker->regions = regions;
    matchmaker->wait_s = first_wait_s;
    return matchmaker;
}

void matchmaker_close(struct matchmaker *matchmaker)
{
    if (matchmaker == NULL)
        return;
    http_request_destroy(matchmaker->request);
    free(matchmaker);
}

// The body that asks for a ticket. NULL when memory runs out, or for a name that is no UTF-8.
static char *ticket_body(const struct matchmaker *matchmaker)
{
    json_t *pings = json_object();
    for (int i = 0; i < matchmaker->regions->count; i++) {
        const struct region *region = &matchmaker->regions->list[i];
        if (region->ping_ms >= 0)
            json_object_set_new(pings, region->name, json_real(region->ping_ms));
    }
    json_t *body = json_pack("{s:s, s:o}", "player", matchmaker->player, "pings", pings);
    char *json = json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(body);
    return json;
}

static void begin_request(struct matchmaker *matchmaker)
{
    char url[640];
    char *json = NULL;
    if (matchmaker->ticket.id[0] != '\0') {
        snprintf(url, sizeof url, "%s/v1/tickets/%s?wait=%d", matchmaker->url,
                 matchmaker->ticket.id, WAIT_S);
    } else {
        snprintf(url, sizeof url, "%s/v1/tickets", matchmaker->url);
        json = ticket_body(matchmaker);
        if (json == NULL)
            return; // out of memory: the caller tries again
    }
    const struct http_request_def def = {
        .url = url, .json = json, .max_bytes = MAX_BYTES, .timeout_ms = TIMEOUT_MS};
    matchmaker->request = http_request_begin(&def);
    free(json);
}

static void fail(struct matchmaker *matchmaker, const char *problem, double now_s)
{
    snprintf(matchmaker->problem, sizeof matchmaker->problem, "%s", problem);
    matchmaker->next_s = now_s + matchmaker->wait_s;
    matchmaker->wait_s *= 2;
    if (matchmaker->wait_s > longest_wait_s)
        matchmaker->wait_s = longest_wait_s;
}

static void take_answer(struct matchmaker *matchmaker, double now_s)
{
    char problem[64];
    size_t size;
    const bool had_ticket = matchmaker->ticket.id[0] != '\0';
    const long status = http_request_status(matchmaker->request);
    const char *body = http_request_body(matchmaker->request, &size);
    if (status == HTTP_NOT_FOUND)
        matchmaker->ticket.id[0] = '\0'; // it has expired, or the matchmaker was started again
    if (status != HTTP_OK && status != HTTP_ACCEPTED) {
        snprintf(problem, sizeof problem, "the matchmaker answers with status %ld", status);
        fail(matchmaker, problem, now_s);
    } else if (!matchmaker_read(body, size, &matchmaker->ticket)) {
        matchmaker->ticket.id[0] = '\0';
        fail(matchmaker, "the answer is not that of a matchmaker", now_s);
    } else {
        matchmaker->problem[0] = '\0';
        matchmaker->wait_s = first_wait_s;
        matchmaker->next_s = had_ticket ? matchmaker->asked_s + first_wait_s : now_s;
    }
}

const struct matchmaker_arena *matchmaker_poll(struct matchmaker *matchmaker, double now_s)
{
    if (matchmaker->ticket.is_placed)
        return &matchmaker->ticket.arena;
    if (matchmaker->request == NULL && now_s >= matchmaker->next_s) {
        begin_request(matchmaker);
        matchmaker->asked_s = now_s;
        if (matchmaker->request == NULL)
            fail(matchmaker, "the request cannot be made", now_s);
    }
    if (matchmaker->request == NULL)
        return NULL;
    switch (http_request_poll(matchmaker->request)) {
    case HTTP_REQUEST_PENDING:
        return NULL;
    case HTTP_REQUEST_ANSWERED:
        take_answer(matchmaker, now_s);
        break;
    case HTTP_REQUEST_FAILED:
        fail(matchmaker, http_request_problem(matchmaker->request), now_s);
        break;
    }
    http_request_destroy(matchmaker->request);
    matchmaker->request = NULL;
    return matchmaker->ticket.is_placed ? &matchmaker->ticket.arena : NULL;
}

const char *matchmaker_problem(const struct matchmaker *matchmaker)
{
    return matchmaker->problem;
}

bool matchmaker_requeues(uint32_t reason)
{
    switch (reason) {
    case RAIM_REASON_VERSION:
    case RAIM_REASON_NAME:
    case RAIM_REASON_MALFORMED:
    case RAIM_REASON_KICKED:
    case RAIM_REASON_BANNED:
    case RAIM_REASON_IDLE:
    case RAIM_REASON_PASSWORD:
        return false;
    default:
        return true;
    }
}

// Copies a string of at most `capacity` - 1 bytes; false for anything else.
static bool copy_string(char *to, size_t capacity, const json_t *value)
{
    const char *text = json_string_value(value);
    if (text == NULL || strlen(text) != json_string_length(value) || strlen(text) >= capacity)
        return false;
    memcpy(to, text, strlen(text) + 1);
    return true;
}

#define ID_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

static bool is_made_of(const char *text, const char *characters)
{
    return text[0] != '\0' && text[strspn(text, characters)] == '\0';
}

static bool read_arena(const json_t *root, struct matchmaker_arena *arena)
{
    const json_t *access = json_object_get(root, "access");
    const json_int_t port = json_integer_value(json_object_get(root, "port"));
    if (!copy_string(arena->address, sizeof arena->address, json_object_get(root, "address")) ||
        !is_made_of(arena->address, ID_CHARACTERS ".:") || port < 1 || port > UINT16_MAX)
        return false;
    arena->port = (uint16_t)port;
    arena->access[0] = '\0';
    return access == NULL || json_is_null(access) ||
           copy_string(arena->access, sizeof arena->access, access);
}

bool matchmaker_read(const char *text, size_t size, struct matchmaker_answer *answer)
{
    json_t *root = size > 0 ? json_loadb(text, size, 0, NULL) : NULL;
    const char *state = json_string_value(json_object_get(root, "state"));
    *answer = (struct matchmaker_answer){0};
    bool good = state != NULL &&
                copy_string(answer->id, sizeof answer->id, json_object_get(root, "id")) &&
                is_made_of(answer->id, ID_CHARACTERS); // it is part of a URL
    if (good && strcmp(state, "placed") == 0) {
        good = read_arena(root, &answer->arena);
        answer->is_placed = good;
    }
    json_decref(root);
    return good;
}
