// SPDX-License-Identifier: MIT
// Starts the parts of the gateway in order, and answers requests over HTTP.
#define _GNU_SOURCE // batch.h
#include "web_server.h"

#include "batch.h"
#include "certificate.h"
#include "crypto.h"
#include "http_answer.h"
#include "http_listener.h"
#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "sandbox.h"
#include "socket_address.h"
#include "state_file.h"
#include "systemd.h"
#include "web_arenas.h"
#include "web_metrics.h"
#include "web_page.h"
#include "web_recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MS = 5000, HTTP_CONNECTIONS = 128, PROBLEM_BYTES = 512 };

struct web_server {
    struct loop *loop;
    struct web_config *config; // owned
    uint16_t port;
    char state[PATH_MAX]; // $STATE_DIRECTORY; "": nothing is kept
    struct web_counts counts;
    struct certificates *certificates;
    struct certificate *served; // over HTTPS; referenced
    struct web_arenas *arenas;
    struct web_page *page;
    struct web_recordings *recordings; // of the listener
    struct quic *quic;
    int listening; // TCP; a listener has a duplicate
    struct http_listener *listener;
    struct loop_source *files;
};

static int64_t now_s(void)
{
    return (int64_t)time(NULL);
}

// --- HTTP ---

static bool answer_json(struct MHD_Connection *connection, struct json_writer *json, bool is_public)
{
    struct MHD_Response *response = http_answer_text(HTTP_JSON_TYPE, json_write_take(json));
    if (response != NULL && is_public &&
        !http_answer_add_header(response, "Access-Control-Allow-Origin", "*")) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(connection, HTTP_OK, response);
}

// What a page needs to connect: also one that lies elsewhere.
static bool answer_servers(struct web_server *server, struct MHD_Connection *connection)
{
    struct json_writer json = {0};
    const char *hashes[2];
    const int count = certificates_hashes(server->certificates, hashes);
    json_begin_object(&json, NULL);
    json_begin_array(&json, "certificate_hashes");
    for (int i = 0; i < count; i++)
        json_write_text(&json, NULL, hashes[i]);
    json_write_end(&json);
    web_arenas_write(server->arenas, &json);
    json_write_end(&json);
    return answer_json(connection, &json, true);
}

static bool answer_status(struct web_server *server, struct MHD_Connection *connection)
{
    const struct metric_source source = {&web_metrics, &server->counts};
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_write_text(&json, "version", RAIM_VERSION);
    metric_write_status(&source, &json, monotonic_ms());
    json_write_end(&json);
    return answer_json(connection, &json, false);
}

// Whether a request comes from this machine and from no page of another site: the status is not
// for strangers.
static bool is_local(struct MHD_Connection *connection)
{
    static const struct http_access nobody = {0};
    const struct http_client *client = http_connection_client(connection);
    const uint64_t loopback = ip_address_host(ip_address_v4(0x7F000001));
    return client != NULL && (client->address == 0 || client->address >> 24 == loopback >> 24) &&
           http_access_takes_host(&nobody, http_connection_header(connection, "Host"));
}

static bool answer(void *context, const struct http_request *request)
{
    struct web_server *server = context;
    struct MHD_Connection *connection = request->connection;
    bool is_sent = false;
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return http_answer_send_problem(connection, HTTP_METHOD_NOT_ALLOWED, "want GET or HEAD",
                                        "GET, HEAD");
    if (*request->memory == NULL) { // answered at its end, so that the connection stays open
        *request->memory = &request_memory_none;
        return true;
    }
    http_connection_renew(connection);
    if (strcmp(request->path, "/servers.json") == 0)
        return answer_servers(server, connection);
    if (strcmp(request->path, "/status.json") == 0 && is_local(connection))
        return answer_status(server, connection);
    if (web_page_answer(server->page, connection, request->path, &is_sent) ||
        web_recordings_answer(server->recordings, request, &is_sent))
        return is_sent;
    return http_answer_send_problem(connection, HTTP_NOT_FOUND,
                                    web_page_count(server->page) == 0 ? "the page is not installed"
                                                                      : "there is no such page",
                                    NULL);
}

static void stop_http(struct web_server *server)
{
    web_recordings_end(server->recordings);
    if (server->listener != NULL)
        http_listener_run(server->listener); // ends the downloads
    http_listener_stop(server->listener);
    web_recordings_destroy(server->recordings);
    server->listener = NULL;
    server->recordings = NULL;
}

// Begins to serve, again with another certificate.
static bool listen_http(struct web_server *server)
{
    const bool has_files = server->config->certificate[0] != '\0';
    struct certificate *certificate = certificates_current(server->certificates);
    stop_http(server);
    server->recordings = web_recordings_create(server->loop, server->config->recordings);
    if (server->recordings == NULL)
        return false;
    certificate_release(server->served);
    server->served = certificate_keep(certificate);
    const struct http_listener_def def = {
        .loop = server->loop,
        .socket = fcntl(server->listening, F_DUPFD_CLOEXEC, 0),
        .max_connections = HTTP_CONNECTIONS,
        .certificate = has_files ? certificate->chain : NULL,
        .key = has_files ? certificate->key : NULL,
        .answer = answer,
        .context = server,
    };
    server->listener = def.socket >= 0 ? http_listener_start(&def) : NULL;
    return server->listener != NULL;
}

// --- Files ---

static void update_files(void *context)
{
    struct web_server *server = context;
    char problem[PROBLEM_BYTES];
    if (web_page_update(server->page))
        log_info("page read files=%d directory=%s", web_page_count(server->page),
                 server->config->page);
    const bool is_new = certificates_update(server->certificates, now_s(), problem, sizeof problem);
    if (problem[0] != '\0')
        log_error("certificate kept: %s", problem);
    if (!is_new)
        return;
    log_info("certificate replaced");
    if (server->config->certificate[0] != '\0' && !listen_http(server))
        log_error("cannot serve the page by the new certificate");
}

// The secret of the tokens and resets of QUIC is kept, so that clients of a process that was killed
// learn it from the next one at once.
static void find_secret(const struct web_server *server, uint8_t secret[QUIC_SECRET_BYTES])
{
    char path[PATH_MAX + 8];
    const char *problem;
    raim_crypto_random(secret, QUIC_SECRET_BYTES);
    if (server->state[0] == '\0')
        return;
    snprintf(path, sizeof path, "%s/secret", server->state);
    uint8_t kept[QUIC_SECRET_BYTES];
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SECRET, &problem);
    if (file >= 0 && read(file, kept, sizeof kept) == (ssize_t)sizeof kept)
        memcpy(secret, kept, sizeof kept);
    else if (!state_file_replace(path, secret, QUIC_SECRET_BYTES, STATE_FILE_PROCESS))
        log_warning("cannot write %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
}

// --- Start and stop ---

static bool open_sockets(struct web_server *server, int *udp, char *problem, size_t capacity)
{
    const struct web_address *listen = &server->config->listen;
    *udp = -1;
    server->listening = listen_socket_tcp(listen->host, listen->port, problem, capacity);
    if (server->listening < 0)
        return false;
    server->port = listen_socket_port(server->listening);
    *udp = socket_address_open(listen->host, server->port, SOCK_DGRAM, problem, capacity);
    return *udp >= 0;
}

static bool start_quic(struct web_server *server, int socket)
{
    uint8_t secret[QUIC_SECRET_BYTES];
    union socket_address address;
    const bool has_locals = socket_address_of(socket, &address) &&
                            address.any.sa_family == AF_INET6 && local_address_enable(socket);
    const int buffer = 4 << 20; // a burst of all players
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    find_secret(server, secret);
    const struct quic_def def = {
        .loop = server->loop,
        .socket = socket,
        .has_locals = has_locals,
        .secret = secret,
        .certificates = server->certificates,
        .limits = server->config->limits,
        .counts = &server->counts,
        .open = web_arenas_open,
        .receive = web_arenas_receive,
        .close = web_arenas_close,
        .context = server->arenas,
    };
    server->quic = quic_start(&def);
    raim_crypto_wipe(secret, sizeof secret);
    if (server->quic == NULL)
        return false;
    web_arenas_attach(server->arenas, server->quic);
    return true;
}

static bool start_parts(struct web_server *server, char *problem, size_t capacity)
{
    const struct web_config *config = server->config;
    int udp;
    const struct certificates_def def = {
        .chain = config->certificate,
        .key = config->key,
        .state = server->state[0] != '\0' ? server->state : NULL,
    };
    server->certificates = certificates_open(&def, now_s(), problem, capacity);
    if (server->certificates == NULL || !open_sockets(server, &udp, problem, capacity))
        return false;
    server->arenas = web_arenas_create(server->loop, config, &server->counts, problem, capacity);
    server->page = web_page_create(config->page);
    if (server->arenas == NULL || server->page == NULL) {
        close(udp);
        return false;
    }
    snprintf(problem, capacity, "out of memory or descriptors");
    server->files = loop_add_interval(server->loop, FILES_MS, update_files, server);
    return start_quic(server, udp) && server->files != NULL && listen_http(server);
}

// Restricts the process to the files that it may need again.
static void enter_sandbox(const struct web_server *server)
{
    struct path_list readable = {0}, writable = {0};
    const struct web_config *config = server->config;
    for (int i = 0; i < config->directories.count; i++)
        path_list_add(&readable, config->directories.items[i]);
    if (config->page[0] != '\0')
        path_list_add(&readable, config->page);
    if (config->recordings[0] != '\0')
        path_list_add(&readable, config->recordings);
    if (server->state[0] != '\0')
        path_list_add(&writable, server->state);
    const struct sandbox_paths paths = {.readable = &readable, .writable = &writable};
    const struct sandbox_report report = sandbox_enter(&paths);
    log_write(report.is_whole ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, &(struct log_subject){0},
              "sandbox started seccomp=\"%s\" landlock=\"%s\"", report.seccomp, report.landlock);
    path_list_clear(&readable);
    path_list_clear(&writable);
}

// Says which of the two kinds of certificate it is, and who can play by it.
static void log_start(const struct web_server *server)
{
    const struct web_config *config = server->config;
    const char *hashes[2];
    const bool is_self_made = certificates_hashes(server->certificates, hashes) > 0;
    union socket_address address;
    const bool is_loopback = socket_address_parse(config->listen.host, 0, &address) &&
                             socket_address_is_loopback(&address);
    log_info("gateway started listen=%s port=%u targets=%d files=%d", config->listen.host,
             server->port, config->target_count, web_page_count(server->page));
    if (config->recordings[0] != '\0' && access(config->recordings, R_OK | X_OK) != 0)
        log_warning("cannot read recordings of %s: %s", config->recordings, strerror(errno));
    if (!is_self_made) {
        log_info("certificate of %s; players open https://NAME:%u/, where NAME is a name of the "
                 "certificate",
                 config->certificate, server->port);
        return;
    }
    log_info("certificate self-made hash=%s; on this machine open http://localhost:%u/", hashes[0],
             server->port);
    if (!is_loopback)
        log_info("players of other machines need the keys certificate and key, or the page on an "
                 "https site: https://SITE/?gateway=HOST:%u&hash=HASH, with the hash of this line, "
                 "which changes",
                 server->port);
    if (!config->has_gateway_key)
        log_info("gateway_key_file is not set: arenas take all players for this gateway, for bans "
                 "and limits");
}

struct web_server *web_server_start(struct loop *loop, struct web_config *config)
{
    char problem[PROBLEM_BYTES] = "out of memory";
    struct web_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        log_error("cannot start: out of memory");
        web_config_free(config);
        return NULL;
    }
    server->loop = loop;
    server->config = config;
    server->listening = -1;
    unit_directories_find("STATE_DIRECTORY", server->state, sizeof server->state);
    if (!start_parts(server, problem, sizeof problem)) {
        log_error("cannot start: %s", problem);
        web_server_stop(server);
        return NULL;
    }
    web_page_update(server->page);
    if (config->sandbox)
        enter_sandbox(server);
    log_start(server);
    return server;
}

void web_server_reload(struct web_server *server)
{
    update_files(server);
}

void web_server_stop(struct web_server *server)
{
    if (server == NULL)
        return;
    quic_stop(server->quic);
    loop_remove(server->files);
    stop_http(server);
    web_page_destroy(server->page);
    web_arenas_destroy(server->arenas);
    certificate_release(server->served);
    certificates_close(server->certificates);
    if (server->listening >= 0)
        close(server->listening);
    web_config_free(server->config);
    free(server);
}
