// SPDX-License-Identifier: MIT
// VOTE: votes of the players. A client calls a vote, casts its choice or withdraws its own vote;
// the server tells which votes it offers, how the running one stands, and why it rejected a
// request. The server sends it only to clients whose HELLO has RAIM_CAPABILITY_VOTES.
#pragma once

#include "message.h"

// What a vote is about.
enum raim_vote_kind {
    RAIM_VOTE_KICK = 1, // a player leaves, and may not return for a while
    RAIM_VOTE_MUTE,     // a player's chat is rejected for a while
    RAIM_VOTE_MAP,      // another map of the rotation, at once
    RAIM_VOTE_NEXTMAP,  // the round ends, and the rotation goes on
    RAIM_VOTE_RESTART,  // the round ends and begins again on the same map
    RAIM_VOTE_EXTEND,   // minutes more of this round
    RAIM_VOTE_SPECTATE, // a player may only watch for a while
    RAIM_VOTE_PAUSE,    // the match pauses; while it is paused by a vote: it goes on
    RAIM_VOTE_KINDS
};

// Bit of a kind in a set of kinds.
#define RAIM_VOTE_BIT(kind) (UINT32_C(1) << ((kind)-1))
#define RAIM_VOTE_EVERY_KIND (RAIM_VOTE_BIT(RAIM_VOTE_KINDS) - 1)

enum raim_vote_choice { RAIM_VOTE_SILENT, RAIM_VOTE_YES, RAIM_VOTE_NO, RAIM_VOTE_CHOICES };

enum raim_vote_outcome {
    RAIM_VOTE_PASSED = 1,
    RAIM_VOTE_FAILED,
    RAIM_VOTE_WITHDRAWN, // by its caller
    RAIM_VOTE_CANCELLED, // by the operator
    RAIM_VOTE_MOOT,      // its effect is not possible any more
    RAIM_VOTE_OUTCOMES
};

// Why the server rejects a request. `amount` is what the comments say, otherwise 0.
enum raim_vote_rejection {
    RAIM_VOTE_DISABLED = 1, // the arena does not offer this kind
    RAIM_VOTE_RUNNING,      // another vote runs
    RAIM_VOTE_TOO_SOON,     // after its address's last call; amount: seconds until the next one
    RAIM_VOTE_NEWCOMER,     // joined a short time ago; amount: seconds until the first call
    RAIM_VOTE_NO_PLAYER,    // nobody, or a bot, has this id
    RAIM_VOTE_IMMUNE,       // the player is an administrator, or shares one's address
    RAIM_VOTE_TOO_FEW,      // players; amount: how many are needed, 0: of more addresses
    RAIM_VOTE_NO_MAP,       // the rotation has no such map
    RAIM_VOTE_NOT_NOW,      // its effect is not possible now
    RAIM_VOTE_WATCHING,     // spectators do not vote
    RAIM_VOTE_NONE,         // no vote of this number runs
    RAIM_VOTE_NOT_CALLER,   // only its caller may withdraw a vote
    RAIM_VOTE_BAD,          // malformed
    RAIM_VOTE_REJECTIONS
};

#define RAIM_VOTE_MAX_MINUTES 60     // of RAIM_VOTE_EXTEND; at least 1
#define RAIM_VOTE_MAX_AMOUNT 4095    // larger amounts are sent as this
#define RAIM_VOTE_MAX_LEFT_MS 600000 // of a vote

// What a vote is to do: the members that its kind (enum raim_vote_kind) uses. The player's id;
// minutes of RAIM_VOTE_EXTEND. The reason may be "".
#define RAIM_VOTE_SUBJECT_FIELDS(FIELD)                                                            \
    FIELD(CODE, kind, 4, RAIM_VOTE_KINDS)                                                          \
    FIELD(IF, raim_vote_has_player(message->kind), FIELD(PLAYER, player, RAIM_PLAYER_ID_BITS))     \
    FIELD(IF, message->kind == RAIM_VOTE_EXTEND, FIELD(RANGED, minutes, 1, RAIM_VOTE_MAX_MINUTES)) \
    FIELD(IF, message->kind == RAIM_VOTE_MAP, FIELD(TEXT, map, RAIM_MAX_TITLE_BYTES))              \
    FIELD(TEXT, reason, RAIM_MAX_VOTE_REASON_BYTES)

struct raim_vote_subject {
    RAIM_VOTE_SUBJECT_FIELDS(RAIM_MEMBER)
};

// From a client.
enum raim_vote_action { RAIM_VOTE_CALL, RAIM_VOTE_CAST, RAIM_VOTE_WITHDRAW, RAIM_VOTE_ACTIONS };

// number: of the vote, modulo 256. choice: enum raim_vote_choice; SILENT takes a choice back.
#define RAIM_VOTE_REQUEST_FIELDS(FIELD)                                                            \
    FIELD(RANGED, action, 0, RAIM_VOTE_ACTIONS - 1)                                                \
    FIELD(IF, message->action == RAIM_VOTE_CALL, FIELD(PART, subject, vote_subject))               \
    FIELD(IF, message->action != RAIM_VOTE_CALL, FIELD(U, number, 8))                              \
    FIELD(IF, message->action == RAIM_VOTE_CAST, FIELD(RANGED, choice, 0, RAIM_VOTE_CHOICES - 1))

struct raim_vote_request {
    RAIM_VOTE_REQUEST_FIELDS(RAIM_MEMBER)
};

// From the server.
enum raim_vote_report_kind {
    RAIM_VOTE_OFFER,    // after a WELCOME, and when it changes
    RAIM_VOTE_BEGAN,    // a vote runs
    RAIM_VOTE_TALLY,    // of the running vote
    RAIM_VOTE_ENDED,    // it has ended
    RAIM_VOTE_REJECTED, // the client's last request that was rejected
    RAIM_VOTE_REPORTS
};

// At most RAIM_WIRE_PLAYERS - 1 each; so many yes as needed pass the vote at once.
#define RAIM_VOTE_TALLY_FIELDS(FIELD)                                                              \
    FIELD(U, yes, 10)                                                                              \
    FIELD(U, no, 10)                                                                               \
    FIELD(U, electors, 10)                                                                         \
    FIELD(U, needed, 10)

struct raim_vote_tally {
    RAIM_VOTE_TALLY_FIELDS(RAIM_MEMBER)
};

struct raim_vote_offer {
    uint32_t kinds; // set of RAIM_VOTE_BIT
    uint32_t map_count;
    char maps[RAIM_WIRE_VOTE_MAPS][RAIM_MAX_TITLE_BYTES + 1]; // for RAIM_VOTE_MAP
};

// kind: enum raim_vote_report_kind. number: of the vote, modulo 256. caller: its id, of now or
// then; the caller may have left. left_ms: until the vote ends. choice: the receiver's own.
// Rejections of later servers are read, too.
#define RAIM_VOTE_REPORT_FIELDS(FIELD)                                                             \
    FIELD(RANGED, kind, 0, RAIM_VOTE_REPORTS - 1)                                                  \
    FIELD(IF, message->kind == RAIM_VOTE_REJECTED, FIELD(CODE, rejection, 5, 1 << 5))              \
    FIELD(IF, message->kind == RAIM_VOTE_REJECTED, FIELD(RANGED, amount, 0, RAIM_VOTE_MAX_AMOUNT)) \
    FIELD(IF, message->kind != RAIM_VOTE_REJECTED && message->kind != RAIM_VOTE_OFFER,             \
          FIELD(U, number, 8))                                                                     \
    FIELD(IF, message->kind == RAIM_VOTE_BEGAN, FIELD(PART, subject, vote_subject))                \
    FIELD(IF, message->kind == RAIM_VOTE_BEGAN, FIELD(PLAYER, caller, RAIM_PLAYER_ID_BITS))        \
    FIELD(IF, message->kind == RAIM_VOTE_BEGAN, FIELD(TEXT, caller_name, RAIM_MAX_NAME_BYTES))     \
    FIELD(IF, raim_vote_has_player(message->subject.kind),                                         \
          FIELD(TEXT, target_name, RAIM_MAX_NAME_BYTES))                                           \
    FIELD(IF, message->kind == RAIM_VOTE_BEGAN, FIELD(RANGED, left_ms, 0, RAIM_VOTE_MAX_LEFT_MS))  \
    FIELD(IF, message->kind == RAIM_VOTE_TALLY || message->kind == RAIM_VOTE_ENDED,                \
          FIELD(PART, tally, vote_tally))                                                          \
    FIELD(IF, message->kind == RAIM_VOTE_TALLY, FIELD(RANGED, choice, 0, RAIM_VOTE_CHOICES - 1))   \
    FIELD(IF, message->kind == RAIM_VOTE_ENDED, FIELD(CODE, outcome, 3, RAIM_VOTE_OUTCOMES))

struct raim_vote_report {
    RAIM_VOTE_REPORT_FIELDS(RAIM_MEMBER)
};

// Write the message and return its size, or 0 when it does not fit. The values must be in range,
// which is asserted.
size_t raim_vote_request_write(const struct raim_vote_request *request, uint8_t *bytes,
                               size_t capacity);
size_t raim_vote_report_write(const struct raim_vote_report *report, uint8_t *bytes,
                              size_t capacity);
size_t raim_vote_offer_write(const struct raim_vote_offer *offer, uint8_t *bytes, size_t capacity);

// Read the message after its kind. Return false for a malformed message. `offer` is filled where
// report->kind is RAIM_VOTE_OFFER. Texts are not cleaned.
bool raim_vote_request_read(raim_reader *reader, struct raim_vote_request *request);
bool raim_vote_report_read(raim_reader *reader, struct raim_vote_report *report,
                           struct raim_vote_offer *offer);

// Whether votes of a kind are about a player.
bool raim_vote_has_player(uint32_t kind);

// Short names ("kick", "passed", "too_soon"); "unknown" for other numbers. The kind of a name; 0:
// none.
const char *raim_vote_kind_name(uint32_t kind);
const char *raim_vote_outcome_name(uint32_t outcome);
const char *raim_vote_rejection_name(uint32_t rejection);
uint32_t raim_vote_kind_find(const char *name);

// A rejection in a sentence without its amount, such as "another vote is running".
const char *raim_vote_rejection_text(uint32_t rejection);
