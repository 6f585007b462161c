// SPDX-License-Identifier: MIT
// Round-trip estimator: which acknowledgements give a sample, and how long a sample counts.
#include "peer_guard.h"

#include "chance.h"
#include "test.h"

static struct round_trip trip;
static uint32_t elapsed_ms;

static void set_up(void)
{
    round_trip_init(&trip);
}

TEST_EACH(set_up, NULL)

static bool acknowledge(enum round_trip_channel channel, uint16_t sequence, int64_t now_ms)
{
    return round_trip_acknowledge(&trip, channel, sequence, now_ms, &elapsed_ms);
}

TEST(an_acknowledgement_of_nothing_does_not_match)
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

// Compares with a model that stores every sample.
TEST(random_traffic_agrees_with_a_model)
{
    enum { MESSAGES = 20000 };
    static int64_t sent_ms[MESSAGES], known_ms[MESSAGES];
    assert_int_equal(round_trip_min_ms(&trip, 0), ROUND_TRIP_UNKNOWN);
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
        const bool has_room = next - oldest < ROUND_TRIP_MESSAGES;
        assert_int_equal(round_trip_has_room(&trip, ROUND_TRIP_RELIABLE, (uint16_t)(first + next)),
                         has_room);
        if (has_room) {
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
        if (sends[which] > 0)
            assert_int_equal(elapsed_ms, now_ms - sent_ms[which]);
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
