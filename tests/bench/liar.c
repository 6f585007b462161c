// SPDX-License-Identifier: MIT
// Falsifies acknowledgements and view ages, and aims by its newest snapshots.
#include "liar.h"

#include "input.h"
#include "match_internal.h"
#include "message.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Of each cycle of a bursting liar, how much it lies.
static const double cycle_s = 2.5, burst_s = 0.75;

enum { AIM_ROUNDS = 3 };

static const struct raim_match *match_of(const struct liars *liars)
{
    return netsim_match(liars->netsim);
}

static bool is_bursting(const struct liars *liars)
{
    const double now_s = (double)netsim_now_us(liars->netsim) * 1e-6;
    return fmod(now_s, cycle_s) >= cycle_s - burst_s;
}

// The ticks by which a player holds its acknowledgements of snapshots back now.
static uint32_t held_ticks(const struct liars *liars, uint32_t player)
{
    const enum liar_lie lie = liars->lies[player];
    const bool holds =
        lie == LIAR_ACKS || lie == LIAR_ALL || (lie == LIAR_BURSTS && is_bursting(liars));
    return holds ? liars->hold_ticks : 0;
}

// The server's record of a player's connection, which a liar is granted to know.
static const struct raim_connection *connection_of(const struct liars *liars, uint32_t player)
{
    const struct raim_match *match = match_of(liars);
    const uint32_t slot = raim_client_own_slot(netsim_client(liars->netsim, player));
    return &match->connections[match->sessions[slot].client];
}

// --- what it knows ---

static void learn(struct liars *liars, uint32_t player)
{
    struct liar_player *self = &liars->players[player];
    const struct raim_client *client = netsim_client(liars->netsim, player);
    struct raim_client_player seen[NETSIM_MAX_PLAYERS];
    const uint32_t count = raim_client_players(client, seen, NETSIM_MAX_PLAYERS);
    const uint32_t tick = raim_client_tick(client);
    struct liar_known *known = self->known[tick % LIAR_KNOWN];
    memset(known, 0, sizeof self->known[0]);
    for (uint32_t i = 0; i < count; i++)
        known[seen[i].slot] = (struct liar_known){
            .tick = tick,
            .life = seen[i].life,
            .position = seen[i].position,
            .velocity = seen[i].velocity,
        };
    self->newest = tick;
    self->is_any = true;
}

// Where somebody is in a tick, as far as that is known, and as it goes on, beyond.
static bool find(const struct liar_player *self, uint32_t slot, uint8_t life, double ahead,
                 uint32_t tick_hz, raim_vec2 *position)
{
    const uint32_t back = ahead < 0 ? (uint32_t)ceil(-ahead) : 0;
    if (back >= LIAR_KNOWN)
        return false;
    const uint32_t tick = self->newest - back;
    const struct liar_known *known = &self->known[tick % LIAR_KNOWN][slot];
    if (known->tick != tick || known->life != life)
        return false;
    *position = raim_vec2_mad(known->position, known->velocity, (ahead + back) / tick_hz);
    return true;
}

// --- what it makes of it ---

// Ticks from the newest that it knows to the one as of which its bullet will be launched; not
// positive.
static double launch_of(const struct liars *liars, uint32_t player, uint32_t tick)
{
    const struct liar_player *self = &liars->players[player];
    const struct raim_client *client = netsim_client(liars->netsim, player);
    const uint32_t most = match_of(liars)->world->max_rewind;
    double rewind =
        floor(raim_client_own_tick(client) - raim_client_interpolated_tick(client) + 0.5);
    if (liars->lies[player] != LIAR_HONEST)
        rewind = raim_rewind_limit_view(&connection_of(liars, player)->rewind_limit) + 1;
    rewind = fmin(rewind, most);
    return fmin(0, raim_tick_diff(tick, self->newest) - rewind);
}

// Puts an enemy to where a bot that leads it evenly from the launch on aims at where it will be.
static raim_vec2 feint(const struct liar_player *self, uint32_t slot, raim_vec2 from,
                       const struct raim_bot_enemy *enemy, double launch,
                       const struct raim_bot_observation *sight)
{
    raim_vec2 seen = enemy->position;
    const uint8_t life = (uint8_t)(enemy->key & 0xff);
    for (int i = 0; i < AIM_ROUNDS; i++) {
        const double flight_s =
            raim_vec2_length(raim_vec2_sub(seen, from)) / sight->rules->bullet_speed;
        const double hit = launch + flight_s * sight->tick_hz;
        raim_vec2 there;
        if (!find(self, slot, life, hit, sight->tick_hz, &there))
            break;
        seen = raim_vec2_mad(there, enemy->velocity, -flight_s);
    }
    return seen;
}

static void see(void *context, uint32_t player, uint32_t tick, struct raim_bot_observation *sight)
{
    struct liars *liars = context;
    if (!liars->aims[player])
        return;
    learn(liars, player);
    struct liar_player *self = &liars->players[player];
    const double launch = launch_of(liars, player, tick);
    for (uint32_t i = 0; i < sight->enemy_count; i++) {
        const struct raim_bot_enemy *enemy = &sight->enemies[i];
        const uint32_t slot = (enemy->key >> 8) - 1;
        const struct liar_known *known = &self->known[self->newest % LIAR_KNOWN][slot];
        self->enemies[i] = *enemy;
        if (known->life != (uint8_t)(enemy->key & 0xff) || known->tick != self->newest)
            continue;
        self->enemies[i].velocity = known->velocity;
        self->enemies[i].position =
            feint(self, slot, sight->position, &self->enemies[i], launch, sight);
    }
    sight->enemies = self->enemies;
}

static void press(void *context, uint32_t player, raim_input *input)
{
    const struct liars *liars = context;
    (void)player;
    if (liars->fires_in_bursts && !is_bursting(liars))
        input->fire = 0;
}

// In ticks without an INPUT nothing newer is named.
static void remember_ack(struct liar_player *self, uint32_t tick, uint32_t snapshot)
{
    if (!self->has_acked)
        self->first_ack = self->newest_ack = tick;
    self->has_acked = true;
    while (self->newest_ack != tick) {
        const uint32_t named = self->acks[self->newest_ack % LIAR_ACKS_KEPT];
        self->acks[++self->newest_ack % LIAR_ACKS_KEPT] = named;
    }
    self->acks[tick % LIAR_ACKS_KEPT] = snapshot;
}

static size_t send(void *context, uint32_t player, uint8_t *bytes, size_t size, size_t capacity)
{
    struct liars *liars = context;
    struct liar_player *self = &liars->players[player];
    if (liars->lies[player] == LIAR_HONEST)
        return size;
    raim_reader reader = raim_reader_make(bytes, size);
    struct raim_input_message message;
    const bool good =
        raim_message_read(&reader) == RAIM_MESSAGE_INPUT && raim_input_read(&reader, &message);
    assert(good);
    if (!message.has_snapshot) {
        self->has_acked = false;
        return size;
    }
    const uint32_t held = held_ticks(liars, player);
    remember_ack(self, message.tick, message.snapshot);
    const uint32_t age = message.tick - self->first_ack;
    message.snapshot = self->acks[(message.tick - (held < age ? held : age)) % LIAR_ACKS_KEPT];
    for (uint32_t i = 0; i < message.count; i++)
        if (message.inputs[i].fire)
            message.inputs[i].view_age = RAIM_WIRE_REWIND;
    return raim_input_write(&message, bytes, capacity);
}

static double held_ms(void *context, uint32_t player)
{
    const struct liars *liars = context;
    const uint32_t tick_hz = match_of(liars)->world->tick_hz;
    return liars->lies[player] == LIAR_ACKS ? 0 : held_ticks(liars, player) * 1000.0 / tick_hz;
}

struct netsim_liar liars_hooks(struct liars *liars)
{
    return (struct netsim_liar){
        .context = liars,
        .see = see,
        .press = press,
        .send = send,
        .held_ms = held_ms,
    };
}
