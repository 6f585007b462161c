// SPDX-License-Identifier: MIT
// The JSON texts that rooms.h takes and gives, as an orchestrator needs them. No I/O; any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_TEXT_NAME_BYTES 32
#define ROOM_TEXT_PROBLEM_BYTES 160

// The request for a room: `json`, or {} if it is NULL, with "template" set to `template_name` where
// the request names none and the name is not "". Anything that is no object is returned as it is.
// The caller frees it; NULL when memory runs out.
char *room_text_request(const char *json, const char *template_name);

// The answer to a request for a room, or a room's document.
struct room_text {
    bool is_running; // it is made, and has not ended
    uint16_t port;
    char name[ROOM_TEXT_NAME_BYTES];       // the arena's: the audience of access tokens
    char problem[ROOM_TEXT_PROBLEM_BYTES]; // why it does not run; cut if it is longer
};

// Reads an answer with this status of HTTP. `text` may be NULL.
struct room_text room_text_read(unsigned status, const char *text);
