// SPDX-License-Identifier: MIT
// Recordings over HTTP: `GET /recordings`, a page of the list, and `GET /recordings/NAME`, a
// download. Only recordings of the list are served, which are finished. Main thread only.
#pragma once

#include "http_downloads.h"
#include "http_listener.h"

#include <stdbool.h>

struct http_recordings;
struct recordings;

// Borrows `list`; NULL: nothing is recorded. Returns NULL when memory runs out.
struct http_recordings *http_recordings_create(struct loop *loop, struct recordings *list,
                                               const struct http_downloads_def *limits);

// The listener must have stopped. Takes NULL.
void http_recordings_destroy(struct http_recordings *recordings);

// Whether a path belongs to recordings.
bool http_recordings_takes(const char *path);

// Answers a GET or HEAD request for such a path.
bool http_recordings_answer(struct http_recordings *recordings, const struct http_request *request);

// See http_downloads.h.
void http_recordings_close(struct http_recordings *recordings);
