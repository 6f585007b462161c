// SPDX-License-Identifier: MIT
// The finder of servers without sockets: whom it asks, how often, and whom it believes.
#include "server_finder.h"

#include "discovery.h"
#include "master_list.h"
#include "test.h"

static const uint8_t answer[] = "\xFF\xFF\xFF\xFFI\x11"
                                "test\0Ruins\0raim\0raim\0\0\0\x02\x10\x01"
                                "dl\0\0"
                                "0.1.0";
static const uint8_t challenge[] = {0xFF, 0xFF, 0xFF, 0xFF, 'A', 1, 2, 3, 4};

// What was sent, and the last of it.
static struct {
    int to_addresses, broadcasts, multicasts;
    struct raim_finder_datagram last;
} sent;

static void note(void *context, const struct raim_finder_datagram *datagram)
{
    (void)context;
    sent.to_addresses += datagram->to == RAIM_FINDER_TO_ADDRESS;
    sent.broadcasts += datagram->to == RAIM_FINDER_TO_BROADCAST;
    sent.multicasts += datagram->to == RAIM_FINDER_TO_MULTICAST;
    sent.last = *datagram;
}

static struct raim_finder *create(bool is_once, bool has_network)
{
    memset(&sent, 0, sizeof sent);
    struct raim_finder *finder = raim_finder_create(&(struct raim_finder_def){
        .nonce = 7, .is_once = is_once, .has_network = has_network, .send = note});
    assert_non_null(finder);
    return finder;
}

static struct raim_address address(uint8_t number, uint16_t port)
{
    return (struct raim_address){.bytes = {10, 0, 0, number}, .port = port};
}

// Steps of 10 ms for so many seconds; returns the time then.
static double run(struct raim_finder *finder, double now_s, double seconds)
{
    for (int i = 0; i < (int)(seconds * 100); i++)
        raim_finder_update(finder, now_s += 0.01);
    return now_s;
}

TEST(silent_server_is_asked_three_times_when_once)
{
    struct raim_finder *finder = create(true, false);
    const struct raim_address at = address(1, 20000);
    assert_int_equal(raim_finder_add(finder, &at, 1), 0);
    double now_s = run(finder, 100, 0.2);
    assert_true(raim_finder_is_waiting(finder, now_s));
    now_s = run(finder, now_s, 10);
    assert_int_equal(sent.to_addresses, 3);
    assert_false(raim_finder_is_waiting(finder, now_s));
    raim_finder_destroy(finder);
}

TEST(challenge_is_answered_once_a_query)
{
    struct raim_finder *finder = create(true, false);
    const struct raim_address at = address(1, 20000);
    raim_finder_add(finder, &at, 1);
    const double now_s = run(finder, 100, 0.1);
    for (int i = 0; i < 5; i++)
        raim_finder_take(finder, &at, RAIM_FINDER_BEYOND, challenge, sizeof challenge, now_s);
    assert_int_equal(sent.to_addresses, 2);
    assert_memory_equal(sent.last.bytes + 25, challenge + 5, 4);
    raim_finder_take(finder, &at, RAIM_FINDER_BEYOND, answer, sizeof answer, now_s + 0.02);
    const struct raim_finder_row *row = raim_finder_at(finder, 0);
    assert_true(row->answers);
    assert_string_equal(row->info.map, "Ruins");
    assert_float_equal(row->ping_ms, 20, 0.001); // from the answer to the challenge
    assert_false(raim_finder_is_waiting(finder, now_s));
    raim_finder_destroy(finder);
}

TEST(nobody_is_believed_who_was_not_asked)
{
    struct raim_finder *finder = create(false, true);
    const double now_s = run(finder, 100, 0.1);
    const struct raim_address other_port = address(1, 20000), near = address(1, RAIM_FINDER_PORT);
    raim_finder_take(finder, &other_port, RAIM_FINDER_NEIGHBOUR, answer, sizeof answer, now_s);
    raim_finder_take(finder, &near, RAIM_FINDER_BEYOND, answer, sizeof answer, now_s);
    raim_finder_take(finder, &near, RAIM_FINDER_NEIGHBOUR, answer, sizeof answer, now_s + 60);
    assert_int_equal(raim_finder_count(finder), 0);
    raim_finder_take(finder, &near, RAIM_FINDER_NEIGHBOUR, answer, sizeof answer, now_s);
    assert_int_equal(raim_finder_count(finder), 1);
    raim_finder_destroy(finder);
}

TEST(network_is_searched_by_broadcast_before_multicast)
{
    struct raim_finder *finder = create(false, true);
    double now_s = run(finder, 100, 1);
    assert_int_equal(sent.broadcasts, RAIM_FINDER_PORTS + 1);
    assert_int_equal(sent.multicasts, 0);
    now_s = run(finder, now_s, 1);
    assert_int_equal(sent.multicasts, 1);
    run(finder, now_s, 2);
    assert_int_equal(sent.broadcasts, 2 * (RAIM_FINDER_PORTS + 1));
    raim_finder_destroy(finder);
}

TEST(arena_at_two_addresses_is_found_once)
{
    uint8_t bytes[RAIM_DISCOVERY_BYTES];
    struct raim_finder *finder = create(true, true);
    const double now_s = run(finder, 100, 0.1);
    struct raim_discovery found = {.nonce = 7, .server = 9, .count = 2, .ports = {20000, 20001}};
    for (uint8_t number = 1; number <= 2; number++) {
        const struct raim_address from = address(number, RAIM_DISCOVERY_PORT);
        const size_t size = raim_discovery_write(&found, bytes);
        raim_finder_take(finder, &from, RAIM_FINDER_NEIGHBOUR, bytes, size, now_s);
    }
    assert_int_equal(raim_finder_count(finder), 2);
    const struct raim_address from = address(3, RAIM_DISCOVERY_PORT);
    found.server = 10;
    found.nonce = 8; // of somebody else's request
    raim_finder_take(finder, &from, RAIM_FINDER_NEIGHBOUR, bytes,
                     raim_discovery_write(&found, bytes), now_s);
    assert_int_equal(raim_finder_count(finder), 2);
    raim_finder_destroy(finder);
}

static const struct raim_address master = {.bytes = {10, 0, 0, 1}, .port = RAIM_MASTER_PORT};

// Passes a master's list of one server.
static void take_list(struct raim_finder *finder, const struct raim_address *from, uint16_t port,
                      double now_s)
{
    uint8_t list[] = "\xFF\xFF\xFF\xFFgetserversExtResponse\\\x0A\0\0\x05\0\0\\EOT\0\0";
    list[30] = (uint8_t)(port >> 8);
    list[31] = (uint8_t)port;
    raim_finder_take(finder, from, RAIM_FINDER_BEYOND, list, sizeof list, now_s);
}

TEST(list_of_a_stranger_is_ignored)
{
    struct raim_finder *finder = create(true, false);
    const struct raim_address other = address(2, RAIM_MASTER_PORT);
    raim_finder_add_master(finder, &master, 1);
    const double now_s = run(finder, 100, 0.1);
    take_list(finder, &other, 20000, now_s);
    assert_int_equal(raim_finder_count(finder), 0);
    assert_false(raim_finder_has_all_lists(finder));
    take_list(finder, &master, 20000, now_s);
    assert_int_equal(raim_finder_count(finder), 1);
    assert_int_equal(raim_finder_at(finder, 0)->addresses[0].port, 20000);
    assert_true(raim_finder_has_all_lists(finder));
    raim_finder_destroy(finder);
}

TEST(answer_of_a_listed_server_counts_from_its_first_query_on)
{
    struct raim_finder *finder = create(true, false);
    const struct raim_address at = address(5, 20000);
    raim_finder_add_master(finder, &master, 1);
    const double now_s = run(finder, 100, 0.1);
    take_list(finder, &master, at.port, now_s);
    raim_finder_take(finder, &at, RAIM_FINDER_BEYOND, answer, sizeof answer, now_s);
    assert_false(raim_finder_at(finder, 0)->answers);
    raim_finder_update(finder, now_s + 0.01);
    raim_finder_take(finder, &at, RAIM_FINDER_BEYOND, answer, sizeof answer, now_s + 0.03);
    assert_float_equal(raim_finder_at(finder, 0)->ping_ms, 20, 0.001);
    raim_finder_destroy(finder);
}

TEST(server_that_is_kept_does_not_count_as_listed)
{
    enum { SERVERS = 600 }; // more than are kept of lists
    struct raim_finder *finder = create(false, false);
    raim_finder_add_master(finder, &master, 1);
    const double now_s = run(finder, 100, 0.1);
    for (int i = 0; i < SERVERS; i++) {
        take_list(finder, &master, (uint16_t)(20000 + i), now_s);
        assert_int_equal(raim_finder_count(finder), i + 1);
        raim_finder_keep(finder, i);
    }
    raim_finder_destroy(finder);
}
