// SPDX-License-Identifier: MIT
// A match and its clients in one process, with random loss instead of a network.
#pragma once

#include "arena_fixture.h"
#include "chance.h"
#include "client.h"
#include "handshake.h"
#include "input.h"
#include "match.h"
#include "snapshot.h"
#include "test.h"

enum { CLIENTS = 48 };

struct table {
    struct raim_map *map;
    struct raim_match *match;
    struct raim_client *clients[CLIENTS]; // by handle; NULL: no client
    bool closed[CLIENTS];
    bool fresh[CLIENTS]; // it received a snapshot in the last tick
    double loss;         // of unreliable messages in both directions
};

static inline struct table *open_table_on(struct raim_map *map, const raim_rules *rules,
                                          uint32_t max_players, uint32_t bots)
{
    struct table *table = calloc(1, sizeof *table);
    struct raim_match_def def = raim_match_default_def();
    table->map = map;
    def.map = map;
    def.rules = *rules;
    def.tuning.max_players = max_players;
    def.max_connections = CLIENTS;
    def.tuning.resume_grace_s = 2;
    def.bots = bots;
    table->match = raim_match_create(&def);
    assert_non_null(table->match);
    return table;
}

static inline struct table *open_table(const raim_rules *rules, uint32_t max_players, uint32_t bots)
{
    const raim_box boxes[] = {
        {{-300, -300}, {-100, -100}}, {{-100, -50}, {100, 20}}, {{100, -300}, {300, -90}}};
    return open_table_on(fixture_map(boxes, 3), rules, max_players, bots);
}

static inline void close_table(struct table *table)
{
    for (int i = 0; i < CLIENTS; i++)
        raim_client_destroy(table->clients[i]);
    raim_match_destroy(table->match);
    raim_map_destroy(table->map);
    free(table);
}

// Delivers a message in memory of exactly its size, so that ASan detects a read beyond.
static inline void to_match(struct table *table, uint32_t handle, bool reliable,
                            const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, data, size);
    raim_match_receive(table->match, handle, reliable, exact, size);
    free(exact);
}

// The time of the next tick on the clients' clock.
static inline uint64_t now_us(const struct table *table)
{
    return (uint64_t)raim_match_tick(table->match) * 1000000 / 60;
}

static inline void connect(struct table *table, uint32_t handle)
{
    uint8_t token[RAIM_TOKEN_BYTES];
    for (size_t i = 0; i < sizeof token; i++)
        token[i] = (uint8_t)chance_int(0, 255);
    raim_match_connect(table->match, handle, token);
}

static inline struct raim_client *sit_down(struct table *table, uint32_t handle, const char *name)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client_def def = raim_client_default_def();
    def.name = name;
    struct raim_client *client = raim_client_create(&def);
    table->clients[handle] = client;
    table->closed[handle] = false;
    connect(table, handle);
    assert_true(raim_client_wants_connection(client, now_us(table)));
    to_match(table, handle, true, bytes,
             raim_client_write_hello(client, now_us(table), bytes, sizeof bytes));
    return client;
}

// Breaks a client's connection for good.
static inline void lose(struct table *table, uint32_t handle)
{
    raim_match_disconnect(table->match, handle);
    raim_client_destroy(table->clients[handle]);
    table->clients[handle] = NULL;
}

static inline void stand_up(struct table *table, uint32_t handle)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client *client = table->clients[handle];
    to_match(table, handle, true, bytes, raim_client_write_goodbye(client, bytes, sizeof bytes));
    lose(table, handle);
}

static inline bool is_lost(const struct table *table)
{
    return table->loss > 0 && raim_random_unit(&chance) < table->loss;
}

static inline void deliver(struct table *table)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(table->match, &out)) {
        assert_true((out.size > 0 || out.close) && out.size <= RAIM_MAX_MESSAGE_BYTES);
        if (out.close)
            table->closed[out.client] = true;
        if (out.size == 0 || table->clients[out.client] == NULL ||
            (!out.reliable && is_lost(table)))
            continue;
        uint8_t *exact = malloc(out.size);
        memcpy(exact, out.data, out.size);
        struct raim_client *client = table->clients[out.client];
        assert_true(raim_client_receive(client, now_us(table), exact, out.size));
        table->fresh[out.client] |= !out.reliable;
        free(exact);
    }
}

static inline void tick(struct table *table)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    raim_match_step(table->match);
    memset(table->fresh, 0, sizeof table->fresh);
    deliver(table);
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        if (table->clients[handle] == NULL)
            continue;
        struct raim_client *client = table->clients[handle];
        while (raim_client_is_input_due(client, now_us(table))) {
            const raim_input input = {
                .move_x = (int8_t)chance_int(-1, 1),
                .move_y = (int8_t)chance_int(-1, 1),
                .fire = 1,
                .aim = (raim_angle)chance_int(0, 65535),
            };
            const size_t size =
                raim_client_write_input(client, now_us(table), &input, bytes, sizeof bytes);
            if (size > 0 && !is_lost(table))
                to_match(table, handle, false, bytes, size);
        }
    }
}

static inline uint64_t refused(const struct table *table, enum raim_refusal refusal)
{
    return raim_match_counts(table->match).refused[refusal];
}
