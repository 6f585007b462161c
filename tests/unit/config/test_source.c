// SPDX-License-Identifier: MIT
// Which file a path in a configuration names.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "source.h"

// Asserts what a path in etc/raimd.conf is found as, where share/ is installed.
static void assert_finds(const char *path, const char *expected)
{
    char *found = source_find(path_of("etc/raimd.conf"), path, path_of("share"));
    assert_string_equal(found, expected);
    free(found);
}

TEST(a_map_beside_the_configuration_takes_the_place_of_an_installed_one)
{
    assert_int_equal(mkdir(path_of("etc"), 0700), 0);
    assert_int_equal(mkdir(path_of("share"), 0700), 0);
    write_text("share/duel.conf", MAP);
    assert_finds("duel.conf", path_of("share/duel.conf"));
    write_text("etc/duel.conf", MAP);
    assert_finds("duel.conf", path_of("etc/duel.conf"));
}

TEST(a_map_that_is_nowhere_is_missed_beside_the_configuration)
{
    assert_finds("none.conf", path_of("etc/none.conf"));
    assert_finds("/none.conf", "/none.conf");
}

TEST_GROUP(set_up, tear_down)
