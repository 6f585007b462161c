// SPDX-License-Identifier: MIT
// What the game shows of a recording: exactly what the followed player was sent, or everything, at
// any tick, however it was reached.
//     test_replay [--seed N]
#define _GNU_SOURCE
#include "recording_fixture.h"
#include "replay_controls.h"
#include "replay_internal.h"
#include "test.h"
#include "window_desktop.h"

#include <unistd.h>

enum { CLIENTS = 4, TICKS = 900 };

static struct window *window;
static struct preferences preferences;
static struct take *take;
static char path[] = "/tmp/raim-replay-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    struct raim_match_def def = usual_def();
    def.bots = 3;
    def.sight = true;
    struct test_match *test = open_test_match(def);
    take = begin_take(test->match);
    for (uint32_t i = 0; i < CLIENTS; i++)
        play(test, i);
    record_ticks(take, test, TICKS);
    end_take(take, test->match);
    close_test_match(test);
    const int file = mkstemp(path);
    if (file < 0 || write(file, take->bytes, take->size) != (ssize_t)take->size)
        return -1;
    close(file);
    window = window_create(&(struct window_def){640, 360, true});
    preferences_open(&preferences, window, false);
    return window != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    preferences_close(&preferences);
    window_destroy(window);
    free_take(take);
    return unlink(path);
}

static struct replay *open_replay(void)
{
    char error[RAIM_RECORDING_ERROR_BYTES];
    const struct replay_def def = {.file = path, .window = window, .preferences = &preferences};
    struct replay *replay = replay_open(&def, error, sizeof error);
    assert_non_null(replay);
    return replay;
}

static uint64_t slots_of(const struct picture *picture)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < picture->player_count; i++)
        slots |= UINT64_C(1) << raim_player_slot(picture->players[i].id);
    return slots;
}

static uint32_t count_of(const uint64_t *set)
{
    return (uint32_t)(__builtin_popcountll(set[0]) + __builtin_popcountll(set[1]));
}

// The living players of a tick, whose picture shows everything.
static uint64_t living_at(struct replay *replay, uint32_t tick, uint32_t *bullets)
{
    replay->as_sent = false;
    replay->before_tick = REPLAY_NO_TICK;
    replay_show(replay, (tick + 0.001) / replay->info->tick_hz);
    replay->as_sent = true;
    replay->before_tick = REPLAY_NO_TICK;
    *bullets = replay->before->bullet_count;
    return slots_of(replay->before);
}

TEST(as_sent_is_what_was_sent)
{
    struct replay *replay = open_replay();
    uint32_t fewer = 0, shown = 0;
    for (int i = 0; i < 60; i++) {
        const uint32_t tick = (uint32_t)chance_int(100, TICKS - 1);
        const uint32_t row = (uint32_t)chance_int(0, CLIENTS - 1);
        uint32_t count, bullets;
        const struct raim_recording_player *players =
            raim_recording_players(replay->recording, &count);
        while (players->is_bot)
            players++;
        replay->followed = players[row].id;
        const uint32_t slot = raim_player_slot(replay->followed);
        const struct truth *truth = &take->truths[tick];
        const uint64_t living = living_at(replay, tick, &bullets);
        replay_show(replay, (tick + 0.001) / replay->info->tick_hz);
        assert_int_equal(replay->before_tick, tick);
        if (!truth->plays[slot])
            continue;
        const uint64_t own = UINT64_C(1) << slot;
        assert_true(slots_of(replay->before) == ((truth->players[slot] | own) & living));
        assert_int_equal(replay->before->bullet_count, count_of(truth->bullets[slot]));
        fewer += slots_of(replay->before) != living || replay->before->bullet_count < bullets;
        shown++;
    }
    assert_true(shown > 40);
    assert_true(fewer > 5); // otherwise the arena has nothing to hide
    replay_close(replay);
}

TEST(playing_shows_what_seeking_shows)
{
    struct replay *played = open_replay(), *sought = open_replay();
    assert_int_equal(played->followed, sought->followed);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        replay_show(played, (tick + 0.5) / 60);
        if (tick % 50 != 7)
            continue;
        replay_show(sought, 0);
        replay_show(sought, (tick + 0.5) / 60);
        assert_int_equal(played->shown->player_count, sought->shown->player_count);
        assert_memory_equal(played->shown->players, sought->shown->players,
                            played->shown->player_count * sizeof *played->shown->players);
        assert_int_equal(played->shown->bullet_count, sought->shown->bullet_count);
        assert_int_equal(played->kills.count > 0, sought->kills.count > 0 || tick > 560);
    }
    replay_close(played);
    replay_close(sought);
}

TEST(the_end_is_the_end)
{
    struct replay *replay = open_replay();
    replay_show(replay, 1e6);
    assert_int_equal(replay->before_tick, TICKS);
    assert_null(replay_fault(replay));
    replay_show(replay, 0);
    assert_int_equal(replay->before_tick, 0);
    replay_close(replay);
}

// With the menu, the figures of a developer and the table of scores, which no other test opens.
TEST(everything_over_the_recording_is_drawn)
{
    static struct frame_times frames;
    struct ui ui;
    struct replay *replay = open_replay();
    replay->frames = &frames;
    assert_true(ui_open(&ui, window));
    for (int i = 0; i < 4; i++) {
        replay->shows_figures = i > 0;
        replay->scoreboard.phase.kind = i > 1 ? RAIM_CLIENT_BREAK : RAIM_CLIENT_PLAY;
        if (i == 3)
            replay_handle(replay,
                          &(struct window_event){.kind = WINDOW_PRESSED, .opens_menu = true});
        const struct ui_view view = replay_view(replay);
        assert_true(ui_begin(&ui, window, &view));
        replay_draw(replay, &ui);
        assert_true(ui_end(&ui, window, NULL));
    }
    assert_true(replay->is_paused);
    ui_close(&ui);
    replay_close(replay);
}

TEST_GROUP(set_up, tear_down)

// --- Replay layout ---

// No two controls of a recording overlap or leave the footer, at any size.

static bool is_shown(raim_box box)
{
    return box.max.x > box.min.x && box.max.y > box.min.y;
}

static bool overlap(raim_box a, raim_box b)
{
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

static void check(double width, double height, bool has_fingers)
{
    const raim_box footer = {{0, 500}, {width, 500 + height}};
    const struct replay_layout layout = replay_layout_of(footer, has_fingers);
    for (int i = 0; i < REPLAY_PARTS; i++) {
        const raim_box box = layout.boxes[i];
        if (!is_shown(box))
            continue;
        if (box.min.x < footer.min.x || box.max.x > footer.max.x || box.min.y < footer.min.y ||
            box.max.y > footer.max.y)
            fail_msg("part %d leaves a footer of %gx%g", i, width, height);
        for (int k = 0; k < i; k++)
            if (is_shown(layout.boxes[k]) && overlap(box, layout.boxes[k]))
                fail_msg("parts %d and %d overlap in %gx%g", i, k, width, height);
    }
    assert_true(is_shown(layout.boxes[REPLAY_BAR]));
    assert_true(is_shown(layout.boxes[REPLAY_PLAY]));
    assert_int_equal(is_shown(layout.boxes[REPLAY_MENU]), has_fingers);
}

TEST(nothing_overlaps_at_any_size)
{
    for (double width = 320; width < 4000; width += 13) {
        for (double scale = 0.6; scale <= 4; scale *= 1.25) {
            if (width >= 160 * scale) // the window's least size has a scale of 0.75 to 2
                check(width, REPLAY_FOOTER_POINTS * scale, false);
            if (width >= 180 * scale) // and a phone more
                check(width, REPLAY_FOOTER_POINTS * scale, true);
        }
    }
}

TEST(usual_windows_have_all_controls)
{
    // 800x600, 1600x900 and 3440x1440 with their scales
    static const double widths[] = {800, 1600, 3440}, scales[] = {0.8, 1.25, 2};
    for (int i = 0; i < 3; i++) {
        const raim_box footer = {{0, 0}, {widths[i], REPLAY_FOOTER_POINTS * scales[i]}};
        const struct replay_layout layout = replay_layout_of(footer, true);
        for (int part = 0; part < REPLAY_PARTS; part++)
            assert_true(is_shown(layout.boxes[part]));
    }
}

// --- Playback ---

// The position of a recording: speeds, steps, its ends, and times in words.

static struct playback fresh(void)
{
    return (struct playback){.ticks = 6000, .tick_hz = 60, .speed = PLAYBACK_NORMAL};
}

TEST(a_second_is_as_many_ticks_as_the_speed_says)
{
    static const double ticks[PLAYBACK_SPEEDS] = {15, 30, 60, 120, 240, 480, 960};
    struct playback playback = fresh();
    for (int i = 0; i < PLAYBACK_SPEEDS; i++)
        playback_change_speed(&playback, -1);
    for (int i = 0; i < PLAYBACK_SPEEDS; i++) {
        playback.position = 0;
        playback_advance(&playback, 1);
        assert_float_equal(playback.position, ticks[i], 1e-9);
        playback_change_speed(&playback, 1);
    }
    assert_float_equal(playback_factor(&playback), 16, 0);
}

TEST(it_pauses_at_the_end_and_starts_from_the_beginning)
{
    struct playback playback = fresh();
    playback_seek(&playback, 1e9);
    assert_float_equal(playback.position, 6000, 0);
    playback_advance(&playback, 0.1);
    assert_true(playback.is_paused);
    playback_advance(&playback, 10);
    assert_float_equal(playback.position, 6000, 0);
    playback_toggle(&playback);
    assert_false(playback.is_paused);
    assert_float_equal(playback.position, 0, 0);
}

TEST(a_step_ends_on_a_whole_tick)
{
    struct playback playback = fresh();
    playback.position = 10.25;
    playback_step(&playback, 1);
    assert_float_equal(playback.position, 11, 0);
    assert_true(playback.is_paused);
    playback_step(&playback, 1);
    assert_float_equal(playback.position, 12, 0);
    playback.position = 10.25;
    playback_step(&playback, -1);
    assert_float_equal(playback.position, 10, 0);
    playback_step(&playback, -1);
    assert_float_equal(playback.position, 9, 0);
    playback.position = 0;
    playback_step(&playback, -1);
    assert_float_equal(playback.position, 0, 0);
}

TEST(times_are_in_words)
{
    char words[PLAYBACK_TIME_BYTES];
    struct playback playback = fresh();
    playback_time(&playback, 0, false, words);
    assert_string_equal(words, "0:00");
    playback_time(&playback, 60 * 83.45, true, words);
    assert_string_equal(words, "1:23.4");
    playback_time(&playback, 60 * 3723.0, false, words);
    assert_string_equal(words, "1:02:03");
    playback.tick_hz = 10;
    playback_time(&playback, UINT32_MAX, true, words); // the longest, at the slowest rate
    assert_string_equal(words, "119304:38:49.5");
}

// --- Timeline ---

// The timeline: ticks and pixels, and the marks of chapters.

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
