// SPDX-License-Identifier: MIT
// Server queries on an arena's port: replies, counters, and no effect on players.
#define _GNU_SOURCE // recvmmsg, sendmmsg
#include "a2s_reply.h"
#include "transport_fixture.h"

// A query for the players.
static uint8_t request[9];

static uint32_t asked;

static void set_up_queries(void)
{
    set_up();
    memcpy(request, "\xFF\xFF\xFF\xFFU\xFF\xFF\xFF\xFF", sizeof request);
    asked = 0;
    transport_enable_queries(transport, true);
}

TEST_EACH(set_up_queries, tear_down)

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
        uint8_t answer[A2S_MAX_REPLY] = {0};
        asked++;
        memcpy(answer, &asked, sizeof asked);
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
    uint8_t reply[A2S_MAX_REPLY];
    send_raw(raw, request, sizeof request);
    run_and_answer();
    assert_int_equal(receive_raw(raw, reply, sizeof reply), QUERY_CHALLENGE_REPLY);
    memcpy(request + 5, reply + 5, 4);
}

TEST(a_challenge_grows_old_with_the_clock)
{
    const int raw = open_raw();
    meet_challenge(raw);
    kernel.monotonic_ms += CHALLENGE_EPOCH_MS;
    send_raw(raw, request, sizeof request);
    run_and_answer();
    assert_int_equal(asked, 1);
    kernel.monotonic_ms += 2 * CHALLENGE_EPOCH_MS;
    send_raw(raw, request, sizeof request);
    run_and_answer();
    assert_int_equal(asked, 1);
}

TEST(queries_do_not_keep_messages_from_being_read)
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
    assert_true(asked > 40);
    assert_int_equal(seen.messages, 1);
}
