// SPDX-License-Identifier: MIT
// Filter of a connected peer's commands: which ones are removed before ENet sees them.
#include "peer_guard.h"
#include "test.h"

static struct peer_guard guard;
static struct peer_guard_view view;
static struct peer_guard_report report;
static uint64_t rejected[DATAGRAM_VERDICTS]; // of the last datagram
static uint8_t data[1200];
static size_t size;
static int64_t now_ms, clock_lag_ms; // ENet's clock is so far behind

static void begin(void)
{
    const uint8_t header[] = {0x80, 3, 0x12, 0x34};
    memcpy(data, header, sizeof header);
    size = sizeof header;
}

static void set_up(void)
{
    peer_guard_init(&guard);
    now_ms = 1000000;
    clock_lag_ms = 0;
    view =
        (struct peer_guard_view){.is_connected = true, .channels = 2, .max_waiting_bytes = 16384};
    begin();
}

TEST_EACH(set_up, NULL)

static void add(uint8_t command, uint8_t channel, uint16_t sequence, const void *rest, size_t more)
{
    const uint8_t header[] = {command, channel, (uint8_t)(sequence >> 8), (uint8_t)sequence};
    memcpy(data + size, header, sizeof header);
    if (more > 0)
        memcpy(data + size + sizeof header, rest, more);
    size += sizeof header + more;
}

static void add_reliable(uint8_t channel, uint16_t sequence)
{
    add(0x86, channel, sequence, "\0\1x", 3);
}

static void add_unreliable(uint8_t channel, uint16_t sequence, uint16_t number)
{
    const uint8_t rest[] = {(uint8_t)(number >> 8), (uint8_t)number, 0, 1, 'x'};
    add(0x07, channel, sequence, rest, sizeof rest);
}

static void add_acknowledgement(uint8_t channel, uint16_t sequence, uint16_t sent)
{
    const uint8_t rest[] = {(uint8_t)(sequence >> 8), (uint8_t)sequence, (uint8_t)(sent >> 8),
                            (uint8_t)sent};
    add(0x01, channel, sequence, rest, sizeof rest);
}

static void add_disconnect(void)
{
    add(0x44, 0xFF, 0, "\0\0\0", 4);
}

// Filters the datagram and returns the number of commands left.
static uint32_t filter(void)
{
    struct datagram_command command;
    uint32_t left = 0;
    assert_int_equal(datagram_check(data, size), DATAGRAM_OK);
    memset(rejected, 0, sizeof rejected);
    view.service_ms = (uint32_t)(now_ms - clock_lag_ms);
    peer_guard_filter(&guard, &view, data, size, now_ms, rejected, &report);
    if (report.size == 0)
        return 0;
    assert_int_equal(datagram_check(data, report.size), DATAGRAM_OK);
    for (bool more = datagram_first(data, report.size, &command); more;
         more = datagram_next(data, report.size, &command))
        left++;
    return left;
}

TEST(datagrams_of_an_honest_client_are_unchanged)
{
    uint8_t before[sizeof data];
    round_trip_send(&guard.round_trip, ROUND_TRIP_RELIABLE, 4, now_ms - 30);
    add_acknowledgement(0, 4, (uint16_t)(now_ms - 30));
    add_reliable(0, 1);
    add_reliable(0, 2);
    add_unreliable(1, 0, 9);
    add(0x49, 1, 0, "\0\5\0\1x", 5);
    add(0x85, 0xFF, 7, NULL, 0);
    memcpy(before, data, size);
    assert_int_equal(filter(), 6);
    assert_int_equal(report.size, size);
    assert_memory_equal(data, before, size);
    assert_int_equal(round_trip_min_ms(&guard.round_trip, now_ms), 30);
}

TEST(reliable_messages_are_so_far_ahead_at_most)
{
    view.channel[0].received = 65530; // sequence numbers wrap
    add_reliable(0, (uint16_t)(65530 + PEER_GUARD_WINDOW));
    add_reliable(0, (uint16_t)(65530 + PEER_GUARD_WINDOW + 1));
    add_reliable(0, (uint16_t)(65530 + 30000));
    assert_int_equal(filter(), 1);
    assert_int_equal(rejected[DATAGRAM_AHEAD], 2);
}

TEST(the_window_moves_with_the_datagrams_own_commands)
{
    for (uint16_t i = 1; i <= 20; i++)
        add_reliable(0, i);
    add_reliable(0, 20 + PEER_GUARD_WINDOW);
    add_reliable(0, 20 + PEER_GUARD_WINDOW + 1);
    assert_int_equal(filter(), 21);
}

TEST(waiting_commands_are_acknowledged_and_cut_out)
{
    view.channel[0].waiting = 1u << 1 | 1u << 4; // 2 and 5
    add_reliable(0, 2);
    add_reliable(0, 3);
    add_reliable(0, 5);
    add_reliable(0, 3);
    assert_int_equal(filter(), 1);
    assert_int_equal(rejected[DATAGRAM_REPEATED], 3);
    assert_int_equal(report.repeats, 3);
    assert_int_equal(report.repeat[0].sequence, 2);
    assert_int_equal(report.repeat[1].sequence, 5);
    assert_int_equal(report.repeat[2].sequence, 3);
}

TEST(delivered_commands_are_left_for_enet_to_acknowledge)
{
    view.channel[0].received = 100;
    add_reliable(0, 100);
    add_reliable(0, 40);
    assert_int_equal(filter(), 2);
}

TEST(few_unreliable_messages_wait_for_a_reliable_one)
{
    view.channel[1].held = PEER_GUARD_HELD - 2;
    view.channel[1].held_set = 1u << 3;
    add_unreliable(1, 1, 3); // already queued
    add_unreliable(1, 1, 4);
    add_unreliable(1, 1, 4);
    add_unreliable(1, 1, 5);
    add_unreliable(1, 1, 6); // too many
    add_unreliable(1, 0, 7); // need not wait
    add_unreliable(1, PEER_GUARD_WINDOW + 1, 1);
    assert_int_equal(filter(), 3);
    assert_int_equal(rejected[DATAGRAM_REPEATED], 2);
    assert_int_equal(rejected[DATAGRAM_AHEAD], 2);
    assert_int_equal(report.repeats, 0);
}

TEST(unreliable_messages_behind_the_reliable_one_in_a_datagram_do_not_wait)
{
    view.channel[1].held = PEER_GUARD_HELD;
    add_unreliable(1, 0, 65535);
    add_reliable(1, 1);
    for (uint16_t i = 1; i <= 10; i++)
        add_unreliable(1, 1, i);
    assert_int_equal(filter(), 12);
}

TEST(held_payload_is_bounded)
{
    view.waiting_bytes = view.max_waiting_bytes - 2;
    for (uint16_t i = 2; i < 8; i++)
        add_reliable(0, i);
    add_unreliable(1, 0, 1);
    assert_int_equal(filter(), 2);
    assert_int_equal(rejected[DATAGRAM_BUDGET], 5);
}

TEST(acknowledgements_of_nothing_are_cut_out_and_then_cut_off)
{
    for (uint16_t i = 0; i < PEER_GUARD_ACKS; i++)
        add_acknowledgement(0, 1000, 0);
    add_reliable(0, 1);
    assert_int_equal(filter(), 1);
    assert_int_equal(rejected[DATAGRAM_ACKS], 0);
    begin();
    for (uint16_t i = 0; i <= PEER_GUARD_ACKS; i++)
        add_acknowledgement(0xFF, 1000, 0);
    add_reliable(0, 2);
    assert_int_equal(filter(), 0);
    assert_int_equal(rejected[DATAGRAM_ACKS], 1);
}

// The echo that ENet is shown of a command that was sent so long ago.
static uint16_t echo_after(int64_t elapsed_ms, uint16_t sent)
{
    struct datagram_command command;
    round_trip_send(&guard.round_trip, ROUND_TRIP_CONTROL, 3, now_ms - elapsed_ms);
    begin();
    add_acknowledgement(0xFF, 3, sent);
    assert_int_equal(filter(), 1);
    assert_true(datagram_first(data, report.size, &command));
    return (uint16_t)(data[command.at + 6] << 8 | data[command.at + 7]);
}

TEST(a_peer_cannot_echo_a_longer_round_trip)
{
    const uint16_t sent = (uint16_t)(now_ms - 40);
    assert_int_equal(echo_after(40, sent), sent);
    const uint16_t again = (uint16_t)(now_ms - 5);
    assert_int_equal(echo_after(40, again), again);
    assert_int_equal(echo_after(40, (uint16_t)(now_ms - 30000)), sent);
    assert_int_equal(echo_after(40, (uint16_t)(now_ms + 1000)), sent);
}

TEST(an_echo_is_never_later_than_enets_clock)
{
    const uint16_t now = (uint16_t)now_ms;
    clock_lag_ms = 3;
    assert_int_equal(echo_after(0, now), now - 3);
    assert_int_equal(echo_after(0, (uint16_t)(now - 3)), now - 3);
    assert_int_equal(echo_after(2, (uint16_t)(now - 2)), now - 5);
    assert_int_equal(echo_after(40, (uint16_t)(now - 40)), now - 40);
    clock_lag_ms = -1;
    assert_int_equal(echo_after(0, now), now + 1);
}

TEST(a_long_round_trip_is_shortened)
{
    const uint16_t most = (uint16_t)(now_ms - PEER_GUARD_SAMPLE_MS);
    assert_int_equal(echo_after(PEER_GUARD_SAMPLE_MS, most), most);
    assert_int_equal(echo_after(5000, (uint16_t)(now_ms - 5000)), most);
    // The measured round trip stays the true one.
    assert_int_equal(round_trip_min_ms(&guard.round_trip, now_ms), PEER_GUARD_SAMPLE_MS);
}

TEST(messages_before_the_connection_is_open_are_cut_off)
{
    view.is_connected = false;
    view.is_connecting = true;
    add_reliable(0, 1);
    assert_int_equal(filter(), 0);
    begin();
    round_trip_send(&guard.round_trip, ROUND_TRIP_CONTROL, 1, now_ms);
    add_acknowledgement(0xFF, 1, (uint16_t)now_ms);
    add_reliable(0, 1);
    assert_int_equal(filter(), 2);
}

// Returns how many of `count` datagrams in this tick are admitted.
static int admit(int count, uint64_t tick)
{
    int admitted = 0;
    for (int i = 0; i < count; i++)
        admitted += peer_guard_admit(&guard, tick);
    return admitted;
}

TEST(datagrams_have_a_burst_and_then_a_rate)
{
    assert_int_equal(admit(1000, 1), PEER_GUARD_DATAGRAMS);
    assert_int_equal(admit(1000, 2), PEER_GUARD_DATAGRAMS_PER_TICK);
    assert_int_equal(admit(1000, 5), 3 * PEER_GUARD_DATAGRAMS_PER_TICK);
    assert_int_equal(admit(1000, UINT64_MAX), PEER_GUARD_DATAGRAMS);
}

// Returns how many of `count` commands, reliable or not, pass the filter.
static uint32_t run_commands(int count, bool reliable)
{
    uint32_t left = 0;
    for (int i = 0; i < count; i += 20) {
        begin();
        for (int command = 0; command < 20; command++)
            if (reliable)
                add(0x85, 0xFF, 1, NULL, 0);
            else
                add(0x49, 1, 0, "\0\5\0\1x", 5);
        left += filter();
    }
    return left;
}

TEST(commands_have_a_burst_and_then_a_rate)
{
    assert_true(peer_guard_admit(&guard, 1));
    assert_int_equal(run_commands(PEER_GUARD_COMMANDS + 40, false), PEER_GUARD_COMMANDS);
    assert_int_equal(rejected[DATAGRAM_BUDGET], 1);
    assert_false(peer_guard_admit(&guard, 1)); // dropped unparsed
    assert_true(peer_guard_admit(&guard, 2));
    assert_int_equal(run_commands(200, false), PEER_GUARD_COMMANDS_PER_TICK);
}

TEST(commands_that_are_acknowledged_are_fewer)
{
    assert_true(peer_guard_admit(&guard, 1));
    assert_int_equal(run_commands(200, true), PEER_GUARD_RELIABLE);
    assert_int_equal(run_commands(20, false), 20);
    assert_true(peer_guard_admit(&guard, 2));
    assert_int_equal(run_commands(200, true), PEER_GUARD_RELIABLE_PER_TICK);
}

static uint32_t disconnect(void)
{
    begin();
    add_disconnect();
    return filter();
}

static void receive_message(void)
{
    begin();
    add_unreliable(1, 0, 1);
    filter();
}

TEST(a_disconnect_of_a_silent_peer_is_trusted)
{
    assert_int_equal(disconnect(), 1); // it has sent no message yet
    receive_message();
    now_ms += PEER_GUARD_SILENCE_MS - 1;
    assert_int_equal(disconnect(), 0);
    assert_int_equal(rejected[DATAGRAM_DISCONNECT], 1);
    now_ms++;
    assert_int_equal(disconnect(), 1);
}

TEST(acknowledgements_and_disconnects_do_not_break_a_silence)
{
    receive_message();
    for (int i = 0; i < PEER_GUARD_SILENCE_MS; i++) {
        assert_int_equal(disconnect(), 0);
        round_trip_send(&guard.round_trip, ROUND_TRIP_CONTROL, 1, now_ms);
        begin();
        add_acknowledgement(0xFF, 1, (uint16_t)now_ms);
        assert_int_equal(filter(), 1);
        now_ms++;
    }
    assert_int_equal(disconnect(), 1);
}

TEST(a_peer_silent_after_one_disconnect_has_left)
{
    assert_true(peer_guard_deadline_ms(&guard) == INT64_MAX);
    receive_message();
    now_ms += 10;
    disconnect();
    const int64_t deadline_ms = now_ms + PEER_GUARD_DISCONNECT_MS;
    assert_true(peer_guard_deadline_ms(&guard) == deadline_ms);
    now_ms += 100;
    disconnect();
    assert_true(peer_guard_deadline_ms(&guard) == deadline_ms);
    receive_message();
    assert_true(peer_guard_deadline_ms(&guard) == INT64_MAX);
    guard.reset_ms = now_ms + 5;
    assert_true(peer_guard_deadline_ms(&guard) == now_ms + 5);
}

TEST(a_disconnect_that_cannot_be_forged_is_trusted)
{
    view.trusts_disconnect = true;
    receive_message();
    assert_int_equal(disconnect(), 1);
}
