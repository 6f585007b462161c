// SPDX-License-Identifier: MIT
// Table of an arena's encrypted sessions, keyed by client address and port: the responder's side of
// the Noise handshake (see noise.h), and decryption and encryption of datagrams. No sockets; time
// and randomness come from the caller, and time never decreases. Memory is fixed, locked and wiped.
// Thread rule: sessions belong to one thread at a time.
//
// Lifetime: a session belongs to the ENet peer that connects through it and ends with that peer.
// A session without a peer is protected from eviction for SECURE_PROTECTED_MS. Then a new session
// may take its slot, and after SECURE_UNCONNECTED_MS it ends. So in the long run only clients that
// ENet's limits admit hold slots.
#pragma once

#include "datagram.h"
#include "ip_address.h"
#include "secure_channel.h"
#include "secure_datagram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECURE_PROTECTED_MS 1000
#define SECURE_UNCONNECTED_MS 5000

struct secure_sessions;

// Maximum sessions per address (an IPv4 address or IPv6 /64) and per network (/24 or /48); 0: no
// limit.
struct secure_limits {
    uint32_t of_address, of_network;
};

// `capacity` is 1 to 2 * RAIM_MAX_PEERS. `secret` is the server's X25519 secret key, copied. `hash`
// is random and known only to this process. NULL when memory runs out or libsodium fails.
struct secure_sessions *secure_sessions_create(uint32_t capacity,
                                               const uint8_t secret[RAIM_KEY_BYTES], uint64_t hash);
void secure_sessions_destroy(struct secure_sessions *sessions);

// The server's public key.
const uint8_t *secure_sessions_public_key(const struct secure_sessions *sessions);

bool secure_sessions_has(const struct secure_sessions *sessions, struct udp_address peer);

// --- Handshakes ---

// Copies the stored RESPONSE to an INIT that a peer has sent before; 0 for any other INIT.
size_t secure_sessions_repeat(struct secure_sessions *sessions, struct udp_address peer,
                              const struct raim_init *init, uint8_t reply[RAIM_RESPONSE_BYTES]);

// Decrypts an INIT whose prologue is the COOKIE in `cookie`. `ephemeral` is the secret key of the
// answer: random, known only to this process and never reused, which gives forward secrecy. INIT
// and answer together cost two key agreements. False if the INIT was not made for this cookie.
// After true the caller must call secure_sessions_reject or secure_sessions_begin.
bool secure_sessions_read(struct secure_sessions *sessions, const struct raim_init *init,
                          const uint8_t *cookie, size_t cookie_size,
                          const uint8_t ephemeral[RAIM_KEY_BYTES],
                          struct raim_credential *credential);

// Writes the rejection of the INIT just read and stores no session. Returns the reply's size; 0 on
// failure.
size_t secure_sessions_reject(struct secure_sessions *sessions, uint8_t reason,
                              uint8_t reply[RAIM_RESPONSE_BYTES]);

// Begins the session of the INIT just read and writes its RESPONSE. `credential` is the kind of the
// valid one that it brought; with that of a session of the match it may evict any session that has
// no ENet peer and does not resume. Returns DATAGRAM_OK, or DATAGRAM_SESSIONS or DATAGRAM_FORGED
// without a session.
enum datagram_verdict secure_sessions_begin(struct secure_sessions *sessions,
                                            struct udp_address peer, struct secure_limits limits,
                                            enum raim_credential_kind credential, int64_t now_ms,
                                            uint8_t reply[RAIM_RESPONSE_BYTES]);

// Whether the session of a peer began with the arena's password.
bool secure_sessions_knows_password(const struct secure_sessions *sessions,
                                    struct udp_address peer);

// --- Lifetime ---

// Mark and sweep: call secure_sessions_mark for every ENet peer, then secure_sessions_sweep, which
// ends the sessions that have lost their peer or never got one within SECURE_UNCONNECTED_MS.
void secure_sessions_mark(struct secure_sessions *sessions, struct udp_address peer);
void secure_sessions_sweep(struct secure_sessions *sessions, int64_t now_ms);

// --- Datagrams ---

// Prefetches the session of a peer for secure_sessions_decrypt and secure_sessions_encrypt. It is
// rarely in the processor's cache, because it is used once per tick.
void secure_sessions_prefetch(const struct secure_sessions *sessions, struct udp_address peer);

// Decrypts a datagram into `plain`, which is other memory of at least `size` bytes or `data` +
// RAIM_SECURE_HEADER_BYTES. Returns the plaintext's size; 0 if the datagram is rejected for
// `verdict`.
size_t secure_sessions_decrypt(struct secure_sessions *sessions, struct udp_address from,
                               const uint8_t *data, size_t size, uint8_t *plain,
                               enum datagram_verdict *verdict);

// Encrypts `plain` into `data`, which has room for `size` + RAIM_SECURE_BYTES bytes. `plain` is
// other memory or `data` + RAIM_SECURE_HEADER_BYTES. Returns the size; 0 if the peer has no
// session.
size_t secure_sessions_encrypt(struct secure_sessions *sessions, struct udp_address to,
                               int64_t now_ms, const uint8_t *plain, size_t size, uint8_t *data);
