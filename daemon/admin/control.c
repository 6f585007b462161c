// SPDX-License-Identifier: MIT
// Serves the operator over a Unix socket: commands, and documents with what is private.
#define _GNU_SOURCE
#include "control.h"

#include "commands.h"
#include "event_streams.h"
#include "http_answer.h"
#include "http_listener.h"
#include "http_recordings.h"
#include "http_results.h"
#include "log.h"
#include "server_events.h"
#include "socket_address.h"
#include "systemd.h"
#include "text_buffer.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL_MAX_CONNECTIONS 32U

static_assert(CONFIG_CONTROL_BYTES == sizeof((struct sockaddr_un){0}.sun_path), "paths fit");

struct control {
    struct commands *commands;
    struct api *api;
    struct http_services services; // events with what is private, results, recordings
    struct http *page;             // the dashboard; NULL: none
    struct http_access guard;      // names of hosts
    struct http_listener *listener;
    char path[CONFIG_CONTROL_BYTES];
};

static bool answer(void *context, const struct http_request *step);
static void end_request(void *context, void *memory);

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

bool control_is_on(const struct config *config)
{
    char path[CONFIG_CONTROL_BYTES];
    return config->control_tcp.listen.is_on || control_path(config->control, path);
}

bool control_serve_documents(struct http_services *services, struct loop *loop,
                             const struct arena_table *table, bool is_for_operators)
{
    return (table->events == NULL ||
            event_streams_serve(services, loop, server_events_journal(table->events),
                                is_for_operators)) &&
           http_recordings_serve(services, loop, table->recordings, is_for_operators) &&
           http_results_serve(services, loop, table->results, is_for_operators);
}

static bool open_socket(struct control *control, struct loop *loop, const char *path, char *error,
                        size_t capacity)
{
    const int socket = listen_socket_unix(path, error, capacity);
    if (socket < 0)
        return false;
    strcpy(control->path, path);
    const struct http_listener_def def = {.loop = loop,
                                          .socket = socket,
                                          .max_connections = CONTROL_MAX_CONNECTIONS,
                                          .answer = answer,
                                          .end = end_request,
                                          .context = control};
    control->listener = http_listener_start(&def);
    if (control->listener != NULL)
        log_info("control started socket=%s", path);
    else
        snprintf(error, capacity, "cannot start the control: out of memory or descriptors");
    return control->listener != NULL;
}

struct control *control_open(struct loop *loop, const char *configured, struct arena_table *table,
                             struct on_demand *on_demand, char *error, size_t capacity)
{
    char path[CONFIG_CONTROL_BYTES];
    struct control *control = calloc(1, sizeof *control);
    snprintf(error, capacity, "out of memory");
    if (control == NULL)
        return NULL;
    control->commands = commands_open(loop, table, on_demand, error, capacity);
    if (control->commands != NULL)
        control->api = api_create(loop, control->commands);
    if (control->api != NULL && control_serve_documents(&control->services, loop, table, true) &&
        (!control_path(configured, path) || open_socket(control, loop, path, error, capacity)))
        return control;
    control_close(control);
    return NULL;
}

void control_serve_page(struct control *control, struct http *http, const struct http_access *guard)
{
    control->page = http;
    control->guard = *guard;
}

void control_end(struct control *control)
{
    if (control == NULL)
        return;
    if (control->commands != NULL)
        commands_end(control->commands);
    if (control->api != NULL)
        api_end_streams(control->api);
    http_services_end(&control->services);
}

void control_close(struct control *control)
{
    if (control == NULL)
        return;
    control_end(control);
    if (control->listener != NULL)
        http_listener_run(control->listener); // answers the requests that were just resumed
    http_listener_stop(control->listener);
    http_services_destroy(&control->services);
    if (control->path[0] != '\0')
        unlink(control->path);
    api_destroy(control->api);
    commands_close(control->commands);
    free(control);
}

struct commands *control_commands(const struct control *control)
{
    return control->commands;
}

struct api *control_api(const struct control *control)
{
    return control->api;
}

void control_forget(struct control *control, struct arena *arena)
{
    commands_forget(control->commands, arena);
}

const char *control_ban(struct control *control, const struct ban *ban)
{
    return commands_ban(control->commands, ban);
}

void control_drain(struct control *control, uint32_t seconds)
{
    commands_drain(control->commands, seconds);
}

bool control_is_draining(const struct control *control)
{
    return commands_is_draining(control->commands);
}

bool control_is_drained(const struct control *control)
{
    return api_pending(control->api) == 0 && commands_is_drained(control->commands);
}

// --- Requests ---

// The user whose process has connected.
static void set_by(struct MHD_Connection *connection, char by[COMMAND_BY_BYTES])
{
    uint32_t user;
    if (!http_connection_user(connection, &user))
        snprintf(by, COMMAND_BY_BYTES, "unknown");
    else if (user == 0)
        snprintf(by, COMMAND_BY_BYTES, "root");
    else
        snprintf(by, COMMAND_BY_BYTES, "uid:%u", user);
}

bool control_has_document(const struct control *control, const char *path)
{
    return !http_recordings_takes(path) && http_services_find(&control->services, path) != NULL;
}

bool control_answer_document(struct control *control, const struct http_request *step)
{
    const bool is_good = strcmp(step->method, "GET") == 0 || strcmp(step->method, "HEAD") == 0;
    if (!is_good)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", "GET, HEAD");
    if (*step->memory == NULL) {
        *step->memory = &request_memory_none;
        return true;
    }
    if (step->piece_bytes == 0)
        http_connection_renew(step->connection);
    return http_service_answer(http_services_find(&control->services, step->path), step);
}

// A step of a request over the socket.
static bool answer(void *context, const struct http_request *step)
{
    struct control *control = context;
    char by[COMMAND_BY_BYTES];
    bool is_answered = false;
    if (*step->memory == NULL) {
        const bool is_good = operator_page_check(&control->guard, step, &is_answered);
        if (is_answered)
            return is_good;
    }
    set_by(step->connection, by);
    if (api_takes(step->path))
        return api_answer(
            control->api, step,
            &(struct api_sender){.by = by, .via = operator_page_via(step), .is_operator = true});
    if (http_services_find(&control->services, step->path) != NULL)
        return control_answer_document(control, step);
    if (control->page != NULL && http_serves(control->page, step->path))
        return http_answer_operator(control->page, step, HTTP_OPERATOR);
    return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
}

static void end_request(void *context, void *memory)
{
    (void)context;
    struct request_memory *request = memory;
    request->end(request);
}

static const char events_path[] = "/v1/events";

struct api {
    struct commands *commands;
    struct event_streams *streams; // NULL: this server makes no arenas on request
    unsigned pending;
};

// A request. While its command waits, its connection is suspended.
struct request {
    struct request_memory memory;
    struct api *api;
    struct MHD_Connection *connection;
    struct command_call call;
    struct text_buffer body;
    bool is_executed, is_suspended;
};

bool api_takes(const char *path)
{
    return strncmp(path, "/v1/", 4) == 0;
}

// --- Lifetime ---

struct api *api_create(struct loop *loop, struct commands *commands)
{
    struct on_demand *on_demand = commands_on_demand(commands);
    struct api *api = calloc(1, sizeof *api);
    if (api == NULL)
        return NULL;
    api->commands = commands;
    if (on_demand == NULL)
        return api;
    api->streams = event_streams_create(loop, on_demand_events(on_demand), true);
    if (api->streams != NULL)
        return api;
    free(api);
    return NULL;
}

void api_destroy(struct api *api)
{
    if (api == NULL)
        return;
    assert(api->pending == 0);
    event_streams_destroy(api->streams);
    free(api);
}

unsigned api_pending(const struct api *api)
{
    return api->pending;
}

void api_end_streams(struct api *api)
{
    if (api->streams != NULL)
        event_streams_end(api->streams);
}

// --- Events ---

// Answers with a stream of events.
static bool stream_events(struct api *api, const struct http_request *step)
{
    if (strcmp(step->method, "GET") != 0)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", "GET");
    if (api->streams == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (*step->memory == NULL) {
        *step->memory = &request_memory_none;
        return true;
    }
    if (step->piece_bytes > 0)
        return true; // a body says nothing here
    http_connection_renew(step->connection);
    return event_streams_answer(api->streams, step);
}

// --- Commands ---

static void end_call(struct request_memory *memory)
{
    struct request *request = (struct request *)memory;
    assert(!request->is_suspended); // a suspended connection is resumed before it ends
    free(text_buffer_take(&request->body));
    free(request->call.text);
    request->api->pending--;
    free(request);
}

// Begins a request whose headers are complete, or answers it with an error.
static bool begin(struct api *api, const struct http_request *step, const struct api_sender *sender)
{
    char allow[COMMAND_ALLOW_BYTES];
    const char *id;
    const struct command_row *row = command_route(step->method, step->path, &id, allow);
    if (row == NULL && allow[0] != '\0')
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", allow);
    if (row == NULL || strlen(id) >= ON_DEMAND_ID_BYTES)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (!sender->is_operator && row->scope != COMMAND_MATCHMAKER)
        return http_answer_send_problem(step->connection, HTTP_FORBIDDEN,
                                        "this command needs a token or a client certificate", NULL);
    if (http_connection_announces_more(step->connection, ON_DEMAND_MAX_BODY_BYTES))
        return http_answer_send_too_long(step->connection, ON_DEMAND_MAX_BODY_BYTES);
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return false;
    request->memory.end = end_call;
    request->api = api;
    request->connection = step->connection;
    request->call.row = row;
    request->call.via = sender->via;
    snprintf(request->call.by, sizeof request->call.by, "%s", sender->by);
    strcpy(request->call.fields[FIELD_ID], id);
    api->pending++;
    *step->memory = &request->memory;
    return true;
}

// Reads a piece of the body. Returns false if the body is too long.
static bool read_piece(struct request *request, const char *piece, size_t size)
{
    if (request->body.size + size > ON_DEMAND_MAX_BODY_BYTES)
        return false;
    text_buffer_add(&request->body, piece, size);
    return !request->body.no_memory;
}

// Sends the result, and takes its text.
static bool conclude(struct request *request)
{
    char seconds[16];
    struct command_call *call = &request->call;
    const unsigned status = call->status != 0 ? call->status : HTTP_OK;
    if (call->problem != NULL)
        return http_answer_send_problem(request->connection, status, call->problem, NULL);
    char *text = call->text;
    call->text = NULL;
    if (text == NULL &&
        asprintf(&text, "{\"arenas\":%u,\"done\":%u}\n", call->asked, call->answered) < 0)
        text = NULL;
    struct MHD_Response *response = http_answer_text(HTTP_JSON_TYPE, text);
    snprintf(seconds, sizeof seconds, "%u", call->retry_after_s);
    if (response != NULL && call->retry_after_s > 0 &&
        !http_answer_add_header(response, "Retry-After", seconds)) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(request->connection, status, response);
}

// The command of a request has its outcome.
static void finish_call(struct command_call *call)
{
    struct request *request = (struct request *)((char *)call - offsetof(struct request, call));
    if (!request->is_suspended)
        return; // it is about to be answered
    request->is_suspended = false;
    http_connection_resume(request->connection);
}

static bool execute(struct request *request)
{
    struct command_call *call = &request->call;
    request->is_executed = true;
    http_connection_renew(request->connection);
    call->body = request->body.text;
    call->body_bytes = request->body.size;
    const char *problem = call->row->scope == COMMAND_MATCHMAKER ? NULL : command_body_read(call);
    if (problem != NULL)
        return http_answer_send_problem(request->connection, HTTP_BAD_REQUEST, problem, NULL);
    call->done = finish_call;
    commands_execute(request->api->commands, call);
    if (!call->is_waiting)
        return conclude(request);
    request->is_suspended = true;
    http_connection_suspend(request->connection);
    return true;
}

bool api_answer(struct api *api, const struct http_request *step, const struct api_sender *sender)
{
    if (strcmp(step->path, events_path) == 0)
        return stream_events(api, step);
    struct request *request = (struct request *)*step->memory;
    if (request == NULL)
        return begin(api, step, sender);
    if (step->piece_bytes > 0)
        return read_piece(request, step->piece, step->piece_bytes);
    return request->is_executed ? conclude(request) : execute(request);
}

static bool has_header(const struct http_request *step)
{
    return http_connection_header(step->connection, OPERATOR_PAGE_HEADER) != NULL;
}

const char *operator_page_via(const struct http_request *step)
{
    static const char raimctl[] = "raimctl/";
    const char *agent = http_connection_header(step->connection, "User-Agent");
    if (has_header(step))
        return "page";
    return agent != NULL && strncmp(agent, raimctl, sizeof raimctl - 1) == 0 ? "raimctl" : "api";
}

static bool is_foreign(const char *origin, const char *host, const char *site)
{
    static const struct http_access without_names;
    if (site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return true;
    return !http_access_takes_origin(&without_names, origin, host);
}

static bool changes(const struct http_request *step)
{
    return strcmp(step->method, "GET") != 0 && strcmp(step->method, "HEAD") != 0;
}

bool operator_page_check(const struct http_access *guard, const struct http_request *step,
                         bool *is_answered)
{
    const char *host = http_connection_header(step->connection, "Host");
    const char *origin = http_connection_header(step->connection, "Origin");
    const char *site = http_connection_header(step->connection, "Sec-Fetch-Site");
    *is_answered = true;
    if (guard != NULL && host != NULL && strchr(host, '.') != NULL &&
        !http_access_takes_host(guard, host))
        return http_answer_send_problem(step->connection, HTTP_MISDIRECTED_REQUEST,
                                        "unknown host name: add it to http.hosts", NULL);
    if (is_foreign(origin, host, site))
        return http_answer_send_problem(step->connection, HTTP_FORBIDDEN,
                                        "requests from pages of another origin are rejected", NULL);
    if (changes(step) && (origin != NULL || site != NULL) && !has_header(step))
        return http_answer_send_problem(step->connection, HTTP_FORBIDDEN,
                                        "pages need the header " OPERATOR_PAGE_HEADER, NULL);
    *is_answered = false;
    return true;
}
