// SPDX-License-Identifier: MIT
// Each hint is shown until its action was done, in the words of the device, and never again.
#include "hints.h"

#include "test.h"

static const char *const keys[HINTS] = {"W A S D", "mouse", "Left button", "Tab", "Return", "Esc"};
static const char *const pad[HINTS] = {"left stick", "right stick", "RT", "Back", "", "Start"};
static const char *const fingers[HINTS] = {"left thumb", "right thumb", "far out", "", "", ""};

static void assert_shown(const char *learned, const char *const labels[HINTS], const char *expected)
{
    char text[200];
    hints_write(learned, labels, text, sizeof text);
    assert_string_equal(text, expected);
}

TEST(a_hint_vanishes_when_its_action_was_done_and_never_returns)
{
    char learned[SETTINGS_LEARNED_BYTES] = "";
    assert_shown(learned, keys, "W A S D: move     mouse: aim     Left button: fire");
    assert_true(hints_learn(learned, HINT_AIM));
    assert_shown(learned, keys, "W A S D: move     Left button: fire");
    assert_true(hints_learn(learned, HINT_MOVE));
    assert_true(hints_learn(learned, HINT_FIRE));
    assert_shown(learned, keys, "Tab: scores");
    assert_true(hints_learn(learned, HINT_CHAT));
    assert_true(hints_learn(learned, HINT_SCORES));
    assert_shown(learned, keys, "Esc: menu");
    assert_true(hints_learn(learned, HINT_MENU));
    assert_shown(learned, keys, "");
    for (int i = 0; i < HINTS; i++)
        assert_false(hints_learn(learned, (enum hint)i)); // nothing more to store
    assert_string_equal(learned, "aim move fire chat scores menu");
}

TEST(what_a_device_has_no_button_for_is_not_hinted_at)
{
    assert_shown("", pad, "left stick: move     right stick: aim     RT: fire");
    assert_shown("move aim fire scores", pad, "Start: menu");
    assert_shown("", fingers, "left thumb: move     right thumb: aim     far out: fire");
    assert_shown("move aim fire", fingers, "");
    assert_int_equal(hints_next("move aim fire", fingers), HINTS);
}

TEST(a_full_text_of_the_settings_is_not_overrun)
{
    char learned[SETTINGS_LEARNED_BYTES];
    memset(learned, 'x', sizeof learned);
    learned[sizeof learned - 1] = '\0';
    hints_learn(learned, HINT_MOVE);
    assert_int_equal(strlen(learned), sizeof learned - 1);
}
