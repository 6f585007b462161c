// SPDX-License-Identifier: MIT
// Honest and cheating aim-bots with access to the server's record of their connection. They lead by
// the newest snapshot that has come, and where their bullet is launched in the past, they let it
// fly through what they know already: the older the view that the server believes, the more of its
// flight is known.
#pragma once

#include "netsim.h"

#include <stdbool.h>
#include <stdint.h>

enum liar_lie {
    LIAR_HONEST, // claims the view that its client shows
    LIAR_ACKS,   // claims the oldest view, and holds the acknowledgements of snapshots back
    LIAR_BURSTS, // holds all answers back now and then, and fires then
    LIAR_ALL,    // holds all answers back, always, like a distant client
};

enum { LIAR_KNOWN = 64, LIAR_ACKS_KEPT = 32 };

// What one of them knows.
struct liar_player {
    bool is_any;
    uint32_t acks[LIAR_ACKS_KEPT]; // that its client had named, by tick modulo their number
    bool has_acked;
    uint32_t first_ack, newest_ack; // ticks of INPUTs
    uint32_t newest;                // tick of the newest positions
    struct liar_known {
        uint32_t tick;
        uint8_t life; // 0: not seen then
        raim_vec2 position, velocity;
    } known[LIAR_KNOWN][NETSIM_MAX_PLAYERS]; // by tick modulo LIAR_KNOWN, then by slot
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
};

struct liars {
    const struct netsim *netsim; // set it once it is there
    uint32_t hold_ticks;         // by which answers are held back
    bool fires_in_bursts;        // all of them, so that they can be compared
    enum liar_lie lies[NETSIM_MAX_PLAYERS];
    bool aims[NETSIM_MAX_PLAYERS]; // false: an ordinary bot
    struct liar_player players[NETSIM_MAX_PLAYERS];
};

// For the def of a netsim; the liars outlive it.
struct netsim_liar liars_hooks(struct liars *liars);
