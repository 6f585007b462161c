// SPDX-License-Identifier: MIT
// Limits on connected peers, and on datagrams forged in their names.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "transport_fixture.h"

#include "transport_internal.h"

TEST_EACH(set_up, tear_down)

enum { COMMANDS = 32, LINE_MS = 40 };

static ENetPeer *enet_peer_of(uint32_t peer)
{
    return &transport->host->peers[peer];
}

// Sends commands from a client's socket, after the header that makes them its own.
static void send_as(const struct client *client, const void *commands, size_t size)
{
    const uint16_t header[] = {
        htons((uint16_t)(ENET_PROTOCOL_HEADER_FLAG_SENT_TIME | client->peer->outgoingPeerID |
                         client->peer->outgoingSessionID << ENET_PROTOCOL_HEADER_SESSION_SHIFT)),
        0,
    };
    const ENetBuffer buffers[] = {{(void *)header, sizeof header}, {(void *)commands, size}};
    assert_true(enet_socket_send(client->host->socket, &client->peer->address, buffers, 2) > 0);
}

static size_t write_reliable(uint8_t *bytes, uint8_t channel, uint16_t sequence)
{
    const uint8_t command[] = {0x86, channel, (uint8_t)(sequence >> 8), (uint8_t)sequence, 0,
                               1,    'x'};
    memcpy(bytes, command, sizeof command);
    return sizeof command;
}

static size_t write_unreliable(uint8_t *bytes, uint16_t sequence, uint16_t number)
{
    const uint8_t command[] = {0x07,
                               1,
                               (uint8_t)(sequence >> 8),
                               (uint8_t)sequence,
                               (uint8_t)(number >> 8),
                               (uint8_t)number,
                               0,
                               1,
                               'x'};
    memcpy(bytes, command, sizeof command);
    return sizeof command;
}

static void send_disconnect(const struct client *client, bool reliable)
{
    const uint8_t command[] = {reliable ? 0x84 : 0x44, 0xFF, 0, 9, 0, 0, 0, 0};
    send_as(client, command, sizeof command);
}

// --- Lists ---

TEST(reliable_messages_behind_a_gap_are_few)
{
    connect_clients(1);
    const ENetChannel *channel = &enet_peer_of(seen.last_peer)->channels[0];
    uint8_t bytes[COMMANDS * 7];
    for (uint16_t first = 2; first < 16384; first += COMMANDS) {
        size_t size = 0;
        for (uint16_t i = 0; i < COMMANDS; i++)
            size += write_reliable(bytes + size, 0, (uint16_t)(first + i));
        send_as(&clients[0], bytes, size);
        run_server();
    }
    assert_int_equal(enet_list_size((ENetList *)&channel->incomingReliableCommands),
                     PEER_GUARD_WINDOW - 1);
    // Those that wait are acknowledged as often as they come, as the first time may have been lost.
    for (int i = 0; i < PEER_GUARD_RELIABLE / PEER_GUARD_RELIABLE_PER_TICK; i++)
        run_server();
    const uint64_t before = transport_stats(transport)->packets_out;
    write_reliable(bytes, 0, 2);
    send_as(&clients[0], bytes, 7);
    run_server();
    assert_int_equal(transport_stats(transport)->packets_out, before + 1);
    write_reliable(bytes, 0, 1);
    send_as(&clients[0], bytes, 7);
    run_server();
    assert_int_equal(seen.messages, PEER_GUARD_WINDOW);
    assert_true(enet_list_empty(&channel->incomingReliableCommands));
}

TEST(unreliable_messages_that_wait_are_few)
{
    connect_clients(1);
    const ENetChannel *channel = &enet_peer_of(seen.last_peer)->channels[1];
    uint8_t bytes[COMMANDS * 9];
    for (uint16_t first = 1; first < 8192; first += COMMANDS) {
        size_t size = 0;
        for (uint16_t i = 0; i < COMMANDS; i++)
            size += write_unreliable(bytes + size, 1, (uint16_t)(first + i));
        send_as(&clients[0], bytes, size);
        run_server();
    }
    assert_int_equal(enet_list_size((ENetList *)&channel->incomingUnreliableCommands),
                     PEER_GUARD_HELD);
    write_reliable(bytes, 1, 1);
    send_as(&clients[0], bytes, 7);
    run_server();
    assert_int_equal(seen.messages + rejected(DATAGRAM_INPUTS), 1 + PEER_GUARD_HELD);
    assert_true(enet_list_empty(&channel->incomingUnreliableCommands));
}

TEST(a_flood_does_not_displace_other_peers_datagrams)
{
    enum { FLOOD = 200 };
    connect_clients(2);
    const uint8_t ping[] = {0x85, 0xFF, 0, 1};
    for (int i = 0; i < FLOOD; i++)
        send_as(&clients[0], ping, sizeof ping);
    say(&clients[1], 0, 0, 8);
    enet_host_flush(clients[1].host);
    for (int i = 0; i < FLOOD; i++)
        send_as(&clients[0], ping, sizeof ping);
    run_server();
    assert_int_equal(seen.messages, 1);
    // The datagrams beyond its bucket, and the pings beyond that of what ENet acknowledges.
    assert_int_equal(rejected(DATAGRAM_BUDGET), 2 * FLOOD - PEER_GUARD_RELIABLE);
}

TEST(connections_of_an_address_share_a_budget)
{
    enum { CLIENTS = 3, OF_EACH = 200, OF_ALL = 2 * PEER_GUARD_DATAGRAMS };
    struct admission_limits limits = ADMISSION_LIMITS_DEFAULT;
    connect_clients(CLIENTS);
    limits.loopback = true;
    transport_set_limits(transport, false, &limits);
    const uint8_t nothing[] = {0x01, 0,  0, 77,
                               0,    77, 0, 0}; // an acknowledgement of nothing that was sent
    for (int i = 0; i < OF_EACH; i++)
        for (int client = 0; client < CLIENTS; client++)
            send_as(&clients[client], nothing, sizeof nothing);
    const uint64_t before = transport_stats(transport)->packets_in;
    receive_all();
    // Where sockets have small buffers, some do not arrive.
    const uint64_t received = transport_stats(transport)->packets_in - before;
    assert_int_equal(rejected(DATAGRAM_BUDGET), received > OF_ALL ? received - OF_ALL : 0);
}

TEST(a_peer_that_is_too_far_behind_is_dropped)
{
    connect_clients(1);
    uint32_t sent = 0;
    while (transport_stats(transport)->overflows == 0 && sent < 10000) {
        send_to_peer(0, true, sent++, 8);
        transport_flush(transport);
    }
    assert_int_equal(sent, ROUND_TRIP_MESSAGES + 1);
    run_server();
    assert_int_equal(seen.disconnected, 1);
}

TEST(bandwidth_limits_of_a_client_have_no_effect)
{
    struct client *client = add_client();
    enet_peer_reset(client->peer);
    enet_host_bandwidth_limit(client->host, 1000, 1000);
    const ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = transport_port(transport)};
    client->peer = enet_host_connect(client->host, &address, 2, 0);
    RUN_UNTIL(client->connected && seen.connected == 1);
    const ENetPeer *peer = enet_peer_of(seen.last_peer);
    enet_host_bandwidth_limit(client->host, 2000, 2000);
    enet_peer_throttle_configure(client->peer, 100000, 0, 32);
    for (int i = 0; i < 40; i++) {
        kernel.monotonic_ms += 100;
        run_client(client);
        run_server();
        assert_int_equal(peer->incomingBandwidth, 0);
        assert_int_equal(peer->windowSize, ENET_PROTOCOL_MAXIMUM_WINDOW_SIZE);
        assert_int_equal(peer->packetThrottleDeceleration, 0);
    }
    // The client's ENet does not wait for an acknowledgement of these.
    RUN_UNTIL(enet_list_empty(&client->peer->sentReliableCommands));
}

// --- Losses ---

TEST(honest_clients_live_with_loss)
{
    enum { CLIENTS = 4, ROUNDS = 300 };
    connect_clients(CLIENTS);
    // One of 800 reliable commands is lost with all its repetitions of 5 s, about eight on a fast
    // line, in a run of a thousand. At 20 % it would be one run in six: ENet then gives up.
    kernel.loss = 10;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < client_count; i++) {
            if (round % 5 == 0)
                say(&clients[i], 0, round / 5, 40);
            say(&clients[i], 1, round, 40);
        }
        run_clients();
        kernel.monotonic_ms += 16;
        run_server();
    }
    for (int i = 0; i < 2000; i++) {
        run_clients();
        kernel.monotonic_ms += 16;
        run_server();
    }
    for (size_t i = 0; i < client_count; i++) {
        assert_false(clients[i].disconnected);
        assert_int_equal(clients[i].messages[0], ROUNDS / 5);
        assert_true(clients[i].messages[1] > ROUNDS / 3);
    }
    assert_int_equal(rejected(DATAGRAM_AHEAD), 0);
    assert_int_equal(rejected(DATAGRAM_BUDGET), 0);
}

TEST(inputs_flow_on_behind_a_reliable_message_of_their_channel)
{
    connect_slowly(LINE_MS);
    // ENet sends one in 65,536 reliably.
    clients[0].peer->channels[1].outgoingUnreliableSequenceNumber = 0xFFFF;
    kernel.loss = 100;
    say(&clients[0], 1, 0, 8);
    run_client(&clients[0]);
    run_server();
    kernel.loss = 0;
    int ticks = 0;
    for (; seen.messages < 30 && ticks < 100; ticks++) {
        say(&clients[0], 1, (uint32_t)ticks + 1, 8);
        run_client(&clients[0]);
        kernel.monotonic_ms += 16;
        run_server();
    }
    assert_in_range(ticks, 29, 40);
    assert_int_equal(rejected(DATAGRAM_AHEAD), 0);
}

// --- Ends ---

static void play(struct client *client, uint32_t number)
{
    say(client, 1, number, 8);
    run(1);
}

// Forges 20 messages by `forge`, each before an input, which comes through.
static void assert_not_silenced(size_t (*forge)(uint8_t *bytes, uint8_t i))
{
    connect_clients(1);
    for (uint8_t i = 0; i < 20; i++) {
        uint8_t forged[16];
        send_as(&clients[0], forged, forge(forged, i));
        run_server();
        const uint32_t before = seen.messages;
        say(&clients[0], 1, 2u * i + 1, 8);
        run(1);
        assert_int_equal(seen.messages, before + 1);
    }
}

static size_t forge_number(uint8_t *bytes, uint8_t i)
{
    const uint8_t forged[] = {0x07, 1, 0, 0, 0xFF, 0xFF, 0, 4, (uint8_t)(2 * i), 0, 0, 0};
    memcpy(bytes, forged, sizeof forged);
    return sizeof forged;
}

static size_t forge_reliable(uint8_t *bytes, uint8_t i)
{
    const uint8_t forged[] = {0x86, 1, 0, (uint8_t)(i + 1), 0, 4, (uint8_t)(2 * i), 0, 0, 0};
    memcpy(bytes, forged, sizeof forged);
    return sizeof forged;
}

TEST(a_forged_number_does_not_silence_a_player)
{
    assert_not_silenced(forge_number);
}

TEST(a_forged_reliable_message_does_not_silence_a_player)
{
    assert_not_silenced(forge_reliable);
}

TEST(forged_disconnects_do_not_end_a_players_connection)
{
    connect_clients(1);
    for (uint32_t i = 0; i < 200; i++) {
        play(&clients[0], i);
        send_disconnect(&clients[0], i % 2 == 0);
        kernel.monotonic_ms += 100;
        run_server();
    }
    assert_int_equal(seen.disconnected, 0);
    assert_int_equal(rejected(DATAGRAM_DISCONNECT), 200);
    assert_false(clients[0].disconnected);
}

TEST(a_disconnecting_client_is_gone_soon)
{
    connect_clients(1);
    play(&clients[0], 0);
    enet_peer_disconnect(clients[0].peer, 0);
    const uint64_t start = monotonic_ms();
    while (seen.disconnected == 0 || !clients[0].disconnected) {
        run_clients();
        kernel.monotonic_ms += 16;
        run_server();
        assert_true(monotonic_ms() - start < 3000);
    }
    assert_true(monotonic_ms() - start >= PEER_GUARD_SILENCE_MS);
}

TEST(a_single_disconnect_ends_the_connection_after_a_second)
{
    connect_clients(1);
    play(&clients[0], 0);
    enet_peer_disconnect_now(clients[0].peer, 0);
    run_server();
    kernel.monotonic_ms += PEER_GUARD_DISCONNECT_MS - 10;
    run_server();
    assert_int_equal(seen.disconnected, 0);
    kernel.monotonic_ms += 20;
    run_server();
    assert_int_equal(seen.disconnected, 1);
    assert_int_equal(transport_peers(transport), 0);
}

TEST(a_disconnected_peer_is_gone_after_a_second)
{
    connect_clients(2);
    for (uint32_t peer = 0; peer < 2; peer++) {
        send_to_peer(peer, peer == 0, 0, 8); // for the first, ENet waits until it is acknowledged
        transport_disconnect(transport, peer, 42);
    }
    transport_flush(transport);
    // They acknowledge nothing, but send all kinds of commands.
    for (int elapsed_ms = 0; elapsed_ms < 990; elapsed_ms += 90) {
        const uint8_t nonsense[] = {0x01, 0, 0, 77, 0, 77, 0, 0};
        send_as(&clients[0], nonsense, sizeof nonsense);
        send_as(&clients[1], nonsense, sizeof nonsense);
        run_server();
        kernel.monotonic_ms += 90;
    }
    assert_int_equal(seen.disconnected, 0);
    kernel.monotonic_ms += 100;
    run_server();
    assert_int_equal(seen.disconnected, 2);
    for (uint32_t peer = 0; peer < 2; peer++)
        assert_int_equal(enet_peer_of(peer)->state, ENET_PEER_STATE_DISCONNECTED);
    // The first client still receives its disconnect.
    run_clients();
    assert_true(clients[0].disconnected);
    assert_int_equal(clients[0].reason, 42);
}

// --- Slots ---

TEST(the_oldest_connection_that_is_not_in_makes_arena_in_a_full_arena)
{
    transport_close(transport);
    open_transport(3);
    for (int i = 0; i < 3; i++) {
        connect_clients(1);
        kernel.monotonic_ms += 100;
    }
    transport_admit(transport, 0);
    say(&clients[1], 0, 0, 8); // whatever it sends
    say(&clients[2], 1, 0, 8);
    run(1);
    kernel.monotonic_ms += 1000;
    kernel.sender = "127.9.9.9"; // any network
    struct client *newcomer = add_client();
    RUN_UNTIL(newcomer->connected);
    assert_int_equal(seen.disconnected, 1);
    assert_int_equal(seen.last_peer, 1);
    assert_true(transport_is_connected(transport, 0) && transport_is_connected(transport, 1) &&
                transport_is_connected(transport, 2));
}

TEST(new_and_admitted_peers_do_not_make_arena)
{
    transport_close(transport);
    open_transport(2);
    connect_clients(2);
    const struct client *newcomer = add_client();
    run(20);
    assert_false(newcomer->connected);
    assert_int_equal(rejected(DATAGRAM_CONNECTIONS), 1);
    for (uint32_t peer = 0; peer < 2; peer++)
        transport_admit(transport, peer);
    for (int i = 0; i < 40; i++) {
        run(1);
        kernel.monotonic_ms += 100;
    }
    assert_false(newcomer->connected);
    assert_int_equal(seen.disconnected, 0);
}

// --- Time ---

TEST(reading_ends_with_its_time)
{
    enum { SENT = 1000 };
    transport_close(transport);
    open_transport(4);
    connect_clients(1);
    transport_limit_time(transport, 1);
    const int raw = open_raw();
    for (int i = 0; i < SENT; i++)
        send_raw(raw, "\0\1ping", 6);
    const uint64_t before = transport_stats(transport)->packets_in;
    receive_all();
    const uint64_t first = transport_stats(transport)->packets_in - before;
    assert_in_range(first, 64 + 2 * 4, 64 + 2 * 4 + 8);
    assert_int_equal(rejected(DATAGRAM_OVERTIME), 1);
    // The rest stays in the kernel, and nothing is lost.
    for (int i = 0; i < SENT; i++)
        receive_all();
    assert_int_equal(transport_stats(transport)->packets_in - before, SENT);
}

// --- Round trips ---

TEST(clients_connect_within_a_millisecond_whatever_enets_clock_shows)
{
    kernel.stopped_ms = (int64_t)monotonic_ms();
    // The differences that transport_set_clock leaves.
    for (int ahead_ms = -1; ahead_ms <= 1; ahead_ms++) {
        const uint32_t before = seen.connected;
        enet_time_set((enet_uint32)(kernel.stopped_ms + ahead_ms));
        add_client();
        run(4);
        assert_int_equal(seen.connected, before + 1);
    }
}

TEST(the_round_trip_is_measured_by_the_server)
{
    connect_slowly(LINE_MS);
    assert_int_equal(transport_rtt_ms(transport, 77), UINT32_MAX);
    kernel.monotonic_ms += 2000;
    assert_int_equal(transport_rtt_ms(transport, 0), UINT32_MAX);
    // Pings alone give several samples a second.
    int64_t known_ms = 0;
    for (int i = 0; i < 50; i++) {
        run_server();
        kernel.monotonic_ms += LINE_MS;
        run_client(&clients[0]);
        if (transport_rtt_ms(transport, 0) != UINT32_MAX && known_ms == 0)
            known_ms = (i + 1) * LINE_MS;
    }
    assert_in_range(known_ms, LINE_MS, 500);
    assert_in_range(transport_rtt_ms(transport, 0), LINE_MS, LINE_MS + 30);
}
