// SPDX-License-Identifier: MIT
// Recordings over HTTP: `GET /recordings`, a page of the list, and `GET /recordings/NAME`, a
// download. Only recordings of the list are served, which are finished. Main thread only.
#pragma once

#include "http_services.h"

#include <stdbool.h>

struct recordings;

// Serves them. Borrows `list`; NULL: nothing is recorded. All downloads but those of operators
// share a rate. Returns false when memory runs out.
bool http_recordings_serve(struct http_services *services, struct loop *loop,
                           struct recordings *list, bool is_for_operators);

// Whether a path belongs to recordings.
bool http_recordings_takes(const char *path);
