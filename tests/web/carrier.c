// SPDX-License-Identifier: MIT
// Plays the part of many browsers: a client of WebTransport for native programs. It receives UDP
// datagrams on a port of 127.0.0.1 and carries those of each sender to the gateway in a session of
// its own, and back. So raim-bots and every client of the tests play through a real gateway.
// A session that ends is opened again by the sender's next datagram, as a page does.
//
//     carrier PORT GATEWAY_PORT ARENA [ROUND_TRIP_MS LOSS_PERCENT [OWN_ADDRESS [IDLE_S]]]
//
// opens sessions for the arena, or, where that is "-", connections without a request, and where it
// is "--", handshakes that are not finished and begin anew after a second; where it is "udp", it
// carries datagrams as they are, to compare. They come from the own
// address; "sender": from that of their sender. They offer an idle time-out of IDLE_S. It simulates
// a network between itself and the gateway. It prints "ready", and a line of JSON with its counts
// at each line of its standard input and at SIGTERM, when it closes its sessions as a page does
// that is left. It shares no code with the gateway but the names of quic_version.h.
#define _GNU_SOURCE
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include "quic_version.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SESSIONS = 2048, BYTES = 1500, WAITING = 8, EVENTS = 256, TIMER_MS = 5 };

struct session {
    int socket;
    uint64_t number; // of all sessions; 0: of none
    struct sockaddr_in sender, local;
    ngtcp2_conn *conn;
    ngtcp2_crypto_conn_ref reference;
    gnutls_session_t tls;
    bool is_ready, has_ended;
    int64_t streams[2]; // control, request
    uint8_t request[512], settings[16];
    size_t sizes[2], sent[2]; // of settings and request
    uint8_t answer[64];       // of the request
    size_t answer_size;
    uint64_t begun_ns;
    int waiting; // datagrams that came before the session was ready
    struct {
        size_t size;
        uint8_t bytes[BYTES];
    } queue[WAITING];
};

static struct session *sessions[MAX_SESSIONS];
static int session_count, sockets, local;
static struct sockaddr_in gateway, source; // `source` of the sessions, without a port
static const char *arena;
static bool is_unfinished, is_plain, comes_from_sender;
static uint64_t idle_s = 30;
static volatile sig_atomic_t is_left;
static gnutls_certificate_credentials_t credentials;
static gnutls_priority_t priorities;
static struct {
    uint64_t opened, ready, ended, rejected, sent, received, dropped, slowest_us;
    uint64_t idle_s; // that the gateway offered last
} counts;

// Packets that are on the simulated network, in the order in which they arrive: the delay is the
// same for all.
struct transit {
    struct transit *next;
    uint64_t due, number;
    bool is_inward; // to the carrier
    size_t size;
    uint8_t bytes[BYTES];
};

static struct transit *transits, **transits_end = &transits;
static uint64_t delay_ns; // of each way
static double loss;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NGTCP2_SECONDS + (uint64_t)time.tv_nsec;
}

// --- HTTP/3, as a browser writes it ---

static size_t write_text(uint8_t *at, const char *text, int first, int mask)
{
    const size_t length = strlen(text);
    if (length < (size_t)mask) {
        *at = (uint8_t)(first | (int)length);
        memcpy(at + 1, text, length);
        return length + 1;
    }
    assert(length - (size_t)mask < 128);
    at[0] = (uint8_t)(first | mask);
    at[1] = (uint8_t)(length - (size_t)mask);
    memcpy(at + 2, text, length);
    return length + 2;
}

static size_t write_request(uint8_t *bytes)
{
    char path[256];
    snprintf(path, sizeof path, "/arena/%s", arena);
    const char *const fields[][2] = {{":method", "CONNECT"}, {":protocol", "webtransport"},
                                     {":scheme", "https"},   {":authority", "127.0.0.1"},
                                     {":path", path},        {"origin", "http://127.0.0.1"}};
    uint8_t block[400] = {0};
    size_t size = 2;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size += write_text(block + size, fields[i][0], 0x20, 7);   // a literal name,
        size += write_text(block + size, fields[i][1], 0x00, 127); // and its value
    }
    bytes[0] = 1; // HEADERS
    bytes[1] = (uint8_t)(0x40 | size >> 8);
    bytes[2] = (uint8_t)size;
    memcpy(bytes + 3, block, size);
    return size + 3;
}

// --- Callbacks ---

static ngtcp2_conn *find_conn(ngtcp2_crypto_conn_ref *reference)
{
    return ((struct session *)reference->user_data)->conn;
}

static void fill_random(uint8_t *bytes, size_t size, const ngtcp2_rand_ctx *context)
{
    (void)context;
    gnutls_rnd(GNUTLS_RND_NONCE, bytes, size);
}

static int make_cid(ngtcp2_conn *conn, ngtcp2_cid *id, uint8_t *token, size_t size, void *context)
{
    (void)conn, (void)context;
    gnutls_rnd(GNUTLS_RND_RANDOM, id->data, size);
    gnutls_rnd(GNUTLS_RND_RANDOM, token, NGTCP2_STATELESS_RESET_TOKENLEN);
    id->datalen = size;
    return 0;
}

static int end_handshake(ngtcp2_conn *conn, void *context)
{
    struct session *session = context;
    counts.idle_s =
        ngtcp2_conn_get_remote_transport_params(conn)->max_idle_timeout / NGTCP2_SECONDS;
    static const uint8_t settings[] = {0, 4, 7, 0x33, 1, 0xAB, 0x60, 0x37, 0x42, 1};
    if (ngtcp2_conn_open_uni_stream(conn, &session->streams[0], NULL) != 0 ||
        ngtcp2_conn_open_bidi_stream(conn, &session->streams[1], NULL) != 0)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    memcpy(session->settings, settings, sizeof settings);
    session->sizes[0] = sizeof settings;
    session->sizes[1] = strcmp(arena, "-") != 0 ? write_request(session->request) : 0;
    return 0;
}

static int take_stream(ngtcp2_conn *conn, uint32_t flags, int64_t id, uint64_t offset,
                       const uint8_t *bytes, size_t size, void *context, void *stream)
{
    (void)conn, (void)offset, (void)stream;
    struct session *session = context;
    if (id == session->streams[1]) {
        const size_t room = sizeof session->answer - session->answer_size;
        memcpy(session->answer + session->answer_size, bytes, size < room ? size : room);
        session->answer_size += size < room ? size : room;
        // HEADERS with a literal :status (RFC 9204, 4.5.4).
        if (!session->is_ready && session->answer_size >= 10) {
            const bool is_good = memcmp(session->answer + 7, "200", 3) == 0;
            const uint64_t us = (now() - session->begun_ns) / 1000;
            session->is_ready = is_good;
            session->has_ended |= !is_good;
            counts.ready += is_good;
            counts.rejected += !is_good;
            counts.slowest_us = us > counts.slowest_us ? us : counts.slowest_us;
        }
        session->has_ended |= (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0;
    }
    return 0;
}

static int take_datagram(ngtcp2_conn *conn, uint32_t flags, const uint8_t *bytes, size_t size,
                         void *context)
{
    (void)conn, (void)flags;
    const struct session *session = context;
    // The identifier of the first request's session is one byte, 0.
    if (size > 0 && bytes[0] == 0 &&
        sendto(local, bytes + 1, size - 1, 0, (const struct sockaddr *)&session->sender,
               sizeof session->sender) >= 0)
        counts.received++;
    return 0;
}

static const ngtcp2_callbacks callbacks = {
    .client_initial = ngtcp2_crypto_client_initial_cb,
    .recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb,
    .encrypt = ngtcp2_crypto_encrypt_cb,
    .decrypt = ngtcp2_crypto_decrypt_cb,
    .hp_mask = ngtcp2_crypto_hp_mask_cb,
    .recv_retry = ngtcp2_crypto_recv_retry_cb,
    .update_key = ngtcp2_crypto_update_key_cb,
    .delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
    .delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
    .get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb,
    .version_negotiation = ngtcp2_crypto_version_negotiation_cb,
    .rand = fill_random,
    .get_new_connection_id = make_cid,
    .handshake_completed = end_handshake,
    .recv_stream_data = take_stream,
    .recv_datagram = take_datagram,
};

// --- The simulated network ---

static void put(const struct session *session, bool is_inward, const uint8_t *bytes, size_t size)
{
    if ((double)random() / RAND_MAX < loss)
        return;
    struct transit *transit = malloc(sizeof *transit);
    assert(transit != NULL);
    transit->next = NULL;
    transit->due = now() + delay_ns;
    transit->number = session->number;
    transit->is_inward = is_inward;
    transit->size = size;
    memcpy(transit->bytes, bytes, size);
    *transits_end = transit;
    transits_end = &transit->next;
}

static void send_packet(struct session *session, const uint8_t *bytes, size_t size)
{
    if (delay_ns > 0)
        put(session, false, bytes, size);
    else if (send(session->socket, bytes, size, 0) < 0 && errno == ECONNREFUSED)
        session->has_ended = true; // no gateway is there now
}

// --- Sessions ---

static void close_session(int index)
{
    struct session *session = sessions[index];
    counts.ended++;
    close(session->socket);
    ngtcp2_conn_del(session->conn);
    if (session->tls != NULL)
        gnutls_deinit(session->tls);
    free(session);
    sessions[index] = sessions[--session_count];
}

static void start_tls(struct session *session)
{
    static const gnutls_datum_t protocol = {(unsigned char *)"h3", 2};
    session->reference = (ngtcp2_crypto_conn_ref){.get_conn = find_conn, .user_data = session};
    gnutls_init(&session->tls, GNUTLS_CLIENT | GNUTLS_NO_END_OF_EARLY_DATA);
    gnutls_priority_set(session->tls, priorities);
    gnutls_credentials_set(session->tls, GNUTLS_CRD_CERTIFICATE, credentials);
    gnutls_alpn_set_protocols(session->tls, &protocol, 1, 0);
    gnutls_server_name_set(session->tls, GNUTLS_NAME_DNS, "localhost", 9);
    ngtcp2_crypto_gnutls_configure_client_session(session->tls);
    gnutls_session_set_ptr(session->tls, &session->reference);
    ngtcp2_conn_set_tls_native_handle(session->conn, session->tls);
}

static struct session *open_session(const struct sockaddr_in *sender)
{
    if (session_count == MAX_SESSIONS)
        return NULL;
    struct session *session = calloc(1, sizeof *session);
    assert(session != NULL);
    session->sender = *sender;
    session->begun_ns = now();
    session->streams[0] = session->streams[1] = -1;
    session->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof session->local;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = session};
    if (comes_from_sender)
        source.sin_addr = sender->sin_addr;
    const int good = bind(session->socket, (struct sockaddr *)&source, sizeof source) |
                     connect(session->socket, (struct sockaddr *)&gateway, sizeof gateway) |
                     getsockname(session->socket, (struct sockaddr *)&session->local, &size) |
                     epoll_ctl(sockets, EPOLL_CTL_ADD, session->socket, &event);
    assert(good == 0);
    session->number = ++counts.opened;
    sessions[session_count++] = session;
    session->is_ready = is_plain;
    if (is_plain)
        return session;
    ngtcp2_settings settings;
    ngtcp2_transport_params parameters;
    ngtcp2_settings_default(&settings);
    settings.initial_ts = now();
    settings.no_pmtud = 1;
    if (is_unfinished)
        settings.handshake_timeout = NGTCP2_SECONDS;
    ngtcp2_transport_params_default(&parameters);
    parameters.initial_max_data = 65536;
    parameters.initial_max_stream_data_bidi_local = 16384;
    parameters.initial_max_stream_data_uni = 16384;
    parameters.initial_max_streams_uni = 8;
    parameters.max_idle_timeout = idle_s * NGTCP2_SECONDS;
    parameters.max_datagram_frame_size = 65535;
    ngtcp2_cid own = {.datalen = 8}, other = {.datalen = 18};
    gnutls_rnd(GNUTLS_RND_RANDOM, own.data, own.datalen);
    gnutls_rnd(GNUTLS_RND_RANDOM, other.data, other.datalen);
    const ngtcp2_path path = {{(struct sockaddr *)&session->local, sizeof session->local},
                              {(struct sockaddr *)&gateway, sizeof gateway},
                              NULL};
    const int made =
        ngtcp2_conn_client_new(&session->conn, &other, &own, &path, NGTCP2_PROTO_VER_V1, &callbacks,
                               &settings, &parameters, NULL, session);
    assert(made == 0);
    start_tls(session);
    return session;
}

static ngtcp2_ssize write_stream(struct session *session, int stream, uint8_t *packet, uint64_t at)
{
    ngtcp2_pkt_info info;
    ngtcp2_ssize taken = -1;
    uint8_t *bytes = stream == 0 ? session->settings : session->request;
    const ngtcp2_vec part = {bytes + session->sent[stream],
                             session->sizes[stream] - session->sent[stream]};
    const ngtcp2_ssize size = ngtcp2_conn_writev_stream(session->conn, NULL, &info, packet, 1200,
                                                        &taken, NGTCP2_WRITE_STREAM_FLAG_NONE,
                                                        session->streams[stream], &part, 1, at);
    session->sent[stream] += taken > 0 ? (size_t)taken : 0;
    return size;
}

static void write_packets(struct session *session)
{
    uint8_t packet[1200];
    ngtcp2_pkt_info info;
    const uint64_t at = now();
    for (;;) {
        ngtcp2_ssize size;
        if (session->streams[0] >= 0 && session->sent[0] < session->sizes[0])
            size = write_stream(session, 0, packet, at);
        else if (session->streams[1] >= 0 && session->sent[1] < session->sizes[1])
            size = write_stream(session, 1, packet, at);
        else
            size = ngtcp2_conn_writev_stream(session->conn, NULL, &info, packet, sizeof packet,
                                             NULL, 0, -1, NULL, 0, at);
        session->has_ended |= size < 0;
        if (size <= 0)
            return;
        send_packet(session, packet, (size_t)size);
    }
}

static void write_datagram(struct session *session, const uint8_t *bytes, size_t size)
{
    if (is_plain) {
        send_packet(session, bytes, size);
        return;
    }
    uint8_t packet[1200], prefix = 0;
    const ngtcp2_vec parts[] = {{&prefix, 1}, {(uint8_t *)bytes, size}};
    int is_taken = 0;
    for (int tries = 0; tries < 2 && !is_taken; tries++) {
        ngtcp2_pkt_info info;
        const ngtcp2_ssize written = ngtcp2_conn_writev_datagram(
            session->conn, NULL, &info, packet, sizeof packet, &is_taken, 0, 0, parts, 2, now());
        if (written <= 0)
            break;
        send_packet(session, packet, (size_t)written);
    }
    counts.sent += is_taken != 0;
    counts.dropped += is_taken == 0;
}

static void take_packet(struct session *session, const uint8_t *packet, size_t size)
{
    const ngtcp2_path path = {{(struct sockaddr *)&session->local, sizeof session->local},
                              {(struct sockaddr *)&gateway, sizeof gateway},
                              NULL};
    const ngtcp2_pkt_info info = {0};
    const bool was_ready = session->is_ready;
    if (is_plain) {
        (void)!sendto(local, packet, size, 0, (const struct sockaddr *)&session->sender,
                      sizeof session->sender);
        return;
    }
    if (is_unfinished && (packet[0] & 0xF0) != 0xF0) // no Retry
        return;
    if (ngtcp2_conn_read_pkt(session->conn, &path, &info, packet, size, now()) != 0)
        session->has_ended = true;
    if (session->has_ended)
        return;
    if (session->is_ready && !was_ready) {
        for (int i = 0; i < session->waiting; i++)
            write_datagram(session, session->queue[i].bytes, session->queue[i].size);
        session->waiting = 0;
    }
    if (!was_ready)
        write_packets(session);
}

static void read_packets(struct session *session)
{
    uint8_t packet[BYTES];
    ssize_t size;
    while ((size = recv(session->socket, packet, sizeof packet, 0)) >= 0 && !session->has_ended)
        if (delay_ns > 0)
            put(session, true, packet, (size_t)size);
        else
            take_packet(session, packet, (size_t)size);
}

// Delivers what has arrived.
static void deliver(void)
{
    while (transits != NULL && transits->due <= now()) {
        struct transit *transit = transits;
        struct session *session = NULL;
        for (int i = 0; i < session_count && session == NULL; i++)
            if (sessions[i]->number == transit->number && !sessions[i]->has_ended)
                session = sessions[i];
        transits = transit->next;
        if (transits == NULL)
            transits_end = &transits;
        if (session != NULL && transit->is_inward)
            take_packet(session, transit->bytes, transit->size);
        else if (session != NULL)
            (void)!send(session->socket, transit->bytes, transit->size, 0);
        free(transit);
    }
}

static void take_local(void)
{
    uint8_t bytes[BYTES];
    struct sockaddr_in sender;
    for (;;) {
        socklen_t length = sizeof sender;
        const ssize_t size =
            recvfrom(local, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&sender, &length);
        if (size < 0)
            return;
        struct session *session = NULL;
        for (int i = 0; i < session_count && session == NULL; i++)
            if (sessions[i]->sender.sin_port == sender.sin_port &&
                sessions[i]->sender.sin_addr.s_addr == sender.sin_addr.s_addr &&
                !sessions[i]->has_ended)
                session = sessions[i];
        if (session == NULL && (session = open_session(&sender)) == NULL)
            continue;
        if (session->is_ready) {
            write_datagram(session, bytes, (size_t)size);
        } else {
            if (session->waiting < WAITING) {
                session->queue[session->waiting].size = (size_t)size;
                memcpy(session->queue[session->waiting++].bytes, bytes, (size_t)size);
            }
            write_packets(session);
        }
    }
}

static void look_after_all(void)
{
    const uint64_t at = now();
    for (int i = session_count - 1; i >= 0; i--) {
        struct session *session = sessions[i];
        if (!session->has_ended && !is_plain && ngtcp2_conn_get_expiry(session->conn) <= at) {
            session->has_ended = ngtcp2_conn_handle_expiry(session->conn, at) != 0;
            if (!session->has_ended)
                write_packets(session);
        }
        if (session->has_ended)
            close_session(i);
    }
}

static void report(void)
{
    printf("{\"opened\":%llu,\"ready\":%llu,\"ended\":%llu,\"rejected\":%llu,\"sent\":%llu,"
           "\"received\":%llu,\"dropped\":%llu,\"slowest_ms\":%.1f,\"idle_s\":%llu}\n",
           (unsigned long long)counts.opened, (unsigned long long)counts.ready,
           (unsigned long long)counts.ended, (unsigned long long)counts.rejected,
           (unsigned long long)counts.sent, (unsigned long long)counts.received,
           (unsigned long long)counts.dropped, (double)counts.slowest_us / 1000,
           (unsigned long long)counts.idle_s);
    fflush(stdout);
}

static void leave(int signal)
{
    (void)signal;
    is_left = 1;
}

static void close_all(void)
{
    uint8_t packet[1200];
    ngtcp2_pkt_info info;
    ngtcp2_ccerr none;
    ngtcp2_ccerr_default(&none);
    for (int i = 0; i < session_count && !is_plain; i++) {
        const ngtcp2_ssize size = ngtcp2_conn_write_connection_close(
            sessions[i]->conn, NULL, &info, packet, sizeof packet, &none, now());
        if (size > 0)
            (void)!send(sessions[i]->socket, packet, (size_t)size, 0);
    }
}

static struct sockaddr_in address_of(const char *port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

int main(int argc, char **argv)
{
    if (argc != 4 && (argc < 6 || argc > 8)) {
        fprintf(stderr, "usage: carrier PORT GATEWAY_PORT ARENA [ROUND_TRIP_MS LOSS_PERCENT "
                        "[OWN_ADDRESS [IDLE_S]]]\n");
        return 64;
    }
    source = address_of("0");
    comes_from_sender = argc >= 7 && strcmp(argv[6], "sender") == 0;
    if (argc == 8)
        idle_s = (uint64_t)atoi(argv[7]);
    if (argc >= 7 && !comes_from_sender)
        source.sin_addr.s_addr = inet_addr(argv[6]);
    if (argc >= 6) {
        delay_ns = (uint64_t)(atof(argv[4]) / 2 * NGTCP2_MILLISECONDS);
        loss = atof(argv[5]) / 100;
    }
    const struct sockaddr_in own = address_of(argv[1]);
    const int buffer = 4 << 20;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &local};
    struct epoll_event input = {.events = EPOLLIN, .data.ptr = &input};
    gateway = address_of(argv[2]);
    arena = argv[3];
    is_unfinished = strcmp(arena, "--") == 0;
    is_plain = strcmp(arena, "udp") == 0;
    sockets = epoll_create1(EPOLL_CLOEXEC);
    local = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(local, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    if (bind(local, (const struct sockaddr *)&own, sizeof own) != 0) {
        perror("bind");
        return 1;
    }
    epoll_ctl(sockets, EPOLL_CTL_ADD, local, &event);
    epoll_ctl(sockets, EPOLL_CTL_ADD, STDIN_FILENO, &input);
    gnutls_certificate_allocate_credentials(&credentials);
    gnutls_priority_init(&priorities, "NORMAL:-VERS-ALL:+VERS-TLS1.3:%DISABLE_TLS13_COMPAT_MODE",
                         NULL);
    signal(SIGTERM, leave);
    puts("ready");
    fflush(stdout);
    for (uint64_t due = 0; !is_left;) {
        struct epoll_event events[EVENTS];
        const int count = epoll_wait(sockets, events, EVENTS, delay_ns > 0 ? 1 : TIMER_MS);
        for (int i = 0; i < count; i++) {
            char line[64];
            if (events[i].data.ptr == &local)
                take_local();
            else if (events[i].data.ptr != &input)
                read_packets(events[i].data.ptr);
            else if (read(STDIN_FILENO, line, sizeof line) > 0)
                report();
            else
                epoll_ctl(sockets, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
        }
        deliver();
        if (now() >= due) {
            look_after_all();
            due = now() + TIMER_MS * NGTCP2_MILLISECONDS;
        }
    }
    close_all();
    report();
    _exit(0); // what the sessions hold is no leak
}
