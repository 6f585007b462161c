// SPDX-License-Identifier: MIT
// HTTP client for the daemon's control socket.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { REQUEST_FIELDS = 7 }; // maximum per form

struct request {
    const char *path;
    const char *method; // with `body`: PUT, PATCH or DELETE; NULL: GET or POST
    const char *body;   // JSON; NULL: none
    bool post;
    bool is_endless; // the answer is a stream, in which little may come for long
    struct {
        const char *name, *value;
    } fields[REQUEST_FIELDS]; // form fields of a POST; NULL values are omitted
};

struct reply {
    long status;   // HTTP status
    char *text;    // response body; the caller frees it
    char why[256]; // reason if request_send failed
};

// Initializes libcurl; call it once before the first request. Returns false on failure.
bool request_init(void);

// Sends a request and waits up to 10 s. Returns false, with the reason in `why`, if the daemon
// cannot be reached or sends no response.
bool request_send(const char *socket, const struct request *request, struct reply *reply);

// Like request_send for a file: writes the body of a response with status 200 to `file`, and waits
// for as long as bytes arrive.
bool request_download(const char *socket, const struct request *request, FILE *file,
                      struct reply *reply);
