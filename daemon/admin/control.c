// SPDX-License-Identifier: MIT
// Serves the operator over a Unix socket: parses a request, gives the order, and answers once the
// arenas have.
#define _GNU_SOURCE
#include "control.h"

#include "admin_fields.h"
#include "admin_orders.h"
#include "event_feed.h"
#include "http_answer.h"
#include "http_form.h"
#include "http_listener.h"
#include "http_recordings.h"
#include "http_results.h"
#include "listen_socket.h"
#include "log.h"
#include "monotonic.h"
#include "operator_page.h"
#include "server_events.h"
#include "unit_directories.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL_MAX_CONNECTIONS 32U
#define CONTROL_BODY_BYTES 65536 // fits every field at its longest, in any encoding

static_assert(CONFIG_CONTROL_BYTES == sizeof((struct sockaddr_un){0}.sun_path), "paths fit");

// A request. While its order waits for arenas, its connection is suspended.
struct request {
    struct request_memory memory;
    struct admin_order order;
    struct control *control;
    struct MHD_Connection *connection;
    struct http_form *form;
    bool is_begun, is_suspended, form_is_bad;
    size_t body_size; // received so far
};

struct control {
    struct admin_orders *orders;
    struct api *api; // NULL: none
    struct http_recordings *recordings;
    struct http_results *results; // NULL: none
    struct http *page;            // the dashboard; NULL: none
    struct http_guard guard;      // names of hosts
    struct event_feed *feed;      // of the server's events, with what is private; NULL: none
    struct http_listener *listener;
    unsigned requests; // not answered yet
    char path[CONFIG_CONTROL_BYTES];
};

static bool answer(void *context, const struct http_request *step);
static void end_request(void *context, void *memory);
static void free_request(struct request_memory *memory);

bool control_path(const char *configured, char path[CONFIG_CONTROL_BYTES])
{
    char directory[PATH_MAX];
    if (strcmp(configured, "off") == 0)
        return false;
    if (configured[0] != '\0') {
        strcpy(path, configured);
        return true;
    }
    if (!unit_directories_find("RUNTIME_DIRECTORY", directory, sizeof directory))
        return false;
    if (snprintf(path, CONFIG_CONTROL_BYTES, "%s/control.sock", directory) < CONFIG_CONTROL_BYTES)
        return true;
    log_warning("control off: the runtime directory's path is too long");
    return false;
}

// The operator's downloads have no rate to share, so none ever waits.
static const struct http_downloads_def download_limits = {.max = 4, .max_of_address = 4};

struct control *control_open(struct loop *loop, const char *path, struct arena_table *table,
                             struct rooms *rooms, struct api *api, char *error, size_t capacity)
{
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    control->api = api;
    if (table->results != NULL &&
        (control->results = http_results_create(loop, table->results)) == NULL) {
        snprintf(error, capacity, "out of memory");
        free(control);
        return NULL;
    }
    if (table->events != NULL && (control->feed = event_feed_create(
                                      loop, server_events_journal(table->events), true)) == NULL) {
        snprintf(error, capacity, "out of memory");
        http_results_destroy(control->results);
        free(control);
        return NULL;
    }
    control->orders = admin_orders_open(loop, table, rooms, error, capacity);
    if (control->orders != NULL && path == NULL)
        return control;
    control->recordings = http_recordings_create(loop, table->recordings, &download_limits);
    if (control->orders != NULL && control->recordings == NULL)
        snprintf(error, capacity, "out of memory");
    const int socket = control->orders != NULL && control->recordings != NULL
                           ? listen_socket_unix(path, error, capacity)
                           : -1;
    if (socket < 0) {
        control_close(control);
        return NULL;
    }
    strcpy(control->path, path);
    const struct http_listener_def def = {.loop = loop,
                                          .socket = socket,
                                          .max_connections = CONTROL_MAX_CONNECTIONS,
                                          .answer = answer,
                                          .end = end_request,
                                          .context = control};
    control->listener = http_listener_start(&def);
    if (control->listener == NULL) {
        snprintf(error, capacity, "cannot start the control: out of memory or descriptors");
        control_close(control);
        return NULL;
    }
    return control;
}

void control_serve_page(struct control *control, struct http *http, const struct http_guard *guard)
{
    control->page = http;
    control->guard = *guard;
}

void control_end(struct control *control)
{
    if (control->orders != NULL)
        admin_orders_end(control->orders);
    if (control->results != NULL)
        http_results_end(control->results);
    if (control->feed != NULL)
        event_feed_end(control->feed);
}

void control_close(struct control *control)
{
    if (control == NULL)
        return;
    control_end(control);
    if (control->listener != NULL)
        http_listener_run(control->listener); // answers the requests that were just resumed
    if (control->recordings != NULL)
        http_recordings_close(control->recordings);
    http_listener_stop(control->listener);
    http_recordings_destroy(control->recordings);
    http_results_destroy(control->results);
    event_feed_destroy(control->feed);
    if (control->path[0] != '\0')
        unlink(control->path);
    admin_orders_close(control->orders);
    free(control);
}

struct admin_orders *control_orders(const struct control *control)
{
    return control->orders;
}

void control_forget(struct control *control, struct arena *arena)
{
    admin_orders_forget(control->orders, arena);
}

const char *control_ban(struct control *control, const struct ban *ban)
{
    return admin_commands_ban(admin_orders_commands(control->orders), ban);
}

void control_drain(struct control *control, uint32_t seconds)
{
    admin_commands_drain(admin_orders_commands(control->orders), seconds);
}

bool control_is_draining(const struct control *control)
{
    return admin_commands_is_draining(admin_orders_commands(control->orders));
}

bool control_is_drained(const struct control *control)
{
    return control->requests == 0 &&
           admin_commands_is_drained(admin_orders_commands(control->orders));
}

// --- Requests ---

// Takes the text; NULL means that memory ran out.
static bool respond(struct MHD_Connection *connection, enum http_status status, char *text)
{
    return http_answer_send_once(connection, status, http_answer_text(HTTP_JSON_TYPE, text));
}

static bool conclude(struct request *request)
{
    struct admin_command *command = &request->order.command;
    if (command->problem != NULL)
        return http_answer_send_problem(request->connection, command->status, command->problem,
                                        NULL);
    char *text = command->text;
    command->text = NULL; // taken by respond
    if (text != NULL && command->status != 0)
        return respond(request->connection, command->status, text);
    if (text == NULL &&
        asprintf(&text, "{\"arenas\":%u,\"done\":%u}\n", command->asked, command->done) < 0)
        text = NULL;
    return respond(request->connection, HTTP_OK, text);
}

// The order of a request has its outcome.
static void finish_order(struct admin_order *order)
{
    struct request *request = (struct request *)((char *)order - offsetof(struct request, order));
    if (!request->is_suspended)
        return; // it is about to be answered
    request->is_suspended = false;
    http_connection_resume(request->connection);
}

// Whether the text has no control characters, which would break the lines of the log.
static bool is_printable(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)data[i] < ' ' || data[i] == 0x7F)
            return false;
    return true;
}

// Appends a piece of a form's value.
static void take_field(void *context, const char *name, const char *piece, uint64_t offset,
                       size_t size)
{
    struct request *request = context;
    char *value = name != NULL ? admin_commands_field(&request->order.command, name) : NULL;
    if (value == NULL || offset + size >= ADMIN_FIELD_BYTES || !is_printable(piece, size)) {
        request->form_is_bad = true;
        return;
    }
    memcpy(value + offset, piece, size);
    value[offset + size] = '\0';
}

// Begins a request whose headers are complete, or answers it with an error.
static bool begin(struct control *control, const struct http_request *step, const char *by,
                  const char *via)
{
    bool path_is_known;
    const bool is_post = strcmp(step->method, "POST") == 0;
    const struct admin_commands_route *route =
        admin_commands_find(step->path, step->method, &path_is_known);
    if (route == NULL && path_is_known)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", is_post ? "GET" : "POST");
    if (route == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (http_connection_announces_more(step->connection, CONTROL_BODY_BYTES))
        return http_answer_send_too_long(step->connection, CONTROL_BODY_BYTES);
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return false;
    request->memory.end = free_request;
    *step->memory = &request->memory;
    control->requests++;
    request->control = control;
    request->connection = step->connection;
    request->order.command.route = route;
    request->order.command.via = via;
    snprintf(request->order.command.by, sizeof request->order.command.by, "%s", by);
    if (is_post)
        request->form = http_form_create(step->connection, take_field, request);
    return !is_post || request->form != NULL;
}

// Reads a piece of the body. Returns false if the body is too long.
static bool read_piece(struct request *request, const char *piece, size_t size)
{
    request->body_size += size;
    if (request->body_size > CONTROL_BODY_BYTES)
        return false;
    if (request->form == NULL || !http_form_read(request->form, piece, size))
        request->form_is_bad = true;
    return true;
}

// A step of a request for results.
static bool answer_results(struct control *control, const struct http_request *step)
{
    const bool is_leaderboard = strcmp(step->path, "/leaderboard") == 0;
    if (strcmp(step->method, "GET") != 0)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", "GET");
    if (control->results == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND,
                                        "the configuration says results = false", NULL);
    if (*step->memory == NULL) {
        *step->memory = &request_memory_none;
        return true;
    }
    if (step->piece_bytes == 0)
        http_connection_renew(step->connection);
    return http_results_answer(control->results,
                               is_leaderboard ? RESULTS_LEADERBOARD : RESULTS_ROUNDS, step);
}

// The user whose process has connected.
static void set_giver(struct MHD_Connection *connection, char by[ORDER_BY_BYTES])
{
    uint32_t user;
    if (!http_connection_user(connection, &user))
        snprintf(by, ORDER_BY_BYTES, "unknown");
    else if (user == 0)
        snprintf(by, ORDER_BY_BYTES, "root");
    else
        snprintf(by, ORDER_BY_BYTES, "uid:%u", user);
}

static bool is_of_results(const char *path)
{
    return strcmp(path, "/results") == 0 || strcmp(path, "/leaderboard") == 0;
}

// A step of a request for events.
static bool answer_events(struct control *control, const struct http_request *step)
{
    struct event_feed_request request;
    if (strcmp(step->method, "GET") != 0)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", "GET");
    if (control->feed == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (*step->memory == NULL) {
        *step->memory = &request_memory_none;
        return true;
    }
    const char *problem = event_feed_read(control->feed, step->connection, step->path, &request);
    if (problem != NULL)
        return http_answer_send_problem(step->connection, HTTP_BAD_REQUEST, problem, NULL);
    struct MHD_Response *response = event_feed_open(control->feed, step->connection, &request);
    if (response == NULL)
        return http_answer_send_problem(step->connection, HTTP_UNAVAILABLE,
                                        "too many event streams", NULL);
    return http_answer_send_once(step->connection, HTTP_OK, response);
}

static bool is_of_events(const char *path)
{
    return strcmp(path, "/events") == 0 || strcmp(path, "/events.jsonl") == 0;
}

bool control_takes(const char *path)
{
    bool is_known;
    admin_commands_find(path, "GET", &is_known);
    return is_known || is_of_results(path) || is_of_events(path);
}

bool control_answer(struct control *control, const struct http_request *step, const char *by,
                    const char *via)
{
    if (is_of_events(step->path))
        return answer_events(control, step);
    if (is_of_results(step->path))
        return answer_results(control, step);
    struct request *request = (struct request *)*step->memory;
    if (request == NULL)
        return begin(control, step, by, via);
    if (step->piece_bytes > 0)
        return read_piece(request, step->piece, step->piece_bytes);
    if (request->is_begun)
        return conclude(request);
    request->is_begun = true;
    http_connection_renew(step->connection);
    http_form_destroy(request->form); // delivers the last piece
    request->form = NULL;
    if (request->form_is_bad)
        return http_answer_send_problem(
            step->connection, HTTP_BAD_REQUEST,
            "want a form of known fields, none too long, without control characters", NULL);
    request->order.done = finish_order;
    admin_orders_give(control->orders, &request->order);
    if (!request->order.is_waiting)
        return conclude(request);
    request->is_suspended = true;
    http_connection_suspend(step->connection);
    return true;
}

// A step of a request over the socket.
static bool answer(void *context, const struct http_request *step)
{
    struct control *control = context;
    char by[ORDER_BY_BYTES];
    bool is_answered = false;
    if (*step->memory == NULL) {
        const bool is_good = operator_page_check(&control->guard, step, &is_answered);
        if (is_answered)
            return is_good;
    }
    set_giver(step->connection, by);
    if (control->api != NULL && api_takes(step->path))
        return api_answer(control->api, step, by);
    if (http_recordings_takes(step->path) && strcmp(step->method, "GET") == 0)
        return http_recordings_answer(control->recordings, step);
    if (!control_takes(step->path) && control->page != NULL && http_serves(step->path))
        return http_answer_operator(control->page, step, HTTP_OPERATOR);
    return control_answer(control, step, by, operator_page_orders(step) ? "page" : "raimctl");
}

static void end_request(void *context, void *memory)
{
    (void)context;
    struct request_memory *request = memory;
    request->end(request);
}

static void free_request(struct request_memory *memory)
{
    struct request *request = (struct request *)memory;
    assert(!request->is_suspended); // a suspended connection is resumed before it ends
    http_form_destroy(request->form);
    request->control->requests--;
    free(request->order.command.text);
    free(request);
}
