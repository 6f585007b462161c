// SPDX-License-Identifier: MIT
// The margins by which inputs come, window by window. How inputs are stored and handed out is
// tested through the match.
#include "inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Tick 64 begins a window.
enum { START = 2 * RAIM_MARGIN_WINDOW };

static void arrive(struct raim_inbox *inbox, uint32_t now, int32_t margin)
{
    const struct raim_input_message message = {.tick = now + (uint32_t)margin, .count = 1};
    raim_inbox_receive(inbox, now, &message);
}

enum { NEVER = RAIM_MARGIN_WINDOW };

// Plays a window in which every tick's input comes early by `margin`, but one a tick later.
static uint32_t play_window(struct raim_inbox *inbox, uint32_t now, int32_t margin, uint32_t late)
{
    for (uint32_t i = 0; i < RAIM_MARGIN_WINDOW; i++, now++) {
        if (i == late + 1)
            arrive(inbox, now, margin - 1);
        if (i != late)
            arrive(inbox, now, margin);
        raim_inbox_take(inbox, now, 60);
    }
    return now;
}

static void test_the_margin_is_the_least_of_the_last_whole_window(void **state)
{
    (void)state;
    struct raim_inbox inbox = {0};
    uint32_t now = play_window(&inbox, START, 3, NEVER);
    assert_int_equal(inbox.margin, 3);
    // What comes in a window does not count before it ends.
    for (int i = 0; i < RAIM_MARGIN_WINDOW - 1; i++, now++) {
        arrive(&inbox, now, 10);
        raim_inbox_take(&inbox, now, 60);
        assert_int_equal(inbox.margin, 3);
    }
    arrive(&inbox, now, 10);
    raim_inbox_take(&inbox, now, 60);
    assert_int_equal(inbox.margin, 10);
    now = play_window(&inbox, now + 1, 12, 20);
    assert_int_equal(inbox.margin, 11);
}

static void test_late_inputs_make_it_negative_and_what_is_beyond_is_cut(void **state)
{
    (void)state;
    struct raim_inbox inbox = {0};
    uint32_t now = play_window(&inbox, START, -2, NEVER);
    assert_int_equal(inbox.margin, -2);
    now = play_window(&inbox, now, 50, NEVER);
    assert_int_equal(inbox.margin, RAIM_MAX_MARGIN);
    struct raim_inbox other = {0};
    play_window(&other, START, -1000, NEVER);
    assert_int_equal(other.margin, -RAIM_MAX_MARGIN);
}

static void test_where_nothing_comes_it_stays(void **state)
{
    (void)state;
    struct raim_inbox inbox = {0};
    uint32_t now = play_window(&inbox, START, 7, NEVER);
    for (int i = 0; i < 3 * RAIM_MARGIN_WINDOW; i++, now++)
        raim_inbox_take(&inbox, now, 60);
    assert_int_equal(inbox.margin, 7);
}

static void test_messages_that_were_overtaken_or_come_again_or_too_early_do_not_count(void **state)
{
    (void)state;
    struct raim_inbox inbox = {0};
    uint32_t now = START;
    for (int i = 0; i < RAIM_MARGIN_WINDOW; i++, now++) {
        arrive(&inbox, now, 5);
        arrive(&inbox, now, 5);
        arrive(&inbox, now, 2);   // was on its way for longer
        arrive(&inbox, now, -20); // a very old one
        arrive(&inbox, now, 64);
        raim_inbox_take(&inbox, now, 60);
    }
    assert_int_equal(inbox.margin, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_margin_is_the_least_of_the_last_whole_window),
        cmocka_unit_test(test_late_inputs_make_it_negative_and_what_is_beyond_is_cut),
        cmocka_unit_test(test_where_nothing_comes_it_stays),
        cmocka_unit_test(test_messages_that_were_overtaken_or_come_again_or_too_early_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
