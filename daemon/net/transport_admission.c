// SPDX-License-Identifier: MIT
// Answers connectionless datagrams, and checks CONNECTs against admission and the connections.
#define _GNU_SOURCE // struct mmsghdr, for batch.h
#include "transport_admission.h"

#include "gateways.h"
#include "monotonic.h"
#include "secure_sessions.h"
#include "transport_budget.h"
#include "transport_datagrams.h"

#include <enet/enet.h>
#include <time.h>

void transport_sweep_sessions(struct transport *transport)
{
    for (size_t i = 0; i < transport->host->peerCount; i++) {
        const ENetPeer *peer = &transport->host->peers[i];
        if (peer->state == ENET_PEER_STATE_DISCONNECTED)
            continue;
        if (transport->sessions != NULL)
            secure_sessions_mark(transport->sessions, transport_peer_address(transport, peer));
        if (transport->gateways != NULL)
            gateways_mark(transport->gateways, transport_peer_address(transport, peer));
    }
    transport->swept_ms = monotonic_ms();
    if (transport->sessions != NULL)
        secure_sessions_sweep(transport->sessions, transport->swept_ms);
    if (transport->gateways != NULL)
        gateways_sweep(transport->gateways);
}

// Whether ENet has a peer, plain or encrypted, at this address and port.
static bool has_peer(const struct transport *transport, struct udp_address from)
{
    const ENetHost *host = transport->host;
    for (size_t i = 0; i < host->peerCount; i++)
        if (host->peers[i].state != ENET_PEER_STATE_DISCONNECTED &&
            udp_address_equal(transport->slots[i].from, from))
            return true;
    return false;
}

// Begins the session of the INIT just read, or writes its rejection. Returns the verdict to count.
static enum datagram_verdict begin_session(struct transport *transport, struct udp_address from,
                                           const struct raim_credential *credential,
                                           uint8_t reply[RAIM_RESPONSE_BYTES], size_t *size)
{
    const bool is_limited = admission_is_limited(&transport->admission, from.ip);
    const struct admission_limits *limits = &transport->admission.limits;
    enum raim_credential_kind accepted;
    const enum datagram_verdict verdict = admission_check_credential(
        &transport->admission, from.ip, credential, monotonic_us(), &accepted);
    if (verdict != DATAGRAM_OK) {
        *size = secure_sessions_reject(transport->sessions, admission_reason(verdict), reply);
        return verdict;
    }
    *size = RAIM_RESPONSE_BYTES;
    // A session would take over the datagrams of the existing peer.
    if (has_peer(transport, from))
        return DATAGRAM_SESSIONS;
    transport_sweep_sessions(transport);
    return secure_sessions_begin(transport->sessions, from,
                                 (struct secure_limits){
                                     .of_address = is_limited ? limits->connections_per_address : 0,
                                     .of_network = is_limited ? limits->connections_per_network : 0,
                                 },
                                 accepted, monotonic_ms(), reply);
}

// Answers an INIT, and begins its session.
static void receive_init(struct transport *transport, const struct received *datagram)
{
    const struct udp_address from = datagram->from;
    struct raim_init init;
    struct raim_credential credential;
    uint8_t reply[RAIM_RESPONSE_BYTES], cookie[RAIM_COOKIE_BYTES], ephemeral[RAIM_KEY_BYTES];
    size_t cookie_size;
    if (transport->sessions == NULL || !raim_init_read(datagram->data, datagram->size, &init)) {
        transport_reject(transport, DATAGRAM_CONNECTIONLESS);
        return;
    }
    size_t size = secure_sessions_repeat(transport->sessions, from, &init, reply);
    enum datagram_verdict verdict = DATAGRAM_OK;
    if (size == 0) {
        verdict = admission_check_init(&transport->admission, from, init.cookie, monotonic_us(),
                                       cookie, &cookie_size);
        if (verdict != DATAGRAM_OK) {
            transport_reject(transport, verdict);
            return;
        }
        raim_crypto_random(ephemeral, sizeof ephemeral);
        const bool reads = secure_sessions_read(transport->sessions, &init, cookie, cookie_size,
                                                ephemeral, &credential);
        raim_crypto_wipe(ephemeral, sizeof ephemeral);
        if (!reads) {
            admission_fail_init(&transport->admission, from.ip, monotonic_us());
            transport_reject(transport, DATAGRAM_FORGED);
            return;
        }
        verdict = begin_session(transport, from, &credential, reply, &size);
        raim_crypto_wipe(&credential, sizeof credential);
    }
    if (verdict != DATAGRAM_OK)
        transport_reject(transport, verdict);
    if (verdict != DATAGRAM_SESSIONS && verdict != DATAGRAM_FORGED && size > 0)
        transport_queue_plain(transport, from, reply, size);
}

static enum datagram_verdict announce(struct transport *transport, struct udp_address socket,
                                      const struct received *datagram)
{
    const struct admission_limits *limits = &transport->admission.limits;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return gateways_announce(transport->gateways, socket, datagram->data, datagram->size,
                             (struct secure_limits){
                                 .of_address = limits->connections_per_address,
                                 .of_network = limits->connections_per_network,
                             },
                             (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000,
                             transport->now_ms);
}

// Learns the player of a gateway's socket.
static void receive_announcement(struct transport *transport, const struct received *datagram)
{
    struct udp_address socket = datagram->from;
    enum datagram_verdict verdict = DATAGRAM_CONNECTIONLESS;
    if (transport->gateways != NULL && gateways_resolve(transport->gateways, &socket)) {
        verdict = announce(transport, socket, datagram);
        if (verdict == DATAGRAM_CONNECTIONS) { // many have come and gone since the last sweep
            transport_sweep_sessions(transport);
            verdict = announce(transport, socket, datagram);
        }
    }
    if (verdict == DATAGRAM_OK)
        transport->stats.announcements++;
    else
        transport_reject(transport, verdict);
}

enum query_kind transport_receive_connectionless(struct transport *transport,
                                                 const struct received *datagram)
{
    struct admission_answer answer;
    switch (raim_connectionless_kind(datagram->data, datagram->size)) {
    case RAIM_CONNECTIONLESS_HANDSHAKE:
        receive_init(transport, datagram);
        return QUERY_NONE;
    case RAIM_CONNECTIONLESS_ANNOUNCEMENT:
        receive_announcement(transport, datagram);
        return QUERY_NONE;
    default:
        break;
    }
    const struct udp_address from = datagram->from;
    admission_receive(&transport->admission, from, datagram->data, datagram->size, monotonic_us(),
                      &answer);
    switch (answer.verdict) {
    case ADMISSION_REJECTED:
        transport_reject(transport, answer.rejection);
        break;
    case ADMISSION_DROPPED:
        transport->stats.queries_limited++;
        break;
    case ADMISSION_CHALLENGED:
        transport_queue_plain(transport, from, answer.reply, answer.size);
        transport->stats.queries++;
        break;
    case ADMISSION_ANSWERED:
        if (answer.rejection != DATAGRAM_OK)
            transport_reject(transport, answer.rejection);
        if (answer.notice_size > 0)
            transport_queue_plain(transport, from, answer.notice, answer.notice_size);
        if (answer.size > 0)
            transport_queue_plain(transport, from, answer.reply, answer.size);
        break;
    case ADMISSION_QUERY:
        return answer.query;
    }
    return QUERY_NONE;
}

// Whether the address of a CONNECT and its network may have another connection. May drop an idle
// one of theirs to make room. Walks all peers, as ENet does next.
static bool has_room(struct transport *transport, struct udp_address from, uint32_t id)
{
    const struct admission_limits *limits = &transport->admission.limits;
    const uint64_t host = ip_address_host(from.ip), network = ip_address_network(from.ip);
    uint32_t of_address = 0, of_network = 0;
    ENetPeer *idle_of_address = NULL, *idle_of_network = NULL;
    if (!admission_is_limited(&transport->admission, from.ip))
        return true;
    for (size_t i = 0; i < transport->host->peerCount; i++) {
        ENetPeer *peer = &transport->host->peers[i];
        const struct udp_address *other = &transport->slots[i].from;
        if (peer->state == ENET_PEER_STATE_DISCONNECTED || ip_address_network(other->ip) != network)
            continue;
        const bool is_same = ip_address_host(other->ip) == host;
        // A repeated CONNECT, which ENet recognizes.
        if (udp_address_equal(*other, from) && peer->connectID == id)
            return true;
        const bool idle = transport_is_idle(transport, peer);
        of_network++;
        idle_of_network = idle ? peer : idle_of_network;
        of_address += is_same;
        idle_of_address = idle && is_same ? peer : idle_of_address;
    }
    ENetPeer *evicted = NULL;
    if (of_address >= limits->connections_per_address)
        evicted = idle_of_address;
    else if (limits->connections_per_network > 0 && of_network >= limits->connections_per_network)
        evicted = idle_of_network;
    else
        return true;
    if (evicted != NULL)
        transport_drop(transport, evicted);
    return evicted != NULL;
}

static int admit(struct transport *transport, ENetHost *host, struct datagram_connect connect)
{
    const struct udp_address from = transport->from;
    enum datagram_verdict verdict =
        admission_admit(&transport->admission, from, connect, transport->is_secure, monotonic_us());
    // The session may have begun while the CONNECT waited for ENet.
    if (verdict == DATAGRAM_OK && !transport->is_secure && transport->sessions != NULL &&
        secure_sessions_has(transport->sessions, from))
        verdict = DATAGRAM_UNENCRYPTED;
    if (verdict != DATAGRAM_OK)
        return transport_reject(transport, verdict);
    const ENetPeer *peer = has_room(transport, from, connect.id)
                               ? transport_make_room(transport, from, connect.id)
                               : NULL;
    if (peer == NULL)
        return transport_reject(transport, DATAGRAM_CONNECTIONS);
    transport_set_sender(host, peer);
    if (transport->gateways != NULL)
        gateways_keep(transport->gateways, from);
    if (peer->state == ENET_PEER_STATE_DISCONNECTED) { // not a repeated CONNECT, which ENet ignores
        const uint16_t index = (uint16_t)(peer - host->peers);
        transport->slots[index].client_id = datagram_rename_connect(host->receivedData, index);
    }
    // ENet 1.3.17 adopts the MTU in a client's CONNECT and returns it. A larger MTU than ours would
    // exceed the batches' buffers, and one smaller than every message fits would turn snapshots
    // into reliable fragments. A client that asked for less still sends no more than it asked for.
    datagram_limit_mtu(host->receivedData, RAIM_SMALL_DATAGRAM_BYTES, RAIM_MAX_DATAGRAM_BYTES);
    datagram_unlimit_connect(host->receivedData);
    return 0;
}

int transport_intercept(struct transport *transport, ENetHost *host)
{
    struct datagram_connect connect;
    if (datagram_is_connect(host->receivedData, host->receivedDataLength, &connect))
        return admit(transport, host, connect);
    return transport_filter(transport, host);
}
