// SPDX-License-Identifier: MIT
// The keys of recordings.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"

static void test_what_is_played_is_recorded_by_default(void **state)
{
    (void)state;
    struct config *config = assert_accepted("arenas = ({" ARENA "});");
    assert_int_equal(config->arenas[0].recording, CONFIG_RECORDING_PLAYED);
    assert_string_equal(config->recording_dir, "");
    assert_true(config->recording_keep.gigabytes == 10);
    assert_true(config->recording_keep.days == 30);
    config_unload(config);
}

static void test_a_part_of_recording_keep_leaves_the_other_default(void **state)
{
    (void)state;
    struct config *config =
        assert_accepted("recording_dir = \"/srv/raimd\"; recording_keep = { gigabytes = 0.5; };"
                        "arenas = ({" ARENA " recording = \"none\"; });");
    assert_int_equal(config->arenas[0].recording, CONFIG_RECORDING_NONE);
    assert_string_equal(config->recording_dir, "/srv/raimd");
    assert_true(config->recording_keep.gigabytes == 0.5);
    assert_true(config->recording_keep.days == 30);
    config_unload(config);
}

static void test_other_values_are_refused(void **state)
{
    (void)state;
    assert_refused("recording_dir = \"recordings\"; arenas = ({" ARENA "});",
                   "raimd.conf:1: recording_dir: got \"recordings\", want \"\" or an absolute "
                   "path of at most 255 bytes\n");
    assert_refused(
        "recording_keep = { gigabytes = 0; }; arenas = ({" ARENA "});",
        "raimd.conf:1: recording_keep.gigabytes: got 0, want a number from 0.001 to 100000 GB\n");
    assert_refused(
        "recording_keep = { days = -1; }; arenas = ({" ARENA "});",
        "raimd.conf:1: recording_keep.days: got -1, want a number from 0 to 36500 days\n");
    assert_refused("recording_keep = 5; arenas = ({" ARENA "});",
                   "raimd.conf:1: recording_keep: got 5, want a group\n");
    assert_refused("arenas = ({" ARENA " recording = \"yes\"; });",
                   "raimd.conf:1: arenas[0].recording: got \"yes\", want \"all\", \"played\" or "
                   "\"none\"\n");
}

static void test_a_directory_has_at_most_255_bytes(void **state)
{
    (void)state;
    char text[512], path[257];
    memset(path, '/', sizeof path);
    snprintf(text, sizeof text, "recording_dir = \"%.255s\"; arenas = ({" ARENA "});", path);
    config_unload(assert_accepted(text));
    snprintf(text, sizeof text, "recording_dir = \"%.256s\"; arenas = ({" ARENA "});", path);
    write_text("raimd.conf", text);
    char *report;
    assert_null(load("raimd.conf", &report));
    free(report);
}

// Every key of recordings is applied by a reload.
static void test_changes_need_no_restart(void **state)
{
    (void)state;
    struct config *before = assert_accepted("arenas = ({" ARENA "});");
    struct config *after =
        assert_accepted("recording_dir = \"/srv\"; recording_keep = { gigabytes = 1; days = 2; };"
                        "arenas = ({" ARENA " recording = \"all\"; });");
    struct config_diff *diff = config_diff_create(before, after);
    assert_non_null(diff);
    assert_int_equal(diff->count, 4);
    assert_int_equal(diff->restart_count, 0);
    config_diff_free(diff);
    config_unload(before);
    config_unload(after);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_played_is_recorded_by_default),
        cmocka_unit_test(test_a_part_of_recording_keep_leaves_the_other_default),
        cmocka_unit_test(test_other_values_are_refused),
        cmocka_unit_test(test_a_directory_has_at_most_255_bytes),
        cmocka_unit_test(test_changes_need_no_restart),
    };
    return RUN_IN_DIRECTORY("config_recording", tests);
}
