// SPDX-License-Identifier: MIT
// Players and bots of a match, and those who have left during its round.
#pragma once

#include "match.h"
#include "roster.h"

struct raim_connection;
struct raim_match;

// Players who left during the present round.
struct raim_match_departed {
    struct raim_match_player *rows; // max_players of them
    uint32_t count;
    uint32_t omitted; // for whom there was no row
};

// Whether the event log has room for one more event, with a reserve for every session being
// destroyed and leaving and for the phase events of a step.
bool raim_players_has_event_room(const struct raim_match *match);

// Adds a player for a client, or a bot when `client` is NULL. The name must be clean, and so must
// the subject, "" for none. Returns RAIM_NOBODY when no slot is free.
raim_player_id raim_players_join(struct raim_match *match, const char *name, const char *subject,
                                 const struct raim_connection *client);
void raim_players_leave(struct raim_match *match, raim_player_id id, enum raim_reason reason);

// Makes a bot of a player that has just entered the world, without an event.
void raim_players_place_bot(struct raim_match *match, raim_player_id id, const char *name);

// The number of bots that a match has beside so many players.
uint32_t raim_players_wanted_bots(const struct raim_match_def *def, uint32_t players);

// Adds the bot of a number, from 1 on.
void raim_players_add_bot(struct raim_match *match, uint32_t number);

// Adds or removes a bot where there are less or more of them than wanted, one a tick.
void raim_players_balance_bots(struct raim_match *match);

// Leaves a match that has not stepped yet as if it had never had bots.
void raim_players_clear_bots(struct raim_match *match);

// Whether a name, of RAIM_MAX_NAME_BYTES + 1 bytes, is one that a player can have.
bool raim_players_is_name(const char name[RAIM_MAX_NAME_BYTES + 1]);

void raim_players_fill_entry(const struct raim_match *match, uint32_t slot,
                             struct raim_roster_entry *entry);

// Fills the row of a slot that has a player.
void raim_players_fill_row(const struct raim_match *match, uint32_t slot,
                           struct raim_match_player *row);

// Makes the present counts of shots and hits those before the round.
void raim_players_begin_round(struct raim_match *match);

// Computes the bots' inputs.
void raim_players_fill_bot_inputs(struct raim_match *match);

// Replaces all inputs by released keys with unchanged aims.
void raim_players_clear_inputs(struct raim_match *match);

// Logs the step's kills as events and counts shots and hits.
void raim_players_log_events(struct raim_match *match);

// Remembers a player who leaves, if it has played in this round.
void raim_departed_note(struct raim_match *match, uint32_t slot);

// Remembers one more, in the place of the one with the fewest points where there is no room.
void raim_departed_add(struct raim_match *match, const struct raim_match_player *row);

// Forgets those of the round before.
void raim_departed_clear(struct raim_match_departed *departed);

// Takes over those of the round that the succeeding match continues.
void raim_departed_carry(struct raim_match *next, const struct raim_match *before);
