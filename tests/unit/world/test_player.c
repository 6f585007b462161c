// SPDX-License-Identifier: MIT
// Tests of the rules for a single player against the world's step, and of players who are away.
#include "arena_fixture.h"
#include "bot_fixture.h"
#include "bot_paths.h"
#include "chance.h"
#include "player.h"
#include "test.h"

#include <math.h>

static struct arena_fixture *random_arena(void)
{
    raim_box boxes[8];
    for (int i = 0; i < 8; i++) {
        const raim_vec2 corner =
            raim_map_round((raim_vec2){chance_between(-400, 300), chance_between(-400, 300)});
        const raim_vec2 size = {chance_int(2, 150), chance_int(2, 150)};
        boxes[i] = (raim_box){corner, raim_vec2_add(corner, size)};
    }
    const uint32_t rates[] = {10, 60, 128, 240};
    raim_rules rules = raim_rules_default();
    rules.player_speed = chance_between(10, 2000);
    rules.fire_cooldown = chance_between(0.02, 0.5);
    rules.bullet_lifetime = chance_between(0.05, 2);
    rules.pellets = chance_int(1, RAIM_MAX_PELLETS);
    rules.spread = chance_between(0, 180);
    struct arena_fixture *f =
        fixture_create_on(fixture_map(boxes, 8), &rules, rates[chance_int(0, 3)], 1);
    raim_vec2 position;
    do
        position =
            raim_map_round((raim_vec2){chance_between(-450, 450), chance_between(-450, 450)});
    while (!raim_map_is_free(f->map, position, rules.player_radius));
    fixture_put(f, position)->shield_ticks = (uint16_t)chance_int(0, 60);
    return f;
}

TEST(a_lone_player_moves_and_fires_by_the_same_rules_to_the_bit)
{
    uint32_t fired = 0;
    for (int round = 0; round < 100; round++) {
        struct arena_fixture *f = random_arena();
        struct raim_world *world = f->world;
        world->tick = (uint32_t)raim_random_next(&chance);
        raim_player predicted = raim_world_players(world)[0];
        struct raim_tick_context context = {
            .map = f->map,
            .rules = &world->rules,
            .stride = raim_world_stride(&world->rules, world->tick_hz),
            .tick_hz = world->tick_hz,
        };
        for (int tick = 0; tick < 200; tick++) {
            raim_input *input = &f->inputs[0];
            if (chance_int(0, 9) == 0)
                *input = (raim_input){.move_x = (int8_t)chance_int(-1, 1),
                                      .move_y = (int8_t)chance_int(-1, 1),
                                      .fire = (uint8_t)chance_int(0, 1),
                                      .rewind = (uint8_t)chance_int(0, 12)};
            input->aim = (raim_angle)chance_int(0, 65535);
            const uint32_t slot = predicted.shots % world->bullets_per_player;
            raim_bullet bullets[RAIM_MAX_PELLETS];
            context.tick = world->tick;
            raim_player_move(&predicted, input, &context);
            const bool fires = raim_player_fire(&predicted, input, &context, bullets);
            fixture_step(f);
            assert_memory_equal(&predicted, raim_world_players(world), sizeof predicted);
            assert_int_equal(fixture_count(f, RAIM_EVENT_FIRE), fires);
            const raim_bullet *launched = &raim_world_bullets(world)[slot];
            for (int i = 0; fires && i < world->rules.pellets; i++)
                if (launched[i].owner != RAIM_NOBODY) // it may have hit a wall at once
                    assert_memory_equal(&bullets[i], &launched[i], sizeof bullets[i]);
            fired += fires;
        }
        fixture_destroy(f);
    }
    assert_true(fired > 500);
}

TEST(a_rewound_shot_is_born_in_the_tick_that_was_seen)
{
    const raim_rules rules = raim_rules_default();
    const struct raim_tick_context context = {.rules = &rules, .tick_hz = 60, .tick = 1000};
    raim_player player = {.position = {7, 8}, .id = 1024, .state = RAIM_PLAYER_ALIVE};
    raim_bullet bullet;
    const raim_input input = {.fire = 1, .rewind = 9};
    assert_true(raim_player_fire(&player, &input, &context, &bullet));
    assert_int_equal(bullet.born_tick, 991);
    assert_int_equal(bullet.rewind, 9);
    assert_true(bullet.origin.x == 7 && bullet.origin.y == 8);
    assert_int_equal(player.cooldown_ticks,
                     15); // counted from the present tick, not from the rewound one
    assert_int_equal(player.shots, 1);
    assert_false(raim_player_fire(&player, &input, &context, &bullet));
}

static struct arena_fixture *open_field(void)
{
    return fixture_create(NULL, 2, NULL, 0);
}

TEST(an_away_player_stands_and_does_not_fire)
{
    struct arena_fixture *f = open_field();
    raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    player->aim = 99;
    player->shield_ticks = 2;
    raim_world_set_away(f->world, player->id, true);
    *fixture_input(f, player) = (raim_input){.move_x = 1, .fire = 1, .aim = 7};
    fixture_steps(f, 3);
    assert_true(player->position.x == 0);
    assert_int_equal(player->shots, 0);
    assert_int_equal(player->aim, 99);
    assert_int_equal(player->shield_ticks, 0); // runs out as usual
    raim_world_set_away(f->world, player->id, false);
    fixture_step(f);
    assert_true(player->position.x == 5);
    assert_int_equal(player->shots, 1);
}

TEST(an_away_player_is_hit_and_respawns_only_when_back)
{
    struct arena_fixture *f = open_field();
    raim_player *shooter = fixture_put(f, (raim_vec2){0, 0});
    raim_player *victim = fixture_put(f, (raim_vec2){100, 0});
    raim_world_set_away(f->world, victim->id, true);
    fixture_input(f, shooter)->fire = 1;
    fixture_steps(f, 600);
    assert_int_equal(shooter->score, 1);
    assert_int_equal(victim->deaths, 1);
    assert_int_equal(victim->state, RAIM_PLAYER_DOWN);
    raim_world_set_away(f->world, victim->id, false);
    fixture_step(f);
    assert_int_equal(victim->state, RAIM_PLAYER_ALIVE); // its respawn delay ended long ago
}

TEST(a_new_player_in_the_slot_of_an_away_one_is_present)
{
    struct arena_fixture *f = open_field();
    const raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    raim_world_set_away(f->world, player->id, true);
    raim_world_leave(f->world, player->id);
    raim_world_join(f->world);
    assert_int_equal(player->away, 0);
    fixture_step(f);
    assert_int_equal(player->state, RAIM_PLAYER_ALIVE);
}

// --- Bot ---

// Tests of bots in an arena: they move around, find each other, and hit.

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

static void destroy_paths(void *paths)
{
    raim_bot_paths_destroy(paths);
}

static struct raim_bot_paths *paths_of(const struct arena_fixture *f)
{
    struct raim_bot_paths *paths = raim_bot_paths_create(f->map, f->world->rules.player_radius);
    assert_non_null(paths);
    test_at_end(destroy_paths, paths);
    return paths;
}

TEST(a_lone_bot_gets_about_and_is_never_stuck)
{
    struct arena_fixture *f = fixture_create(NULL, 1, boxes, 12);
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
}

TEST(bots_find_and_hit_each_other)
{
    enum { BOTS = 8 };
    struct arena_fixture *f = fixture_create(NULL, BOTS, boxes, 12);
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
}

// The enemy is within the bot's view, but behind a wall, so the bot does not see it.
TEST(a_bot_does_not_fire_at_what_a_wall_hides)
{
    const raim_box wall = {{-20, -900}, {20, 900}};
    for (int skill = RAIM_BOT_WANDERS; skill < RAIM_BOT_SKILLS; skill++) {
        struct arena_fixture *f = fixture_create(NULL, 2, &wall, 1);
        fixture_put(f, (raim_vec2){-200, 0});
        fixture_put(f, (raim_vec2){200, 0});
        struct raim_bot_paths *paths = paths_of(f);
        struct raim_bot bot;
        raim_bot_init(&bot, raim_random_next(&chance));
        for (int tick = 0; tick < 120; tick++) {
            assert_int_equal(bot_fixture_think_as(f->world, f->map, &bot, 0, false,
                                                  (enum raim_bot_skill)skill, paths)
                                 .fire,
                             0); // the bot does not move
            fixture_step(f);
        }
    }
}

// The bot has seen its enemy before it goes behind the wall, and runs to where it was.
TEST(a_bot_runs_to_where_it_lost_its_target)
{
    const raim_box wall = {{-20, -900}, {20, 100}};
    struct arena_fixture *f = fixture_create(NULL, 2, &wall, 1);
    fixture_put(f, (raim_vec2){-400, 300});
    fixture_put(f, (raim_vec2){200, 300});
    struct raim_bot_paths *paths = paths_of(f);
    struct raim_bot bot;
    raim_bot_init(&bot, raim_random_next(&chance));
    raim_player *players = raim_world_players(f->world);
    for (int tick = 0; tick < 30; tick++) {
        bot_fixture_think_as(f->world, f->map, &bot, 0, false, RAIM_BOT_NORMAL, paths);
        fixture_step(f);
    }
    assert_int_not_equal(bot.target, 0);
    players[1].position = players[1].previous = (raim_vec2){300, -500}; // out of its sight
    double nearest = INFINITY;
    for (int tick = 0; tick < 3 * 60; tick++) {
        f->inputs[0] =
            bot_fixture_think_as(f->world, f->map, &bot, 0, false, RAIM_BOT_NORMAL, paths);
        fixture_step(f);
        nearest =
            fmin(nearest, raim_vec2_distance_squared(players[0].position, (raim_vec2){200, 300}));
        if (bot.target != 0) // it has found its target
            break;
    }
    assert_true(nearest < 200 * 200 || bot.target != 0);
}

// Four bots of a skill against four of the next.
TEST(a_more_skilled_bot_wins)
{
    enum { BOTS = 8 };
    for (int skill = RAIM_BOT_EASY; skill < RAIM_BOT_HARD; skill++) {
        struct arena_fixture *f = fixture_create(NULL, BOTS, boxes, 12);
        struct raim_bot_paths *paths = paths_of(f);
        struct raim_bot bots[BOTS];
        for (uint32_t i = 0; i < BOTS; i++) {
            raim_bot_init(&bots[i], raim_random_next(&chance));
            raim_world_join(f->world);
        }
        const raim_player *players = raim_world_players(f->world);
        for (int tick = 0; tick < 60 * 240; tick++) {
            for (uint32_t i = 0; i < BOTS; i++)
                if (players[i].state == RAIM_PLAYER_ALIVE)
                    f->inputs[i] = bot_fixture_think_as(
                        f->world, f->map, &bots[i], i, false,
                        (enum raim_bot_skill)(i % 2 == 0 ? skill : skill + 1), paths);
            fixture_step(f);
        }
        uint32_t points[2] = {0, 0}, deaths[2] = {0, 0};
        for (int i = 0; i < BOTS; i++) {
            points[i % 2] += players[i].score;
            deaths[i % 2] += players[i].deaths;
        }
        printf("skill %d: %u kills, %u deaths; skill %d: %u, %u\n", skill, points[0], deaths[0],
               skill + 1, points[1], deaths[1]);
        assert_true(points[1] * 4 > points[0] * 5);
    }
}

TEST(paths_lead_from_every_spawn_to_every_place)
{
    struct arena_fixture *f = fixture_create(NULL, 1, boxes, 12);
    struct raim_bot_paths *paths = paths_of(f);
    assert_true(raim_bot_paths_places(paths) > 1);
    for (uint32_t place = 0; place < raim_bot_paths_places(paths); place++)
        for (int spawn = 0; spawn < f->map->spawn_count; spawn++) {
            const raim_vec2 goal = raim_bot_paths_place(paths, place);
            raim_vec2 at = f->map->spawns[spawn];
            for (int i = 0; i < 1000 && (at.x != goal.x || at.y != goal.y); i++)
                at = raim_bot_paths_next(paths, at, place);
            assert_true(at.x == goal.x && at.y == goal.y);
        }
}
