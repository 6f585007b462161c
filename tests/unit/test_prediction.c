// SPDX-License-Identifier: MIT
// Clients before a real match: what they are not told, because both ends predict it, is the truth.
#include "client.h"

#include "match.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TICK_HZ = 60, PLAYERS = 2, WATCHER = 2, CLIENTS = 3 };

static uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];

struct table {
    struct raim_match *match;
    struct raim_map *map;
    struct raim_client *clients[CLIENTS];
    bool is_cut; // snapshots get lost
    uint32_t snapshots[CLIENTS];
};

static void sit_down(struct table *table, uint32_t handle)
{
    struct raim_client_def def = raim_client_default_def();
    def.watch = handle == WATCHER;
    struct raim_client *client = raim_client_create(&def);
    assert_non_null(client);
    table->clients[handle] = client;
    raim_match_connect(table->match, handle, true);
    raim_match_receive(table->match, handle, true, bytes,
                       raim_client_write_hello(client, bytes, sizeof bytes));
}

static void play_tick(struct table *table, const raim_input inputs[])
{
    struct raim_outgoing out;
    raim_match_step(table->match);
    while (raim_match_outgoing(table->match, &out)) {
        table->snapshots[out.client] += !out.reliable;
        if (out.reliable || !table->is_cut)
            assert_true(raim_client_receive(table->clients[out.client], out.data, out.size));
    }
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        const size_t size =
            raim_client_press(table->clients[handle], &inputs[handle], bytes, sizeof bytes);
        if (size > 0)
            raim_match_receive(table->match, handle, false, bytes, size);
    }
}

// Two play and one watches them, all in view of each other, and a second has passed.
static struct table open_table(void)
{
    static const raim_vec2 spawns[] = {{900, 400}, {1100, 600}};
    const struct raim_map_def map_def = {
        .name = "open", .border = {{0, 0}, {2000, 1000}}, .spawns = spawns, .spawn_count = 2};
    struct raim_map_problem problem;
    struct table table = {.map = raim_map_create(&map_def, &problem)};
    struct raim_match_def def = raim_match_default_def();
    def.map = table.map;
    def.tick_hz = TICK_HZ;
    def.view_width = def.view_height = 4000; // all of it
    def.max_clients = 2;
    def.max_spectators = 1;
    def.max_connections = CLIENTS;
    def.bots = 0;
    table.match = raim_match_create(&def);
    assert_true(table.map != NULL && table.match != NULL);
    for (uint32_t handle = 0; handle < CLIENTS; handle++)
        sit_down(&table, handle);
    for (int i = 0; i < TICK_HZ; i++)
        play_tick(&table, (raim_input[CLIENTS]){0});
    return table;
}

static void close_table(struct table *table)
{
    for (uint32_t handle = 0; handle < CLIENTS; handle++)
        raim_client_destroy(table->clients[handle]);
    raim_match_destroy(table->match);
    raim_map_destroy(table->map);
}

// Everybody and everything is where the world has it, to the bit. Only who is told of it knows that
// a bullet has ended.
static void assert_shows_the_world(const struct table *table, const struct raim_client *client)
{
    const struct raim_world *world = raim_match_world(table->match);
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    struct raim_client_player seen[PLAYERS];
    struct raim_client_bullet flying[RAIM_MAX_BULLETS];
    assert_int_equal(raim_client_tick(client), world->tick);
    assert_int_equal(raim_client_players(client, seen, PLAYERS), PLAYERS);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_true(seen[i].position.x == players[i].position.x);
        assert_true(seen[i].position.y == players[i].position.y);
    }
    const uint32_t count = raim_client_bullets(client, flying, RAIM_MAX_BULLETS);
    uint32_t next = 0;
    for (uint32_t place = 0; place < world->max_bullets; place++) {
        if (bullets[place].owner == RAIM_NOBODY)
            continue;
        const uint32_t owner = raim_player_place(bullets[place].owner);
        const raim_vec2 at =
            raim_bullet_position(&world->rules, &bullets[place], world->tick, TICK_HZ);
        while (table->is_cut && next < count && flying[next].position.x != at.x)
            next++;
        assert_true(next < count && flying[next].owner == owner);
        assert_true(flying[next].position.x == at.x && flying[next].position.y == at.y);
        next++;
    }
    assert_true(next == count || table->is_cut);
}

// All run into the same direction, another one each turn, and back in the next; they shoot away
// from each other.
static void press_keys(const struct table *table, raim_input inputs[], int turn, bool fire)
{
    static const int8_t directions[8][2] = {{1, 0}, {-1, 0}, {1, 1},  {-1, -1},
                                            {0, 1}, {0, -1}, {-1, 1}, {1, -1}};
    const raim_player *players = raim_world_players_const(raim_match_world(table->match));
    const bool is_left = players[0].position.x < players[1].position.x;
    for (int i = 0; i < PLAYERS; i++)
        inputs[i] = (raim_input){
            .move_x = directions[turn % 8][0],
            .move_y = directions[turn % 8][1],
            .fire = fire,
            .aim = (i == 0) == is_left ? RAIM_ANGLE_TURN / 2 : 0,
        };
}

static void test_a_client_predicts_what_a_match_does_not_tell(void **state)
{
    (void)state;
    enum { TURNS = 32, TURN = 40 };
    struct table table = open_table();
    raim_input inputs[CLIENTS] = {0};
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < TURN; i++) {
            press_keys(&table, inputs, turn, i == 5);
            play_tick(&table, inputs);
            for (uint32_t handle = 0; handle < CLIENTS; handle++)
                assert_shows_the_world(&table, table.clients[handle]);
        }
    }
    assert_int_equal(raim_client_viewpoint(table.clients[WATCHER]),
                     raim_client_own_place(table.clients[0]));
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        // Ten a second, and besides what a turn or a shot changes until it is acknowledged.
        assert_true(table.snapshots[handle] >= TURNS * TURN / 6);
        assert_true(table.snapshots[handle] < TURNS * TURN / 2);
        assert_int_equal(raim_client_stats(table.clients[handle])->decode_errors, 0);
        assert_int_equal(raim_client_stats(table.clients[handle])->snapshots,
                         table.snapshots[handle]);
    }
    close_table(&table);
}

static void test_lost_snapshots_cost_nothing_while_everybody_goes_on(void **state)
{
    (void)state;
    struct table table = open_table();
    raim_input inputs[CLIENTS] = {0};
    for (int turn = 0; turn < 16; turn++) {
        for (int i = 0; i < 25; i++) {
            press_keys(&table, inputs, turn, i == 5);
            play_tick(&table, inputs);
        }
        // The newest snapshot may be a tenth of a second old, and more than a quarter is too much.
        table.is_cut = true;
        for (int i = 0; i < TICK_HZ / 4 - TICK_HZ / 10; i++) {
            play_tick(&table, inputs);
            for (uint32_t handle = 0; handle < CLIENTS; handle++)
                assert_shows_the_world(&table, table.clients[handle]);
        }
        table.is_cut = false;
    }
    close_table(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_client_predicts_what_a_match_does_not_tell),
        cmocka_unit_test(test_lost_snapshots_cost_nothing_while_everybody_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
