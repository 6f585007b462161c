// SPDX-License-Identifier: MIT
// Tests of prediction against a real world with delayed inputs: predictions match the world, and
// external changes are corrected as soon as a snapshot contains them.
#include "grid_move.h"
#include "prediction.h"

#include "arena_fixture.h"
#include "chance.h"
#include "player.h"
#include "test.h"

enum { TICK_HZ = 60, LEAD = 9, ID = RAIM_MAX_PLAYERS };

static const raim_box boxes[] = {{{-200, -200}, {-50, 300}}, {{50, -300}, {300, -150}}};

struct bench {
    struct raim_map *map;
    raim_rules rules;
    struct raim_prediction pilot;
};

static struct bench *open_bench(void)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->map = fixture_map(boxes, 2);
    bench->rules = raim_rules_default();
    raim_prediction_init(&bench->pilot, ID, bench->map, &bench->rules, TICK_HZ);
    return bench;
}

static void close_bench(struct bench *bench)
{
    raim_map_destroy(bench->map);
    free(bench);
}

static struct raim_prediction_state standing_at(double x, double y)
{
    return (struct raim_prediction_state){.position = {x, y}, .life = 1, .alive = true};
}

static const raim_input right = {.move_x = 1};
static const raim_input up = {.move_y = 1};

static double stride_of(const struct bench *bench)
{
    return raim_world_stride(&bench->rules, TICK_HZ).straight * RAIM_MAP_GRID;
}

static void assert_at(const struct bench *bench, uint32_t tick, double x, double y)
{
    const raim_vec2 position = raim_prediction_at(&bench->pilot, tick)->position;
    assert_true(position.x == x && position.y == y);
}

TEST(it_obeys_at_once)
{
    struct bench *bench = open_bench();
    const struct raim_prediction_state told = standing_at(0, 500);
    const double stride = stride_of(bench);
    raim_prediction_reconcile(&bench->pilot, 100, &told);
    for (uint32_t tick = 100; tick < 110; tick++)
        raim_prediction_add_input(&bench->pilot, tick, &right);
    for (uint32_t tick = 100; tick <= 110; tick++)
        assert_at(bench, tick, (tick - 100) * stride, 500);
    // Before and beyond what is known it is where it was first and is last.
    assert_at(bench, 90, 0, 500);
    assert_at(bench, 120, 10 * stride, 500);
    assert_true(raim_prediction_position(&bench->pilot, 104, 0.25).x == 4.25 * stride);
    close_bench(bench);
}

TEST(ticks_left_out_hold_the_input_before)
{
    struct bench *bench = open_bench();
    const struct raim_prediction_state told = standing_at(0, 500);
    const double stride = stride_of(bench);
    raim_prediction_reconcile(&bench->pilot, 100, &told);
    // Before the first input there is none to hold.
    raim_prediction_add_input(&bench->pilot, 103, &right);
    assert_at(bench, 103, 0, 500);
    raim_prediction_add_input(&bench->pilot, 108, &up);
    assert_at(bench, 108, 5 * stride, 500);
    assert_at(bench, 109, 5 * stride, 500 + stride);
    close_bench(bench);
}

TEST(who_falls_lies_where_it_was_and_rises_with_its_keys_down)
{
    struct bench *bench = open_bench();
    const double stride = stride_of(bench);
    struct raim_prediction_state told = standing_at(0, 500);
    raim_prediction_reconcile(&bench->pilot, 100, &told);
    for (uint32_t tick = 100; tick < 110; tick++)
        raim_prediction_add_input(&bench->pilot, tick, &right);

    // It died in tick 103; the position is not sent.
    told = (struct raim_prediction_state){0};
    raim_prediction_reconcile(&bench->pilot, 104, &told);
    assert_at(bench, 104, 4 * stride, 500);
    assert_at(bench, 110, 4 * stride, 500);
    assert_false(raim_prediction_at(&bench->pilot, 110)->alive);
    for (uint32_t tick = 110; tick < 140; tick++)
        raim_prediction_add_input(&bench->pilot, tick, &up);
    raim_prediction_reconcile(&bench->pilot, 130, &told);
    assert_at(bench, 140, 4 * stride, 500);

    told = standing_at(600, 600);
    told.life = 2;
    raim_prediction_reconcile(&bench->pilot, 136, &told);
    assert_at(bench, 140, 600, 600 + 4 * stride);
    assert_int_equal(bench->pilot.record.predictions, 0);
    close_bench(bench);
}

TEST(bullets_are_known_until_a_snapshot_can_report_of_them)
{
    struct bench *bench = open_bench();
    const double stride = stride_of(bench);
    const uint32_t cooldown = raim_ticks_of(bench->rules.fire_cooldown, TICK_HZ);
    const raim_input fire = {.move_x = 1, .fire = 1, .rewind = 4, .aim = 1000};
    struct raim_prediction_state told = standing_at(0, 500);
    raim_bullet shot[RAIM_MAX_PELLETS], *bullet = shot;
    told.cooldown_ticks = 3;
    told.shielded = true;
    raim_prediction_reconcile(&bench->pilot, 100, &told);
    for (uint32_t tick = 100; tick < 120; tick++)
        raim_prediction_add_input(&bench->pilot, tick, &fire);
    for (uint32_t tick = 95; tick < 125; tick++) {
        const bool fires = tick == 102 || tick == 102 + cooldown;
        assert_int_equal(raim_prediction_bullets(&bench->pilot, tick, shot), fires);
        if (!fires)
            continue;
        assert_true(bullet->origin.x == (tick - 99) * stride && bullet->origin.y == 500);
        assert_true(bullet->born_tick == tick - 4 && bullet->rewind == 4 && bullet->owner == ID);
        assert_int_equal(bullet->aim, 1000);
    }
    assert_true(raim_prediction_at(&bench->pilot, 102)->shielded);
    assert_false(raim_prediction_at(&bench->pilot, 103)->shielded);
    assert_int_equal(raim_prediction_at(&bench->pilot, 120)->shots, 2);

    told = *raim_prediction_at(&bench->pilot, 103);
    raim_prediction_reconcile(&bench->pilot, 103, &told);
    assert_int_equal(raim_prediction_bullets(&bench->pilot, 102 + cooldown, shot), 1);
    close_bench(bench);
}

TEST(nothing_is_foreseen_too_far_ahead)
{
    struct bench *bench = open_bench();
    struct raim_prediction_state told = standing_at(0, 500);
    raim_prediction_reconcile(&bench->pilot, 100, &told);
    for (uint32_t tick = 100; tick < 100 + 3 * RAIM_PREDICTION_TICKS; tick++)
        raim_prediction_add_input(&bench->pilot, tick, &right);
    assert_false(bench->pilot.any);
    // It is again as soon as there is something to build on.
    raim_prediction_reconcile(&bench->pilot, 90 + 3 * RAIM_PREDICTION_TICKS, &told);
    assert_at(bench, 100 + 3 * RAIM_PREDICTION_TICKS, 10 * stride_of(bench), 500);
    close_bench(bench);
}

// --- A real world ---

static struct raim_prediction_state state_of(const raim_player *player)
{
    return (struct raim_prediction_state){
        .position = player->position,
        .cooldown_ticks = player->cooldown_ticks,
        .shots = (uint8_t)player->shots,
        .life = player->life % 8,
        .alive = player->state == RAIM_PLAYER_ALIVE,
        .shielded = player->shield_ticks > 0,
    };
}

// The world simulates inputs LEAD ticks after they are made and sends a snapshot now and then.
TEST(what_is_foreseen_becomes_true_whatever_happens_in_between)
{
    enum { TICKS = 20000 };
    struct bench *bench = open_bench();
    struct arena_fixture *fixture =
        fixture_create_on(fixture_map(boxes, 2), &bench->rules, TICK_HZ, 1);
    const raim_player_id id = raim_world_join(fixture->world);
    raim_player *player = &raim_world_players(fixture->world)[raim_player_slot(id)];
    raim_input waiting[LEAD] = {0}, input = {0};
    uint32_t disturbed_tick = 0, compared = 0;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        if (chance_int(0, 9) == 0)
            input = (raim_input){.move_x = (int8_t)chance_int(-1, 1),
                                 .move_y = (int8_t)chance_int(-1, 1),
                                 .fire = (uint8_t)chance_int(0, 1),
                                 .aim = (raim_angle)chance_int(0, 65535)};
        raim_prediction_add_input(&bench->pilot, tick + LEAD, &input);
        // What the world has of its own is unforeseen until a snapshot of a later tick.
        if (chance_int(0, 299) == 0 && player->state == RAIM_PLAYER_ALIVE) {
            if (chance_int(0, 1) == 0)
                player->position = raim_grid_move_push(fixture->map, player->position,
                                                       (raim_vec2){chance_between(-20, 20), 7},
                                                       bench->rules.player_radius);
            else
                player->state = RAIM_PLAYER_DOWN;
            disturbed_tick = tick;
        }
        fixture->inputs[raim_player_slot(id)] = waiting[tick % LEAD];
        const uint8_t life = player->life;
        fixture_step(fixture);
        waiting[tick % LEAD] = input;
        disturbed_tick = player->life != life ? tick : disturbed_tick;

        const struct raim_prediction_state now = state_of(player);
        const bool is_quiet = bench->pilot.any && bench->pilot.base_tick > disturbed_tick;
        if (is_quiet && now.alive) {
            const struct raim_prediction_state *foreseen =
                raim_prediction_at(&bench->pilot, tick + 1);
            assert_true(foreseen->position.x == now.position.x);
            assert_true(foreseen->position.y == now.position.y);
            assert_int_equal(foreseen->cooldown_ticks, now.cooldown_ticks);
            assert_int_equal(foreseen->shots, now.shots);
            compared++;
        }
        if (chance_int(0, 2) == 0)
            raim_prediction_reconcile(&bench->pilot, tick + 1, &now);
    }
    assert_true(compared > TICKS / 2);
    assert_true(bench->pilot.record.predictions > TICKS / 8);
    fixture_destroy(fixture);
    close_bench(bench);
}
