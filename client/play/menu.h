// SPDX-License-Identifier: MIT
// A list to choose from, by arrows and Enter, by mouse, or by gamepad.
#pragma once

#include "ui.h"
#include "window.h"

#include <stdbool.h>

enum { MENU_ITEMS = 256, MENU_SHOWN = 12, MENU_TEXT_BYTES = 64, MENU_DETAIL_BYTES = 96 };

struct menu_item {
    char text[MENU_TEXT_BYTES];
    char detail[MENU_DETAIL_BYTES]; // at the right
};

// Start from all zero; fill the items, and change them as you like.
struct menu {
    int count, selected;
    int first;         // that is shown
    raim_box list;     // where the shown items were drawn, pixels
    double row_height; // pixels
    struct menu_item items[MENU_ITEMS];
};

enum { MENU_NOTHING = -1, MENU_BACK = -2 };

// Adds an item, if there is room.
void menu_add(struct menu *menu, const char *text, const char *detail);

// What an event chooses: the index of an item, or one of the two above.
int menu_handle(struct menu *menu, const struct window *window, const struct window_event *event);

// Draws it in the middle of the area; the lines above and below it may be "".
void menu_draw(struct menu *menu, const struct ui *ui, const char *title, const char *hint);
