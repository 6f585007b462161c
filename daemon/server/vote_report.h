// SPDX-License-Identifier: MIT
// What the main thread does about a vote of an arena: the log, the event `vote`, and the ban of a
// kicked player's address. Main thread only.
#pragma once

#include "arena_reports.h"

struct arena_feed_item;

// Takes an item ARENA_FEED_VOTE.
void vote_report_note(const struct arena_reports *reports, const struct arena *arena,
                      const struct arena_feed_item *item);
