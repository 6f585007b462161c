// SPDX-License-Identifier: MIT
// Search: what is shown while a matchmaker looks for a room.
#pragma once

#include "matchmaker.h"
#include "ui.h"

struct search;

// Queues at a matchmaker from `begin_s` on, see matchmaker_queue. NULL when memory runs out.
struct search *search_open(const char *url, const char *player, const struct regions *regions,
                           double begin_s);

// Takes NULL.
void search_close(struct search *search);

// Continues without blocking. The room when it is found, which is valid until search_close.
const struct matchmaker_room *search_poll(struct search *search, double now_s);

void search_draw(const struct search *search, const struct ui *ui, double now_s);
