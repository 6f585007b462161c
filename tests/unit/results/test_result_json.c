// SPDX-License-Identifier: MIT
// Lines of results: what is written is read again, names cannot break out, and damaged lines are
// rejected as a whole.                                                  test_result_json [--seed N]
#define _GNU_SOURCE
#include "result_fixture.h"

TEST(a_line_is_read_as_it_was_written)
{
    struct round_report *report = make_report(4);
    set_player(report, 0, "Ann 2", "Ann", 3);
    set_player(report, 1, "Bob", "", 7);
    set_player(report, 2, "Bot 1", "", 9)->bot = true;
    *set_player(report, 3, "Idle", "", 0) =
        (struct round_player){.id = 1027, .name = "Idle", .ping_ms = 20};
    report->winner = 1025;
    strcpy(report->template_name, "duels");
    char *line = result_json_write(report);
    assert_non_null(line);
    assert_null(strchr(line, '\n'));
    struct result result;
    assert_true(result_json_read(line, strlen(line), &result));
    assert_string_equal(result.arena, "duel");
    assert_string_equal(result.group, "duels");
    assert_string_equal(result.map, "Duel \"1\"");
    assert_true(result.start_ms == report->start_ms && result.end_ms == report->end_ms);
    assert_int_equal(result.player_count, 2); // neither bots nor who did nothing
    assert_string_equal(result.players[0].name, "Bob");
    assert_true(result.players[0].has_won && !result.players[0].verified);
    assert_int_equal(result.players[0].shots, 15);
    assert_string_equal(result.players[1].name, "Ann");
    assert_true(result.players[1].verified && !result.players[1].has_won);
    result_json_clear(&result);
    free(line);
    free(report);
}

TEST(names_stay_within_their_texts)
{
    static const char *const hostile[] = {
        "\",\"bot\":true,\"x\":\"", "a\\", "<script>", "\x7f\x1b[2J", "\xe2\x80\xa8", "\n{}"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct round_report *report = make_report(1);
        set_player(report, 0, hostile[i], "", 1);
        char *line = result_json_write(report);
        struct result result;
        assert_null(strchr(line, '\n'));
        assert_true(result_json_read(line, strlen(line), &result));
        assert_int_equal(result.player_count, 1);
        assert_string_equal(result.players[0].name, hostile[i]);
        result_json_clear(&result);
        free(line);
        free(report);
    }
}

TEST(damaged_lines_are_rejected)
{
    struct round_report *report = make_report(2);
    set_player(report, 0, "Ann", "Ann", 3);
    set_player(report, 1, "Bob", "", 7);
    char *line = result_json_write(report);
    const size_t size = strlen(line);
    struct result result;
    for (size_t cut = 0; cut < size; cut++)
        assert_false(result_json_read(line, cut, &result));
    for (int i = 0; i < 20000; i++) {
        char *copy = strdup(line);
        for (int j = chance_int(1, 3); j > 0; j--)
            copy[chance_int(0, (int)size - 1)] = (char)chance_int(0, 255);
        if (result_json_read(copy, size, &result)) {
            assert_true(result.player_count <= 2 && result.start_ms > 0 && result.end_ms > 0);
            result_json_clear(&result);
        }
        free(copy);
    }
    static const char *const changes[][2] = {
        {"\"schema\":1", "\"schema\":2"},
        {"2023-", "2023x"},
        {"\"score\":3", "\"score\":-3"},
        {"\"score\":3", "\"score\":3.5"},
        {"\"subject\":\"Ann\"", "\"subject\":null "},
        {"\"subject\":\"Ann\"", "\"subject\":\"aaaaaaaaaaaaaaaaaaaaaaaaa\""},
        {"\"arena\":\"duel\"", "\"arena\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char changed[8192];
        const char *at = strstr(line, changes[i][0]);
        assert_non_null(at);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - line), line, changes[i][1],
                 at + strlen(changes[i][0]));
        assert_false(result_json_read(changed, strlen(changed), &result));
    }
    free(line);
    free(report);
}

TEST(rounds_of_bots_are_no_results)
{
    struct round_report *report = make_report(2);
    set_player(report, 0, "Bot 1", "", 3)->bot = true;
    set_player(report, 1, "Bot 2", "", 3)->bot = true;
    assert_false(result_json_has_players(report));
    report->players[1].bot = false;
    assert_true(result_json_has_players(report));
    free(report);
}
