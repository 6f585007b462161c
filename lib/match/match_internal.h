// SPDX-License-Identifier: MIT
// The inside of a match, shared by the files of lib/match and by nobody else.
#pragma once

#include "bot.h"
#include "event_log.h"
#include "history.h"
#include "inbox.h"
#include "interest.h"
#include "match.h"
#include "name_key.h"
#include "priority.h"

enum raim_connection_state {
    RAIM_CONNECTION_ABSENT,   // no connection
    RAIM_CONNECTION_WAITING,  // connected, its hello has not come
    RAIM_CONNECTION_ENTERING, // plays or watches, and is being told the map and the roster
    RAIM_CONNECTION_PLAYING,
    RAIM_CONNECTION_REFUSED, // is to be told goodbye
    RAIM_CONNECTION_LEAVING, // said goodbye and is to be closed
    RAIM_CONNECTION_CLOSED,  // nothing more to do
};

// What a client was shown in a tick: a baseline once it was sent and acknowledged.
struct raim_shown {
    uint32_t tick;
    bool valid;
    bool sent;
    raim_wire_self self;
    uint64_t *players; // sets of places
    uint64_t *bullets;
};

// One connection.
struct raim_connection {
    enum raim_connection_state state;
    uint32_t reason;                   // of its goodbye
    char why[RAIM_MAX_TEXT_BYTES + 1]; // in the operator's words; otherwise empty
    uint8_t token[RAIM_TOKEN_BYTES];   // of the session that it may begin
    uint32_t since_tick;               // of its connection
    raim_player_id player;  // that it plays; RAIM_NOBODY: it is a spectator, or not yet anything
    bool watches;           // it is a spectator, or wished to be one
    raim_player_id watched; // by a spectator; RAIM_NOBODY: until somebody joins
    uint32_t slot;          // whose view it is shown: its own player's, or the watched one's
    uint32_t delay_ticks;   // that a spectator sees and hears everything late

    uint32_t obstacles_sent; // while entering
    uint32_t roster_sent;
    uint32_t first_tick; // from this on it is told events and snapshots
    bool welcome_sent;

    // --- view.c ---
    struct raim_shown *shown; // by tick modulo history.ticks
    uint32_t sent_tick;       // of the newest snapshot sent
    bool has_acked;
    uint32_t acked_tick;  // newest snapshot it has
    uint32_t quiet_since; // since this tick every frame shown was predictable from the one before
    double latency_ticks; // see raim_view_acknowledge; 0 before the first one
    bool waits;           // something was left out of the last snapshot
    uint8_t *waited;      // see priority.h

    struct raim_rewind_limit rewind_limit;
    struct raim_inbox inbox;
};

// Who sits in a place of the world. Together with the world it is all that outlives a connection.
struct raim_member {
    char name[RAIM_MAX_NAME_BYTES + 1];
    struct raim_name_key key; // of the name
    bool bot;
    bool muted;                      // by the operator
    uint8_t token[RAIM_TOKEN_BYTES]; // of its session; unused for bots
    uint32_t client;                 // index of its client; unused for bots and while away
    uint32_t joined_tick;
    uint32_t away_since; // tick; while away, as the world's player knows
    struct raim_inbox_tally inputs;
    raim_input last_input;    // last
    uint32_t idle_ticks;      // since it pressed anything new, while play went on
    uint32_t chat_debt_ticks; // until all that it has said may be forgotten
    struct raim_bot brain;    // of bots
};

// Where the rounds stand: plain data without padding, so that it can be kept as it is.
struct raim_rounds {
    uint32_t round;       // from 1 on
    uint32_t left_ticks;  // until the clock ends the round or the break
    uint32_t score_limit; // points that end this round, 0: none
    uint32_t winner;      // of a break, by id; RAIM_NOBODY: nobody alone
    uint8_t phase;        // enum raim_phase: PLAY or BREAK, also while paused
    uint8_t paused;       // 1: the operator's word
    uint8_t has_end;      // 1: the clock ends it
    uint8_t sent_phase;   // enum raim_phase of the last event
};

// What the outbox does next; it goes through these once a tick.
enum raim_outbox_stage {
    RAIM_OUTBOX_CONNECTIONS, // welcomes and goodbyes, client by client
    RAIM_OUTBOX_EVENTS,      // message by message, each to everybody of its audience
    RAIM_OUTBOX_SNAPSHOTS,   // client by client
    RAIM_OUTBOX_DONE,
};

// What the operator may change while the match runs, and what follows from it.
struct raim_match_policy {
    struct raim_match_tuning tuning; // what holds now of what the def began with
    uint32_t grace_ticks;            // that the player of a lost connection is kept
    uint32_t idle_ticks;             // after which somebody is idle; 0: nobody ever is
    bool draining;                   // only clients that resume are let in
};

// What each client's snapshots may contain and what they contained: view.c.
struct raim_match_interest {
    struct raim_history history;
    struct raim_distance_field distance_field;    // of the map
    struct raim_interest *present;                // of `history` as of the last step
    struct raim_shown *shown;                     // memory of the clients'
    uint64_t *shown_sets;                         // memory of the sets in `shown`
    uint8_t *waited;                              // memory of the clients'
    struct raim_priority_entry *priority_entries; // scratch for snapshots that do not fit
};

// The spectators who receive everything late, and the history from which they do: spectators.c.
struct raim_match_late_audience {
    uint32_t delay_ticks;           // 0: spectators receive everything at once
    struct raim_history history;    // without memory where delay_ticks is 0
    uint32_t history_ticks;         // that it holds without a gap, counted back from now
    struct raim_interest *interest; // of `history`, delay_ticks earlier; NULL without a delay
    struct raim_wire_phase phase;   // in the WELCOME of a late spectator that is welcomed now
};

// The messages of a tick on their way to the caller: outbox.c.
struct raim_match_outbox {
    enum raim_outbox_stage stage;
    uint32_t next_client;        // the stage goes on with this one
    enum raim_audience audience; // of the events that `message` holds
    size_t message_size;
    uint8_t message[RAIM_MAX_MESSAGE_BYTES];
};

// What is counted from the first match of a succession on, and outlives a restart but for
// `refused`.
struct raim_match_totals {
    struct raim_match_hits hits;
    uint64_t inputs_due, inputs_missed, snapshots;
    uint64_t refused[RAIM_REFUSALS];
};

struct raim_match {
    struct raim_match_def def;
    struct raim_match_policy policy;

    struct raim_world *world;
    uint64_t identity;           // of the world and the map, see raim_world_identity
    uint32_t began_tick;         // up to this one, it was another match's
    raim_input *inputs;          // of the next step, by place
    struct raim_events happened; // in the last step

    struct raim_connection *clients; // def.max_connections
    struct raim_member *members;     // by place
    uint32_t playing;                // members that are no bots
    uint32_t watching;               // clients that are spectators

    struct raim_rounds rounds;
    struct raim_event_log log;
    struct raim_match_interest interest;
    struct raim_match_late_audience late_audience;
    struct raim_match_outbox outbox;
    struct raim_match_totals totals;
};

// --- rounds.c: when they play ---

// Events of a step at most: a round or a pause begins or ends, and in it, the round ends.
#define RAIM_ROUNDS_EVENTS 2

// Begins the first round, when there is nobody yet who knows of another.
void raim_rounds_begin(struct raim_match *match);

// Takes the phase as told to everybody, who are all to be welcomed to it.
void raim_rounds_mark_phase_sent(struct raim_match *match);

// Nobody moves, fires or is hit: in a break, and while paused.
bool raim_rounds_is_frozen(const struct raim_match *match);

// As clients are told it.
struct raim_wire_phase raim_rounds_phase(const struct raim_match *match);

// Around the world's step: before it, the next round begins when it is time; after it, the round
// ends when it is.
void raim_rounds_begin_step(struct raim_match *match);
void raim_rounds_end_step(struct raim_match *match);

// Once a step, when the log has been opened: follows what the late audience is told.
void raim_rounds_update_late_phase(struct raim_match *match);

// --- outbox.c: the messages of a tick ---

// Goes through its stages from the first one on; raim_match_outgoing pulls the messages.
void raim_outbox_begin(struct raim_match *match);

// --- players.c: who plays ---

// Whether there is room for an event beside those of every member being destroyed and leaving, and
// of the phases that a step may tell, before any are told.
bool raim_players_has_event_room(const struct raim_match *match);

// Lets a client in, or a bot, for which it is NULL; its name must be clean. RAIM_NOBODY when there
// is no place.
raim_player_id raim_players_join(struct raim_match *match, const char *name,
                                 const struct raim_connection *client);
void raim_players_leave(struct raim_match *match, raim_player_id id, enum raim_reason reason);
void raim_players_fill_entry(const struct raim_match *match, uint32_t slot,
                             struct raim_roster_entry *entry);

// Fills the inputs of the bots.
void raim_players_fill_bot_inputs(struct raim_match *match);

// Lets everybody's keys go, and aims where they are.
void raim_players_clear_inputs(struct raim_match *match);

// After the step: those whom the end of play found in one another are not pushed apart before it
// goes on.
void raim_players_hold_positions(struct raim_match *match);

// Turns what happened in the step into events for clients.
void raim_players_log_events(struct raim_match *match);

// --- sessions.c: who may come back ---

// The player of a token's session, away or not; RAIM_NOBODY where there is none.
raim_player_id raim_sessions_find(const struct raim_match *match,
                                  const uint8_t token[RAIM_TOKEN_BYTES]);

// Whether a token is the one of a client's session; of who has none, or cannot know it yet, zero
// is, too.
bool raim_sessions_may_end(const struct raim_match *match, const struct raim_connection *client,
                           const uint8_t token[RAIM_TOKEN_BYTES]);

// Takes the player of a lost connection to keep it, away, where there is a grace time.
void raim_sessions_set_away(struct raim_match *match, struct raim_connection *client);

// Gives a player back. A connection that has it still is told that it has it no more.
void raim_sessions_resume(struct raim_match *match, struct raim_connection *client,
                          raim_player_id id);

// Once a tick for every client that plays: notices whether it pressed anything new.
void raim_sessions_track_idle(const struct raim_match *match, struct raim_member *member,
                              const raim_input *input);

// In a full match, lets one leave who has been away for longer than it had played: who comes and
// goes must not keep others out by sessions that wait. Where there is none, whoever has been idle
// for the longest leaves, and is told so. False where nobody has. The first tells whom, or
// RAIM_NOBODY.
raim_player_id raim_sessions_find_evictable(const struct raim_match *match);
bool raim_sessions_evict(struct raim_match *match);

// Lets those leave who have been away for too long; once a tick.
void raim_sessions_expire(struct raim_match *match);

// Lets everybody leave who is away, because the match ends.
void raim_sessions_end(struct raim_match *match);

// --- chat.c: who says what ---

// A CHAT of a client that plays, behind its kind.
void raim_chat_receive(struct raim_match *match, const struct raim_connection *client,
                       raim_reader *reader);

// --- connections.c: who is turned away, and who has to go ---

void raim_connections_refuse(struct raim_match *match, struct raim_connection *client,
                             enum raim_refusal refusal, enum raim_reason reason);

// Takes from a connection whatever it has in the match.
void raim_connections_leave(struct raim_match *match, struct raim_connection *client,
                            enum raim_reason reason);

// --- spectators.c: who watches ---

// Lets a client in that wishes to watch a player, given by its id; where there is no such player,
// or for 0, the one with most points. False when there is no place.
bool raim_spectators_join(struct raim_match *match, struct raim_connection *client,
                          uint32_t target);
void raim_spectators_leave(struct raim_match *match, const struct raim_connection *client);

// What an audience is told: its spectators go on to another player when theirs leaves.
void raim_spectators_apply_event(struct raim_match *match, enum raim_audience audience,
                                 const struct raim_wire_event *event);

// Once a step, when it has been recorded.
void raim_spectators_record(struct raim_match *match);

static inline bool raim_is_spectator(const struct raim_connection *client)
{
    return client->watches &&
           (client->state == RAIM_CONNECTION_ENTERING || client->state == RAIM_CONNECTION_PLAYING);
}

static inline enum raim_audience raim_audience_of(const struct raim_connection *client)
{
    return client->delay_ticks > 0 ? RAIM_AUDIENCE_LATE : RAIM_AUDIENCE_LIVE;
}

// --- view.c: what a client is shown ---

// The most ticks ahead that anybody is told what it could come to see: 250 ms.
uint32_t raim_view_max_latency(uint32_t tick_hz);

// That many for a client: its loop, from a snapshot to what it does knowing it, and the time that
// clients interpolate over. A spectator does nothing.
uint32_t raim_view_latency(const struct raim_match *match, const struct raim_connection *client);

// Once a step, before the clients' views.
void raim_view_prepare(struct raim_match *match);

// Writes the snapshot of the last step for a client that is told snapshots, and whose tick is
// remembered. Returns 0 when there is nothing to tell.
size_t raim_view_write(struct raim_match *match, struct raim_connection *client, uint8_t *bytes,
                       size_t capacity);

// Takes a client's word, in an input for `input_tick`, for the newest snapshot it has; measures its
// round trip by it.
enum raim_refusal raim_view_acknowledge(const struct raim_match *match,
                                        struct raim_connection *client, uint32_t tick,
                                        uint32_t input_tick);
