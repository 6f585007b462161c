// SPDX-License-Identifier: MIT
// The window, and what is pressed in it: everything that the game asks of SDL itself.
#pragma once

#include "ui.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window;

struct window_def {
    int width, height; // of the window, as the desktop counts
    bool headless;     // none on any screen: SDL's dummy driver and its software renderer
};

// NULL after printing why.
struct window *window_create(const struct window_def *def);
void window_destroy(struct window *window);

// --- drawing ---

// Begins a frame for a view of this size in units. `fine` draws four pixels for each of the window,
// which is slow, but smooth wherever the renderer is not. The result holds until the frame ends.
struct ui window_begin(struct window *window, raim_vec2 view, bool fine);

// How large what is drawn on is, pixels.
raim_vec2 window_size(const struct window *window);

// Ends the frame: shows it, and writes it to a BMP file before where one is named. False after
// printing why it could not be written.
bool window_end(struct window *window, const char *file);

// Sleeps for a millisecond and returns true while it is too early to begin the next frame: that is
// done as late as the display allows, 60 times a second where there is none, so that a frame shows
// the newest. Do in between what must not wait.
bool window_is_early(struct window *window);

// --- what is pressed ---

// A key or button of the mouse, by a number of its own; 0 is none.
typedef int window_button;

// What a press means in a menu.
enum window_command {
    COMMAND_NONE,
    COMMAND_UP,
    COMMAND_DOWN,
    COMMAND_ACCEPT,
    COMMAND_BACK,
    COMMAND_ERASE,
};

enum window_event_kind {
    WINDOW_CLOSED,
    WINDOW_PRESSED, // a key, a button of the mouse or of a gamepad
    WINDOW_TYPED,   // some text
    WINDOW_POINTED, // the mouse moved
};

struct window_event {
    enum window_event_kind kind;
    window_button button;        // of PRESSED; 0 for a gamepad's
    enum window_command command; // of PRESSED
    bool clicked;                // it is the mouse's first button
    char text[32];               // of TYPED, UTF-8
};

// The next event; false when there is none.
bool window_next_event(struct window *window, struct window_event *event);

// Whether a key or button is down now.
bool window_is_held(const struct window *window, window_button button);

// Where the mouse is, pixels of what is drawn on; without a window, right of the middle.
raim_vec2 window_mouse(const struct window *window);

// A gamepad: sticks from -1 to 1, y up; without one all is zero.
struct window_pad {
    raim_vec2 left, right;
    bool fire;
};
struct window_pad window_pad(const struct window *window);

// Shows the pointer of the desktop, or hides it where the game draws its own.
void window_show_pointer(struct window *window, bool shown);

// Text is taken only while it is wanted.
void window_take_text(struct window *window, bool wanted);

// The name of a button for a file, the same on every keyboard, and back; "" and 0 for none.
void window_button_name(window_button button, char *name, size_t capacity);
window_button window_button_named(const char *name);

// The name of a button as it is printed on this keyboard.
void window_button_label(window_button button, char *label, size_t capacity);

// Where the game may keep its settings, with a slash at the end; "" where there is no such place.
const char *window_settings_directory(struct window *window);
