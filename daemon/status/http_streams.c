// SPDX-License-Identifier: MIT
// Connects the viewers of live_stream.h to HTTP connections.
#include "http_streams.h"

#include "http_answer.h"
#include "http_listener.h"
#include "live_stream.h"
#include "loop.h"
#include "monotonic.h"

#include <stdlib.h>

#define SEND_BYTES (1 << 16) // kernel send buffer per viewer; a larger one would delay events

struct http_streams {
    struct live_stream *live_stream;
    struct loop_source *timer; // while anybody watches
    bool is_closing;
};

// One stream.
struct reader {
    const struct http_streams *streams;
    struct MHD_Connection *connection;
    struct viewer *viewer;
};

static void wake_connection(void *connection)
{
    http_connection_resume(connection);
}

static void set_timer(const struct http_streams *streams)
{
    loop_set_timer(streams->timer, live_stream_due_ms(streams->live_stream));
}

static void run(void *context)
{
    struct http_streams *streams = context;
    live_stream_run(streams->live_stream, monotonic_ms(), wake_connection);
    set_timer(streams);
}

struct http_streams *http_streams_create(struct loop *loop, const struct arena_list *list)
{
    struct http_streams *streams = calloc(1, sizeof *streams);
    if (streams == NULL)
        return NULL;
    streams->live_stream = live_stream_create(list);
    streams->timer = loop_add_timer(loop, 0, run, streams);
    if (streams->live_stream != NULL && streams->timer != NULL)
        return streams;
    http_streams_destroy(streams);
    return NULL;
}

void http_streams_destroy(struct http_streams *streams)
{
    if (streams == NULL)
        return;
    loop_remove(streams->timer);
    live_stream_destroy(streams->live_stream);
    free(streams);
}

// Sends the next bytes, or sleeps until there are some.
static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t capacity)
{
    (void)position;
    const struct reader *reader = context;
    if (reader->streams->is_closing || viewer_is_over(reader->viewer))
        return HTTP_STREAM_END;
    const size_t size = viewer_read(reader->viewer, bytes, capacity, monotonic_ms());
    if (size == 0)
        http_connection_suspend(reader->connection);
    return (ssize_t)size;
}

static void end_stream(void *context)
{
    struct reader *reader = context;
    viewer_leave(reader->viewer);
    free(reader);
}

struct MHD_Response *http_streams_open(struct http_streams *streams,
                                       struct MHD_Connection *connection, int arena,
                                       bool is_undelayed)
{
    struct http_client *client = http_connection_client(connection);
    struct reader *reader = malloc(sizeof *reader);
    if (reader == NULL)
        return NULL;
    *reader = (struct reader){.streams = streams, .connection = connection};
    reader->viewer = live_stream_join(streams->live_stream, arena, is_undelayed, connection, client,
                                      monotonic_ms());
    if (reader->viewer == NULL) {
        free(reader);
        return NULL;
    }
    set_timer(streams);
    struct MHD_Response *response =
        http_answer_stream("text/event-stream", read_stream, end_stream, reader);
    if (response == NULL)
        return NULL;
    if (client != NULL)
        http_client_stream(client);
    http_connection_limit_buffer(connection, SEND_BYTES);
    return response;
}

void http_streams_close(struct http_streams *streams)
{
    streams->is_closing = true;
    live_stream_wake_all(streams->live_stream, wake_connection);
}

void http_streams_end_stale(struct http_streams *streams)
{
    run(streams);
}
