// SPDX-License-Identifier: MIT
// The ban list in force: has it stored in a file, publishes it to the arenas, and frees the lists
// that it replaces. Main thread only.
#pragma once

#include "arena_list.h"
#include "bans.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ban_store;
struct store;

// Loads the bans of a store, and publishes them to the arenas. Borrows both; `store` may be NULL.
// On failure writes the reason and returns NULL.
struct ban_store *ban_store_open(const struct arena_list *list, struct store *store, char *error,
                                 size_t capacity);

// Takes NULL. The arenas must have ended.
void ban_store_close(struct ban_store *book);

// The list in force.
const struct bans *ban_store_list(const struct ban_store *book);

// Takes a list, puts it in force and has it stored. NULL for `made` stands for a list that could
// not be made. Returns NULL, or what went wrong as a printable text.
const char *ban_store_replace(struct ban_store *book, struct bans *made);

// The change of the store that the newest list is, 0 if it is not stored; and whether one was
// written.
uint64_t ban_store_change(const struct ban_store *book);
bool ban_store_is_stored(const struct ban_store *book, uint64_t change);

// Adds a ban by the decision of others than an operator: puts it in force, publishes it and has it
// stored. Returns NULL, or what went wrong as a printable text.
const char *ban_store_add(struct ban_store *book, const struct ban *ban);

// Puts a sorted list that was fetched in force beside the operator's; NULL: none. It replaces the
// previous fetched list. Takes the list, and frees it when no arena reads it any more. Returns
// false when memory runs out; the previous list then stays.
bool ban_store_set_foreign(struct ban_store *book, struct bans *foreign);

// The foreign list in force; NULL: none.
const struct bans *ban_store_foreign(const struct ban_store *book);

// Posts the list in force to the arenas that lack it and whose mailbox has room. Their answers
// carry `request`. Returns the number of arenas posted to.
uint32_t ban_store_publish(struct ban_store *book, uint32_t request);

// Notes that an arena has answered and reads this list from now on.
void ban_store_acknowledge(struct ban_store *book, const struct arena *arena,
                           const struct bans *read);

// Notes that an arena has ended and reads no list.
void ban_store_forget(struct ban_store *book, const struct arena *arena);
