// SPDX-License-Identifier: MIT
// The keys of recordings.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"

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

TEST_GROUP(set_up, tear_down)
