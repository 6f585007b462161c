// SPDX-License-Identifier: MIT
// The server's side of one arena without I/O: who plays, what they pressed, what each of them may
// see, and the messages that tell them. The caller moves bytes: it hands in what clients sent,
// steps the match once a tick, and then pulls everything that is to be sent.
// Thread rule: a match belongs to one thread at a time. Only raim_match_create and
// raim_match_restore allocate.
// Handles and ids: a `client` is a handle below max_connections, which is asserted; a `player` is
// an id, and any id will do: one that nobody has is answered like a player who has gone.
#pragma once

#include "map.h"
#include "refusal.h"
#include "rules.h"
#include "wire_limits.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_match;

struct raim_match_def {
    const struct raim_map *map; // borrowed for the match's whole life
    raim_rules rules;
    uint32_t tick_hz;         // steps per second, 10 to 240
    uint32_t view_width;      // what everybody sees around their own player, in units, whatever
    uint32_t view_height;     // their display: 1600 x 861 by default, each 100 to 10000
    bool sight;               // obstacles hide what is behind them, also from the wire
    uint32_t max_clients;     // places for clients that play, 1 to 1000
    uint32_t max_spectators;  // that watch, 0 to 1000
    double spectator_delay_s; // that a spectator sees everything late; 0 to 60
    double max_rewind_s;      // most that a shot is launched in the past, as its shooter saw the
                              // others; 0 to 0.25 and RAIM_MAX_REWIND ticks; 0: never
    double resume_grace_s;    // that the player of a lost connection is kept, 0 to 600
    double idle_timeout_s;    // after which who presses nothing new makes room in a full match, to
                              // 86400; 0: never
    uint32_t max_connections; // client handles are below this; more than players and spectators,
                              // so that a full match can still say so
    uint32_t bots;            // server-side bots, with places of their own; together with
                              // the clients at most RAIM_MAX_PLAYERS
    double round_s;       // that a round takes at most, 0: without an end by the clock, to 86400
    uint32_t score_limit; // points that end a round, 0: none
    double break_s;       // between two rounds, 0 to 300
    char motd[RAIM_MAX_MOTD_BYTES + 1];   // told to everybody who comes in; clean
    const struct raim_match_guard *guard; // borrowed; NULL: nobody needs an access token
    uint64_t seed;                        // of spawns and bots
};

// Who judges access tokens: outside, where there are keys and clocks.
struct raim_match_guard {
    void *context;
    // True when the token lets somebody in; may then change the name into that of the token.
    bool (*admit)(void *context, const uint8_t *token, size_t size,
                  char name[RAIM_MAX_NAME_BYTES + 1]);
};

// Defaults for everything but the map.
struct raim_match_def raim_match_default_def(void);

// Returns NULL when memory runs out. The def must be in range; it is copied, but for what it
// borrows. Destroying NULL does nothing.
struct raim_match *raim_match_create(const struct raim_match_def *def);
void raim_match_destroy(struct raim_match *match);

// Opens a connection under a handle that the caller chooses; one that is still in use is
// disconnected first. `token` becomes the secret of the session that it begins: the caller draws it
// at random, a new one for each connection. It is copied.
void raim_match_connect(struct raim_match *match, uint32_t client,
                        const uint8_t token[RAIM_TOKEN_BYTES]);

// Tells the match that a connection is gone, and frees its handle. Unless the client said goodbye,
// its player is away and may be resumed for resume_grace_s.
void raim_match_disconnect(struct raim_match *match, uint32_t client);

// Takes one message from a client, of any content and size; the bytes are not kept. What is
// wrong with it is refused whole and counted, see raim_match_counts; of a connection that is closed
// or about to be it is ignored. `reliable` says on which channel it came.
void raim_match_receive(struct raim_match *match, uint32_t client, bool reliable,
                        const uint8_t *data, size_t size);

// Whether a client's HELLO was accepted, and it has neither left nor been refused since.
bool raim_match_is_in(const struct raim_match *match, uint32_t client);

// The transport's own measurement of a client's round trip: the least, within the last second, from
// a reliable command that left with a tick's messages to the tick in which its acknowledgement was
// taken, in ms, with the mean deviation of these (RFC 6298); UINT32_MAX: not known. Call it before
// the tick's messages are received; it holds for a second. Shots are rewound for no longer than the
// least of this and of what the match measures by itself: see rewind_limit.h.
void raim_match_measure(struct raim_match *match, uint32_t client, uint32_t rtt_ms,
                        uint32_t deviation_ms);

// Plays one tick of 1 / tick_hz s. Then call raim_match_outgoing until it returns false: what is
// not pulled before the next step may be lost, reliable or not.
void raim_match_step(struct raim_match *match);

// --- What the operator does, between two steps. Texts are cleaned like names. ---

// Copies a text without its invisible characters. False when it is not UTF-8, when nothing visible
// is left, or when what is left is longer than RAIM_MAX_TEXT_BYTES.
bool raim_match_clean(const char *text, char cleaned[RAIM_MAX_TEXT_BYTES + 1]);

// Says something to everybody as the server. False when it is too long, not UTF-8, nothing visible
// is left of it, or too much waits to be told.
bool raim_match_say(struct raim_match *match, const char *text);

// Ends the session of a player at once, away or not, and tells it why; "" or a text that cannot be
// told says nothing. False when no client plays as this player: bots cannot be kicked.
bool raim_match_kick(struct raim_match *match, raim_player_id player, const char *why);

// Ends a connection as banned, whatever it has, and tells it why, as with a kick. Nothing happens
// where it is closed or about to be.
void raim_match_ban(struct raim_match *match, uint32_t client, const char *why);

// While a player is muted, what it says is refused, in every connection of its session. False as
// for a kick.
bool raim_match_mute(struct raim_match *match, raim_player_id player, bool muted);

// While a match is draining, nobody is let in but those who resume.
void raim_match_drain(struct raim_match *match, bool draining);

// What may change at once while the match runs, each as in the def.
struct raim_match_tuning {
    uint32_t max_clients, max_spectators; // at most those of the def. Nobody has to go for it
    double resume_grace_s, idle_timeout_s;
    double round_s, break_s; // of the next round or break on
    uint32_t score_limit;    // likewise
    char motd[RAIM_MAX_MOTD_BYTES + 1];
};
// Copies the tuning, which must be in the ranges of the def, which is asserted.
void raim_match_tune(struct raim_match *match, const struct raim_match_tuning *tuning);

// While a match is paused time passes, but nobody moves, fires or is hit; bullets are gone, and the
// round's clock stands. It holds from the step to come on.
void raim_match_pause(struct raim_match *match, bool paused);

// --- Rounds: one ends by the clock or by points; in the break after it nobody moves, fires or is
// hit. A match may be succeeded by another, on another map or by other rules. ---

// Whether the step to come begins another round; without a successor it is played here.
bool raim_match_is_turning(const struct raim_match *match);

// Hands everybody over to `next`, which goes on from the tick of `match` in the next round, with a
// score of 0 for all, or, with `keeps_round`, in the same one, with their scores. Call it between
// two steps. `next` has not stepped yet, has the same tick_hz and every connection that is in use,
// and is tuned as created; its max_clients and max_spectators are no less than play, away or not,
// and watch in `match`.
//
// Sessions, names, mutes, ids where their places are free, counts and the numbers of events stay,
// as do a drain and a pause; bots are those of `next`, the first as many with the ids and points of
// those before. Everybody is welcomed anew and rises anew; who watches late sees nothing until it
// is as late in `next`. Events that were not told yet are not told any more: what they led to, but
// for what was said, is in the welcomes. `match` may then only be destroyed.
void raim_match_succeed(struct raim_match *next, struct raim_match *match, bool keeps_round);

// --- Checkpoints: all that outlives the process, as bytes without a pointer. ---

// Bytes of a checkpoint of this match, the same for its whole life.
size_t raim_match_checkpoint_size(const struct raim_match *match);

// Writes one, between two steps; nothing allocates. What is in it: the world, who sits where by
// what token, scores, the round.
void raim_match_save(const struct raim_match *match, void *bytes);

// Takes a match that has not stepped yet to where another one on the same map and in the same ticks
// stood when it was saved. All clients are away, from now on, and bots go on; where rules or places
// are others, it succeeds that match in its round: everybody rises anew. Allocates. False, and the
// match as it was, for bytes of another map, other ticks or layout, of more players than there are
// places for, or that no match can have written.
bool raim_match_restore(struct raim_match *match, const void *bytes, size_t size);

// Why a checkpoint is of no match like this one, in words; NULL where it may well be of one.
const char *raim_match_checkpoint_fault(const struct raim_match *match, const void *bytes,
                                        size_t size);

// The name of the map that a checkpoint was played on, for whoever has several; false where there
// is none to be read.
bool raim_match_checkpoint_map(const void *bytes, size_t size, char map[RAIM_MAP_NAME_BYTES]);

// Counts all that everybody is told of: while it stands, so does every score, and nobody has come
// or gone. A checkpoint from before it changed is stale.
uint32_t raim_match_events(const struct raim_match *match);

// Copies the secret of the session of a player who is away; false where there is none such.
bool raim_match_token(const struct raim_match *match, raim_player_id player,
                      uint8_t token[RAIM_TOKEN_BYTES]);

// Whether a session that somebody plays in, or may resume, has this secret.
bool raim_match_knows_session(const struct raim_match *match,
                              const uint8_t token[RAIM_TOKEN_BYTES]);

// Tells every client that the match ends, but may go on with the next process: sessions stay, and a
// checkpoint of them may be saved before.
void raim_match_suspend(struct raim_match *match);

// Tells every client that the match ends; pull what is to be sent, then close the connections.
void raim_match_shutdown(struct raim_match *match);

// One message to send. `size` 0 with `close` set: nothing more to say, close the connection.
struct raim_outgoing {
    uint32_t client;
    bool reliable;
    bool close;          // close the connection once this message is acknowledged
    uint32_t reason;     // with `close`: the reason code that the message told
    const uint8_t *data; // valid until the next call with this match
    size_t size;         // at most RAIM_MAX_MESSAGE_BYTES
};

// Pulls the next message; false when this tick has no more. Call until false after every step.
bool raim_match_outgoing(struct raim_match *match, struct raim_outgoing *outgoing);

struct raim_match_player {
    char name[RAIM_MAX_NAME_BYTES + 1];
    bool bot;
    bool away; // its connection was lost; it may resume
    bool muted;
    uint32_t client; // its handle, meaningless for bots and those who are away
    raim_player_id id;
    uint32_t score, deaths;
    uint32_t played_ticks;  // since it joined
    uint32_t inputs_due;    // ticks since its first input, while it was not away
    uint32_t inputs_missed; // of these, those played without one having come in time
};

// What was rewound for those who see the arena late.
struct raim_match_hits {
    uint64_t total;
    uint64_t rewound;       // of these, by bullets launched in the past
    uint64_t in_past;       // of these, where the victim had been, not where it is
    uint64_t clamped;       // shots that claimed an older view than their shooter can have had
    double rewound_ms;      // sum of what was rewound
    double most_rewound_ms; // of any
};

// As the wire has them, see phase.h.
enum raim_match_phase { RAIM_MATCH_PLAY, RAIM_MATCH_BREAK, RAIM_MATCH_PAUSED, RAIM_MATCH_PHASES };

// Where the match stands.
struct raim_match_round {
    uint32_t phase;        // enum raim_match_phase
    uint32_t round;        // from 1 on
    bool has_end;          // the clock ends the round or the break
    uint32_t left_ticks;   // then: until it does
    uint32_t score_limit;  // 0: none
    raim_player_id winner; // in a break; RAIM_NOBODY: nobody alone
};
struct raim_match_round raim_match_round(const struct raim_match *match);

struct raim_match_counts {
    uint32_t players, bots, spectators; // clients that play; bots; clients that watch
    uint32_t away;                      // of the players, those whose connection is lost
    struct raim_match_hits hits;
    uint64_t inputs_due, inputs_missed; // of all players ever; see struct raim_match_player
    uint64_t snapshots;                 // written for clients
    uint64_t refused[RAIM_REFUSALS];
};

// Ticks played; they wrap, so compare them with raim_tick_diff.
uint32_t raim_match_tick(const struct raim_match *match);

struct raim_match_counts raim_match_counts(const struct raim_match *match);

// `players` of raim_match_counts, without the cost of counting the others.
uint32_t raim_match_playing(const struct raim_match *match);

// Fills at most `capacity` rows, clients and bots in order of their places; returns the count.
uint32_t raim_match_players(const struct raim_match *match, struct raim_match_player *players,
                            uint32_t capacity);

// The world as of the last step, for tests, replays and checkpoints.
const struct raim_world *raim_match_world(const struct raim_match *match);
