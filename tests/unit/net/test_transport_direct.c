// SPDX-License-Identifier: MIT
// Unreliable messages that the transport reads and writes itself, against ENet as the reference.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "transport_fixture.h"

#include "transport_internal.h"

#include <assert.h>

TEST_EACH(set_up, tear_down)

enum { MESSAGE_BYTES = 40, PING_BYTES = 4, MESSAGE_HEADER = 10, SENT_TIME = 2 };

static ENetPeer *enet_peer_of(uint32_t peer)
{
    return &transport->host->peers[peer];
}

static uint64_t packets_out(void)
{
    return transport_stats(transport)->packets_out;
}

// --- Without ENet ---

TEST(messages_alone_do_not_reach_enet)
{
    connect_clients(10);
    for (size_t i = 0; i < client_count; i++) {
        say(&clients[i], 1, 0, MESSAGE_BYTES);
        enet_host_flush(clients[i].host);
    }
    const uint64_t before = packets_out();
    const uint64_t fills = transport->queue.fills;
    transport->host->totalSentPackets = 0;
    run_server();
    assert_int_equal(packets_out() - before, client_count);
    assert_int_equal(transport->queue.fills, fills);
    assert_int_equal(transport->host->totalSentPackets, 0);
    RUN_UNTIL(clients[0].messages[1] == 1 && clients[9].messages[1] == 1);
}

TEST(an_idle_transport_leaves_enet_alone)
{
    kernel.stopped_ms = (int64_t)monotonic_ms();
    receive_all();
    const int64_t serviced_ms = transport->serviced_ms;
    kernel.receives = kernel.sends = 0;
    for (int i = 0; i < 3; i++) {
        kernel.monotonic_ms += 10;
        run_server();
    }
    assert_int_equal(transport->serviced_ms, serviced_ms);
    assert_int_equal(kernel.receives, 3);
    assert_int_equal(kernel.sends, 0);
    kernel.monotonic_ms += 100;
    run_server();
    assert_true(transport->serviced_ms > serviced_ms);
}

TEST(a_ping_shares_the_datagram_of_a_message)
{
    kernel.stopped_ms = (int64_t)monotonic_ms();
    connect_clients(1);
    kernel.monotonic_ms += 260;
    receive_all();
    const uint64_t before = packets_out(), bytes = transport_stats(transport)->bytes_out;
    send_to_peer(0, false, 0, MESSAGE_BYTES);
    transport_flush(transport);
    receive_all();
    assert_int_equal(packets_out() - before, 1);
    assert_int_equal(transport_stats(transport)->bytes_out - bytes,
                     MESSAGE_HEADER + MESSAGE_BYTES + SENT_TIME + PING_BYTES);
    RUN_UNTIL(clients[0].messages[1] == 1 && transport_rtt_ms(transport, 0) != UINT32_MAX);
}

TEST(a_message_shares_the_datagram_of_a_reliable_one)
{
    connect_clients(1);
    const uint64_t before = packets_out();
    send_to_peer(0, true, 0, MESSAGE_BYTES);
    send_to_peer(0, false, 0, MESSAGE_BYTES);
    transport_flush(transport);
    assert_int_equal(packets_out() - before, 1);
    RUN_UNTIL(clients[0].messages[0] == 1 && clients[0].messages[1] == 1);
}

TEST(more_datagrams_than_the_queue_holds_are_read_in_one_receive)
{
    enum { EACH = 4, LARGE = 1000 };
    connect_clients(MAX_CLIENTS);
    static_assert(MAX_CLIENTS * EACH > ENET_QUEUE_DATAGRAMS, "more than the queue holds");
    static_assert(MAX_CLIENTS * LARGE > ENET_QUEUE_BYTES, "more than the queue holds");
    for (uint32_t number = 0; number < EACH; number++)
        for (size_t i = 0; i < client_count; i++) {
            say(&clients[i], 0, number, number == 0 ? LARGE : MESSAGE_BYTES);
            enet_host_flush(clients[i].host);
        }
    receive_all();
    assert_int_equal(seen.messages, MAX_CLIENTS * EACH);
}

// --- Sequence numbers ---

// Lets both ends of a direction of the unreliable channel continue from these numbers.
static void set_sequence(ENetPeer *from, ENetPeer *to, uint16_t reliable, uint16_t unreliable)
{
    ENetChannel *out = &from->channels[1], *in = &to->channels[1];
    out->outgoingReliableSequenceNumber = in->incomingReliableSequenceNumber = reliable;
    out->outgoingUnreliableSequenceNumber = in->incomingUnreliableSequenceNumber = unreliable;
}

TEST(sequence_numbers_wrap)
{
    enum { MESSAGES = 300 };
    static const uint16_t reliable[] = {0, 0x0FFF, UINT16_MAX};
    connect_clients(1);
    uint32_t number = 0;
    for (size_t i = 0; i < sizeof reliable / sizeof reliable[0]; i++) {
        ENetPeer *peer = enet_peer_of(0);
        set_sequence(clients[0].peer, peer, reliable[i], UINT16_MAX - MESSAGES / 2);
        set_sequence(peer, clients[0].peer, reliable[i], UINT16_MAX - MESSAGES / 3);
        const uint32_t before = seen.messages;
        const uint32_t echoed = clients[0].messages[1];
        for (int message = 0; message < MESSAGES; message++) {
            say(&clients[0], 1, number++, MESSAGE_BYTES);
            run_client(&clients[0]);
            run_server();
        }
        RUN_UNTIL(clients[0].messages[1] == echoed + MESSAGES);
        assert_int_equal(seen.messages, before + MESSAGES);
        // One message in either direction was reliable and renewed the sequence.
        const ENetChannel *channel = &peer->channels[1];
        assert_int_equal(channel->outgoingReliableSequenceNumber, (uint16_t)(reliable[i] + 1));
        assert_int_equal(channel->incomingReliableSequenceNumber, (uint16_t)(reliable[i] + 1));
        assert_in_range(channel->outgoingUnreliableSequenceNumber, 1, MESSAGES);
        assert_int_equal(transport_peers(transport), 1);
    }
}

// --- The same datagrams to ENet ---

// A datagram of random commands in a client's name.
struct draft {
    size_t size; // of the commands
    bool has_reliable;
    uint8_t commands[600];
};

// Numbers of the client's next commands.
struct sequences {
    uint16_t reliable[2], unreliable;
};

static void add(struct draft *draft, unsigned command, unsigned channel, unsigned sequence)
{
    const uint8_t header[] = {(uint8_t)command, (uint8_t)channel, (uint8_t)(sequence >> 8),
                              (uint8_t)sequence};
    memcpy(draft->commands + draft->size, header, sizeof header);
    draft->size += sizeof header;
    draft->has_reliable |= (command & ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE) != 0;
}

static void add_16(struct draft *draft, unsigned value)
{
    draft->commands[draft->size++] = (uint8_t)(value >> 8);
    draft->commands[draft->size++] = (uint8_t)value;
}

static void add_message(struct draft *draft)
{
    const int size = chance_int(1, 12);
    add_16(draft, (unsigned)size);
    for (int i = 0; i < size; i++)
        draft->commands[draft->size++] = (uint8_t)chance_int(0, 255);
}

// Adds a command that an honest client could send next, or, of a liar, any numbers near those.
static void add_command(struct draft *draft, struct sequences *next, bool is_liar)
{
    const int kind = chance_int(0, 19);
    if (kind == 0) {
        add(draft, 0x85, 0xFF, (unsigned)chance_int(0, 0xFFFF)); // a ping
    } else if (kind <= 3) {
        const int channel = kind == 1;
        unsigned sequence = ++next->reliable[channel];
        if (channel == 1)
            next->unreliable = 0;
        if (is_liar && chance_int(0, 3) == 0)
            sequence += (unsigned)chance_int(-3, 70);
        add(draft, 0x86, (unsigned)channel, sequence);
        add_message(draft);
    } else if (kind == 4) {
        add(draft, 0x49, 1, 0); // unsequenced
        add_16(draft, (unsigned)chance_int(1, 0xFFFF));
        add_message(draft);
    } else {
        unsigned reliable = next->reliable[1], unreliable = ++next->unreliable;
        if (is_liar && chance_int(0, 3) == 0)
            reliable += (unsigned)chance_int(-2, 2);
        if (is_liar && chance_int(0, 7) == 0)
            reliable = (unsigned)chance_int(0, 0xFFFF);
        if (is_liar && chance_int(0, 3) == 0)
            unreliable = (unsigned)chance_int(0, 3) == 0 ? 0 : unreliable + 5;
        add(draft, 0x07, is_liar && chance_int(0, 9) == 0 ? 0 : 1, reliable);
        add_16(draft, unreliable);
        add_message(draft);
    }
}

static void write_draft(struct draft *draft, struct sequences *next, bool is_liar)
{
    draft->size = 0;
    draft->has_reliable = false;
    for (int i = chance_int(0, 2) == 0 ? chance_int(1, 5) : 1; i > 0; i--)
        add_command(draft, next, is_liar);
}

// Sends a datagram from a client's socket. A datagram of one unreliable message without a sent time
// is read by the transport, and with one, which ENet ignores, by ENet.
static void send_draft(const struct client *client, const struct draft *draft, bool with_sent_time)
{
    const bool has_time = with_sent_time || draft->has_reliable;
    const uint16_t header[] = {
        htons((uint16_t)((has_time ? ENET_PROTOCOL_HEADER_FLAG_SENT_TIME : 0) |
                         client->peer->outgoingPeerID |
                         client->peer->outgoingSessionID << ENET_PROTOCOL_HEADER_SESSION_SHIFT)),
        0,
    };
    const ENetBuffer buffers[] = {{(void *)header, has_time ? 4 : 2},
                                  {(void *)draft->commands, draft->size}};
    assert_true(enet_socket_send(client->host->socket, &client->peer->address, buffers, 2) > 0);
}

// What a server has delivered, in order.
struct delivery {
    size_t count;
    struct {
        bool reliable;
        size_t size;
        uint8_t data[16];
    } messages[4000];
};

static struct delivery deliveries[3];

static void deliver(struct delivery *delivery, bool reliable, const uint8_t *data, size_t size)
{
    assert_true(delivery->count < sizeof delivery->messages / sizeof delivery->messages[0]);
    assert_true(size <= sizeof delivery->messages[0].data);
    delivery->messages[delivery->count].reliable = reliable;
    delivery->messages[delivery->count].size = size;
    memcpy(delivery->messages[delivery->count++].data, data, size);
}

static void receive_into(struct transport *server, struct delivery *delivery)
{
    struct transport_event event;
    transport_receive(server);
    while (transport_poll(server, &event)) {
        assert_int_equal(event.kind, TRANSPORT_MESSAGE);
        deliver(delivery, event.reliable, event.data, event.size);
    }
    transport_flush(server);
}

static void serve_enet(ENetHost *host, struct delivery *delivery)
{
    ENetEvent event;
    while (enet_host_service(host, &event, 0) > 0)
        if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            deliver(delivery, event.channelID == 0, event.packet->data, event.packet->dataLength);
            enet_packet_destroy(event.packet);
        }
}

static void assert_same(const struct delivery *a, const struct delivery *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        assert_int_equal(a->messages[i].reliable, b->messages[i].reliable);
        assert_int_equal(a->messages[i].size, b->messages[i].size);
        assert_memory_equal(a->messages[i].data, b->messages[i].data, a->messages[i].size);
    }
    assert_int_equal(a->count, b->count);
}

static void assert_same_guards(const struct transport *a, const struct transport *b)
{
    assert_memory_equal(a->stats.rejected, b->stats.rejected, sizeof a->stats.rejected);
    assert_int_equal(a->guards[0].datagrams, b->guards[0].datagrams);
    assert_int_equal(a->guards[0].commands, b->guards[0].commands);
    assert_int_equal(a->guards[0].reliable, b->guards[0].reliable);
    for (int i = 0; i < 2; i++)
        assert_int_equal(a->host->peers[0].channels[i].incomingReliableSequenceNumber,
                         b->host->peers[0].channels[i].incomingReliableSequenceNumber);
    assert_int_equal(a->host->peers[0].totalWaitingData, b->host->peers[0].totalWaitingData);
}

// Gives random datagrams to a transport that reads messages itself and to one that leaves them to
// ENet, and returns the client of the latter.
static void play(bool is_liar, int rounds, ENetHost *reference, const struct client *of_reference,
                 struct transport *other)
{
    struct sequences next = {.unreliable = 0};
    for (int i = 0; i < 3; i++)
        deliveries[i].count = 0;
    size_t direct = 0;
    for (int round = 0; round < rounds; round++) {
        // The gaps that a liar leaves are closed now and then.
        for (int i = 0; i < 2 && is_liar && chance_int(0, 1) == 0; i++)
            next.reliable[i] = enet_peer_of(0)->channels[i].incomingReliableSequenceNumber;
        for (int i = chance_int(0, 9); i > 0; i--) {
            struct draft draft;
            write_draft(&draft, &next, is_liar);
            direct += draft.commands[0] == 0x07;
            if (!is_liar && !draft.has_reliable && chance_int(0, 9) == 0)
                continue; // lost
            // A liar repeats itself, and honest datagrams arrive twice.
            for (int copies = chance_int(0, 19) == 0 && is_liar ? 2 : 1; copies > 0; copies--) {
                send_draft(&clients[0], &draft, false);
                send_draft(&clients[1], &draft, true);
                if (reference != NULL)
                    send_draft(of_reference, &draft, false);
            }
        }
        receive_into(transport, &deliveries[0]);
        receive_into(other, &deliveries[1]);
        assert_same(&deliveries[0], &deliveries[1]);
        assert_same_guards(transport, other);
        if (reference != NULL) {
            serve_enet(reference, &deliveries[2]);
            assert_same(&deliveries[0], &deliveries[2]);
        }
    }
    assert_true(direct > (size_t)rounds && deliveries[0].count > (size_t)rounds);
}

// Connects a client to the transport and one to another of its kind, which is returned.
static struct transport *connect_two(void)
{
    connect_clients(1);
    struct transport *first = transport;
    open_transport(128);
    struct transport *second = transport;
    connect_clients(1);
    transport = first;
    return second;
}

TEST(messages_are_those_that_enet_delivers)
{
    struct transport *other = connect_two();
    const ENetAddress loopback = {.host = htonl(INADDR_LOOPBACK)};
    ENetHost *reference = enet_host_create(&loopback, 1, 2, 0, 0);
    assert_non_null(reference);
    struct client *client = &clients[client_count++];
    client->host = enet_host_create(NULL, 1, 2, 0, 0);
    client->peer = enet_host_connect(client->host, &reference->address, 2, 0);
    const uint64_t limit = true_ms() + 10000;
    while (!client->connected) {
        assert_true(in_time(limit));
        run_client(client);
        serve_enet(reference, &deliveries[2]);
    }
    play(false, 400, reference, client, other);
    enet_host_destroy(reference);
    transport_close(other);
}

TEST(a_liar_gets_enet_and_the_transport_out_of_step_nowhere)
{
    for (int run = 0; run < 10; run++) {
        struct transport *other = connect_two();
        play(true, 100, NULL, NULL, other);
        transport_close(other);
        transport_close(transport);
        for (size_t i = 0; i < client_count; i++)
            enet_host_destroy(clients[i].host);
        memset(clients, 0, sizeof clients);
        client_count = 0;
        open_transport(128);
    }
}

// --- Strangers ---

static void send_message_as(int raw, unsigned peer, unsigned session)
{
    const unsigned header = peer | session << ENET_PROTOCOL_HEADER_SESSION_SHIFT;
    const uint8_t datagram[] = {
        (uint8_t)(header >> 8), (uint8_t)header, 0x07, 1, 0, 0, 0, 99, 0, 4, 1, 2, 3, 4};
    if (raw >= 0)
        send_raw(raw, datagram, sizeof datagram);
    const ENetBuffer buffer = {(void *)datagram, sizeof datagram};
    if (raw < 0)
        assert_true(
            enet_socket_send(clients[0].host->socket, &clients[0].peer->address, &buffer, 1) > 0);
}

TEST(messages_of_nobody_are_ignored)
{
    const int raw = open_raw();
    connect_clients(1);
    const ENetPeer *peer = clients[0].peer;
    const unsigned id = peer->outgoingPeerID, session = peer->outgoingSessionID;
    send_message_as(raw, id, session);         // from another port
    send_message_as(-1, id, session ^ 1);      // of an earlier connection
    send_message_as(-1, id + 1, session);      // of a free slot
    send_message_as(-1, 1000, session);        // of no slot
    send_message_as(-1, 0xFFF, session);       // of nobody
    send_message_as(-1, id | 0x4000, session); // compressed
    receive_all();
    assert_int_equal(seen.messages, 0);
    send_message_as(-1, id, session);
    receive_all();
    assert_int_equal(seen.messages, 1);
    // While the server disconnects the client, and afterwards.
    send_to_peer(0, true, 0, MESSAGE_BYTES);
    transport_disconnect(transport, 0, 1);
    for (int i = 0; i < 3; i++) {
        send_message_as(-1, id, session);
        receive_all();
    }
    RUN_UNTIL(seen.disconnected == 1);
    send_message_as(-1, id, session);
    receive_all();
    assert_int_equal(seen.messages, 1);
}

TEST(a_flood_of_messages_is_bounded)
{
    enum { FLOOD = 2000 };
    connect_clients(1);
    const ENetPeer *peer = clients[0].peer;
    for (int i = 0; i < FLOOD; i++)
        send_message_as(-1, peer->outgoingPeerID, peer->outgoingSessionID);
    const uint64_t before = transport_stats(transport)->packets_in;
    receive_all();
    const uint64_t received = transport_stats(transport)->packets_in - before;
    assert_true(received > 500);
    assert_int_equal(seen.messages, ADMISSION_LIMITS_DEFAULT.inputs_per_tick);
    assert_in_range(rejected(DATAGRAM_INPUTS) + seen.messages, 200, PEER_GUARD_DATAGRAMS);
    assert_int_equal(rejected(DATAGRAM_BUDGET) + rejected(DATAGRAM_INPUTS) + seen.messages,
                     received);
}

// --- A bad line ---

TEST(libenet_talks_to_the_transport_over_a_bad_line)
{
    enum { CLIENTS = 8, TICKS = 600, TICK_MS = 16, MESSAGES = TICKS / 6 };
    connect_clients(CLIENTS);
    kernel.loss = 5;
    kernel.is_shuffled = true;
    uint32_t inputs = 0, expected[CLIENTS] = {0};
    for (int tick = 0; tick < 4 * TICKS; tick++) {
        struct transport_event event;
        kernel.monotonic_ms += TICK_MS;
        for (size_t i = 0; i < client_count && tick < TICKS; i++) {
            say(&clients[i], 1, 0, MESSAGE_BYTES);
            if (tick % 6 == 0)
                say(&clients[i], 0, (uint32_t)tick / 6, MESSAGE_BYTES);
        }
        run_clients();
        transport_receive(transport);
        while (transport_poll(transport, &event)) {
            assert_int_equal(event.kind, TRANSPORT_MESSAGE);
            uint32_t number;
            memcpy(&number, event.data, sizeof number);
            inputs += !event.reliable;
            if (event.reliable)
                assert_int_equal(number, expected[event.peer]++);
        }
        for (uint32_t peer = 0; peer < CLIENTS && tick < TICKS; peer++) {
            if (tick % 6 == 3)
                send_to_peer(peer, true, (uint32_t)tick / 6, MESSAGE_BYTES);
            send_to_peer(peer, false, (uint32_t)tick, MESSAGE_BYTES);
        }
        transport_flush(transport);
    }
    kernel.loss = 0;
    assert_int_equal(transport_peers(transport), CLIENTS);
    assert_in_range(inputs, CLIENTS * TICKS * 9 / 10, CLIENTS * TICKS);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(expected[i], MESSAGES);
        assert_int_equal(clients[i].messages[0], MESSAGES); // take_message checks their order
        assert_in_range(clients[i].messages[1], TICKS * 8 / 10, TICKS);
    }
}
