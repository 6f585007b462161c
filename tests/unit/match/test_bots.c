// SPDX-License-Identifier: MIT
// Bots of a match on the shipped maps: how often they fight.
#include "map_file.h"
#include "peer_fixture.h"

enum { SEEDS = 10, PLAY_S = 60 };

static const char *const maps[] = {"duel", "crossfire", "ruins"};

static struct raim_map *load(const char *name)
{
    char path[256];
    struct diagnostics report = {.out = stderr};
    snprintf(path, sizeof path, "%s/config/maps/%s.conf", RAIM_SOURCE_DIR, name);
    struct raim_map *map = map_file_load(path, NULL, raim_rules_default().player_radius, &report);
    assert_non_null(map);
    return map;
}

static uint32_t kills_of(const struct raim_match_def *def)
{
    struct raim_match *match = raim_match_create(def);
    struct raim_match_player rows[64];
    uint32_t kills = 0;
    assert_non_null(match);
    for (uint32_t tick = 0; tick < PLAY_S * def->tick_hz; tick++) {
        struct raim_outgoing outgoing;
        raim_match_step(match);
        while (raim_match_outgoing(match, &outgoing))
            ;
    }
    const uint32_t count = raim_match_players(match, rows, 64);
    for (uint32_t i = 0; i < count; i++)
        kills += rows[i].score;
    raim_match_destroy(match);
    return kills;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

TEST(four_bots_fight_on_every_shipped_map)
{
    enum { FLOOR = 5 };
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        struct raim_map *map = load(maps[i]);
        struct raim_match_def def = raim_match_default_def();
        int kills[SEEDS];
        def.map = map;
        def.tuning.max_players = 8;
        def.bots = 4;
        def.bot_skill = RAIM_BOT_NORMAL;
        for (int seed = 0; seed < SEEDS; seed++) {
            def.seed = (uint64_t)seed;
            kills[seed] = (int)kills_of(&def);
        }
        qsort(kills, SEEDS, sizeof kills[0], compare);
        printf("%s: median %d kills in %d s, %d to %d\n", maps[i],
               (kills[SEEDS / 2 - 1] + kills[SEEDS / 2]) / 2, PLAY_S, kills[0], kills[SEEDS - 1]);
        assert_true(kills[0] >= FLOOR);
        raim_map_destroy(map);
    }
}

TEST(bots_make_room_for_players_and_come_back)
{
    struct raim_match_def def = with_bots(usual_def(), 3);
    def.bot_fill = true;
    def.tuning.resume_grace_s = 0;
    struct test_match *test = open_test_match(def);
    ticks(test, 5);
    assert_int_equal(counts(test).bots, 3);
    for (uint32_t i = 0; i < 4; i++) {
        play(test, i);
        ticks(test, 5);
        assert_int_equal(counts(test).players, i + 1);
        assert_int_equal(counts(test).bots, i < 3 ? 2 - i : 0);
    }
    for (uint32_t i = 0; i < 4; i++)
        say_goodbye(test, i);
    ticks(test, 10);
    assert_int_equal(counts(test).players, 0);
    assert_int_equal(counts(test).bots, 3);
    assert_true(counts(test).leaves[RAIM_REASON_LEFT] == 4); // bots are not counted
}
