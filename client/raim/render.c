// SPDX-License-Identifier: MIT
// Draws the moments of a recording one after another, and passes them to ffmpeg.
#include "render.h"

#include "replay.h"
#include "ui.h"
#include "video.h"
#include "window_desktop.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES_HZ = 60, PROBLEM_BYTES = 256 };

// Draws a moment and writes it. False, with the reason in English, where either fails.
static bool write_frame(struct replay *replay, struct ui *ui, struct window *window,
                        struct video *video, char *problem)
{
    int stride = 0;
    const struct ui_view view = replay_view(replay);
    snprintf(problem, PROBLEM_BYTES, "nothing can be drawn");
    if (!ui_begin(ui, window, &view))
        return false;
    replay_draw(replay, ui);
    const uint32_t *pixels = ui_end(ui, window, NULL) ? window_frame_pixels(window, &stride) : NULL;
    if (pixels == NULL)
        return false;
    snprintf(problem, PROBLEM_BYTES, "ffmpeg has ended early");
    return video_write(video, pixels, stride);
}

static bool write_frames(const struct options *options, struct replay *replay,
                         struct window *window, struct video *video, char *problem)
{
    const double length_s = replay_length_s(replay);
    const double end_s = options->to_s >= 0 ? fmin(options->to_s, length_s) : length_s;
    struct ui ui;
    const long count = lround(fmax((end_s - options->from_s) * FRAMES_HZ, 1));
    snprintf(problem, PROBLEM_BYTES, "out of memory");
    bool is_good = ui_open(&ui, window);
    for (long i = 0; i < count && is_good; i++) {
        replay_show(replay, options->from_s + (double)i / FRAMES_HZ);
        const char *fault = replay_fault(replay);
        is_good = write_frame(replay, &ui, window, video, problem) && fault == NULL;
        if (fault != NULL)
            snprintf(problem, PROBLEM_BYTES, "%s", fault);
    }
    ui_close(&ui);
    return is_good;
}

static bool render_into(const struct options *options, struct replay *replay, struct window *window,
                        char *problem)
{
    const struct video_def def = {
        .file = options->video,
        .width = options->width,
        .height = options->height,
        .frames_hz = FRAMES_HZ,
    };
    char failure[PROBLEM_BYTES];
    if (options->from_s >= replay_length_s(replay)) {
        snprintf(problem, PROBLEM_BYTES, "it lasts %.1f s, and --from is not before that",
                 replay_length_s(replay));
        return false;
    }
    struct video *video = video_open(&def, problem, PROBLEM_BYTES);
    if (video == NULL)
        return false;
    const bool is_drawn = write_frames(options, replay, window, video, problem);
    const bool is_written = video_close(video, failure, sizeof failure);
    if (!is_written)
        snprintf(problem, PROBLEM_BYTES, "%s", failure);
    return is_drawn && is_written;
}

enum render_outcome render(const struct options *options, struct window *window,
                           struct preferences *preferences)
{
    const struct replay_def def = {
        .file = options->game.recording,
        .follow = options->game.follow,
        .at_s = options->from_s,
        .window = window,
        .preferences = preferences,
        .is_bare = true,
    };
    char problem[PROBLEM_BYTES];
    enum render_outcome outcome = RENDER_NO_RECORDING;
    struct replay *replay = replay_open(&def, problem, sizeof problem);
    if (replay != NULL)
        outcome = render_into(options, replay, window, problem) ? RENDER_DONE : RENDER_FAILED;
    if (outcome != RENDER_DONE)
        fprintf(stderr, "raim: %s: %s\n", options->game.recording, problem);
    replay_close(replay);
    return outcome;
}
