// SPDX-License-Identifier: MIT
// Routes requests of the status server to pages, dashboard files, event streams and error
// responses.
#define _GNU_SOURCE
#include "http.h"

#include "embedded.h"
#include "http_answer.h"
#include "http_document.h"
#include "http_listener.h"
#include "http_pages.h"
#include "http_routes.h"
#include "http_streams.h"
#include "live_json.h"
#include "monotonic.h"
#include "socket_address.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char not_found[] =
    "{\"error\":\"not found\",\"paths\":[\"/\",\"/status\",\"/arenas/NAME\","
    "\"/arenas/NAME/map\",\"/arenas/NAME/history\",\"/arenas/NAME/stream\",\"/summary\",\"/"
    "history\",\"/recordings\",\"/recordings/NAME\","
    "\"/leaderboard\",\"/events\",\"/metrics\",\"/healthz\",\"/readyz\"]}";
static const char not_allowed[] = "{\"error\":\"method not allowed\",\"allow\":[\"GET\",\"HEAD\"]}";
static const char unavailable[] = "{\"error\":\"out of memory\"}";
static const char too_many[] = "{\"error\":\"too many viewers\"}";
static const char wrong_host[] =
    "{\"error\":\"unknown host name: use the IP address, or add the name to http.hosts\"}";
static const char wrong_origin[] =
    "{\"error\":\"requests from pages of another origin are rejected\"}";
static const char wrong_token[] = "{\"error\":\"invalid token\"}";

// What the dashboard may do, and whether it has to show a token.
static const char no_commands[] = "{\"commands\":false,\"token\":false}";
static const char commands[] = "{\"commands\":true,\"token\":false}";
static const char commands_by_token[] = "{\"commands\":true,\"token\":true}";

// Responses with constant text.
enum fixed {
    FIXED_NOT_FOUND,
    FIXED_NOT_ALLOWED,
    FIXED_UNAVAILABLE,
    FIXED_TOO_MANY,
    FIXED_WRONG_HOST,
    FIXED_WRONG_ORIGIN,
    FIXED_WRONG_TOKEN,
    FIXED_NO_COMMANDS,
    FIXED_COMMANDS,
    FIXED_COMMANDS_BY_TOKEN,
    FIXED_ANSWERS
};

static const struct {
    enum http_status status;
    const char *text;
} fixed_answers[FIXED_ANSWERS] = {
    [FIXED_NOT_FOUND] = {HTTP_NOT_FOUND, not_found},
    [FIXED_NOT_ALLOWED] = {HTTP_METHOD_NOT_ALLOWED, not_allowed},
    [FIXED_UNAVAILABLE] = {HTTP_UNAVAILABLE, unavailable},
    [FIXED_TOO_MANY] = {HTTP_UNAVAILABLE, too_many},
    [FIXED_WRONG_HOST] = {HTTP_MISDIRECTED_REQUEST, wrong_host},
    [FIXED_WRONG_ORIGIN] = {HTTP_FORBIDDEN, wrong_origin},
    [FIXED_WRONG_TOKEN] = {HTTP_UNAUTHORIZED, wrong_token},
    [FIXED_NO_COMMANDS] = {HTTP_OK, no_commands},
    [FIXED_COMMANDS] = {HTTP_OK, commands},
    [FIXED_COMMANDS_BY_TOKEN] = {HTTP_OK, commands_by_token},
};

#define HTML_TYPE "text/html; charset=utf-8"
#define CSS_TYPE "text/css; charset=utf-8"
#define JS_TYPE "text/javascript; charset=utf-8"
#define SCHEMA_TYPE "application/schema+json"

enum { STATUS_SCHEMA, HISTORY_SCHEMA }; // among the parts

// Files that never change: the dashboard's, and the schemas of what is served.
static const struct part {
    const char *path, *type, *text;
} parts[] = {
    [STATUS_SCHEMA] = {"/status.schema.json", SCHEMA_TYPE, NULL},   // given at the start
    [HISTORY_SCHEMA] = {"/history.schema.json", SCHEMA_TYPE, NULL}, // also
    {"/", HTML_TYPE, embedded_dashboard_html},
    {"/dashboard/dashboard.css", CSS_TYPE, embedded_dashboard_css},
    {"/dashboard/dashboard.js", JS_TYPE, embedded_script_dashboard},
    {"/dashboard/page.js", JS_TYPE, embedded_script_page},
    {"/dashboard/net.js", JS_TYPE, embedded_script_net},
    {"/dashboard/live_map.js", JS_TYPE, embedded_script_live_map},
    {"/dashboard/plots.js", JS_TYPE, embedded_script_plots},
    {"/dashboard/arenas.js", JS_TYPE, embedded_script_arenas},
    {"/dashboard/arena.js", JS_TYPE, embedded_script_arena},
    {"/dashboard/results.js", JS_TYPE, embedded_script_results},
    {"/dashboard/commands.js", JS_TYPE, embedded_script_commands},
    {"/summary.schema.json", SCHEMA_TYPE, embedded_schema_summary},
    {"/recordings.schema.json", SCHEMA_TYPE, embedded_schema_recordings},
    {"/events.schema.json", SCHEMA_TYPE, embedded_schema_events},
    {"/results.schema.json", SCHEMA_TYPE, embedded_schema_results},
    {"/leaderboard.schema.json", SCHEMA_TYPE, embedded_schema_leaderboard},
};

#define PARTS (sizeof parts / sizeof *parts)

// No foreign resources, no inline scripts or styles, no framing.
static const struct http_header part_headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"Referrer-Policy", "no-referrer"},
    {NULL, NULL},
};

struct http {
    const struct status_view *view;
    struct http_listener *listener;
    struct http_streams *streams;
    struct http_services services;
    struct MHD_Response *fixed[FIXED_ANSWERS];
    struct http_document parts[PARTS];
    struct http_access guard;
    struct http_pages pages;
    uint16_t port;
};

static bool make_fixed(struct http *http);
static bool make_parts(struct http *http, const struct http_def *def);
static bool answer(void *context, const struct http_request *request);
static void end_request(void *context, void *memory);

// Starts the server. Takes ownership of the socket.
static bool start(struct http *http, const struct http_def *def, int socket)
{
    const struct http_listener_def listener = {.loop = def->loop,
                                               .socket = socket,
                                               .max_connections = HTTP_MAX_CLIENTS,
                                               .answer = answer,
                                               .end = end_request,
                                               .context = http};
    http->port = listen_socket_port(socket);
    http->streams = http_streams_create(def->loop, def->view->list);
    if (http->streams == NULL || !make_fixed(http) || !make_parts(http, def)) {
        close(socket);
        return false;
    }
    http->listener = http_listener_start(&listener);
    return http->listener != NULL;
}

struct http *http_open(const struct http_def *def, char *error, size_t capacity)
{
    const int socket = listen_socket_tcp(def->address, def->port, error, capacity);
    if (socket < 0)
        return NULL;
    struct http *http = calloc(1, sizeof *http);
    if (http == NULL) {
        snprintf(error, capacity, "cannot start the http server: out of memory");
        close(socket);
        return NULL;
    }
    http->view = def->view;
    http->guard = *def->guard;
    if (!start(http, def, socket)) {
        snprintf(error, capacity, "cannot start the http server: out of memory or descriptors");
        http_close(http);
        return NULL;
    }
    listen_socket_log("status started url=http://", def->address, http->port, "/status");
    return http;
}

struct http_services *http_services(struct http *http)
{
    return &http->services;
}

void http_end(struct http *http)
{
    if (http == NULL)
        return;
    if (http->streams != NULL)
        http_streams_close(http->streams);
    http_services_end(&http->services);
    if (http->listener != NULL)
        http_listener_run(http->listener);
    http_listener_stop(http->listener);
    http->listener = NULL;
}

void http_close(struct http *http)
{
    if (http == NULL)
        return;
    http_end(http);
    http_services_destroy(&http->services);
    http_streams_destroy(http->streams);
    for (size_t i = 0; i < PARTS; i++)
        http_document_clear(&http->parts[i]);
    for (size_t i = 0; i < FIXED_ANSWERS; i++)
        http_answer_release(http->fixed[i]);
    http_pages_clear(&http->pages);
    free(http);
}

uint16_t http_port(const struct http *http)
{
    return http->port;
}

void http_end_stale(struct http *http)
{
    http_streams_end_stale(http->streams);
}

static bool make_fixed(struct http *http)
{
    for (int i = 0; i < FIXED_ANSWERS; i++) {
        http->fixed[i] = http_answer_constant(HTTP_JSON_TYPE, fixed_answers[i].text, false);
        if (http->fixed[i] == NULL)
            return false;
    }
    return http_answer_add_header(http->fixed[FIXED_NOT_ALLOWED], "Allow", "GET, HEAD") &&
           http_answer_add_header(http->fixed[FIXED_WRONG_TOKEN], "WWW-Authenticate",
                                  "Bearer realm=\"raimd\"");
}

static bool make_parts(struct http *http, const struct http_def *def)
{
    for (size_t i = 0; i < PARTS; i++) {
        const char *text = i == STATUS_SCHEMA    ? def->status_schema
                           : i == HISTORY_SCHEMA ? def->history_schema
                                                 : parts[i].text;
        if (!http_document_keep(&http->parts[i], parts[i].type, text, part_headers))
            return false;
    }
    return true;
}

// --- Answers ---

static bool answer_fixed(const struct http *http, struct MHD_Connection *connection,
                         enum fixed answer)
{
    return http_answer_send(connection, fixed_answers[answer].status, http->fixed[answer]);
}

static bool answer_page(struct http *http, struct MHD_Connection *connection,
                        const struct http_route *route, const char *path, const char *name)
{
    enum http_status problem;
    bool is_sent;
    if (http_pages_send(&http->pages, connection, route, path, name, http->view, &problem,
                        &is_sent))
        return is_sent;
    return answer_fixed(http, connection,
                        problem == HTTP_NOT_FOUND ? FIXED_NOT_FOUND : FIXED_UNAVAILABLE);
}

static bool answer_stream(struct http *http, struct MHD_Connection *connection, const char *name,
                          enum http_audience audience)
{
    const int arena = arena_list_find(http->view->list, name);
    if (arena < 0)
        return answer_fixed(http, connection, FIXED_NOT_FOUND);
    const enum http_token token =
        audience != HTTP_PUBLIC
            ? HTTP_TOKEN_RIGHT
            : http_access_check_token(&http->guard,
                                      http_connection_header(connection, "Authorization"));
    if (token == HTTP_TOKEN_WRONG)
        return answer_fixed(http, connection, FIXED_WRONG_TOKEN);
    struct MHD_Response *stream =
        http_streams_open(http->streams, connection, arena, token == HTTP_TOKEN_RIGHT);
    if (stream == NULL)
        return answer_fixed(http, connection, FIXED_TOO_MANY);
    return http_answer_send_once(connection, HTTP_OK, stream);
}

static const enum fixed commands_of[] = {
    [HTTP_PUBLIC] = FIXED_NO_COMMANDS,
    [HTTP_OPERATOR] = FIXED_COMMANDS,
    [HTTP_OPERATOR_BY_TOKEN] = FIXED_COMMANDS_BY_TOKEN,
};

// --- Requests ---

struct resource {
    enum {
        RESOURCE_NONE,
        RESOURCE_PART,
        RESOURCE_ORDERS,
        RESOURCE_STREAM,
        RESOURCE_SERVICE,
        RESOURCE_PAGE,
    } kind;
    size_t part;
    const struct http_service *service;
    const struct http_route *route;
    char name[CONFIG_NAME_BYTES];
};

static struct resource find_resource(const struct http *http, const char *path)
{
    struct resource resource = {.kind = RESOURCE_PART};
    for (; resource.part < PARTS; resource.part++)
        if (strcmp(path, parts[resource.part].path) == 0)
            return resource;
    resource.kind = RESOURCE_ORDERS;
    if (strcmp(path, "/commands") == 0)
        return resource;
    resource.kind = RESOURCE_STREAM;
    if (http_path_matches(path, "/arenas/", "/stream", resource.name))
        return resource;
    resource.kind = RESOURCE_SERVICE;
    resource.service = http_services_find(&http->services, path);
    if (resource.service != NULL)
        return resource;
    resource.route = http_route_find(path, resource.name);
    resource.kind = resource.route != NULL ? RESOURCE_PAGE : RESOURCE_NONE;
    return resource;
}

static bool has_body(struct MHD_Connection *connection)
{
    return http_connection_header(connection, "Content-Length") != NULL ||
           http_connection_header(connection, "Transfer-Encoding") != NULL;
}

// Answers a request whose sender was checked, for this audience.
static bool answer_checked(struct http *http, const struct http_request *request,
                           enum http_audience audience)
{
    struct MHD_Connection *connection = request->connection;
    const struct resource resource = find_resource(http, request->path);
    if (resource.kind == RESOURCE_NONE)
        return answer_fixed(http, connection, FIXED_NOT_FOUND);
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return answer_fixed(http, connection, FIXED_NOT_ALLOWED);
    if (resource.kind == RESOURCE_PART)
        return http_document_send(&http->parts[resource.part], connection, HTTP_OK);
    if (resource.kind == RESOURCE_ORDERS)
        return answer_fixed(http, connection, commands_of[audience]);
    if (resource.kind == RESOURCE_STREAM)
        return answer_stream(http, connection, resource.name, audience);
    if (resource.kind == RESOURCE_SERVICE)
        return http_service_answer(resource.service, request);
    return answer_page(http, connection, resource.route, request->path, resource.name);
}

// A request with a body is answered after its headers, which closes the connection. Other requests
// are answered when complete, and the connection stays open.
static bool answer(void *context, const struct http_request *request)
{
    struct http *http = context;
    struct MHD_Connection *connection = request->connection;
    if (*request->memory == NULL && !has_body(connection)) {
        *request->memory = &request_memory_none;
        return true;
    }
    http_connection_renew(connection);
    const char *host = http_connection_header(connection, "Host");
    if (!http_access_takes_host(&http->guard, host))
        return answer_fixed(http, connection, FIXED_WRONG_HOST);
    if (!http_access_takes_origin(&http->guard, http_connection_header(connection, "Origin"), host))
        return answer_fixed(http, connection, FIXED_WRONG_ORIGIN);
    return answer_checked(http, request, HTTP_PUBLIC);
}

bool http_serves_anyone(const struct http *http, const char *path)
{
    const struct resource resource = find_resource(http, path);
    return resource.kind == RESOURCE_PART || resource.kind == RESOURCE_ORDERS;
}

bool http_serves(const struct http *http, const char *path)
{
    return find_resource(http, path).kind != RESOURCE_NONE;
}

bool http_answer_operator(struct http *http, const struct http_request *request,
                          enum http_audience audience)
{
    if (*request->memory == NULL && !has_body(request->connection)) {
        *request->memory = &request_memory_none;
        return true;
    }
    http_connection_renew(request->connection);
    return answer_checked(http, request, audience);
}

static void end_request(void *context, void *memory)
{
    (void)context;
    struct request_memory *request = memory;
    request->end(request);
}
