// SPDX-License-Identifier: MIT
// Form: fields that are typed into and buttons, of which at most one has the focus.
#pragma once

#include "entry.h"
#include "ui.h"

enum { FORM_ITEMS = 12 };

struct form_item {
    const char *label;
    struct entry *entry; // of a field; NULL: a button
    size_t most;         // bytes of a field
    bool is_main;        // a button that stands out
    bool is_hidden;
    raim_box box; // where it is drawn, pixels
};

struct form {
    int count;
    int focus; // `count`: none of its items
    struct form_item items[FORM_ITEMS];
};

// A field that gets the focus is selected, so that typing replaces what stands there.
void form_focus(struct form *form, int item);

// Gives the focus to the next item that is not hidden for a `way` of 1, to the previous one for -1.
// After the last item and before the first one no item has it.
void form_move(struct form *form, int way);

// Whether a field has the focus.
bool form_is_typing(const struct form *form);

enum { FORM_NOTHING = -1, FORM_PASSED = -2 };

// Handles an event. Returns the item that was chosen by a click or Enter, FORM_NOTHING, or
// FORM_PASSED for an event that is none of the form's.
int form_handle(struct form *form, const struct window_event *event);

// Draws the items in their boxes; a button under the mouse is lit.
void form_draw(const struct form *form, const struct ui *ui, raim_vec2 mouse, double now_s);
