// SPDX-License-Identifier: MIT
// Routes requests about rooms: collects the body, has rooms.h execute it, and sends the answer.
#define _GNU_SOURCE
#include "api.h"

#include "event_feed.h"
#include "http_answer.h"
#include "order_log.h"
#include "store.h"
#include "text_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOW_BYTES = 64 };

struct api {
    struct rooms *rooms;
    struct store *store;
    struct watcher stored;
    struct server_events *events; // NULL: none
    struct event_feed *feed;
    struct request *waiting; // executed and not yet answered, their connections are suspended
    bool is_ending;
};

// Executes a request of a route; `id` is "" for a route without one.
typedef void execute(struct rooms *rooms, const char *id, const struct text_buffer *body,
                     struct rooms_answer *answer);

struct route {
    const char *method, *path; // a path that ends in "/" is followed by an id
    execute *execute;          // NULL: the event stream
    const char *order;         // what it is called in the log; NULL: a query
};

struct request {
    struct request_memory memory;
    struct api *api;
    const struct route *route;
    char id[ROOMS_ID_BYTES];
    struct text_buffer body;
    bool is_executed;
    struct rooms_answer answer;
    uint64_t change; // of the store: the answer promises that it survives this process
    struct MHD_Connection *connection;
    struct request *next; // of those that wait
};

// --- Routes ---

static void execute_put(struct rooms *rooms, const char *id, const struct text_buffer *body,
                        struct rooms_answer *answer)
{
    rooms_create(rooms, id, body->text, body->size, answer);
}

static void execute_patch(struct rooms *rooms, const char *id, const struct text_buffer *body,
                          struct rooms_answer *answer)
{
    rooms_change(rooms, id, body->text, body->size, answer);
}

static void execute_delete(struct rooms *rooms, const char *id, const struct text_buffer *body,
                           struct rooms_answer *answer)
{
    rooms_end(rooms, id, body->text, body->size, answer);
}

static void execute_show(struct rooms *rooms, const char *id, const struct text_buffer *body,
                         struct rooms_answer *answer)
{
    (void)body;
    rooms_show(rooms, id, answer);
}

static void execute_list(struct rooms *rooms, const char *id, const struct text_buffer *body,
                         struct rooms_answer *answer)
{
    (void)id, (void)body;
    rooms_list(rooms, answer);
}

static void execute_templates(struct rooms *rooms, const char *id, const struct text_buffer *body,
                              struct rooms_answer *answer)
{
    (void)id, (void)body;
    rooms_templates(rooms, answer);
}

static void execute_capacity(struct rooms *rooms, const char *id, const struct text_buffer *body,
                             struct rooms_answer *answer)
{
    (void)id, (void)body;
    rooms_capacity(rooms, answer);
}

static const struct route routes[] = {
    {"GET", "/v1/arenas", execute_list, NULL},
    {"GET", "/v1/arenas/", execute_show, NULL},
    {"PUT", "/v1/arenas/", execute_put, "room/create"},
    {"PATCH", "/v1/arenas/", execute_patch, "room/change"},
    {"DELETE", "/v1/arenas/", execute_delete, "room/end"},
    {"GET", "/v1/templates", execute_templates, NULL},
    {"GET", "/v1/capacity", execute_capacity, NULL},
    {"GET", "/v1/events", NULL, NULL},
};

#define ROUTES (sizeof routes / sizeof *routes)

// Whether a path is that of a route; sets the id behind it.
static bool matches(const struct route *route, const char *path, const char **id)
{
    const size_t length = strlen(route->path);
    *id = "";
    if (route->path[length - 1] != '/')
        return strcmp(route->path, path) == 0;
    *id = path + length;
    return strncmp(route->path, path, length) == 0 && path[length] != '\0';
}

// Finds a route; NULL if there is none. `allow` lists the methods of the path, "" for none.
static const struct route *find_route(const char *path, const char *method, const char **id,
                                      char allow[ALLOW_BYTES])
{
    const struct route *found = NULL;
    const char *its_id;
    allow[0] = '\0';
    for (size_t i = 0; i < ROUTES; i++) {
        if (!matches(&routes[i], path, &its_id))
            continue;
        const size_t used = strlen(allow);
        snprintf(allow + used, ALLOW_BYTES - used, "%s%s", used > 0 ? ", " : "", routes[i].method);
        if (strcmp(routes[i].method, method) == 0) {
            found = &routes[i];
            *id = its_id;
        }
    }
    return found;
}

bool api_takes(const char *path)
{
    return strncmp(path, "/v1/", 4) == 0;
}

// --- Lifetime ---

static void resume_stored(void *context);

struct api *api_create(struct loop *loop, struct rooms *rooms, struct store *store,
                       struct server_events *events)
{
    struct api *api = calloc(1, sizeof *api);
    if (api == NULL)
        return NULL;
    api->rooms = rooms;
    api->store = store;
    api->events = events;
    api->feed = event_feed_create(loop, rooms_events(rooms), true);
    if (api->feed == NULL) {
        free(api);
        return NULL;
    }
    api->stored = (struct watcher){.run = resume_stored, .context = api};
    if (store != NULL)
        store_watch(store, &api->stored);
    return api;
}

void api_destroy(struct api *api)
{
    if (api == NULL)
        return;
    if (api->store != NULL)
        store_unwatch(api->store, &api->stored);
    event_feed_destroy(api->feed);
    free(api);
}

// Whether the answer may be sent: a disk that stalls delays it by STORE_LATE_MS at most.
static bool is_stored(const struct request *request)
{
    struct store *store = request->api->store;
    return request->change == 0 || request->api->is_ending ||
           store_written(store) >= request->change || store_is_late(store);
}

static void suspend(struct request *request, struct MHD_Connection *connection)
{
    request->connection = connection;
    request->next = request->api->waiting;
    request->api->waiting = request;
    http_connection_suspend(connection);
}

static void resume_stored(void *context)
{
    struct api *api = context;
    struct request **link = &api->waiting;
    while (*link != NULL) {
        struct request *request = *link;
        if (!is_stored(request)) {
            link = &request->next;
            continue;
        }
        *link = request->next;
        http_connection_resume(request->connection);
    }
}

void api_end_streams(struct api *api)
{
    api->is_ending = true;
    resume_stored(api);
    event_feed_end(api->feed);
}

// --- Requests ---

static void end_request(struct request_memory *memory)
{
    struct request *request = (struct request *)memory;
    free(text_buffer_take(&request->body));
    free(request->answer.text);
    free(request);
}

// Begins a request whose headers are complete, or answers it with an error.
static bool begin(struct api *api, const struct http_request *step)
{
    char allow[ALLOW_BYTES];
    const char *id = "";
    const struct route *route = find_route(step->path, step->method, &id, allow);
    if (route == NULL && allow[0] != '\0')
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", allow);
    if (route == NULL || strlen(id) >= ROOMS_ID_BYTES)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (http_connection_announces_more(step->connection, ROOMS_MAX_BODY_BYTES))
        return http_answer_send_too_long(step->connection, ROOMS_MAX_BODY_BYTES);
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return false;
    request->memory.end = end_request;
    request->api = api;
    request->route = route;
    strcpy(request->id, id);
    *step->memory = &request->memory;
    return true;
}

// Reads a piece of the body. Returns false if the body is too long.
static bool read_piece(struct request *request, const char *piece, size_t size)
{
    if (request->body.size + size > ROOMS_MAX_BODY_BYTES)
        return false;
    text_buffer_add(&request->body, piece, size);
    return !request->body.no_memory;
}

// Takes the text of the answer.
static bool send_answer(struct MHD_Connection *connection, struct rooms_answer *answer)
{
    char seconds[16];
    struct MHD_Response *response = http_answer_text(HTTP_JSON_TYPE, answer->text);
    answer->text = NULL;
    snprintf(seconds, sizeof seconds, "%u", answer->retry_after_s);
    if (response != NULL && answer->retry_after_s > 0 &&
        !http_answer_add_header(response, "Retry-After", seconds)) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(connection, (enum http_status)answer->status, response);
}

// Answers with a stream of events.
static bool open_stream(struct api *api, struct MHD_Connection *connection)
{
    struct event_feed_request request;
    const char *problem = event_feed_read(api->feed, connection, "/v1/events", &request);
    if (problem != NULL)
        return http_answer_send_problem(connection, HTTP_BAD_REQUEST, problem, NULL);
    struct MHD_Response *response = event_feed_open(api->feed, connection, &request);
    if (response == NULL)
        return http_answer_send_problem(connection, HTTP_UNAVAILABLE, "too many event streams",
                                        NULL);
    return http_answer_send_once(connection, HTTP_OK, response);
}

static void log_order(const struct api *api, const struct request *request, const char *by)
{
    char fields[ROOMS_ID_BYTES + 16];
    snprintf(fields, sizeof fields, " room=%s", request->id);
    order_log_write(api->events, &(struct order_note){.by = by,
                                                      .via = "api",
                                                      .command = request->route->order,
                                                      .arena = "",
                                                      .player = "",
                                                      .fields = fields});
}

static void execute_route(struct request *request, const char *by)
{
    struct api *api = request->api;
    request->is_executed = true;
    request->route->execute(api->rooms, request->id, &request->body, &request->answer);
    if (request->route->order == NULL || request->answer.status >= HTTP_BAD_REQUEST)
        return;
    request->change = store_has_directory(api->store) ? store_newest(api->store) : 0;
    log_order(api, request, by);
}

bool api_answer(struct api *api, const struct http_request *step, const char *by)
{
    struct request *request = (struct request *)*step->memory;
    if (request == NULL)
        return begin(api, step);
    if (step->piece_bytes > 0)
        return read_piece(request, step->piece, step->piece_bytes);
    http_connection_renew(step->connection);
    if (request->route->execute == NULL)
        return open_stream(api, step->connection);
    if (!request->is_executed)
        execute_route(request, by);
    if (is_stored(request))
        return send_answer(step->connection, &request->answer);
    suspend(request, step->connection);
    return true;
}
