// SPDX-License-Identifier: MIT
// The timeline: ticks and pixels, and the marks of chapters.
#include "test.h"
#include "timeline.h"

enum { OWN = 1025, OTHER = 1026, THIRD = 1027 };

static const struct timeline timeline = {{{100, 10}, {700, 30}}, 3600};

TEST(places_and_ticks_are_inverse)
{
    for (uint32_t tick = 0; tick <= timeline.ticks; tick += 7)
        assert_float_equal(timeline_tick(&timeline, timeline_x(&timeline, tick)), tick, 1e-6);
    assert_float_equal(timeline_x(&timeline, 0), 100, 0);
    assert_float_equal(timeline_x(&timeline, 3600), 700, 0);
    assert_float_equal(timeline_tick(&timeline, -50), 0, 0);
    assert_float_equal(timeline_tick(&timeline, 9999), 3600, 0);
}

TEST(an_empty_recording_or_bar_is_no_danger)
{
    const struct timeline empty = {{{100, 10}, {100, 30}}, 0};
    assert_float_equal(timeline_x(&empty, 5), 100, 0);
    assert_float_equal(timeline_tick(&empty, 5), 0, 0);
}

TEST(kills_of_and_by_the_followed_differ)
{
    const struct raim_chapter chapters[] = {
        {.tick = 0, .kind = RAIM_CHAPTER_ROUND, .round = 1},
        {.tick = 10, .kind = RAIM_CHAPTER_JOIN, .player = OWN},
        {.tick = 600, .kind = RAIM_CHAPTER_KILL, .player = OWN, .victim = OTHER},
        {.tick = 1200, .kind = RAIM_CHAPTER_KILL, .player = OTHER, .victim = OWN},
        {.tick = 1800, .kind = RAIM_CHAPTER_KILL, .player = OTHER, .victim = THIRD},
        {.tick = 3000, .kind = RAIM_CHAPTER_ROUND_END, .player = OTHER},
    };
    static const enum timeline_mark_kind kinds[] = {
        TIMELINE_ROUND, TIMELINE_KILL_BY, TIMELINE_KILL_OF, TIMELINE_KILL, TIMELINE_ROUND_END};
    static const double places[] = {100, 200, 300, 400, 600};
    struct timeline_mark marks[8];
    assert_int_equal(timeline_marks(&timeline, chapters, 6, OWN, marks, 8), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(marks[i].kind, kinds[i]);
        assert_float_equal(marks[i].x, places[i], 0);
    }
    assert_int_equal(timeline_marks(&timeline, chapters, 6, RAIM_NOBODY, marks, 8), 5);
    for (int i = 1; i < 4; i++)
        assert_int_equal(marks[i].kind, TIMELINE_KILL);
    assert_int_equal(timeline_marks(&timeline, chapters, 6, OWN, marks, 2), 2);
}

TEST(a_pixel_has_one_mark_of_a_kind)
{
    enum { COUNT = 36000 };
    static struct raim_chapter chapters[COUNT];
    static struct timeline_mark marks[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        chapters[i] = (struct raim_chapter){
            .tick = i / 10,
            .kind = RAIM_CHAPTER_KILL,
            .player = i % 3 == 0 ? OWN : OTHER,
            .victim = THIRD,
        };
    const uint32_t count = timeline_marks(&timeline, chapters, COUNT, OWN, marks, COUNT);
    assert_int_equal(count, 2 * 600);
}

TEST(the_mouse_finds_the_followed_player_first)
{
    const struct raim_chapter chapters[] = {
        {.tick = 600, .kind = RAIM_CHAPTER_KILL, .player = OTHER, .victim = THIRD},
        {.tick = 612, .kind = RAIM_CHAPTER_KILL, .player = OTHER, .victim = OWN},
    };
    assert_ptr_equal(timeline_chapter_at(&timeline, chapters, 2, OWN, 200, 5), &chapters[1]);
    assert_ptr_equal(timeline_chapter_at(&timeline, chapters, 2, RAIM_NOBODY, 200, 5),
                     &chapters[0]);
    assert_ptr_equal(timeline_chapter_at(&timeline, chapters, 2, RAIM_NOBODY, 203, 5),
                     &chapters[1]);
    assert_null(timeline_chapter_at(&timeline, chapters, 2, OWN, 300, 5));
}
