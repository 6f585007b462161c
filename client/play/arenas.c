// SPDX-License-Identifier: MIT
// Requests a server's status with libcurl and reads it with jansson. No other file of the program
// includes either.
#include "arenas.h"

#include <curl/curl.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Limits for an answer; the status of 256 full arenas is smaller.
enum { MOST_BYTES = 32 << 20, TIMEOUT_MS = 4000 };

struct arenas {
    CURLM *multi;
    CURL *easy;
    enum arenas_state state;
    char *bytes;
    size_t size, capacity;
    char problem[CURL_ERROR_SIZE];
    int count;
    struct arenas_row rows[ARENAS_MOST];
};

// --- the request ---

static size_t receive(char *data, size_t one, size_t size, void *user)
{
    (void)one; // always 1
    struct arenas *arenas = user;
    if (size > MOST_BYTES - arenas->size)
        return 0;
    if (arenas->size + size > arenas->capacity) {
        const size_t capacity = 2 * (arenas->size + size);
        char *bytes = realloc(arenas->bytes, capacity);
        if (bytes == NULL)
            return 0;
        arenas->bytes = bytes;
        arenas->capacity = capacity;
    }
    memcpy(arenas->bytes + arenas->size, data, size);
    arenas->size += size;
    return size;
}

struct arenas *arenas_ask(const char *host)
{
    char url[320];
    struct arenas *arenas = calloc(1, sizeof *arenas);
    if (arenas == NULL)
        return NULL;
    snprintf(url, sizeof url, "http://%s:%d/status", host, ARENAS_STATUS_PORT);
    arenas->multi = curl_multi_init();
    arenas->easy = curl_easy_init();
    if (arenas->multi == NULL || arenas->easy == NULL)
        goto failed;
    curl_easy_setopt(arenas->easy, CURLOPT_URL, url);
    curl_easy_setopt(arenas->easy, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(arenas->easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(arenas->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(arenas->easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(arenas->easy, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
    curl_easy_setopt(arenas->easy, CURLOPT_ERRORBUFFER, arenas->problem);
    curl_easy_setopt(arenas->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(arenas->easy, CURLOPT_WRITEDATA, arenas);
    if (curl_multi_add_handle(arenas->multi, arenas->easy) != CURLM_OK)
        goto failed;
    return arenas;

failed:
    arenas_destroy(arenas);
    return NULL;
}

void arenas_destroy(struct arenas *arenas)
{
    if (arenas == NULL)
        return;
    if (arenas->multi != NULL && arenas->easy != NULL)
        curl_multi_remove_handle(arenas->multi, arenas->easy);
    curl_easy_cleanup(arenas->easy);
    curl_multi_cleanup(arenas->multi);
    free(arenas->bytes);
    free(arenas);
}

static void fail(struct arenas *arenas, const char *problem)
{
    arenas->state = ARENAS_FAILED;
    if (arenas->problem[0] == '\0')
        snprintf(arenas->problem, sizeof arenas->problem, "%s", problem);
}

static void finish(struct arenas *arenas, CURLcode code)
{
    if (code != CURLE_OK) {
        fail(arenas, curl_easy_strerror(code));
        return;
    }
    arenas->count = arenas_read(arenas->bytes, arenas->size, arenas->rows);
    if (arenas->count < 0)
        fail(arenas, "the answer is not the status of a raimd");
    else
        arenas->state = ARENAS_KNOWN;
}

enum arenas_state arenas_poll(struct arenas *arenas)
{
    int running = 0, left = 0;
    if (arenas->state != ARENAS_ASKING)
        return arenas->state;
    if (curl_multi_perform(arenas->multi, &running) != CURLM_OK)
        fail(arenas, "out of memory");
    const CURLMsg *message = curl_multi_info_read(arenas->multi, &left);
    if (message != NULL && message->msg == CURLMSG_DONE)
        finish(arenas, message->data.result);
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

// --- the answer ---

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
    for (size_t i = 0; i < json_array_size(arenas) && count < ARENAS_MOST; i++) {
        if (!read_row(json_array_get(arenas, i), &rows[count])) {
            count = -1;
            break;
        }
        count++;
    }
    json_decref(root);
    return count;
}
