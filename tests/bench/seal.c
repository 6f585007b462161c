// SPDX-License-Identifier: MIT
// What does sealing cost? Both ends of a sealed connection, without sockets, next to the two
// ciphers that libsodium has for it, and what a stranger costs who begins a session.
//
//   bench_seal [ROUNDS]
//     Prints lines "case,ns": nanoseconds a datagram, the median over rounds.
#define _GNU_SOURCE

#include "envelope.h"
#include "measure.h"
#include "seals.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 200, MOST_ROUNDS = 100000, SMALL = 100, LARGE = 1200 };

static double times[MOST_ROUNDS];
static uint8_t plain[LARGE], opened[LARGE + 200], sealed[CALLS][LARGE + 200];
static size_t sizes[CALLS];
static volatile size_t sum; // of what came out, so that it must come out

static const struct seals_peer peer = {.address = 1, .port = 1};

static void print_median(const char *name, size_t size, int rounds)
{
    printf("%s: %zu,%.1f\n", name, size, measure_quantile(times, rounds, 0.5));
}

static bool is_ticket(void *context, uint32_t address, uint32_t ticket)
{
    (void)context;
    return address != 0 && ticket == 0;
}

static struct seals *create(void)
{
    const struct seals_def def = {.capacity = 128, .secret = {1}, .is_ticket = is_ticket};
    struct seals *seals = seals_create(&def, 0);
    if (seals == NULL)
        exit(1);
    return seals;
}

// --- A session ---

static const uint8_t connect[52] = {0x8F, 0xFF, 0, 0, 0x82, 0xFF};

// Returns what it costs the server, in nanoseconds.
static double begin(struct seals *seals, struct seals_peer from, int64_t now_ms,
                    struct raim_envelope *client)
{
    struct raim_ticket ticket = {0};
    enum datagram_verdict verdict;
    seals_offer(seals, now_ms, &ticket);
    raim_envelope_begin(client, &ticket);
    const size_t size = raim_envelope_close(client, connect, sizeof connect, sealed[0]);
    const int64_t start = measure_ns(CLOCK_MONOTONIC);
    sum += seals_open(seals, from, sealed[0], size, now_ms, opened, &verdict);
    return (double)(measure_ns(CLOCK_MONOTONIC) - start);
}

static void measure_session(size_t size, int rounds)
{
    struct seals *seals = create();
    enum datagram_verdict verdict;
    struct raim_envelope client;
    begin(seals, peer, 0, &client);
    const size_t first = seals_close(seals, peer, plain, size, sealed[0]);
    raim_envelope_open(&client, sealed[0], first, opened);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < CALLS; i++)
            sizes[i] = raim_envelope_close(&client, plain, size, sealed[i]);
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum += seals_open(seals, peer, sealed[i], sizes[i], 0, opened, &verdict);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median("server opens", size, rounds);
    for (int round = 0; round < rounds; round++) {
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum += seals_close(seals, peer, plain, size, sealed[i]);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median("server seals", size, rounds);
    for (int round = 0; round < rounds; round++) {
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum += seals_open(seals, peer, sealed[0], size, 0, opened, &verdict);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median("server refuses", size, rounds);
    seals_destroy(seals);
}

// --- Beginning one ---

static void measure_beginning(int rounds)
{
    struct seals *seals = create();
    struct raim_envelope client;
    int64_t now_ms = 0;
    for (int round = 0; round < rounds; round++) {
        now_ms += 1000;
        times[round] = begin(seals, (struct seals_peer){.address = 2, .port = (uint16_t)round},
                             now_ms, &client);
    }
    print_median("a session begins", sizeof connect, rounds);
    for (int round = 0; round < rounds; round++) {
        enum datagram_verdict verdict;
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum += seals_open(seals, (struct seals_peer){0}, sealed[0],
                              sizeof connect + RAIM_ENVELOPE_BYTES, now_ms, opened, &verdict);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median("no ticket", sizeof connect, rounds);
    seals_destroy(seals);
}

// --- The ciphers alone ---

static void measure_chacha(size_t size, int rounds)
{
    static const uint8_t key[crypto_aead_chacha20poly1305_ietf_KEYBYTES];
    static const uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
    for (int round = 0; round < rounds; round++) {
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            crypto_aead_chacha20poly1305_ietf_encrypt(sealed[i], NULL, plain, size, NULL, 0, NULL,
                                                      nonce, key);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median("ChaCha20-Poly1305", size, rounds);
}

static void measure_aes(size_t size, int rounds)
{
    static const uint8_t key[crypto_aead_aes256gcm_KEYBYTES];
    static const uint8_t nonce[crypto_aead_aes256gcm_NPUBBYTES];
    static crypto_aead_aes256gcm_state state;
    if (!crypto_aead_aes256gcm_is_available())
        return;
    crypto_aead_aes256gcm_beforenm(&state, key);
    for (int round = 0; round < rounds; round++) {
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            crypto_aead_aes256gcm_encrypt_afternm(sealed[i], NULL, plain, size, NULL, 0, NULL,
                                                  nonce, &state);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median("AES-256-GCM", size, rounds);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    if (rounds < 1 || rounds > MOST_ROUNDS || sodium_init() < 0) {
        fprintf(stderr, "usage: bench_seal [ROUNDS]\n");
        return 64;
    }
    printf("case,ns\n");
    for (size_t size = SMALL; size <= LARGE; size += LARGE - SMALL) {
        measure_session(size, rounds);
        measure_chacha(size, rounds);
        measure_aes(size, rounds);
    }
    measure_beginning(rounds);
    return 0;
}
