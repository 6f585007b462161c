// SPDX-License-Identifier: MIT
// A hash table of encrypted sessions with chaining, in locked memory.
#include "secure_sessions.h"

#include "noise.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT16_MAX, MAX_CAPACITY = 2 * RAIM_MAX_PEERS };

static_assert(RAIM_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES, "X25519");
static_assert(RAIM_NOISE_OVERHEAD_BYTES == RAIM_NOISE_BYTES, "the wire");

struct session {
    // What every datagram needs comes first, in as few cache lines as possible.
    _Alignas(64) struct udp_address peer;
    bool used;
    bool resumes; // it resumes a session of the match
    bool knows_password;
    bool has_peer; // it had an ENet peer when it was last marked
    bool marked;   // marked since the last sweep
    uint16_t next; // index of the next session in the bucket
    struct raim_secure_channel channel;
    int64_t begun_ms;
    uint8_t ephemeral[RAIM_KEY_BYTES]; // the client's key, which identifies its INIT
    uint8_t response[RAIM_RESPONSE_BYTES];
};

struct secure_sessions {
    uint32_t capacity;
    uint8_t secret[RAIM_KEY_BYTES], key[RAIM_KEY_BYTES];
    struct raim_noise noise;               // of the INIT just read
    uint8_t ephemeral[RAIM_KEY_BYTES];     // the client's key in that INIT
    uint8_t own_ephemeral[RAIM_KEY_BYTES]; // the secret key of its answer
    struct udp_address_hash hash;
    int bucket_bits;
    uint16_t *buckets; // 2^bucket_bits heads of chains; not secret
    struct session sessions[];
};

struct secure_sessions *secure_sessions_create(uint32_t capacity,
                                               const uint8_t secret[RAIM_KEY_BYTES], uint64_t hash)
{
    assert(capacity >= 1 && capacity <= MAX_CAPACITY);
    struct secure_sessions *sessions = NULL;
    if (raim_crypto_init())
        sessions = raim_crypto_allocate(sizeof *sessions + capacity * sizeof sessions->sessions[0]);
    if (sessions == NULL)
        return NULL;
    sessions->capacity = capacity;
    while (UINT32_C(1) << sessions->bucket_bits < capacity)
        sessions->bucket_bits++;
    sessions->bucket_bits++;
    sessions->buckets = malloc(((size_t)1 << sessions->bucket_bits) * sizeof sessions->buckets[0]);
    if (sessions->buckets == NULL) {
        secure_sessions_destroy(sessions);
        return NULL;
    }
    for (size_t i = 0; i < (size_t)1 << sessions->bucket_bits; i++)
        sessions->buckets[i] = NONE;
    memcpy(sessions->secret, secret, sizeof sessions->secret);
    raim_crypto_derive_public_key(sessions->secret, sessions->key);
    sessions->hash = udp_address_hash_init(hash);
    return sessions;
}

void secure_sessions_destroy(struct secure_sessions *sessions)
{
    if (sessions != NULL)
        free(sessions->buckets);
    raim_crypto_free(sessions);
}

const uint8_t *secure_sessions_public_key(const struct secure_sessions *sessions)
{
    return sessions->key;
}

// --- The table ---

static uint16_t *bucket_of(const struct secure_sessions *sessions, struct udp_address peer)
{
    return &sessions->buckets[udp_address_hash_of(&sessions->hash, peer) >>
                              (64 - sessions->bucket_bits)];
}

static const struct session *find_const(const struct secure_sessions *sessions,
                                        struct udp_address peer)
{
    for (uint16_t i = *bucket_of(sessions, peer); i != NONE; i = sessions->sessions[i].next) {
        const struct session *session = &sessions->sessions[i];
        if (udp_address_equal(session->peer, peer))
            return session;
    }
    return NULL;
}

static struct session *find(struct secure_sessions *sessions, struct udp_address peer)
{
    return (struct session *)find_const(sessions, peer);
}

bool secure_sessions_has(const struct secure_sessions *sessions, struct udp_address peer)
{
    return find_const(sessions, peer) != NULL;
}

static void end(struct secure_sessions *sessions, struct session *session)
{
    uint16_t *link = bucket_of(sessions, session->peer);
    while (&sessions->sessions[*link] != session)
        link = &sessions->sessions[*link].next;
    *link = session->next;
    raim_crypto_wipe(session, sizeof *session);
}

// Whether a new session may evict this one.
static bool is_evictable(const struct session *session, bool newcomer_resumes, int64_t now_ms)
{
    return !session->has_peer && (now_ms - session->begun_ms >= SECURE_PROTECTED_MS ||
                                  (newcomer_resumes && !session->resumes));
}

// Finds a slot for a new session: a free one, or that of the oldest evictable session. If the
// client's address or network is at its limit, only a session of that group is evicted. NULL if
// there is no slot.
static struct session *make_room(struct secure_sessions *sessions, struct udp_address peer,
                                 struct secure_limits limits, bool resumes, int64_t now_ms)
{
    enum { ANY, NETWORK, ADDRESS, GROUPS };
    const uint64_t host = ip_address_host(peer.ip), network = ip_address_network(peer.ip);
    struct session *free_slot = NULL, *oldest[GROUPS] = {NULL};
    uint32_t count[GROUPS] = {0};
    for (uint32_t i = 0; i < sessions->capacity; i++) {
        struct session *session = &sessions->sessions[i];
        if (!session->used) {
            free_slot = session;
            continue;
        }
        const int groups = ip_address_host(session->peer.ip) == host         ? GROUPS
                           : ip_address_network(session->peer.ip) == network ? NETWORK + 1
                                                                             : 1;
        for (int group = ANY; group < groups; group++) {
            count[group]++;
            if (is_evictable(session, resumes, now_ms) &&
                (oldest[group] == NULL || session->begun_ms < oldest[group]->begun_ms))
                oldest[group] = session;
        }
    }
    struct session *slot = free_slot != NULL ? free_slot : oldest[ANY];
    if (limits.of_network > 0 && count[NETWORK] >= limits.of_network)
        slot = oldest[NETWORK];
    if (limits.of_address > 0 && count[ADDRESS] >= limits.of_address)
        slot = oldest[ADDRESS];
    if (slot != NULL && slot->used)
        end(sessions, slot);
    return slot;
}

// --- Handshakes ---

size_t secure_sessions_repeat(struct secure_sessions *sessions, struct udp_address peer,
                              const struct raim_init *init, uint8_t reply[RAIM_RESPONSE_BYTES])
{
    const struct session *session = find(sessions, peer);
    if (session == NULL ||
        memcmp(session->ephemeral, init->message, sizeof session->ephemeral) != 0)
        return 0;
    memcpy(reply, session->response, sizeof session->response);
    return sizeof session->response;
}

bool secure_sessions_read(struct secure_sessions *sessions, const struct raim_init *init,
                          const uint8_t *cookie, size_t cookie_size,
                          const uint8_t ephemeral[RAIM_KEY_BYTES],
                          struct raim_credential *credential)
{
    uint8_t prologue[RAIM_PROLOGUE_BYTES], payload[RAIM_CREDENTIAL_MAX_BYTES];
    const size_t size = init->size - RAIM_NOISE_BYTES;
    assert(init->size >= RAIM_NOISE_BYTES && size <= sizeof payload);
    if (init->aesgcm && !raim_crypto_has_aesgcm())
        return false;
    raim_noise_respond(&sessions->noise, init->aesgcm ? RAIM_CIPHER_AESGCM : RAIM_CIPHER_CHACHAPOLY,
                       sessions->secret, sessions->key, prologue,
                       raim_prologue_write(cookie, cookie_size, prologue));
    memcpy(sessions->ephemeral, init->message, sizeof sessions->ephemeral);
    memcpy(sessions->own_ephemeral, ephemeral, sizeof sessions->own_ephemeral);
    const bool good = raim_noise_read(&sessions->noise, init->message, init->size, payload) &&
                      raim_credential_read(payload, size, credential) == size;
    raim_crypto_wipe(payload, sizeof payload);
    return good;
}

// Writes the RESPONSE to the INIT just read.
static bool respond(struct secure_sessions *sessions, uint8_t reason,
                    uint8_t reply[RAIM_RESPONSE_BYTES])
{
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_HANDSHAKE, reply);
    return raim_noise_write(&sessions->noise, sessions->own_ephemeral, &reason, sizeof reason,
                            reply + RAIM_CONNECTIONLESS_HEAD_BYTES);
}

static void wipe_handshake(struct secure_sessions *sessions)
{
    raim_crypto_wipe(&sessions->noise, sizeof sessions->noise);
    raim_crypto_wipe(sessions->own_ephemeral, sizeof sessions->own_ephemeral);
}

size_t secure_sessions_reject(struct secure_sessions *sessions, uint8_t reason,
                              uint8_t reply[RAIM_RESPONSE_BYTES])
{
    const bool good = respond(sessions, reason, reply);
    wipe_handshake(sessions);
    return good ? RAIM_RESPONSE_BYTES : 0;
}

static void enter(struct secure_sessions *sessions, struct session *session,
                  struct udp_address peer, enum raim_credential_kind credential, int64_t now_ms)
{
    uint8_t up[RAIM_KEY_BYTES], down[RAIM_KEY_BYTES];
    uint16_t *bucket = bucket_of(sessions, peer);
    const enum raim_cipher cipher = sessions->noise.cipher;
    *session = (struct session){
        .peer = peer,
        .used = true,
        .resumes = credential == RAIM_CREDENTIAL_SESSION,
        .knows_password = credential == RAIM_CREDENTIAL_PASSWORD,
        .next = *bucket,
        .begun_ms = now_ms,
    };
    *bucket = (uint16_t)(session - sessions->sessions);
    memcpy(session->ephemeral, sessions->ephemeral, sizeof session->ephemeral);
    raim_noise_split(&sessions->noise, up, down);
    raim_secure_channel_begin(&session->channel, cipher, down, up, now_ms);
    raim_crypto_wipe(up, sizeof up);
    raim_crypto_wipe(down, sizeof down);
}

enum datagram_verdict secure_sessions_begin(struct secure_sessions *sessions,
                                            struct udp_address peer, struct secure_limits limits,
                                            enum raim_credential_kind credential, int64_t now_ms,
                                            uint8_t reply[RAIM_RESPONSE_BYTES])
{
    const bool resumes = credential == RAIM_CREDENTIAL_SESSION;
    struct session *before = find(sessions, peer);
    enum datagram_verdict verdict = DATAGRAM_SESSIONS;
    if (before == NULL || is_evictable(before, resumes, now_ms)) {
        if (before != NULL)
            end(sessions, before);
        struct session *session = make_room(sessions, peer, limits, resumes, now_ms);
        if (session != NULL) {
            verdict = respond(sessions, 0, reply) ? DATAGRAM_OK : DATAGRAM_FORGED;
            if (verdict == DATAGRAM_OK) {
                enter(sessions, session, peer, credential, now_ms);
                memcpy(session->response, reply, sizeof session->response);
            }
        }
    }
    wipe_handshake(sessions);
    return verdict;
}

bool secure_sessions_knows_password(const struct secure_sessions *sessions, struct udp_address peer)
{
    const struct session *session = find_const(sessions, peer);
    return session != NULL && session->knows_password;
}

// --- Lifetime ---

void secure_sessions_mark(struct secure_sessions *sessions, struct udp_address peer)
{
    struct session *session = find(sessions, peer);
    if (session != NULL)
        session->marked = session->has_peer = true;
}

void secure_sessions_sweep(struct secure_sessions *sessions, int64_t now_ms)
{
    for (uint32_t i = 0; i < sessions->capacity; i++) {
        struct session *session = &sessions->sessions[i];
        if (!session->used)
            continue;
        const bool is_late =
            !session->has_peer && now_ms - session->begun_ms >= SECURE_UNCONNECTED_MS;
        if (is_late || (session->has_peer && !session->marked))
            end(sessions, session);
        else
            session->marked = false;
    }
}

// --- Datagrams ---

void secure_sessions_prefetch(const struct secure_sessions *sessions, struct udp_address peer)
{
    // The first session of the bucket is most often the peer's.
    const uint16_t first = *bucket_of(sessions, peer);
    const uint8_t *session = (const uint8_t *)&sessions->sessions[first];
    if (first == NONE)
        return;
    for (size_t at = 0; at < offsetof(struct session, channel.receiver.previous_key); at += 64)
        __builtin_prefetch(session + at, 1);
}

size_t secure_sessions_decrypt(struct secure_sessions *sessions, struct udp_address from,
                               const uint8_t *data, size_t size, uint8_t *plain,
                               enum datagram_verdict *verdict)
{
    static const enum datagram_verdict verdicts[] = {
        [RAIM_SECURE_OK] = DATAGRAM_OK,
        [RAIM_SECURE_FORGED] = DATAGRAM_FORGED,
        [RAIM_SECURE_REPLAYED] = DATAGRAM_REPLAYED,
    };
    struct session *session = find(sessions, from);
    size_t plain_size = 0;
    *verdict = DATAGRAM_UNENCRYPTED;
    if (session != NULL)
        *verdict = verdicts[raim_secure_channel_decrypt(&session->channel, data, size, plain,
                                                        &plain_size)];
    return plain_size;
}

size_t secure_sessions_encrypt(struct secure_sessions *sessions, struct udp_address to,
                               int64_t now_ms, const uint8_t *plain, size_t size, uint8_t *data)
{
    struct session *session = find(sessions, to);
    return session != NULL
               ? raim_secure_channel_encrypt(&session->channel, now_ms, plain, size, data)
               : 0;
}
