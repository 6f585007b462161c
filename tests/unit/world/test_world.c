// SPDX-License-Identifier: MIT
// Tests of the game's rules, tick by tick.
#include "arena_fixture.h"
#include "chance.h"
#include "rules.h"
#include "test.h"

#include <math.h>

static struct arena_fixture *open_field(uint32_t players)
{
    return fixture_create(NULL, players, NULL, 0);
}

TEST(strides_are_the_speed_in_whole_steps)
{
    raim_rules rules = raim_rules_default();
    struct raim_stride stride = raim_world_stride(&rules, 60);
    assert_int_equal(stride.straight, 160); // 300 * 32 / 60
    assert_int_equal(stride.diagonal, 113); // 160 * sqrt(1/2) = 113.14
    stride = raim_world_stride(&rules, 128);
    assert_int_equal(stride.straight, 75);
    assert_int_equal(stride.diagonal, 53); // 53.03
    rules.player_speed = 310;
    stride = raim_world_stride(&rules, 60);
    assert_int_equal(stride.straight, 165); // 165.33
    assert_int_equal(stride.diagonal, 117); // 116.91
    rules.player_speed = 10;
    stride = raim_world_stride(&rules, 240);
    assert_int_equal(stride.straight, 1); // 1.33
    assert_int_equal(stride.diagonal, 1); // 0.94
    rules.player_speed = 2000;
    stride = raim_world_stride(&rules, 10);
    assert_int_equal(stride.straight, 6400);
    assert_int_equal(stride.diagonal, 4525); // 4525.48
}

// After n ticks, a player has moved exactly n strides from any start, as fast in every direction as
// the grid allows.
TEST(a_run_in_the_open_is_exact_to_the_bit)
{
    const uint32_t rates[] = {10, 60, 128, 240};
    for (int round = 0; round < chance_rounds(400); round++) {
        raim_rules rules = raim_rules_default();
        rules.player_speed = chance_between(10, 400);
        const uint32_t tick_hz = rates[round % 4];
        struct arena_fixture *f = fixture_create_on(fixture_map(NULL, 0), &rules, tick_hz, 1);
        raim_player *player = fixture_put(f, (raim_vec2){0, 0});
        const struct raim_stride stride = raim_world_stride(&rules, tick_hz);
        for (int way = 0; way < 9; way++) {
            const int8_t x = (int8_t)(way % 3 - 1), y = (int8_t)(way / 3 - 1);
            const int32_t steps = x != 0 && y != 0 ? stride.diagonal : stride.straight;
            const raim_vec2 start =
                raim_map_round((raim_vec2){chance_between(-400, 400), chance_between(-400, 400)});
            player->position = start;
            *fixture_input(f, player) = (raim_input){.move_x = x, .move_y = y};
            for (int tick = 1; tick <= 10; tick++) {
                fixture_step(f);
                assert_true(player->position.x == start.x + x * tick * steps / 32.0);
                assert_true(player->position.y == start.y + y * tick * steps / 32.0);
            }
            const double length = sqrt(x * x + y * y) * steps / 32.0;
            if (steps > 1 && length > 0)
                assert_true(fabs(length - rules.player_speed / tick_hz) <= sqrt(0.5) / 32);
        }
        fixture_destroy(f);
    }
}

TEST(a_hit_gives_one_point_and_destroys)
{
    struct arena_fixture *f = open_field(2);
    raim_player *shooter = fixture_put(f, (raim_vec2){0, 0});
    raim_player *victim = fixture_put(f, (raim_vec2){200, 0});
    fixture_input(f, shooter)->fire = 1;
    fixture_step(f);
    assert_int_equal(fixture_count(f, RAIM_EVENT_FIRE), 1);
    fixture_input(f, shooter)->fire = 0;
    uint32_t kills = 0;
    for (int tick = 0; tick < 30; tick++) {
        fixture_step(f);
        kills += fixture_count(f, RAIM_EVENT_KILL);
    }
    assert_int_equal(kills, 1);
    assert_int_equal(shooter->score, 1);
    assert_int_equal(shooter->hits, 1);
    assert_int_equal(shooter->deaths, 0);
    assert_int_equal(victim->deaths, 1);
    assert_int_equal(victim->score, 0);
    assert_int_equal(victim->state, RAIM_PLAYER_DOWN);
    assert_int_equal(fixture_bullets(f), 0);
}

TEST(a_victim_respawns_after_the_delay_far_from_enemies)
{
    struct arena_fixture *f = open_field(2);
    raim_player *shooter = fixture_put(f, (raim_vec2){800, 700});
    raim_player *victim = fixture_put(f, (raim_vec2){860, 700});
    fixture_input(f, shooter)->fire = 1;
    int down = 0;
    for (int tick = 0; tick < 300 && !(down > 0 && victim->state == RAIM_PLAYER_ALIVE); tick++) {
        fixture_step(f);
        fixture_input(f, shooter)->fire = 0;
        down += victim->state == RAIM_PLAYER_DOWN;
    }
    assert_int_equal(down, 120); // 2 s
    assert_int_equal(fixture_count(f, RAIM_EVENT_SPAWN), 1);
    assert_true(victim->position.x == -900 && victim->position.y == -900);
    assert_int_equal(victim->shield_ticks, 60);
    assert_int_equal(victim->life, 1);
}

TEST(a_crowd_spawns_without_overlap)
{
    struct arena_fixture *f = open_field(100); // for four spawn points
    for (int i = 0; i < 100; i++)
        raim_world_join(f->world);
    const raim_player *players = raim_world_players(f->world);
    fixture_step(f);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(players[i].state, RAIM_PLAYER_ALIVE);
        const raim_vec2 rounded = raim_map_round(players[i].position);
        assert_true(players[i].position.x == rounded.x && players[i].position.y == rounded.y);
        for (int j = 0; j < i; j++)
            assert_true(raim_vec2_distance_squared(players[i].position, players[j].position) >=
                        4 * 20 * 20);
    }
}

TEST(a_muzzle_behind_a_thin_wall_does_not_shoot_through)
{
    // The player touches the wall, which is thinner than the distance to the muzzle.
    const raim_box wall = {{20, -500}, {21, 500}};
    struct arena_fixture *f = fixture_create(NULL, 2, &wall, 1);
    raim_player *shooter = fixture_put(f, (raim_vec2){0, 0});
    raim_player *victim = fixture_put(f, (raim_vec2){50, 0});
    fixture_input(f, shooter)->fire = 1;
    for (int tick = 0; tick < 120; tick++) {
        fixture_step(f);
        assert_int_equal(fixture_bullets(f), 0);
    }
    assert_int_equal(victim->deaths, 0);
}

TEST(leaving_frees_the_slot_and_takes_its_bullets_only)
{
    struct arena_fixture *f = open_field(2);
    raim_player *first = fixture_put(f, (raim_vec2){0, 0});
    raim_player *second = fixture_put(f, (raim_vec2){500, 500});
    const raim_player_id old = first->id;
    assert_int_equal(raim_world_join(f->world), RAIM_NOBODY); // full
    fixture_input(f, first)->fire = 1;
    fixture_input(f, second)->fire = 1;
    fixture_step(f);
    assert_int_equal(fixture_bullets(f), 2);
    raim_world_leave(f->world, old);
    assert_int_equal(fixture_bullets(f), 1); // the bullet of the other player
    const raim_player_id next = raim_world_join(f->world);
    assert_int_equal(raim_player_slot(next), raim_player_slot(old));
    assert_int_not_equal(next, old);
}

TEST(a_slot_never_gives_the_null_id)
{
    struct arena_fixture *f = open_field(1);
    for (int i = 0; i < 1000; i++) {
        const raim_player_id id = raim_world_join(f->world);
        assert_int_not_equal(id, RAIM_NOBODY);
        raim_world_leave(f->world, id);
    }
}

TEST(a_round_begins_without_points_and_bullets_and_all_spawn)
{
    raim_rules rules = raim_rules_default();
    struct arena_fixture *f = fixture_create(&rules, 6, NULL, 0);
    for (int i = 0; i < 5; i++)
        raim_world_join(f->world);
    for (int i = 0; i < 5; i++)
        f->inputs[i].fire = 1;
    fixture_steps(f, 200);
    assert_true(fixture_bullets(f) > 0);
    raim_player *players = raim_world_players(f->world);
    memset(f->inputs, 0, sizeof f->inputs);
    players[0].score = players[1].deaths = 4;
    players[2].state = RAIM_PLAYER_DOWN;
    players[2].respawn_ticks = players[3].cooldown_ticks = players[3].shield_ticks = 100;
    players[4].away = 1;
    raim_player before[6];
    memcpy(before, players, sizeof before);
    const uint32_t tick = f->world->tick;
    raim_world_begin_round(f->world);
    assert_int_equal(fixture_bullets(f), 0);
    assert_int_equal(f->world->tick, tick);
    fixture_step(f);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(players[i].id, before[i].id);
        assert_int_equal(players[i].score, 0);
        assert_int_equal(players[i].deaths, 0);
        assert_int_equal(players[i].shots, before[i].shots);
        assert_int_equal(players[i].cooldown_ticks, 0);
        assert_int_equal(players[i].state, i < 4 ? RAIM_PLAYER_ALIVE : RAIM_PLAYER_DOWN);
        assert_int_equal(players[i].life, (uint8_t)(before[i].life + (i < 4)));
    }
    assert_int_equal(players[5].state, RAIM_PLAYER_ABSENT);
}

TEST(a_continued_world_keeps_ticks_ids_and_lives)
{
    raim_rules rules = raim_rules_default();
    struct arena_fixture *before = fixture_create(&rules, 6, NULL, 0);
    rules.bullet_lifetime = 3;
    struct arena_fixture *after = fixture_create(&rules, 8, NULL, 0);
    raim_player_id ids[6];
    for (int i = 0; i < 6; i++)
        ids[i] = raim_world_join(before->world);
    fixture_steps(before, 10);
    raim_world_leave(before->world, ids[2]);
    ids[2] = raim_world_join(before->world);
    raim_world_leave(before->world, ids[4]);
    raim_world_continue(after->world, before->world);
    assert_int_equal(after->world->tick, before->world->tick);
    raim_world_rejoin(after->world, ids[2]);
    raim_player *players = raim_world_players(after->world);
    const raim_player *others = raim_world_players_const(before->world);
    assert_int_equal(players[2].id, ids[2]);
    assert_int_equal(players[2].generation, 2);
    assert_int_equal(players[2].score, 0);
    // New players get unused ids.
    for (uint32_t slot = 0; slot < 8; slot++) {
        if (slot == 2)
            continue;
        const raim_player_id id = raim_world_join(after->world);
        assert_int_equal(raim_player_slot(id), slot);
        assert_int_equal(players[slot].generation, slot < 6 ? 2 : 1);
        assert_int_equal(players[slot].life, slot < 6 ? others[slot].life : 0);
    }
    fixture_step(after);
    for (uint32_t slot = 0; slot < 8; slot++)
        assert_int_equal(players[slot].state, RAIM_PLAYER_ALIVE);
    assert_int_equal(players[0].life, (uint8_t)(others[0].life + 1));
    fixture_destroy(before);
    fixture_destroy(after);
}

TEST(full_events_are_counted)
{
    struct arena_fixture *f = open_field(4);
    for (int i = 0; i < 4; i++)
        raim_world_join(f->world);
    f->events.capacity = 1;
    fixture_step(f);
    assert_int_equal(f->events.count, 1);
    assert_int_equal(f->events.dropped, 3);
}

static void random_inputs(struct arena_fixture *f)
{
    for (uint32_t slot = 0; slot < f->world->max_players; slot++) {
        if (chance_int(0, 9) > 0)
            continue; // most inputs stay
        f->inputs[slot] = (raim_input){
            .move_x = (int8_t)chance_int(-1, 1),
            .move_y = (int8_t)chance_int(-1, 1),
            .fire = (uint8_t)chance_int(0, 1),
            .rewind = (uint8_t)chance_int(0, (int)f->world->max_rewind),
            .aim = (raim_angle)chance_int(0, 65535),
        };
    }
}

// Creates four rooms, with a spawn in each, separated by thin, slanted walls from side to side.
// Scattered obstacles form corners of every angle.
static const raim_vec2 wall_ends[2][2] = {{{-1000, -40}, {1000, 44}}, {{38, -1000}, {-40, 1000}}};

static struct raim_map *map_of_rooms(void)
{
    enum { STREWN = 30 };
    const raim_vec2 spawns[] = {{-900, -900}, {900, -900}, {900, 900}, {-900, 900}};
    struct raim_obstacle_def obstacles[2 + STREWN];
    for (int i = 0; i < 2; i++) {
        const raim_vec2 a = wall_ends[i][0], b = wall_ends[i][1];
        const raim_vec2 thin = {i * RAIM_MAP_GRID, (1 - i) * RAIM_MAP_GRID};
        obstacles[i] =
            (struct raim_obstacle_def){{a, b, raim_vec2_add(b, thin), raim_vec2_add(a, thin)}, 4};
    }
    for (int i = 0; i < STREWN; i++) {
        const int corners = chance_int(3, 8);
        const raim_vec2 middle = {chance_between(-650, 650), chance_between(-650, 650)};
        const double size = chance_between(15, 120);
        obstacles[2 + i].count = corners;
        const raim_angle turn = (raim_angle)chance_int(0, 65535);
        for (int corner = 0; corner < corners; corner++)
            obstacles[2 + i].points[corner] = raim_vec2_mad(
                middle,
                raim_angle_direction((raim_angle)(turn + corner * RAIM_ANGLE_TURN / corners)),
                size);
    }
    const struct raim_map_def def = {
        .name = "rooms",
        .border = {{-1000, -1000}, {1000, 1000}},
        .obstacles = obstacles,
        .obstacle_count = 2 + STREWN,
        .spawns = spawns,
        .spawn_count = 4,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert_non_null(map);
    return map;
}

static int room_of(raim_vec2 point)
{
    int room = 0;
    for (int i = 0; i < 2; i++) {
        const raim_vec2 along = raim_vec2_sub(wall_ends[i][1], wall_ends[i][0]);
        room |= (raim_vec2_cross(along, raim_vec2_sub(point, wall_ends[i][0])) > 0) << i;
    }
    return room;
}

// Plays a million player ticks at all speeds: every player stays on the grid, free, and in its
// room.
TEST(players_stay_on_the_grid_and_cross_no_wall)
{
    enum { PLAYERS = 64, ROUNDS = 4, PLAYER_TICKS = 250000 };
    const double speeds[ROUNDS] = {300, 10, 730, 2000};
    for (int round = 0; round < ROUNDS; round++) {
        raim_rules rules = raim_rules_default();
        rules.player_speed = speeds[round];
        rules.player_radius = round == 0 ? 20 : chance_between(4, 45);
        rules.respawn_delay = 0.1;
        struct arena_fixture *f = fixture_create_on(map_of_rooms(), &rules, 60, PLAYERS);
        const raim_player *players = raim_world_players(f->world);
        for (int i = 0; i < PLAYERS; i++)
            raim_world_join(f->world);
        int rooms[PLAYERS], lives[PLAYERS] = {0};
        for (int checked = 0; checked < chance_rounds(PLAYER_TICKS);) {
            random_inputs(f);
            fixture_step(f);
            for (int i = 0; i < PLAYERS; i++) {
                const raim_player *player = &players[i];
                if (player->state != RAIM_PLAYER_ALIVE)
                    continue;
                const raim_vec2 rounded = raim_map_round(player->position);
                assert_true(player->position.x == rounded.x && player->position.y == rounded.y);
                assert_true(raim_map_is_free(f->map, player->position, rules.player_radius));
                if (player->life != lives[i])
                    rooms[i] = room_of(player->position);
                lives[i] = player->life;
                assert_int_equal(room_of(player->position), rooms[i]);
                checked++;
            }
        }
        fixture_destroy(f);
    }
}

// With any input, players stay outside of obstacles and inside the border, points equal kills, and
// no player moves farther than a stride and the pushes of a crowd.
TEST(invariants_hold_in_a_crowd)
{
    enum { PLAYERS = 48, TICKS = 3000 };
    const raim_box boxes[] = {
        {{-300, -300}, {-100, -100}}, {{-100, -100}, {100, 20}}, {{100, -300}, {300, -90}},
        {{-60, 60}, {-20, 400}},      {{20, 60}, {60, 400}},     {{-500, 200}, {-499, 600}},
        {{400, 0}, {440, 40}},        {{440, 40}, {480, 80}},    {{-900, -20}, {-600, 20}},
    };
    raim_rules rules = raim_rules_default();
    rules.respawn_delay = 0.2;
    struct arena_fixture *f = fixture_create(&rules, PLAYERS, boxes, 9);
    const raim_player *players = raim_world_players(f->world);
    for (int i = 0; i < PLAYERS; i++)
        raim_world_join(f->world);
    uint32_t kills = 0;
    for (int tick = 0; tick < chance_rounds(TICKS); tick++) {
        random_inputs(f);
        fixture_step(f);
        assert_int_equal(f->events.dropped, 0);
        kills += fixture_count(f, RAIM_EVENT_KILL);
        uint32_t score = 0, deaths = 0;
        for (int i = 0; i < PLAYERS; i++) {
            score += players[i].score;
            deaths += players[i].deaths;
            if (players[i].state != RAIM_PLAYER_ALIVE)
                continue;
            assert_true(raim_map_is_free(f->map, players[i].position, rules.player_radius));
            const double moved =
                sqrt(raim_vec2_distance_squared(players[i].position, players[i].previous));
            assert_true(moved < rules.player_speed / 60 + 2 * rules.player_radius);
        }
        assert_int_equal(score, kills);
        assert_int_equal(deaths, kills);
    }
    assert_true(kills > 20);
}

// --- Rules ---

// Tests of the table of rules.

TEST(first_rule_out_of_range_is_returned)
{
    for (int i = 0; i < RAIM_RULE_COUNT; i++) {
        const struct raim_rule *rule = raim_rule_at(i);
        const double bad[] = {nextafter(rule->min, -1e9), nextafter(rule->max, 1e9), NAN, INFINITY,
                              -INFINITY};
        const double good[] = {rule->min, rule->max};
        raim_rules rules = raim_rules_default();
        for (size_t j = 0; j < sizeof good / sizeof *good; j++) {
            *raim_rule_value(&rules, i) = good[j];
            assert_null(raim_rules_check(&rules));
        }
        *raim_rule_value(&rules, RAIM_RULE_COUNT - 1) = NAN;
        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
            *raim_rule_value(&rules, i) = bad[j];
            assert_ptr_equal(raim_rules_check(&rules), rule);
        }
    }
}
