// SPDX-License-Identifier: MIT
// Admission to ENet: cookies, limits per address, and eviction of idle peers.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "transport_fixture.h"

#include "connectionless.h"

enum { CONNECT_BYTES = 52, CONNECT_ID = 44, CONNECT_DATA = 48, RETRY_MS = 600, SILENCE_MS = 1100 };

static struct admission_limits limits;

static void set_up_admission(void)
{
    set_up();
    limits = ADMISSION_LIMITS_DEFAULT;
    limits.loopback = true;
    limits.connects_per_second = 1000;
    transport_set_limits(transport, true, &limits);
}

TEST_EACH(set_up_admission, tear_down)

static void allow(uint32_t of_address, uint32_t of_network)
{
    limits.connections_per_address = of_address;
    limits.connections_per_network = of_network;
    transport_set_limits(transport, true, &limits);
}

static uint32_t connect_request(void)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES], answer[RAIM_CONNECTIONLESS_BYTES];
    struct raim_cookie cookie;
    const int raw = open_raw();
    send_raw(raw, bytes, raim_connect_request_write(&(struct raim_connect_request){0}, bytes));
    run_server();
    const ssize_t size = recv(raw, answer, sizeof answer, MSG_DONTWAIT);
    assert_in_range(size, 1, RAIM_COOKIE_BYTES);
    assert_int_equal(raim_connectionless_kind(answer, (size_t)size), RAIM_CONNECTIONLESS_COOKIE);
    assert_true(raim_cookie_read(answer, (size_t)size, &cookie));
    return cookie.cookie;
}

// Connects a libenet client with a cookie that was requested from another socket.
static struct client *add_guest(uint32_t cookie)
{
    const ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = transport_port(transport)};
    struct client *client = &clients[client_count++];
    client->host = enet_host_create(NULL, 1, 2, 0, 0);
    assert_non_null(client->host);
    client->peer = enet_host_connect(client->host, &address, 2, cookie);
    assert_non_null(client->peer);
    return client;
}

// Sends a handmade CONNECT from a socket that never answers.
static int send_connect(uint32_t cookie, uint32_t id)
{
    uint8_t bytes[CONNECT_BYTES] = {0x8F, 0xFF, 0, 1,    0x82, 0xFF, 0,    1, 0, 0, 0xFF, 0xFF,
                                    0,    0,    4, 0xB0, 0,    0,    0x80, 0, 0, 0, 0,    2};
    const int raw = connect_raw();
    const uint32_t data = htonl(cookie);
    memcpy(bytes + CONNECT_ID, &id, sizeof id);
    memcpy(bytes + CONNECT_DATA, &data, sizeof data);
    send_raw(raw, bytes, sizeof bytes);
    return raw;
}

TEST(a_connect_without_a_cookie_is_not_answered)
{
    const uint32_t cookie = connect_request();
    const uint64_t sent = transport_stats(transport)->packets_out;
    add_guest(0);
    add_guest(cookie ^ 1);
    for (uint32_t i = 0; i < 1000; i++) {
        close(send_connect(cookie + 1 + i, i));
        run_server();
    }
    run(10);
    kernel.monotonic_ms += RETRY_MS;
    run(10);
    assert_int_equal(seen.connected, 0);
    assert_int_equal(rejected(DATAGRAM_COOKIE), 1000 + 4);
    assert_int_equal(transport_stats(transport)->packets_out, sent);
    // All slots are free again.
    const struct client *guest = add_guest(cookie);
    RUN_UNTIL(guest->connected);
}

TEST(a_connect_may_be_repeated)
{
    allow(1, 1);
    const struct client *client = add_guest(connect_request());
    // Its first answer is late.
    enet_host_flush(client->host);
    receive_all();
    kernel.monotonic_ms += RETRY_MS;
    RUN_UNTIL(client->connected && seen.connected == 1);
    run(20);
    assert_int_equal(rejections_in_all(), 0);
    assert_int_equal(transport_peers(transport), 1);
}

static void let_all_in(void)
{
    for (uint32_t peer = 0; peer < transport_capacity(transport); peer++)
        if (transport_is_connected(transport, peer))
            transport_admit(transport, peer);
}

TEST(an_address_has_so_many_connections)
{
    allow(2, 100);
    const uint32_t cookie = connect_request();
    add_guest(cookie);
    add_guest(cookie);
    RUN_UNTIL(seen.connected == 2);
    let_all_in();
    kernel.monotonic_ms += SILENCE_MS;
    const struct client *third = add_guest(cookie);
    run(20);
    assert_false(third->connected);
    assert_int_equal(rejected(DATAGRAM_CONNECTIONS), 1);
    enet_peer_disconnect_now(clients[0].peer, 0);
    RUN_UNTIL(seen.disconnected == 1);
    kernel.monotonic_ms += 2 * RETRY_MS;
    RUN_UNTIL(third->connected);
    assert_int_equal(transport_peers(transport), 2);
}

TEST(a_peer_that_never_acknowledges_makes_arena_for_a_neighbour)
{
    enum { GHOSTS = 4 };
    allow(GHOSTS, 100);
    const uint32_t cookie = connect_request();
    int ghosts[GHOSTS];
    for (uint32_t i = 0; i < GHOSTS; i++)
        ghosts[i] = send_connect(cookie, i + 1);
    run(2);
    const struct client *guest = add_guest(cookie);
    run(2);
    // So soon, they may be on their way.
    assert_int_equal(rejected(DATAGRAM_CONNECTIONS), 1);
    kernel.monotonic_ms += RETRY_MS;
    run(2); // the ghosts' answers are repeated, and they count as late
    kernel.monotonic_ms += 2 * RETRY_MS;
    RUN_UNTIL(guest->connected);
    assert_int_equal(seen.connected, 1);
    for (int i = 0; i < GHOSTS; i++)
        close(ghosts[i]);
}

TEST(a_peer_that_is_not_admitted_makes_arena_for_a_neighbour)
{
    allow(2, 100);
    const uint32_t cookie = connect_request();
    add_guest(cookie);
    RUN_UNTIL(seen.connected == 1);
    let_all_in();
    add_guest(cookie);
    RUN_UNTIL(seen.connected == 2);
    const uint32_t silent = seen.last_peer;
    run(4);
    kernel.monotonic_ms += SILENCE_MS;
    const struct client *guest = add_guest(cookie);
    RUN_UNTIL(guest->connected && seen.connected == 3);
    assert_int_equal(seen.disconnected, 1);
    assert_int_equal(seen.last_peer, silent);
    assert_int_equal(transport_peers(transport), 2);
    // It is not the admitted peer.
    send_to_peer(0, true, 0, 8);
    RUN_UNTIL(clients[0].messages[0] == 1);
}

TEST(more_inputs_than_a_tick_can_use_are_dropped)
{
    enum { SENT = 100 };
    limits.inputs_per_tick = 10;
    allow(2, 2);
    struct client *client = add_guest(connect_request());
    RUN_UNTIL(client->connected && seen.connected == 1);
    for (int tick = 1; tick <= 2; tick++) {
        for (uint32_t i = 0; i < SENT; i++)
            say(client, 1, i, 8);
        run_client(client);
        run_server();
        assert_int_equal(seen.messages, 10 * tick);
        assert_int_equal(rejected(DATAGRAM_INPUTS), (SENT - 10) * tick);
        client->next[1] = 0;
        run_client(client);
        client->next[1] = 0;
    }
    // A lost reliable message would leave a gap.
    for (uint32_t i = 0; i < SENT; i++)
        say(client, 0, i, 8);
    RUN_UNTIL(client->messages[0] == SENT);
}

TEST(frequent_connects_are_rejected_before_enet)
{
    limits.connects_per_second = 5;
    allow(4000, 4000);
    const uint32_t cookie = connect_request();
    for (uint32_t i = 0; i < 100; i++) {
        close(send_connect(cookie, i + 1));
        run_server();
    }
    assert_in_range(rejected(DATAGRAM_CONNECT_RATE), 70, 80);
}
