// SPDX-License-Identifier: MIT
// Menu: items to choose from by arrows and Enter, by mouse, or by gamepad; and the list beneath it,
// which scrolls and selects rows and which other screens use alone.
#pragma once

#include "ui.h"
#include "vec2.h"
#include "window.h"

#include <stdbool.h>

// List: rows with one selected. It shows as many as fit into its box. Pure.

// Start from all zero; set `count`.
struct list {
    int count, selected;
    int first, shown;  // first row shown, and how many are
    raim_box box;      // in which rows are shown, pixels
    double row_height; // pixels
};

enum { LIST_NOTHING = -1 };

// Shows as many rows as a box has room for, one at least, among them the selected one.
void list_lay_out(struct list *list, raim_box box, double row_height);

// The box of a shown row, in pixels.
raim_box list_row(const struct list *list, int index);

// The shown row at a place; LIST_NOTHING: none.
int list_at(const struct list *list, raim_vec2 place);

// Selects the row above the shown ones if the place is above them, or the one below if it is below.
void list_go_on(struct list *list, raim_vec2 place);

// Selects the next row for a `way` of 1, the previous one for -1. False, without a change, if there
// is none.
bool list_move(struct list *list, int way);

enum { MENU_ITEMS = 256, MENU_TEXT_BYTES = 64, MENU_DETAIL_BYTES = 96 };

struct menu_item {
    char text[MENU_TEXT_BYTES];
    char detail[MENU_DETAIL_BYTES]; // at the right
};

// Start from all zero and add items. The items may be changed at any time.
struct menu {
    struct list list;
    raim_box panel; // as drawn last, pixels; a click beside it leads back
    struct menu_item items[MENU_ITEMS];
};

enum { MENU_NOTHING = LIST_NOTHING, MENU_BACK = -2 };

// Adds an item; ignored beyond MENU_ITEMS.
void menu_add(struct menu *menu, const char *text, const char *detail);

// Handles an event. Returns the index of the chosen item, MENU_NOTHING or MENU_BACK.
int menu_handle(struct menu *menu, const struct window *window, const struct window_event *event);

// Draws the menu in the middle of the area, between a title and a hint, which may be "".
void menu_draw(struct menu *menu, const struct ui *ui, const char *title, const char *hint);
