// SPDX-License-Identifier: MIT
// Fixture of the transport's tests: wrapped system calls that a test can count, fail or give
// another clock, an echo server, and clients of libenet.
#pragma once

#include "chance.h"
#include "test.h"
#include "transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <enet/enet.h>

enum { MAX_CLIENTS = 100, MAX_CAPTURED = 4096 };

// --- System calls: the linker prefers those of transport_fixture.c to libc's ---

extern struct kernel {
    int receives, sends;  // calls
    size_t largest_sent;  // bytes of a datagram
    int fail_at;          // the datagram of a batch that the kernel does not take, -1 for none
    int64_t monotonic_ms; // added to the clock
    int64_t stopped_ms;   // the time that the clock shows; 0: it runs
    int64_t wall_ms;      // whole seconds, added to what gettimeofday returns
    int loss;             // percent of datagrams lost in either direction
    bool is_shuffled;     // neighbours among the datagrams that a call receives change places
    const char *sender;   // spoofed source address of datagrams; NULL: the true one
    // Changes the source of a received datagram, or the destination of one to send; or NULL.
    void (*translate)(void *address, bool is_received);
} kernel;

extern struct captured {
    size_t size;
    uint8_t data[RAIM_MAX_DATAGRAM_BYTES];
} captured[MAX_CAPTURED];
extern size_t captured_count;

static inline uint64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// --- A server that echoes, and clients ---

struct client {
    ENetHost *host;
    ENetPeer *peer;
    bool connected, disconnected;
    uint32_t reason;
    uint32_t messages[2]; // received, by channel
    uint32_t next[2];     // the number that the next message must not be below
    size_t largest;
};

static struct transport *transport;
static struct client clients[MAX_CLIENTS];
static size_t client_count;
static struct {
    uint32_t connected, disconnected, messages;
    uint32_t last_peer;
} seen;

static inline void open_transport(uint32_t peers)
{
    char error[200] = "";
    transport = transport_open("127.0.0.1", 0, peers, error, sizeof error);
    assert_string_equal(error, "");
    assert_non_null(transport);
}

static inline void set_up(void)
{
    memset(&kernel, 0, sizeof kernel);
    kernel.fail_at = -1;
    enet_time_set((enet_uint32)monotonic_ms()); // the clients' clock too
    memset(&seen, 0, sizeof seen);
    memset(clients, 0, sizeof clients);
    client_count = 0;
    open_transport(128);
}

static inline void tear_down(void)
{
    for (size_t i = 0; i < client_count; i++)
        enet_host_destroy(clients[i].host);
    transport_close(transport);
    transport = NULL;
}

static inline struct client *add_client(void)
{
    struct client *client = &clients[client_count++];
    ENetAddress address = {.port = transport_port(transport)};
    address.host = htonl(INADDR_LOOPBACK);
    client->host = enet_host_create(NULL, 1, 2, 0, 0);
    assert_non_null(client->host);
    client->peer = enet_host_connect(client->host, &address, 2, 0);
    assert_non_null(client->peer);
    return client;
}

// Messages of these tests begin with a number that must not decrease within a channel.
static inline void take_message(struct client *client, int channel, const ENetPacket *packet)
{
    uint32_t number = 0;
    assert_in_range(channel, 0, 1);
    assert_true(packet->dataLength >= sizeof number);
    memcpy(&number, packet->data, sizeof number);
    if (channel == 0)
        assert_int_equal(number, client->next[0]);
    else
        assert_true(number >= client->next[1]);
    client->next[channel] = number + 1;
    client->messages[channel]++;
    if (packet->dataLength > client->largest)
        client->largest = packet->dataLength;
}

static inline void run_client(struct client *client)
{
    ENetEvent event;
    for (int more = enet_host_service(client->host, &event, 0); more > 0;
         more = enet_host_check_events(client->host, &event)) {
        if (event.type == ENET_EVENT_TYPE_CONNECT)
            client->connected = true;
        if (event.type == ENET_EVENT_TYPE_DISCONNECT) {
            client->disconnected = true;
            client->reason = event.data;
        }
        if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            take_message(client, event.channelID, event.packet);
            enet_packet_destroy(event.packet);
        }
    }
    enet_host_flush(client->host);
}

static inline void run_clients(void)
{
    for (size_t i = 0; i < client_count; i++)
        run_client(&clients[i]);
}

static inline void poll_and_echo(void)
{
    struct transport_event event;
    while (transport_poll(transport, &event)) {
        seen.last_peer = event.peer;
        seen.connected += event.kind == TRANSPORT_CONNECTED;
        seen.disconnected += event.kind == TRANSPORT_DISCONNECTED;
        if (event.kind == TRANSPORT_MESSAGE) {
            seen.messages++;
            transport_send(transport, event.peer, event.reliable, event.data, event.size);
        }
    }
    assert_int_equal(event.kind, TRANSPORT_NONE);
}

static inline void receive_all(void)
{
    transport_receive(transport);
    poll_and_echo();
}

static inline void run_server(void)
{
    receive_all();
    transport_flush(transport);
}

// The clock of a test's deadlines, which `kernel` does not change.
static inline uint64_t true_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline bool in_time(uint64_t deadline)
{
    return true_ms() < deadline;
}

// Runs server and clients in turn until the condition holds; fails the test if it never does.
#define RUN_UNTIL(condition)                                                                       \
    do {                                                                                           \
        const uint64_t limit = true_ms() + 10000;                                                  \
        while (!(condition)) {                                                                     \
            assert_true(in_time(limit));                                                           \
            run_clients();                                                                         \
            run_server();                                                                          \
        }                                                                                          \
    } while (0)

static inline void run(int turns)
{
    for (int i = 0; i < turns; i++) {
        run_clients();
        run_server();
    }
}

static inline void connect_clients(size_t count)
{
    const uint32_t before = seen.connected;
    for (size_t i = 0; i < count; i++)
        add_client();
    RUN_UNTIL(seen.connected == before + count);
    run(4);
    for (size_t i = 0; i < client_count; i++)
        assert_true(clients[i].connected);
}

// Connects one client with a round trip of `ms` milliseconds.
static inline void connect_slowly(int64_t round_trip_ms)
{
    struct client *client = add_client();
    for (int step = 0; step < 5; step++) {
        run_client(client);
        kernel.monotonic_ms += round_trip_ms;
        run_server();
    }
    assert_true(client->connected);
}

static inline void say(struct client *client, int channel, uint32_t number, size_t size)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES] = {0};
    memcpy(bytes, &number, sizeof number);
    ENetPacket *packet =
        enet_packet_create(bytes, size, channel == 0 ? ENET_PACKET_FLAG_RELIABLE : 0);
    assert_non_null(packet);
    assert_int_equal(enet_peer_send(client->peer, (enet_uint8)channel, packet), 0);
}

static inline void send_to_peer(uint32_t peer, bool reliable, uint32_t number, size_t size)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES] = {0};
    memcpy(bytes, &number, sizeof number);
    transport_send(transport, peer, reliable, bytes, size);
}

static inline uint64_t rejected(enum datagram_verdict reason)
{
    return transport_stats(transport)->rejected[reason];
}

static inline uint64_t rejections_in_all(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < DATAGRAM_VERDICTS; i++)
        sum += transport_stats(transport)->rejected[i];
    return sum;
}

static inline void close_raw(void *raw)
{
    close((int)(intptr_t)raw);
}

// A plain socket that speaks to the transport without ENet.
static inline int connect_raw(void)
{
    const int raw = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(transport_port(transport))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(raw, (struct sockaddr *)&to, sizeof to), 0);
    return raw;
}

// One until the test's end.
static inline int open_raw(void)
{
    const int raw = connect_raw();
    test_at_end(close_raw, (void *)(intptr_t)raw);
    return raw;
}

static inline void send_raw(int raw, const void *data, size_t size)
{
    assert_int_equal(send(raw, data, size, 0), size);
}
