// SPDX-License-Identifier: MIT
// Keeps events, encodes each once, and writes the messages that contain them.
#include "event_log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool raim_event_log_create(struct raim_event_log *log, uint32_t burst, uint32_t waiting,
                           uint32_t delay_ticks)
{
    uint32_t capacity = 1;
    while (capacity < burst + waiting)
        capacity *= 2;
    *log = (struct raim_event_log){
        .items = calloc(capacity, sizeof *log->items),
        .capacity = capacity,
        .burst = burst,
        .delay_ticks = delay_ticks,
    };
    return log->items != NULL;
}

void raim_event_log_destroy(struct raim_event_log *log)
{
    free(log->items);
    log->items = NULL;
}

static struct raim_logged_event *item_at(const struct raim_event_log *log, uint32_t sequence)
{
    return &log->items[sequence & (log->capacity - 1)];
}

struct raim_wire_event *raim_event_log_add(struct raim_event_log *log, uint32_t tick)
{
    assert(raim_event_log_has_room(log, 1));
    struct raim_logged_event *item = item_at(log, log->end++);
    item->tick = tick;
    item->event = (struct raim_wire_event){0};
    return &item->event;
}

bool raim_event_log_reaches(const struct raim_event_log *log, enum raim_audience audience,
                            uint32_t sequence)
{
    return log->end - sequence <= log->capacity &&
           log->due[audience] - sequence <= RAIM_EVENT_LOG_BACKLOG;
}

bool raim_event_log_holds(const struct raim_event_log *log, uint32_t sequence)
{
    const uint32_t age = log->end - sequence; // 1: the newest
    return age - 1 < log->capacity && age <= log->end - log->begin;
}

const struct raim_logged_event *raim_event_log_at(const struct raim_event_log *log,
                                                  uint32_t sequence)
{
    assert(log->end - sequence - 1 < log->capacity);
    return item_at(log, sequence);
}

void raim_event_log_restart(struct raim_event_log *log, uint32_t sequence)
{
    log->begin = log->end = sequence;
    for (int i = 0; i < RAIM_AUDIENCES; i++)
        log->was_due[i] = log->due[i] = sequence;
}

void raim_event_log_release(struct raim_event_log *log, uint32_t tick)
{
    for (int i = 0; i < RAIM_AUDIENCES; i++)
        log->was_due[i] = log->due[i];
    uint32_t late = log->due[RAIM_AUDIENCE_LATE];
    while (late != log->end && (tick - item_at(log, late)->tick >= log->delay_ticks ||
                                log->end - late > log->capacity - log->burst))
        late++;
    log->due[RAIM_AUDIENCE_LATE] = late;
    for (uint32_t i = log->due[RAIM_AUDIENCE_LIVE]; i != log->end; i++) {
        struct raim_logged_event *item = item_at(log, i);
        item->size = (uint8_t)raim_event_write(&item->event, item->bytes);
    }
    log->due[RAIM_AUDIENCE_LIVE] = log->end;
}

size_t raim_event_log_write(const struct raim_event_log *log, enum raim_audience audience,
                            uint32_t epoch, uint32_t *sequence, uint8_t *bytes, size_t capacity)
{
    const uint32_t first = *sequence, due = log->due[audience] - first;
    size_t size = RAIM_EVENTS_HEAD_BYTES;
    uint32_t count = 0;
    assert(capacity >= RAIM_EVENTS_HEAD_BYTES + RAIM_MAX_EVENT_BYTES);
    for (; count < due && count < RAIM_MAX_EVENTS_MESSAGE; count++) {
        const struct raim_logged_event *item = raim_event_log_at(log, first + count);
        if (size + item->size > capacity)
            break;
        memcpy(bytes + size, item->bytes, item->size);
        size += item->size;
    }
    if (count == 0)
        return 0;
    *sequence = first + count;
    raim_events_write_head(epoch, first, count, bytes);
    return size;
}
