// SPDX-License-Identifier: MIT
// Hints for new players: each names an action and what does it, until the player has done that
// once. What has been done is a text of the settings, such as "move aim". Pure.
#pragma once

#include "settings.h"

#include <stdbool.h>
#include <stddef.h>

enum hint { HINT_MOVE, HINT_AIM, HINT_FIRE, HINT_SCORES, HINT_CHAT, HINT_MENU, HINTS };

bool hints_have(const char *learned, enum hint hint);

// Notes that an action was done. False where it was noted before.
bool hints_learn(char learned[SETTINGS_LEARNED_BYTES], enum hint hint);

// The first of the hints to show; HINTS: none. One without a label is not shown. Up to HINT_FIRE
// all that are missing are shown together, and after them one at a time.
enum hint hints_next(const char *learned, const char *const labels[HINTS]);

// Writes what is to be shown, with these labels of keys and buttons; "": nothing.
void hints_write(const char *learned, const char *const labels[HINTS], char *text, size_t capacity);
