// SPDX-License-Identifier: MIT
// The client's side of one arena without I/O: it says hello, keeps the roster and the newest
// snapshots, turns what the player presses into messages in time for the server, predicts the own
// player, shows the others smoothly, and goes on where it was when a connection breaks. The caller
// moves bytes (link.h does so over ENet) and tells the time.
// Time: every `now_us` is of one steady clock of the caller's, in microseconds; it never goes back.
// Thread rule: a client belongs to one thread at a time.
#pragma once

#include "map.h"
#include "rules.h"
#include "wire_limits.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_client;

struct raim_client_def {
    const char *name;      // the first 24 bytes of it count
    bool watch;            // be a spectator of a player, instead of playing
    raim_player_id target; // that player; RAIM_NOBODY lets the server choose
    double patience_s;     // for a server to answer at first, before it counts as lost
    const uint8_t *access; // access token, for arenas that want one
    uint32_t access_size;  // bytes; 0: none
    // The lasting key, of RAIM_KEY_BYTES, of the only server that a link talks to, and only
    // encrypted. The access token may name another, which then counts. NULL: any server; the key of
    // the first completed handshake is that of the link from then on.
    const uint8_t *server_key;
    bool require_encryption; // a link never talks in plain text, whatever the server offers
};

// A player called "player", with 10 s of patience.
struct raim_client_def raim_client_default_def(void);

enum raim_client_state {
    RAIM_CLIENT_CONNECTING, // no connection yet, or the hello is unanswered
    RAIM_CLIENT_ENTERING,   // welcome; the map and the roster are on their way
    RAIM_CLIENT_PLAYING,
    RAIM_CLIENT_RESUMING, // the connection was lost; it tries to get back to where it was
    RAIM_CLIENT_ENDED,    // see raim_client_end
};

struct raim_client_end {
    uint32_t reason; // as in PROTOCOL.md; raim_client_reason_name names it
    char text[RAIM_MAX_TEXT_BYTES + 1];
};

// Somebody in the arena, as the roster and the events tell. A spectator hears of it as late as it
// sees, but its roster is that of the moment in which it came: until what it hears has caught up,
// somebody that it sees may be unknown, and a score ahead.
struct raim_client_member {
    raim_player_id id; // RAIM_NOBODY where the place is free
    bool bot;
    uint32_t score, deaths;
    char name[RAIM_MAX_NAME_BYTES + 1];
};

// A living player at the tick shown.
struct raim_client_player {
    uint32_t place;
    raim_vec2 position; // units
    raim_vec2 velocity; // units/s, as it ran last and is predicted to go on; zero as it rises
    raim_angle aim;     // the own player's is that of the last press
    uint8_t life;       // another life is another place: do not interpolate across
    bool shielded;
};

// A bullet at the tick shown.
struct raim_client_bullet {
    raim_vec2 position, velocity; // units, units/s
    uint32_t owner;               // place
};

enum raim_client_event_kind {
    RAIM_CLIENT_JOINED,
    RAIM_CLIENT_LEFT,
    RAIM_CLIENT_KILL,
    RAIM_CLIENT_CHAT,
    RAIM_CLIENT_PHASE,
};

// Where the match stands.
enum raim_client_phase_kind {
    RAIM_CLIENT_PLAY,
    RAIM_CLIENT_BREAK,  // the round is over; like PAUSED: nobody moves, fires or can be hit
    RAIM_CLIENT_PAUSED, // by the operator
};

struct raim_client_phase {
    enum raim_client_phase_kind kind;
    uint32_t round;        // from 1 on, modulo 2^16; scores and deaths are of this one
    bool has_end;          // the clock ends the round, or the break
    double left_s;         // then: until it does
    uint32_t score_limit;  // points that end the round; 0: none
    raim_player_id winner; // of a break: who has won the round; RAIM_NOBODY: nobody alone
};

struct raim_client_event {
    enum raim_client_event_kind kind;
    raim_player_id player; // who joined, left, killed, or speaks; RAIM_NOBODY: the operator speaks:
                           // show that by more than a name. Of PHASE, in a break: the winner;
                           // RAIM_NOBODY: nobody alone
    raim_player_id victim; // of KILL
    double rewound_ms;     // of KILL: by so much the shooter saw the victim late
    const char *text;      // of CHAT: valid until the next message is received
    enum raim_client_phase_kind phase; // of PHASE
    uint32_t round;                    // of PHASE
};

// Running totals.
struct raim_client_stats {
    uint64_t snapshots;     // newer than those before them; the others count for nothing
    uint64_t decode_errors; // messages that could not be read, or snapshots without their baseline
    uint64_t events;
    uint64_t events_lost;     // gaps in the events' numbers
    uint64_t events_repeated; // numbers told twice
    uint64_t shots, hits;     // own bullets
    uint64_t kills, deaths;   // own, as events tell
    uint64_t kills_seen;      // everybody's, as events tell
    size_t largest_snapshot;  // bytes of message
    uint64_t resumes;         // connections lost and found again
    uint64_t entries;         // arenas entered: at first, by resuming, and when the server went on
                              // to another map or other rules
    uint64_t rounds;          // that ended before its eyes
};

// How good the connection is, and what the client does about it.
struct raim_client_quality {
    double round_trip_ms;    // smoothed, as RFC 6298 has it
    double jitter_ms;        // by which 95 % of the newest snapshots came late at most, against the
                             // earliest
    double loss;             // share of the server's unreliable packets that were lost or came
                             // after a younger one, 0 to 1, of late
    int32_t margin;          // ticks by which inputs come early at least: what the server tells
    double view_age_ms;      // by which the others are shown behind the own player
    double interpolation_ms; // of these, what waiting for late snapshots costs
    uint64_t predictions;    // of the own player that a snapshot could judge
    uint64_t mispredictions; // of these, that were wrong
    double correction_units; // distance by which the last wrong one was
    double corrections_units; // sum of all these distances
};

// Copies the def. NULL when memory runs out.
struct raim_client *raim_client_create(const struct raim_client_def *def);
void raim_client_destroy(struct raim_client *client);

// --- For whoever moves the bytes ---

// Whether to begin a connection now, dropping the one before, if any, without a word. Ask often: it
// says so once for each try. That is at first, and when a session is to be resumed: after the
// connection was lost or has been silent, or 0.3 s after the server said that it restarts, from a
// fresh port, every two seconds, until the server would not know the session any more.
bool raim_client_wants_connection(struct raim_client *client, uint64_t now_us);

// The connection is up: writes the hello, to be sent reliably.
size_t raim_client_write_hello(struct raim_client *client, uint64_t now_us, uint8_t *bytes,
                               size_t capacity);

// Writes the goodbye of a client that leaves, to be sent reliably.
size_t raim_client_write_goodbye(struct raim_client *client, uint8_t *bytes, size_t capacity);

// One message from the server. False when it cannot be read; it then changed nothing but counts.
// False, too, when it tells of an arena that this client cannot play in, such as rules out of range
// or an impossible map; that ends the client, with the reason "malformed".
bool raim_client_receive(struct raim_client *client, uint64_t now_us, const uint8_t *data,
                         size_t size);

// The connection is gone; `reason` is what the transport was told, used if no goodbye came. One
// that was lost is to be resumed, and so is one to a server that restarts.
void raim_client_disconnected(struct raim_client *client, uint64_t now_us, uint32_t reason);

// The server invites whoever has the token of this session, RAIM_TOKEN_BYTES of it: after a
// restart, when the connection is there no more. NULL while there is no session to come back to.
const uint8_t *raim_client_token(const struct raim_client *client);

// Of the server's unreliable packets since the call before, how many came, and how many were sent.
void raim_client_count_loss(struct raim_client *client, uint32_t came, uint32_t sent);

// Whether it is time to press: raim_client_tick_hz times a second while playing, a little more or
// less often where inputs would reach the server late or needlessly early. Ask often; more than one
// press may be due.
bool raim_client_is_due(const struct raim_client *client, uint64_t now_us);

// Takes what the player presses for one tick and writes the message that tells it, to be sent
// unreliably; `rewind` of the input is the client's own business. In breaks and pauses the keys
// count as released, and so the own player stands. A spectator presses nothing, but
// must call it too, for its messages acknowledge what it was shown. Does nothing where no press is
// due. Returns 0 when there is nothing to send.
size_t raim_client_press(struct raim_client *client, uint64_t now_us, const raim_input *input,
                         uint8_t *bytes, size_t capacity);

// Writes what the player says, to be sent reliably; 0 where there is nothing to be said, or nobody
// to say it.
size_t raim_client_write_chat(struct raim_client *client, const char *text, uint8_t *bytes,
                              size_t capacity);

// --- For the application ---

enum raim_client_state raim_client_state(const struct raim_client *client);

// Why it ended; while it has not, reason 0.
struct raim_client_end raim_client_end(const struct raim_client *client);

// While it resumes: the server has said that it restarts.
bool raim_client_awaits_restart(const struct raim_client *client);
const char *raim_client_reason_name(uint32_t reason);

const struct raim_client_stats *raim_client_stats(const struct raim_client *client);
struct raim_client_quality raim_client_quality(const struct raim_client *client);

// The next event, oldest first; false when there is none. Unread events beyond 1024 make way, and
// of those that speak all but the newest 16.
bool raim_client_next_event(struct raim_client *client, struct raim_client_event *event);

// The message of the day, for people; "" where there is none. Valid until the next message comes.
const char *raim_client_motd(const struct raim_client *client);

// Where the match stands, as of the last event.
struct raim_client_phase raim_client_phase(const struct raim_client *client);

// While playing: what the arena is. With each time of entering, as stats->entries counts them, it
// is another one: what was got from these before is gone. The server may go on to another map at
// any time, without an end of the connection.
uint32_t raim_client_tick_hz(const struct raim_client *client);
const struct raim_map *raim_client_map(const struct raim_client *client);
const raim_rules *raim_client_rules(const struct raim_client *client);
uint32_t raim_client_max_players(const struct raim_client *client);
raim_vec2 raim_client_view(const struct raim_client *client); // width and height, units
bool raim_client_has_sight(const struct raim_client *client); // obstacles hide what is behind them
const struct raim_client_member *raim_client_member(const struct raim_client *client,
                                                    uint32_t place);
bool raim_client_is_spectator(const struct raim_client *client);
uint32_t raim_client_own_place(const struct raim_client *client); // not of a spectator

// --- What to draw, while playing ---

// Moves the picture on to a time; call it once a frame, and before thinking about what to press.
// The own player is shown at the tick that its input is for, predicted; the others and all bullets
// as late as the jitter of the network makes needful, between snapshots where there are some,
// beyond them for a quarter of a second at most. A bullet just fired leaves its muzzle at once,
// among the others: who is hit here is hit at the server, as far as it rewinds.
void raim_client_look(struct raim_client *client, uint64_t now_us);

// Whether there is anything to draw: a snapshot and a look after it.
bool raim_client_has_scene(const struct raim_client *client);

// The middle of the view: the own player, or the one watched; while down, where it fell.
raim_vec2 raim_client_eye(const struct raim_client *client);

// In ticks, with fractions: of the own player, and of all else.
double raim_client_own_tick(const struct raim_client *client);
double raim_client_scene_tick(const struct raim_client *client);

// Ticks that a player must lead its aim beyond what it sees, as more than the server rewinds.
double raim_client_lead_ticks(const struct raim_client *client);

// Fill at most `capacity` rows, in order of their places, own predicted bullets last; they return
// the count. Everything told is here, also what is outside of the view or behind walls for now:
// draw only what is to be seen.
uint32_t raim_client_scene_players(const struct raim_client *client,
                                   struct raim_client_player *players, uint32_t capacity);
uint32_t raim_client_scene_bullets(const struct raim_client *client,
                                   struct raim_client_bullet *bullets, uint32_t capacity);

// --- What is known, to the bit, while playing ---

// The server sends nothing while everything goes as both ends predict. So a press shows the next
// tick where no newer snapshot has come since the press before, though never one that is more than
// a quarter of a second beyond the newest snapshot.
uint32_t raim_client_tick(const struct raim_client *client); // 0 before the first snapshot

// Whose view it is, by place, and whether that player lives. It is the own one; of a spectator that
// which it watches, and another's once that has left.
uint32_t raim_client_viewpoint(const struct raim_client *client);
bool raim_client_alive(const struct raim_client *client);

// Fill at most `capacity` rows, in order of their places; they return the count.
uint32_t raim_client_players(const struct raim_client *client, struct raim_client_player *players,
                             uint32_t capacity);
uint32_t raim_client_bullets(const struct raim_client *client, struct raim_client_bullet *bullets,
                             uint32_t capacity);
