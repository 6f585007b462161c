// SPDX-License-Identifier: MIT
// Serves the status over HTTP with libmicrohttpd, polled from outside through its epoll set.
#define _GNU_SOURCE
#include "http.h"

#include "embedded.h"
#include "event_stream.h"
#include "http_clients.h"
#include "http_routes.h"
#include "live_json.h"
#include "monotonic.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HTTP_BACKLOG 1024 // a flood of connections is taken faster than it fills this
#define HTTP_TIMEOUT_S 5U // without a byte, before a connection is closed
#define HTTP_CONNECTION_BYTES ((size_t)8192) // for a request's line and headers and our headers
#define HTTP_RENDER_INTERVAL_MS 100U         // a flood of requests costs at most so many renderings

#define JSON_TYPE "application/json"

static const char not_found[] =
    "{\"error\":\"not found\",\"paths\":[\"/\",\"/status\",\"/arenas/NAME\","
    "\"/arenas/NAME/map\",\"/arenas/NAME/stream\",\"/metrics\",\"/healthz\",\"/readyz\"]}";
static const char not_allowed[] = "{\"error\":\"method not allowed\",\"allow\":[\"GET\",\"HEAD\"]}";
static const char unavailable[] = "{\"error\":\"out of memory\"}";
static const char too_many[] = "{\"error\":\"too many viewers\"}";
static const char wrong_host[] =
    "{\"error\":\"this server does not go by that name: ask by its IP address, or name it in "
    "status_hosts\"}";
static const char wrong_origin[] = "{\"error\":\"a page from elsewhere is told nothing\"}";
static const char wrong_token[] = "{\"error\":\"no such token\"}";

// Answers that never change.
enum fixed {
    FIXED_NOT_FOUND,
    FIXED_NOT_ALLOWED,
    FIXED_UNAVAILABLE,
    FIXED_TOO_MANY,
    FIXED_WRONG_HOST,
    FIXED_WRONG_ORIGIN,
    FIXED_WRONG_TOKEN,
    FIXED_ANSWERS
};

static const struct {
    unsigned status;
    const char *text;
} fixed_answers[FIXED_ANSWERS] = {
    [FIXED_NOT_FOUND] = {MHD_HTTP_NOT_FOUND, not_found},
    [FIXED_NOT_ALLOWED] = {MHD_HTTP_METHOD_NOT_ALLOWED, not_allowed},
    [FIXED_UNAVAILABLE] = {MHD_HTTP_SERVICE_UNAVAILABLE, unavailable},
    [FIXED_TOO_MANY] = {MHD_HTTP_SERVICE_UNAVAILABLE, too_many},
    [FIXED_WRONG_HOST] = {MHD_HTTP_MISDIRECTED_REQUEST, wrong_host},
    [FIXED_WRONG_ORIGIN] = {MHD_HTTP_FORBIDDEN, wrong_origin},
    [FIXED_WRONG_TOKEN] = {MHD_HTTP_UNAUTHORIZED, wrong_token},
};

#define HTTP_PAGES                                                                                 \
    (2 * CONFIG_MAX_ARENAS + HTTP_MAX_ROUTES) // nothing that can be asked for lacks one

// The newest rendering of a path. libmicrohttpd counts the references of a response, so one that
// is being sent outlives its replacement here.
struct page {
    struct MHD_Response *response; // NULL: a place that was never taken
    char path[HTTP_PATH_BYTES];
    unsigned status;
    uint64_t rendered_ms;
};

// The parts of the dashboard, which never change.
static const struct part {
    const char *path, *type, *text;
} parts[] = {
    {"/", "text/html; charset=utf-8", embedded_dashboard_html},
    {"/dashboard.css", "text/css; charset=utf-8", embedded_dashboard_css},
    {"/dashboard.js", "text/javascript; charset=utf-8", embedded_dashboard_js},
};

#define PARTS (sizeof parts / sizeof *parts)

// Nothing from elsewhere, nothing inline, no frame around it.
static const char dashboard_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#define STREAM_SEND_BYTES (1 << 16) // that wait in the kernel for a viewer, or it sees the past
#define STREAM_BLOCK_BYTES 1024     // unused by the library in chunked answers, but must not be 0

struct http {
    const struct status_source *source;
    struct MHD_Daemon *daemon;
    struct MHD_Response *fixed[FIXED_ANSWERS];
    struct MHD_Response *parts[PARTS];
    struct http_guard guard;
    struct event_stream *viewers;
    bool is_closing;
    struct page pages[HTTP_PAGES];
    struct http_clients clients;
    int descriptor;
    uint16_t port;
};

static int listen_socket(const char *address, uint16_t port, char *error, size_t capacity);
static uint16_t bound_port(int descriptor);
static bool start(struct http *http, int listener);
static struct MHD_Response *make_response(const char *text, enum MHD_ResponseMemoryMode mode,
                                          const char *type);
static bool make_fixed(struct http *http);
static bool make_parts(struct http *http);
static void wake_connection(void *connection);
static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code);
static void end_request(void *context, struct MHD_Connection *connection, void **request,
                        enum MHD_RequestTerminationCode how);
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request);

struct http *http_open(const char *address, uint16_t port, const struct http_guard *guard,
                       const struct status_source *source, char *error, size_t capacity)
{
    assert(source != NULL);
    const int listener = listen_socket(address, port, error, capacity);
    if (listener < 0)
        return NULL;
    struct http *http = calloc(1, sizeof *http);
    if (http == NULL) {
        snprintf(error, capacity, "cannot start the http server: out of memory");
        close(listener);
        return NULL;
    }
    http->source = source;
    http->guard = *guard;
    http->clients.limit = HTTP_MAX_CLIENTS;
    http->port = bound_port(listener);
    if (!start(http, listener)) {
        snprintf(error, capacity, "cannot start the http server: out of memory or descriptors");
        http_close(http);
        return NULL;
    }
    return http;
}

void http_close(struct http *http)
{
    if (http == NULL)
        return;
    http->is_closing = true;
    if (http->viewers != NULL)
        event_stream_wake_all(http->viewers, wake_connection); // the library insists
    if (http->daemon != NULL)
        MHD_stop_daemon(http->daemon);
    event_stream_destroy(http->viewers);
    for (size_t i = 0; i < PARTS; i++)
        if (http->parts[i] != NULL)
            MHD_destroy_response(http->parts[i]);
    for (size_t i = 0; i < FIXED_ANSWERS; i++)
        if (http->fixed[i] != NULL)
            MHD_destroy_response(http->fixed[i]);
    for (size_t i = 0; i < HTTP_PAGES; i++)
        if (http->pages[i].response != NULL)
            MHD_destroy_response(http->pages[i].response);
    free(http);
}

uint16_t http_port(const struct http *http)
{
    return http->port;
}

int http_descriptor(const struct http *http)
{
    return http->descriptor;
}

int http_timeout_ms(const struct http *http)
{
    MHD_UNSIGNED_LONG_LONG timeout_ms;
    const uint64_t now_ms = monotonic_ms();
    const int event_stream_ms = event_stream_timeout_ms(http->viewers, now_ms);
    int clients_ms = http_clients_timeout_ms(&http->clients, now_ms);
    if (event_stream_ms >= 0 && event_stream_ms < clients_ms)
        clients_ms = event_stream_ms; // who views is a client
    if (MHD_get_timeout(http->daemon, &timeout_ms) != MHD_YES)
        return clients_ms;
    const int library_ms = timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
    return clients_ms >= 0 && clients_ms < library_ms ? clients_ms : library_ms;
}

void http_run(struct http *http)
{
    event_stream_run(http->viewers, monotonic_ms(), wake_connection);
    http_clients_end_late(&http->clients, monotonic_ms());
    MHD_run(http->daemon);
}

static int listen_socket(const char *address, uint16_t port, char *error, size_t capacity)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (inet_pton(AF_INET, address, &name.sin_addr) != 1) {
        snprintf(error, capacity, "cannot bind tcp %s:%u: not an IPv4 address", address, port);
        return -1;
    }
    const int on = 1;
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    // The kernel would otherwise refuse the port of a raimd that has just ended.
    if (descriptor < 0 || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(descriptor, (const struct sockaddr *)&name, sizeof name) != 0 ||
        listen(descriptor, HTTP_BACKLOG) != 0) {
        snprintf(error, capacity, "cannot bind tcp %s:%u: %s", address, port, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return -1;
    }
    return descriptor;
}

static uint16_t bound_port(int descriptor)
{
    struct sockaddr_in name = {0};
    socklen_t size = sizeof name;
    const int failed = getsockname(descriptor, (struct sockaddr *)&name, &size);
    assert(failed == 0);
    return ntohs(name.sin_port);
}

// Takes the listener.
static bool start(struct http *http, int listener)
{
    http->viewers = event_stream_create(http->source);
    if (http->viewers == NULL || !make_fixed(http) || !make_parts(http)) {
        close(listener);
        return false;
    }
    // No error log: what the library has to say concerns a single client's bytes.
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, http,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
        HTTP_MAX_CLIENTS + HTTP_SPARE_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT, HTTP_TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_CONNECTION_BYTES, MHD_OPTION_NOTIFY_CONNECTION,
        watch_connection, http, MHD_OPTION_NOTIFY_COMPLETED, end_request, http, MHD_OPTION_END);
    if (http->daemon == NULL) {
        close(listener);
        return false;
    }
    http->descriptor = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return true;
}

// Takes the text where the mode says so. NULL when memory runs out.
static struct MHD_Response *make_response(const char *text, enum MHD_ResponseMemoryMode mode,
                                          const char *type)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)text, mode);
    if (response == NULL) {
        if (mode == MHD_RESPMEM_MUST_FREE)
            free((void *)text);
        return NULL;
    }
    if (MHD_add_response_header(response, "Content-Type", type) != MHD_YES ||
        MHD_add_response_header(response, "Cache-Control", "no-store") != MHD_YES ||
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") != MHD_YES ||
        MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin") !=
            MHD_YES) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

static bool make_fixed(struct http *http)
{
    for (int i = 0; i < FIXED_ANSWERS; i++) {
        http->fixed[i] = make_response(fixed_answers[i].text, MHD_RESPMEM_PERSISTENT, JSON_TYPE);
        if (http->fixed[i] == NULL)
            return false;
    }
    return MHD_add_response_header(http->fixed[FIXED_NOT_ALLOWED], "Allow", "GET, HEAD") ==
               MHD_YES &&
           MHD_add_response_header(http->fixed[FIXED_WRONG_TOKEN], "WWW-Authenticate",
                                   "Bearer realm=\"raimd\"") == MHD_YES;
}

static enum MHD_Result answer_fixed(const struct http *http, struct MHD_Connection *connection,
                                    enum fixed answer)
{
    return MHD_queue_response(connection, fixed_answers[answer].status, http->fixed[answer]);
}

static bool make_parts(struct http *http)
{
    for (size_t i = 0; i < PARTS; i++) {
        struct MHD_Response *part =
            make_response(parts[i].text, MHD_RESPMEM_PERSISTENT, parts[i].type);
        http->parts[i] = part;
        if (part == NULL ||
            MHD_add_response_header(part, "Content-Security-Policy", dashboard_policy) != MHD_YES ||
            MHD_add_response_header(part, "Referrer-Policy", "no-referrer") != MHD_YES)
            return false;
    }
    return true;
}

static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    struct http *http = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        const int descriptor = info->connect_fd;
        info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        const struct sockaddr_in *address = (const struct sockaddr_in *)info->client_addr;
        *socket_context =
            http_clients_join(&http->clients, descriptor, address->sin_addr.s_addr, monotonic_ms());
    } else if (*socket_context != NULL) {
        http_client_leave(*socket_context);
    }
}

// NULL where there was no place for it.
static struct http_client *client_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void end_request(void *context, struct MHD_Connection *connection, void **request,
                        enum MHD_RequestTerminationCode how)
{
    (void)context, (void)request, (void)how;
    struct http_client *client = client_of(connection);
    if (client != NULL)
        http_client_await(client, monotonic_ms());
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

// The page of a path, or else the place of the oldest.
static struct page *find_page(struct http *http, const char *path)
{
    struct page *oldest = &http->pages[0];
    for (size_t i = 0; i < HTTP_PAGES; i++) {
        struct page *page = &http->pages[i];
        if (page->response == NULL || strcmp(page->path, path) == 0)
            return page;
        if (page->rendered_ms < oldest->rendered_ms)
            oldest = page;
    }
    return oldest;
}

// Answers with the path's page, rendered anew where it is too old.
static enum MHD_Result answer_page(struct http *http, struct MHD_Connection *connection,
                                   const struct http_route *route, const char *path,
                                   const char *name)
{
    assert(strlen(path) < HTTP_PATH_BYTES);
    struct page *page = find_page(http, path);
    const uint64_t now_ms = monotonic_ms();
    if (page->response != NULL && strcmp(page->path, path) == 0 &&
        now_ms - page->rendered_ms < HTTP_RENDER_INTERVAL_MS)
        return MHD_queue_response(connection, page->status, page->response);
    const struct http_rendering rendering = route->render(http->source, name, now_ms);
    if (rendering.status == MHD_HTTP_NOT_FOUND)
        return answer_fixed(http, connection, FIXED_NOT_FOUND);
    struct MHD_Response *response =
        rendering.text == NULL ? NULL
                               : make_response(rendering.text, MHD_RESPMEM_MUST_FREE, route->type);
    if (response == NULL)
        return answer_fixed(http, connection, FIXED_UNAVAILABLE);
    if (page->response != NULL)
        MHD_destroy_response(page->response);
    *page = (struct page){.response = response, .status = rendering.status, .rendered_ms = now_ms};
    strcpy(page->path, path);
    return MHD_queue_response(connection, page->status, page->response);
}

// --- Streams ---

static void wake_connection(void *connection)
{
    MHD_resume_connection(connection);
}

void http_end_streams(struct http *http, const struct arena *arena)
{
    event_stream_end(http->viewers, arena, wake_connection);
}

struct stream_reader {
    struct http *http;
    struct MHD_Connection *connection;
    struct viewer *viewer;
};

// The library's MHD_ContentReaderCallback: the next bytes, or sleep until there are some.
static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t capacity)
{
    (void)position;
    const struct stream_reader *reader = context;
    if (reader->http->is_closing || viewer_is_over(reader->viewer))
        return MHD_CONTENT_READER_END_OF_STREAM;
    const size_t size = viewer_read(reader->viewer, bytes, capacity, monotonic_ms());
    if (size == 0)
        MHD_suspend_connection(reader->connection);
    return (ssize_t)size;
}

static void end_stream(void *context)
{
    struct stream_reader *reader = context;
    if (reader->viewer != NULL)
        viewer_leave(reader->viewer);
    free(reader);
}

static void limit_send_buffer(struct MHD_Connection *connection)
{
    const int bytes = STREAM_SEND_BYTES;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

static struct MHD_Response *make_stream(struct http *http, struct MHD_Connection *connection,
                                        int arena, bool is_undelayed)
{
    struct stream_reader *reader = malloc(sizeof *reader);
    if (reader == NULL)
        return NULL;
    struct http_client *client = client_of(connection);
    *reader = (struct stream_reader){.http = http, .connection = connection};
    reader->viewer =
        event_stream_join(http->viewers, arena, is_undelayed, connection, client, monotonic_ms());
    struct MHD_Response *response =
        reader->viewer == NULL
            ? NULL
            : MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, read_stream,
                                                reader, end_stream);
    if (response == NULL) {
        end_stream(reader);
        return NULL;
    }
    if (client != NULL)
        http_client_stream(client);
    limit_send_buffer(connection);
    return response;
}

static enum MHD_Result answer_stream(struct http *http, struct MHD_Connection *connection,
                                     const char *name)
{
    const int arena = live_find(http->source, name);
    if (arena < 0)
        return answer_fixed(http, connection, FIXED_NOT_FOUND);
    const enum http_token token =
        http_guard_judge(&http->guard, header(connection, MHD_HTTP_HEADER_AUTHORIZATION));
    if (token == HTTP_TOKEN_WRONG)
        return answer_fixed(http, connection, FIXED_WRONG_TOKEN);
    struct MHD_Response *response = make_stream(http, connection, arena, token == HTTP_TOKEN_RIGHT);
    if (response == NULL)
        return answer_fixed(http, connection, FIXED_TOO_MANY);
    const bool complete =
        MHD_add_response_header(response, "Content-Type", "text/event-stream") == MHD_YES &&
        MHD_add_response_header(response, "Cache-Control", "no-store") == MHD_YES &&
        MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin") == MHD_YES;
    const enum MHD_Result result =
        complete ? MHD_queue_response(connection, MHD_HTTP_OK, response) : MHD_NO;
    MHD_destroy_response(response); // the connection holds it
    return result;
}

// --- Requests ---

struct resource {
    enum { RESOURCE_NONE, RESOURCE_PART, RESOURCE_STREAM, RESOURCE_PAGE } kind;
    size_t part;
    const struct http_route *route;
    char name[CONFIG_NAME_BYTES];
};

static struct resource find_resource(const char *path)
{
    struct resource resource = {.kind = RESOURCE_PART};
    for (; resource.part < PARTS; resource.part++)
        if (strcmp(path, parts[resource.part].path) == 0)
            return resource;
    resource.kind = RESOURCE_STREAM;
    if (http_path_matches(path, "/arenas/", "/stream", resource.name))
        return resource;
    resource.route = http_route_find(path, resource.name);
    resource.kind = resource.route != NULL ? RESOURCE_PAGE : RESOURCE_NONE;
    return resource;
}

static bool has_body(struct MHD_Connection *connection)
{
    return header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH) != NULL ||
           header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
}

// Called when a request's headers are there and again when all of it is. An answer to the first
// call makes the library close the connection without reading a body, which is what bodies
// deserve here; an answer to the second keeps the connection for further requests.
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request)
{
    (void)version, (void)upload, (void)upload_size;
    struct http *http = context;
    if (*request == NULL && !has_body(connection)) {
        *request = http;
        return MHD_YES;
    }
    struct http_client *client = client_of(connection);
    if (client != NULL)
        http_client_renew(client, monotonic_ms());
    const char *host = header(connection, MHD_HTTP_HEADER_HOST);
    if (!http_guard_takes_host(&http->guard, host))
        return answer_fixed(http, connection, FIXED_WRONG_HOST);
    if (!http_guard_takes_origin(&http->guard, header(connection, MHD_HTTP_HEADER_ORIGIN), host))
        return answer_fixed(http, connection, FIXED_WRONG_ORIGIN);
    const struct resource resource = find_resource(path);
    if (resource.kind == RESOURCE_NONE)
        return answer_fixed(http, connection, FIXED_NOT_FOUND);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return answer_fixed(http, connection, FIXED_NOT_ALLOWED);
    if (resource.kind == RESOURCE_PART)
        return MHD_queue_response(connection, MHD_HTTP_OK, http->parts[resource.part]);
    if (resource.kind == RESOURCE_STREAM)
        return answer_stream(http, connection, resource.name);
    return answer_page(http, connection, resource.route, path, resource.name);
}
