// SPDX-License-Identifier: MIT
// The control API: commands and events under /v1, with JSON bodies and answers. It is served on the
// control socket and, where configured, over TCP; openapi.json, made of the table of commands,
// describes it. Main thread only.
#pragma once

#include "commands.h"
#include "http_listener.h"

#include <stdbool.h>

struct api;
struct loop;

// Who sends a request.
struct api_sender {
    const char *by, *via; // see struct command_note
    bool is_operator;     // else a matchmaker, which has the commands about arenas on request
};

// Borrows all. Returns NULL when memory runs out.
struct api *api_create(struct loop *loop, struct commands *commands);

// The connections must have ended. Takes NULL.
void api_destroy(struct api *api);

// Whether a path belongs to the API.
bool api_takes(const char *path);

// A step of a request, see `answer` of struct http_listener_def. Its memory begins with a struct
// request_memory.
bool api_answer(struct api *api, const struct http_request *step, const struct api_sender *sender);

// Requests that are not answered yet, without event streams.
unsigned api_pending(const struct api *api);

// Ends the event streams: call it, then run their listeners once before these are stopped.
void api_end_streams(struct api *api);
