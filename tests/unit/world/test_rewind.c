// SPDX-License-Identifier: MIT
// Tests of lag compensation: bullets that are launched in the past tick that their shooter saw.
#include "arena_fixture.h"
#include "chance.h"
#include "hit_oracle.h"
#include "test.h"

#include <math.h>

enum { REWIND = 12 }; // the max_rewind of the fixture

// At 60 Hz with the default rules, a bullet flies 15 units per tick, starts at the muzzle, 20 units
// ahead of its shooter, and touches a player 24 units before that player's centre. A player runs 5
// units per tick.

static struct arena_fixture *open_field(void)
{
    return fixture_create(NULL, 4, NULL, 0);
}

// Plays one tick in which a player fires.
static void shoot(struct arena_fixture *f, const raim_player *shooter, raim_angle aim, int rewind)
{
    raim_input *input = fixture_input(f, shooter);
    *input = (raim_input){.fire = 1, .rewind = (uint8_t)rewind, .aim = aim};
    fixture_step(f);
    *input = (raim_input){.aim = aim};
}

static const raim_event *find_event(const struct arena_fixture *f, enum raim_event_kind kind)
{
    for (uint32_t i = 0; i < f->events.count; i++)
        if (f->events.items[i].kind == kind)
            return &f->events.items[i];
    return NULL;
}

TEST(a_target_that_was_in_line_is_hit_after_it_left)
{
    for (int rewind = 0; rewind <= REWIND; rewind++) {
        struct arena_fixture *f = open_field();
        raim_player *shooter = fixture_put(f, (raim_vec2){0, 0});
        raim_player *victim = fixture_put(f, (raim_vec2){100, 0});
        // The target stands for 4 ticks and runs for 8 ticks, 40 units. A bullet needs 3.7 ticks to
        // reach it: one that is launched 9 ticks ago just grazes the target, 17 units off the line.
        fixture_steps(f, 4);
        fixture_input(f, victim)->move_y = 1;
        fixture_steps(f, 8);
        shoot(f, shooter, 0, rewind);
        const raim_event *kill = find_event(f, RAIM_EVENT_KILL);
        if (rewind < 9) {
            assert_null(kill);
        } else {
            assert_non_null(kill);
            assert_int_equal(kill->actor, shooter->id);
            assert_int_equal(kill->victim, victim->id);
            assert_int_equal(kill->view_tick, 12 - rewind);
            assert_int_equal(kill->rewind, rewind);
            assert_true(kill->in_past);
            assert_int_equal(shooter->score, 1);
            assert_int_equal(fixture_bullets(f), 0);
        }
        fixture_destroy(f);
    }
}

TEST(a_rewound_bullet_flies_on_like_any_other)
{
    const raim_box walls[] = {{{-400, -300}, {-380, 300}}, {{300, -300}, {320, 300}}};
    for (int round = 0; round < 300; round++) {
        raim_rules rules = raim_rules_default();
        rules.bullet_speed = chance_between(200, 3000);
        rules.bullet_lifetime = chance_between(0.05, 0.6);
        rules.fire_cooldown = 10;
        struct arena_fixture *late = fixture_create(&rules, 1, walls, 2);
        struct arena_fixture *twin = fixture_create(&rules, 1, walls, 2);
        const raim_vec2 position =
            raim_map_round((raim_vec2){chance_between(-300, 200), chance_between(-900, 900)});
        const raim_angle aim = (raim_angle)chance_int(0, 65535);
        const int rewind = chance_int(0, REWIND);
        const raim_player *late_shooter = fixture_put(late, position);
        shoot(twin, fixture_put(twin, position), aim, 0);
        fixture_steps(twin, rewind);
        fixture_steps(late, rewind);
        shoot(late, late_shooter, aim, rewind);
        for (int tick = 0; tick < 40; tick++) {
            const raim_bullet *ours = raim_world_bullets_const(late->world);
            const raim_bullet *theirs = raim_world_bullets_const(twin->world);
            assert_int_equal(ours->owner, theirs->owner);
            assert_int_equal(ours->born_tick, theirs->born_tick);
            assert_memory_equal(&ours->origin, &theirs->origin, sizeof ours->origin);
            assert_memory_equal(&ours->direction, &theirs->direction, sizeof ours->direction);
            fixture_step(late);
            fixture_step(twin);
        }
        fixture_destroy(late);
        fixture_destroy(twin);
    }
}

// A wall hides a player that stands low enough behind its corner. A player runs down behind it; in
// every tick, its enemy shoots at every angle with every rewind.
TEST(cover_older_than_the_rewind_protects)
{
    const raim_box wall = {{60, -400}, {80, 0}};
    raim_rules rules = raim_rules_default();
    rules.bullet_speed = 20000; // so that bullets nearly follow the line of sight
    struct arena_fixture *f = fixture_create(&rules, 2, &wall, 1);
    raim_player *shooter = fixture_put(f, (raim_vec2){0, -100});
    raim_player *victim = fixture_put(f, (raim_vec2){150, 200});
    const size_t size = raim_world_bytes(f->world);
    struct raim_world *now = malloc(size);
    fixture_input(f, victim)->move_y = -1;
    int covered = 0, hits[REWIND + 1] = {0};
    for (int tick = 0; tick < 40; tick++) {
        memcpy(now, f->world, size);
        for (int rewind = 0; rewind <= REWIND && rewind <= tick; rewind++) {
            for (int aim = 0; aim < RAIM_ANGLE_TURN / 4; aim += 96) {
                shoot(f, shooter, (raim_angle)aim, rewind);
                const uint32_t kills = fixture_count(f, RAIM_EVENT_KILL);
                memcpy(f->world, now, size);
                assert_true(kills == 0 || rewind >= covered);
                hits[rewind] += covered > 0 && kills > 0;
            }
        }
        fixture_step(f);
        // The line past the corner is at y = 150 there, and the distance to it is 39 * cos(59
        // degrees).
        covered += victim->previous.y < 111;
    }
    assert_int_equal(covered, 22);
    assert_int_equal(hits[0], 0);
    // The cost of lag compensation: hits on players under cover.
    assert_true(0 < hits[REWIND / 2] && hits[REWIND / 2] < hits[REWIND]);
    free(now);
}

TEST(a_fresh_world_has_no_history)
{
    struct arena_fixture *f = open_field();
    raim_player *shooter = fixture_put(f, (raim_vec2){0, 0});
    fixture_put(f, (raim_vec2){30, 0});
    shoot(f, shooter, RAIM_ANGLE_TURN / 2, REWIND); // zeroed samples are at the origin
    assert_int_equal(fixture_count(f, RAIM_EVENT_HIT), 0);
    assert_int_equal(raim_world_bullets(f->world)->born_tick, (uint32_t)-REWIND);
}

TEST(a_world_without_rewinds_keeps_no_history)
{
    struct raim_world_def def = {
        .rules = raim_rules_default(), .tick_hz = 60, .max_players = 64, .max_rewind = 0};
    const size_t size = raim_world_size(&def);
    const uint32_t kept[] = {1, 1, 2, 4, 4, 8};
    for (uint32_t rewind = 1; rewind <= 5; rewind++) {
        def.max_rewind = rewind;
        assert_int_equal(raim_world_size(&def) - size,
                         64 * sizeof(raim_position_sample) * kept[rewind]);
    }
    def.max_rewind = RAIM_MAX_REWIND;
    assert_int_equal(raim_world_size(&def) - size, 64 * sizeof(raim_position_sample) * 64);
}

// --- against an oracle ---

enum { PLAYERS = ORACLE_PLAYERS, TICKS = ORACLE_TICKS, BOXES = 6 };

// Creates an arena with boxes in the middle, where all players gather.
static struct arena_fixture *random_arena(void)
{
    raim_box boxes[BOXES];
    for (int i = 0; i < BOXES; i++) {
        const raim_vec2 corner =
            raim_map_round((raim_vec2){chance_between(-400, 350), chance_between(-400, 350)});
        boxes[i] = (raim_box){
            corner, raim_vec2_add(corner, (raim_vec2){chance_int(4, 120), chance_int(4, 120)})};
    }
    const uint32_t rates[] = {10, 30, 60, 120};
    struct raim_world_def def = {.rules = raim_rules_default(),
                                 .tick_hz = rates[chance_int(0, 3)],
                                 .max_players = PLAYERS,
                                 .max_rewind = (uint32_t)chance_int(0, 20),
                                 .seed = raim_random_next(&chance)};
    def.rules.player_speed = chance_between(50, 1000);
    def.rules.bullet_speed = chance_between(50, 2000);
    def.rules.bullet_lifetime = chance_between(0.05, 0.5);
    def.rules.fire_cooldown = chance_between(0.02, 0.3);
    def.rules.respawn_delay = chance_between(0.15, 0.4); // a tick at least
    def.rules.spawn_protection = chance_between(0, 0.5);
    def.rules.pellets = chance_int(1, 2);
    def.rules.spread = chance_between(1, 90);
    def.rules.health = chance_int(1, 3);
    def.rules.damage = chance_int(1, 2);
    struct arena_fixture *f = fixture_create_as(fixture_map(boxes, BOXES), &def);
    for (int i = 0; i < PLAYERS; i++)
        raim_world_join(f->world);
    return f;
}

// Moves all living players close together, so that bullets hit. The jump counts as a new life.
static void gather(struct arena_fixture *f)
{
    raim_player *players = raim_world_players(f->world);
    for (int i = 0; i < PLAYERS; i++) {
        if (players[i].state != RAIM_PLAYER_ALIVE)
            continue;
        do
            players[i].position =
                raim_map_round((raim_vec2){chance_between(-250, 250), chance_between(-250, 250)});
        while (!raim_map_is_free(f->map, players[i].position, f->world->rules.player_radius));
        players[i].previous = players[i].position;
        players[i].life++;
    }
}

static void random_inputs(struct arena_fixture *f)
{
    for (int i = 0; i < PLAYERS; i++) {
        raim_input *input = &f->inputs[i];
        if (chance_int(0, 9) == 0) {
            input->move_x = (int8_t)chance_int(-1, 1);
            input->move_y = (int8_t)chance_int(-1, 1);
        }
        input->fire = chance_int(0, 3) > 0;
        input->aim = (raim_angle)chance_int(0, 65535);
        input->rewind = (uint8_t)chance_int(0, (int)f->world->max_rewind);
    }
    const int slot = chance_int(0, PLAYERS - 1);
    if (chance_int(0, 49) == 0) {
        raim_world_leave(f->world, raim_world_players(f->world)[slot].id);
        raim_world_join(f->world);
    }
}

TEST(every_hit_is_the_one_that_an_oracle_finds)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);
    for (int round = 0; round < 150; round++) {
        struct arena_fixture *f = random_arena();
        const struct raim_world *world = f->world;
        assert_true(world->max_bullets <= ORACLE_BULLETS);
        const size_t size = raim_world_bytes(world);
        struct raim_world *before = malloc(size);
        for (int tick = 0; tick < TICKS; tick++) {
            if (tick % 40 == 20)
                gather(f);
            random_inputs(f);
            memcpy(before, world, size);
            fixture_step(f);
            oracle_check(oracle, f, before);
        }
        free(before);
        fixture_destroy(f);
    }
    print_message("%" PRIu64 " hits, %" PRIu64 " in the past, %" PRIu64 " kills, %" PRIu64
                  " passed; %" PRIu64 " steps, %" PRIu64 " too close to call\n",
                  oracle->hits, oracle->past_hits, oracle->kills, oracle->passed, oracle->sure,
                  oracle->unsures);
    assert_true(oracle->hits > 1000 && oracle->past_hits > 300 && oracle->kills > 500);
    assert_true(oracle->passed > 0);
    assert_true(oracle->unsures < oracle->sure / 50);
    free(oracle);
}

TEST(the_history_survives_a_wrap_of_the_tick)
{
    struct arena_fixture *f[2];
    for (int i = 0; i < 2; i++) {
        f[i] = fixture_create(NULL, 8, NULL, 0);
        f[i]->world->tick = i == 0 ? 1024 : (uint32_t)-40;
        for (int slot = 0; slot < 8; slot++)
            fixture_put(f[i], (raim_vec2){100 * (slot % 4) - 200, 80 * (slot / 4)});
    }
    uint32_t hits = 0;
    for (int tick = 0; tick < 200; tick++) {
        for (int slot = 0; slot < 8; slot++)
            f[0]->inputs[slot] = f[1]->inputs[slot] = (raim_input){
                .move_x = (int8_t)chance_int(-1, 1),
                .move_y = (int8_t)chance_int(-1, 1),
                .fire = 1,
                .rewind = (uint8_t)chance_int(0, REWIND),
                .aim = (raim_angle)chance_int(0, 65535),
            };
        fixture_step(f[0]);
        fixture_step(f[1]);
        assert_memory_equal(raim_world_players(f[0]->world), raim_world_players(f[1]->world),
                            8 * sizeof(raim_player));
        hits += fixture_count(f[0], RAIM_EVENT_HIT);
    }
    assert_true(hits > 0);
    fixture_destroy(f[0]);
    fixture_destroy(f[1]);
}
