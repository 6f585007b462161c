// SPDX-License-Identifier: MIT
// Writes events one at a time.
#define _GNU_SOURCE
#include "event_streams.h"

#include "http_answer.h"
#include "http_clients.h"
#include "http_listener.h"
#include "http_services.h"
#include "loop.h"
#include "monotonic.h"
#include "server_events.h"
#include "text_buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A comment that is sent after so long without an event: it keeps proxies from closing the
// connection and detects clients that are gone. Shorter than HTTP_DEADLINE_MS.
#define BEAT_MS 4000U

#define MAX_SINCE_S (UINT64_C(1) << 37) // the year has four digits

struct stream {
    struct stream *next;
    struct event_streams *streams;
    struct MHD_Connection *connection;
    struct event_streams_request request; // `last` is the newest event that was written
    char *text;                           // being sent; NULL: none
    size_t size, at;                      // of the text; what is sent
    uint64_t beat_ms;                     // when the next comment is due
    bool is_asleep;
};

struct event_streams {
    struct event_journal *events;
    struct watcher more_events;
    struct loop_source *beat; // of the stream whose comment is due first
    bool shows_private;
    struct stream *streams;
    unsigned count;
    bool is_ending;
};

static void wake_some(void *context);

struct event_streams *event_streams_create(struct loop *loop, struct event_journal *events,
                                           bool shows_private)
{
    struct event_streams *streams = calloc(1, sizeof *streams);
    if (streams == NULL)
        return NULL;
    streams->events = events;
    streams->shows_private = shows_private;
    streams->beat = loop_add_timer(loop, 0, wake_some, streams);
    if (streams->beat == NULL) {
        free(streams);
        return NULL;
    }
    streams->more_events = (struct watcher){.run = wake_some, .context = streams};
    event_journal_watch(events, &streams->more_events);
    return streams;
}

void event_streams_destroy(struct event_streams *streams)
{
    if (streams == NULL)
        return;
    event_journal_unwatch(streams->events, &streams->more_events);
    loop_remove(streams->beat);
    free(streams);
}

// Reads the number of an event; NULL leaves it as it is.
static bool read_id(const char *text, uint64_t *id)
{
    enum { DIGITS = 16 };
    if (text == NULL)
        return true;
    const size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > DIGITS || text[digits] != '\0')
        return false;
    *id = strtoull(text, NULL, 10);
    return true;
}

const char *event_streams_read(const struct event_streams *streams,
                               struct MHD_Connection *connection, const char *path,
                               struct event_streams_request *request)
{
    const char *accept = http_connection_header(connection, "Accept");
    const char *follow = http_connection_argument(connection, "follow");
    const size_t length = strlen(path);
    const bool is_file = length >= 6 && strcmp(path + length - 6, ".jsonl") == 0;
    *request = (struct event_streams_request){
        .last = is_file ? 0 : event_journal_newest(streams->events),
        .is_lines = is_file || (accept != NULL && strstr(accept, "application/x-ndjson") != NULL),
        .ends = is_file && (follow == NULL || strcmp(follow, "1") != 0)};
    const char *since = http_connection_argument(connection, "since");
    uint64_t since_s = 0;
    if (!read_id(since, &since_s) || since_s > MAX_SINCE_S)
        return "since: want a time in seconds since 1970";
    if (since != NULL)
        request->last = server_events_newest_id_before(streams->events, (int64_t)since_s);
    if (!read_id(http_connection_argument(connection, "after"), &request->last))
        return "after: want the id of an event";
    if (!read_id(http_connection_header(connection, "Last-Event-ID"), &request->last))
        return "Last-Event-ID: want the id of an event";
    return NULL;
}

// Writes an event without its frame.
static void write_text(const struct stream *stream, struct text_buffer *out, const char *text)
{
    if (stream->streams->shows_private)
        text_buffer_add(out, text, strlen(text));
    else
        server_events_print_public(out, text);
}

static void write_event(const struct stream *stream, struct text_buffer *out, uint64_t id,
                        const char *kind, const char *text)
{
    if (!stream->request.is_lines)
        text_buffer_print(out, "id: %" PRIu64 "\nevent: %s\ndata: ", id, kind);
    write_text(stream, out, text);
    text_buffer_print(out, stream->request.is_lines ? "\n" : "\n\n");
}

// Writes what the stream is to send next: a gap, an event or, if it is due, a comment.
static void write_next(struct stream *stream, uint64_t now_ms)
{
    struct text_buffer out = {0};
    char gap[64];
    uint64_t last = stream->request.last;
    const uint64_t forgotten = event_journal_forgotten(stream->streams->events);
    const struct journal_event *event = event_journal_next(stream->streams->events, last);
    if (last < forgotten) {
        snprintf(gap, sizeof gap, "{%s\"until\":%" PRIu64 "}",
                 stream->request.is_lines ? "\"kind\":\"missed\"," : "", forgotten);
        write_event(stream, &out, forgotten, "missed", gap);
        last = forgotten;
    } else if (event != NULL) {
        write_event(stream, &out, event->id, event->kind, event->text);
        last = event->id;
    } else if (now_ms >= stream->beat_ms) {
        text_buffer_print(&out, stream->request.is_lines ? "\n" : ":\n\n");
    } else {
        return;
    }
    stream->beat_ms = now_ms + BEAT_MS;
    stream->size = out.size;
    stream->at = 0;
    stream->text = text_buffer_take(&out);
    if (stream->text != NULL)
        stream->request.last = last;
}

// Whether the client has got all that it asked for. A file ends before events that are not stored
// yet: it does not wait for the disk.
static bool has_ended(const struct stream *stream)
{
    const struct event_journal *events = stream->streams->events;
    const uint64_t last = stream->request.last;
    return stream->text == NULL &&
           (stream->streams->is_ending ||
            (stream->request.ends && last >= event_journal_forgotten(events) &&
             event_journal_next(events, last) == NULL));
}

static void set_timer(const struct event_streams *streams)
{
    uint64_t due_ms = LOOP_NEVER;
    for (const struct stream *stream = streams->streams; stream != NULL; stream = stream->next)
        if (stream->is_asleep && stream->beat_ms < due_ms)
            due_ms = stream->beat_ms;
    loop_set_timer(streams->beat, due_ms);
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t capacity)
{
    (void)position;
    struct stream *stream = context;
    const uint64_t now_ms = monotonic_ms();
    if (has_ended(stream))
        return HTTP_STREAM_END;
    if (stream->text == NULL)
        write_next(stream, now_ms);
    if (stream->text == NULL) {
        stream->is_asleep = true;
        set_timer(stream->streams);
        http_connection_suspend(stream->connection);
        return 0;
    }
    const size_t left = stream->size - stream->at;
    const size_t size = left < capacity ? left : capacity;
    memcpy(bytes, stream->text + stream->at, size);
    stream->at += size;
    if (stream->at == stream->size) {
        free(stream->text);
        stream->text = NULL;
    }
    struct http_client *client = http_connection_client(stream->connection);
    if (client != NULL)
        http_client_renew(client, now_ms);
    return (ssize_t)size;
}

static void end_stream(void *context)
{
    struct stream *stream = context;
    struct stream **link = &stream->streams->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    stream->streams->count--;
    free(stream->text);
    free(stream);
}

struct MHD_Response *event_streams_open(struct event_streams *streams,
                                        struct MHD_Connection *connection,
                                        const struct event_streams_request *request)
{
    struct http_client *client = http_connection_client(connection);
    struct stream *stream = streams->count < EVENT_STREAMS_MAX ? calloc(1, sizeof *stream) : NULL;
    if (stream == NULL)
        return NULL;
    *stream = (struct stream){.next = streams->streams,
                              .streams = streams,
                              .connection = connection,
                              .request = *request};
    if (request->last == 0)
        stream->request.last = event_journal_forgotten(streams->events);
    else if (request->last > event_journal_newest(streams->events))
        stream->request.last = 0; // of another server: what it has missed is not known
    streams->streams = stream;
    streams->count++;
    struct MHD_Response *response =
        http_answer_stream(request->is_lines ? "application/x-ndjson" : "text/event-stream",
                           read_stream, end_stream, stream);
    if (response != NULL && client != NULL)
        http_client_stream(client);
    return response;
}

static void wake(struct stream *stream)
{
    stream->is_asleep = false;
    http_connection_resume(stream->connection);
}

static void wake_some(void *context)
{
    struct event_streams *streams = context;
    const uint64_t now_ms = monotonic_ms();
    for (struct stream *stream = streams->streams; stream != NULL; stream = stream->next)
        if (stream->is_asleep &&
            (event_journal_next(streams->events, stream->request.last) != NULL ||
             now_ms >= stream->beat_ms))
            wake(stream);
    set_timer(streams);
}

void event_streams_end(struct event_streams *streams)
{
    streams->is_ending = true;
    for (struct stream *stream = streams->streams; stream != NULL; stream = stream->next)
        if (stream->is_asleep)
            wake(stream);
}

bool event_streams_answer(struct event_streams *streams, const struct http_request *step)
{
    struct event_streams_request request;
    const char *problem = event_streams_read(streams, step->connection, step->path, &request);
    if (problem != NULL)
        return http_answer_send_problem(step->connection, HTTP_BAD_REQUEST, problem, NULL);
    struct MHD_Response *response = event_streams_open(streams, step->connection, &request);
    if (response == NULL)
        return http_answer_send_problem(step->connection, HTTP_UNAVAILABLE,
                                        "too many event streams", NULL);
    return http_answer_send_once(step->connection, HTTP_OK, response);
}

static bool takes(const char *path)
{
    return strcmp(path, "/events") == 0 || strcmp(path, "/events.jsonl") == 0;
}

static bool answer(void *context, const struct http_request *step)
{
    return event_streams_answer(context, step);
}

static void end(void *context)
{
    event_streams_end(context);
}

static void destroy(void *context)
{
    event_streams_destroy(context);
}

bool event_streams_serve(struct http_services *services, struct loop *loop,
                         struct event_journal *events, bool shows_private)
{
    struct event_streams *streams = event_streams_create(loop, events, shows_private);
    return http_services_add(services, (struct http_service){takes, answer, end, destroy, streams});
}
