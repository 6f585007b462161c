// SPDX-License-Identifier: MIT
// The structure of the arenas, private to the files that implement them: arenas.c executes
// requests, on_demand_open.c opens the arenas of the last process, on_demand_life.c runs the arenas
// to their end, on_demand_documents.c writes JSON.
#pragma once

#include "arena_command.h"
#include "arena_request.h"
#include "arena_store.h"
#include "event_journal.h"
#include "event_queue.h"
#include "on_demand.h"
#include "text_buffer.h"

#define ON_DEMAND_REMEMBERED 256 // arenas that have ended

static_assert(ON_DEMAND_ID_BYTES == ARENA_STORE_ID_BYTES, "a record takes every id");

enum on_demand_state {
    ON_DEMAND_STARTING, // its first tick is awaited; datagrams of clients wait in the socket
    ON_DEMAND_READY,
    ON_DEMAND_DRAINING, // admits nobody any more
};

struct arena_on_demand {
    char id[ON_DEMAND_ID_BYTES];
    struct arena_request request;
    struct arena *arena;
    struct arena_record record; // its texts are those of the request
    enum on_demand_state state;
    bool is_resumed;  // it ran in the last process
    bool is_removed;  // the table has removed the arena, which its worker may still run
    bool has_command; // `command` is to be posted
    struct command command;
    uint32_t present;       // players, away or not
    uint64_t join_until_ms; // CLOCK_MONOTONIC, as are all with this unit
    uint64_t end_ms;        // when the arena is removed; 0: not decided
    bool ends_empty;        // with the draining state: it ends when it is empty
    const char *cause;      // of its end; NULL: not decided
    uint32_t rounds;        // that have ended
    uint64_t round_ended_ms;
};

// An arena that has ended, for repeated requests.
struct ended_arena {
    char id[ON_DEMAND_ID_BYTES]; // "": a free entry
    uint64_t request_hash;
    char *text; // the last document
};

struct on_demand {
    struct arena_table *table;
    struct loop_source *timer; // of the arena that is due first
    struct watcher reported;   // what the arenas have reported was noted
    struct event_journal *events;
    struct on_demand_observer observer;
    int count;
    struct arena_on_demand *list[ON_DEMAND_MAX];
    struct ended_arena ended[ON_DEMAND_REMEMBERED];
    uint32_t next_ended;
    uint16_t last_port; // that was given; the search for the next one begins after it
    bool rejects;       // new arenas
    bool keeps;         // arenas for the next process
    struct {
        uint64_t made, ended;       // since the start
        uint64_t rejected;          // requests for an arena
        struct histogram creations; // durations from a request to its answer
    } counts;
};

int64_t on_demand_today_s(void);

// The arena of this id that has not ended; NULL: none.
struct arena_on_demand *on_demand_find(const struct on_demand *on_demand, const char *id);

// The record of an arena that has ended; NULL: none is remembered.
const struct ended_arena *on_demand_find_ended(const struct on_demand *on_demand, const char *id);

uint64_t on_demand_hash_of(const char *request);

// Opens the arena whose request and record are filled in, and adds it to the table.
// Returns false with a reason.
bool on_demand_open_arena(struct on_demand *on_demand, struct arena_on_demand *requested,
                          char *error, size_t capacity);

// Adds an arena with an arena to the list.
void on_demand_add(struct on_demand *on_demand, struct arena_on_demand *requested);

// A time of the wall clock in ms of CLOCK_MONOTONIC, at most `most_s` from now: the clock may have
// been set since the time was written down.
uint64_t on_demand_due_ms(int64_t until_s, uint32_t most_s);

// When the reserved slots become free, in ms of CLOCK_MONOTONIC.
uint64_t on_demand_join_until_ms(const struct arena_on_demand *requested);

// Makes the running match adopt another number of players. Returns false when memory runs out.
bool on_demand_set_max_players(struct on_demand *on_demand, struct arena_on_demand *requested,
                               uint32_t max_players);

// Stores the record of an arena.
void on_demand_store(const struct on_demand *on_demand, const struct arena_on_demand *requested);

// Frees an arena, which the list does not have any more.
void on_demand_free_arena(struct arena_on_demand *requested);

// Ends the arenas that are due. What their arenas have reported must have been noted.
void on_demand_run(void *on_demand);

// Begins the end of an arena. With `reason` its players are disconnected with that text.
void on_demand_begin_end(struct on_demand *on_demand, struct arena_on_demand *requested,
                         const char *cause, const char *reason, uint64_t now_ms);

// Admits nobody any more, and ends the arena once nobody is present, at end_ms at the latest; 0: no
// limit.
void on_demand_begin_drain(struct on_demand *on_demand, struct arena_on_demand *requested,
                           const char *reason, uint64_t end_ms);

// Notes that an arena has ended, and frees it.
void on_demand_note_end(struct on_demand *on_demand, struct arena_on_demand *requested,
                        const char *cause);

// --- Documents; `out` has a sticky error ---

void on_demand_print_arena(struct text_buffer *out, const struct on_demand *on_demand,
                           const struct arena_on_demand *requested, const char *state);
void on_demand_print_templates(struct text_buffer *out, const struct on_demand *on_demand);
void on_demand_print_capacity(struct text_buffer *out, const struct on_demand *on_demand);

// The events. Each returns a text for event_journal_add.
char *on_demand_ready_event(const struct on_demand *on_demand,
                            const struct arena_on_demand *requested);
char *on_demand_player_event(const struct arena_on_demand *requested,
                             const struct arena_event *item);
char *on_demand_round_event(const struct arena_on_demand *requested, const char *result);
char *on_demand_ended_event(const struct arena_on_demand *requested, const char *cause);

// {"round", "winner", "scores"} of a round, with the players who were there at its end.
char *on_demand_result(const struct round_report *report);
