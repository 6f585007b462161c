// SPDX-License-Identifier: MIT
// File names of recordings.
#define _GNU_SOURCE
#include "recording_name.h"

#include "chance.h"
#include "test.h"

#include <time.h>

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
