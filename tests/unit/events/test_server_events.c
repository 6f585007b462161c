// SPDX-License-Identifier: MIT
// The events of the server: what each has, which are kept, and what is nobody else's business.
#define _GNU_SOURCE
#include "event_journal.h"
#include "json_writer.h"
#include "server_events.h"
#include "store.h"
#include "test.h"
#include "text_buffer.h"

static const struct journal_event *next(const struct server_events *events, uint64_t id)
{
    return event_journal_next(server_events_journal(events), id);
}

TEST(an_event_has_a_number_a_time_its_kind_and_arena)
{
    struct server_events *events = server_events_open(NULL);
    const uint64_t begin = event_journal_newest(server_events_journal(events));
    char head[64];
    server_events_add(events, "join", "a", strdup("{\"player\":{\"id\":5}}"));
    server_events_add(events, "reload", NULL, strdup("{}"));
    const struct journal_event *event = next(events, begin);
    assert_true(event->id == begin + 1);
    snprintf(head, sizeof head, "{\"id\":%" PRIu64 ",\"time\":\"20", event->id);
    assert_memory_equal(event->text, head, strlen(head));
    assert_non_null(
        strstr(event->text, "Z\",\"kind\":\"join\",\"arena\":\"a\",\"player\":{\"id\":5}}"));
    assert_true(json_text_is_object(event->text));
    event = next(events, event->id);
    assert_non_null(strstr(event->text, "Z\",\"kind\":\"reload\"}"));
    assert_true(json_text_is_object(event->text));
    assert_null(next(events, event->id));
    server_events_close(events);
}

TEST(chat_and_kills_are_kept_only_where_wanted)
{
    struct server_events *events = server_events_open(NULL);
    const uint64_t begin = event_journal_newest(server_events_journal(events));
    server_events_add(events, "chat", "a", strdup("{\"text\":\"x\"}"));
    server_events_add(events, "kill", "a", strdup("{}"));
    assert_null(next(events, begin));
    server_events_choose(events, UINT32_C(1) << EVENT_CHAT);
    assert_true(server_events_wants(events, EVENT_CHAT));
    assert_false(server_events_wants(events, EVENT_JOIN));
    server_events_add(events, "join", "a", strdup("{}"));
    server_events_add(events, "chat", "a", strdup("{\"text\":\"x\"}"));
    assert_string_equal(next(events, begin)->kind, "chat");
    assert_null(next(events, begin + 1));
    server_events_close(events);
    server_events_add(NULL, "join", "a", strdup("{}"));
}

TEST(what_is_private_is_cut_and_what_only_looks_like_it_is_not)
{
    static const struct {
        const char *text, *cut;
    } cases[] = {
        {"{\"by\":\"x\",\"private\":{\"network\":\"10.0.0.0/8\"}}", "{\"by\":\"x\"}"},
        {"{\"text\":\"\\\",\\\"private\\\":{\\\"a\"}",
         "{\"text\":\"\\\",\\\"private\\\":{\\\"a\"}"},
        {"{\"text\":\"a\",\"private\":{\"n\":\"}\"}}", "{\"text\":\"a\"}"},
        {"{}", "{}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_buffer out = {0};
        server_events_print_public(&out, cases[i].text);
        assert_string_equal(out.text, cases[i].cut);
        assert_true(json_text_is_object(out.text));
        free(text_buffer_take(&out));
    }
}

TEST(lost_memory_is_counted)
{
    struct server_events *events = server_events_open(NULL);
    server_events_add(events, "join", "a", NULL);
    assert_true(server_events_lost(events) == 1);
    server_events_close(events);
}

TEST(numbers_go_on_in_the_next_process)
{
    char directory[] = "/tmp/test_server_events_XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    struct store *store = store_create(directory);
    struct server_events *events = server_events_open(store);
    server_events_add(events, "start", NULL, strdup("{}"));
    const uint64_t newest = event_journal_newest(server_events_journal(events));
    server_events_close(events);
    store_flush(store);
    events = server_events_open(store);
    assert_true(event_journal_newest(server_events_journal(events)) >= newest);
    assert_string_equal(next(events, newest - 1)->kind, "start");
    server_events_add(events, "stop", NULL, strdup("{}"));
    store_flush(store);
    assert_true(next(events, newest)->id > newest);
    server_events_close(events);
    store_close(store);
    snprintf(path, sizeof path, "%s/server.events", directory);
    remove(path);
    remove(directory);
}
