// SPDX-License-Identifier: MIT
// The configuration loader: what is shipped, and what it makes of files that are good.
#define _GNU_SOURCE
#include "config_diff.h"
#include "config_fixture.h"
#include "config_keys.h"
#include "config_loader.h"
#include "config_reference.h"
#include "map_file.h"

#include <ctype.h>
#include <sys/stat.h>

#define MUTATIONS 2000

// What an arena has that says nothing of its view and its spectators' number.
static void assert_plain(const struct config_arena *arena)
{
    assert_int_equal(arena->match.tuning.max_spectators, 8);
    assert_int_equal(arena->match.view_width, 1600);
    assert_int_equal(arena->match.view_height, 861);
    assert_true(arena->match.sight);
    assert_int_equal(arena->match.lag_compensation_ms, 200);
    assert_true(arena->match.tuning.resume_grace_s == 30);
    assert_true(arena->queries);
    assert_true(arena->query_names);
    assert_true(arena->match.tuning.round_s == 0);
    assert_int_equal(arena->match.tuning.score_limit, 0);
    assert_true(arena->match.tuning.break_s == 10);
    assert_string_equal(arena->match.tuning.motd, "");
    assert_int_equal(arena->rotation_count, 0);
}

// --- What is shipped ---

TEST(shipped_config_loads)
{
    struct config *config = config_load(RAIM_SOURCE_DIR "/config/raimd.conf", stderr);
    assert_non_null(config);
    assert_int_equal(config->workers, 0);
    assert_true(config->status.is_on);
    assert_string_equal(config->status.address, "127.0.0.1");
    assert_int_equal(config->status.port, 7246);
    assert_int_equal(config->arena_count, 2);
    assert_string_equal(config->arenas[0].name, "duel");
    assert_string_equal(config->arenas[0].match.map->name, "duel");
    assert_plain(&config->arenas[0]);
    assert_true(config->arenas[0].match.spectator_delay_s == 10);
    assert_int_equal(config->arenas[0].match.tuning.max_players, 16);
    assert_int_equal(config->arenas[0].match.bots, 4);
    assert_int_equal(config->arenas[1].port, 7247);
    assert_string_equal(config->arenas[1].address, "0.0.0.0");
    assert_true(config->arenas[1].match.rules.bullet_speed == 720);
    assert_true(config->arenas[1].match.rules.player_speed == raim_rules_default().player_speed);
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

TEST(a_shipped_map_documents_every_key_as_the_table_has_it)
{
    int count;
    const struct reader_key *keys = map_file_keys(&count);
    assert_documents(RAIM_SOURCE_DIR "/config/maps/duel.conf", keys, count);
}

TEST(demo_has_two_arenas_on_loopback)
{
    struct diagnostics report = {.out = stderr};
    struct config *config = config_demo(&report);
    assert_int_equal(config->arena_count, 2);
    assert_string_equal(config->status.address, "127.0.0.1");
    assert_int_equal(config->status.port, 7246);
    for (int i = 0; i < 2; i++) {
        const struct config_arena *arena = &config->arenas[i];
        assert_string_equal(arena->name, i == 0 ? "duel" : "crossfire");
        assert_string_equal(arena->match.map->name, arena->name);
        assert_string_equal(arena->address, "127.0.0.1");
        assert_int_equal(arena->port, 7246 + i);
        assert_int_equal(arena->match.bots, i == 0 ? 6 : 12);
        assert_int_equal(arena->match.tuning.max_players, 64);
        assert_int_equal(arena->match.tick_hz, 60);
        assert_plain(arena);
        assert_true(arena->match.spectator_delay_s <= 0); // on loopback, with bots
        for (int s = 0; s < arena->match.map->spawn_count; s++)
            assert_true(raim_map_is_free(arena->match.map, arena->match.map->spawns[s], 60));
    }
    config_unload(config);
}

// --- What is accepted ---

TEST(absent_keys_have_their_defaults)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    const struct config_arena *arena = &config->arenas[0];
    assert_int_equal(config->workers, 0);
    assert_true(config->status.is_on);
    assert_string_equal(arena->address, "0.0.0.0");
    assert_int_equal(arena->port, 7246);
    assert_int_equal(arena->match.tuning.max_players, 64);
    assert_int_equal(arena->match.bots, 0);
    assert_int_equal(arena->match.tick_hz, 60);
    assert_plain(arena);
    assert_true(arena->match.spectator_delay_s == 10);
    const raim_rules rules = raim_rules_default();
    assert_memory_equal(&arena->match.rules, &rules, sizeof rules);
    assert_string_equal(arena->match.map->name, "m");
    config_unload(config);
}

// Compares the values of keys, except of those that have none in `def`.
static void assert_defaults(const struct reader_key *keys, int count, const char *values,
                            const char *defaults, size_t begin, size_t end)
{
    for (int i = 0; i < count; i++) {
        const size_t at = keys[i].offset;
        if (keys[i].size == 0 || at < begin || at >= end)
            continue;
        if (keys[i].keys != NULL) {
            assert_defaults(keys[i].keys->rows, keys[i].keys->count, values + at,
                            defaults + at - begin, 0, SIZE_MAX);
        } else if (memcmp(values + at, defaults + at - begin, keys[i].size) != 0) {
            fail_msg("%s has another default than the match", keys[i].name);
        }
    }
}

TEST(an_arena_has_the_defaults_of_a_match)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    const struct raim_match_def def = raim_match_default_def();
    const size_t begin = offsetof(struct config_arena, match);
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ARENA, &count);
    assert_defaults(keys, count, (const char *)&config->arenas[0], (const char *)&def, begin,
                    begin + sizeof def);
    config_unload(config);
}

TEST(votes_are_as_configured)
{
    struct config *config = assert_accepted(
        "arenas = ({" ARENA "votes = { kinds = \"map kick\"; time = 30.5; silent = \"no\"; }; },"
        "{ name = \"b\"; map = \"m.conf\"; port = 1; votes = { kinds = \"\"; }; });");
    assert_int_equal(config->arenas[0].match.tuning.votes.kinds,
                     RAIM_VOTE_BIT(RAIM_VOTE_MAP) | RAIM_VOTE_BIT(RAIM_VOTE_KICK));
    assert_true(config->arenas[0].match.tuning.votes.time_s == 30.5);
    assert_true(config->arenas[0].match.tuning.votes.silent_is_no);
    assert_int_equal(config->arenas[1].match.tuning.votes.kinds, 0);
    config_unload(config);
    static const char *const wrong[] = {
        "kick kick", "kick  map", " kick", "kick ", "ban", "Kick", "kickkickkickkickkickkick"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256];
        snprintf(text, sizeof text, "arenas = ({" ARENA "votes = { kinds = \"%s\"; }; });",
                 wrong[i]);
        char *report;
        write_text("raimd.conf", text);
        assert_null(load("raimd.conf", &report));
        assert_non_null(strstr(report, "votes.kinds: got"));
        free(report);
    }
}

TEST(status_can_be_off_or_on_a_free_port)
{
    struct config *config =
        assert_accepted("http = { listen = \"off\"; }; arenas = ({" ARENA "});");
    assert_false(config->status.is_on);
    config_unload(config);
    config = assert_accepted("http = { listen = \"\"; }; arenas = ({" ARENA "});");
    assert_false(config->status.is_on);
    config_unload(config);
    config = assert_accepted("http = { listen = \"127.0.0.2:0\"; }; arenas = ({" ARENA "});");
    assert_true(config->status.is_on);
    assert_string_equal(config->status.address, "127.0.0.2");
    assert_int_equal(config->status.port, 0);
    config_unload(config);
}

TEST(names_and_token_of_the_status_are_as_configured)
{
    write_text("token", "0123456789abcdef\nnot this\n");
    assert_int_equal(chmod(path_of("token"), 0600), 0);
    struct config *config =
        assert_accepted("http = { hosts = ( \"a.example\", \"b-2.example\" ); live_token_file = "
                        "\"token\"; }; arenas = ({" ARENA "});");
    assert_int_equal(config->status_guard.host_count, 2);
    assert_string_equal(config->status_guard.hosts[1], "b-2.example");
    assert_string_equal(config->status_guard.token, "0123456789abcdef");
    config_unload(config);
    unlink(path_of("token"));
    config = assert_accepted("arenas = ({" ARENA "});");
    assert_int_equal(config->status_guard.host_count, 0);
    assert_string_equal(config->status_guard.token, "");
    config_unload(config);
}

TEST(view_and_spectators_are_as_configured)
{
    struct config *config = assert_accepted(
        "arenas = ({" ARENA "view_width = 1920; view_height = 1080; sight = false;"
        "max_spectators = 0; spectator_delay = 2.5; },"
        "{ name = \"b\"; map = \"m.conf\"; port = 1; sight = True; spectator_delay = 3; });");
    assert_int_equal(config->arenas[0].match.view_width, 1920);
    assert_int_equal(config->arenas[0].match.view_height, 1080);
    assert_false(config->arenas[0].match.sight);
    assert_int_equal(config->arenas[0].match.tuning.max_spectators, 0);
    assert_true(config->arenas[0].match.spectator_delay_s == 2.5);
    assert_true(config->arenas[1].match.sight);
    assert_true(config->arenas[1].match.spectator_delay_s == 3);
    config_unload(config);
}

TEST(queries_are_as_configured)
{
    struct config *config =
        assert_accepted("arenas = ({" ARENA "queries = false; },"
                        "{ name = \"b\"; map = \"m.conf\"; port = 1; query_names = false; });");
    assert_false(config->arenas[0].queries);
    assert_true(config->arenas[0].query_names);
    assert_true(config->arenas[1].queries);
    assert_false(config->arenas[1].query_names);
    config_unload(config);
}

TEST(rounds_are_as_configured)
{
    struct config *config = assert_accepted(
        "arenas = ({" ARENA "round_time = 600; score_limit = 30; break_time = 2.5;"
        "motd = \"Be nice \xc3\xa9\"; },"
        "{ name = \"b\"; map = \"m.conf\"; port = 1; score_limit = 100000; motd = \"\"; });");
    assert_true(config->arenas[0].match.tuning.round_s == 600);
    assert_int_equal(config->arenas[0].match.tuning.score_limit, 30);
    assert_true(config->arenas[0].match.tuning.break_s == 2.5);
    assert_string_equal(config->arenas[0].match.tuning.motd, "Be nice \xc3\xa9");
    assert_int_equal(config->arenas[1].match.tuning.score_limit, 100000);
    assert_string_equal(config->arenas[1].match.tuning.motd, "");
    config_unload(config);
}

TEST(a_motd_fits_and_shows_all_of_it)
{
    char text[512], motd[122];
    memset(motd, 'x', 121);
    motd[120] = '\0';
    snprintf(text, sizeof text, "arenas = ({" ARENA "motd = \"%s\"; });", motd);
    struct config *config = assert_accepted(text);
    assert_string_equal(config->arenas[0].match.tuning.motd, motd);
    config_unload(config);
    static const char *const bad[] = {"a\\nb", "\xe2\x80\x8b", " x", "\xff", NULL};
    motd[120] = 'x';
    motd[121] = '\0';
    for (int i = 0; i <= 4; i++) {
        snprintf(text, sizeof text, "arenas = ({" ARENA "motd = \"%s\"; });",
                 bad[i] != NULL ? bad[i] : motd);
        write_text("raimd.conf", text);
        char *report;
        assert_null(load("raimd.conf", &report));
        if (strstr(report, ", want at most 120 bytes of UTF-8 without anything invisible\n") ==
            NULL)
            fail_msg("%s", report);
        free(report);
    }
}

TEST(the_level_of_the_log_is_as_configured)
{
    static const struct {
        const char *text;
        enum log_level level;
    } rows[] = {{"log_level = \"error\"; arenas = ({" ARENA "});", LOG_LEVEL_ERROR},
                {"log_level = \"warning\"; arenas = ({" ARENA "});", LOG_LEVEL_WARNING},
                {"arenas = ({" ARENA "});", LOG_LEVEL_INFO}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config *config = assert_accepted(rows[i].text);
        assert_int_equal(config->log_level, rows[i].level);
        config_unload(config);
    }
    assert_rejected("log_level = \"debug\"; arenas = ({" ARENA "});",
                    "raimd.conf:1: log_level: got \"debug\", want \"error\", \"warning\" or "
                    "\"info\"\n");
}

static void assert_limits(const struct gate_limits *limits, const struct gate_limits *expected)
{
#define ASSERT_LIMIT(name, ...) assert_int_equal(limits->name, expected->name);
    GATE_LIMITS(ASSERT_LIMIT)
    assert_int_equal(limits->loopback, expected->loopback);
}

TEST(cookies_and_limits_are_as_configured)
{
    struct config *config = assert_accepted(
        "arenas = ({" ARENA "address_validation = false; limits = { connections_per_address = 3;"
        "connect_requests_total = 1000000; loopback = true; }; },"
        "{ name = \"b\"; map = \"m.conf\"; port = 1; });");
    struct gate_limits limits = GATE_LIMITS_DEFAULT;
    assert_true(config->arenas[1].address_validation);
    assert_limits(&config->arenas[1].limits, &limits);
    limits.connections_per_address = 3;
    limits.connect_requests_total = 1000000;
    limits.loopback = true;
    assert_false(config->arenas[0].address_validation);
    assert_limits(&config->arenas[0].limits, &limits);
    config_unload(config);
}

TEST(access_and_seals_are_as_configured)
{
#define KEY_OF(digits) digits digits digits digits digits digits digits digits
    struct config *config =
        assert_accepted("arenas = ({" ARENA "encryption = \"required\"; access = \"token\";"
                        "access_key = \"" KEY_OF("01234567") " " KEY_OF(
                            "89abcdef") "\"; },"
                                        "{ name = \"b\"; map = \"m.conf\"; port = 1; });");
    const struct config_arena *arena = &config->arenas[0];
    assert_int_equal(arena->encryption, CONFIG_ENCRYPTION_REQUIRED);
    assert_true(arena->needs_access);
    assert_int_equal(arena->access_keys.count, 2);
    assert_int_equal(arena->access_keys.keys[0][1], 0x23);
    assert_int_equal(arena->access_keys.keys[1][31], 0xEF);
    assert_int_equal(config->arenas[1].encryption, CONFIG_ENCRYPTION_OFFERED);
    assert_false(config->arenas[1].needs_access);
    config_unload(config);
}

TEST(lag_compensation_and_grace_are_as_configured)
{
    struct config *config =
        assert_accepted("arenas = ({" ARENA "lag_compensation = 0; resume_grace = 0.5; },"
                        "{ name = \"b\"; map = \"m.conf\"; port = 1; lag_compensation = 120; });");
    assert_int_equal(config->arenas[0].match.lag_compensation_ms, 0);
    assert_true(config->arenas[0].match.tuning.resume_grace_s == 0.5);
    assert_int_equal(config->arenas[1].match.lag_compensation_ms, 120);
    assert_true(config->arenas[1].match.tuning.resume_grace_s == 30);
    config_unload(config);
}

TEST(ends_of_ranges_are_inside)
{
    config_unload(assert_accepted("workers = 256; arenas = ({" ARENA "port = 0; max_players = 1000;"
                                  "bots = 24; tick_hz = 240; max_spectators = 1000;"
                                  "spectator_delay = 60; view_width = 10000; view_height = 100;"
                                  "lag_compensation = 250; resume_grace = 600;"
                                  "round_time = 86400; score_limit = 100000; break_time = 300;"
                                  "rules = { bullet_radius = 0.5;"
                                  "respawn_delay = 0; bullet_speed = 20000L; }; });"));
    config_unload(assert_accepted("workers = 0x0; arenas = ({" ARENA "port = 0xFFFF;"
                                  "max_players = 1; tick_hz = 10; max_spectators = 0;"
                                  "spectator_delay = 0; view_width = 100;"
                                  "lag_compensation = 0; resume_grace = 0;"
                                  "view_height = 10000; });"));
}

TEST(free_ports_never_conflict_and_addresses_keep_ports_apart)
{
    config_unload(assert_accepted(
        "arenas = ({ name = \"a\"; map = \"m.conf\"; port = 0; },"
        "{ name = \"b\"; map = \"m.conf\"; port = 0; },"
        "{ name = \"c\"; map = \"m.conf\"; address = \"127.0.0.1\"; port = 5; },"
        "{ name = \"d\"; map = \"m.conf\"; address = \"127.0.0.2\"; port = 5; });"));
}

TEST(map_takes_integers_floats_lists_and_arrays)
{
    write_text("sub.conf", "name = \"other\"; border = [-200, -200, 200, 200];\n"
                           "obstacles = ( ((0, 0), (10.5, 0), [10, 10]) );\n"
                           "spawns = ( (100, -100.25), [-1.5, -50.0] );");
    struct config *config = assert_accepted("arenas = ({ name = \"a\"; map = \"sub.conf\"; });");
    const struct raim_map *map = config->arenas[0].match.map;
    assert_string_equal(map->name, "other");
    assert_true(map->border.min.x == -200 && map->border.max.y == 200);
    assert_int_equal(map->obstacle_count, 1);
    assert_int_equal(map->spawn_count, 2);
    assert_true(map->spawns[0].y == -100.25);
    config_unload(config);
}

TEST(absolute_map_path)
{
    char text[PATH_MAX];
    snprintf(text, sizeof text, "arenas = ({ name = \"a\"; map = \"%s\"; });", path_of("m.conf"));
    config_unload(assert_accepted(text));
}

// --- Maps ---

TEST(arenas_that_share_a_map_share_its_warnings)
{
    write_text("odd.conf", "border = (0, 0, 500, 500); spawns = ((250, 250)); obstacles = (\n"
                           "((10, 10), (60, 10), (60, 60)), ((10, 10), (60, 10), (60, 60)) );");
    write_text("raimd.conf", "arenas = ({ name = \"a\"; map = \"odd.conf\"; port = 1; },\n"
                             "{ name = \"b\"; map = \"m.conf\"; port = 2; },\n"
                             "{ name = \"c\"; map = \"odd.conf\"; port = 3; });");
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_string_equal(report, "odd.conf:2: obstacles[0]: warning: overlaps obstacles[1]\n");
    assert_ptr_equal(config->arenas[0].match.map, config->arenas[2].match.map);
    assert_ptr_not_equal(config->arenas[0].match.map, config->arenas[1].match.map);
    assert_int_equal(config->map_count, 2);
    config_unload(config);
    free(report);
}

TEST(map_of_two_arenas_reports_its_mistakes_once)
{
    write_text("bad.conf", "border = (0, 0, 500, 500);");
    assert_rejected("arenas = ({ name = \"a\"; map = \"bad.conf\"; port = 1; },\n"
                    "{ name = \"b\"; map = \"bad.conf\"; port = 2; });",
                    "bad.conf: got no key \"spawns\", want a list of 1 to 256 points ( x, y )\n");
}

TEST(map_without_name_needs_a_file_with_one)
{
    write_text("My Map.conf", MAP);
    assert_rejected("arenas = ({ name = \"a\"; map = \"My Map.conf\"; });",
                    "My Map.conf: got no key \"name\" and a file name that cannot serve, want 1 to "
                    "31 characters of a-z, 0-9, _ and -\n");
}

TEST(spawns_have_arena_for_the_largest_players)
{
    write_text("tight.conf", "border = (0, 0, 500, 500);\nspawns = ((50, 250), (100, 250));");
    assert_rejected("arenas = ({ name = \"a\"; map = \"tight.conf\"; }, { name = \"b\"; port = 1;\n"
                    "map = \"tight.conf\"; rules = { player_radius = 60; }; });",
                    "tight.conf:2: spawns[0]: got (50, 250), want no wall within 60 units of it "
                    "(rules.player_radius)\n");
    config_unload(assert_accepted("arenas = ({ name = \"a\"; map = \"tight.conf\"; });"));
}

TEST(a_rotation_names_maps_which_are_shared)
{
    write_text("n.conf", MAP);
    struct config *config = assert_accepted(
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
    config_unload(config);
}

TEST(every_map_of_a_rotation_is_checked)
{
    write_text("bad.conf", "border = (0, 0, 500, 500);");
    assert_rejected(
        "arenas = ({" ARENA "score_limit = 1; rotation = (\n"
        "\"m.conf\", 5,\n \"none.conf\", \"\", \"bad.conf\", \"none.conf\"); });",
        "raimd.conf:2: arenas[0].rotation[1]: got 5, want the path of a map file\n"
        "raimd.conf:3: arenas[0].rotation[3]: got \"\", want the path of a map file\n"
        "raimd.conf:3: arenas[0].rotation[2]: cannot read \"none.conf\": No such file or "
        "directory\n"
        "bad.conf: got no key \"spawns\", want a list of 1 to 256 points ( x, y )\n");
    assert_rejected(
        "arenas = ({" ARENA "rotation = \"m.conf\"; });",
        "raimd.conf:1: arenas[0].rotation: got \"m.conf\", want a list of at most 32 paths "
        "of map files\n");
    // Players of this arena are larger than the map has room for.
    write_text("tight.conf", "border = (0, 0, 500, 500);\nspawns = ((50, 250), (100, 250));");
    assert_rejected("arenas = ({" ARENA "score_limit = 1; rotation = (\"tight.conf\");\n"
                    "rules = { player_radius = 60; }; });",
                    "tight.conf:2: spawns[0]: got (50, 250), want no wall within 60 units of it "
                    "(rules.player_radius)\n");
}

TEST(a_rotation_has_at_most_32_maps)
{
    for (int count = 32; count <= 33; count++) {
        char text[1024] = "arenas = ({" ARENA "score_limit = 1; rotation = (";
        for (int i = 0; i < count; i++)
            strcat(text, i > 0 ? ", \"m.conf\"" : "\"m.conf\"");
        strcat(text, "); });");
        if (count == 32) {
            struct config *config = assert_accepted(text);
            assert_int_equal(config->arenas[0].rotation_count, 32);
            config_unload(config);
        } else
            assert_rejected(text, "raimd.conf:1: arenas[0].rotation: got a list of 33, want a list "
                                  "of at most 32 paths of map files\n");
    }
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

// --- Anything at all ---

// Mutates a text at one position; its buffer has room for 16 more bytes.
static void mutate(char *text)
{
    static const char *const pieces[] = {
        "(",  ")",  "{",  "}",          "[",   "]",    ";",    ",",  "=",
        "\"", "-",  "0x", "1e9",        ".",   "L",    "@",    "#",  "*",
        "/",  "/*", "\n", "3000000000", "nan", "true", "\xff", "\\", "\n@include \"",
    };
    const size_t size = strlen(text);
    const size_t at = (size_t)chance_int(0, (int)size);
    const char *piece = pieces[chance_int(0, sizeof pieces / sizeof pieces[0] - 1)];
    const size_t cut =
        (size_t)(chance_int(0, 3) == 0 ? chance_int(0, (int)(size - at)) : chance_int(0, 2));
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

TEST(mutated_files_load_or_are_rejected_with_a_reason)
{
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
        const int which = chance_int(0, 2);
        char *text = calloc(1, strlen(originals[which]) + 256);
        strcpy(text, originals[which]);
        for (int count = chance_int(1, 4); count > 0; count--)
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

TEST_GROUP(set_up, tear_down)

// --- Config values ---

// Tests of the texts and locations of configuration values, and of the reference of all keys.

static void assert_value(const struct config *config, int arena, const char *name, const char *text,
                         const char *place)
{
    const struct config_value *value = config_values_find(config->values, arena, name);
    if (value == NULL)
        fail_msg("no value %s", name);
    assert_string_equal(value->text, text);
    assert_string_equal(value->location, path_of(place));
}

TEST(values_report_their_text_and_their_place)
{
    write_text("more.conf", "\nbots = 0x10;\n");
    struct config *config = assert_accepted("workers = 2;\narenas = (\n  { " ARENA "\n"
                                            "    @include \"more.conf\"\n    sight = False;\n"
                                            "    rules = {\n      bullet_speed = 720; }; } );");
    assert_value(config, -1, "workers", "2", "raimd.conf:1");
    assert_value(config, 0, "name", "\"a\"", "raimd.conf:3");
    assert_value(config, 0, "bots", "16", "more.conf:2");
    assert_value(config, 0, "sight", "false", "raimd.conf:5");
    assert_value(config, 0, "rules.bullet_speed", "720", "raimd.conf:7");
    const struct config_value *value = config_values_find(config->values, 0, "rules.bullet_speed");
    assert_string_equal(value->path, "arenas[0].rules.bullet_speed");
    assert_false(value->is_default);
    assert_null(config_values_find(config->values, 1, "name"));
    assert_null(config_values_find(config->values, 0, "gravity"));
    config_unload(config);
}

TEST(defaults_have_the_place_of_the_group_that_lacks_them)
{
    struct config *config =
        assert_accepted("arenas = (\n{ " ARENA " },\n"
                        "{ name = \"b\"; map = \"m.conf\"; port = 1;\n rules = { }; });");
    assert_value(config, -1, "http.listen", "\"127.0.0.1:7246\"", "raimd.conf");
    assert_value(config, 0, "resume_grace", "30", "raimd.conf:2");
    assert_value(config, 0, "rules.bullet_radius", "4", "raimd.conf:2");
    assert_value(config, 1, "rules.bullet_radius", "4", "raimd.conf:4");
    assert_true(config_values_find(config->values, 0, "resume_grace")->is_default);
    config_unload(config);
}

// Counts the keys that are no groups; each must have a value.
static int count_values(const struct config_values *values, const struct reader_key *keys,
                        int count)
{
    int all = 0;
    for (int i = 0; i < count; i++) {
        bool found = keys[i].keys != NULL;
        for (int v = 0; v < values->count; v++)
            found = found || values->values[v].key == &keys[i];
        if (!found)
            fail_msg("no value of %s: does its group have `keys` in the table?", keys[i].name);
        if (keys[i].keys == NULL)
            all++;
        else
            all += count_values(values, keys[i].keys->rows, keys[i].keys->count);
    }
    return all;
}

TEST(every_key_of_the_tables_has_a_value)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
    assert_int_equal(config->values->count, count_values(config->values, keys, count));
    config_unload(config);
}

TEST(texts_are_quoted_so_that_they_read_back)
{
    write_text("a \"b\" \\ c.conf", "name = \"m\";" MAP);
    struct config *config =
        assert_accepted("arenas = ({ name = \"a\"; map = \"a \\\"b\\\" \\\\ c.conf\"; });");
    assert_value(config, 0, "map", "\"a \\\"b\\\" \\\\ c.conf\"", "raimd.conf:1");
    config_unload(config);
}

TEST(print_reports_each_value_and_its_source)
{
    struct config *config = assert_accepted("workers = 3;\narenas = ({" ARENA "});");
    char *text, expected[PATH_MAX];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    config_values_print(config->values, out);
    fclose(out);
    snprintf(expected, sizeof expected, "workers = 3; # %s:1\nlog_level = \"info\"; # %s\n",
             path_of("raimd.conf"), "default");
    assert_memory_equal(text, expected, strlen(expected));
    assert_non_null(strstr(text, "\narenas[0].rules.spawn_protection = 1; # default\n"));
    free(text);
    config_unload(config);
}

TEST(the_demo_is_the_file_that_the_repository_has)
{
    struct diagnostics report = {.out = stderr};
    struct config *demo = config_demo(&report);
    struct config *file = config_load(RAIM_SOURCE_DIR "/config/demo.conf", stderr);
    assert_non_null(demo);
    assert_non_null(file);
    assert_int_equal(demo->values->count, file->values->count);
    for (int i = 0; i < demo->values->count; i++) {
        assert_string_equal(demo->values->values[i].path, file->values->values[i].path);
        assert_string_equal(demo->values->values[i].text, file->values->values[i].text);
    }
    for (int i = 0; i < demo->arena_count; i++)
        assert_true(config_has_same_map(&demo->arenas[i], &file->arenas[i]));
    config_unload(demo);
    config_unload(file);
}

TEST(the_file_of_all_keys_loads_as_the_defaults)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    config_reference(out);
    fclose(out);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strchr(line, '\n') - line <= 100);
    mkdir(path_of("maps"), 0700);
    write_text("maps/duel.conf", MAP);
    struct config *all = assert_accepted(text);
    struct config *none =
        assert_accepted("arenas = ({ name = \"duel\"; map = \"maps/duel.conf\"; });");
    assert_int_equal(all->values->count, none->values->count);
    for (int i = 0; i < all->values->count; i++) {
        assert_false(all->values->values[i].is_default);
        assert_string_equal(all->values->values[i].path, none->values->values[i].path);
        assert_string_equal(all->values->values[i].text, none->values->values[i].text);
    }
    config_unload(all);
    config_unload(none);
    free(text);
}

// --- Config listing ---

// The keys by which an arena presents itself to strangers.

static void assert_rejected_with(const char *keys, const char *reason)
{
    char text[1024];
    char *report;
    snprintf(text, sizeof text, "arenas = ({" ARENA "%s });", keys);
    write_text("raimd.conf", text);
    assert_null(load("raimd.conf", &report));
    if (strstr(report, reason) == NULL)
        fail_msg("%s: %s", keys, report);
    free(report);
}

TEST(an_arena_has_a_name_tags_region_and_website)
{
    struct config *config =
        assert_accepted("arenas = ({" ARENA "hostname = \"Caf\xc3\xa9 \xe2\x9a\x94 of 64 bytes\";"
                        "tags = ( \"ffa\", \"No-Bots\", \"1.0+\" ); region = \"Z\xc3\xbcrich\";"
                        "website = \"https://example.org/a?b=c#d\"; },"
                        "{ name = \"b\"; map = \"m.conf\"; port = 1; tags = [ ]; });");
    const struct config_arena *arena = &config->arenas[0];
    assert_string_equal(config_shown_name(arena), "Caf\xc3\xa9 \xe2\x9a\x94 of 64 bytes");
    assert_int_equal(arena->tags.count, 3);
    assert_string_equal(arena->tags.words[1], "No-Bots");
    assert_string_equal(arena->region, "Z\xc3\xbcrich");
    assert_string_equal(arena->website, "https://example.org/a?b=c#d");
    assert_string_equal(config_shown_name(&config->arenas[1]), "b");
    assert_int_equal(config->arenas[1].tags.count, 0);
    assert_string_equal(config->arenas[1].website, "");
    config_unload(config);
}

TEST(only_texts_that_show_all_of_themselves_are_names)
{
    static const char *const bad[] = {
        " x", "a\\nb", "a\xe2\x80\x8b", "\xff",
        "65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char key[256];
        snprintf(key, sizeof key, "hostname = \"%s\";", bad[i]);
        assert_rejected_with(key, ", want at most 64 bytes of UTF-8 without anything invisible\n");
    }
    assert_rejected_with("region = \"33 bytes, which is one too many..\";",
                         "want at most 32 bytes");
}

TEST(a_website_is_a_url_of_a_browser)
{
    static const char *const bad[] = {"example.org",  "ftp://a",    "https://",
                                      "javascript:a", "http://a b", "http://\xc3\xa9",
                                      "http://a/<b>"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char key[256];
        snprintf(key, sizeof key, "website = \"%s\";", bad[i]);
        assert_rejected_with(key, ", want a URL of http or https of at most 128 characters");
    }
    char key[256] = "website = \"http://";
    memset(key + strlen(key), 'a', 122);
    strcat(key, "\";");
    assert_rejected_with(key, "want a URL of http or https");
}

TEST(tags_are_a_few_short_words)
{
    assert_rejected_with(
        "tags = ( \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\" );",
        "want a list of at most 8 words");
    assert_rejected_with("tags = ( \"a,b\" );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = ( \"0123456789abcdef\" );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = ( \"\" );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = ( 1 );", "want 1 to 15 characters of A-Z");
    assert_rejected_with("tags = \"ffa\";", "want a list of at most 8 words");
}

// --- Config recording ---

// The keys of recordings.

TEST(what_is_played_is_recorded_by_default)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    assert_int_equal(config->arenas[0].recording, CONFIG_RECORDING_PLAYED);
    assert_string_equal(config->recording_dir, "");
    assert_true(config->recording_keep.gigabytes == 10);
    assert_true(config->recording_keep.days == 30);
    config_unload(config);
}

TEST(a_part_of_recordings_leaves_the_others_default)
{
    struct config *config =
        assert_accepted("recordings = { directory = \"/srv/raimd\"; gigabytes = 0.5; };"
                        "arenas = ({" ARENA " recording = \"none\"; });");
    assert_int_equal(config->arenas[0].recording, CONFIG_RECORDING_NONE);
    assert_string_equal(config->recording_dir, "/srv/raimd");
    assert_true(config->recording_keep.gigabytes == 0.5);
    assert_true(config->recording_keep.days == 30);
    config_unload(config);
}

TEST(other_values_are_rejected)
{
    assert_rejected(
        "recordings = { directory = \"recordings\"; }; arenas = ({" ARENA "});",
        "raimd.conf:1: recordings.directory: got \"recordings\", want \"\" or an absolute "
        "path of at most 255 bytes\n");
    assert_rejected(
        "recordings = { gigabytes = 0; }; arenas = ({" ARENA "});",
        "raimd.conf:1: recordings.gigabytes: got 0, want a number from 0.001 to 100000 GB\n");
    assert_rejected("recordings = { days = -1; }; arenas = ({" ARENA "});",
                    "raimd.conf:1: recordings.days: got -1, want a number from 0 to 36500 days\n");
    assert_rejected("recordings = 5; arenas = ({" ARENA "});",
                    "raimd.conf:1: recordings: got 5, want a group\n");
    assert_rejected("arenas = ({" ARENA " recording = \"yes\"; });",
                    "raimd.conf:1: arenas[0].recording: got \"yes\", want \"all\", \"played\" or "
                    "\"none\"\n");
}

TEST(a_directory_has_at_most_255_bytes)
{
    char text[512], path[257];
    memset(path, '/', sizeof path);
    snprintf(text, sizeof text, "recordings = { directory = \"%.255s\"; }; arenas = ({" ARENA "});",
             path);
    config_unload(assert_accepted(text));
    snprintf(text, sizeof text, "recordings = { directory = \"%.256s\"; }; arenas = ({" ARENA "});",
             path);
    write_text("raimd.conf", text);
    char *report;
    assert_null(load("raimd.conf", &report));
    free(report);
}

// Every key of recordings is applied by a reload.
TEST(changes_need_no_restart)
{
    struct config *before = assert_accepted("arenas = ({" ARENA "});");
    struct config *after =
        assert_accepted("recordings = { directory = \"/srv\"; gigabytes = 1; days = 2; };"
                        "arenas = ({" ARENA " recording = \"all\"; });");
    struct config_diff *diff = config_diff_create(before, after);
    assert_non_null(diff);
    assert_int_equal(diff->count, 4);
    assert_int_equal(diff->restart_count, 0);
    config_diff_free(diff);
    config_unload(before);
    config_unload(after);
}

// --- Config keep ---

// Tests that keys that need a restart keep their old value and are reported again.

static void assert_kept(const struct reader_key *keys, int count)
{
    for (int i = 0; i < count; i++) {
        const bool can_need_one =
            keys[i].applies == READER_AT_RESTART || keys[i].scope != READER_ANY_SCOPE;
        if (can_need_one && keys[i].size == 0)
            fail_msg("%s cannot be kept: it has no size", keys[i].name);
        if (keys[i].keys != NULL)
            assert_kept(keys[i].keys->rows, keys[i].keys->count);
    }
}

TEST(every_key_that_can_need_a_restart_can_be_kept)
{
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
    assert_kept(keys, count);
}

#define PASSWORD "raim1$MDEyMzQ1Njc4OWFiY2RlZg$Ry5hq-gOA2F_tfU-sacL9QCaiuELMemdH61UeqZp0JM"

TEST(everything_that_a_running_match_takes_is_copied)
{
    struct config *config = assert_accepted(
        "arenas = ({" ARENA "},{ name = \"b\"; map = \"m.conf\"; port = 1; max_players = 5;"
        "max_spectators = 6; resume_grace = 7; idle_timeout = 8; queries = false;"
        "query_names = false; round_time = 9; score_limit = 10; break_time = 11; motd = \"Hi\";"
        "hostname = \"Hall\"; tags = ( \"ffa\" ); region = \"EU\"; website = \"http://a\";"
        "address_validation = false; recording = \"all\"; password = \"" PASSWORD
        "\"; limits = { loopback = true; "
        "inputs_per_tick = 12; }; votes = { kinds = \"kick\"; silent = \"no\"; };"
        "tick_hz = 30; bots = 3; spectator_delay = 1; rules = { bullet_speed = 700; }; });");
    struct config_arena arena = config->arenas[0];
    const struct config_arena *before = &config->arenas[0], *from = &config->arenas[1];
    config_tune(&arena, from);
    assert_string_equal(arena.name, "b");
    assert_int_equal(arena.match.tuning.max_players, 5);
    assert_int_equal(arena.match.tuning.max_spectators, 6);
    assert_true(arena.match.tuning.resume_grace_s == 7);
    assert_true(arena.match.tuning.idle_timeout_s == 8);
    assert_false(arena.queries);
    assert_false(arena.query_names);
    assert_true(arena.match.tuning.round_s == 9);
    assert_int_equal(arena.match.tuning.score_limit, 10);
    assert_true(arena.match.tuning.break_s == 11);
    assert_string_equal(arena.match.tuning.motd, "Hi");
    assert_string_equal(arena.hostname, "Hall");
    assert_int_equal(arena.tags.count, 1);
    assert_string_equal(arena.tags.words[0], "ffa");
    assert_string_equal(arena.region, "EU");
    assert_string_equal(arena.website, "http://a");
    assert_false(arena.address_validation);
    assert_int_equal(arena.recording, CONFIG_RECORDING_ALL);
    assert_true(arena.password.is_set);
    assert_memory_equal(&arena.password.password, &from->password.password,
                        sizeof arena.password.password);
    assert_true(arena.limits.loopback);
    assert_int_equal(arena.limits.inputs_per_tick, 12);
    assert_int_equal(arena.match.tuning.votes.kinds, RAIM_VOTE_BIT(RAIM_VOTE_KICK));
    assert_true(arena.match.tuning.votes.silent_is_no);
    assert_int_equal(arena.port, before->port);
    assert_int_equal(arena.match.tick_hz, before->match.tick_hz);
    assert_int_equal(arena.match.bots, before->match.bots);
    assert_true(arena.match.spectator_delay_s == before->match.spectator_delay_s);
    assert_true(arena.match.rules.bullet_speed == before->match.rules.bullet_speed);
    config_unload(config);
}

TEST(what_is_kept_is_reported_again)
{
    static const char old_text[] = "workers = 2; http = { listen = \"off\"; }; arenas = ({" ARENA
                                   "port = 7; tick_hz = 60; max_players = 5; });";
    static const char new_text[] =
        "workers = 3; http = { listen = \"127.0.0.1:99\"; }; arenas = ({" ARENA
        "port = 8; tick_hz = 30; max_players = 6; bots = 2; });";
    struct config *old_config = assert_accepted(old_text);
    struct config *kept = assert_accepted(new_text);
    struct config_diff *diff = config_diff_create(old_config, kept);
    assert_int_equal(diff->count, 6);
    for (int i = 0; i < diff->count; i++)
        if (strcmp(diff->changes[i].to->key->name, "bots") != 0)
            assert_true(config_diff_restore(&diff->changes[i], kept, old_config));
    config_diff_free(diff);

    assert_int_equal(kept->workers, 2);
    assert_false(kept->status.is_on);
    assert_int_equal(kept->arenas[0].port, 7);
    assert_int_equal(kept->arenas[0].match.tick_hz, 60);
    assert_int_equal(kept->arenas[0].match.tuning.max_players, 5);
    assert_int_equal(kept->arenas[0].match.bots, 2);

    struct config *again = assert_accepted(new_text);
    diff = config_diff_create(kept, again);
    assert_int_equal(diff->count, 5);
    assert_non_null(strstr(diff->changes[0].text, "workers: 2 -> 3"));
    config_diff_free(diff);
    config_unload(old_config);
    config_unload(kept);
    config_unload(again);
}

TEST(a_shared_configuration_lives_until_the_last_unloads_it)
{
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    assert_ptr_equal(config_share(config), config);
    config_unload(config);
    assert_string_equal(config->arenas[0].match.map->name, "m"); // a sanitizer would object
    config_unload(config);
}
