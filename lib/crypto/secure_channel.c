// SPDX-License-Identifier: MIT
// Datagram encryption with an anti-replay window (RFC 6479, by single bits) and masked packet
// numbers (QUIC's header protection, RFC 9001, section 5.4, with the tag as the sample).
#include "secure_channel.h"

#include "noise.h"

#include <assert.h>
#include <string.h>

enum { KEY_BYTES = RAIM_CRYPTO_KEY_BYTES, TAG_BYTES = RAIM_CRYPTO_TAG_BYTES };

static const uint64_t number_mask = (UINT64_C(1) << 62) - 1;
static const uint64_t form = UINT64_C(1) << 62; // 01 in the two highest bits

static uint64_t epoch_of(uint64_t number)
{
    return number >> RAIM_SECURE_EPOCH_BITS;
}

static void derive_number_key(const uint8_t key[KEY_BYTES],
                              uint8_t number_key[RAIM_CRYPTO_SIPHASH_KEY_BYTES])
{
    static const char label[] = "raim number";
    uint8_t hash[RAIM_CRYPTO_HASH_BYTES];
    raim_crypto_hash(key, label, sizeof label - 1, NULL, 0, hash);
    memcpy(number_key, hash, RAIM_CRYPTO_SIPHASH_KEY_BYTES);
    raim_crypto_wipe(hash, sizeof hash);
}

void raim_secure_channel_begin(struct raim_secure_channel *channel, enum raim_cipher cipher,
                               const uint8_t send_key[KEY_BYTES],
                               const uint8_t receive_key[KEY_BYTES], int64_t now_ms)
{
    *channel = (struct raim_secure_channel){.cipher = cipher, .sender.since_ms = now_ms};
    memcpy(channel->sender.key, send_key, KEY_BYTES);
    derive_number_key(send_key, channel->sender.number_key);
    memcpy(channel->receiver.key, receive_key, KEY_BYTES);
    raim_noise_rekey(cipher, receive_key, channel->receiver.next_key);
    derive_number_key(receive_key, channel->receiver.number_key);
}

bool raim_secure_channel_is_datagram(const uint8_t *data, size_t size)
{
    return size > RAIM_SECURE_BYTES && data[0] >> 6 == 1;
}

// Masks or unmasks a packet number. The mask is derived from the tag.
static uint64_t mask_number(const uint8_t number_key[RAIM_CRYPTO_SIPHASH_KEY_BYTES],
                            uint64_t number, const uint8_t tag[TAG_BYTES])
{
    return number ^ (raim_crypto_siphash(number_key, tag, TAG_BYTES) & number_mask);
}

static void write_u64(uint64_t number, uint8_t bytes[8])
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * (7 - i));
}

static uint64_t read_u64(const uint8_t bytes[8])
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

// Returns the number of the next datagram, and replaces the key at the begin of an epoch.
static uint64_t take_number(struct raim_secure_channel *channel, int64_t now_ms)
{
    struct raim_secure_sender *sender = &channel->sender;
    const uint64_t last = sender->next == 0 ? 0 : sender->next - 1;
    if (now_ms - sender->since_ms >= RAIM_SECURE_EPOCH_MS &&
        epoch_of(sender->next) == epoch_of(last))
        sender->next = (epoch_of(last) + 1) << RAIM_SECURE_EPOCH_BITS;
    if (epoch_of(sender->next) != epoch_of(last)) {
        uint8_t next[KEY_BYTES];
        raim_noise_rekey(channel->cipher, sender->key, next);
        memcpy(sender->key, next, KEY_BYTES);
        raim_crypto_wipe(next, sizeof next);
        sender->since_ms = now_ms;
    }
    return sender->next++;
}

size_t raim_secure_channel_encrypt(struct raim_secure_channel *channel, int64_t now_ms,
                                   const uint8_t *plain, size_t size, uint8_t *data)
{
    const struct raim_secure_sender *sender = &channel->sender;
    const uint64_t number = take_number(channel, now_ms);
    assert(number <= number_mask);
    uint8_t *ciphertext = data + RAIM_SECURE_HEADER_BYTES;
    raim_crypto_encrypt(channel->cipher, sender->key, number, NULL, 0, plain, size, ciphertext);
    write_u64(form | mask_number(sender->number_key, number, ciphertext + size), data);
    return size + RAIM_SECURE_BYTES;
}

static bool is_new(const struct raim_secure_receiver *receiver, uint64_t number)
{
    if (number >= receiver->next)
        return true;
    const uint64_t bit = number % RAIM_SECURE_WINDOW;
    return receiver->next - number <= RAIM_SECURE_WINDOW &&
           (receiver->received[bit / 64] >> bit % 64 & 1) == 0;
}

static void mark_received(struct raim_secure_receiver *receiver, uint64_t number)
{
    if (number >= receiver->next) {
        if (number - receiver->next >= RAIM_SECURE_WINDOW)
            memset(receiver->received, 0, sizeof receiver->received);
        else
            for (uint64_t i = receiver->next; i < number; i++) {
                const uint64_t bit = i % RAIM_SECURE_WINDOW;
                receiver->received[bit / 64] &= ~(UINT64_C(1) << bit % 64);
            }
        receiver->next = number + 1;
    }
    const uint64_t bit = number % RAIM_SECURE_WINDOW;
    receiver->received[bit / 64] |= UINT64_C(1) << bit % 64;
}

// Returns the key for the epoch of a number, or NULL when the epoch is not adjacent to that of the
// highest number received.
static const uint8_t *find_key(const struct raim_secure_receiver *receiver, uint64_t number)
{
    const uint64_t now = receiver->next == 0 ? 0 : epoch_of(receiver->next - 1);
    const uint64_t epoch = epoch_of(number);
    if (epoch == now)
        return receiver->key;
    if (epoch == now + 1)
        return receiver->next_key;
    return epoch + 1 == now ? receiver->previous_key : NULL;
}

static void advance_epoch(struct raim_secure_channel *channel)
{
    struct raim_secure_receiver *receiver = &channel->receiver;
    memcpy(receiver->previous_key, receiver->key, KEY_BYTES);
    memcpy(receiver->key, receiver->next_key, KEY_BYTES);
    raim_noise_rekey(channel->cipher, receiver->key, receiver->next_key);
}

enum raim_secure_verdict raim_secure_channel_decrypt(struct raim_secure_channel *channel,
                                                     const uint8_t *data, size_t size,
                                                     uint8_t *plain, size_t *plain_size)
{
    struct raim_secure_receiver *receiver = &channel->receiver;
    if (!raim_secure_channel_is_datagram(data, size))
        return RAIM_SECURE_FORGED;
    const uint64_t number =
        mask_number(receiver->number_key, read_u64(data) & number_mask, data + size - TAG_BYTES);
    const uint8_t *key = find_key(receiver, number);
    if (!is_new(receiver, number))
        return RAIM_SECURE_REPLAYED;
    if (key == NULL ||
        !raim_crypto_decrypt(channel->cipher, key, number, NULL, 0, data + RAIM_SECURE_HEADER_BYTES,
                             size - RAIM_SECURE_HEADER_BYTES, plain))
        return RAIM_SECURE_FORGED;
    if (key == receiver->next_key)
        advance_epoch(channel);
    mark_received(receiver, number);
    *plain_size = size - RAIM_SECURE_BYTES;
    return RAIM_SECURE_OK;
}
