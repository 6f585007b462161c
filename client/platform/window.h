// SPDX-License-Identifier: MIT
// The window of a platform: its canvas, its events, and the state of keys, mouse and gamepad.
#pragma once

#include "canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window;

// What the player has chosen for the window.
struct window_style {
    double sensitivity;  // of the mouse while its pointer is hidden: factor
    bool confines_mouse; // to the window while its pointer is hidden
    bool full_screen;
    int frame_cap_hz; // 0: none
};
void window_configure(struct window *window, const struct window_style *style);

// Whether the window fills the screen, which F11 toggles.
bool window_is_full_screen(const struct window *window);

struct canvas *window_canvas(struct window *window);

// The size of the canvas, pixels.
raim_vec2 window_size(const struct window *window);

// Pixels of the canvas for a pixel of the size in which people read.
double window_pixel_ratio(const struct window *window);

// Begins a frame. `fine` draws four pixels for each pixel of the window, which is slow, but smooths
// edges with any renderer. False after printing why nothing can be drawn.
bool window_begin(struct window *window, bool fine);

// Ends the frame: writes it to a BMP file, unless `file` is NULL, and shows it. False after
// printing why the file could not be written.
bool window_end(struct window *window, const char *file);

// The number of a key or of a button of the mouse or a gamepad, whose triggers count as buttons; 0:
// none.
typedef int window_button;
bool window_button_is_pad(window_button button);

// The meaning of a key in a menu.
enum window_command {
    COMMAND_NONE,
    COMMAND_UP,
    COMMAND_DOWN,
    COMMAND_LEFT,
    COMMAND_RIGHT,
    COMMAND_NEXT, // the next field of a form
    COMMAND_ACCEPT,
    COMMAND_BACK,
    COMMAND_ERASE,      // the character before the caret
    COMMAND_DELETE,     // the character after the caret
    COMMAND_HOME,       // to the begin of a line that is typed
    COMMAND_END,        // to its end
    COMMAND_SELECT_ALL, // of such a line
};

enum window_event_kind {
    WINDOW_CLOSED,
    WINDOW_PRESSED, // a key, a button of the mouse or of a gamepad; a held key repeats in menus
    WINDOW_TYPED,   // some text
    WINDOW_POINTED, // the mouse moved
    WINDOW_TOUCHED, // a finger was put down, while window_take_fingers
};

struct window_event {
    enum window_event_kind kind;
    window_button button;        // PRESSED; 0 for a key that repeats
    enum window_command command; // PRESSED
    bool clicked;                // PRESSED: the first mouse button
    int wheel;                   // PRESSED: the mouse's wheel, turned up 1 or down -1
    bool opens_menu;             // PRESSED: Escape or the gamepad's start button, to which no
                                 // action can be bound
    raim_vec2 mouse;             // PRESSED: where the mouse was, pixels of the canvas; TOUCHED:
                                 // where the finger is
    char text[512];              // TYPED, also by pasting: UTF-8
};

// The next event; false when there is none.
bool window_next_event(struct window *window, struct window_event *event);

// Whether a key or button is down now.
bool window_is_held(const struct window *window, window_button button);

// The position of the mouse, pixels of the canvas; headless, right of the middle.
raim_vec2 window_mouse(const struct window *window);

// A gamepad: sticks from -1 to 1, y up; all zero without one.
struct window_pad {
    raim_vec2 left, right;
};
struct window_pad window_pad(const struct window *window);

// Shakes the gamepad, where it can, by a strength of 0 to 1.
void window_rumble(struct window *window, double strength, double seconds);

// The fingers on a touch screen, WINDOW_FINGERS of them.
enum { WINDOW_FINGERS = 8 };
struct window_finger {
    bool is_down;
    raim_vec2 from, at; // where it was put down, and where it is: pixels of the canvas
};
const struct window_finger *window_fingers(const struct window *window);

// Whether the player acted by a finger last; before anything was done, whether the device has
// nothing finer to point with.
bool window_has_fingers(const struct window *window);

// Whether fingers make TOUCHED events and are otherwise left to window_fingers. Else the first of
// them acts as the mouse.
void window_take_fingers(struct window *window, bool wanted);

// Shows or hides the pointer of the desktop. The game draws its own while it is hidden.
void window_show_pointer(struct window *window, bool shown);

// Switches TYPED events on or off.
void window_take_text(struct window *window, bool wanted);

// Converts between a button and its name for a file, which does not depend on the keyboard's
// layout; 0 and "": none.
void window_button_name(window_button button, char *name, size_t capacity);
window_button window_button_named(const char *name);

// The name of a button as printed on this keyboard or gamepad; "": none.
void window_button_label(const struct window *window, window_button button, char *label,
                         size_t capacity);
