// SPDX-License-Identifier: MIT
// Renders the events of each watched arena, delays them and hands them to the viewers.
#include "live_stream.h"

#include "live_json.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELLO_BYTES = 64, SLOTS = LIVE_STREAM_MAX + LIVE_STREAM_SPARE };

// A rendered event with a reference count.
struct event {
    unsigned references;
    uint64_t rendered_ms;
    char *text;
    size_t size;
};

// Delay queue of events, oldest first; a ring buffer.
struct queue {
    struct event **events;
    uint32_t capacity, first, count;
};

struct stream {
    const struct arena *arena; // NULL: a free slot
    bool is_over;              // its viewers get no more events
    unsigned viewers;
    uint32_t tick; // of the newest event
    uint64_t delay_ms;
    struct event *newest, *late; // for undelayed and delayed viewers; NULL: none yet
    struct queue queue;
};

struct viewer {
    struct live_stream *all; // NULL: a free slot
    struct stream *stream;
    bool is_undelayed, sleeps;
    bool is_ended; // evicted
    void *connection;
    struct http_client *client;
    char hello[HELLO_BYTES]; // first event of the stream
    const char *rest;        // unread bytes of the hello or of `event`
    size_t rest_size;
    struct event *event; // being read or read last; holds a reference
};

struct live_stream {
    const struct arena_list *list;
    uint64_t due_ms;
    unsigned count, ended; // viewers; evicted ones among them
    size_t waiting_bytes;  // bytes of the events in all queues
    struct viewer viewers[SLOTS];
    struct stream streams[SLOTS]; // a used slot has at least one viewer
};

static struct event *hold(struct event *event)
{
    if (event != NULL)
        event->references++;
    return event;
}

static void release(struct event *event)
{
    if (event == NULL || --event->references > 0)
        return;
    free(event->text);
    free(event);
}

static struct event *queue_pop(struct live_stream *live_stream, struct queue *queue)
{
    struct event *event = queue->events[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    live_stream->waiting_bytes -= event->size;
    return event;
}

// Adds an event. A full queue drops its oldest event; if all queues together exceed
// LIVE_STREAM_MAX_BYTES, the new event is dropped.
static void queue_push(struct live_stream *live_stream, struct queue *queue, struct event *event)
{
    if (queue->count == queue->capacity)
        release(queue_pop(live_stream, queue));
    if (live_stream->waiting_bytes + event->size > LIVE_STREAM_MAX_BYTES)
        return;
    live_stream->waiting_bytes += event->size;
    queue->events[(queue->first + queue->count++) % queue->capacity] = hold(event);
}

static void end_stream(struct live_stream *live_stream, struct stream *stream)
{
    while (stream->queue.count > 0)
        release(queue_pop(live_stream, &stream->queue));
    release(stream->newest);
    release(stream->late);
    free(stream->queue.events);
    *stream = (struct stream){0};
}

struct live_stream *live_stream_create(const struct arena_list *list)
{
    struct live_stream *live_stream = calloc(1, sizeof *live_stream);
    if (live_stream == NULL)
        return NULL;
    live_stream->list = list;
    return live_stream;
}

void live_stream_destroy(struct live_stream *live_stream)
{
    if (live_stream == NULL)
        return;
    assert(live_stream->count == 0);
    free(live_stream);
}

// The stream of an arena, created for its first viewer with a queue for the arena's delay. Returns
// NULL when memory runs out.
static struct stream *find_stream(struct live_stream *live_stream, int index)
{
    const struct arena *arena = live_stream->list->arenas[index];
    struct stream *vacant = NULL;
    for (struct stream *stream = live_stream->streams; stream < live_stream->streams + SLOTS;
         stream++) {
        if (stream->arena == arena && !stream->is_over)
            return stream;
        if (stream->arena == NULL && vacant == NULL)
            vacant = stream;
    }
    assert(vacant != NULL); // a free viewer slot implies a free stream slot
    const uint64_t delay_ms = live_delay_ms(live_stream->list, index);
    const uint32_t capacity = (uint32_t)(delay_ms / LIVE_STREAM_INTERVAL_MS) + 2;
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

static uint64_t address_of(const struct http_client *client)
{
    return client != NULL ? client->address : 0;
}

static unsigned count_address(const struct live_stream *live_stream, uint64_t address)
{
    unsigned count = 0;
    for (const struct viewer *viewer = live_stream->viewers; viewer < live_stream->viewers + SLOTS;
         viewer++)
        count += viewer->all != NULL && !viewer->is_ended && address_of(viewer->client) == address;
    return count;
}

// Evicts a viewer of the address with the most viewers, if that address keeps at least as many as
// `address` then has. Returns false if there is none.
static bool evict_viewer(struct live_stream *live_stream, uint64_t address)
{
    struct viewer *victim = NULL;
    unsigned most = count_address(live_stream, address) + 1;
    for (struct viewer *viewer = live_stream->viewers; viewer < live_stream->viewers + SLOTS;
         viewer++) {
        if (viewer->all == NULL || viewer->is_ended || viewer->client == NULL)
            continue;
        const unsigned count = count_address(live_stream, address_of(viewer->client));
        if (count > most) {
            most = count;
            victim = viewer;
        }
    }
    if (victim == NULL)
        return false;
    victim->is_ended = true;
    live_stream->ended++;
    http_client_end(victim->client);
    return true;
}

static bool has_room(struct live_stream *live_stream, uint64_t address)
{
    return live_stream->count < SLOTS &&
           (live_stream->count - live_stream->ended < LIVE_STREAM_MAX ||
            evict_viewer(live_stream, address));
}

struct viewer *live_stream_join(struct live_stream *live_stream, int arena, bool is_undelayed,
                                void *connection, struct http_client *client, uint64_t now_ms)
{
    assert(arena >= 0 && arena < live_stream->list->count);
    struct viewer *viewer = live_stream->viewers;
    struct stream *stream =
        has_room(live_stream, address_of(client)) ? find_stream(live_stream, arena) : NULL;
    if (stream == NULL)
        return NULL;
    while (viewer->all != NULL)
        viewer++;
    *viewer = (struct viewer){
        .all = live_stream,
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
    if (live_stream->count++ == 0)
        live_stream->due_ms = now_ms;
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

// The event that the viewer is due to see now, or NULL.
static struct event *due_event(const struct viewer *viewer)
{
    return viewer->is_undelayed ? viewer->stream->newest : viewer->stream->late;
}

static bool has_news(const struct viewer *viewer)
{
    return viewer->rest_size > 0 ||
           (due_event(viewer) != NULL && due_event(viewer) != viewer->event);
}

// Moves the client's deadline: an idle viewer has nothing to read, so it must not time out.
static void renew_deadline(const struct viewer *viewer, uint64_t now_ms)
{
    if (viewer->client != NULL)
        http_client_renew(viewer->client, now_ms);
}

size_t viewer_read(struct viewer *viewer, char *bytes, size_t size, uint64_t now_ms)
{
    if (viewer->rest_size == 0 && has_news(viewer)) {
        release(viewer->event);
        viewer->event = hold(due_event(viewer));
        viewer->rest = viewer->event->text;
        viewer->rest_size = viewer->event->size;
        renew_deadline(viewer, now_ms);
    }
    const size_t count = size < viewer->rest_size ? size : viewer->rest_size;
    memcpy(bytes, viewer->rest, count);
    viewer->rest += count;
    viewer->rest_size -= count;
    viewer->sleeps = count == 0;
    return count;
}

// Renders the arena's newest state, and releases events that have reached the delay.
static void run_stream(struct live_stream *live_stream, struct stream *stream, int arena,
                       uint64_t now_ms)
{
    struct queue *queue = &stream->queue;
    size_t size;
    char *text = live_event(live_stream->list, arena, &stream->tick, &size);
    struct event *event = text != NULL ? malloc(sizeof *event) : NULL;
    if (event != NULL) {
        *event = (struct event){.references = 1, .rendered_ms = now_ms, .text = text, .size = size};
        release(stream->newest);
        stream->newest = event;
        queue_push(live_stream, queue, event);
    } else {
        free(text);
    }
    while (queue->count > 0 &&
           now_ms - queue->events[queue->first]->rendered_ms >= stream->delay_ms) {
        release(stream->late);
        stream->late = queue_pop(live_stream, queue);
    }
}

static bool is_stale(const struct live_stream *live_stream, const struct stream *stream)
{
    const int arena = arena_list_index(live_stream->list, stream->arena);
    return arena < 0 || live_delay_ms(live_stream->list, arena) != stream->delay_ms;
}

static void end_stale_streams(struct live_stream *live_stream, void (*wake)(void *connection))
{
    for (struct stream *stream = live_stream->streams; stream < live_stream->streams + SLOTS;
         stream++)
        if (stream->arena != NULL && !stream->is_over)
            stream->is_over = is_stale(live_stream, stream);
    for (struct viewer *viewer = live_stream->viewers; viewer < live_stream->viewers + SLOTS;
         viewer++) {
        if (!viewer_is_over(viewer) || !viewer->sleeps)
            continue;
        viewer->sleeps = false;
        wake(viewer->connection);
    }
}

void live_stream_run(struct live_stream *live_stream, uint64_t now_ms,
                     void (*wake)(void *connection))
{
    if (live_stream->count == 0)
        return;
    end_stale_streams(live_stream, wake);
    if (now_ms < live_stream->due_ms)
        return;
    live_stream->due_ms = now_ms + LIVE_STREAM_INTERVAL_MS;
    for (struct stream *stream = live_stream->streams; stream < live_stream->streams + SLOTS;
         stream++)
        if (stream->arena != NULL && !stream->is_over)
            run_stream(live_stream, stream, arena_list_index(live_stream->list, stream->arena),
                       now_ms);
    for (struct viewer *viewer = live_stream->viewers; viewer < live_stream->viewers + SLOTS;
         viewer++) {
        if (viewer->all == NULL || !viewer->sleeps)
            continue;
        renew_deadline(viewer, now_ms);
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

void live_stream_wake_all(struct live_stream *live_stream, void (*wake)(void *connection))
{
    for (struct viewer *viewer = live_stream->viewers; viewer < live_stream->viewers + SLOTS;
         viewer++) {
        if (viewer->all == NULL || !viewer->sleeps)
            continue;
        viewer->sleeps = false;
        wake(viewer->connection);
    }
}

uint64_t live_stream_due_ms(const struct live_stream *live_stream)
{
    return live_stream->count > 0 ? live_stream->due_ms : UINT64_MAX;
}
