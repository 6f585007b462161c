// SPDX-License-Identifier: MIT
// A bot that plays through a matchmaker: it queues, plays in the arena that is found, and queues
// again after the arena's end or loss. Each change of its state is a line on standard error:
//     raim-bots: at=SECONDS bot=NAME state=STATE [server=HOST:PORT rounds=N] [reason=REASON]
// with SECONDS of CLOCK_MONOTONIC and STATE queued, connecting, entering, playing, resuming, ended
// or lost.
#pragma once

#include "options.h"

struct opponent;

// Leaves the queue.
void queue_close(struct opponent *player);

// Continues queueing or playing, like opponent_service.
void queue_service(struct opponent *player, const struct options *options, double now_s, bool fire);
