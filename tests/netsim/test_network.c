// SPDX-License-Identifier: MIT
// The simulated network keeps what it promises.
#include "network.h"

#include "chance.h"
#include "test.h"

enum { MESSAGES = 5000, SPACING_US = 5000, CAPACITY = 8 };
#define FOREVER (UINT64_MAX - 1)

static const struct network_line bad = {
    .latency_ms = 40,
    .jitter_ms = 30,
    .loss = 0.2,
    .duplication = 0.1,
    .reordering = 0.1,
};

// A network of one client whose connection is made.
struct pair {
    struct network *network;
    uint32_t connection;
    uint64_t now_us;
};

static struct pair pair_open(const struct network_line *line)
{
    struct pair pair = {.network = network_create(1, CAPACITY, raim_random_next(&chance))};
    struct network_delivery delivery;
    network_set_line(pair.network, 0, line);
    pair.connection = network_connect(pair.network, 0, 0);
    for (int end = NETWORK_SERVER; end <= NETWORK_CLIENT; end++) {
        assert_true(network_next(pair.network, FOREVER, &delivery));
        assert_int_equal(delivery.news, NETWORK_CONNECTED);
        assert_int_equal(delivery.end, end);
        pair.now_us = delivery.time_us;
    }
    assert_false(network_next(pair.network, FOREVER, &delivery));
    return pair;
}

static void pair_send(struct pair *pair, enum network_end from, bool reliable, uint32_t number)
{
    uint8_t bytes[sizeof number];
    memcpy(bytes, &number, sizeof bytes);
    network_send(pair->network, pair->connection, from, reliable, bytes, sizeof bytes,
                 pair->now_us);
}

static uint32_t number_of(const struct network_delivery *delivery)
{
    uint32_t number;
    assert_int_equal(delivery->news, NETWORK_MESSAGE);
    assert_int_equal(delivery->size, sizeof number);
    memcpy(&number, delivery->data, sizeof number);
    return number;
}

// Sends numbers from 1 on, at regular times, and takes what arrives meanwhile and after.
static void stream(struct pair *pair, bool reliable, uint32_t *numbers, uint64_t *times_us,
                   uint32_t *count)
{
    struct network_delivery delivery;
    *count = 0;
    for (uint32_t i = 1; i <= MESSAGES + 1; i++) {
        const uint64_t until_us = i <= MESSAGES ? pair->now_us + SPACING_US : FOREVER;
        if (i <= MESSAGES)
            pair_send(pair, NETWORK_SERVER, reliable, i);
        while (network_next(pair->network, until_us, &delivery)) {
            assert_true(*count < MESSAGES);
            numbers[*count] = number_of(&delivery);
            times_us[(*count)++] = delivery.time_us;
        }
        pair->now_us = until_us;
    }
}

TEST(unreliable_messages_come_at_most_once_and_never_late)
{
    static uint32_t numbers[MESSAGES];
    static uint64_t times_us[MESSAGES];
    uint32_t count;
    struct pair pair = pair_open(&bad);
    stream(&pair, false, numbers, times_us, &count);
    for (uint32_t i = 1; i < count; i++) {
        assert_true(numbers[i] > numbers[i - 1]);
        assert_true(times_us[i] >= times_us[i - 1]);
    }
    assert_in_range(count, MESSAGES / 3, MESSAGES * 4 / 5);
    const struct network_share share =
        network_take_share(pair.network, pair.connection, NETWORK_CLIENT);
    assert_int_equal(share.came, count);
    assert_int_equal(share.sent, numbers[count - 1]);
    network_destroy(pair.network);
}

TEST(reliable_messages_come_once_and_in_order)
{
    static uint32_t numbers[MESSAGES];
    static uint64_t times_us[MESSAGES];
    uint32_t count;
    struct pair pair = pair_open(&bad);
    stream(&pair, true, numbers, times_us, &count);
    assert_int_equal(count, MESSAGES);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(numbers[i], i + 1);
    network_destroy(pair.network);
}

TEST(a_loss_costs_a_reliable_message_a_retransmission)
{
    static uint32_t numbers[MESSAGES];
    static uint64_t times_us[MESSAGES];
    uint32_t count, late = 0;
    struct pair pair = pair_open(&(struct network_line){.latency_ms = 1, .loss = 0.1});
    const uint64_t began_us = pair.now_us;
    stream(&pair, true, numbers, times_us, &count);
    // A loss holds up what is sent in the 22 ms after it: four or five messages. Over many seeds
    // the mean is 2360 and the standard deviation 96; the bounds are more than six of these away.
    for (uint32_t i = 0; i < count; i++)
        late += times_us[i] > began_us + i * (uint64_t)SPACING_US + 1000;
    assert_in_range(late, MESSAGES * 3 / 10, MESSAGES * 6 / 10);
    network_destroy(pair.network);
}

TEST(a_packet_travels_for_its_latency_and_jitter)
{
    static uint32_t numbers[MESSAGES];
    static uint64_t times_us[MESSAGES];
    uint32_t count;
    uint64_t least_us = UINT64_MAX, most_us = 0;
    struct pair pair = pair_open(&(struct network_line){.latency_ms = 40, .jitter_ms = 30});
    const uint64_t began_us = pair.now_us;
    stream(&pair, false, numbers, times_us, &count);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t took_us = times_us[i] - began_us - (numbers[i] - 1) * (uint64_t)SPACING_US;
        least_us = took_us < least_us ? took_us : least_us;
        most_us = took_us > most_us ? took_us : most_us;
    }
    assert_in_range(least_us, 40000, 40500);
    assert_in_range(most_us, 60000, 70000);
    network_destroy(pair.network);
}

TEST(a_narrow_line_queues_and_then_loses)
{
    static uint32_t numbers[MESSAGES];
    static uint64_t times_us[MESSAGES];
    uint32_t count;
    // 200 messages of 42 bytes a second are 8400 bytes a second.
    struct pair pair = pair_open(&(struct network_line){.bytes_per_s = 6300});
    const uint64_t began_us = pair.now_us;
    stream(&pair, false, numbers, times_us, &count);
    assert_in_range(count, MESSAGES * 74 / 100, MESSAGES * 77 / 100);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t sent_us = began_us + (numbers[i] - 1) * (uint64_t)SPACING_US;
        assert_in_range(times_us[i] - sent_us, 6000, (uint64_t)(NETWORK_QUEUE_MS * 1000) + 7000);
    }
    network_destroy(pair.network);
}

TEST(what_is_sent_after_a_rebinding_is_lost_silently)
{
    struct network_delivery delivery;
    struct pair pair = pair_open(&(struct network_line){.latency_ms = 10});
    pair_send(&pair, NETWORK_CLIENT, false, 1);
    pair.now_us += 1000;
    network_rebind(pair.network, 0, pair.now_us);
    const uint64_t rebound_us = pair.now_us;
    pair_send(&pair, NETWORK_CLIENT, true, 2);
    pair_send(&pair, NETWORK_SERVER, false, 3);
    assert_true(network_next(pair.network, FOREVER, &delivery));
    assert_int_equal(number_of(&delivery), 1); // was on its way already

    const uint32_t old = pair.connection;
    pair.connection = network_connect(pair.network, 0, pair.now_us);
    assert_int_not_equal(pair.connection, old);
    for (int i = 0; i < 2; i++) {
        assert_true(network_next(pair.network, FOREVER, &delivery));
        assert_int_equal(delivery.news, NETWORK_CONNECTED);
        assert_int_equal(delivery.connection, pair.connection);
    }
    pair.now_us = delivery.time_us;
    pair_send(&pair, NETWORK_CLIENT, true, 4);
    assert_true(network_next(pair.network, FOREVER, &delivery));
    assert_int_equal(number_of(&delivery), 4);

    for (int end = NETWORK_SERVER; end <= NETWORK_CLIENT; end++) {
        assert_true(network_next(pair.network, FOREVER, &delivery));
        assert_int_equal(delivery.news, NETWORK_DISCONNECTED);
        assert_int_equal(delivery.connection, old);
        assert_true(delivery.lost);
        assert_int_equal(delivery.time_us, rebound_us + (uint64_t)(NETWORK_TIMEOUT_MS * 1000));
    }
    assert_false(network_next(pair.network, FOREVER, &delivery));
    network_destroy(pair.network);
}

TEST(a_close_comes_after_everything_reliable)
{
    enum { REASON = 7, COUNT = 20 };
    struct network_delivery delivery;
    struct pair pair = pair_open(&bad);
    for (uint32_t i = 0; i < COUNT; i++)
        pair_send(&pair, NETWORK_SERVER, true, i);
    network_close(pair.network, pair.connection, NETWORK_SERVER, REASON, pair.now_us);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(network_next(pair.network, FOREVER, &delivery));
        assert_int_equal(number_of(&delivery), i);
    }
    for (int end = NETWORK_CLIENT; end >= NETWORK_SERVER; end--) {
        assert_true(network_next(pair.network, FOREVER, &delivery));
        assert_int_equal(delivery.news, NETWORK_DISCONNECTED);
        assert_int_equal(delivery.end, end);
        assert_int_equal(delivery.reason, REASON);
        assert_false(delivery.lost);
    }
    network_destroy(pair.network);
}

TEST(a_dropped_connection_is_given_up_by_the_server_later)
{
    struct network_delivery delivery;
    struct pair pair = pair_open(&(struct network_line){.latency_ms = 10});
    network_drop(pair.network, pair.connection, NETWORK_CLIENT, pair.now_us);
    pair_send(&pair, NETWORK_SERVER, true, 1);
    assert_true(network_next(pair.network, FOREVER, &delivery));
    assert_int_equal(delivery.news, NETWORK_DISCONNECTED);
    assert_int_equal(delivery.end, NETWORK_SERVER);
    assert_true(delivery.lost);
    assert_false(network_next(pair.network, FOREVER, &delivery));
    network_destroy(pair.network);
}
