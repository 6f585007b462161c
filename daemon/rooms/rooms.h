// SPDX-License-Identifier: MIT
// Rooms: arenas on demand. A room is an arena that a request made at run time from a template of
// the configuration, on a port of the pool; it ends by itself and then gives back port, memory and
// descriptors. Requests and answers are JSON texts, so that the control API (HTTP), an orchestrator
// or a test can make the same requests. Requests are stored in $STATE_DIRECTORY: the next process
// opens the same rooms again, and their checkpoints bring the players back.
//
// Nothing here blocks, and nothing runs in a tick: an arena is prepared by the main thread and then
// passed to a worker. Main thread only.
#pragma once

#include "arena_table.h"
#include "metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOMS_ID_BYTES 64                    // with the closing NUL: 1 to 63 of [A-Za-z0-9._-]
#define ROOMS_MAX_BODY_BYTES ((size_t)65536) // of a request; longer ones are refused
#define ROOMS_MAX CONFIG_MAX_ARENAS

extern const struct metric_table rooms_metrics; // of a struct rooms

struct rooms;
struct arena_feed_item;
struct event_journal;
struct loop;
struct round_report;

// An answer: a status code with the meaning that HTTP gives it, and a JSON text.
struct rooms_answer {
    unsigned status;        // 200, 201, 202, 404, 409, 422, 500 or 503
    unsigned retry_after_s; // with 503: when to ask again; else 0
    char *text;             // the caller frees it; NULL: memory ran out, and the status is 500
};

// Opens the rooms of the last process again, once the arenas of the configuration are open and
// before the workers start. Borrows `table`. Returns NULL after writing a reason.
struct rooms *rooms_open(struct loop *loop, struct arena_table *table, char *error,
                         size_t capacity);

// Makes rooms_close keep the rooms for the next process.
void rooms_keep(struct rooms *rooms);

// Ends the rooms or keeps them for the next process; their arenas belong to the table. Takes NULL.
// The workers must have ended, and no arena may have been destroyed since the last rooms_forget.
void rooms_close(struct rooms *rooms);

// --- Requests. `json` need not end in a NUL; `size` 0 stands for {}. ---

// Makes the room `id` as {"template", "map"?, "rules"?, "places"?, "players"?, "join_within_s"?,
// "ends"?, "metadata"?} asks. 201: it is made, and clients can join. 200: the same request made it
// before, and the answer shows it as it is now, even if it has ended. 409: another request made it.
// 422 lists every mistake of the request. 503: no port is free, or no new rooms are taken; the
// answer has what is free.
void rooms_create(struct rooms *rooms, const char *id, const char *json, size_t size,
                  struct rooms_answer *answer);

// Changes a room as {"places"?, "metadata"?} asks. 200 shows the room.
void rooms_change(struct rooms *rooms, const char *id, const char *json, size_t size,
                  struct rooms_answer *answer);

// Ends a room as {"reason"?, "drain"?, "within_s"?} asks: at once, or with "drain" when everybody
// has left, after at most within_s seconds. Players are shown the reason. 202 shows the room, whose
// state is "draining"; it has ended when the observer is called. 200: it has ended already.
void rooms_end(struct rooms *rooms, const char *id, const char *json, size_t size,
               struct rooms_answer *answer);

// Show one room, every room that has not ended, the templates, and what is free.
void rooms_show(struct rooms *rooms, const char *id, struct rooms_answer *answer);
void rooms_list(struct rooms *rooms, struct rooms_answer *answer);
void rooms_templates(const struct rooms *rooms, struct rooms_answer *answer);
void rooms_capacity(const struct rooms *rooms, struct rooms_answer *answer);

// Refuses or accepts requests for new rooms; those that run continue.
void rooms_refuse_new(struct rooms *rooms, bool refuse);

// --- For an orchestrator ---

// The rooms that have not ended, in no particular order; `id` is valid until the next call of a
// function that takes a room's id, or of rooms_forget.
int rooms_count(const struct rooms *rooms);
const char *rooms_id(const struct rooms *rooms, int index);

// The rooms in which somebody plays or, because nobody has joined yet, is expected.
int rooms_in_use(const struct rooms *rooms);

// How many more rooms could be made now: free ports of the pool, bounded by the arenas that the
// table has room for.
int rooms_free(const struct rooms *rooms);

// Called once for each room that has ended, from rooms_forget or rooms_close; `cause` is one of
// "round", "empty", "nobody_joined", "deleted", "stopped" and "failed". The callback must not
// request rooms.
struct rooms_observer {
    void *context;
    void (*ended)(void *context, const char *id, const char *cause);
};

// Sets the observer, which is copied; NULL: none. A room that ended while no observer was set is
// reported to nobody.
void rooms_observe(struct rooms *rooms, const struct rooms_observer *observer);

// --- The main loop ---

// Notes what the arena of a room has reported; `round` is the report of a round that has ended.
// Does nothing for another arena. That players leave for the next process to continue is no event
// of a room that it will open again.
void rooms_note(struct rooms *rooms, struct arena *arena, const struct arena_feed_item *item,
                const struct round_report *round);

// Call it for a released arena before it is destroyed; does nothing unless it is a room's.
void rooms_forget(struct rooms *rooms, struct arena *arena);

// --- What happened ---

// The log of events: rooms ready, players joined and left, rounds ended, rooms ended.
struct event_journal *rooms_events(struct rooms *rooms);
