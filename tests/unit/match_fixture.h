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

struct test_match {
    struct raim_map *map;
    struct raim_match *match;
    struct raim_client *clients[CLIENTS]; // by handle; NULL: no client
    bool closed[CLIENTS];
    bool fresh[CLIENTS]; // it received a snapshot in the last tick
    double loss;         // of unreliable messages in both directions
};

static inline void destroy_test_match(void *object)
{
    struct test_match *test = object;
    for (int i = 0; i < CLIENTS; i++)
        raim_client_destroy(test->clients[i]);
    raim_match_destroy(test->match);
    raim_map_destroy(test->map);
    free(test);
}

// Where a test opens many; the others are closed after it.
static inline void close_test_match(struct test_match *test)
{
    test_end_now(test);
}

static inline struct test_match *open_test_match_on(struct raim_map *map, const raim_rules *rules,
                                                    uint32_t max_players, uint32_t bots)
{
    struct test_match *test = calloc(1, sizeof *test);
    struct raim_match_def def = raim_match_default_def();
    test_at_end(destroy_test_match, test);
    test->map = map;
    def.map = map;
    if (rules != NULL)
        def.rules = *rules;
    def.tuning.max_players = max_players;
    def.max_connections = CLIENTS;
    def.tuning.resume_grace_s = 2;
    def.bots = bots;
    test->match = raim_match_create(&def);
    assert_non_null(test->match);
    return test;
}

static inline struct test_match *open_test_match(const raim_rules *rules, uint32_t max_players,
                                                 uint32_t bots)
{
    const raim_box boxes[] = {
        {{-300, -300}, {-100, -100}}, {{-100, -50}, {100, 20}}, {{100, -300}, {300, -90}}};
    return open_test_match_on(fixture_map(boxes, 3), rules, max_players, bots);
}

// Delivers a message in memory of exactly its size, so that ASan detects a read beyond.
static inline void to_match(struct test_match *test, uint32_t handle, bool reliable,
                            const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, data, size);
    raim_match_receive(test->match, handle, reliable, exact, size);
    free(exact);
}

// The time of the next tick on the clients' clock.
static inline uint64_t now_us(const struct test_match *test)
{
    return (uint64_t)raim_match_tick(test->match) * 1000000 / 60;
}

static inline void connect(struct test_match *test, uint32_t handle)
{
    uint8_t token[RAIM_TOKEN_BYTES];
    for (size_t i = 0; i < sizeof token; i++)
        token[i] = (uint8_t)chance_int(0, 255);
    raim_match_connect(test->match, handle, token);
}

static inline struct raim_client *join(struct test_match *test, uint32_t handle, const char *name)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client_def def = raim_client_default_def();
    def.name = name;
    struct raim_client *client = raim_client_create(&def);
    test->clients[handle] = client;
    test->closed[handle] = false;
    connect(test, handle);
    assert_true(raim_client_wants_connection(client, now_us(test)));
    to_match(test, handle, true, bytes,
             raim_client_write_hello(client, now_us(test), bytes, sizeof bytes));
    return client;
}

// Breaks a client's connection for good.
static inline void lose(struct test_match *test, uint32_t handle)
{
    raim_match_disconnect(test->match, handle);
    raim_client_destroy(test->clients[handle]);
    test->clients[handle] = NULL;
}

static inline void leave(struct test_match *test, uint32_t handle)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client *client = test->clients[handle];
    to_match(test, handle, true, bytes, raim_client_write_goodbye(client, bytes, sizeof bytes));
    lose(test, handle);
}

static inline bool is_lost(const struct test_match *test)
{
    return test->loss > 0 && raim_random_unit(&chance) < test->loss;
}

static inline void deliver(struct test_match *test)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(test->match, &out)) {
        assert_true((out.size > 0 || out.close) && out.size <= RAIM_MAX_MESSAGE_BYTES);
        if (out.close)
            test->closed[out.client] = true;
        if (out.size == 0 || test->clients[out.client] == NULL || (!out.reliable && is_lost(test)))
            continue;
        uint8_t *exact = malloc(out.size);
        memcpy(exact, out.data, out.size);
        struct raim_client *client = test->clients[out.client];
        assert_true(raim_client_receive(client, now_us(test), exact, out.size));
        test->fresh[out.client] |= !out.reliable;
        free(exact);
    }
}

static inline void tick(struct test_match *test)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    raim_match_step(test->match);
    memset(test->fresh, 0, sizeof test->fresh);
    deliver(test);
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        if (test->clients[handle] == NULL)
            continue;
        struct raim_client *client = test->clients[handle];
        while (raim_client_is_input_due(client, now_us(test))) {
            const raim_input input = {
                .move_x = (int8_t)chance_int(-1, 1),
                .move_y = (int8_t)chance_int(-1, 1),
                .fire = 1,
                .aim = (raim_angle)chance_int(0, 65535),
            };
            const size_t size =
                raim_client_write_input(client, now_us(test), &input, bytes, sizeof bytes);
            if (size > 0 && !is_lost(test))
                to_match(test, handle, false, bytes, size);
        }
    }
}

static inline uint64_t rejected(const struct test_match *test, enum raim_rejection rejection)
{
    return raim_match_counts(test->match).rejected[rejection];
}

static inline void ticks(struct test_match *test, int count)
{
    while (count-- > 0)
        tick(test);
}
