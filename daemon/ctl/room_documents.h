// SPDX-License-Identifier: MIT
// The documents of rooms: bodies of requests, and answers as text.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { ROOM_MAX_METADATA = 16 };

// Options of requests for rooms as typed; NULL if not given.
struct room_options {
    const char *id;
    const char *template_name;
    const char *players; // names with commas between them
    const char *ends, *map, *places, *join_within;
    int metadata_count;
    const char *metadata[ROOM_MAX_METADATA]; // "NAME=VALUE"
    bool drains;
    const char *reason, *within;
};

// Whether a text can be the id of a room.
bool room_is_id(const char *id);

// The body of a request that makes a room, changes or ends it, for free(). Returns NULL with the
// reason in `problem`.
char *room_create_body(const struct room_options *options, const char **problem);
char *room_change_body(const struct room_options *options, const char **problem);
char *room_end_body(const struct room_options *options, const char **problem);

// Each function takes the JSON of a response and returns false if it has an unexpected structure.
bool room_print(const char *json, FILE *out);
bool room_print_list(const char *json, FILE *out);
bool room_print_templates(const char *json, FILE *out);
bool room_print_capacity(const char *json, FILE *out);
