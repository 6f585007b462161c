// SPDX-License-Identifier: MIT
// Finds the command of a request, reads its body, and sends the answer once the command has it.
#define _GNU_SOURCE
#include "api.h"

#include "command_body.h"
#include "event_feed.h"
#include "http_answer.h"
#include "text_buffer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char events_path[] = "/v1/events";

struct api {
    struct commands *commands;
    struct event_feed *feed; // NULL: no arenas are made on request
    unsigned pending;
};

// A request. While its command waits, its connection is suspended.
struct request {
    struct request_memory memory;
    struct api *api;
    struct MHD_Connection *connection;
    struct command_call call;
    struct text_buffer body;
    bool is_executed, is_suspended;
};

bool api_takes(const char *path)
{
    return strncmp(path, "/v1/", 4) == 0;
}

// --- Lifetime ---

struct api *api_create(struct loop *loop, struct commands *commands)
{
    struct rooms *rooms = commands_rooms(commands);
    struct api *api = calloc(1, sizeof *api);
    if (api == NULL)
        return NULL;
    api->commands = commands;
    if (rooms == NULL)
        return api;
    api->feed = event_feed_create(loop, rooms_events(rooms), true);
    if (api->feed != NULL)
        return api;
    free(api);
    return NULL;
}

void api_destroy(struct api *api)
{
    if (api == NULL)
        return;
    assert(api->pending == 0);
    event_feed_destroy(api->feed);
    free(api);
}

unsigned api_pending(const struct api *api)
{
    return api->pending;
}

void api_end_streams(struct api *api)
{
    if (api->feed != NULL)
        event_feed_end(api->feed);
}

// --- Events ---

// Answers with a stream of events.
static bool answer_events(struct api *api, const struct http_request *step)
{
    struct event_feed_request request;
    if (strcmp(step->method, "GET") != 0)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", "GET");
    if (api->feed == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (*step->memory == NULL) {
        *step->memory = &request_memory_none;
        return true;
    }
    if (step->piece_bytes > 0)
        return true; // a body says nothing here
    http_connection_renew(step->connection);
    const char *problem = event_feed_read(api->feed, step->connection, events_path, &request);
    if (problem != NULL)
        return http_answer_send_problem(step->connection, HTTP_BAD_REQUEST, problem, NULL);
    struct MHD_Response *response = event_feed_open(api->feed, step->connection, &request);
    if (response == NULL)
        return http_answer_send_problem(step->connection, HTTP_UNAVAILABLE,
                                        "too many event streams", NULL);
    return http_answer_send_once(step->connection, HTTP_OK, response);
}

// --- Commands ---

static void end_request(struct request_memory *memory)
{
    struct request *request = (struct request *)memory;
    assert(!request->is_suspended); // a suspended connection is resumed before it ends
    free(text_buffer_take(&request->body));
    free(request->call.text);
    request->api->pending--;
    free(request);
}

// Begins a request whose headers are complete, or answers it with an error.
static bool begin(struct api *api, const struct http_request *step, const struct api_sender *sender)
{
    char allow[COMMAND_ALLOW_BYTES];
    const char *id;
    const struct command_row *row = command_route(step->method, step->path, &id, allow);
    if (row == NULL && allow[0] != '\0')
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", allow);
    if (row == NULL || strlen(id) >= ROOMS_ID_BYTES)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (!sender->is_operator && row->scope != COMMAND_MATCHMAKER)
        return http_answer_send_problem(step->connection, HTTP_FORBIDDEN,
                                        "this command wants a token or a client certificate", NULL);
    if (http_connection_announces_more(step->connection, ROOMS_MAX_BODY_BYTES))
        return http_answer_send_too_long(step->connection, ROOMS_MAX_BODY_BYTES);
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return false;
    request->memory.end = end_request;
    request->api = api;
    request->connection = step->connection;
    request->call.row = row;
    request->call.via = sender->via;
    snprintf(request->call.by, sizeof request->call.by, "%s", sender->by);
    strcpy(request->call.fields[FIELD_ID], id);
    api->pending++;
    *step->memory = &request->memory;
    return true;
}

// Reads a piece of the body. Returns false if the body is too long.
static bool read_piece(struct request *request, const char *piece, size_t size)
{
    if (request->body.size + size > ROOMS_MAX_BODY_BYTES)
        return false;
    text_buffer_add(&request->body, piece, size);
    return !request->body.no_memory;
}

// Sends the result, and takes its text.
static bool conclude(struct request *request)
{
    char seconds[16];
    struct command_call *call = &request->call;
    const unsigned status = call->status != 0 ? call->status : HTTP_OK;
    if (call->problem != NULL)
        return http_answer_send_problem(request->connection, status, call->problem, NULL);
    char *text = call->text;
    call->text = NULL;
    if (text == NULL &&
        asprintf(&text, "{\"arenas\":%u,\"done\":%u}\n", call->asked, call->answered) < 0)
        text = NULL;
    struct MHD_Response *response = http_answer_text(HTTP_JSON_TYPE, text);
    snprintf(seconds, sizeof seconds, "%u", call->retry_after_s);
    if (response != NULL && call->retry_after_s > 0 &&
        !http_answer_add_header(response, "Retry-After", seconds)) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(request->connection, status, response);
}

// The command of a request has its outcome.
static void finish_call(struct command_call *call)
{
    struct request *request = (struct request *)((char *)call - offsetof(struct request, call));
    if (!request->is_suspended)
        return; // it is about to be answered
    request->is_suspended = false;
    http_connection_resume(request->connection);
}

static bool execute(struct request *request)
{
    struct command_call *call = &request->call;
    request->is_executed = true;
    http_connection_renew(request->connection);
    call->body = request->body.text;
    call->body_bytes = request->body.size;
    const char *problem = call->row->scope == COMMAND_MATCHMAKER ? NULL : command_body_read(call);
    if (problem != NULL)
        return http_answer_send_problem(request->connection, HTTP_BAD_REQUEST, problem, NULL);
    call->done = finish_call;
    commands_execute(request->api->commands, call);
    if (!call->is_waiting)
        return conclude(request);
    request->is_suspended = true;
    http_connection_suspend(request->connection);
    return true;
}

bool api_answer(struct api *api, const struct http_request *step, const struct api_sender *sender)
{
    if (strcmp(step->path, events_path) == 0)
        return answer_events(api, step);
    struct request *request = (struct request *)*step->memory;
    if (request == NULL)
        return begin(api, step, sender);
    if (step->piece_bytes > 0)
        return read_piece(request, step->piece, step->piece_bytes);
    return request->is_executed ? conclude(request) : execute(request);
}
