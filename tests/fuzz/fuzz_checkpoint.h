// SPDX-License-Identifier: MIT
// The matches of the targets for checkpoints: one in full swing, to be saved, and new ones, to be
// restored into.
#pragma once

#include "fuzz.h"
#include "fuzz_arena.h"
#include "handshake.h"
#include "match.h"

#include <stdbool.h>

enum { FUZZ_CLIENTS = 3 };

static inline struct raim_match_def fuzz_def(const struct raim_map *map)
{
    struct raim_match_def def = raim_match_default_def();
    def.map = map;
    def.rules = fuzz_rules();
    def.tuning.max_players = FUZZ_CLIENTS;
    def.max_connections = FUZZ_CLIENTS + 1;
    def.bots = 2;
    def.seed = 1;
    def.tuning.round_s = 2;
    def.tuning.break_s = 1;
    return def;
}

static inline void fuzz_step(struct raim_match *match, int ticks)
{
    struct raim_outgoing outgoing;
    for (int i = 0; i < ticks; i++) {
        raim_match_step(match);
        while (raim_match_outgoing(match, &outgoing))
            assert(outgoing.size <= RAIM_MAX_MESSAGE_BYTES);
    }
}

static inline void fuzz_join(struct raim_match *match, uint32_t client, bool resume)
{
    uint8_t token[RAIM_TOKEN_BYTES] = {(uint8_t)(client + 1)};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION, .resume = resume, .name = "somebody"};
    memcpy(hello.token, token, sizeof hello.token);
    raim_match_connect(match, client, token);
    raim_match_receive(match, client, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
}

static inline struct raim_match *fuzz_match_of(const struct raim_match_def *def)
{
    struct raim_match *match = raim_match_create(def);
    assert(match != NULL);
    return match;
}

static inline struct raim_match *fuzz_new_match(const struct raim_map *map)
{
    const struct raim_match_def def = fuzz_def(map);
    return fuzz_match_of(&def);
}

// By other rules and with other places, in the same ticks: it takes over what the others left.
static inline struct raim_match *fuzz_heir(const struct raim_map *map)
{
    struct raim_match_def def = fuzz_def(map);
    def.rules.player_speed *= 2;
    def.bots = 3;
    def.lag_compensation_ms = 0;
    return fuzz_match_of(&def);
}

// With players of whom one is away. The caller destroys it.
static inline struct raim_match *fuzz_played(const struct raim_map *map)
{
    struct raim_match *match = fuzz_new_match(map);
    for (uint32_t client = 0; client < FUZZ_CLIENTS; client++)
        fuzz_join(match, client, false);
    fuzz_step(match, 100);
    raim_match_disconnect(match, 0);
    fuzz_step(match, 5);
    return match;
}
