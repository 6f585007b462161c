// SPDX-License-Identifier: MIT
// Event log: each audience receives every event once, in order, and late by at most the delay.
#include "chance.h"
#include "event_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BURST = 100, MOST_TICKS = 3000 };

// The events that an audience has received. An event's `player` is a running number.
struct listener {
    uint32_t received;
    uint32_t early; // events that came before their delay was over
};

static void listen(struct raim_event_log *log, enum raim_audience audience, uint32_t tick,
                   uint32_t first_sequence, uint32_t delay, struct listener *listener)
{
    struct raim_events_message message;
    while (raim_event_log_next(log, audience, &message)) {
        assert_int_equal(message.sequence, first_sequence + listener->received);
        assert_in_range(message.count, 1, RAIM_MAX_EVENTS_MESSAGE);
        assert_true(tick - message.tick <= delay);
        // Events that do not fit into a message remain for the next.
        const uint32_t told = (uint32_t)chance_int(1, (int)message.count);
        for (uint32_t i = 0; i < told; i++) {
            assert_int_equal(message.events[i].player, listener->received++);
            assert_int_equal(message.events[i].victim, message.tick);
        }
        listener->early += tick - message.tick < delay ? told : 0;
        raim_event_log_mark_sent(log, audience, told);
    }
}

// Logs at most so many events per tick and returns how many were sent before their delay.
static uint32_t run(uint32_t waiting, uint32_t delay, uint32_t most_a_tick)
{
    struct raim_event_log log;
    assert_true(raim_event_log_create(&log, BURST, waiting, delay));
    const uint32_t first = UINT32_MAX - (uint32_t)chance_int(0, 5000); // the numbers wrap
    raim_event_log_restart(&log, first);
    struct listener live = {0}, late = {0};
    uint32_t added = 0;
    uint32_t tick = UINT32_MAX - (uint32_t)chance_int(0, MOST_TICKS);
    for (int i = 0; i < MOST_TICKS; i++, tick++) {
        assert_true(raim_event_log_has_room(&log, BURST));
        for (int j = chance_int(0, (int)most_a_tick); j > 0; j--) {
            struct raim_wire_event *event = raim_event_log_add(&log, tick);
            event->player = added++;
            event->victim = tick;
        }
        raim_event_log_release(&log, tick);
        assert_int_equal(log.due[RAIM_AUDIENCE_LIVE], log.end);
        listen(&log, RAIM_AUDIENCE_LIVE, tick, first, 0, &live);
        listen(&log, RAIM_AUDIENCE_LATE, tick, first, delay, &late);
        assert_int_equal(live.received, added);
    }
    for (uint32_t i = 0; i < delay; i++, tick++) {
        raim_event_log_release(&log, tick);
        listen(&log, RAIM_AUDIENCE_LATE, tick, first, delay, &late);
    }
    assert_int_equal(late.received, added);
    raim_event_log_destroy(&log);
    return late.early;
}

static void test_the_late_hear_everything_late_by_exactly_the_delay(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        const uint32_t delay = (uint32_t)chance_int(0, 700), most = (uint32_t)chance_int(1, 20);
        assert_int_equal(run(delay * most, delay, most), 0);
    }
}

static void test_where_too_much_waits_the_late_are_told_earlier_and_nothing_is_lost(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        const uint32_t delay = (uint32_t)chance_int(200, 700);
        assert_true(run((uint32_t)chance_int(0, 500), delay, BURST) > 0);
    }
}

static void test_without_a_delay_both_audiences_hear_at_once(void **state)
{
    (void)state;
    assert_int_equal(run(0, 0, BURST), 0);
}

static void test_what_was_not_told_before_a_restart_is_not_told_any_more(void **state)
{
    (void)state;
    struct raim_event_log log;
    struct raim_events_message message;
    assert_true(raim_event_log_create(&log, BURST, BURST, 10));
    for (uint32_t i = 0; i < 5; i++)
        raim_event_log_add(&log, i)->player = i;
    raim_event_log_release(&log, 5);
    assert_true(raim_event_log_next(&log, RAIM_AUDIENCE_LIVE, &message));
    assert_int_equal(raim_event_log_at(&log, 4)->player, 4);
    raim_event_log_restart(&log, 77);
    for (int audience = 0; audience < RAIM_AUDIENCES; audience++)
        assert_false(raim_event_log_next(&log, audience, &message));
    raim_event_log_add(&log, 6)->player = 6;
    raim_event_log_release(&log, 6);
    assert_true(raim_event_log_next(&log, RAIM_AUDIENCE_LIVE, &message));
    assert_int_equal(message.sequence, 77);
    assert_int_equal(message.events[0].player, 6);
    assert_false(raim_event_log_next(&log, RAIM_AUDIENCE_LATE, &message));
    raim_event_log_destroy(&log);
}

static void test_a_message_tells_of_one_tick(void **state)
{
    (void)state;
    struct raim_event_log log;
    struct raim_events_message message;
    assert_true(raim_event_log_create(&log, 8, 0, 0));
    raim_event_log_add(&log, 5)->player = 1;
    raim_event_log_add(&log, 5)->player = 2;
    raim_event_log_add(&log, 6)->player = 3;
    assert_false(raim_event_log_next(&log, RAIM_AUDIENCE_LIVE, &message));
    raim_event_log_release(&log, 6);
    assert_true(raim_event_log_next(&log, RAIM_AUDIENCE_LIVE, &message));
    assert_true(message.tick == 5 && message.count == 2 && message.events[1].player == 2);
    raim_event_log_mark_sent(&log, RAIM_AUDIENCE_LIVE, 2);
    assert_true(raim_event_log_next(&log, RAIM_AUDIENCE_LIVE, &message));
    assert_true(message.tick == 6 && message.count == 1 && message.events[0].player == 3);
    raim_event_log_destroy(&log);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_late_hear_everything_late_by_exactly_the_delay),
        cmocka_unit_test(test_where_too_much_waits_the_late_are_told_earlier_and_nothing_is_lost),
        cmocka_unit_test(test_without_a_delay_both_audiences_hear_at_once),
        cmocka_unit_test(test_what_was_not_told_before_a_restart_is_not_told_any_more),
        cmocka_unit_test(test_a_message_tells_of_one_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
