// SPDX-License-Identifier: MIT
// Connects clients, dispatches received messages and steps the tick.
#include "match_internal.h"

#include "handshake.h"
#include "name.h"
#include "phase.h"
#include "pings.h"
#include "recording_input.h"

#include <assert.h>
#include <string.h>

static_assert((int)RAIM_MATCH_PLAY == RAIM_PHASE_PLAY, "phases need no conversion");
static_assert((int)RAIM_MATCH_BREAK == RAIM_PHASE_BREAK, "phases need no conversion");
static_assert((int)RAIM_MATCH_PAUSED == RAIM_PHASE_PAUSED, "phases need no conversion");

static const double hello_timeout_s = 5; // a connection without a HELLO ends after this

static struct raim_connection *client_at(struct raim_match *match, uint32_t client)
{
    assert(client < match->def.max_connections);
    return &match->connections[client];
}

// Resets a connection but keeps its memory.
static void reset_client(struct raim_match *match, struct raim_connection *client,
                         enum raim_connection_state state)
{
    const struct raim_wire_limits *limits = &match->interest.history.limits;
    *client = (struct raim_connection){
        .state = state,
        .sent_view = client->sent_view,
        .waited = client->waited,
    };
    for (uint32_t i = 0; i < limits->history; i++)
        raim_sent_view_at(&match->interest, client, i)->valid = false;
    memset(client->waited, 0, limits->players + raim_wire_bullets(limits));
}

// Ends a connection that may have been lost without a GOODBYE, so its session may be resumed.
static void lose_connection(struct raim_match *match, struct raim_connection *client)
{
    if (client->player != RAIM_NOBODY)
        raim_sessions_set_away(match, client);
    raim_connections_leave(match, client, RAIM_REASON_LOST);
}

void raim_match_connect(struct raim_match *match, uint32_t handle,
                        const uint8_t token[RAIM_TOKEN_BYTES])
{
    struct raim_connection *client = client_at(match, handle);
    lose_connection(match, client);
    raim_connections_add(match, handle);
    reset_client(match, client, RAIM_CONNECTION_WAITING);
    memcpy(client->token, token, sizeof client->token);
    client->since_tick = match->world->tick;
    client->message_bytes = RAIM_MAX_MESSAGE_BYTES;
}

void raim_match_limit_messages(struct raim_match *match, uint32_t handle, uint32_t bytes)
{
    assert(bytes >= RAIM_SMALL_MESSAGE_BYTES && bytes <= RAIM_MAX_MESSAGE_BYTES);
    client_at(match, handle)->message_bytes = bytes;
}

bool raim_match_has_session(const struct raim_match *match, const uint8_t token[RAIM_TOKEN_BYTES])
{
    return raim_sessions_find(match, token) != RAIM_NOBODY;
}

void raim_match_disconnect(struct raim_match *match, uint32_t handle)
{
    struct raim_connection *client = client_at(match, handle);
    lose_connection(match, client);
    raim_connections_remove(match, handle);
    reset_client(match, client, RAIM_CONNECTION_ABSENT);
}

// Gives a client a new player; false when the match is full.
static bool join(struct raim_match *match, struct raim_connection *client, const char *name,
                 const char *subject)
{
    const uint32_t most = match->policy.tuning.max_players;
    if (match->playing > most || (match->playing == most && !raim_sessions_evict(match)))
        return false;
    client->player = raim_players_join(match, name, subject, client);
    if (client->player == RAIM_NOBODY)
        return false;
    client->slot = raim_player_slot(client->player);
    return true;
}

// Admits a client as spectator, resumed or new player; false when the match is full.
static bool enter(struct raim_match *match, struct raim_connection *client,
                  const struct raim_hello *hello, const char *name, const char *subject)
{
    if (hello->watch)
        return raim_spectators_join(match, client, hello->target);
    const raim_player_id id = hello->resume ? raim_sessions_find(match, hello->token) : RAIM_NOBODY;
    if (id == RAIM_NOBODY)
        return join(match, client, name, subject);
    raim_sessions_resume(match, client, id);
    return true;
}

// Whether the match has room for a client that does not resume.
static bool has_slot(const struct raim_match *match, const struct raim_connection *client)
{
    const struct raim_match_tuning *tuning = &match->policy.tuning;
    if (client->watches)
        return match->watching < tuning->max_spectators ||
               raim_spectators_find_evictable(match, client) < match->def.max_connections;
    return match->playing < tuning->max_players ||
           (match->playing == tuning->max_players &&
            raim_sessions_find_evictable(match) != RAIM_NOBODY);
}

// Asks the guard, which may give the client the name of its access token.
static enum raim_match_admission ask_guard(const struct raim_match *match,
                                           const struct raim_connection *client,
                                           const struct raim_hello *hello,
                                           char name[RAIM_MAX_NAME_BYTES + 1])
{
    const struct raim_match_guard *guard = match->def.guard;
    const struct raim_match_visitor visitor = {
        .client = (uint32_t)(client - match->connections),
        .token = hello->access,
        .size = hello->access_size,
        .watches = hello->watch,
    };
    return guard != NULL ? guard->admit(guard->context, &visitor, name) : RAIM_MATCH_ADMITTED;
}

// Cleans a name from a HELLO or an access token; false when it is not permitted.
static bool take_name(const char *sent_name, char name[RAIM_MAX_NAME_BYTES + 1])
{
    return raim_name_clean(sent_name, name) && !raim_name_is_reserved(name);
}

static void receive_hello(struct raim_match *match, struct raim_connection *client,
                          raim_reader *reader)
{
    struct raim_hello hello;
    char name[RAIM_MAX_NAME_BYTES + 1], subject[RAIM_MAX_NAME_BYTES + 1] = "";
    if (!raim_hello_read(reader, &hello)) {
        raim_connections_reject(match, client, RAIM_REJECTED_MALFORMED, RAIM_REASON_MALFORMED);
        return;
    }
    if (hello.version != RAIM_PROTOCOL_VERSION) {
        raim_connections_reject(match, client, RAIM_REJECTED_VERSION, RAIM_REASON_VERSION);
        return;
    }
    if (!take_name(hello.name, name)) {
        raim_connections_reject(match, client, RAIM_REJECTED_NAME, RAIM_REASON_NAME);
        return;
    }
    client->watches = hello.watch;
    client->wants_pings = (hello.capabilities & RAIM_CAPABILITY_PINGS) != 0;
    client->wants_votes = (hello.capabilities & RAIM_CAPABILITY_VOTES) != 0;
    client->reads_notices = (hello.capabilities & RAIM_CAPABILITY_ADMIN) != 0;
    const bool resumes =
        !hello.watch && hello.resume && raim_sessions_find(match, hello.token) != RAIM_NOBODY;
    if (match->policy.draining && !resumes) {
        raim_connections_reject(match, client, RAIM_REJECTED_DRAINING, RAIM_REASON_DRAINING);
        return;
    }
    // An access token is valid once, so it is only used up when the match has room.
    const bool has_room = resumes || has_slot(match, client);
    const enum raim_match_admission admission =
        has_room && !resumes ? ask_guard(match, client, &hello, subject) : RAIM_MATCH_ADMITTED;
    if (admission == RAIM_MATCH_WANTS_ACCESS) {
        raim_connections_reject(match, client, RAIM_REJECTED_ACCESS, RAIM_REASON_ACCESS);
        return;
    }
    if (admission == RAIM_MATCH_WANTS_PASSWORD) {
        raim_connections_reject(match, client, RAIM_REJECTED_PASSWORD, RAIM_REASON_PASSWORD);
        return;
    }
    if (subject[0] != '\0') {
        if (!take_name(subject, name)) {
            raim_connections_reject(match, client, RAIM_REJECTED_NAME, RAIM_REASON_NAME);
            return;
        }
        memcpy(subject, name, sizeof subject);
    }
    if (!resumes && raim_vote_penalties_bar(match, client, name, subject)) {
        raim_connections_reject(match, client, RAIM_REJECTED_VOTE, RAIM_REASON_KICKED);
        return;
    }
    if (!has_room || !enter(match, client, &hello, name, subject)) {
        raim_connections_reject(match, client, RAIM_REJECTED_FULL, RAIM_REASON_FULL);
        return;
    }
    client->state = RAIM_CONNECTION_ENTERING;
}

// Takes the acknowledgement of events, and detects their loss by that of a later snapshot.
static void acknowledge_events(const struct raim_match *match, struct raim_connection *client,
                               const struct raim_input_message *message)
{
    const uint32_t tick = match->world->tick - client->delay_ticks;
    const struct raim_sent_view *sent_view =
        raim_sent_view_at(&match->interest, client, message->snapshot);
    if (raim_event_cursor_acknowledge(&client->events, message->events, tick) &&
        message->has_snapshot && sent_view->valid && sent_view->sent &&
        sent_view->tick == message->snapshot)
        raim_event_cursor_detect_loss(&client->events, sent_view->tick, sent_view->events,
                                      tick + 1);
}

static void receive_input(struct raim_match *match, struct raim_connection *client,
                          raim_reader *reader)
{
    struct raim_input_message message;
    if (!raim_input_read(reader, &message)) {
        match->totals.rejected[RAIM_REJECTED_MALFORMED]++;
        return;
    }
    // Before its WELCOME is sent, a client acknowledges events of the preceding match.
    const bool has_events = client->state == RAIM_CONNECTION_PLAYING;
    if (has_events && !raim_event_cursor_accepts(&client->events, message.events)) {
        match->totals.rejected[RAIM_REJECTED_ACK]++;
        return;
    }
    // Ack before input: a late input may still carry the newest ack.
    if (message.has_snapshot) {
        const enum raim_rejection rejection =
            raim_snapshots_acknowledge(match, client, message.snapshot, message.tick);
        if (rejection != RAIM_REJECTIONS) {
            match->totals.rejected[rejection]++;
            return;
        }
    } else {
        // Without an acknowledgement the client receives whole snapshots, whatever it acknowledged
        // before.
        client->has_acked = false;
    }
    if (has_events)
        acknowledge_events(match, client, &message);
    if (client->watches)
        return; // a spectator's input only acknowledges
    client->arrivals++;
    const enum raim_rejection rejection =
        raim_inbox_receive(&client->inbox, match->world, &client->rewind_limit, &message);
    if (rejection != RAIM_REJECTIONS)
        match->totals.rejected[rejection]++;
}

void raim_match_set_rtt(struct raim_match *match, uint32_t handle, uint32_t rtt_ms,
                        uint32_t deviation_ms)
{
    struct raim_connection *client = client_at(match, handle);
    if (client->state == RAIM_CONNECTION_ABSENT || rtt_ms == UINT32_MAX)
        return;
    client->rtt_ms = rtt_ms;
    client->ping = raim_ping_of_ms(rtt_ms);
    raim_rewind_limit_measure(&client->rewind_limit, rtt_ms, deviation_ms, match->def.tick_hz);
}

static void receive_goodbye(struct raim_match *match, struct raim_connection *client,
                            raim_reader *reader)
{
    struct raim_client_goodbye client_goodbye;
    if (!raim_client_goodbye_read(reader, &client_goodbye)) {
        match->totals.rejected[RAIM_REJECTED_MALFORMED]++;
        return;
    }
    if (!raim_sessions_may_end(match, client, client_goodbye.token)) {
        match->totals.rejected[RAIM_REJECTED_GOODBYE]++;
        return;
    }
    raim_connections_leave(match, client, RAIM_REASON_LEFT);
    client->state = RAIM_CONNECTION_LEAVING;
    client->reason = RAIM_REASON_LEFT;
}

// In two passes, because the second one needs what the first one loads.
void raim_match_prefetch(const struct raim_match *match)
{
    const uint32_t end = match->def.max_connections;
    for (uint32_t i = raim_match_next_client(match, 0); i < end;
         i = raim_match_next_client(match, i + 1))
        raim_match_load(&match->connections[i], sizeof match->connections[i]);
    for (uint32_t i = raim_match_next_client(match, 0); i < end;
         i = raim_match_next_client(match, i + 1)) {
        const struct raim_connection *client = &match->connections[i];
        // An input acknowledges one of the snapshots after the last one acknowledged.
        for (uint32_t ahead = 1; ahead <= 2; ahead++)
            raim_match_load(raim_sent_view_at(&match->interest, client, client->acked_tick + ahead),
                            sizeof(struct raim_sent_view));
        if (client->player != RAIM_NOBODY)
            raim_match_load(&match->sessions[client->slot].inputs,
                            sizeof(struct raim_match_session) -
                                offsetof(struct raim_match_session, inputs));
    }
}

void raim_match_receive(struct raim_match *match, uint32_t handle, bool reliable,
                        const uint8_t *data, size_t size)
{
    struct raim_connection *client = client_at(match, handle);
    raim_reader reader = raim_reader_make(data, size);
    const uint32_t kind = raim_message_read(&reader);
    const bool in =
        client->state == RAIM_CONNECTION_ENTERING || client->state == RAIM_CONNECTION_PLAYING;
    if (client->state == RAIM_CONNECTION_ABSENT || client->state >= RAIM_CONNECTION_REJECTED)
        return; // sent before the client knew of the end
    if (kind == RAIM_MESSAGE_HELLO && reliable && client->state == RAIM_CONNECTION_WAITING)
        receive_hello(match, client, &reader);
    else if (kind == RAIM_MESSAGE_INPUT && !reliable && in)
        receive_input(match, client, &reader);
    else if (kind == RAIM_MESSAGE_GOODBYE && reliable)
        receive_goodbye(match, client, &reader);
    else if (kind == RAIM_MESSAGE_CHAT && reliable && in)
        raim_chat_receive(match, client, &reader);
    else if (kind == RAIM_MESSAGE_NOTICE && reliable && in)
        raim_notices_receive(match, client, &reader);
    else if (kind == RAIM_MESSAGE_WATCH && reliable && in)
        raim_spectators_receive(match, client, &reader);
    else if (kind == RAIM_MESSAGE_VOTE && reliable && in)
        raim_vote_messages_receive(match, client, &reader);
    else if (kind >= RAIM_MESSAGE_HELLO) // or of a kind that only later servers know
        match->totals.rejected[RAIM_REJECTED_UNEXPECTED]++;
    else
        match->totals.rejected[RAIM_REJECTED_MALFORMED]++;
}

bool raim_match_is_admitted(const struct raim_match *match, uint32_t handle)
{
    assert(handle < match->def.max_connections);
    const enum raim_connection_state state = match->connections[handle].state;
    return state == RAIM_CONNECTION_ENTERING || state == RAIM_CONNECTION_PLAYING;
}

static void take_input(struct raim_match *match, struct raim_connection *client)
{
    const uint32_t slot = raim_player_slot(client->player);
    struct raim_match_session *session = &match->sessions[slot];
    session->chat_debt_ticks -= session->chat_debt_ticks > 0;
    session->command_debt_ticks -= session->command_debt_ticks > 0;
    const struct raim_inbox_tally before = session->inputs;
    match->inputs[slot] = raim_inbox_take(&client->inbox, match->world, &session->inputs);
    raim_sessions_track_idle(match, session, &match->inputs[slot]);
    match->totals.inputs_due += session->inputs.due - before.due;
    match->totals.inputs_missed += session->inputs.missed - before.missed;
    raim_record_traffic(match, client, session->inputs.missed != before.missed);
    client->arrivals = 0;
}

// Plays one tick of a match that may have players.
static void play_step(struct raim_match *match)
{
    struct raim_world *world = match->world;
    for (uint32_t i = raim_match_next_client(match, 0); i < match->def.max_connections;
         i = raim_match_next_client(match, i + 1)) {
        struct raim_connection *client = &match->connections[i];
        const int32_t waited = raim_tick_diff(world->tick, client->since_tick);
        if (client->state == RAIM_CONNECTION_WAITING && waited > hello_timeout_s * world->tick_hz)
            raim_connections_reject(match, client, RAIM_REJECTED_SILENT, RAIM_REASON_SILENT);
        if (client->player != RAIM_NOBODY)
            take_input(match, client);
        raim_rewind_limit_step(&client->rewind_limit, world->tick_hz);
    }
    raim_sessions_expire(match);
    raim_players_balance_bots(match);
    const bool is_frozen = raim_rounds_is_frozen(&match->rounds);
    if (is_frozen)
        raim_players_clear_inputs(match);
    else
        raim_players_fill_bot_inputs(match);
    raim_recording_input_step(match->records, match->taken, match->inputs);
    raim_world_step(world, match->def.map, match->inputs, &match->step_events, match->workspace);
    if (is_frozen) {
        raim_world_hold_positions(world);
        raim_recording_input_hold_positions(match->records);
    }
    raim_players_log_events(match);
}

static bool is_empty(const struct raim_match *match)
{
    return match->playing == 0 && match->def.bots == 0 && match->connected_count == 0;
}

void raim_match_set_snapshot_interval(struct raim_match *match, uint32_t ticks)
{
    assert(ticks >= 1 && ticks <= RAIM_MAX_SNAPSHOT_INTERVAL);
    match->snapshot_interval = ticks;
}

void raim_match_observe(struct raim_match *match, const struct raim_match_observer *observer)
{
    match->observer = observer;
}

bool raim_match_is_dormant(const struct raim_match *match)
{
    // Once the recorded ticks of the world are those of empty slots, a step changes only the tick.
    return is_empty(match) && match->empty_ticks > match->world->history_length;
}

void raim_match_step(struct raim_match *match)
{
    const bool is_dormant = raim_match_is_dormant(match);
    raim_record_end_tick(match);
    match->empty_ticks = is_empty(match) ? match->empty_ticks + !is_dormant : 0;
    raim_votes_step(match);
    raim_rounds_begin_step(match);
    if (is_dormant) {
        raim_world_skip_tick(match->world);
        raim_recording_input_skip(match->records);
    } else {
        play_step(match);
    }
    raim_rounds_end_step(match);
    raim_event_log_release(&match->log, match->world->tick);
    raim_spectators_apply_events(match);
    if (is_dormant) { // there is no connection, so nothing is sent
        raim_record_end_tick(match);
        return;
    }
    raim_history_record(&match->interest.history, match->world);
    raim_spectators_record(match);
    raim_record_begin_sent(match);
    raim_match_begin_work(match, RAIM_MATCH_INTEREST);
    raim_snapshots_prepare(match);
    raim_outbox_begin(&match->outbox);
}

void raim_match_shutdown(struct raim_match *match)
{
    for (uint32_t i = raim_match_next_client(match, 0); i < match->def.max_connections;
         i = raim_match_next_client(match, i + 1)) {
        struct raim_connection *client = &match->connections[i];
        if (client->state > RAIM_CONNECTION_REJECTED)
            continue;
        raim_connections_leave(match, client, RAIM_REASON_SHUTDOWN);
        client->state = RAIM_CONNECTION_REJECTED;
        client->reason = RAIM_REASON_SHUTDOWN;
    }
    raim_sessions_end(match);
    raim_outbox_begin(&match->outbox);
}

uint32_t raim_match_tick(const struct raim_match *match)
{
    return match->world->tick;
}

uint32_t raim_match_playing(const struct raim_match *match)
{
    return match->playing;
}

struct raim_match_counts raim_match_counts(const struct raim_match *match)
{
    struct raim_match_counts counts = match->totals;
    counts.players = match->playing;
    counts.bots = match->bots;
    counts.spectators = match->watching;
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1))
        counts.away += players[slot].away;
    return counts;
}

uint32_t raim_match_players(const struct raim_match *match, struct raim_match_player *rows,
                            uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t slot = raim_match_next_slot(match, 0);
         slot < match->world->max_players && count < capacity;
         slot = raim_match_next_slot(match, slot + 1))
        raim_players_fill_row(match, slot, &rows[count++]);
    return count;
}

const struct raim_world *raim_match_world(const struct raim_match *match)
{
    return match->world;
}
