// SPDX-License-Identifier: MIT
// Finds an address in its row, or replaces the row's entry with the fewest used tokens.
#include "address_budget.h"

#include <assert.h>
#include <string.h>

enum { ROW_BITS = 6 };

static_assert(1 << ROW_BITS == ADDRESS_BUDGET_ROWS, "the hash's range");

void address_budget_init(struct address_budget *budget, uint32_t burst, uint32_t per_tick,
                         uint64_t secret)
{
    memset(budget, 0, sizeof *budget);
    budget->multiplier = secret | 1;
    address_budget_set_rate(budget, burst, per_tick);
}

void address_budget_set_rate(struct address_budget *budget, uint32_t burst, uint32_t per_tick)
{
    assert(burst >= 1 && per_tick >= 1);
    budget->burst = burst;
    budget->per_tick = per_tick;
}

uint32_t address_budget_repay(uint32_t used, uint64_t ticks, uint32_t per_tick)
{
    return ticks >= used || ticks * per_tick >= used ? 0 : used - (uint32_t)ticks * per_tick;
}

static void repay(const struct address_budget *budget, struct address_budget_entry *entry,
                  uint64_t tick)
{
    entry->used = address_budget_repay(entry->used, tick - entry->tick, budget->per_tick);
    entry->tick = tick;
}

bool address_budget_take(struct address_budget *budget, struct ip_address ip, uint64_t tick)
{
    const uint64_t host = ip_address_host(ip);
    const uint64_t hash = host * budget->multiplier;
    struct address_budget_entry *row = budget->entries[hash >> (64 - ROW_BITS)];
    struct address_budget_entry *found = NULL;
    for (int i = 0; i < ADDRESS_BUDGET_WAYS && found == NULL; i++)
        if (row[i].host == host)
            found = &row[i];
    if (found != NULL) {
        repay(budget, found, tick);
    } else {
        found = row;
        for (int i = 0; i < ADDRESS_BUDGET_WAYS; i++) {
            repay(budget, &row[i], tick);
            if (row[i].used < found->used)
                found = &row[i];
        }
        found->host = host; // it inherits the tokens used by the replaced address
    }
    if (found->used >= budget->burst)
        return false;
    found->used++;
    return true;
}
