// SPDX-License-Identifier: MIT
// One HTTP request to the daemon's control socket.
#pragma once

#include <stdbool.h>

enum { REQUEST_FIELDS = 4 }; // of a form, at most

struct request {
    const char *path;
    bool post;
    struct {
        const char *name, *value;
    } fields[REQUEST_FIELDS]; // of a POST; those without a value are left out
};

struct reply {
    long status;   // of HTTP
    char *text;    // what was answered, the caller's to free
    char why[256]; // where request_send failed
};

// Once, before the first request.
bool request_init(void);

// False when the daemon cannot be reached, or answers nothing.
bool request_send(const char *socket, const struct request *request, struct reply *reply);
