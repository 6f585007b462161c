// SPDX-License-Identifier: MIT
// State machine of a game server under Agones (https://agones.dev): decides which request its SDK
// server is sent next, and which arenas (arenas on demand) are to be started. Sans-I/O: it has no
// socket, clock, thread or log; answers, the watch stream, arenas and the time come in as calls,
// and requests and decisions go out. The caller performs one request at a time, beside one watch.
#pragma once

#include "gameserver.h"
#include "metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGONES_ARENA_ID_BYTES 64 // of an arena's ID with the closing NUL: [A-Za-z0-9._-]+
#define AGONES_TEMPLATE_BYTES 32 // of a template's name: [A-Za-z0-9._-]+
#define AGONES_NAME_BYTES 32     // of an arena's arena
#define AGONES_PROBLEM_BYTES 160 // of the reason why an arena failed
#define AGONES_MAX_PLAYERS GAMESERVER_MAX_PLAYERS
#define AGONES_BODY_BYTES (96 * 1024) // of a request's body

enum agones_phase {
    AGONES_CONNECTING,    // the SDK server has not answered yet
    AGONES_STARTING,      // it has; Ready has not been accepted yet
    AGONES_SERVING,       // Ready has been accepted, or the game server was allocated already
    AGONES_DRAINING,      // makes no more arenas; ends when the last player has left
    AGONES_SHUTTING_DOWN, // empty: Shutdown is being sent, or was and the end is awaited
    AGONES_ENDED,         // the process may exit
};

// Kinds of requests. Each has its own retry time.
enum agones_kind {
    AGONES_SHUTDOWN,
    AGONES_HEALTH,
    AGONES_WATCH, // a stream: opens it, or opens it anew and closes the one before
    AGONES_GAMESERVER,
    AGONES_READY,
    AGONES_ALLOCATE,
    AGONES_API,      // which version of counters and lists is served
    AGONES_CAPACITY, // of the counter of arenas
    AGONES_COUNT,    // a difference of the counter of arenas
    AGONES_REMOVE,   // a value of the list of arenas
    AGONES_ADD,      // a value of the list of arenas
    AGONES_PLAYERS,  // the list of players
    AGONES_LABEL,    // whether arenas are accepted
    AGONES_REPORT,   // annotation with the arenas and their ports
    AGONES_AUDIT,    // reads the counter of arenas
    AGONES_KINDS
};

// What the server is to be.
struct agones_def {
    uint64_t seed;         // for the jitter of retries
    int max_arenas;        // that may run at once; 0: this server makes no arenas
    bool ready_when_empty; // POST /ready again when the last arena and player are gone
    uint32_t drain_ms;     // deadline of a drain, except of one by command
};

struct agones_def agones_default_def(void);

struct agones;

// Copies `def`. Returns NULL when memory runs out. agones_destroy takes NULL.
struct agones *agones_create(const struct agones_def *def, uint64_t now_ms);
void agones_destroy(struct agones *agones);

// --- Inputs; times in ms of a monotonic clock ---

// The answer to the request of agones_next_request. `status` is that of HTTP; 0: none came.
// `gameserver` for AGONES_GAMESERVER, NULL if it could not be read; `count` for AGONES_AUDIT.
struct agones_answer {
    unsigned status;
    const struct gameserver *gameserver;
    int64_t count; // -1: unknown
};
// False if the request was rejected.
bool agones_receive_answer(struct agones *agones, const struct agones_answer *answer,
                           uint64_t now_ms);

// An object of the watch stream, and the end of the stream.
void agones_receive_update(struct agones *agones, const struct gameserver *gameserver,
                           uint64_t now_ms);
void agones_receive_watch_end(struct agones *agones, uint64_t now_ms);

// Whether every arena ticks, and how many clients play. Ready and Health are sent only while every
// arena ticks; at first none does.
void agones_set_load(struct agones *agones, bool every_arena_ticks, uint32_t players,
                     uint64_t now_ms);

// The names of all players, without duplicates; at most AGONES_MAX_PLAYERS are kept. UTF-8. Copies.
void agones_set_players(struct agones *agones, const char *const *names, int count);

// How many arenas may run at once: at first def.max_arenas.
void agones_set_max_arenas(struct agones *agones, int max_arenas, uint64_t now_ms);

// An arena runs on this port: after AGONES_START_ARENA, or made through the control API. `name` is
// the arena's, the audience of its access tokens. Idempotent. False if there are too many arenas.
bool agones_arena_started(struct agones *agones, const char *id, uint16_t port, const char *name,
                          uint64_t now_ms);

// Whether an arena runs, as was reported by agones_arena_started.
bool agones_arena_runs(const struct agones *agones, const char *id);

// AGONES_START_ARENA failed for this reason, or an arena has ended. Unknown ids are ignored.
void agones_arena_failed(struct agones *agones, const char *id, const char *problem,
                         uint64_t now_ms);
void agones_arena_ended(struct agones *agones, const char *id, uint64_t now_ms);

// Begins a drain, or gives the present one a reason that is more urgent.
enum agones_drain_reason {
    AGONES_DRAIN_COMMAND, // of the operator, or of the Fleet by a label: lasts until all have left
    AGONES_DRAIN_DELETED, // the GameServer is being deleted: SIGTERM will follow
    AGONES_DRAIN_SIGNAL,  // SIGTERM
};
void agones_drain(struct agones *agones, enum agones_drain_reason reason, uint64_t now_ms);

// The last player has left, or the drain's deadline has passed.
void agones_set_drained(struct agones *agones, uint64_t now_ms);

// --- Outputs ---

struct agones_request {
    enum agones_kind kind;
    const char *method, *path, *body; // body NULL: none. Valid until the next call
};

// The next request that is due; false if none is, or if one has not been answered yet. Watches do
// not count as requests: they are answered by updates and their end.
bool agones_next_request(struct agones *agones, uint64_t now_ms, struct agones_request *request);

enum agones_decision_kind {
    AGONES_START_ARENA, // `id`, `template_name` ("": the request names it), `json` (NULL: none)
    AGONES_BEGIN_DRAIN, // `drain_ms`: until then; 0: no deadline
    AGONES_EXIT,
};

struct agones_decision {
    enum agones_decision_kind kind;
    char id[AGONES_ARENA_ID_BYTES];
    char template_name[AGONES_TEMPLATE_BYTES];
    const char *json; // valid until the next input
    uint32_t drain_ms;
};
bool agones_next_decision(struct agones *agones, struct agones_decision *decision);

// When agones_next_request is to be called next, unless an input comes before.
uint64_t agones_due_ms(const struct agones *agones);

// --- State ---

// Requests of one kind by result, those before the first answer left out: a sidecar may start later
// than raimd. A watch is accepted by its first object.
struct agones_counts {
    uint64_t accepted;   // answered with 200
    uint64_t rejected;   // with another status
    uint64_t unanswered; // in time
};

struct agones_status {
    enum agones_phase phase;
    bool is_connected;                  // one of the last two requests was answered
    bool is_watching;                   // an object has come over the present watch
    char name[GAMESERVER_NAME_BYTES];   // of the GameServer; "": unknown
    char state[GAMESERVER_STATE_BYTES]; // newest state that Agones has told; "": unknown
    const char *api;                    // version of counters and lists; "": unknown
    int arenas;                         // running or being started
    struct agones_counts counts[AGONES_KINDS];
    uint64_t updates;   // objects of the watch
    uint64_t malformed; // answers that could not be read, and arena requests without a good ID
};
const struct agones_status *agones_status(const struct agones *agones);
extern const struct metric_table agones_metrics; // of a struct agones_status
const char *agones_phase_name(enum agones_phase phase);
const char *agones_kind_name(enum agones_kind kind);

// The port of this name in the newest GameServer; see gameserver_port. 0: none, or not known yet.
uint16_t agones_port(const struct agones *agones, const char *name);
bool agones_has_ports(const struct agones *agones);
