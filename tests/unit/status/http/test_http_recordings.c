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
    free(text);
    return page;
}

static void assert_status(struct http *http, const char *path, const char *status)
{
    char *text = get(http, path);
    if (strncmp(text + strlen("HTTP/1.1 "), status, strlen(status)) != 0)
        fail_msg("want %s for %s, got %.200s", status, path, text);
    free(text);
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
    free(text);
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

TEST(list_is_read_page_by_page, start_server, stop_server)
{
    char path[128] = "/recordings";
    unsigned seen = 0;
    add_entries(MAX_ENTRIES);
    for (;;) {
        json_t *page = get_page(*state, path);
        const json_t *array = json_object_get(page, "recordings");
        const char *next = json_string_value(json_object_get(page, "next"));
        for (size_t i = 0; i < json_array_size(array); i++, seen++)
            assert_int_equal(json_integer_value(json_object_get(json_array_get(array, i), "round")),
                             seen + 1);
        assert_int_equal(json_integer_value(json_object_get(page, "count")), MAX_ENTRIES);
        assert_in_range(json_array_size(array), 1, 50);
        if (next != NULL)
            snprintf(path, sizeof path, "/recordings?before=%s", next);
        json_decref(page);
        if (next == NULL)
            break;
    }
    assert_int_equal(seen, MAX_ENTRIES);
    assert_status(*state, "/recordings?before=yard", "400");
    assert_status(*state, "/recordings?before=", "400");
    assert_status(*state, "/recordings?before=..%2F..%2Fetc%2Fpasswd", "400");
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

TEST(files_are_downloads_by_name, start_server, stop_server)
{
    strcpy(file_path, "/tmp/raimd-recording-XXXXXX");
    const int file = mkstemp(file_path);
    assert_int_equal(write(file, "0123456789", 10), 10);
    close(file);
    add_entries(2);
    char *text = get(*state, "/recordings/yard-20261123T030000Z-r2.raimrec");
    assert_int_equal(strncmp(text, "HTTP/1.1 200 ", 13), 0);
    assert_non_null(strstr(text, "filename=\"yard-20261123T030000Z-r2.raimrec\"\r\n"));
    assert_string_equal(body_of(text), "0123456789");
    free(text);
    text = ask(*state, "GET /recordings/yard-20261123T030000Z-r2.raimrec HTTP/1.1\r\nHost: x\r\n"
                       "Range: bytes=2-3\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(text, "HTTP/1.1 206 ", 13), 0);
    assert_string_equal(body_of(text), "23");
    free(text);
    text = ask(*state, "POST /recordings/yard-20261123T030000Z-r2.raimrec HTTP/1.1\r\nHost: x\r\n"
                       "Content-Length: 0\r\n\r\n");
    assert_int_equal(strncmp(text, "HTTP/1.1 405 ", 13), 0);
    free(text);
    text = ask(*state, "GET /recordings/yard-20261123T030000Z-r2.raimrec HTTP/1.1\r\n"
                       "Host: evil.example\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(text, "HTTP/1.1 421 ", 13), 0);
    free(text);
    unlink(file_path);
}

TEST(nothing_else_is_a_file, start_server, stop_server)
{
    static const char *const paths[] = {
        "/recordings/",
        "/recordings/yard-20261123T030000Z-r3.raimrec", // not in the list
        "/recordings/yard-20261123T030000Z-r1.raimrec.part",
        "/recordings/yard-20261123T030000Z-r1.raimrec.kept",
        "/recordings/yard-20261123T030000Z-r1.raimrec/",
        "/recordings/yard-20261123T030000Z-r1.raimrec%00",
        "/recordings/./yard-20261123T030000Z-r1.raimrec",
        "/recordings/../recordings/yard-20261123T030000Z-r1.raimrec",
        "/recordings/..%2F..%2F..%2Fetc%2Fpasswd",
        "/recordings//etc/passwd",
        "/recordingsx",
        "/Recordings",
    };
    add_entries(2);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_status(*state, paths[i], "404");
    open_errno = EMFILE;
    assert_status(*state, "/recordings/yard-20261123T030000Z-r1.raimrec", "503");
}
