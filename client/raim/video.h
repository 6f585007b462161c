// SPDX-License-Identifier: MIT
// A video file, written by the installed program ffmpeg, which gets raw frames through a pipe.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct video;

struct video_def {
    const char *file;  // its name tells ffmpeg the format; an existing file is replaced
    int width, height; // pixels, even
    int frames_hz;
};

// Starts ffmpeg. NULL, with the reason in English, where no process starts. Where ffmpeg is not
// installed, writing fails, and closing says so. Ignores SIGPIPE from then on.
struct video *video_open(const struct video_def *def, char *error, size_t capacity);

// Writes a frame of 0x00RRGGBB pixels in rows of `stride` pixels. False where ffmpeg has ended.
bool video_write(struct video *video, const uint32_t *pixels, int stride);

// Waits until ffmpeg has written the file, and frees. False, with the reason in English, where it
// failed; it has then said more on stderr. Takes NULL, which counts as failed.
bool video_close(struct video *video, char *error, size_t capacity);
