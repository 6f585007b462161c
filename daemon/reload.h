// SPDX-License-Identifier: MIT
// What a running daemon says when it is told that its configuration has changed.
#pragma once

#include "config.h"

// Loads the file again and logs every mistake in it or, where there is none, every change and
// whether it needs a restart. Applies nothing: `running` stays as it is, whatever the file says.
// The service manager sees it begin and end. The demo's configuration comes from no file, so that
// nothing is read. Main thread.
void reload_report(const struct config *running, const char *path);
