// SPDX-License-Identifier: MIT
// An arena's replies to queries, which are written at most ten times a second.
#include "answers.h"
#include "test.h"

enum { BOTS = 200 };

static struct config *config;
static struct raim_match *match;
static struct answers answers;
static struct answers_subject subject;

static int set_up(void **state)
{
    (void)state;
    config = config_demo(&(struct diagnostics){.out = stderr});
    struct raim_match_def def = raim_match_default_def();
    def.map = config->arenas[0].match.map;
    def.bots = BOTS;
    match = raim_match_create(&def);
    assert_non_null(match);
    memset(&answers, 0, sizeof answers);
    subject = (struct answers_subject){
        .config = &config->arenas[0],
        .port = 7246,
        .match = match,
        .rows = calloc(BOTS, sizeof *subject.rows),
        .row_count = BOTS,
    };
    assert_non_null(subject.rows);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(subject.rows);
    raim_match_destroy(match);
    config_unload(config);
    return 0;
}

static bool has_text(const struct answer *answer, const char *text)
{
    const size_t size = strlen(text) + 1;
    for (size_t at = 0; at + size <= answer->size; at++)
        if (memcmp(answer->bytes + at, text, size) == 0)
            return true;
    return false;
}

TEST(an_answer_is_kept_for_a_tenth_of_a_second, set_up, tear_down)
{
    // The first reply is written at any time.
    assert_true(has_text(answers_get(&answers, &subject, QUERY_INFO, 0), "duel"));
    strcpy(config->arenas[0].name, "other");
    assert_false(has_text(answers_get(&answers, &subject, QUERY_INFO, 99), "other"));
    assert_true(has_text(answers_get(&answers, &subject, QUERY_INFO, 100), "other"));
}

TEST(each_question_has_its_own_answer, set_up, tear_down)
{
    assert_int_equal(answers_get(&answers, &subject, QUERY_INFO, 0)->bytes[4], 'I');
    assert_int_equal(answers_get(&answers, &subject, QUERY_PLAYERS, 0)->bytes[4], 'D');
    assert_int_equal(answers_get(&answers, &subject, QUERY_RULES, 0)->bytes[4], 'E');
    assert_true(has_text(answers_get(&answers, &subject, QUERY_RULES, 0), "spawn_protection"));
}

TEST(of_a_crowd_all_are_counted_and_some_are_listed, set_up, tear_down)
{
    const struct answer *info = answers_get(&answers, &subject, QUERY_INFO, 0);
    // Protocol, name, map, folder, game and the game's number come before.
    const size_t at = 6 + sizeof "duel" + sizeof "duel" + sizeof "raim" + sizeof "raim" + 2;
    assert_int_equal(info->bytes[at], BOTS);
    assert_int_equal(info->bytes[at + 1], UINT8_MAX); // 64 and the bots
    assert_int_equal(info->bytes[at + 2], BOTS);
    const struct answer *players = answers_get(&answers, &subject, QUERY_PLAYERS, 0);
    assert_in_range(players->size, 1100, QUERY_MAX_REPLY);
    assert_in_range(players->bytes[5], 35, BOTS - 1);
    assert_true(has_text(players, "Bot 1"));
}

TEST(an_arena_presents_itself, set_up, tear_down)
{
    struct config_arena *arena = &config->arenas[0];
    strcpy(arena->hostname, "Caf\xC3\xA9 duel");
    strcpy(arena->region, "Europe");
    strcpy(arena->website, "https://example.org/duel");
    arena->tags = (struct config_tags){.count = 2, .words = {"ffa", "no-bots"}};
    assert_true(has_text(answers_get(&answers, &subject, QUERY_INFO, 0), "Caf\xC3\xA9 duel"));
    assert_true(has_text(answers_get(&answers, &subject, QUERY_INFO, 0), "ffa,no-bots"));
    const struct answer *rules = answers_get(&answers, &subject, QUERY_RULES, 0);
    assert_true(has_text(rules, "Europe"));
    assert_true(has_text(rules, "https://example.org/duel"));
    assert_true(has_text(rules, "spawn_protection"));
}
