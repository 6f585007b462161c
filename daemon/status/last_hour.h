// SPDX-License-Identifier: MIT
// The last hour of each arena, of the server and of each worker: a ring of samples, one every ten
// seconds, that the dashboard plots. An arena's ring takes 23 kB from its first sample until it
// ends. Main thread only.
#pragma once

#include "arena_list.h"

#include <stdbool.h>
#include <stdint.h>

#define LAST_HOUR_EVERY_MS 10000U
#define LAST_HOUR_FIRST_MS 1000U // the first sample comes so soon
#define LAST_HOUR_SAMPLES 360U

#define LAST_HOUR_COLUMNS 16 // the most rows of arenas that have a column (see metric.h)

struct last_hour;
struct loop;

// Borrows the list. Returns NULL when memory runs out.
struct last_hour *last_hour_create(const struct arena_list *list, uint64_t now_ms);

// Takes NULL.
void last_hour_destroy(struct last_hour *hour);

// Makes the loop call last_hour_run every second. Takes NULL. Returns false when memory runs out.
bool last_hour_start(struct last_hour *hour, struct loop *loop);

// Takes a sample of everything if it is due. An arena for which memory runs out is left out.
void last_hour_run(struct last_hour *hour, uint64_t now_ms);

// The documents show a history of NULL, for which memory ran out, as one without samples.

// The server's samples and its workers' load as JSON. Returns NULL when memory runs out.
char *last_hour_json(const struct last_hour *hour, uint64_t now_ms);

// The samples of the arena of this name, perhaps none yet; NULL, with `missing`, if there is no
// such arena.
char *last_hour_arena_json(const struct last_hour *hour, const char *name, uint64_t now_ms,
                           bool *missing);

// The 99th percentile of the delay of an arena's ticks in the newest sample; 0: none yet.
uint32_t last_hour_late_p99_us(const struct last_hour *hour, const char *name);
