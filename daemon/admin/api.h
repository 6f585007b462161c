// SPDX-License-Identifier: MIT
// The control API: routes of /v1 with JSON bodies and answers, for matchmakers and orchestrators.
// It is served on the control socket and, where configured, over TCP. openapi.json describes it.
// Main thread only.
#pragma once

#include "http_listener.h"
#include "rooms.h"

#include <stdbool.h>

struct api;
struct loop;
struct store;

// Borrows all; `store` and `events` may be NULL. An order is answered once the store has written
// it, or is late. Returns NULL when memory runs out.
struct api *api_create(struct loop *loop, struct rooms *rooms, struct store *store,
                       struct server_events *events);

// The connections must have ended. Takes NULL.
void api_destroy(struct api *api);

// Whether a path belongs to the API.
bool api_takes(const char *path);

// A step of a request, see `answer` of struct http_listener_def. Its memory begins with a struct
// request_memory. `by` is whose order it is, for the log.
bool api_answer(struct api *api, const struct http_request *step, const char *by);

// Ends the event streams: call it, then run their listeners once before these are stopped.
void api_end_streams(struct api *api);
