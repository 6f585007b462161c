// SPDX-License-Identifier: MIT
// What the game says of rounds, breaks and pauses.
#include "hud.h"
#include "test.h"

static void assert_clock(const struct raim_client_phase *phase, const char *expected)
{
    char words[PHASE_TEXT_BYTES];
    phase_text_clock(phase, words);
    assert_string_equal(words, expected);
}

TEST(the_clock_says_what_ends_the_round)
{
    assert_clock(&(struct raim_client_phase){.round = 1}, "");
    assert_clock(&(struct raim_client_phase){.has_end = true, .left_s = 150.2}, "2:31");
    assert_clock(&(struct raim_client_phase){.has_end = true, .left_s = 9}, "0:09");
    assert_clock(&(struct raim_client_phase){.has_end = true}, "0:00");
    assert_clock(&(struct raim_client_phase){.score_limit = 1}, "to 1 point");
    assert_clock(&(struct raim_client_phase){.has_end = true, .left_s = 3600, .score_limit = 20},
                 "60:00   to 20 points");
    assert_clock(&(struct raim_client_phase){.has_end = true,
                                             .left_s = 429496729.5,
                                             .score_limit = UINT32_MAX},
                 "7158278:50   to 4294967295 points");
    assert_clock(&(struct raim_client_phase){.kind = RAIM_CLIENT_PAUSED, .score_limit = 20}, "");
    assert_clock(&(struct raim_client_phase){.kind = RAIM_CLIENT_BREAK, .has_end = true}, "");
}

static void assert_banner(const struct raim_client_phase *phase, const char *winner,
                          const char *next_map, const char *expected_title,
                          const char *expected_text)
{
    char title[PHASE_TEXT_BYTES], text[PHASE_TEXT_BYTES];
    assert_true(phase_text_banner(phase, winner, next_map, title, text));
    assert_string_equal(title, expected_title);
    assert_string_equal(text, expected_text);
}

TEST(a_banner_names_the_winner_of_a_break)
{
    char title[PHASE_TEXT_BYTES], text[PHASE_TEXT_BYTES];
    assert_false(phase_text_banner(&(struct raim_client_phase){.round = 1}, "", "", title, text));
    struct raim_client_phase phase = {.kind = RAIM_CLIENT_BREAK,
                                      .round = 3,
                                      .has_end = true,
                                      .left_s = 4.1,
                                      .winner = RAIM_MAX_PLAYERS};
    assert_banner(&phase, "Ada", "", "Ada wins round 3", "The next round begins in 5 s");
    phase.winner = RAIM_NOBODY;
    assert_banner(&phase, "", "", "Round 3 is a draw", "The next round begins in 5 s");
    assert_banner(&phase, "", "crossfire", "Round 3 is a draw", "Next: crossfire   in 5 s");
    phase.kind = RAIM_CLIENT_PAUSED;
    assert_banner(&phase, "", "", "Paused", "The operator has paused the match");
}

TEST(a_restart_is_no_lost_connection)
{
    assert_string_equal(phase_text_lost(true), "The server is restarting");
    assert_string_equal(phase_text_lost(false), "Connection lost");
}
