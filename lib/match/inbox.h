// SPDX-License-Identifier: MIT
// Input buffer of one client: holds inputs until their tick (a jitter buffer), repeats the last one
// if none arrived in time, and measures how early inputs arrive. Clients leave out inputs that
// change nothing, so a tick without an input is not necessarily a missed one.
#pragma once

#include "frame.h"
#include "input.h"
#include "rejection.h"
#include "rewind_limit.h"
#include "world.h"

// Inputs may arrive this many ticks before their tick. The window is a 64-bit set.
#define RAIM_INBOX_TICKS 64

// After this many seconds without an input the keys count as released.
#define RAIM_INBOX_HOLD_S 0.5

// Clients send at least ten messages a second. After this many seconds without an input in time, a
// message was lost or is late.
#define RAIM_INBOX_SILENT_S 0.3

struct raim_inbox {
    raim_input waiting[RAIM_INBOX_TICKS]; // by tick modulo RAIM_INBOX_TICKS
    uint64_t has;                         // a bit for each entry of `waiting`
    uint64_t repeated; // bits of ticks played without an input; their entries are what was played
    uint64_t clamped;  // bits of inputs that claimed an older view than the client can have had
    raim_input held;   // played where no input arrived in time
    bool is_held_clamped;
    uint32_t first_tick, newest_tick; // of all inputs so far
    bool any;
    uint32_t starved_ticks; // consecutive ticks played without an input
    uint32_t missed;        // ticks that the next take adds to the tally
    // Ticks by which messages came early: `least` is the minimum of the present window, if any
    // message came; `margin` is the minimum of the last window in which any came, and is sent to
    // the client. See RAIM_MARGIN_WINDOW. Only a message newer than all before counts.
    int32_t least;
    bool has_least;
    int32_t margin;         // -RAIM_MAX_MARGIN to RAIM_MAX_MARGIN
    int32_t newest_margin;  // of the newest message
    bool is_newest_delayed; // by RAIM_INBOX_DELAYED more than the previous one; does not count yet
};

// `due` counts the ticks from that of the first input on. `missed` counts those of them that were
// played with other keys than the client pressed, as a later message shows, and those after
// RAIM_INBOX_SILENT_S.
struct raim_inbox_tally {
    uint32_t due, missed;
};

// Stores a message's inputs for ticks that the world has not played yet. Returns RAIM_REJECTIONS on
// success, otherwise the reason of the rejection. The newest input of a late message still replaces
// the held one.
//
// A client claims how old its view was when it fired. The claim is clamped to the world's
// max_rewind and to what `rewind_limit` allows, counted back from the message's arrival. An early
// input is allowed up to RAIM_INBOX_EARLY ticks more, because honest clients run ahead by that
// much.
#define RAIM_INBOX_EARLY 2

// A message that arrives this many ticks or more later than its neighbours does not count for the
// margin, because a message of the next tick would have overtaken it. Clients send one in the next
// tick when keys change.
#define RAIM_INBOX_DELAYED 2

enum raim_rejection raim_inbox_receive(struct raim_inbox *inbox, const struct raim_world *world,
                                       const struct raim_rewind_limit *rewind_limit,
                                       const struct raim_input_message *message);

// Takes the input to play in the world's next tick and updates `tally`. Call it once a tick.
raim_input raim_inbox_take(struct raim_inbox *inbox, const struct raim_world *world,
                           struct raim_inbox_tally *tally);
