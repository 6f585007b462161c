// SPDX-License-Identifier: MIT
// The control socket: HTTP over a Unix socket, protected by its file permissions. It serves the API
// of commands, the documents of the operator, and the dashboard. The main thread runs it
// like http.h and never blocks in it: a request that needs an arena's answer is suspended. Main
// thread only.
#pragma once

#include "arena_table.h"
#include "bans.h"
#include "commands.h"
#include "config.h"
#include "http.h"
#include "http_access.h"
#include "http_listener.h"

#include <stdbool.h>
#include <stddef.h>

// The control API: commands and events under /v1, with JSON bodies and answers. It is served on the
// control socket and, where configured, over TCP; openapi.json, made of the table of commands,
// describes it. Main thread only.

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

struct control;
struct loop;

// Resolves the configured path of the socket. Returns false if the control is off.
bool control_path(const char *configured, char path[CONFIG_CONTROL_BYTES]);

// Whether the control listens anywhere.
bool control_is_on(const struct config *config);

// Listens, loads the bans from $STATE_DIRECTORY and publishes them to the arenas. Borrows `table`,
// and `on_demand`, which may be NULL. Returns NULL and writes a reason into `error`. Where the
// configured path is "off" there is no socket, but the commands and the API.
struct control *control_open(struct loop *loop, const char *configured, struct arena_table *table,
                             struct on_demand *on_demand, char *error, size_t capacity);

// Serves the table's events, recordings and results. Returns false when memory runs out.
bool control_serve_documents(struct http_services *services, struct loop *loop,
                             const struct arena_table *table, bool is_for_operators);

// Takes NULL. The arenas must have ended.
void control_close(struct control *control);

// Serves the dashboard of `http`, which is borrowed and may be NULL, with commands. Copies the
// names of hosts of `guard`; before, none is taken but addresses and names without a dot.
void control_serve_page(struct control *control, struct http *http,
                        const struct http_access *guard);

// Whether a path is that of a document of the operator: results or events.
bool control_has_document(const struct control *control, const char *path);

// Serves a step of a request for results or events that another listener received and
// authenticated.
bool control_answer_document(struct control *control, const struct http_request *step);

// Ends the requests that wait, on any listener: call it, then run and close the other listeners,
// before control_close. Takes NULL.
void control_end(struct control *control);

// The executor of commands and its API, for other listeners.
struct commands *control_commands(const struct control *control);
struct api *control_api(const struct control *control);

// Call it for a released arena before it is destroyed: requests that wait for it are answered as
// not done, and it counts as reading no ban list.
void control_forget(struct control *control, struct arena *arena);

// Bans a network; see commands_ban.
const char *control_ban(struct control *control, const struct ban *ban);

// Begins a drain; see commands_drain.
void control_drain(struct control *control, uint32_t seconds);

// Whether a drain has begun.
bool control_is_draining(const struct control *control);

// Whether a drain has begun, is complete, and every request has been answered.
bool control_is_drained(const struct control *control);

// Which requests of browsers the control takes: those of its own page (daemon/status/dashboard),
// and commands only with a header that a page of another site cannot send. A browser that reaches
// the control, through an SSH tunnel or with a client certificate, also shows pages of strangers;
// these can make it send requests in the operator's name. Main thread only.

// The header of a command of the page, with any value. A foreign page that adds it has to ask first
// (CORS, Fetch standard), and is rejected.
#define OPERATOR_PAGE_HEADER "X-Raimd-Command"

// How a command came, as of struct command_note: by "page", "raimctl" or another program, "api".
const char *operator_page_via(const struct http_request *step);

// Answers a request that no operator has sent, and returns true in `is_answered`: of a page of
// another site; of a page, to change something, without the header. With `guard`, also one for a
// foreign host name, which DNS rebinding leads here: a name with a dot that is neither an IP
// address nor one of the guard's. Programs send no Origin and are not concerned by the rest.
bool operator_page_check(const struct http_access *guard, const struct http_request *step,
                         bool *is_answered);
