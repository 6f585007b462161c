// SPDX-License-Identifier: MIT
// What a client was sent, as a set of slots, and how it is predicted from tick to tick: what is
// gone leaves it, and a new bullet enters it with its shooter. A recording stores the differences
// from the prediction alone. Thread rule: the functions are pure; any thread may call them with
// its own memory.
#pragma once

#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What all predictions of a tick have in common.
struct raim_sent_tick {
    uint32_t player_words, bullet_words; // of a set
    uint32_t bullets_per_player;
    const uint64_t *living, *flying; // borrowed: players alive, bullets in flight
    // Bullets in flight that were not so in the tick before, and their shooters' slots. More than
    // RAIM_SENT_BORN are not predicted.
    uint32_t born_count;
    uint16_t *born, *shooters; // RAIM_SENT_BORN each, borrowed
};
#define RAIM_SENT_BORN 1024

// Returns the words of a client's set: players, followed by bullets.
static inline uint32_t raim_sent_words(const struct raim_sent_tick *tick)
{
    return tick->player_words + tick->bullet_words;
}

// Lists the bullets that are new since the tick in which `flew` were in flight.
void raim_sent_find_born(struct raim_sent_tick *tick, const uint64_t *flew);

// Predicts, in place, the players in the set of a client. Then, when they are the right ones, the
// bullets: a new one is expected where its shooter is in the set or is the client's own player, in
// `own_slot`. Bullets that have ended leave the set.
void raim_sent_predict_players(const struct raim_sent_tick *tick, uint64_t *set);
void raim_sent_predict_bullets(const struct raim_sent_tick *tick, uint32_t own_slot, uint64_t *set);
