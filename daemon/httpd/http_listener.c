// SPDX-License-Identifier: MIT
// Runs libmicrohttpd by its epoll descriptor and applies the connection limits.
#define _GNU_SOURCE
#include "http_listener.h"

#include "crypto.h"
#include "http_answer.h"
#include "loop.h"
#include "monotonic.h"
#include "rate_limit.h"
#include "socket_address.h"

#include <assert.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

// Certificates of the clients of a TLS server. Main thread only.

struct gnutls_session_int;

// Of RSA keys.
enum { MAX_MODULUS_BITS = 8192, MAX_EXPONENT_BYTES = 4 };

// A client proves that it has the key of its certificate before anybody knows whether an authority
// has signed it. With an RSA key whose public exponent is as long as its modulus, to verify that
// takes 75 ms of CPU time at 8192 bits, and the client, whose private exponent is short, next to
// none.
static bool is_cheap(gnutls_x509_crt_t certificate)
{
    unsigned bits;
    gnutls_datum_t modulus, exponent;
    const int algorithm = gnutls_x509_crt_get_pk_algorithm(certificate, &bits);
    if (algorithm == GNUTLS_PK_ECDSA || algorithm == GNUTLS_PK_EDDSA_ED25519 ||
        algorithm == GNUTLS_PK_EDDSA_ED448)
        return true;
    if (algorithm != GNUTLS_PK_RSA ||
        gnutls_x509_crt_get_pk_rsa_raw(certificate, &modulus, &exponent) != 0)
        return false;
    gnutls_free(modulus.data);
    gnutls_free(exponent.data);
    return bits <= MAX_MODULUS_BITS && exponent.size <= MAX_EXPONENT_BYTES;
}

// Called when the signature by a client's key has been received, before it is verified: in TLS 1.3
// a verify function is called after that. Returns 0 to go on.
static int check_key(gnutls_session_t session, unsigned type, unsigned when, unsigned is_incoming,
                     const gnutls_datum_t *message)
{
    (void)type, (void)when, (void)is_incoming, (void)message;
    unsigned count = 0;
    gnutls_x509_crt_t certificate;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    if (chain == NULL || count == 0)
        return 0; // its requests are rejected
    if (gnutls_x509_crt_init(&certificate) != 0)
        return GNUTLS_E_MEMORY_ERROR;
    const bool is_good = gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) == 0 &&
                         is_cheap(certificate);
    gnutls_x509_crt_deinit(certificate);
    return is_good ? 0 : GNUTLS_E_UNSUPPORTED_CERTIFICATE_TYPE;
}

// Makes a session's handshake fail where the key of the client's certificate is expensive to verify
// with. Call it before the handshake.
static void http_tls_limit_keys(struct gnutls_session_int *session)
{
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_CERTIFICATE_VERIFY,
                                       GNUTLS_HOOK_PRE, check_key);
}

// Whether the client has shown a certificate that an authority of the server has signed, that is
// valid now, and that is not for other purposes than that of a TLS client.
static bool http_tls_has_certificate(struct gnutls_session_int *session)
{
    // An authority may sign certificates of servers, too, whose owners may not ask for anything.
    gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
    unsigned faults;
    return gnutls_certificate_verify_peers(session, &purpose, 1, &faults) == 0 && faults == 0;
}

// Copies the common name of the client's certificate; "" where it has none.
static void http_tls_name(struct gnutls_session_int *session, char *name, size_t capacity)
{
    unsigned count = 0;
    gnutls_x509_crt_t certificate;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    name[0] = '\0';
    if (chain == NULL || count == 0 || gnutls_x509_crt_init(&certificate) != 0)
        return;
    size_t size = capacity;
    if (gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) != 0 ||
        gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name,
                                      &size) != 0)
        name[0] = '\0';
    gnutls_x509_crt_deinit(certificate);
}

#define IDLE_S 5U                       // idle timeout of a connection
#define CONNECTION_BYTES ((size_t)8192) // memory for the request line and all headers

// New TLS connections. An answer to a ClientHello takes 0.2 ms of CPU time with an ECDSA key and 6
// ms with an RSA key of 4096 bits, and the sender has proven nothing.
static const struct rate handshakes_of_address = {.interval = 30, .burst = 64}; // ms
static const struct rate handshakes_of_all = {.interval = 10, .burst = 128};    // ms

// libmicrohttpd wants to be run again at once for as long as a TLS handshake waits for its client
// (0.9.75): half a ClientHello would keep the main thread busy. After so many runs for nothing in
// turn, the next one waits for so long, or until a socket is ready.
enum { IDLE_RUNS = 8, IDLE_PAUSE_MS = 10 };

struct http_listener {
    struct http_listener_def def;
    struct MHD_Daemon *daemon;
    int descriptor; // epoll, of the daemon's sockets
    struct loop_source *sockets, *timer, *again;
    struct http_clients clients;
    struct rate_limit handshakes; // with TLS
    uint64_t steps;               // of requests and connections
    unsigned idle_runs;           // in turn, with TLS
};

static void end_nothing(struct request_memory *memory)
{
    (void)memory;
}

struct request_memory request_memory_none = {end_nothing};

// Decodes a path in place like the library, but leaves one with an encoded NUL as it is: decoded,
// it would end there and name something else.
static size_t decode_path(void *context, struct MHD_Connection *connection, char *path)
{
    (void)context, (void)connection;
    return strstr(path, "%00") != NULL ? strlen(path) : MHD_http_unescape(path);
}

// The header fields that say where a request's body ends.
struct framing {
    int fields;
    bool is_unclear;
};

static enum MHD_Result read_framing(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    (void)kind;
    struct framing *framing = context;
    const bool is_coding = strcasecmp(name, "Transfer-Encoding") == 0;
    framing->fields += is_coding || strcasecmp(name, "Content-Length") == 0;
    framing->is_unclear |= framing->fields > 1 || (is_coding && strcasecmp(value, "chunked") != 0);
    return MHD_YES;
}

// Whether a proxy in front may have seen another end of the request than the library does: two
// lengths, a length and an encoding, or an unknown encoding (RFC 9112, sections 6.1 and 6.3).
static bool is_unclear(struct MHD_Connection *connection)
{
    struct framing framing = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, read_framing, &framing);
    return framing.is_unclear;
}

// Rejects a request and closes the connection, whose other bytes may be anything.
static bool reject_unclear(struct MHD_Connection *connection)
{
    struct MHD_Response *response = http_answer_constant(
        HTTP_JSON_TYPE, "{\"error\":\"want one Content-Length, or chunked\"}\n", false);
    if (response != NULL && !http_answer_add_header(response, "Connection", "close")) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(connection, HTTP_BAD_REQUEST, response);
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **memory)
{
    (void)version;
    struct http_listener *listener = context;
    listener->steps++;
    if (*memory == NULL && is_unclear(connection))
        return reject_unclear(connection) ? MHD_YES : MHD_NO;
    const struct http_request request = {.connection = connection,
                                         .path = path,
                                         .method = method,
                                         .piece = upload,
                                         .piece_bytes = *upload_size,
                                         .memory = memory};
    *upload_size = 0; // the whole piece is consumed
    return listener->def.answer(listener->def.context, &request) ? MHD_YES : MHD_NO;
}

static void end_request(void *context, struct MHD_Connection *connection, void **memory,
                        enum MHD_RequestTerminationCode how)
{
    (void)how;
    const struct http_listener *listener = context;
    struct http_client *client = http_connection_client(connection);
    if (client != NULL)
        http_client_await(client, monotonic_ms());
    if (*memory != NULL && listener->def.end != NULL)
        listener->def.end(listener->def.context, *memory);
    *memory = NULL;
}

// Connections of a Unix socket have no address and count as one peer, 0.
static struct ip_address ip_of(const struct sockaddr *address)
{
    return socket_udp_read(address).ip;
}

// Whether a connection may begin; a rejected one is closed before its handshake.
static enum MHD_Result admit(void *context, const struct sockaddr *address, socklen_t size)
{
    (void)size;
    struct http_listener *listener = context;
    const bool is_admitted =
        listener->def.certificate == NULL ||
        rate_limit_take(&listener->handshakes, ip_of(address), (int64_t)monotonic_ms());
    if (listener->def.rejected != NULL)
        *listener->def.rejected += !is_admitted;
    return is_admitted ? MHD_YES : MHD_NO;
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    struct http_listener *listener = context;
    listener->steps++;
    const struct sockaddr *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    if (code == MHD_CONNECTION_NOTIFY_STARTED && listener->def.certificate != NULL)
        http_tls_limit_keys(
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *socket_context = http_clients_join(&listener->clients, descriptor_of(connection),
                                            ip_address_host(ip_of(address)), monotonic_ms());
    else if (*socket_context != NULL)
        http_client_leave(*socket_context);
    // Where it was at its limit of connections or descriptors, the library listens again in its
    // next run.
    if (code == MHD_CONNECTION_NOTIFY_CLOSED)
        loop_defer(listener->again);
}

// Fills the options of TLS; returns the flags of MHD_start_daemon that go with them.
static unsigned fill_tls(const struct http_listener_def *def, struct MHD_OptionItem options[5])
{
    // Without DHE, which takes five times the CPU time of ECDHE.
    static const char priorities[] =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-DHE-RSA:-RSA:-GROUP-DH-ALL";
    int count = 0;
    if (def->certificate != NULL) {
        options[count++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)def->certificate};
        options[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)def->key};
        options[count++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)priorities};
    }
    if (def->certificate != NULL && def->authorities != NULL)
        options[count++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_TRUST, 0, (void *)def->authorities};
    options[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return def->certificate != NULL ? MHD_USE_TLS : 0;
}

static void run(void *context)
{
    http_listener_run(context);
}

static bool join_loop(struct http_listener *listener)
{
    listener->sockets =
        loop_add_descriptor(listener->def.loop, listener->descriptor, run, listener);
    listener->timer = loop_add_timer(listener->def.loop, 0, run, listener);
    listener->again = loop_add_deferred(listener->def.loop, run, listener);
    return listener->sockets != NULL && listener->timer != NULL && listener->again != NULL;
}

struct http_listener *http_listener_start(const struct http_listener_def *def)
{
    assert(def->max_connections <= HTTP_MAX_CLIENTS && def->answer != NULL);
    struct http_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        close(def->socket);
        return NULL;
    }
    listener->def = *def;
    listener->clients.limit = def->max_connections;
    if (def->certificate != NULL) {
        uint64_t secret;
        raim_crypto_random(&secret, sizeof secret);
        rate_limit_init(&listener->handshakes, RATE_OF_ADDRESS, handshakes_of_address,
                        handshakes_of_all, secret);
    }
    // No error log: the library's messages concern malformed requests of single clients.
    struct MHD_OptionItem tls[5];
    const unsigned tls_flags = fill_tls(def, tls);
    listener->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | tls_flags, 0, admit, listener, answer, listener,
        MHD_OPTION_LISTEN_SOCKET, def->socket, MHD_OPTION_CONNECTION_LIMIT,
        def->max_connections + HTTP_SPARE_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES, MHD_OPTION_NOTIFY_CONNECTION,
        watch_connection, listener, MHD_OPTION_NOTIFY_COMPLETED, end_request, listener,
        MHD_OPTION_UNESCAPE_CALLBACK, decode_path, NULL, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
    if (listener->daemon == NULL) {
        close(def->socket);
        free(listener);
        return NULL;
    }
    listener->descriptor =
        MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    if (join_loop(listener))
        return listener;
    http_listener_stop(listener);
    return NULL;
}

void http_listener_stop(struct http_listener *listener)
{
    if (listener == NULL)
        return;
    loop_remove(listener->sockets);
    loop_remove(listener->timer);
    MHD_stop_daemon(listener->daemon);
    loop_remove(listener->again); // after the connections, which defer it
    free(listener);
}

static void set_timer(const struct http_listener *listener)
{
    MHD_UNSIGNED_LONG_LONG timeout_ms;
    uint64_t due_ms = http_clients_due_ms(&listener->clients);
    if (MHD_get_timeout(listener->daemon, &timeout_ms) == MHD_YES) {
        if (timeout_ms == 0 && listener->idle_runs >= IDLE_RUNS)
            timeout_ms = IDLE_PAUSE_MS;
        const uint64_t library_ms = monotonic_ms() + timeout_ms;
        due_ms = library_ms < due_ms ? library_ms : due_ms;
    }
    loop_set_timer(listener->timer, due_ms);
}

void http_listener_run(struct http_listener *listener)
{
    const uint64_t steps = listener->steps;
    struct pollfd sockets = {.fd = listener->descriptor, .events = POLLIN};
    http_clients_end_late(&listener->clients, monotonic_ms());
    const bool is_idle = listener->def.certificate != NULL && poll(&sockets, 1, 0) == 0 &&
                         !http_clients_are_answered(&listener->clients);
    MHD_run(listener->daemon);
    listener->idle_runs = is_idle && listener->steps == steps ? listener->idle_runs + 1 : 0;
    set_timer(listener);
}

const char *http_connection_header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

const char *http_connection_argument(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

bool http_connection_announces_more(struct MHD_Connection *connection, size_t most)
{
    const char *length = http_connection_header(connection, "Content-Length");
    return length != NULL && strtoull(length, NULL, 10) > most;
}

bool http_connection_has_certificate(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info != NULL && http_tls_has_certificate(info->tls_session);
}

bool http_connection_user(struct MHD_Connection *connection, uint32_t *user)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ucred peer = {.pid = 0};
    socklen_t size = sizeof peer;
    if (info == NULL || getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
        peer.pid == 0) // of another family
        return false;
    *user = peer.uid;
    return true;
}

void http_connection_name(struct MHD_Connection *connection, char *name, size_t capacity)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    name[0] = '\0';
    if (info != NULL)
        http_tls_name(info->tls_session, name, capacity);
}

static struct http_listener *listener_of(const struct http_client *client)
{
    return (struct http_listener *)((char *)client->all - offsetof(struct http_listener, clients));
}

struct http_client *http_connection_client(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void http_connection_renew(struct MHD_Connection *connection)
{
    struct http_client *client = http_connection_client(connection);
    if (client != NULL)
        http_client_renew(client, monotonic_ms());
}

void http_connection_ignore_idle(struct MHD_Connection *connection)
{
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
}

void http_connection_limit_buffer(struct MHD_Connection *connection, int bytes)
{
    setsockopt(descriptor_of(connection), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

void http_connection_suspend(struct MHD_Connection *connection)
{
    MHD_suspend_connection(connection);
}

void http_connection_resume(struct MHD_Connection *connection)
{
    const struct http_client *client = http_connection_client(connection);
    MHD_resume_connection(connection);
    // The library runs without a thread here, so nothing else makes its descriptor readable.
    if (client != NULL)
        loop_defer(listener_of(client)->again);
}
