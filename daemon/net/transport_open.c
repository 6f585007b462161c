// SPDX-License-Identifier: MIT
// Opens, configures and closes a transport: its socket, its ENet host, its limits and keys.
#define _GNU_SOURCE // struct mmsghdr, for batch.h
#include "transport.h"

#include "enet_carrier.h"
#include "gateways.h"
#include "monotonic.h"
#include "secure_sessions.h"
#include "transport_admission.h"
#include "transport_budget.h"
#include "transport_datagrams.h"

#include <assert.h>
#include <enet/enet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SOCKET_BUFFER_BYTES = 4 * 1024 * 1024,
    // Received bytes that ENet may hold for one peer, in gaps or until transport_poll.
    MAX_WAITING_BYTES = 16 * 1024,
};

static_assert(RAIM_MAX_PEERS == ENET_PROTOCOL_MAXIMUM_PEER_ID, "ENet's ids");
static_assert(RAIM_MAX_DATAGRAM_BYTES >= ENET_PROTOCOL_MINIMUM_MTU, "ENet would raise it");
static_assert(RAIM_MAX_DATAGRAM_BYTES <= ENET_PROTOCOL_MAXIMUM_MTU, "ENet's receive buffer");
static_assert(RAIM_MAX_DATAGRAM_BYTES + RAIM_SECURE_BYTES + 40 + 8 <= 1280,
              "what every link carries");

static void ignore_no_memory(void)
{
    // ENet aborts by default. Its callers handle NULL: the datagram or message is lost.
}

static void initialize_enet(void)
{
    const ENetCallbacks callbacks = {.no_memory = ignore_no_memory};
    const int status = enet_initialize_with_callbacks(ENET_VERSION, &callbacks);
    assert(status == 0);
}

// The end of the datagrams also ends ENet's service before it sends acknowledgements, so that they
// share datagrams with the tick's messages.
static int receive_for_enet(void *context, ENetHost *host)
{
    struct transport *transport = context;
    const struct received *datagram;
    while ((datagram = enet_queue_take(&transport->queue)) != NULL) {
        transport->is_secure = datagram->is_secure;
        transport->from = datagram->from;
        host->receivedData = datagram->data;
        host->receivedDataLength = datagram->size;
        if (transport_intercept(transport, host) == 0)
            return 0;
    }
    return -1;
}

static void send_of_enet(void *context, uint8_t *data, size_t size)
{
    transport_send_of_enet(context, data, size);
}

// Sets a socket buffer's size; a privileged process may exceed the administrator's limit.
static void request_buffer(int socket, int forced_option, int option)
{
    const int bytes = SOCKET_BUFFER_BYTES;
    if (setsockopt(socket, SOL_SOCKET, forced_option, &bytes, sizeof bytes) != 0)
        setsockopt(socket, SOL_SOCKET, option, &bytes, sizeof bytes);
}

// Initializes ENet and libsodium once per process.
static bool prepare(char *error, size_t capacity)
{
    static pthread_once_t initialized = PTHREAD_ONCE_INIT;
    pthread_once(&initialized, initialize_enet);
    const bool good = raim_crypto_init();
    if (!good)
        snprintf(error, capacity,
                 "cannot open the UDP port: the system provides no random numbers");
    return good;
}

// Creates a transport's ENet host and its carrier. False, with errno, on failure.
static bool create_host(struct transport *transport, uint32_t peers)
{
    const struct raim_enet_carrier_def def = {
        .context = transport,
        .receive = receive_for_enet,
        .send = send_of_enet,
    };
    errno = ENOMEM;
    ENetHost *host = enet_host_create(NULL, peers, CHANNELS, 0, 0);
    if (host == NULL)
        return false;
    host->maximumPacketSize = RAIM_MAX_DATAGRAM_BYTES;
    host->maximumWaitingData = MAX_WAITING_BYTES;
    transport->host = host;
    transport->carrier = raim_enet_carrier_create(host, &def);
    return transport->carrier != NULL;
}

static void destroy_host(struct transport *transport)
{
    if (transport->host != NULL)
        enet_host_destroy(transport->host);
    raim_enet_carrier_destroy(transport->carrier);
}

static int open_socket(const char *address, uint16_t port, char *error, size_t capacity)
{
    const int socket = socket_address_open(address, port, SOCK_DGRAM, error, capacity);
    if (socket < 0)
        return -1;
    request_buffer(socket, SO_RCVBUFFORCE, SO_RCVBUF);
    request_buffer(socket, SO_SNDBUFFORCE, SO_SNDBUF);
    return socket;
}

static struct transport *create_transport(int socket, uint32_t peers, char *error, size_t capacity)
{
    union socket_address bound;
    const bool good = socket_address_of(socket, &bound);
    assert(good);
    struct transport *transport = calloc(1, sizeof *transport + peers * sizeof transport->slots[0]);
    struct peer_guard *guards = calloc(peers, sizeof *guards);
    if (transport == NULL || guards == NULL || !create_host(transport, peers)) {
        snprintf(error, capacity, "cannot open the UDP port: %s", strerror(errno));
        close(socket);
        free(guards);
        if (transport != NULL)
            destroy_host(transport);
        free(transport);
        return NULL;
    }
    transport->guards = guards; // zero until the CONNECT of their peer initializes them
    transport->deadline_ms = INT64_MAX;
    struct {
        struct admission_secrets admission;
        uint64_t addresses;
    } secrets;
    raim_crypto_random(&secrets, sizeof secrets);
    address_budget_init(&transport->addresses, 1, 1, secrets.addresses);
    transport->socket = socket;
    transport->port = socket_address_port(&bound);
    transport->slot_count = peers;
    admission_init(&transport->admission, transport->port, &secrets.admission);
    raim_crypto_wipe(&secrets, sizeof secrets);
    transport_limit_addresses(transport);
    const bool has_locals = bound.any.sa_family == AF_INET6 &&
                            IN6_IS_ADDR_UNSPECIFIED(&bound.v6.sin6_addr) &&
                            local_address_enable(socket);
    batch_init(&transport->in, bound.any.sa_family, has_locals);
    batch_init(&transport->out, bound.any.sa_family, has_locals);
    enet_queue_init(&transport->queue);
    transport->now_ms = monotonic_ms();
    return transport;
}

struct transport *transport_open(const char *address, uint16_t port, uint32_t peers, char *error,
                                 size_t capacity)
{
    assert(peers >= 1 && peers <= RAIM_MAX_PEERS);
    if (!prepare(error, capacity))
        return NULL;
    const int socket = open_socket(address, port, error, capacity);
    return socket >= 0 ? create_transport(socket, peers, error, capacity) : NULL;
}

// Leaves the socket's buffer sizes unchanged, because the program that bound it has set them and
// may have had more privileges.
struct transport *transport_adopt(int socket, uint32_t peers, char *error, size_t capacity)
{
    assert(peers >= 1 && peers <= RAIM_MAX_PEERS);
    if (!prepare(error, capacity)) {
        close(socket);
        return NULL;
    }
    union socket_address bound;
    if (!socket_address_of(socket, &bound) ||
        enet_socket_set_option(socket, ENET_SOCKOPT_NONBLOCK, 1) != 0) {
        snprintf(error, capacity, "cannot use the passed socket: %s", strerror(errno));
        close(socket);
        return NULL;
    }
    return create_transport(socket, peers, error, capacity);
}

void transport_close(struct transport *transport)
{
    if (transport == NULL)
        return;
    if (transport->message != NULL)
        enet_packet_destroy(transport->message);
    // Must precede free(transport): it frees queued packets, whose callbacks write to the slots.
    destroy_host(transport);
    close(transport->socket);
    free(transport->guards);
    secure_sessions_destroy(transport->sessions);
    gateways_destroy(transport->gateways);
    free(transport);
}

void transport_set_dscp(struct transport *transport, uint32_t dscp)
{
    // The two lower bits are for congestion notification (ECN). A kernel without the option sends
    // unmarked.
    const int class = (int)dscp << 2;
    setsockopt(transport->socket, IPPROTO_IP, IP_TOS, &class, sizeof class);
    if (transport->in.family == AF_INET6)
        setsockopt(transport->socket, IPPROTO_IPV6, IPV6_TCLASS, &class, sizeof class);
}

void transport_enable_queries(struct transport *transport, bool admit)
{
    transport->admission.answers_queries = admit;
}

void transport_set_limits(struct transport *transport, bool requires_cookies,
                          const struct admission_limits *limits)
{
    transport->admission.requires_cookies = requires_cookies;
    admission_set_limits(&transport->admission, limits);
    transport_limit_addresses(transport);
}

void transport_limit_time(struct transport *transport, uint32_t us)
{
    transport->time_us = us;
}

void transport_set_services(struct transport *transport, const char *arena, bool needs_admission,
                            const uint8_t *salt)
{
    struct raim_cookie *offer = &transport->admission.offer;
    assert(strlen(arena) > 0 && strlen(arena) < sizeof offer->arena);
    strcpy(offer->arena, arena);
    offer->needs_admission = needs_admission;
    offer->needs_password = salt != NULL && transport->sessions != NULL;
    if (offer->needs_password)
        memcpy(offer->salt, salt, sizeof offer->salt);
}

void transport_set_policy(struct transport *transport, const struct admission_policy *policy)
{
    transport->admission.policy = *policy;
}

bool transport_enable_encryption(struct transport *transport, const uint8_t secret[RAIM_KEY_BYTES],
                                 bool required)
{
    assert(transport->sessions == NULL);
    struct raim_cookie *offer = &transport->admission.offer;
    // One session per peer slot, and as many that are still connecting.
    uint64_t hash;
    raim_crypto_random(&hash, sizeof hash);
    transport->sessions = secure_sessions_create(2 * transport->slot_count, secret, hash);
    if (transport->sessions == NULL)
        return false;
    offer->offers_encryption = true;
    offer->offers_aesgcm = raim_crypto_has_aesgcm();
    offer->requires_encryption = required;
    memcpy(offer->server_key, secure_sessions_public_key(transport->sessions),
           sizeof offer->server_key);
    return true;
}

bool transport_enable_gateways(struct transport *transport, const uint8_t *key)
{
    assert(transport->gateways == NULL);
    uint64_t hash;
    raim_crypto_random(&hash, sizeof hash);
    transport->gateways = gateways_create(transport->slot_count, key, hash);
    return transport->gateways != NULL;
}
