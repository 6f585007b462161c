// SPDX-License-Identifier: MIT
// The database: totals agree with the rounds that were added, in any order and replaced or not; it
// stays bounded; and a damaged file is moved aside.                      test_result_db [--seed N]
#define _GNU_SOURCE
#include "result_db.h"
#include "result_fixture.h"

#include <assert.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

static char problem[RESULT_DB_PROBLEM_BYTES];

static struct result_db *db;

static void close_db(void *unused)
{
    (void)unused;
    result_db_close(db);
}

// In memory, until the test's end.
static void open_memory(void)
{
    bool is_new;
    db = result_db_open("", &is_new, problem);
    assert_non_null(db);
    test_at_end(close_db, NULL);
    assert_string_equal(problem, "");
    assert_true(is_new);
}

static int64_t today(void)
{
    return (int64_t)time(NULL) / 86400;
}

// The caller clears the result.
static const char *written(const struct round_report *report, struct result *result)
{
    const char *line = freed(result_json_write(report));
    assert_true(result_json_read(line, strlen(line), result));
    return line;
}

static bool add(const struct round_report *report)
{
    struct result result;
    char *line = result_json_write(report);
    assert_true(result_json_read(line, strlen(line), &result));
    const bool is_good = result_db_add(db, &result, line, strlen(line));
    result_json_clear(&result);
    free(line);
    return is_good;
}

static struct leaderboard_row rows[100];

static int ask(int64_t first_day, const char *arena, const char *map)
{
    return result_db_leaderboard(db, first_day, arena, map, rows, 100);
}

TEST(verified_and_unverified_players_of_a_name_are_two)
{
    open_memory();
    struct round_report *report = make_report(4);
    set_player(report, 0, "Ann", "Ann", 3);
    set_player(report, 1, "Ann 2", "Ann", 2); // the same person, twice in the round
    set_player(report, 2, "Ann", "", 4);
    set_player(report, 3, "Bot 1", "", 9)->bot = true;
    report->winner = 1026;
    assert_true(add(report));
    assert_int_equal(ask(-1, "", ""), 2);
    assert_string_equal(rows[0].name, "Ann");
    assert_true(rows[0].verified);
    assert_true(rows[0].score == 5 && rows[0].rounds == 1 && rows[0].wins == 0);
    assert_string_equal(rows[1].name, "Ann");
    assert_false(rows[1].verified);
    assert_true(rows[1].score == 4 && rows[1].rounds == 1 && rows[1].wins == 1);
}

TEST(periods_arenas_and_maps_select)
{
    open_memory();
    struct round_report *report = make_report(1);
    set_player(report, 0, "Ann", "", 1);
    static const int64_t ages[] = {0, 3, 10, 40}; // days
    for (int i = 0; i < 4; i++) {
        report->end_ms = (today() - ages[i]) * DAY_MS + 5000;
        report->start_ms = report->end_ms - 1000;
        snprintf(report->map, sizeof report->map, "%s", i < 2 ? "one" : "two");
        assert_true(add(report));
    }
    static const struct {
        int64_t day;
        const char *arena, *map;
        int64_t rounds;
    } cases[] = {
        {0, "", "", 1},     {6, "", "", 2},          {29, "", "", 3},    {0, "duel", "one", 1},
        {6, "", "two", 0},  {29, "other", "", 0},    {29, "", "two", 1}, {29, "duel", "two", 1},
        {29, "", "ONE", 0}, {29, "' OR 1=1", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int count = ask(today() - cases[i].day, cases[i].arena, cases[i].map);
        assert_int_equal(count, cases[i].rounds > 0);
        assert_true(count == 0 || rows[0].rounds == cases[i].rounds);
    }
    assert_int_equal(ask(-1, "", ""), 1);
    assert_int_equal(rows[0].rounds, 4);
}

// Random rounds, some of them reported twice as after a restart, against sums made here.
TEST(totals_are_those_of_the_last_report_of_each_round)
{
    enum { PEOPLE = 12, ROUNDS = 60 };
    open_memory();
    int64_t score[PEOPLE] = {0}, rounds[PEOPLE] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        struct round_report *report = make_report(PEOPLE);
        const int count = chance_int(1, PEOPLE);
        report->end_ms = today() * DAY_MS + 1;
        report->start_ms = 1000 * (round + 1);
        report->player_count = (uint32_t)count;
        const bool is_twice = chance_int(0, 2) == 0;
        for (int i = 0; i < count; i++) {
            char name[16];
            snprintf(name, sizeof name, "p%d", i);
            set_player(report, (uint32_t)i, name, "", (uint32_t)chance_int(0, 5));
        }
        if (is_twice) {
            report->ended = ROUND_END_SHUTDOWN;
            assert_true(add(report));
            for (int i = 0; i < count; i++)
                report->players[i].score += (uint32_t)chance_int(0, 2);
        }
        assert_true(add(report));
        for (int i = 0; i < count; i++) {
            score[i] += report->players[i].score;
            rounds[i]++;
        }
    }
    const int count = ask(-1, "", "");
    for (int i = 0; i < count; i++) {
        const long person = strtol(rows[i].name + 1, NULL, 10);
        assert_true(rows[i].score == score[person] && rows[i].rounds == rounds[person]);
        assert_true(i == 0 || rows[i].score <= rows[i - 1].score);
    }
    assert_int_equal(count, PEOPLE);
}

TEST(who_left_before_a_restart_keeps_the_points)
{
    open_memory();
    struct round_report *report = make_report(2);
    set_player(report, 0, "Ann", "", 3);
    set_player(report, 1, "Bob", "", 2)->left = true;
    report->ended = ROUND_END_SHUTDOWN;
    assert_true(add(report));
    report->player_count = 1; // the next process does not know Bob
    report->players[0].score = 5;
    report->ended = ROUND_END_CLOCK;
    assert_true(add(report));
    assert_int_equal(ask(-1, "", ""), 2);
    assert_true(rows[0].score == 5 && rows[0].rounds == 1);
    assert_true(rows[1].score == 2 && rows[1].rounds == 1);
}

TEST(strangers_do_not_fill_it)
{
    enum { PEOPLE = 400, ROUNDS = 66 }; // the 66th prunes
    static_assert(PEOPLE * ROUNDS > RESULT_DB_PLAYERS + RESULT_DB_PLAYERS / 4, "too many");
    open_memory();
    struct round_report *report = make_report(PEOPLE);
    uint32_t number = 0;
    result_db_begin(db);
    for (int round = 0; round < ROUNDS; round++) {
        report->end_ms = today() * DAY_MS + round;
        report->start_ms = 1000 * (round + 1);
        for (uint32_t i = 0; i < PEOPLE; i++) {
            char name[16];
            snprintf(name, sizeof name, "stranger %u", ++number);
            set_player(report, i, name, "", 1);
        }
        if (round == 0)
            set_player(report, 0, "Ann", "Ann", 1); // plays once
        struct result result;
        char *line = result_json_write(report);
        assert_true(result_json_read(line, strlen(line), &result));
        assert_true(result_db_add(db, &result, "{}", 2));
        result_json_clear(&result);
        free(line);
    }
    assert_true(result_db_end(db));
    static struct leaderboard_row all[2 * RESULT_DB_PLAYERS];
    const int count = result_db_leaderboard(db, -1, "", "", all, 2 * RESULT_DB_PLAYERS);
    assert_in_range(count, RESULT_DB_PLAYERS / 2, RESULT_DB_PLAYERS);
    bool has_ann = false;
    for (int i = 0; i < count; i++)
        has_ann = has_ann || strcmp(all[i].name, "Ann") == 0;
    assert_true(has_ann); // an access token vouched for her
}

static void collect(void *context, const char *line, size_t size)
{
    uint32_t *count = context;
    (*count)++;
    struct result result;
    assert_true(result_json_read(line, size, &result));
    assert_int_equal(result.start_ms, 1000 * (int64_t)(result.end_ms - 5));
    result_json_clear(&result);
}

TEST(rounds_are_listed_from_a_time_on)
{
    open_memory();
    struct round_report *report = make_report(1);
    set_player(report, 0, "Ann", "", 1);
    for (int64_t i = 1; i <= 10; i++) {
        report->start_ms = i * 1000;
        report->end_ms = i + 5;
        assert_true(add(report));
    }
    static const struct {
        int64_t since_ms;
        const char *arena;
        uint32_t limit, count;
    } cases[] = {
        {0, "", 100, 10}, {0, "", 3, 3}, {12, "", 100, 4}, {0, "duel", 5, 5}, {0, "x", 5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t count = 0;
        assert_true(result_db_rounds(db, cases[i].since_ms, cases[i].arena, cases[i].limit, collect,
                                     &count));
        assert_int_equal(count, cases[i].count);
    }
    assert_int_equal(result_db_newest_ms(db), 15);
}

// Changes the file as another program would, and moves what is in its log into it.
static void change(const char *path, const char *sql)
{
    sqlite3 *other;
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
}

TEST(what_others_may_write_is_not_replayed)
{
    static const char *const names[] = {"-wal", "-shm"};
    char beside[160], bad[160];
    const char *path = path_in(test_directory(), "results.db");
    bool is_new;
    struct stat status;
    snprintf(bad, sizeof bad, "%s.bad", path);
    for (int i = 0; i < 4; i++) {
        result_db_close(result_db_open(path, &is_new, problem));
        unlink(bad);
        snprintf(beside, sizeof beside, "%s%s", path, names[i % 2]);
        unlink(beside);
        if (i < 2) {
            write_file(beside, "x");
            assert_int_equal(chmod(beside, 0666), 0);
        } else {
            assert_int_equal(symlink("/dev/zero", beside), 0);
        }
        db = result_db_open(path, &is_new, problem);
        assert_true(db != NULL && is_new);
        assert_non_null(strstr(problem, names[i % 2]));
        assert_int_equal(stat(bad, &status), 0);
        result_db_close(db);
    }
}

TEST(a_bad_file_is_moved_aside)
{
    char bad[160];
    const char *path = path_in(test_directory(), "results.db");
    bool is_new;
    struct stat status;
    snprintf(bad, sizeof bad, "%s.bad", path);
    struct round_report *report = make_report(1);
    set_player(report, 0, "Ann", "", 1);
    static char garbage[16384];
    memset(garbage, 'g', sizeof garbage - 1);
    for (int i = 0; i < 3; i++) {
        if (i == 0)
            write_file(path, garbage);
        else if (i == 1)
            assert_int_equal(symlink("/dev/zero", path), 0);
        else
            change(path, "PRAGMA user_version=7; CREATE TABLE x(y)");
        db = result_db_open(path, &is_new, problem);
        assert_non_null(db);
        assert_true(is_new && problem[0] != '\0');
        assert_int_equal(lstat(bad, &status), 0);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 077, 0);
        assert_true(add(report));
        result_db_close(db);
        db = result_db_open(path, &is_new, problem);
        assert_true(db != NULL && !is_new && problem[0] == '\0');
        result_db_close(db);
        unlink(path);
    }
}

TEST(a_file_that_is_damaged_later_is_noticed)
{
    const char *path = path_in(test_directory(), "results.db");
    bool is_new;
    struct round_report *report = make_report(50);
    for (uint32_t i = 0; i < 50; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        set_player(report, i, name, "", 1);
    }
    db = result_db_open(path, &is_new, problem);
    for (int i = 0; i < 20; i++) {
        report->start_ms++;
        assert_true(add(report));
    }
    result_db_close(db);
    change(path, "PRAGMA wal_checkpoint(TRUNCATE)");
    FILE *file = fopen(path, "r+");
    fseek(file, 4096, SEEK_SET);
    for (int i = 0; i < 40960; i++)
        fputc(chance_int(0, 255), file);
    fclose(file);
    db = result_db_open(path, &is_new, problem);
    bool is_noticed = problem[0] != '\0';
    for (int i = 0; i < 5 && !is_noticed; i++) {
        report->start_ms++;
        is_noticed = !add(report) && result_db_is_damaged(db);
    }
    assert_true(is_noticed);
    result_db_close(db);
    db = result_db_open(path, &is_new, problem);
    result_db_close(db);
}

// --- Result json ---

// A result that is written as a line is read again, names cannot break out of it, and a damaged
// line is rejected as a whole.

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
    struct result result;
    assert_null(strchr(written(report, &result), '\n'));
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
}

TEST(names_stay_within_their_texts)
{
    static const char *const hostile[] = {
        "\",\"bot\":true,\"x\":\"", "a\\", "<script>", "\x7f\x1b[2J", "\xe2\x80\xa8", "\n{}"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct round_report *report = make_report(1);
        set_player(report, 0, hostile[i], "", 1);
        struct result result;
        assert_null(strchr(written(report, &result), '\n'));
        assert_int_equal(result.player_count, 1);
        assert_string_equal(result.players[0].name, hostile[i]);
        result_json_clear(&result);
    }
}

TEST(damaged_lines_are_rejected)
{
    struct round_report *report = make_report(2);
    set_player(report, 0, "Ann", "Ann", 3);
    set_player(report, 1, "Bob", "", 7);
    const char *line = freed(result_json_write(report));
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
}

TEST(rounds_of_bots_are_no_results)
{
    struct round_report *report = make_report(2);
    set_player(report, 0, "Bot 1", "", 3)->bot = true;
    set_player(report, 1, "Bot 2", "", 3)->bot = true;
    assert_false(result_json_has_players(report));
    report->players[1].bot = false;
    assert_true(result_json_has_players(report));
}
