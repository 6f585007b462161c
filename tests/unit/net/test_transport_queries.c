// SPDX-License-Identifier: MIT
// Server queries on an arena's port: replies, counters, and no effect on players.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "query.h"
#include "transport_fixture.h"

// A query for the players.
static uint8_t request[9];

static struct {
    uint32_t count;
    enum query_kind last;
} asked;

static int set_up_queries(void **state)
{
    set_up(state);
    memcpy(request, "\xFF\xFF\xFF\xFFU\xFF\xFF\xFF\xFF", sizeof request);
    memset(&asked, 0, sizeof asked);
    transport_enable_queries(transport, true);
    return 0;
}

// Answers every query with its own number and as many bytes as fit.
static void run_and_answer(void)
{
    struct transport_event event;
    transport_receive(transport);
    while (transport_poll(transport, &event)) {
        seen.messages += event.kind == TRANSPORT_MESSAGE;
        seen.connected += event.kind == TRANSPORT_CONNECTED;
        if (event.kind != TRANSPORT_QUERY)
            continue;
        uint8_t answer[QUERY_MAX_REPLY] = {0};
        asked.count++;
        asked.last = event.query;
        memcpy(answer, &asked.count, sizeof asked.count);
        transport_reply(transport, event.from, answer, sizeof answer);
    }
    transport_flush(transport);
}

static ssize_t receive_raw(int raw, uint8_t *data, size_t capacity)
{
    return recv(raw, data, capacity, MSG_DONTWAIT);
}

// Asks for a challenge and takes it into the request.
static void meet_challenge(int raw)
{
    uint8_t reply[QUERY_MAX_REPLY];
    send_raw(raw, request, sizeof request);
    run_and_answer();
    assert_int_equal(receive_raw(raw, reply, sizeof reply), QUERY_CHALLENGE_REPLY);
    memcpy(request + 5, reply + 5, 4);
}

TEST(a_met_challenge_is_answered, set_up_queries, tear_down)
{
    const int raw = open_raw();
    meet_challenge(raw);
    assert_int_equal(asked.count, 0);
    send_raw(raw, request, sizeof request);
    run_and_answer();
    uint8_t reply[QUERY_MAX_REPLY + 1];
    assert_int_equal(receive_raw(raw, reply, sizeof reply), QUERY_MAX_REPLY);
    assert_int_equal(asked.count, 1);
    assert_int_equal(asked.last, QUERY_PLAYERS);
    assert_int_equal(transport_stats(transport)->queries, 2);
    assert_int_equal(rejections_in_all(), 0);
    // The challenge is not valid from another port.
    const int other = open_raw();
    send_raw(other, request, sizeof request);
    run_and_answer();
    assert_int_equal(receive_raw(other, reply, sizeof reply), QUERY_CHALLENGE_REPLY);
    assert_int_equal(asked.count, 1);
    close(other);
    close(raw);
}

TEST(a_challenge_grows_old_with_the_clock, set_up_queries, tear_down)
{
    const int raw = open_raw();
    meet_challenge(raw);
    kernel.monotonic_ms += CHALLENGE_EPOCH_MS;
    send_raw(raw, request, sizeof request);
    run_and_answer();
    assert_int_equal(asked.count, 1);
    kernel.monotonic_ms += 2 * CHALLENGE_EPOCH_MS;
    send_raw(raw, request, sizeof request);
    run_and_answer();
    assert_int_equal(asked.count, 1);
    close(raw);
}

TEST(where_they_are_not_wanted_queries_are_rejected, set_up_queries, tear_down)
{
    transport_enable_queries(transport, false);
    const int raw = open_raw();
    send_raw(raw, request, sizeof request);
    run_and_answer();
    uint8_t reply[QUERY_MAX_REPLY];
    assert_int_equal(receive_raw(raw, reply, sizeof reply), -1);
    assert_int_equal(transport_stats(transport)->rejected[DATAGRAM_CONNECTIONLESS], 1);
    assert_int_equal(transport_stats(transport)->queries, 0);
    close(raw);
}

TEST(other_connectionless_datagrams_are_rejected, set_up_queries, tear_down)
{
    const int raw = open_raw();
    send_raw(raw, "\xFF\xFF\xFF\xFFgetstatus", 13);
    send_raw(raw, "\xFF\xFF", 2);
    send_raw(raw, request, 8);
    run_and_answer();
    uint8_t reply[QUERY_MAX_REPLY];
    assert_int_equal(receive_raw(raw, reply, sizeof reply), -1);
    assert_int_equal(transport_stats(transport)->rejected[DATAGRAM_CONNECTIONLESS], 3);
    close(raw);
}

TEST(a_flood_is_dropped_beyond_its_rate, set_up_queries, tear_down)
{
    const int raw = open_raw();
    meet_challenge(raw);
    for (int i = 0; i < 400; i++)
        send_raw(raw, request, sizeof request);
    run_and_answer();
    const struct transport_stats *stats = transport_stats(transport);
    assert_int_equal(stats->packets_in, 401);
    assert_int_equal(stats->queries + stats->queries_limited, 401);
    // Tokens that refill within half a minute, more than the test takes.
    assert_in_range(stats->queries, QUERY_GUARD_PER_NETWORK.burst, 360);
    assert_int_equal(asked.count, stats->queries - 1);
    assert_int_equal(rejections_in_all(), 0);
    close(raw);
}

TEST(queries_do_not_keep_messages_from_being_read, set_up_queries, tear_down)
{
    connect_clients(1);
    const int raw = open_raw();
    meet_challenge(raw);
    // More queries than a receive makes calls of ENet's service.
    for (int64_t i = 1; i < QUERY_GUARD_PER_NETWORK.burst; i++)
        send_raw(raw, request, sizeof request);
    say(&clients[0], 1, 0, 40);
    enet_host_flush(clients[0].host);
    seen.messages = 0;
    run_and_answer();
    assert_true(asked.count > 40);
    assert_int_equal(seen.messages, 1);
    close(raw);
}
