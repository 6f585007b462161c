// SPDX-License-Identifier: MIT
// HTTP client of Agones' SDK server, on 127.0.0.1: one request at a time and one watch stream, by
// the process of fetch.h. Nothing here blocks. Every answer and line is bounded, whatever the SDK
// server sends. Thread rule: main thread only.
#pragma once

#include "agones.h"
#include "gameserver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agones_client;
struct fetch;

struct agones_client_answer {
    enum agones_kind kind;
    unsigned status;                     // of HTTP; 0: none came, or it was too long
    const struct gameserver *gameserver; // of AGONES_GAMESERVER; NULL: none, or not readable
    int64_t count;                       // of AGONES_AUDIT; -1: none, or not readable
    char problem[AGONES_PROBLEM_BYTES];  // the message of a rejection; "": none
};

// Called by the loop, with what is valid during the call.
struct agones_client_events {
    void *context;
    void (*answer)(void *context, const struct agones_client_answer *answer);
    // An object of the watch. NULL: the stream has ended, or could not be opened.
    void (*update)(void *context, const struct gameserver *gameserver);
};

// Prepares the client for this port; nothing is sent yet. Borrows `fetch`, copies `events`. Returns
// NULL when memory runs out.
struct agones_client *agones_client_create(struct fetch *fetch, uint16_t port,
                                           const struct agones_client_events *events);

// Drops what is under way. Takes NULL.
void agones_client_destroy(struct agones_client *client);

// Sends a request as soon as the previous one was answered. AGONES_WATCH closes the previous stream
// and opens another. Copies the request. Returns false if the process takes no more requests.
bool agones_client_send(struct agones_client *client, const struct agones_request *request);
