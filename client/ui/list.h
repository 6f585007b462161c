// SPDX-License-Identifier: MIT
// List: rows of which as many are shown as fit, with one selected. Pure.
#pragma once

#include "vec2.h"

#include <stdbool.h>

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

// Where a shown row lies, pixels.
raim_box list_row(const struct list *list, int index);

// The shown row at a place; LIST_NOTHING: none.
int list_at(const struct list *list, raim_vec2 place);

// Selects the next row, or the one before. False, without a change, where there is none.
bool list_move(struct list *list, int way);
