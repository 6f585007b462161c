// SPDX-License-Identifier: MIT
// Records what was sent to clients and arrived from them.
#pragma once

#include <stdbool.h>

struct raim_connection;
struct raim_match;

// Records what was sent to a client: its set of the tick. Call it for every client that is served.
void raim_record_sent(struct raim_match *match, const struct raim_connection *client);

// Records what arrived of a client's inputs, when the one of the tick was taken.
void raim_record_traffic(struct raim_match *match, const struct raim_connection *client,
                         bool is_missed);

// Begins and ends the records of what a tick sends.
void raim_record_begin_sent(struct raim_match *match);
void raim_record_end_tick(struct raim_match *match);
