// SPDX-License-Identifier: MIT
// The files of votes among each other and towards the match: votes.c calls, casts and ends votes,
// vote_count.c counts them, vote_penalties.c keeps what they have imposed on players, and
// vote_messages.c reads and writes their messages, in the chat too. votes.h is for callers of the
// match.
#pragma once

#include "message.h"
#include "votes.h"

struct raim_connection;
struct raim_match;
struct raim_match_session;

// The caller or the target of a vote, in a form that recognizes him after he has left.
struct raim_vote_party {
    raim_player_id player;
    uint64_t origin;                       // 0: not known
    uint64_t skeleton;                     // of the name, see name.h
    char subject[RAIM_MAX_NAME_BYTES + 1]; // of the access token; "": none
};

// What a vote has imposed on a player.
struct raim_vote_penalty {
    uint8_t kind;        // RAIM_VOTE_KICK, _MUTE, _SPECTATE, or RAIM_VOTE_NO_CALL; 0: free
    bool shares_address; // others play from it, who are spared
    struct raim_vote_party party;
    uint32_t end_tick;
};

// The kind of a penalty: this address may not call a vote.
#define RAIM_VOTE_NO_CALL RAIM_VOTE_KINDS

#define RAIM_VOTE_PENALTIES 32 // at once; a further one replaces the one that would end first

// The running vote, and what votes leave behind. Not part of checkpoints.
struct raim_match_votes {
    struct raim_match_vote running; // with subject.kind 0: none runs; `number` is then the last one
    struct raim_match_vote ended;   // the last one
    bool has_ended;                 // `ended` was not taken yet
    bool ends_round;                // with this step
    bool replays_map;               // in the next round
    char cancelled[RAIM_MAX_CHAT_BYTES + 1]; // by a restart, in words; "": none
    struct raim_vote_party caller, target;   // of the running vote
    uint32_t began_tick, end_tick, counted_tick;
    uint32_t choices;        // cast in the running vote
    uint32_t tally_version;  // counts changes of running.tally
    uint32_t paused_ticks;   // of a pause by a vote
    uint32_t extended_round; // with extensions
    uint32_t extensions;
    uint32_t offer_version; // counts changes of what may be voted for, from 1
    struct raim_vote_offer offer;
    struct raim_vote_penalty penalties[RAIM_VOTE_PENALTIES];
};

// --- votes.c ---

// Call it at the beginning of each step.
void raim_votes_step(struct raim_match *match);

// Call, cast and withdraw for a client that plays or watches. Return 0, or an enum
// raim_vote_rejection with its amount.
uint32_t raim_votes_call(struct raim_match *match, const struct raim_connection *client,
                         const struct raim_vote_subject *subject, uint32_t *amount);
uint32_t raim_votes_cast(struct raim_match *match, const struct raim_connection *client,
                         uint32_t choice);
uint32_t raim_votes_withdraw(struct raim_match *match, const struct raim_connection *client);

// Forgets what a vote has decided about the previous round.
void raim_votes_begin_round(struct raim_match_votes *votes);

// Whether a vote ends the round with this step. Forgets it.
bool raim_votes_take_round_end(struct raim_match_votes *votes);

// Reports again to every client what may be voted for.
void raim_votes_renew_offer(struct raim_match_votes *votes);

// The kinds that may be voted for, as far as the configuration decides it.
uint32_t raim_votes_offered(const struct raim_match *match);

// Whether a session had existed for newcomer_delay_s at a tick.
bool raim_votes_is_past_newcomer_delay(const struct raim_match *match,
                                       const struct raim_match_session *session, uint32_t tick);

// --- vote_count.c ---

// The running vote as it stands.
struct raim_vote_count {
    struct raim_vote_tally tally;
    uint32_t quorum;   // number of yes that passes the vote when the time is up
    bool is_broad;     // the yes come from two addresses, or all players from one
    bool may_be_broad; // is_broad would be true if every elector said yes
};

struct raim_vote_count raim_vote_count_running(const struct raim_match *match);

// RAIM_VOTE_PASSED, RAIM_VOTE_FAILED, or 0 while it is open.
uint32_t raim_vote_count_decide(const struct raim_match *match, const struct raim_vote_count *count,
                                bool is_over);

// The choice of a slot's session in the running vote.
uint32_t raim_vote_count_choice(const struct raim_match *match, uint32_t slot);

// The number of origins from which active players play: neither away nor idle.
uint32_t raim_vote_count_addresses(const struct raim_match *match);

// --- vote_penalties.c ---

// Describes the session of a slot, to recognize it after it has left.
struct raim_vote_party raim_vote_party_of(const struct raim_match *match, uint32_t slot);

// Whether `other` is the same player as `party`, perhaps in another session.
bool raim_vote_party_is_same(const struct raim_vote_party *party, bool shares_address,
                             const struct raim_vote_party *other);

// Imposes a penalty from now on.
void raim_vote_penalties_add(struct raim_match *match, uint32_t kind,
                             const struct raim_vote_party *party, bool shares_address,
                             double seconds);

// Frees the penalties that have ended, so that the tick may wrap.
void raim_vote_penalties_expire(struct raim_vote_penalty penalties[RAIM_VOTE_PENALTIES],
                                uint32_t tick);

// Ticks until the player of a slot may call a vote, which depends on the earlier votes that its
// address has called.
int32_t raim_vote_penalties_call_delay(const struct raim_match *match, uint32_t slot);

// Whether a vote has muted a player.
bool raim_vote_penalties_mute(const struct raim_match *match, raim_player_id id);

// Whether a vote bars a client from playing, or from watching too; writes the reason into
// client->why.
bool raim_vote_penalties_bar(const struct raim_match *match, struct raim_connection *client,
                             const char *name, const char *subject);

// Why a player was kicked or has to watch; `text` has room for RAIM_MAX_TEXT_BYTES + 1.
void raim_vote_penalties_explain(uint32_t kind, uint32_t minutes, char *text);

// --- vote_messages.c ---

// Receives the VOTE of a client that plays or watches. The reader stands after the kind. The last
// rejection is reported to the client within a tenth of a second.
void raim_vote_messages_receive(struct raim_match *match, struct raim_connection *client,
                                raim_reader *reader);

// Counts a rejected request, and reports it to the client.
void raim_vote_messages_reject(struct raim_match *match, struct raim_connection *client,
                               uint32_t rejection, uint32_t amount);

// Writes the next VOTE for a client that receives snapshots; 0: it knows everything.
size_t raim_vote_messages_write(const struct raim_match *match, struct raim_connection *client,
                                uint8_t *bytes, size_t capacity);

// Says in the chat that a vote runs or has ended.
void raim_vote_messages_announce(struct raim_match *match, const struct raim_match_vote *vote);

// Tells a player who comes back after a restart that it has cancelled the vote.
void raim_vote_messages_tell_cancelled(struct raim_match *match, struct raim_connection *client);

// Writes the subject of a vote, such as "kick Ada (spam)"; room for RAIM_MAX_TEXT_BYTES + 1.
void raim_vote_messages_describe(const struct raim_match_vote *vote, char *text);

// Execute "/vote WORDS", "/yes" and "/no".
void raim_vote_messages_command(struct raim_match *match, struct raim_connection *client,
                                const char *words);
void raim_vote_messages_command_yes(struct raim_match *match, struct raim_connection *client,
                                    const char *words);
void raim_vote_messages_command_no(struct raim_match *match, struct raim_connection *client,
                                   const char *words);
