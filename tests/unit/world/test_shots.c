// SPDX-License-Identifier: MIT
// Tests of the cooldown and of the slots of bullets.
#include "arena_fixture.h"
#include "chance.h"
#include "player.h"
#include "projectile.h"
#include "test.h"
#include "validate.h"

#include <math.h>

TEST(a_new_life_fires_no_sooner)
{
    raim_rules rules = raim_rules_default();
    rules.respawn_delay = 0;
    struct arena_fixture *f = fixture_create(&rules, 2, NULL, 0);
    raim_player *one = fixture_put(f, (raim_vec2){0, 0});
    raim_player *other = fixture_put(f, (raim_vec2){42, 0});
    *fixture_input(f, one) = (raim_input){.fire = 1};
    *fixture_input(f, other) = (raim_input){.fire = 1, .aim = RAIM_ANGLE_TURN / 2};
    for (int tick = 0; tick < 15; tick++) {
        fixture_step(f);
        assert_int_equal(one->shots, 1);
        assert_int_equal(other->shots, 1);
    }
    assert_int_equal(one->deaths, 1);
    assert_int_equal(one->life, 1);
    fixture_step(f);
    assert_int_equal(one->shots, 2);
}

TEST(a_bullet_starts_at_its_shooters_centre_on_the_grid)
{
    struct arena_fixture *f = fixture_create(NULL, 1, NULL, 0);
    raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    *fixture_input(f, player) = (raim_input){.move_x = 1, .fire = 1, .aim = RAIM_ANGLE_TURN / 4};
    fixture_step(f);
    const struct raim_world *world = f->world;
    const raim_bullet *bullet = raim_world_bullets_const(world);
    assert_true(bullet->origin.x == player->position.x && bullet->origin.y == player->position.y);
    assert_true(bullet->direction.x == 0 && bullet->direction.y == 1);
    assert_int_equal(bullet->born_tick, 0);
    const raim_vec2 muzzle = raim_bullet_position(&world->rules, bullet, 0, 60);
    assert_true(muzzle.x == 5 && muzzle.y == 20);
    const raim_vec2 later = raim_bullet_position(&world->rules, bullet, 2, 60);
    assert_true(later.x == 5 && fabs(later.y - 50) < 1e-9);
}

static struct raim_world_def def_of(double lifetime, double cooldown, uint32_t tick_hz,
                                    uint32_t players)
{
    struct raim_world_def def = {
        .rules = raim_rules_default(), .tick_hz = tick_hz, .max_players = players};
    def.rules.bullet_lifetime = lifetime;
    def.rules.fire_cooldown = cooldown;
    return def;
}

TEST(each_player_has_as_many_bullet_slots_as_it_can_need)
{
    struct raim_world_def def = def_of(1.2, 0.25, 60, 64);
    assert_int_equal(raim_world_bullets_per_player(&def), 5); // 72 ticks, one every 15
    def = def_of(1, 0.25, 60, 64);
    assert_int_equal(raim_world_bullets_per_player(&def), 4);
    def = def_of(0.05, 10, 10, 1);
    assert_int_equal(raim_world_bullets_per_player(&def), 1);
    def = def_of(0.5, 0.02, 10, 1); // a cooldown of less than half a tick
    assert_int_equal(raim_world_bullets_per_player(&def), 5);
    def = def_of(10, 0.02, 240, 1024); // bounded by RAIM_MAX_BULLETS
    assert_int_equal(raim_world_bullets_per_player(&def), 8);
    def = def_of(10, 0.02, 240, 1000);
    assert_int_equal(raim_world_bullets_per_player(&def), 8);
    assert_true(1000 * 8 <= RAIM_MAX_BULLETS);
    def = def_of(1.2, 0.25, 60, 64);
    def.rules.pellets = 5;
    assert_int_equal(raim_world_bullets_per_player(&def), 25);
    def = def_of(10, 0.02, 240, 250); // of 32 slots those of whole shots
    def.rules.pellets = 5;
    assert_int_equal(raim_world_bullets_per_player(&def), 30);
    def = def_of(10, 0.02, 240, RAIM_MAX_PLAYERS);
    for (int pellets = 1; pellets <= RAIM_MAX_PELLETS; pellets++) {
        def.rules.pellets = pellets;
        assert_int_equal(raim_world_bullets_per_player(&def), 8 - 8 % pellets);
    }
}

TEST(the_bullets_of_a_shot_fan_out_evenly)
{
    raim_rules rules = raim_rules_default();
    rules.pellets = 5;
    rules.spread = 12;
    struct arena_fixture *f = fixture_create(&rules, 1, NULL, 0);
    raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    *fixture_input(f, player) = (raim_input){.fire = 1, .rewind = 3, .aim = 100};
    f->world->tick = 50;
    fixture_step(f);
    const raim_bullet *bullets = raim_world_bullets_const(f->world);
    const int fan = 2185; // 12 degrees
    assert_int_equal(fixture_count(f, RAIM_EVENT_FIRE), 1);
    assert_int_equal(fixture_bullets(f), 5);
    assert_int_equal(player->shots, 5);
    for (int i = 0; i < 5; i++) {
        const raim_angle aim = (raim_angle)(100 + fan * (i - 2) / 4);
        const raim_vec2 direction = raim_angle_direction(aim);
        assert_int_equal(bullets[i].aim, aim);
        assert_true(bullets[i].direction.x == direction.x && bullets[i].direction.y == direction.y);
        assert_int_equal(bullets[i].born_tick, 47);
        assert_int_equal(bullets[i].rewind, 3);
    }
    assert_int_equal(raim_pellet_aim(&rules, 100, 0), (raim_angle)(100 - fan / 2));
    assert_int_equal(raim_pellet_aim(&rules, 100, 4), 100 + fan / 2);
    rules.pellets = 1;
    assert_int_equal(raim_pellet_aim(&rules, 100, 0), 100);
}

// Five bullets at once, from close by: one destroys the victim, the others fly on.
TEST(a_bullet_of_a_shot_destroys_and_the_others_fly_on)
{
    raim_rules rules = raim_rules_default();
    rules.pellets = 5;
    struct arena_fixture *f = fixture_create(&rules, 2, NULL, 0);
    raim_player *one = fixture_put(f, (raim_vec2){0, 0});
    raim_player *other = fixture_put(f, (raim_vec2){50, 0});
    fixture_input(f, one)->fire = 1;
    fixture_step(f);
    assert_int_equal(fixture_count(f, RAIM_EVENT_HIT), 1);
    assert_int_equal(fixture_count(f, RAIM_EVENT_KILL), 1);
    assert_int_equal(fixture_bullets(f), 4);
    assert_true(one->score == 1 && one->hits == 1 && other->deaths == 1);
}

// Asserts that each new bullet is in a slot of its shooter that was free.
static void check_shots(const struct arena_fixture *f, const raim_bullet *before)
{
    const struct raim_world *world = f->world;
    const raim_bullet *bullets = raim_world_bullets_const(world);
    for (uint32_t i = 0; i < world->max_bullets; i++) {
        if (bullets[i].owner == RAIM_NOBODY)
            continue;
        assert_int_equal(raim_player_slot(bullets[i].owner), i / world->bullets_per_player);
        if (before[i].owner != RAIM_NOBODY)
            assert_int_equal(bullets[i].born_tick, before[i].born_tick);
    }
}

// All players keep firing, and every player whose cooldown is over fires, also in a new life. With
// no rules does a shot need a slot that is still taken.
TEST(no_shot_is_dry_where_slots_suffice)
{
    enum { PLAYERS = 12 };
    const uint32_t rates[] = {10, 60, 240};
    uint32_t fired = 0, kills = 0;
    for (int round = 0; round < 60; round++) {
        raim_rules rules = raim_rules_default();
        rules.bullet_lifetime = chance_between(0.05, 1);
        rules.fire_cooldown = chance_between(0.02, 0.3);
        rules.respawn_delay = chance_int(0, 1) * 0.1;
        rules.bullet_speed = chance_between(50, 2000);
        rules.pellets = chance_int(1, RAIM_MAX_PELLETS);
        rules.spread = chance_between(0, 180);
        struct arena_fixture *f =
            fixture_create_on(fixture_map(NULL, 0), &rules, rates[round % 3], PLAYERS);
        struct raim_world *world = f->world;
        raim_player *players = raim_world_players(world);
        assert_true(world->max_bullets == PLAYERS * world->bullets_per_player);
        for (int i = 0; i < PLAYERS; i++)
            raim_world_join(world);
        raim_bullet *before = calloc(world->max_bullets, sizeof *before);
        for (int tick = 0; tick < 300; tick++) {
            uint32_t ready = 0;
            for (int i = 0; i < PLAYERS; i++) {
                f->inputs[i].fire = 1;
                f->inputs[i].aim = (raim_angle)chance_int(0, 65535);
                ready += players[i].state == RAIM_PLAYER_ALIVE && players[i].cooldown_ticks <= 1;
            }
            memcpy(before, raim_world_bullets(world), world->max_bullets * sizeof *before);
            fixture_step(f);
            assert_int_equal(fixture_count(f, RAIM_EVENT_FIRE), ready);
            check_shots(f, before);
            fired += ready;
            kills += fixture_count(f, RAIM_EVENT_KILL);
            if (chance_int(0, 99) == 0) {
                raim_world_leave(world, players[0].id);
                raim_world_join(world);
            }
        }
        free(before);
        fixture_destroy(f);
    }
    assert_true(fired > 5000 && kills > 50);
}

TEST(a_shot_is_dry_only_while_its_slot_is_taken)
{
    const struct raim_world_def def = def_of(10, 0.02, 60, RAIM_MAX_PLAYERS);
    struct arena_fixture *f =
        fixture_create_on(fixture_map(NULL, 0), &def.rules, def.tick_hz, def.max_players);
    f->world->rules.bullet_speed = 50; // still in the air when its life ends
    raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    fixture_input(f, player)->fire = 1;
    for (int tick = 0; tick < 600; tick++) {
        fixture_step(f);
        assert_int_equal(player->shots, tick < 8 ? tick + 1 : 8);
        assert_int_equal(fixture_bullets(f), tick < 599 ? player->shots : 7);
    }
    fixture_step(f);
    assert_int_equal(player->shots, 9);
}

// --- Reflections ---

TEST(a_wall_reflects_a_bullet_where_it_touches)
{
    raim_rules rules = raim_rules_default();
    rules.bounces = 1;
    const raim_box wall = {{200, -300}, {220, 300}};
    struct arena_fixture *f = fixture_create(&rules, 1, &wall, 1);
    raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    *fixture_input(f, player) = (raim_input){.fire = 1, .aim = RAIM_ANGLE_TURN / 8};
    const raim_bullet *bullet = raim_world_bullets_const(f->world);
    fixture_step(f);
    fixture_input(f, player)->fire = 0;
    while (bullet->bounces == 0)
        fixture_step(f);
    // From the muzzle, 20 units ahead, 15 units a tick to x = 196.
    const double way = 196 * sqrt(2);
    assert_int_equal(f->world->tick, (int)ceil((way - 20) / 15));
    const raim_vec2 at = raim_bullet_position(&rules, bullet, f->world->tick, 60);
    assert_true(fabs(at.x - 196) < 0.1 && fabs(at.y - 196) < 0.1);
    assert_int_equal(bullet->aim, RAIM_ANGLE_TURN * 3 / 8);
    assert_int_equal(raim_bullet_launch_tick(bullet), 0);
    fixture_step(f);
    const raim_vec2 later = raim_bullet_position(&rules, bullet, f->world->tick, 60);
    assert_true(fabs(later.x - (at.x - 15 / sqrt(2))) < 1e-6 &&
                fabs(later.y - (at.y + 15 / sqrt(2))) < 1e-6);
    // It ends at its lifetime, which goes on.
    while (bullet->owner != RAIM_NOBODY)
        fixture_step(f);
    assert_int_equal(f->world->tick, 72);
}

TEST(a_reflected_bullet_destroys_whom_it_meets_but_not_its_shooter)
{
    raim_rules rules = raim_rules_default();
    rules.bounces = 2;
    const raim_box wall = {{200, -300}, {220, 300}};
    struct arena_fixture *f = fixture_create(&rules, 2, &wall, 1);
    raim_player *one = fixture_put(f, (raim_vec2){0, 0});
    raim_player *other = fixture_put(f, (raim_vec2){-100, 0});
    fixture_input(f, one)->fire = 1;
    fixture_step(f);
    fixture_input(f, one)->fire = 0;
    uint32_t kills = 0;
    for (int tick = 1; tick < 72; tick++) {
        fixture_step(f);
        kills += fixture_count(f, RAIM_EVENT_KILL);
        for (uint32_t i = 0; i < f->events.count; i++)
            if (f->events.items[i].kind == RAIM_EVENT_KILL)
                assert_int_equal(f->events.items[i].view_tick, 0);
    }
    assert_int_equal(kills, 1);
    assert_true(other->deaths == 1 && one->deaths == 0 && one->score == 1);
}

// Obstacles at random, and two shooters in equal worlds: one fires at once, the other one later and
// rewound. From then on their bullets are equal, and equal to a bullet that flies past obstacles
// alone, as a client predicts it.
TEST(a_rewound_bullet_is_reflected_as_one_that_was_fired_then)
{
    uint32_t reflected = 0, reflected_in_past = 0;
    for (int round = 0; round < 300; round++) {
        raim_box boxes[12];
        for (int i = 0; i < 12; i++) {
            const raim_vec2 corner =
                raim_map_round((raim_vec2){chance_between(-400, 300), chance_between(-400, 300)});
            boxes[i] = (raim_box){
                corner, raim_vec2_add(corner, (raim_vec2){chance_int(2, 90), chance_int(2, 90)})};
        }
        raim_rules rules = raim_rules_default();
        rules.bounces = chance_int(1, 5);
        rules.bullet_radius = chance_between(0.5, 12);
        rules.bullet_speed = chance_between(100, 4000);
        struct arena_fixture *f[2];
        const int rewind = chance_int(0, 12);
        const raim_angle aim = (raim_angle)chance_int(0, 65535);
        raim_vec2 position;
        for (int i = 0; i < 2; i++)
            f[i] = fixture_create(&rules, 1, boxes, 12);
        do
            position =
                raim_map_round((raim_vec2){chance_between(-450, 450), chance_between(-450, 450)});
        while (!raim_map_is_free(f[0]->map, position, rules.player_radius));
        raim_bullet alone = {.origin = position,
                             .direction = raim_angle_direction(aim),
                             .born_tick = 20,
                             .owner = 1024 + 0,
                             .aim = aim};
        bool flies = true;
        for (int i = 0; i < 2; i++)
            fixture_put(f[i], position);
        for (int tick = 0; tick < 20 + 12 + 72; tick++) {
            f[0]->inputs[0] = (raim_input){.fire = tick == 20, .aim = aim};
            f[1]->inputs[0] =
                (raim_input){.fire = tick == 20 + rewind, .aim = aim, .rewind = (uint8_t)rewind};
            for (int i = 0; i < 2; i++)
                fixture_step(f[i]);
            if (tick >= 20)
                flies = flies && raim_bullet_pass(&alone, f[0]->map, &rules, 60, (uint32_t)tick);
            raim_bullet bullet = *raim_world_bullets_const(f[1]->world);
            const raim_bullet *first = raim_world_bullets_const(f[0]->world);
            assert_true(raim_world_is_valid(f[1]->world, f[1]->map));
            if (tick < 20 + rewind)
                continue;
            bullet.rewind = 0;
            assert_memory_equal(&bullet, first, sizeof bullet);
            if (flies)
                assert_memory_equal(&alone, first, sizeof alone);
            else
                assert_int_equal(first->owner, RAIM_NOBODY);
            if (!flies)
                continue;
            reflected += bullet.born_tick == (uint32_t)tick + 1;
            reflected_in_past += tick == 20 + rewind && bullet.bounces > 0;
            const raim_vec2 at = raim_bullet_position(&rules, first, (uint32_t)tick + 1, 60);
            assert_true(raim_map_is_free(f[0]->map, at, rules.bullet_radius - 0.1));
        }
        for (int i = 0; i < 2; i++)
            fixture_destroy(f[i]);
    }
    printf("%u reflections, %u of them in the past\n", reflected, reflected_in_past);
    assert_true(reflected > 200 && reflected_in_past > 20);
}

// --- Health ---

TEST(hits_take_health_and_the_last_one_destroys)
{
    raim_rules rules = raim_rules_default();
    rules.health = 5;
    rules.damage = 2;
    rules.bullet_speed = 20000; // each hits in the tick in which it is fired
    struct arena_fixture *f = fixture_create(&rules, 3, NULL, 0);
    raim_player *one = fixture_put(f, (raim_vec2){0, 0});
    raim_player *victim = fixture_put(f, (raim_vec2){100, 0});
    raim_player *other = fixture_put(f, (raim_vec2){200, 0});
    raim_player *const shooters[] = {one, one, other};
    const uint8_t left[] = {3, 1, 0};
    for (int i = 0; i < 3; i++) {
        one->cooldown_ticks = 0;
        *fixture_input(f, one) = (raim_input){.fire = shooters[i] == one};
        *fixture_input(f, other) =
            (raim_input){.fire = shooters[i] == other, .aim = RAIM_ANGLE_TURN / 2};
        fixture_step(f);
        assert_int_equal(victim->health, left[i]);
        assert_int_equal(fixture_count(f, RAIM_EVENT_HIT), 1);
        assert_int_equal(fixture_count(f, RAIM_EVENT_KILL), i == 2);
        assert_true(raim_world_is_valid(f->world, f->map));
    }
    assert_true(one->hits == 2 && one->score == 0);
    assert_true(other->hits == 1 && other->score == 1 && victim->deaths == 1);
    *fixture_input(f, other) = (raim_input){0};
    fixture_steps(f, 121);
    assert_int_equal(victim->state, RAIM_PLAYER_ALIVE);
    assert_int_equal(victim->health, 5);
}

// Of five bullets from close by as many hit as it takes, and the others fly on.
TEST(a_shot_takes_health_with_each_of_its_bullets)
{
    for (int health = 1; health <= 6; health++) {
        raim_rules rules = raim_rules_default();
        rules.pellets = 5;
        rules.health = health;
        struct arena_fixture *f = fixture_create(&rules, 2, NULL, 0);
        raim_player *one = fixture_put(f, (raim_vec2){0, 0});
        raim_player *other = fixture_put(f, (raim_vec2){50, 0});
        const int hits = health < 5 ? health : 5;
        fixture_input(f, one)->fire = 1;
        fixture_step(f);
        assert_int_equal(fixture_count(f, RAIM_EVENT_HIT), hits);
        assert_int_equal(fixture_count(f, RAIM_EVENT_KILL), health <= 5);
        assert_int_equal(fixture_bullets(f), 5 - hits);
        assert_int_equal(one->hits, hits);
        assert_int_equal(other->health, health - hits);
        fixture_destroy(f);
    }
}

TEST(health_comes_back_up_to_that_of_a_fresh_player)
{
    raim_rules rules = raim_rules_default();
    rules.health = 5;
    rules.regeneration = 0.5;
    struct arena_fixture *f = fixture_create(&rules, 1, NULL, 0);
    raim_player *player = fixture_put(f, (raim_vec2){0, 0});
    player->health = 2;
    fixture_steps(f, 31);
    assert_int_equal(player->health, 4); // in ticks 0 and 30
    fixture_steps(f, 300);
    assert_int_equal(player->health, 5);
    f->world->rules.regeneration = 0;
    player->health = 2;
    fixture_steps(f, 300);
    assert_int_equal(player->health, 2);
}
