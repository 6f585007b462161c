// SPDX-License-Identifier: MIT
// The client's end of the wire, with ENet below it and a network and a clock of our own: cookies,
// handshakes, invitations, encrypted and plain datagrams of its server and of anybody who sends in
// its name. What leaves goes to the server; a client that knows its server's key, beforehand or
// from a completed handshake, sends nothing but CONNECT_REQUEST and INIT in plain, and is welcomed
// by nobody else.
#define _GNU_SOURCE
#include "fuzz.h"

#include "connectionless.h"
#include "crypto.h"
#include "handshake.h"
#include "link.h"
#include "random.h"
#include "secure_sessions.h"

#include <arpa/inet.h>
#include <enet/enet.h>
#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 7246, MAX = 2048 };

struct datagram {
    size_t size;
    uint8_t bytes[MAX];
};

static struct {
    int64_t now_ms;
    uint64_t sent, received;          // bytes of the client's
    struct datagram incoming;         // for the client; none: size 0
    bool is_rejected;                 // an ICMP message waits in its place
    struct datagram opened;           // the newest of the client's, decrypted
    struct datagram response;         // to its last INIT
    struct datagram old;              // one that went to the client before
    struct raim_cookie offer;         // the last one sent
    struct secure_sessions *sessions; // the server's; each connection is of another port
    struct udp_address peer;
    uint64_t random;
    uint8_t head[2]; // of datagrams to the client: its peer's number and session
    uint16_t sequence;
    // Of the client: it was told the key, or a handshake was completed; the server answered its
    // INIT; a WELCOME may have come from the server.
    bool expects_key, is_welcomed;
} net;

// --- The kernel ---

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){.tv_sec = net.now_ms / 1000, .tv_nsec = net.now_ms % 1000 * 1000000};
    return 0;
}

// ENet's clock.
int gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    *now = (struct timeval){.tv_sec = net.now_ms / 1000, .tv_usec = net.now_ms % 1000 * 1000};
    return 0;
}

// libsodium's: the same keys of both ends for the same input.
void randombytes_buf(void *const bytes, const size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)raim_random_below(&net.random, 256);
}

// ENet draws the connection's number from its own address and the time.
ENetHost *__real_enet_host_create(const ENetAddress *address, size_t peers, size_t channels,
                                  enet_uint32 incoming, enet_uint32 outgoing);
ENetHost *__wrap_enet_host_create(const ENetAddress *address, size_t peers, size_t channels,
                                  enet_uint32 incoming, enet_uint32 outgoing);
ENetHost *__wrap_enet_host_create(const ENetAddress *address, size_t peers, size_t channels,
                                  enet_uint32 incoming, enet_uint32 outgoing)
{
    ENetHost *host = __real_enet_host_create(address, peers, channels, incoming, outgoing);
    if (host != NULL)
        host->randomSeed = 1;
    return host;
}

// Sockets of the Internet lead to the server, with no network below them. The pair between a link
// and ENet is real.
static bool is_to_server(int socket)
{
    int domain = AF_UNSPEC;
    socklen_t size = sizeof domain;
    return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_INET;
}

int connect(int socket, __CONST_SOCKADDR_ARG to_address, socklen_t size)
{
    (void)to_address, (void)size;
    assert(is_to_server(socket));
    return 0;
}

ssize_t recvmsg(int socket, struct msghdr *header, int flags)
{
    if (!is_to_server(socket))
        return syscall(SYS_recvmsg, socket, header, flags);
    const size_t size = net.incoming.size, room = header->msg_iov->iov_len;
    errno = net.is_rejected ? ECONNREFUSED : EWOULDBLOCK;
    net.is_rejected = false;
    if (size == 0 || errno == ECONNREFUSED)
        return -1;
    memcpy(header->msg_iov->iov_base, net.incoming.bytes, size < room ? size : room);
    header->msg_flags = size > room ? MSG_TRUNC : 0;
    net.received += size <= room ? size : 0;
    net.incoming.size = 0;
    return (ssize_t)(size < room ? size : room);
}

static bool is_connect(const uint8_t *data, size_t size)
{
    return size == 52 && data[0] == 0x8F && data[1] == 0xFF && (data[4] & 15) == 2;
}

// An honest handshake, which no mutator could guess: the server's answer is the next datagram.
static void take_init(const uint8_t *data, size_t size)
{
    struct raim_init init;
    struct raim_credential credential;
    uint8_t cookie[RAIM_COOKIE_BYTES], ephemeral[RAIM_KEY_BYTES];
    const struct secure_limits unlimited = {0};
    assert(raim_init_read(data, size, &init));
    struct raim_cookie told = net.offer;
    told.cookie = init.cookie;
    memcpy(told.server_key, secure_sessions_public_key(net.sessions), sizeof told.server_key);
    raim_crypto_random(ephemeral, sizeof ephemeral);
    size_t reply = secure_sessions_repeat(net.sessions, net.peer, &init, net.response.bytes);
    if (reply == 0 &&
        secure_sessions_read(net.sessions, &init, cookie, raim_cookie_write(&told, cookie),
                             ephemeral, &credential) &&
        secure_sessions_begin(net.sessions, net.peer, unlimited, RAIM_CREDENTIAL_SESSION,
                              net.now_ms, net.response.bytes) == DATAGRAM_OK)
        reply = RAIM_RESPONSE_BYTES;
    net.response.size = reply;
    if (reply > 0)
        secure_sessions_mark(net.sessions, net.peer);
}

// What the server does with it: it decrypts it where it can.
static void hear(const uint8_t *data, size_t size)
{
    uint8_t plain[MAX];
    enum datagram_verdict verdict;
    const enum raim_connectionless_kind kind = raim_connectionless_kind(data, size);
    const bool is_encrypted = size > RAIM_SECURE_BYTES && data[0] >> 6 == 1;
    assert(!net.expects_key || is_encrypted || kind == RAIM_CONNECTIONLESS_REQUEST ||
           kind == RAIM_CONNECTIONLESS_HANDSHAKE);
    if (kind == RAIM_CONNECTIONLESS_REQUEST) {
        struct raim_connect_request connect_request;
        assert(size == RAIM_CONNECTIONLESS_BYTES &&
               raim_connect_request_read(data, size, &connect_request));
        assert(!net.expects_key || connect_request.credential.kind == RAIM_CREDENTIAL_NONE);
        net.peer.port++; // the next connection's
        return;
    }
    if (kind == RAIM_CONNECTIONLESS_HANDSHAKE) {
        take_init(data, size);
        return;
    }
    const size_t opened =
        is_encrypted ? secure_sessions_decrypt(net.sessions, net.peer, data, size, plain, &verdict)
                     : 0;
    const uint8_t *from = opened > 0 ? plain : data;
    // Once it has encrypted, a client never sends plain again.
    net.expects_key |= opened > 0;
    net.opened.size = opened > 0 ? opened : size;
    memcpy(net.opened.bytes, from, net.opened.size);
}

ssize_t sendmsg(int socket, const struct msghdr *header, int flags)
{
    uint8_t whole[MAX] = {0};
    size_t size = 0;
    if (!is_to_server(socket))
        return syscall(SYS_sendmsg, socket, header, flags);
    for (size_t i = 0; i < header->msg_iovlen; i++) {
        assert(header->msg_iov[i].iov_len <= sizeof whole - size);
        memcpy(whole + size, header->msg_iov[i].iov_base, header->msg_iov[i].iov_len);
        size += header->msg_iov[i].iov_len;
    }
    net.sent += size;
    hear(whole, size);
    return (ssize_t)size;
}

// --- The server, and who would like to be it ---

static void post(struct raim_link *link, const uint8_t *bytes, size_t size, bool is_rejected)
{
    memcpy(net.incoming.bytes, bytes, size);
    net.incoming.size = size;
    net.old = net.incoming;
    net.is_rejected = is_rejected;
    raim_link_update(link);
}

// Encrypted where the server can and `encrypt` says so. Returns whether it was.
static bool post_sealed(struct raim_link *link, const uint8_t *bytes, size_t size, bool encrypt)
{
    uint8_t encrypted[MAX];
    const size_t whole = encrypt ? secure_sessions_encrypt(net.sessions, net.peer, net.now_ms,
                                                           bytes, size, encrypted)
                                 : 0;
    post(link, whole > 0 ? encrypted : bytes, whole > 0 ? whole : size, false);
    return whole > 0;
}

// The server's RESPONSE, or one with a byte changed.
static void respond(struct raim_link *link, struct fuzz_input *input)
{
    const uint8_t at = fuzz_byte(input);
    if (net.response.size == 0)
        return;
    if (at < net.response.size)
        net.response.bytes[at] ^= fuzz_byte(input);
    post(link, net.response.bytes, net.response.size, false);
}

static void send_raw(struct raim_link *link, struct fuzz_input *input)
{
    size_t size;
    const uint8_t choice = fuzz_byte(input);
    const uint8_t *block = fuzz_block(input, fuzz_pair(input) % 1400, &size);
    if (choice < 128)
        post(link, block, size, choice % 2 != 0);
    else
        post_sealed(link, block, size, true);
}

// What came before, changed in a place.
static void send_again(struct raim_link *link, struct fuzz_input *input)
{
    struct datagram again = net.old;
    if (again.size == 0)
        return;
    again.bytes[fuzz_pair(input) % again.size] ^= fuzz_byte(input);
    post(link, again.bytes, again.size, false);
}

static void send_cookie(struct raim_link *link, struct fuzz_input *input)
{
    const uint8_t choice = fuzz_byte(input);
    struct raim_cookie cookie = {
        .needs_admission = (choice & 1) != 0,
        .offers_encryption = (choice & 2) != 0,
        .needs_password = (choice & 34) == 34,
        .offers_aesgcm = (choice & 66) == 66,
        .cookie = 1u + choice,
        .arena = "duel",
    };
    uint8_t bytes[RAIM_COOKIE_BYTES];
    memcpy(cookie.server_key, secure_sessions_public_key(net.sessions), sizeof cookie.server_key);
    cookie.server_key[0] ^= (choice & 4) != 0; // somebody else's
    cookie.admitted = (choice & 16) != 0;
    net.offer = cookie;
    net.offer.admitted = false;
    post(link, bytes, raim_cookie_write(&cookie, bytes), (choice & 8) != 0);
}

// A plain rejection is final only for who does not expect encryption.
static void reject(struct raim_link *link, struct fuzz_input *input)
{
    const struct raim_rejected rejected = {.reason = fuzz_byte(input), .text = "rejected in plain"};
    uint8_t bytes[RAIM_REJECTED_BYTES];
    const bool was_open = raim_client_get_state(raim_link_client(link)) != RAIM_CLIENT_ENDED;
    post(link, bytes, raim_rejected_write(&rejected, bytes), rejected.reason % 2 != 0);
    assert(!net.expects_key || !was_open ||
           strcmp(raim_client_get_end(raim_link_client(link)).text, rejected.text) != 0);
}

// Answers the CONNECT that is to be answered, as ENet does; a byte may be another.
static void verify(struct raim_link *link, struct fuzz_input *input)
{
    const uint8_t *connect = net.opened.bytes;
    const uint8_t choice = fuzz_byte(input);
    if (!is_connect(connect, net.opened.size))
        return;
    net.head[0] = (uint8_t)(0x80 | (connect[8] & 15)); // in session 0
    net.head[1] = connect[9];
    net.sequence = 0;
    uint8_t bytes[4 + 8 + 44] = {net.head[0], net.head[1], 0, 0};
    const uint8_t acknowledge[8] = {1, 0xFF, 0, 0, connect[6], connect[7], connect[2], connect[3]};
    memcpy(bytes + 4, acknowledge, sizeof acknowledge);
    uint8_t *command = bytes + 12;
    memcpy(command, connect + 4, 44); // all that CONNECT has, but its data
    command[0] = 0x83;
    memset(command + 4, 0, 2); // the peer's number at the server
    command[6] = command[7] = 0;
    const size_t at = fuzz_byte(input); // beyond the end: as it should be
    if (at < sizeof bytes)
        bytes[at] ^= fuzz_byte(input);
    post_sealed(link, bytes, sizeof bytes, choice % 2 == 0);
}

static bool send_reliable(struct raim_link *link, const uint8_t *message, size_t size, bool encrypt)
{
    uint8_t bytes[10 + RAIM_MAX_MESSAGE_BYTES] = {net.head[0], net.head[1], 0, 0, 0x86, 0};
    net.sequence++;
    bytes[6] = (uint8_t)(net.sequence >> 8), bytes[7] = (uint8_t)net.sequence;
    bytes[8] = (uint8_t)(size >> 8), bytes[9] = (uint8_t)size;
    memcpy(bytes + 10, message, size);
    return post_sealed(link, bytes, 10 + size, encrypt);
}

static void send_message(struct raim_link *link, struct fuzz_input *input)
{
    size_t size;
    const uint8_t choice = fuzz_byte(input);
    const uint8_t *block = fuzz_block(input, fuzz_byte(input), &size);
    // What the server encrypts is its own doing: it may be a welcome.
    net.is_welcomed |= choice % 2 == 0;
    send_reliable(link, block, size, choice % 2 == 0);
}

static void welcome(struct raim_link *link, struct fuzz_input *input)
{
    const uint8_t choice = fuzz_byte(input);
    struct raim_welcome message = {
        .version = RAIM_PROTOCOL_VERSION,
        .player = 1024,
        .grace_s = 30,
        .tick = 1000,
        .tick_hz = 60,
        .max_players = 16,
        .shots = 6,
        .view_width = 1600,
        .view_height = 861,
        .border = {-32000, -16000, 32000, 16000},
        .rule_count = 8,
        .rules = {20, 300, 4, 900, 1.2, 0.25, 2, 1},
        .map_name = "duel",
        .token = {1, choice},
    };
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = raim_welcome_write(&message, bytes, sizeof bytes);
    net.is_welcomed |= choice % 2 == 0;
    const bool was_sealed = send_reliable(link, bytes, size, choice % 2 == 0);
    assert(was_sealed || !net.expects_key || net.is_welcomed ||
           raim_client_get_state(raim_link_client(link)) != RAIM_CLIENT_ENTERING);
}

// One that may be right calls it back only where it is.
static void invite(struct raim_link *link, struct fuzz_input *input)
{
    const uint8_t *token = raim_client_token(raim_link_client(link));
    const uint8_t choice = fuzz_byte(input);
    struct raim_invite message = {.nonce = {choice}};
    uint8_t bytes[RAIM_INVITE_BYTES];
    const uint64_t hash =
        token != NULL ? raim_crypto_siphash(token, message.nonce, sizeof message.nonce) : 0;
    for (int i = 0; i < 8; i++)
        message.proof[i] = (uint8_t)(hash >> 8 * i);
    message.proof[0] ^= choice % 2;
    const enum raim_client_state state = raim_client_get_state(raim_link_client(link));
    post(link, bytes, raim_invite_write(&message, bytes), (choice & 2) != 0);
    assert(choice % 2 == 0 || state != RAIM_CLIENT_ENTERING ||
           raim_client_get_state(raim_link_client(link)) == state);
}

static void pass_time(struct raim_link *link, struct fuzz_input *input)
{
    net.now_ms += fuzz_byte(input) * 10;
    raim_link_update(link);
}

static void act(struct raim_link *link, struct fuzz_input *input)
{
    const uint8_t choice = fuzz_byte(input);
    const raim_input pressed = {.fire = choice & 1};
    if (choice < 100 && raim_link_is_input_due(link))
        raim_link_send_input(link, &pressed);
    else if (choice < 240)
        raim_link_send_chat(link, "hello");
    else
        raim_link_leave(link);
}

static void (*const deeds[])(struct raim_link *link, struct fuzz_input *input) = {
    send_cookie, verify,    welcome, send_message, send_raw, send_again,
    invite,      pass_time, act,     respond,      reject,
};
enum { DEEDS = sizeof deeds / sizeof *deeds };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t key[RAIM_KEY_BYTES] = {1};
    struct fuzz_input input = {data, size};
    const uint8_t start = fuzz_byte(&input);
    struct raim_client_def def = raim_client_default_def();
    memset(&net, 0, sizeof net);
    net.now_ms = 1000000;
    net.peer.ip.low = 1;
    net.sessions = secure_sessions_create(4, key, 1);
    assert(net.sessions != NULL);
    net.random = start; // after libsodium has drawn what it draws once
    net.expects_key = (start & 1) != 0;
    def.server_key = net.expects_key ? secure_sessions_public_key(net.sessions) : NULL;
    def.require_encryption = (start & 2) != 0;
    net.expects_key |= def.require_encryption;
    struct raim_link *link = raim_link_open("127.0.0.1", PORT, &def);
    assert(link != NULL);
    while (input.left > 0)
        deeds[fuzz_byte(&input) % DEEDS](link, &input);
    const struct raim_link_traffic traffic = raim_link_get_traffic(link);
    assert(traffic.bytes_up == net.sent && traffic.bytes_down <= net.received);
    const enum raim_client_state state = raim_client_get_state(raim_link_client(link));
    assert(!(start & 1) || net.is_welcomed || state == RAIM_CLIENT_CONNECTING ||
           state == RAIM_CLIENT_ENDED);
    raim_link_close(link);
    secure_sessions_destroy(net.sessions);
    return 0;
}
