// SPDX-License-Identifier: MIT
// Which key or button of the mouse does what; kept in a file of lines `action = key`.
#pragma once

#include "window.h"

#include <stdbool.h>

enum key_action {
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_FIRE,
    KEY_CHAT,
    KEY_SCORES,
    KEY_NETWORK,
    KEY_ACTIONS
};

struct keys {
    window_button buttons[KEY_ACTIONS];
};

// What an action is called in a menu.
const char *keys_title(enum key_action action);

struct keys keys_default(void);

// Gives an action a button; an action that had it gets the other one's in exchange.
void keys_bind(struct keys *keys, enum key_action action, window_button button);

// Reads the file `keys` in a directory whose name ends with a slash. Actions that it does not tell
// keep what they have; what it tells wrongly is named on stderr and passed over. Without the file
// nothing changes.
void keys_load(struct keys *keys, const char *directory);

// False where the file could not be written.
bool keys_save(const struct keys *keys, const char *directory);
