// SPDX-License-Identifier: MIT
// The transport against libenet's own clients over loopback, and against those who speak otherwise.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "transport_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

// --- The clock ---

static void test_clock_is_monotonic_milliseconds_and_never_zero(void **state)
{
    (void)state;
    const uint32_t before = (uint32_t)monotonic_ms();
    const uint32_t now = enet_time_get();
    assert_true(now - before < 1000);
    // libenet asks it too.
    connect_clients(1);
    assert_true((uint32_t)monotonic_ms() - clients[0].host->serviceTime < 1000);

    const uint64_t wrap = (monotonic_ms() + UINT32_MAX) / ((uint64_t)UINT32_MAX + 1);
    const uint64_t limit = monotonic_ms() + 10000;
    kernel.monotonic_ms = (int64_t)((wrap + 1) * ((uint64_t)UINT32_MAX + 1) - monotonic_ms()) - 3;
    const uint64_t end = limit + (uint64_t)kernel.monotonic_ms;
    while (enet_time_get() > UINT32_MAX - 10) {
        assert_true(in_time(end));
    }
    assert_int_not_equal(enet_time_get(), 0);
}

static void test_wall_clock_step_disconnects_nobody(void **state)
{
    (void)state;
    connect_clients(1);
    tell(seen.last_peer, true, 0, 8);
    transport_flush(transport);
    kernel.wall_ms = 31000;
    for (int i = 0; i < 10; i++)
        run_server();
    kernel.wall_ms = -31000;
    for (int i = 0; i < 10; i++)
        run_server();
    RUN_UNTIL(clients[0].messages[0] == 1);
    assert_int_equal(seen.disconnected, 0);
    assert_int_equal(transport_peers(transport), 1);
}

static void test_silent_peer_times_out_however_slow_its_line(void **state)
{
    (void)state;
    connect_slowly(200);
    connect_slowly(200);
    const uint64_t start = monotonic_ms();
    const uint32_t silent = 1;
    tell(0, true, 0, 8);
    tell(silent, true, 0, 8);
    while (seen.disconnected == 0 && monotonic_ms() - start < 40000) {
        kernel.monotonic_ms += 100;
        run_server();
        run_client(&clients[0]);
    }
    assert_int_equal(seen.disconnected, 1);
    assert_int_equal(seen.last_peer, silent);
    // ENet looks only when a resend is due, which is ever less often.
    assert_in_range(monotonic_ms() - start, 5000, 25000);
    assert_int_equal(transport_peers(transport), 1);
}

// --- Batches ---

static void test_datagrams_move_in_batches(void **state)
{
    (void)state;
    connect_clients(100);
    for (size_t i = 0; i < client_count; i++) {
        say(&clients[i], 1, 0, 40);
        enet_host_flush(clients[i].host);
    }
    const struct transport_stats before = *transport_stats(transport);
    kernel.receives = kernel.sends = 0;
    run_server();
    assert_int_equal(kernel.receives, 2);
    assert_int_equal(kernel.sends, 2);
    assert_int_equal(transport_stats(transport)->packets_in - before.packets_in, 100);
    assert_int_equal(transport_stats(transport)->packets_out - before.packets_out, 100);
    kernel.receives = kernel.sends = 0;
    run_server();
    assert_int_equal(kernel.receives, 1);
    assert_int_equal(kernel.sends, 0);
}

static void test_all_that_waits_is_drained_in_one_call(void **state)
{
    (void)state;
    const int raw = open_raw();
    for (int i = 0; i < 500; i++)
        send_raw(raw, "\0\1ping", 6);
    kernel.receives = 0;
    transport_receive(transport);
    assert_int_equal(transport_stats(transport)->packets_in, 500);
    assert_int_equal(transport_stats(transport)->bytes_in, 3000);
    assert_int_equal(kernel.receives, 8);
    close(raw);
}

static void test_acknowledgement_rides_with_the_answer(void **state)
{
    (void)state;
    connect_clients(1);
    say(&clients[0], 0, 0, 40);
    enet_host_flush(clients[0].host);
    const uint64_t before = transport_stats(transport)->packets_out;
    run_server();
    assert_int_equal(transport_stats(transport)->packets_out - before, 1);
    RUN_UNTIL(clients[0].messages[0] == 1);
}

static void test_resends_leave_with_receive(void **state)
{
    (void)state;
    connect_clients(1);
    tell(seen.last_peer, true, 0, 40);
    transport_flush(transport);
    const uint64_t before = transport_stats(transport)->packets_out;
    kernel.monotonic_ms += 4000;
    transport_receive(transport);
    assert_int_equal(transport_stats(transport)->packets_out - before, 1);
}

static void test_arrivals_are_not_announced_to_everybody(void **state)
{
    (void)state;
    connect_clients(2);
    kernel.monotonic_ms += 1100;
    const uint64_t before = transport_stats(transport)->bytes_out;
    transport_receive(transport);
    // A ping for each, and none of ENet's bandwidth limits.
    const size_t ping = sizeof(ENetProtocolHeader) + sizeof(ENetProtocolPing);
    assert_int_equal(transport_stats(transport)->bytes_out - before, 2 * ping);
}

static void test_failed_send_is_one_lost_datagram(void **state)
{
    (void)state;
    connect_clients(10);
    for (int fail_at = 0; fail_at < 10; fail_at += 3) {
        const uint64_t errors = transport_stats(transport)->send_errors;
        uint32_t arrived = 0;
        for (uint32_t peer = 0; peer < 10; peer++) {
            clients[peer].messages[1] = 0;
            tell(peer, false, (uint32_t)fail_at, 40);
        }
        kernel.fail_at = fail_at;
        transport_flush(transport);
        assert_int_equal(transport_stats(transport)->send_errors, errors + 1);
        run_clients();
        for (size_t i = 0; i < client_count; i++)
            arrived += clients[i].messages[1];
        assert_int_equal(arrived, 9);
    }
}

// --- Messages ---

static void test_hundred_clients_hear_their_echo_in_order(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    connect_clients(100);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < client_count; i++) {
            say(&clients[i], 0, round, (size_t)chance_int(4, 300));
            say(&clients[i], 1, round, (size_t)chance_int(4, 300));
        }
        run_clients();
        run_server();
    }
    for (size_t i = 0; i < client_count; i++)
        RUN_UNTIL(clients[i].messages[0] == ROUNDS && clients[i].messages[1] == ROUNDS);
    assert_int_equal(refused_in_all(), 0);
    assert_int_equal(transport_peers(transport), 100);

    uint64_t sent = 0, received = 0, bytes_sent = 0, bytes_received = 0;
    for (size_t i = 0; i < client_count; i++) {
        run_client(&clients[i]);
        sent += clients[i].host->totalSentPackets;
        bytes_sent += clients[i].host->totalSentData;
        received += clients[i].host->totalReceivedPackets;
        bytes_received += clients[i].host->totalReceivedData;
    }
    transport_receive(transport);
    const struct transport_stats *stats = transport_stats(transport);
    assert_int_equal(stats->packets_in, sent);
    assert_int_equal(stats->bytes_in, bytes_sent);
    assert_int_equal(stats->packets_out, received);
    assert_int_equal(stats->bytes_out, bytes_received);
    assert_int_equal(stats->send_errors, 0);
}

// The commands of an accepted datagram, one bit each.
static unsigned commands_in(const uint8_t *data, size_t size)
{
    unsigned commands = 0;
    for (size_t at = (data[0] & 0x80) != 0 ? 4 : 2; at < size;) {
        const unsigned number = data[at] & ENET_PROTOCOL_COMMAND_MASK;
        commands |= 1U << number;
        at += enet_protocol_command_size(data[at]);
        if (number == ENET_PROTOCOL_COMMAND_SEND_RELIABLE ||
            number == ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE ||
            number == ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED)
            at += (size_t)data[at - 2] << 8 | data[at - 1];
    }
    return commands;
}

static void test_every_datagram_of_a_real_client_is_accepted(void **state)
{
    (void)state;
    captured_count = 0;
    connect_clients(3);
    say(&clients[0], 0, 0, 900);
    say(&clients[0], 0, 1, TRANSPORT_MAX_MESSAGE);
    say(&clients[0], 1, 0, TRANSPORT_MAX_MESSAGE);
    enet_peer_throttle_configure(clients[0].peer, 5000, 32, 0);
    enet_peer_ping(clients[0].peer);
    ENetPacket *unsequenced = enet_packet_create("abcd", 4, ENET_PACKET_FLAG_UNSEQUENCED);
    assert_int_equal(enet_peer_send(clients[0].peer, 1, unsequenced), 0);
    RUN_UNTIL(clients[0].messages[0] == 2 && clients[0].messages[1] >= 1);
    enet_host_bandwidth_limit(clients[0].host, 100000, 100000);
    kernel.monotonic_ms += 2000;
    run_clients();
    run_server();
    enet_peer_disconnect(clients[0].peer, 1);
    enet_peer_disconnect_later(clients[1].peer, 1);
    enet_peer_disconnect_now(clients[2].peer, 1);
    struct client *hasty = add_client();
    enet_peer_disconnect_now(hasty->peer, 1);
    RUN_UNTIL(seen.disconnected == 3);
    assert_int_equal(refused_in_all(), 0);
    unsigned commands = 0;
    for (size_t i = 0; i < captured_count; i++) {
        assert_int_equal(datagram_check(captured[i].data, captured[i].size), DATAGRAM_OK);
        commands |= commands_in(captured[i].data, captured[i].size);
    }
    // Acknowledge, connect, disconnect, ping, three ways to send, bandwidth limit and throttle.
    assert_int_equal(commands, 0x0EF6);
}

static atomic_bool thread_may_end;

static void *run_threaded_client(void *argument)
{
    struct client *client = argument;
    while (!client->disconnected && !atomic_load(&thread_may_end))
        run_client(client);
    return NULL;
}

static void test_client_on_another_thread_is_left_alone(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_store(&thread_may_end, false);
    struct client *client = add_client();
    assert_int_equal(pthread_create(&thread, NULL, run_threaded_client, client), 0);
    const uint64_t deadline = monotonic_ms() + 10000;
    for (uint32_t number = 0; seen.disconnected == 0 && in_time(deadline); run_server()) {
        if (seen.connected > 0 && number < 200)
            tell(seen.last_peer, true, number++, 100);
        if (number == 200)
            transport_disconnect(transport, seen.last_peer, 5);
    }
    atomic_store(&thread_may_end, true);
    pthread_join(thread, NULL);
    assert_int_equal(seen.disconnected, 1);
    assert_int_equal(client->messages[0], 200);
    assert_int_equal(client->reason, 5);
}

static void test_longest_message_travels_in_one_datagram(void **state)
{
    (void)state;
    connect_clients(1);
    for (uint32_t i = 0; i < 2; i++) {
        // Before the first of these the peer has something to acknowledge as well.
        say(&clients[0], 0, i, 40);
        enet_host_flush(clients[0].host);
        transport_receive(transport);
        const uint64_t before = transport_stats(transport)->packets_out;
        tell(seen.last_peer, i == 0, i, TRANSPORT_MAX_MESSAGE);
        transport_flush(transport);
        assert_int_equal(transport_stats(transport)->packets_out - before, 1);
        run_client(&clients[0]);
        assert_int_equal(clients[0].largest, TRANSPORT_MAX_MESSAGE);
        assert_int_equal(clients[0].messages[i], 1);
        clients[0].largest = 0;
        struct transport_event event;
        while (transport_poll(transport, &event)) {
        }
    }
    assert_in_range(kernel.largest_sent, TRANSPORT_MAX_MESSAGE, TRANSPORT_MTU);
}

static void test_small_messages_share_datagrams_within_the_mtu(void **state)
{
    (void)state;
    connect_clients(1);
    kernel.largest_sent = 0;
    for (uint32_t i = 0; i < 20; i++) {
        tell(seen.last_peer, i < 10, i % 10, 300);
        say(&clients[0], i < 10 ? 0 : 1, i % 10, 300);
    }
    RUN_UNTIL(clients[0].messages[0] >= 10 && clients[0].messages[1] >= 10);
    assert_in_range(kernel.largest_sent, 900, TRANSPORT_MTU);
    assert_int_equal(refused_in_all(), 0);
}

static void test_client_cannot_raise_the_mtu(void **state)
{
    (void)state;
    struct client *client = add_client();
    client->host->mtu = ENET_PROTOCOL_MAXIMUM_MTU;
    enet_peer_reset(client->peer);
    const ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = transport_port(transport)};
    client->peer = enet_host_connect(client->host, &address, 2, 0);
    assert_int_equal(client->peer->mtu, ENET_PROTOCOL_MAXIMUM_MTU);
    RUN_UNTIL(client->connected && seen.connected == 1);
    assert_int_equal(client->peer->mtu, TRANSPORT_MTU);
    for (uint32_t i = 0; i < 20; i++)
        tell(seen.last_peer, true, i, 1000);
    RUN_UNTIL(client->messages[0] == 20);
    assert_in_range(kernel.largest_sent, 1000, TRANSPORT_MTU);
}

static void test_client_cannot_throttle_what_it_is_sent(void **state)
{
    (void)state;
    connect_slowly(40);
    struct client *client = &clients[0];
    enet_peer_throttle_configure(client->peer, 100000, 0, 32);
    // Round trips that grow look like congestion.
    for (uint32_t i = 0; i < 10; i++) {
        tell(seen.last_peer, true, i, 8);
        run_server();
        run_client(client);
        kernel.monotonic_ms += 100 + 50 * i;
        RUN_UNTIL(client->messages[0] == i + 1);
    }
    for (uint32_t i = 0; i < 200; i++) {
        tell(seen.last_peer, false, i, 100);
        run_server();
        run_client(client);
    }
    assert_int_equal(client->messages[1], 200);
}

static void test_small_mtu_does_not_make_snapshots_reliable(void **state)
{
    (void)state;
    struct client *client = add_client();
    client->host->mtu = ENET_PROTOCOL_MINIMUM_MTU;
    enet_peer_reset(client->peer);
    const ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = transport_port(transport)};
    client->peer = enet_host_connect(client->host, &address, 2, 0);
    RUN_UNTIL(client->connected && seen.connected == 1);
    for (uint32_t i = 0; i < 200; i++) {
        tell(seen.last_peer, false, i, TRANSPORT_MAX_MESSAGE);
        transport_flush(transport);
    }
    // Sent is forgotten: none of the 230 kB waits to be acknowledged.
    tell(seen.last_peer, true, 0, 40);
    assert_int_equal(transport_stats(transport)->overflows, 0);
    RUN_UNTIL(client->messages[0] == 1);
    assert_true(client->messages[1] > 0);
}

// --- Coming and going ---

static void test_disconnect_reason_reaches_the_client_behind_the_last_message(void **state)
{
    (void)state;
    connect_clients(1);
    tell(seen.last_peer, true, 0, 100);
    transport_disconnect(transport, seen.last_peer, 42);
    tell(seen.last_peer, true, 1, 100); // too late, and silently so
    RUN_UNTIL(clients[0].disconnected && seen.disconnected == 1);
    assert_int_equal(clients[0].messages[0], 1);
    assert_int_equal(clients[0].reason, 42);
    assert_int_equal(transport_peers(transport), 0);
}

static void test_leaving_is_told_once(void **state)
{
    (void)state;
    connect_clients(2);
    enet_peer_disconnect(clients[0].peer, 0);
    enet_peer_disconnect_now(clients[1].peer, 0);
    RUN_UNTIL(seen.disconnected == 2 && clients[0].disconnected);
    tell(0, true, 0, 10);
    tell(1, false, 0, 10);
    tell(77, true, 0, 10);
    for (int i = 0; i < 10; i++)
        run_server();
    assert_int_equal(seen.disconnected, 2);
    assert_int_equal(transport_peers(transport), 0);
}

static void test_who_came_and_left_unseen_is_never_told(void **state)
{
    (void)state;
    struct client *client = add_client();
    const uint64_t deadline = monotonic_ms() + 10000;
    while (!client->connected) {
        assert_true(in_time(deadline));
        run_client(client);
        transport_receive(transport);
        transport_flush(transport);
    }
    run_client(client);
    transport_receive(transport);
    enet_peer_disconnect_now(client->peer, 0);
    transport_receive(transport);
    poll_and_echo();
    assert_int_equal(seen.connected, 0);
    assert_int_equal(seen.disconnected, 0);
    assert_int_equal(transport_peers(transport), 0);
}

static void test_peer_that_never_acknowledges_is_dropped_at_the_cap(void **state)
{
    (void)state;
    transport_close(transport);
    open_transport(1);
    connect_clients(1);
    uint32_t told = 0;
    while (transport_stats(transport)->overflows == 0 && told < 1000) {
        tell(0, true, told++, 1000);
        transport_flush(transport);
    }
    assert_int_equal(told, TRANSPORT_MAX_QUEUED / 1000 + 1);
    assert_int_equal(transport_stats(transport)->overflows, 1);
    tell(0, true, told, 1000);
    tell(0, false, told, 1000);
    assert_int_equal(transport_stats(transport)->overflows, 1);

    // The place is free for the next, who comes behind the news of the first.
    seen.connected = 0;
    struct client *next = add_client();
    const uint64_t deadline = monotonic_ms() + 10000;
    while (!next->connected && in_time(deadline)) {
        run_client(next);
        transport_receive(transport);
        transport_flush(transport);
    }
    run_client(next);
    transport_receive(transport);
    struct transport_event event;
    assert_true(transport_poll(transport, &event));
    assert_int_equal(event.kind, TRANSPORT_DISCONNECTED);
    assert_int_equal(event.peer, 0);
    assert_int_equal(transport_peers(transport), 0);
    assert_true(transport_poll(transport, &event));
    assert_int_equal(event.kind, TRANSPORT_CONNECTED);
    assert_int_equal(event.peer, 0);
    tell(0, true, 0, 1000);
    RUN_UNTIL(next->messages[0] == 1);
}

static void test_acknowledged_bytes_do_not_count_towards_the_cap(void **state)
{
    (void)state;
    connect_clients(1);
    for (uint32_t i = 0; i < 300; i++) {
        tell(seen.last_peer, true, i, 1000);
        RUN_UNTIL(clients[0].messages[0] == i + 1);
    }
    assert_int_equal(transport_stats(transport)->overflows, 0);
    assert_true(transport_ping_ms(transport, seen.last_peer) < 500);
}

// --- Enemies ---

static void expect_refusal(int raw, const void *data, size_t size, enum datagram_verdict verdict)
{
    const struct transport_stats before = *transport_stats(transport);
    send_raw(raw, data, size);
    run_server();
    const struct transport_stats *after = transport_stats(transport);
    assert_int_equal(after->refused[verdict], before.refused[verdict] + 1);
    assert_int_equal(after->packets_in, before.packets_in + 1);
    assert_int_equal(after->bytes_in, before.bytes_in + size);
    assert_int_equal(after->packets_out, before.packets_out);
}

static void test_bad_datagrams_are_refused_by_reason(void **state)
{
    (void)state;
    static uint8_t huge[65507];
    const uint8_t fragment[4 + 24 + 4] = {0x80, 0, 0, 0, 0x88, 0, 0, 1, 0, 1, 0, 4, 0, 0x10};
    const uint8_t compressed[] = {0xC0, 0, 0, 0, 1, 2, 3, 4};
    const int raw = open_raw();
    expect_refusal(raw, huge, TRANSPORT_MTU + 1, DATAGRAM_OVERSIZE);
    expect_refusal(raw, huge, 4097, DATAGRAM_OVERSIZE);
    expect_refusal(raw, huge, sizeof huge, DATAGRAM_OVERSIZE);
    expect_refusal(raw, "", 0, DATAGRAM_MALFORMED);
    expect_refusal(raw, "x", 1, DATAGRAM_MALFORMED);
    expect_refusal(raw, "\xFF\xFF\xFF\xFFgetinfo", 11, DATAGRAM_CONNECTIONLESS);
    expect_refusal(raw, fragment, sizeof fragment, DATAGRAM_FRAGMENT);
    expect_refusal(raw, compressed, sizeof compressed, DATAGRAM_COMPRESSED);
    close(raw);
}

// Something captured with a few bytes changed, or plain noise.
static size_t make_garbage(uint8_t *data)
{
    if (chance_int(0, 3) == 0) {
        const size_t size = (size_t)chance_int(0, chance_int(0, 20) == 0 ? 5000 : 200);
        for (size_t i = 0; i < size; i++)
            data[i] = (uint8_t)chance_int(0, 255);
        return size;
    }
    const size_t which = (size_t)chance_int(0, (int)captured_count - 1);
    memcpy(data, captured[which].data, captured[which].size);
    for (int wrong = chance_int(0, 4); wrong > 0 && captured[which].size > 0; wrong--)
        data[chance_int(0, (int)captured[which].size - 1)] = (uint8_t)chance_int(0, 255);
    return captured[which].size;
}

static void test_garbage_does_not_disturb_an_honest_client(void **state)
{
    (void)state;
    captured_count = 0;
    connect_clients(3);
    for (uint32_t i = 0; i < 20; i++) {
        say(&clients[i % 3], i % 2 == 0 ? 0 : 1, clients[i % 3].next[i % 2], 60);
        run_clients();
        run_server();
    }
    const size_t kept = captured_count;
    const int raw = open_raw();
    uint8_t data[5000];
    for (uint32_t round = 0; round < 400; round++) {
        const uint32_t heard = clients[0].messages[0];
        captured_count = kept;
        for (int i = 0; i < 10; i++)
            send_raw(raw, data, make_garbage(data));
        say(&clients[0], 0, clients[0].next[0], 60);
        RUN_UNTIL(clients[0].messages[0] == heard + 1);
    }
    assert_true(refused_in_all() > 1000);
    assert_false(clients[0].disconnected || clients[1].disconnected || clients[2].disconnected);
    close(raw);
}

// --- Opening, and memory ---

static void test_port_in_use_is_told(void **state)
{
    (void)state;
    char error[200], wanted[200];
    const uint16_t port = transport_port(transport);
    assert_int_not_equal(port, 0);
    assert_null(transport_open("127.0.0.1", port, 4, error, sizeof error));
    snprintf(wanted, sizeof wanted, "cannot bind udp 127.0.0.1:%u: Address already in use", port);
    assert_string_equal(error, wanted);
}

static void test_address_must_be_dotted(void **state)
{
    (void)state;
    char error[200];
    assert_null(transport_open("localhost", 7246, 4, error, sizeof error));
    assert_string_equal(error, "cannot bind udp localhost:7246: not a dotted IPv4 address");
    assert_null(transport_open("::1", 7246, 4, error, sizeof error));
    assert_null(transport_open("", 7246, 4, error, sizeof error));
    assert_null(transport_open("127.1", 7246, 4, error, sizeof error));
    assert_null(transport_open("192.0.2.1", 0, 4, error, sizeof error));
    assert_string_equal(error, "cannot bind udp 192.0.2.1:0: Cannot assign requested address");
}

static int allocations_until_failure = -1; // -1: never

static void *failing_malloc(size_t size)
{
    if (allocations_until_failure == 0)
        return NULL;
    if (allocations_until_failure > 0)
        allocations_until_failure--;
    return malloc(size);
}

static void test_no_memory_costs_messages_and_not_the_server(void **state)
{
    (void)state;
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
        tell((uint32_t)left % 4, false, (uint32_t)left, 100);
        transport_flush(transport);
        allocations_until_failure = -1;
    }
    allocations_until_failure = 0;
    tell(2, true, 0, 100);
    char error[200];
    assert_null(transport_open("127.0.0.1", 0, 4, error, sizeof error));
    assert_string_equal(error, "cannot bind udp 127.0.0.1:0: Cannot allocate memory");
    allocations_until_failure = -1;
    // A reliable message that could not be kept ends the connection: it would leave a hole.
    assert_int_equal(transport_stats(transport)->overflows, 1);
    seen.connected = 0;
    struct client *late = add_client();
    RUN_UNTIL(late->connected);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_clock_is_monotonic_milliseconds_and_never_zero),
        TEST(test_wall_clock_step_disconnects_nobody),
        TEST(test_silent_peer_times_out_however_slow_its_line),
        TEST(test_datagrams_move_in_batches),
        TEST(test_all_that_waits_is_drained_in_one_call),
        TEST(test_acknowledgement_rides_with_the_answer),
        TEST(test_resends_leave_with_receive),
        TEST(test_arrivals_are_not_announced_to_everybody),
        TEST(test_failed_send_is_one_lost_datagram),
        TEST(test_hundred_clients_hear_their_echo_in_order),
        TEST(test_every_datagram_of_a_real_client_is_accepted),
        TEST(test_client_on_another_thread_is_left_alone),
        TEST(test_longest_message_travels_in_one_datagram),
        TEST(test_small_messages_share_datagrams_within_the_mtu),
        TEST(test_client_cannot_raise_the_mtu),
        TEST(test_client_cannot_throttle_what_it_is_sent),
        TEST(test_small_mtu_does_not_make_snapshots_reliable),
        TEST(test_disconnect_reason_reaches_the_client_behind_the_last_message),
        TEST(test_leaving_is_told_once),
        TEST(test_who_came_and_left_unseen_is_never_told),
        TEST(test_peer_that_never_acknowledges_is_dropped_at_the_cap),
        TEST(test_acknowledged_bytes_do_not_count_towards_the_cap),
        TEST(test_bad_datagrams_are_refused_by_reason),
        TEST(test_garbage_does_not_disturb_an_honest_client),
        TEST(test_port_in_use_is_told),
        TEST(test_address_must_be_dotted),
        TEST(test_no_memory_costs_messages_and_not_the_server),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
