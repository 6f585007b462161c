// SPDX-License-Identifier: MIT
// Reads and writes the socket in batches, finds connections by their ids, and admits new ones.
#define _GNU_SOURCE // batch.h
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include "quic_internal.h"

#include "certificate.h"
#include "crypto.h"
#include "loop.h"
#include "monotonic.h"
#include "rate_limit.h"

#include <gnutls/gnutls.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A handshake takes 1.2 ms of a processor. 300 a second leave two thirds of it to those who play.
// Clients that have not proven their addresses share the rate of one network: what forged datagrams
// take, nobody else misses. The second half of the burst is for networks that have begun few.
static const struct rate handshakes_of_network = {.interval = 200, .burst = 128}; // ms
static const struct rate handshakes_of_all = {.interval = 3, .burst = 512};       // ms

enum {
    FEW_HANDSHAKES = 8,
    BATCHES = 4, // that are read in turn before others have theirs
    // Timers of ngtcp2 may be so late: acknowledgements then go with the next datagram, and the
    // timers of many connections share a wake-up.
    SLACK_MS = 16,
    LIST_MS = 1000, // at most between two looks at all connections
    RETRY_TOKEN_S = 10,
    VERSION_1 = NGTCP2_PROTO_VER_V1,
    MIN_INITIAL_BYTES = 1200, // of a client's first packet (RFC 9000, section 14.1)
    MIN_RESET_BYTES = 43,     // of a packet that is answered by a reset, which is shorter
    RESET_RANDOM_BYTES = 22,
};

ngtcp2_tstamp quic_now(void)
{
    return monotonic_ns();
}

// --- The table of connections ---

static struct quic_cid **row_of(const struct quic *quic, const uint8_t *id, size_t size)
{
    return &quic->rows[raim_crypto_siphash(quic->hash_key, id, size) & quic->row_mask];
}

bool quic_add_cid(struct quic_connection *connection, const ngtcp2_cid *id)
{
    for (int i = 0; i < QUIC_MAX_CIDS; i++) {
        struct quic_cid *cid = &connection->cids[i];
        if (cid->connection != NULL)
            continue;
        struct quic_cid **row = row_of(connection->quic, id->data, id->datalen);
        *cid = (struct quic_cid){.id = *id, .connection = connection, .next = *row};
        *row = cid;
        return true;
    }
    return false;
}

void quic_remove_cid(struct quic_connection *connection, const ngtcp2_cid *id)
{
    struct quic_cid **link = row_of(connection->quic, id->data, id->datalen);
    while (*link != NULL &&
           ((*link)->connection != connection || ngtcp2_cid_eq(&(*link)->id, id) == 0))
        link = &(*link)->next;
    if (*link == NULL)
        return;
    struct quic_cid *cid = *link;
    *link = cid->next;
    cid->connection = NULL;
}

static struct quic_connection *find(const struct quic *quic, const uint8_t *id, size_t size)
{
    for (const struct quic_cid *cid = *row_of(quic, id, size); cid != NULL; cid = cid->next)
        if (cid->id.datalen == size && memcmp(cid->id.data, id, size) == 0)
            return cid->connection;
    return NULL;
}

// --- Sending ---

void quic_flush(struct quic *quic)
{
    const struct batch_sent sent = batch_send(&quic->out, quic->def.socket);
    quic->def.counts->packets_out += sent.packets;
    quic->def.counts->dropped_unsent += sent.errors;
}

uint8_t *quic_packet(struct quic *quic)
{
    if (quic->out.count == BATCH_DATAGRAMS)
        quic_flush(quic);
    return batch_buffer(&quic->out);
}

void quic_add_packet(struct quic *quic, struct udp_address to, size_t size)
{
    batch_add(&quic->out, to, size);
}

// Answers a stranger with what ngtcp2 has written.
static bool answer(struct quic *quic, struct udp_address to, ngtcp2_ssize size)
{
    if (size > 0)
        quic_add_packet(quic, to, (size_t)size);
    return size > 0;
}

// --- Strangers ---

// A datagram of nobody who is connected.
struct stranger {
    struct udp_address from;
    const union socket_address *address;
    const uint8_t *packet;
    size_t size;
};

static void offer_version(struct quic *quic, const struct stranger *stranger,
                          const ngtcp2_version_cid *ids)
{
    // Of two versions, one that is reserved, so that clients get used to unknown ones.
    const uint32_t versions[] = {0x1a2a3a4a, VERSION_1};
    uint8_t random;
    if (stranger->size < MIN_INITIAL_BYTES || ids->dcidlen > NGTCP2_MAX_CIDLEN ||
        ids->scidlen > NGTCP2_MAX_CIDLEN) {
        quic->def.counts->dropped_malformed++;
        return;
    }
    raim_crypto_random(&random, sizeof random);
    quic->def.counts->versions +=
        answer(quic, stranger->from,
               ngtcp2_pkt_write_version_negotiation(quic_packet(quic), QUIC_PACKET_BYTES, random,
                                                    ids->scid, ids->scidlen, ids->dcid,
                                                    ids->dcidlen, versions, 2));
}

// Tells a client of an earlier process that its connection is gone (RFC 9000, section 10.3).
static void reset(struct quic *quic, const struct stranger *stranger, const ngtcp2_version_cid *ids)
{
    uint8_t token[NGTCP2_STATELESS_RESET_TOKENLEN], random[RESET_RANDOM_BYTES];
    ngtcp2_cid id;
    if (stranger->size < MIN_RESET_BYTES) {
        quic->def.counts->dropped_malformed++;
        return;
    }
    ngtcp2_cid_init(&id, ids->dcid, ids->dcidlen);
    raim_crypto_random(random, sizeof random);
    if (ngtcp2_crypto_generate_stateless_reset_token(token, quic->secret, QUIC_SECRET_BYTES, &id) ==
        0)
        quic->def.counts->resets +=
            answer(quic, stranger->from,
                   ngtcp2_pkt_write_stateless_reset(quic_packet(quic), QUIC_PACKET_BYTES, token,
                                                    random, sizeof random));
}

static void refuse(struct quic *quic, const struct stranger *stranger, const ngtcp2_pkt_hd *header,
                   uint64_t error)
{
    answer(quic, stranger->from,
           ngtcp2_crypto_write_connection_close(quic_packet(quic), QUIC_PACKET_BYTES,
                                                header->version, &header->scid, &header->dcid,
                                                error, NULL, 0));
}

static void send_retry(struct quic *quic, const struct stranger *stranger,
                       const ngtcp2_pkt_hd *header)
{
    uint8_t token[NGTCP2_CRYPTO_MAX_RETRY_TOKENLEN];
    ngtcp2_cid id = {.datalen = QUIC_CID_BYTES};
    raim_crypto_random(id.data, id.datalen);
    const ngtcp2_ssize size = ngtcp2_crypto_generate_retry_token(
        token, quic->secret, QUIC_SECRET_BYTES, header->version, &stranger->address->any,
        socket_address_size(stranger->address), &id, &header->dcid, quic_now());
    if (size > 0)
        quic->def.counts->retries += answer(
            quic, stranger->from,
            ngtcp2_crypto_write_retry(quic_packet(quic), QUIC_PACKET_BYTES, header->version,
                                      &header->scid, &id, &header->dcid, token, (size_t)size));
}

// Whose handshakes an unproven client's are.
static const struct ip_address unproven = {0};

static bool take_handshake(struct quic *quic, struct ip_address ip)
{
    const int64_t now_ms = (int64_t)monotonic_ms();
    const bool is_scarce = rate_bucket_left(quic->handshakes->all, handshakes_of_all, now_ms) <=
                           handshakes_of_all.burst / 2;
    const int64_t least = is_scarce ? handshakes_of_network.burst - FEW_HANDSHAKES : 0;
    return rate_limit_left(quic->handshakes, ip, now_ms) > least &&
           rate_limit_take(quic->handshakes, ip, now_ms);
}

uint64_t *quic_find_excess(const struct quic *quic, struct ip_address ip)
{
    const struct quic_limits *limits = &quic->def.limits;
    uint32_t of_address = 0, of_network = 0;
    for (const struct quic_connection *other = quic->list; other != NULL; other = other->next) {
        of_address += other->is_proven && ip_address_host(other->from.ip) == ip_address_host(ip);
        of_network +=
            other->is_proven && ip_address_network(other->from.ip) == ip_address_network(ip);
    }
    return of_address >= limits->of_address   ? &quic->def.counts->rejected_address
           : of_network >= limits->of_network ? &quic->def.counts->rejected_network
                                              : NULL;
}

// The connection that makes room in a full table, so that strangers shut nobody out: the oldest
// without a session, or else the oldest whose session nobody plays by.
static struct quic_connection *find_useless(const struct quic *quic)
{
    struct quic_connection *without = NULL, *unused = NULL;
    const uint64_t now_ms = monotonic_ms();
    for (struct quic_connection *each = quic->list; each != NULL; each = each->next) {
        if (!each->is_touched && each->session == NULL)
            without = each;
        else if (!each->is_touched &&
                 (each->used_ms == 0 || now_ms - each->used_ms > QUIC_UNUSED_MS))
            unused = each;
    }
    return without != NULL ? without : unused;
}

// Whether the limits have room for a connection of this address.
static bool admit(struct quic *quic, struct ip_address ip, bool is_proven)
{
    struct web_counts *counts = quic->def.counts;
    const bool is_full = counts->connections >= quic->def.limits.connections;
    struct quic_connection *useless = is_full ? find_useless(quic) : NULL;
    uint64_t *rejected =
        is_full && useless == NULL ? &counts->rejected_full : quic_find_excess(quic, ip);
    if (rejected == NULL && !take_handshake(quic, is_proven ? ip : unproven))
        rejected = &counts->rejected_rate;
    if (rejected != NULL) {
        ++*rejected;
    } else if (is_full) {
        counts->displaced++;
        quic_connection_destroy(useless);
    }
    return rejected == NULL;
}

// The connection of a client's first packet. NULL: it was answered without one, or dropped.
static struct quic_connection *greet(struct quic *quic, const struct stranger *stranger)
{
    ngtcp2_pkt_hd header;
    ngtcp2_cid original;
    size_t token_bytes;
    if (stranger->size < MIN_INITIAL_BYTES ||
        ngtcp2_accept(&header, stranger->packet, stranger->size) != 0) {
        quic->def.counts->dropped_malformed++;
        return NULL;
    }
    // A token of another kind counts as none (RFC 9000, section 8.1.3).
    const uint8_t *token = quic_token(&header, &token_bytes);
    const bool has_token = token_bytes > 0 && token[0] == NGTCP2_CRYPTO_TOKEN_MAGIC_RETRY;
    if (!has_token && (quic->def.counts->handshaking >= QUIC_FREE_HANDSHAKES ||
                       rate_limit_left(quic->handshakes, unproven, (int64_t)monotonic_ms()) < 1)) {
        send_retry(quic, stranger, &header);
        return NULL;
    }
    if (has_token &&
        ngtcp2_crypto_verify_retry_token(&original, token, token_bytes, quic->secret,
                                         QUIC_SECRET_BYTES, header.version, &stranger->address->any,
                                         socket_address_size(stranger->address), &header.dcid,
                                         RETRY_TOKEN_S * NGTCP2_SECONDS, quic_now()) != 0) {
        quic->def.counts->rejected_token++;
        refuse(quic, stranger, &header, NGTCP2_INVALID_TOKEN);
        return NULL;
    }
    if (!admit(quic, stranger->from.ip, has_token)) {
        refuse(quic, stranger, &header, NGTCP2_CONNECTION_REFUSED);
        return NULL;
    }
    return quic_connection_create(quic, &header, has_token ? &original : NULL, stranger->from,
                                  stranger->address);
}

// --- Receiving ---

static void touch(struct quic *quic, struct quic_connection *connection)
{
    if (connection->is_touched)
        return;
    connection->is_touched = true;
    connection->next_touched = quic->touched;
    quic->touched = connection;
}

static void take_packet(struct quic *quic, struct udp_address from,
                        const union socket_address *address, const uint8_t *packet, size_t size)
{
    ngtcp2_version_cid ids;
    const struct stranger stranger = {from, address, packet, size};
    quic->def.counts->packets_in++;
    const int result = size < 1 || size > BATCH_BYTES // ngtcp2 asserts that there are bytes
                           ? NGTCP2_ERR_INVALID_ARGUMENT
                           : ngtcp2_pkt_decode_version_cid(&ids, packet, size, QUIC_CID_BYTES);
    if (result != 0 && result != NGTCP2_ERR_VERSION_NEGOTIATION) {
        quic->def.counts->dropped_malformed++;
        return;
    }
    const bool is_long = (packet[0] & 0x80) != 0;
    if (result == NGTCP2_ERR_VERSION_NEGOTIATION || (is_long && ids.version != VERSION_1)) {
        offer_version(quic, &stranger, &ids);
        return;
    }
    struct quic_connection *connection = find(quic, ids.dcid, ids.dcidlen);
    if (connection == NULL && !is_long)
        reset(quic, &stranger, &ids);
    else if (connection == NULL)
        connection = greet(quic, &stranger);
    if (connection == NULL)
        return;
    quic_connection_read(connection, from, address, packet, size);
    touch(quic, connection);
}

// Writes what the connections of a batch have to say at once. Those that play wait with their
// acknowledgements for the arena's next datagram.
static void write_touched(struct quic *quic)
{
    while (quic->touched != NULL) {
        struct quic_connection *connection = quic->touched;
        quic->touched = connection->next_touched;
        connection->is_touched = false;
        if (connection->session == NULL || connection->is_urgent || connection->wants_close)
            quic_connection_write(connection, NULL, 0);
        if (connection->state == QUIC_DEAD)
            quic_connection_destroy(connection);
    }
}

// Connections that became active may have something due earlier.
static void hasten(struct quic *quic)
{
    const uint64_t soon_ms = monotonic_ms() + SLACK_MS;
    if (quic->list == NULL || quic->timer_ms <= soon_ms)
        return;
    quic->timer_ms = soon_ms;
    loop_set_timer(quic->timer, soon_ms);
}

static void receive(void *context)
{
    struct quic *quic = context;
    bool is_full = true;
    for (int i = 0; i < BATCHES && is_full; i++) {
        is_full = batch_receive(&quic->in, quic->def.socket);
        for (size_t k = 0; k < quic->in.count; k++)
            take_packet(quic, batch_sender(&quic->in, k), &quic->in.addresses[k], quic->in.data[k],
                        quic->in.headers[k].msg_len);
        write_touched(quic);
    }
    quic_flush(quic);
    hasten(quic);
}

static void expire(void *context)
{
    struct quic *quic = context;
    const ngtcp2_tstamp now = quic_now();
    const uint64_t now_ms = now / QUIC_MS;
    ngtcp2_tstamp due = now + LIST_MS * (ngtcp2_tstamp)QUIC_MS;
    struct quic_connection *next;
    for (struct quic_connection *connection = quic->list; connection != NULL; connection = next) {
        next = connection->next;
        const ngtcp2_tstamp its = quic_connection_expire(connection, now);
        if (connection->state == QUIC_DEAD)
            quic_connection_destroy(connection);
        else if (its < due)
            due = its;
    }
    quic_flush(quic);
    quic->timer_ms = LOOP_NEVER;
    if (quic->list != NULL) {
        const uint64_t due_ms = due / QUIC_MS + 1;
        quic->timer_ms = due_ms > now_ms + SLACK_MS ? due_ms : now_ms + SLACK_MS;
    }
    loop_set_timer(quic->timer, quic->timer_ms);
}

// --- Start and stop ---

static bool prepare(struct quic *quic)
{
    // Rows for twice the ids that the connections commonly have.
    uint64_t rows = 64;
    while (rows < quic->def.limits.connections * UINT64_C(8))
        rows *= 2;
    quic->row_mask = rows - 1;
    quic->rows = calloc(rows, sizeof *quic->rows);
    quic->handshakes = malloc(sizeof *quic->handshakes);
    if (quic->rows == NULL || quic->handshakes == NULL)
        return false;
    uint64_t secret;
    raim_crypto_random(&secret, sizeof secret);
    raim_crypto_random(quic->hash_key, sizeof quic->hash_key);
    rate_limit_init(quic->handshakes, RATE_OF_NETWORK, handshakes_of_network, handshakes_of_all,
                    secret);
    quic->source = loop_add_descriptor(quic->def.loop, quic->def.socket, receive, quic);
    quic->timer = loop_add_timer(quic->def.loop, 0, expire, quic);
    quic->timer_ms = LOOP_NEVER;
    return quic->source != NULL && quic->timer != NULL &&
           socket_address_of(quic->def.socket, &quic->local) &&
           gnutls_priority_init(&quic->priorities,
                                "NORMAL:-VERS-ALL:+VERS-TLS1.3:%DISABLE_TLS13_COMPAT_MODE",
                                NULL) == 0;
}

struct quic *quic_start(const struct quic_def *def)
{
    struct quic *quic = calloc(1, sizeof *quic);
    if (quic == NULL) {
        close(def->socket);
        return NULL;
    }
    quic->def = *def;
    memcpy(quic->secret, def->secret, QUIC_SECRET_BYTES);
    if (prepare(quic)) {
        batch_init(&quic->in, quic->local.any.sa_family, def->has_locals);
        batch_init(&quic->out, quic->local.any.sa_family, def->has_locals);
        return quic;
    }
    quic_stop(quic);
    return NULL;
}

void quic_stop(struct quic *quic)
{
    if (quic == NULL)
        return;
    while (quic->list != NULL) {
        struct quic_connection *connection = quic->list;
        quic_end(connection, 0, "the gateway ends");
        quic_connection_fail(connection, HTTP3_NO_ERROR);
        quic_connection_write(connection, NULL, 0);
        quic_connection_destroy(connection);
    }
    if (quic->out.count > 0)
        quic_flush(quic);
    loop_remove(quic->source);
    loop_remove(quic->timer);
    if (quic->priorities != NULL)
        gnutls_priority_deinit(quic->priorities);
    raim_crypto_wipe(quic->secret, sizeof quic->secret);
    free(quic->rows);
    free(quic->handshakes);
    close(quic->def.socket);
    free(quic);
}
