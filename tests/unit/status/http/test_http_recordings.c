// SPDX-License-Identifier: MIT
// Tests of recordings over HTTP: the list, its pages and hostile names in it, and which paths are
// files.
#define _GNU_SOURCE
#include "http_fixture.h"

#include <jansson.h>

static char *get(struct http *http, const char *path)
{
    char request[512];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
             path);
    return ask(http, request);
}

static void add_entries(uint32_t count)
{
    assert_true(count <= MAX_ENTRIES);
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (struct recording_entry){.arena = "yard",
                                              .map = "crossfire",
                                              .winner = "Ada",
                                              .start_ms = 1795400000123,
                                              .size = 123456,
                                              .ticks = 7203,
                                              .tick_hz = 60,
                                              .round = i + 1,
                                              .part = 1,
                                              .players = 3,
                                              .bots = 5,
                                              .best_count = 1,
                                              .best = {{"Ada", 7, 2}},
                                              .is_complete = true};
        snprintf(entries[i].name, sizeof entries[i].name, "yard-20261123T030000Z-r%u.raimrec",
                 i + 1);
    }
    entry_count = count;
    entries_version++;
}

static json_t *get_page(struct http *http, const char *path)
{
    char *text = get(http, path);
    assert_int_equal(strncmp(text, "HTTP/1.1 200 ", 13), 0);
    assert_non_null(strstr(text, "\r\nContent-Type: application/json\r\n"));
    json_t *page = json_loads(body_of(text), 0, NULL);
    assert_non_null(page);
    return page;
}

TEST(entry_has_its_facts, start_server, stop_server)
{
    add_entries(1);
    entries[0].is_kept = true;
    char *text = get(*state, "/recordings");
    assert_string_equal(
        body_of(text),
        "{\"recordings\":[{\"name\":\"yard-20261123T030000Z-r1.raimrec\",\"arena\":\"yard\","
        "\"map\":\"crossfire\",\"round\":1,\"part\":1,\"started_at\":1795400000,"
        "\"length_s\":120.1,\"bytes\":123456,\"players\":3,\"bots\":5,"
        "\"best\":[{\"name\":\"Ada\",\"score\":7,\"deaths\":2}],\"winner\":\"Ada\","
        "\"complete\":true,\"clip\":false,\"kept\":true}],\"next\":null,\"count\":1,"
        "\"bytes\":1000}");
}

TEST(unreadable_file_is_listed_without_facts, start_server, stop_server)
{
    add_entries(1);
    entries[0].map[0] = entries[0].winner[0] = '\0';
    entries[0].ticks = entries[0].tick_hz = 0;
    json_t *page = get_page(*state, "/recordings");
    const json_t *entry = json_array_get(json_object_get(page, "recordings"), 0);
    assert_true(json_is_null(json_object_get(entry, "map")));
    assert_true(json_is_null(json_object_get(entry, "winner")));
    assert_true(json_number_value(json_object_get(entry, "length_s")) == 0);
    json_decref(page);
}

// What a file says of names and maps is not to be believed.
TEST(hostile_names_stay_json, start_server, stop_server)
{
    static const char *const names[] = {"\"},{\"x\":\"",
                                        "<script>",
                                        "\\\"\n\t\x01",
                                        "\xC3\x28",
                                        "\xF0\x9F\x98",
                                        "\xED\xA0\x80",
                                        "\xE2\x80\xA8\xE2\x80\xAE",
                                        "</script><b>"};
    // A byte that is not UTF-8 is shown as a question mark.
    static const char *const shown[] = {
        "\"},{\"x\":\"", "<script>", "\\\"\n\t\x01", "?(", "???", "???", "\xE2\x80\xA8\xE2\x80\xAE",
        "</script><b>"};
    enum { NAMES = sizeof names / sizeof *names };
    add_entries(NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(entries[i].winner, sizeof entries[i].winner, "%s", names[i]);
        snprintf(entries[i].map, sizeof entries[i].map, "%s", names[i]);
        snprintf(entries[i].best[0].name, sizeof entries[i].best[0].name, "%s", names[i]);
    }
    json_t *page = get_page(*state, "/recordings");
    const json_t *array = json_object_get(page, "recordings");
    assert_int_equal(json_array_size(array), NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        const json_t *entry = json_array_get(array, i);
        const char *winner = json_string_value(json_object_get(entry, "winner"));
        assert_int_equal(json_object_size(entry), 15);
        assert_non_null(winner);
        assert_string_equal(winner, shown[i]);
    }
    json_decref(page);
}

TEST(flood_renders_the_newest_page_once, start_server, stop_server)
{
    add_entries(MAX_ENTRIES);
    for (int i = 0; i < 50; i++)
        json_decref(get_page(*state, "/recordings"));
    assert_int_equal(listings, 1);
    add_entries(1);
    json_t *page = get_page(*state, "/recordings");
    assert_int_equal(json_array_size(json_object_get(page, "recordings")), 1);
    assert_int_equal(listings, 2);
    json_decref(page);
}
