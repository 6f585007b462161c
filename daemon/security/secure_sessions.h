// SPDX-License-Identifier: MIT
// The encrypted sessions of an arena, by the address and port that each was begun from: the
// responder's side of their handshakes, and what decrypts and encrypts their datagrams. No sockets;
// time and randomness come from the caller, and time never goes back; memory is fixed, and secret.
// Thread rule: sessions belong to one thread at a time.
//
// Lifetime: a session belongs to the ENet peer that connects through it. It ends with that peer,
// and nothing else keeps it alive. Until it has one it keeps its slot for SECURE_PROTECTED_MS;
// from then on it makes way for whoever needs the slot, and at SECURE_UNCONNECTED_MS it ends. So
// slots are held only by those that ENet's own limits admit.
#pragma once

#include "datagram.h"
#include "secure_channel.h"
#include "secure_datagram.h"
#include "udp_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECURE_PROTECTED_MS 1000
#define SECURE_UNCONNECTED_MS 5000

struct secure_sessions;

// Most sessions of an address and of its network (/24); 0: no limit.
struct secure_limits {
    uint32_t of_address, of_network;
};

// Up to so many sessions, 1 to twice RAIM_MAX_PEERS, of the server with this secret key. `hash` is
// a random number that nobody outside knows. NULL when memory or libsodium is missing.
struct secure_sessions *secure_sessions_create(uint32_t capacity,
                                               const uint8_t secret[RAIM_KEY_BYTES], uint64_t hash);
void secure_sessions_destroy(struct secure_sessions *sessions);

// The server's public key.
const uint8_t *secure_sessions_key(const struct secure_sessions *sessions);

bool secure_sessions_has(const struct secure_sessions *sessions, struct udp_address peer);

// --- Handshakes ---

// Copies the stored RESPONSE to an INIT that a peer has sent before; 0 for any other INIT.
size_t secure_sessions_repeat(struct secure_sessions *sessions, struct udp_address peer,
                              const struct raim_init *init, uint8_t reply[RAIM_RESPONSE_BYTES]);

// Reads an INIT that follows the COOKIE of these bytes, two key agreements' worth of work with its
// answer. `ephemeral` is random, known to nobody else, and never given twice: the answer's secret
// key, so that whoever learns the server's key later cannot decrypt what was said. False for an
// INIT that was not made for the cookie. True must be followed by one of the two below.
bool secure_sessions_read(struct secure_sessions *sessions, const struct raim_init *init,
                          const uint8_t *cookie, size_t cookie_size,
                          const uint8_t ephemeral[RAIM_KEY_BYTES],
                          struct raim_credential *credential);

// Answers the INIT just read: why its sender is refused. Keeps nothing. Returns the size; 0 where
// there is no answer to be had.
size_t secure_sessions_refuse(struct secure_sessions *sessions, uint8_t reason,
                              uint8_t reply[RAIM_RESPONSE_BYTES]);

// Begins the session of the INIT just read and writes its RESPONSE. One that resumes a match's
// session takes the slot of any that has no ENet peer and does not. DATAGRAM_OK, or why there is
// none.
enum datagram_verdict secure_sessions_begin(struct secure_sessions *sessions,
                                            struct udp_address peer, struct secure_limits limits,
                                            bool resumes, int64_t now_ms,
                                            uint8_t reply[RAIM_RESPONSE_BYTES]);

// --- Lifetime ---

// A sweep: keep every peer that ENet has, then end those sessions whose peer is gone, or never
// came.
void secure_sessions_keep(struct secure_sessions *sessions, struct udp_address peer);
void secure_sessions_sweep(struct secure_sessions *sessions, int64_t now_ms);

// --- Datagrams ---

// Decrypts a datagram from a peer into `plain`, which is other memory and as large. Returns the
// size; 0 where it is refused, for `verdict`.
size_t secure_sessions_decrypt(struct secure_sessions *sessions, struct udp_address from,
                               const uint8_t *data, size_t size, uint8_t *plain,
                               enum datagram_verdict *verdict);

// Encrypts what goes to a peer into other memory with RAIM_SECURE_BYTES more. Returns the size; 0
// where it has no session.
size_t secure_sessions_encrypt(struct secure_sessions *sessions, struct udp_address to,
                               int64_t now_ms, const uint8_t *plain, size_t size, uint8_t *data);
