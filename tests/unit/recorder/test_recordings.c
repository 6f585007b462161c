// SPDX-License-Identifier: MIT
// The directory of finished recordings: its list, marks, retention, and what a crash has left.
#define _GNU_SOURCE
#include "chance.h"
#include "recording_name.h"
#include "recordings.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct recordings_limits plenty = {.bytes = UINT64_C(1) << 40};

static char parent[32], path[48]; // the test's directory, and that of the recordings in it
static struct recordings *recordings;

static void set_up(void)
{
    char error[256];
    strcpy(parent, "/tmp/test_recordings_XXXXXX");
    assert_non_null(mkdtemp(parent));
    snprintf(path, sizeof path, "%s/made", parent);
    recordings = recordings_open(path, &plenty, NULL, error, sizeof error);
    assert_non_null(recordings);
}

static void tear_down(void)
{
    char command[64];
    recordings_close(recordings);
    snprintf(command, sizeof command, "rm -r %s", parent);
    assert_int_equal(system(command), 0);
}

TEST_EACH(set_up, tear_down)

static const char *path_of(const char *name)
{
    static char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s", path, name);
    return whole;
}

// Makes a file of zeroes, which no reader takes for a recording.
static void make(const char *name, int size)
{
    const int file = open(path_of(name), O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, size), 0);
    close(file);
}

static bool has(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

// Lists everything, newest first, as "NAME NAME ".
static const char *list(const char *before)
{
    static char text[16 * (RECORDING_NAME_BYTES + 1)];
    struct recording_entry entries[16];
    const uint32_t count = recordings_list(recordings, before, entries, 16);
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ", entries[i].name);
    return text;
}

static const char a[] = "duel-20261101T000000Z-r1.raimrec";
static const char b[] = "crossfire-20261102T000000Z-r1.raimrec";
static const char c[] = "duel-20261103T000000Z-r2.raimrec";

static void make_three(int size)
{
    make(a, size);
    make(b, size);
    make(c, size);
    recordings_scan(recordings);
}

TEST(the_directory_is_made_for_its_owner_alone)
{
    struct stat status;
    char error[256];
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    assert_int_equal(chmod(path, 0770), 0);
    assert_null(recordings_open(path, &plenty, NULL, error, sizeof error));
    assert_non_null(strstr(error, "others than this user may write to it"));
    assert_null(recordings_open("/nowhere/at/all", &plenty, NULL, error, sizeof error));
    assert_string_equal(error, "cannot use \"/nowhere/at/all\": No such file or directory");
}

TEST(a_scan_lists_recordings_and_nothing_else)
{
    make(b, 10);
    make(a, 20);
    make(c, 30);
    make("notes.txt", 1);
    make(".raimrec", 1);
    assert_int_equal(mkdir(path_of("duel-20261104T000000Z-r1.raimrec"), 0700), 0);
    assert_int_equal(symlink(a, path_of("duel-20261105T000000Z-r1.raimrec")), 0);
    assert_string_equal(list(NULL), "");
    recordings_scan(recordings);
    assert_string_equal(list(NULL), "duel-20261103T000000Z-r2.raimrec "
                                    "crossfire-20261102T000000Z-r1.raimrec "
                                    "duel-20261101T000000Z-r1.raimrec ");
    uint64_t bytes;
    assert_int_equal(recordings_count(recordings, &bytes), 3);
    assert_int_equal(bytes, 60);
    struct recording_entry entry;
    assert_true(recordings_find(recordings, b, &entry));
    assert_string_equal(entry.arena, "crossfire");
    assert_int_equal(entry.round, 1);
    assert_int_equal(entry.start_ms, INT64_C(1793577600000));
    assert_int_equal(entry.ticks, 0); // it could not be read
    assert_false(recordings_find(recordings, "../made", &entry));
    assert_false(recordings_find(recordings, "notes.txt", &entry));
    const int file = recordings_open_file(recordings, a, &entry);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(recordings_open_file(recordings, "notes.txt", &entry), -1);
    assert_int_equal(errno, ENOENT);
}

TEST(a_page_begins_behind_a_name_even_if_it_is_gone)
{
    make_three(1);
    assert_string_equal(list(b), "duel-20261101T000000Z-r1.raimrec ");
    assert_true(recordings_delete(recordings, b));
    assert_false(has(b));
    assert_string_equal(list(b), "duel-20261101T000000Z-r1.raimrec ");
    assert_string_equal(list(a), "");
    assert_string_equal(list("nonsense"), "");
    assert_false(recordings_delete(recordings, b));
    assert_int_equal(errno, ENOENT);
}

TEST(every_change_has_another_version)
{
    make(a, 1);
    uint64_t before = recordings_version(recordings);
    recordings_scan(recordings);
    assert_int_not_equal(recordings_version(recordings), before);
    before = recordings_version(recordings);
    recordings_scan(recordings); // it was scanned before
    assert_int_equal(recordings_version(recordings), before);
    assert_true(recordings_keep(recordings, a, true));
    assert_int_not_equal(recordings_version(recordings), before);
    before = recordings_version(recordings);
    assert_true(recordings_keep(recordings, a, true));
    assert_int_equal(recordings_version(recordings), before);
    assert_true(recordings_delete(recordings, a));
    assert_int_not_equal(recordings_version(recordings), before);
}

TEST(the_oldest_go_until_the_bytes_fit)
{
    make_three(100);
    recordings_set_limits(recordings, &(struct recordings_limits){.bytes = 300});
    assert_int_equal(recordings_trim(recordings, 0, 0), 0);
    assert_int_equal(recordings_trim(recordings, 1, 0), 1); // one byte in progress is too much
    assert_string_equal(list(NULL), "duel-20261103T000000Z-r2.raimrec "
                                    "crossfire-20261102T000000Z-r1.raimrec ");
    assert_false(has(a));
    recordings_set_limits(recordings, &(struct recordings_limits){.bytes = 1});
    assert_int_equal(recordings_trim(recordings, 0, 0), 2);
    assert_false(has(b));
    assert_false(has(c));
}

TEST(recordings_that_are_too_old_go)
{
    static const int64_t noon = INT64_C(1793664000) + 12 * 3600; // of 2026-11-03
    make_three(100);
    recordings_set_limits(recordings, &(struct recordings_limits){1000, 2.6});
    assert_int_equal(recordings_trim(recordings, 0, noon), 0);
    recordings_set_limits(recordings, &(struct recordings_limits){1000, 2});
    assert_int_equal(recordings_trim(recordings, 0, noon), 1);
    assert_true(has(b));
    recordings_set_limits(recordings, &(struct recordings_limits){1000, 0});
    assert_int_equal(recordings_trim(recordings, 0, noon * 2), 0); // no limit
}

TEST(what_is_kept_neither_goes_nor_counts)
{
    struct recording_entry entry;
    char error[256];
    make_three(100);
    assert_true(recordings_keep(recordings, a, true));
    recordings_set_limits(recordings, &(struct recordings_limits){.bytes = 200});
    assert_int_equal(recordings_trim(recordings, 0, 0), 0);
    recordings_set_limits(recordings, &(struct recordings_limits){.bytes = 100, .days = 1});
    assert_int_equal(recordings_trim(recordings, 0, INT64_MAX / 2), 2);
    assert_string_equal(list(NULL), "duel-20261101T000000Z-r1.raimrec ");
    // Another process knows it, too.
    struct recordings *other = recordings_open(path, &plenty, NULL, error, sizeof error);
    recordings_scan(other);
    assert_true(recordings_find(other, a, &entry));
    assert_true(entry.is_kept);
    recordings_close(other);
    assert_true(recordings_keep(recordings, a, false));
    assert_int_equal(recordings_trim(recordings, 0, INT64_MAX / 2), 1);
    assert_false(has(a));
    assert_false(has("duel-20261101T000000Z-r1.raimrec.kept"));
}

TEST(a_mark_goes_with_its_recording)
{
    make(a, 1);
    make("duel-20261103T000000Z-r2.raimrec.kept", 0); // deleted by hand
    recordings_scan(recordings);
    assert_false(has("duel-20261103T000000Z-r2.raimrec.kept"));
    assert_true(recordings_keep(recordings, a, true));
    assert_true(has("duel-20261101T000000Z-r1.raimrec.kept"));
    assert_true(recordings_delete(recordings, a)); // although it is kept
    assert_false(has("duel-20261101T000000Z-r1.raimrec.kept"));
}

TEST(a_file_without_a_frame_is_removed_after_a_crash)
{
    make("duel-20261101T000000Z-r1.raimrec.part", 100);
    make("duel-20261103T000000Z-r2.raimrec.part", 0);
    make("notes.part", 10);
    recordings_scan(recordings);
    assert_string_equal(list(NULL), "");
    assert_false(has("duel-20261101T000000Z-r1.raimrec.part"));
    assert_false(has("duel-20261103T000000Z-r2.raimrec.part"));
    assert_true(has("notes.part"));
}

TEST(an_added_file_is_listed_once_and_noticed)
{
    struct recording_notice notice;
    make(c, 5);
    const int directory = recordings_directory(recordings);
    assert_true(directory >= 0);
    recordings_add(recordings, directory, c);
    recordings_add(recordings, directory, c);
    recordings_add(recordings, directory, a); // is not there
    assert_string_equal(list(NULL), "duel-20261103T000000Z-r2.raimrec ");
    assert_true(recordings_take_notice(recordings, &notice));
    assert_string_equal(notice.name, c);
    assert_string_equal(notice.arena, "duel");
    assert_int_equal(notice.round, 2);
    assert_false(recordings_take_notice(recordings, &notice));
    // Of a directory that is not in use any more nothing is listed.
    char error[256];
    make(a, 5);
    assert_true(recordings_move(recordings, parent, error, sizeof error));
    recordings_add(recordings, directory, a);
    assert_string_equal(list(NULL), "");
    close(directory);
}

TEST(a_thousand_notices_keep_the_newest)
{
    struct recording_notice notice;
    const int directory = recordings_directory(recordings);
    char name[RECORDING_NAME_BYTES];
    for (int i = 1; i <= 1000; i++) {
        snprintf(name, sizeof name, "duel-20261101T000000Z-r%d.raimrec", i);
        make(name, 1);
        recordings_add(recordings, directory, name);
    }
    int count = 0;
    while (recordings_take_notice(recordings, &notice))
        count++;
    assert_in_range(count, 16, 999);
    assert_int_equal(notice.round, 1000);
    close(directory);
}

// --- Recording name ---

// File names of recordings.

TEST(a_name_tells_arena_time_round_and_part)
{
    char text[RECORDING_NAME_BYTES];
    const struct recording_name first = {
        .arena = "duel-2", .start_s = 1795403047, .round = 7, .part = 1};
    recording_name_write(&first, text);
    assert_string_equal(text, "duel-2-20261123T030407Z-r7.raimrec");
    const struct recording_name clip = {
        .arena = "duel", .start_s = 1795403047, .round = 12, .part = 3, .is_clip = true};
    recording_name_write(&clip, text);
    assert_string_equal(text, "duel-20261123T030407Z-r12-p3-clip.raimrec");
}

TEST(every_name_reads_back)
{
    static const char *const arenas[] = {
        "a", "r1-p2", "x-clip", "-", "x-20261123t030407z-r1", "abcdefghijklmnopqrstuvwxyz01234"};
    char text[RECORDING_NAME_BYTES], again[RECORDING_NAME_BYTES], day[64];
    for (int i = 0; i < 200000; i++) {
        struct recording_name name = {
            .start_s = (int64_t)(raim_random_next(&chance) % 253402300800), // until the year 9999
            .round = raim_random_below(&chance, UINT32_MAX) | 1,
            .part = (uint32_t)chance_int(1, 3),
            .is_clip = chance_int(0, 1) == 0,
        };
        struct recording_name read;
        strcpy(name.arena, arenas[chance_int(0, 5)]);
        recording_name_write(&name, text);
        if (!recording_name_read(text, &read))
            fail_msg("\"%s\" is not read", text);
        assert_string_equal(read.arena, name.arena);
        assert_int_equal(read.start_s, name.start_s);
        assert_int_equal(read.round, name.round);
        assert_int_equal(read.part, name.part);
        assert_int_equal(read.is_clip, name.is_clip);
        recording_name_write(&read, again);
        assert_string_equal(again, text);
        struct tm tm;
        const time_t start = name.start_s;
        strftime(day, sizeof day, "%Y%m%dT%H%M%SZ", gmtime_r(&start, &tm));
        assert_non_null(strstr(text, day));
    }
}

TEST(other_names_are_rejected)
{
    static const char *const texts[] = {
        "",
        ".raimrec",
        "duel-20261123T030407Z-r7.raimrec.part",
        "duel-20261123T030407Z-r7.raimrec/",
        "/duel-20261123T030407Z-r7.raimrec",
        "../duel-20261123T030407Z-r7.raimrec",
        ".duel-20261123T030407Z-r7.raimrec",
        "Duel-20261123T030407Z-r7.raimrec",
        "duel-20261123T030407Z-r0.raimrec",
        "duel-20261123T030407Z-r07.raimrec",
        "duel-20261123T030407Z-r+7.raimrec",
        "duel-20261123T030407Z-r4294967296.raimrec",
        "duel-20261123T030407Z-r99999999999999999999999.raimrec",
        "duel-20261123T030407Z-r7-p1.raimrec",
        "duel-20261123T030407Z-r7-p0.raimrec",
        "duel-20261123T030407Z.raimrec",
        "duel-20260230T030407Z-r7.raimrec",
        "duel-20261323T030407Z-r7.raimrec",
        "duel-20261123T240407Z-r7.raimrec",
        "duel-20261123T036007Z-r7.raimrec",
        "duel-2026112 T030407Z-r7.raimrec",
        "duel-20261123T030407Z-r7-clip-clip.raimrec",
        "-20261123T030407Z-r7.raimrec",
        "abcdefghijklmnopqrstuvwxyz012345-20261123T030407Z-r7.raimrec",
        "duel\n-20261123T030407Z-r7.raimrec",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct recording_name name;
        if (recording_name_read(texts[i], &name))
            fail_msg("\"%s\" is read", texts[i]);
    }
}
