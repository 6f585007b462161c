// SPDX-License-Identifier: MIT
// Key bindings: which key or mouse button does what, stored in a file of lines `action = key`.
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

// The name of an action in a menu.
const char *keys_title(enum key_action action);

struct keys keys_default(void);

// Binds a button to an action. An action that had this button gets the other one in exchange.
void keys_bind(struct keys *keys, enum key_action action, window_button button);

// Reads the file `keys` in a directory whose name ends with a slash. Actions that are not in the
// file keep their buttons. Malformed lines are reported on stderr and skipped. Without the file
// nothing changes.
void keys_load(struct keys *keys, const char *directory);

// Writes the file `keys`; false where that fails.
bool keys_save(const struct keys *keys, const char *directory);
