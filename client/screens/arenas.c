// SPDX-License-Identifier: MIT
// Requests a server's status and reads it with jansson.
#include "arenas.h"

#include "host_address.h"
#include "http_request.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_MS = 4000, MAX_BYTES = 8 << 20, HTTP_OK = 200 };

struct arenas {
    struct http_request *request;
    enum arenas_state state;
    char problem[128];
    int count;
    struct arenas_row rows[ARENAS_MAX];
};

struct arenas *arenas_ask(const char *host)
{
    char url[320], address[300];
    struct arenas *arenas = calloc(1, sizeof *arenas);
    if (arenas == NULL)
        return NULL;
    raim_host_address_print(host, ARENAS_STATUS_PORT, address, sizeof address);
    snprintf(url, sizeof url, "http://%s/status", address);
    arenas->request = http_request_begin(&(struct http_request_def){
        .url = url, .max_bytes = MAX_BYTES, .timeout_ms = TIMEOUT_MS, .avoids_proxy = true});
    if (arenas->request == NULL) {
        arenas_destroy(arenas);
        return NULL;
    }
    return arenas;
}

void arenas_destroy(struct arenas *arenas)
{
    if (arenas == NULL)
        return;
    http_request_destroy(arenas->request);
    free(arenas);
}

static void fail(struct arenas *arenas, const char *problem)
{
    arenas->state = ARENAS_FAILED;
    snprintf(arenas->problem, sizeof arenas->problem, "%s", problem);
}

static void finish(struct arenas *arenas)
{
    size_t size;
    const char *body = http_request_body(arenas->request, &size);
    const bool is_good = http_request_status(arenas->request) == HTTP_OK;
    arenas->count = is_good ? arenas_read(body, size, arenas->rows) : -1;
    if (arenas->count < 0)
        fail(arenas, "the answer is not the status of a raimd");
    else
        arenas->state = ARENAS_KNOWN;
}

enum arenas_state arenas_poll(struct arenas *arenas)
{
    if (arenas->state != ARENAS_ASKING)
        return arenas->state;
    switch (http_request_poll(arenas->request)) {
    case HTTP_REQUEST_PENDING:
        break;
    case HTTP_REQUEST_ANSWERED:
        finish(arenas);
        break;
    case HTTP_REQUEST_FAILED:
        fail(arenas, http_request_problem(arenas->request));
        break;
    }
    return arenas->state;
}

int arenas_count(const struct arenas *arenas)
{
    return arenas->count;
}

const struct arenas_row *arenas_at(const struct arenas *arenas, int index)
{
    return &arenas->rows[index];
}

const char *arenas_problem(const struct arenas *arenas)
{
    return arenas->problem;
}

static void count_players(const json_t *players, struct arenas_row *row)
{
    for (size_t i = 0; i < json_array_size(players); i++) {
        const json_t *player = json_array_get(players, i);
        if (json_is_true(json_object_get(player, "bot")))
            row->bots++;
        else
            row->players++;
    }
}

static bool read_row(const json_t *arena, struct arenas_row *row)
{
    const char *name = json_string_value(json_object_get(arena, "name"));
    const char *map = json_string_value(json_object_get(arena, "map"));
    const json_int_t port = json_integer_value(json_object_get(arena, "port"));
    if (name == NULL || map == NULL || port < 1 || port > UINT16_MAX)
        return false;
    *row = (struct arenas_row){.port = (uint16_t)port};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->map, sizeof row->map, "%s", map);
    count_players(json_object_get(arena, "players"), row);
    return true;
}

int arenas_read(const char *status, size_t size, struct arenas_row *rows)
{
    json_t *root = size > 0 ? json_loadb(status, size, 0, NULL) : NULL;
    const json_t *arenas = json_object_get(root, "arenas");
    int count = json_is_array(arenas) ? 0 : -1;
    for (size_t i = 0; i < json_array_size(arenas) && count < ARENAS_MAX; i++) {
        if (!read_row(json_array_get(arenas, i), &rows[count])) {
            count = -1;
            break;
        }
        count++;
    }
    json_decref(root);
    return count;
}
