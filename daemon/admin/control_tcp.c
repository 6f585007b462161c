// SPDX-License-Identifier: MIT
// Checks the sender of a request, and passes requests to the API.
#define _GNU_SOURCE
#include "control_tcp.h"

#include "commands.h"
#include "control.h"
#include "crypto.h"
#include "http_access.h"
#include "http_answer.h"
#include "http_listener.h"
#include "socket_address.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 64, MAX_FILE_BYTES = 256 * 1024 };

struct control_tcp {
    struct control *control; // borrowed
    struct http *page;       // the dashboard; NULL: none
    struct http_listener *listener;
    struct http_access guard; // without names; with the token
    uint16_t port;
    bool needs_certificate;                // of clients
    char *certificate, *key, *authorities; // PEM; NULL: none
    struct {
        uint64_t limited; // connections that began too fast
        uint64_t denied;  // requests without the token or certificate, or from a page of a browser
    } counts;             // since the start
};

#define COUNTS(member) METRIC_OF(struct control_tcp, counts.member)

static const struct metric count_rows[] = {
    {NULL, "raimd_control_connections_limited_total",
     "TLS connections to control_listen that were closed because too many began.", METRIC_COUNTER,
     COUNTS(limited)},
    {NULL, "raimd_control_requests_denied_total",
     "Requests to control_listen without its token or certificate, or from browsers.",
     METRIC_COUNTER, COUNTS(denied)},
};

const struct metric_table control_tcp_metrics = {METRIC_ROWS(count_rows)};

// Reads a PEM file; "" gives NULL. Returns false with a reason.
static bool read_file(const char *path, char **text, char *error, size_t capacity)
{
    *text = NULL;
    if (path[0] == '\0')
        return true;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    char *bytes = file >= 0 ? calloc(1, MAX_FILE_BYTES + 1) : NULL;
    const ssize_t size = bytes != NULL ? read(file, bytes, MAX_FILE_BYTES) : -1;
    const int problem = errno;
    if (file >= 0)
        close(file);
    if (size >= 0) {
        *text = bytes;
        return true;
    }
    snprintf(error, capacity, "cannot read \"%s\": %s", path, strerror(problem));
    free(bytes);
    return false;
}

static bool deny(struct MHD_Connection *connection)
{
    static const char text[] = "{\"error\":\"want the bearer token\"}\n";
    struct MHD_Response *response = http_answer_constant(HTTP_JSON_TYPE, text, false);
    if (response != NULL &&
        !http_answer_add_header(response, "WWW-Authenticate", "Bearer realm=\"raimd\"")) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(connection, HTTP_UNAUTHORIZED, response);
}

static bool has_token(const struct control_tcp *tcp)
{
    return tcp->guard.token[0] != '\0';
}

// Whether every command is taken: on a loopback address without token and certificates anybody on
// the machine may ask, for those of matchmakers.
static bool takes_operators(const struct control_tcp *tcp)
{
    return has_token(tcp) || tcp->needs_certificate;
}

// Whether this is a request for a file of the dashboard, which asks for the token.
static bool is_of_page(const struct control_tcp *tcp, const struct http_request *step)
{
    return tcp->page != NULL && takes_operators(tcp) && http_serves_anyone(tcp->page, step->path) &&
           (strcmp(step->method, "GET") == 0 || strcmp(step->method, "HEAD") == 0);
}

// Whether a page of a browser asks. A page of another origin sends no Origin with a GET of an
// image.
static bool is_browser(struct MHD_Connection *connection)
{
    const char *site = http_connection_header(connection, "Sec-Fetch-Site");
    return http_connection_header(connection, "Origin") != NULL ||
           (site != NULL && strcmp(site, "none") != 0); // "none": its user has typed the URL
}

// Answers a request whose sender may not ask, and returns true in `is_answered`.
static bool check_sender(const struct control_tcp *tcp, const struct http_request *step,
                         bool *is_answered)
{
    struct MHD_Connection *connection = step->connection;
    const char *host = http_connection_header(connection, "Host");
    *is_answered = true;
    if (tcp->needs_certificate && !http_connection_has_certificate(connection))
        return http_answer_send_problem(connection, HTTP_FORBIDDEN,
                                        "want a client certificate of a known authority", NULL);
    if (has_token(tcp) && !is_of_page(tcp, step) &&
        http_access_check_token(&tcp->guard, http_connection_header(connection, "Authorization")) !=
            HTTP_TOKEN_RIGHT)
        return deny(connection);
    // On a loopback address, a browser there must not send requests for a foreign page.
    if (takes_operators(tcp))
        return operator_page_check(NULL, step, is_answered);
    if (!http_access_takes_host(&tcp->guard, host))
        return http_answer_send_problem(connection, HTTP_MISDIRECTED_REQUEST, "unknown host", NULL);
    if (is_browser(connection))
        return http_answer_send_problem(connection, HTTP_FORBIDDEN,
                                        "pages of browsers are not served", NULL);
    *is_answered = false;
    return true;
}

// The sender: the name in its certificate, or how check_sender has accepted it.
static void set_by(const struct control_tcp *tcp, struct MHD_Connection *connection,
                   char by[COMMAND_BY_BYTES])
{
    char name[COMMAND_BY_BYTES] = "";
    if (tcp->needs_certificate)
        http_connection_name(connection, name, sizeof name);
    command_log_set_by(by, name[0] != '\0'          ? name
                           : tcp->needs_certificate ? "certificate"
                           : has_token(tcp)         ? "token"
                                                    : "loopback");
}

static bool answer(void *context, const struct http_request *step)
{
    struct control_tcp *tcp = context;
    bool is_answered = false;
    if (*step->memory == NULL) {
        const bool good = check_sender(tcp, step, &is_answered);
        tcp->counts.denied += is_answered;
        if (is_answered)
            return good;
    }
    char by[COMMAND_BY_BYTES];
    set_by(tcp, step->connection, by);
    if (api_takes(step->path))
        return api_answer(control_api(tcp->control), step,
                          &(struct api_sender){.by = by,
                                               .via = operator_page_via(step),
                                               .is_operator = takes_operators(tcp)});
    if (takes_operators(tcp) && control_has_document(tcp->control, step->path))
        return control_answer_document(tcp->control, step);
    if (takes_operators(tcp) && tcp->page != NULL && http_serves(tcp->page, step->path))
        return http_answer_operator(tcp->page, step,
                                    has_token(tcp) ? HTTP_OPERATOR_BY_TOKEN : HTTP_OPERATOR);
    return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
}

static void end_request(void *context, void *memory)
{
    (void)context;
    struct request_memory *request = memory;
    request->end(request);
}

static bool start(struct control_tcp *tcp, struct loop *loop, const struct config_control *config,
                  char *error, size_t capacity)
{
    if (!read_file(config->certificate, &tcp->certificate, error, capacity) ||
        !read_file(config->key, &tcp->key, error, capacity) ||
        !read_file(config->clients, &tcp->authorities, error, capacity))
        return false;
    const int socket =
        listen_socket_tcp(config->listen.address, config->listen.port, error, capacity);
    if (socket < 0)
        return false;
    tcp->port = listen_socket_port(socket);
    const struct http_listener_def def = {.loop = loop,
                                          .socket = socket,
                                          .max_connections = MAX_CONNECTIONS,
                                          .certificate = tcp->certificate,
                                          .key = tcp->key,
                                          .authorities = tcp->authorities,
                                          .answer = answer,
                                          .end = end_request,
                                          .rejected = &tcp->counts.limited,
                                          .context = tcp};
    tcp->listener = http_listener_start(&def);
    if (tcp->listener == NULL)
        snprintf(error, capacity,
                 "cannot start the control over TCP: its certificate does not match its key, "
                 "or memory or descriptors have run out");
    return tcp->listener != NULL;
}

struct control_tcp *control_tcp_open(struct loop *loop, const struct config_control *config,
                                     struct control *control, struct http *page, char *error,
                                     size_t capacity)
{
    struct control_tcp *tcp = calloc(1, sizeof *tcp);
    snprintf(error, capacity, "out of memory");
    if (tcp == NULL)
        return NULL;
    tcp->control = control;
    tcp->page = page;
    tcp->needs_certificate = config->clients[0] != '\0';
    strcpy(tcp->guard.token, config->token);
    if (start(tcp, loop, config, error, capacity)) {
        listen_socket_log(config->certificate[0] != '\0' ? "control started url=https://"
                                                         : "control started url=http://",
                          config->listen.address, tcp->port, "/v1");
        return tcp;
    }
    control_tcp_close(tcp);
    return NULL;
}

// Takes NULL.
static void free_secret(char *text)
{
    if (text != NULL)
        raim_crypto_wipe(text, strlen(text));
    free(text);
}

void control_tcp_close(struct control_tcp *tcp)
{
    if (tcp == NULL)
        return;
    if (tcp->listener != NULL)
        http_listener_run(tcp->listener); // ends the event streams
    http_listener_stop(tcp->listener);
    free(tcp->certificate);
    free(tcp->authorities);
    free_secret(tcp->key);
    free(tcp);
}

uint16_t control_tcp_port(const struct control_tcp *tcp)
{
    return tcp->port;
}
