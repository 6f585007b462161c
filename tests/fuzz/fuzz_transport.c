// SPDX-License-Identifier: MIT
// The whole way of a datagram, from the kernel's call through our checks and ENet to an event, with
// a clock and a network of our own: strangers from four addresses send what they like, some of it
// as peers that know ENet's rules. Nobody is answered with more than they have sent before they
// connect; events are in order; nothing that leaves is larger than the MTU.
#define _GNU_SOURCE
#include "fuzz.h"

#include "transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <enet/enet.h>

enum { STRANGERS = 4, PEERS = 3, MOST_WAITING = 64 };

// What a stranger has heard, and must know to go on.
struct stranger {
    uint64_t sent, received; // bytes
    uint32_t ticket;
    uint16_t peer; // that the server has given
    uint8_t session;
    bool verified;                       // the server has answered its CONNECT
    uint16_t sequence;                   // of its reliable commands on channel 0
    uint16_t heard_sequence, heard_time; // of the last reliable command
    uint8_t heard_channel;
};

static struct {
    int64_t now_ms; // of CLOCK_MONOTONIC; libFuzzer looks at another clock
    struct stranger strangers[STRANGERS];
    struct {
        uint32_t from;
        size_t size;
        uint8_t bytes[TRANSPORT_MTU + 1];
    } waiting[MOST_WAITING];
    size_t waiting_count;
    bool present[PEERS];
} net;

// --- The kernel ---

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){.tv_sec = net.now_ms / 1000, .tv_nsec = net.now_ms % 1000 * 1000000};
    return 0;
}

static struct sockaddr_in address_of(uint32_t stranger)
{
    // Two of them are behind the same router.
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(0x0A000001 + stranger / 2 * 256),
                                .sin_port = htons((uint16_t)(1000 + stranger))};
}

int recvmmsg(int socket, struct mmsghdr *headers, unsigned count, int flags,
             struct timespec *timeout)
{
    (void)socket, (void)flags, (void)timeout;
    unsigned received = 0;
    for (; received < count && received < net.waiting_count; received++) {
        struct msghdr *header = &headers[received].msg_hdr;
        const struct sockaddr_in from = address_of(net.waiting[received].from);
        const size_t room = header->msg_iov->iov_len, size = net.waiting[received].size;
        memcpy(header->msg_iov->iov_base, net.waiting[received].bytes, size < room ? size : room);
        memcpy(header->msg_name, &from, sizeof from);
        headers[received].msg_len = (unsigned)(size < room ? size : room);
    }
    memmove(net.waiting, net.waiting + received,
            (net.waiting_count - received) * sizeof net.waiting[0]);
    net.waiting_count -= received;
    if (received > 0)
        return (int)received;
    errno = EAGAIN;
    return -1;
}

// A stranger learns from what it gets.
static void hear(struct stranger *stranger, const uint8_t *data, size_t size)
{
    static const uint8_t ticket[] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M', 2};
    if (size >= 15 && memcmp(data, ticket, sizeof ticket) == 0)
        memcpy(&stranger->ticket, data + 11, sizeof stranger->ticket); // little-endian
    if (size < 8 || (data[0] == 0xFF && data[1] == 0xFF))
        return;
    const bool has_time = (data[0] & 0x80) != 0;
    const uint8_t *command = data + (has_time ? 4 : 2);
    if ((command[0] & ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE) != 0 && has_time) {
        stranger->heard_channel = command[1];
        stranger->heard_sequence = (uint16_t)(command[2] << 8 | command[3]);
        stranger->heard_time = (uint16_t)(data[2] << 8 | data[3]);
    }
    if ((command[0] & ENET_PROTOCOL_COMMAND_MASK) != ENET_PROTOCOL_COMMAND_VERIFY_CONNECT ||
        size < 48)
        return;
    stranger->peer = (uint16_t)(command[4] << 8 | command[5]);
    stranger->session = command[6];
    stranger->verified = true;
    stranger->sequence = 0;
}

int sendmmsg(int socket, struct mmsghdr *headers, unsigned count, int flags)
{
    (void)socket, (void)flags;
    for (unsigned i = 0; i < count; i++) {
        const struct msghdr *header = &headers[i].msg_hdr;
        const struct sockaddr_in *to = header->msg_name;
        const uint32_t who = ntohs(to->sin_port) - 1000u;
        uint8_t whole[TRANSPORT_MTU];
        size_t size = 0;
        for (size_t part = 0; part < header->msg_iovlen; part++) {
            assert(header->msg_iov[part].iov_len <= sizeof whole - size);
            memcpy(whole + size, header->msg_iov[part].iov_base, header->msg_iov[part].iov_len);
            size += header->msg_iov[part].iov_len;
        }
        headers[i].msg_len = (unsigned)size;
        assert(who < STRANGERS);
        net.strangers[who].received += size;
        hear(&net.strangers[who], whole, size);
        assert(net.strangers[who].verified ||
               net.strangers[who].received <= net.strangers[who].sent);
    }
    return (int)count;
}

// --- The strangers ---

static void post(uint32_t who, const void *bytes, size_t size)
{
    if (net.waiting_count == MOST_WAITING)
        return;
    net.waiting[net.waiting_count].from = who;
    net.waiting[net.waiting_count].size = size < TRANSPORT_MTU + 1 ? size : TRANSPORT_MTU + 1;
    memcpy(net.waiting[net.waiting_count].bytes, bytes, net.waiting[net.waiting_count].size);
    net.waiting_count++;
    net.strangers[who].sent += size;
}

static void send_raw(uint32_t who, struct fuzz_input *input)
{
    size_t size;
    const uint8_t *block = fuzz_block(input, fuzz_byte(input), &size);
    post(who, block, size);
}

static void send_knock(uint32_t who, struct fuzz_input *input)
{
    uint8_t bytes[600] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M', 1, 1};
    const size_t size = 500 + fuzz_byte(input) % 32;
    bytes[fuzz_pair(input) % sizeof bytes] ^= fuzz_byte(input);
    post(who, bytes, size);
}

static void send_connect(uint32_t who, struct fuzz_input *input)
{
    ENetProtocolHeader header = {.peerID = htons(0x8FFF), .sentTime = htons(1)};
    ENetProtocolConnect command = {
        .header = {.command = 0x82, .channelID = 0xFF, .reliableSequenceNumber = htons(1)},
        .incomingSessionID = 0xFF,
        .outgoingSessionID = 0xFF,
        .mtu = htonl(1200),
        .windowSize = htonl(32768),
        .channelCount = htonl(2),
        .packetThrottleInterval = htonl(5000),
        .packetThrottleAcceleration = htonl(2),
        .packetThrottleDeceleration = htonl(2),
        .connectID = who + 1,
        .data = htonl(net.strangers[who].ticket),
    };
    uint8_t bytes[sizeof header + sizeof command];
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, &command, sizeof command);
    const size_t at = fuzz_byte(input); // beyond the end: as it should be
    const uint8_t change = fuzz_byte(input);
    if (at < sizeof bytes)
        bytes[at] ^= change;
    post(who, bytes, sizeof bytes);
}

// Any commands, behind the header that makes them this stranger's.
static void send_commands(uint32_t who, struct fuzz_input *input)
{
    const struct stranger *stranger = &net.strangers[who];
    const unsigned head = 0x8000u | (stranger->session & 3u) << 12 | (stranger->peer & 0xFFFu);
    uint8_t bytes[4 + 256] = {(uint8_t)(head >> 8), (uint8_t)head, 0, fuzz_byte(input)};
    size_t size;
    const uint8_t *block = fuzz_block(input, fuzz_byte(input), &size);
    memcpy(bytes + 4, block, size);
    post(who, bytes, 4 + size);
}

static void acknowledge(uint32_t who, struct fuzz_input *input)
{
    const struct stranger *stranger = &net.strangers[who];
    const unsigned head = 0x8000u | (stranger->session & 3u) << 12 | (stranger->peer & 0xFFFu);
    const uint16_t sequence = (uint16_t)(stranger->heard_sequence + (fuzz_byte(input) & 3));
    const uint8_t bytes[] = {(uint8_t)(head >> 8),
                             (uint8_t)head,
                             0,
                             0,
                             ENET_PROTOCOL_COMMAND_ACKNOWLEDGE,
                             stranger->heard_channel,
                             (uint8_t)(sequence >> 8),
                             (uint8_t)sequence,
                             (uint8_t)(sequence >> 8),
                             (uint8_t)sequence,
                             (uint8_t)(stranger->heard_time >> 8),
                             (uint8_t)stranger->heard_time};
    post(who, bytes, sizeof bytes);
}

// The next reliable message, or, by chance, one that is due later.
static void send_message(uint32_t who, struct fuzz_input *input)
{
    struct stranger *stranger = &net.strangers[who];
    const unsigned head = 0x8000u | (stranger->session & 3u) << 12 | (stranger->peer & 0xFFFu);
    const uint8_t skip = fuzz_byte(input), length = fuzz_byte(input);
    stranger->sequence = (uint16_t)(stranger->sequence + 1 + (skip >= 128 ? skip : 0));
    uint8_t bytes[10 + 255] = {(uint8_t)(head >> 8),
                               (uint8_t)head,
                               0,
                               0,
                               ENET_PROTOCOL_COMMAND_SEND_RELIABLE |
                                   ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE,
                               0,
                               (uint8_t)(stranger->sequence >> 8),
                               (uint8_t)stranger->sequence,
                               0,
                               length};
    post(who, bytes, 10u + length);
}

// --- The server ---

static void take_events(struct transport *transport)
{
    struct transport_event event;
    transport_receive(transport);
    while (transport_poll(transport, &event)) {
        assert(event.kind == TRANSPORT_QUERY || event.peer < PEERS);
        switch (event.kind) {
        case TRANSPORT_CONNECTED:
            assert(!net.present[event.peer]);
            net.present[event.peer] = true;
            break;
        case TRANSPORT_DISCONNECTED:
            assert(net.present[event.peer]);
            net.present[event.peer] = false;
            break;
        case TRANSPORT_MESSAGE:
            assert(net.present[event.peer] && event.size <= TRANSPORT_MTU);
            break;
        case TRANSPORT_QUERY:
            assert(event.query != QUERY_NONE);
            break;
        case TRANSPORT_NONE:
            assert(false);
        }
    }
    uint32_t present = 0;
    for (uint32_t peer = 0; peer < PEERS; peer++) {
        assert(transport_is_connected(transport, peer) == net.present[peer]);
        present += net.present[peer];
    }
    assert(transport_peers(transport) == present);
}

static void operate(struct transport *transport, struct fuzz_input *input)
{
    static void (*const deeds[])(uint32_t, struct fuzz_input *) = {
        send_raw, send_knock, send_connect, send_commands, acknowledge, send_message,
    };
    enum { DEEDS = sizeof deeds / sizeof *deeds };
    static const uint8_t message[TRANSPORT_MAX_MESSAGE];
    const uint8_t byte = fuzz_byte(input), who = byte & 3, deed = byte >> 2 & 15;
    if (deed < 2 * DEEDS) {
        deeds[deed % DEEDS](who, input);
        return;
    }
    const uint32_t peer = who % PEERS;
    const uint8_t value = fuzz_byte(input);
    if (deed == 12 && net.present[peer])
        transport_send(transport, peer, value % 2 != 0, message, 1u + value * 4u);
    else if (deed == 13 && net.present[peer])
        transport_disconnect(transport, peer, value);
    else
        net.now_ms += value * (deed == 14 ? 100 : 1);
    take_events(transport);
    transport_flush(transport);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256];
    memset(&net, 0, sizeof net);
    net.now_ms = 1000000;
    struct transport *transport = transport_open("127.0.0.1", 0, PEERS, error, sizeof error);
    assert(transport != NULL);
    transport_admit_queries(transport, size % 2 != 0);
    transport_guard(transport, size % 3 != 0, &GATE_LIMITS_DEFAULT);
    struct fuzz_input input = {data, size};
    while (input.left > 0)
        operate(transport, &input);
    take_events(transport);
    transport_flush(transport);
    assert(transport_stats(transport)->send_errors == 0);
    transport_close(transport);
    return 0;
}
