// SPDX-License-Identifier: MIT
// A server's status as the menu of arenas reads it.
#include "arenas.h"
#include "test.h"

static struct arenas_row rows[ARENAS_MAX];

static int read_text(const char *status)
{
    return arenas_read(status, strlen(status), rows);
}

TEST(a_status_is_read)
{
    assert_int_equal(
        read_text("{\"schema\": 1, \"arenas\": ["
                  "{\"name\": \"duel\", \"port\": 7246, \"map\": \"small\", \"new\": [],"
                  " \"players\": [{\"bot\": true}, {\"bot\": false}, {\"bot\": true}]},"
                  "{\"name\": \"crossfire\", \"port\": 7247, \"map\": \"large\", \"players\": []}"
                  "]}"),
        2);
    assert_string_equal(rows[0].name, "duel");
    assert_string_equal(rows[0].map, "small");
    assert_int_equal(rows[0].port, 7246);
    assert_int_equal(rows[0].players, 1);
    assert_int_equal(rows[0].bots, 2);
    assert_string_equal(rows[1].name, "crossfire");
    assert_int_equal(rows[1].players + rows[1].bots, 0);
}

TEST(what_is_no_status_is_rejected)
{
    static const char *const bad[] = {
        "",
        "<html>",
        "[]",
        "{}",
        "{\"arenas\": 3}",
        "{\"arenas\": [3]}",
        "{\"arenas\": [{\"name\": \"a\", \"map\": \"b\"}]}",
        "{\"arenas\": [{\"name\": \"a\", \"map\": \"b\", \"port\": 0}]}",
        "{\"arenas\": [{\"name\": \"a\", \"map\": \"b\", \"port\": 65536}]}",
        "{\"arenas\": [{\"name\": 1, \"map\": \"b\", \"port\": 5}]}",
        "{\"arenas\": [",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_text(bad[i]), -1);
}

TEST(more_arenas_than_there_is_arena_for_are_left_out)
{
    static const char arena[] = "{\"name\": \"a\", \"map\": \"b\", \"port\": 5},";
    static char status[(ARENAS_MAX + 10) * sizeof arena + 32] = "{\"arenas\": [";
    for (int i = 0; i < ARENAS_MAX + 10; i++)
        strcat(status, arena);
    status[strlen(status) - 1] = ']';
    strcat(status, "}");
    assert_int_equal(read_text(status), ARENAS_MAX);
}

TEST(a_long_name_is_cut)
{
    assert_int_equal(
        read_text("{\"arenas\": [{\"name\": \"0123456789012345678901234567890123456789\","
                  " \"map\": \"b\", \"port\": 5}]}"),
        1);
    assert_int_equal(strlen(rows[0].name), RAIM_MAX_ARENA_BYTES);
}
