// SPDX-License-Identifier: MIT
// Completes events by number, time and kind.
#define _GNU_SOURCE
#include "server_events.h"

#include "event_journal.h"
#include "json_writer.h"
#include "text_buffer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct server_events {
    struct event_journal *journal;
    uint32_t kinds;
    uint64_t lost;
};

struct server_events *server_events_open(struct store *store)
{
    struct server_events *events = calloc(1, sizeof *events);
    if (events == NULL)
        return NULL;
    events->kinds = EVENT_KINDS_USUAL;
    events->journal = event_journal_open(store, "server.events", (int64_t)time(NULL));
    if (events->journal != NULL)
        return events;
    free(events);
    return NULL;
}

void server_events_close(struct server_events *events)
{
    if (events == NULL)
        return;
    event_journal_close(events->journal);
    free(events);
}

void server_events_choose(struct server_events *events, uint32_t kinds)
{
    if (events != NULL)
        events->kinds = kinds != 0 ? kinds : EVENT_KINDS_USUAL;
}

bool server_events_wants(const struct server_events *events, enum event_kind kind)
{
    return events != NULL && (events->kinds >> kind & 1) != 0;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static char *complete_event_json(const struct server_events *events, const char *kind,
                                 const char *arena, const char *fields)
{
    struct text_buffer out = {0};
    char when[JSON_TEXT_TIME_BYTES];
    json_text_time(now_ms(), when);
    text_buffer_print(&out, "{\"id\":%" PRIu64 ",\"time\":\"%s\",\"kind\":\"%s\"",
                      event_journal_newest(events->journal) + 1, when, kind);
    if (arena != NULL) {
        text_buffer_print(&out, ",\"arena\":");
        json_text_quote(&out, arena);
    }
    assert(fields[0] == '{');
    if (fields[1] != '}')
        text_buffer_print(&out, ",");
    text_buffer_add(&out, fields + 1, strlen(fields + 1));
    return text_buffer_take(&out);
}

void server_events_add(struct server_events *events, const char *kind, const char *arena,
                       char *fields)
{
    enum event_kind found;
    const bool is_known = event_kind_find(kind, &found);
    assert(is_known);
    if (!server_events_wants(events, found)) {
        free(fields);
        return;
    }
    char *text = fields != NULL ? complete_event_json(events, kind, arena, fields) : NULL;
    events->lost += text == NULL;
    event_journal_add(events->journal, kind, text);
    free(fields);
}

void server_events_print_public(struct text_buffer *out, const char *text)
{
    // In a JSON text these bytes are no part of a string, whose quotes are escaped.
    const char *member = strstr(text, ",\"private\":{");
    text_buffer_add(out, text, member != NULL ? (size_t)(member - text) : strlen(text));
    if (member != NULL)
        text_buffer_add(out, "}", 1);
}

uint64_t server_events_newest_id_before(const struct event_journal *journal, int64_t since_s)
{
    char since[JSON_TEXT_TIME_BYTES];
    uint64_t before = 0;
    json_text_time(since_s * 1000, since);
    for (const struct journal_event *event; (event = event_journal_next(journal, before)) != NULL;
         before = event->id) {
        // Texts of times are ordered as the times are.
        const char *when = strstr(event->text, "\"time\":\"");
        if (when != NULL && strncmp(when + 8, since, strlen(since)) >= 0)
            break;
    }
    return before;
}

struct event_journal *server_events_journal(const struct server_events *events)
{
    return events->journal;
}

uint64_t server_events_lost(const struct server_events *events)
{
    return events->lost;
}

static const char *const names[EVENT_KINDS] = {
    [EVENT_START] = "start",
    [EVENT_STOP] = "stop",
    [EVENT_JOIN] = "join",
    [EVENT_LEAVE] = "leave",
    [EVENT_CHAT] = "chat",
    [EVENT_KILL] = "kill",
    [EVENT_ROUND_ENDED] = "round_ended",
    [EVENT_VOTE] = "vote",
    [EVENT_BAN] = "ban",
    [EVENT_UNBAN] = "unban",
    [EVENT_COMMAND] = "command",
    [EVENT_OVERLOAD] = "overload",
    [EVENT_RELOAD] = "reload",
};

const char *event_kind_name(enum event_kind kind)
{
    return names[kind];
}

bool event_kind_find(const char *name, enum event_kind *kind)
{
    for (int i = 0; i < EVENT_KINDS; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = (enum event_kind)i;
            return true;
        }
    return false;
}
