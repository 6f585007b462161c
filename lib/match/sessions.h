// SPDX-License-Identifier: MIT
// Sessions: the state of a player that survives its connection. Resumes sessions, tracks idle
// players, and evicts players from a full match.
#pragma once

#include "bot.h"
#include "inbox.h"
#include "match.h"
#include "name.h"

struct raim_connection;
struct raim_match;

// The session of a player's slot. It and the world hold everything that survives a connection.
struct raim_match_session {
    char name[RAIM_MAX_NAME_BYTES + 1];
    struct raim_name_key key;              // of the name
    char subject[RAIM_MAX_NAME_BYTES + 1]; // of its access token; "": none
    bool bot;
    bool muted;          // by the operator
    uint8_t admin_level; // of its login as an admin, which ends with the connection;
                         // 0: none
    char admin[RAIM_MAX_NAME_BYTES + 1]; // the admin's name; "": none
    uint8_t token[RAIM_TOKEN_BYTES];     // of its session; unused for bots
    uint32_t client;                     // index of its client; unused for bots and while away
    uint32_t joined_tick;
    uint32_t away_since; // tick; valid while the world's player is away
    struct raim_inbox_tally inputs;
    raim_input last_input;       // of the previous tick
    uint32_t idle_ticks;         // played ticks since its input last changed
    uint32_t chat_debt_ticks;    // chat rate limiter: falls by 1 per tick, rises with each chat
    uint32_t command_debt_ticks; // rate limiter of commands, likewise
    uint32_t chat_tick;          // of the last chat line
    uint64_t chat_digest;        // of its text; 0: none
    uint64_t origin;             // of its client, the last one while away
    struct {
        uint8_t choice;  // enum raim_vote_choice in vote `number`
        uint32_t number; // 0: it has never voted
        uint32_t order;  // of the choice among those of all sessions
    } vote;
    // The world's counts when the round began, modulo 2^32. The round's counts are the differences.
    uint32_t shots_before, hits_before;
    struct raim_bot brain; // bots only
};

// The player of a token's session, away or not; RAIM_NOBODY: no such session.
raim_player_id raim_sessions_find(const struct raim_match *match,
                                  const uint8_t token[RAIM_TOKEN_BYTES]);

// Whether `token` permits a client to end its session: it must be the session's token. A zero token
// is accepted from a client without a session, or one that cannot have read its WELCOME yet.
bool raim_sessions_may_end(const struct raim_match *match, const struct raim_connection *client,
                           const uint8_t token[RAIM_TOKEN_BYTES]);

// Marks the player of a lost connection as away and detaches it, if there is a grace time.
void raim_sessions_set_away(struct raim_match *match, struct raim_connection *client);

// Attaches a player to a client. A connection that still has the player ends with
// RAIM_REASON_RESUMED.
void raim_sessions_resume(struct raim_match *match, struct raim_connection *client,
                          raim_player_id id);

// Tracks whether a player's input changes. Call it once a tick for every client that plays.
void raim_sessions_track_idle(const struct raim_match *match, struct raim_match_session *session,
                              const raim_input *input);

// Eviction from a full match. The candidate is a player who has been away for longer than it had
// played, so that clients that come and go cannot block slots with waiting sessions. Without one it
// is the player who has been idle longest. The first function returns the candidate or RAIM_NOBODY;
// the second evicts it and returns false when there is none.
raim_player_id raim_sessions_find_evictable(const struct raim_match *match);
bool raim_sessions_evict(struct raim_match *match);

// Removes players who have been away for longer than the grace time. Call it once a tick.
void raim_sessions_expire(struct raim_match *match);

// Removes all players who are away, because the match ends.
void raim_sessions_end(struct raim_match *match);
