// SPDX-License-Identifier: MIT
// A link against somebody else's ENet: it connect requests, connects with the cookie, and comes
// when invited.
#define _POSIX_C_SOURCE 200809L
#include "connectionless.h"
#include "handshake.h"
#include "link.h"
#include "message.h"
#include "system.h"
#include "test.h"

#include <arpa/inet.h>
#include <enet/enet.h>
#include <time.h>

// The example of PROTOCOL.md.
static const struct raim_invite invite = {
    .nonce = {1, 2, 3, 4, 5, 6, 7, 8},
    .proof = {0xF0, 0x77, 0x73, 0x85, 0xC4, 0x07, 0xBF, 0x98},
};

static struct {
    ENetHost *host;
    uint16_t port;
    int connect_requests, deaf_to; // number of first requests without a response
    ENetAddress requester;         // the last
    int connects, hellos;          // told
    uint32_t data;                 // of the last connect
    struct raim_hello hello;
    ENetPeer *peer;
    int goodbyes;
    struct raim_client_goodbye client_goodbye; // the last
} server;

static struct raim_link *link_to;

static void send_plain(ENetHost *host, const ENetAddress *to, const uint8_t *bytes, size_t size)
{
    const ENetBuffer buffer = {.data = (void *)bytes, .dataLength = size};
    assert_int_equal(enet_socket_send(host->socket, to, &buffer, 1), size);
}

static void send_cookie(ENetHost *host, const ENetAddress *to, uint32_t number)
{
    uint8_t bytes[RAIM_COOKIE_BYTES];
    const struct raim_cookie cookie = {.cookie = number, .arena = "duel"};
    send_plain(host, to, bytes, raim_cookie_write(&cookie, bytes));
}

static int receive_connect_request(ENetHost *host, ENetEvent *event)
{
    (void)event;
    if (raim_connectionless_kind(host->receivedData, host->receivedDataLength) !=
        RAIM_CONNECTIONLESS_REQUEST)
        return 0;
    struct raim_connect_request connect_request;
    assert_true(
        raim_connect_request_read(host->receivedData, host->receivedDataLength, &connect_request));
    server.requester = host->receivedAddress;
    if (server.connect_requests++ >= server.deaf_to)
        send_cookie(host, &host->receivedAddress, 0x2BCD0000u + (uint32_t)server.connect_requests);
    return 1;
}

static ENetHost *open_host(void)
{
    const ENetAddress address = {.host = htonl(INADDR_LOOPBACK)};
    ENetHost *host = enet_host_create(&address, 8, 2, 0, 0);
    assert_non_null(host);
    return host;
}

static void set_up(void)
{
    assert_int_equal(enet_initialize(), 0);
    memset(&server, 0, sizeof server);
    server.host = open_host();
    server.host->intercept = receive_connect_request;
    ENetAddress bound;
    assert_int_equal(enet_socket_get_address(server.host->socket, &bound), 0);
    server.port = bound.port;
    struct raim_client_def def = raim_client_default_def();
    def.connect_timeout_s = 5;
    link_to = raim_link_open("127.0.0.1", server.port, &def);
    assert_non_null(link_to);
}

static void tear_down(void)
{
    raim_link_close(link_to);
    enet_host_destroy(server.host);
}

TEST_EACH(set_up, tear_down)

static void run(void)
{
    ENetEvent event;
    while (enet_host_service(server.host, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT) {
            server.connects++;
            server.data = event.data;
            server.peer = event.peer;
        }
        if (event.type != ENET_EVENT_TYPE_RECEIVE)
            continue;
        raim_reader reader = raim_reader_make(event.packet->data, event.packet->dataLength);
        const uint32_t kind = raim_message_read(&reader);
        if (kind == RAIM_MESSAGE_HELLO) {
            assert_true(raim_hello_read(&reader, &server.hello));
            server.hellos++;
        }
        if (kind == RAIM_MESSAGE_GOODBYE) {
            assert_true(raim_client_goodbye_read(&reader, &server.client_goodbye));
            server.goodbyes++;
        }
        enet_packet_destroy(event.packet);
    }
    raim_link_update(link_to);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

#define RUN_UNTIL(condition)                                                                       \
    do {                                                                                           \
        const uint64_t limit_us = raim_link_now_us() + 10000000;                                   \
        while (!(condition)) {                                                                     \
            assert_true(raim_link_now_us() < limit_us);                                            \
            run();                                                                                 \
        }                                                                                          \
    } while (0)

static void welcome(void)
{
    static struct raim_welcome message = {
        .version = RAIM_PROTOCOL_VERSION,
        .player = 1024,
        .grace_s = 30,
        .tick = 1000,
        .tick_hz = 60,
        .max_players = 16,
        .shots = 6,
        .view_width = 1600,
        .view_height = 861,
        .roster_count = 1,
        .border = {-32000, -16000, 32000, 16000},
        .rule_count = 8,
        .rules = {20, 300, 4, 900, 1.2, 0.25, 2, 1},
        .map_name = "duel",
    };
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        message.token[i] = (uint8_t)(0xA0 + i);
    const size_t size = raim_welcome_write(&message, bytes, sizeof bytes);
    enet_peer_send(server.peer, 0, enet_packet_create(bytes, size, ENET_PACKET_FLAG_RELIABLE));
    RUN_UNTIL(raim_client_get_state(raim_link_client(link_to)) == RAIM_CLIENT_ENTERING);
}

static void send_invite(ENetHost *host, const struct raim_invite *it)
{
    uint8_t bytes[RAIM_INVITE_BYTES];
    send_plain(host, &server.requester, bytes, raim_invite_write(it, bytes));
}

// What has been sent is heard, or ignored.
static void run_on(void)
{
    for (int i = 0; i < 50; i++)
        run();
}

TEST(it_sends_connect_requests_until_it_is_received)
{
    server.deaf_to = 2;
    RUN_UNTIL(server.hellos == 1);
    assert_int_equal(server.connect_requests, 3);
    assert_int_equal(server.data, 0x2BCD0003u);
}

TEST(it_gives_up_in_time_where_nobody_receives)
{
    server.deaf_to = INT32_MAX;
    RUN_UNTIL(!raim_link_is_open(link_to));
    assert_int_equal(raim_client_get_end(raim_link_client(link_to)).reason, RAIM_REASON_LOST);
    assert_in_range(server.connect_requests, 2, 21); // within 5 s
    const int connect_requests = server.connect_requests;
    run_on();
    assert_in_range(server.connect_requests, connect_requests,
                    connect_requests + 1); // one may have been on its way
}

TEST(it_says_goodbye_where_no_welcome_comes)
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    RUN_UNTIL(server.hellos == 1);
    RUN_UNTIL(!raim_link_is_open(link_to));
    assert_int_equal(raim_client_get_end(raim_link_client(link_to)).reason, RAIM_REASON_LOST);
    RUN_UNTIL(server.goodbyes == 1);
    assert_int_equal(server.client_goodbye.reason, RAIM_REASON_LEFT);
    assert_memory_equal(server.client_goodbye.token, none, sizeof none);
}

TEST(it_sends_what_the_client_has_written)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    RUN_UNTIL(server.hellos == 1);
    welcome();
    const size_t size = raim_client_write_goodbye(raim_link_client(link_to), bytes, sizeof bytes);
    raim_link_send(link_to, bytes, size);
    raim_link_send(link_to, bytes, 0);
    RUN_UNTIL(server.goodbyes == 1);
    assert_int_equal(server.client_goodbye.token[0], 0xA0);
}

TEST(a_cookie_of_somebody_else_is_ignored)
{
    server.deaf_to = 2;
    RUN_UNTIL(server.connect_requests == 1);
    ENetHost *other = open_host();
    send_cookie(other, &server.requester, 7);
    RUN_UNTIL(server.hellos == 1);
    assert_int_equal(server.data, 0x2BCD0003u);
    enet_host_destroy(other);
}

TEST(who_is_invited_resumes_at_once)
{
    RUN_UNTIL(server.hellos == 1);
    welcome();
    const uint16_t port = server.requester.port;
    send_invite(server.host, &invite);
    RUN_UNTIL(server.hellos == 2);
    assert_int_equal(server.connect_requests, 2);
    assert_int_equal(server.data, 0x2BCD0002u);
    assert_true(server.hello.resume);
    assert_int_equal(server.hello.token[15], 0xAF);
    assert_int_not_equal(server.requester.port, port);
    // The same invitation again is nothing new.
    welcome();
    send_invite(server.host, &invite);
    run_on();
    assert_int_equal(server.connect_requests, 2);
}

TEST(forged_invitations_are_ignored)
{
    RUN_UNTIL(server.hellos == 1);
    send_invite(server.host, &invite); // there is no session yet
    run_on();
    welcome();
    struct raim_invite forged = invite;
    forged.proof[3] ^= 1;
    send_invite(server.host, &forged);
    ENetHost *other = open_host();
    send_invite(other, &invite);
    run_on();
    assert_int_equal(server.connect_requests, 1);
    enet_host_destroy(other);
    send_invite(server.host, &invite);
    RUN_UNTIL(server.hellos == 2);
}

// Replays two recorded datagrams.
TEST(two_invitations_in_turns_call_it_back_once_each)
{
    static const struct raim_invite second = {
        .nonce = {8, 7, 6, 5, 4, 3, 2, 1},
        .proof = {0x8D, 0x87, 0x33, 0xA0, 0xE0, 0x1E, 0xA9, 0xB0},
    };
    RUN_UNTIL(server.hellos == 1);
    welcome();
    for (int i = 0; i < 6; i++) {
        const int hellos = server.hellos;
        send_invite(server.host, i % 2 == 0 ? &invite : &second);
        if (i < 2) {
            RUN_UNTIL(server.hellos == hellos + 1);
            welcome();
        } else {
            run_on();
        }
    }
    assert_int_equal(server.hellos, 3);
    assert_int_equal(server.connect_requests, 3);
}

// --- Link flood ---

// One update of a link does a bounded amount of work, however much arrives.

static struct {
    bool is_on;
    enum raim_received kind; // of what waits without an end
    int received;            // from the server, in this update
} flood;

static bool is_lost; // until that has been told

// In this test something always waits.
enum raim_received __real_raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                              size_t *size);
enum raim_received __wrap_raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                              size_t *size);

enum raim_received __wrap_raim_system_receive(raim_socket socket, uint8_t *data, size_t capacity,
                                              size_t *size)
{
    if (is_lost) {
        is_lost = false;
        return RAIM_RECEIVED_LOSS;
    }
    if (!flood.is_on)
        return __real_raim_system_receive(socket, data, capacity, size);
    flood.received++;
    assert_true(flood.received < 10000);
    *size = capacity < 100 ? capacity : 100;
    memset(data, 0xA5, *size);
    return flood.kind;
}

static void check_flood(enum raim_received kind)
{
    const struct raim_client_def def = raim_client_default_def();
    struct raim_link *link = raim_link_open("127.0.0.1", 9, &def);
    assert_non_null(link);
    flood.is_on = true;
    flood.kind = kind;
    for (int i = 0; i < 20; i++) {
        flood.received = 0;
        raim_link_update(link);
        assert_in_range(flood.received, 1, 300);
    }
    raim_link_close(link);
    flood.is_on = false;
}

TEST(whose_socket_the_server_has_lost_resumes_at_once)
{
    is_lost = true; // there is no session yet
    run_on();
    RUN_UNTIL(server.hellos == 1);
    welcome();
    const uint16_t port = server.requester.port;
    is_lost = true;
    RUN_UNTIL(server.hellos == 2);
    assert_int_equal(server.connect_requests, 2);
    assert_true(server.hello.resume);
    assert_int_not_equal(server.requester.port, port);
}

TEST(an_update_takes_256_datagrams_at_the_most)
{
    check_flood(RAIM_RECEIVED_DATAGRAM);
}

TEST(an_update_takes_256_errors_at_the_most)
{
    check_flood(RAIM_RECEIVED_ERROR);
}
