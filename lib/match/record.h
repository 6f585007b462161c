// SPDX-License-Identifier: MIT
// Records, for a recording, which entities clients were sent and which inputs arrived from them.
#pragma once

#include <stdbool.h>

struct raim_connection;
struct raim_match;

// Records the set of entities that a client was sent in this tick. Call it for every client that is
// served.
void raim_record_sent(struct raim_match *match, const struct raim_connection *client);

// Records how many inputs of a client arrived. Call it when the input of the tick was taken.
void raim_record_traffic(struct raim_match *match, const struct raim_connection *client,
                         bool is_missed);

// Begin and end the records of what a tick sends.
void raim_record_begin_sent(struct raim_match *match);
void raim_record_end_tick(struct raim_match *match);
