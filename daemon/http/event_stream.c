// SPDX-License-Identifier: MIT
// Shares the events of each arena among those who watch it.
#include "event_stream.h"

#include "live_json.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELLO_BYTES = 64, SLOTS = EVENT_STREAM_MAX + EVENT_STREAM_SPARE };

// Bytes that several hold.
struct event {
    unsigned holders;
    uint64_t rendered_ms;
    char *text;
    size_t size;
};

// What waits until it is late enough to be seen, oldest first; a ring.
struct queue {
    struct event **events;
    uint32_t capacity, first, count;
};

struct stream {
    const struct arena *arena; // NULL: a free place
    bool is_over;              // its viewers have nothing more to see
    unsigned viewers;
    uint32_t tick; // of the newest event
    uint64_t delay_ms;
    struct event *newest, *late; // what viewers see without and with delay; NULL: nothing yet
    struct queue queue;
};

struct viewer {
    struct event_stream *all; // NULL: a free place
    struct stream *stream;
    bool is_undelayed, sleeps;
    bool is_ended; // it has made room
    void *connection;
    struct http_client *client;
    char hello[HELLO_BYTES]; // comes before all events
    const char *rest;        // of what it is reading
    size_t rest_size;
    struct event *event; // that it reads or has read last; held
};

struct event_stream {
    const struct arena_list *list;
    uint64_t due_ms;
    unsigned count, ended; // there; of these, those that made room
    size_t waiting_bytes;  // of the events in all queues
    struct viewer places[SLOTS];
    struct stream streams[SLOTS]; // at least one viewer each
};

static struct event *hold(struct event *event)
{
    if (event != NULL)
        event->holders++;
    return event;
}

static void release(struct event *event)
{
    if (event == NULL || --event->holders > 0)
        return;
    free(event->text);
    free(event);
}

static struct event *queue_pop(struct event_stream *viewers, struct queue *queue)
{
    struct event *event = queue->events[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    viewers->waiting_bytes -= event->size;
    return event;
}

// Where there is no room the oldest is never seen, and where all of them together are too large,
// this one.
static void queue_push(struct event_stream *viewers, struct queue *queue, struct event *event)
{
    if (queue->count == queue->capacity)
        release(queue_pop(viewers, queue));
    if (viewers->waiting_bytes + event->size > EVENT_STREAM_MAX_BYTES)
        return;
    viewers->waiting_bytes += event->size;
    queue->events[(queue->first + queue->count++) % queue->capacity] = hold(event);
}

static void end_stream(struct event_stream *viewers, struct stream *stream)
{
    while (stream->queue.count > 0)
        release(queue_pop(viewers, &stream->queue));
    release(stream->newest);
    release(stream->late);
    free(stream->queue.events);
    *stream = (struct stream){0};
}

struct event_stream *event_stream_create(const struct arena_list *list)
{
    struct event_stream *viewers = calloc(1, sizeof *viewers);
    if (viewers == NULL)
        return NULL;
    viewers->list = list;
    return viewers;
}

void event_stream_destroy(struct event_stream *viewers)
{
    if (viewers == NULL)
        return;
    assert(viewers->count == 0);
    free(viewers);
}

// The stream of an arena. Memory for its delay is taken when somebody first watches; NULL when it
// runs out.
static struct stream *find_stream(struct event_stream *viewers, int index)
{
    const struct arena *arena = viewers->list->arenas[index];
    struct stream *vacant = NULL;
    for (struct stream *stream = viewers->streams; stream < viewers->streams + SLOTS; stream++) {
        if (stream->arena == arena && !stream->is_over)
            return stream;
        if (stream->arena == NULL && vacant == NULL)
            vacant = stream;
    }
    assert(vacant != NULL); // there is a place for one more viewer
    const uint64_t delay_ms = live_delay_ms(viewers->list, index);
    const uint32_t capacity = (uint32_t)(delay_ms / EVENT_STREAM_INTERVAL_MS) + 2;
    struct event **events = calloc(capacity, sizeof(struct event *));
    if (events == NULL)
        return NULL;
    *vacant = (struct stream){
        .arena = arena,
        .delay_ms = delay_ms,
        .queue = {.events = events, .capacity = capacity},
    };
    return vacant;
}

static uint32_t address_of(const struct http_client *client)
{
    return client != NULL ? client->address : 0;
}

static unsigned count_address(const struct event_stream *viewers, uint32_t address)
{
    unsigned count = 0;
    for (const struct viewer *viewer = viewers->places; viewer < viewers->places + SLOTS; viewer++)
        count += viewer->all != NULL && !viewer->is_ended && address_of(viewer->client) == address;
    return count;
}

// Ends a viewer of the address that has most, if that is no worse off than this one for it.
static bool make_room(struct event_stream *viewers, uint32_t address)
{
    struct viewer *loser = NULL;
    unsigned most = count_address(viewers, address) + 1;
    for (struct viewer *viewer = viewers->places; viewer < viewers->places + SLOTS; viewer++) {
        if (viewer->all == NULL || viewer->is_ended || viewer->client == NULL)
            continue;
        const unsigned count = count_address(viewers, address_of(viewer->client));
        if (count > most) {
            most = count;
            loser = viewer;
        }
    }
    if (loser == NULL)
        return false;
    loser->is_ended = true;
    viewers->ended++;
    http_client_end(loser->client);
    return true;
}

static bool has_room(struct event_stream *viewers, uint32_t address)
{
    return viewers->count < SLOTS &&
           (viewers->count - viewers->ended < EVENT_STREAM_MAX || make_room(viewers, address));
}

struct viewer *event_stream_join(struct event_stream *viewers, int arena, bool is_undelayed,
                                 void *connection, struct http_client *client, uint64_t now_ms)
{
    assert(arena >= 0 && arena < viewers->list->count);
    struct viewer *viewer = viewers->places;
    struct stream *stream =
        has_room(viewers, address_of(client)) ? find_stream(viewers, arena) : NULL;
    if (stream == NULL)
        return NULL;
    while (viewer->all != NULL)
        viewer++;
    *viewer = (struct viewer){
        .all = viewers,
        .stream = stream,
        .is_undelayed = is_undelayed,
        .connection = connection,
        .client = client,
        .rest = viewer->hello,
    };
    const uint64_t delay_ms = is_undelayed ? 0 : viewer->stream->delay_ms;
    viewer->rest_size =
        (size_t)snprintf(viewer->hello, HELLO_BYTES, "event: hello\ndata: {\"delay_ms\":%llu}\n\n",
                         (unsigned long long)delay_ms);
    viewer->stream->viewers++;
    if (viewers->count++ == 0)
        viewers->due_ms = now_ms;
    return viewer;
}

void viewer_leave(struct viewer *viewer)
{
    struct stream *stream = viewer->stream;
    release(viewer->event);
    if (--stream->viewers == 0)
        end_stream(viewer->all, stream);
    viewer->all->count--;
    viewer->all->ended -= viewer->is_ended;
    viewer->all = NULL;
}

// What the viewer is to see now.
static struct event *shown(const struct viewer *viewer)
{
    return viewer->is_undelayed ? viewer->stream->newest : viewer->stream->late;
}

static bool has_news(const struct viewer *viewer)
{
    return viewer->rest_size > 0 || (shown(viewer) != NULL && shown(viewer) != viewer->event);
}

// It owes nothing until there is something to take.
static void move_deadline(const struct viewer *viewer, uint64_t now_ms)
{
    if (viewer->client != NULL)
        http_client_renew(viewer->client, now_ms);
}

size_t viewer_read(struct viewer *viewer, char *bytes, size_t size, uint64_t now_ms)
{
    if (viewer->rest_size == 0 && has_news(viewer)) {
        release(viewer->event);
        viewer->event = hold(shown(viewer));
        viewer->rest = viewer->event->text;
        viewer->rest_size = viewer->event->size;
        move_deadline(viewer, now_ms);
    }
    const size_t count = size < viewer->rest_size ? size : viewer->rest_size;
    memcpy(bytes, viewer->rest, count);
    viewer->rest += count;
    viewer->rest_size -= count;
    viewer->sleeps = count == 0;
    return count;
}

// Takes what the arena has published, and lets delayed viewers see what is old enough.
static void run_stream(struct event_stream *viewers, struct stream *stream, int arena,
                       uint64_t now_ms)
{
    struct queue *queue = &stream->queue;
    size_t size;
    char *text = live_event(viewers->list, arena, &stream->tick, &size);
    struct event *event = text != NULL ? malloc(sizeof *event) : NULL;
    if (event != NULL) {
        *event = (struct event){.holders = 1, .rendered_ms = now_ms, .text = text, .size = size};
        release(stream->newest);
        stream->newest = event;
        queue_push(viewers, queue, event);
    } else {
        free(text);
    }
    while (queue->count > 0 &&
           now_ms - queue->events[queue->first]->rendered_ms >= stream->delay_ms) {
        release(stream->late);
        stream->late = queue_pop(viewers, queue);
    }
}

static bool is_stale(const struct event_stream *viewers, const struct stream *stream)
{
    const int arena = arena_list_index(viewers->list, stream->arena);
    return arena < 0 || live_delay_ms(viewers->list, arena) != stream->delay_ms;
}

static void end_stale_streams(struct event_stream *viewers, void (*wake)(void *connection))
{
    for (struct stream *stream = viewers->streams; stream < viewers->streams + SLOTS; stream++)
        if (stream->arena != NULL && !stream->is_over)
            stream->is_over = is_stale(viewers, stream);
    for (struct viewer *viewer = viewers->places; viewer < viewers->places + SLOTS; viewer++) {
        if (!viewer_is_over(viewer) || !viewer->sleeps)
            continue;
        viewer->sleeps = false;
        wake(viewer->connection);
    }
}

void event_stream_run(struct event_stream *viewers, uint64_t now_ms, void (*wake)(void *connection))
{
    if (viewers->count == 0)
        return;
    end_stale_streams(viewers, wake);
    if (now_ms < viewers->due_ms)
        return;
    viewers->due_ms = now_ms + EVENT_STREAM_INTERVAL_MS;
    for (struct stream *stream = viewers->streams; stream < viewers->streams + SLOTS; stream++)
        if (stream->arena != NULL && !stream->is_over)
            run_stream(viewers, stream, arena_list_index(viewers->list, stream->arena), now_ms);
    for (struct viewer *viewer = viewers->places; viewer < viewers->places + SLOTS; viewer++) {
        if (viewer->all == NULL || !viewer->sleeps)
            continue;
        move_deadline(viewer, now_ms);
        if (!has_news(viewer))
            continue;
        viewer->sleeps = false;
        wake(viewer->connection);
    }
}

bool viewer_is_over(const struct viewer *viewer)
{
    return viewer->all != NULL && (viewer->is_ended || viewer->stream->is_over);
}

void event_stream_wake_all(struct event_stream *viewers, void (*wake)(void *connection))
{
    for (struct viewer *viewer = viewers->places; viewer < viewers->places + SLOTS; viewer++) {
        if (viewer->all == NULL || !viewer->sleeps)
            continue;
        viewer->sleeps = false;
        wake(viewer->connection);
    }
}

int event_stream_timeout_ms(const struct event_stream *viewers, uint64_t now_ms)
{
    if (viewers->count == 0)
        return -1;
    return viewers->due_ms > now_ms ? (int)(viewers->due_ms - now_ms) : 0;
}
