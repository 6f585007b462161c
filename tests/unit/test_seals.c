// SPDX-License-Identifier: MIT
// Both ends of sealed connections, with an invented clock and network.
#include "chance.h"
#include "envelope.h"
#include "seals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TICKET = 0x5EA1, MOST = 1200, CAPACITY = 8 };

static const struct seals_peer here = {.address = 0x0A000001, .port = 40000};

// A CONNECT as ENet writes it, and something that a peer says later.
static const uint8_t connect[52] = {0x8F, 0xFF, 1, 2, 0x82, 0xFF, 0, 1};
static const uint8_t word[] = {0x80, 0x01, 0, 7, 0x85, 0, 0, 1};

static struct seals_def def;
static struct seals *seals;
static int64_t now;

static bool is_ticket(void *context, uint32_t address, uint32_t ticket)
{
    (void)context;
    return address != 0 && ticket == TICKET;
}

static int set_up(void **state)
{
    (void)state;
    now = 1000;
    def = (struct seals_def){.capacity = CAPACITY, .is_ticket = is_ticket};
    memset(def.secret, 3, sizeof def.secret);
    seals = seals_create(&def, now);
    return seals != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    seals_destroy(seals);
    return 0;
}

struct datagram {
    uint8_t bytes[MOST + 100];
    size_t size;
};

static struct raim_ticket offer(void)
{
    struct raim_ticket ticket = {.ticket = TICKET};
    seals_offer(seals, now, &ticket);
    return ticket;
}

static struct raim_envelope client_of(const struct raim_ticket *ticket)
{
    struct raim_envelope client;
    assert_true(raim_envelope_begin(&client, ticket));
    return client;
}

static struct datagram from_client(struct raim_envelope *client, const uint8_t *plain, size_t size)
{
    struct datagram datagram;
    datagram.size = raim_envelope_close(client, plain, size, datagram.bytes);
    return datagram;
}

static struct datagram from_server(struct seals_peer to, const uint8_t *plain, size_t size)
{
    struct datagram datagram;
    datagram.size = seals_close(seals, to, plain, size, datagram.bytes);
    return datagram;
}

// In memory of exactly its size.
static enum datagram_verdict to_server(struct seals_peer from, const struct datagram *datagram,
                                       const uint8_t *expected, size_t size)
{
    uint8_t *exact = malloc(datagram->size + 1), plain[MOST + 100];
    memcpy(exact, datagram->bytes, datagram->size);
    enum datagram_verdict verdict = DATAGRAM_VERDICTS;
    const size_t got = seals_open(seals, from, exact, datagram->size, now, plain, &verdict);
    free(exact);
    assert_int_equal(got > 0, verdict == DATAGRAM_OK || verdict == DATAGRAM_CONNECTIONLESS);
    if (got > 0) {
        assert_int_equal(got, size);
        assert_memory_equal(plain, expected, size);
    }
    return verdict;
}

static bool to_client(struct raim_envelope *client, const struct datagram *datagram)
{
    uint8_t *exact = malloc(datagram->size), plain[MOST + 100];
    memcpy(exact, datagram->bytes, datagram->size);
    const size_t got = raim_envelope_open(client, exact, datagram->size, plain);
    free(exact);
    if (got > 0)
        assert_memory_equal(plain, word, sizeof word);
    return got > 0;
}

static enum datagram_verdict say(struct raim_envelope *client, struct seals_peer from)
{
    const struct datagram datagram = from_client(client, word, sizeof word);
    return to_server(from, &datagram, word, sizeof word);
}

static enum datagram_verdict knock_in(struct raim_envelope *client, struct seals_peer from)
{
    const struct datagram datagram = from_client(client, connect, sizeof connect);
    assert_int_equal(datagram.size, sizeof connect + RAIM_ENVELOPE_BYTES);
    return to_server(from, &datagram, connect, sizeof connect);
}

static bool answer(struct raim_envelope *client, struct seals_peer to)
{
    const struct datagram datagram = from_server(to, word, sizeof word);
    return datagram.size > 0 && to_client(client, &datagram);
}

// A client whose session stands.
static struct raim_envelope connected(struct seals_peer from)
{
    const struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket);
    assert_int_equal(knock_in(&client, from), DATAGRAM_OK);
    assert_true(answer(&client, from));
    assert_int_equal(say(&client, from), DATAGRAM_OK);
    return client;
}

static void test_both_ends_understand_each_other(void **state)
{
    (void)state;
    struct raim_envelope client = connected(here);
    for (int i = 0; i < 1000; i++) {
        uint8_t plain[MOST];
        const size_t size = (size_t)chance_int(1, MOST);
        for (size_t k = 0; k < size; k++)
            plain[k] = (uint8_t)chance_int(0, 255);
        const struct datagram datagram = from_client(&client, plain, size);
        assert_int_equal(datagram.size, size + SEALS_BYTES);
        assert_int_equal(datagram.bytes[0] & 0xC0, 0);
        assert_int_equal(to_server(here, &datagram, plain, size), DATAGRAM_OK);
        assert_true(answer(&client, here));
    }
}

static void test_what_is_lost_at_the_beginning_is_said_again(void **state)
{
    (void)state;
    const struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket);
    const struct datagram lost = from_client(&client, connect, sizeof connect);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(knock_in(&client, here), DATAGRAM_OK);
        assert_int_equal(from_server(here, word, sizeof word).size, sizeof word + SEALS_MOST_BYTES);
    }
    assert_int_equal(to_server(here, &lost, connect, sizeof connect), DATAGRAM_OK);
    const struct datagram first = from_server(here, word, sizeof word);
    const struct datagram second = from_server(here, word, sizeof word);
    assert_true(to_client(&client, &second));
    assert_true(to_client(&client, &first));
    assert_false(to_client(&client, &first));
    assert_int_equal(say(&client, here), DATAGRAM_OK);
    assert_int_equal(from_server(here, word, sizeof word).size, sizeof word + SEALS_BYTES);
    assert_int_equal(to_server(here, &lost, connect, sizeof connect), DATAGRAM_REPLAYED);
}

static void test_a_change_of_any_bit_is_seen(void **state)
{
    (void)state;
    const struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket);
    const struct datagram opening = from_client(&client, connect, sizeof connect);
    for (size_t bit = 0; bit < 8 * opening.size; bit++) {
        struct datagram changed = opening;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        now += 100; // for the limit's sake
        const enum datagram_verdict verdict =
            to_server(here, &changed, changed.bytes, changed.size);
        assert_int_not_equal(verdict, DATAGRAM_OK);
        assert_true(verdict != DATAGRAM_CONNECTIONLESS || bit < 8 * 10);
    }
    assert_int_equal(to_server(here, &opening, connect, sizeof connect), DATAGRAM_OK);
    const struct datagram first = from_server(here, word, sizeof word);
    for (size_t bit = 0; bit < 8 * first.size; bit++) {
        struct datagram changed = first;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(to_client(&client, &changed));
    }
    assert_true(to_client(&client, &first));
    const struct datagram there = from_client(&client, word, sizeof word);
    const struct datagram back = from_server(here, word, sizeof word);
    for (size_t bit = 0; bit < 8 * there.size; bit++) {
        struct datagram changed = there;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(to_server(here, &changed, word, sizeof word), DATAGRAM_OK);
        changed = back;
        changed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(to_client(&client, &changed));
    }
    assert_int_equal(to_server(here, &there, word, sizeof word), DATAGRAM_OK);
    assert_true(to_client(&client, &back));
}

static void test_a_datagram_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    const struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket);
    struct datagram datagram = from_client(&client, connect, sizeof connect);
    for (size_t size = 0; size < datagram.size; size++) {
        struct datagram cut = datagram;
        cut.size = size;
        now += 100;
        assert_int_not_equal(to_server(here, &cut, cut.bytes, size), DATAGRAM_OK);
    }
    client = connected(here);
    datagram = from_client(&client, word, sizeof word);
    for (size_t size = 0; size < datagram.size; size++) {
        struct datagram cut = datagram;
        cut.size = size;
        assert_int_not_equal(to_server(here, &cut, cut.bytes, size), DATAGRAM_OK);
    }
    assert_int_equal(to_server(here, &datagram, word, sizeof word), DATAGRAM_OK);
}

static void test_a_repetition_is_refused_and_disorder_is_not(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    struct raim_envelope client = connected(here);
    struct datagram datagrams[COUNT];
    for (int i = 0; i < COUNT; i++)
        datagrams[i] = from_client(&client, word, sizeof word);
    for (int i = 0; i < COUNT; i++) {
        const int other = chance_int(i, COUNT - 1);
        const struct datagram swap = datagrams[i];
        datagrams[i] = datagrams[other];
        datagrams[other] = swap;
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(to_server(here, &datagrams[i], word, sizeof word), DATAGRAM_OK);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(to_server(here, &datagrams[i], word, sizeof word), DATAGRAM_REPLAYED);
    const struct datagram old = from_client(&client, word, sizeof word);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(say(&client, here), DATAGRAM_OK);
    assert_int_equal(to_server(here, &old, word, sizeof word), DATAGRAM_REPLAYED);
}

static void test_another_server_cannot_answer(void **state)
{
    (void)state;
    const struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket);
    const struct datagram opening = from_client(&client, connect, sizeof connect);
    // It knows the ephemeral secret of the ticket that it offers, but not that of the identity.
    struct seals *genuine = seals;
    memset(def.secret, 4, sizeof def.secret);
    seals = seals_create(&def, now);
    struct raim_ticket mixed = offer();
    memcpy(mixed.identity, ticket.identity, sizeof mixed.identity);
    struct raim_envelope deceived = client_of(&mixed);
    assert_int_equal(knock_in(&deceived, here), DATAGRAM_FORGED);
    assert_int_equal(to_server(here, &opening, connect, sizeof connect), DATAGRAM_FORGED);
    assert_int_equal(from_server(here, word, sizeof word).size, 0);
    seals_destroy(seals);
    seals = genuine;
}

static void test_plain_datagrams_do_nothing(void **state)
{
    (void)state;
    struct raim_envelope client = connected(here);
    struct datagram plain = {.size = sizeof word};
    memcpy(plain.bytes, word, sizeof word);
    assert_int_equal(to_server(here, &plain, word, sizeof word), DATAGRAM_UNSEALED);
    assert_false(to_client(&client, &plain));
    memset(plain.bytes, 0, plain.size = 100);
    assert_int_equal(to_server(here, &plain, word, sizeof word), DATAGRAM_FORGED);
    const struct seals_peer there = {.address = here.address, .port = here.port + 1};
    assert_int_equal(to_server(there, &plain, word, sizeof word), DATAGRAM_UNSEALED);
    memset(plain.bytes, 0xFF, 4);
    assert_int_equal(to_server(here, &plain, plain.bytes, plain.size), DATAGRAM_CONNECTIONLESS);
    const struct datagram mine = from_client(&client, word, sizeof word);
    assert_int_equal(to_server(there, &mine, word, sizeof word), DATAGRAM_UNSEALED);
    assert_int_equal(to_server(here, &mine, word, sizeof word), DATAGRAM_OK);
}

static void test_nobody_takes_over_a_session_that_stands(void **state)
{
    (void)state;
    struct raim_envelope client = connected(here);
    const struct raim_ticket ticket = offer();
    struct raim_envelope intruder = client_of(&ticket);
    assert_int_equal(knock_in(&intruder, here), DATAGRAM_REPLAYED);
    assert_int_equal(say(&client, here), DATAGRAM_OK);
    now += SEALS_SESSION_MS;
    assert_int_equal(knock_in(&intruder, here), DATAGRAM_OK);
    assert_int_equal(say(&client, here), DATAGRAM_FORGED);
}

static void test_whoever_begins_is_heard_again_before_another_may_begin_from_there(void **state)
{
    (void)state;
    const struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket), intruder = client_of(&ticket);
    assert_int_equal(knock_in(&client, here), DATAGRAM_OK);
    assert_int_equal(knock_in(&intruder, here), DATAGRAM_SESSIONS);
    assert_true(answer(&client, here));
    assert_int_equal(say(&client, here), DATAGRAM_OK);
    // Who was first and says no more does not keep others out.
    const struct seals_peer there = {.address = here.address, .port = 1};
    struct raim_envelope first = client_of(&ticket), second = client_of(&ticket);
    assert_int_equal(knock_in(&first, there), DATAGRAM_OK);
    now += SEALS_FIRST_MS - 1;
    assert_int_equal(knock_in(&first, there), DATAGRAM_OK);
    assert_int_equal(knock_in(&second, there), DATAGRAM_SESSIONS);
    now++;
    assert_int_equal(knock_in(&second, there), DATAGRAM_OK);
    assert_true(answer(&second, there));
    assert_int_equal(say(&second, there), DATAGRAM_OK);
    assert_int_equal(knock_in(&first, there), DATAGRAM_REPLAYED);
}

static void test_a_repeated_opening_gets_other_keys(void **state)
{
    (void)state;
    const struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket);
    const struct datagram opening = from_client(&client, connect, sizeof connect);
    assert_int_equal(to_server(here, &opening, connect, sizeof connect), DATAGRAM_OK);
    const struct datagram first = from_server(here, word, sizeof word);
    assert_true(to_client(&client, &first));
    const struct datagram said = from_client(&client, word, sizeof word);
    assert_int_equal(to_server(here, &said, word, sizeof word), DATAGRAM_OK);
    now += SEALS_SESSION_MS;
    assert_int_equal(to_server(here, &opening, connect, sizeof connect), DATAGRAM_OK);
    const struct datagram second = from_server(here, word, sizeof word);
    assert_memory_not_equal(first.bytes, second.bytes, first.size);
    const size_t at = sizeof word + RAIM_SEAL_TAG_BYTES;
    assert_memory_not_equal(first.bytes + first.size - at, second.bytes + second.size - at, at);
    assert_int_equal(to_server(here, &said, word, sizeof word), DATAGRAM_FORGED);
    assert_false(to_client(&client, &second));
}

static void test_a_session_begins_with_a_ticket_and_a_connect_alone(void **state)
{
    (void)state;
    struct raim_ticket ticket = offer();
    struct raim_envelope client = client_of(&ticket);
    assert_int_equal(say(&client, here), DATAGRAM_FORGED);
    assert_int_equal(from_server(here, word, sizeof word).size, 0);
    ticket.ticket++;
    client = client_of(&ticket);
    assert_int_equal(knock_in(&client, here), DATAGRAM_TICKET);
    // Where a ticket is right but another one was agreed upon, the keys differ.
    client.opening.ticket--;
    assert_int_equal(knock_in(&client, here), DATAGRAM_FORGED);
}

static void test_ephemeral_keys_come_and_go(void **state)
{
    (void)state;
    const struct raim_ticket old = offer();
    now += SEALS_EPHEMERAL_MS - 1;
    assert_memory_equal(offer().ephemeral, old.ephemeral, sizeof old.ephemeral);
    now += 1;
    assert_memory_not_equal(offer().ephemeral, old.ephemeral, sizeof old.ephemeral);
    assert_memory_equal(offer().identity, old.identity, sizeof old.identity);
    struct raim_envelope late = client_of(&old), later = client_of(&old);
    assert_int_equal(knock_in(&late, here), DATAGRAM_OK);
    assert_true(answer(&late, here));
    now += SEALS_LATE_MS;
    offer();
    assert_int_equal(knock_in(&later, (struct seals_peer){.address = 1, .port = 1}),
                     DATAGRAM_FORGED);
}

static void test_sessions_begun_and_not_heard_again_make_room(void **state)
{
    (void)state;
    struct raim_envelope clients[CAPACITY - 1];
    for (uint16_t i = 0; i < CAPACITY - 1; i++)
        clients[i] = connected((struct seals_peer){.address = 9, .port = i});
    const struct raim_ticket ticket = offer();
    for (uint16_t i = 0; i < 20; i++) {
        struct raim_envelope stranger = client_of(&ticket);
        now += 100;
        assert_int_equal(knock_in(&stranger, (struct seals_peer){.address = 10, .port = i}),
                         DATAGRAM_OK);
    }
    for (uint16_t i = 0; i < CAPACITY - 1; i++)
        assert_int_equal(say(&clients[i], (struct seals_peer){.address = 9, .port = i}),
                         DATAGRAM_OK);
    connected(here);
    struct raim_envelope late = client_of(&ticket);
    assert_int_equal(knock_in(&late, (struct seals_peer){.address = 11, .port = 1}),
                     DATAGRAM_SESSIONS);
    now += SEALS_SESSION_MS;
    assert_int_equal(knock_in(&late, (struct seals_peer){.address = 11, .port = 1}), DATAGRAM_OK);
}

static void test_openings_are_limited_by_network(void **state)
{
    (void)state;
    const struct raim_ticket ticket = offer();
    int let_in = 0;
    for (uint16_t i = 0; i < 2 * SEALS_OF_NETWORK.burst; i++) {
        struct raim_envelope client = client_of(&ticket);
        let_in += knock_in(&client, (struct seals_peer){.address = here.address, .port = i}) ==
                  DATAGRAM_OK;
    }
    assert_int_equal(let_in, SEALS_OF_NETWORK.burst);
    struct raim_envelope other = client_of(&ticket);
    assert_int_equal(knock_in(&other, (struct seals_peer){.address = ~here.address, .port = 1}),
                     DATAGRAM_OK);
}

static void test_any_bytes_are_survived(void **state)
{
    (void)state;
    struct raim_envelope client = connected(here);
    const struct raim_ticket ticket = offer();
    struct raim_envelope opener = client_of(&ticket);
    const struct datagram opening = from_client(&opener, connect, sizeof connect);
    for (int i = 0; i < 20000; i++) {
        struct datagram datagram = {.size = (size_t)chance_int(0, 200)};
        for (size_t k = 0; k < datagram.size; k++)
            datagram.bytes[k] = (uint8_t)chance_int(0, 255);
        if (chance_int(0, 1) == 0)
            memcpy(datagram.bytes, opening.bytes,
                   datagram.size < opening.size ? (size_t)chance_int(0, (int)datagram.size) : 60);
        assert_int_not_equal(to_server(here, &datagram, datagram.bytes, datagram.size),
                             DATAGRAM_OK);
        assert_false(datagram.size > 0 && to_client(&client, &datagram));
    }
    assert_int_equal(say(&client, here), DATAGRAM_OK);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
#define SEALS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        SEALS_TEST(test_both_ends_understand_each_other),
        SEALS_TEST(test_what_is_lost_at_the_beginning_is_said_again),
        SEALS_TEST(test_a_change_of_any_bit_is_seen),
        SEALS_TEST(test_a_datagram_cut_at_any_byte_is_refused),
        SEALS_TEST(test_a_repetition_is_refused_and_disorder_is_not),
        SEALS_TEST(test_another_server_cannot_answer),
        SEALS_TEST(test_plain_datagrams_do_nothing),
        SEALS_TEST(test_nobody_takes_over_a_session_that_stands),
        SEALS_TEST(test_whoever_begins_is_heard_again_before_another_may_begin_from_there),
        SEALS_TEST(test_a_repeated_opening_gets_other_keys),
        SEALS_TEST(test_a_session_begins_with_a_ticket_and_a_connect_alone),
        SEALS_TEST(test_ephemeral_keys_come_and_go),
        SEALS_TEST(test_sessions_begun_and_not_heard_again_make_room),
        SEALS_TEST(test_openings_are_limited_by_network),
        SEALS_TEST(test_any_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
