// SPDX-License-Identifier: MIT
// The maps that a configuration names: their forms, shared maps and rotations.
#define _GNU_SOURCE
#include "config_fixture.h"

#define ARENA_B "{ name = \"b\"; map = \"m.conf\"; port = 1; "

TEST(map_takes_integers_floats_lists_and_arrays)
{
    char text[PATH_MAX];
    write_text("sub.conf", "name = \"other\"; border = [-200, -200, 200, 200];\n"
                           "obstacles = ( ((0, 0), (10.5, 0), [10, 10]) );\n"
                           "spawns = ( (100, -100.25), [-1.5, -50.0] );");
    snprintf(text, sizeof text, "arenas = ({ name = \"a\"; map = \"%s\"; });", path_of("sub.conf"));
    const struct raim_map *map = assert_accepted(text)->arenas[0].match.map;
    assert_string_equal(map->name, "other");
    assert_true(map->border.min.x == -200 && map->border.max.y == 200);
    assert_int_equal(map->obstacle_count, 1);
    assert_int_equal(map->spawn_count, 2);
    assert_true(map->spawns[0].y == -100.25);
}

TEST(arenas_that_share_a_map_share_its_warnings_and_mistakes)
{
    write_text("odd.conf", "border = (0, 0, 500, 500); spawns = ((250, 250)); obstacles = (\n"
                           "((10, 10), (60, 10), (60, 60)), ((10, 10), (60, 10), (60, 60)) );");
    write_text("raimd.conf", "arenas = ({ name = \"a\"; map = \"odd.conf\"; port = 2; },\n" ARENA_B
                             "},\n{ name = \"c\"; map = \"odd.conf\"; port = 3; });");
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_string_equal(report, "odd.conf:2: obstacles[0]: warning: overlaps obstacles[1]\n");
    assert_ptr_equal(config->arenas[0].match.map, config->arenas[2].match.map);
    assert_ptr_not_equal(config->arenas[0].match.map, config->arenas[1].match.map);
    assert_int_equal(config->map_count, 2);
    config_unload(config);
    free(report);
    write_text("bad.conf", "border = (0, 0, 500, 500);");
    assert_rejected("arenas = ({ name = \"a\"; map = \"bad.conf\"; port = 1; },\n"
                    "{ name = \"b\"; map = \"bad.conf\"; port = 2; });",
                    "bad.conf: got no key \"spawns\", want a list of 1 to 256 points ( x, y )\n");
}

TEST(map_without_name_needs_a_file_with_one)
{
    write_text("My Map.conf", MAP);
    assert_rejected_for("arenas = ({ name = \"a\"; map = \"My Map.conf\"; });",
                        "My Map.conf: got no key \"name\" and a file name that cannot serve");
}

TEST(a_rotation_names_maps_which_are_shared)
{
    write_text("n.conf", MAP);
    const struct config *config = assert_accepted(
        "arenas = ({" ARENA "score_limit = 1; rotation = (\"n.conf\", \"m.conf\", \"n.conf\"); },"
        "{ name = \"b\"; map = \"n.conf\"; port = 1; round_time = 1; rotation = [\"m.conf\"]; });");
    const struct config_arena *a = &config->arenas[0], *b = &config->arenas[1];
    assert_int_equal(a->rotation_count, 3);
    assert_string_equal(a->rotation[0]->name, "n");
    assert_ptr_equal(a->rotation[1], a->match.map);
    assert_ptr_equal(a->rotation[2], a->rotation[0]);
    assert_int_equal(b->rotation_count, 1);
    assert_ptr_equal(b->rotation[0], a->match.map);
    assert_ptr_equal(b->match.map, a->rotation[0]);
    assert_int_equal(config->map_count, 2);
}

TEST(every_map_of_a_rotation_is_checked)
{
    static const char no_wall[] = "tight.conf:2: spawns[0]: got (50, 250), want no wall within 60 "
                                  "units of it (rules.player_radius)\n";
    write_text("bad.conf", "border = (0, 0, 500, 500);");
    assert_rejected(
        "arenas = ({" ARENA "score_limit = 1; rotation = (\n"
        "\"m.conf\", 5,\n \"none.conf\", \"\", \"bad.conf\", \"none.conf\"); });",
        "raimd.conf:2: arenas[0].rotation[1]: got 5, want the path of a map file\n"
        "raimd.conf:3: arenas[0].rotation[3]: got \"\", want the path of a map file\n"
        "raimd.conf:3: arenas[0].rotation[2]: cannot read \"none.conf\": No such file or "
        "directory\n"
        "bad.conf: got no key \"spawns\", want a list of 1 to 256 points ( x, y )\n");
    // Players of one arena are larger than the map has room for, those of another are not.
    write_text("tight.conf", "border = (0, 0, 500, 500);\nspawns = ((50, 250), (100, 250));");
    assert_rejected("arenas = ({" ARENA "score_limit = 1; rotation = (\"tight.conf\");\n"
                    "rules = { player_radius = 60; }; }, { name = \"b\"; map = \"tight.conf\";"
                    "port = 1; });",
                    no_wall);
    assert_rejected("arenas = ({ name = \"a\"; map = \"tight.conf\"; },\n{ name = \"b\"; port = 1;"
                    "map = \"tight.conf\"; rules = { player_radius = 60; }; });",
                    no_wall);
    assert_accepted("arenas = ({ name = \"a\"; map = \"tight.conf\"; });");
}

TEST(a_rotation_has_at_most_32_maps)
{
    char keys[1024] = "score_limit = 1; rotation = (\"m.conf\"";
    for (int i = 1; i < 32; i++)
        strcat(keys, ", \"m.conf\"");
    strcat(keys, ");");
    assert_int_equal(arena_of(keys)->rotation_count, 32);
    strcpy(keys + strlen(keys) - 2, ", \"m.conf\");");
    assert_arena_rejected_for(keys, "rotation: got a list of 33, want a list of at most 32 paths");
}

TEST(a_rotation_without_rounds_is_odd)
{
    write_text("raimd.conf", "arenas = ({" ARENA "rotation = (\"m.conf\"); });");
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_string_equal(report, "raimd.conf:1: arenas[0].rotation: warning: no round ends without "
                                "round_time or score_limit, so that only the operator changes the "
                                "map\n");
    assert_int_equal(config->arenas[0].rotation_count, 1);
    config_unload(config);
    free(report);
}

TEST_EACH(set_up, NULL)
