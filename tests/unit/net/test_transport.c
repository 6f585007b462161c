// SPDX-License-Identifier: MIT
// The transport against libenet's own clients over loopback, and against hostile datagrams.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "transport_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

TEST_EACH(set_up, tear_down)

// --- The clock ---

TEST(enet_counts_monotonic_milliseconds)
{
    connect_clients(1);
    for (int i = 0; i < 4; i++) {
        kernel.wall_ms = i * 31000;
        kernel.monotonic_ms += 7;
        const uint32_t before = (uint32_t)monotonic_ms();
        run_server();
        const uint32_t after = enet_time_get() - before + 1;
        assert_in_range(after, 0, (uint32_t)monotonic_ms() - before + 2);
    }
}

TEST(wall_clock_step_disconnects_no_peer)
{
    connect_clients(1);
    send_to_peer(seen.last_peer, true, 0, 8);
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

TEST(silent_peer_times_out_however_slow_its_line)
{
    connect_slowly(200);
    connect_slowly(200);
    const uint64_t start = monotonic_ms();
    const uint32_t silent = 1;
    send_to_peer(0, true, 0, 8);
    send_to_peer(silent, true, 0, 8);
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

TEST(datagrams_move_in_batches)
{
    connect_clients(100);
    for (size_t i = 0; i < client_count; i++) {
        say(&clients[i], 1, 0, 40);
        enet_host_flush(clients[i].host);
    }
    const struct transport_stats before = *transport_stats(transport);
    kernel.receives = kernel.sends = 0;
    run_server();
    assert_int_equal(kernel.receives, 7); // of 16 datagrams each
    assert_int_equal(kernel.sends, 7);
    assert_int_equal(transport_stats(transport)->packets_in - before.packets_in, 100);
    assert_int_equal(transport_stats(transport)->packets_out - before.packets_out, 100);
    kernel.receives = kernel.sends = 0;
    run_server();
    assert_int_equal(kernel.receives, 1);
    assert_int_equal(kernel.sends, 0);
}

TEST(all_that_waits_is_drained_in_one_call)
{
    const int raw = open_raw();
    for (int i = 0; i < 500; i++)
        send_raw(raw, "\0\1ping", 6);
    kernel.receives = 0;
    receive_all();
    assert_int_equal(transport_stats(transport)->packets_in, 500);
    assert_int_equal(transport_stats(transport)->bytes_in, 3000);
    assert_int_equal(kernel.receives, 32);
}

TEST(acknowledgement_rides_with_the_answer)
{
    connect_clients(1);
    say(&clients[0], 0, 0, 40);
    enet_host_flush(clients[0].host);
    const uint64_t before = transport_stats(transport)->packets_out;
    run_server();
    assert_int_equal(transport_stats(transport)->packets_out - before, 1);
    RUN_UNTIL(clients[0].messages[0] == 1);
}

TEST(resends_leave_with_receive)
{
    connect_clients(1);
    send_to_peer(seen.last_peer, true, 0, 40);
    transport_flush(transport);
    const uint64_t before = transport_stats(transport)->packets_out;
    kernel.monotonic_ms += 4000;
    receive_all();
    assert_int_equal(transport_stats(transport)->packets_out - before, 1);
}

TEST(arrivals_are_not_announced_to_everybody)
{
    connect_clients(2);
    kernel.monotonic_ms += 1100;
    const uint64_t before = transport_stats(transport)->bytes_out;
    receive_all();
    // A ping for each, and none of ENet's bandwidth limits.
    const size_t ping = sizeof(ENetProtocolHeader) + sizeof(ENetProtocolPing);
    assert_int_equal(transport_stats(transport)->bytes_out - before, 2 * ping);
}

TEST(failed_send_is_one_lost_datagram)
{
    connect_clients(10);
    for (int fail_at = 0; fail_at < 10; fail_at += 3) {
        const uint64_t errors = transport_stats(transport)->send_errors;
        uint32_t arrived = 0;
        for (uint32_t peer = 0; peer < 10; peer++) {
            clients[peer].messages[1] = 0;
            send_to_peer(peer, false, (uint32_t)fail_at, 40);
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

TEST(hundred_clients_receive_their_echo_in_order)
{
    enum { ROUNDS = 20 };
    connect_clients(100);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < client_count; i++) {
            say(&clients[i], 0, round, (size_t)chance_int(4, 300));
            say(&clients[i], 1, round, (size_t)chance_int(4, 300));
        }
        run(1);
    }
    for (size_t i = 0; i < client_count; i++)
        RUN_UNTIL(clients[i].messages[0] == ROUNDS && clients[i].messages[1] == ROUNDS);
    assert_int_equal(rejections_in_all(), 0);
    assert_int_equal(transport_peers(transport), 100);

    uint64_t sent = 0, received = 0, bytes_sent = 0, bytes_received = 0;
    for (size_t i = 0; i < client_count; i++) {
        run_client(&clients[i]);
        sent += clients[i].host->totalSentPackets;
        bytes_sent += clients[i].host->totalSentData;
        received += clients[i].host->totalReceivedPackets;
        bytes_received += clients[i].host->totalReceivedData;
    }
    receive_all();
    const struct transport_stats *stats = transport_stats(transport);
    assert_int_equal(stats->packets_in, sent);
    assert_int_equal(stats->bytes_in, bytes_sent);
    assert_int_equal(stats->packets_out, received);
    assert_int_equal(stats->bytes_out, bytes_received);
    assert_int_equal(stats->send_errors, 0);
}

TEST(message_beside_the_last_acknowledgement_is_taken)
{
    struct client *client = add_client();
    run_client(client);
    run_server();
    ENetEvent event;
    assert_int_equal(enet_host_service(client->host, &event, 0), 1);
    assert_int_equal(event.type, ENET_EVENT_TYPE_CONNECT);
    say(client, 0, 0, 40);
    enet_host_flush(client->host);
    run_server();
    assert_int_equal(seen.connected, 1);
    assert_int_equal(seen.messages, 1);
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

TEST(every_datagram_of_a_real_client_is_accepted)
{
    captured_count = 0;
    connect_clients(3);
    say(&clients[0], 0, 0, 900);
    say(&clients[0], 0, 1, RAIM_MAX_MESSAGE_BYTES);
    say(&clients[0], 1, 0, RAIM_MAX_MESSAGE_BYTES);
    enet_peer_throttle_configure(clients[0].peer, 5000, 32, 0);
    enet_peer_ping(clients[0].peer);
    ENetPacket *unsequenced = enet_packet_create("abcd", 4, ENET_PACKET_FLAG_UNSEQUENCED);
    assert_int_equal(enet_peer_send(clients[0].peer, 1, unsequenced), 0);
    RUN_UNTIL(clients[0].messages[0] == 2 && clients[0].messages[1] >= 1);
    enet_host_bandwidth_limit(clients[0].host, 100000, 100000);
    kernel.monotonic_ms += 2000;
    run(1);
    enet_peer_disconnect(clients[0].peer, 1);
    enet_peer_disconnect_later(clients[1].peer, 1);
    enet_peer_disconnect_now(clients[2].peer, 1);
    struct client *hasty = add_client();
    enet_peer_disconnect_now(hasty->peer, 1);
    RUN_UNTIL(seen.disconnected == 3);
    // So soon after the last message, the DISCONNECT may be forged.
    assert_int_equal(rejections_in_all(),
                     transport_stats(transport)->rejected[DATAGRAM_DISCONNECT]);
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

TEST(client_on_another_thread_is_left_alone)
{
    pthread_t thread;
    atomic_store(&thread_may_end, false);
    struct client *client = add_client();
    assert_int_equal(pthread_create(&thread, NULL, run_threaded_client, client), 0);
    const uint64_t deadline = true_ms() + 10000;
    for (uint32_t number = 0; seen.disconnected == 0 && in_time(deadline); run_server()) {
        if (seen.connected > 0 && number < 200)
            send_to_peer(seen.last_peer, true, number++, 100);
        if (number == 200)
            transport_disconnect(transport, seen.last_peer, 5);
    }
    atomic_store(&thread_may_end, true);
    pthread_join(thread, NULL);
    assert_int_equal(seen.disconnected, 1);
    assert_int_equal(client->messages[0], 200);
    assert_int_equal(client->reason, 5);
}

TEST(longest_message_travels_in_one_datagram)
{
    connect_clients(1);
    for (uint32_t i = 0; i < 2; i++) {
        // Before the first of these the peer has something to acknowledge as well.
        say(&clients[0], 0, i, 40);
        enet_host_flush(clients[0].host);
        struct transport_event event;
        transport_receive(transport);
        while (transport_poll(transport, &event)) {
        }
        const uint64_t before = transport_stats(transport)->packets_out;
        send_to_peer(seen.last_peer, i == 0, i, RAIM_MAX_MESSAGE_BYTES);
        transport_flush(transport);
        assert_int_equal(transport_stats(transport)->packets_out - before, 1);
        run_client(&clients[0]);
        assert_int_equal(clients[0].largest, RAIM_MAX_MESSAGE_BYTES);
        assert_int_equal(clients[0].messages[i], 1);
        clients[0].largest = 0;
    }
    assert_in_range(kernel.largest_sent, RAIM_MAX_MESSAGE_BYTES, RAIM_MAX_DATAGRAM_BYTES);
}

TEST(small_messages_share_datagrams_within_the_mtu)
{
    connect_clients(1);
    kernel.largest_sent = 0;
    for (uint32_t i = 0; i < 20; i++)
        say(&clients[0], i < 10 ? 0 : 1, i % 10, 300);
    RUN_UNTIL(clients[0].messages[0] == 10 && clients[0].messages[1] == 10);
    assert_in_range(kernel.largest_sent, 900, RAIM_MAX_DATAGRAM_BYTES);
    assert_int_equal(rejections_in_all(), 0);
}

static void connect_with_mtu(uint32_t mtu)
{
    const uint32_t before = seen.connected;
    struct client *client = add_client();
    client->host->mtu = mtu;
    enet_peer_reset(client->peer);
    const ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = transport_port(transport)};
    client->peer = enet_host_connect(client->host, &address, 2, 0);
    assert_int_equal(client->peer->mtu, mtu);
    RUN_UNTIL(client->connected && seen.connected == before + 1);
}

TEST(client_cannot_raise_the_mtu)
{
    connect_with_mtu(ENET_PROTOCOL_MAXIMUM_MTU);
    assert_int_equal(clients[0].peer->mtu, RAIM_MAX_DATAGRAM_BYTES);
    for (uint32_t i = 0; i < 20; i++)
        send_to_peer(seen.last_peer, true, i, 1000);
    RUN_UNTIL(clients[0].messages[0] == 20);
    assert_in_range(kernel.largest_sent, 1000, RAIM_MAX_DATAGRAM_BYTES);
}

TEST(client_that_asks_for_small_datagrams_gets_no_larger_ones)
{
    connect_with_mtu(RAIM_SMALL_DATAGRAM_BYTES);
    assert_int_equal(clients[0].peer->mtu, RAIM_SMALL_DATAGRAM_BYTES);
    assert_int_equal(transport_message_bytes(transport, seen.last_peer), RAIM_SMALL_MESSAGE_BYTES);
    const uint64_t before = transport_stats(transport)->packets_out;
    kernel.largest_sent = 0;
    for (uint32_t i = 0; i < 10; i++)
        send_to_peer(seen.last_peer, true, i, 100 * (i + 1));
    for (uint32_t i = 0; i < 10; i++)
        send_to_peer(seen.last_peer, i % 2 == 0, i % 2 == 0 ? 10 + i / 2 : i / 2,
                     RAIM_SMALL_MESSAGE_BYTES);
    RUN_UNTIL(clients[0].messages[0] == 15 && clients[0].messages[1] == 5);
    assert_in_range(kernel.largest_sent, RAIM_SMALL_MESSAGE_BYTES, RAIM_SMALL_DATAGRAM_BYTES);
    assert_in_range(transport_stats(transport)->packets_out - before, 10, 40);
}

TEST(client_cannot_have_its_snapshots_in_fragments)
{
    connect_with_mtu(ENET_PROTOCOL_MINIMUM_MTU);
    assert_int_equal(clients[0].peer->mtu, ENET_PROTOCOL_MINIMUM_MTU);
    const uint64_t before = transport_stats(transport)->packets_out;
    send_to_peer(seen.last_peer, false, 0, RAIM_SMALL_MESSAGE_BYTES);
    transport_flush(transport);
    assert_int_equal(transport_stats(transport)->packets_out - before, 1);
    RUN_UNTIL(clients[0].messages[1] == 1);
}

TEST(client_cannot_throttle_the_server)
{
    connect_slowly(40);
    struct client *client = &clients[0];
    enet_peer_throttle_configure(client->peer, 100000, 0, 32);
    // ENet takes growing round trips for congestion.
    for (uint32_t i = 0; i < 10; i++) {
        send_to_peer(seen.last_peer, true, i, 8);
        run_server();
        run_client(client);
        kernel.monotonic_ms += 100 + 50 * i;
        RUN_UNTIL(client->messages[0] == i + 1);
    }
    for (uint32_t i = 0; i < 200; i++) {
        send_to_peer(seen.last_peer, false, i, 100);
        run_server();
        run_client(client);
    }
    assert_int_equal(client->messages[1], 200);
}

// --- Opening ---

TEST(port_in_use_is_reported)
{
    char error[200], wanted[200];
    const uint16_t port = transport_port(transport);
    assert_int_not_equal(port, 0);
    assert_null(transport_open("127.0.0.1", port, 4, error, sizeof error));
    snprintf(wanted, sizeof wanted, "cannot bind udp 127.0.0.1:%u: Address already in use", port);
    assert_string_equal(error, wanted);
}

TEST(a_socket_that_is_bound_already_is_served)
{
    char error[200];
    const int bound = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    assert_int_equal(bind(bound, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(bound, (struct sockaddr *)&address, &size), 0);
    transport_close(transport);
    transport = transport_adopt(bound, 4, error, sizeof error);
    assert_non_null(transport);
    assert_int_equal(transport_port(transport), ntohs(address.sin_port));
    // The transport makes an adopted socket non-blocking.
    assert_true((fcntl(bound, F_GETFL) & O_NONBLOCK) != 0);
    connect_clients(1);
    assert_int_equal(transport_peers(transport), 1);
}

TEST(other_descriptors_are_rejected_and_closed)
{
    char error[200];
    const int file = open("/dev/null", O_RDONLY);
    assert_null(transport_adopt(file, 4, error, sizeof error));
    assert_string_equal(error, "cannot use the passed socket: Socket operation on non-socket");
    assert_int_equal(fcntl(file, F_GETFD), -1);
}

TEST(address_must_be_a_number)
{
    char error[200];
    assert_null(transport_open("localhost", 7246, 4, error, sizeof error));
    assert_string_equal(error, "cannot bind udp localhost port 7246: not an IPv4 or IPv6 address");
    assert_null(transport_open("::ffff:127.0.0.1", 7246, 4, error, sizeof error));
    assert_null(transport_open("[::1", 7246, 4, error, sizeof error));
    assert_null(transport_open("fe80::1", 7246, 4, error, sizeof error));
    assert_null(transport_open("::1%lo", 7246, 4, error, sizeof error));
    assert_null(transport_open("", 7246, 4, error, sizeof error));
    assert_null(transport_open("127.1", 7246, 4, error, sizeof error));
    assert_null(transport_open("192.0.2.1", 0, 4, error, sizeof error));
    assert_string_equal(error, "cannot bind udp 192.0.2.1:0: Cannot assign requested address");
}
