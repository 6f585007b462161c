// SPDX-License-Identifier: MIT
// Token buckets per source address (an IPv4 address or an IPv6 /64) for the datagrams of connected
// peers, refilled once per tick. The table is set-associative and of fixed size: in a full row a
// new entry replaces the one with the fewest used tokens, whose bucket is nearly full. A flooding
// address therefore keeps its own bucket. An honest address loses its bucket only if more than
// ADDRESS_BUDGET_WAYS addresses flood the same row, and a secret multiplier chooses the rows. No
// sockets, no ENet; the caller owns the memory.
#pragma once

#include "ip_address.h"

#include <stdbool.h>
#include <stdint.h>

enum { ADDRESS_BUDGET_ROWS = 64, ADDRESS_BUDGET_WAYS = 8 };

struct address_budget_entry {
    uint64_t host; // see ip_address_host; 0: none
    uint64_t tick; // at which `used` was computed
    uint32_t used; // tokens
};

struct address_budget {
    uint32_t burst, per_tick; // tokens
    uint64_t multiplier;      // of the hash
    struct address_budget_entry entries[ADDRESS_BUDGET_ROWS][ADDRESS_BUDGET_WAYS];
};

// A bucket holds `burst` tokens (1 or more) and gains `per_tick` (1 or more) every tick. `secret`
// seeds the hash.
void address_budget_init(struct address_budget *budget, uint32_t burst, uint32_t per_tick,
                         uint64_t secret);

// Changes the rate. Used tokens stay used.
void address_budget_set_rate(struct address_budget *budget, uint32_t burst, uint32_t per_tick);

// Takes a token of the address; false if none is left. `tick` never decreases.
bool address_budget_take(struct address_budget *budget, struct ip_address ip, uint64_t tick);

// Returns how many of `used` tokens are still used after `ticks` refills.
uint32_t address_budget_repay(uint32_t used, uint64_t ticks, uint32_t per_tick);
