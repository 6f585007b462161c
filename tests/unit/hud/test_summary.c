// SPDX-License-Identifier: MIT
// What is said of a round in its break.
#include "summary.h"

#include "test.h"

static struct summary summary;
static struct scoreboard board;
static struct raim_client_stats stats;
static char text[SUMMARY_TEXT_BYTES];

static void set_up(void)
{
    stats = (struct raim_client_stats){.shots = 1000, .hits = 100};
    summary_begin(&summary, &stats);
    board = (struct scoreboard){
        .phase = {.kind = RAIM_CLIENT_BREAK, .score_limit = 5},
        .score_count = 3,
        .scores =
            {{.id = RAIM_MAX_PLAYERS + 7, .name = "Ada", .score = 5, .deaths = 2},
             {.id = RAIM_MAX_PLAYERS + 2, .name = "Mira", .score = 3, .deaths = 1, .own = true},
             {.id = RAIM_MAX_PLAYERS, .name = "Late"}},
    };
}

TEST_EACH(set_up, NULL)

static const char *reason(void)
{
    summary_write_reason(&summary, &board, text);
    return text;
}

TEST(the_limit_the_clock_or_neither_has_ended_the_round)
{
    const struct raim_client_phase early = {.has_end = true, .left_s = 30},
                                   late = {.has_end = true, .left_s = 0.1};
    summary_look(&summary, &late);
    summary_look(&summary, &board.phase); // the break's clock is not the round's
    assert_string_equal(reason(), "5 points reached. ");
    board.scores[0].score = 4;
    assert_string_equal(reason(), "Time is up. ");
    summary_look(&summary, &early);
    assert_string_equal(reason(), ""); // by a vote or the operator
    board.phase.score_limit = 0;
    assert_string_equal(reason(), "");
    board.score_count = 0;
    assert_string_equal(reason(), "");
}

TEST(a_streak_is_of_one_life_and_of_one_player)
{
    assert_int_equal(summary_add_kill(&summary, 2, 7), 1);
    assert_int_equal(summary_add_kill(&summary, 2, 0), 2);
    assert_int_equal(summary_add_kill(&summary, 2, 7), 3);
    assert_int_equal(summary_add_kill(&summary, 7, 2), 1);
    assert_int_equal(summary_add_kill(&summary, 2, 7), 1);
    summary_write_best(&summary, &board, text);
    assert_string_equal(text, "Longest streak: Mira, 3     Fewest deaths: Mira, 1");
    summary_forget(&summary, 2); // somebody else has this slot
    summary_write_best(&summary, &board, text);
    assert_string_equal(text, "Fewest deaths: Mira, 1");
    assert_int_equal(summary_add_kill(&summary, 2, 7), 1);
}

TEST(the_own_place_and_figures_are_of_this_round)
{
    summary_write_own(&summary, &board, &stats, text);
    assert_string_equal(text, "You: 2nd of 3     kills: 3     deaths: 1");
    for (int i = 0; i < 2; i++)
        summary_add_kill(&summary, 2, 7);
    stats.shots += 8;
    stats.hits += 2;
    summary_write_own(&summary, &board, &stats, text);
    assert_string_equal(
        text, "You: 2nd of 3     kills: 3     deaths: 1     longest streak: 2     hits: 25 %");
    summary_begin(&summary, &stats);
    summary_write_own(&summary, &board, &stats, text);
    assert_string_equal(text, "You: 2nd of 3     kills: 3     deaths: 1");
    board.scores[1].own = false; // a spectator
    summary_write_own(&summary, &board, &stats, text);
    assert_string_equal(text, "");
}

TEST(nobody_is_best_at_nothing)
{
    board.score_count = 0;
    summary_write_best(&summary, &board, text);
    assert_string_equal(text, "");
}

TEST(places_have_their_endings)
{
    static const struct {
        uint32_t rows;
        const char *words;
    } cases[] = {{1, "You: 1st of 1 "},      {3, "You: 3rd of 3 "},    {4, "You: 4th of 4 "},
                 {11, "You: 11th of 11 "},   {13, "You: 13th of 13 "}, {21, "You: 21st of 21 "},
                 {112, "You: 112th of 112 "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(board.scores, 0, sizeof board.scores);
        board.score_count = cases[i].rows;
        board.scores[cases[i].rows - 1].own = true;
        summary_write_own(&summary, &board, &stats, text);
        assert_memory_equal(text, cases[i].words, strlen(cases[i].words));
    }
}
