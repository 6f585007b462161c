// SPDX-License-Identifier: MIT
// A client before a server that sends what no good one does: what is refused changes nothing.
#include "client.h"

#include "handshake.h"
#include "roster.h"
#include "snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLAYERS = 4, BULLETS = 8, OWN = RAIM_MAX_PLAYERS, OTHER, BEYOND = OWN + PLAYERS };

static uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];

// Brings the size's first bytes of `bytes`, in memory of exactly that size.
static bool receive(struct raim_client *client, size_t size)
{
    uint8_t *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const bool good = raim_client_receive(client, exact, size);
    free(exact);
    return good;
}

static void welcome(struct raim_client *client, uint32_t roster_count)
{
    struct raim_welcome message = {
        .version = RAIM_PROTOCOL_VERSION,
        .player = OWN,
        .tick_hz = 60,
        .max_players = PLAYERS,
        .max_bullets = BULLETS,
        .roster_count = roster_count,
        .border = {0, 0, 32000, 32000},
        .rule_count = RAIM_RULE_COUNT,
    };
    raim_rules rules = raim_rules_default();
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        message.rules[i] = *raim_rule_value(&rules, i);
    assert_true(receive(client, raim_welcome_write(&message, bytes, sizeof bytes)));
}

static bool tell_roster(struct raim_client *client, const struct raim_roster_entry *entries,
                        uint32_t count)
{
    uint32_t written;
    return receive(client, raim_roster_write(entries, count, &written, bytes, sizeof bytes));
}

// A client that plays, alone.
static struct raim_client *player(void)
{
    struct raim_client *client = raim_client_create("test");
    assert_non_null(client);
    welcome(client, 1);
    assert_true(tell_roster(client, &(struct raim_roster_entry){.player = OWN, .name = "own"}, 1));
    assert_int_equal(raim_client_state(client), RAIM_CLIENT_PLAYING);
    return client;
}

// A whole snapshot of nothing, or only its beginning.
static bool show(struct raim_client *client, uint32_t tick, bool is_cut)
{
    const struct raim_wire_limits limits = {PLAYERS, BULLETS};
    uint64_t nobody[1] = {0}, nothing[1] = {0};
    const struct raim_wire_frame frame = {
        .tick = tick, .self.alive = true, .seen_players = nobody, .seen_bullets = nothing};
    const struct raim_snapshot_header header = {.tick = tick};
    const size_t size = raim_snapshot_write(&header, &limits, NULL, &frame, bytes, sizeof bytes);
    return receive(client, is_cut ? size - 1 : size);
}

static void test_roster_that_names_no_place_changes_nobody(void **state)
{
    (void)state;
    struct raim_client *client = raim_client_create("test");
    const struct raim_roster_entry entries[] = {{.player = OWN, .name = "own"},
                                                {.player = BEYOND, .name = "beyond"}};
    welcome(client, 2);
    assert_false(tell_roster(client, entries, 2));
    assert_int_equal(raim_client_member(client, 0)->id, RAIM_NOBODY);
    assert_int_equal(raim_client_stats(client)->decode_errors, 1);
    raim_client_destroy(client);
}

static void test_events_that_name_no_place_change_nobody(void **state)
{
    (void)state;
    static struct raim_events_message message = {.count = 2};
    struct raim_client *client = player();
    struct raim_client_event event;
    uint32_t written;
    message.events[0] = (struct raim_wire_event){
        .kind = RAIM_WIRE_JOINED, .player = OTHER, .entry = {.player = OTHER, .name = "other"}};
    message.events[1] =
        (struct raim_wire_event){.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = BEYOND};
    assert_false(receive(client, raim_events_write(&message, &written, bytes, sizeof bytes)));
    assert_int_equal(raim_client_member(client, 1)->id, RAIM_NOBODY);
    assert_false(raim_client_next_event(client, &event));

    // The numbers of the refused ones are not taken either.
    message.count = 1;
    assert_true(receive(client, raim_events_write(&message, &written, bytes, sizeof bytes)));
    assert_int_equal(raim_client_member(client, 1)->id, OTHER);
    assert_int_equal(raim_client_stats(client)->events_repeated, 0);
    raim_client_destroy(client);
}

static void test_refused_snapshot_leaves_the_one_whose_place_it_would_take(void **state)
{
    (void)state;
    struct raim_client *client = player();
    assert_true(show(client, 100, false));
    assert_false(show(client, 100 + RAIM_SNAPSHOT_HISTORY, true));
    assert_int_equal(raim_client_tick(client), 100);
    assert_true(raim_client_alive(client));
    assert_true(show(client, 101, false));
    assert_int_equal(raim_client_stats(client)->snapshots, 2);
    raim_client_destroy(client);
}

static void test_snapshot_from_before_the_first_fills_no_gap(void **state)
{
    (void)state;
    struct raim_client *client = player();
    assert_true(show(client, 100, false));
    assert_true(show(client, 98, false));
    assert_int_equal(raim_client_stats(client)->snapshots_lost, 0);
    assert_true(show(client, 103, false));
    assert_true(show(client, 101, false));
    assert_int_equal(raim_client_stats(client)->snapshots_lost, 1);
    raim_client_destroy(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roster_that_names_no_place_changes_nobody),
        cmocka_unit_test(test_events_that_name_no_place_change_nobody),
        cmocka_unit_test(test_refused_snapshot_leaves_the_one_whose_place_it_would_take),
        cmocka_unit_test(test_snapshot_from_before_the_first_fills_no_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
