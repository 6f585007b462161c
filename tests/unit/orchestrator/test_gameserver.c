// SPDX-License-Identifier: MIT
// GameServers in the JSON of Agones' SDK server, and the lines of its watch stream.
#include "chance.h"
#include "gameserver.h"
#include "test.h"

// As sdk-server v1.56 writes it, shortened by keys that nobody reads.
#define WHOLE                                                                                      \
    "{\"object_meta\":{\"name\":\"raimd-x7\",\"namespace\":\"default\",\"uid\":\"1234\","          \
    "\"resource_version\":\"v1\",\"generation\":\"1\",\"creation_timestamp\":\"1795378448\","      \
    "\"deletion_timestamp\":\"0\",\"annotations\":{\"agones.dev/last-allocated\":"                 \
    "\"2026-11-22T20:14:08Z\",\"raimd/arena\":\"{\\\"id\\\": \\\"m-1\\\", \\\"template\\\": "      \
    "\\\"duel\\\"}\"},\"labels\":{\"raimd/drain\":\"true\"}},\"spec\":{\"health\":{\"disabled\":"  \
    "false,\"period_seconds\":3,\"failure_threshold\":5,\"initial_delay_seconds\":10}},"           \
    "\"status\":{\"state\":\"Allocated\",\"address\":\"127.0.0.1\",\"addresses\":[],\"ports\":"    \
    "[{\"name\":\"default\",\"port\":7777},{\"name\":\"duel\",\"port\":7778}],\"players\":null,"   \
    "\"counters\":{\"arenas\":{\"count\":\"1\",\"capacity\":\"10\"}},\"lists\":{\"players\":"      \
    "{\"capacity\":\"100\",\"values\":[\"Ada\",\"Bob\"]},\"arenas\":{\"capacity\":\"64\","         \
    "\"values\":[\"m-1\",\"duel/m-2\"]}}}}"

static struct gameserver *parse(const char *text)
{
    const char *problem = NULL;
    struct gameserver *gameserver = gameserver_parse(text, strlen(text), &problem);
    assert_true(gameserver != NULL || problem != NULL);
    return gameserver;
}

static void assert_is_whole(const struct gameserver *gameserver)
{
    assert_non_null(gameserver);
    assert_string_equal(gameserver->name, "raimd-x7");
    assert_string_equal(gameserver->state, "Allocated");
    assert_string_equal(gameserver->last_allocated, "2026-11-22T20:14:08Z");
    assert_string_equal(gameserver->arena_id, "m-1");
    assert_string_equal(gameserver->arena, "{\"template\":\"duel\"}");
    assert_false(gameserver->is_deleting);
    assert_true(gameserver->is_drain_wanted);
    assert_int_equal(gameserver->health_period_s, 3);
    assert_int_equal(gameserver_port(gameserver, "default"), 7777);
    assert_int_equal(gameserver_port(gameserver, "duel"), 7778);
    assert_int_equal(gameserver_port(gameserver, "other"), 0);
    assert_int_equal(gameserver_port(gameserver, ""), 0); // there are two
    assert_int_equal(gameserver->arenas, 1);
    assert_int_equal(gameserver->arena_capacity, 10);
    assert_int_equal(gameserver->arena_value_count, 2);
    assert_string_equal(gameserver->arena_values[1], "duel/m-2");
    assert_int_equal(gameserver->players.count, 2);
    assert_int_equal(gameserver->players.digest,
                     gameserver_digest("Bob") + gameserver_digest("Ada"));
}

TEST(a_gameserver_is_read_plain_and_as_a_result)
{
    struct gameserver *plain = parse(WHOLE);
    struct gameserver *result = parse("{\"result\":" WHOLE "}");
    assert_is_whole(plain);
    assert_is_whole(result);
    gameserver_free(plain);
    gameserver_free(result);
}

TEST(what_is_absent_is_empty)
{
    struct gameserver *gameserver = parse("{\"object_meta\":{},\"status\":{}}");
    assert_non_null(gameserver);
    assert_string_equal(gameserver->state, "");
    assert_null(gameserver->arena);
    assert_int_equal(gameserver->port_count, 0);
    assert_false(gameserver->has_arena_counter);
    assert_false(gameserver->has_arena_list);
    assert_false(gameserver->has_player_list);
    gameserver_free(gameserver);
}

TEST(a_arena_that_is_no_object_is_kept_for_its_rejection)
{
    struct gameserver *gameserver =
        parse("{\"object_meta\":{\"annotations\":{\"raimd/arena\":\"duel\"}},\"status\":{}}");
    assert_non_null(gameserver);
    assert_string_equal(gameserver->arena, "duel");
    assert_string_equal(gameserver->arena_id, "");
    gameserver_free(gameserver);
}

TEST(anything_else_is_rejected)
{
    static const char *const bad[] = {
        "",
        "\"text\"",
        "null",
        "[]",
        "{}",
        "{\"error\":{\"code\":14}}",
        "{\"object_meta\":{},\"status\":[]}",
        "{\"object_meta\":{},\"status\":{}} x",
        "{\"object_meta\":{\"deletion_timestamp\":\"soon\"},\"status\":{}}",
        "{\"object_meta\":{\"deletion_timestamp\":\"\"},\"status\":{}}",
        "{\"object_meta\":{},\"status\":{\"state\":7}}",
        "{\"object_meta\":{},\"status\":{\"state\":\"a state longer than any state of Agones\"}}",
        "{\"object_meta\":{},\"status\":{\"ports\":[{\"name\":\"a\",\"port\":0}]}}",
        "{\"object_meta\":{},\"status\":{\"ports\":[{\"name\":\"a\",\"port\":65536}]}}",
        "{\"object_meta\":{},\"status\":{\"ports\":[7]}}",
        "{\"object_meta\":{},\"status\":{\"counters\":{\"arenas\":{\"count\":\"-1\"}}}}",
        ("{\"object_meta\":{},\"status\":{\"counters\":{\"arenas\":{\"count\":"
         "\"99999999999999999999\"}}}}"),
        "{\"object_meta\":{},\"spec\":{\"health\":{\"period_seconds\":-5}},\"status\":{}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i]) != NULL)
            fail_msg("accepted: %s", bad[i]);
}

TEST(values_beyond_the_limits_are_left_out)
{
    char text[8192], *end = text;
    end += sprintf(
        end, "{\"object_meta\":{},\"status\":{\"lists\":{\"arenas\":{\"values\":[\"%0200d\"", 7);
    for (int i = 0; i < 2 * GAMESERVER_MAX_ARENAS; i++)
        end += sprintf(end, ",\"r-%d\"", i);
    strcpy(end, "]}}}}");
    struct gameserver *gameserver = parse(text);
    assert_non_null(gameserver);
    assert_int_equal(gameserver->arena_value_count, GAMESERVER_MAX_ARENAS);
    assert_string_equal(gameserver->arena_values[0], "r-0");
    gameserver_free(gameserver);
}

TEST(a_counter_is_read)
{
    int64_t count = 0;
    static const char good[] = "{\"name\":\"arenas\",\"count\":\"3\",\"capacity\":\"10\"}";
    static const char bad[] = "{\"name\":\"arenas\",\"count\":\"three\"}";
    assert_true(gameserver_parse_counter(good, strlen(good), &count));
    assert_int_equal(count, 3);
    assert_false(gameserver_parse_counter(bad, strlen(bad), &count));
    assert_false(gameserver_parse_counter("{}", 2, &count));
    assert_false(gameserver_parse_counter("", 0, &count));
}

TEST(a_stream_has_the_same_lines_however_it_is_cut)
{
    enum { LINES = 20, BYTES = 20000 };
    char text[LINES * BYTES], *end = text;
    for (int i = 0; i < LINES; i++) {
        const int size = chance_int(0, chance_int(0, BYTES - 1));
        memset(end, 'a' + i, (size_t)size);
        end[size] = '\n';
        end += size + 1;
    }
    struct gameserver_stream stream = {0};
    const char *at = text, *expected = text, *line;
    size_t line_size;
    int lines = 0;
    while (at < end) {
        const size_t cut = (size_t)chance_int(1, 5000);
        const size_t left = (size_t)(end - at) < cut ? (size_t)(end - at) : cut;
        const size_t taken = gameserver_stream_take(&stream, at, left, &line, &line_size);
        assert_in_range(taken, 1, left);
        at += taken;
        if (line == NULL)
            continue;
        assert_memory_equal(line, expected, line_size);
        assert_int_equal(expected[line_size], '\n');
        expected += line_size + 1;
        lines++;
    }
    assert_int_equal(lines, LINES);
    gameserver_stream_clear(&stream);
}

TEST(an_endless_line_ends_the_stream_in_bounded_memory)
{
    static char bytes[65536];
    struct gameserver_stream stream = {0};
    const char *line;
    size_t line_size, sum = 0;
    memset(bytes, ' ', sizeof bytes);
    while (!stream.is_failed) {
        sum += gameserver_stream_take(&stream, bytes, sizeof bytes, &line, &line_size);
        assert_null(line);
        assert_in_range(sum, 0, GAMESERVER_MAX_BYTES);
        assert_in_range(stream.capacity, 0, 2 * GAMESERVER_MAX_BYTES);
    }
    assert_int_equal(gameserver_stream_take(&stream, "\n", 1, &line, &line_size), 0);
    gameserver_stream_clear(&stream);
}
