// SPDX-License-Identifier: MIT
// Writes the outgoing messages of a tick, one per call.
#include "outbox.h"

#include "match_internal.h"

#include "chat.h"
#include "handshake.h"
#include "pings.h"
#include "text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Most bytes of a message that events take, so that the rest remains for the snapshot.
#define RAIM_MAX_EVENTS_BYTES 512

// No client is welcomed in a tick after so many messages of WELCOMEs, maps and rosters; the others
// wait for the next ticks. A thousand clients of a thousand-player arena, at 45 messages each, are
// welcomed within 1.5 s, before they take a map change for a lost connection.
#define RAIM_MAX_WELCOMING 512

void raim_outbox_begin(struct raim_match_outbox *outbox)
{
    outbox->stage = RAIM_OUTBOX_CONNECTIONS;
    outbox->next_client = 0;
    outbox->welcoming = 0;
    outbox->first = outbox->next_first;
    outbox->next_first = 0;
}

// Whether a client that is to be welcomed has to wait: because the tick is full, or because clients
// behind it have waited longer.
static bool waits_for_welcome(struct raim_match_outbox *outbox, uint32_t client)
{
    const bool is_full = outbox->welcoming >= RAIM_MAX_WELCOMING;
    if (is_full && outbox->next_first == 0)
        outbox->next_first = client;
    return is_full || client < outbox->first;
}

static size_t write_welcome(struct raim_match *match, struct raim_connection *client)
{
    struct raim_match_outbox *outbox = &match->outbox;
    const struct raim_map *map = match->def.map;
    client->epoch = (client->epoch + 1) % (1u << RAIM_EPOCH_BITS);
    struct raim_welcome welcome = {
        .version = RAIM_PROTOCOL_VERSION,
        .capabilities = RAIM_CAPABILITY_PINGS | RAIM_CAPABILITY_VOTES | RAIM_CAPABILITY_ADMIN,
        .player = client->player,
        .delay_ticks = client->delay_ticks,
        .grace_s = (uint32_t)match->policy.tuning.resume_grace_s,
        .tick = match->world->tick - client->delay_ticks,
        // Events that are due now are already contained in the roster that follows. For the late
        // audience the roster is even ahead of the events; events carry totals, so the client's
        // state is correct again after them.
        .event_sequence = match->log.due[raim_audience_of(client)],
        .epoch = client->epoch,
        .tick_hz = match->world->tick_hz,
        .max_players = match->world->max_players,
        .shots = match->world->bullets_per_player,
        .max_rewind = match->world->max_rewind,
        .view_width = match->def.view_width,
        .view_height = match->def.view_height,
        .sight = match->def.sight,
        .obstacle_count = (uint32_t)map->obstacle_count,
        .roster_count = match->playing + match->bots,
        .border = {raim_quantise(map->border.min.x), raim_quantise(map->border.min.y),
                   raim_quantise(map->border.max.x), raim_quantise(map->border.max.y)},
        .rule_count = RAIM_RULE_COUNT,
        .phase =
            client->delay_ticks > 0 ? match->delayed_spectators.phase : raim_rounds_phase(match),
    };
    static_assert(RAIM_RULE_COUNT <= RAIM_WIRE_RULES, "every rule fits the wire");
    static_assert(RAIM_MAP_NAME_BYTES - 1 <= RAIM_MAX_TITLE_BYTES,
                  "every map's name fits the wire");
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        welcome.rules[i] = *raim_rule_value(&match->world->rules, i);
    memset(&client->vote, 0, sizeof client->vote);
    strcpy(welcome.arena, match->def.arena);
    strcpy(welcome.map_name, map->name);
    strcpy(welcome.motd, match->policy.tuning.motd);
    if (client->player != RAIM_NOBODY)
        memcpy(welcome.token, match->sessions[client->slot].token, sizeof welcome.token);
    return raim_welcome_write(&welcome, outbox->message, client->message_bytes);
}

static size_t write_obstacles(struct raim_match *match, struct raim_connection *client)
{
    struct raim_match_outbox *outbox = &match->outbox;
    struct raim_wire_obstacle *obstacles = outbox->obstacles;
    const struct raim_map *map = match->def.map;
    const uint32_t left = (uint32_t)map->obstacle_count - client->obstacles_sent;
    const uint32_t count = left < RAIM_OUTBOX_OBSTACLES ? left : RAIM_OUTBOX_OBSTACLES;
    for (uint32_t i = 0; i < count; i++) {
        const raim_polygon *polygon = &map->obstacles[client->obstacles_sent + i];
        obstacles[i].count = (uint32_t)polygon->count;
        obstacles[i].seams = polygon->seams;
        for (int p = 0; p < polygon->count; p++) {
            obstacles[i].points[p][0] = raim_quantise(polygon->points[p].x);
            obstacles[i].points[p][1] = raim_quantise(polygon->points[p].y);
        }
    }
    uint32_t written;
    const size_t size =
        raim_obstacles_write(obstacles, count, &written, outbox->message, client->message_bytes);
    client->obstacles_sent += written;
    return size;
}

// `roster_sent` counts slots, not entries.
static size_t write_roster(struct raim_match *match, struct raim_connection *client)
{
    struct raim_match_outbox *outbox = &match->outbox;
    enum { BATCH = 64 };
    struct raim_roster_entry entries[BATCH];
    uint32_t slots[BATCH];
    uint32_t count = 0, slot = client->roster_sent;
    const raim_player *players = raim_world_players_const(match->world);
    for (; slot < match->world->max_players && count < BATCH; slot++) {
        if (players[slot].id == RAIM_NOBODY)
            continue;
        slots[count] = slot;
        raim_players_fill_entry(match, slot, &entries[count++]);
    }
    if (count == 0) {
        client->roster_sent = match->world->max_players;
        return 0;
    }
    uint32_t written;
    const size_t size =
        raim_roster_write(entries, count, &written, outbox->message, client->message_bytes);
    client->roster_sent = written < count ? slots[written] : slot;
    return size;
}

// Writes the reason that a person gave, or the text of the connection's reason.
static void explain(const struct raim_match *match, const struct raim_connection *client,
                    char *text)
{
    const struct raim_match_tuning *tuning = &match->policy.tuning;
    if (client->why[0] != '\0') {
        raim_text_append(text, client->why);
        return;
    }
    text = raim_text_append(text, raim_reason_text((enum raim_reason)client->reason));
    if (client->reason == RAIM_REASON_VERSION) {
        raim_text_append_number(text, RAIM_PROTOCOL_VERSION);
    } else if (client->reason == RAIM_REASON_FULL) {
        text = raim_text_append_number(text, client->watches ? match->watching : match->playing);
        text = raim_text_append(text, " of ");
        text = raim_text_append_number(text, client->watches ? tuning->max_spectators
                                                             : tuning->max_players);
        raim_text_append(text, client->watches ? " spectators" : " players");
    }
}

static size_t write_goodbye(struct raim_match *match, const struct raim_connection *client)
{
    struct raim_match_outbox *outbox = &match->outbox;
    struct raim_goodbye goodbye = {.reason = client->reason};
    explain(match, client, goodbye.text);
    return raim_goodbye_write(&goodbye, outbox->message, client->message_bytes);
}

static size_t write_chat_rejected(struct raim_match *match, struct raim_connection *client)
{
    struct raim_match_outbox *outbox = &match->outbox;
    const struct raim_chat_rejected rejected = {client->chat_rejection};
    client->chat_rejection = 0;
    return raim_chat_rejected_write(&rejected, outbox->message, client->message_bytes);
}

// Writes the next line or VOTE for a client that plays or watches; 0: none.
static size_t write_private_message(struct raim_match *match, struct raim_connection *client)
{
    uint8_t *bytes = match->outbox.message;
    const size_t size = raim_notices_write(match, client, bytes, client->message_bytes);
    return size > 0 ? size : raim_vote_messages_write(match, client, bytes, client->message_bytes);
}

// Writes the next reliable message of a connection, which admits or ends it or rejects its chat.
// Returns 0 when there is none.
static size_t write_connection_message(struct raim_match *match, struct raim_connection *client,
                                       bool *close)
{
    if (client->state == RAIM_CONNECTION_REJECTED) {
        client->state = RAIM_CONNECTION_CLOSED;
        *close = true;
        return write_goodbye(match, client);
    }
    if (client->state == RAIM_CONNECTION_LEAVING) {
        client->state = RAIM_CONNECTION_CLOSED;
        *close = true;
        return 0;
    }
    // Ten a second at most, and not amid the messages that follow a WELCOME.
    if (client->chat_rejection != 0 && client->state == RAIM_CONNECTION_PLAYING &&
        match->world->tick % (match->def.tick_hz / 10) == 0)
        return write_chat_rejected(match, client);
    if (client->state == RAIM_CONNECTION_PLAYING)
        return write_private_message(match, client);
    if (client->state != RAIM_CONNECTION_ENTERING)
        return 0;
    if (!client->welcome_sent) {
        if (waits_for_welcome(&match->outbox, (uint32_t)(client - match->connections)))
            return 0;
        client->welcome_sent = true;
        return write_welcome(match, client);
    }
    if (client->obstacles_sent < (uint32_t)match->def.map->obstacle_count)
        return write_obstacles(match, client);
    if (client->roster_sent < match->world->max_players) {
        const size_t size = write_roster(match, client);
        if (size > 0)
            return size;
    }
    // This tick's events are already part of the roster, so events and snapshots begin with the
    // next.
    client->state = RAIM_CONNECTION_PLAYING;
    client->first_tick = match->world->tick + 1;
    raim_event_cursor_begin(&client->events, match->log.due[raim_audience_of(client)],
                            client->first_tick - client->delay_ticks);
    return 0;
}

static bool receives_tick(const struct raim_match *match, const struct raim_connection *client)
{
    return client->state == RAIM_CONNECTION_PLAYING &&
           raim_tick_diff(match->world->tick, client->first_tick) >= 0;
}

// Pulls the next message of the stage; false when all clients are served.
static bool pull_connections(struct raim_match *match, struct raim_outgoing *outgoing)
{
    struct raim_match_outbox *outbox = &match->outbox;
    for (outbox->next_client = raim_match_next_client(match, outbox->next_client);
         outbox->next_client < match->def.max_connections;
         outbox->next_client = raim_match_next_client(match, outbox->next_client + 1)) {
        struct raim_connection *client = &match->connections[outbox->next_client];
        bool close = false;
        const size_t size = write_connection_message(match, client, &close);
        if (size == 0 && !close)
            continue;
        outbox->welcoming += client->state == RAIM_CONNECTION_ENTERING;
        *outgoing = (struct raim_outgoing){
            .client = outbox->next_client,
            .reliable = true,
            .close = close,
            .reason = close ? client->reason : RAIM_REASON_NONE,
            .data = outbox->message,
            .size = size,
        };
        return true;
    }
    return false;
}

// Recording for the late audience begins with its first spectator, so older ticks are missing.
static bool has_history(const struct raim_match *match, const struct raim_connection *client)
{
    return client->delay_ticks == 0 ||
           match->delayed_spectators.history_ticks > client->delay_ticks;
}

// Whether it is a client's turn for a snapshot.
static bool is_served(const struct raim_match *match, uint32_t client)
{
    return (match->world->tick + client) % match->snapshot_interval == 0;
}

// Writes the events for a client that go into this tick's message, and moves `next` past them.
static size_t write_events(const struct raim_match *match, struct raim_connection *client,
                           uint32_t *next, uint8_t *bytes)
{
    const double loop =
        client->has_acked ? client->latency_ticks : raim_snapshots_max_latency(match->def.tick_hz);
    raim_event_cursor_step(&client->events, match->world->tick - client->delay_ticks,
                           (uint32_t)ceil(loop) + 1);
    *next = client->events.first;
    return raim_event_log_write(&match->log, raim_audience_of(client), client->epoch, next, bytes,
                                RAIM_MAX_EVENTS_BYTES);
}

// Writes a client's events and snapshot. Returns 0 when there is nothing new; events that are only
// repeated wait for the next message.
static size_t write_update(struct raim_match *match, struct raim_connection *client, uint8_t *bytes,
                           size_t capacity)
{
    if (client->wants_switch)
        raim_spectators_switch(match, client);
    uint32_t next;
    const size_t events = write_events(match, client, &next, bytes);
    const size_t snapshot =
        has_history(match, client)
            ? raim_snapshots_write(match, client, events > 0, bytes + events, capacity - events)
            : 0;
    raim_record_sent(match, client);
    if (snapshot == 0 && next == client->events.next)
        return 0;
    raim_event_cursor_send(&client->events, next, match->world->tick - client->delay_ticks);
    if (snapshot > 0) {
        raim_sent_view_at(&match->interest, client, client->sent_tick)->events = next;
        match->totals.snapshots++;
    }
    return events + snapshot;
}

// Welcomes a client again in the next tick, which brings it the roster instead of the events that
// the log has lost.
static void restart_messages(struct raim_connection *client)
{
    client->state = RAIM_CONNECTION_ENTERING;
    client->welcome_sent = false;
    client->obstacles_sent = client->roster_sent = 0;
    client->has_acked = false;
}

// Begins to load a client, then what its update reads: in two steps, because the second one needs
// what the first one loads. Each client's memory is used once per tick, so it is rarely in the
// processor's cache.
static void prefetch_update(const struct raim_match *match, uint32_t index)
{
    const uint32_t next = raim_match_next_client(match, index + 1);
    if (next >= match->def.max_connections)
        return;
    const struct raim_connection *client = &match->connections[next];
    const size_t bytes = match->interest.sent_view_bytes;
    const uint32_t tick = match->world->tick - client->delay_ticks;
    raim_match_load(raim_sent_view_at(&match->interest, client, tick), bytes);
    raim_match_load(raim_sent_view_at(&match->interest, client, tick - 1), bytes);
    raim_match_load(raim_sent_view_at(&match->interest, client, client->acked_tick), bytes);
    const uint32_t second = raim_match_next_client(match, next + 1);
    if (second < match->def.max_connections)
        raim_match_load(&match->connections[second],
                        offsetof(struct raim_connection, rewind_limit));
}

static bool pull_updates(struct raim_match *match, struct raim_outgoing *outgoing)
{
    struct raim_match_outbox *outbox = &match->outbox;
    for (outbox->next_client = raim_match_next_client(match, outbox->next_client);
         outbox->next_client < match->def.max_connections;
         outbox->next_client = raim_match_next_client(match, outbox->next_client + 1)) {
        struct raim_connection *client = &match->connections[outbox->next_client];
        if (!receives_tick(match, client) || !is_served(match, outbox->next_client))
            continue;
        if (!raim_event_log_reaches(&match->log, raim_audience_of(client), client->events.acked)) {
            restart_messages(client);
            continue;
        }
        prefetch_update(match, outbox->next_client);
        const size_t size = write_update(match, client, outbox->message, client->message_bytes);
        if (size == 0)
            continue;
        *outgoing = (struct raim_outgoing){
            .client = outbox->next_client++,
            .data = outbox->message,
            .size = size,
        };
        return true;
    }
    return false;
}

// The present round trip of the player in a slot, as its client's transport measures it.
static uint8_t ping_of(const struct raim_match *match, uint32_t slot)
{
    const raim_player *player = &raim_world_players_const(match->world)[slot];
    const struct raim_match_session *session = &match->sessions[slot];
    return player->id == RAIM_NOBODY || session->bot || player->away
               ? RAIM_PING_UNKNOWN
               : match->connections[session->client].ping;
}

// Writes the round trips of the slots whose turn it is; 0 where none is known. Every client gets a
// message every two seconds; their indices spread them over the ticks.
static size_t write_pings(struct raim_match *match, uint32_t index)
{
    const struct raim_connection *client = &match->connections[index];
    const uint32_t period = 2 * match->def.tick_hz, turn = match->world->tick + index;
    const uint32_t slots = match->world->max_players;
    // The roster of a late spectator is not of now.
    if (!client->wants_pings || !receives_tick(match, client) || client->delay_ticks > 0 ||
        turn % period != 0)
        return 0;
    const uint32_t turns = (slots + RAIM_PINGS_SLOTS - 1) / RAIM_PINGS_SLOTS;
    struct raim_pings pings = {.epoch = client->epoch,
                               .first = turn / period % turns * RAIM_PINGS_SLOTS};
    bool any = false;
    for (uint32_t slot = pings.first; slot < slots && pings.count < RAIM_PINGS_SLOTS; slot++) {
        const uint8_t ping = ping_of(match, slot);
        any = any || ping != RAIM_PING_UNKNOWN;
        pings.values[pings.count++] = ping;
    }
    return any ? raim_pings_write(&pings, match->outbox.message, client->message_bytes) : 0;
}

static bool pull_pings(struct raim_match *match, struct raim_outgoing *outgoing)
{
    struct raim_match_outbox *outbox = &match->outbox;
    for (outbox->next_client = raim_match_next_client(match, outbox->next_client);
         outbox->next_client < match->def.max_connections;
         outbox->next_client = raim_match_next_client(match, outbox->next_client + 1)) {
        const size_t size = write_pings(match, outbox->next_client);
        if (size == 0)
            continue;
        *outgoing = (struct raim_outgoing){
            .client = outbox->next_client++, .data = outbox->message, .size = size};
        return true;
    }
    return false;
}

bool raim_match_outgoing(struct raim_match *match, struct raim_outgoing *outgoing)
{
    struct raim_match_outbox *outbox = &match->outbox;
    static bool (*const pull[])(struct raim_match *, struct raim_outgoing *) = {
        [RAIM_OUTBOX_CONNECTIONS] = pull_connections,
        [RAIM_OUTBOX_UPDATES] = pull_updates,
        [RAIM_OUTBOX_PINGS] = pull_pings,
    };
    while (outbox->stage != RAIM_OUTBOX_DONE) {
        if (pull[outbox->stage](match, outgoing))
            return true;
        outbox->stage++;
        outbox->next_client = 0;
        if (outbox->stage == RAIM_OUTBOX_DONE)
            raim_record_end_tick(match);
    }
    return false;
}
