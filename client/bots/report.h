// SPDX-License-Identifier: MIT
// The result of raim-bots: a table for people or JSON for programs.
#pragma once

#include "opponent.h"
#include "ping_histogram.h"

struct report_source {
    const struct opponent *players;
    int player_count;
    const char *const *servers; // HOST:PORT
    int server_count;           // 0: arenas of a matchmaker
    double seconds;             // as requested
    const struct report_samples *samples;
};

// What the clients said once a second while they played, and each pause of a player whose session
// was resumed: from the last snapshot before to the first one after. Start from all zero.
struct report_samples {
    struct ping_histogram pings, pauses;
    uint64_t count; // samples
    uint64_t late;  // those in which an input had reached the server too late
};

// Takes a sample of each client that plays.
void report_sample(struct report_samples *samples, const struct opponent *players, int count);

// Notes a pause that has ended. Call it after each service.
void report_note_pause(struct report_samples *samples, struct opponent *player, double now_s);

// Writes one line about the present second, after `seconds`: how many play, their round trips, the
// share of them whose inputs came late, and their mean share of lost packets.
void report_second(const struct opponent *players, int count, double seconds);

// The number of clients that entered an arena. All others were rejected or got no answer.
int report_connected(const struct report_source *source);

// The number of clients that entered and lost their session later.
int report_disconnected(const struct report_source *source);

// The name of the reason for which the first rejected client of `players` was rejected; "none": no
// client was rejected.
const char *report_first_rejection(const struct opponent *players, int count);

// Both write to standard output.
void report_table(const struct report_source *source);
void report_json(const struct report_source *source);
