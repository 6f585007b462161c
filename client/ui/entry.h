// SPDX-License-Identifier: MIT
// Text entry: a line of UTF-8 while it is typed, with a caret, and selected as a whole or not at
// all.
#pragma once

#include "ui.h"
#include "window.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>

enum { ENTRY_BYTES = 384 }; // an access token in base64url, or the address of a server

struct entry {
    char text[ENTRY_BYTES]; // UTF-8
    size_t caret;           // the byte before which is typed
    bool is_selected;       // typing replaces all of it
};

void entry_clear(struct entry *entry);

// Makes a text the line, selected, so that typing replaces it.
void entry_set(struct entry *entry, const char *text);

void entry_select(struct entry *entry);

// Adds characters at the caret as long as the line has at most `most` bytes.
void entry_type(struct entry *entry, const char *text, size_t most);

// Edits the line by what was typed, or by a key that erases or moves the caret. False for any other
// event.
bool entry_handle(struct entry *entry, const struct window_event *event, size_t most);

// Draws the line, at most `width` wide, with its caret and, focused, with what is selected.
void entry_draw(const struct entry *entry, const struct ui *ui, raim_vec2 at,
                const struct text_style *style, double width, bool has_caret, bool is_focused);
