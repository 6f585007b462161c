// SPDX-License-Identifier: MIT
// Plays behind a slow line.
#include "lagged_client.h"

#include "events_fixture.h"
#include "handshake.h"
#include "input.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = LAGGED_MAX_TICKS + 1 };

void lagged_client_init(struct lagged_client *client, uint32_t handle, uint32_t round_trip,
                        const struct raim_map *map, raim_vec2 view, uint64_t seed)
{
    assert(round_trip >= 1 && round_trip <= LAGGED_MAX_TICKS);
    // The step that plays an input is a tick of the round trip.
    *client = (struct lagged_client){
        .handle = handle,
        .down = round_trip / 2,
        .up = round_trip - 1 - round_trip / 2,
        .map = map,
        .view = view,
    };
    raim_bot_init(&client->brain, seed);
}

void lagged_client_release(struct lagged_client *client)
{
    free(client->memory);
}

void lagged_client_enter(const struct lagged_client *client, struct raim_match *match)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION};
    snprintf(hello.name, sizeof hello.name, "bot-%u", client->handle + 1);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = raim_hello_write(&hello, bytes, sizeof bytes);
    uint8_t token[RAIM_TOKEN_BYTES] = {0};
    memcpy(token, &client->handle, sizeof client->handle); // no two are alike
    raim_match_connect(match, client->handle, token);
    raim_match_receive(match, client->handle, true, bytes, size);
}

void lagged_client_deliver(struct lagged_client *client, struct raim_match *match)
{
    struct lagged_message *message = &client->inputs[raim_match_tick(match) % SLOTS];
    if (message->size > 0)
        raim_match_receive(match, client->handle, false, message->bytes, message->size);
    message->size = 0;
}

// --- what comes from the match ---

static bool take_welcome(struct lagged_client *client, const raim_rules *rules, raim_reader *reader)
{
    struct raim_welcome welcome;
    if (!raim_welcome_read(reader, &welcome))
        return false;
    client->next_event = (uint16_t)welcome.event_sequence;
    const struct raim_stride stride = raim_world_stride(rules, welcome.tick_hz);
    client->slot = raim_player_slot((raim_player_id)welcome.player);
    client->limits = (struct raim_wire_limits){
        .players = welcome.max_players,
        .shots = welcome.shots,
        .history = raim_wire_history(welcome.tick_hz),
        .stride = stride.straight,
        .diagonal = stride.diagonal,
        .max_rewind = welcome.max_rewind,
        .has_health = rules->health > 1,
    };
    const size_t frame_bytes = raim_wire_frame_bytes(&client->limits);
    uint8_t *memory = calloc(client->limits.history + 1, frame_bytes);
    client->memory = memory;
    if (memory == NULL)
        return false;
    raim_wire_frame_init(&client->spare, &client->limits, memory);
    for (uint32_t i = 0; i < client->limits.history; i++)
        raim_wire_frame_init(&client->frames[i], &client->limits, memory + (i + 1) * frame_bytes);
    return true;
}

bool lagged_client_take(struct lagged_client *client, const struct raim_match *match,
                        const struct raim_outgoing *message)
{
    raim_reader reader = raim_reader_make(message->data, message->size);
    const uint32_t kind = raim_message_read(&reader);
    if (kind == RAIM_MESSAGE_WELCOME)
        return take_welcome(client, &raim_match_world(match)->rules, &reader);
    if (kind != RAIM_MESSAGE_SNAPSHOT && kind != RAIM_MESSAGE_EVENTS)
        return kind != RAIM_MESSAGE_GOODBYE;
    struct lagged_message *slot =
        &client->snapshots[(raim_match_tick(match) + client->down) % SLOTS];
    assert(slot->size == 0 && message->size <= sizeof slot->bytes);
    slot->size = message->size;
    memcpy(slot->bytes, message->data, message->size);
    return true;
}

static const struct raim_wire_frame *frame_of(const struct lagged_client *client, uint32_t tick)
{
    const uint32_t slot = tick % client->limits.history;
    return client->has[slot] && client->frames[slot].tick == tick ? &client->frames[slot] : NULL;
}

static bool read_snapshot(struct lagged_client *client, const struct lagged_message *message)
{
    raim_reader reader = raim_reader_make(message->bytes, message->size);
    struct raim_snapshot_header header;
    const uint32_t kind = read_past_events(&reader, &client->next_event);
    if (kind == RAIM_MESSAGE_EVENTS)
        return true; // nothing else
    if (kind != RAIM_MESSAGE_SNAPSHOT ||
        !raim_snapshot_read_header(&reader, &client->limits, client->newest, &header))
        return false;
    const struct raim_wire_frame *baseline = NULL;
    if (header.baseline_age != 0) {
        baseline = frame_of(client, header.tick - header.baseline_age);
        if (baseline == NULL)
            return false;
    }
    if (!raim_snapshot_read(&reader, &header, &client->limits, baseline, &client->spare))
        return false;
    const uint32_t slot = header.tick % client->limits.history;
    const struct raim_wire_frame replaced = client->frames[slot];
    client->frames[slot] = client->spare;
    client->has[slot] = true;
    client->spare = replaced;
    client->newest = header.tick;
    client->any = true;
    return true;
}

const struct raim_wire_frame *lagged_client_at(const struct lagged_client *client, uint32_t tick)
{
    for (uint32_t age = 0; age < client->limits.history; age++) {
        const struct raim_wire_frame *frame = frame_of(client, tick - age);
        if (frame != NULL)
            return frame;
    }
    return NULL;
}

// --- what its bot makes of it ---

static raim_vec2 units_of(const raim_wire_player *player)
{
    return (raim_vec2){player->x / (double)RAIM_WIRE_UNITS, player->y / (double)RAIM_WIRE_UNITS};
}

static struct raim_bot_enemy enemy_of(const struct lagged_client *client, uint32_t slot,
                                      const raim_wire_player *player, uint32_t tick_hz)
{
    const raim_wire_player next = raim_wire_predict_player(&client->limits, player, 1);
    return (struct raim_bot_enemy){
        .key = (slot + 1) << 8 | (uint32_t)player->life,
        .position = units_of(player),
        .velocity = raim_vec2_scale(raim_vec2_sub(units_of(&next), units_of(player)), tick_hz),
        .shielded = player->shield != 0,
    };
}

static raim_input think(struct lagged_client *client, const struct raim_world *world)
{
    const struct raim_wire_limits *limits = &client->limits;
    const struct raim_wire_frame *frame = frame_of(client, client->newest);
    const uint32_t age = world->tick - client->down - client->newest;
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    struct raim_bot_observation sight = {.map = client->map,
                                         .rules = &world->rules,
                                         .tick = client->newest + age,
                                         .tick_hz = world->tick_hz,
                                         .enemies = enemies};
    if (frame == NULL || !raim_set_has(frame->seen_players, client->slot))
        return (raim_input){0};
    const raim_wire_player self =
        raim_wire_predict_player(limits, &frame->players[client->slot], age);
    sight.position = units_of(&self);
    for (uint32_t slot = raim_set_next(frame->seen_players, 0, limits->players);
         slot < limits->players && sight.enemy_count < RAIM_BOT_MAX_ENEMIES;
         slot = raim_set_next(frame->seen_players, slot + 1, limits->players)) {
        const raim_wire_player player =
            raim_wire_predict_player(limits, &frame->players[slot], age);
        const raim_vec2 away = raim_vec2_sub(units_of(&player), sight.position);
        if (slot != client->slot && fabs(away.x) <= client->view.x / 2 &&
            fabs(away.y) <= client->view.y / 2)
            enemies[sight.enemy_count++] = enemy_of(client, slot, &player, world->tick_hz);
    }
    return raim_bot_think(&client->brain, &sight);
}

void lagged_client_play(struct lagged_client *client, const struct raim_match *match)
{
    const uint32_t tick = raim_match_tick(match);
    struct lagged_message *snapshot = &client->snapshots[tick % SLOTS];
    if (snapshot->size > 0 && !read_snapshot(client, snapshot))
        client->unread++;
    snapshot->size = 0;
    if (!client->any)
        return;
    static_assert(LAGGED_MAX_TICKS <= RAIM_WIRE_REWIND, "the age of a view can be told");
    const raim_input input = think(client, raim_match_world(match));
    const struct raim_input_message message = {
        .tick = tick + client->up,
        .has_snapshot = true,
        .snapshot = client->newest,
        .events = client->next_event,
        .count = 1,
        .inputs = {{
            .move_x = input.move_x,
            .move_y = input.move_y,
            .fire = input.fire != 0,
            .view_age = (uint8_t)(input.fire != 0 ? client->down + client->up : 0),
            .aim = input.aim,
        }},
    };
    struct lagged_message *slot = &client->inputs[message.tick % SLOTS];
    slot->size = raim_input_write(&message, slot->bytes, sizeof slot->bytes);
}
