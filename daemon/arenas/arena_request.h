// SPDX-License-Identifier: MIT
// Requests about arenas: JSON bodies, which are untrusted, are parsed into checked structs. Every
// mistake of a body is reported at once. No I/O, no clock. Any thread.
#pragma once

#include "config.h"
#include "text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_REQUEST_MAX_METADATA 16        // members
#define ARENA_REQUEST_MAX_METADATA_NAME 63   // bytes
#define ARENA_REQUEST_MAX_METADATA_VALUE 255 // bytes
#define ARENA_REQUEST_JOIN_WITHIN_S 60       // where a request does not say
#define ARENA_REQUEST_MAX_JOIN_WITHIN_S 3600
#define ARENA_REQUEST_MAX_DRAIN_S 86400

enum arena_ends {
    ARENA_ENDS_EMPTY, // when everybody has left
    ARENA_ENDS_ROUND, // with its first round, or when everybody has left
    ARENA_ENDS_NEVER, // by a command alone
};

// A request for an arena.
struct arena_request {
    struct config_arena arena; // without name and port; its maps belong to the configuration
    char template_name[CONFIG_NAME_BYTES];
    uint32_t player_count; // for whom slots are reserved
    char (*players)[RAIM_MAX_NAME_BYTES + 1];
    uint32_t join_within_s;
    enum arena_ends ends;
    char *metadata; // a JSON object
    char *text;     // the body with its keys in order and no spaces: equal for equal requests
};

// A request to change an arena.
struct arena_change {
    uint32_t max_players; // 0: unchanged
    char *metadata;       // a JSON object; NULL: unchanged
};

// A request to end an arena.
struct arena_end {
    char reason[RAIM_MAX_TEXT_BYTES + 1]; // "": none
    bool drains;                          // waits until everybody has left
    uint32_t within_s;                    // with `drains`: the longest wait; 0: no limit
};

// Parses a body for a new arena. Returns false if it has mistakes: each is appended to `mistakes`
// as a JSON string, with commas between them; `mistakes` fails when memory runs out. Fields of
// `request` must be freed in either case.
bool arena_request_parse(struct arena_request *request, const struct config *config,
                         const char *json, size_t size, struct text_buffer *mistakes);
void arena_request_clear(struct arena_request *request);

// As arena_request_parse. `limit` is what the arena was made with.
bool arena_change_parse(struct arena_change *change, uint32_t limit, const char *json, size_t size,
                        struct text_buffer *mistakes);
void arena_change_clear(struct arena_change *change);

bool arena_end_parse(struct arena_end *end, const char *json, size_t size,
                     struct text_buffer *mistakes);

// 1 to 63 of A-Z, a-z, 0-9, '.', '_' and '-', but neither "." nor "..".
bool arena_request_is_id(const char *id);

const char *arena_ends_name(enum arena_ends ends);
