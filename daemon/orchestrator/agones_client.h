// SPDX-License-Identifier: MIT
// HTTP client of Agones' SDK server, on 127.0.0.1: one request at a time and one watch stream, in a
// thread of its own. Neither side waits for the other: requests, answers and updates cross in
// mailboxes (mailbox.h). Every wait, answer and line is bounded, whatever the SDK server sends.
// Thread rule: every function is the main thread's.
#pragma once

#include "agones.h"
#include "gameserver.h"
#include "wakeup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agones_client;

// Prepares the client for this port; nothing is sent yet. Returns NULL and writes a reason.
struct agones_client *agones_client_create(uint16_t port, char *error, size_t capacity);

// Ends the thread, which takes no longer than a few milliseconds, and drops what is under way.
// Takes NULL.
void agones_client_destroy(struct agones_client *client);

// Starts the thread. From then on `wakeup`, which is borrowed, is signalled whenever there is
// something to take. False with errno.
bool agones_client_start(struct agones_client *client, const struct wakeup *wakeup);

// Does the thread's work before it is started: moves bytes, and waits for at most `timeout_ms`.
void agones_client_run(struct agones_client *client, int timeout_ms);

// Sends a request. AGONES_WATCH opens the stream, and first closes the one before. Copies it. False
// if too much is under way; agones_next_request gives one at a time, so that never happens.
bool agones_client_send(struct agones_client *client, const struct agones_request *request);

// Takes the answer of the last request other than a watch; false: it has not come. The caller frees
// `gameserver`.
struct agones_client_answer {
    enum agones_kind kind;
    unsigned status;                    // of HTTP; 0: none came, or it was too long
    struct gameserver *gameserver;      // of AGONES_GAMESERVER; NULL: none, or not readable
    int64_t count;                      // of AGONES_AUDIT; -1: none, or not readable
    char problem[AGONES_PROBLEM_BYTES]; // the message of a rejection; "": none
};
bool agones_client_take_answer(struct agones_client *client, struct agones_client_answer *answer);

// Takes the next event of the watch; false: there is none. An update has a GameServer, which the
// caller frees; without one the stream has ended, or could not be opened.
bool agones_client_take_update(struct agones_client *client, struct gameserver **gameserver);
