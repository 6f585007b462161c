// SPDX-License-Identifier: MIT
// A client with a bot that plays, and a clock of its own.
#include "state.h"

#include "message.h"
#include "random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AGAIN_S = 2, MAX_POLL_INPUTS = 16 };
static const double connect_timeout_s = 5;

uint64_t peer_now_us(const struct simulation *simulation, const struct peer *peer)
{
    const double passed_us = (double)(simulation->now_us - peer->since_us);
    return peer->local_us + (uint64_t)(passed_us * peer->clock_rate);
}

void peer_set_clock(struct simulation *simulation, struct peer *peer, double rate)
{
    peer->local_us = peer_now_us(simulation, peer);
    peer->since_us = simulation->now_us;
    peer->clock_rate = rate;
}

void peer_set_line(struct simulation *simulation, struct peer *peer,
                   const struct network_line *line)
{
    network_set_line(simulation->network, peer->index, line);
}

static void draw_name(struct peer *peer, char *name, size_t capacity)
{
    static const char *const odd[] = {"",
                                      "\xff\xfe",
                                      "\xe2\x80\x8b\xe2\x80\x8b",
                                      "\xe2\x80\xaeseat-1",
                                      "SERVER",
                                      "a\nb\x1b[31m",
                                      "\xd0\xb0\xd0\xb0\xd0\xb0",
                                      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                      "\xf0\x9f\x98\x80\xcc\x80\xcc\x80\xcc\x80"};
    if (peer->has_odd_name)
        snprintf(name, capacity, "%s",
                 odd[raim_random_below(&peer->random, sizeof odd / sizeof *odd)]);
    else
        snprintf(name, capacity, "peer-%u", peer->index);
}

void peer_begin(struct simulation *simulation, struct peer *peer)
{
    char name[64];
    struct raim_client_def def = raim_client_default_def();
    draw_name(peer, name, sizeof name);
    def.name = name;
    def.watch = peer->watches;
    def.connect_timeout_s = connect_timeout_s;
    peer->client = raim_client_create(&def);
    assert(peer->client != NULL);
    peer->state = RAIM_CLIENT_CONNECTING;
    peer->id = RAIM_NOBODY;
    peer->entries = peer->resumes = peer->snapshots = 0;
    peer->was_announced = false;
    peer->announcement = 0;
    (void)simulation;
}

static void drop_connection(struct simulation *simulation, struct peer *peer)
{
    if (peer->connection != NO_CONNECTION)
        network_drop(simulation->network, (uint32_t)peer->connection, NETWORK_CLIENT,
                     simulation->now_us);
    peer->connection = NO_CONNECTION;
}

void peer_end(struct simulation *simulation, struct peer *peer, double again_s)
{
    drop_connection(simulation, peer);
    raim_client_destroy(peer->client);
    peer->client = NULL;
    peer->begin_us = simulation->now_us + (uint64_t)(again_s * SECOND_US);
}

static void record(struct simulation *simulation, const struct peer *peer, bool reliable,
                   const uint8_t *bytes, size_t size)
{
    if (peer->is_liar || size > RAIM_MAX_MESSAGE_BYTES ||
        (!reliable && peer->polls % (TICK_HZ / 2) != 0))
        return;
    struct recorded *recorded = &simulation->recorded[simulation->recorded_count++ % MAX_RECORDED];
    recorded->reliable = reliable;
    recorded->size = size;
    memcpy(recorded->bytes, bytes, size);
}

void peer_send(struct simulation *simulation, struct peer *peer, bool reliable, uint8_t *bytes,
               size_t size)
{
    if (size == 0 || peer->connection == NO_CONNECTION)
        return;
    for (int flips = peer->mutates ? 1 + (int)raim_random_below(&peer->lie_random, 4) : 0;
         flips > 0; flips--)
        bytes[raim_random_below(&peer->lie_random, (uint32_t)size)] ^=
            (uint8_t)(1 << raim_random_below(&peer->lie_random, 8));
    network_send(simulation->network, (uint32_t)peer->connection, NETWORK_CLIENT, reliable, bytes,
                 size, simulation->now_us);
    record(simulation, peer, reliable, bytes, size);
}

// --- playing ---

static raim_input think(struct peer *peer, uint64_t now_us)
{
    struct raim_client *client = peer->client;
    struct raim_client_player players[MAX_SLOTS];
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    raim_client_interpolate(client, now_us);
    if (!raim_client_can_draw(client) || !raim_client_alive(client) ||
        raim_client_is_spectator(client))
        return (raim_input){0};
    const uint32_t count = raim_client_interpolated_players(client, players, MAX_SLOTS);
    const raim_vec2 view = raim_client_view(client);
    struct raim_bot_observation sight = {
        .map = raim_client_map(client),
        .rules = raim_client_rules(client),
        .tick = (uint32_t)raim_client_own_tick(client),
        .tick_hz = raim_client_tick_hz(client),
        .position = raim_client_eye(client),
        .enemies = enemies,
    };
    for (uint32_t i = 0; i < count && sight.enemy_count < RAIM_BOT_MAX_ENEMIES; i++) {
        const raim_vec2 away = raim_vec2_sub(players[i].position, sight.position);
        if (players[i].slot == raim_client_own_slot(client) || fabs(away.x) > view.x / 2 ||
            fabs(away.y) > view.y / 2)
            continue;
        enemies[sight.enemy_count++] = (struct raim_bot_enemy){
            .key = (players[i].slot + 1) << 8 | players[i].life,
            .position = players[i].position,
            .velocity = players[i].velocity,
            .shielded = players[i].shielded,
        };
    }
    return raim_bot_think(&peer->brain, &sight);
}

static void play(struct simulation *simulation, struct peer *peer)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint64_t now_us = peer_now_us(simulation, peer);
    for (int i = 0; i < MAX_POLL_INPUTS && raim_client_is_input_due(peer->client, now_us); i++) {
        const raim_input input = think(peer, now_us);
        peer_send(simulation, peer, false, bytes,
                  raim_client_write_input(peer->client, now_us, &input, bytes, sizeof bytes));
    }
    if (raim_random_below(&peer->random, 10 * TICK_HZ) == 0) {
        char text[32];
        snprintf(text, sizeof text, "%u says %u", peer->index, peer->polls);
        const size_t size = raim_client_write_chat(peer->client, text, bytes, sizeof bytes);
        simulation->verdict->chats += size > 0;
        peer_send(simulation, peer, true, bytes, size);
    }
}

static bool may_end(const struct peer *peer, uint32_t reason)
{
    switch (reason) {
    case RAIM_REASON_MALFORMED:
    case RAIM_REASON_VERSION:
    case RAIM_REASON_NAME:
    case RAIM_REASON_ACCESS:
    case RAIM_REASON_PASSWORD:
    case RAIM_REASON_CHANNELS:
    case RAIM_REASON_RESUMED:
    case RAIM_REASON_SHUTDOWN:
        return peer->is_liar;
    default:
        return true;
    }
}

static void follow_state(struct simulation *simulation, struct peer *peer)
{
    const enum raim_client_state before = peer->state;
    peer->state = raim_client_get_state(peer->client);
    if (peer->state == RAIM_CLIENT_ENDED) {
        const struct raim_client_end end = raim_client_get_end(peer->client);
        if (!may_end(peer, end.reason))
            fail(simulation, "honest_clients_end_with_a_cause", "peer %u ended: %s", peer->index,
                 raim_client_reason_name(end.reason));
        peer_end(simulation, peer, AGAIN_S);
        return;
    }
    if (peer->state == RAIM_CLIENT_PLAYING &&
        (before != RAIM_CLIENT_PLAYING ||
         raim_client_get_stats(peer->client)->entries != peer->entries)) {
        peer->playing_since_us = simulation->now_us;
        invariants_check_entry(simulation, peer);
    }
}

void peer_poll(struct simulation *simulation, struct peer *peer)
{
    if (peer->client == NULL && simulation->now_us >= peer->begin_us)
        peer_begin(simulation, peer);
    if (peer->client == NULL || peer->is_stalled)
        return;
    const uint64_t now_us = peer_now_us(simulation, peer);
    peer->polls++;
    if (raim_client_wants_connection(peer->client, now_us)) {
        drop_connection(simulation, peer);
        peer->connection =
            (int)network_connect(simulation->network, peer->index, simulation->now_us);
    }
    follow_state(simulation, peer);
    if (peer->client == NULL)
        return;
    if (peer->connection != NO_CONNECTION && peer->polls % (2 * TICK_HZ) == 0) {
        const struct network_share share =
            network_take_share(simulation->network, (uint32_t)peer->connection, NETWORK_CLIENT);
        raim_client_count_loss(peer->client, share.came, share.sent);
    }
    invariants_take_events(simulation, peer);
    if (peer->state == RAIM_CLIENT_PLAYING)
        play(simulation, peer);
}

void peer_deliver(struct simulation *simulation, const struct network_delivery *delivery)
{
    struct peer *peer = &simulation->peers[delivery->client];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    assert(peer->client != NULL && peer->connection == (int)delivery->connection);
    const uint64_t now_us = peer_now_us(simulation, peer);
    switch (delivery->news) {
    case NETWORK_CONNECTED:
        peer_send(simulation, peer, true, bytes,
                  raim_client_write_hello(peer->client, now_us, bytes, sizeof bytes));
        break;
    case NETWORK_MESSAGE:
        // The server believes what a liar acknowledges.
        if (!raim_client_receive(peer->client, now_us, delivery->data, delivery->size) &&
            !peer->is_liar)
            fail(simulation, "clients_read_all_messages", "peer %u: %zu bytes, first %u, state %d",
                 peer->index, delivery->size, delivery->data[0], (int)peer->state);
        break;
    case NETWORK_DISCONNECTED:
        peer->connection = NO_CONNECTION;
        raim_client_disconnected(peer->client, now_us,
                                 delivery->lost ? RAIM_REASON_LOST : delivery->reason);
        break;
    }
    follow_state(simulation, peer);
    if (peer->client != NULL && peer->state == RAIM_CLIENT_PLAYING)
        invariants_check_client(simulation, peer);
}
