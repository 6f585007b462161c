// SPDX-License-Identifier: MIT
// Tests of the measures of the audit in small worlds in which every figure is known.
#include "arena_fixture.h"
#include "audit_measures.h"
#include "test.h"

#include <math.h>

enum { TICK_HZ = 60, WAIT = TICK_HZ + 5 }; // WAIT: longer than AUDIT_MEMORY_S

struct fixture {
    struct arena_fixture *arena;
    struct audit_measures *measures;
    struct audit_client clients[4];
    uint64_t sent[4];
    bool frozen;
};

static void finish(void *fixture)
{
    struct fixture *f = fixture;
    audit_measures_destroy(f->measures);
    free(f);
}

static struct fixture *begin(uint32_t players, const raim_box *boxes, int box_count)
{
    const raim_rules rules = raim_rules_default();
    struct fixture *f = calloc(1, sizeof *f);
    test_at_end(finish, f);
    f->arena = fixture_create(&rules, players, boxes, box_count);
    f->measures = audit_measures_create(&(struct audit_def){
        .map = f->arena->map,
        .rules = rules,
        .tick_hz = TICK_HZ,
        .max_players = players,
        .bullets_per_player = f->arena->world->bullets_per_player,
        .max_rewind = f->arena->world->max_rewind,
        .view = {1600, 861},
        .sight = true,
    });
    assert_non_null(f->measures);
    for (uint32_t i = 0; i < players; i++)
        f->clients[i] = (struct audit_client){.name = "somebody", .round_trip_ms = UINT32_MAX};
    return f;
}

static void step(struct fixture *f, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        fixture_step(f->arena);
        assert_true(audit_measures_tick(
            f->measures, &(struct audit_tick){f->arena->world, &f->arena->events, f->arena->inputs,
                                              f->clients, f->frozen}));
    }
}

static const struct audit_player *row(const struct fixture *f, uint32_t index)
{
    uint32_t count, left_out;
    const struct audit_player *const *players =
        audit_measures_players(f->measures, &count, &left_out);
    assert_true(index < count);
    return players[index];
}

static const raim_box wall = {{-100, 100}, {100, 140}};

// A viewer below a wall, and an enemy above it who runs to the right until it is in sight.
static raim_player *run_into_sight(struct fixture *f, raim_player **enemy, raim_angle aim)
{
    raim_player *viewer = fixture_put(f->arena, (raim_vec2){0, -200});
    *enemy = fixture_put(f->arena, (raim_vec2){0, 200});
    fixture_input(f->arena, viewer)->aim = aim;
    step(f, WAIT);
    fixture_input(f->arena, *enemy)->move_x = 1;
    for (int i = 0; i < 120 && row(f, 0)->sightings == 0; i++)
        step(f, 1);
    assert_int_equal(row(f, 0)->sightings, 1);
    return viewer;
}

static raim_angle bearing(const raim_player *from, const raim_player *to)
{
    return raim_angle_of(raim_vec2_sub(to->position, from->position));
}

TEST(a_reaction_is_the_time_from_sight_to_aim)
{
    for (int delay = 1; delay <= 30; delay += 7) {
        struct fixture *f = begin(2, &wall, 1);
        raim_player *enemy;
        const raim_player *viewer = run_into_sight(f, &enemy, 0);
        fixture_input(f->arena, enemy)->move_x = 0;
        step(f, delay - 1);
        assert_int_equal(row(f, 0)->reaction.count, 0);
        fixture_input(f->arena, viewer)->aim = bearing(viewer, enemy);
        step(f, 1);
        assert_int_equal(row(f, 0)->reaction.count, 1);
        assert_int_equal(row(f, 0)->reaction.least, delay);
        assert_int_equal(row(f, 0)->aimed_before, 0);
        step(f, WAIT);
        assert_int_equal(row(f, 0)->sightings, 1);
    }
}

TEST(an_aim_that_waits_for_the_enemy_is_no_reaction)
{
    struct fixture *f = begin(2, &wall, 1);
    raim_player *enemy;
    run_into_sight(f, &enemy, (raim_angle)(RAIM_ANGLE_TURN / 4 - 2500)); // right of the wall's end
    step(f, WAIT);
    assert_int_equal(row(f, 0)->aimed_before, 1);
    assert_int_equal(row(f, 0)->reaction.count, 0);
    assert_true(row(f, 0)->aimed_before_chance > 0 && row(f, 0)->aimed_before_chance < 0.1);
}

TEST(an_enemy_seen_a_moment_ago_is_not_sighted_again)
{
    struct fixture *f = begin(2, &wall, 1);
    raim_player *enemy;
    run_into_sight(f, &enemy, 0);
    for (int i = 0; i < 3; i++) {
        fixture_input(f->arena, enemy)->move_x = -1;
        step(f, 10);
        fixture_input(f->arena, enemy)->move_x = 1;
        step(f, 10);
    }
    assert_int_equal(row(f, 0)->sightings, 1);
    fixture_input(f->arena, enemy)->move_x = -1;
    step(f, 40);
    fixture_input(f->arena, enemy)->move_x = 1;
    step(f, 60);
    assert_int_equal(row(f, 0)->sightings, 2);
}

TEST(a_crowd_or_a_spawn_is_no_sighting)
{
    struct fixture *f = begin(3, &wall, 1);
    raim_player *viewer = fixture_put(f->arena, (raim_vec2){0, -200});
    raim_player *one = fixture_put(f->arena, (raim_vec2){-25, 200});
    raim_player *other = fixture_put(f->arena, (raim_vec2){25, 200});
    step(f, WAIT);
    fixture_input(f->arena, one)->move_x = -1; // both come into sight in the same tick
    fixture_input(f->arena, other)->move_x = 1;
    step(f, 60);
    assert_int_equal(row(f, 0)->sightings, 0);
    fixture_input(f->arena, one)->move_x = 1; // both hide, and one comes back
    fixture_input(f->arena, other)->move_x = -1;
    step(f, 60);
    fixture_input(f->arena, one)->move_x = 0;
    fixture_input(f->arena, other)->move_x = 0;
    step(f, WAIT);
    viewer->life++; // as one that spawned
    fixture_input(f->arena, other)->move_x = 1;
    step(f, 50);
    assert_int_equal(row(f, 0)->sightings, 0);
    fixture_input(f->arena, other)->move_x = -1;
    step(f, 50);
    fixture_input(f->arena, other)->move_x = 0;
    step(f, WAIT);
    fixture_input(f->arena, other)->move_x = 1;
    step(f, 50);
    assert_int_equal(row(f, 0)->sightings, 1);
}

TEST(an_enemy_that_hides_again_draws_no_reaction)
{
    struct fixture *f = begin(2, &wall, 1);
    raim_player *enemy;
    const raim_player *viewer = run_into_sight(f, &enemy, 0);
    fixture_input(f->arena, enemy)->move_x = -1;
    step(f, 10);
    fixture_input(f->arena, enemy)->move_x = 1;
    for (int i = 0; i < 15; i++) {
        fixture_input(f->arena, viewer)->aim = bearing(viewer, enemy);
        step(f, 1);
    }
    assert_true(row(f, 0)->shots == 0 && row(f, 0)->reaction.count == 0);
}

TEST(an_enemy_that_respawned_is_sighted_anew)
{
    struct fixture *f = begin(2, NULL, 0);
    fixture_put(f->arena, (raim_vec2){0, -200});
    raim_player *enemy = fixture_put(f->arena, (raim_vec2){0, 200});
    step(f, WAIT + 60);
    assert_int_equal(row(f, 0)->sightings, 0); // it was in sight when the viewer began
    enemy->life++;
    enemy->position = enemy->previous = (raim_vec2){200, 200};
    step(f, 5);
    assert_int_equal(row(f, 0)->sightings, 1);
}

// The screen of a player whose shots are rewound shows its enemies as they were.
TEST(reactions_do_not_contain_the_round_trip)
{
    enum { AT_ONCE, BY_ROUND_TRIP, BY_REWIND, CASES };
    uint32_t seen_after[CASES] = {0};
    for (int i = 0; i < CASES; i++) {
        struct fixture *f = begin(2, &wall, 1);
        raim_player *viewer = fixture_put(f->arena, (raim_vec2){0, -200});
        raim_player *enemy = fixture_put(f->arena, (raim_vec2){0, 200});
        // The rewind of a shot is believed more than the round trip.
        *fixture_input(f->arena, viewer) =
            (raim_input){.fire = i != BY_ROUND_TRIP, .aim = RAIM_ANGLE_TURN / 2};
        fixture_input(f->arena, viewer)->rewind = i == BY_REWIND ? 10 : 0;
        f->clients[0].has_traffic = i != AT_ONCE;
        f->clients[0].round_trip_ms = i == BY_ROUND_TRIP ? 84 : 400; // 84: five ticks
        step(f, WAIT);
        fixture_input(f->arena, enemy)->move_x = 1;
        while (row(f, 0)->sightings == 0) {
            step(f, 1);
            seen_after[i]++;
        }
    }
    assert_int_equal(seen_after[BY_REWIND], seen_after[AT_ONCE] + 10);
    assert_int_equal(seen_after[BY_ROUND_TRIP], seen_after[AT_ONCE] + 5);
}

TEST(aim_on_hidden_enemies_is_compared_with_chance)
{
    for (int sent = 0; sent < 2; sent++) {
        struct fixture *f = begin(2, &wall, 1);
        raim_player *viewer = fixture_put(f->arena, (raim_vec2){0, -200});
        fixture_put(f->arena, (raim_vec2){0, 200});
        f->sent[0] = 2;
        f->clients[0].sent = sent ? &f->sent[0] : NULL;
        fixture_input(f->arena, viewer)->aim = RAIM_ANGLE_TURN / 2; // away from it
        step(f, WAIT + 100);
        const struct audit_hidden *one = sent ? &row(f, 0)->sent : &row(f, 0)->unsent;
        const struct audit_hidden *other = sent ? &row(f, 0)->unsent : &row(f, 0)->sent;
        const uint64_t away = one->ticks;
        assert_in_range(away, 100, 110);
        assert_int_equal(one->on_ticks, 0);
        fixture_input(f->arena, viewer)->aim = RAIM_ANGLE_TURN / 4; // through the wall
        step(f, 50);
        assert_int_equal(one->on_ticks, 50);
        assert_int_equal(one->ticks, away + 50);
        const double share = asin(24 / 400.0) / 3.14159265; // of a circle at 400 units
        assert_true(fabs(one->chance - (double)(away + 50) * share) < 0.05);
        assert_int_equal(other->ticks, 0);
        fixture_input(f->arena, viewer)->fire = 1;
        step(f, 1);
        assert_int_equal(one->shots, 1);
        assert_int_equal(row(f, 0)->shots_at_seen, 0);
        assert_int_equal(row(f, 0)->tracking_ticks, 0); // the aim stood still
    }
}

TEST(an_aim_that_follows_a_hidden_enemy_tracks_it)
{
    const raim_box long_wall = {{-900, 100}, {900, 140}};
    struct fixture *f = begin(2, &long_wall, 1);
    raim_player *viewer = fixture_put(f->arena, (raim_vec2){0, -100});
    raim_player *enemy = fixture_put(f->arena, (raim_vec2){-300, 200});
    fixture_input(f->arena, viewer)->aim = RAIM_ANGLE_TURN * 3 / 4;
    step(f, WAIT);
    fixture_input(f->arena, enemy)->move_x = 1;
    for (int i = 0; i < 100; i++) {
        fixture_input(f->arena, viewer)->aim = bearing(viewer, enemy);
        step(f, 1);
    }
    assert_in_range(row(f, 0)->longest_tracking, 95, 100);
    assert_int_equal(row(f, 0)->tracking_ticks, row(f, 0)->longest_tracking);
    fixture_input(f->arena, viewer)->aim = 0;
    step(f, 5);
    assert_in_range(row(f, 0)->longest_tracking, 95, 100);
}

TEST(snaps_flicks_and_returns)
{
    struct fixture *f = begin(1, NULL, 0);
    raim_player *player = fixture_put(f->arena, (raim_vec2){0, 0});
    raim_input *input = fixture_input(f->arena, player);
    step(f, 10);
    *input = (raim_input){.fire = 1, .aim = 16384}; // a quarter of a turn in the tick of the shot
    step(f, 1);
    input->fire = 0;
    step(f, 5);
    assert_int_equal(row(f, 0)->shots, 1);
    assert_int_equal(row(f, 0)->snaps, 1);
    assert_int_equal(row(f, 0)->flicks, 1);
    assert_int_equal(row(f, 0)->returns, 0);
    assert_int_equal(row(f, 0)->snap.greatest, 16384);
    step(f, 20);
    *input = (raim_input){.fire = 1, .aim = 20000}; // and back
    step(f, 1);
    *input = (raim_input){.aim = 16384};
    step(f, 5);
    assert_int_equal(row(f, 0)->returns, 1);
    assert_int_equal(row(f, 0)->flicks, 1);
    for (int i = 0; i < 40; i++) { // a smooth turn of 9 degrees in 50 ms
        *input = (raim_input){.fire = i == 30, .aim = (raim_angle)(16384 + 546 * i)};
        step(f, 1);
    }
    assert_int_equal(row(f, 0)->shots, 3);
    assert_int_equal(row(f, 0)->snaps, 1); // that and the return's 20 degrees, which are less
    assert_int_equal(row(f, 0)->flicks, 1);
    assert_int_equal(row(f, 0)->returns, 1);
    assert_int_equal(row(f, 0)->turn.greatest, 16384);
    *input = (raim_input){.aim = 50000}; // an aim that moves before it flicks
    step(f, 40);
    input->aim = 48000;
    step(f, 1);
    *input = (raim_input){.fire = 1, .aim = 30000};
    step(f, 1);
    input->fire = 0;
    step(f, 5);
    assert_int_equal(row(f, 0)->shots, 4);
    assert_int_equal(row(f, 0)->flicks, 1);
}

TEST(a_new_life_begins_with_any_aim)
{
    struct fixture *f = begin(1, NULL, 0);
    raim_player *player = fixture_put(f->arena, (raim_vec2){0, 0});
    step(f, 10);
    player->life++;
    step(f, 1);
    fixture_input(f->arena, player)->aim = 30000; // of the first tick that begins in this life
    step(f, 10);
    assert_int_equal(row(f, 0)->turn.greatest, 0);
}

TEST(hits_of_moving_targets_and_through_the_past)
{
    struct fixture *f = begin(2, NULL, 0);
    raim_player *shooter = fixture_put(f->arena, (raim_vec2){-300, 0});
    raim_player *target = fixture_put(f->arena, (raim_vec2){0, 0});
    step(f, WAIT);
    *fixture_input(f->arena, shooter) = (raim_input){.fire = 1, .rewind = 12};
    step(f, 1);
    assert_int_equal(row(f, 0)->shots, 1);
    assert_int_equal(row(f, 0)->shots_at_seen, 1);
    assert_int_equal(row(f, 0)->shots_on_target, 1);
    assert_int_equal(row(f, 0)->shots_at_moving, 0);
    fixture_input(f->arena, shooter)->fire = 0;
    step(f, 30);
    assert_int_equal(row(f, 0)->hits, 1);
    assert_int_equal(row(f, 0)->kills, 1);
    assert_int_equal(row(f, 1)->deaths, 1);
    assert_int_equal(row(f, 0)->hits_moving, 0);
    assert_int_equal(row(f, 0)->hits_at_limit, 1);
    assert_int_equal(row(f, 0)->rewind.greatest, 12);
    assert_true(row(f, 1)->alive_ticks < row(f, 0)->alive_ticks);
    // Now one that runs towards the shooter, near enough to be hit in the past.
    target->state = RAIM_PLAYER_ALIVE;
    target->health = 1;
    target->respawn_ticks = 0;
    target->life++;
    target->position = target->previous = (raim_vec2){0, 0};
    fixture_input(f->arena, target)->move_x = -1;
    step(f, 20);
    *fixture_input(f->arena, shooter) = (raim_input){.fire = 1, .rewind = 11};
    step(f, 1);
    fixture_input(f->arena, shooter)->fire = 0;
    step(f, 30);
    assert_int_equal(row(f, 0)->shots_at_moving, 1);
    assert_int_equal(row(f, 0)->hits_moving, 1);
    assert_int_equal(row(f, 0)->hits_in_past, 1);
    assert_int_equal(row(f, 0)->hits_at_limit, 1);
}

TEST(traffic_is_counted_by_client)
{
    struct fixture *f = begin(1, NULL, 0);
    const raim_player *player = fixture_put(f->arena, (raim_vec2){0, 0});
    step(f, 10); // without a client
    f->clients[0].has_traffic = true;
    for (int i = 0; i < 60; i++) {
        f->clients[0].arrivals = i % 10 == 9 ? 5 : i % 10 < 3 ? 0 : 1;
        f->clients[0].missed = i == 7;
        // A shot every 15 ticks, from the first on.
        fixture_input(f->arena, player)->fire = 1;
        f->clients[0].clamped = i == 15 || i == 16;
        f->clients[0].round_trip_ms = i % 20 == 0 ? 40 + (uint32_t)i : UINT32_MAX;
        step(f, 1);
    }
    const struct audit_player *shown = row(f, 0);
    assert_int_equal(shown->client_ticks, 60);
    assert_int_equal(shown->inputs, 6 * 6 + 6 * 5);
    assert_int_equal(shown->bursts, 6);
    assert_int_equal(shown->most_inputs, 5);
    assert_int_equal(shown->longest_gap, 3);
    assert_int_equal(shown->missed, 1);
    assert_int_equal(shown->shots, 4);
    assert_int_equal(shown->clamped_shots, 1);
    assert_int_equal(shown->round_trip.count, 3);
    assert_true(shown->round_trip_changes == 40);
}

TEST(frozen_ticks_do_not_count)
{
    struct fixture *f = begin(1, NULL, 0);
    fixture_put(f->arena, (raim_vec2){0, 0});
    step(f, 11);
    f->frozen = true;
    step(f, 50);
    f->frozen = false;
    step(f, 10);
    assert_int_equal(row(f, 0)->present_ticks, 21);
    assert_int_equal(row(f, 0)->alive_ticks, 20);
    assert_int_equal(audit_measures_ticks(f->measures), 71);
}

TEST(a_slot_that_is_used_again_is_another_player)
{
    struct fixture *f = begin(1, NULL, 0);
    raim_player *player = fixture_put(f->arena, (raim_vec2){0, 0});
    f->clients[0].name = "\x1b[31mred";
    step(f, 10);
    raim_world_leave(f->arena->world, player->id);
    fixture_put(f->arena, (raim_vec2){0, 0});
    f->clients[0].name = "second";
    step(f, 20);
    assert_string_equal(row(f, 0)->name, "[31mred"); // without the terminal's escape
    assert_string_equal(row(f, 1)->name, "second");
    assert_int_equal(row(f, 0)->present_ticks, 10);
    assert_int_equal(row(f, 1)->present_ticks, 20);
    assert_int_equal(row(f, 1)->alive_ticks, 19); // who lived when its first tick began is gone
    assert_true(row(f, 0)->id != row(f, 1)->id);
}

TEST(rows_are_bounded)
{
    struct fixture *f = begin(1, NULL, 0);
    for (int i = 0; i < AUDIT_MAX_PLAYERS + 5; i++) {
        const raim_player *player = fixture_put(f->arena, (raim_vec2){0, 0});
        *fixture_input(f->arena, player) = (raim_input){.fire = 1};
        step(f, 2);
        raim_world_leave(f->arena->world, player->id);
    }
    uint32_t count, left_out;
    audit_measures_players(f->measures, &count, &left_out);
    assert_int_equal(count, AUDIT_MAX_PLAYERS);
    assert_int_equal(left_out, 5);
}
