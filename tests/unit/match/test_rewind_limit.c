// SPDX-License-Identifier: MIT
// Rewind limit: the minimum of two round trip measurements within a second.
#include "chance.h"
#include "rewind_limit.h"
#include "test.h"
#include "view_fixture.h"

enum { HZ = 60, SHOW = RAIM_REWIND_LIMIT_SHOW, MAX_JITTER = RAIM_REWIND_LIMIT_JITTER };

// Plays a tick with an acknowledgement after so many ticks; negative: none.
static uint32_t tick(struct raim_rewind_limit *rewind_limit, int delay)
{
    raim_rewind_limit_step(rewind_limit, HZ);
    if (delay >= 0)
        raim_rewind_limit_acknowledge(rewind_limit, (uint32_t)delay);
    return raim_rewind_limit_view(rewind_limit);
}

static uint32_t ticks(struct raim_rewind_limit *rewind_limit, int count, int delay)
{
    while (count-- > 0)
        tick(rewind_limit, delay);
    return raim_rewind_limit_view(rewind_limit);
}

// The transport's measurement of a round trip of `delay` whole ticks, without the wait for a tick.
static void tell(struct raim_rewind_limit *rewind_limit, uint32_t delay, uint32_t deviation_ms)
{
    raim_rewind_limit_measure(rewind_limit, ((delay + 1) * 1000 + HZ / 2) / HZ, deviation_ms, HZ);
}

TEST(nothing_is_allowed_before_anything_is_acknowledged)
{
    struct raim_rewind_limit rewind_limit = {0};
    assert_int_equal(ticks(&rewind_limit, 100, -1), 0);
    tell(&rewind_limit, 9, 0);
    assert_int_equal(raim_rewind_limit_view(&rewind_limit), 0);
    assert_int_equal(tick(&rewind_limit, 9), 9 + SHOW);
}

TEST(the_least_of_a_second_counts)
{
    struct raim_rewind_limit rewind_limit = {0};
    assert_int_equal(ticks(&rewind_limit, 100, 9), 9 + SHOW);
    assert_true(tick(&rewind_limit, 5) <= 5 + SHOW + MAX_JITTER);
    assert_int_equal(ticks(&rewind_limit, 3 * HZ, 5), 5 + SHOW);
    // One prompt answer in 50 ticks suffices for the minimum.
    for (int i = 0; i < 1000; i++)
        assert_true(tick(&rewind_limit, i % 50 == 0 ? 5 : 20) <= 5 + SHOW + MAX_JITTER);
}

TEST(it_rises_no_faster_than_a_tick_in_200_ms)
{
    struct raim_rewind_limit rewind_limit = {0};
    ticks(&rewind_limit, 100, 0);
    uint32_t before = SHOW;
    for (int i = 1; i <= 6 * HZ; i++) {
        const uint32_t now = tick(&rewind_limit, 12);
        assert_true(now <= before + 1);
        assert_true(i >= HZ - HZ / 8 || now == SHOW);
        assert_true(now <= SHOW + (uint32_t)i * 5 / HZ);
        before = now;
    }
    assert_int_equal(before, 12 + SHOW); // and then it counts
    tell(&rewind_limit, 12, 0);
    assert_int_equal(tick(&rewind_limit, 0), SHOW);
}

TEST(the_lesser_of_both_measurements_counts)
{
    struct raim_rewind_limit rewind_limit = {0};
    tell(&rewind_limit, 1, 0);
    assert_int_equal(tick(&rewind_limit, 8), 1 + SHOW);
    for (int i = 0; i < 300; i++) {
        tell(&rewind_limit, 1, 0);
        assert_int_equal(tick(&rewind_limit, 8), 1 + SHOW);
    }
    tell(&rewind_limit, 30, 0);
    assert_true(ticks(&rewind_limit, HZ, 8) <= 8 + SHOW);
    // The transport's measurement holds for a second.
    tell(&rewind_limit, 0, 0);
    assert_int_equal(ticks(&rewind_limit, HZ - 1, 8), SHOW);
    assert_true(ticks(&rewind_limit, 4 * HZ, 8) == 8 + SHOW);
}

TEST(it_stays_while_nothing_is_measured)
{
    struct raim_rewind_limit rewind_limit = {0};
    ticks(&rewind_limit, 100, 3);
    assert_int_equal(ticks(&rewind_limit, 10 * HZ, -1), 3 + SHOW);
    assert_int_equal(tick(&rewind_limit, 40), 3 + SHOW);
}

// Every delay from `least` to `least + spread` ticks is as likely.
static uint32_t jitter_for(uint32_t least, uint32_t spread, uint32_t deviation_ms)
{
    struct raim_rewind_limit rewind_limit = {0};
    for (int i = 0; i < 60 * HZ; i++) {
        if (deviation_ms != UINT32_MAX)
            tell(&rewind_limit, least + spread, deviation_ms);
        tick(&rewind_limit, (int)(least + raim_random_below(&chance, spread + 1)));
    }
    return raim_rewind_limit_view(&rewind_limit) - least - SHOW;
}

TEST(jitter_is_added_up_to_its_limit)
{
    assert_int_equal(jitter_for(9, 0, UINT32_MAX), 0);
    assert_int_equal(jitter_for(9, 2, UINT32_MAX), 2);
    assert_int_equal(jitter_for(9, 6, UINT32_MAX), MAX_JITTER);
    assert_int_equal(jitter_for(9, 6, 100), MAX_JITTER);
}

TEST(jitter_is_what_both_measurements_see)
{
    assert_int_equal(jitter_for(9, 6, 0), 0);
    assert_int_equal(jitter_for(9, 0, 100), 0);
}

TEST(bursts_make_no_jitter)
{
    struct raim_rewind_limit rewind_limit = {0};
    for (int i = 0; i < 60 * HZ; i++) {
        tell(&rewind_limit, 12, 100);
        assert_true(tick(&rewind_limit, i % 150 >= 105 ? 12 : 0) <= SHOW);
    }
}

// --- Hits ---

// Lag compensation in a match: limits of the rewind, and its events and counters.

enum { SHOOTER, TARGET, RUN_UP = 30, NONE = -1 };

static struct stage *open_range(uint32_t lag_compensation_ms)
{
    struct raim_match_def def = raim_match_default_def();
    def.sight = false;
    def.tuning.max_players = 2;
    def.lag_compensation_ms = lag_compensation_ms;
    return stage_open(fixture_map(NULL, 0), def);
}

// A target that has been running up for a while, and a shooter on its left that aims to the right,
// at where the target was some ticks ago.
static struct stage *aim_at_the_past(uint32_t lag_compensation_ms, int ticks_ago)
{
    struct stage *stage = open_range(lag_compensation_ms);
    stage_join(stage, SHOOTER);
    stage_join(stage, TARGET);
    stage_ticks(stage, 5);
    stage_put(stage, stage_slot(stage, TARGET), (raim_vec2){0, -500});
    stage_put(stage, stage_slot(stage, SHOOTER), (raim_vec2){-900, 900});
    stage->viewers[TARGET].pressed.move_y = 1;
    stage->viewers[SHOOTER].is_mute = true; // until it fires
    for (int i = 0; i < RUN_UP; i++) {
        stage->viewers[TARGET].pressed.aim += 1000; // so that a snapshot is needed
        stage_tick(stage);
    }
    const raim_player *target = stage_player(stage, TARGET);
    const double run = target->position.y - target->previous.y;
    assert_true(run == 5);
    stage_put(stage, stage_slot(stage, SHOOTER),
              (raim_vec2){-60, target->position.y - run * ticks_ago});
    return stage;
}

// Fires with a view of an age, as a client whose round trip takes so many ticks (NONE: that knows
// no snapshot), plays the tick, and returns with how many ticks of rewind a kill was told; -1 for
// no kill.
static int fire_measured(struct stage *stage, uint8_t view_age, int known_ago)
{
    struct viewer *viewer = &stage->viewers[SHOOTER];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    viewer->has_named = known_ago != NONE;
    viewer->name = viewer->newest - (uint32_t)known_ago;
    viewer->pressed = (raim_wire_input){.fire = true, .view_age = view_age};
    raim_match_receive(stage->match, SHOOTER, false, bytes,
                       stage_write_input(viewer, stage->match->world->tick, bytes));
    raim_match_step(stage->match);
    struct raim_outgoing out;
    int rewind = -1;
    while (raim_match_outgoing(stage->match, &out)) {
        struct raim_events_message events;
        raim_reader reader = raim_reader_make(out.data, out.size);
        if (raim_message_read(&reader) != RAIM_MESSAGE_EVENTS)
            continue;
        assert_true(raim_events_read(&reader, &events));
        const uint32_t first_new = stage->match->log.was_due[RAIM_AUDIENCE_LIVE];
        for (uint32_t i = 0; i < events.count; i++)
            if (events.events[i].kind == RAIM_WIRE_KILL &&
                (int16_t)(events.sequence + i - first_new) >= 0)
                rewind = (int)events.events[i].rewind;
    }
    return rewind;
}

// Fires with a view of an age, without a measurement of the transport.
static int fire(struct stage *stage, uint8_t view_age, int known_ago)
{
    struct raim_connection *client = &stage->match->connections[SHOOTER];
    client->rewind_limit = (struct raim_rewind_limit){0};
    client->has_acked = false;
    return fire_measured(stage, view_age, known_ago);
}

TEST(who_was_seen_in_the_sights_is_hit_and_it_is_told_and_counted)
{
    struct stage *stage = aim_at_the_past(150, 8);
    assert_int_equal(fire(stage, 9, 8), 9);
    struct raim_match_hits hits = raim_match_counts(stage->match).hits;
    assert_int_equal(hits.total, 1);
    assert_int_equal(hits.rewound, 1);
    assert_int_equal(hits.in_past, 1);
    assert_true(hits.rewound_ms == 150 && hits.most_rewound_ms == 150);
    // A hit without rewind counts in the total alone.
    stage_put(stage, stage_slot(stage, TARGET), (raim_vec2){0, 0});
    stage_put(stage, stage_slot(stage, SHOOTER), (raim_vec2){-50, 0});
    stage_player(stage, TARGET)->shield_ticks = 100;
    assert_int_equal(fire(stage, 0, 0), -1);
    hits = raim_match_counts(stage->match).hits;
    assert_int_equal(hits.total, 2);
    assert_int_equal(hits.rewound, 1);
    assert_true(hits.rewound_ms == 150 && hits.most_rewound_ms == 150);
}

TEST(who_is_aimed_at_where_it_no_longer_is_is_missed_without_a_rewind)
{
    struct stage *stage = aim_at_the_past(150, 8);
    assert_int_equal(fire(stage, 0, 0), -1);
    assert_int_equal(raim_match_counts(stage->match).hits.total, 0);
}

TEST(no_claim_goes_beyond_the_limit)
{
    // Seen 15 ticks ago, of which 9 count.
    struct stage *stage = aim_at_the_past(150, 15);
    assert_int_equal(fire(stage, 15, 14), -1);
    assert_int_equal(raim_match_counts(stage->match).hits.clamped, 0);
    stage = aim_at_the_past(250, 15);
    assert_int_equal(fire(stage, 15, 14), 15);
}

TEST(no_claim_goes_beyond_the_rewind_limit)
{
    // A client that answers within the tick cannot have seen a state 15 ticks old.
    struct stage *stage = aim_at_the_past(250, 15);
    assert_int_equal(fire(stage, 15, 0), -1);
    assert_int_equal(raim_match_counts(stage->match).hits.clamped, 1);
    stage = aim_at_the_past(150, 8);
    assert_int_equal(fire(stage, 9, NONE), -1);
    assert_int_equal(raim_match_counts(stage->match).hits.clamped, 1);
}

TEST(acknowledgements_held_back_do_not_help_against_the_transport)
{
    struct stage *stage = aim_at_the_past(250, 15);
    stage->match->connections[SHOOTER].rewind_limit = (struct raim_rewind_limit){0};
    stage->match->connections[SHOOTER].has_acked = false;
    raim_match_set_rtt(stage->match, SHOOTER, 17, 0);
    assert_int_equal(fire_measured(stage, 15, 14), -1);
    assert_int_equal(raim_match_counts(stage->match).hits.clamped, 1);
}

TEST(where_nothing_is_rewound_no_claim_counts)
{
    struct stage *stage = aim_at_the_past(0, 8);
    assert_int_equal(stage->match->world->max_rewind, 0);
    assert_int_equal(fire(stage, 9, 3), -1);
}
