// SPDX-License-Identifier: MIT
// The whole way of a datagram, from the kernel's call through our checks and ENet to an event, with
// a clock and a network of our own: strangers from four addresses, of both families, send what they
// like, some of it as peers that know ENet's rules, some of it thousands of times. Nobody is
// answered with more than they have sent before they connect; events are in order; nothing that
// leaves is larger than the MTU; and ENet's work is bounded: by what a datagram has in bytes, in
// lists that stay short. Where encryption is offered or required, strangers run the honest
// handshake, which no mutator could guess: whoever has a session is sent nothing in plain, and
// where it is required nobody connects without one.
#define _GNU_SOURCE
#include "fuzz.h"

#include "connector.h"
#include "secure_sessions.h"
#include "transport.h"
#include "transport_admission.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <enet/enet.h>

enum {
    STRANGERS = 4,
    PEERS = 3,
    MAX_WAITING = 64,
    MAX_REPETITIONS = 10000, // commands
    // Nodes of ENet's lists that a byte may cost: a command of seven bytes walks one list of those
    // that wait, after those that came with it.
    VISITS_PER_BYTE = 14,
    OWN_COMMANDS = 8, // of ENet's, beside messages
};

// What a stranger has heard, and must know to go on.
struct stranger {
    uint64_t sent, received; // bytes
    uint32_t cookie;
    uint16_t peer; // that the server has given
    uint8_t session;
    bool verified;                       // the server has answered its CONNECT
    uint16_t sequence;                   // of its reliable commands on channel 0
    uint16_t heard_sequence, heard_time; // of the last reliable command
    uint8_t heard_channel;
    struct raim_connector *connector; // of its encrypted connections
    bool is_rude;                     // sends in plain, though it has a session
    bool was_rude;                    // since its session began
};

static struct {
    int64_t now_ms; // of CLOCK_MONOTONIC; libFuzzer looks at another clock
    struct stranger strangers[STRANGERS];
    struct {
        uint32_t from;
        size_t size;
        uint8_t bytes[RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES + 1];
    } waiting[MAX_WAITING];
    size_t waiting_count;
    bool present[PEERS];
    struct transport *transport;
    uint64_t receive;         // the last in which a peer's commands were counted
    uint32_t commands[PEERS]; // in it
    bool requires_encryption;
    bool is_dual; // the socket is of both families
} net;

// --- The kernel ---

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){.tv_sec = net.now_ms / 1000, .tv_nsec = net.now_ms % 1000 * 1000000};
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    *now = (struct timeval){.tv_sec = net.now_ms / 1000, .tv_usec = net.now_ms % 1000 * 1000};
    return 0;
}

static union socket_address address_of(uint32_t stranger)
{
    union socket_address address = {0};
    struct udp_address from = {.port = 1000};
    if (net.is_dual && stranger >= 2) {
        // Two networks (/64), and the same 64 bits in them, of which 32 are those of the others.
        from.ip = (struct ip_address){UINT64_C(0x20010DB800000000) + stranger, 0x0A000001};
    } else {
        // Two of them are behind the same router.
        from.ip = ip_address_v4(0x0A000001 + stranger / 2 * 256);
        from.port = (uint16_t)(1000 + stranger);
    }
    socket_udp_write(from, net.is_dual ? AF_INET6 : AF_INET, &address);
    return address;
}

static uint32_t stranger_of(const union socket_address *address)
{
    uint32_t who = 0;
    for (; who < STRANGERS; who++) {
        const union socket_address own = address_of(who);
        if (socket_address_equal(&own, address))
            break;
    }
    return who;
}

// The server's address that a stranger sends to; some kernels do not tell.
static void write_local(uint32_t stranger, struct msghdr *header)
{
    struct in6_pktinfo info = {.ipi6_ifindex = 1};
    header->msg_controllen = 0;
    if (!net.is_dual || stranger == 0)
        return;
    header->msg_controllen = CMSG_SPACE(sizeof info);
    struct cmsghdr *item = CMSG_FIRSTHDR(header);
    item->cmsg_level = IPPROTO_IPV6;
    item->cmsg_type = IPV6_PKTINFO;
    item->cmsg_len = CMSG_LEN(sizeof info);
    info.ipi6_addr.s6_addr[0] = (uint8_t)stranger;
    memcpy(CMSG_DATA(item), &info, sizeof info);
}

static void check_local(uint32_t stranger, const struct msghdr *header)
{
    struct in6_pktinfo info;
    assert((header->msg_controllen > 0) == (net.is_dual && stranger > 0));
    if (header->msg_controllen == 0)
        return;
    memcpy(&info, CMSG_DATA(CMSG_FIRSTHDR(header)), sizeof info);
    assert(info.ipi6_addr.s6_addr[0] == stranger && info.ipi6_ifindex == 0);
}

int recvmmsg(int socket, struct mmsghdr *headers, unsigned count, int flags,
             struct timespec *timeout)
{
    (void)socket, (void)flags, (void)timeout;
    unsigned received = 0;
    for (; received < count && received < net.waiting_count; received++) {
        struct msghdr *header = &headers[received].msg_hdr;
        const union socket_address from = address_of(net.waiting[received].from);
        const size_t room = header->msg_iov->iov_len, size = net.waiting[received].size;
        memcpy(header->msg_iov->iov_base, net.waiting[received].bytes, size < room ? size : room);
        memcpy(header->msg_name, &from, socket_address_size(&from));
        write_local(net.waiting[received].from, header);
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
static void hear(struct stranger *stranger, const uint8_t *received, size_t size)
{
    uint8_t plain[RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES];
    const uint8_t *data = received;
    static const uint8_t cookie[] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M', 2};
    if (size >= 15 && memcmp(data, cookie, sizeof cookie) == 0)
        memcpy(&stranger->cookie, data + 11, sizeof stranger->cookie); // little-endian
    if (size >= 2 && data[0] == 0xFF && data[1] == 0xFF) {
        raim_connector_receive(stranger->connector, (uint64_t)net.now_ms * 1000, data, size);
        stranger->was_rude &= !raim_connector_is_secure(stranger->connector);
        return;
    }
    if (size > RAIM_SECURE_BYTES && data[0] >> 6 == 1) {
        size = raim_connector_is_secure(stranger->connector)
                   ? raim_connector_decrypt(stranger->connector, received, size, plain)
                   : 0;
        data = plain;
    } else {
        assert(!net.requires_encryption);
        assert(!raim_connector_is_secure(stranger->connector) || stranger->was_rude);
    }
    if (size < 8)
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
        const uint32_t who = stranger_of(header->msg_name);
        uint8_t whole[RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES];
        size_t size = 0;
        for (size_t part = 0; part < header->msg_iovlen; part++) {
            assert(header->msg_iov[part].iov_len <= sizeof whole - size);
            memcpy(whole + size, header->msg_iov[part].iov_base, header->msg_iov[part].iov_len);
            size += header->msg_iov[part].iov_len;
        }
        headers[i].msg_len = (unsigned)size;
        assert(who < STRANGERS);
        check_local(who, header);
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
    if (net.waiting_count == MAX_WAITING)
        return;
    net.waiting[net.waiting_count].from = who;
    const size_t most = sizeof net.waiting[0].bytes;
    net.waiting[net.waiting_count].size = size < most ? size : most;
    memcpy(net.waiting[net.waiting_count].bytes, bytes, net.waiting[net.waiting_count].size);
    net.waiting_count++;
    net.strangers[who].sent += size;
}

// What a stranger with a session encrypts, unless it is rude.
static void post_enet(uint32_t who, const void *bytes, size_t size)
{
    struct stranger *stranger = &net.strangers[who];
    uint8_t encrypted[RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES];
    if (!raim_connector_is_secure(stranger->connector) || stranger->is_rude) {
        stranger->was_rude |= raim_connector_is_secure(stranger->connector);
        post(who, bytes, size);
        return;
    }
    post(who, encrypted,
         raim_connector_encrypt(stranger->connector, (uint64_t)net.now_ms * 1000, bytes, size,
                                encrypted));
}

// Goes on with the handshake, or begins another one.
static void shake_hands(uint32_t who, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    struct stranger *stranger = &net.strangers[who];
    const uint64_t now_us = (uint64_t)net.now_ms * 1000;
    const uint8_t choice = fuzz_byte(input);
    stranger->is_rude = choice % 16 == 15;
    if (choice >= 192)
        raim_connector_begin(stranger->connector, NULL, now_us);
    size_t size = raim_connector_send(stranger->connector, now_us, bytes);
    if (size > 0 && choice % 8 == 7)
        bytes[fuzz_byte(input) % size] ^= fuzz_byte(input);
    if (size > 0)
        post(who, bytes, size);
}

static void send_raw(uint32_t who, struct fuzz_input *input)
{
    size_t size;
    const uint8_t *block = fuzz_block(input, fuzz_byte(input), &size);
    post(who, block, size);
}

static void send_connect_request(uint32_t who, struct fuzz_input *input)
{
    uint8_t bytes[600] = {0xFF, 0xFF, 0xFF, 0xFF, 'R', 'A', 'I', 'M', 1, 2};
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
        .data = htonl(net.strangers[who].cookie),
    };
    uint8_t bytes[sizeof header + sizeof command];
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, &command, sizeof command);
    const size_t at = fuzz_byte(input); // beyond the end: as it should be
    const uint8_t change = fuzz_byte(input);
    if (at < sizeof bytes)
        bytes[at] ^= change;
    post_enet(who, bytes, sizeof bytes);
}

// Any commands, after the header that makes them this stranger's.
static void send_commands(uint32_t who, struct fuzz_input *input)
{
    const struct stranger *stranger = &net.strangers[who];
    const unsigned head = 0x8000u | (stranger->session & 3u) << 12 | (stranger->peer & 0xFFFu);
    uint8_t bytes[4 + 256] = {(uint8_t)(head >> 8), (uint8_t)head, 0, fuzz_byte(input)};
    size_t size;
    const uint8_t *block = fuzz_block(input, fuzz_byte(input), &size);
    memcpy(bytes + 4, block, size);
    post_enet(who, bytes, 4 + size);
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
    post_enet(who, bytes, sizeof bytes);
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
                               (int)ENET_PROTOCOL_COMMAND_SEND_RELIABLE |
                                   (int)ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE,
                               0,
                               (uint8_t)(stranger->sequence >> 8),
                               (uint8_t)stranger->sequence,
                               0,
                               length};
    post_enet(who, bytes, 10u + length);
}

// A command that is sent over and over, with numbers that stay, climb or fall.
static size_t write_command(uint8_t *bytes, uint8_t kind, uint16_t number)
{
    const uint8_t high = (uint8_t)(number >> 8), low = (uint8_t)number, channel = kind >> 3 & 1;
    const uint8_t forms[][9] = {
        {0x86, channel, high, low, 0, 1, 'x'},
        {0x07, channel, high, low, 0, kind, 0, 1, 'x'}, // names a reliable one
        {0x07, channel, 0, kind >> 4, high, low, 0, 1, 'x'},
        {0x01, channel, high, low, high, low, 0, 0},
        {0x01, 0xFF, high, low, high, low, 0, 0},
        {0x49, channel, 0, 0, high, low, 0, 1, 'x'},
        {0x85, 0xFF, high, low},
        {0x84, 0xFF, high, low, 0, 0, 0, 0},
    };
    static const size_t sizes[] = {7, 9, 9, 8, 8, 9, 4, 8};
    memcpy(bytes, forms[kind & 7], sizes[kind & 7]);
    return sizes[kind & 7];
}

static void take_events(struct transport *transport);

static void repeat_command(uint32_t who, struct fuzz_input *input)
{
    const struct stranger *stranger = &net.strangers[who];
    const unsigned head = 0x8000u | (stranger->session & 3u) << 12 | (stranger->peer & 0xFFFu);
    const uint8_t kind = fuzz_byte(input);
    const int8_t step = (int8_t)fuzz_byte(input);
    uint16_t number = fuzz_pair(input);
    for (int left = fuzz_pair(input) % (MAX_REPETITIONS + 1); left > 0;) {
        uint8_t bytes[4 + DATAGRAM_MAX_COMMANDS * 9] = {(uint8_t)(head >> 8), (uint8_t)head, 0, 1};
        size_t size = 4;
        for (int i = 0; i < DATAGRAM_MAX_COMMANDS && left > 0; i++, left--) {
            size += write_command(bytes + size, kind, number);
            number = (uint16_t)(number + step);
        }
        post(who, bytes, size);
        if (net.waiting_count == MAX_WAITING)
            take_events(net.transport);
    }
    take_events(net.transport);
}

// --- What it costs ---

static size_t length(const ENetList *list)
{
    return enet_list_size((ENetList *)list);
}

static void check_lists(void)
{
    for (size_t i = 0; i < PEERS; i++) {
        const ENetPeer *peer = &net.transport->host->peers[i];
        for (size_t c = 0; c < peer->channelCount; c++) {
            assert(length(&peer->channels[c].incomingReliableCommands) <= PEER_GUARD_WINDOW);
            assert(length(&peer->channels[c].incomingUnreliableCommands) <= PEER_GUARD_HELD);
        }
        assert(length(&peer->dispatchedCommands) <=
               PEER_GUARD_COMMANDS + 2 * (PEER_GUARD_WINDOW + PEER_GUARD_HELD));
        assert(length(&peer->acknowledgements) <= PEER_GUARD_COMMANDS);
        assert(length(&peer->sentReliableCommands) + length(&peer->outgoingCommands) <=
               ROUND_TRIP_MESSAGES + OWN_COMMANDS);
    }
}

// The nodes that ENet passes on its way from the end of a list of what waits: all, at worst, that
// are not before the command.
static size_t count_visits(const ENetList *list, uint16_t base, uint16_t sequence)
{
    size_t visits = 1;
    for (const ENetListNode *node = list->sentinel.previous; node != &list->sentinel;
         node = node->previous, visits++) {
        const ENetIncomingCommand *waits = (const ENetIncomingCommand *)node;
        if ((uint16_t)(waits->reliableSequenceNumber - base) < (uint16_t)(sequence - base))
            break;
    }
    return visits;
}

static bool is_sent(const ENetPeer *peer, const struct datagram_command *command)
{
    const ENetList *const lists[] = {&peer->sentReliableCommands, &peer->outgoingCommands};
    for (size_t i = 0; i < 2; i++)
        for (const ENetListNode *node = lists[i]->sentinel.next; node != &lists[i]->sentinel;
             node = node->next) {
            const ENetOutgoingCommand *sent = (const ENetOutgoingCommand *)node;
            if (sent->reliableSequenceNumber == command->argument &&
                sent->command.header.channelID == command->channel && sent->sendAttempts > 0)
                return true;
        }
    return false;
}

// Whether ENet takes a datagram for a peer's.
static bool is_of(const ENetHost *host, const ENetPeer *peer)
{
    return peer->channels != NULL && peer->address.host == host->receivedAddress.host &&
           peer->address.port == host->receivedAddress.port &&
           peer->incomingSessionID == datagram_sender(host->receivedData).session;
}

// The nodes of lists that ENet will visit for a peer's datagram, those that come with it included.
// Also checks that acknowledgements match, and the peer's budget.
static size_t count_cost(const ENetHost *host, size_t id)
{
    const ENetPeer *peer = &host->peers[id];
    struct datagram_command command;
    size_t visits = 0, before = 0;
    for (bool more = datagram_first(host->receivedData, host->receivedDataLength, &command); more;
         more = datagram_next(host->receivedData, host->receivedDataLength, &command), before++) {
        if (command.number == WIRE_ACKNOWLEDGE) {
            assert(is_sent(peer, &command));
            continue;
        }
        net.commands[id]++;
        assert(net.commands[id] <= PEER_GUARD_COMMANDS);
        if (command.channel >= peer->channelCount)
            continue;
        const ENetChannel *channel = &peer->channels[command.channel];
        const uint16_t base = channel->incomingReliableSequenceNumber;
        if (command.number == WIRE_SEND_RELIABLE)
            visits +=
                before + count_visits(&channel->incomingReliableCommands, base, command.sequence);
        if (command.number == WIRE_SEND_UNRELIABLE)
            visits +=
                before + count_visits(&channel->incomingUnreliableCommands, base, command.sequence);
    }
    return visits;
}

int __real_transport_intercept(struct transport *transport, ENetHost *host);
int __wrap_transport_intercept(struct transport *transport, ENetHost *host);

// Looks at what the transport shows to ENet.
int __wrap_transport_intercept(struct transport *transport, ENetHost *host)
{
    const size_t received = host->receivedDataLength;
    const int verdict = __real_transport_intercept(transport, host);
    struct datagram_connect connect;
    check_lists();
    if (verdict != 0)
        return verdict;
    if (datagram_is_connect(host->receivedData, host->receivedDataLength, &connect)) {
        const struct udp_address from = net.transport->from;
        const struct secure_sessions *sessions = net.transport->sessions;
        const bool has_session = sessions != NULL && secure_sessions_has(sessions, from);
        assert(net.transport->is_secure == has_session);
        return verdict;
    }
    if (net.receive != net.transport->receives)
        memset(net.commands, 0, sizeof net.commands);
    net.receive = net.transport->receives;
    const uint16_t id = datagram_sender(host->receivedData).peer;
    assert(id < PEERS && udp_address_equal(net.transport->slots[id].from, net.transport->from));
    if (is_of(host, &host->peers[id]))
        assert(count_cost(host, id) <= VISITS_PER_BYTE * received);
    return verdict;
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
            assert(!net.requires_encryption || transport_is_secure(transport, event.peer));
            net.present[event.peer] = true;
            break;
        case TRANSPORT_DISCONNECTED:
            assert(net.present[event.peer]);
            net.present[event.peer] = false;
            break;
        case TRANSPORT_MESSAGE:
            assert(net.present[event.peer] && event.size <= RAIM_MAX_DATAGRAM_BYTES);
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
    check_lists();
}

static void operate(struct transport *transport, struct fuzz_input *input)
{
    static void (*const deeds[])(uint32_t, struct fuzz_input *) = {
        send_raw, send_connect_request, send_connect, send_commands, acknowledge, send_message,
    };
    enum { DEEDS = sizeof deeds / sizeof *deeds };
    static const uint8_t message[RAIM_MAX_MESSAGE_BYTES];
    const uint8_t byte = fuzz_byte(input), who = byte & 3, deed = byte >> 2 & 15;
    if (byte >> 6 == 3) {
        if (fuzz_byte(input) % 2 == 0) {
            repeat_command(who, input);
            return;
        }
        shake_hands(who, input);
        take_events(transport);
        transport_flush(transport);
        return;
    }
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

static bool has_ipv6(void)
{
    const int probe = socket(AF_INET6, SOCK_DGRAM, 0);
    if (probe >= 0)
        close(probe);
    return probe >= 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256];
    memset(&net, 0, sizeof net);
    net.now_ms = 1000000;
    net.is_dual = size % 5 >= 3 && has_ipv6();
    struct transport *transport =
        transport_open(net.is_dual ? "::" : "127.0.0.1", 0, PEERS, error, sizeof error);
    assert(transport != NULL);
    net.transport = transport;
    transport_enable_queries(transport, size % 2 != 0);
    transport_set_limits(transport, size % 3 != 0, &ADMISSION_LIMITS_DEFAULT);
    static const uint8_t key[RAIM_KEY_BYTES] = {1};
    const struct raim_connector_def anybody = {0};
    for (uint32_t who = 0; who < STRANGERS; who++) {
        net.strangers[who].connector = raim_connector_create(&anybody);
        raim_connector_begin(net.strangers[who].connector, NULL, (uint64_t)net.now_ms * 1000);
    }
    net.requires_encryption = size % 4 == 3;
    if (size % 4 > 0)
        assert(transport_enable_encryption(transport, key, net.requires_encryption));
    struct fuzz_input input = {data, size};
    while (input.left > 0)
        operate(transport, &input);
    take_events(transport);
    transport_flush(transport);
    assert(transport_stats(transport)->send_errors == 0);
    transport_close(transport);
    for (uint32_t who = 0; who < STRANGERS; who++)
        raim_connector_destroy(net.strangers[who].connector);
    return 0;
}
