// SPDX-License-Identifier: MIT
// Round-trip estimator: which acknowledgements give a sample, and how long a sample counts.
#include "peer_guard.h"

#include "chance.h"
#include "test.h"

static struct round_trip trip;
static uint32_t elapsed_ms;

static int set_up(void **state)
{
    (void)state;
    round_trip_init(&trip);
    return 0;
}

static bool acknowledge(enum round_trip_channel channel, uint16_t sequence, int64_t now_ms)
{
    return round_trip_acknowledge(&trip, channel, sequence, now_ms, &elapsed_ms);
}

TEST(nothing_is_known_before_an_acknowledgement, set_up, NULL)
{
    assert_int_equal(round_trip_min_ms(&trip, 0), ROUND_TRIP_UNKNOWN);
    round_trip_send(&trip, ROUND_TRIP_CONTROL, 1, 1000);
    assert_int_equal(round_trip_min_ms(&trip, 1050), ROUND_TRIP_UNKNOWN);
    assert_true(acknowledge(ROUND_TRIP_CONTROL, 1, 1050));
    assert_int_equal(elapsed_ms, 50);
    assert_int_equal(round_trip_min_ms(&trip, 1050), 50);
}

TEST(the_least_of_a_second_counts, set_up, NULL)
{
    static const int64_t trips[] = {80, 40, 60, 90};
    for (uint16_t i = 0; i < 4; i++) {
        round_trip_send(&trip, ROUND_TRIP_RELIABLE, i, 5000 + i * 10);
        assert_true(acknowledge(ROUND_TRIP_RELIABLE, i, 5000 + i * 10 + trips[i]));
    }
    assert_int_equal(round_trip_min_ms(&trip, 5120), 40);
    // The later, slower samples count when the fast one has left the window.
    round_trip_send(&trip, ROUND_TRIP_RELIABLE, 4, 5700);
    assert_true(acknowledge(ROUND_TRIP_RELIABLE, 4, 5800));
    assert_int_equal(round_trip_min_ms(&trip, 6000), 40);
    assert_int_equal(round_trip_min_ms(&trip, 6300), 100);
    assert_int_equal(round_trip_min_ms(&trip, 7000), ROUND_TRIP_UNKNOWN);
}

TEST(a_resent_command_gives_no_sample, set_up, NULL)
{
    round_trip_send(&trip, ROUND_TRIP_RELIABLE, 7, 1000);
    round_trip_send(&trip, ROUND_TRIP_RELIABLE, 7, 1100);
    assert_true(acknowledge(ROUND_TRIP_RELIABLE, 7, 1105));
    assert_int_equal(elapsed_ms, 105); // since it was first sent
    assert_int_equal(round_trip_min_ms(&trip, 1105), ROUND_TRIP_UNKNOWN);
}

TEST(an_acknowledgement_of_nothing_does_not_match, set_up, NULL)
{
    for (uint32_t sequence = 0; sequence <= UINT16_MAX; sequence++)
        assert_false(acknowledge(ROUND_TRIP_RELIABLE, (uint16_t)sequence, 1));
    round_trip_send(&trip, ROUND_TRIP_RELIABLE, 600, 10);
    for (uint32_t sequence = 0; sequence <= UINT16_MAX; sequence++)
        if (sequence != 600)
            assert_false(acknowledge(ROUND_TRIP_RELIABLE, (uint16_t)sequence, 20));
    assert_false(acknowledge(ROUND_TRIP_CONTROL, 600, 20));
    assert_true(acknowledge(ROUND_TRIP_RELIABLE, 600, 20));
    assert_false(acknowledge(ROUND_TRIP_RELIABLE, 600, 20));
}

TEST(sequence_numbers_may_begin_anywhere, set_up, NULL)
{
    for (uint32_t first = 0; first <= UINT16_MAX; first += 257) {
        round_trip_init(&trip);
        round_trip_send(&trip, ROUND_TRIP_CONTROL, (uint16_t)first, 10);
        assert_true(acknowledge(ROUND_TRIP_CONTROL, (uint16_t)first, 20));
    }
}

TEST(a_round_trip_within_a_millisecond_counts_as_one, set_up, NULL)
{
    round_trip_send(&trip, ROUND_TRIP_CONTROL, 1, 0);
    assert_true(acknowledge(ROUND_TRIP_CONTROL, 1, 0));
    round_trip_send(&trip, ROUND_TRIP_CONTROL, 2, 77);
    assert_true(acknowledge(ROUND_TRIP_CONTROL, 2, 77));
    assert_int_equal(round_trip_min_ms(&trip, 77), 1);
}

TEST(arena_ends_where_a_peer_is_too_far_behind, set_up, NULL)
{
    for (uint16_t i = 0; i < ROUND_TRIP_MESSAGES; i++) {
        const uint16_t sequence = (uint16_t)(65500 + i);
        assert_true(round_trip_has_room(&trip, ROUND_TRIP_RELIABLE, sequence));
        round_trip_send(&trip, ROUND_TRIP_RELIABLE, sequence, 10);
    }
    const uint16_t next = (uint16_t)(65500 + ROUND_TRIP_MESSAGES);
    assert_false(round_trip_has_room(&trip, ROUND_TRIP_RELIABLE, next));
    // All but the first make none: it is the oldest that counts.
    for (uint16_t i = 1; i < ROUND_TRIP_MESSAGES; i++)
        assert_true(acknowledge(ROUND_TRIP_RELIABLE, (uint16_t)(65500 + i), 20));
    assert_false(round_trip_has_room(&trip, ROUND_TRIP_RELIABLE, next));
    assert_true(acknowledge(ROUND_TRIP_RELIABLE, 65500, 20));
    assert_true(round_trip_has_room(&trip, ROUND_TRIP_RELIABLE, next));
}

// Compares with a model that stores every sample.
TEST(random_traffic_agrees_with_a_model, set_up, NULL)
{
    enum { MESSAGES = 20000 };
    static int64_t sent_ms[MESSAGES], known_ms[MESSAGES];
    static int sends[MESSAGES];
    int64_t now_ms = chance_int(0, 1000000);
    const uint16_t first = (uint16_t)chance_int(0, UINT16_MAX);
    int oldest = 0, next = 0;
    for (int i = 0; i < MESSAGES; i++)
        sends[i] = 0, known_ms[i] = -1;
    while (next < MESSAGES) {
        now_ms += chance_int(0, 3);
        while (oldest < next && sends[oldest] < 0)
            oldest++;
        if (next - oldest < ROUND_TRIP_MESSAGES) {
            sent_ms[next] = now_ms;
            sends[next] = 1;
            round_trip_send(&trip, ROUND_TRIP_RELIABLE, (uint16_t)(first + next++), now_ms);
        }
        const int which = chance_int(oldest, next - 1);
        const uint16_t sequence = (uint16_t)(first + which);
        if (sends[which] > 0 && chance_int(0, 9) == 0) {
            sends[which]++;
            round_trip_send(&trip, ROUND_TRIP_RELIABLE, sequence, now_ms);
            continue;
        }
        assert_int_equal(acknowledge(ROUND_TRIP_RELIABLE, sequence, now_ms), sends[which] > 0);
        if (sends[which] == 1)
            known_ms[which] = now_ms;
        sends[which] = sends[which] > 0 ? -1 : sends[which];
        // The minimum lies between those of the last second and of an eighth more.
        uint32_t least = ROUND_TRIP_UNKNOWN, of_more = ROUND_TRIP_UNKNOWN;
        for (int i = next - 1; i >= 0 && i > next - 3000; i--) {
            const int64_t took = known_ms[i] - sent_ms[i] > 0 ? known_ms[i] - sent_ms[i] : 1;
            if (known_ms[i] >= 0 && now_ms - known_ms[i] <= 1000 && took < least)
                least = (uint32_t)took;
            if (known_ms[i] >= 0 && now_ms - known_ms[i] <= 1125 && took < of_more)
                of_more = (uint32_t)took;
        }
        assert_in_range(round_trip_min_ms(&trip, now_ms), of_more, least);
    }
}
