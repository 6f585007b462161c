// SPDX-License-Identifier: MIT
// Serves the status over HTTP with libmicrohttpd, polled from outside through its epoll set.
#define _GNU_SOURCE
#include "http.h"

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
#include <time.h>
#include <unistd.h>

#define HTTP_MAX_CONNECTIONS 64U // more wait in the listen queue until one ends
#define HTTP_BACKLOG 64
#define HTTP_TIMEOUT_S 5U                    // without a byte, before a connection is closed
#define HTTP_CONNECTION_BYTES ((size_t)8192) // for a request's line and headers and our headers
#define HTTP_RENDER_INTERVAL_MS 100U         // a flood of requests costs at most so many renderings

struct route {
    const char *path;
    char *(*render)(const struct status_source *source, uint64_t now_ms);
};

static const struct route routes[] = {
    {"/status", status_json},
    {"/healthz", status_health_json},
};

#define ROUTES (sizeof routes / sizeof *routes)

static const char not_found[] = "{\"error\":\"not found\",\"paths\":[\"/status\",\"/healthz\"]}";
static const char not_allowed[] = "{\"error\":\"method not allowed\",\"allow\":[\"GET\",\"HEAD\"]}";
static const char unavailable[] = "{\"error\":\"out of memory\"}";

// The newest rendering of a route. libmicrohttpd counts the references of a response, so one that
// is being sent outlives its replacement here.
struct page {
    struct MHD_Response *response; // NULL before the first request
    uint64_t rendered_ms;
};

struct http {
    const struct status_source *source;
    struct MHD_Daemon *daemon;
    struct MHD_Response *not_found, *not_allowed, *unavailable;
    struct page pages[ROUTES];
    int descriptor;
    uint16_t port;
};

static int listen_socket(const char *address, uint16_t port, char *error, size_t capacity);
static uint16_t bound_port(int descriptor);
static bool start(struct http *http, int listener);
static struct MHD_Response *response_json(const char *text, enum MHD_ResponseMemoryMode mode);
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
    struct MHD_Response *fixed[] = {http->not_found, http->not_allowed, http->unavailable};
    if (http->daemon != NULL)
        MHD_stop_daemon(http->daemon);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i] != NULL)
            MHD_destroy_response(fixed[i]);
    for (size_t i = 0; i < ROUTES; i++)
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
    if (MHD_get_timeout(http->daemon, &timeout_ms) != MHD_YES)
        return -1;
    return timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
}

void http_run(struct http *http)
{
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
    http->not_found = response_json(not_found, MHD_RESPMEM_PERSISTENT);
    http->not_allowed = response_json(not_allowed, MHD_RESPMEM_PERSISTENT);
    http->unavailable = response_json(unavailable, MHD_RESPMEM_PERSISTENT);
    if (http->not_found == NULL || http->not_allowed == NULL || http->unavailable == NULL ||
        MHD_add_response_header(http->not_allowed, "Allow", "GET, HEAD") != MHD_YES) {
        close(listener);
        return false;
    }
    // No error log: what the library has to say concerns a single client's bytes.
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, http, MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_CONNECTION_LIMIT, HTTP_MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        HTTP_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_CONNECTION_BYTES, MHD_OPTION_END);
    if (http->daemon == NULL) {
        close(listener);
        return false;
    }
    http->descriptor = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return true;
}

// Takes the text where the mode says so. NULL when memory runs out.
static struct MHD_Response *response_json(const char *text, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)text, mode);
    if (response == NULL) {
        if (mode == MHD_RESPMEM_MUST_FREE)
            free((void *)text);
        return NULL;
    }
    if (MHD_add_response_header(response, "Content-Type", "application/json") != MHD_YES ||
        MHD_add_response_header(response, "Cache-Control", "no-store") != MHD_YES) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

static uint64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// A route's page, rendered anew where it is too old; NULL when memory runs out.
static struct MHD_Response *fresh_response(struct http *http, size_t route)
{
    struct page *page = &http->pages[route];
    const uint64_t now_ms = monotonic_ms();
    if (page->response != NULL && now_ms - page->rendered_ms < HTTP_RENDER_INTERVAL_MS)
        return page->response;
    char *text = routes[route].render(http->source, now_ms);
    struct MHD_Response *response =
        text == NULL ? NULL : response_json(text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        return NULL;
    if (page->response != NULL)
        MHD_destroy_response(page->response);
    page->response = response;
    page->rendered_ms = now_ms;
    return response;
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
    size_t route = 0;
    while (route < ROUTES && strcmp(path, routes[route].path) != 0)
        route++;
    if (route == ROUTES)
        return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, http->not_found);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, http->not_allowed);
    struct MHD_Response *response = fresh_response(http, route);
    if (response == NULL)
        return MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, http->unavailable);
    return MHD_queue_response(connection, MHD_HTTP_OK, response);
}
