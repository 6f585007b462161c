// SPDX-License-Identifier: MIT
// A match: the server's side of one arena without I/O. It holds the sessions, inputs, rounds and
// the world, and writes the messages to its clients. The caller moves the bytes: it passes in
// received messages, steps the match once a tick, and then pulls all outgoing messages. Thread
// rule: a match belongs to one thread at a time. Only raim_match_create and raim_match_restore
// allocate. Handles and ids: a `client` is a handle below max_connections, which is asserted. A
// `player` is an id of any value: an id that no player has is treated as that of a player who has
// left.
//
// What always holds between two calls:
// - Each slot in `taken` has a player in the world and its session in `sessions`. `playing` counts
//   the sessions that are not bots.
// - The session of a player names its connection, and the connection names the player, unless the
//   player is a bot or away. A connection without a player is a spectator's, or is not admitted.
// - Every join, leave, kill, chat line and phase is one event of the log. Clients get events in
//   order and without gaps, delayed spectators `delay_ticks` later. A player joins, and a line of
//   chat is taken, only while the log has room for the events of a whole step.
// - A snapshot is a difference from one that its client has acknowledged, or is complete.
// - Times are ticks modulo 2^32. raim_tick_diff compares them, never `<`.
//
// Who may touch what:
// - Each module's header declares its part of the state. The modules of rounds, departed players,
//   outbox, log, votes, origins and notices alone write their parts, except that match_create.c,
//   transition.c and match_checkpoint.c write all. Several modules write connections and sessions.
// - players.c, sessions.c, rounds.c and raim_match_step change the world. Beside each change they
// call
//   raim_recording_input_..., so that a recording replays it.
//
// What reads as a bug and is none:
// - sent_phase = RAIM_PHASES names no phase, so that the next step logs the phase again.
// - shots_before and hits_before may be below 0, modulo 2^32, after a change of the map.
// - An empty match skips the world's step and records no history, because no client could be sent
// it.
// - A full event log suppresses the announcement of a vote in the chat. VOTE messages report it.
// - raim_origins_clear and _find take a const match: the table is scratch.
#pragma once

#include "bot.h"
#include "map.h"
#include "message.h"
#include "rejection.h"
#include "rules.h"
#include "votes.h"
#include "wire_limits.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_match;
struct raim_recording_scene;
struct raim_recording_input;
struct raim_wire_event;

// Numbers that may change while the match runs. The rows have the format of RAIM_VOTE_TUNING.
#define RAIM_MATCH_TUNING(X)                                                                       \
    X(double, resume_grace_s, "resume_grace", 30, 0, 600, "s", AT_ONCE,                            \
      "time for which a player with a lost connection is kept so that the client can resume")      \
    X(double, idle_timeout_s, "idle_timeout", 60, 0, 86400, "s", AT_ONCE,                          \
      "time without a change of input after which a player may be removed to admit a new one "     \
      "when the arena is full; 0 disables removal")                                                \
    X(double, round_s, "round_time", 0, 0, 86400, "s", WITH_ROUND,                                 \
      "maximum length of a round; 0 sets no time limit")                                           \
    X(uint32_t, score_limit, "score_limit", 0, 0, 100000, "points", WITH_ROUND,                    \
      "score that ends the round when a player reaches it; 0 sets no score limit")                 \
    X(double, break_s, "break_time", 10, 0, 300, "s", WITH_BREAK,                                  \
      "time between two rounds, during which players cannot move and the winner is shown")

// Numbers that last as long as the match, in the same format. lag_compensation_ms is also limited
// to RAIM_MAX_REWIND ticks.
#define RAIM_MATCH_SETTINGS(X)                                                                     \
    X(double, spectator_delay_s, "spectator_delay", 10, 0, 60, "s", WITH_MATCH,                    \
      "delay of everything that spectators see, regardless of their address")                      \
    X(uint32_t, tick_hz, "tick_hz", 60, 10, 240, "Hz", AT_RESTART,                                 \
      "simulation steps per second, and the maximum number of snapshots per second to each "       \
      "player")                                                                                    \
    X(uint32_t, view_width, "view_width", 1600, 100, 10000, "units", AT_RESTART,                   \
      "width of the area that each player sees around their own player, regardless of the "        \
      "display")                                                                                   \
    X(uint32_t, view_height, "view_height", 861, 100, 10000, "units", AT_RESTART,                  \
      "height of the area that each player sees")                                                  \
    X(uint32_t, lag_compensation_ms, "lag_compensation", 200, 0, 250, "ms", AT_RESTART,            \
      "maximum time by which other players are rewound to where a shooter saw them; 0 disables "   \
      "lag compensation")

// Settings that may change while the match runs, see raim_match_tune.
struct raim_match_tuning {
    uint32_t max_players;    // clients that play, 1 to 1000; bots are not counted
    uint32_t max_spectators; // clients that watch, 0 to 1000
    RAIM_MATCH_TUNING(RAIM_SETTING_MEMBER)
    char motd[RAIM_MAX_MOTD_BYTES + 1]; // sent to every client that enters; clean
    struct raim_vote_tuning votes;
};

struct raim_match_def {
    const struct raim_map *map; // borrowed for the match's whole life
    raim_rules rules;
    RAIM_MATCH_SETTINGS(RAIM_SETTING_MEMBER)
    bool sight;    // entities hidden behind obstacles are not sent
    uint32_t bots; // server-side bots in slots of their own; together with max_players at most
                   // RAIM_MAX_PLAYERS
    enum raim_bot_skill bot_skill;
    const struct raim_bot_paths *bot_paths; // of skilled bots on the map; borrowed like it. NULL:
                                            // the match computes its own
    bool bot_fill; // `bots` counts bots and players together: bots leave as players join
    struct raim_match_tuning tuning; // the initial one; later ones must not allow more players or
                                     // spectators
    uint32_t max_connections; // client handles are below this. More than players and spectators,
                              // so that a full match can still send a rejection
    char arena[RAIM_MAX_ARENA_BYTES + 1]; // the arena's name, sent to every client that enters
    const struct raim_match_guard *guard; // borrowed; NULL: every client is admitted
    uint64_t seed;                        // of spawns and bots
};

// The credentials of a client that asks to be admitted.
struct raim_match_visitor {
    uint32_t client;      // its handle
    const uint8_t *token; // access token
    size_t size;          // 0: none
    bool watches;         // as a spectator
};

enum raim_match_admission {
    RAIM_MATCH_ADMITTED,
    RAIM_MATCH_WANTS_ACCESS, // rejected without a valid access token
    RAIM_MATCH_WANTS_PASSWORD,
};

// Validates access tokens and passwords for the match, which has neither keys nor a clock.
struct raim_match_guard {
    void *context;
    // Decides about a visitor. For ADMITTED it may write the player name in the token, its subject,
    // into `name`, which is initially ""; if it stays "", the client's own name is used.
    enum raim_match_admission (*admit)(void *context, const struct raim_match_visitor *visitor,
                                       char name[RAIM_MAX_NAME_BYTES + 1]);
    // Called when a client has resumed a session whose connection was lost at the tick `since`.
    // May be NULL.
    void (*resumed)(void *context, uint32_t since);
};

// Returns defaults for all members except the map.
struct raim_match_def raim_match_default_def(void);

// Returns NULL when memory runs out. The def must be in range. It is copied except for the members
// marked borrowed. Destroying NULL does nothing.
struct raim_match *raim_match_create(const struct raim_match_def *def);
void raim_match_destroy(struct raim_match *match);

// Opens a connection under a handle that the caller chooses; a handle still in use is disconnected
// first. `token` becomes the secret of the session that the connection may begin: the caller draws
// a new random one for each connection. It is copied.
void raim_match_connect(struct raim_match *match, uint32_t client,
                        const uint8_t token[RAIM_TOKEN_BYTES]);

// Limits the bytes of a connection's messages, RAIM_SMALL_MESSAGE_BYTES to RAIM_MAX_MESSAGE_BYTES,
// initially the latter.
void raim_match_limit_messages(struct raim_match *match, uint32_t client, uint32_t bytes);

// Ends a connection that cannot be served, with a reason (enum raim_reason) for its GOODBYE. Does
// nothing once its HELLO has been accepted or rejected.
void raim_match_reject(struct raim_match *match, uint32_t client, uint32_t reason);

// Reports that a connection has ended and frees its handle. Unless the client sent GOODBYE, its
// player is away and may be resumed for resume_grace_s.
void raim_match_disconnect(struct raim_match *match, uint32_t client);

// Prefetches the state of all clients that the messages of a tick read. It is rarely in the
// processor's cache, because it is used once per tick. Call the function before the first
// raim_match_receive of a tick.
void raim_match_prefetch(const struct raim_match *match);

// Receives one message of any content and size from a client; the bytes are not kept. An invalid
// message is rejected as a whole and counted, see raim_match_counts. A message of a connection that
// is closed or closing is ignored. `reliable` says on which channel it came.
void raim_match_receive(struct raim_match *match, uint32_t client, bool reliable,
                        const uint8_t *data, size_t size);

// Whether a client's HELLO was accepted and the client has neither left nor been rejected since.
bool raim_match_is_admitted(const struct raim_match *match, uint32_t client);

// Sets the transport's measurement of a client's round trip in ms, UINT32_MAX: not known. It is the
// minimum, within the last second, of the time from a reliable command that left with a tick's
// messages to the tick in which its acknowledgement was received, with the mean deviation of these
// times (RFC 6298). Call it before the tick's messages are received; it holds for a second. Shots
// are rewound by at most the lesser of this and the match's own measurement: see rewind_limit.h.
void raim_match_set_rtt(struct raim_match *match, uint32_t client, uint32_t rtt_ms,
                        uint32_t deviation_ms);

// The longest interval of snapshots.
#define RAIM_MAX_SNAPSHOT_INTERVAL 4

// Sets how often a client receives a snapshot: in every tick, the initial value 1, or in every
// `ticks`-th, up to RAIM_MAX_SNAPSHOT_INTERVAL, so that in each tick every `ticks`-th client is
// served. Carries over to the succeeding match.
void raim_match_set_snapshot_interval(struct raim_match *match, uint32_t ticks);

// Work of raim_match_step and raim_match_outgoing that a profile tells apart.
enum raim_match_work {
    RAIM_MATCH_INTEREST, // finds what each client may be sent
    RAIM_MATCH_ENCODING, // writes it
};

// Receives a call when a kind of work begins; its end is not reported.
struct raim_match_observer {
    void *context;
    void (*begins)(void *context, enum raim_match_work work);
};

// Sets the observer, which is borrowed; NULL, the initial value: none.
void raim_match_observe(struct raim_match *match, const struct raim_match_observer *observer);

// Plays one tick of 1 / tick_hz s. Then call raim_match_outgoing until it returns false: messages
// not pulled before the next step may be lost, reliable ones too.
void raim_match_step(struct raim_match *match);

// Whether the match has been empty for so long that a step changes only the tick and the round's
// clock, which costs a fraction of a microsecond. A connection ends the dormancy.
bool raim_match_is_dormant(const struct raim_match *match);

// --- The operator's commands, between two steps. Texts are cleaned by raim_text_clean. ---

// Sends chat from the server to all clients. Returns false when the text is too long, not UTF-8 or
// has no visible character, or when the event log is full.
bool raim_match_say(struct raim_match *match, const char *text);

// Ends the session of a player at once, away or not, with `why` as the reason for its GOODBYE; ""
// or a text that cannot be cleaned gives no reason. Returns false when the player id is unknown
// or its client is disconnected: bots cannot be kicked.
bool raim_match_kick(struct raim_match *match, raim_player_id player, const char *why);

// Ends a connection as banned, in any state, with `why` as for a kick. Does nothing when it is
// closed or closing.
void raim_match_ban(struct raim_match *match, uint32_t client, const char *why);

// Mutes a player or lifts the mute. Chat of a muted player is rejected in every connection of its
// session. Returns false as for a kick.
bool raim_match_mute(struct raim_match *match, raim_player_id player, bool muted);

// While a match is draining, it admits only resuming players.
void raim_match_drain(struct raim_match *match, bool draining);

// Copies and applies settings. Those of a round or break apply from the next one on. They must be
// in range, which is asserted. Clients stay connected.
void raim_match_tune(struct raim_match *match, const struct raim_match_tuning *tuning);

// Sets the name of the next round's map, at most RAIM_MAX_TITLE_BYTES bytes, which clients are sent
// in breaks; "", the initial value: the map stays. It does not carry over to the succeeding match.
void raim_match_set_next_map(struct raim_match *match, const char *name);

// Admins: players who have logged in as such. The match forwards their lines, "/admin ...", and
// the caller decides what they mean.

// A line of a player.
struct raim_match_line {
    uint32_t client; // its handle
    raim_player_id player;
    uint32_t epoch;                      // identifies the connection for the functions below
    uint8_t level;                       // of the player's login; 0: none
    char admin[RAIM_MAX_NAME_BYTES + 1]; // name of the login; "": none
    char name[RAIM_MAX_NAME_BYTES + 1];  // of the player
    char text[RAIM_MAX_TEXT_BYTES + 1];  // after "/admin"; it may contain a password
};

// Takes the oldest line; false when there is none.
bool raim_match_next_line(struct raim_match *match, struct raim_match_line *line);

// Functions for the connection of the player who typed a line. They return false when it has ended,
// or when its queue of notices is full: at most one is sent per tick.
bool raim_match_send_notice(struct raim_match *match, raim_player_id player, uint32_t epoch,
                            const char *text);

// Sends a text that the client is to sign with an admin's key.
bool raim_match_send_challenge(struct raim_match *match, raim_player_id player, uint32_t epoch,
                               const char *text);

// Marks the player as logged in as an admin of a level from 1 on, until its connection ends; level
// 0: logged out. A checkpoint does not keep the mark.
bool raim_match_set_admin(struct raim_match *match, raim_player_id player, uint32_t epoch,
                          uint8_t level, const char *name);

// Pauses or resumes the match from the next step on. While it is paused, ticks pass, but no player
// moves, fires or is hit; bullets are removed and the round's clock stands.
void raim_match_pause(struct raim_match *match, bool paused);

// Rounds: a round ends by the clock or by points; in the break after it no player moves, fires
// or is hit. A match may be succeeded by another with another map or other rules.

// Whether the next step begins a new round. Unless the match is succeeded first, it plays that
// round itself.
bool raim_match_is_round_due(const struct raim_match *match);

// Whether the round waits for its first player or bot, so that another match may take its place.
bool raim_match_is_waiting_for_players(const struct raim_match *match);

// Transfers all connections, players and spectators to `next`, which continues from the tick of
// `match`: in the next round with scores of 0, or, with `keeps_round`, in the same round with the
// present scores. Call it between two steps. `next` must not have stepped yet, must have the same
// tick_hz and room for every connection handle in use, and must be tuned as created; its
// max_players and max_spectators must be at least the players, away or not, and spectators in
// `match`.
//
// Sessions, names, mutes, counts, event numbers, draining and pause carry over, and so do ids whose
// slots are free. Bots are those of `next`; as many as both matches have keep ids and points. Every
// client receives a new WELCOME and every player respawns; a delayed spectator sees nothing until
// its delay has passed in `next`. Events not sent yet are dropped: their effects, except chat, are
// contained in the welcomes. Afterwards `match` may only be destroyed.
void raim_match_transfer(struct raim_match *next, const struct raim_match *match, bool keeps_round);

// --- Checkpoints: the state of a match that outlives the process, as bytes without pointers. ---

// Size of a checkpoint of this match in bytes; constant for its life.
size_t raim_match_checkpoint_size(const struct raim_match *match);

// Writes a checkpoint, between two steps, without allocating: the world, the players of its slots
// with their session tokens, scores, and the round.
void raim_match_save(const struct raim_match *match, void *bytes);

// Restores the state of a saved match, with the same map and tick_hz, into a match that has not
// stepped yet. All clients are then away and bots continue. Where rules or numbers of slots differ,
// this match succeeds the saved one in its round, see raim_match_transfer, and every player
// respawns. Allocates. Returns false and leaves the match unchanged for bytes of another map,
// tick_hz or layout, of more players than there are slots, or that no match can have written.
bool raim_match_restore(struct raim_match *match, const void *bytes, size_t size);

// Explains in English why this match cannot restore a checkpoint; NULL when no fault is found
// without reading all of it.
const char *raim_match_checkpoint_fault(const struct raim_match *match, const void *bytes,
                                        size_t size);

// Copies the name of a checkpoint's map, so that a caller with several maps can choose. Returns
// false when the checkpoint has another layout or is too short.
bool raim_match_checkpoint_map(const void *bytes, size_t size, char map[RAIM_MAP_NAME_BYTES]);

// The number of the next event. While it does not change, no score has changed and no player has
// joined or left; a checkpoint is stale once it has changed.
uint32_t raim_match_events(const struct raim_match *match);

// Returns the event with a number below raim_match_events, valid until the next step or message.
// NULL: the match no longer holds it, or it belongs to a match that this one succeeded.
const struct raim_wire_event *raim_match_event(const struct raim_match *match, uint32_t number);

// Copies the session token of a player who is away. Returns false when no player with this id is
// away.
bool raim_match_token(const struct raim_match *match, raim_player_id player,
                      uint8_t token[RAIM_TOKEN_BYTES]);

// Whether a session, active or resumable, has this token.
bool raim_match_has_session(const struct raim_match *match, const uint8_t token[RAIM_TOKEN_BYTES]);

// Sends every client a GOODBYE with RAIM_REASON_RESTART: the match may continue in the next
// process. Sessions stay resumable in a checkpoint, which must be saved before.
void raim_match_suspend(struct raim_match *match);

// Ends every session and sends every client a GOODBYE. Pull the messages, then close the
// connections.
void raim_match_shutdown(struct raim_match *match);

// --- Recording, see recording input.h. Call these functions between two ticks. ---

// Begins to record onto an empty recording input of the match's world, which is borrowed. Reseeds
// the world, so that the recording does not reveal earlier random numbers, and writes the first
// keyframe. The caller draws a new random seed for each recording. NULL ends the recording by a
// digest on the recording input, and leaves the world alone. A succeeding or restored match needs a
// recording of its own.
void raim_match_record(struct raim_match *match, struct raim_recording_input *records,
                       uint64_t seed);

// Writes a keyframe, with which a data frame begins, onto the recording input. The caller must have
// taken all previous bytes.
void raim_match_keyframe(struct raim_match *match);

// Fills the scene of a recording of this match, without a version. It borrows the map.
void raim_match_scene(const struct raim_match *match, struct raim_recording_scene *scene);

// One message to send. `size` 0 with `close` set: close the connection without a message.
struct raim_outgoing {
    uint32_t client;
    bool reliable;
    bool close;          // close the connection once this message is acknowledged
    uint32_t reason;     // with `close`: enum raim_reason, as in the message
    const uint8_t *data; // valid until the next call with this match
    size_t size;         // at most RAIM_MAX_MESSAGE_BYTES
};

// Pulls the next message; returns false when this tick has no more. Call it until it returns false
// after every step.
bool raim_match_outgoing(struct raim_match *match, struct raim_outgoing *outgoing);

struct raim_match_player {
    char name[RAIM_MAX_NAME_BYTES + 1];
    char subject[RAIM_MAX_NAME_BYTES + 1]; // of its access token; "": the client chose the name
    bool bot;
    bool away; // its connection was lost; it may resume
    bool muted;
    uint32_t client; // its handle; meaningless for bots and while away
    raim_player_id id;
    uint32_t score, deaths;
    uint32_t shots, hits;   // in this round; see raim_player
    uint32_t played_ticks;  // since it joined
    uint32_t inputs_due;    // ticks since its first input, while it was not away
    uint32_t inputs_missed; // of inputs_due, those played with other keys than its client pressed
};

// Statistics of lag compensation.
struct raim_match_hits {
    uint64_t total;         // hits
    uint64_t rewound;       // hits by bullets launched in the past
    uint64_t in_past;       // hits at a past position of the victim
    uint64_t clamped;       // shots that claimed an older view than possible
    double rewound_ms;      // sum over all hits
    double most_rewound_ms; // maximum over all hits
};

// Values of enum raim_phase, see phase.h.
enum raim_match_phase { RAIM_MATCH_PLAY, RAIM_MATCH_BREAK, RAIM_MATCH_PAUSED, RAIM_MATCH_PHASES };

// State of the present round.
struct raim_match_round {
    uint32_t phase;        // enum raim_match_phase
    uint32_t round;        // from 1 on
    bool has_end;          // the clock ends the round or the break
    uint32_t left_ticks;   // with has_end: ticks until then
    uint32_t score_limit;  // 0: none
    raim_player_id winner; // in a break; RAIM_NOBODY: a draw
    uint32_t played_ticks; // of the round, without its pauses and the break
    int64_t start_ms;      // see raim_match_set_round_start; 0: not set
};
struct raim_match_round raim_match_round(const struct raim_match *match);

// Notes when the present round began, in ms of the caller's clock, from 1 to 2^53. It is part of
// checkpoints and ends with the round. The match itself does not use it.
void raim_match_set_round_start(struct raim_match *match, int64_t start_ms);

// Fills at most `capacity` rows with the players who played in the present round and left before
// its end, as they were then; returns the count. At most max_players are remembered: where more
// have left, bots and then those with the fewest points are omitted, and counted in `omitted`. They
// are part of the portable state alone, see portable.h.
uint32_t raim_match_departed(const struct raim_match *match, struct raim_match_player *players,
                             uint32_t capacity, uint32_t *omitted);

// The counters of a match: a member of struct raim_match_counts, the meaning of its metric
// raimd_MEMBER_total, and its column of the last hour (daemon/common/metric.h) or NULL.
#define RAIM_MATCH_COUNTERS(ROW)                                                                   \
    ROW(joins, "Players that joined, not counting bots and resumed sessions.", "joins")            \
    ROW(snapshots, "Snapshots written for clients.", NULL)                                         \
    ROW(inputs_due, "Player ticks for which an input was due.", NULL)                              \
    ROW(inputs_missed, "Player ticks played with other keys than pressed.", NULL)

#define RAIM_MATCH_COUNTER_MEMBER(member, meaning, column) uint64_t member;

// All members but the first four carry over to the succeeding match. Hits, inputs and snapshots
// also survive a restart.
struct raim_match_counts {
    uint32_t players, bots, spectators; // clients that play; bots; clients that watch
    uint32_t away;                      // players whose connection is lost
    struct raim_match_hits hits;
    RAIM_MATCH_COUNTERS(RAIM_MATCH_COUNTER_MEMBER)
    uint64_t leaves[RAIM_REASONS]; // of players, by enum raim_reason
    uint64_t rejected[RAIM_REJECTIONS];
};

// The number of ticks played. It wraps, so compare ticks with raim_tick_diff.
uint32_t raim_match_tick(const struct raim_match *match);

struct raim_match_counts raim_match_counts(const struct raim_match *match);

// Returns `players` of raim_match_counts alone, which costs less.
uint32_t raim_match_playing(const struct raim_match *match);

// Fills at most `capacity` rows with clients and bots in order of their slots; returns the count.
uint32_t raim_match_players(const struct raim_match *match, struct raim_match_player *players,
                            uint32_t capacity);

// The world as of the last step, for tests, replays and checkpoints.
const struct raim_world *raim_match_world(const struct raim_match *match);
