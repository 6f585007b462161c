// SPDX-License-Identifier: MIT
// Map files: each mistake and each oddity gets its own clear line.
#define _GNU_SOURCE
#include "map_file.h"

#include "angle.h"
#include "test.h"

static struct raim_map *parse(const char *text, double radius, char **report_text)
{
    size_t size;
    struct diagnostics report = {.out = open_memstream(report_text, &size)};
    struct raim_map *map = map_file_parse("bad.conf", text, radius, &report);
    fclose(report.out);
    assert_int_equal(map == NULL, report.problems > 0);
    return map;
}

static void assert_report(const char *text, double radius, const char *name, const char *expected)
{
    char *report;
    struct raim_map *map = parse(text, radius, &report);
    assert_string_equal(report, expected);
    if (name == NULL)
        assert_null(map);
    else
        assert_string_equal(map->name, name);
    raim_map_destroy(map);
    free(report);
}

static void assert_map_rejected(const char *text, const char *expected)
{
    assert_report(text, 20, NULL, expected);
}

// The map must be taken with exactly these warnings.
static void assert_map_taken(const char *text, const char *expected)
{
    assert_report(text, 20, "bad", expected);
}

TEST(every_mistake_of_a_map_is_reported_with_its_line)
{
    assert_map_rejected("name = \"My Map\";\n"
                        "border = (0, 0, 500, 500);\n"
                        "obstacles = (\n"
                        "  ((10, 10), (20, 10)),\n"
                        "  ((10, 10), (20, 10), (\"a\", 20)),\n"
                        "  ((100, 100), (200, 100), (200, 200), (100, 200)),\n"
                        "  ((10, 10), (50, 10), (10, 50), (50, 50.5)),\n"
                        "  ((10, 10), (20, 10), (20, 501)),\n"
                        "  ((10, 10), (20, 10), (20)), 3,\n"
                        "  ((0, 0), (1e6, 0), (20, 20))\n"
                        ");\n"
                        "spawns = (\n"
                        "  (150, 150),\n"
                        "  (300, 300),\n"
                        "  (600, 300), (100, 150)\n"
                        ");\n",
                        "bad.conf:1: name: got \"My Map\", want 1 to 31 characters of a-z, 0-9, _ "
                        "and -\n"
                        "bad.conf:4: obstacles[0]: got a list of 2, want a list of 3 to 64 "
                        "corners\n"
                        "bad.conf:5: obstacles[1][2][0]: got \"a\", want a number from -16000 to "
                        "16000\n"
                        "bad.conf:7: obstacles[3]: got edge 1 from (50, 10) to (10, 50) crossing "
                        "or touching edge 3 from (50, 50.5) to (10, 10), want none to\n"
                        "bad.conf:8: obstacles[4]: got a corner outside the border, want all "
                        "inside\n"
                        "bad.conf:9: obstacles[5][2]: got a list of 1, want a point ( x, y )\n"
                        "bad.conf:9: obstacles[6]: got 3, want a list of 3 to 64 corners\n"
                        "bad.conf:10: obstacles[7][1][0]: got 1000000.0, want a number from -16000 "
                        "to 16000\n"
                        "bad.conf:13: spawns[0]: got (150, 150), want a point outside all "
                        "obstacles\n"
                        "bad.conf:15: spawns[2]: got (600, 300), want a point inside the border\n"
                        "bad.conf:15: spawns[3]: got (100, 150), want a point outside all "
                        "obstacles\n");
}

TEST(a_bad_outline_is_reported_with_its_reason)
{
    assert_map_rejected("border = (0, 0, 500, 500); spawns = ((250, 250));\n"
                        "obstacles = (\n"
                        "  ((10, 10), (20, 10), (30, 10), (20, 50)),\n"
                        "  ((10, 10), (10, 10.01), (30, 10)),\n"
                        "  ((10, 10), (10.5, 10), (10, 10.5)) );",
                        "bad.conf:3: obstacles[0]: got an outline that has a point on the line "
                        "through its neighbours, want a simple polygon\n"
                        "bad.conf:4: obstacles[1]: got an outline that has two adjacent points "
                        "closer than 0.001 units, want a simple polygon\n"
                        "bad.conf:5: obstacles[2]: got an outline that covers less than 1.0 square "
                        "units, want a simple polygon\n");
}

TEST(more_pieces_than_a_map_holds_are_reported)
{
    // Stars of 16 points, each of them a piece beside the middle ones.
    char *text = calloc(1, 1 << 20);
    size_t used = (size_t)sprintf(text, "border = (0, 0, 4000, 4000); spawns = ((5, 5));\n"
                                        "obstacles = (");
    for (int i = 0; i < 400; i++) {
        used += (size_t)sprintf(text + used, "%s\n(", i > 0 ? "," : "");
        for (int p = 0; p < 32; p++) {
            const raim_vec2 way = raim_angle_direction((raim_angle)(p * RAIM_ANGLE_TURN / 32));
            const double reach = p % 2 == 0 ? 80 : 30;
            used += (size_t)sprintf(text + used, "%s(%.2f, %.2f)", p > 0 ? ", " : "",
                                    150 + 190 * (i % 20) + way.x * reach,
                                    150 + 190 * (i / 20) + way.y * reach);
        }
        used += (size_t)sprintf(text + used, ")");
    }
    sprintf(text + used, ");");
    assert_map_rejected(text,
                        "bad.conf:2: obstacles: got outlines of more than 4096 convex pieces, "
                        "want fewer corners\n");
    free(text);
}

TEST(overlaps_are_warnings)
{
    assert_map_taken("border = (0, 0, 500, 500); spawns = ((250, 250));\n"
                     "obstacles = (\n"
                     "  ((10, 10), (60, 10), (60, 60), (10, 60)),\n"
                     "  ((60, 10), (90, 10), (90, 60), (60, 60)),\n"
                     "  ((400, 400), (450, 400), (400, 450)),\n"
                     "  ((50, 20), (70, 20), (70, 30), (50, 30))\n"
                     ");",
                     "bad.conf:3: obstacles[0]: warning: overlaps obstacles[3]\n"
                     "bad.conf:4: obstacles[1]: warning: overlaps obstacles[3]\n");
    // Bad obstacles keep their numbers.
    assert_map_rejected(
        "border = (0, 0, 500, 500); spawns = ((250, 250));\n"
        "obstacles = (\n"
        "  ((10, 10)),\n"
        "  ((10, 10), (60, 10), (60, 60), (10, 60)),\n"
        "  7,\n"
        "  ((50, 20), (70, 20), (70, 30), (50, 30))\n"
        ");",
        "bad.conf:3: obstacles[0]: got a list of 1, want a list of 3 to 64 corners\n"
        "bad.conf:5: obstacles[2]: got 7, want a list of 3 to 64 corners\n"
        "bad.conf:4: obstacles[1]: warning: overlaps obstacles[3]\n");
}

TEST(many_overlaps_do_not_bury_the_rest)
{
    char text[8192] = "border = (0, 0, 500, 500); spawns = ((250, 250)); obstacles = (\n";
    for (int i = 0; i < 30; i++)
        strcat(text, "((10, 10), (60, 10), (60, 60)),\n");
    strcat(text, "((10, 10), (60, 10), (60, 60)) );");
    char *report;
    raim_map_destroy(parse(text, 20, &report));
    int lines = 0;
    for (const char *at = report; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 21);
    assert_non_null(strstr(report, "bad.conf:1: obstacles: warning: more obstacles overlap\n"));
    free(report);
}

TEST(spawns_must_reach_each_other)
{
    // A wall from side to side with a door of 39 units, and a closet in the south-east.
    const char *walls =
        "border = (0, 0, 500, 500);\n"
        "obstacles = ( ((0, 240), (200, 240), (200, 260), (0, 260)),\n"
        "  ((239, 240), (500, 240), (500, 260), (239, 260)),\n"
        "  ((400, 0), (410, 0), (410, 100), (500, 100), (500, 110), (400, 110)) );\n";
    char text[1024];
    snprintf(text, sizeof text,
             "%sspawns = ((250, 400),\n(100, 100), (300, 100), (\n450, 50), (200, 150));", walls);
    assert_map_rejected(
        text, "bad.conf:5: spawns[0]: got (250, 400), want a way to spawns[1] for a circle "
              "of radius 20 (rules.player_radius)\n"
              "bad.conf:6: spawns[3]: got (450, 50), want a way to spawns[1] for a circle "
              "of radius 20 (rules.player_radius)\n");
    // A smaller player gets through the door.
    assert_report(text, 19.5, NULL,
                  "bad.conf:6: spawns[3]: got (450, 50), want a way to spawns[0] for a circle of "
                  "radius 19.5 (rules.player_radius)\n");
}

TEST(spawns_have_arena_for_a_player)
{
    const char *text = "border = (0, 0, 500, 500);\nspawns = ((50, 250), (100, 250));";
    assert_map_taken(text, "");
    assert_report(text, 60, NULL,
                  "bad.conf:2: spawns[0]: got (50, 250), want no wall within 60 units of it "
                  "(rules.player_radius)\n");
}

TEST(border_must_be_wide_enough)
{
    assert_map_rejected("border = (0, 0, 500, 100); spawns = ((1, 1));",
                        "bad.conf:1: border: got a border of 500 x 100 units, want x_min, y_min, "
                        "x_max, y_max at least 200 apart\n");
    assert_map_rejected("border = (500, 500, 0, 0); spawns = ((1, 1));",
                        "bad.conf:1: border: got a border of -500 x -500 units, want x_min, y_min, "
                        "x_max, y_max at least 200 apart\n");
}

TEST(map_needs_spawns)
{
    assert_map_rejected("border = (0, 0, 500, 500); spawns = ();",
                        "bad.conf:1: spawns: got a list of 0, want 1 to 256 spawns\n");
}
