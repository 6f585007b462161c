// SPDX-License-Identifier: MIT
// Serves the status over HTTP with libmicrohttpd, polled from outside through its epoll set.
#define _GNU_SOURCE
#include "http.h"

#include "embedded.h"
#include "http_clients.h"
#include "live.h"
#include "metrics.h"
#include "monotonic.h"
#include "viewers.h"

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

#define HTTP_BACKLOG 64
#define HTTP_TIMEOUT_S 5U                    // without a byte, before a connection is closed
#define HTTP_CONNECTION_BYTES ((size_t)8192) // for a request's line and headers and our headers
#define HTTP_RENDER_INTERVAL_MS 100U         // a flood of requests costs at most so many renderings

// What a path answers, rendered now. The text is the caller's; NULL for NOT_FOUND and when memory
// runs out.
struct rendering {
    unsigned status;
    char *text;
};

struct route {
    const char *path; // where it ends in a slash, a name follows,
    const char *tail; // and then this
    const char *type;
    struct rendering (*render)(const struct status_source *source, const char *name,
                               uint64_t now_ms);
};

#define JSON_TYPE "application/json"

static const char not_found[] =
    "{\"error\":\"not found\",\"paths\":[\"/\",\"/status\",\"/arenas/NAME\","
    "\"/arenas/NAME/map\",\"/arenas/NAME/stream\",\"/metrics\",\"/healthz\",\"/readyz\"]}";
static const char not_allowed[] = "{\"error\":\"method not allowed\",\"allow\":[\"GET\",\"HEAD\"]}";
static const char unavailable[] = "{\"error\":\"out of memory\"}";
static const char too_many[] = "{\"error\":\"too many viewers\"}";

#define HTTP_PATH_BYTES (sizeof "/arenas/" + CONFIG_NAME_BYTES + sizeof "/map")
#define HTTP_MAX_ROUTES 8
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
    struct MHD_Response *not_found, *not_allowed, *unavailable, *too_many;
    struct MHD_Response *parts[PARTS];
    struct viewers *viewers;
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
static bool make_parts(struct http *http);
static void wake_connection(void *connection);
static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code);
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request);

struct http *http_open(const char *address, uint16_t port, const struct status_source *source,
                       char *error, size_t capacity)
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
    struct MHD_Response *fixed[] = {http->not_found, http->not_allowed, http->unavailable,
                                    http->too_many};
    http->is_closing = true;
    if (http->viewers != NULL)
        viewers_wake_all(http->viewers, wake_connection); // the library insists
    if (http->daemon != NULL)
        MHD_stop_daemon(http->daemon);
    viewers_destroy(http->viewers);
    for (size_t i = 0; i < PARTS; i++)
        if (http->parts[i] != NULL)
            MHD_destroy_response(http->parts[i]);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i] != NULL)
            MHD_destroy_response(fixed[i]);
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
    const int viewers_ms = viewers_timeout_ms(http->viewers, now_ms);
    int clients_ms = http_clients_timeout_ms(&http->clients, now_ms);
    if (viewers_ms >= 0 && viewers_ms < clients_ms)
        clients_ms = viewers_ms; // who views is a client
    if (MHD_get_timeout(http->daemon, &timeout_ms) != MHD_YES)
        return clients_ms;
    const int library_ms = timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
    return clients_ms >= 0 && clients_ms < library_ms ? clients_ms : library_ms;
}

void http_run(struct http *http)
{
    viewers_run(http->viewers, monotonic_ms(), wake_connection);
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
    http->not_found = make_response(not_found, MHD_RESPMEM_PERSISTENT, JSON_TYPE);
    http->not_allowed = make_response(not_allowed, MHD_RESPMEM_PERSISTENT, JSON_TYPE);
    http->unavailable = make_response(unavailable, MHD_RESPMEM_PERSISTENT, JSON_TYPE);
    http->too_many = make_response(too_many, MHD_RESPMEM_PERSISTENT, JSON_TYPE);
    http->viewers = viewers_create(http->source);
    if (http->not_found == NULL || http->not_allowed == NULL || http->unavailable == NULL ||
        http->too_many == NULL || http->viewers == NULL || !make_parts(http) ||
        MHD_add_response_header(http->not_allowed, "Allow", "GET, HEAD") != MHD_YES) {
        close(listener);
        return false;
    }
    // No error log: what the library has to say concerns a single client's bytes.
    http->daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, http,
                         MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
                         HTTP_MAX_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT, HTTP_TIMEOUT_S,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_CONNECTION_BYTES,
                         MHD_OPTION_NOTIFY_CONNECTION, watch_connection, http, MHD_OPTION_END);
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
        MHD_add_response_header(response, "Cache-Control", "no-store") != MHD_YES) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

static bool make_parts(struct http *http)
{
    for (size_t i = 0; i < PARTS; i++) {
        struct MHD_Response *part =
            make_response(parts[i].text, MHD_RESPMEM_PERSISTENT, parts[i].type);
        http->parts[i] = part;
        if (part == NULL ||
            MHD_add_response_header(part, "Content-Security-Policy", dashboard_policy) != MHD_YES ||
            MHD_add_response_header(part, "X-Content-Type-Options", "nosniff") != MHD_YES ||
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
        *socket_context = http_clients_join(&http->clients, info->connect_fd, monotonic_ms());
    } else if (*socket_context != NULL) {
        http_client_leave(*socket_context);
    }
}

static void renew_connection(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info->socket_context != NULL)
        http_client_renew(info->socket_context, monotonic_ms());
}

static struct rendering render_status(const struct status_source *source, const char *name,
                                      uint64_t now_ms)
{
    (void)name;
    return (struct rendering){MHD_HTTP_OK, status_json(source, now_ms)};
}

static struct rendering render_arena(const struct status_source *source, const char *name,
                                     uint64_t now_ms)
{
    (void)now_ms;
    bool missing;
    char *text = status_arena_json(source, name, &missing);
    return (struct rendering){missing ? MHD_HTTP_NOT_FOUND : MHD_HTTP_OK, text};
}

static struct rendering render_map(const struct status_source *source, const char *name,
                                   uint64_t now_ms)
{
    (void)now_ms;
    bool missing;
    char *text = live_map_json(source, name, &missing);
    return (struct rendering){missing ? MHD_HTTP_NOT_FOUND : MHD_HTTP_OK, text};
}

static struct rendering render_metrics(const struct status_source *source, const char *name,
                                       uint64_t now_ms)
{
    (void)name;
    return (struct rendering){MHD_HTTP_OK, metrics_text(source, now_ms)};
}

static struct rendering render_health(const struct status_source *source, const char *name,
                                      uint64_t now_ms)
{
    (void)name;
    return (struct rendering){MHD_HTTP_OK, status_health_json(source, now_ms)};
}

static struct rendering render_readiness(const struct status_source *source, const char *name,
                                         uint64_t now_ms)
{
    (void)name;
    bool ready;
    char *text = status_ready_json(source, now_ms, &ready);
    return (struct rendering){ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, text};
}

static const struct route routes[] = {
    {"/status", "", JSON_TYPE, render_status},   {"/arenas/", "", JSON_TYPE, render_arena},
    {"/arenas/", "/map", JSON_TYPE, render_map}, {"/metrics", "", METRICS_TYPE, render_metrics},
    {"/healthz", "", JSON_TYPE, render_health},  {"/readyz", "", JSON_TYPE, render_readiness},
};

#define ROUTES (sizeof routes / sizeof *routes)
static_assert(ROUTES <= HTTP_MAX_ROUTES, "each has a page");

// Whether a path is `head`, or, where that ends in a slash, a name between it and `tail`, which is
// then copied.
static bool matches(const char *path, const char *head, const char *tail,
                    char name[CONFIG_NAME_BYTES])
{
    const size_t head_size = strlen(head), tail_size = strlen(tail), size = strlen(path);
    *name = '\0';
    if (head[head_size - 1] != '/')
        return strcmp(path, head) == 0;
    if (strncmp(path, head, head_size) != 0 || size <= head_size + tail_size ||
        size - head_size - tail_size >= CONFIG_NAME_BYTES ||
        strcmp(path + size - tail_size, tail) != 0)
        return false;
    memcpy(name, path + head_size, size - head_size - tail_size);
    name[size - head_size - tail_size] = '\0';
    return strchr(name, '/') == NULL;
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
                                   const struct route *route, const char *path, const char *name)
{
    assert(strlen(path) < HTTP_PATH_BYTES);
    struct page *page = find_page(http, path);
    const uint64_t now_ms = monotonic_ms();
    if (page->response != NULL && strcmp(page->path, path) == 0 &&
        now_ms - page->rendered_ms < HTTP_RENDER_INTERVAL_MS)
        return MHD_queue_response(connection, page->status, page->response);
    const struct rendering rendering = route->render(http->source, name, now_ms);
    if (rendering.status == MHD_HTTP_NOT_FOUND)
        return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, http->not_found);
    struct MHD_Response *response =
        rendering.text == NULL ? NULL
                               : make_response(rendering.text, MHD_RESPMEM_MUST_FREE, route->type);
    if (response == NULL)
        return MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, http->unavailable);
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
    viewers_end(http->viewers, arena, wake_connection);
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

// Whether who asks is on this machine, and not behind a proxy that is.
static bool is_local(struct MHD_Connection *connection)
{
    static const char *const proxies[] = {"Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"};
    for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++)
        if (MHD_lookup_connection_value(connection, MHD_HEADER_KIND, proxies[i]) != NULL)
            return false;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr_in *address = (const struct sockaddr_in *)info->client_addr;
    return address->sin_family == AF_INET && ntohl(address->sin_addr.s_addr) >> 24 == 127;
}

static void limit_send_buffer(struct MHD_Connection *connection)
{
    const int bytes = STREAM_SEND_BYTES;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

static struct MHD_Response *make_stream(struct http *http, struct MHD_Connection *connection,
                                        int arena)
{
    struct stream_reader *reader = malloc(sizeof *reader);
    if (reader == NULL)
        return NULL;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    *reader = (struct stream_reader){.http = http, .connection = connection};
    reader->viewer = viewers_join(http->viewers, arena, is_local(connection), connection,
                                  info->socket_context, monotonic_ms());
    struct MHD_Response *response =
        reader->viewer == NULL
            ? NULL
            : MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, read_stream,
                                                reader, end_stream);
    if (response == NULL)
        end_stream(reader);
    else
        limit_send_buffer(connection);
    return response;
}

static enum MHD_Result answer_stream(struct http *http, struct MHD_Connection *connection,
                                     const char *name)
{
    const int arena = live_find(http->source, name);
    if (arena < 0)
        return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, http->not_found);
    struct MHD_Response *response = make_stream(http, connection, arena);
    if (response == NULL)
        return MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, http->too_many);
    const bool complete =
        MHD_add_response_header(response, "Content-Type", "text/event-stream") == MHD_YES &&
        MHD_add_response_header(response, "Cache-Control", "no-store") == MHD_YES;
    const enum MHD_Result result =
        complete ? MHD_queue_response(connection, MHD_HTTP_OK, response) : MHD_NO;
    MHD_destroy_response(response); // the connection holds it
    return result;
}

// --- Requests ---

struct resource {
    enum { RESOURCE_NONE, RESOURCE_PART, RESOURCE_STREAM, RESOURCE_PAGE } kind;
    size_t index; // of the part or the route
    char name[CONFIG_NAME_BYTES];
};

static struct resource find_resource(const char *path)
{
    struct resource resource = {.kind = RESOURCE_PART};
    for (; resource.index < PARTS; resource.index++)
        if (strcmp(path, parts[resource.index].path) == 0)
            return resource;
    resource.kind = RESOURCE_STREAM;
    if (matches(path, "/arenas/", "/stream", resource.name))
        return resource;
    resource.kind = RESOURCE_PAGE;
    for (resource.index = 0; resource.index < ROUTES; resource.index++) {
        const struct route *route = &routes[resource.index];
        if (matches(path, route->path, route->tail, resource.name))
            return resource;
    }
    return (struct resource){.kind = RESOURCE_NONE};
}

static bool has_body(struct MHD_Connection *connection)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                       MHD_HTTP_HEADER_CONTENT_LENGTH) != NULL ||
           MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                       MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
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
    renew_connection(connection);
    const struct resource resource = find_resource(path);
    if (resource.kind == RESOURCE_NONE)
        return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, http->not_found);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, http->not_allowed);
    if (resource.kind == RESOURCE_PART)
        return MHD_queue_response(connection, MHD_HTTP_OK, http->parts[resource.index]);
    if (resource.kind == RESOURCE_STREAM)
        return answer_stream(http, connection, resource.name);
    return answer_page(http, connection, &routes[resource.index], path, resource.name);
}
