// SPDX-License-Identifier: MIT
// Bindings: which key, mouse button or gamepad button triggers which action, stored in a file of
// lines `action = button`. Each action has one button on each device. The gamepad's sticks are not
// bound: the left one moves, the right one aims.
#pragma once

#include "window.h"

#include <stdbool.h>

enum action {
    ACTION_UP,
    ACTION_DOWN,
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_FIRE,
    ACTION_CHAT,
    ACTION_SCORES,
    ACTION_NETWORK,
    ACTION_VOTE_YES,
    ACTION_VOTE_NO,
    ACTION_PAUSE, // of a recording, like those that follow
    ACTION_SLOWER,
    ACTION_FASTER,
    ACTION_STEP_BACK,
    ACTION_STEP_FORWARD,
    ACTION_JUMP_BACK,
    ACTION_JUMP_FORWARD,
    ACTION_PREVIOUS_PLAYER,
    ACTION_NEXT_PLAYER,
    ACTION_FLY,
    ACTION_SENT,
    ACTION_COUNT
};

enum binding_device { BINDING_KEYS, BINDING_PAD, BINDING_DEVICES }; // BINDING_KEYS: and the mouse

struct bindings {
    window_button buttons[BINDING_DEVICES][ACTION_COUNT]; // 0: none
};

// The name of an action in a menu.
const char *bindings_title(enum action action);

struct bindings bindings_default(void);

// Binds a button to an action, on the button's own device. An action that had this button gets the
// other one in exchange, unless one of them is for matches alone and the other for recordings.
void bindings_bind(struct bindings *bindings, enum action action, window_button button);

// Whether a button triggers an action; false for button 0.
bool bindings_triggers(const struct bindings *bindings, enum action action, window_button button);

// Whether a button of an action is down now.
bool bindings_are_held(const struct bindings *bindings, enum action action,
                       const struct window *window);

// Reads the file `keys` in a directory whose name ends with a slash. Actions that are not in the
// file keep their buttons. Malformed lines are reported on stderr and skipped. Without the file
// nothing changes.
void bindings_load(struct bindings *bindings, const char *directory);

// Writes the file `keys`; false where that fails.
bool bindings_save(const struct bindings *bindings, const char *directory);
