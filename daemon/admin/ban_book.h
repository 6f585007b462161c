// SPDX-License-Identifier: MIT
// The list of bans that is in force: where it is kept, and which arena has been told of it. Main
// thread only.
#pragma once

#include "arena_list.h"
#include "bans.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ban_book;

// Reads the bans that are kept in $STATE_DIRECTORY, where there is one, and tells the arenas of
// them. Borrows `list`. On failure writes the reason and returns NULL.
struct ban_book *ban_book_open(const struct arena_list *list, char *error, size_t capacity);

// Takes NULL. The arenas must not run any more.
void ban_book_close(struct ban_book *book);

// The list in force.
const struct bans *ban_book_list(const struct ban_book *book);

// Takes a list and makes it the one in force; NULL stands for one that could not be made. The
// arenas are told as soon as they listen. NULL, or what went wrong, for people.
const char *ban_book_replace(struct ban_book *book, struct bans *made);

// Tells the list in force to the arenas that have not heard of it and listen now. Their answers
// carry `request`. Returns the number of arenas told.
uint32_t ban_book_publish(struct ban_book *book, uint32_t request);

// An arena has answered: it reads this list from now on.
void ban_book_acknowledge(struct ban_book *book, const struct arena *arena,
                          const struct bans *read);

// An arena runs no more, and reads nothing.
void ban_book_forget(struct ban_book *book, const struct arena *arena);
