// SPDX-License-Identifier: MIT
// Players and bots of a match, and players who have left during its round.
#pragma once

#include "match.h"
#include "roster.h"

struct raim_connection;
struct raim_match;

// Players who left during the present round.
struct raim_match_departed {
    struct raim_match_player *rows; // max_players of them
    uint32_t count;
    uint32_t omitted; // players who got no row
};

// Whether the event log has room for one more event. It keeps a reserve: a death and a leave of
// every session, and the phase events of a step.
bool raim_players_has_event_room(const struct raim_match *match);

// Adds a player for a client, or a bot when `client` is NULL. The name must be clean, and so must
// the subject, "" for none. Returns RAIM_NOBODY when no slot is free.
raim_player_id raim_players_join(struct raim_match *match, const char *name, const char *subject,
                                 const struct raim_connection *client);
void raim_players_leave(struct raim_match *match, raim_player_id id, enum raim_reason reason);

// Makes a player that has just entered the world a bot, without an event.
void raim_players_place_bot(struct raim_match *match, raim_player_id id, const char *name);

// The number of bots that a match with this number of players wants.
uint32_t raim_players_wanted_bots(const struct raim_match_def *def, uint32_t players);

// Adds the bot of a number, from 1 on.
void raim_players_add_bot(struct raim_match *match, uint32_t number);

// Adds a bot if there are fewer than wanted, or removes one if there are more. Call it once a tick.
void raim_players_balance_bots(struct raim_match *match);

// Removes all bots from a match that has not stepped yet.
void raim_players_clear_bots(struct raim_match *match);

// Whether a name, of RAIM_MAX_NAME_BYTES + 1 bytes, is one that a player can have.
bool raim_players_is_name(const char name[RAIM_MAX_NAME_BYTES + 1]);

void raim_players_fill_entry(const struct raim_match *match, uint32_t slot,
                             struct raim_roster_entry *entry);

// Fills the row of a slot that has a player.
void raim_players_fill_row(const struct raim_match *match, uint32_t slot,
                           struct raim_match_player *row);

// Stores the present counts of shots and hits as those at the beginning of the round.
void raim_players_begin_round(struct raim_match *match);

// Computes the bots' inputs.
void raim_players_fill_bot_inputs(struct raim_match *match);

// Replaces all inputs by released keys with unchanged aims.
void raim_players_clear_inputs(struct raim_match *match);

// Logs the step's kills as events and counts shots and hits.
void raim_players_log_events(struct raim_match *match);

// Adds a player who leaves to the departed, if it has played in this round.
void raim_departed_note(struct raim_match *match, uint32_t slot);

// Adds a departed player. If there is no room, it replaces the one with the fewest points.
void raim_departed_add(struct raim_match *match, const struct raim_match_player *row);

// Forgets the departed players of the previous round.
void raim_departed_clear(struct raim_match_departed *departed);

// Copies the departed players into a succeeding match that continues the round.
void raim_departed_carry(struct raim_match *next, const struct raim_match *before);
