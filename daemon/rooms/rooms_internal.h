// SPDX-License-Identifier: MIT
// The structure of the rooms, private to the files that implement them: rooms.c executes requests,
// rooms_open.c opens the rooms of the last process,
// rooms_life.c runs the rooms to their end, rooms_documents.c writes JSON.
#pragma once

#include "arena_command.h"
#include "arena_feed.h"
#include "event_journal.h"
#include "room_request.h"
#include "room_store.h"
#include "rooms.h"
#include "text_buffer.h"

#define ROOMS_REMEMBERED 256 // rooms that have ended

static_assert(ROOMS_ID_BYTES == ROOM_STORE_ID_BYTES, "a record takes every id");

enum room_state {
    ROOM_STARTING, // its first tick is awaited; datagrams of clients wait in the socket
    ROOM_READY,
    ROOM_DRAINING, // admits nobody any more
};

struct room {
    char id[ROOMS_ID_BYTES];
    struct room_request request;
    struct arena *arena;
    struct room_record record; // its texts are those of the request
    enum room_state state;
    bool is_resumed; // it ran in the last process
    bool is_removed; // the table has removed the arena, which its worker may still run
    bool has_order;  // `order` is to be posted
    struct command order;
    uint32_t present;       // players, away or not
    uint64_t join_until_ms; // CLOCK_MONOTONIC, as are all with this unit
    uint64_t end_ms;        // when the arena is removed; 0: not decided
    bool ends_empty;        // with the draining state: it ends when nobody is present
    const char *cause;      // of its end; NULL: not decided
    uint32_t rounds;        // that have ended
    uint64_t round_ended_ms;
};

// A room that has ended, for repeated requests.
struct ended_room {
    char id[ROOMS_ID_BYTES]; // "": a free entry
    uint64_t request_hash;
    char *text; // the last document
};

struct rooms {
    struct arena_table *table;
    struct loop_source *timer; // of the room that is due first
    struct watcher reported;   // what the arenas have reported was noted
    struct event_journal *events;
    struct rooms_observer observer;
    int count;
    struct room *list[ROOMS_MAX];
    struct ended_room ended[ROOMS_REMEMBERED];
    uint32_t next_ended;
    uint16_t last_port; // that was given; the next one is searched behind it
    bool refuses;       // new rooms
    bool keeps;         // rooms for the next process
    struct {
        uint64_t made, ended;       // since the start
        uint64_t refused;           // requests for a room
        struct histogram creations; // durations from a request to its answer
    } counts;
};

int64_t rooms_today_s(void);

// The room of this id that has not ended; NULL: none.
struct room *rooms_find(const struct rooms *rooms, const char *id);

// The record of a room that has ended; NULL: none is remembered.
const struct ended_room *rooms_find_ended(const struct rooms *rooms, const char *id);

uint64_t rooms_hash_of(const char *request);

// Opens the arena of a room whose request and record are filled in, and adds it to the table.
// Returns false with a reason.
bool rooms_open_arena(struct rooms *rooms, struct room *room, char *error, size_t capacity);

// Adds a room with an arena to the list.
void rooms_add(struct rooms *rooms, struct room *room);

// A time of the wall clock in ms of CLOCK_MONOTONIC, at most `most_s` from now: the clock may have
// been set since the time was written down.
uint64_t rooms_due_ms(int64_t until_s, uint32_t most_s);

// When the reserved seats become free, in ms of CLOCK_MONOTONIC.
uint64_t rooms_join_until_ms(const struct room *room);

// Makes the running match adopt another number of places. Returns false when memory runs out.
bool rooms_change_places(struct rooms *rooms, struct room *room, uint32_t places);

// Stores the record of a room.
void rooms_store(const struct rooms *rooms, const struct room *room);

// Frees a room, which the list does not have any more.
void rooms_free_room(struct room *room);

// Ends the rooms that are due. What their arenas have reported must have been noted.
void rooms_run(void *rooms);

// Begins the end of a room. With `reason` its players are disconnected with that text.
void rooms_begin_end(struct rooms *rooms, struct room *room, const char *cause, const char *reason,
                     uint64_t now_ms);

// Admits nobody any more, and ends the room once nobody is present, at end_ms at the latest; 0: no
// limit.
void rooms_begin_drain(struct rooms *rooms, struct room *room, const char *reason, uint64_t end_ms);

// Notes that a room has ended, and frees it.
void rooms_note_end(struct rooms *rooms, struct room *room, const char *cause);

// --- Documents; `out` has a sticky error ---

void rooms_print_room(struct text_buffer *out, const struct rooms *rooms, const struct room *room,
                      const char *state);
void rooms_print_templates(struct text_buffer *out, const struct rooms *rooms);
void rooms_print_capacity(struct text_buffer *out, const struct rooms *rooms);

// The events. Each returns a text for event_journal_add.
char *rooms_ready_event(const struct rooms *rooms, const struct room *room);
char *rooms_player_event(const struct room *room, const struct arena_feed_item *item);
char *rooms_round_event(const struct room *room, const char *result);
char *rooms_ended_event(const struct room *room, const char *cause);

// {"round", "winner", "scores"} of a round, with the players who were there at its end.
char *rooms_result(const struct round_report *report);
