// SPDX-License-Identifier: MIT
// Serves the operator over a Unix socket: parses a request, has admin_commands.c execute it, and
// answers once the arenas have.
#define _GNU_SOURCE
#include "control.h"

#include "admin_commands.h"
#include "admin_fields.h"
#include "http_answer.h"
#include "http_form.h"
#include "http_listener.h"
#include "http_recordings.h"
#include "http_results.h"
#include "listen_socket.h"
#include "log.h"
#include "monotonic.h"
#include "unit_directories.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL_MAX_CONNECTIONS 32U
#define CONTROL_ANSWER_MS 2000U  // the time that arenas have for a command
#define CONTROL_BODY_BYTES 65536 // fits every field at its longest, in any encoding

static_assert(CONFIG_CONTROL_BYTES == sizeof((struct sockaddr_un){0}.sun_path), "paths fit");

// A request. While it waits for arenas, it is in the list `waiting` and its connection is
// suspended.
struct request {
    struct request_memory memory;
    struct request *next;
    struct control *control;
    struct MHD_Connection *connection;
    struct http_form *form;
    struct admin_command command;
    bool is_begun, is_suspended, form_is_bad;
    size_t body_size; // received so far
    uint64_t deadline_ms;
};

struct control {
    struct admin_commands *admin;
    struct api *api; // NULL: none
    struct http_recordings *recordings;
    struct http_results *results; // NULL: none
    struct http_listener *listener;
    struct request *waiting;
    unsigned requests; // not answered yet
    char path[CONFIG_CONTROL_BYTES];
};

static bool answer(void *context, const struct http_request *step);
static void end_request(void *context, void *memory);
static void free_request(struct request_memory *memory);

bool control_path(const char *configured, char path[CONFIG_CONTROL_BYTES])
{
    char directory[PATH_MAX];
    if (strcmp(configured, "off") == 0)
        return false;
    if (configured[0] != '\0') {
        strcpy(path, configured);
        return true;
    }
    if (!unit_directories_find("RUNTIME_DIRECTORY", directory, sizeof directory))
        return false;
    if (snprintf(path, CONFIG_CONTROL_BYTES, "%s/control.sock", directory) < CONFIG_CONTROL_BYTES)
        return true;
    log_warning("control off: the runtime directory's path is too long");
    return false;
}

// The operator's downloads have no rate to share, so none ever waits for http_recordings_run.
static const struct http_downloads_def download_limits = {.max = 4, .max_of_address = 4};

struct control *control_open(const char *path, struct arena_table *table, struct rooms *rooms,
                             struct api *api, char *error, size_t capacity)
{
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    control->api = api;
    if (table->results != NULL &&
        (control->results = http_results_create(table->results)) == NULL) {
        snprintf(error, capacity, "out of memory");
        free(control);
        return NULL;
    }
    control->admin = admin_commands_open(table, rooms, error, capacity);
    if (control->admin != NULL && path == NULL)
        return control;
    control->recordings = http_recordings_create(&table->running, &download_limits);
    if (control->admin != NULL && control->recordings == NULL)
        snprintf(error, capacity, "out of memory");
    const int socket = control->admin != NULL && control->recordings != NULL
                           ? listen_socket_unix(path, error, capacity)
                           : -1;
    if (socket < 0) {
        control_close(control);
        return NULL;
    }
    strcpy(control->path, path);
    const struct http_listener_def def = {.socket = socket,
                                          .max_connections = CONTROL_MAX_CONNECTIONS,
                                          .answer = answer,
                                          .end = end_request,
                                          .context = control};
    control->listener = http_listener_start(&def);
    if (control->listener == NULL) {
        snprintf(error, capacity, "cannot start the control: out of memory or descriptors");
        control_close(control);
        return NULL;
    }
    return control;
}

// Resumes the connection of a waiting request.
static void resume_request(struct request *request)
{
    struct request **link = &request->control->waiting;
    while (*link != request)
        link = &(*link)->next;
    *link = request->next;
    request->is_suspended = false;
    http_connection_resume(request->connection);
}

void control_close(struct control *control)
{
    if (control == NULL)
        return;
    while (control->waiting != NULL)
        resume_request(control->waiting);
    if (control->results != NULL)
        http_results_end(control->results);
    if (control->listener != NULL)
        http_listener_run(control->listener); // answers the requests that were just resumed
    if (control->recordings != NULL)
        http_recordings_close(control->recordings);
    http_listener_stop(control->listener);
    http_recordings_destroy(control->recordings);
    http_results_destroy(control->results);
    if (control->path[0] != '\0')
        unlink(control->path);
    admin_commands_close(control->admin);
    free(control);
}

int control_descriptor(const struct control *control)
{
    return control->listener != NULL ? http_listener_descriptor(control->listener) : -1;
}

// Milliseconds until the deadline of the first waiting request, or -1.
static int waiting_timeout_ms(const struct control *control, uint64_t now_ms)
{
    int timeout_ms = -1;
    for (const struct request *request = control->waiting; request != NULL;
         request = request->next) {
        const uint64_t due_ms = request->deadline_ms;
        timeout_ms = monotonic_earlier_ms(timeout_ms, due_ms > now_ms ? (int)(due_ms - now_ms) : 0);
    }
    return timeout_ms;
}

int control_timeout_ms(const struct control *control)
{
    int own_ms = monotonic_earlier_ms(admin_commands_timeout_ms(control->admin),
                                      waiting_timeout_ms(control, monotonic_ms()));
    if (control->results != NULL)
        own_ms = monotonic_earlier_ms(own_ms, http_results_timeout_ms(control->results));
    return control->listener != NULL ? http_listener_timeout_ms(control->listener, own_ms) : own_ms;
}

static struct request *find_waiting(const struct control *control, uint32_t number)
{
    struct request *request = control->waiting;
    while (request != NULL && request->command.number != number)
        request = request->next;
    return request;
}

// Counts an arena's answer to the command of this number.
static void count_answer(struct control *control, uint32_t number, bool done)
{
    struct request *request = find_waiting(control, number);
    if (request == NULL)
        return; // its connection was closed or its deadline passed
    request->command.done += done;
    request->command.waiting--;
    if (request->command.waiting == 0)
        resume_request(request);
}

void control_forget(struct control *control, struct arena *arena)
{
    uint32_t number;
    bool done;
    admin_commands_forget(control->admin, arena);
    while (admin_commands_collect_from(control->admin, arena, &number, &done))
        count_answer(control, number, done);
}

// Answers the commands whose clips are done.
static void answer_clips(struct control *control)
{
    struct recorder_clip clip;
    while (admin_commands_collect_clip(control->admin, &clip)) {
        struct request *request = find_waiting(control, clip.number);
        if (request == NULL)
            continue; // its connection was closed or its deadline passed
        admin_commands_answer_clip(&request->command, &clip);
        resume_request(request);
    }
}

void control_run(struct control *control)
{
    uint32_t number;
    bool done;
    if (control->results != NULL)
        http_results_run(control->results);
    if (control->listener != NULL)
        http_listener_run(control->listener);
    while (admin_commands_collect(control->admin, &number, &done))
        count_answer(control, number, done);
    answer_clips(control);
    const uint64_t now_ms = monotonic_ms();
    for (struct request *request = control->waiting, *next; request != NULL; request = next) {
        next = request->next;
        if (now_ms >= request->deadline_ms)
            resume_request(request);
    }
    if (control->listener != NULL)
        http_listener_run(control->listener);
}

const char *control_ban(struct control *control, const struct ban *ban)
{
    return admin_commands_ban(control->admin, ban);
}

void control_drain(struct control *control, uint32_t seconds)
{
    admin_commands_drain(control->admin, seconds);
}

bool control_is_draining(const struct control *control)
{
    return admin_commands_is_draining(control->admin);
}

bool control_is_drained(const struct control *control)
{
    return control->requests == 0 && admin_commands_is_drained(control->admin);
}

// --- Requests ---

// Takes the text; NULL means that memory ran out.
static bool respond(struct MHD_Connection *connection, enum http_status status, char *text)
{
    return http_answer_send_once(connection, status, http_answer_text(HTTP_JSON_TYPE, text));
}

static bool conclude(struct request *request)
{
    struct admin_command *command = &request->command;
    if (command->problem != NULL)
        return http_answer_send_problem(request->connection, command->status, command->problem,
                                        NULL);
    if (command->waiting > 0)
        return http_answer_send_problem(request->connection, HTTP_GATEWAY_TIMEOUT,
                                        "no answer from the arena in time", NULL);
    if (command->asked > 0 && command->done == 0)
        return http_answer_send_problem(request->connection, HTTP_CONFLICT, command->route->failure,
                                        NULL);
    char *text = command->text;
    command->text = NULL; // taken by respond
    if (text != NULL && command->status != 0)
        return respond(request->connection, command->status, text);
    admin_commands_log(command);
    if (text == NULL &&
        asprintf(&text, "{\"arenas\":%u,\"done\":%u}\n", command->asked, command->done) < 0)
        text = NULL;
    return respond(request->connection, HTTP_OK, text);
}

// Whether the text has no control characters, which would break the lines of the log.
static bool is_printable(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)data[i] < ' ' || data[i] == 0x7F)
            return false;
    return true;
}

// Appends a piece of a form's value.
static void take_field(void *context, const char *name, const char *piece, uint64_t offset,
                       size_t size)
{
    struct request *request = context;
    char *value = name != NULL ? admin_commands_field(&request->command, name) : NULL;
    if (value == NULL || offset + size >= ADMIN_FIELD_BYTES || !is_printable(piece, size)) {
        request->form_is_bad = true;
        return;
    }
    memcpy(value + offset, piece, size);
    value[offset + size] = '\0';
}

// Begins a request whose headers are complete, or answers it with an error.
static bool begin(struct control *control, const struct http_request *step)
{
    bool path_is_known;
    const bool is_post = strcmp(step->method, "POST") == 0;
    const struct admin_commands_route *route =
        admin_commands_find(step->path, step->method, &path_is_known);
    if (route == NULL && path_is_known)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", is_post ? "GET" : "POST");
    if (route == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND, "not found", NULL);
    if (http_connection_announces_more(step->connection, CONTROL_BODY_BYTES))
        return http_answer_send_too_long(step->connection, CONTROL_BODY_BYTES);
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return false;
    request->memory.end = free_request;
    *step->memory = &request->memory;
    control->requests++;
    request->control = control;
    request->connection = step->connection;
    request->command.route = route;
    if (is_post)
        request->form = http_form_create(step->connection, take_field, request);
    return !is_post || request->form != NULL;
}

// Reads a piece of the body. Returns false if the body is too long.
static bool read_piece(struct request *request, const char *piece, size_t size)
{
    request->body_size += size;
    if (request->body_size > CONTROL_BODY_BYTES)
        return false;
    if (request->form == NULL || !http_form_read(request->form, piece, size))
        request->form_is_bad = true;
    return true;
}

// A step of a request for results.
static bool answer_results(struct control *control, const struct http_request *step)
{
    const bool is_leaderboard = strcmp(step->path, "/leaderboard") == 0;
    if (strcmp(step->method, "GET") != 0)
        return http_answer_send_problem(step->connection, HTTP_METHOD_NOT_ALLOWED,
                                        "method not allowed", "GET");
    if (control->results == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND,
                                        "the configuration says results = false", NULL);
    if (*step->memory == NULL) {
        *step->memory = &request_memory_none;
        return true;
    }
    if (step->piece_bytes == 0)
        http_connection_renew(step->connection);
    return http_results_answer(control->results,
                               is_leaderboard ? RESULTS_LEADERBOARD : RESULTS_ROUNDS, step);
}

static bool answer(void *context, const struct http_request *step)
{
    struct control *control = context;
    if (strcmp(step->path, "/results") == 0 || strcmp(step->path, "/leaderboard") == 0)
        return answer_results(control, step);
    if (control->api != NULL && api_takes(step->path))
        return api_answer(control->api, step);
    if (http_recordings_takes(step->path) && strcmp(step->method, "GET") == 0)
        return http_recordings_answer(control->recordings, step);
    struct request *request = (struct request *)*step->memory;
    if (request == NULL)
        return begin(control, step);
    if (step->piece_bytes > 0)
        return read_piece(request, step->piece, step->piece_bytes);
    if (request->is_begun)
        return conclude(request);
    request->is_begun = true;
    http_connection_renew(step->connection);
    http_form_destroy(request->form); // delivers the last piece
    request->form = NULL;
    if (request->form_is_bad)
        return http_answer_send_problem(
            step->connection, HTTP_BAD_REQUEST,
            "want a form of known fields, none too long, without control characters", NULL);
    admin_commands_execute(control->admin, &request->command);
    if (request->command.waiting == 0)
        return conclude(request);
    request->is_suspended = true;
    request->deadline_ms = monotonic_ms() + CONTROL_ANSWER_MS;
    request->next = control->waiting;
    control->waiting = request;
    http_connection_suspend(step->connection);
    return true;
}

static void end_request(void *context, void *memory)
{
    (void)context;
    struct request_memory *request = memory;
    request->end(request);
}

static void free_request(struct request_memory *memory)
{
    struct request *request = (struct request *)memory;
    assert(!request->is_suspended); // a suspended connection is resumed before it ends
    http_form_destroy(request->form);
    request->control->requests--;
    free(request->command.text);
    free(request);
}
