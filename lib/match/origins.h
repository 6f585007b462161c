// SPDX-License-Identifier: MIT
// Hash table that counts the players or spectators of each address or network.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Electors per address while active players are at several addresses. One would make a household a
// single player; more would let one attacker outvote many.
#define RAIM_VOTE_ELECTORS 2

// A row of an open-addressed table by address or network.
struct raim_origin {
    uint64_t key;   // 0: free
    uint32_t count; // of electors or spectators
    struct {
        uint32_t order, choice;
    } latest[RAIM_VOTE_ELECTORS]; // of the electors, the latest one first; order 0: none
};

// The table: scratch memory, cleared for each count.
struct raim_origins {
    struct raim_origin *rows;
    uint32_t capacity; // a power of two
};

// Allocates a table that is at most half full with `keys` keys. Returns false when memory runs out.
bool raim_origins_create(struct raim_origins *origins, uint32_t keys);
void raim_origins_destroy(struct raim_origins *origins);

// Empties the table.
void raim_origins_clear(const struct raim_origins *origins);

// Finds or adds the row of a key that is not 0.
struct raim_origin *raim_origins_find(const struct raim_origins *origins, uint64_t key);
