// SPDX-License-Identifier: MIT
// The parts of the state machine that its files share.
#pragma once

#include "agones.h"

#include <stdbool.h>
#include <stdint.h>

// Entries of the table of arenas: those that run, and those that have ended but are still listed.
#define AGONES_MAX_ARENAS (2 * GAMESERVER_MAX_ARENAS)

enum agones_arena_state {
    AGONES_ARENA_FREE,
    AGONES_ARENA_REQUESTED, // the decision to start it has not been taken
    AGONES_ARENA_STARTING,
    AGONES_ARENA_RUNNING,
    AGONES_ARENA_GONE, // ended or failed; remembered until Agones no longer lists it
};

struct agones_arena {
    enum agones_arena_state state;
    char id[AGONES_ARENA_ID_BYTES];
    char template_name[AGONES_TEMPLATE_BYTES];
    char value[GAMESERVER_VALUE_BYTES]; // in the list of arenas
    char *json;                         // of the request; owned; NULL: none
    bool is_listed;                     // in the newest list
    bool is_owed;                       // gone, and still counted because it is listed
    uint64_t removed_ms;                // when its value was last to be removed; 0: never
    uint16_t port;
    char name[AGONES_NAME_BYTES];
    uint64_t changed_ms;                // when it started, was gone, or was listed though gone
    char problem[AGONES_PROBLEM_BYTES]; // why it failed; "": it did not
};

// Versions of counters and lists. Agones 1.41 to 1.57 serve the first; the second is announced.
#define AGONES_APIS 2
extern const char *const agones_apis[AGONES_APIS];

// What is known of one kind of request.
struct agones_retry {
    uint64_t not_before_ms;
    uint32_t failures; // rejected or unanswered in a row
};

struct agones {
    struct agones_def def;
    struct agones_status status;
    uint64_t random;
    uint64_t due_ms;

    // The newest GameServer, without its lists and the text of its annotation.
    bool is_known;
    struct gameserver seen;
    uint64_t seen_ms;
    uint64_t ready_ms;   // when Ready was accepted
    uint64_t confirm_ms; // when to ask whether a change of state has been seen

    // The request that is performed.
    bool is_waiting;
    enum agones_kind kind;
    char path[128];
    char body[AGONES_BODY_BYTES];
    struct agones_arena *subject; // of AGONES_REMOVE and AGONES_ADD
    int64_t sent_number;          // of AGONES_CAPACITY and AGONES_COUNT
    uint64_t sent_digest;         // of AGONES_PLAYERS and AGONES_REPORT
    uint64_t sent_updates;        // that were received before AGONES_GAMESERVER
    struct agones_retry retries[AGONES_KINDS];
    int api;                  // index of agones_apis; in use if status.api is not ""
    uint64_t silent_until_ms; // after a request without an answer
    uint32_t silences;        // in a row

    bool watch_is_open;
    uint64_t watch_opened_ms;
    uint64_t next_health_ms;

    bool every_arena_ticks;
    uint32_t players;
    bool was_used; // an arena or a player was there since the last Ready
    uint64_t empty_since_ms;

    int name_count;
    char (*names)[GAMESERVER_VALUE_BYTES];
    struct gameserver_players listed; // the newest list of players, with what was accepted since
    bool sends_values;  // one difference a request, because the whole list was rejected
    bool removes_value; // the difference that is sent: removed, or else added
    char value[GAMESERVER_VALUE_BYTES];
    uint64_t value_ms; // when the last one was accepted; 0: never

    struct agones_arena arenas[AGONES_MAX_ARENAS];
    int64_t count_diff;    // not yet sent
    uint64_t count_ms;     // when the last one was sent
    int64_t audited;       // what AGONES_AUDIT has read; -1: no audit is under way
    int64_t missing;       // in the counter, by the audit before
    uint64_t arena_digest; // of the newest annotation
    char last_allocated[GAMESERVER_TIME_BYTES];
    uint64_t own_allocation_ms; // until then a change of last_allocated is its own doing
    uint64_t report_digest;     // of the report that was accepted
    int accepts_label;          // that was accepted: 0, 1; -1: none

    enum agones_drain_reason reason;
    bool drain_is_announced;
    bool shutdown_is_accepted;
    uint64_t shutdown_ms; // when AGONES_SHUTTING_DOWN began
    bool exit_is_announced;
};

// --- agones_arenas.c ---

// Takes the arenas of an update: starts those that are requested, and learns which are listed.
void agones_arenas_update(struct agones *agones, const struct gameserver *gameserver,
                          uint64_t now_ms);

// Arenas that run, or are requested or being started.
int agones_arenas_count(const struct agones *agones);

// Ends an audit of Agones' counter with the GameServer that was asked for next. The SDK server
// reads both from one copy, so that this GameServer lists every allocation that the counter
// contained. The counter alone also has differences that are not in Kubernetes yet: where both have
// the same count, none is on its way. As the copy may be late, a mistake is corrected when a second
// audit finds the same.
void agones_arenas_audit(struct agones *agones);

// The next arena to remove from, or to add to, Agones' list; NULL: none.
struct agones_arena *agones_arenas_removable(struct agones *agones, uint64_t now_ms);
struct agones_arena *agones_arenas_addable(struct agones *agones, uint64_t now_ms);

// Forgets arenas that are gone, not listed any more, and have been reported for long enough.
void agones_arenas_forget(struct agones *agones, uint64_t now_ms);

// A digest of what agones_requests.c reports of the arenas.
uint64_t agones_arenas_digest(const struct agones *agones);

void agones_arenas_clear(struct agones *agones);

// --- agones_players.c ---

// The digest of the list of players that Agones is to have.
uint64_t agones_players_digest(const struct agones *agones);

// Whether Agones' list differs from it. Chooses the difference to send next.
bool agones_players_differ(struct agones *agones);

// Takes the list of an update; notes that Agones accepted or rejected AGONES_PLAYERS. Agones 1.56
// and later reject a whole list, but no single values.
void agones_players_update(struct agones *agones, const struct gameserver *gameserver,
                           uint64_t now_ms);
void agones_players_note_accepted(struct agones *agones, uint64_t now_ms);
void agones_players_note_rejected(struct agones *agones, uint64_t now_ms);

// --- agones_requests.c ---

// Whether requests of this kind are of counters and lists, whose path has a version.
bool agones_uses_api(enum agones_kind kind);

// Writes method, path and body of a request of this kind.
void agones_compose(struct agones *agones, enum agones_kind kind, struct agones_request *request);
