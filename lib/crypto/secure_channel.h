// SPDX-License-Identifier: MIT
// The transport phase of an encrypted connection, for either end: encrypts outgoing datagrams,
// decrypts incoming ones, rejects replays, masks the packet numbers, and replaces the keys after a
// number of datagrams and after some time. No sockets; the caller passes the time in milliseconds
// of a monotonic clock. Thread rule: a channel belongs to one thread at a time.
#pragma once

#include "crypto.h"

// A datagram is a header of 8 bytes, the ciphertext, and a tag of 16 bytes. The header holds 01 in
// its two highest bits, which no other datagram of an arena has, and the masked packet number.
#define RAIM_SECURE_HEADER_BYTES 8
#define RAIM_SECURE_BYTES (RAIM_SECURE_HEADER_BYTES + RAIM_CRYPTO_TAG_BYTES)

// An epoch is the lifetime of a key: 2^RAIM_SECURE_EPOCH_BITS packet numbers or
// RAIM_SECURE_EPOCH_MS milliseconds, whichever comes first.
#define RAIM_SECURE_EPOCH_BITS 16
#define RAIM_SECURE_EPOCH_MS 600000

// The size of the anti-replay window: numbers this far below the highest one received are still
// accepted, once each.
#define RAIM_SECURE_WINDOW 1024

struct raim_secure_sender {
    uint8_t key[RAIM_CRYPTO_KEY_BYTES];
    uint8_t number_key[RAIM_CRYPTO_SIPHASH_KEY_BYTES];
    uint64_t next;    // number of the next datagram
    int64_t since_ms; // begin of the key's use
};

// The receiving side has the keys of three epochs: that of the highest number received, the
// previous and the next one. The last two are behind what every datagram needs.
struct raim_secure_receiver {
    uint8_t key[RAIM_CRYPTO_KEY_BYTES];
    uint8_t number_key[RAIM_CRYPTO_SIPHASH_KEY_BYTES];
    uint64_t next;                              // above all numbers received
    uint64_t received[RAIM_SECURE_WINDOW / 64]; // bit n: the newest number that is n modulo WINDOW
    uint8_t previous_key[RAIM_CRYPTO_KEY_BYTES], next_key[RAIM_CRYPTO_KEY_BYTES];
};

struct raim_secure_channel {
    enum raim_cipher cipher;
    struct raim_secure_sender sender;
    struct raim_secure_receiver receiver;
};

enum raim_secure_verdict {
    RAIM_SECURE_OK,
    RAIM_SECURE_FORGED,   // not sent by the peer, or changed
    RAIM_SECURE_REPLAYED, // received before, or below the window
};

// Begins a channel with the cipher and transport keys of a handshake.
void raim_secure_channel_begin(struct raim_secure_channel *channel, enum raim_cipher cipher,
                               const uint8_t send_key[RAIM_CRYPTO_KEY_BYTES],
                               const uint8_t receive_key[RAIM_CRYPTO_KEY_BYTES], int64_t now_ms);

// Returns whether a datagram has the form of an encrypted one.
bool raim_secure_channel_is_datagram(const uint8_t *data, size_t size);

// Encrypts a datagram into `data`, which has room for RAIM_SECURE_BYTES more. `plain` is other
// memory or `data` + RAIM_SECURE_HEADER_BYTES. Returns the size of the encrypted datagram.
size_t raim_secure_channel_encrypt(struct raim_secure_channel *channel, int64_t now_ms,
                                   const uint8_t *plain, size_t size, uint8_t *data);

// Decrypts a datagram of any form into `plain`, which is other memory, at least as large, or `data`
// + RAIM_SECURE_HEADER_BYTES. Sets `plain_size` when the verdict is RAIM_SECURE_OK.
enum raim_secure_verdict raim_secure_channel_decrypt(struct raim_secure_channel *channel,
                                                     const uint8_t *data, size_t size,
                                                     uint8_t *plain, size_t *plain_size);
