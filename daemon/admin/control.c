// SPDX-License-Identifier: MIT
// Serves the operator over a Unix socket with libmicrohttpd: checks what is asked, has
// admin_commands.c see to it, and answers when it is done.
#define _GNU_SOURCE
#include "control.h"

#include "admin_commands.h"
#include "http_clients.h"
#include "log.h"
#include "monotonic.h"
#include "unit_directories.h"

#include <microhttpd.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL_MAX_CONNECTIONS 32U
#define CONTROL_BACKLOG 1024
#define CONTROL_TIMEOUT_S 5U     // without a byte, before a connection is closed
#define CONTROL_ANSWER_MS 2000U  // that the arenas have for a command
#define CONTROL_POLL_MS 2        // how often answers are looked for while any are to come
#define CONTROL_FORM_BYTES 1024  // what the form's reader works in
#define CONTROL_BODY_BYTES 65536 // every field at its longest, in any encoding, fits

static_assert(CONFIG_CONTROL_BYTES == sizeof((struct sockaddr_un){0}.sun_path), "paths fit");

// One request. While it waits for arenas, it is in the control's list and its connection sleeps.
struct request {
    struct request *next;
    struct control *control;
    struct MHD_Connection *connection;
    struct MHD_PostProcessor *form;
    struct admin_command order;
    bool begun, asleep, form_is_bad;
    size_t body_size; // so far
    uint64_t deadline_ms;
};

struct control {
    struct admin_commands *orders;
    struct MHD_Daemon *daemon;
    struct request *sleepers;
    struct http_clients clients;
    int descriptor;
    char path[CONFIG_CONTROL_BYTES];
};

static int listen_socket(const char *path, char *error, size_t capacity);
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **memory);
static void forget(void *context, struct MHD_Connection *connection, void **memory,
                   enum MHD_RequestTerminationCode how);
static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code);

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

struct control *control_open(const char *path, const struct status_source *source,
                             const struct acts *acts, char *error, size_t capacity)
{
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    control->orders = admin_commands_open(source, acts, error, capacity);
    const int listener = control->orders != NULL ? listen_socket(path, error, capacity) : -1;
    if (listener < 0) {
        control_close(control);
        return NULL;
    }
    strcpy(control->path, path);
    control->clients.limit = CONTROL_MAX_CONNECTIONS;
    control->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, control,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
        CONTROL_MAX_CONNECTIONS + HTTP_SPARE_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT,
        CONTROL_TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION, watch_connection, control,
        MHD_OPTION_NOTIFY_COMPLETED, forget, control, MHD_OPTION_END);
    if (control->daemon == NULL) {
        snprintf(error, capacity, "cannot start the control: out of memory or descriptors");
        close(listener);
        control_close(control);
        return NULL;
    }
    control->descriptor = MHD_get_daemon_info(control->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return control;
}

// Lets a request's connection go on.
static void wake(struct request *request)
{
    struct request **link = &request->control->sleepers;
    while (*link != request)
        link = &(*link)->next;
    *link = request->next;
    request->asleep = false;
    MHD_resume_connection(request->connection);
}

void control_close(struct control *control)
{
    if (control == NULL)
        return;
    while (control->sleepers != NULL)
        wake(control->sleepers);
    if (control->daemon != NULL) {
        MHD_run(control->daemon);
        MHD_stop_daemon(control->daemon);
    }
    if (control->path[0] != '\0')
        unlink(control->path);
    admin_commands_close(control->orders);
    free(control);
}

int control_descriptor(const struct control *control)
{
    return control->descriptor;
}

// Of two timeouts, where -1 is none.
static int earlier(int a, int b)
{
    return a >= 0 && (b < 0 || a < b) ? a : b;
}

int control_timeout_ms(const struct control *control)
{
    MHD_UNSIGNED_LONG_LONG timeout_ms;
    if (control->sleepers != NULL)
        return CONTROL_POLL_MS;
    const int own_ms = earlier(admin_commands_timeout_ms(control->orders),
                               http_clients_timeout_ms(&control->clients, monotonic_ms()));
    if (MHD_get_timeout(control->daemon, &timeout_ms) != MHD_YES)
        return own_ms;
    return earlier(own_ms, timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms);
}

static struct request *find_sleeper(const struct control *control, uint32_t number)
{
    struct request *request = control->sleepers;
    while (request != NULL && request->order.number != number)
        request = request->next;
    return request;
}

// Takes an arena's answer to the order of this number.
static void settle(struct control *control, uint32_t number, bool done)
{
    struct request *request = find_sleeper(control, number);
    if (request == NULL)
        return; // it went away, or waited too long
    request->order.done += done;
    request->order.waiting--;
    if (request->order.waiting == 0)
        wake(request);
}

void control_forget(struct control *control, struct arena *arena)
{
    uint32_t number;
    bool done;
    admin_commands_forget(control->orders, arena);
    while (admin_commands_collect_from(control->orders, arena, &number, &done))
        settle(control, number, done);
}

void control_run(struct control *control)
{
    uint32_t number;
    bool done;
    http_clients_end_late(&control->clients, monotonic_ms());
    MHD_run(control->daemon);
    while (admin_commands_collect(control->orders, &number, &done))
        settle(control, number, done);
    const uint64_t now_ms = monotonic_ms();
    for (struct request *request = control->sleepers, *next; request != NULL; request = next) {
        next = request->next;
        if (now_ms >= request->deadline_ms)
            wake(request);
    }
    MHD_run(control->daemon);
}

bool control_is_drained(const struct control *control)
{
    return admin_commands_is_drained(control->orders);
}

// --- The socket ---

// A socket that nobody listens on was left by a raimd that was killed.
static bool clear_way(const char *path, const struct sockaddr_un *name, char *error,
                      size_t capacity)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return true;
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers = connect(probe, (const struct sockaddr *)name, sizeof *name) == 0;
    const bool is_left = S_ISSOCK(status.st_mode) && !answers && errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    if (is_left && unlink(path) == 0)
        return true;
    snprintf(error, capacity, "cannot bind \"%s\": %s", path,
             answers ? "another program listens there" : "something else is there");
    return false;
}

// Nobody but the owner gets in before the permissions are as they shall be.
static int listen_socket(const char *path, char *error, size_t capacity)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    assert(strlen(path) < sizeof name.sun_path);
    strcpy(name.sun_path, path);
    if (!clear_way(path, &name, error, capacity))
        return -1;
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || fchmod(descriptor, 0600) != 0 ||
        bind(descriptor, (const struct sockaddr *)&name, sizeof name) != 0 ||
        listen(descriptor, CONTROL_BACKLOG) != 0 || chmod(path, 0660) != 0) {
        snprintf(error, capacity, "cannot bind \"%s\": %s", path, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return -1;
    }
    return descriptor;
}

// --- Requests ---

static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    struct control *control = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        // A Unix socket tells no address: all are one.
        *socket_context = http_clients_join(&control->clients, info->connect_fd, 0, monotonic_ms());
    } else if (*socket_context != NULL) {
        http_client_leave(*socket_context);
    }
}

// NULL where there was no place for it.
static struct http_client *client_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

// Takes the text; NULL for memory that ran out.
static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status, char *text,
                               const char *allow)
{
    struct MHD_Response *response =
        text == NULL ? NULL
                     : MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(text);
        return MHD_NO;
    }
    const bool complete =
        MHD_add_response_header(response, "Content-Type", "application/json") == MHD_YES &&
        MHD_add_response_header(response, "Cache-Control", "no-store") == MHD_YES &&
        (allow == NULL || MHD_add_response_header(response, "Allow", allow) == MHD_YES);
    const enum MHD_Result result =
        complete ? MHD_queue_response(connection, status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

// `problem` needs no escaping.
static enum MHD_Result respond_problem(struct MHD_Connection *connection, unsigned status,
                                       const char *problem, const char *allow)
{
    char *text = NULL;
    if (asprintf(&text, "{\"error\":\"%s\"}\n", problem) < 0)
        text = NULL;
    return respond(connection, status, text, allow);
}

static enum MHD_Result conclude(struct request *request)
{
    struct admin_command *order = &request->order;
    char *text = order->text;
    order->text = NULL;
    if (order->problem != NULL)
        return respond_problem(request->connection, order->status, order->problem, NULL);
    if (order->waiting > 0)
        return respond_problem(request->connection, MHD_HTTP_GATEWAY_TIMEOUT,
                               "no answer from the arena in time", NULL);
    if (order->asked > 0 && order->done == 0)
        return respond_problem(request->connection, MHD_HTTP_CONFLICT, order->route->failure, NULL);
    if (text != NULL && order->status != 0)
        return respond(request->connection, order->status, text, NULL);
    admin_commands_log(order);
    if (text == NULL &&
        asprintf(&text, "{\"arenas\":%u,\"done\":%u}\n", order->asked, order->done) < 0)
        text = NULL;
    return respond(request->connection, MHD_HTTP_OK, text, NULL);
}

// Control characters would break the lines of the log.
static bool is_printable(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)data[i] < ' ' || data[i] == 0x7F)
            return false;
    return true;
}

// Takes a piece of a form's value.
static enum MHD_Result take_field(void *context, enum MHD_ValueKind kind, const char *key,
                                  const char *file, const char *type, const char *encoding,
                                  const char *data, uint64_t offset, size_t size)
{
    (void)kind, (void)file, (void)type, (void)encoding;
    struct request *request = context;
    // A part of multipart/form-data may have no name.
    char *value = key != NULL ? admin_commands_field(&request->order, key) : NULL;
    if (value == NULL || offset + size >= ADMIN_FIELD_BYTES || !is_printable(data, size)) {
        request->form_is_bad = true;
        return MHD_YES;
    }
    memcpy(value + offset, data, size);
    value[offset + size] = '\0';
    return MHD_YES;
}

// A body that says how long it is, and is too long; others are counted as they come.
static bool is_body_too_long(struct MHD_Connection *connection)
{
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length != NULL && strtoull(length, NULL, 10) > CONTROL_BODY_BYTES;
}

// The headers are there: decides what is asked for, or answers that it cannot be.
static enum MHD_Result begin(struct control *control, struct MHD_Connection *connection,
                             const char *path, const char *method, void **memory)
{
    bool path_is_known;
    const struct admin_commands_route *route = admin_commands_find(path, method, &path_is_known);
    if (route == NULL && path_is_known)
        return respond_problem(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "method not allowed",
                               strcmp(method, "POST") == 0 ? "GET" : "POST");
    if (route == NULL)
        return respond_problem(connection, MHD_HTTP_NOT_FOUND, "not found", NULL);
    if (is_body_too_long(connection))
        return respond_problem(connection, MHD_HTTP_CONTENT_TOO_LARGE, "want at most 64 kB", NULL);
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return MHD_NO;
    *memory = request;
    request->control = control;
    request->connection = connection;
    request->order.route = route;
    if (strcmp(method, "POST") == 0)
        request->form =
            MHD_create_post_processor(connection, CONTROL_FORM_BYTES, take_field, request);
    return MHD_YES;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **memory)
{
    (void)version;
    struct control *control = context;
    struct request *request = *memory;
    if (request == NULL)
        return begin(control, connection, path, method, memory);
    if (*upload_size > 0) {
        request->body_size += *upload_size;
        if (request->body_size > CONTROL_BODY_BYTES)
            return MHD_NO; // the library closes the connection
        if (request->form == NULL ||
            MHD_post_process(request->form, upload, *upload_size) != MHD_YES)
            request->form_is_bad = true;
        *upload_size = 0;
        return MHD_YES;
    }
    if (request->begun)
        return conclude(request);
    request->begun = true;
    struct http_client *client = client_of(connection);
    if (client != NULL)
        http_client_renew(client, monotonic_ms());
    if (request->form != NULL) // brings the last piece
        MHD_destroy_post_processor(request->form);
    request->form = NULL;
    if (request->form_is_bad)
        return respond_problem(
            connection, MHD_HTTP_BAD_REQUEST,
            "want a form of known fields, none too long, without control characters", NULL);
    admin_commands_give(control->orders, &request->order);
    if (request->order.waiting == 0)
        return conclude(request);
    request->asleep = true;
    request->deadline_ms = monotonic_ms() + CONTROL_ANSWER_MS;
    request->next = control->sleepers;
    control->sleepers = request;
    MHD_suspend_connection(connection);
    return MHD_YES;
}

static void forget(void *context, struct MHD_Connection *connection, void **memory,
                   enum MHD_RequestTerminationCode how)
{
    (void)context, (void)how;
    struct http_client *client = client_of(connection);
    if (client != NULL)
        http_client_await(client, monotonic_ms());
    struct request *request = *memory;
    if (request == NULL)
        return;
    assert(!request->asleep); // a sleeping connection ends when it is awake
    if (request->form != NULL)
        MHD_destroy_post_processor(request->form);
    free(request->order.text);
    free(request);
    *memory = NULL;
}
