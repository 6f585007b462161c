// SPDX-License-Identifier: MIT
// Position of a client in the event log: which events it has acknowledged, which are on their way,
// and when they count as lost. A few events are sent in two successive messages, so that a single
// loss delays them by a tick. Retransmission is go-back-N (Tanenbaum, "Computer Networks", sliding
// window protocols): all events from the first unacknowledged one on are sent again. Ticks are
// those of the snapshots that the client receives.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The maximum number of new events of a message that the next message repeats. It is low, so that
// bursts and large arenas do not send everything twice.
#define RAIM_EVENT_CURSOR_REPEATED 4

struct raim_event_cursor {
    uint32_t acked;     // number of the first event that the client may lack
    uint32_t first;     // the first event of the next message, from `acked` to `next`
    uint32_t next;      // the next event to send for the first time, or again after going back
    uint32_t end;       // of all events sent so far; above `next` after going back
    uint32_t went_back; // tick: messages before it do not count as evidence of a loss
    uint32_t
        waiting_from;  // tick from which it waits for an acknowledgement; valid with acked != next
    uint32_t timeouts; // since the last acknowledgement
};

// Begins for a client that receives events from `sequence` on.
void raim_event_cursor_begin(struct raim_event_cursor *cursor, uint32_t sequence, uint32_t tick);

// Records in `tick` that the events from `first` to `next` have been sent.
void raim_event_cursor_send(struct raim_event_cursor *cursor, uint32_t next, uint32_t tick);

// Whether an acknowledgement is possible: it names, by its low bits, the first event that the
// client lacks, and all events before that one have been sent.
bool raim_event_cursor_accepts(const struct raim_event_cursor *cursor, uint16_t low);

// Takes a possible acknowledgement in `tick`. Returns whether it is the newest; an older one
// changes nothing.
bool raim_event_cursor_acknowledge(struct raim_event_cursor *cursor, uint16_t low, uint32_t tick);

// Call it when the client has acknowledged the message of `snapshot_tick`, after which `sent` was
// the next event to send. Earlier messages have arrived by then or never will, so an unacknowledged
// event before `sent` is lost. The cursor then goes back, and messages from `tick` on contain the
// lost events.
void raim_event_cursor_detect_loss(struct raim_event_cursor *cursor, uint32_t snapshot_tick,
                                   uint32_t sent, uint32_t tick);

// Goes back after `timeout` ticks without an acknowledgement. The timeout doubles each time, up to
// eightfold. Call it before the events of `tick` are sent.
void raim_event_cursor_step(struct raim_event_cursor *cursor, uint32_t tick, uint32_t timeout);
