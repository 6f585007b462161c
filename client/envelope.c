// SPDX-License-Identifier: MIT
// Makes the keys of a sealed connection, and uses them.
#include "envelope.h"

#include <assert.h>
#include <string.h>

enum { GOES = 0, COMES = RAIM_KEY_BYTES }; // where in the keys of a session

static_assert(RAIM_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES &&
                  RAIM_SEAL_TAG_BYTES == RAIM_CRYPTO_TAG_BYTES &&
                  RAIM_CRYPTO_DIGEST_BYTES == 2 * RAIM_CRYPTO_KEY_BYTES,
              "a digest is two keys");

bool raim_envelope_begin(struct raim_envelope *envelope, const struct raim_ticket *ticket)
{
    *envelope = (struct raim_envelope){.sealed = ticket->sealed};
    if (!ticket->sealed)
        return true;
    uint8_t secret[RAIM_KEY_BYTES], bytes[RAIM_SEAL_TRANSCRIPT_BYTES];
    struct raim_seal_transcript transcript = {.ticket = ticket->ticket};
    if (!raim_crypto_start())
        return false;
    raim_crypto_random(secret, sizeof secret);
    raim_crypto_publish(secret, transcript.client);
    memcpy(transcript.ephemeral, ticket->ephemeral, sizeof transcript.ephemeral);
    memcpy(transcript.identity, ticket->identity, sizeof transcript.identity);
    const bool agreed = raim_crypto_agree(secret, ticket->ephemeral, transcript.of_ephemerals) &&
                        raim_crypto_agree(secret, ticket->identity, transcript.of_identity);
    raim_seal_write_transcript(&transcript, bytes);
    raim_crypto_digest(raim_seal_label, bytes, sizeof bytes, envelope->keys);
    envelope->opening.ticket = ticket->ticket;
    memcpy(envelope->opening.hint, ticket->ephemeral, sizeof envelope->opening.hint);
    memcpy(envelope->opening.key, transcript.client, sizeof envelope->opening.key);
    raim_crypto_forget(secret, sizeof secret);
    raim_crypto_forget(&transcript, sizeof transcript);
    raim_crypto_forget(bytes, sizeof bytes);
    return agreed;
}

void raim_envelope_end(struct raim_envelope *envelope)
{
    raim_crypto_forget(envelope, sizeof *envelope);
}

size_t raim_envelope_close(struct raim_envelope *envelope, const uint8_t *plain, size_t size,
                           uint8_t *data)
{
    assert(envelope->sealed);
    const uint8_t *key = envelope->heard ? envelope->session + GOES : envelope->keys;
    const size_t at = envelope->heard ? 0 : raim_seal_write_opening(&envelope->opening, data);
    raim_seal_write_number(envelope->sent, data + at);
    raim_crypto_lock(key, envelope->sent, plain, size, data + at + RAIM_SEAL_NUMBER_BYTES);
    envelope->sent++;
    return at + size + RAIM_SEAL_BYTES;
}

// Opens what is behind an answer, if there is one, and its keys then are those of the session.
static size_t open_numbered(struct raim_envelope *envelope,
                            const uint8_t session[2 * RAIM_KEY_BYTES], const uint8_t *data,
                            size_t size, uint8_t *plain)
{
    uint64_t number;
    if (!raim_seal_read_number(data, size, &number) ||
        !raim_seal_is_new(&envelope->window, number) ||
        !raim_crypto_unlock(session + COMES, number, data + RAIM_SEAL_NUMBER_BYTES,
                            size - RAIM_SEAL_NUMBER_BYTES, plain))
        return 0;
    raim_seal_take(&envelope->window, number);
    return size - RAIM_SEAL_BYTES;
}

// The server's first datagrams: of one answer alone. Another one would be to an opening of ours
// that somebody has repeated.
static size_t open_answer(struct raim_envelope *envelope, const uint8_t *data, size_t size,
                          uint8_t *plain)
{
    uint8_t nonce[RAIM_SEAL_NONCE_BYTES], session[2 * RAIM_KEY_BYTES];
    if (!raim_seal_read_answer(data, size, nonce))
        return 0;
    raim_crypto_digest(envelope->keys + RAIM_KEY_BYTES, nonce, sizeof nonce, session);
    if (envelope->heard && !raim_crypto_is_equal(session, envelope->session, sizeof session))
        return 0;
    const size_t plain_size = open_numbered(envelope, session, data + RAIM_SEAL_ANSWER_BYTES,
                                            size - RAIM_SEAL_ANSWER_BYTES, plain);
    if (plain_size > 0 && !envelope->heard) {
        memcpy(envelope->session, session, sizeof session);
        envelope->heard = true;
    }
    raim_crypto_forget(session, sizeof session);
    return plain_size;
}

size_t raim_envelope_open(struct raim_envelope *envelope, const uint8_t *data, size_t size,
                          uint8_t *plain)
{
    assert(envelope->sealed);
    if (raim_knock_kind(data, size) == RAIM_KNOCK_SEALED)
        return open_answer(envelope, data, size, plain);
    if (!envelope->heard)
        return 0;
    return open_numbered(envelope, envelope->session, data, size, plain);
}
