// SPDX-License-Identifier: MIT
// Tests of the HTTP server against clients that are slow, many, rude or gone.
#define _GNU_SOURCE
#include "chance.h"
#include "http_fixture.h"

TEST(silent_connection_is_closed_by_the_timeout_alone, start_server, stop_server)
{
    const uint64_t start_ms = clock_ms();
    const int silent = connect_client(*state);
    send_text(*state, silent, "GET /stat");
    // receive_all would also wake up by itself: here only the promised timeout may.
    struct pollfd client = {.fd = silent, .events = POLLIN};
    while (poll(&client, 1, 0) == 0) {
        assert_true(loop_wait(loop, 5100));
        assert_true(clock_ms() - start_ms < DEADLINE_MS);
    }
    assert_in_range(clock_ms() - start_ms, 4000, 8000);
    receive_all(*state, silent);
    assert_serves(*state);
}

// A server's clients whose sockets are one end of a pair each.
struct places {
    struct http_clients clients;
    struct http_client *list[HTTP_MAX_CLIENTS + HTTP_SPARE_CLIENTS];
    int ends[HTTP_MAX_CLIENTS + HTTP_SPARE_CLIENTS][2];
    size_t count;
};

static struct places *make_places(uint32_t limit)
{
    struct places *places = calloc(1, sizeof *places);
    assert_non_null(places);
    places->clients.limit = limit;
    return places;
}

// The index of a new client.
static size_t join(struct places *places, uint32_t address, uint64_t now_ms)
{
    const size_t i = places->count++;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, places->ends[i]), 0);
    places->list[i] = http_clients_join(&places->clients, places->ends[i][0], address, now_ms);
    assert_non_null(places->list[i]);
    return i;
}

static bool is_ended(const struct places *places, size_t i)
{
    char byte;
    const ssize_t size = recv(places->ends[i][1], &byte, 1, MSG_DONTWAIT);
    assert_true(size == 0 || (size < 0 && errno == EAGAIN));
    return size == 0;
}

static size_t count_ended(const struct places *places)
{
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += is_ended(places, i);
    return count;
}

static void free_places(struct places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        http_client_leave(places->list[i]);
        close(places->ends[i][0]);
        close(places->ends[i][1]);
    }
    assert_int_equal(places->clients.count, 0);
    free(places);
}

TEST(clients_keep_their_own_deadlines)
{
    struct places *places = make_places(HTTP_MAX_CLIENTS);
    struct http_clients *clients = &places->clients;
    assert_true(http_clients_due_ms(clients) == UINT64_MAX);
    const size_t first = join(places, 1, 1000), second = join(places, 1, 2000);
    assert_true(http_clients_due_ms(clients) == 1000 + HTTP_DEADLINE_MS);
    http_client_renew(places->list[first], 3000);
    assert_true(http_clients_due_ms(clients) == 2000 + HTTP_DEADLINE_MS);
    http_client_leave(places->list[second]);
    assert_true(http_clients_due_ms(clients) == 3000 + HTTP_DEADLINE_MS);
    http_clients_end_late(clients, 3000 + HTTP_DEADLINE_MS - 1);
    assert_false(is_ended(places, first));
    http_clients_end_late(clients, 3000 + HTTP_DEADLINE_MS);
    assert_true(is_ended(places, first));
    // It is still there until the library has seen its end, but there is no more to wait for.
    assert_true(http_clients_due_ms(clients) == UINT64_MAX);
    http_client_renew(places->list[first], 5000);
    assert_true(http_clients_due_ms(clients) == UINT64_MAX);
    free_places(places);
}

TEST(the_address_with_most_connections_makes_arena)
{
    struct places *places = make_places(4);
    const size_t alone = join(places, 7, 10);
    const size_t crowd[] = {join(places, 9, 11), join(places, 9, 12), join(places, 9, 13)};
    assert_int_equal(count_ended(places), 0);
    const size_t newcomer = join(places, 8, 14);
    assert_true(is_ended(places, crowd[0])); // the oldest of them
    const size_t more = join(places, 9, 15); // they have two and one more
    assert_true(is_ended(places, crowd[1]));
    assert_int_equal(count_ended(places), 2);
    assert_false(is_ended(places, alone) || is_ended(places, newcomer) || is_ended(places, more));
    assert_int_equal(places->clients.count, 4);
    free_places(places);
}

TEST(of_one_address_the_oldest_makes_arena)
{
    struct places *places = make_places(3);
    for (uint64_t i = 0; i < 20; i++) {
        const size_t newest = join(places, 1, 100 + i);
        assert_false(is_ended(places, newest));
    }
    assert_int_equal(count_ended(places), 17);
    free_places(places);
}

// A new connection may get the slot of one that left, before those that are older.
TEST(of_one_millisecond_the_oldest_makes_arena)
{
    struct places *places = make_places(3);
    const size_t gone = join(places, 1, 100), oldest = join(places, 1, 100);
    join(places, 1, 100);
    http_client_leave(places->list[gone]);
    const size_t newer = join(places, 1, 100), newest = join(places, 1, 100);
    assert_true(is_ended(places, oldest));
    assert_false(is_ended(places, newer) || is_ended(places, newest));
    free_places(places);
}

TEST(answers_are_interrupted_for_others_and_when_they_take_long)
{
    struct places *places = make_places(3);
    const size_t stream = join(places, 1, 0);
    http_client_renew(places->list[stream], 0);
    http_client_stream(places->list[stream]);
    const size_t first = join(places, 1, 1), second = join(places, 1, 2);
    http_client_renew(places->list[first], 5);
    http_client_renew(places->list[second], 6);
    // Another connection of this address: no client has reached its grace time.
    const size_t same = join(places, 1, 6);
    assert_true(is_ended(places, same));
    const size_t other = join(places, 2, 7); // has fewer than they
    assert_true(is_ended(places, first) && !is_ended(places, other));
    http_client_renew(places->list[other], 8);
    // The two that are answered have as many: the newcomer's own would be the first.
    const size_t late = join(places, 3, 6 + HTTP_ANSWER_GRACE_MS);
    assert_true(is_ended(places, second) && !is_ended(places, late));
    assert_false(is_ended(places, stream) || is_ended(places, other));
    free_places(places);
}

TEST(an_answer_taken_is_a_request_awaited)
{
    struct places *places = make_places(2);
    const size_t first = join(places, 1, 0), second = join(places, 1, 1);
    http_client_renew(places->list[first], 2);
    http_client_await(places->list[first], 3);
    http_client_renew(places->list[second], 4);
    join(places, 2, 5);
    assert_true(is_ended(places, first) && !is_ended(places, second));
    free_places(places);
}

TEST(there_is_arena_for_those_that_end)
{
    struct places *places = make_places(HTTP_MAX_CLIENTS);
    for (size_t i = 0; i < HTTP_MAX_CLIENTS + HTTP_SPARE_CLIENTS; i++)
        join(places, (uint32_t)i, i);
    assert_int_equal(count_ended(places), HTTP_SPARE_CLIENTS);
    assert_null(http_clients_join(&places->clients, -1, 1, 1000));
    free_places(places);
}
