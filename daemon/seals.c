// SPDX-License-Identifier: MIT
// Begins, finds and forgets sealed sessions, and opens and seals with their keys.
#include "seals.h"

#include "crypto.h"
#include "seal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { COMES = 0, GOES = RAIM_KEY_BYTES }; // where in the keys of a session
enum { NONE = UINT16_MAX, MAX_CAPACITY = 8192 };

static_assert(SEALS_BYTES == RAIM_SEAL_BYTES, "the wire");
static_assert(SEALS_MOST_BYTES == RAIM_SEAL_BYTES + RAIM_SEAL_ANSWER_BYTES, "the wire");
static_assert(RAIM_KEY_BYTES == CRYPTO_KEY_BYTES && RAIM_SEAL_TAG_BYTES == CRYPTO_TAG_BYTES &&
                  CRYPTO_DIGEST_BYTES == 2 * CRYPTO_KEY_BYTES,
              "a digest is two keys");

struct session {
    struct seals_peer peer;
    bool used;
    bool confirmed; // it was heard with the keys that our answer made
    uint16_t next;  // of the same bucket
    int64_t heard_ms;
    uint8_t client[RAIM_KEY_BYTES]; // its public key
    uint8_t opening[RAIM_KEY_BYTES];
    uint8_t nonce[RAIM_SEAL_NONCE_BYTES];
    uint8_t keys[2 * RAIM_KEY_BYTES]; // of what comes; of what goes
    uint64_t sent;
    struct raim_seal_window window;
};

struct pair {
    uint8_t secret[RAIM_KEY_BYTES], shown[RAIM_KEY_BYTES];
};

struct seals {
    struct seals_def def;
    struct pair identity;
    struct pair ephemerals[2]; // of now, of the hour before
    int64_t renewed_ms;
    bool has_late; // there was an hour before
    struct rate_limit limit;
    uint64_t multiplier; // of the hash, secret
    int bucket_bits;
    uint16_t *buckets;
    struct session sessions[];
};

static void make_pair(struct pair *pair)
{
    crypto_random(pair->secret, sizeof pair->secret);
    crypto_publish(pair->secret, pair->shown);
}

struct seals *seals_create(const struct seals_def *def, int64_t now_ms)
{
    assert(def->capacity >= 1 && def->capacity <= MAX_CAPACITY);
    struct seals *seals = calloc(1, sizeof *seals + def->capacity * sizeof seals->sessions[0]);
    if (seals == NULL || !crypto_start()) {
        free(seals);
        return NULL;
    }
    seals->def = *def;
    while (UINT32_C(1) << seals->bucket_bits < def->capacity)
        seals->bucket_bits++;
    seals->bucket_bits++;
    const size_t buckets = (size_t)1 << seals->bucket_bits;
    seals->buckets = malloc(buckets * sizeof *seals->buckets);
    if (seals->buckets == NULL) {
        seals_destroy(seals);
        return NULL;
    }
    for (size_t i = 0; i < buckets; i++)
        seals->buckets[i] = NONE;
    memcpy(seals->identity.secret, def->secret, sizeof seals->identity.secret);
    crypto_publish(seals->identity.secret, seals->identity.shown);
    make_pair(&seals->ephemerals[0]);
    seals->renewed_ms = now_ms;
    uint64_t secret;
    crypto_random(&secret, sizeof secret);
    rate_limit_init(&seals->limit, RATE_OF_NETWORK, SEALS_OF_NETWORK, SEALS_OF_ALL, secret);
    crypto_random(&secret, sizeof secret);
    seals->multiplier = secret | 1;
    return seals;
}

void seals_destroy(struct seals *seals)
{
    if (seals == NULL)
        return;
    free(seals->buckets);
    crypto_forget(seals, sizeof *seals + seals->def.capacity * sizeof seals->sessions[0]);
    free(seals);
}

// --- Keys ---

static void renew(struct seals *seals, int64_t now_ms)
{
    if (seals->has_late && now_ms - seals->renewed_ms >= SEALS_LATE_MS) {
        crypto_forget(&seals->ephemerals[1], sizeof seals->ephemerals[1]);
        seals->has_late = false;
    }
    if (now_ms - seals->renewed_ms < SEALS_EPHEMERAL_MS)
        return;
    seals->ephemerals[1] = seals->ephemerals[0];
    // A hint must tell the two apart.
    do
        make_pair(&seals->ephemerals[0]);
    while (memcmp(seals->ephemerals[0].shown, seals->ephemerals[1].shown, RAIM_SEAL_HINT_BYTES) ==
           0);
    seals->has_late = true;
    seals->renewed_ms = now_ms;
}

void seals_offer(struct seals *seals, int64_t now_ms, struct raim_ticket *ticket)
{
    renew(seals, now_ms);
    ticket->sealed = true;
    memcpy(ticket->identity, seals->identity.shown, sizeof ticket->identity);
    memcpy(ticket->ephemeral, seals->ephemerals[0].shown, sizeof ticket->ephemeral);
}

static const struct pair *find_ephemeral(const struct seals *seals,
                                         const uint8_t hint[RAIM_SEAL_HINT_BYTES])
{
    for (int i = 0; i < 1 + seals->has_late; i++)
        if (memcmp(seals->ephemerals[i].shown, hint, RAIM_SEAL_HINT_BYTES) == 0)
            return &seals->ephemerals[i];
    return NULL;
}

// Makes two keys: the one of the client's opening, and the one from which a nonce makes those of
// the session.
static bool agree(const struct seals *seals, const struct raim_seal_opening *opening,
                  uint8_t keys[2 * RAIM_KEY_BYTES])
{
    const struct pair *ephemeral = find_ephemeral(seals, opening->hint);
    struct raim_seal_transcript transcript = {.ticket = opening->ticket};
    if (ephemeral == NULL ||
        !crypto_agree(ephemeral->secret, opening->key, transcript.of_ephemerals) ||
        !crypto_agree(seals->identity.secret, opening->key, transcript.of_identity))
        return false;
    memcpy(transcript.client, opening->key, sizeof transcript.client);
    memcpy(transcript.ephemeral, ephemeral->shown, sizeof transcript.ephemeral);
    memcpy(transcript.identity, seals->identity.shown, sizeof transcript.identity);
    uint8_t bytes[RAIM_SEAL_TRANSCRIPT_BYTES];
    raim_seal_write_transcript(&transcript, bytes);
    crypto_digest(raim_seal_label, bytes, sizeof bytes, keys);
    crypto_forget(&transcript, sizeof transcript);
    crypto_forget(bytes, sizeof bytes);
    return true;
}

// --- The table ---

static uint16_t *bucket_of(const struct seals *seals, struct seals_peer peer)
{
    // Multiply-shift hashing with a secret multiplier, as in rate_limit.c.
    const uint64_t source = (uint64_t)peer.address << 16 | peer.port;
    return &seals->buckets[source * seals->multiplier >> (64 - seals->bucket_bits)];
}

static struct session *find(struct seals *seals, struct seals_peer peer)
{
    for (uint16_t i = *bucket_of(seals, peer); i != NONE; i = seals->sessions[i].next) {
        struct session *session = &seals->sessions[i];
        if (session->peer.address == peer.address && session->peer.port == peer.port)
            return session;
    }
    return NULL;
}

static bool is_over(const struct session *session, int64_t now_ms)
{
    return now_ms - session->heard_ms >= SEALS_SESSION_MS;
}

static void forget(struct seals *seals, struct session *session)
{
    uint16_t *link = bucket_of(seals, session->peer);
    while (&seals->sessions[*link] != session)
        link = &seals->sessions[*link].next;
    *link = session->next;
    crypto_forget(session, sizeof *session);
}

// A place for another session: a free one, one that is over, or that of who has not been heard
// again for longest. NULL when there is none.
static struct session *make_room(struct seals *seals, int64_t now_ms)
{
    struct session *oldest = NULL;
    for (uint32_t i = 0; i < seals->def.capacity; i++) {
        struct session *session = &seals->sessions[i];
        if (!session->used)
            return session;
        if ((!session->confirmed || is_over(session, now_ms)) &&
            (oldest == NULL || session->heard_ms < oldest->heard_ms))
            oldest = session;
    }
    if (oldest != NULL)
        forget(seals, oldest);
    return oldest;
}

static void begin(struct seals *seals, struct session *session, struct seals_peer peer,
                  const uint8_t client[RAIM_KEY_BYTES], const uint8_t keys[2 * RAIM_KEY_BYTES],
                  int64_t now_ms)
{
    uint16_t *bucket = bucket_of(seals, peer);
    *session = (struct session){.peer = peer, .used = true, .next = *bucket, .heard_ms = now_ms};
    *bucket = (uint16_t)(session - seals->sessions);
    memcpy(session->client, client, sizeof session->client);
    memcpy(session->opening, keys, sizeof session->opening);
    // Ours, and so is a part of both keys: who repeats an old opening gets other ones.
    crypto_random(session->nonce, sizeof session->nonce);
    crypto_digest(keys + RAIM_KEY_BYTES, session->nonce, sizeof session->nonce, session->keys);
}

// --- Datagrams ---

// Opens the CONNECT behind an opening; 0 for anything else.
static size_t open_connect(const uint8_t key[RAIM_KEY_BYTES], const uint8_t *data, size_t size,
                           uint8_t *plain)
{
    uint64_t number;
    if (!raim_seal_read_number(data, size, &number) ||
        !crypto_unlock(key, number, data + RAIM_SEAL_NUMBER_BYTES, size - RAIM_SEAL_NUMBER_BYTES,
                       plain))
        return 0;
    struct datagram_connect connect;
    const size_t plain_size = size - RAIM_SEAL_BYTES;
    return datagram_check(plain, plain_size) == DATAGRAM_OK &&
                   datagram_is_connect(plain, plain_size, &connect)
               ? plain_size
               : 0;
}

static size_t take_opening(struct seals *seals, struct seals_peer from, const uint8_t *data,
                           size_t size, int64_t now_ms, uint8_t *plain,
                           enum datagram_verdict *verdict)
{
    struct raim_seal_opening opening;
    *verdict = DATAGRAM_FORGED;
    if (!raim_seal_read_opening(data, size, &opening))
        return 0;
    data += RAIM_SEAL_OPENING_BYTES;
    size -= RAIM_SEAL_OPENING_BYTES;
    struct session *session = find(seals, from);
    if (session != NULL && session->confirmed && !is_over(session, now_ms)) {
        *verdict = DATAGRAM_REPLAYED;
        return 0;
    }
    if (session != NULL && !session->confirmed &&
        memcmp(session->client, opening.key, sizeof opening.key) == 0) {
        const size_t plain_size = open_connect(session->opening, data, size, plain);
        *verdict = plain_size > 0 ? DATAGRAM_OK : DATAGRAM_FORGED;
        return plain_size;
    }
    if (session != NULL && !session->confirmed && now_ms - session->heard_ms < SEALS_FIRST_MS) {
        *verdict = DATAGRAM_SESSIONS;
        return 0;
    }
    if (!seals->def.is_ticket(seals->def.context, from.address, opening.ticket)) {
        *verdict = DATAGRAM_TICKET;
        return 0;
    }
    if (!rate_limit_take(&seals->limit, from.address, now_ms)) {
        *verdict = DATAGRAM_SESSIONS;
        return 0;
    }
    uint8_t keys[2 * RAIM_KEY_BYTES];
    size_t plain_size = agree(seals, &opening, keys) ? open_connect(keys, data, size, plain) : 0;
    if (plain_size > 0) {
        if (session != NULL)
            forget(seals, session);
        session = make_room(seals, now_ms);
        *verdict = session != NULL ? DATAGRAM_OK : DATAGRAM_SESSIONS;
        if (session != NULL)
            begin(seals, session, from, opening.key, keys, now_ms);
        else
            plain_size = 0;
    }
    crypto_forget(keys, sizeof keys);
    return plain_size;
}

size_t seals_open(struct seals *seals, struct seals_peer from, const uint8_t *data, size_t size,
                  int64_t now_ms, uint8_t *plain, enum datagram_verdict *verdict)
{
    if (raim_knock_kind(data, size) == RAIM_KNOCK_SEALED)
        return take_opening(seals, from, data, size, now_ms, plain, verdict);
    if (size >= 2 && data[0] == 0xFF && data[1] == 0xFF) {
        *verdict = DATAGRAM_CONNECTIONLESS;
        memcpy(plain, data, size);
        return size;
    }
    struct session *session = find(seals, from);
    uint64_t number;
    *verdict = DATAGRAM_UNSEALED;
    if (session == NULL || !raim_seal_read_number(data, size, &number))
        return 0;
    *verdict = DATAGRAM_REPLAYED;
    if (!raim_seal_is_new(&session->window, number))
        return 0;
    *verdict = DATAGRAM_FORGED;
    if (!crypto_unlock(session->keys + COMES, number, data + RAIM_SEAL_NUMBER_BYTES,
                       size - RAIM_SEAL_NUMBER_BYTES, plain))
        return 0;
    raim_seal_take(&session->window, number);
    session->confirmed = true;
    session->heard_ms = now_ms;
    *verdict = DATAGRAM_OK;
    return size - RAIM_SEAL_BYTES;
}

size_t seals_close(struct seals *seals, struct seals_peer to, const uint8_t *plain, size_t size,
                   uint8_t *data)
{
    struct session *session = find(seals, to);
    if (session == NULL)
        return 0;
    size_t at = session->confirmed ? 0 : raim_seal_write_answer(session->nonce, data);
    raim_seal_write_number(session->sent, data + at);
    crypto_lock(session->keys + GOES, session->sent, plain, size,
                data + at + RAIM_SEAL_NUMBER_BYTES);
    session->sent++;
    return at + size + RAIM_SEAL_BYTES;
}
