// SPDX-License-Identifier: MIT
// Fuzzes encrypted sessions with datagrams of their clients and of strangers: only datagrams
// encrypted by the session's own peer are decrypted, in both directions, with each cipher and
// across rekeying, and only an honest client's handshake succeeds.
#include "fuzz.h"

#include "connector.h"
#include "secure_sessions.h"

enum { PEERS = 4, MAX = 2048 };

static const uint8_t word[10] = "anything", key[RAIM_KEY_BYTES] = {1};

static struct secure_sessions *sessions;
static struct raim_cookie offer;

static size_t take_init(struct udp_address peer, const uint8_t *data, size_t size, int64_t now_ms,
                        bool resumes, uint8_t reply[RAIM_RESPONSE_BYTES])
{
    struct raim_init init;
    struct raim_credential credential;
    uint8_t cookie[RAIM_COOKIE_BYTES], ephemeral[RAIM_KEY_BYTES];
    raim_crypto_random(ephemeral, sizeof ephemeral);
    if (raim_connectionless_kind(data, size) != RAIM_CONNECTIONLESS_HANDSHAKE ||
        !raim_init_read(data, size, &init))
        return 0;
    const size_t repeated = secure_sessions_repeat(sessions, peer, &init, reply);
    if (repeated > 0 || init.cookie != offer.cookie ||
        !secure_sessions_read(sessions, &init, cookie, raim_cookie_write(&offer, cookie), ephemeral,
                              &credential))
        return repeated;
    return secure_sessions_begin(sessions, peer, (struct secure_limits){2, 3},
                                 resumes ? RAIM_CREDENTIAL_SESSION : RAIM_CREDENTIAL_NONE, now_ms,
                                 reply) == DATAGRAM_OK
               ? RAIM_RESPONSE_BYTES
               : 0;
}

// An honest INIT; the client then waits for its answer.
static size_t make_init(struct raim_connector *client, uint64_t now_us, uint8_t *bytes)
{
    uint8_t cookie[RAIM_COOKIE_BYTES];
    raim_connector_begin(client, NULL, now_us);
    raim_connector_receive(client, now_us, cookie, raim_cookie_write(&offer, cookie));
    return raim_connector_send(client, now_us, bytes);
}

// A peer whose session is known and kept by its ENet peer.
static void let_in(struct udp_address peer, struct raim_connector *client)
{
    uint8_t init[RAIM_CONNECTIONLESS_BYTES], reply[RAIM_RESPONSE_BYTES];
    const size_t size = make_init(client, 0, init);
    raim_connector_receive(client, 0, reply, take_init(peer, init, size, 0, false, reply));
    assert(raim_connector_is_secure(client));
}

// A script of: who sends, how many tenths of a second later, what is done, how many bytes of an
// honest datagram are kept in front, how many others follow; then these.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct raim_connector_def anybody = {0};
    const struct udp_address own = {.ip.high = 1};
    struct fuzz_input script = {data, size};
    sessions = secure_sessions_create(3, key, 1);
    offer = (struct raim_cookie){.cookie = 2, .offers_encryption = true, .arena = "duel"};
    offer.offers_aesgcm = size % 2 != 0 && raim_crypto_has_aesgcm();
    memcpy(offer.server_key, secure_sessions_public_key(sessions), sizeof offer.server_key);
    struct raim_connector *client = raim_connector_create(&anybody);
    struct raim_connector *stranger = raim_connector_create(&anybody);
    int64_t now_ms = 0, opened_ms = 0;
    let_in(own, client);
    while (script.left > 0) {
        const struct udp_address peer = {.ip.high = fuzz_byte(&script) % PEERS};
        const uint8_t pause = fuzz_byte(&script), deed = fuzz_byte(&script);
        now_ms += 100 * pause * (deed % 8 == 7 ? 60 : 1); // across the life of a key
        secure_sessions_mark(sessions, own);
        if (deed % 4 != 0)
            secure_sessions_sweep(sessions, now_ms);
        uint8_t honest[MAX] = {0}, sent[MAX], plain[MAX], reply[RAIM_RESPONSE_BYTES];
        const bool is_init = deed % 4 == 3;
        const size_t whole = is_init ? make_init(stranger, (uint64_t)now_ms * 1000, honest)
                                     : raim_connector_encrypt(client, (uint64_t)now_ms * 1000, word,
                                                              sizeof word, honest);
        const size_t kept = deed >= 128 ? whole : fuzz_byte(&script) % (whole + 1);
        size_t taken;
        const uint8_t *block = fuzz_block(&script, deed >= 128 ? 0 : fuzz_byte(&script), &taken);
        memcpy(sent, honest, kept);
        memcpy(sent + kept, block, taken);
        uint8_t *exact = fuzz_copy(sent, kept + taken);
        const bool is_honest = kept + taken == whole && memcmp(exact, honest, whole) == 0;
        if (is_init) {
            const size_t answered = take_init(peer, exact, kept + taken, now_ms, deed >= 64, reply);
            assert(answered == 0 || is_honest);
            assert(answered == 0 || !udp_address_equal(peer, own));
        }
        enum datagram_verdict verdict = DATAGRAM_VERDICTS;
        const size_t opened =
            secure_sessions_decrypt(sessions, peer, exact, kept + taken, plain, &verdict);
        assert(verdict < DATAGRAM_VERDICTS && (opened > 0) == (verdict == DATAGRAM_OK));
        assert(opened == 0 || (udp_address_equal(peer, own) && is_honest && !is_init));
        // A sender that nobody hears for the life of a key may be two keys ahead.
        assert(!is_honest || is_init || !udp_address_equal(peer, own) || opened == sizeof word ||
               now_ms - opened_ms >= RAIM_SECURE_EPOCH_MS);
        opened_ms = opened > 0 ? now_ms : opened_ms;
        assert(raim_connector_decrypt(client, exact, kept + taken, plain) == 0);
        assert(secure_sessions_encrypt(sessions, own, now_ms, word, sizeof word, sent) ==
               sizeof word + RAIM_SECURE_BYTES);
        assert(raim_connector_decrypt(client, sent, sizeof word + RAIM_SECURE_BYTES, plain) ==
               sizeof word);
        free(exact);
    }
    raim_connector_destroy(client);
    raim_connector_destroy(stranger);
    secure_sessions_destroy(sessions);
    return 0;
}
