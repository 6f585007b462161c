// SPDX-License-Identifier: MIT
// Event log: each audience receives every event once, in order, and late by at most the delay.
#include "chance.h"
#include "event_cursor.h"
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

// --- Event cursor ---

// Event cursor: over any network a client takes every event once and in order, what is lost is sent
// again soon, and a hostile client costs no more than a message a tick.

enum { LONGEST = 12, SLOTS = 64, BATCH = 8, TIMEOUT = 16 };

// A message on its way, by its tick of arrival modulo SLOTS; at most one a tick, as the channel
// drops what is overtaken.
struct message {
    bool valid;
    uint32_t tick;        // of the snapshot
    uint32_t first, next; // events
};

struct acknowledgement {
    bool valid;
    uint32_t snapshot, sent; // and the first event not sent up to it
    uint16_t events;
};

struct line {
    struct raim_event_cursor cursor;
    uint32_t due, taken; // events that may be sent; that the client took
    uint32_t sent;       // with repetitions
    uint32_t newest;     // tick of a snapshot
    struct message down[SLOTS];
    struct acknowledgement up[SLOTS];
};

static void serve(struct line *line, uint32_t tick, uint32_t latency, double loss)
{
    raim_event_cursor_step(&line->cursor, tick, TIMEOUT + 2 * latency);
    const uint32_t first = line->cursor.first, left = line->due - first;
    const uint32_t next = first + (left < BATCH ? left : BATCH);
    raim_event_cursor_send(&line->cursor, next, tick);
    line->sent += next - first;
    if (chance_between(0, 1) >= loss)
        line->down[(tick + latency) % SLOTS] =
            (struct message){.valid = true, .tick = tick, .first = first, .next = next};
}

static void answer(struct line *line, uint32_t tick, uint32_t latency, double loss)
{
    struct message *message = &line->down[tick % SLOTS];
    if (!message->valid)
        return;
    message->valid = false;
    if ((int32_t)(message->tick - line->newest) <= 0)
        return; // overtaken
    line->newest = message->tick;
    if ((int32_t)(message->first - line->taken) <= 0 && (int32_t)(message->next - line->taken) > 0)
        line->taken = message->next;
    if (chance_between(0, 1) >= loss)
        line->up[(tick + latency) % SLOTS] = (struct acknowledgement){
            .valid = true,
            .snapshot = message->tick,
            .sent = message->next,
            .events = (uint16_t)line->taken,
        };
}

static void acknowledge(struct line *line, uint32_t tick)
{
    struct acknowledgement *up = &line->up[tick % SLOTS];
    if (!up->valid)
        return;
    up->valid = false;
    assert_true(raim_event_cursor_accepts(&line->cursor, up->events));
    if (raim_event_cursor_acknowledge(&line->cursor, up->events, tick))
        raim_event_cursor_detect_loss(&line->cursor, up->snapshot, up->sent, tick + 1);
    assert_true((int32_t)(line->taken - line->cursor.acked) >= 0);
}

TEST(every_event_comes_once_and_in_order)
{
    for (int round = 0; round < 400; round++) {
        struct line line = {0};
        const double loss = chance_between(0, 0.5);
        const uint32_t longest = (uint32_t)chance_int(1, LONGEST);
        const uint32_t first = UINT32_MAX - (uint32_t)chance_int(0, 2000); // the numbers wrap
        uint32_t tick = UINT32_MAX - (uint32_t)chance_int(0, 2000);
        line.due = line.taken = first;
        line.newest = tick - 1;
        raim_event_cursor_begin(&line.cursor, first, tick);
        for (int i = 0; i < 6000 || (line.taken != line.due && i < 100000); i++, tick++) {
            if (i < 4000 && chance_int(0, 19) == 0)
                line.due += (uint32_t)chance_int(1, 3);
            serve(&line, tick, longest + (uint32_t)chance_int(0, 2), loss);
            answer(&line, tick, longest + (uint32_t)chance_int(0, 2), loss);
            acknowledge(&line, tick);
        }
        assert_int_equal(line.taken, line.due);
        assert_int_equal(line.cursor.acked, line.due);
    }
}

TEST(without_loss_few_events_are_sent_twice_and_many_once)
{
    for (uint32_t latency = 1; latency <= LONGEST; latency++) {
        struct line line = {.newest = UINT32_MAX};
        raim_event_cursor_begin(&line.cursor, 0, 0);
        for (uint32_t tick = 0; tick < 1000; tick++) {
            line.due += tick < 900 ? (uint32_t)chance_int(0, 1) : 0;
            serve(&line, tick, latency, 0);
            answer(&line, tick, latency, 0);
            acknowledge(&line, tick);
        }
        assert_int_equal(line.sent, 2 * line.due);
        line.sent = 0;
        line.due += BATCH;
        serve(&line, 1000, latency, 0);
        serve(&line, 1001, latency, 0);
        assert_int_equal(line.sent, BATCH);
    }
}

TEST(a_loss_costs_a_tick_and_two_cost_a_round_trip)
{
    for (uint32_t latency = 1; latency <= LONGEST; latency++) {
        for (uint32_t lost = 1; lost <= 2; lost++) {
            struct line line = {.newest = UINT32_MAX};
            raim_event_cursor_begin(&line.cursor, 0, 0);
            uint32_t tick = 0;
            for (line.due = 1; line.taken == 0; tick++) {
                serve(&line, tick, latency, tick < lost ? 1 : 0);
                answer(&line, tick, latency, 0);
                acknowledge(&line, tick);
            }
            // The second time, tick 2 arrives, its acknowledgement names the loss, and the next
            // tick sends again.
            assert_int_equal(tick - 1, lost == 1 ? 1 + latency : 2 + 2 * latency + 1 + latency);
        }
    }
}

TEST(without_any_acknowledgement_it_is_sent_again_at_growing_intervals)
{
    struct line line = {.due = 1};
    raim_event_cursor_begin(&line.cursor, 0, 0);
    for (uint32_t tick = 0; tick < 1000; tick++)
        serve(&line, tick, 1, 1);
    assert_in_range(line.sent, 10, 2 * (1 + 1000 / (8 * TIMEOUT) + 3));
}

TEST(impossible_acknowledgements_are_rejected_and_old_ones_change_nothing)
{
    struct raim_event_cursor cursor;
    raim_event_cursor_begin(&cursor, 100000, 0);
    raim_event_cursor_send(&cursor, 100010, 0);
    for (uint32_t low = 0; low < 65536; low++) {
        const int32_t ahead = (int16_t)(low - 100000);
        assert_int_equal(raim_event_cursor_accepts(&cursor, (uint16_t)low), ahead <= 10);
    }
    assert_true(raim_event_cursor_acknowledge(&cursor, (uint16_t)100004, 1));
    const struct raim_event_cursor before = cursor;
    assert_false(raim_event_cursor_acknowledge(&cursor, (uint16_t)100003, 2));
    assert_false(raim_event_cursor_acknowledge(&cursor, (uint16_t)(100004 - 32768), 2));
    assert_memory_equal(&before, &cursor, sizeof cursor);
    // After going back, what was sent before is still possible.
    raim_event_cursor_detect_loss(&cursor, 5, 100010, 6);
    assert_int_equal(cursor.next, 100004);
    assert_true(raim_event_cursor_accepts(&cursor, (uint16_t)100010));
    assert_true(raim_event_cursor_acknowledge(&cursor, (uint16_t)100010, 7));
    assert_int_equal(cursor.next, 100010);
}
