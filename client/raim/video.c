// SPDX-License-Identifier: MIT
// Runs ffmpeg.
#define _GNU_SOURCE
#include "video.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_INSTALLED = 127 }; // the shell's status of a program that is not found

struct video {
    pid_t process;
    int pipe;
    int width, height;
    uint8_t *row; // of little-endian pixels
};

// Becomes ffmpeg, whose input is the pipe.
static void run(const struct video_def *def, const char *file, int input)
{
    char size[32], rate[16];
    snprintf(size, sizeof size, "%dx%d", def->width, def->height);
    snprintf(rate, sizeof rate, "%d", def->frames_hz);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(input, STDIN_FILENO) >= 0)
        execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0",
               "-video_size", size, "-framerate", rate, "-i", "pipe:0", "-pix_fmt", "yuv420p", file,
               (char *)NULL);
    _exit(errno == ENOENT ? NOT_INSTALLED : EXIT_FAILURE);
}

// Starts ffmpeg. False, with errno, where that fails.
static bool start(struct video *video, const struct video_def *def)
{
    char file[4096];
    int ends[2];
    // With the protocol's name, no name is taken for an option or for another protocol.
    if (snprintf(file, sizeof file, "file:%s", def->file) >= (int)sizeof file) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    signal(SIGPIPE, SIG_IGN); // the end of ffmpeg is an error of write
    video->pipe = ends[1];
    video->process = fork();
    if (video->process == 0)
        run(def, file, ends[0]);
    close(ends[0]);
    if (video->process < 0)
        close(ends[1]);
    return video->process > 0;
}

struct video *video_open(const struct video_def *def, char *error, size_t capacity)
{
    struct video *video = calloc(1, sizeof *video);
    if (video != NULL) {
        video->width = def->width;
        video->height = def->height;
        video->row = malloc((size_t)def->width * 4);
    }
    if (video != NULL && video->row != NULL && start(video, def))
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

bool video_write(struct video *video, const uint32_t *pixels, int stride)
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

bool video_close(struct video *video, char *error, size_t capacity)
{
    int status = 0;
    if (video == NULL)
        return false;
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
