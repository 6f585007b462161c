// SPDX-License-Identifier: MIT
// The client's side of one arena, sans-I/O: it reads the server's messages and writes the client's,
// keeps the roster and a replica of the arena, paces its input so that it reaches the server in
// time, predicts the local player, interpolates everything else, and resumes its session when a
// connection breaks. The caller moves the bytes (link.h does so over ENet) and tells the time.
// Time: every `now_us` is microseconds of one steady clock of the caller's, and never decreases.
// Units: positions are world units with y up, velocities are units/s, ticks count at
// raim_client_tick_hz.
// Errors: only raim_client_create and messages from the server can fail; whatever bytes come, none
// cause an assertion. A slot out of range, or a call for an arena before there is one, does.
// Thread rule: a client belongs to one thread at a time. Two clients share nothing. The client of a
// link with a service thread is used between raim_link_lock and raim_link_unlock.
// Lifetime: a returned pointer stays valid until the next call of raim_client_receive,
// raim_client_next_event or raim_client_destroy, unless its function says otherwise.
// Binary interface: struct raim_client_def, which the application fills, begins with its size and
// may grow. All other structs, raim_input among them, keep their layout for as long as the shared
// library keeps its soname. raim_input has no size member, because there is one for each tick and
// its members are those of the wire.
#pragma once

#include "map.h"
#include "rules.h"
#include "wire_limits.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct raim_client;

struct raim_client_def {
    size_t struct_size;       // sizeof (struct raim_client_def), set by raim_client_default_def
    const char *name;         // UTF-8; bytes after the 24th are ignored
    bool watch;               // join as a spectator and not as a player
    raim_player_id target;    // the player to watch; RAIM_NOBODY: the server chooses
    double connect_timeout_s; // 0 or more: the first connection is given up without an answer
    const uint8_t *access;    // access token, for arenas that want one
    uint32_t access_size;     // bytes, at most RAIM_ACCESS_BYTES; 0: no token
    // The public key, of RAIM_KEY_BYTES, of the only server that a link may talk to; the
    // link then rejects plain text. A key inside the access token takes precedence. NULL: any
    // server; the link then keeps to the key of its first completed handshake.
    const uint8_t *server_key;
    bool require_encryption; // a link does not use servers that do not encrypt
    const char *password; // of the arena, of 1 to 128 bytes; a link copies it, wipes its copy when
                          // it closes, and uses it with servers that encrypt. NULL: none
    // The seed of an Ed25519 key, of RAIM_KEY_BYTES, with which a link answers the server's
    // challenge after "/admin login NAME". NULL: none.
    const uint8_t *admin_key;
    bool small_datagrams; // a link's path carries no more than 1124 bytes of UDP's payload
};

// Fills a def of this size with the defaults: a player called "player", a timeout of 10 s. For
// languages that cannot call the inline raim_client_default_def.
void raim_client_init_def(struct raim_client_def *def, size_t struct_size);

static inline struct raim_client_def raim_client_default_def(void)
{
    struct raim_client_def def;
    raim_client_init_def(&def, sizeof def);
    return def;
}

// The version of the library that runs, such as "0.1.0". The string is static.
const char *raim_version(void);

enum raim_client_state {
    RAIM_CLIENT_CONNECTING, // not connected, or the hello is not answered yet
    RAIM_CLIENT_ENTERING,   // welcomed; the map and the roster are still incomplete
    RAIM_CLIENT_PLAYING,
    RAIM_CLIENT_RESUMING, // the connection is lost; the client tries to resume its session
    RAIM_CLIENT_ENDED,    // final; see raim_client_get_end
};

struct raim_client_end {
    uint32_t reason; // see PROTOCOL.md; raim_client_reason_name returns its name
    char text[RAIM_MAX_TEXT_BYTES + 1];
};

// A player of the arena as the roster and the events report it. A spectator sees the arena with a
// delay, and receives events with that delay, but its first roster is current. Until the events
// have caught up, the roster may lack a player that is still visible, and a score may be ahead.
struct raim_client_roster_entry {
    raim_player_id id; // RAIM_NOBODY: the slot is free
    bool bot;
    uint32_t score, deaths; // of this round
    char name[RAIM_MAX_NAME_BYTES + 1];
    int32_t ping_ms; // round trip as the server last sent it, in steps of 10 ms to 620; -1: unknown
};

// A living player at the tick shown.
struct raim_client_player {
    uint32_t slot;      // slot of the player
    raim_vec2 position; // units
    raim_vec2 velocity; // units/s over the last tick, expected to last; zero in the spawn tick
    raim_angle aim;     // of the local player: of its newest input
    uint8_t life;       // changes with every spawn: do not interpolate between two lives
    bool shielded;
    uint8_t health; // points left, of raim_client_rules
};

// A bullet at the tick shown.
struct raim_client_bullet {
    raim_vec2 position, velocity; // units, units/s
    uint32_t owner;               // slot of the player who fired it
};

enum raim_client_event_kind {
    RAIM_CLIENT_JOINED,
    RAIM_CLIENT_LEFT,
    RAIM_CLIENT_KILL,
    RAIM_CLIENT_CHAT,
    RAIM_CLIENT_CHAT_REJECTED, // the server did not forward the local player's chat
    RAIM_CLIENT_PHASE,
    RAIM_CLIENT_NOTICE,        // a line of the server for the local player alone
    RAIM_CLIENT_VOTE_BEGAN,    // see raim_client_get_vote
    RAIM_CLIENT_VOTE_ENDED,    // see the outcome in raim_client_get_vote
    RAIM_CLIENT_VOTE_REJECTED, // the server did not call or count the local player's vote
};

// The phase of the match.
enum raim_client_phase_kind {
    RAIM_CLIENT_PLAY,
    RAIM_CLIENT_BREAK,  // between two rounds: nobody can move, fire or be hit
    RAIM_CLIENT_PAUSED, // by the operator: nobody can move, fire or be hit
};

struct raim_client_phase {
    enum raim_client_phase_kind kind;
    uint32_t round;        // counts from 1, modulo 2^16
    bool has_end;          // the clock ends this round or break
    double left_s;         // with has_end: seconds until then, 0 or more
    uint32_t score_limit;  // score that ends the round; 0: none
    raim_player_id winner; // in a break: the round's winner; RAIM_NOBODY: a draw
};

struct raim_client_event {
    enum raim_client_event_kind kind;
    raim_player_id player; // JOINED, LEFT: the player. KILL: the shooter. PHASE, of a break: the
                           // winner; RAIM_NOBODY: a draw. CHAT: the speaker; RAIM_NOBODY: the
                           // operator
    raim_player_id victim; // KILL
    double rewound_ms;     // KILL: how far the server rewound the victim for the shooter
    bool by_operator;      // CHAT: by the operator: mark it by more than the name, which players
                           // can imitate
    char text[RAIM_MAX_TEXT_BYTES + 1]; // CHAT, NOTICE: the text. VOTE_REJECTED: the
                                        // reason, for people. Else ""
    uint32_t chat_rejection; // CHAT_REJECTED: the reason, see raim_client_chat_rejection_name
    enum raim_client_phase_kind phase; // PHASE
    uint32_t round;                    // PHASE
};

// What a vote is about; its bit in raim_client_vote_kinds is 1 << kind.
enum raim_client_vote_kind {
    RAIM_CLIENT_VOTE_KICK = 1, // a player leaves, and is banned for some minutes
    RAIM_CLIENT_VOTE_MUTE,     // a player's chat is rejected for some minutes
    RAIM_CLIENT_VOTE_MAP,      // a map of raim_client_vote_map, at once
    RAIM_CLIENT_VOTE_NEXTMAP,  // the round ends, and the next map follows
    RAIM_CLIENT_VOTE_RESTART,  // the round ends, and begins again
    RAIM_CLIENT_VOTE_EXTEND,   // this round lasts some minutes longer
    RAIM_CLIENT_VOTE_SPECTATE, // a player may only watch for some minutes
    RAIM_CLIENT_VOTE_PAUSE,    // the match pauses, or a pause by a vote ends
};

enum raim_client_vote_choice {
    RAIM_CLIENT_VOTE_SILENT,
    RAIM_CLIENT_VOTE_YES,
    RAIM_CLIENT_VOTE_NO,
};

// The vote that runs, or the last one, until the next welcome.
struct raim_client_vote {
    bool runs;
    enum raim_client_vote_kind kind;
    raim_player_id caller; // may have left since, as may `player`
    raim_player_id player; // KICK, MUTE, SPECTATE: the player whom it is about
    uint32_t minutes;      // EXTEND
    char caller_name[RAIM_MAX_NAME_BYTES + 1];
    char player_name[RAIM_MAX_NAME_BYTES + 1]; // "" without a player
    char map[RAIM_MAX_TITLE_BYTES + 1];        // MAP
    char reason[RAIM_MAX_VOTE_REASON_BYTES + 1];
    double left_s;                       // until it ends, 0 or more
    uint32_t yes, no;                    // votes
    uint32_t electors;                   // active players who may vote, at most two per address
    uint32_t needed;                     // votes of yes that pass it at once
    enum raim_client_vote_choice choice; // the local player's
    uint32_t outcome; // see raim_client_vote_outcome_name; 0: it runs, or none has ended
};

// A vote to call.
struct raim_client_vote_call {
    enum raim_client_vote_kind kind;
    raim_player_id player; // KICK, MUTE, SPECTATE
    uint32_t minutes;      // EXTEND, 1 to 60
    const char *map;       // MAP: a name; otherwise NULL
    const char *reason;    // UTF-8, cut to RAIM_MAX_VOTE_REASON_BYTES; NULL: none
};

// Totals since the client was created.
struct raim_client_stats {
    uint64_t snapshots;       // newer than all before; older ones are dropped and not counted
    uint64_t decode_errors;   // malformed or unexpected messages, snapshots without their baseline
    uint64_t events;          // applied
    uint64_t events_ahead;    // events ignored because an earlier one was missing
    uint64_t events_repeated; // events ignored because they had come before
    uint64_t shots, hits;     // of the local player's bullets
    uint64_t kills, deaths;   // of the local player, by events
    uint64_t kills_seen;      // of everybody, by events
    size_t largest_snapshot;  // bytes of message
    uint64_t resumes;         // sessions resumed after a lost connection
    uint64_t entries;     // welcomes: the first, resumed sessions, and changes of map or of rules
    uint64_t rounds;      // rounds that ended while this client was connected
    uint64_t other_epoch; // messages ignored because they overtook their welcome or came after the
                          // next one
};

// The quality of the connection, and what the client does about it.
struct raim_client_quality {
    double round_trip_ms;     // smoothed as in RFC 6298
    double jitter_ms;         // 95th percentile of the snapshots' delay, above the smallest delay
    double loss;              // share of the server's recent unreliable packets that were lost or
                              // reordered, 0 to 1
    int32_t margin;           // ticks by which the latest of the recent inputs reached the server
                              // early; below 0: late
    double view_delay_ms;     // how much later all others are shown than the local player
    double interpolation_ms;  // part of view_delay_ms that waits for late snapshots
    uint64_t predictions;     // predictions of the local player that a snapshot could check
    uint64_t mispredictions;  // predictions that were wrong
    double correction_units;  // error of the newest wrong prediction
    double corrections_units; // sum of all prediction errors
};

// Copies the def and what it points to, except the keys and `password`: only link.h uses those.
// NULL when memory runs out, or for a def without its size. Destroy takes NULL.
struct raim_client *raim_client_create(const struct raim_client_def *def);
void raim_client_destroy(struct raim_client *client);

// --- For the code that moves the bytes ---
//
// The functions that write return the size of the message in bytes; 0: there is nothing to send, or
// it does not fit `capacity`. 1200 bytes always suffice.

// Whether to drop the connection, if any, without a goodbye, and to begin another one from a fresh
// port. Call it often: it returns true once per attempt. The first call returns true. Further
// attempts resume a session every two seconds, from the loss of the connection or 1.5 s of silence
// on, or from 0.3 s after the server announced a restart, for as long as the server keeps the
// session.
bool raim_client_wants_connection(struct raim_client *client, uint64_t now_us);

// Call it when the connection is up. Writes the hello, to be sent reliably.
size_t raim_client_write_hello(struct raim_client *client, uint64_t now_us, uint8_t *bytes,
                               size_t capacity);

// Ends the client and writes its goodbye, to be sent reliably.
size_t raim_client_write_goodbye(struct raim_client *client, uint8_t *bytes, size_t capacity);

// Reads one message of the server. False for a malformed message, which changes nothing but
// stats->decode_errors. False also when the server describes an arena that cannot be played, with
// rules out of range or an impossible map; this ends the client with the reason "malformed".
bool raim_client_receive(struct raim_client *client, uint64_t now_us, const uint8_t *data,
                         size_t size);

// The connection is gone. `reason` is what the transport reports; a goodbye received before takes
// precedence. The client resumes after a lost connection and after a restart of the server.
void raim_client_disconnected(struct raim_client *client, uint64_t now_us, uint32_t reason);

// The token of this session, of RAIM_TOKEN_BYTES, which an invitation of a restarted server
// proves to know. NULL without a session that could be resumed. Valid until the client is
// destroyed.
const uint8_t *raim_client_token(const struct raim_client *client);

// Reports how many of the server's unreliable packets have arrived since the last call, and how
// many the server has sent.
void raim_client_count_loss(struct raim_client *client, uint32_t arrived, uint32_t sent);

// Whether an input is due: raim_client_tick_hz times a second while playing, a little more or less
// often while inputs reach the server too late or too early. Call it often: several inputs may be
// due.
bool raim_client_is_input_due(const struct raim_client *client, uint64_t now_us);

// Microseconds from now until the next input is due: 0 where one is, UINT64_MAX where none will be
// before another message comes.
uint64_t raim_client_until_input_us(const struct raim_client *client, uint64_t now_us);

// Takes the player's input for one tick and writes the message with it and the inputs before
// it, to be sent unreliably. Returns 0 where the server needs no message for this tick, because a
// later one will still be in time (INPUT in PROTOCOL.md); and returns 0 and takes nothing where no
// input is due. The caller leaves `input->rewind` at 0. In breaks and pauses movement and fire are
// ignored. A spectator calls it too, with any input, because its messages acknowledge snapshots.
size_t raim_client_write_input(struct raim_client *client, uint64_t now_us, const raim_input *input,
                               uint8_t *bytes, size_t capacity);

// Writes a chat line of UTF-8, to be sent reliably; whole characters beyond 120 bytes are cut off.
// Returns 0 for an empty text, for a spectator, and while not playing. A line that begins with "/"
// is a command for the server, such as "/help": other clients do not receive it, and
// RAIM_CLIENT_NOTICE brings the answer. A command is never sent to a server that knows none, nor
// cut off: it is then rejected by an event like a chat line by the server.
size_t raim_client_write_chat(struct raim_client *client, const char *text, uint8_t *bytes,
                              size_t capacity);

// Writes a spectator's wish to watch another player, to be sent reliably; RAIM_NOBODY: the server
// chooses. The server switches at most ten times a second; raim_client_viewpoint tells whom the
// newest snapshot shows. Further connections of this client ask for the same player. Returns 0 for
// a player, and while not playing.
size_t raim_client_write_watch(struct raim_client *client, raim_player_id player, uint8_t *bytes,
                               size_t capacity);

// Write a call for a vote, the local player's choice in the running vote, and the withdrawal of a
// vote that the local player has called, to be sent reliably. Return 0 while not playing, for a
// spectator, and where the server has no votes, or none that runs; for a call also where its values
// are out of range. RAIM_CLIENT_VOTE_REJECTED follows where the server rejects it.
size_t raim_client_write_vote_call(struct raim_client *client,
                                   const struct raim_client_vote_call *call, uint8_t *bytes,
                                   size_t capacity);
size_t raim_client_write_vote_cast(struct raim_client *client, enum raim_client_vote_choice choice,
                                   uint8_t *bytes, size_t capacity);
size_t raim_client_write_vote_withdraw(struct raim_client *client, uint8_t *bytes, size_t capacity);

// --- For the application ---

enum raim_client_state raim_client_get_state(const struct raim_client *client);

// Why the client ended; reason 0 while it has not.
struct raim_client_end raim_client_get_end(const struct raim_client *client);

// Whether the client is resuming because the server announced a restart.
bool raim_client_awaits_restart(const struct raim_client *client);

// The name of a reason, such as "full"; never NULL. The string is static.
const char *raim_client_reason_name(uint32_t reason);

// The name of a chat rejection: "rate", "muted", "text" (nothing visible, or not UTF-8), "length",
// "watching", "busy", "repeat", "command" (no command of this server), or "unknown"; never NULL.
// The string is static.
const char *raim_client_chat_rejection_name(uint32_t rejection);

// Valid until the client is destroyed.
const struct raim_client_stats *raim_client_get_stats(const struct raim_client *client);
struct raim_client_quality raim_client_get_quality(const struct raim_client *client);

// Takes the oldest unread event; false when there is none. Of unread events the newest 1024 are
// kept, and of unread chat lines and notices the newest 32.
bool raim_client_next_event(struct raim_client *client, struct raim_client_event *event);

// The arena's name in the server's configuration; "" before the first welcome.
const char *raim_client_arena(const struct raim_client *client);

// The message of the day in UTF-8; "" where there is none. From it, and from all other texts of the
// server, what is invisible or changes the direction of writing has been removed.
const char *raim_client_motd(const struct raim_client *client);

// The phase of the match as of the newest event.
struct raim_client_phase raim_client_get_phase(const struct raim_client *client);

// The name of the map of the next round, as known when the break began; "" where the map stays, and
// outside of a break.
const char *raim_client_next_map(const struct raim_client *client);

// --- Votes ---

// The vote that runs, or the last one.
struct raim_client_vote raim_client_get_vote(const struct raim_client *client, uint64_t now_us);

// What may be voted for, a set of 1 << kind; 0 for a spectator and where the server has no votes.
uint32_t raim_client_vote_kinds(const struct raim_client *client);

// The maps to vote for. `index` is below raim_client_vote_map_count. Valid until the next call of
// raim_client_receive.
uint32_t raim_client_vote_map_count(const struct raim_client *client);
const char *raim_client_vote_map(const struct raim_client *client, uint32_t index);

// Names such as "kick" and "passed"; "unknown" for other numbers. The strings are static.
const char *raim_client_vote_kind_name(uint32_t kind);
const char *raim_client_vote_outcome_name(uint32_t outcome);

// --- The arena, while playing ---
//
// The server may change the map or the rules at any time without ending the connection. Each such
// change counts in stats->entries, and frees the roster returned before. A map that was returned
// after raim_client_interpolate is valid until its next call.

uint32_t raim_client_tick_hz(const struct raim_client *client);
const struct raim_map *raim_client_map(const struct raim_client *client);
const raim_rules *raim_client_rules(const struct raim_client *client);
uint32_t raim_client_max_players(const struct raim_client *client); // number of slots
raim_vec2 raim_client_view(const struct raim_client *client);       // width and height, units
bool raim_client_has_sight(const struct raim_client *client); // obstacles hide what is behind them

// The roster's entry of a slot, 0 to raim_client_max_players - 1.
const struct raim_client_roster_entry *
raim_client_get_roster_entry(const struct raim_client *client, uint32_t slot);
bool raim_client_is_spectator(const struct raim_client *client);

// The local player's slot. UINT32_MAX, which is no slot, for a spectator and before the first
// welcome.
uint32_t raim_client_own_slot(const struct raim_client *client);

// The slot of a player's id. For programs that cannot call an inline function; in C and C++
// raim_player_slot does it.
uint32_t raim_client_player_slot(raim_player_id id);

// --- What to draw, while playing ---

// Interpolates to a time; call it once per frame, and before choosing an input. The local player is
// predicted to the tick of its next input. All other players and all bullets are shown as far in
// the past as the network's jitter makes necessary: interpolated between snapshots, or extrapolated
// by a quarter of a second at most. A bullet of the local player leaves the muzzle at once, in the
// past of the others: a hit on the screen is a hit on the server, as far as the server rewinds.
void raim_client_interpolate(struct raim_client *client, uint64_t now_us);

// Whether there is anything to draw: raim_client_interpolate was called after a snapshot came.
bool raim_client_can_draw(const struct raim_client *client);

// The middle of the view, units: the local player, or the player that a spectator watches. While
// that player is down, the point where it fell.
raim_vec2 raim_client_eye(const struct raim_client *client);

// The ticks shown, with fractions: of the local player, and of everything else.
double raim_client_own_tick(const struct raim_client *client);
double raim_client_interpolated_tick(const struct raim_client *client);

// Ticks, 0 or more, by which a player must lead its aim at what it sees, because the view is older
// than the server rewinds.
double raim_client_lead_ticks(const struct raim_client *client);

// Copy at most `capacity` rows, ordered by slot, with the local player's predicted bullets last,
// and return their number. RAIM_MAX_PLAYERS and RAIM_MAX_BULLETS rows always suffice. The rows hold
// everything that the server has sent, also what is now outside of the view or behind an obstacle:
// draw only what is visible.
uint32_t raim_client_interpolated_players(const struct raim_client *client,
                                          struct raim_client_player *players, uint32_t capacity);
uint32_t raim_client_interpolated_bullets(const struct raim_client *client,
                                          struct raim_client_bullet *bullets, uint32_t capacity);

// --- The replica: exact state without interpolation, while playing ---

// The tick of the replica; 0 before the first snapshot. The server sends no snapshot while both
// sides predict the same. So each raim_client_write_input without a newer snapshot since the one
// before advances the replica by a tick, up to a quarter of a second beyond the newest snapshot.
uint32_t raim_client_tick(const struct raim_client *client);

// The slot of the player whose view the client receives: the local player, or the player that a
// spectator watches, which changes when that player leaves; and whether that player is alive.
uint32_t raim_client_viewpoint(const struct raim_client *client);
bool raim_client_alive(const struct raim_client *client);

// Whether that player is down and its respawn delay had passed in the newest snapshot: it waits for
// a free spawn point.
bool raim_client_awaits_spawn(const struct raim_client *client);

// Copy at most `capacity` rows of the replica, ordered by slot, and return their number.
uint32_t raim_client_players(const struct raim_client *client, struct raim_client_player *players,
                             uint32_t capacity);
uint32_t raim_client_bullets(const struct raim_client *client, struct raim_client_bullet *bullets,
                             uint32_t capacity);

#ifdef __cplusplus
}
#endif
