// SPDX-License-Identifier: MIT
// Event log: each audience receives every event once, in order, and late by at most the delay.
#include "chance.h"
#include "event_log.h"
#include "test.h"

enum { BURST = 100, MAX_TICKS = 3000, EPOCH = 31 };

// The events that an audience has received. An event's `deaths` is a running number, its `score`
// the tick.
struct listener {
    uint32_t received;
    uint32_t early; // events that came before their delay was over
};

// Reads EVENTS messages until no event is due.
static void listen(const struct raim_event_log *log, enum raim_audience audience, uint32_t tick,
                   uint32_t first_sequence, uint32_t delay, struct listener *listener)
{
    static struct raim_events_message message;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t capacity =
        (size_t)chance_int(RAIM_EVENTS_HEAD_BYTES + RAIM_MAX_EVENT_BYTES, RAIM_MAX_MESSAGE_BYTES);
    for (;;) {
        uint32_t sequence = first_sequence + listener->received;
        const size_t size = raim_event_log_write(log, audience, EPOCH, &sequence, bytes, capacity);
        if (size == 0)
            return;
        assert_true(size <= capacity);
        raim_reader reader = raim_reader_make(bytes, size);
        assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_EVENTS);
        assert_true(raim_events_read(&reader, &message) && raim_reader_done(&reader));
        assert_int_equal(message.epoch, EPOCH);
        assert_int_equal(message.sequence, (uint16_t)(first_sequence + listener->received));
        assert_int_equal(sequence, first_sequence + listener->received + message.count);
        for (uint32_t i = 0; i < message.count; i++) {
            const uint32_t age = tick - message.events[i].score;
            assert_true(age <= delay);
            assert_int_equal(message.events[i].deaths, listener->received++);
            listener->early += age < delay;
        }
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
    uint32_t tick = UINT32_MAX - (uint32_t)chance_int(0, MAX_TICKS);
    for (int i = 0; i < MAX_TICKS; i++, tick++) {
        assert_true(raim_event_log_has_room(&log, BURST));
        for (int j = chance_int(0, (int)most_a_tick); j > 0; j--) {
            struct raim_wire_event *event = raim_event_log_add(&log, tick);
            event->kind = RAIM_WIRE_KILL;
            event->deaths = added++;
            event->score = tick;
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

TEST(the_late_hear_everything_late_by_exactly_the_delay)
{
    for (int round = 0; round < 20; round++) {
        const uint32_t delay = (uint32_t)chance_int(0, 700), most = (uint32_t)chance_int(1, 20);
        assert_int_equal(run(delay * most, delay, most), 0);
    }
}

TEST(where_too_much_waits_the_late_are_told_earlier_and_nothing_is_lost)
{
    for (int round = 0; round < 20; round++) {
        const uint32_t delay = (uint32_t)chance_int(200, 700);
        assert_true(run((uint32_t)chance_int(0, 500), delay, BURST) > 0);
    }
}

TEST(without_a_delay_both_audiences_hear_at_once)
{
    assert_int_equal(run(0, 0, BURST), 0);
}

static void add(struct raim_event_log *log, uint32_t tick, uint32_t count)
{
    while (count-- > 0)
        raim_event_log_add(log, tick)->kind = RAIM_WIRE_LEFT;
}

TEST(a_restart_discards_all_events)
{
    struct raim_event_log log;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    assert_true(raim_event_log_create(&log, BURST, BURST, 10));
    add(&log, 5, 5);
    raim_event_log_release(&log, 5);
    raim_event_log_restart(&log, 77);
    uint32_t next = 77;
    for (int audience = 0; audience < RAIM_AUDIENCES; audience++)
        assert_int_equal(raim_event_log_write(&log, audience, EPOCH, &next, bytes, sizeof bytes),
                         0);
    add(&log, 6, 1);
    raim_event_log_release(&log, 6);
    assert_int_equal(
        raim_event_log_write(&log, RAIM_AUDIENCE_LATE, EPOCH, &next, bytes, sizeof bytes), 0);
    assert_true(raim_event_log_write(&log, RAIM_AUDIENCE_LIVE, EPOCH, &next, bytes, sizeof bytes) >
                0);
    assert_int_equal(next, 78);
    raim_event_log_destroy(&log);
}

TEST(events_are_kept_until_newer_ones_take_their_place)
{
    struct raim_event_log log;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    assert_true(raim_event_log_create(&log, 8, 0, 0));
    assert_int_equal(log.capacity, 8);
    const uint32_t first = UINT32_MAX - 3;
    raim_event_log_restart(&log, first);
    for (uint32_t i = 1; i <= 8; i++) {
        add(&log, i, 1);
        raim_event_log_release(&log, i);
        assert_true(raim_event_log_reaches(&log, RAIM_AUDIENCE_LIVE, first));
    }
    uint32_t next = first;
    assert_true(raim_event_log_write(&log, RAIM_AUDIENCE_LIVE, EPOCH, &next, bytes, sizeof bytes) >
                0);
    assert_int_equal(next, first + 8);
    add(&log, 9, 1);
    raim_event_log_release(&log, 9);
    assert_false(raim_event_log_reaches(&log, RAIM_AUDIENCE_LIVE, first));
    assert_true(raim_event_log_reaches(&log, RAIM_AUDIENCE_LIVE, first + 1));
    raim_event_log_destroy(&log);
}

TEST(nobody_may_lack_more_events_than_the_wire_can_number)
{
    struct raim_event_log log;
    assert_true(raim_event_log_create(&log, 4 * RAIM_EVENT_LOG_BACKLOG, 0, 0));
    add(&log, 1, RAIM_EVENT_LOG_BACKLOG + 1);
    assert_true(raim_event_log_reaches(&log, RAIM_AUDIENCE_LIVE, 0)); // they are not due yet
    raim_event_log_release(&log, 1);
    assert_false(raim_event_log_reaches(&log, RAIM_AUDIENCE_LIVE, 0));
    assert_true(raim_event_log_reaches(&log, RAIM_AUDIENCE_LIVE, 1));
    raim_event_log_destroy(&log);
}

TEST(a_message_holds_at_most_64_events)
{
    struct raim_event_log log;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    assert_true(raim_event_log_create(&log, 128, 0, 0));
    add(&log, 1, 65);
    raim_event_log_release(&log, 1);
    uint32_t next = 0;
    assert_true(raim_event_log_write(&log, RAIM_AUDIENCE_LIVE, EPOCH, &next, bytes, sizeof bytes) >
                0);
    assert_int_equal(next, 64);
    assert_true(raim_event_log_write(&log, RAIM_AUDIENCE_LIVE, EPOCH, &next, bytes, sizeof bytes) >
                0);
    assert_int_equal(next, 65);
    raim_event_log_destroy(&log);
}
