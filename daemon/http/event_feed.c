// SPDX-License-Identifier: MIT
// Writes events as Server-Sent Events, one at a time.
#define _GNU_SOURCE
#include "event_feed.h"

#include "http_answer.h"
#include "http_clients.h"
#include "http_listener.h"
#include "monotonic.h"
#include "text_buffer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A comment that is sent after so long without an event: it keeps proxies from closing the
// connection and detects clients that are gone. Shorter than HTTP_DEADLINE_MS.
#define BEAT_MS 4000U

struct stream {
    struct stream *next;
    struct event_feed *feed;
    struct MHD_Connection *connection;
    uint64_t last;    // number of the newest event that was written
    char *text;       // being sent; NULL: none
    size_t size, at;  // of the text; what is sent
    uint64_t beat_ms; // when the next comment is due
    bool is_asleep;
};

struct event_feed {
    const struct event_journal *events;
    struct stream *streams;
    unsigned count;
    bool is_ending;
};

struct event_feed *event_feed_create(const struct event_journal *events)
{
    struct event_feed *feed = calloc(1, sizeof *feed);
    if (feed != NULL)
        feed->events = events;
    return feed;
}

void event_feed_destroy(struct event_feed *feed)
{
    free(feed);
}

bool event_feed_read_id(const struct event_feed *feed, const char *header, uint64_t *last)
{
    enum { DIGITS = 16 };
    *last = event_journal_newest(feed->events);
    if (header == NULL)
        return true;
    const size_t digits = strspn(header, "0123456789");
    if (digits < 1 || digits > DIGITS || header[digits] != '\0')
        return false;
    *last = strtoull(header, NULL, 10);
    return true;
}

// Writes what the stream is to send next: a gap, an event or, if it is due, a comment.
static void write_next(struct stream *stream, uint64_t now_ms)
{
    struct text_buffer out = {0};
    uint64_t last = stream->last;
    const uint64_t forgotten = event_journal_forgotten(stream->feed->events);
    const struct journal_event *event = event_journal_next(stream->feed->events, stream->last);
    if (stream->last < forgotten) {
        text_buffer_print(&out, "id: %" PRIu64 "\nevent: missed\ndata: {\"until\":%" PRIu64 "}\n\n",
                          forgotten, forgotten);
        last = forgotten;
    } else if (event != NULL) {
        text_buffer_print(&out, "id: %" PRIu64 "\nevent: %s\ndata: %s\n\n", event->id, event->kind,
                          event->text);
        last = event->id;
    } else if (now_ms >= stream->beat_ms) {
        text_buffer_print(&out, ":\n\n");
    } else {
        return;
    }
    stream->beat_ms = now_ms + BEAT_MS;
    stream->size = out.size;
    stream->at = 0;
    stream->text = text_buffer_take(&out);
    if (stream->text != NULL)
        stream->last = last;
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t capacity)
{
    (void)position;
    struct stream *stream = context;
    const uint64_t now_ms = monotonic_ms();
    if (stream->feed->is_ending)
        return HTTP_STREAM_END;
    if (stream->text == NULL)
        write_next(stream, now_ms);
    if (stream->text == NULL) {
        stream->is_asleep = true;
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
    struct stream **link = &stream->feed->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    stream->feed->count--;
    free(stream->text);
    free(stream);
}

struct MHD_Response *event_feed_open(struct event_feed *feed, struct MHD_Connection *connection,
                                     uint64_t last)
{
    struct http_client *client = http_connection_client(connection);
    struct stream *stream = feed->count < EVENT_FEED_MAX_STREAMS ? calloc(1, sizeof *stream) : NULL;
    if (stream == NULL)
        return NULL;
    *stream = (struct stream){
        .next = feed->streams, .feed = feed, .connection = connection, .last = last};
    if (last == 0)
        stream->last = event_journal_forgotten(feed->events);
    else if (last > event_journal_newest(feed->events))
        stream->last = 0; // of another server: what it has missed is not known
    feed->streams = stream;
    feed->count++;
    struct MHD_Response *response =
        http_answer_stream("text/event-stream", read_stream, end_stream, stream);
    if (response != NULL && client != NULL)
        http_client_stream(client);
    return response;
}

static void wake(struct stream *stream)
{
    stream->is_asleep = false;
    http_connection_resume(stream->connection);
}

void event_feed_run(struct event_feed *feed)
{
    const uint64_t newest = event_journal_newest(feed->events), now_ms = monotonic_ms();
    for (struct stream *stream = feed->streams; stream != NULL; stream = stream->next)
        if (stream->is_asleep && (stream->last < newest || now_ms >= stream->beat_ms))
            wake(stream);
}

int event_feed_timeout_ms(const struct event_feed *feed)
{
    const uint64_t now_ms = monotonic_ms();
    int timeout_ms = -1;
    for (const struct stream *stream = feed->streams; stream != NULL; stream = stream->next)
        if (stream->is_asleep)
            timeout_ms = monotonic_earlier_ms(
                timeout_ms, stream->beat_ms > now_ms ? (int)(stream->beat_ms - now_ms) : 0);
    return timeout_ms;
}

void event_feed_end(struct event_feed *feed)
{
    feed->is_ending = true;
    for (struct stream *stream = feed->streams; stream != NULL; stream = stream->next)
        if (stream->is_asleep)
            wake(stream);
}
