// SPDX-License-Identifier: MIT
// Draws the moments of a recording one after another, and passes them to ffmpeg.
#define _GNU_SOURCE
#include "render.h"

#include "replay.h"
#include "ui.h"
#include "window_desktop.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES_HZ = 60, PROBLEM_BYTES = 256 };

enum { NOT_INSTALLED = 127 }; // the shell's status of a program that is not found

struct video {
    pid_t process;
    int pipe;
    int width, height;
    uint8_t *row; // of little-endian pixels
};

// Becomes ffmpeg, whose input is the pipe.
static void run(const struct options *options, const char *file, int input)
{
    char size[32], rate[16];
    snprintf(size, sizeof size, "%dx%d", options->width, options->height);
    snprintf(rate, sizeof rate, "%d", FRAMES_HZ);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(input, STDIN_FILENO) >= 0)
        execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0",
               "-video_size", size, "-framerate", rate, "-i", "pipe:0", "-pix_fmt", "yuv420p", file,
               (char *)NULL);
    _exit(errno == ENOENT ? NOT_INSTALLED : EXIT_FAILURE);
}

// Starts ffmpeg. False, with errno, where that fails.
static bool start(struct video *video, const struct options *options)
{
    char file[4096];
    int ends[2];
    // With the protocol's name, no name is taken for an option or for another protocol.
    if (snprintf(file, sizeof file, "file:%s", options->video) >= (int)sizeof file) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    signal(SIGPIPE, SIG_IGN); // the end of ffmpeg is an error of write
    video->pipe = ends[1];
    video->process = fork();
    if (video->process == 0)
        run(options, file, ends[0]);
    close(ends[0]);
    if (video->process < 0)
        close(ends[1]);
    return video->process > 0;
}

// Starts ffmpeg. NULL, with the reason in English, where no process starts. Where ffmpeg is not
// installed, writing fails, and closing says so. Ignores SIGPIPE from then on.
static struct video *video_open(const struct options *options, char *error, size_t capacity)
{
    struct video *video = calloc(1, sizeof *video);
    if (video != NULL) {
        video->width = options->width;
        video->height = options->height;
        video->row = malloc((size_t)options->width * 4);
    }
    if (video != NULL && video->row != NULL && start(video, options))
        return video;
    snprintf(error, capacity, "ffmpeg cannot be started: %s", strerror(errno));
    if (video != NULL)
        free(video->row);
    free(video);
    return NULL;
}

static bool write_all(int file, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

// Writes a frame of 0x00RRGGBB pixels in rows of `stride` pixels. False where ffmpeg has ended.
static bool video_write(struct video *video, const uint32_t *pixels, int stride)
{
    for (int y = 0; y < video->height; y++, pixels += stride) {
        for (int x = 0; x < video->width; x++) {
            video->row[4 * x] = (uint8_t)pixels[x];
            video->row[4 * x + 1] = (uint8_t)(pixels[x] >> 8);
            video->row[4 * x + 2] = (uint8_t)(pixels[x] >> 16);
            video->row[4 * x + 3] = 0;
        }
        if (!write_all(video->pipe, video->row, (size_t)video->width * 4))
            return false;
    }
    return true;
}

// Waits until ffmpeg has written the file, and frees. False, with the reason in English, where it
// failed; it has then said more on stderr.
static bool video_close(struct video *video, char *error, size_t capacity)
{
    int status = 0;
    const bool is_written = close(video->pipe) == 0;
    pid_t ended;
    do
        ended = waitpid(video->process, &status, 0);
    while (ended < 0 && errno == EINTR);
    const bool is_good = is_written && ended >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!is_good && ended >= 0 && WIFSIGNALED(status))
        snprintf(error, capacity, "ffmpeg was ended by signal %d", WTERMSIG(status));
    else if (!is_good && WEXITSTATUS(status) == NOT_INSTALLED)
        snprintf(error, capacity, "ffmpeg, which writes videos, is not installed");
    else if (!is_good)
        snprintf(error, capacity, "ffmpeg failed with status %d", WEXITSTATUS(status));
    free(video->row);
    free(video);
    return is_good;
}

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
    char failure[PROBLEM_BYTES];
    if (options->from_s >= replay_length_s(replay)) {
        snprintf(problem, PROBLEM_BYTES, "the recording lasts %.1f s: want --from before its end",
                 replay_length_s(replay));
        return false;
    }
    struct video *video = video_open(options, problem, PROBLEM_BYTES);
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
