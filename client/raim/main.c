// SPDX-License-Identifier: MIT
// raim: the game on the desktop. Opens the window and calls the game in time.
#define _GNU_SOURCE
#include "game.h"
#include "options.h"
#include "render.h"
#include "window_desktop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <time.h>

enum { PROBLEM_BYTES = 256 };

// Shows frames until the game ends, or as many as the options say. False when a frame or the
// screenshot failed.
static bool run(struct game *game, const struct options *options, struct window *window)
{
    for (int frame = 1;; frame++) {
        const bool is_last = frame == options->frames;
        do
            if (!game_serve(game, raim_link_now_us()))
                return options->screenshot == NULL;
        while (window_is_early(window));
        // SDL's software renderer does not smooth edges, so the last frame of a headless run is
        // drawn larger.
        if (!game_frame(game, raim_link_now_us(), is_last ? options->screenshot : NULL,
                        is_last && options->headless))
            return false;
        if (is_last)
            return true;
    }
}

// Prints the times of the last frames, and the round trip.
static void print_frames(const struct game *game)
{
    const struct frame_summary frames = frame_times_summary(game_frame_times(game));
    const double round_trip_ms = game_round_trip_ms(game);
    printf("%.1f frames/s, frame time p50 %.1f ms, p99 %.1f ms", frames.hz, frames.p50_ms,
           frames.p99_ms);
    if (round_trip_ms >= 0)
        printf(", round trip %.1f ms", round_trip_ms);
    putchar('\n');
}

static void quit(struct game *game)
{
    game_quit(game);
    while (game_serve(game, raim_link_now_us()))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

// Plays, and returns the exit status.
static int play(const struct options *options, struct window *window,
                struct preferences *preferences)
{
    char problem[PROBLEM_BYTES];
    struct game *game = game_begin(&options->game, window, preferences, raim_link_now_us(), problem,
                                   sizeof problem);
    const char *recording = options->game.recording;
    if (game == NULL) {
        fprintf(stderr, "raim: %s%s%s\n", recording != NULL ? recording : "",
                recording != NULL ? ": " : "", problem);
        return recording != NULL ? EX_NOINPUT : EXIT_FAILURE;
    }
    const bool is_good = run(game, options, window);
    const bool is_unreachable = options->frames > 0 && !game_was_in_arena(game);
    if (options->frames > 0)
        print_frames(game);
    quit(game);
    game_end(game);
    if (is_good && is_unreachable)
        return EX_UNAVAILABLE;
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static const int statuses[] = {
        [RENDER_DONE] = EXIT_SUCCESS,
        [RENDER_FAILED] = EXIT_FAILURE,
        [RENDER_NO_RECORDING] = EX_NOINPUT,
    };
    const struct options options = options_parse(argc, argv);
    const bool headless = options.headless || options.video != NULL;
    const struct window_def def = {options.width, options.height, headless};
    struct preferences preferences;
    struct window *window = window_create(&def);
    if (window == NULL)
        return EXIT_FAILURE;
    preferences_open(&preferences, window, !headless);
    if (options.frame_cap_hz > 0)
        window_set_frame_cap(window, options.frame_cap_hz);
    const int status = options.video != NULL ? statuses[render(&options, window, &preferences)]
                                             : play(&options, window, &preferences);
    preferences_close(&preferences);
    window_destroy(window);
    return status;
}
