// SPDX-License-Identifier: MIT
// The client's side of one arena without I/O: it says hello, keeps the roster and the newest
// snapshots, predicts where there are none, and turns what the player presses into messages. The
// caller moves bytes (link.h does so over ENet).
// Thread rule: a client belongs to one thread at a time.
#pragma once

#include "map.h"
#include "rules.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_CLIENT_NAME_BYTES 25  // 24 bytes of UTF-8 and the closing NUL
#define RAIM_CLIENT_TEXT_BYTES 121 // of an explanation

struct raim_client;

struct raim_client_def {
    const char *name;      // the first 24 bytes of it count
    bool watch;            // be a spectator of a player, instead of playing
    raim_player_id target; // that player; RAIM_NOBODY lets the server choose
};

// A player called "player".
struct raim_client_def raim_client_default_def(void);

enum raim_client_state {
    RAIM_CLIENT_CONNECTING, // no connection yet, or the hello is unanswered
    RAIM_CLIENT_ENTERING,   // welcome; the map and the roster are on their way
    RAIM_CLIENT_PLAYING,
    RAIM_CLIENT_ENDED, // see raim_client_end
};

struct raim_client_end {
    uint32_t reason; // as in PROTOCOL.md; raim_client_reason_name names it
    char text[RAIM_CLIENT_TEXT_BYTES];
};

// Somebody in the arena, as the roster and the events tell. A spectator hears of it as late as it
// sees, but its roster is that of the moment in which it came: until what it hears has caught up,
// somebody that it sees may be unknown, and a score ahead.
struct raim_client_member {
    raim_player_id id; // RAIM_NOBODY where the place is free
    bool bot;
    uint32_t score, deaths;
    char name[RAIM_CLIENT_NAME_BYTES];
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
};

struct raim_client_event {
    enum raim_client_event_kind kind;
    raim_player_id player; // who joined, left, or killed
    raim_player_id victim;
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
};

// Copies the def. NULL when memory runs out.
struct raim_client *raim_client_create(const struct raim_client_def *def);
void raim_client_destroy(struct raim_client *client);

// --- For whoever moves the bytes ---

// The connection is up: writes the hello, to be sent reliably.
size_t raim_client_write_hello(struct raim_client *client, uint8_t *bytes, size_t capacity);

// Writes the goodbye of a client that leaves, to be sent reliably.
size_t raim_client_write_goodbye(struct raim_client *client, uint8_t *bytes, size_t capacity);

// One message from the server. False when it cannot be read; it then changed nothing but counts.
// False, too, when it tells of an arena that this client cannot play in, such as rules out of range
// or an impossible map; that ends the client, with the reason "malformed".
bool raim_client_receive(struct raim_client *client, const uint8_t *data, size_t size);

// The connection is gone; `reason` is what the transport was told, used if no goodbye came.
void raim_client_disconnected(struct raim_client *client, uint32_t reason);

// Takes what the player presses for one tick and writes the message that tells it, to be sent
// unreliably. Call it raim_client_tick_hz times a second while playing; now and then it adds or
// leaves out a tick, so that inputs arrive just before the server plays them. A spectator presses
// nothing, but must call it too, for its messages acknowledge what it was shown. Returns 0 when
// there is nothing to send.
size_t raim_client_press(struct raim_client *client, const raim_input *input, uint8_t *bytes,
                         size_t capacity);

// --- For the application ---

enum raim_client_state raim_client_state(const struct raim_client *client);

// Why it ended; while it has not, reason 0.
struct raim_client_end raim_client_end(const struct raim_client *client);
const char *raim_client_reason_name(uint32_t reason);

const struct raim_client_stats *raim_client_stats(const struct raim_client *client);

// The next event, oldest first; false when there is none. Unread events beyond 1024 make way.
bool raim_client_next_event(struct raim_client *client, struct raim_client_event *event);

// While playing: what the arena is.
uint32_t raim_client_tick_hz(const struct raim_client *client);
const struct raim_map *raim_client_map(const struct raim_client *client);
const raim_rules *raim_client_rules(const struct raim_client *client);
uint32_t raim_client_max_players(const struct raim_client *client);
raim_vec2 raim_client_view(const struct raim_client *client); // width and height, units
const struct raim_client_member *raim_client_member(const struct raim_client *client,
                                                    uint32_t place);
bool raim_client_is_spectator(const struct raim_client *client);
uint32_t raim_client_own_place(const struct raim_client *client); // not of a spectator

// While playing: what is shown. The server sends nothing while everything goes as both ends
// predict. So a press shows the next tick where no newer snapshot has come since the press before,
// though never one that is more than a quarter of a second beyond the newest snapshot.
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
