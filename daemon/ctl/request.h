// SPDX-License-Identifier: MIT
// HTTP client for the daemon's control socket.
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct request {
    const char *path;
    const char *method; // NULL: GET
    const char *body;   // JSON; NULL: none
    bool is_endless;    // the answer is a stream, in which little may come for long
    long seconds;       // to wait; 0: ten
};

struct reply {
    long status;   // HTTP status
    char *text;    // response body; the caller frees it
    char why[256]; // reason if request_send failed
};

// Initializes libcurl; call it once before the first request. Returns false on failure.
bool request_init(void);

// Sends a request and waits for its answer. Returns false, with the reason in `why`, if the daemon
// cannot be reached or sends no response.
bool request_send(const char *socket, const struct request *request, struct reply *reply);

// Like request_send for a file: writes the body of a response with status 200 to `file`, and waits
// for as long as bytes arrive.
bool request_download(const char *socket, const struct request *request, FILE *file,
                      struct reply *reply);
