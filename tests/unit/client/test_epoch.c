// SPDX-License-Identifier: MIT
// Epochs: a client ignores messages that belong to another WELCOME than its last one.
#include "client_fixture.h"

#include "pings.h"

enum { EPOCH = 3 };

static uint64_t ignored(const struct raim_client *client)
{
    return raim_client_get_stats(client)->other_epoch;
}

static struct raim_client *enter_epoch(uint32_t epoch)
{
    struct raim_welcome message = good_welcome();
    message.epoch = epoch;
    return enter(&message);
}

static bool show_of(struct raim_client *client, uint32_t epoch, uint32_t tick)
{
    struct raim_wire_frame frame = empty_frame(tick);
    frame.epoch = epoch;
    return show(client, &frame);
}

static size_t write_chat_event(uint32_t epoch, uint32_t sequence)
{
    static struct raim_events_message message;
    message.epoch = epoch;
    message.sequence = (uint16_t)sequence;
    message.count = 1;
    message.events[0] =
        (struct raim_wire_event){.kind = RAIM_WIRE_CHAT, .by_operator = true, .text = "hear"};
    return write_events(&message, bytes, sizeof bytes);
}

// The reader's limits are those of the old arena, in which these bits mean nothing.
TEST(a_snapshot_of_another_epoch_is_not_read_on)
{
    struct raim_client *client = enter_epoch(EPOCH);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
    raim_write_ranged(&writer, 0, 0, raim_wire_history(TICK_HZ) - 1);
    raim_write_bits(&writer, EPOCH + 1, RAIM_EPOCH_BITS);
    for (int i = 0; i < 40; i++)
        raim_write_bits(&writer, 0xFF, 8);
    assert_true(receive(client, raim_writer_finish(&writer)));
    assert_int_equal(raim_client_get_stats(client)->decode_errors, 0);
    assert_int_equal(ignored(client), 1);
}

TEST(events_of_another_epoch_and_the_snapshot_behind_them_are_ignored)
{
    struct raim_client *client = enter_epoch(EPOCH);
    struct raim_client_event event;
    const struct raim_wire_limits limits = limits_of_test();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK + 1);
    frame.epoch = EPOCH + 1;
    size_t size = write_chat_event(EPOCH + 1, FIRST_EVENT);
    size += raim_snapshot_write(&limits, NULL, &frame, bytes + size, sizeof bytes - size);
    assert_true(receive(client, size));
    assert_int_equal(raim_client_get_stats(client)->events, 0);
    assert_int_equal(raim_client_get_stats(client)->snapshots, 0);
    assert_int_equal(ignored(client), 1);
    assert_true(receive(client, write_chat_event(EPOCH, FIRST_EVENT)));
    assert_true(raim_client_next_event(client, &event));
    assert_true(show_of(client, EPOCH, FIRST_TICK + 1)); // it starts the clock
    assert_int_equal(pressed(client).events, FIRST_EVENT + 1);
}

static size_t write_pings(uint32_t epoch, uint32_t first, uint32_t count)
{
    const struct raim_pings pings = {
        .epoch = epoch, .first = first, .count = count, .values = {4, 0, 63}};
    return raim_pings_write(&pings, bytes, sizeof bytes);
}

TEST(pings_are_those_of_the_epochs_slots)
{
    struct raim_client *client = enter_epoch(EPOCH);
    assert_int_equal(raim_client_get_roster_entry(client, OWN_SLOT)->ping_ms, -1);
    assert_true(receive(client, write_pings(EPOCH + 1, OWN_SLOT, 3)));
    assert_int_equal(ignored(client), 1);
    assert_int_equal(raim_client_get_roster_entry(client, OWN_SLOT)->ping_ms, -1);
    assert_true(receive(client, write_pings(EPOCH, OWN_SLOT, 3)));
    assert_int_equal(raim_client_get_roster_entry(client, OWN_SLOT)->ping_ms, 30);
    assert_false(receive(client, write_pings(EPOCH, PLAYERS - 2, 3)));
    assert_int_equal(raim_client_get_stats(client)->decode_errors, 1);
}
