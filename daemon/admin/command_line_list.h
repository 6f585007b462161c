// SPDX-License-Identifier: MIT
// Answers of text lines that list what runs. Main thread only.
#pragma once

#include "arena_list.h"

#include <stddef.h>

// The players of an arena, or of all with `arena` NULL: "1026 Ada 3 points, 42 ms".
void command_line_list_players(const struct arena_list *arenas, struct arena *arena, char *answer,
                               size_t capacity);

// As the command `status` of Source servers, for tools that know those: a block for each arena.
void command_line_list_status(const struct arena_list *arenas, struct arena *arena, char *answer,
                              size_t capacity);
