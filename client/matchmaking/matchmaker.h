// SPDX-License-Identifier: MIT
// A place in a matchmaker's queue: asks for a ticket, waits until an arena is found, and asks anew
// after every failure. deploy/matchmaker/ describes the requests. Time comes in as a parameter.
// Thread rule: a queue belongs to one thread at a time; the first HTTP request of a process
// initializes libcurl, see http_request.h.
#pragma once

#include "regions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A session that its server does not resume within this time is given up for another arena. In a
// break it has no round to lose.
#define MATCHMAKER_PATIENCE_S 2.5
#define MATCHMAKER_BREAK_PATIENCE_S 1.0

// A server of an arena that does not answer within this time is given up for another arena.
#define MATCHMAKER_CONNECT_S 3.0

#define MATCHMAKER_PROBLEM_BYTES 128

struct matchmaker;

struct matchmaker_arena {
    char address[256]; // letters, digits, ".", ":", "-" and "_"
    uint16_t port;
    char access[512]; // access token in text, "": none
};

// Begins to queue under a player's name, and with the pings that are known. Copies the texts and
// borrows the regions. NULL when memory runs out.
struct matchmaker *matchmaker_queue(const char *url, const char *player,
                                    const struct regions *regions);

// Leaves the queue: the matchmaker notices that no request follows. Takes NULL.
void matchmaker_close(struct matchmaker *matchmaker);

// Continues without blocking. Returns the arena when it is found, else NULL. Call it once per
// frame.
const struct matchmaker_arena *matchmaker_poll(struct matchmaker *matchmaker, double now_s);

// Why the last request failed, a text of less than MATCHMAKER_PROBLEM_BYTES for people; "" if it
// did not fail.
const char *matchmaker_problem(const struct matchmaker *matchmaker);

// Whether a player whose connection ended for this reason (enum raim_reason) is to queue again:
// not when the operator has sent the player away, nor when another arena would reject the player,
// too.
bool matchmaker_requeues(uint32_t reason);

// Reads a ticket: {"id"}, and with "state": "placed" also "address", "port" and "access". Returns
// false for anything else.
struct matchmaker_answer {
    char id[64];
    bool is_placed;
    struct matchmaker_arena arena; // with is_placed
};
bool matchmaker_read(const char *text, size_t size, struct matchmaker_answer *answer);
