// SPDX-License-Identifier: MIT
// A matchmaker's answers, good and hostile, and what is done without one.
#include "matchmaker.h"

#include "message.h"
#include "test.h"

static bool reads(const char *text, struct matchmaker_answer *answer)
{
    return matchmaker_read(text, strlen(text), answer);
}

TEST(waiting_and_placed)
{
    struct matchmaker_answer answer;
    assert_true(reads("{\"id\":\"a_B-9\",\"state\":\"waiting\"}", &answer));
    assert_string_equal(answer.id, "a_B-9");
    assert_false(answer.is_placed);
    assert_true(reads("{\"id\":\"a\",\"state\":\"placed\",\"address\":\"eu1.example.org\","
                      "\"port\":7300,\"access\":\"QUJD\"}",
                      &answer));
    assert_true(answer.is_placed);
    assert_string_equal(answer.arena.address, "eu1.example.org");
    assert_int_equal(answer.arena.port, 7300);
    assert_string_equal(answer.arena.access, "QUJD");
    assert_true(reads("{\"id\":\"a\",\"state\":\"placed\",\"address\":\"::\",\"port\":1,"
                      "\"access\":null}",
                      &answer));
    assert_string_equal(answer.arena.access, "");
}

TEST(anything_else_is_rejected)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{",
        "null",
        "{\"id\":\"a\"}",
        "{\"state\":\"waiting\"}",
        "{\"id\":7,\"state\":\"waiting\"}",
        "{\"id\":\"\",\"state\":\"waiting\"}",
        "{\"id\":\"../x?\",\"state\":\"waiting\"}",
        "{\"id\":\"a\\u0000b\",\"state\":\"waiting\"}",
        "{\"id\":\"a\",\"state\":\"placed\"}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":\"x\",\"port\":0}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":\"x\",\"port\":65536}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":\"x\",\"port\":\"7300\"}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":\"\",\"port\":7300}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":\"a b\",\"port\":7300}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":\"x\\n\\u001b[2J\",\"port\":7300}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":7,\"port\":7300}",
        "{\"id\":\"a\",\"state\":\"placed\",\"address\":\"x\",\"port\":7300,\"access\":7}",
    };
    struct matchmaker_answer answer;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(reads(texts[i], &answer));
        assert_false(answer.is_placed);
    }
}

TEST(texts_that_are_too_long_are_rejected)
{
    static const struct {
        int capacity; // with the closing NUL
        const char *before, *after;
    } fields[] = {
        {64, "{\"state\":\"waiting\",\"id\":\"", "\"}"},
        {256, "{\"state\":\"placed\",\"id\":\"a\",\"port\":1,\"address\":\"", "\"}"},
        {512, "{\"state\":\"placed\",\"id\":\"a\",\"port\":1,\"address\":\"x\",\"access\":\"",
         "\"}"},
    };
    char text[2048], letters[1024];
    struct matchmaker_answer answer;
    memset(letters, 'a', sizeof letters);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int longer = 0; longer < 2; longer++) {
            snprintf(text, sizeof text, "%s%.*s%s", fields[i].before,
                     fields[i].capacity - 1 + longer, letters, fields[i].after);
            assert_int_equal(reads(text, &answer), longer == 0);
        }
}

TEST(whoever_was_sent_away_does_not_queue_again)
{
    assert_true(matchmaker_requeues(RAIM_REASON_SHUTDOWN));
    assert_true(matchmaker_requeues(RAIM_REASON_LOST));
    assert_true(matchmaker_requeues(RAIM_REASON_DRAINING));
    assert_false(matchmaker_requeues(RAIM_REASON_KICKED));
    assert_false(matchmaker_requeues(RAIM_REASON_BANNED));
    assert_false(matchmaker_requeues(RAIM_REASON_VERSION));
    assert_false(matchmaker_requeues(RAIM_REASON_PASSWORD));
}
