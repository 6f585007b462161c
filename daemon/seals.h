// SPDX-License-Identifier: MIT
// The sealed sessions of an arena, by the address that each has been begun from: what opens the
// datagrams that come from there and seals those that go there. No sockets; time comes from the
// caller and never goes back; memory is fixed. Addresses are IPv4 in the machine's byte order.
// Thread rule: seals belong to one thread at a time.
//
// A stranger gets as far as a comparison of its ticket; with a right one, as often as its network
// may, to two key agreements; and into the table with a CONNECT that was sealed for this server.
// Until it is heard again, with keys that only who receives at the address can make, it keeps its
// place there no longer than others need one; but for SEALS_FIRST_MS against others who begin a
// session from the same address and port, as might somebody who only listens to the one who does.
#pragma once

#include "datagram.h"
#include "knock.h"
#include "rate_limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// By which what is sealed is longer at most, and once a session stands.
#define SEALS_MOST_BYTES 50
#define SEALS_BYTES 24

// Sessions that may be begun from a source network (/24), and from all together; a token each so
// many ms. One costs 65 us (./dev bench seal): at most a burst in a tick, and 3 % of a CPU.
#define SEALS_OF_NETWORK ((struct rate){.interval = 10, .burst = 50})
#define SEALS_OF_ALL ((struct rate){.interval = 2, .burst = 100})

#define SEALS_EPHEMERAL_MS 3600000 // a new ephemeral key so often
#define SEALS_LATE_MS 120000       // and then the one before for so long: tickets with it are about
#define SEALS_SESSION_MS 20000     // without a word, longer than ENet waits for a peer
#define SEALS_FIRST_MS 1000        // for whoever begins a session to be heard again, undisturbed

struct seals;

struct seals_def {
    uint32_t capacity;              // sessions, 1 to 8192
    uint8_t secret[RAIM_KEY_BYTES]; // of the server's identity
    // Whether an address was told a ticket.
    bool (*is_ticket)(void *context, uint32_t address, uint32_t ticket);
    void *context; // borrowed
};

struct seals_peer {
    uint32_t address;
    uint16_t port;
};

// Copies the def. NULL when memory or random numbers are missing.
struct seals *seals_create(const struct seals_def *def, int64_t now_ms);
void seals_destroy(struct seals *seals);

// Puts the public keys of the moment into a ticket; call it once a second or so.
void seals_offer(struct seals *seals, int64_t now_ms, struct raim_ticket *ticket);

// Opens a datagram from a peer into `plain`, which is no part of it and as large. Returns the size,
// 0 where it is refused, for `verdict`. Copies one that begins with FF FF and begins no session:
// DATAGRAM_CONNECTIONLESS, for others to judge.
size_t seals_open(struct seals *seals, struct seals_peer from, const uint8_t *data, size_t size,
                  int64_t now_ms, uint8_t *plain, enum datagram_verdict *verdict);

// Seals what goes to a peer into other memory with SEALS_MOST_BYTES more. Returns the size, 0 where
// it has no session.
size_t seals_close(struct seals *seals, struct seals_peer to, const uint8_t *plain, size_t size,
                   uint8_t *data);
