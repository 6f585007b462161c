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

uint64_t seat_now_us(const struct simulation *simulation, const struct seat *seat)
{
    const double passed_us = (double)(simulation->now_us - seat->since_us);
    return seat->local_us + (uint64_t)(passed_us * seat->clock_rate);
}

void seat_set_clock(struct simulation *simulation, struct seat *seat, double rate)
{
    seat->local_us = seat_now_us(simulation, seat);
    seat->since_us = simulation->now_us;
    seat->clock_rate = rate;
}

void seat_set_line(struct simulation *simulation, struct seat *seat,
                   const struct network_line *line)
{
    network_set_line(simulation->network, seat->index, line);
}

static void draw_name(struct seat *seat, char *name, size_t capacity)
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
    if (seat->has_odd_name)
        snprintf(name, capacity, "%s",
                 odd[raim_random_below(&seat->random, sizeof odd / sizeof *odd)]);
    else
        snprintf(name, capacity, "seat-%u", seat->index);
}

void seat_begin(struct simulation *simulation, struct seat *seat)
{
    char name[64];
    struct raim_client_def def = raim_client_default_def();
    draw_name(seat, name, sizeof name);
    def.name = name;
    def.watch = seat->watches;
    def.connect_timeout_s = connect_timeout_s;
    seat->client = raim_client_create(&def);
    assert(seat->client != NULL);
    seat->state = RAIM_CLIENT_CONNECTING;
    seat->id = RAIM_NOBODY;
    seat->entries = seat->resumes = seat->snapshots = 0;
    seat->was_announced = false;
    seat->announcement = 0;
    (void)simulation;
}

static void drop_connection(struct simulation *simulation, struct seat *seat)
{
    if (seat->connection != NO_CONNECTION)
        network_drop(simulation->network, (uint32_t)seat->connection, NETWORK_CLIENT,
                     simulation->now_us);
    seat->connection = NO_CONNECTION;
}

void seat_end(struct simulation *simulation, struct seat *seat, double again_s)
{
    drop_connection(simulation, seat);
    raim_client_destroy(seat->client);
    seat->client = NULL;
    seat->begin_us = simulation->now_us + (uint64_t)(again_s * SECOND_US);
}

static void record(struct simulation *simulation, const struct seat *seat, bool reliable,
                   const uint8_t *bytes, size_t size)
{
    if (seat->is_liar || size > RAIM_MAX_MESSAGE_BYTES ||
        (!reliable && seat->polls % (TICK_HZ / 2) != 0))
        return;
    struct recorded *recorded = &simulation->recorded[simulation->recorded_count++ % MAX_RECORDED];
    recorded->reliable = reliable;
    recorded->size = size;
    memcpy(recorded->bytes, bytes, size);
}

void seat_send(struct simulation *simulation, struct seat *seat, bool reliable, uint8_t *bytes,
               size_t size)
{
    if (size == 0 || seat->connection == NO_CONNECTION)
        return;
    for (int flips = seat->mutates ? 1 + (int)raim_random_below(&seat->lie_random, 4) : 0;
         flips > 0; flips--)
        bytes[raim_random_below(&seat->lie_random, (uint32_t)size)] ^=
            (uint8_t)(1 << raim_random_below(&seat->lie_random, 8));
    network_send(simulation->network, (uint32_t)seat->connection, NETWORK_CLIENT, reliable, bytes,
                 size, simulation->now_us);
    record(simulation, seat, reliable, bytes, size);
}

// --- playing ---

static raim_input think(struct seat *seat, uint64_t now_us)
{
    struct raim_client *client = seat->client;
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
    return raim_bot_think(&seat->brain, &sight);
}

static void play(struct simulation *simulation, struct seat *seat)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint64_t now_us = seat_now_us(simulation, seat);
    for (int i = 0; i < MAX_POLL_INPUTS && raim_client_is_input_due(seat->client, now_us); i++) {
        const raim_input input = think(seat, now_us);
        seat_send(simulation, seat, false, bytes,
                  raim_client_write_input(seat->client, now_us, &input, bytes, sizeof bytes));
    }
    if (raim_random_below(&seat->random, 10 * TICK_HZ) == 0) {
        char text[32];
        snprintf(text, sizeof text, "%u says %u", seat->index, seat->polls);
        const size_t size = raim_client_write_chat(seat->client, text, bytes, sizeof bytes);
        simulation->verdict->chats += size > 0;
        seat_send(simulation, seat, true, bytes, size);
    }
}

static bool may_end(const struct seat *seat, uint32_t reason)
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
        return seat->is_liar;
    default:
        return true;
    }
}

static void follow_state(struct simulation *simulation, struct seat *seat)
{
    const enum raim_client_state before = seat->state;
    seat->state = raim_client_get_state(seat->client);
    if (seat->state == RAIM_CLIENT_ENDED) {
        const struct raim_client_end end = raim_client_get_end(seat->client);
        if (!may_end(seat, end.reason))
            fail(simulation, "honest_clients_end_with_a_cause", "seat %u ended: %s", seat->index,
                 raim_client_reason_name(end.reason));
        seat_end(simulation, seat, AGAIN_S);
        return;
    }
    if (seat->state == RAIM_CLIENT_PLAYING &&
        (before != RAIM_CLIENT_PLAYING ||
         raim_client_get_stats(seat->client)->entries != seat->entries)) {
        seat->playing_since_us = simulation->now_us;
        invariants_check_entry(simulation, seat);
    }
}

void seat_poll(struct simulation *simulation, struct seat *seat)
{
    if (seat->client == NULL && simulation->now_us >= seat->begin_us)
        seat_begin(simulation, seat);
    if (seat->client == NULL || seat->is_stalled)
        return;
    const uint64_t now_us = seat_now_us(simulation, seat);
    seat->polls++;
    if (raim_client_wants_connection(seat->client, now_us)) {
        drop_connection(simulation, seat);
        seat->connection =
            (int)network_connect(simulation->network, seat->index, simulation->now_us);
    }
    follow_state(simulation, seat);
    if (seat->client == NULL)
        return;
    if (seat->connection != NO_CONNECTION && seat->polls % (2 * TICK_HZ) == 0) {
        const struct network_share share =
            network_take_share(simulation->network, (uint32_t)seat->connection, NETWORK_CLIENT);
        raim_client_count_loss(seat->client, share.came, share.sent);
    }
    invariants_take_events(simulation, seat);
    if (seat->state == RAIM_CLIENT_PLAYING)
        play(simulation, seat);
}

void seat_deliver(struct simulation *simulation, const struct network_delivery *delivery)
{
    struct seat *seat = &simulation->seats[delivery->client];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    assert(seat->client != NULL && seat->connection == (int)delivery->connection);
    const uint64_t now_us = seat_now_us(simulation, seat);
    switch (delivery->news) {
    case NETWORK_CONNECTED:
        seat_send(simulation, seat, true, bytes,
                  raim_client_write_hello(seat->client, now_us, bytes, sizeof bytes));
        break;
    case NETWORK_MESSAGE:
        // The server believes what a liar acknowledges.
        if (!raim_client_receive(seat->client, now_us, delivery->data, delivery->size) &&
            !seat->is_liar)
            fail(simulation, "clients_read_all_messages", "seat %u: %zu bytes, first %u, state %d",
                 seat->index, delivery->size, delivery->data[0], (int)seat->state);
        break;
    case NETWORK_DISCONNECTED:
        seat->connection = NO_CONNECTION;
        raim_client_disconnected(seat->client, now_us,
                                 delivery->lost ? RAIM_REASON_LOST : delivery->reason);
        break;
    }
    follow_state(simulation, seat);
    if (seat->client != NULL && seat->state == RAIM_CLIENT_PLAYING)
        invariants_check_client(simulation, seat);
}
