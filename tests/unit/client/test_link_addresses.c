// SPDX-License-Identifier: MIT
// Which address of a host a link connects to (RFC 8305), and what it bears meanwhile: errors, other
// programs, datagrams that are too large. The names are the test's own.
#define _GNU_SOURCE // syscall
#include "connectionless.h"
#include "enet_client.h"
#include "link.h"
#include "message.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { IPV6, IPV4, FAMILIES };

// A busy machine may hold up any one try.
enum { MAX_TRIES = 20, ADDRESS_DELAY_US = 250000 };

// A server that answers CONNECT_REQUESTs, on ::1 and 127.0.0.1 at one port.
static struct {
    uint16_t port;
    int sockets[FAMILIES];   // -1: nobody receives there
    bool is_deaf[FAMILIES];  // receives, and does not answer
    bool is_dying[FAMILIES]; // offers encryption, and does not answer from the handshake on
    int requests[FAMILIES], connects[FAMILIES];
    uint64_t requested_us[FAMILIES]; // the first request
    struct sockaddr_storage from;    // the last sender
    socklen_t from_size;
} server;

// What "play.test" resolves to, for the threads of resolvers.
static struct {
    pthread_mutex_t mutex;
    const char *addresses[3]; // NULL: no more; guarded by the mutex
    atomic_bool is_slow;      // answers wait until it is false
    atomic_int asked, count;  // of resolvers, and of answers to them
} name = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct raim_link *link_to;

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static void set_addresses(const char *first, const char *second)
{
    pthread_mutex_lock(&name.mutex);
    name.addresses[0] = first;
    name.addresses[1] = second;
    pthread_mutex_unlock(&name.mutex);
}

static void wait_for_resolvers(void)
{
    while (name.count < name.asked)
        pause_ms(1);
}

// Replaces the C library's resolver. Numeric hosts are read, and only "play.test" is known. Each
// resolver first asks whether its host is numeric, on the thread of its owner.
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    struct addrinfo *first = NULL;
    const bool is_name = strcmp(host, "play.test") == 0;
    if ((hints->ai_flags & AI_NUMERICHOST) != 0 && is_name) {
        name.asked++;
        return EAI_NONAME;
    }
    while (is_name && name.is_slow)
        pause_ms(1);
    pthread_mutex_lock(&name.mutex);
    for (int i = is_name ? 2 : 0; i >= 0; i--) {
        const char *text = is_name ? name.addresses[i] : host;
        struct addrinfo *one = calloc(1, sizeof *one + sizeof(struct sockaddr_in6));
        struct sockaddr_in ipv4 = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)atoi(service))};
        struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = ipv4.sin_port};
        one->ai_addr = (struct sockaddr *)(one + 1);
        one->ai_next = first;
        if (text != NULL && inet_pton(AF_INET, text, &ipv4.sin_addr) == 1)
            memcpy(one + 1, &ipv4, sizeof ipv4);
        else if (text != NULL && inet_pton(AF_INET6, text, &ipv6.sin6_addr) == 1)
            memcpy(one + 1, &ipv6, sizeof ipv6);
        if (one->ai_addr->sa_family == AF_UNSPEC)
            free(one);
        else
            first = one;
    }
    pthread_mutex_unlock(&name.mutex);
    name.count += is_name;
    *found = first;
    return first != NULL ? 0 : EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *found)
{
    while (found != NULL) {
        struct addrinfo *next = found->ai_next;
        free(found);
        found = next;
    }
}

static bool has_network;

// Replaces the C library's: without a network there is no route to the server.
int connect(int socket, __CONST_SOCKADDR_ARG to_address, socklen_t size)
{
    struct sockaddr_in to;
    const struct sockaddr *address = to_address.__sockaddr__; // glibc's union of all kinds
    memcpy(&to, address, sizeof to);                          // the port lies where IPv6's does
    if (has_network || ntohs(to.sin_port) != server.port)
        return (int)syscall(SYS_connect, socket, address, size);
    errno = ENETUNREACH;
    return -1;
}

// -1: somebody has the port, or there is no such address.
static int try_socket(int family, uint16_t port)
{
    const struct sockaddr_in ipv4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr_in6 ipv6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const bool is_ipv6 = family == IPV6;
    const int number = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (number < 0)
        return -1;
    if (bind(number, is_ipv6 ? (const struct sockaddr *)&ipv6 : (const struct sockaddr *)&ipv4,
             is_ipv6 ? sizeof ipv6 : sizeof ipv4) == 0)
        return number;
    close(number);
    return -1;
}

static int open_socket(int family, uint16_t port)
{
    const int number = try_socket(family, port);
    assert_true(number >= 0);
    return number;
}

static void close_socket(int family)
{
    if (server.sockets[family] >= 0)
        close(server.sockets[family]);
    server.sockets[family] = -1;
}

static void answer(int family)
{
    uint8_t bytes[2048];
    for (;;) {
        server.from_size = sizeof server.from;
        const ssize_t size = recvfrom(server.sockets[family], bytes, sizeof bytes, 0,
                                      (struct sockaddr *)&server.from, &server.from_size);
        if (size < 0)
            return;
        const enum raim_connectionless_kind kind = raim_connectionless_kind(bytes, (size_t)size);
        server.is_deaf[family] |= kind == RAIM_CONNECTIONLESS_HANDSHAKE;
        if (kind != RAIM_CONNECTIONLESS_REQUEST) {
            server.connects[family] += size == 52;
            continue;
        }
        if (server.requests[family]++ == 0)
            server.requested_us[family] = raim_link_now_us();
        if (server.is_deaf[family])
            continue;
        const struct raim_cookie cookie = {
            .cookie = 7,
            .arena = "duel",
            .offers_encryption = server.is_dying[family],
            .server_key = {9},
        };
        const size_t cookie_size = raim_cookie_write(&cookie, bytes);
        sendto(server.sockets[family], bytes, cookie_size, 0, (struct sockaddr *)&server.from,
               server.from_size);
    }
}

static void run(void)
{
    raim_link_update(link_to);
    for (int family = 0; family < FAMILIES; family++)
        if (server.sockets[family] >= 0)
            answer(family);
    pause_ms(1);
}

#define RUN_UNTIL(condition)                                                                       \
    do {                                                                                           \
        const uint64_t limit_us = raim_link_now_us() + 30000000;                                   \
        while (!(condition)) {                                                                     \
            assert_true(raim_link_now_us() < limit_us);                                            \
            run();                                                                                 \
        }                                                                                          \
    } while (0)

static void open_link(const char *host)
{
    const struct raim_client_def def = raim_client_default_def();
    link_to = raim_link_open(host, server.port, &def);
    assert_non_null(link_to);
}

static void set_up(void)
{
    memset(&server, 0, sizeof server);
    set_addresses("::1", "127.0.0.1");
    name.asked = name.count = 0;
    has_network = true;
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    server.sockets[IPV4] = server.sockets[IPV6] = -1;
    while (server.sockets[IPV6] < 0) {
        close_socket(IPV4);
        server.sockets[IPV4] = open_socket(IPV4, 0);
        getsockname(server.sockets[IPV4], (struct sockaddr *)&bound, &size);
        server.port = ntohs(bound.sin_port);
        server.sockets[IPV6] = try_socket(IPV6, server.port);
    }
}

static void tear_down(void)
{
    raim_link_close(link_to);
    link_to = NULL;
    name.is_slow = false;
    wait_for_resolvers();
    close_socket(IPV4);
    close_socket(IPV6);
}

TEST_EACH(set_up, tear_down)

TEST(the_first_address_wins_where_it_answers)
{
    open_link("play.test");
    RUN_UNTIL(server.connects[IPV6] > 0);
    assert_int_equal(server.requests[IPV6], 1);
    assert_int_equal(server.requests[IPV4], 0);
}

TEST(ipv4_is_tried_a_quarter_of_a_second_later)
{
    server.is_deaf[IPV6] = true;
    open_link("play.test");
    RUN_UNTIL(server.connects[IPV4] > 0);
    assert_in_range(server.requested_us[IPV4] - server.requested_us[IPV6], 240000, 2000000);
    assert_int_equal(server.connects[IPV6], 0);
}

TEST(the_system_s_order_counts)
{
    set_addresses("127.0.0.1", "::1");
    open_link("play.test");
    RUN_UNTIL(server.connects[IPV4] > 0);
    assert_int_equal(server.requests[IPV6], 0);
}

// Nobody receives at the first address, or there is no route to it.
TEST(a_rejected_address_costs_no_time)
{
    close_socket(IPV6);
    uint64_t least_us = UINT64_MAX;
    for (int i = 0; i < MAX_TRIES && least_us >= ADDRESS_DELAY_US; i++) {
        server.connects[IPV4] = 0;
        open_link("play.test");
        const uint64_t begun_us = raim_link_now_us();
        RUN_UNTIL(server.connects[IPV4] > 0);
        const uint64_t took_us = raim_link_now_us() - begun_us;
        least_us = took_us < least_us ? took_us : least_us;
        raim_link_close(link_to);
    }
    assert_true(least_us < ADDRESS_DELAY_US);
    // Reserved for documents: no route, or nobody answers.
    set_addresses("2001:db8::1", "127.0.0.1");
    server.connects[IPV4] = 0;
    open_link("play.test");
    RUN_UNTIL(server.connects[IPV4] > 0);
}

TEST(a_server_that_starts_later_is_found)
{
    close_socket(IPV6);
    close_socket(IPV4);
    open_link("play.test");
    for (int i = 0; i < 600; i++)
        run();
    assert_true(raim_link_is_open(link_to));
    server.sockets[IPV4] = open_socket(IPV4, server.port);
    RUN_UNTIL(server.connects[IPV4] > 0);
}

TEST(a_network_that_comes_up_later_is_used)
{
    has_network = false;
    open_link("play.test");
    for (int i = 0; i < 600; i++)
        run();
    assert_true(raim_link_is_open(link_to));
    has_network = true;
    RUN_UNTIL(server.connects[IPV6] > 0);
}

TEST(addresses_of_both_families_need_no_name)
{
    open_link("::1");
    RUN_UNTIL(server.connects[IPV6] > 0);
    raim_link_close(link_to);
    open_link("127.0.0.1");
    RUN_UNTIL(server.connects[IPV4] > 0);
    assert_int_equal(name.count, 0);
}

TEST(resolving_does_not_block)
{
    name.is_slow = true;
    open_link("play.test");
    raim_link_update(link_to);
    assert_int_equal(name.count, 0); // not before the resolver has answered
    assert_true(raim_link_is_open(link_to));
    name.is_slow = false;
    RUN_UNTIL(server.connects[IPV6] > 0);
    raim_link_close(link_to);
    wait_for_resolvers();
    // Nor does closing while the name is being resolved.
    const int count = name.count;
    name.is_slow = true;
    open_link("play.test");
    raim_link_close(link_to);
    link_to = NULL;
    assert_int_equal(name.count, count);
}

TEST(an_unknown_name_ends_the_client)
{
    set_addresses(NULL, NULL);
    open_link("play.test");
    RUN_UNTIL(!raim_link_is_open(link_to));
    const struct raim_client_end end = raim_client_get_end(raim_link_client(link_to));
    assert_int_equal(end.reason, RAIM_REASON_LOST);
    assert_string_equal(end.text, "the name of the server cannot be resolved");
}

TEST(a_winner_that_falls_silent_has_lost)
{
    server.is_dying[IPV6] = true;
    open_link("play.test");
    RUN_UNTIL(server.connects[IPV4] > 0);
    assert_true(server.is_deaf[IPV6]); // it was asked for a handshake first
    assert_int_equal(server.connects[IPV6], 0);
}

// Reconnecting begins with the address that won: only there does the server know the session.
TEST(the_next_connection_begins_with_the_last_winner)
{
    const struct raim_connector_def def = {.access_size = 0};
    struct raim_enet_client *connection =
        raim_enet_client_create("play.test", server.port, RAIM_MAX_DATAGRAM_BYTES, &def);
    server.is_deaf[IPV6] = true;
    for (int i = 0; i < 2; i++) {
        server.connects[IPV4] = server.requests[IPV6] = 0;
        assert_true(raim_enet_client_begin(connection, NULL));
        while (server.connects[IPV4] == 0) {
            raim_enet_client_advance(connection);
            answer(IPV4);
            answer(IPV6);
            pause_ms(1);
        }
        assert_int_equal(server.requests[IPV6] > 0, i == 0);
    }
    raim_enet_client_destroy(connection);
}

// A server that moves: the name is resolved anew with each connection, for the one after it.
TEST(a_changed_address_is_found)
{
    const struct raim_connector_def def = {.access_size = 0};
    struct raim_enet_client *connection =
        raim_enet_client_create("play.test", server.port, RAIM_MAX_DATAGRAM_BYTES, &def);
    set_addresses("127.0.0.1", NULL);
    for (int i = 0; server.requests[IPV6] == 0; i++) {
        assert_true(i < MAX_TRIES); // a busy machine holds up the threads that resolve
        memset(server.requests, 0, sizeof server.requests);
        assert_true(raim_enet_client_begin(connection, NULL));
        while (server.requests[IPV4] + server.requests[IPV6] == 0) {
            raim_enet_client_advance(connection);
            answer(IPV4);
            answer(IPV6);
            pause_ms(1);
        }
        wait_for_resolvers();
        assert_true(i >= 2 || server.requests[IPV6] == 0);
        set_addresses("::1", NULL);
    }
    raim_enet_client_destroy(connection);
}

TEST(what_cannot_be_right_is_rejected)
{
    char longest[RAIM_LINK_HOST_BYTES + 1];
    struct raim_client_def def = raim_client_default_def();
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(raim_link_open("", 1, &def));
    assert_null(raim_link_open("127.0.0.1", 0, &def));
    assert_null(raim_link_open(longest, 1, &def));
    def.struct_size = 0;
    assert_null(raim_link_open("127.0.0.1", 1, &def));
}

TEST(datagrams_that_are_too_large_are_dropped)
{
    static const uint8_t large[5000] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M', 2, 2};
    server.is_deaf[IPV4] = true;
    open_link("127.0.0.1");
    RUN_UNTIL(server.requests[IPV4] > 0);
    for (size_t size = 0; size <= sizeof large; size += 100)
        sendto(server.sockets[IPV4], large, size, 0, (struct sockaddr *)&server.from,
               server.from_size);
    server.is_deaf[IPV4] = false;
    RUN_UNTIL(server.connects[IPV4] > 0);
    assert_true(raim_link_get_traffic(link_to).largest_datagram <= 1224);
}

// Of a connected link other programs see one socket, which takes the server's datagrams alone, and
// a program that the process starts inherits nothing.
TEST(a_link_has_one_socket_that_others_can_reach)
{
    enum { NUMBERS = 64 };
    static const uint8_t bytes[64];
    bool was_open[NUMBERS];
    for (int number = 0; number < NUMBERS; number++)
        was_open[number] = fcntl(number, F_GETFD) >= 0;
    open_link("127.0.0.1");
    RUN_UNTIL(server.connects[IPV4] > 0);
    const int other = open_socket(IPV4, 0);
    int tried = 0;
    for (int number = 0; number < NUMBERS; number++) {
        struct sockaddr_in own, peer;
        socklen_t size = sizeof own, peer_size = sizeof peer;
        uint8_t byte;
        if (was_open[number] || number == other || fcntl(number, F_GETFD) < 0)
            continue;
        assert_int_equal(fcntl(number, F_GETFD), FD_CLOEXEC);
        if (getsockname(number, (struct sockaddr *)&own, &size) != 0 || own.sin_family == AF_UNIX)
            continue;
        assert_int_equal(getpeername(number, (struct sockaddr *)&peer, &peer_size), 0);
        assert_int_equal(peer.sin_port, htons(server.port));
        sendto(other, bytes, sizeof bytes, 0, (struct sockaddr *)&own, sizeof own);
        assert_int_equal(recv(number, &byte, 1, MSG_DONTWAIT | MSG_PEEK), -1);
        tried++;
    }
    assert_int_equal(tried, 1);
    close(other);
}

static bool has_ipv6(void)
{
    const int number = try_socket(IPV6, 0);
    close(number);
    return number >= 0;
}

static int set_up_group(void **state)
{
    (void)state;
    if (!has_ipv6()) {
        puts("skipped: this machine has no IPv6");
        exit(0);
    }
    return 0;
}

TEST_GROUP(set_up_group, NULL)
