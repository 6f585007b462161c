// SPDX-License-Identifier: MIT
// Takes back in a new configuration what only a restart can change.
#pragma once

#include "config.h"
#include "config_diff.h"

// Gives one key its old value again, in the configuration and in its values, so that the next
// comparison tells the same change. False for a key that cannot be kept: that is reloadable, or
// inside a group. Main thread, while nobody else holds the new configuration.
bool config_keep(struct config *new_config, const struct config *old_config,
                 const struct config_change *change);
