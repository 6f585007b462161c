// SPDX-License-Identifier: MIT
// Moves datagrams between sessions and arenas, and asks the arenas who plays there.
#define _GNU_SOURCE // batch.h
#include "web_arenas.h"

#include "batch.h"
#include "crypto.h"
#include "gateway.h"
#include "json_writer.h"
#include "loop.h"
#include "monotonic.h"
#include "rate_limit.h"
#include "server_finder.h"
#include "socket_address.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENTS = 64,        // sessions whose datagrams are read before others have their turn
    IDLE_MS = 60000,    // a session without a datagram of its player ends
    ANNOUNCE_MS = 1000, // see proto/gateway.h
    ANNOUNCE_FIRST = 3, // datagrams, each with an announcement before it
    LOOK_MS = 100,      // at what is due for the sessions
    ASK_MS = 100,       // the finder's step
    ASKED_MS = 10000,   // so long after somebody asked the arenas are asked
    BURST_MS = 1000,    // that a player may send at once
    NOT_LISTED = -1,
};

struct arena {
    const struct web_target *target;
    union socket_address address; // with the first port
    int row;                      // in the finder; NOT_LISTED
};

struct web_session {
    struct web_arenas *arenas;
    struct quic_connection *connection;
    struct web_session *next, **link;
    int socket;
    struct raim_address own; // of the socket, as the arena sees it
    rate_bucket bucket;
    uint64_t received_ms, announced_ms;
    uint64_t announced_us; // the time in the last announcement
    unsigned announced;    // times
};

struct web_arenas {
    const struct web_config *config;
    struct web_counts *counts;
    struct quic *quic;
    int count;
    struct arena list[WEB_MAX_TARGETS];
    struct web_session *sessions;
    int sockets; // epoll, of the sessions
    struct loop_source *readable, *look;
    struct batch in;

    // Questions to the arenas.
    struct raim_finder *finder;
    int asking[2]; // sockets of IPv4 and IPv6
    struct loop_source *answers[2], *ask;
    uint64_t asked_ms;
};

// --- Addresses ---

static bool read_address(const struct sockaddr *from, struct raim_address *address)
{
    const union socket_address *given = (const union socket_address *)from;
    *address = (struct raim_address){.is_ipv6 = from->sa_family == AF_INET6,
                                     .port = socket_address_port(given)};
    if (from->sa_family == AF_INET) {
        memcpy(address->bytes, &given->v4.sin_addr, 4);
    } else if (from->sa_family == AF_INET6) {
        memcpy(address->bytes, &given->v6.sin6_addr, 16);
        address->scope = given->v6.sin6_scope_id;
    }
    return from->sa_family == AF_INET || from->sa_family == AF_INET6;
}

// An address without its interface, of IPv4 where it is IPv4-mapped.
static struct raim_address write_address(struct udp_address from)
{
    struct raim_address address = {.is_ipv6 = !ip_address_is_v4(from.ip), .port = from.port};
    const uint32_t low = htonl((uint32_t)from.ip.low);
    const uint64_t both[] = {htobe64(from.ip.high), htobe64(from.ip.low)};
    if (address.is_ipv6)
        memcpy(address.bytes, both, sizeof both);
    else
        memcpy(address.bytes, &low, sizeof low);
    return address;
}

// --- Sessions ---

// The address of the arena that a path names. False: the configuration has none.
static bool find(const struct web_arenas *arenas, const char *path, union socket_address *address)
{
    static const char folder[] = "/arena/";
    const char *name = path + sizeof folder - 1;
    const char *colon = strrchr(path, ':');
    uint16_t port;
    if (strncmp(path, folder, sizeof folder - 1) != 0 || colon == NULL || colon < name ||
        !web_port_read(colon + 1, &port))
        return false;
    const size_t length = (size_t)(colon + 1 - name);
    for (int i = 0; i < arenas->count; i++) {
        const struct web_target *target = arenas->list[i].target;
        if (strncmp(target->address.text, name, length) != 0 || port < target->address.port ||
            port > target->last_port)
            continue;
        *address = arenas->list[i].address;
        *(address->any.sa_family == AF_INET ? &address->v4.sin_port : &address->v6.sin6_port) =
            htons(port);
        return true;
    }
    return false;
}

// A socket that talks to one arena alone. -1 when the kernel gives none.
static int open_socket(struct web_arenas *arenas, const union socket_address *arena,
                       struct web_session *session)
{
    union socket_address own;
    const int descriptor =
        socket(arena->any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = session};
    if (descriptor >= 0 && connect(descriptor, &arena->any, socket_address_size(arena)) == 0 &&
        socket_address_of(descriptor, &own) && read_address(&own.any, &session->own) &&
        epoll_ctl(arenas->sockets, EPOLL_CTL_ADD, descriptor, &event) == 0)
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

int web_arenas_open(void *context, struct quic_connection *connection, const char *path,
                    void **opened)
{
    struct web_arenas *arenas = context;
    union socket_address arena;
    if (!find(arenas, path, &arena)) {
        arenas->counts->rejected_path++;
        return 404;
    }
    struct web_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return 503;
    *session = (struct web_session){.arenas = arenas,
                                    .connection = connection,
                                    .next = arenas->sessions,
                                    .link = &arenas->sessions,
                                    .bucket = INT64_MIN,
                                    .received_ms = monotonic_ms()};
    session->socket = open_socket(arenas, &arena, session);
    if (session->socket < 0) {
        free(session);
        return 503;
    }
    if (arenas->sessions != NULL)
        arenas->sessions->link = &session->next;
    arenas->sessions = session;
    *opened = session;
    return 200;
}

void web_arenas_close(void *context)
{
    struct web_session *session = context;
    *session->link = session->next;
    if (session->next != NULL)
        session->next->link = session->link;
    close(session->socket); // leaves the epoll set, too
    free(session);
}

static bool send_datagram(const struct web_session *session, const uint8_t *bytes, size_t size)
{
    // ECONNREFUSED is of a datagram before: the arena may be starting again.
    return send(session->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
           (errno == ECONNREFUSED &&
            send(session->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0);
}

static uint64_t wall_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

// Tells the arena whose datagrams come from the session's socket.
static void announce(struct web_session *session, uint64_t now_ms)
{
    const struct web_config *config = session->arenas->config;
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES];
    const uint64_t now_us = wall_us();
    session->announced_ms = now_ms;
    session->announced++;
    session->announced_us = now_us > session->announced_us ? now_us : session->announced_us + 1;
    const struct raim_announcement announcement = {
        .time_us = session->announced_us,
        .gateway = session->own,
        .player = write_address(quic_address(session->connection)),
    };
    raim_announcement_write(&announcement, config->gateway_key, bytes);
    send_datagram(session, bytes, sizeof bytes);
}

void web_arenas_receive(void *context, const uint8_t *bytes, size_t size)
{
    struct web_session *session = context;
    const struct web_arenas *arenas = session->arenas;
    const uint32_t per_second = arenas->config->datagrams_per_second;
    const struct rate rate = {.interval = 1000000 / per_second,
                              .burst = per_second * BURST_MS / 1000};
    const int64_t now_us = (int64_t)monotonic_us();
    if (size > RAIM_MAX_DATAGRAM_BYTES) {
        arenas->counts->dropped_large++;
        return;
    }
    if (rate_bucket_left(session->bucket, rate, now_us) < 1) {
        arenas->counts->dropped_rate++;
        return;
    }
    session->bucket = rate_bucket_take(session->bucket, rate, now_us);
    session->received_ms = (uint64_t)now_us / 1000;
    if (arenas->config->has_gateway_key && session->announced < ANNOUNCE_FIRST)
        announce(session, session->received_ms);
    const bool is_sent = send_datagram(session, bytes, size);
    arenas->counts->datagrams_in += is_sent;
    arenas->counts->dropped_unsent += !is_sent;
}

// Whether an arena's datagram is one of a player's connection, and no answer to a stranger.
static bool is_of_connection(const struct iovec *datagram)
{
    static const uint8_t mark[] = {0xFF, 0xFF, 0xFF, 0xFF};
    return datagram->iov_len >= sizeof mark && memcmp(datagram->iov_base, mark, sizeof mark) != 0;
}

// Passes on the datagrams that have come for sessions.
static void read_sessions(void *context)
{
    struct web_arenas *arenas = context;
    struct epoll_event events[EVENTS];
    struct iovec datagrams[BATCH_DATAGRAMS];
    const int count = epoll_wait(arenas->sockets, events, EVENTS, 0);
    for (int i = 0; i < count; i++) {
        const struct web_session *session = events[i].data.ptr;
        batch_receive(&arenas->in, session->socket);
        for (size_t k = 0; k < arenas->in.count; k++)
            datagrams[k] = (struct iovec){arenas->in.data[k], arenas->in.headers[k].msg_len};
        if (arenas->in.count > 0 && is_of_connection(&datagrams[0]))
            quic_use(session->connection);
        if (arenas->in.count > 0)
            quic_send(session->connection, datagrams, arenas->in.count);
    }
    quic_flush(arenas->quic);
}

static void look_after_sessions(void *context)
{
    struct web_arenas *arenas = context;
    const uint64_t now_ms = monotonic_ms();
    for (struct web_session *session = arenas->sessions; session != NULL; session = session->next) {
        if (now_ms - session->received_ms > IDLE_MS)
            quic_end(session->connection, 1, "no datagram for 60 s");
        if (session->announced > 0 && now_ms - session->announced_ms >= ANNOUNCE_MS)
            announce(session, now_ms);
    }
}

// --- Questions ---

static void send_question(void *context, const struct raim_finder_datagram *datagram)
{
    const struct web_arenas *arenas = context;
    for (int i = 0; i < arenas->count; i++) {
        struct raim_address address;
        const union socket_address *to = &arenas->list[i].address;
        if (datagram->to == RAIM_FINDER_TO_ADDRESS && read_address(&to->any, &address) &&
            raim_address_is_same(&address, &datagram->address)) {
            (void)sendto(arenas->asking[address.is_ipv6], datagram->bytes, datagram->size,
                         MSG_DONTWAIT, &to->any, socket_address_size(to));
            return;
        }
    }
}

static void read_answers(void *context)
{
    struct web_arenas *arenas = context;
    for (int i = 0; i < 2; i++) {
        uint8_t bytes[BATCH_BYTES];
        union socket_address from;
        struct raim_address address;
        ssize_t size = 0;
        while (arenas->asking[i] >= 0 && size >= 0) {
            socklen_t length = sizeof from;
            size =
                recvfrom(arenas->asking[i], bytes, sizeof bytes, MSG_DONTWAIT, &from.any, &length);
            if (size > 0 && read_address(&from.any, &address))
                raim_finder_take(arenas->finder, &address, RAIM_FINDER_BEYOND, bytes, (size_t)size,
                                 (double)monotonic_us() * 1e-6);
        }
    }
}

static void ask(void *context)
{
    struct web_arenas *arenas = context;
    const uint64_t now_ms = monotonic_ms();
    raim_finder_update(arenas->finder, (double)now_ms * 1e-3);
    loop_set_timer(arenas->ask,
                   now_ms - arenas->asked_ms < ASKED_MS ? now_ms + ASK_MS : LOOP_NEVER);
}

static void write_arena(const struct web_arenas *arenas, const struct arena *arena,
                        struct json_writer *json)
{
    const struct raim_finder_row *row = raim_finder_at(arenas->finder, arena->row);
    json_begin_object(json, NULL);
    json_write_text(json, "address", arena->target->address.text);
    if (arena->target->key[0] != '\0')
        json_write_text(json, "key", arena->target->key);
    if (row->answers) {
        json_write_text(json, "name", row->info.name);
        json_write_text(json, "map", row->info.map);
        json_write_count(json, "players", row->info.players);
        json_write_count(json, "max_players", row->info.most_players);
        json_write_count(json, "bots", row->info.bots);
        json_write_flag(json, "locked", row->info.locked);
    }
    json_write_end(json);
}

void web_arenas_write(struct web_arenas *arenas, struct json_writer *json)
{
    arenas->asked_ms = monotonic_ms();
    ask(arenas);
    json_begin_array(json, "servers");
    for (int i = 0; i < arenas->count; i++)
        if (arenas->list[i].row != NOT_LISTED)
            write_arena(arenas, &arenas->list[i], json);
    json_write_end(json);
}

// --- Creation ---

static bool resolve(struct arena *arena, char *problem, size_t capacity)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char port[8];
    snprintf(port, sizeof port, "%u", arena->target->address.port);
    const int result = getaddrinfo(arena->target->address.host, port, &hints, &found);
    if (result != 0) {
        snprintf(problem, capacity, "cannot resolve the target %s: %s", arena->target->address.text,
                 gai_strerror(result));
        return false;
    }
    memcpy(&arena->address, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return true;
}

static bool add_arenas(struct web_arenas *arenas, char *problem, size_t capacity)
{
    for (int i = 0; i < arenas->config->target_count; i++) {
        struct arena *arena = &arenas->list[arenas->count];
        struct raim_address address;
        arena->target = &arenas->config->targets[i];
        if (!resolve(arena, problem, capacity))
            return false;
        arenas->count++;
        arena->row = NOT_LISTED;
        if (arena->target->last_port != arena->target->address.port)
            continue;
        read_address(&arena->address.any, &address);
        arena->row = raim_finder_add(arenas->finder, &address, 1);
        raim_finder_keep(arenas->finder, arena->row);
    }
    return true;
}

static bool open_all(struct web_arenas *arenas, struct loop *loop)
{
    struct raim_finder_def def = {.send = send_question, .context = arenas};
    raim_crypto_random(&def.nonce, sizeof def.nonce);
    arenas->finder = raim_finder_create(&def);
    arenas->sockets = epoll_create1(EPOLL_CLOEXEC);
    if (arenas->finder == NULL || arenas->sockets < 0)
        return false;
    arenas->readable = loop_add_descriptor(loop, arenas->sockets, read_sessions, arenas);
    arenas->look = loop_add_interval(loop, LOOK_MS, look_after_sessions, arenas);
    arenas->ask = loop_add_timer(loop, ASK_MS / 2, ask, arenas);
    bool has_any = false;
    for (int i = 0; i < 2; i++) {
        arenas->asking[i] =
            socket(i == 0 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (arenas->asking[i] >= 0)
            arenas->answers[i] = loop_add_descriptor(loop, arenas->asking[i], read_answers, arenas);
        has_any |= arenas->answers[i] != NULL;
    }
    return arenas->readable != NULL && arenas->look != NULL && arenas->ask != NULL && has_any;
}

struct web_arenas *web_arenas_create(struct loop *loop, const struct web_config *config,
                                     struct web_counts *counts, char *problem, size_t capacity)
{
    struct web_arenas *arenas = calloc(1, sizeof *arenas);
    if (arenas == NULL) {
        snprintf(problem, capacity, "out of memory");
        return NULL;
    }
    arenas->config = config;
    arenas->counts = counts;
    arenas->sockets = arenas->asking[0] = arenas->asking[1] = -1;
    batch_init(&arenas->in, AF_INET6, false);
    if (!open_all(arenas, loop))
        snprintf(problem, capacity, "cannot open sockets: %s", strerror(errno));
    else if (add_arenas(arenas, problem, capacity))
        return arenas;
    web_arenas_destroy(arenas);
    return NULL;
}

void web_arenas_attach(struct web_arenas *arenas, struct quic *quic)
{
    arenas->quic = quic;
}

void web_arenas_destroy(struct web_arenas *arenas)
{
    if (arenas == NULL)
        return;
    assert(arenas->sessions == NULL);
    loop_remove(arenas->readable);
    loop_remove(arenas->look);
    loop_remove(arenas->ask);
    for (int i = 0; i < 2; i++) {
        loop_remove(arenas->answers[i]);
        if (arenas->asking[i] >= 0)
            close(arenas->asking[i]);
    }
    if (arenas->sockets >= 0)
        close(arenas->sockets);
    raim_finder_destroy(arenas->finder);
    free(arenas);
}
