// SPDX-License-Identifier: MIT
// Keeps events until both audiences have received them.
#include "event_log.h"

#include <assert.h>
#include <stdlib.h>

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
    *item = (struct raim_logged_event){.tick = tick};
    return &item->event;
}

const struct raim_wire_event *raim_event_log_at(const struct raim_event_log *log, uint32_t sequence)
{
    assert(log->end - sequence <= log->end - log->sent[RAIM_AUDIENCE_LATE]);
    return &item_at(log, sequence)->event;
}

void raim_event_log_restart(struct raim_event_log *log, uint32_t sequence)
{
    log->end = sequence;
    for (int i = 0; i < RAIM_AUDIENCES; i++)
        log->sent[i] = log->due[i] = sequence;
}

void raim_event_log_release(struct raim_event_log *log, uint32_t tick)
{
    uint32_t late = log->sent[RAIM_AUDIENCE_LATE];
    while (late != log->end && (tick - item_at(log, late)->tick >= log->delay_ticks ||
                                log->end - late > log->capacity - log->burst))
        late++;
    log->due[RAIM_AUDIENCE_LATE] = late;
    log->due[RAIM_AUDIENCE_LIVE] = log->end;
}

bool raim_event_log_has_due(const struct raim_event_log *log)
{
    bool has_due = false;
    for (int i = 0; i < RAIM_AUDIENCES; i++)
        has_due = has_due || log->sent[i] != log->due[i];
    return has_due;
}

bool raim_event_log_next(const struct raim_event_log *log, enum raim_audience audience,
                         struct raim_events_message *message)
{
    const uint32_t first = log->sent[audience];
    const uint32_t left = log->due[audience] - first;
    if (left == 0)
        return false;
    message->sequence = first;
    message->tick = item_at(log, first)->tick;
    for (message->count = 0; message->count < left && message->count < RAIM_MAX_EVENTS_MESSAGE;
         message->count++) {
        const struct raim_logged_event *item = item_at(log, first + message->count);
        if (item->tick != message->tick)
            break;
        message->events[message->count] = item->event;
    }
    return true;
}

void raim_event_log_mark_sent(struct raim_event_log *log, enum raim_audience audience,
                              uint32_t count)
{
    assert(count <= log->due[audience] - log->sent[audience]);
    log->sent[audience] += count;
}
