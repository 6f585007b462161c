// SPDX-License-Identifier: MIT
// The ban list in force: stores it in a file, publishes it to the arenas, and frees the lists that
// it replaces. Main thread only.
#pragma once

#include "arena_list.h"
#include "bans.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ban_book;

// Loads the bans from $STATE_DIRECTORY, if it is set, and publishes them to the arenas. Borrows
// `list`. On failure writes the reason and returns NULL.
struct ban_book *ban_book_open(const struct arena_list *list, char *error, size_t capacity);

// Takes NULL. The arenas must have ended.
void ban_book_close(struct ban_book *book);

// The list in force.
const struct bans *ban_book_list(const struct ban_book *book);

// Takes a list, stores it and puts it in force. NULL for `made` stands for a list that could not be
// made. Returns NULL, or what went wrong as a printable text.
const char *ban_book_replace(struct ban_book *book, struct bans *made);

// Adds a ban, replacing one of an equal network, stores it and puts it in force in every arena.
// Returns as above.
const char *ban_book_add(struct ban_book *book, const struct ban *ban, int64_t now_s);

// Posts the list in force to the arenas that lack it and whose mailbox has room. Their answers
// carry `request`. Returns the number of arenas posted to.
uint32_t ban_book_publish(struct ban_book *book, uint32_t request);

// Notes that an arena has answered and reads this list from now on.
void ban_book_acknowledge(struct ban_book *book, const struct arena *arena,
                          const struct bans *read);

// Notes that an arena has ended and reads no list.
void ban_book_forget(struct ban_book *book, const struct arena *arena);
