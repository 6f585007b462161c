// SPDX-License-Identifier: MIT
// A table of failures, searched from its beginning: they are rare, because a password takes 100 ms.
#include "login_guard.h"

uint32_t login_guard_failures(const struct login_guard *guard, uint64_t key, uint64_t now_ms)
{
    for (int i = 0; i < LOGIN_GUARD_ENTRIES; i++) {
        const struct login_guard_entry *entry = &guard->entries[i];
        if (entry->failed_ms != 0 && entry->key == key &&
            now_ms - entry->failed_ms < LOGIN_GUARD_MS)
            return entry->failures;
    }
    return 0;
}

uint32_t login_guard_fail(struct login_guard *guard, uint64_t key, uint64_t now_ms)
{
    const uint32_t failures = login_guard_failures(guard, key, now_ms) + 1;
    struct login_guard_entry *chosen = &guard->entries[0];
    for (int i = 0; i < LOGIN_GUARD_ENTRIES; i++) {
        struct login_guard_entry *entry = &guard->entries[i];
        if (entry->failed_ms != 0 && entry->key == key) {
            chosen = entry;
            break;
        }
        if (entry->failed_ms < chosen->failed_ms)
            chosen = entry;
    }
    *chosen = (struct login_guard_entry){.key = key, .failures = failures, .failed_ms = now_ms};
    return failures;
}
