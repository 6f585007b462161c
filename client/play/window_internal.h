// SPDX-License-Identifier: MIT
// The state of the window, which window.c draws with and window_input.c reads the player from. Only
// these files and window_button.c include <SDL.h>.
#pragma once

#include "window.h"

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
    struct draw *draw;
    struct text *text;
    struct _SDL_GameController *pad;
    bool is_pulled[PAD_AXES]; // triggers
    bool waits_for_display;   // presenting waits until the display has shown a frame
    bool headless;
    bool fine;
    struct SDL_Texture *canvas; // twice as wide and as high as the window, for fine frames
    raim_vec2 size;             // of the renderer's output, pixels
    double frame_s;             // time for which the display shows a frame
    int frame_cap_hz;           // 0: the display's rate
    double drawn_s;             // largest recent drawing time of a frame
    double begun_s;             // when the last frame was begun
    double next_s;              // when to begin the next one
    struct frame_times times;
    char *settings;
    struct window_style style;
    bool is_relative;  // the mouse moves `pointer` and no pointer of the desktop
    raim_vec2 pointer; // desktop pixels
};
