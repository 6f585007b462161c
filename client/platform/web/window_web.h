// SPDX-License-Identifier: MIT
// The window of a page, which fills it: its state, which window.c draws with and window_input.c
// reads the player from.
#pragma once

#include "window.h"

// The ranges of window_button: keys from 1 on, and from these numbers on the other buttons.
enum { MOUSE = 512, MOUSE_BUTTONS = 5, PAD = MOUSE + 32, PAD_BUTTONS = 17, BUTTONS = PAD + 32 };

enum { WINDOW_EVENTS = 256, WINDOW_LABEL_BYTES = 16 };

struct window {
    struct canvas *canvas;
    raim_vec2 size, mouse; // pixels of the display
    double pixel_ratio;
    double next_s; // when to draw the next frame
    struct window_style style;
    bool is_pointer_shown, takes_text, takes_fingers, has_fingers;
    bool held[BUTTONS];
    char labels[MOUSE][WINDOW_LABEL_BYTES]; // of keys, as the browser has told them; "": unknown
    struct window_pad pad;
    struct window_finger fingers[WINDOW_FINGERS];
    int finger_ids[WINDOW_FINGERS];
    uint32_t taken, queued;
    struct window_event events[WINDOW_EVENTS]; // a ring
};

// The only one. NULL when memory runs out.
struct window *window_open(void);

// Whether the player's cap on the rate of frames forbids one now.
bool window_is_early(struct window *window, double now_s);
