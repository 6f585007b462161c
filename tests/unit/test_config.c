// SPDX-License-Identifier: MIT
// The configuration loader: what it accepts, and that each mistake gets its own clear line.
#define _GNU_SOURCE
#include "config.h"

#include "config_keys.h"
#include "map_file.h"
#include "source.h"

#include <ctype.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MUTATIONS 2000

// A map that is good and small, for tests about something else.
#define MAP "border = (0, 0, 500, 500); spawns = ((100, 100));"
#define ARENA "name = \"a\"; map = \"m.conf\";"

static char directory[] = "/tmp/test_config_XXXXXX";
static uint64_t seed = 1;

// libconfig 1.5 forgets a string that a syntax error follows; that is not ours to free.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:scanctx_take_string\nleak:strbuf_append\nleak:libconfig_yylex\n";
}

// --- Helpers ---

static const char *path_of(const char *name)
{
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return path;
}

static void write_bytes(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static char *read_text(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_in_range(fread(text, 1, (1 << 16) - 1, file), 1, (1 << 16) - 2);
    fclose(file);
    return text;
}

// Loads a file of the test's directory; the report has paths relative to that.
static struct config *load(const char *name, char **report)
{
    size_t size;
    FILE *out = open_memstream(report, &size);
    struct config *config = config_load(path_of(name), out);
    fclose(out);
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s/", directory);
    for (char *at = *report; (at = strstr(at, prefix)) != NULL;)
        memmove(at, at + strlen(prefix), strlen(at + strlen(prefix)) + 1);
    return config;
}

// The file `raimd.conf` must be refused with exactly this report.
static void assert_report(const char *expected)
{
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_null(config);
    assert_string_equal(report, expected);
    free(report);
}

static void assert_refused(const char *text, const char *expected)
{
    write_text("raimd.conf", text);
    assert_report(expected);
}

// The caller unloads.
static struct config *assert_accepted(const char *text)
{
    write_text("raimd.conf", text);
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_string_equal(report, "");
    assert_non_null(config);
    free(report);
    return config;
}

static int set_up(void **state)
{
    (void)state;
    write_text("m.conf", MAP);
    return 0;
}

// --- What is shipped ---

static void test_shipped_config_loads(void **state)
{
    (void)state;
    struct config *config = config_load(RAIM_SOURCE_DIR "/config/raimd.conf", stderr);
    assert_non_null(config);
    assert_int_equal(config->workers, 0);
    assert_true(config->status_enabled);
    assert_string_equal(config->status_address, "127.0.0.1");
    assert_int_equal(config->status_port, 7246);
    assert_int_equal(config->arena_count, 2);
    assert_string_equal(config->arenas[0].name, "duel");
    assert_string_equal(config->arenas[0].map->name, "duel");
    assert_int_equal(config->arenas[0].max_players, 16);
    assert_int_equal(config->arenas[0].bots, 4);
    assert_int_equal(config->arenas[1].port, 7247);
    assert_string_equal(config->arenas[1].address, "0.0.0.0");
    assert_true(config->arenas[1].rules.bullet_speed == 720);
    assert_true(config->arenas[1].rules.player_speed == raim_rules_default().player_speed);
    config_unload(config);
}

// Takes comment signs out and makes any blanks one.
static void flatten(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (!isspace((unsigned char)*from) && *from != '#')
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

static void assert_documents(const char *path, const struct reader_key *keys, int count)
{
    char *text = read_text(path);
    flatten(text);
    for (int i = 0; i < count; i++) {
        char line[512];
        reader_document(&keys[i], line, sizeof line);
        if (strstr(text, line) == NULL)
            fail_msg("%s lacks: %s", path, line);
    }
    free(text);
}

static void test_shipped_files_document_every_key_as_the_tables_have_it(void **state)
{
    (void)state;
    const struct reader_key *keys;
    int count;
    for (int group = CONFIG_ROOT; group <= CONFIG_RULES; group++) {
        keys = config_keys((enum config_group)group, &count);
        assert_documents(RAIM_SOURCE_DIR "/config/raimd.conf", keys, count);
    }
    keys = map_file_keys(&count);
    assert_documents(RAIM_SOURCE_DIR "/config/maps/duel.conf", keys, count);
}

static void test_demo_has_two_arenas_on_loopback(void **state)
{
    (void)state;
    struct config *config = config_demo();
    assert_int_equal(config->arena_count, 2);
    assert_string_equal(config->status_address, "127.0.0.1");
    assert_int_equal(config->status_port, 7246);
    for (int i = 0; i < 2; i++) {
        const struct config_arena *arena = &config->arenas[i];
        assert_string_equal(arena->name, i == 0 ? "duel" : "crossfire");
        assert_string_equal(arena->map->name, arena->name);
        assert_string_equal(arena->address, "127.0.0.1");
        assert_int_equal(arena->port, 7246 + i);
        assert_int_equal(arena->bots, i == 0 ? 6 : 12);
        assert_int_equal(arena->max_players, 64);
        assert_int_equal(arena->tick_hz, 60);
        for (int s = 0; s < arena->map->spawn_count; s++)
            assert_true(raim_map_is_free(arena->map, arena->map->spawns[s], 60));
    }
    config_unload(config);
}

// --- What is accepted ---

static void test_absent_keys_have_their_defaults(void **state)
{
    (void)state;
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    const struct config_arena *arena = &config->arenas[0];
    assert_int_equal(config->workers, 0);
    assert_true(config->status_enabled);
    assert_string_equal(arena->address, "0.0.0.0");
    assert_int_equal(arena->port, 7246);
    assert_int_equal(arena->max_players, 64);
    assert_int_equal(arena->bots, 0);
    assert_int_equal(arena->tick_hz, 60);
    const raim_rules rules = raim_rules_default();
    assert_memory_equal(&arena->rules, &rules, sizeof rules);
    assert_string_equal(arena->map->name, "m");
    config_unload(config);
}

static void test_status_can_be_off_or_on_a_free_port(void **state)
{
    (void)state;
    struct config *config = assert_accepted("status = \"off\"; arenas = ({" ARENA "});");
    assert_false(config->status_enabled);
    config_unload(config);
    config = assert_accepted("status = \"\"; arenas = ({" ARENA "});");
    assert_false(config->status_enabled);
    config_unload(config);
    config = assert_accepted("status = \"127.0.0.2:0\"; arenas = ({" ARENA "});");
    assert_true(config->status_enabled);
    assert_string_equal(config->status_address, "127.0.0.2");
    assert_int_equal(config->status_port, 0);
    config_unload(config);
}

static void test_ends_of_ranges_are_inside(void **state)
{
    (void)state;
    config_unload(assert_accepted("workers = 256; arenas = ({" ARENA "port = 0; max_players = 1000;"
                                  "bots = 24; tick_hz = 240; rules = { bullet_radius = 0.5;"
                                  "respawn_delay = 0; bullet_speed = 20000L; }; });"));
    config_unload(assert_accepted("workers = 0x0; arenas = ({" ARENA "port = 0xFFFF;"
                                  "max_players = 1; tick_hz = 10; });"));
}

static void test_free_ports_never_conflict_and_addresses_keep_ports_apart(void **state)
{
    (void)state;
    config_unload(assert_accepted(
        "arenas = ({ name = \"a\"; map = \"m.conf\"; port = 0; },"
        "{ name = \"b\"; map = \"m.conf\"; port = 0; },"
        "{ name = \"c\"; map = \"m.conf\"; address = \"127.0.0.1\"; port = 5; },"
        "{ name = \"d\"; map = \"m.conf\"; address = \"127.0.0.2\"; port = 5; });"));
}

static void test_map_takes_integers_floats_lists_and_arrays(void **state)
{
    (void)state;
    write_text("sub.conf", "name = \"other\"; border = [-200, -200, 200, 200];\n"
                           "obstacles = ( ((0, 0), (10.5, 0), [10, 10]) );\n"
                           "spawns = ( (100, -100.25), [-1.5, -50.0] );");
    struct config *config = assert_accepted("arenas = ({ name = \"a\"; map = \"sub.conf\"; });");
    const struct raim_map *map = config->arenas[0].map;
    assert_string_equal(map->name, "other");
    assert_true(map->border.min.x == -200 && map->border.max.y == 200);
    assert_int_equal(map->obstacle_count, 1);
    assert_int_equal(map->spawn_count, 2);
    assert_true(map->spawns[0].y == -100.25);
    config_unload(config);
}

static void test_absolute_map_path(void **state)
{
    (void)state;
    char text[PATH_MAX];
    snprintf(text, sizeof text, "arenas = ({ name = \"a\"; map = \"%s\"; });", path_of("m.conf"));
    config_unload(assert_accepted(text));
}

// --- Mistakes in the daemon's file ---

static void test_every_mistake_is_told_at_once(void **state)
{
    (void)state;
    write_text("bad.conf", "border = (0, 0, 500);\nspawn = ((1, 1));\n");
    assert_refused("workers = -1;\n"
                   "status = \"localhost:80\";\n"
                   "arenas = (\n"
                   "  { name = \"Duel\"; map = \"bad.conf\"; port = 70000;\n"
                   "    tick_hz = 60.0; bots = \"many\"; adress = \"0.0.0.0\"; },\n"
                   "  { map = \"none.conf\"; address = \"1.2.3\"; max_players = 0;\n"
                   "    rules = { bulet_speed = 1; bullet_speed = 1; player_radius = true; }; },\n"
                   "  17\n"
                   ");\n",
                   "raimd.conf:1: workers: got -1, want an integer from 0 to 256\n"
                   "raimd.conf:2: status: got \"localhost:80\", want \"IPV4:PORT\" or \"off\"\n"
                   "raimd.conf:4: arenas[0].name: got \"Duel\", want 1 to 31 characters of a-z, "
                   "0-9, _ and -\n"
                   "raimd.conf:4: arenas[0].port: got 70000, want an integer from 0 to 65535\n"
                   "raimd.conf:5: arenas[0].bots: got \"many\", want an integer from 0 to 200\n"
                   "raimd.conf:5: arenas[0].tick_hz: got 60.0, want an integer from 10 to 240 Hz\n"
                   "raimd.conf:5: arenas[0].adress: got an unknown key, did you mean "
                   "\"address\"?\n"
                   "raimd.conf:6: arenas[1]: got no key \"name\", want 1 to 31 characters of a-z, "
                   "0-9, _ and -\n"
                   "raimd.conf:6: arenas[1].address: got \"1.2.3\", want a dotted IPv4 address\n"
                   "raimd.conf:6: arenas[1].max_players: got 0, want an integer from 1 to 1000\n"
                   "raimd.conf:7: arenas[1].rules.player_radius: got true, want a number from 4 "
                   "to 100 units\n"
                   "raimd.conf:7: arenas[1].rules.bullet_speed: got 1, want a number from 50 to "
                   "20000 units/s\n"
                   "raimd.conf:7: arenas[1].rules.bulet_speed: got an unknown key, did you mean "
                   "\"bullet_speed\"?\n"
                   "raimd.conf:8: arenas[2]: got 17, want a group { name = ...; map = ...; }\n"
                   "bad.conf: got no key \"spawns\", want a list of 1 to 256 points ( x, y )\n"
                   "bad.conf:2: spawn: got an unknown key, did you mean \"spawns\"?\n"
                   "bad.conf:1: border: got a list of 3, want x_min, y_min, x_max, y_max\n"
                   "raimd.conf:6: arenas[1].map: cannot read \"none.conf\": No such file or "
                   "directory\n");
}

static void test_key_like_no_other_gets_the_list_of_keys(void **state)
{
    (void)state;
    assert_refused("gravity = 9; arenas = ({" ARENA "});",
                   "raimd.conf:1: gravity: got an unknown key, want one of workers, status, "
                   "arenas\n");
}

static void test_arenas_must_be_there(void **state)
{
    (void)state;
    assert_refused("", "raimd.conf: got no key \"arenas\", want a list of 1 to 256 groups\n");
    assert_refused("arenas = ();", "raimd.conf:1: arenas: got a list of 0, want 1 to 256 arenas\n");
    assert_refused("arenas = {};",
                   "raimd.conf:1: arenas: got a group, want a list of 1 to 256 groups\n");
}

static void assert_port_refused(const char *got)
{
    char text[256], expected[256];
    snprintf(text, sizeof text, "arenas = ({" ARENA "port = %s; });", got);
    const long long number = strtoll(got, NULL, 0);
    snprintf(expected, sizeof expected,
             "raimd.conf:1: arenas[0].port: got %lld, want an integer from 0 to 65535\n", number);
    assert_refused(text, expected);
}

static void test_integers_do_not_wrap(void **state)
{
    (void)state;
    assert_port_refused("65536");
    assert_port_refused("2147483648");
    assert_port_refused("3000000000");
    assert_port_refused("4294967300");          // 4, were it cut to 32 bits
    assert_port_refused("0x100000004");         // likewise
    assert_port_refused("0xFFFFFFFF");          // -1, likewise
    assert_port_refused("9223372036854775807"); // the most that 64 bits hold
    assert_port_refused("-2147483648");
    assert_port_refused("-2147483649");
    assert_port_refused("-4294967295"); // 1, likewise
    assert_refused("arenas = ({" ARENA "port = 18446744073709551620; });",
                   "raimd.conf:1: got 18446744073709551620, want a number below 2^63\n");
}

static void test_float_without_bounds_is_out_of_range(void **state)
{
    (void)state;
    assert_refused("arenas = ({" ARENA "rules = { respawn_delay = 1e999; }; });",
                   "raimd.conf:1: arenas[0].rules.respawn_delay: got inf, want a number from 0 to "
                   "60 s\n");
}

static void test_an_arena_holds_its_players_and_bots(void **state)
{
    (void)state;
    assert_refused("arenas = ({ name = \"a\"; map = \"m.conf\"; max_players = 1000;\n"
                   "bots = 200; });",
                   "raimd.conf:2: arenas[0].bots: got 200 beside 1000 max_players, want at most "
                   "1024 together\n");
}

static void test_names_and_ports_are_unique(void **state)
{
    (void)state;
    assert_refused("arenas = (\n"
                   "{ name = \"a\"; map = \"m.conf\"; address = \"127.0.0.1\"; },\n"
                   "{ name = \"a\"; map = \"m.conf\"; port = 7247; },\n"
                   "{ name = \"b\"; map = \"m.conf\"; address = \"127.0.0.1\"; },\n"
                   "{ name = \"c\"; map = \"m.conf\"; address = \"127.0.0.2\";\n"
                   "  port = 7247; },\n"
                   "{ name = \"d\"; map = \"m.conf\"; port = 7246; });",
                   "raimd.conf:3: arenas[1].name: got \"a\", want another name than that of "
                   "arenas[0]\n"
                   "raimd.conf:4: arenas[2]: got 127.0.0.1:7246, want an address and port apart "
                   "from 127.0.0.1:7246 of arenas[0]\n"
                   "raimd.conf:6: arenas[3].port: got 127.0.0.2:7247, want an address and port "
                   "apart from 0.0.0.0:7247 of arenas[1]\n"
                   "raimd.conf:7: arenas[4].port: got 0.0.0.0:7246, want an address and port apart "
                   "from 127.0.0.1:7246 of arenas[0]\n");
}

static void test_names_of_garbage_are_quoted_and_cut(void **state)
{
    (void)state;
    char text[4096], name[2049];
    memset(name, 'x', 2048);
    name[2048] = '\0';
    snprintf(text, sizeof text, "arenas = ({ name = \"\\x1b[31m%s\"; map = \"m.conf\"; });", name);
    write_text("raimd.conf", text);
    char *report;
    assert_null(load("raimd.conf", &report));
    assert_non_null(strstr(report, "got \"?[31mxxx"));
    assert_non_null(strstr(report, "xxx...\", want"));
    assert_true(strlen(report) < 200);
    free(report);
}

static void test_nothing_in_a_file_can_add_a_line_to_the_report(void **state)
{
    (void)state;
    write_text("raimd.conf", "arenas = ({ name = \"a\"; map = \"x\\ny\"; });");
    char *report;
    assert_null(load("raimd.conf", &report));
    assert_non_null(strstr(report, "x?y\": No such file"));
    assert_ptr_equal(strchr(report, '\n'), report + strlen(report) - 1);
    free(report);
    assert_refused("status = \033[31m;\n",
                   "raimd.conf:1: got a syntax error at or before this: status = ?[31m;\n");
}

// --- Text that libconfig cannot read ---

static void test_syntax_errors_name_their_line(void **state)
{
    (void)state;
    assert_refused("workers = 1;\nstatus = = 3;\n",
                   "raimd.conf:2: got a syntax error at or before this: status = = 3;\n");
    assert_refused("workers = 1;\nworkers = 2;\n",
                   "raimd.conf:2: got a duplicate setting name at or before this: workers = 2;\n");
    assert_refused("arenas = [1,\n 2.5];",
                   "raimd.conf:2: got a mismatched element type in array at or before this: "
                   "2.5];\n");
    assert_refused("\n\nworkers = 1 # one",
                   "raimd.conf: got no key \"arenas\", want a list of 1 to 256 groups\n");
}

static void test_missing_quote_is_found_on_its_line(void **state)
{
    (void)state;
    assert_refused("workers = 1;\nstatus = \"off;\narenas = ({" ARENA "});\n",
                   "raimd.conf:2: got a string without its end, want \" on the same line\n");
    assert_refused("workers = 1;\nstatus = \"off;\nname = \"a;\n",
                   "raimd.conf:2: got a string without its end, want \" on the same line\n");
    assert_refused("status = \"off\\\"",
                   "raimd.conf:1: got a string without its end, want \" on the same line\n");
    assert_refused("status = \"off\\",
                   "raimd.conf:1: got a string without its end, want \" on the same line\n");
}

static void test_comment_without_end_is_found_where_it_begins(void **state)
{
    (void)state;
    assert_refused("workers = 1;\n/* arenas\n = 3;\n",
                   "raimd.conf:2: got a comment without its end, want */ after /*\n");
}

static void test_lines_are_right_after_comments(void **state)
{
    (void)state;
    assert_refused("/* one\n two */ // three\n# four\nworkers/**/=/*\n*/-1; arenas = ({" ARENA
                   "});",
                   "raimd.conf:4: workers: got -1, want an integer from 0 to 256\n");
}

static void test_nesting_without_end_is_a_syntax_error(void **state)
{
    (void)state;
    char text[40001] = "a = ";
    memset(text + 4, '(', 40000 - 4);
    write_text("raimd.conf", text);
    char *report;
    assert_null(load("raimd.conf", &report));
    assert_non_null(strstr(report, "raimd.conf:1: got a memory exhausted"));
    free(report);
}

static void test_files_that_are_no_text(void **state)
{
    (void)state;
    write_bytes("raimd.conf", "a = 1;\0b", 8);
    assert_report("raimd.conf: got a zero byte, want text\n");

    char *large = malloc(SOURCE_MAX_BYTES + 1);
    memset(large, ' ', SOURCE_MAX_BYTES + 1);
    write_bytes("raimd.conf", large, SOURCE_MAX_BYTES + 1);
    assert_report("raimd.conf: got more than 4194304 bytes of text\n");
    free(large);
}

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    char *report;
    assert_null(load("absent.conf", &report));
    assert_string_equal(report,
                        "absent.conf: cannot read \"absent.conf\": No such file or directory\n");
    free(report);
    assert_null(load(".", &report));
    assert_string_equal(report, ".: cannot read \".\": Is a directory\n");
    free(report);

    assert_refused("arenas = ({ name = \"a\"; map = \".\"; });",
                   "raimd.conf:1: arenas[0].map: cannot read \".\": Is a directory\n");
    if (geteuid() == 0)
        return; // root reads everything
    write_text("raimd.conf", "");
    assert_int_equal(chmod(path_of("raimd.conf"), 0), 0);
    assert_report("raimd.conf: cannot read \"raimd.conf\": Permission denied\n");
    unlink(path_of("raimd.conf"));
}

// --- @include ---

static void test_include_is_relative_and_keeps_lines(void **state)
{
    (void)state;
    mkdir(path_of("inc"), 0700);
    write_text("inc/first.conf", "@include \"second.conf\"\nbots = -2;");
    write_text("inc/second.conf", "\nport = -1;\n");
    assert_refused("arenas = ({\n  @include \"inc/first.conf\" tick_hz = 1;\n" ARENA
                   "\nmax_players = 0; });",
                   "inc/second.conf:2: arenas[0].port: got -1, want an integer from 0 to 65535\n"
                   "raimd.conf:4: arenas[0].max_players: got 0, want an integer from 1 to 1000\n"
                   "inc/first.conf:2: arenas[0].bots: got -2, want an integer from 0 to 200\n"
                   "raimd.conf:2: arenas[0].tick_hz: got 1, want an integer from 10 to 240 Hz\n");
}

static void test_include_that_cannot_be_read(void **state)
{
    (void)state;
    assert_refused("\n@include \"none.conf\"\n@include \".\"\n@include\n@include \"\n",
                   "raimd.conf:2: @include: cannot read \"none.conf\": No such file or directory\n"
                   "raimd.conf:3: @include: cannot read \".\": Is a directory\n"
                   "raimd.conf:4: got @include without a file, want @include \"FILE\"\n"
                   "raimd.conf:5: got @include without a file, want @include \"FILE\"\n");
}

static void test_include_of_itself_ends(void **state)
{
    (void)state;
    assert_refused("@include \"raimd.conf\"\n",
                   "raimd.conf:1: @include: got \"raimd.conf\" as well, want at most 64 files\n");
}

static void test_include_in_comments_and_strings_is_none(void **state)
{
    (void)state;
    config_unload(assert_accepted("# @include \"none\"\n/*\n@include \"none\"\n*/\n"
                                  "// @include \"none\"\narenas = ({" ARENA "});"));
}

// --- Maps ---

static void test_arenas_that_share_a_map_share_its_warnings(void **state)
{
    (void)state;
    write_text("odd.conf", "border = (0, 0, 500, 500); spawns = ((250, 250)); obstacles = (\n"
                           "((10, 10), (60, 10), (60, 60)), ((10, 10), (60, 10), (60, 60)) );");
    write_text("raimd.conf", "arenas = ({ name = \"a\"; map = \"odd.conf\"; port = 1; },\n"
                             "{ name = \"b\"; map = \"m.conf\"; port = 2; },\n"
                             "{ name = \"c\"; map = \"odd.conf\"; port = 3; });");
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_string_equal(report, "odd.conf:2: obstacles[0]: warning: overlaps obstacles[1]\n");
    assert_ptr_equal(config->arenas[0].map, config->arenas[2].map);
    assert_ptr_not_equal(config->arenas[0].map, config->arenas[1].map);
    assert_int_equal(config->map_count, 2);
    config_unload(config);
    free(report);
}

static void test_map_of_two_arenas_tells_its_mistakes_once(void **state)
{
    (void)state;
    write_text("bad.conf", "border = (0, 0, 500, 500);");
    assert_refused("arenas = ({ name = \"a\"; map = \"bad.conf\"; port = 1; },\n"
                   "{ name = \"b\"; map = \"bad.conf\"; port = 2; });",
                   "bad.conf: got no key \"spawns\", want a list of 1 to 256 points ( x, y )\n");
}

static void test_map_without_name_needs_a_file_with_one(void **state)
{
    (void)state;
    write_text("My Map.conf", MAP);
    assert_refused("arenas = ({ name = \"a\"; map = \"My Map.conf\"; });",
                   "My Map.conf: got no key \"name\" and a file name that cannot serve, want 1 to "
                   "31 characters of a-z, 0-9, _ and -\n");
}

static void test_spawns_have_room_for_the_largest_players(void **state)
{
    (void)state;
    write_text("tight.conf", "border = (0, 0, 500, 500);\nspawns = ((50, 250), (100, 250));");
    assert_refused("arenas = ({ name = \"a\"; map = \"tight.conf\"; }, { name = \"b\"; port = 1;\n"
                   "map = \"tight.conf\"; rules = { player_radius = 60; }; });",
                   "tight.conf:2: spawns[0]: got (50, 250), want no wall within 60 units of it "
                   "(rules.player_radius)\n");
    config_unload(assert_accepted("arenas = ({ name = \"a\"; map = \"tight.conf\"; });"));
}

// --- Anything at all ---

static uint64_t random_next(void)
{
    // SplitMix64, by Guy Steele, Doug Lea and Christine Flood.
    uint64_t z = (seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static size_t random_below(size_t limit)
{
    return (size_t)(random_next() % limit);
}

// Changes one place of a text that has room for 16 bytes more.
static void mutate(char *text)
{
    static const char *const pieces[] = {
        "(",  ")",  "{",  "}",          "[",   "]",    ";",    ",",  "=",
        "\"", "-",  "0x", "1e9",        ".",   "L",    "@",    "#",  "*",
        "/",  "/*", "\n", "3000000000", "nan", "true", "\xff", "\\", "\n@include \"",
    };
    const size_t size = strlen(text);
    const size_t at = random_below(size + 1);
    const char *piece = pieces[random_below(sizeof pieces / sizeof pieces[0])];
    const size_t cut = random_below(4) == 0 ? random_below(size - at + 1) : random_below(3);
    const size_t from = at + cut < size ? at + cut : size;
    memmove(text + at + strlen(piece), text + from, size - from + 1);
    memcpy(text + at, piece, strlen(piece));
}

// Whether a line of a report is more than a warning.
static bool has_mistakes(const char *report)
{
    for (const char *line = report; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *warning = strstr(line, ": warning: ");
        if (warning == NULL || warning > strchr(line, '\n'))
            return true;
    }
    return false;
}

static void test_mutated_files_load_or_are_refused_with_a_reason(void **state)
{
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    static const char *const names[] = {"raimd.conf", "maps/duel.conf", "maps/crossfire.conf"};
    char *originals[3];
    mkdir(path_of("maps"), 0700);
    for (int i = 0; i < 3; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/config/%s", RAIM_SOURCE_DIR, names[i]);
        originals[i] = read_text(path);
        write_text(names[i], originals[i]);
    }
    int accepted = 0;
    for (int i = 0; i < MUTATIONS; i++) {
        const int which = (int)random_below(3);
        char *text = calloc(1, strlen(originals[which]) + 256);
        strcpy(text, originals[which]);
        for (size_t count = 1 + random_below(4); count > 0; count--)
            mutate(text);
        write_text(names[which], text);
        char *report;
        struct config *config = load("raimd.conf", &report);
        assert_int_equal(config == NULL, has_mistakes(report));
        accepted += config != NULL;
        config_unload(config);
        free(report);
        free(text);
        write_text(names[which], originals[which]);
    }
    print_message("%d of %d mutations accepted\n", accepted, MUTATIONS);
    assert_in_range(accepted, 1, MUTATIONS - 1);
    for (int i = 0; i < 3; i++)
        free(originals[i]);
}

static void remove_directory(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", directory);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--seed") == 0)
        seed = strtoull(argv[2], NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_config_loads),
        cmocka_unit_test(test_shipped_files_document_every_key_as_the_tables_have_it),
        cmocka_unit_test(test_demo_has_two_arenas_on_loopback),
        cmocka_unit_test(test_absent_keys_have_their_defaults),
        cmocka_unit_test(test_status_can_be_off_or_on_a_free_port),
        cmocka_unit_test(test_ends_of_ranges_are_inside),
        cmocka_unit_test(test_free_ports_never_conflict_and_addresses_keep_ports_apart),
        cmocka_unit_test(test_map_takes_integers_floats_lists_and_arrays),
        cmocka_unit_test(test_absolute_map_path),
        cmocka_unit_test(test_every_mistake_is_told_at_once),
        cmocka_unit_test(test_key_like_no_other_gets_the_list_of_keys),
        cmocka_unit_test(test_arenas_must_be_there),
        cmocka_unit_test(test_integers_do_not_wrap),
        cmocka_unit_test(test_float_without_bounds_is_out_of_range),
        cmocka_unit_test(test_an_arena_holds_its_players_and_bots),
        cmocka_unit_test(test_names_and_ports_are_unique),
        cmocka_unit_test(test_names_of_garbage_are_quoted_and_cut),
        cmocka_unit_test(test_nothing_in_a_file_can_add_a_line_to_the_report),
        cmocka_unit_test(test_syntax_errors_name_their_line),
        cmocka_unit_test(test_missing_quote_is_found_on_its_line),
        cmocka_unit_test(test_comment_without_end_is_found_where_it_begins),
        cmocka_unit_test(test_lines_are_right_after_comments),
        cmocka_unit_test(test_nesting_without_end_is_a_syntax_error),
        cmocka_unit_test(test_files_that_are_no_text),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_include_is_relative_and_keeps_lines),
        cmocka_unit_test(test_include_that_cannot_be_read),
        cmocka_unit_test(test_include_of_itself_ends),
        cmocka_unit_test(test_include_in_comments_and_strings_is_none),
        cmocka_unit_test(test_arenas_that_share_a_map_share_its_warnings),
        cmocka_unit_test(test_map_of_two_arenas_tells_its_mistakes_once),
        cmocka_unit_test(test_map_without_name_needs_a_file_with_one),
        cmocka_unit_test(test_spawns_have_room_for_the_largest_players),
        cmocka_unit_test(test_mutated_files_load_or_are_refused_with_a_reason),
    };
    if (mkdtemp(directory) == NULL)
        return 1;
    const int failed = cmocka_run_group_tests_name("config", tests, set_up, NULL);
    remove_directory();
    return failed;
}
