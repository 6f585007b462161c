// SPDX-License-Identifier: MIT
// Measures the pings to a matchmaker's regions. Reads its answer with jansson.
#include "regions.h"

#include "http_request.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

enum {
    HANDSHAKES = 3,
    ASK_MS = 1000,
    HANDSHAKE_MS = 500,
    STEP_MS = 1,
    HTTP_OK = 200,
    MAX_BYTES = 16 * 1024
};

// Letters, digits and what an address needs besides, so that nothing else gets into a URL.
static bool is_address(const char *text)
{
    const char *allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
    return strchr(text, ':') != NULL && text[strspn(text, allowed)] == '\0';
}

static bool read_region(const char *name, const json_t *value, struct region *region)
{
    const char *address = json_string_value(value);
    if (address == NULL || strlen(address) != json_string_length(value) || !is_address(address) ||
        strlen(address) >= sizeof region->address || strlen(name) >= sizeof region->name)
        return false;
    strcpy(region->name, name);
    strcpy(region->address, address);
    region->ping_ms = -1;
    return true;
}

bool regions_read(const char *text, size_t size, struct regions *regions)
{
    json_t *root = size > 0 ? json_loadb(text, size, 0, NULL) : NULL;
    json_t *object = json_object_get(root, "regions");
    bool good = json_is_object(object) && json_object_size(object) <= REGIONS_MAX;
    *regions = (struct regions){0};
    for (void *at = good ? json_object_iter(object) : NULL; good && at != NULL;
         at = json_object_iter_next(object, at))
        good = read_region(json_object_iter_key(at), json_object_iter_value(at),
                           &regions->list[regions->count++]);
    if (!good)
        regions->count = 0;
    json_decref(root);
    return good;
}

// Waits for the end of a request, which its own timeout ensures. Takes NULL.
static bool wait_for_answer(struct http_request *request)
{
    while (request != NULL && http_request_poll(request) == HTTP_REQUEST_PENDING)
        http_request_wait(request, STEP_MS);
    return request != NULL && http_request_poll(request) == HTTP_REQUEST_ANSWERED;
}

static bool ask(const char *url, struct regions *regions)
{
    char path[640];
    size_t size;
    snprintf(path, sizeof path, "%s/v1/regions", url);
    const struct http_request_def def = {.url = path, .max_bytes = MAX_BYTES, .timeout_ms = ASK_MS};
    struct http_request *request = http_request_begin(&def);
    bool good = wait_for_answer(request) && http_request_status(request) == HTTP_OK;
    if (good) {
        const char *body = http_request_body(request, &size);
        good = regions_read(body, size, regions);
    }
    http_request_destroy(request);
    return good;
}

static struct http_request *begin_handshake(const struct region *region)
{
    char url[sizeof region->address + 8];
    snprintf(url, sizeof url, "http://%s", region->address);
    const struct http_request_def def = {
        .url = url, .timeout_ms = HANDSHAKE_MS, .avoids_proxy = true, .only_connects = true};
    return http_request_begin(&def);
}

// Makes one handshake with every region at once. A region that fails once is left out.
static void shake_hands(struct regions *regions, bool is_left_out[REGIONS_MAX])
{
    struct http_request *requests[REGIONS_MAX] = {NULL};
    for (int i = 0; i < regions->count; i++)
        if (!is_left_out[i])
            requests[i] = begin_handshake(&regions->list[i]);
    for (struct http_request *pending = NULL;; http_request_wait(pending, STEP_MS)) {
        pending = NULL;
        for (int i = 0; i < regions->count; i++)
            if (requests[i] != NULL && http_request_poll(requests[i]) == HTTP_REQUEST_PENDING)
                pending = requests[i];
        if (pending == NULL)
            break;
    }
    for (int i = 0; i < regions->count; i++) {
        struct region *region = &regions->list[i];
        is_left_out[i] =
            requests[i] == NULL || http_request_poll(requests[i]) != HTTP_REQUEST_ANSWERED;
        const double ms = is_left_out[i] ? 0 : http_request_connect_ms(requests[i]);
        if (!is_left_out[i] && (region->ping_ms < 0 || ms < region->ping_ms))
            region->ping_ms = ms;
        http_request_destroy(requests[i]);
    }
}

void regions_measure(const char *url, struct regions *regions)
{
    bool is_left_out[REGIONS_MAX] = {false};
    *regions = (struct regions){0};
    if (!ask(url, regions))
        return;
    for (int i = 0; i < HANDSHAKES && regions->count > 0; i++)
        shake_hands(regions, is_left_out);
}
