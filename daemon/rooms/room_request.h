// SPDX-License-Identifier: MIT
// Requests about rooms: JSON bodies, which are untrusted, are parsed into checked structs. Every
// mistake of a body is reported at once. No I/O, no clock. Any thread.
#pragma once

#include "config.h"
#include "text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_REQUEST_MAX_METADATA 16        // members
#define ROOM_REQUEST_MAX_METADATA_NAME 63   // bytes
#define ROOM_REQUEST_MAX_METADATA_VALUE 255 // bytes
#define ROOM_REQUEST_JOIN_WITHIN_S 60       // where a request does not say
#define ROOM_REQUEST_MAX_JOIN_WITHIN_S 3600
#define ROOM_REQUEST_MAX_DRAIN_S 86400

enum room_ends {
    ROOM_ENDS_EMPTY, // when everybody has left
    ROOM_ENDS_ROUND, // with its first round, or when everybody has left
    ROOM_ENDS_NEVER, // when it is told to
};

// A request for a room.
struct room_request {
    struct config_arena arena; // without name and port; its maps belong to the configuration
    char template_name[CONFIG_NAME_BYTES];
    uint32_t player_count; // for whom seats are reserved
    char (*players)[RAIM_MAX_NAME_BYTES + 1];
    uint32_t join_within_s;
    enum room_ends ends;
    char *metadata; // a JSON object
    char *text;     // the body with its keys in order and no spaces: equal for equal requests
};

// A request to change a room.
struct room_change {
    uint32_t places; // 0: unchanged
    char *metadata;  // a JSON object; NULL: unchanged
};

// A request to end a room.
struct room_end {
    char reason[RAIM_MAX_TEXT_BYTES + 1]; // "": none
    bool drains;                          // waits until everybody has left
    uint32_t within_s;                    // with `drains`: the longest wait; 0: no limit
};

// Parses a body for a new room. Returns false if it has mistakes: each is appended to `mistakes` as
// a JSON string, with commas between them; `mistakes` fails when memory runs out. Fields of
// `request` must be freed in either case.
bool room_request_parse(struct room_request *request, const struct config *config, const char *json,
                        size_t size, struct text_buffer *mistakes);
void room_request_clear(struct room_request *request);

// As room_request_parse. `most_places` is what the room was made with.
bool room_change_parse(struct room_change *change, uint32_t most_places, const char *json,
                       size_t size, struct text_buffer *mistakes);
void room_change_clear(struct room_change *change);

bool room_end_parse(struct room_end *end, const char *json, size_t size,
                    struct text_buffer *mistakes);

// 1 to 63 of A-Z, a-z, 0-9, '.', '_' and '-', but neither "." nor "..".
bool room_request_is_id(const char *id);

const char *room_ends_name(enum room_ends ends);
