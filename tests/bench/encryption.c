// SPDX-License-Identifier: MIT
// Cost of encryption: both ends of an encrypted connection, without sockets, with each cipher of
// this machine, and of a session that a stranger begins.
//
//   bench_encryption [ROUNDS]
//     Prints lines "case,ns": nanoseconds a datagram or handshake, the median over rounds.
#define _GNU_SOURCE

#include "connector.h"
#include "measure.h"
#include "secure_sessions.h"

#include <stdio.h>
#include <string.h>

enum { CALLS = 200, MAX_ROUNDS = 100000, SMALL = 100, LARGE = 1200 };

static double times[MAX_ROUNDS];
static uint8_t plain[LARGE], opened[LARGE + 200], encrypted[CALLS][LARGE + 200];
static size_t sizes[CALLS];
static volatile size_t sum; // of what came out, so that it must come out

static const struct udp_address peer = {.ip.low = IP_V4_MAPPED << 32 | 1, .port = 1};
static struct raim_cookie offer = {.cookie = 1, .offers_encryption = true, .arena = "duel"};

static void print_median(const char *name, size_t size, int rounds)
{
    printf("%s: %zu,%.1f\n", name, size, measure_quantile(times, rounds, 0.5));
}

static struct secure_sessions *create(bool aesgcm)
{
    static const uint8_t key[RAIM_KEY_BYTES] = {1};
    struct secure_sessions *sessions = secure_sessions_create(128, key, 1);
    if (sessions == NULL)
        exit(1);
    offer.offers_aesgcm = aesgcm;
    memcpy(offer.server_key, secure_sessions_public_key(sessions), sizeof offer.server_key);
    return sessions;
}

static struct raim_connector *create_client(void)
{
    const struct raim_connector_def anybody = {0};
    struct raim_connector *client = raim_connector_create(&anybody);
    if (client == NULL)
        exit(1);
    return client;
}

// --- A session ---

// A handshake. Returns what it costs the server, in nanoseconds; `init` keeps the client's INIT.
static double begin(struct secure_sessions *sessions, struct udp_address from, int64_t now_ms,
                    struct raim_connector *client, struct raim_init *init, uint8_t *bytes)
{
    uint8_t cookie[RAIM_COOKIE_BYTES], reply[RAIM_RESPONSE_BYTES], ephemeral[RAIM_KEY_BYTES];
    struct raim_credential credential;
    const uint64_t now_us = (uint64_t)now_ms * 1000;
    const size_t cookie_size = raim_cookie_write(&offer, cookie);
    raim_connector_begin(client, NULL, now_us);
    raim_connector_receive(client, now_us, cookie, cookie_size);
    const size_t size = raim_connector_send(client, now_us, bytes);
    const int64_t start = measure_ns(CLOCK_MONOTONIC);
    raim_crypto_random(ephemeral, sizeof ephemeral);
    if (!raim_init_read(bytes, size, init) ||
        !secure_sessions_read(sessions, init, cookie, cookie_size, ephemeral, &credential) ||
        secure_sessions_begin(sessions, from, (struct secure_limits){0}, RAIM_CREDENTIAL_NONE,
                              now_ms, reply) != DATAGRAM_OK)
        exit(1);
    const double ns = (double)(measure_ns(CLOCK_MONOTONIC) - start);
    raim_connector_receive(client, now_us, reply, sizeof reply);
    return ns;
}

static void measure_session(bool aesgcm, size_t size, int rounds)
{
    struct secure_sessions *sessions = create(aesgcm);
    struct raim_connector *client = create_client();
    struct raim_init init;
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    enum datagram_verdict verdict;
    begin(sessions, peer, 0, client, &init, bytes);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < CALLS; i++)
            sizes[i] = raim_connector_encrypt(client, 0, plain, size, encrypted[i]);
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum +=
                secure_sessions_decrypt(sessions, peer, encrypted[i], sizes[i], opened, &verdict);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median(aesgcm ? "server opens, AES-256-GCM" : "server opens, ChaCha20-Poly1305", size,
                 rounds);
    for (int round = 0; round < rounds; round++) {
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum += secure_sessions_encrypt(sessions, peer, 0, plain, size, encrypted[i]);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median(aesgcm ? "server encrypts, AES-256-GCM" : "server encrypts, ChaCha20-Poly1305",
                 size, rounds);
    for (int round = 0; round < rounds; round++) {
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum += secure_sessions_decrypt(sessions, peer, encrypted[0], size, opened, &verdict);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median(aesgcm ? "server rejects, AES-256-GCM" : "server rejects, ChaCha20-Poly1305", size,
                 rounds);
    raim_connector_destroy(client);
    secure_sessions_destroy(sessions);
}

// --- Beginning one ---

static void measure_beginning(int rounds)
{
    struct secure_sessions *sessions = create(false);
    struct raim_connector *client = create_client();
    struct raim_init init;
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES], reply[RAIM_RESPONSE_BYTES];
    int64_t now_ms = 0;
    for (int round = 0; round < rounds; round++) {
        now_ms += 1000;
        times[round] =
            begin(sessions, udp_address_v4(2, (uint16_t)round), now_ms, client, &init, bytes);
    }
    print_median("a session begins", 0, rounds);
    const struct udp_address last = udp_address_v4(2, (uint16_t)(rounds - 1));
    for (int round = 0; round < rounds; round++) {
        const int64_t start = measure_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            sum += secure_sessions_repeat(sessions, last, &init, reply);
        times[round] = (double)(measure_ns(CLOCK_MONOTONIC) - start) / CALLS;
    }
    print_median("its INIT again", 0, rounds);
    raim_connector_destroy(client);
    secure_sessions_destroy(sessions);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    if (rounds < 1 || rounds > MAX_ROUNDS || !raim_crypto_init()) {
        fprintf(stderr, "usage: bench_encryption [ROUNDS]\n");
        return 64;
    }
    printf("case,ns\n");
    for (size_t size = SMALL; size <= LARGE; size += LARGE - SMALL) {
        for (int aesgcm = 0; aesgcm <= raim_crypto_has_aesgcm(); aesgcm++)
            measure_session(aesgcm, size, rounds);
    }
    measure_beginning(rounds);
    return 0;
}
