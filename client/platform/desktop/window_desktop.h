// SPDX-License-Identifier: MIT
// The window of the desktop: its state, which window.c draws with and window_input.c reads the
// player from, and what the desktop's own program needs of it besides window.h.
#pragma once

#include "window.h"

#include "canvas_desktop.h"

struct SDL_Window;
struct SDL_Renderer;
struct SDL_Surface;
struct SDL_Texture;
struct _SDL_GameController;

// The ranges of window_button: SDL's scancodes, and from these numbers on the other buttons.
enum { MOUSE = 512, PAD = MOUSE + 32, PAD_AXIS = PAD + 64, PAD_AXES = 8 };

struct window {
    struct SDL_Window *window;
    struct SDL_Renderer *renderer;
    struct SDL_Surface *surface; // of the window, in which all is drawn; NULL: by the graphics card
    struct canvas *canvas;
    struct _SDL_GameController *pad;
    bool is_pulled[PAD_AXES]; // triggers
    bool waits_for_display;   // presenting waits until the display has shown a frame
    bool headless;
    bool fine;
    struct SDL_Texture *fine_texture; // twice as wide and as high as the window, for fine frames
    raim_vec2 size;                   // of the renderer's output, pixels
    double frame_s;                   // time for which the display shows a frame
    int frame_cap_hz;                 // 0: the display's rate
    double drawn_s;                   // largest recent drawing time of a frame
    double begun_s;                   // when the last frame was begun
    double next_s;                    // when to begin the next one
    struct window_style style;
    bool takes_fingers, has_fingers;
    struct window_finger fingers[WINDOW_FINGERS];
    int64_t finger_ids[WINDOW_FINGERS]; // SDL's
    bool is_relative;                   // the mouse moves `pointer` and no pointer of the desktop
    raim_vec2 pointer;                  // desktop pixels
};

struct window_def {
    int width, height; // of the window, desktop pixels
    bool headless;     // no window on any screen: SDL's dummy driver and software renderer
};

// NULL after printing the error. Destroy takes NULL.
struct window *window_create(const struct window_def *def);
void window_destroy(struct window *window);

// The pixels of the frame that ended last, 0x00RRGGBB in rows of `stride` pixels, valid until the
// next frame begins. Only headless; NULL elsewhere.
const uint32_t *window_frame_pixels(const struct window *window, int *stride);

// Returns false when the next frame is due: where presenting waits for the display, as late as the
// display allows, so that it shows the newest state, and otherwise at the display's rate; never for
// a window that is minimized. Before that it sleeps for a millisecond at most and returns true; do
// work that must not wait between the calls.
bool window_is_early(struct window *window);

// Limits the rate of frames; 0: the display's.
void window_set_frame_cap(struct window *window, int hz);
