// SPDX-License-Identifier: MIT
// Peers that connect, leave, fall silent or send false data, and a server that runs out of memory.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "transport_fixture.h"

#include "peer_guard.h"

TEST_EACH(set_up, tear_down)

// --- Coming and going ---

TEST(leaving_is_reported_once)
{
    connect_clients(2);
    enet_peer_disconnect(clients[0].peer, 0);
    enet_peer_disconnect_now(clients[1].peer, 0);
    RUN_UNTIL(seen.disconnected == 2 && clients[0].disconnected);
    send_to_peer(0, true, 0, 10);
    send_to_peer(1, false, 0, 10);
    send_to_peer(77, true, 0, 10);
    for (int i = 0; i < 10; i++)
        run_server();
    assert_int_equal(seen.disconnected, 2);
    assert_int_equal(transport_peers(transport), 0);
}

TEST(a_short_connection_is_reported_in_order)
{
    struct client *client = add_client();
    run_client(client);
    run_server();
    run_client(client);
    assert_true(client->connected);
    enet_peer_disconnect_now(client->peer, 0);
    struct transport_event event;
    transport_receive(transport);
    assert_true(transport_poll(transport, &event));
    assert_int_equal(event.kind, TRANSPORT_CONNECTED);
    assert_true(transport_poll(transport, &event));
    assert_int_equal(event.kind, TRANSPORT_DISCONNECTED);
    assert_false(transport_poll(transport, &event));
    assert_int_equal(transport_peers(transport), 0);
}

TEST(peer_that_never_acknowledges_is_dropped_at_the_cap)
{
    transport_close(transport);
    open_transport(1);
    connect_clients(1);
    uint32_t sent = 0;
    while (transport_stats(transport)->overflows == 0 && sent < 1000) {
        send_to_peer(0, true, sent++, 1000);
        transport_flush(transport);
    }
    assert_int_equal(sent, TRANSPORT_MAX_QUEUED / 1000 + 1);
    assert_int_equal(transport_stats(transport)->overflows, 1);
    send_to_peer(0, true, sent, 1000);
    send_to_peer(0, false, sent, 1000);
    assert_int_equal(transport_stats(transport)->overflows, 1);

    // The slot is free for the next peer, whose CONNECTED follows the DISCONNECTED of the first.
    seen.connected = 0;
    struct client *next = add_client();
    run_client(next);
    struct transport_event event;
    transport_receive(transport);
    assert_true(transport_poll(transport, &event));
    assert_int_equal(event.kind, TRANSPORT_DISCONNECTED);
    assert_int_equal(event.peer, 0);
    assert_int_equal(transport_peers(transport), 0);
    RUN_UNTIL(next->connected && seen.connected == 1);
    assert_int_equal(seen.last_peer, 0);
    send_to_peer(0, true, 0, 1000);
    RUN_UNTIL(next->messages[0] == 1);
}

TEST(acknowledged_bytes_do_not_count_towards_the_cap)
{
    connect_clients(1);
    for (uint32_t i = 0; i < 300; i++) {
        send_to_peer(seen.last_peer, true, i, 1000);
        RUN_UNTIL(clients[0].messages[0] == i + 1);
    }
    assert_int_equal(transport_stats(transport)->overflows, 0);
    assert_true(transport_ping_ms(transport, seen.last_peer) < 500);
}

// Sends a forged acknowledgement, as the client's ENet would, of a command that was never sent. It
// echoes a time half a minute ago, which ENet would take for the round trip.
static void acknowledge_nonsense(const struct client *client, uint16_t sequence)
{
    const uint16_t header[] = {
        htons((uint16_t)(ENET_PROTOCOL_HEADER_FLAG_SENT_TIME | client->peer->outgoingPeerID |
                         client->peer->outgoingSessionID << ENET_PROTOCOL_HEADER_SESSION_SHIFT)),
        0,
    };
    ENetProtocolAcknowledge command = {
        .header = {.command = ENET_PROTOCOL_COMMAND_ACKNOWLEDGE,
                   .reliableSequenceNumber = htons(sequence)},
        .receivedReliableSequenceNumber = htons(sequence),
        .receivedSentTime = htons((uint16_t)(monotonic_ms() - 30000)),
    };
    const ENetBuffer buffers[] = {{(void *)header, sizeof header}, {&command, sizeof command}};
    assert_true(enet_socket_send(client->host->socket, &client->peer->address, buffers, 2) > 0);
}

TEST(peer_that_acknowledges_nonsense_is_dropped_in_time)
{
    enum { STEP_MS = 100 };
    connect_clients(1);
    for (int i = 0; i < 100; i++) {
        acknowledge_nonsense(&clients[0], 999);
        run_server();
    }
    // The echoed round trip is ignored.
    assert_true(transport_ping_ms(transport, seen.last_peer) < 1000);
    assert_true(transport_rtt_ms(transport, seen.last_peer) == UINT32_MAX ||
                transport_rtt_ms(transport, seen.last_peer) < 1000);
    send_to_peer(seen.last_peer, true, 0, 100);
    int elapsed_ms = 0;
    for (uint16_t sequence = 1000; elapsed_ms < 60000 && seen.disconnected == 0; sequence++) {
        kernel.monotonic_ms += STEP_MS;
        elapsed_ms += STEP_MS;
        acknowledge_nonsense(&clients[0], sequence);
        transport_receive(transport);
        send_to_peer(seen.last_peer, false, sequence, 100);
        run_server();
    }
    assert_in_range(elapsed_ms, 5000, 15000 + 2 * STEP_MS);
    assert_int_equal(seen.disconnected, 1);
    assert_int_equal(transport_peers(transport), 0);
}

// Lets 50 ms pass, in which the client sends an input and the server a snapshot.
static void play_on(uint32_t number)
{
    kernel.monotonic_ms += 50;
    say(&clients[0], 1, number, 40);
    run_client(&clients[0]);
    run_server();
}

TEST(a_client_that_was_slow_once_survives_a_lost_ping)
{
    struct client *client = add_client();
    run_client(client);
    run_server();
    kernel.monotonic_ms += 4800; // until the client reads the answer
    RUN_UNTIL(client->connected && seen.connected == 1);
    uint32_t number = 0;
    for (; number < 20; number++)
        play_on(number);
    kernel.loss = 100;
    for (; number < 30; number++)
        play_on(number);
    kernel.loss = 0;
    for (; number < 500; number++)
        play_on(number);
    assert_int_equal(seen.disconnected, 0);
    assert_false(client->disconnected);
    assert_in_range(transport_ping_ms(transport, seen.last_peer), 0, PEER_GUARD_SAMPLE_MS);
}

// --- Enemies ---

// --- Memory ---

static int allocations_until_failure = -1; // -1: never

static void *failing_malloc(size_t size)
{
    if (allocations_until_failure == 0)
        return NULL;
    if (allocations_until_failure > 0)
        allocations_until_failure--;
    return malloc(size);
}

TEST(no_memory_costs_messages_and_not_the_server)
{
    const ENetCallbacks callbacks = {.malloc = failing_malloc, .free = free};
    assert_int_equal(enet_initialize_with_callbacks(ENET_VERSION, &callbacks), 0);
    connect_clients(4);
    for (int left = 0; left < 40; left++) {
        ENetPacket *packet = enet_packet_create("abcdef", 6, ENET_PACKET_FLAG_UNSEQUENCED);
        assert_int_equal(enet_peer_send(clients[left % 4].peer, 1, packet), 0);
        run_clients();
        if (left < 10) {
            struct client *stranger = add_client();
            run_client(stranger);
        }
        allocations_until_failure = left;
        transport_receive(transport);
        struct transport_event event;
        while (transport_poll(transport, &event)) {
        }
        send_to_peer((uint32_t)left % 4, false, (uint32_t)left, 100);
        transport_flush(transport);
        allocations_until_failure = -1;
    }
    allocations_until_failure = 0;
    send_to_peer(2, true, 0, 100);
    char error[200];
    assert_null(transport_open("127.0.0.1", 0, 4, error, sizeof error));
    assert_string_equal(error, "cannot open the UDP port: Cannot allocate memory");
    allocations_until_failure = -1;
    // A reliable message that could not be stored ends the connection: it would leave a gap.
    assert_int_equal(transport_stats(transport)->overflows, 1);
    seen.connected = 0;
    struct client *late = add_client();
    RUN_UNTIL(late->connected);
}
