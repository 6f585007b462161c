// SPDX-License-Identifier: MIT
// Tests of bots in an arena: they move around, find each other, and hit.
#include "arena_fixture.h"
#include "bot_fixture.h"
#include "chance.h"
#include "test.h"

#include <math.h>

static const raim_box boxes[] = {
    {{-300, -300}, {-100, -100}}, {{-100, -100}, {100, 20}}, {{100, -300}, {300, -90}},
    {{-60, 60}, {-20, 400}},      {{60, 60}, {100, 400}},    {{-500, 200}, {-460, 600}},
    {{400, 0}, {440, 40}},        {{500, 100}, {540, 140}},  {{-900, -20}, {-600, 20}},
    {{-460, 560}, {-200, 600}},   {{300, 500}, {700, 540}},  {{660, 200}, {700, 500}},
};

static raim_input think(const struct arena_fixture *f, struct raim_bot *bot, uint32_t own,
                        bool blind)
{
    return bot_fixture_think(f->world, f->map, bot, own, blind);
}

TEST(a_lone_bot_gets_about_and_is_never_stuck)
{
    const raim_rules rules = raim_rules_default();
    struct arena_fixture *f = fixture_create(&rules, 1, boxes, 12);
    struct raim_bot bot;
    raim_bot_init(&bot, raim_random_next(&chance));
    raim_world_join(f->world);
    fixture_step(f);
    const raim_player *player = raim_world_players(f->world);
    bool visited[4][4] = {{false}};
    raim_vec2 anchor = player->position;
    double farthest = 0; // from the anchor within two seconds, squared
    for (int tick = 1; tick <= 60 * 240; tick++) {
        f->inputs[0] = think(f, &bot, 0, true);
        fixture_step(f);
        visited[(int)((player->position.y + 1000) / 501)]
               [(int)((player->position.x + 1000) / 501)] = true;
        farthest = fmax(farthest, raim_vec2_distance_squared(player->position, anchor));
        if (tick % 120 == 0) {
            assert_true(farthest > 20 * 20);
            anchor = player->position;
            farthest = 0;
        }
    }
    int quarters = 0;
    for (int i = 0; i < 16; i++)
        quarters += visited[i / 4][i % 4];
    assert_true(quarters >= 14);
    fixture_destroy(f);
}

TEST(bots_find_and_hit_each_other)
{
    enum { BOTS = 8 };
    const raim_rules rules = raim_rules_default();
    struct arena_fixture *f = fixture_create(&rules, BOTS, boxes, 12);
    struct raim_bot bots[BOTS];
    for (uint32_t i = 0; i < BOTS; i++) {
        raim_bot_init(&bots[i], raim_random_next(&chance));
        raim_world_join(f->world);
    }
    const raim_player *players = raim_world_players(f->world);
    uint32_t kills = 0;
    for (int tick = 0; tick < 60 * 60; tick++) {
        for (uint32_t i = 0; i < BOTS; i++)
            if (players[i].state == RAIM_PLAYER_ALIVE)
                f->inputs[i] = think(f, &bots[i], i, false);
        fixture_step(f);
        kills += fixture_count(f, RAIM_EVENT_KILL);
    }
    uint32_t shots = 0;
    for (int i = 0; i < BOTS; i++)
        shots += players[i].shots;
    assert_true(kills >= 20);
    // Their aim has an error, but is better than random.
    assert_true(kills * 20 > shots && kills < shots);
    fixture_destroy(f);
}

// The enemy is within the bot's view, but behind a wall, so the bot does not see it.
TEST(a_bot_does_not_fire_at_what_a_wall_hides)
{
    const raim_box wall = {{-20, -900}, {20, 900}};
    const raim_rules rules = raim_rules_default();
    struct arena_fixture *f = fixture_create(&rules, 2, &wall, 1);
    fixture_put(f, (raim_vec2){-200, 0});
    fixture_put(f, (raim_vec2){200, 0});
    struct raim_bot bot;
    raim_bot_init(&bot, raim_random_next(&chance));
    for (int tick = 0; tick < 120; tick++) {
        assert_int_equal(think(f, &bot, 0, false).fire, 0); // the bot does not move
        fixture_step(f);
    }
    fixture_destroy(f);
}
