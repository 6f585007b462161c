// SPDX-License-Identifier: MIT
// Arenas on demand: a request at run time makes an arena from a template of the configuration, on a
// port of the pool. The arena ends by itself and returns its port, memory and descriptors. `struct
// on_demand` is the set of them, `struct arena_on_demand` is one. Requests and answers are JSON
// texts, so that the control API (HTTP), an orchestrator or a test can make the same requests.
// Requests are stored in $STATE_DIRECTORY: the next process opens the same arenas again, and their
// checkpoints bring the players back.
//
// Nothing here blocks, and nothing runs in a tick: an arena is prepared by the main thread and then
// passed to a worker. Main thread only.
#pragma once

#include "arena_table.h"
#include "metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ON_DEMAND_ID_BYTES 64                    // with the closing NUL: 1 to 63 of [A-Za-z0-9._-]
#define ON_DEMAND_MAX_BODY_BYTES ((size_t)65536) // of a request; longer ones are rejected
#define ON_DEMAND_MAX CONFIG_MAX_ARENAS

extern const struct metric_table on_demand_metrics; // of a struct arenas

struct on_demand;
struct arena_event;
struct event_journal;
struct loop;
struct round_report;

// An answer: a status code with the meaning that HTTP gives it, and a JSON text.
struct on_demand_answer {
    unsigned status;        // 200, 201, 202, 404, 409, 422, 500 or 503
    unsigned retry_after_s; // with 503: when to ask again; else 0
    char *text;             // the caller frees it; NULL: memory ran out, and the status is 500
};

// Opens the arenas of the last process again, once the arenas of the configuration are open and
// before the workers start. Borrows `table`. Returns NULL after writing a reason.
struct on_demand *on_demand_open(struct loop *loop, struct arena_table *table, char *error,
                                 size_t capacity);

// Logs which arenas on_demand_open would open again, and what they would continue from. Returns
// false where one would be lost or begin anew. Changes no file.
bool on_demand_check(struct config *config, struct store *store);

// Makes on_demand_close keep the arenas for the next process. Takes NULL.
void on_demand_keep(struct on_demand *on_demand);

// Ends the arenas or keeps them for the next process; their arenas belong to the table. Takes NULL.
// The workers must have ended, and no arena may have been destroyed since the last
// on_demand_forget.
void on_demand_close(struct on_demand *on_demand);

// --- Requests. `json` need not end in a NUL; `size` 0 stands for {}. ---

// Makes the arena `id` as {"template", "map"?, "rules"?, "max_players"?, "players"?,
// "join_within_s"?, "ends"?, "metadata"?} asks. 201: it is made, and clients can join. 200: the
// same request made it before, and the answer shows it as it is now, even if it has ended. 409:
// another request made it. 422 lists every mistake of the request. 503: no port is free, or new
// arenas are not accepted; the answer has what is free.
void on_demand_create(struct on_demand *on_demand, const char *id, const char *json, size_t size,
                      struct on_demand_answer *answer);

// Changes an arena as {"max_players"?, "metadata"?} asks. 200 shows the arena.
void on_demand_change(struct on_demand *on_demand, const char *id, const char *json, size_t size,
                      struct on_demand_answer *answer);

// Ends an arena as {"reason"?, "drain"?, "within_s"?} asks: at once, or with "drain" when everybody
// has left, after at most within_s seconds. Players are shown the reason. 202 shows the arena,
// whose state is "draining"; it has ended when the observer is called. 200: it has ended already.
void on_demand_end(struct on_demand *on_demand, const char *id, const char *json, size_t size,
                   struct on_demand_answer *answer);

// Show one arena, every arena that has not ended, the templates, and what is free.
void on_demand_show(struct on_demand *on_demand, const char *id, struct on_demand_answer *answer);
void on_demand_list(struct on_demand *on_demand, struct on_demand_answer *answer);
void on_demand_templates(const struct on_demand *on_demand, struct on_demand_answer *answer);
void on_demand_capacity(const struct on_demand *on_demand, struct on_demand_answer *answer);

// Rejects or accepts requests for new arenas; those that run continue.
void on_demand_reject_new(struct on_demand *on_demand, bool reject);

// --- For an orchestrator ---

// The arenas that have not ended, in no particular order; `id` is valid until the next call of a
// function that takes an arena's id, or of on_demand_forget.
int on_demand_count(const struct on_demand *on_demand);
const char *on_demand_id(const struct on_demand *on_demand, int index);

// Whether an arena of this id has ended and does not run again, also in the process before, as the
// log of events says.
bool on_demand_has_ended(const struct on_demand *on_demand, const char *id);

// The arenas that have players, or that wait for their first one.
int on_demand_in_use(const struct on_demand *on_demand);

// How many more arenas could be made now: free ports of the pool, bounded by the arenas that the
// table has room for.
int on_demand_free_count(const struct on_demand *on_demand);

// Called once for each arena that has ended, from on_demand_forget or on_demand_close; `cause` is
// one of "round", "empty", "nobody_joined", "deleted", "stopped" and "failed". The callback must
// not request arenas.
struct on_demand_observer {
    void *context;
    void (*ended)(void *context, const char *id, const char *cause);
};

// Sets the observer, which is copied; NULL: none. An arena that ended while no observer was set is
// reported to nobody.
void on_demand_observe(struct on_demand *on_demand, const struct on_demand_observer *observer);

// --- The main loop ---

// Notes what an arena on demand has reported; `round` is the report of a round that has ended.
// Does nothing for another arena. That players leave for the next process to continue is no event
// of an arena that it will open again.
void on_demand_note(struct on_demand *on_demand, struct arena *arena,
                    const struct arena_event *item, const struct round_report *round);

// Call it for a released arena before it is destroyed; does nothing unless it is an arena's.
void on_demand_forget(struct on_demand *on_demand, struct arena *arena);

// --- What happened ---

// The log of events: arenas ready, players joined and left, rounds ended, arenas ended.
struct event_journal *on_demand_events(struct on_demand *on_demand);
