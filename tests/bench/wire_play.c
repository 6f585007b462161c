// SPDX-License-Identifier: MIT
// Plays matches for the wire's bench. A round is a tick: what clients sent long enough ago arrives,
// the match steps and sends, clients take in what was sent long enough ago, think and answer.
// A snapshot is read when it is sent, lost or not: its baseline is one that the client has.
#define _GNU_SOURCE
#include "wire_play.h"

#include "bot.h"
#include "events_fixture.h"
#include "handshake.h"
#include "input.h"
#include "match.h"
#include "measure.h"
#include "random.h"

#include <math.h>
#include <stdio.h>

enum {
    TICK_HZ = 60,
    VIEW_WIDTH = 1600,
    VIEW_HEIGHT = 861,
    LEAD_TICKS = 1, // inputs are for so many ticks after the one that they come just in time for
    WAITING = 8,    // ticks that something can be under way
    INPUT_BYTES = 64,
};

// The client's view of a tick and its encoding.
struct seen {
    struct raim_wire_frame frame;
    bool valid;
    bool lost;    // whatever was sent in this tick
    size_t size;  // of the snapshot; 0: nothing was sent
    uint32_t age; // of its baseline
    uint32_t visible, moving;
};

// An INPUT under way.
struct upward {
    size_t size; // 0: none
    bool lost;
    uint8_t bytes[INPUT_BYTES];
};

struct client {
    struct seen *seen; // by tick modulo limits.history
    void *memory;
    uint8_t message[RAIM_MAX_MESSAGE_BYTES];
    size_t message_size;           // of this tick's snapshot
    uint16_t next_event;           // that has not arrived
    bool playing;                  // some snapshot has been sent
    bool knows;                    // and some has arrived,
    uint32_t newest;               // the newest in this tick
    struct upward upward[WAITING]; // by tick
    struct raim_bot brain;
    raim_input inputs[RAIM_MAX_INPUTS]; // newest first
    uint32_t input_count;
};

struct play {
    struct play_def def;
    struct raim_match *match;
    struct raim_wire_limits limits;
    uint64_t chance;
    struct client *clients;
    struct play_cost cost;
    // A copy of the world, to step it once more by itself.
    void *copy;
    size_t copy_bytes;
    struct raim_events events;
    struct raim_world_workspace *workspace;
    raim_input *inputs;
};

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

static struct seen *seen_at(const struct play *play, const struct client *client, uint32_t tick)
{
    return &client->seen[tick % play->limits.history];
}

static bool has_seen(const struct play *play, const struct client *client, uint32_t tick)
{
    const struct seen *seen = seen_at(play, client, tick);
    return seen->valid && seen->frame.tick == tick;
}

// --- making ---

static bool create_client(struct play *play, struct client *client, uint32_t index)
{
    const size_t bytes = raim_wire_frame_bytes(&play->limits);
    client->seen = calloc(play->limits.history, sizeof *client->seen);
    client->memory = calloc(play->limits.history, bytes);
    if (client->seen == NULL || client->memory == NULL)
        return false;
    for (uint32_t i = 0; i < play->limits.history; i++)
        raim_wire_frame_init(&client->seen[i].frame, &play->limits,
                             (uint8_t *)client->memory + i * bytes);
    raim_bot_init(&client->brain, raim_random_next(&play->chance));

    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION};
    snprintf(hello.name, sizeof hello.name, "Player %u", (unsigned)index + 1);
    uint8_t message[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = raim_hello_write(&hello, message, sizeof message);
    uint8_t token[RAIM_TOKEN_BYTES] = {0};
    memcpy(token, &index, sizeof index); // no two are alike
    raim_match_connect(play->match, index, token);
    raim_match_receive(play->match, index, true, message, size);
    return true;
}

static struct raim_wire_limits limits_of(const struct raim_world *world)
{
    const struct raim_stride stride = raim_world_stride(&world->rules, world->tick_hz);
    return (struct raim_wire_limits){
        .players = world->max_players,
        .shots = world->bullets_per_player,
        .history = raim_wire_history(world->tick_hz),
        .stride = stride.straight,
        .diagonal = stride.diagonal,
        .max_rewind = world->max_rewind,
        .has_health = world->rules.health > 1,
    };
}

struct play *play_create(const struct play_def *def)
{
    assert(def->delay_ticks >= 1 && def->delay_ticks < WAITING);
    struct play *play = calloc(1, sizeof *play);
    if (play == NULL)
        return NULL;
    play->def = *def;
    play->chance = def->seed;
    struct raim_match_def match_def = raim_match_default_def();
    match_def.map = def->map;
    match_def.tick_hz = TICK_HZ;
    match_def.view_width = VIEW_WIDTH;
    match_def.view_height = VIEW_HEIGHT;
    match_def.sight = true;
    match_def.tuning.max_players = def->players;
    match_def.max_connections = def->players + match_def.tuning.max_spectators + 1;
    match_def.seed = raim_random_next(&play->chance);
    play->match = raim_match_create(&match_def);
    play->clients = calloc(def->players, sizeof *play->clients);
    bool good = play->match != NULL && play->clients != NULL;
    if (good) {
        const struct raim_world *world = raim_match_world(play->match);
        play->limits = limits_of(world);
        const struct raim_world_def world_def = {
            .rules = world->rules,
            .tick_hz = world->tick_hz,
            .max_players = world->max_players,
            .max_rewind = world->max_rewind,
        };
        play->copy_bytes = raim_world_size(&world_def);
        play->events.capacity = raim_events_bound(world->max_players, world->max_bullets);
        play->workspace = raim_world_workspace_create();
        play->copy = malloc(play->copy_bytes);
        play->events.items = calloc(play->events.capacity, sizeof *play->events.items);
        play->inputs = calloc(world->max_players, sizeof *play->inputs);
        good = play->copy != NULL && play->events.items != NULL && play->workspace != NULL &&
               play->inputs != NULL;
    }
    for (uint32_t i = 0; good && i < def->players; i++)
        good = create_client(play, &play->clients[i], i);
    if (good)
        return play;
    play_destroy(play);
    return NULL;
}

void play_destroy(struct play *play)
{
    if (play == NULL)
        return;
    for (uint32_t i = 0; play->clients != NULL && i < play->def.players; i++) {
        free(play->clients[i].seen);
        free(play->clients[i].memory);
    }
    raim_match_destroy(play->match);
    free(play->clients);
    free(play->copy);
    free(play->events.items);
    raim_world_workspace_destroy(play->workspace);
    free(play->inputs);
    free(play);
}

// --- comparing snapshots with the world ---

static int32_t steps_of(double units)
{
    return (int32_t)floor(units * RAIM_WIRE_UNITS + 0.5);
}

static bool check(const struct play *play, const struct client *client, bool good, const char *what,
                  uint32_t slot)
{
    if (!good)
        fprintf(stderr, "tick %u, client %u: %s %u is not as in the world\n",
                (unsigned)raim_match_tick(play->match), (unsigned)(client - play->clients), what,
                (unsigned)slot);
    return good;
}

static bool is_aim(const raim_player *player, const raim_wire_player *told)
{
    const int32_t turn = 1 << RAIM_WIRE_AIM_BITS, step = RAIM_ANGLE_TURN / turn;
    return told->aim == (player->aim + step / 2) / step % turn;
}

// Compares all but the aim.
static bool is_player(const raim_player *player, const raim_wire_player *told)
{
    return player->state == RAIM_PLAYER_ALIVE && told->x == steps_of(player->position.x) &&
           told->y == steps_of(player->position.y) && told->life == (player->life & 7) &&
           told->shield == (player->shield_ticks > 0);
}

// A bullet not encoded by its launch was rounded to the grid.
static bool is_bullet(const struct raim_world *world, const raim_bullet *bullet,
                      const raim_wire_bullet *told, uint32_t shooter)
{
    if (bullet->owner == RAIM_NOBODY || raim_player_slot(bullet->owner) != shooter ||
        bullet->aim != told->aim)
        return false;
    const raim_bullet launch = {
        .origin = {told->x / (double)RAIM_WIRE_UNITS, told->y / (double)RAIM_WIRE_UNITS},
        .direction = bullet->direction,
        .born_tick = told->tick,
    };
    const raim_vec2 is = raim_bullet_position(&world->rules, bullet, world->tick, world->tick_hz);
    const raim_vec2 seems =
        raim_bullet_position(&world->rules, &launch, world->tick, world->tick_hz);
    const bool is_launch = told->tick == bullet->born_tick;
    const double most = is_launch ? 1e-6 : 0.51 * RAIM_MAP_GRID * sqrt(2);
    return told->rewind == (is_launch ? bullet->rewind : 0) &&
           raim_vec2_distance_squared(is, seems) <= most * most;
}

// Without a snapshot of the tick, aims may have turned further than the client predicts.
static bool check_frame(const struct play *play, const struct client *client,
                        const struct raim_wire_frame *frame, bool is_sent)
{
    const struct raim_world *world = raim_match_world(play->match);
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    const raim_wire_self *self = &frame->self;
    const raim_player *own = &players[self->slot];
    const bool alive = own->state == RAIM_PLAYER_ALIVE;
    bool good = check(play, client,
                      frame->tick == world->tick && self->steers && self->alive == alive &&
                          self->timer == (alive ? own->cooldown_ticks : own->respawn_ticks) &&
                          self->shots == (uint8_t)own->shots && self->hits == (uint8_t)own->hits &&
                          alive == raim_set_has(frame->seen_players, self->slot),
                      "self of place", self->slot);
    FOR_EACH_SLOT (slot, frame->seen_players, play->limits.players)
        good = good && check(play, client,
                             is_player(&players[slot], &frame->players[slot]) &&
                                 (raim_wire_is_own(frame, slot)
                                      ? frame->players[slot].aim == 0
                                      : !is_sent || is_aim(&players[slot], &frame->players[slot])),
                             "player", slot);
    FOR_EACH_SLOT (slot, frame->seen_bullets, raim_wire_bullets(&play->limits))
        good = good && check(play, client,
                             is_bullet(world, &bullets[slot], &frame->bullets[slot],
                                       slot / play->limits.shots),
                             "bullet", slot);
    return good;
}

// --- a client's snapshots ---

// Where a bullet would have to leave now to be where it is.
static void add_now(const struct play *play, struct raim_wire_frame *frame)
{
    const struct raim_world *world = raim_match_world(play->match);
    FOR_EACH_SLOT (slot, frame->seen_bullets, raim_wire_bullets(&play->limits)) {
        raim_wire_bullet *bullet = &frame->bullets[slot];
        const double flown = world->rules.bullet_speed * (frame->tick - bullet->tick) / TICK_HZ;
        const raim_vec2 ahead = raim_vec2_scale(raim_angle_direction(bullet->aim), flown);
        bullet->now_x = bullet->x + steps_of(ahead.x);
        bullet->now_y = bullet->y + steps_of(ahead.y);
    }
}

// Without a snapshot a client advances its frame by the prediction rule.
static void predict(const struct play *play, const struct raim_wire_frame *from,
                    struct raim_wire_frame *to)
{
    const uint32_t bullets = raim_wire_bullets(&play->limits);
    to->self = raim_wire_predict_self(&from->self, 1);
    memcpy(to->seen_players, from->seen_players,
           raim_set_words(play->limits.players) * sizeof(uint64_t));
    memcpy(to->seen_bullets, from->seen_bullets, raim_set_words(bullets) * sizeof(uint64_t));
    FOR_EACH_SLOT (slot, from->seen_players, play->limits.players)
        to->players[slot] = raim_wire_predict_player(&play->limits, &from->players[slot], 1);
    FOR_EACH_SLOT (slot, from->seen_bullets, bullets)
        to->bullets[slot] = from->bullets[slot];
}

// Reads a snapshot of the match against the client's baseline.
static bool read_snapshot(const struct play *play, struct client *client, struct seen *seen,
                          uint32_t tick)
{
    raim_reader reader = raim_reader_make(client->message, client->message_size);
    struct raim_snapshot_header header;
    const struct raim_wire_frame *baseline = NULL;
    bool good = raim_message_read(&reader) == RAIM_MESSAGE_SNAPSHOT &&
                raim_snapshot_read_header(&reader, &play->limits,
                                          client->knows ? client->newest : tick, &header) &&
                header.tick == tick;
    if (good && header.baseline_age != 0) {
        const uint32_t from = tick - header.baseline_age;
        const struct seen *known = seen_at(play, client, from);
        good = has_seen(play, client, from) && known->size > 0 && !known->lost &&
               header.baseline_age >= 2 * play->def.delay_ticks;
        baseline = &known->frame;
        seen->age = header.baseline_age;
    }
    if (!good || !raim_snapshot_read(&reader, &header, &play->limits, baseline, &seen->frame)) {
        fprintf(stderr, "tick %u: a snapshot of %zu bytes cannot be read\n", (unsigned)tick,
                client->message_size);
        return false;
    }
    return true;
}

static void count_players(const struct play *play, struct seen *seen)
{
    const raim_player *players = raim_world_players_const(raim_match_world(play->match));
    seen->visible = seen->moving = 0;
    FOR_EACH_SLOT (slot, seen->frame.seen_players, play->limits.players) {
        const raim_player *player = &players[slot];
        seen->visible++;
        seen->moving +=
            player->position.x != player->previous.x || player->position.y != player->previous.y;
    }
}

static bool take_snapshot(struct play *play, struct client *client)
{
    const uint32_t tick = raim_match_tick(play->match);
    struct seen *seen = seen_at(play, client, tick);
    seen->valid = false;
    client->playing = client->playing || client->message_size > 0;
    if (!client->playing)
        return true;
    seen->lost = raim_random_unit(&play->chance) < play->def.loss;
    seen->size = client->message_size;
    seen->age = 0;
    if (seen->size == 0)
        predict(play, &seen_at(play, client, tick - 1)->frame, &seen->frame);
    else if (!read_snapshot(play, client, seen, tick))
        return false;
    seen->frame.tick = tick;
    seen->valid = true;
    add_now(play, &seen->frame);
    count_players(play, seen);
    return check_frame(play, client, &seen->frame, seen->size > 0);
}

// --- what a client does ---

// Takes in what was sent long enough ago.
static void take_in(const struct play *play, struct client *client, uint32_t tick)
{
    const uint32_t from = tick - play->def.delay_ticks;
    if (client->playing && has_seen(play, client, from) && !seen_at(play, client, from)->lost &&
        seen_at(play, client, from)->size > 0) {
        client->knows = true;
        client->newest = from;
    }
}

static raim_vec2 position_of(const raim_wire_player *player)
{
    return (raim_vec2){player->x / (double)RAIM_WIRE_UNITS, player->y / (double)RAIM_WIRE_UNITS};
}

// The bot sees the newest snapshot, advanced by the prediction rule, inside its view. It takes its
// own position from the world, because a client predicts that from its inputs.
static raim_input think(const struct play *play, struct client *client, uint32_t tick)
{
    const struct raim_world *world = raim_match_world(play->match);
    const struct raim_wire_frame *frame = &seen_at(play, client, client->newest)->frame;
    const uint32_t own = frame->self.slot, age = tick - play->def.delay_ticks - client->newest;
    const raim_player *player = &raim_world_players_const(world)[own];
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    struct raim_bot_observation sight = {
        .map = play->def.map,
        .rules = &world->rules,
        .tick = tick,
        .tick_hz = TICK_HZ,
        .position = player->position,
        .enemies = enemies,
    };
    if (player->state != RAIM_PLAYER_ALIVE)
        return (raim_input){.aim = client->inputs[0].aim};
    FOR_EACH_SLOT (slot, frame->seen_players, play->limits.players) {
        const raim_wire_player *seen = &frame->players[slot];
        const raim_wire_player now = raim_wire_predict_player(&play->limits, seen, age);
        const raim_wire_player next = raim_wire_predict_player(&play->limits, &now, 1);
        const raim_vec2 position = position_of(&now);
        if (slot == own || sight.enemy_count == RAIM_BOT_MAX_ENEMIES ||
            fabs(position.x - player->position.x) > VIEW_WIDTH / 2.0 ||
            fabs(position.y - player->position.y) > VIEW_HEIGHT / 2.0)
            continue;
        enemies[sight.enemy_count++] = (struct raim_bot_enemy){
            .key = (slot + 1) << 8 | (uint32_t)seen->life,
            .position = position,
            .velocity = raim_vec2_scale(raim_vec2_sub(position_of(&next), position), TICK_HZ),
            .shielded = seen->shield != 0,
        };
    }
    return raim_bot_think(&client->brain, &sight);
}

// Sends a tick's input with the previous ones and the acknowledgement.
static void press(struct play *play, struct client *client, uint32_t tick, struct upward *upward)
{
    // It sees the others as they were `delay_ticks` ago.
    const uint32_t ahead = play->def.delay_ticks - 1 + LEAD_TICKS;
    const uint32_t view_age = play->def.delay_ticks + ahead;
    raim_input input = think(play, client, tick);
    const uint32_t rewind = view_age < play->limits.max_rewind ? view_age : play->limits.max_rewind;
    input.rewind = (uint8_t)(input.fire != 0 ? rewind : 0);
    memmove(&client->inputs[1], &client->inputs[0], sizeof client->inputs - sizeof input);
    client->inputs[0] = input;
    client->input_count += client->input_count < RAIM_MAX_INPUTS;
    play->inputs[seen_at(play, client, client->newest)->frame.self.slot] = input;

    struct raim_input_message message = {
        .tick = tick + ahead,
        .has_snapshot = true,
        .snapshot = client->newest,
        .events = client->next_event,
        .count = client->input_count,
    };
    for (uint32_t i = 0; i < message.count; i++) {
        const raim_input *pressed = &client->inputs[i];
        message.inputs[i] = (raim_wire_input){
            .move_x = pressed->move_x,
            .move_y = pressed->move_y,
            .fire = pressed->fire != 0,
            .view_age = (uint8_t)(pressed->fire != 0 ? view_age : 0),
            .aim = pressed->aim,
        };
    }
    upward->size = raim_input_write(&message, upward->bytes, sizeof upward->bytes);
    upward->lost = raim_random_unit(&play->chance) < play->def.loss;
    assert(upward->size > 0);
}

static void act(struct play *play, struct client *client)
{
    const uint32_t tick = raim_match_tick(play->match);
    struct upward *upward = &client->upward[tick % WAITING];
    *upward = (struct upward){0};
    take_in(play, client, tick);
    if (client->knows)
        press(play, client, tick, upward);
}

// --- a tick ---

static void deliver(struct play *play, uint32_t index)
{
    struct client *client = &play->clients[index];
    const uint32_t sent = raim_match_tick(play->match) - play->def.delay_ticks + 1;
    const struct upward *upward = &client->upward[sent % WAITING];
    if (upward->size == 0 || upward->lost)
        return;
    raim_match_receive(play->match, index, false, upward->bytes, upward->size);
}

static void step(struct play *play)
{
    const struct raim_world *world = raim_match_world(play->match);
    memcpy(play->copy, world, play->copy_bytes);
    int64_t start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    raim_match_step(play->match);
    play->cost.step_ns = measure_ns(CLOCK_THREAD_CPUTIME_ID) - start;

    start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    raim_world_step(play->copy, play->def.map, play->inputs, &play->events, play->workspace);
    play->cost.world_ns = measure_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

// Takes the snapshot out of a message. Events count as received at once.
static void take_message(struct play *play, struct client *client,
                         const struct raim_outgoing *outgoing)
{
    raim_reader reader = raim_reader_make(outgoing->data, outgoing->size);
    const uint32_t kind = read_past_events(&reader, &client->next_event);
    const size_t events = kind == RAIM_MESSAGE_EVENTS ? outgoing->size : reader.offset / 8;
    play->cost.event_bytes += events;
    client->message_size = outgoing->size - events;
    memcpy(client->message, outgoing->data + events, client->message_size);
}

// The events that a client is sent begin with its WELCOME.
static void take_reliable(struct client *client, const struct raim_outgoing *outgoing)
{
    struct raim_welcome welcome;
    raim_reader reader = raim_reader_make(outgoing->data, outgoing->size);
    if (raim_message_read(&reader) == RAIM_MESSAGE_WELCOME && raim_welcome_read(&reader, &welcome))
        client->next_event = (uint16_t)welcome.event_sequence;
}

// Pulls all messages. The timer restarts after each reliable message: those come first, so the rest
// is the time of snapshots and events.
static void pull(struct play *play)
{
    struct raim_outgoing outgoing;
    play->cost.event_bytes = 0;
    int64_t start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    while (raim_match_outgoing(play->match, &outgoing)) {
        if (outgoing.reliable) {
            take_reliable(&play->clients[outgoing.client], &outgoing);
            start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
            continue;
        }
        take_message(play, &play->clients[outgoing.client], &outgoing);
    }
    play->cost.outgoing_ns = measure_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

bool play_tick(struct play *play)
{
    for (uint32_t i = 0; i < play->def.players; i++) {
        play->clients[i].message_size = 0;
        deliver(play, i);
    }
    step(play);
    pull(play);
    play->cost.told = 0;
    for (uint32_t i = 0; i < play->def.players; i++) {
        if (!take_snapshot(play, &play->clients[i]))
            return false;
        play->cost.told += play->clients[i].playing;
    }
    for (uint32_t i = 0; i < play->def.players; i++)
        act(play, &play->clients[i]);
    return true;
}

const struct raim_wire_limits *play_limits(const struct play *play)
{
    return &play->limits;
}

struct play_cost play_last_cost(const struct play *play)
{
    return play->cost;
}

bool play_telling_of(const struct play *play, uint32_t index, struct play_telling *telling)
{
    const uint32_t tick = raim_match_tick(play->match);
    const struct client *client = &play->clients[index];
    if (!client->playing)
        return false;
    const struct seen *seen = seen_at(play, client, tick);
    *telling = (struct play_telling){
        .frame = &seen->frame,
        .near_tick = client->knows ? client->newest : tick,
        .bytes = client->message,
        .size = seen->size,
        .visible = seen->visible,
        .moving = seen->moving,
    };
    if (seen->age != 0)
        telling->baseline = &seen_at(play, client, tick - seen->age)->frame;
    return true;
}

uint64_t play_rejected(const struct play *play)
{
    const struct raim_match_counts counts = raim_match_counts(play->match);
    uint64_t rejected = 0;
    for (int i = 0; i < RAIM_REJECTIONS; i++)
        rejected += counts.rejected[i];
    return rejected;
}
