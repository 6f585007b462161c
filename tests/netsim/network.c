// SPDX-License-Identifier: MIT
// Packets on their way lie in a heap, the next to arrive on top.
#include "network.h"

#include "random.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum packet_kind {
    PACKET_CONNECT, // to the server
    PACKET_ACCEPT,  // its answer
    PACKET_MESSAGE,
    PACKET_CLOSE,
    PACKET_CLOSED,  // its answer
    PACKET_TIMEOUT, // no packet at all: an end looks at its clock
};

struct packet {
    uint64_t due_us;
    uint64_t order;   // of creation: decides between packets that are due at the same time
    uint64_t serial;  // of its connection
    uint64_t left_us; // when what arrives was sent for the last time
    uint32_t connection;
    enum network_end to;
    enum packet_kind kind;
    bool reliable;
    uint32_t number; // of an unreliable message
    uint32_t reason;
    size_t size;
    uint8_t data[];
};

// What goes to one end of a connection.
struct stream {
    bool over;                // that end wants to hear nothing more
    uint64_t dropped_us;      // from then on that end sends nothing again
    uint64_t due_us, left_us; // of its last reliable packet
    uint64_t settled_us;      // when the last packet so far arrives
    uint32_t sent;            // unreliable messages
    uint32_t newest;          // of those that came
    uint32_t came;            // since the share was taken
    uint32_t told;            // `newest` when it was taken
};

struct connection {
    bool open;
    uint64_t serial; // of all connections ever
    uint32_t client;
    uint64_t dead_us; // from then on everything sent is lost
    struct stream streams[2];
};

struct line {
    struct network_line is;
    uint64_t free_us[2]; // when all that was sent to an end has left
    uint64_t cut_us;     // until then everything that leaves is lost
};

struct network {
    uint64_t random, order, serial;
    uint32_t clients, capacity;
    struct connection *connections;
    struct line lines[NETWORK_MAX_CLIENTS];
    struct packet **heap;
    size_t count, room;
    struct packet *delivered;
};

struct network *network_create(uint32_t clients, uint32_t capacity, uint64_t seed)
{
    assert(clients <= NETWORK_MAX_CLIENTS);
    struct network *network = calloc(1, sizeof *network);
    if (network == NULL)
        return NULL;
    *network = (struct network){.random = seed, .clients = clients, .capacity = capacity};
    network->connections = calloc(capacity, sizeof *network->connections);
    if (network->connections == NULL) {
        free(network);
        return NULL;
    }
    return network;
}

void network_destroy(struct network *network)
{
    if (network == NULL)
        return;
    for (size_t i = 0; i < network->count; i++)
        free(network->heap[i]);
    free(network->heap);
    free(network->delivered);
    free(network->connections);
    free(network);
}

const struct network_line *network_get_line(const struct network *network, uint32_t client)
{
    assert(client < network->clients);
    return &network->lines[client].is;
}

void network_set_line(struct network *network, uint32_t client, const struct network_line *line)
{
    assert(client < network->clients);
    assert(line->loss >= 0 && line->loss < 1); // what is reliable arrives some day
    network->lines[client].is = *line;
}

// --- the heap ---

static bool is_before(const struct packet *a, const struct packet *b)
{
    return a->due_us < b->due_us || (a->due_us == b->due_us && a->order < b->order);
}

static void swap(struct packet **a, struct packet **b)
{
    struct packet *const kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct network *network, struct packet *packet)
{
    if (network->count == network->room) {
        network->room = network->room == 0 ? 256 : 2 * network->room;
        network->heap = realloc(network->heap, network->room * sizeof *network->heap);
        if (network->heap == NULL)
            abort(); // the test cannot go on
    }
    size_t i = network->count++;
    network->heap[i] = packet;
    for (; i > 0 && is_before(network->heap[i], network->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&network->heap[i], &network->heap[(i - 1) / 2]);
}

static struct packet *pop(struct network *network)
{
    struct packet *first = network->heap[0];
    network->heap[0] = network->heap[--network->count];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < network->count; child++)
            if (is_before(network->heap[child], network->heap[least]))
                least = child;
        if (least == i)
            return first;
        swap(&network->heap[i], &network->heap[least]);
        i = least;
    }
}

// --- what a line does ---

static enum network_end other_end(enum network_end end)
{
    return end == NETWORK_SERVER ? NETWORK_CLIENT : NETWORK_SERVER;
}

static uint64_t us_of(double ms)
{
    return (uint64_t)(ms * 1000 + 0.5);
}

static bool happens(struct network *network, double share)
{
    return share > 0 && raim_random_unit(&network->random) < share;
}

static uint64_t journey_us(struct network *network, const struct network_line *line)
{
    double ms = line->latency_ms;
    if (line->jitter_ms > 0)
        ms += line->jitter_ms * raim_random_unit(&network->random);
    if (happens(network, line->reordering))
        ms += NETWORK_HELD_MS;
    return us_of(ms);
}

// When so many bytes have left for an end, given that they queue for it; UINT64_MAX when they would
// wait too long.
static uint64_t leave_us(struct line *line, enum network_end to, size_t size, bool reliable,
                         uint64_t now_us)
{
    if (line->is.bytes_per_s == 0)
        return now_us;
    const uint64_t begin_us = line->free_us[to] > now_us ? line->free_us[to] : now_us;
    if (!reliable && begin_us - now_us > us_of(NETWORK_QUEUE_MS))
        return UINT64_MAX;
    const double bytes = (double)(size + NETWORK_HEADER_BYTES);
    line->free_us[to] = begin_us + us_of(1000 * bytes / line->is.bytes_per_s);
    return line->free_us[to];
}

// --- packets ---

static struct packet *make(struct network *network, uint32_t handle, enum network_end to,
                           enum packet_kind kind, const uint8_t *data, size_t size)
{
    struct packet *packet = calloc(1, sizeof *packet + size);
    if (packet == NULL)
        abort(); // the test cannot go on
    *packet = (struct packet){
        .order = network->order++,
        .serial = network->connections[handle].serial,
        .connection = handle,
        .to = to,
        .kind = kind,
        .size = size,
    };
    if (size > 0)
        memcpy(packet->data, data, size);
    return packet;
}

static void settle(struct stream *stream, const struct packet *packet)
{
    if (packet->due_us > stream->settled_us)
        stream->settled_us = packet->due_us;
}

static void look_later(struct network *network, uint32_t handle, enum network_end end,
                       uint64_t now_us)
{
    struct packet *packet = make(network, handle, end, PACKET_TIMEOUT, NULL, 0);
    packet->due_us = now_us + us_of(NETWORK_TIMEOUT_MS);
    push(network, packet);
}

// From now on nothing arrives, and both ends time out.
static void die(struct network *network, uint32_t handle, uint64_t now_us)
{
    network->connections[handle].dead_us = now_us;
    look_later(network, handle, NETWORK_SERVER, now_us);
    look_later(network, handle, NETWORK_CLIENT, now_us);
}

// A lost packet is sent again after a time as ENet's: a round trip and four times what it varies
// by, twice as long each time.
static void send_reliable(struct network *network, uint32_t handle, enum network_end to,
                          struct packet *packet, uint64_t now_us)
{
    struct connection *connection = &network->connections[handle];
    struct stream *stream = &connection->streams[to];
    struct line *line = &network->lines[connection->client];
    uint64_t left_us = leave_us(line, to, packet->size, true, now_us);
    double wait_ms = 2 * line->is.latency_ms + 4 * line->is.jitter_ms + 20;
    // A connection that is dead by then ends all the same.
    while ((left_us < line->cut_us || happens(network, line->is.loss)) &&
           left_us < connection->dead_us) {
        if (left_us < line->cut_us && left_us > now_us + us_of(NETWORK_TIMEOUT_MS))
            die(network, handle, now_us);
        left_us += us_of(wait_ms);
        wait_ms *= 2;
    }
    uint64_t due_us = left_us + journey_us(network, &line->is);
    // In order: behind one that is late, all are; behind one that is lost, too.
    stream->due_us = due_us > stream->due_us ? due_us : stream->due_us;
    stream->left_us = left_us > stream->left_us ? left_us : stream->left_us;
    packet->reliable = true;
    packet->due_us = stream->due_us;
    packet->left_us = stream->left_us;
    settle(stream, packet);
    push(network, packet);
}

static void send_unreliable(struct network *network, uint32_t handle, enum network_end to,
                            const uint8_t *data, size_t size, uint64_t now_us)
{
    const struct connection *connection = &network->connections[handle];
    struct line *line = &network->lines[connection->client];
    const uint32_t number = ++network->connections[handle].streams[to].sent;
    const int copies = happens(network, line->is.duplication) ? 2 : 1;
    const uint64_t left_us = leave_us(line, to, size, false, now_us);
    if (left_us == UINT64_MAX)
        return;
    for (int i = 0; i < copies; i++) {
        if (happens(network, line->is.loss) || left_us < line->cut_us)
            continue;
        struct packet *packet = make(network, handle, to, PACKET_MESSAGE, data, size);
        packet->number = number;
        packet->left_us = left_us;
        packet->due_us = left_us + journey_us(network, &line->is);
        settle(&network->connections[handle].streams[to], packet);
        push(network, packet);
    }
}

// --- connections ---

static struct connection *connection_at(struct network *network, uint32_t handle)
{
    assert(handle < network->capacity && network->connections[handle].open);
    return &network->connections[handle];
}

uint32_t network_connect(struct network *network, uint32_t client, uint64_t now_us)
{
    assert(client < network->clients);
    uint32_t handle = 0;
    while (handle < network->capacity && network->connections[handle].open)
        handle++;
    assert(handle < network->capacity);
    network->connections[handle] = (struct connection){
        .open = true, .serial = ++network->serial, .client = client, .dead_us = UINT64_MAX};
    for (int end = NETWORK_SERVER; end <= NETWORK_CLIENT; end++)
        network->connections[handle].streams[end].dropped_us = UINT64_MAX;
    struct packet *packet = make(network, handle, NETWORK_SERVER, PACKET_CONNECT, NULL, 0);
    send_reliable(network, handle, NETWORK_SERVER, packet, now_us);
    return handle;
}

void network_send(struct network *network, uint32_t handle, enum network_end from, bool reliable,
                  const uint8_t *data, size_t size, uint64_t now_us)
{
    const enum network_end to = other_end(from);
    const struct connection *connection = connection_at(network, handle);
    if (connection->streams[from].over)
        return;
    if (reliable)
        send_reliable(network, handle, to, make(network, handle, to, PACKET_MESSAGE, data, size),
                      now_us);
    else
        send_unreliable(network, handle, to, data, size, now_us);
}

void network_close(struct network *network, uint32_t handle, enum network_end from, uint32_t reason,
                   uint64_t now_us)
{
    const enum network_end to = other_end(from);
    struct packet *packet = make(network, handle, to, PACKET_CLOSE, NULL, 0);
    packet->reason = reason;
    assert(!connection_at(network, handle)->streams[from].over);
    send_reliable(network, handle, to, packet, now_us);
}

// An end is done with a connection.
static void end(struct network *network, uint32_t handle, enum network_end end)
{
    struct connection *connection = &network->connections[handle];
    connection->streams[end].over = true;
    connection->open =
        !connection->streams[NETWORK_SERVER].over || !connection->streams[NETWORK_CLIENT].over;
}

void network_drop(struct network *network, uint32_t handle, enum network_end from, uint64_t now_us)
{
    assert(!connection_at(network, handle)->streams[from].over);
    network->connections[handle].streams[from].dropped_us = now_us;
    end(network, handle, from);
    if (network->connections[handle].open)
        look_later(network, handle, other_end(from), now_us);
}

void network_rebind(struct network *network, uint32_t client, uint64_t now_us)
{
    for (uint32_t handle = 0; handle < network->capacity; handle++) {
        const struct connection *connection = &network->connections[handle];
        if (!connection->open || connection->client != client || connection->dead_us <= now_us)
            continue;
        die(network, handle, now_us);
    }
}

void network_cut(struct network *network, uint32_t client, uint64_t now_us, uint64_t until_us)
{
    assert(client < network->clients);
    network->lines[client].cut_us = until_us;
    // ENet's pings notice it, even where nobody sends anything reliable.
    if (until_us - now_us > us_of(NETWORK_TIMEOUT_MS))
        network_rebind(network, client, now_us);
}

uint64_t network_settled_us(const struct network *network, uint32_t handle)
{
    const struct stream *streams = network->connections[handle].streams;
    const uint64_t server_us = streams[NETWORK_SERVER].settled_us;
    const uint64_t client_us = streams[NETWORK_CLIENT].settled_us;
    if (network->connections[handle].dead_us != UINT64_MAX)
        return UINT64_MAX;
    return server_us > client_us ? server_us : client_us;
}

// --- deliveries ---

uint64_t network_next_us(const struct network *network)
{
    return network->count > 0 ? network->heap[0]->due_us : UINT64_MAX;
}

static bool is_lost(const struct connection *connection, const struct packet *packet)
{
    if (!connection->open || connection->serial != packet->serial ||
        connection->streams[packet->to].over)
        return true;
    if (packet->kind == PACKET_TIMEOUT)
        return false;
    const struct stream *back = &connection->streams[other_end(packet->to)];
    if (packet->left_us >= connection->dead_us || packet->left_us >= back->dropped_us)
        return true;
    return packet->kind == PACKET_MESSAGE && !packet->reliable &&
           packet->number <= connection->streams[packet->to].newest;
}

static void answer(struct network *network, const struct packet *packet, enum packet_kind kind)
{
    struct packet *reply = make(network, packet->connection, other_end(packet->to), kind, NULL, 0);
    reply->reason = packet->reason;
    send_reliable(network, packet->connection, reply->to, reply, packet->due_us);
}

// What a packet means to the end that it arrives at.
static void arrive(struct network *network, const struct packet *packet,
                   struct network_delivery *delivery)
{
    struct stream *stream = &network->connections[packet->connection].streams[packet->to];
    *delivery = (struct network_delivery){
        .time_us = packet->due_us,
        .end = packet->to,
        .connection = packet->connection,
        .client = network->connections[packet->connection].client,
        .reliable = packet->reliable,
        .reason = packet->reason,
        .data = packet->data,
        .size = packet->size,
    };
    switch (packet->kind) {
    case PACKET_CONNECT:
        answer(network, packet, PACKET_ACCEPT);
        delivery->news = NETWORK_CONNECTED;
        break;
    case PACKET_ACCEPT:
        delivery->news = NETWORK_CONNECTED;
        break;
    case PACKET_MESSAGE:
        delivery->news = NETWORK_MESSAGE;
        stream->came += !packet->reliable;
        stream->newest = packet->reliable ? stream->newest : packet->number;
        break;
    case PACKET_CLOSE:
        answer(network, packet, PACKET_CLOSED);
        delivery->news = NETWORK_DISCONNECTED;
        break;
    case PACKET_CLOSED:
    case PACKET_TIMEOUT:
        delivery->news = NETWORK_DISCONNECTED;
        delivery->lost = packet->kind == PACKET_TIMEOUT;
        break;
    }
    if (delivery->news == NETWORK_DISCONNECTED)
        end(network, packet->connection, packet->to);
}

bool network_next(struct network *network, uint64_t now_us, struct network_delivery *delivery)
{
    while (network_next_us(network) <= now_us) {
        free(network->delivered);
        struct packet *packet = network->delivered = pop(network);
        if (is_lost(&network->connections[packet->connection], packet))
            continue;
        arrive(network, packet, delivery);
        return true;
    }
    return false;
}

struct network_share network_take_share(struct network *network, uint32_t handle,
                                        enum network_end end)
{
    struct stream *stream = &connection_at(network, handle)->streams[end];
    const struct network_share share = {.came = stream->came,
                                        .sent = stream->newest - stream->told};
    stream->came = 0;
    stream->told = stream->newest;
    return share;
}
