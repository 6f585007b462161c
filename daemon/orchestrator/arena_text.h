// SPDX-License-Identifier: MIT
// The JSON texts that on_demand.h takes and gives, as an orchestrator needs them. No I/O; any
// thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_TEXT_NAME_BYTES 32
#define ARENA_TEXT_PROBLEM_BYTES 160

// The request for an arena: `json`, or {} if it is NULL, with "template" set to `template_name`
// where the request names none and the name is not "". Anything that is no object is returned as it
// is. The caller frees it; NULL when memory runs out.
char *arena_text_request(const char *json, const char *template_name);

// The answer to a request for an arena, or an arena's document.
struct arena_text {
    bool is_running; // it is made, and has not ended
    uint16_t port;
    char name[ARENA_TEXT_NAME_BYTES];       // the arena's: the audience of access tokens
    char problem[ARENA_TEXT_PROBLEM_BYTES]; // why it does not run; cut if it is longer
};

// Reads an answer with this status of HTTP. `text` may be NULL.
struct arena_text arena_text_read(unsigned status, const char *text);
