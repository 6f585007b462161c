// SPDX-License-Identifier: MIT
// Internals of a match, private to the files of lib/match.
#pragma once

#include "bot.h"
#include "event_cursor.h"
#include "event_log.h"
#include "handshake.h"
#include "history.h"
#include "inbox.h"
#include "interest.h"
#include "match.h"
#include "name.h"
#include "notice.h"
#include "priority.h"

enum raim_connection_state {
    RAIM_CONNECTION_ABSENT,   // no connection
    RAIM_CONNECTION_WAITING,  // connected, its HELLO has not arrived
    RAIM_CONNECTION_ENTERING, // admitted; WELCOME, map and roster are being sent
    RAIM_CONNECTION_PLAYING,
    RAIM_CONNECTION_REJECTED, // its GOODBYE is to be sent
    RAIM_CONNECTION_LEAVING,  // sent GOODBYE and is to be closed
    RAIM_CONNECTION_CLOSED,   // done
};

// The visible set of a client in a tick; a delta's baseline once it was sent and acknowledged.
struct raim_sent_view {
    uint32_t tick;
    bool valid;
    bool sent;
    uint32_t events; // the first event that was not sent up to this tick
    raim_wire_self self;
    // The set of player slots, and behind it that of bullet slots, see raim_sent_view_bullets: in
    // one block with the rest, so that a snapshot waits for memory once.
    uint64_t players[];
};

// One connection.
struct raim_connection {
    enum raim_connection_state state;
    uint32_t reason;                   // of its goodbye
    char why[RAIM_MAX_TEXT_BYTES + 1]; // the operator's reason; otherwise empty
    uint8_t token[RAIM_TOKEN_BYTES];   // of the session that the connection may begin
    uint32_t since_tick;               // tick of the connection
    raim_player_id player;  // that it plays; RAIM_NOBODY: a spectator, or not admitted yet
    bool watches;           // it is a spectator, or asked to be one
    bool wants_pings;       // by its HELLO
    uint8_t ping;           // its round trip, see pings.h
    raim_player_id watched; // by a spectator; RAIM_NOBODY: until a player joins
    bool wants_switch;      // a spectator has asked for the view of `wanted`
    raim_player_id wanted;  // RAIM_NOBODY: the server chooses
    uint32_t switched_tick; // of its last switch
    uint32_t slot;          // of the viewed player: its own or the watched one
    uint32_t delay_ticks;   // delay of everything that a spectator receives

    uint32_t obstacles_sent; // while entering
    uint32_t roster_sent;
    uint32_t first_tick; // it receives events and snapshots from this tick on
    bool welcome_sent;
    uint32_t epoch;           // of its last WELCOME, see message.h
    uint32_t chat_rejection;  // enum raim_chat_rejection to report; 0: none
    uint64_t origin, network; // see raim_match_set_origin
    bool wants_votes;         // by its HELLO
    struct {
        bool runs;              // the client was told that vote `number` runs
        uint8_t choice;         // its own, as it was told
        uint8_t rejection;      // enum raim_vote_rejection to report; 0: none
        uint16_t amount;        // of `rejection`
        uint32_t number;        // of the vote that it was told of
        uint32_t tally_version; // as it was told
        uint32_t offer_version;
    } vote;               // since its last WELCOME
    bool reads_notices;   // by its HELLO
    uint8_t notices;      // lines in its queue
    uint32_t notice_tick; // in which the last one left
    struct raim_event_cursor events;

    // --- view.c ---
    uint8_t *sent_view; // struct raim_sent_view by tick, see raim_sent_view_at
    uint32_t sent_tick; // tick of the newest snapshot sent
    bool has_acked;
    uint32_t acked_tick;   // tick of the newest snapshot that it has acknowledged
    uint32_t quiet_since;  // from this tick on each frame was predictable from the previous one
    uint32_t changed_tick; // the newest tick that differed from its prediction in more than aims
    double latency_ticks;  // see raim_view_acknowledge; 0 before the first one
    bool is_pending;       // the last snapshot left entities out
    uint8_t *waited;       // see priority.h

    struct raim_rewind_limit rewind_limit;
    struct raim_inbox inbox;
    uint32_t arrivals; // INPUT messages since the last step
    uint32_t rtt_ms;   // the transport's; valid while the rewind limit holds it
};

// The session of a player's slot. Together with the world it holds everything that outlives a
// connection.
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
    uint32_t command_debt_ticks; // that of commands
    uint32_t chat_tick;          // of the last chat line
    uint64_t chat_digest;        // of its text; 0: none
    uint64_t origin;             // of its client, the last one while away
    struct {
        uint8_t choice;  // enum raim_vote_choice in vote `number`
        uint32_t number; // 0: it has never voted
        uint32_t order;  // of the choice among those of all sessions
    } vote;
    // The world's counts when the round began, modulo 2^32: the round's are the differences.
    uint32_t shots_before, hits_before;
    struct raim_bot brain; // bots only
};

// State of the rounds: plain data without padding, because checkpoints store it as it is.
struct raim_rounds {
    int64_t start_ms;      // of the round, see raim_match_set_round_start; 0: not set
    uint32_t round;        // from 1 on
    uint32_t left_ticks;   // until the clock ends the round or the break
    uint32_t score_limit;  // points that end this round, 0: none
    uint32_t winner;       // of a break, by id; RAIM_NOBODY: a draw
    uint32_t played_ticks; // of the round
    uint8_t phase;         // enum raim_phase: PLAY or BREAK, also while paused
    uint8_t paused;        // 0, or RAIM_PAUSED_BY_...
    uint8_t has_end;       // 1: the clock ends the phase
    uint8_t sent_phase;    // enum raim_phase of the last phase event
};

// Values of raim_rounds.paused.
enum { RAIM_PAUSED_BY_OPERATOR = 1, RAIM_PAUSED_BY_VOTE };

// Stages of the outbox, passed once a tick.
enum raim_outbox_stage {
    RAIM_OUTBOX_CONNECTIONS, // welcomes and goodbyes, client by client
    RAIM_OUTBOX_UPDATES,     // events and snapshots, client by client
    RAIM_OUTBOX_PINGS,       // round trips of some slots, client by client
    RAIM_OUTBOX_DONE,
};

// Settings that the operator may change while the match runs, and values derived from them.
struct raim_match_policy {
    struct raim_match_tuning tuning; // initially from the def
    uint32_t grace_ticks;            // for which the player of a lost connection is kept
    uint32_t idle_ticks;             // without a new input after which a player is idle; 0: never
    bool draining;                   // only resuming clients are admitted
};

// What each client's snapshots may contain and what they contained: view.c.
struct raim_match_interest {
    struct raim_history history;
    struct raim_interest *present;                // of `history`, at the last step's tick
    uint8_t *sent_view;                           // memory of the clients'
    size_t sent_view_bytes;                       // of one struct raim_sent_view with its sets
    uint8_t *waited;                              // memory of the clients'
    struct raim_priority_entry *priority_entries; // scratch for snapshots that do not fit
};

// The spectators who receive everything late, and the history from which they do: spectators.c.
struct raim_match_delayed_spectators {
    uint32_t delay_ticks;           // 0: spectators receive everything at once
    struct raim_history history;    // without memory where delay_ticks is 0
    uint32_t history_ticks;         // that it holds without a gap, counted back from now
    struct raim_interest *interest; // of `history`, delay_ticks earlier; NULL without a delay
    struct raim_wire_phase phase;   // in the WELCOME of a late spectator that is welcomed now
};

// The messages of a tick on their way to the caller: outbox.c.
enum { RAIM_OUTBOX_OBSTACLES = 72 }; // more never fit into one message

struct raim_match_outbox {
    enum raim_outbox_stage stage;
    uint32_t next_client; // the stage goes on with this one
    uint32_t welcoming;   // messages of WELCOMEs, maps and rosters in this tick
    uint32_t first;       // the first client that may be welcomed in this tick
    uint32_t next_first;  // and in the next one
    uint8_t message[RAIM_MAX_MESSAGE_BYTES];
    struct raim_wire_obstacle obstacles[RAIM_OUTBOX_OBSTACLES]; // of the message being written
};

// Players who left during the present round: departed.c.
struct raim_match_departed {
    struct raim_match_player *rows; // max_players of them
    uint32_t count;
    uint32_t omitted; // for whom there was no row
};

// Who calls a vote or is its target, so that he is known after he has left.
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

// The vote that runs, and what votes leave behind: votes.c. Not part of checkpoints.
struct raim_match_votes {
    struct raim_match_vote running; // with subject.kind 0: none runs; `number` is then the last one
    struct raim_match_vote ended;   // the last one
    bool has_ended;                 // `ended` was not taken yet
    bool ends_round;                // with this step
    bool replays_map;               // in the next round
    struct raim_vote_party caller, target; // of the running vote
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

// Electors of an address while active players are at several: one would turn a household into a
// single player; more let one attacker outvote many.
#define RAIM_VOTE_ELECTORS 2

// A row of an open-addressed table by address or network, see origins.c.
struct raim_origin {
    uint64_t key;   // 0: free
    uint32_t count; // of electors or spectators
    struct {
        uint32_t order, choice;
    } latest[RAIM_VOTE_ELECTORS]; // of the electors, the latest one first; order 0: none
};

// Lines that wait to be sent to a client: notices.c. Memory that is never used is never touched.
#define RAIM_NOTICES 16
struct raim_notice_queue {
    uint32_t first;
    struct raim_notice lines[RAIM_NOTICES];
};

// Lines of players that wait for raim_match_next_line.
#define RAIM_MATCH_LINES 8
struct raim_match_lines {
    uint32_t first, count;
    struct raim_match_line waiting[RAIM_MATCH_LINES];
};

// Counters that carry over to the succeeding match. All but the last three also survive a restart.
struct raim_match_totals {
    struct raim_match_hits hits;
    uint64_t inputs_due, inputs_missed, snapshots;
    uint64_t joins, leaves[RAIM_REASONS]; // of players
    uint64_t rejected[RAIM_REJECTIONS];
};

struct raim_match {
    struct raim_match_def def;
    struct raim_match_policy policy;

    struct raim_world *world;
    uint64_t identity;              // of the world and the map, see raim_world_identity
    uint32_t began_tick;            // ticks up to this one belong to the preceding match
    raim_input *inputs;             // of the next step, by slot
    struct raim_events step_events; // of the last step
    struct raim_world_workspace *workspace;

    struct raim_connection *connections; // def.max_connections
    uint64_t *connected;                 // set of the clients that are not absent
    uint32_t connected_count;
    struct raim_notice_queue *notices; // by client
    struct raim_match_lines lines;
    struct raim_match_session *sessions; // by slot
    uint64_t *taken;                     // set of the slots with a player
    uint32_t playing;                    // sessions that are not bots
    uint32_t watching;                   // clients that are spectators
    uint32_t empty_ticks;                // consecutive steps without a player or connection
    uint32_t snapshot_interval;          // ticks from a client's snapshot to its next

    struct raim_rounds rounds;
    struct raim_match_departed departed;
    char next_map[RAIM_MAX_TITLE_BYTES + 1]; // see raim_match_set_next_map
    struct raim_event_log log;
    struct raim_match_interest interest;
    struct raim_match_delayed_spectators delayed_spectators;
    struct raim_match_outbox outbox;
    struct raim_match_totals totals;
    struct raim_match_votes votes;
    struct raim_origin *origins;                // scratch
    uint32_t origin_capacity;                   // a power of two
    const struct raim_match_observer *observer; // NULL: none
    struct raim_recording_input *records;       // NULL: nothing is recorded
};

// Begins to load memory into the processor's cache.
static inline void raim_match_load(const void *memory, size_t bytes)
{
    const uint8_t *end = (const uint8_t *)memory + bytes;
    for (const uint8_t *line = (const uint8_t *)((uintptr_t)memory & ~(uintptr_t)63); line < end;
         line += 64)
        __builtin_prefetch(line);
}

static inline void raim_match_begin_work(const struct raim_match *match, enum raim_match_work work)
{
    if (match->observer != NULL)
        match->observer->begins(match->observer->context, work);
}

// What a client was shown in a tick, or in another one that is a multiple of the history away.
static inline struct raim_sent_view *raim_sent_view_at(const struct raim_match *match,
                                                       const struct raim_connection *client,
                                                       uint32_t tick)
{
    const struct raim_match_interest *interest = &match->interest;
    return (struct raim_sent_view *)(client->sent_view + tick % interest->history.limits.history *
                                                             interest->sent_view_bytes);
}

static inline uint64_t *raim_sent_view_bullets(const struct raim_wire_limits *limits,
                                               struct raim_sent_view *sent_view)
{
    return sent_view->players + raim_set_words(limits->players);
}

// The lowest connected client at or above `client`, or max_connections.
static inline uint32_t raim_match_next_client(const struct raim_match *match, uint32_t client)
{
    return raim_set_next(match->connected, client, match->def.max_connections);
}

// The lowest slot with a player at or above `slot`, or max_players.
static inline uint32_t raim_match_next_slot(const struct raim_match *match, uint32_t slot)
{
    return raim_set_next(match->taken, slot, match->world->max_players);
}

// --- rounds.c: rounds, breaks and pauses ---

// Most phase events of a step: a round or a pause begins or ends, and the round ends within it.
#define RAIM_ROUNDS_EVENTS 2

// Begins the first round of a new match.
void raim_rounds_begin(struct raim_match *match);

// Starts the clock of a round that waits for its first player. Call it before a client joins.
void raim_rounds_note_join(struct raim_match *match);

// Puts off the end of a round that has one.
void raim_rounds_extend(struct raim_match *match, uint32_t ticks);

// Marks the present phase as sent, because every client will receive it in a WELCOME.
void raim_rounds_mark_phase_sent(struct raim_match *match);

// True in breaks and pauses, when no player moves, fires or is hit.
bool raim_rounds_is_frozen(const struct raim_match *match);

// The phase in the form of WELCOME and events.
struct raim_wire_phase raim_rounds_phase(const struct raim_match *match);

// Call them around the world's step: the first begins the next round when the break is over, the
// second ends the round when its time or score limit is reached.
void raim_rounds_begin_step(struct raim_match *match);
void raim_rounds_end_step(struct raim_match *match);

// Updates the phase as the late audience knows it. Call it once a step, after
// raim_event_log_release.
void raim_rounds_update_late_phase(struct raim_match *match);

// --- outbox.c: the messages of a tick ---

// Restarts the outbox at its first stage; raim_match_outgoing pulls the messages.
void raim_outbox_begin(struct raim_match *match);

// --- players.c: players and bots ---

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

// --- departed.c: players who left during the round ---

// Remembers a player who leaves, if it has played in this round.
void raim_departed_note(struct raim_match *match, uint32_t slot);

// Takes over those of the round that the succeeding match continues.
void raim_departed_carry(struct raim_match *next, const struct raim_match *before);

// --- sessions.c: resuming, idling, eviction ---

// The player of a token's session, away or not; RAIM_NOBODY: no such session.
raim_player_id raim_sessions_find(const struct raim_match *match,
                                  const uint8_t token[RAIM_TOKEN_BYTES]);

// Whether `token` permits a client to end its session: it must be the session's token. A zero token
// is accepted from a client without a session, or one that cannot have read its WELCOME yet.
bool raim_sessions_may_end(const struct raim_match *match, const struct raim_connection *client,
                           const uint8_t token[RAIM_TOKEN_BYTES]);

// Marks the player of a lost connection as away and detaches it, where there is a grace time.
void raim_sessions_set_away(struct raim_match *match, struct raim_connection *client);

// Attaches a player to a client. A connection that still has the player ends with
// RAIM_REASON_RESUMED.
void raim_sessions_resume(struct raim_match *match, struct raim_connection *client,
                          raim_player_id id);

// Tracks whether a player's input changes. Call it once a tick for every client that plays.
void raim_sessions_track_idle(const struct raim_match *match, struct raim_match_session *session,
                              const raim_input *input);

// Eviction from a full match. The candidate is a player who has been away for longer than it had
// played, so that clients which come and go cannot block slots with waiting sessions; otherwise the
// player who has been idle longest. The first function returns the candidate or RAIM_NOBODY; the
// second evicts it and returns false when there is none.
raim_player_id raim_sessions_find_evictable(const struct raim_match *match);
bool raim_sessions_evict(struct raim_match *match);

// Removes players who have been away for longer than the grace time. Call it once a tick.
void raim_sessions_expire(struct raim_match *match);

// Removes all players who are away, because the match ends.
void raim_sessions_end(struct raim_match *match);

// --- chat.c ---

// Receives the CHAT of a client that plays or watches. The reader stands behind the kind. The last
// rejection is reported to the client within a tenth of a second.
void raim_chat_receive(struct raim_match *match, struct raim_connection *client,
                       raim_reader *reader);

// --- votes.c: calling, casting, effects ---

// Call it at the begin of each step.
void raim_votes_step(struct raim_match *match);

// Call, cast and withdraw for a client that plays or watches. Return 0, or an enum
// raim_vote_rejection with its amount.
uint32_t raim_votes_call(struct raim_match *match, const struct raim_connection *client,
                         const struct raim_vote_subject *subject, uint32_t *amount);
uint32_t raim_votes_cast(struct raim_match *match, const struct raim_connection *client,
                         uint32_t choice);
uint32_t raim_votes_withdraw(struct raim_match *match, const struct raim_connection *client);

// The kinds that may be voted for, as far as the configuration decides it.
uint32_t raim_votes_offered(const struct raim_match *match);

// Whether a session had been here for newcomer_delay_s at a tick.
bool raim_votes_has_settled(const struct raim_match *match,
                            const struct raim_match_session *session, uint32_t tick);

// --- vote_penalties.c ---

uint32_t raim_votes_ticks(const struct raim_match *match, double seconds);

// The session of a slot, to be known after it has left.
struct raim_vote_party raim_votes_party(const struct raim_match *match, uint32_t slot);

// Whether a party is the player `party` or that one come back.
bool raim_votes_is_same(const struct raim_vote_party *party, bool shares_address,
                        const struct raim_vote_party *other);

// Imposes a penalty from now on.
void raim_votes_punish(struct raim_match *match, uint32_t kind, const struct raim_vote_party *party,
                       bool shares_address, double seconds);

// Frees the penalties that have ended, so that the tick may wrap.
void raim_votes_expire_penalties(struct raim_match *match);

// Ticks until the player of a slot may call a vote, as far as its address has called others.
int32_t raim_votes_call_delay(const struct raim_match *match, uint32_t slot);

// Whether a vote has muted a player.
bool raim_votes_is_muted(const struct raim_match *match, raim_player_id id);

// Whether a vote bars a client from playing, or from watching too; writes the reason into
// client->why.
bool raim_votes_bars(const struct raim_match *match, struct raim_connection *client,
                     const char *name, const char *subject);

// Why a player was kicked or has to watch; `text` has room for RAIM_MAX_TEXT_BYTES + 1.
void raim_votes_explain(uint32_t kind, uint32_t minutes, char *text);

// --- origins.c: a table of addresses or networks in the match's scratch memory ---

// Allocates the table, at most half full with all slots or all connections. Returns false when
// memory runs out.
bool raim_origins_create(struct raim_match *match);

// Empties the table.
void raim_origins_clear(const struct raim_match *match);

// Finds or adds the row of a key that is not 0.
struct raim_origin *raim_origins_find(const struct raim_match *match, uint64_t key);

// --- vote_count.c ---

// The running vote as it stands.
struct raim_vote_count {
    struct raim_vote_tally tally;
    uint32_t quorum;   // so many yes pass it when the time is up, see raim_votes_decide
    bool is_broad;     // the yes come from two addresses, or all players from one
    bool may_be_broad; // so they would if every elector said yes
};
struct raim_vote_count raim_votes_count(const struct raim_match *match);

// RAIM_VOTE_PASSED, RAIM_VOTE_FAILED, or 0 while it is open.
uint32_t raim_votes_decide(const struct raim_match *match, const struct raim_vote_count *count,
                           bool is_over);

// The choice of a slot's session in the running vote.
uint32_t raim_votes_choice(const struct raim_match *match, uint32_t slot);

// The number of origins from which active players play: neither away nor idle.
uint32_t raim_votes_addresses(const struct raim_match *match);

// --- vote_reports.c: messages and words ---

// Receives the VOTE of a client that plays or watches. The reader stands behind the kind. The last
// rejection is reported to the client within a tenth of a second.
void raim_votes_receive(struct raim_match *match, struct raim_connection *client,
                        raim_reader *reader);

// Counts a rejected request, and reports it to the client.
void raim_votes_reject(struct raim_match *match, struct raim_connection *client, uint32_t rejection,
                       uint32_t amount);

// Writes the next VOTE for a client that receives snapshots; 0: it knows everything.
size_t raim_votes_write(const struct raim_match *match, struct raim_connection *client,
                        uint8_t *bytes, size_t capacity);

// Says in the chat that a vote runs or has ended.
void raim_votes_announce(struct raim_match *match, const struct raim_match_vote *vote);

// What a vote is about, such as "kick Ada (spam)"; room for RAIM_MAX_TEXT_BYTES + 1.
void raim_votes_describe(const struct raim_match_vote *vote, char *text);

// --- chat_command.c: commands that players type ---

// Executes a command of a player, "/help" or "help". Answers go to its client alone.
void raim_chat_command(struct raim_match *match, struct raim_connection *client, const char *line);

// Receives the NOTICE of a client that plays or watches. The reader stands behind the kind.
void raim_notices_receive(struct raim_match *match, struct raim_connection *client,
                          raim_reader *reader);

// --- notices.c: lines for one client, and lines of admins ---

// Queues a line for a client alone. Nothing happens where the client reads no NOTICE, the queue is
// full or the text cannot be cleaned.
void raim_match_notice(struct raim_match *match, struct raim_connection *client, const char *text);

// Writes the oldest line of a client's queue, at most one in a tick; 0: none.
size_t raim_notices_write(struct raim_match *match, struct raim_connection *client, uint8_t *bytes,
                          size_t capacity);

// Takes the queue over into the succeeding match.
void raim_notices_carry(struct raim_match *next, struct raim_connection *to,
                        const struct raim_match *before, const struct raim_connection *from);

// Queues a player's line for raim_match_next_line; false: the queue is full. Half of it is kept for
// those who are logged in.
bool raim_notices_add_line(struct raim_match *match, const struct raim_connection *client,
                           const char *text);

// --- vote_command.c: "/vote kick 12 spam", "/yes", "/no" without the command's name ---

void raim_votes_command(struct raim_match *match, struct raim_connection *client,
                        const char *words);
void raim_votes_command_yes(struct raim_match *match, struct raim_connection *client,
                            const char *words);
void raim_votes_command_no(struct raim_match *match, struct raim_connection *client,
                           const char *words);

// --- connections.c: rejecting and ending connections ---

void raim_connections_reject(struct raim_match *match, struct raim_connection *client,
                             enum raim_rejection rejection, enum raim_reason reason);

// Counts a handle as connected, or as absent again. Repeated calls change nothing.
void raim_connections_add(struct raim_match *match, uint32_t client);
void raim_connections_remove(struct raim_match *match, uint32_t client);

// Removes a connection's player or spectator from the match.
void raim_connections_leave(struct raim_match *match, struct raim_connection *client,
                            enum raim_reason reason);

// --- spectators.c ---

// The spectator who makes room for a client while all max_spectators places are taken: the last one
// of the address with the most, in the network with the most. The client's own network or, within
// it, address has at least two fewer. max_connections: nobody.
uint32_t raim_spectators_find_evictable(const struct raim_match *match,
                                        const struct raim_connection *client);

// Admits a spectator of the player with id `target`; without such a player, or for 0, of the player
// with most points. Returns false when max_spectators is reached and nobody makes room.
bool raim_spectators_join(struct raim_match *match, struct raim_connection *client,
                          uint32_t target);
void raim_spectators_leave(struct raim_match *match, const struct raim_connection *client);

// Receives the WATCH of a client that plays or watches. The reader stands behind the kind. A later
// WATCH replaces one that waits for raim_spectators_switch.
void raim_spectators_receive(struct raim_match *match, struct raim_connection *client,
                             raim_reader *reader);

// Switches a spectator to the player whom it has asked for, unless its last switch was less than a
// tenth of a second ago. Call it before each snapshot of a spectator that wants a switch.
void raim_spectators_switch(struct raim_match *match, struct raim_connection *client);

// Applies the events that were released in this step: spectators switch to another player when
// theirs leaves. Call it once a step, after raim_event_log_release.
void raim_spectators_apply_events(struct raim_match *match);

// Records the step for the late audience. Call it once a step, after raim_history_record.
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

// --- record.c ---

// Records what was sent to a client: its set of the tick. Call it for every client that is served.
void raim_record_sent(struct raim_match *match, const struct raim_connection *client);

// Records what arrived of a client's inputs, when the one of the tick was taken.
void raim_record_traffic(struct raim_match *match, const struct raim_connection *client,
                         bool is_missed);

// Begins and ends the records of what a tick sends.
void raim_record_begin_sent(struct raim_match *match);
void raim_record_end_tick(struct raim_match *match);

// --- view.c: snapshots ---

// Upper limit of a viewer's latency in ticks: 250 ms.
uint32_t raim_view_max_latency(uint32_t tick_hz);

// A client's latency for interest management, in ticks: the loop from a snapshot to the input made
// in knowledge of it, plus the time over which clients interpolate. A spectator has no loop.
uint32_t raim_view_latency(const struct raim_match *match, const struct raim_connection *client);

// Selects the tick of the interest objects. Call it once a step, before raim_view_write.
void raim_view_prepare(struct raim_match *match);

// Writes the snapshot of the last step for a client that receives snapshots and whose tick the
// history holds. Returns 0 when the client predicts everything itself, and, unless a message is due
// anyway, in up to every second tick that would bring nothing but aims.
size_t raim_view_write(struct raim_match *match, struct raim_connection *client, bool is_due,
                       uint8_t *bytes, size_t capacity);

// Processes the acknowledgement of the snapshot of `tick` in an input for `input_tick`, and
// measures the round trip. Returns RAIM_REJECTIONS on success.
enum raim_rejection raim_view_acknowledge(const struct raim_match *match,
                                          struct raim_connection *client, uint32_t tick,
                                          uint32_t input_tick);
