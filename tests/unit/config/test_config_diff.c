// SPDX-License-Identifier: MIT
// Two configurations compared: what changed, where it says so, and what needs a restart.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"
#include "config_keys.h"
#include "reader.h"

#define ARENA_B "name = \"b\"; map = \"m.conf\"; port = 1;"

// The changes between two texts, one line each: "live" or "restart", then the change.
static void assert_changes(const char *old_text, const char *new_text, const char *expected)
{
    struct config *old_config = assert_accepted(old_text);
    struct config *new_config = assert_accepted(new_text);
    struct config_diff *diff = config_diff_create(old_config, new_config);
    char *told;
    size_t size;
    FILE *out = open_memstream(&told, &size);
    int restarts = 0;
    for (int i = 0; i < diff->count; i++) {
        const struct config_change *change = &diff->changes[i];
        const size_t prefix = strlen(directory) + 1;
        assert_memory_equal(change->text, directory, strlen(directory));
        fprintf(out, "%s %s\n", change->needs_restart ? "restart" : "live", change->text + prefix);
        restarts += change->needs_restart;
        assert_int_equal(change->to == NULL, (change->old_arena < 0) != (change->new_arena < 0));
    }
    fclose(out);
    assert_string_equal(told, expected);
    assert_int_equal(diff->restart_count, restarts);
    free(told);
    config_diff_free(diff);
}

TEST(equal_files_differ_in_nothing)
{
    assert_changes("arenas = ({" ARENA "});", "arenas = ({" ARENA "});", "");
}

TEST(what_is_written_otherwise_has_not_changed)
{
    assert_changes("arenas = ({" ARENA " bots = 16; resume_grace = 2; });",
                   "# new\nworkers = 0; arenas = ({ resume_grace = 2.0;\n bots = 0x10; " ARENA
                   " sight = True; rules = { bullet_radius = 4.0; }; });",
                   "");
}

TEST(changes_report_place_key_old_and_new)
{
    assert_changes("workers = 1;\narenas = ({" ARENA "\nbots = 2;\ntick_hz = 60; });",
                   "workers = 2;\n\narenas = ({" ARENA "\n\nbots = 3;\ntick_hz = 30;\n"
                   "rules = {\nbullet_speed = 720.5; }; });",
                   "restart raimd.conf:1: workers: 1 -> 2\n"
                   "live raimd.conf:5: arenas[0].bots: 2 -> 3\n"
                   "restart raimd.conf:6: arenas[0].tick_hz: 60 -> 30\n"
                   "live raimd.conf:8: arenas[0].rules.bullet_speed: 900 -> 720.5\n");
}

TEST(a_key_that_is_gone_has_its_default)
{
    assert_changes("http = { listen = \"off\"; }; arenas = ({" ARENA " bots = 2; });",
                   "\narenas = (\n{" ARENA "});",
                   "restart raimd.conf: http.listen: \"off\" -> \"127.0.0.1:7246\"\n"
                   "live raimd.conf:3: arenas[0].bots: 2 -> 0\n");
}

TEST(arenas_come_and_go)
{
    assert_changes("arenas = ({" ARENA "});", "arenas = (\n{" ARENA_B "},\n{" ARENA "});",
                   "live raimd.conf:2: arenas[0]: nothing -> \"b\"\n");
    assert_changes("arenas = (\n{" ARENA_B "},\n{" ARENA "});", "arenas = ({" ARENA "});",
                   "live raimd.conf:2: arenas[0]: \"b\" -> nothing\n");
}

TEST(the_order_of_arenas_means_nothing)
{
    assert_changes("arenas = ({" ARENA "},\n{" ARENA_B " bots = 1; });",
                   "arenas = ({" ARENA_B " bots = 5; },\n{" ARENA "});",
                   "live raimd.conf:1: arenas[0].bots: 1 -> 5\n");
}

TEST(an_arena_that_keeps_its_port_was_renamed)
{
    assert_changes("arenas = ({" ARENA_B "});",
                   "arenas = ({ name = \"c\"; map = \"m.conf\"; port = 1; });",
                   "live raimd.conf:1: arenas[0].name: \"b\" -> \"c\"\n");
    // Whoever takes over the port of an arena that is still there is a new one.
    assert_changes("arenas = ({" ARENA_B "});",
                   "arenas = ({ name = \"c\"; map = \"m.conf\"; port = 1; },\n"
                   "{ name = \"b\"; map = \"m.conf\"; port = 2; });",
                   "live raimd.conf:1: arenas[0]: nothing -> \"c\"\n"
                   "restart raimd.conf:2: arenas[1].port: 1 -> 2\n");
    // Port 0 is any port.
    assert_changes("arenas = ({ name = \"b\"; map = \"m.conf\"; port = 0; });",
                   "arenas = ({ name = \"c\"; map = \"m.conf\"; port = 0; });",
                   "live raimd.conf:1: arenas[0]: nothing -> \"c\"\n"
                   "live raimd.conf:1: arenas[0]: \"b\" -> nothing\n");
}

TEST(a_map_whose_file_changed_has_changed)
{
    static const char *const maps[] = {
        "border = (0, 0, 500, 500); spawns = ((100, 100));",
        "border = (0, 0, 500, 501); spawns = ((100, 100));",
        "border = (0, 0, 500, 500); spawns = ((100, 101));",
        "border = (0, 0, 500, 500); spawns = ((100, 100), (300, 300));",
        "border = (0, 0, 500, 500); spawns = ((100, 100));"
        "obstacles = ( ((300, 300), (400, 300), (400, 400)) );",
        "border = (0, 0, 500, 500); spawns = ((100, 100));"
        "obstacles = ( ((300, 300), (400, 300), (400, 401)) );",
        "border = (0, 0, 500, 500); spawns = ((100, 100));"
        "obstacles = ( ((300, 300), (400, 300), (400, 400), (340, 420)) );",
    };
    static const char text[] = "arenas = ({ name = \"a\"; map = \"moving.conf\"; });";
    const int count = sizeof maps / sizeof maps[0];
    for (int from = 0; from < count; from++) {
        for (int to = 0; to < count; to++) {
            write_text("moving.conf", maps[from]);
            struct config *old_config = assert_accepted(text);
            write_text("moving.conf", maps[to]);
            struct config *new_config = assert_accepted(text);
            struct config_diff *diff = config_diff_create(old_config, new_config);
            assert_int_equal(diff->count, from != to);
            if (from != to) {
                assert_string_equal(diff->changes[0].to->key->name, "map");
                assert_false(diff->changes[0].needs_restart);
                assert_non_null(strstr(diff->changes[0].text, "arenas[0].map: \"moving.conf\" -> "
                                                              "another file of this name"));
            }
            config_diff_free(diff);
        }
    }
}

TEST(a_rotation_changes_with_its_list_and_with_its_files)
{
    write_text("n.conf", MAP);
    assert_changes("arenas = ({" ARENA_B "});",
                   "arenas = ({ name = \"b\"; map = \"m.conf\"; port = 1; score_limit = 1;\n"
                   "rotation = [\"n.conf\", \"m.conf\"]; });",
                   "live raimd.conf:1: arenas[0].score_limit: 0 -> 1\n"
                   "live raimd.conf:2: arenas[0].rotation: ( ) -> ( \"n.conf\", \"m.conf\" )\n");
    static const char text[] =
        "arenas = ({" ARENA "score_limit = 1; rotation = (\"m.conf\", \"n.conf\"); });";
    struct config *old_config = assert_accepted(text);
    write_text("n.conf", "border = (0, 0, 500, 501); spawns = ((100, 100));");
    struct config *new_config = assert_accepted(text);
    struct config_diff *diff = config_diff_create(old_config, new_config);
    assert_int_equal(diff->count, 1);
    assert_non_null(strstr(diff->changes[0].text, "arenas[0].rotation: ( \"m.conf\", \"n.conf\" ) "
                                                  "-> another file of this name"));
    config_diff_free(diff);
}

// --- What is kept and what is taken ---

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
    const struct config_arena *before = &config->arenas[0], *from = &config->arenas[1];
    struct config_arena arena = *before;
    config_tune(&arena, from);
    int count, taken = 0;
    const struct reader_key *keys = config_keys(CONFIG_ARENA, &count);
    for (int i = 0; i < count; i++) {
        const bool is_taken = keys[i].applies == READER_AT_ONCE ||
                              keys[i].applies == READER_WITH_BREAK ||
                              keys[i].applies == READER_WITH_ROUND;
        const char *wanted = (const char *)(is_taken ? from : before) + keys[i].offset;
        if (memcmp((char *)&arena + keys[i].offset, wanted, keys[i].size) != 0)
            fail_msg("%s was%s taken", keys[i].name, is_taken ? " not" : "");
        taken += is_taken && memcmp(wanted, (char *)before + keys[i].offset, keys[i].size) != 0;
    }
    assert_int_equal(taken, 20);
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
}

TEST_EACH(set_up, NULL)
