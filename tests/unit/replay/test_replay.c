// SPDX-License-Identifier: MIT
// What the game shows of a recording: exactly what the followed player was sent, or everything, at
// any tick, however it was reached.
//     test_replay [--seed N]
#define _GNU_SOURCE
#include "recording_fixture.h"

#include "replay_internal.h"
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
