// SPDX-License-Identifier: MIT
// Recordings that the page can play: `GET /recordings/NAME` sends the file of this name in a
// directory, within the limits of http_downloads.h. Main thread only.
#pragma once

#include <stdbool.h>

struct http_request;
struct loop;
struct web_recordings;

// Borrows the directory's path; "": there are no recordings. NULL when memory runs out.
struct web_recordings *web_recordings_create(struct loop *loop, const char *directory);

// Ends all downloads at the next run of the listener. Takes NULL.
void web_recordings_end(struct web_recordings *recordings);

// All downloads must have ended. Takes NULL.
void web_recordings_destroy(struct web_recordings *recordings);

// Answers a GET or HEAD request. False if there is no such recording; else `is_sent` is what a
// request handler returns.
bool web_recordings_answer(struct web_recordings *recordings, const struct http_request *request,
                           bool *is_sent);
