// SPDX-License-Identifier: MIT
// What the page calls of the platform; client/page/main.c has the rest.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CALLED(name) __attribute__((export_name(#name)))

// Memory for texts that the page passes, until the next call.
CALLED(buffer) char *web_buffer(size_t size);

// Pixels of the display, those for one of the page's own, and whether there is no finer pointer
// than a finger.
CALLED(resize) void web_resize(int width, int height, double pixel_ratio, bool is_coarse);

// A key by its place on the keyboard, KeyboardEvent.code, and what is printed on it; "": unknown.
CALLED(key)
void web_key(const char *code, const char *label, bool down, bool repeats, bool control);
// Buttons from 1: left, middle, right; 0: none. A place is in pixels of the display; x below 0: it
// is locked where it was.
CALLED(mouse) void web_mouse(int button, bool down, double x, double y);
// The mouse while its pointer is locked: by how much it moved.
CALLED(move_mouse) void web_move_mouse(double x, double y);
CALLED(wheel) void web_wheel(int way); // 1: up, -1: down
CALLED(finger) void web_finger(int id, bool down, double x, double y);
CALLED(text) void web_text(const char *text);
CALLED(full_screen) void web_full_screen(bool full); // as the player left it by the browser
CALLED(release_all) void web_release_all(void);
// A gamepad of the "standard" mapping: its sticks, y down, and each of its buttons with how far it
// is pulled, from 0 to 1.
CALLED(pad) void web_pad(double left_x, double left_y, double right_x, double right_y);
CALLED(pad_button) void web_pad_button(int index, bool pressed, double value);
