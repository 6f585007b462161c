// SPDX-License-Identifier: MIT
// Counts wrong passwords, by address or by client, so that whoever gives too many is refused for
// some minutes. Fixed memory: where more fail, the one that has failed longest ago is forgotten.
// Pure.
#pragma once

#include <stdint.h>

#define LOGIN_GUARD_ENTRIES 256
#define LOGIN_GUARD_MS 300000U    // after which the failures of a key are forgotten
#define LOGIN_GUARD_OF_ADDRESS 5U // wrong passwords of an address
#define LOGIN_GUARD_OF_CLIENT 3U  // wrong passwords of a player's connection

struct login_guard {
    struct login_guard_entry {
        uint64_t key;
        uint32_t failures;
        uint64_t failed_ms; // the last time; 0: the entry is free
    } entries[LOGIN_GUARD_ENTRIES];
};

// Counts a wrong password of a key, and returns how many there are now. `now_ms` is above 0.
uint32_t login_guard_fail(struct login_guard *guard, uint64_t key, uint64_t now_ms);

// The wrong passwords of a key that are not forgotten.
uint32_t login_guard_failures(const struct login_guard *guard, uint64_t key, uint64_t now_ms);
