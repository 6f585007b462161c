// SPDX-License-Identifier: MIT
// Fuzzes a journal of events. What is read from it has ascending numbers below 2^53
// and texts that are a JSON object on one line; new events follow, and all of them read back.
#define _GNU_SOURCE
#include "fuzz.h"

#include "event_journal.h"
#include "fuzz_file.h"
#include "log.h"
#include "store.h"

#include <jansson.h>

#include <stdlib.h>
#include <unistd.h>

static const int64_t now_s = 1790000000;

static char path[128];

static void clean_up(void)
{
    unlink(path);
}

// Returns the number of events.
static unsigned check(const struct event_journal *events)
{
    unsigned count = 0;
    uint64_t id = 0;
    for (const struct journal_event *event; (event = event_journal_next(events, id)) != NULL;
         count++) {
        assert(event->id > id && event->id < UINT64_C(1) << 53);
        assert(event->text[strcspn(event->text, "\r\n")] == '\0');
        json_t *text = json_loads(event->text, 0, NULL);
        assert(json_is_object(text) && event->kind[0] != '\0');
        json_decref(text);
        id = event->id;
    }
    assert(id <= event_journal_newest(events));
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        fuzz_make_directory("event_journal");
        snprintf(path, sizeof path, "%s/arenas.events", fuzz_directory);
        atexit(clean_up);
        log_set_level(LOG_LEVEL_ERROR);
    }
    fuzz_write_file(path, data, size);
    struct store *store = store_create(fuzz_directory);
    struct event_journal *events = event_journal_open(store, "arenas.events", now_s);
    assert(events != NULL);
    const unsigned count = check(events);
    event_journal_add(events, "arena_ready", strdup("{\"id\":\"x\"}"));
    store_flush(store);
    assert(check(events) == count + 1 && event_journal_unwritten(events) == 0);
    event_journal_close(events);
    events = event_journal_open(store, "arenas.events", now_s);
    assert(events != NULL && check(events) == count + 1);
    event_journal_close(events);
    store_close(store);
    return 0;
}
