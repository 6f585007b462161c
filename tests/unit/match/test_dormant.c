// SPDX-License-Identifier: MIT
// A dormant match skips the step of its world; the world is the one that stepping would give.
#include "match_fixture.h"

// A world beside the match, which is stepped in every tick.
struct reference {
    struct raim_world *world;
    raim_input inputs[RAIM_MAX_PLAYERS]; // zero: nobody plays
    raim_event items[16384];
    struct raim_events events;
    struct raim_world_workspace *workspace;
};

static struct reference *copy_world(const struct test_match *test)
{
    const struct raim_world *world = raim_match_world(test->match);
    struct reference *reference = calloc(1, sizeof *reference);
    reference->world = malloc(raim_world_bytes(world));
    memcpy(reference->world, world, raim_world_bytes(world));
    reference->events = (struct raim_events){.items = reference->items, .capacity = 16384};
    reference->workspace = raim_world_workspace_create();
    return reference;
}

static void free_reference(struct reference *reference)
{
    free(reference->world);
    raim_world_workspace_destroy(reference->workspace);
    free(reference);
}

static void assert_same_world(const struct test_match *test, const struct reference *reference)
{
    const struct raim_world *world = raim_match_world(test->match);
    assert_memory_equal(world, reference->world, raim_world_bytes(world));
}

// Steps both for a number of ticks with nobody there. Returns in how many the match was dormant.
static int rest(struct test_match *test, struct reference *reference, int count)
{
    int dormant = 0;
    for (int i = 0; i < count; i++) {
        dormant += raim_match_is_dormant(test->match);
        tick(test);
        raim_world_step(reference->world, test->map, reference->inputs, &reference->events,
                        reference->workspace);
        assert_same_world(test, reference);
    }
    return dormant;
}

TEST(a_dormant_match_has_the_world_of_a_stepped_one)
{
    for (int round = 0; round < 20; round++) {
        struct test_match *test = open_test_match(NULL, 8, 0);
        const int players = chance_int(1, 8);
        for (int i = 0; i < players; i++)
            join(test, (uint32_t)i, "Ada");
        for (int i = chance_int(2, 200); i > 0; i--)
            tick(test);
        for (int i = 0; i < players; i++)
            leave(test, (uint32_t)i);
        assert_false(raim_match_is_dormant(test->match));
        struct reference *reference = copy_world(test);
        assert_true(rest(test, reference, 100) > 60);

        // From here on both play the same.
        const struct raim_client *client = join(test, 3, "Eve");
        assert_false(raim_match_is_dormant(test->match));
        assert_true(raim_world_join(reference->world) != RAIM_NOBODY);
        for (int i = 0; i < 3; i++) {
            raim_match_step(test->match);
            deliver(test);
            raim_world_step(reference->world, test->map, reference->inputs, &reference->events,
                            reference->workspace);
        }
        assert_same_world(test, reference);
        assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
        free_reference(reference);
        close_test_match(test);
    }
}

TEST(a_player_who_is_away_keeps_the_match_awake)
{
    struct test_match *test = open_test_match(NULL, 8, 0);
    join(test, 0, "Ada");
    ticks(test, 10);
    lose(test, 0);
    int count = 0;
    for (; raim_match_playing(test->match) > 0; count++) {
        assert_false(raim_match_is_dormant(test->match));
        tick(test);
    }
    assert_int_equal(count, 121); // its grace of two seconds, and the step that ends it
    ticks(test, 64);
    assert_true(raim_match_is_dormant(test->match));
}

TEST(bots_and_connections_keep_a_match_awake)
{
    struct test_match *bots = open_test_match(NULL, 8, 1), *strangers = open_test_match(NULL, 8, 0);
    connect(strangers, 7); // sends no HELLO
    for (int i = 0; i < 100; i++) {
        tick(bots);
        tick(strangers);
        assert_false(raim_match_is_dormant(bots->match));
        assert_false(raim_match_is_dormant(strangers->match));
    }
    raim_match_disconnect(strangers->match, 7);
    ticks(strangers, 100);
    assert_true(raim_match_is_dormant(strangers->match));
    close_test_match(bots);
    close_test_match(strangers);
}

TEST(a_round_waits_in_a_dormant_match)
{
    struct test_match *test = calloc(1, sizeof *test);
    test_at_end(destroy_test_match, test);
    struct raim_match_def def = raim_match_default_def();
    test->map = fixture_map(NULL, 0);
    def.map = test->map;
    def.tuning.round_s = 2;
    def.tuning.break_s = 1;
    test->match = raim_match_create(&def);
    assert_non_null(test->match);
    ticks(test, 10 * 180);
    assert_true(raim_match_is_dormant(test->match));
    assert_int_equal(raim_match_tick(test->match), 1800);
    assert_int_equal(raim_match_round(test->match).round, 1);
    assert_int_equal(raim_match_events(test->match), 0);
    assert_true(raim_match_is_waiting_for_players(test->match));
    const struct raim_client *client = join(test, 0, "Ada");
    ticks(test, 3);
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
    assert_int_equal(raim_match_round(test->match).round, 1);
    assert_in_range(raim_match_round(test->match).left_ticks, 1, 119);
    assert_true(raim_client_alive(client));
}
