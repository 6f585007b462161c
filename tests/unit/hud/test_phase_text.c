// SPDX-License-Identifier: MIT
// What the game says of rounds, breaks and pauses.
#include "hud.h"
#include "message.h"
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

static void assert_goal(const struct raim_client_phase *phase, const char *expected)
{
    char words[PHASE_TEXT_BYTES];
    phase_text_goal(phase, words);
    assert_string_equal(words, expected);
}

TEST(the_goal_follows_from_what_ends_the_round)
{
    assert_goal(&(struct raim_client_phase){.round = 1}, "Destroy the others: a point for each");
    assert_goal(&(struct raim_client_phase){.has_end = true, .left_s = 150},
                "Most points when time is up wins");
    assert_goal(&(struct raim_client_phase){.score_limit = 1}, "First to 1 point wins");
    assert_goal(&(struct raim_client_phase){.has_end = true, .score_limit = UINT32_MAX},
                "First to 4294967295 points wins, or most when time is up");
    assert_goal(&(struct raim_client_phase){.kind = RAIM_CLIENT_PAUSED, .score_limit = 20}, "");
    assert_goal(&(struct raim_client_phase){.kind = RAIM_CLIENT_BREAK, .has_end = true}, "");
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

// --- End text ---

// Every end of a connection is told in plain words, and only hopeful cases are tried again.

static struct end_text words_of(uint32_t reason, bool entered, const char *text)
{
    return end_text_of(&(struct end_text_case){
        .where = "play.example.org:7246",
        .is_resolved = true,
        .was_entered = entered,
        .reason = reason,
        .text = text,
    });
}

TEST(a_server_that_does_not_answer)
{
    struct end_text words = words_of(RAIM_REASON_LOST, false, "");
    assert_string_equal(words.title, "No answer from play.example.org:7246");
    assert_string_equal(words.text, "Is it running? Is the address right?");
    assert_true(words.retry_s == 3);
    words = words_of(RAIM_REASON_LOST, true, "");
    assert_string_equal(words.title, "The connection to play.example.org:7246 broke");
    words = end_text_of(&(struct end_text_case){.where = "nowhere:1"});
    assert_string_equal(words.title, "Unknown host: nowhere:1");
    assert_true(words.retry_s == 0);
    // The link's own words are no server's.
    words = end_text_of(&(struct end_text_case){
        .where = "nowhere:1", .reason = RAIM_REASON_LOST, .text = "it cannot be resolved"});
    assert_null(strstr(words.text, "The server says"));
    words = words_of(RAIM_REASON_LOST, false, "the server offers no encryption");
    assert_string_equal(words.title, "play.example.org:7246 offers no encryption");
    assert_null(strstr(words.text, "The server says"));
}

TEST(every_reason_has_words)
{
    for (uint32_t reason = 0; reason < RAIM_REASONS + 2; reason++) {
        const struct end_text words = words_of(reason, true, "Bye & %s");
        assert_true(strlen(words.title) > 10);
        assert_null(strchr(words.title, '%'));
        // The server's own words; it says none of a connection that is lost.
        assert_true((strstr(words.text, "Bye & %s") != NULL) == (reason != RAIM_REASON_LOST));
        assert_null(strstr(words.title, "game is over"));
    }
}

TEST(a_wrong_password_or_token_is_told_from_none)
{
    struct end_text_case end = {
        .where = "home:1", .is_resolved = true, .reason = RAIM_REASON_PASSWORD};
    assert_string_equal(end_text_of(&end).title, "home:1 needs a password");
    end.had_password = true;
    assert_string_equal(end_text_of(&end).title, "home:1 has another password");
    end.reason = RAIM_REASON_ACCESS;
    assert_string_equal(end_text_of(&end).title, "home:1 needs an access token");
    end.had_access = true;
    assert_string_equal(end_text_of(&end).title, "home:1 does not accept this access token");
}

TEST(only_hopeful_cases_are_tried_again)
{
    static const uint32_t hopeless[] = {
        RAIM_REASON_BANNED, RAIM_REASON_KICKED,  RAIM_REASON_VERSION, RAIM_REASON_NAME,
        RAIM_REASON_ACCESS, RAIM_REASON_RESUMED, RAIM_REASON_IDLE,    RAIM_REASON_PASSWORD};
    for (size_t i = 0; i < sizeof hopeless / sizeof *hopeless; i++)
        assert_true(words_of(hopeless[i], true, "").retry_s == 0);
    assert_true(words_of(RAIM_REASON_FULL, false, "").retry_s > 0);
    assert_true(words_of(RAIM_REASON_SHUTDOWN, true, "").retry_s > 0);
    const struct end_text other = end_text_of(&(struct end_text_case){
        .where = "a:1", .is_resolved = true, .shows_other_key = true, .reason = RAIM_REASON_LOST});
    assert_string_equal(other.title, "a:1 has another key than before");
    assert_true(other.retry_s == 0);
}
