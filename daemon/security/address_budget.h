// SPDX-License-Identifier: MIT
// Token buckets, counted in ticks, of the addresses that peers of a transport have. A small
// set-associative table: an address keeps its bucket as long as it is in use, and one that sends
// little makes way for one that sends much, since it has nothing to lose. So a flood has a bucket
// of its own, and nobody who plays shares it unless more addresses than ADDRESS_BUDGET_WAYS flood
// the same row, which a secret number chooses. No sockets, no ENet, no memory of its own.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ADDRESS_BUDGET_ROWS = 64, ADDRESS_BUDGET_WAYS = 8 };

struct address_budget_entry {
    uint32_t address; // 0: none
    uint32_t used;    // tokens
    uint64_t tick;    // as of which
};

struct address_budget {
    uint32_t burst, per_tick; // tokens
    uint64_t multiplier;      // of the hash
    struct address_budget_entry entries[ADDRESS_BUDGET_ROWS][ADDRESS_BUDGET_WAYS];
};

// `burst` tokens at any time, and `per_tick` more with every tick.
void address_budget_init(struct address_budget *budget, uint32_t burst, uint32_t per_tick,
                         uint64_t secret);

// Puts another rate in force; what was used stays used.
void address_budget_set_rate(struct address_budget *budget, uint32_t burst, uint32_t per_tick);

// Takes a token; false where the address has none left. Ticks never go back.
bool address_budget_take(struct address_budget *budget, uint32_t address, uint64_t tick);

// What is left to pay of `used` tokens after so many ticks.
uint32_t address_budget_repay(uint32_t used, uint64_t ticks, uint32_t per_tick);
