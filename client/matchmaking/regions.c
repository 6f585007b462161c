// SPDX-License-Identifier: MIT
// Measures the pings to a matchmaker's regions. Reads its answer with jansson.
#include "regions.h"

#include "http_request.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
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

struct regions_measurement {
    struct regions *regions;
    struct http_request *asked; // for the regions; NULL: answered
    int handshakes;             // that are still to be made with each region
    bool is_left_out[REGIONS_MAX];
    struct http_request *requests[REGIONS_MAX]; // a handshake with each
};

// Each region is shaken hands with at once. One that fails once is left out.
static void begin_handshakes(struct regions_measurement *measurement)
{
    const struct regions *regions = measurement->regions;
    for (int i = 0; i < regions->count; i++) {
        char url[sizeof regions->list[i].address + 8];
        snprintf(url, sizeof url, "http://%s", regions->list[i].address);
        const struct http_request_def def = {
            .url = url, .timeout_ms = HANDSHAKE_MS, .avoids_proxy = true, .only_connects = true};
        if (!measurement->is_left_out[i])
            measurement->requests[i] = http_request_begin(&def);
    }
}

static void end_handshakes(struct regions_measurement *measurement)
{
    for (int i = 0; i < measurement->regions->count; i++) {
        struct http_request *request = measurement->requests[i];
        struct region *region = &measurement->regions->list[i];
        const bool is_good = request != NULL && http_request_poll(request) == HTTP_REQUEST_ANSWERED;
        const double ms = is_good ? http_request_connect_ms(request) : 0;
        if (is_good && (region->ping_ms < 0 || ms < region->ping_ms))
            region->ping_ms = ms;
        measurement->is_left_out[i] = !is_good;
        http_request_destroy(request);
        measurement->requests[i] = NULL;
    }
}

struct regions_measurement *regions_begin(const char *url, struct regions *regions)
{
    char path[640];
    struct regions_measurement *measurement = calloc(1, sizeof *measurement);
    if (measurement == NULL)
        return NULL;
    *regions = (struct regions){0};
    measurement->regions = regions;
    snprintf(path, sizeof path, "%s/v1/regions", url);
    const struct http_request_def def = {.url = path, .max_bytes = MAX_BYTES, .timeout_ms = ASK_MS};
    measurement->asked = http_request_begin(&def);
    return measurement;
}

void regions_end(struct regions_measurement *measurement)
{
    if (measurement == NULL)
        return;
    http_request_destroy(measurement->asked);
    for (int i = 0; i < REGIONS_MAX; i++)
        http_request_destroy(measurement->requests[i]);
    free(measurement);
}

// A request that has not ended yet, which its own timeout ensures; NULL: none.
static struct http_request *find_pending(const struct regions_measurement *measurement)
{
    struct http_request *asked = measurement->asked;
    if (asked != NULL && http_request_poll(asked) == HTTP_REQUEST_PENDING)
        return asked;
    struct http_request *pending = NULL;
    for (int i = 0; i < measurement->regions->count; i++) {
        struct http_request *request = measurement->requests[i];
        if (request != NULL && http_request_poll(request) == HTTP_REQUEST_PENDING)
            pending = request;
    }
    return pending;
}

static void take_answer(struct regions_measurement *measurement)
{
    struct http_request *asked = measurement->asked;
    if (http_request_poll(asked) == HTTP_REQUEST_ANSWERED &&
        http_request_status(asked) == HTTP_OK) {
        size_t size;
        const char *body = http_request_body(asked, &size);
        if (regions_read(body, size, measurement->regions))
            measurement->handshakes = HANDSHAKES;
    }
    http_request_destroy(asked);
    measurement->asked = NULL;
}

bool regions_poll(struct regions_measurement *measurement)
{
    if (find_pending(measurement) != NULL)
        return false;
    if (measurement->asked != NULL)
        take_answer(measurement);
    else
        end_handshakes(measurement);
    if (measurement->handshakes == 0)
        return true;
    measurement->handshakes--;
    begin_handshakes(measurement);
    return false;
}

void regions_measure(const char *url, struct regions *regions)
{
    struct regions_measurement *measurement = regions_begin(url, regions);
    while (measurement != NULL && !regions_poll(measurement)) {
        struct http_request *pending = find_pending(measurement);
        if (pending != NULL)
            http_request_wait(pending, STEP_MS);
    }
    regions_end(measurement);
}
