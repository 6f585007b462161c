// SPDX-License-Identifier: MIT
// Knocks, tickets and who may connect, with an invented clock: bytes in, bytes out.
#include "chance.h"
#include "gate.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PORT = 7246, MS = 1000, S = 1000 * MS };

static struct gate gate;
static struct query_source home, elsewhere;

static int set_up(void **state)
{
    (void)state;
    gate_init(&gate, PORT);
    gate.wants_tickets = true;
    home = (struct query_source){htonl(0x0A000001), 40000};
    elsewhere = (struct query_source){htonl(0xC0000201), 40000};
    return 0;
}

static struct gate_answer say(struct query_source from, const uint8_t *bytes, size_t size,
                              int64_t now_us)
{
    struct gate_answer answer;
    gate_hear(&gate, from, bytes, size, now_us, &answer);
    if (answer.verdict == GATE_ANSWERED || answer.verdict == GATE_TOLD)
        assert_in_range(answer.size, 1, size - 1);
    return answer;
}

static struct gate_answer knock(struct query_source from, int64_t now_us)
{
    uint8_t bytes[RAIM_KNOCK_BYTES];
    return say(from, bytes, raim_knock_write(bytes), now_us);
}

static uint32_t ticket_of(struct query_source from, int64_t now_us)
{
    struct raim_ticket ticket;
    const struct gate_answer answer = knock(from, now_us);
    assert_int_equal(answer.verdict, GATE_ANSWERED);
    assert_int_equal(raim_knock_kind(answer.reply, answer.size), RAIM_KNOCK_TICKET);
    assert_true(raim_ticket_read(answer.reply, answer.size, &ticket));
    assert_int_not_equal(ticket.ticket, 0);
    return ticket.ticket;
}

static enum datagram_verdict connect_with(uint32_t ticket, struct query_source from, int64_t now_us)
{
    static uint32_t id;
    id++;
    return gate_admit(&gate, from, (struct datagram_connect){id, ticket}, now_us);
}

static void test_a_ticket_is_good_for_its_address_from_any_port(void **state)
{
    (void)state;
    const uint32_t ticket = ticket_of(home, 0);
    assert_int_equal(connect_with(ticket, home, 0), DATAGRAM_OK);
    home.port++;
    assert_int_equal(connect_with(ticket, home, 0), DATAGRAM_OK);
    assert_int_equal(connect_with(ticket, elsewhere, 0), DATAGRAM_TICKET);
    home.address = htonl(ntohl(home.address) + 1);
    assert_int_equal(connect_with(ticket, home, 0), DATAGRAM_TICKET);
}

static void test_a_ticket_is_good_for_one_arena(void **state)
{
    (void)state;
    const uint32_t ticket = ticket_of(home, 0);
    gate.port++; // the same keys, even
    assert_int_equal(connect_with(ticket, home, 0), DATAGRAM_TICKET);
    gate_init(&gate, PORT);
    gate.wants_tickets = true;
    assert_int_equal(connect_with(ticket, home, 0), DATAGRAM_TICKET);
}

static void test_tickets_grow_old(void **state)
{
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        set_up(NULL);
        const int64_t begin_us = chance_int(0, 100) * (int64_t)S;
        knock(elsewhere, begin_us); // epochs begin with the first question
        const int64_t asked_us = begin_us + chance_int(0, 100000) * (int64_t)MS;
        const uint32_t ticket = ticket_of(home, asked_us);
        const int64_t young_us = asked_us + chance_int(0, CHALLENGE_EPOCH_MS) * (int64_t)MS;
        const int64_t old_us =
            asked_us + (2 * CHALLENGE_EPOCH_MS + chance_int(0, 100000)) * (int64_t)MS;
        assert_int_equal(connect_with(ticket, home, young_us), DATAGRAM_OK);
        assert_int_equal(connect_with(ticket, home, old_us), DATAGRAM_TICKET);
    }
}

static void test_nobody_guesses_a_ticket(void **state)
{
    (void)state;
    const uint32_t ticket = ticket_of(home, 0);
    const uint32_t obvious[] = {0, 1, UINT32_MAX, htonl(ticket), ticket + 1, ~ticket};
    for (size_t i = 0; i < sizeof obvious / sizeof *obvious; i++)
        if (obvious[i] != ticket)
            assert_int_equal(connect_with(obvious[i], home, 0), DATAGRAM_TICKET);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(connect_with((uint32_t)raim_random_next(&chance), home, 0),
                         DATAGRAM_TICKET);
    // Refused ones cost nobody anything.
    assert_int_equal(connect_with(ticket, home, 0), DATAGRAM_OK);
}

static void test_before_any_knock_there_is_no_right_ticket(void **state)
{
    (void)state;
    assert_int_equal(connect_with(0, home, 0), DATAGRAM_TICKET);
    assert_int_equal(connect_with(1, home, 0), DATAGRAM_TICKET);
}

static void test_where_no_tickets_are_wanted_none_is_needed(void **state)
{
    (void)state;
    gate.wants_tickets = false;
    assert_int_equal(connect_with(0, home, 0), DATAGRAM_OK);
    ticket_of(home, 0); // they are given all the same
}

static void test_a_ticket_tells_what_is_on_offer(void **state)
{
    (void)state;
    struct raim_ticket ticket;
    gate.offer = (struct raim_ticket){.access = true, .sealed = true, .identity = {1, 2, 3}};
    const struct gate_answer answer = knock(home, 0);
    assert_true(raim_ticket_read(answer.reply, answer.size, &ticket));
    assert_true(ticket.access && ticket.sealed);
    assert_memory_equal(ticket.identity, gate.offer.identity, sizeof ticket.identity);
    assert_int_equal(connect_with(ticket.ticket, home, 0), DATAGRAM_OK);
}

static void test_only_a_padded_knock_is_answered(void **state)
{
    (void)state;
    uint8_t bytes[1200] = {0};
    raim_knock_write(bytes);
    for (size_t size = 0; size < RAIM_KNOCK_BYTES; size++) {
        const struct gate_answer answer = say(home, bytes, size, 0);
        assert_int_equal(answer.verdict, GATE_REFUSED);
        assert_int_equal(answer.refusal, DATAGRAM_CONNECTIONLESS);
    }
    assert_int_equal(say(home, bytes, RAIM_KNOCK_BYTES, 0).verdict, GATE_ANSWERED);
    assert_int_equal(say(home, bytes, sizeof bytes, 0).verdict, GATE_ANSWERED);
    for (int i = 0; i < 100; i++) {
        const int at = chance_int(4, sizeof bytes - 1);
        const uint8_t bit = (uint8_t)(1 << chance_int(0, 7));
        bytes[at] ^= bit;
        assert_int_equal(say(home, bytes, sizeof bytes, 0).verdict, GATE_REFUSED);
        bytes[at] ^= bit;
    }
}

static void test_a_flood_of_knocks_is_cut_to_its_rate(void **state)
{
    (void)state;
    int answered = 0;
    for (int i = 0; i < 50000; i++) {
        const struct gate_answer answer = knock(home, i * (int64_t)MS / 10);
        answered += answer.verdict == GATE_ANSWERED;
        if (answer.verdict != GATE_ANSWERED)
            assert_int_equal(answer.refusal, DATAGRAM_KNOCKS);
    }
    const uint32_t per_s = GATE_LIMITS_DEFAULT.knocks_per_second;
    assert_in_range(answered, 6 * per_s, 7 * per_s + 1);
    // Others are answered meanwhile.
    assert_int_equal(knock(elsewhere, 5 * (int64_t)S).verdict, GATE_ANSWERED);
}

static void test_a_thousand_knocks_leave_the_neighbours_theirs(void **state)
{
    (void)state;
    const struct query_source neighbour = {home.address, 41000};
    for (int ms = 0; ms < 10000; ms++) {
        assert_int_equal(knock(home, ms * (int64_t)MS).verdict, GATE_ANSWERED);
        if (ms % 100 == 0)
            assert_int_equal(knock(neighbour, ms * (int64_t)MS).verdict, GATE_ANSWERED);
    }
}

static void test_all_together_have_a_rate_too(void **state)
{
    (void)state;
    uint32_t answered = 0;
    struct gate_limits limits = GATE_LIMITS_DEFAULT;
    limits.knocks_in_all = 2000;
    gate_limit(&gate, &limits);
    for (uint32_t network = 1; network <= 10000; network++) {
        const struct query_source from = {htonl(network << 8), 40000};
        answered += knock(from, network * (int64_t)100).verdict == GATE_ANSWERED;
    }
    assert_in_range(answered, 2000, 4001);
}

static void test_who_connects_too_often_is_told_apart_from_who_lies(void **state)
{
    (void)state;
    const uint32_t ticket = ticket_of(home, 0);
    int in = 0;
    for (int i = 0; i < 1000; i++) {
        const enum datagram_verdict verdict = connect_with(ticket, home, i * (int64_t)MS);
        in += verdict == DATAGRAM_OK;
        if (verdict != DATAGRAM_OK)
            assert_int_equal(verdict, DATAGRAM_CHURN);
    }
    assert_int_equal(in, 20 + 4);
    assert_int_equal(connect_with(ticket, elsewhere, S), DATAGRAM_TICKET);
}

static void test_loopback_is_limited_only_where_that_is_asked_for(void **state)
{
    (void)state;
    const struct query_source local = {htonl(0x7F000001), 40000};
    for (int wanted = 0; wanted < 2; wanted++) {
        struct gate_limits limits = GATE_LIMITS_DEFAULT;
        limits.loopback = wanted;
        gate_limit(&gate, &limits);
        const uint32_t ticket = ticket_of(local, 0);
        int answered = 0, in = 0;
        for (int i = 0; i < 5000; i++) {
            answered += knock(local, 0).verdict == GATE_ANSWERED;
            in += connect_with(ticket, local, 0) == DATAGRAM_OK;
        }
        assert_int_equal(answered, wanted ? 2 * limits.knocks_per_second - 1 : 5000);
        assert_int_equal(in, wanted ? 20 : 5000);
    }
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_ticket_is_good_for_its_address_from_any_port, set_up),
        cmocka_unit_test_setup(test_a_ticket_is_good_for_one_arena, set_up),
        cmocka_unit_test_setup(test_tickets_grow_old, set_up),
        cmocka_unit_test_setup(test_nobody_guesses_a_ticket, set_up),
        cmocka_unit_test_setup(test_before_any_knock_there_is_no_right_ticket, set_up),
        cmocka_unit_test_setup(test_where_no_tickets_are_wanted_none_is_needed, set_up),
        cmocka_unit_test_setup(test_a_ticket_tells_what_is_on_offer, set_up),
        cmocka_unit_test_setup(test_only_a_padded_knock_is_answered, set_up),
        cmocka_unit_test_setup(test_a_flood_of_knocks_is_cut_to_its_rate, set_up),
        cmocka_unit_test_setup(test_a_thousand_knocks_leave_the_neighbours_theirs, set_up),
        cmocka_unit_test_setup(test_all_together_have_a_rate_too, set_up),
        cmocka_unit_test_setup(test_who_connects_too_often_is_told_apart_from_who_lies, set_up),
        cmocka_unit_test_setup(test_loopback_is_limited_only_where_that_is_asked_for, set_up),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
