// SPDX-License-Identifier: MIT
// An HTTP server whose pages are made up, and raw sockets that talk to it from the thread that runs
// it. Whoever includes this defines _GNU_SOURCE first.
#pragma once

#include "http.h"
#include "http_recordings.h"
#include "last_hour.h"
#include "summary_json.h"

#include "http_clients.h"
#include "live_json.h"
#include "loop.h"
#include "metrics.h"
#include "recordings.h"
#include "status.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_MS 10000U
#define LARGE_PAGE ((size_t)8 << 20)

static char yard; // an arena that is somewhere, and never looked at
static const struct arena_list list = {
    .arenas = {(struct arena *)&yard}, .count = 1, .worker_count = 2};
static const struct status_view view = {.list = &list};

// Requests ask for the host x.
static const struct http_access guard = {
    .host_count = 1, .hosts = {"x"}, .token = "0123456789abcdef"};

// What the rendering below does, and how often it was asked to.
static unsigned renderings;
static size_t page_bytes;
static bool out_of_memory;
static bool is_ready;
static uint64_t delay_ms; // of spectators

char *status_json(const struct status_view *given, uint64_t now_ms)
{
    assert_ptr_equal(given, &view);
    assert_true(now_ms > 0);
    renderings++;
    if (out_of_memory)
        return NULL;
    char *text = malloc(page_bytes + 1);
    assert_non_null(text);
    memset(text, 'x', page_bytes);
    text[page_bytes] = '\0';
    return text;
}

char *status_health_json(const struct status_view *given, uint64_t now_ms)
{
    (void)given, (void)now_ms;
    return strdup("{\"status\":\"ok\"}");
}

char *status_arena_json(const struct arena_list *given, const char *name, bool *missing)
{
    assert_ptr_equal(given, &list);
    renderings++;
    *missing = strcmp(name, "yard") != 0 && strcmp(name, "pit") != 0;
    char *text = NULL;
    assert_true(*missing || asprintf(&text, "{\"name\":\"%s\"}", name) > 0);
    return text;
}

const struct config_arena *arena_config(const struct arena *arena)
{
    static const struct config_arena config = {.name = "yard"};
    assert_ptr_equal(arena, &yard);
    return &config;
}

uint64_t live_delay_ms(const struct arena_list *given, int arena)
{
    (void)given, (void)arena;
    return delay_ms;
}

char *live_map_json(const struct arena_list *given, const char *name, bool *missing)
{
    *missing = arena_list_find(given, name) < 0;
    return *missing ? NULL : strdup("{\"border\":[0,0,1,1]}");
}

char *live_event(const struct arena_list *given, int arena, uint32_t *tick, size_t *size)
{
    (void)given, (void)arena;
    static const char event[] = "data: {}\n\n";
    ++*tick;
    *size = strlen(event);
    return strdup(event);
}

char *status_ready_json(const struct status_view *given, uint64_t now_ms, bool *ready)
{
    (void)given, (void)now_ms;
    *ready = is_ready;
    return strdup(is_ready ? "{\"status\":\"ready\"}" : "{\"status\":\"not ready\"}");
}

char *metrics_text(const struct status_view *given, uint64_t now_ms)
{
    (void)given, (void)now_ms;
    return strdup("raimd_players{arena=\"yard\"} 3\n");
}

char *summary_json(const struct status_view *given, uint64_t now_ms)
{
    (void)given, (void)now_ms;
    return strdup("{}");
}

char *last_hour_json(const struct last_hour *history, uint64_t now_ms)
{
    (void)history, (void)now_ms;
    return strdup("{}");
}

char *last_hour_arena_json(const struct last_hour *history, const char *name, uint64_t now_ms,
                           bool *missing)
{
    (void)history, (void)name, (void)now_ms;
    *missing = true;
    return NULL;
}

// The list of recordings below, which are made up, too: the newest first.
#define MAX_ENTRIES 120
static struct recording_entry entries[MAX_ENTRIES];
static uint32_t entry_count;
static uint64_t entries_version;
static unsigned listings;

uint64_t recordings_version(struct recordings *recordings)
{
    (void)recordings;
    return entries_version;
}

uint32_t recordings_count(struct recordings *recordings, uint64_t *bytes)
{
    (void)recordings;
    *bytes = UINT64_C(1000) * entry_count;
    return entry_count;
}

uint32_t recordings_list(struct recordings *recordings, const char *before,
                         struct recording_entry *copies, uint32_t capacity)
{
    (void)recordings;
    uint32_t first = 0, count = 0;
    listings++;
    for (uint32_t i = 0; before != NULL && i < entry_count; i++)
        if (strcmp(entries[i].name, before) == 0)
            first = i + 1;
    while (count < capacity && first + count < entry_count) {
        copies[count] = entries[first + count];
        count++;
    }
    return count;
}

int recordings_open_file(struct recordings *recordings, const char *name,
                         struct recording_entry *entry)
{
    (void)recordings, (void)name, (void)entry;
    errno = ENOENT;
    return -1;
}

static struct loop *loop;

static inline uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline struct http *open_server(const char *address, uint16_t port, char *error,
                                       size_t capacity)
{
    struct http *http = http_open(&(struct http_def){.loop = loop,
                                                     .address = address,
                                                     .port = port,
                                                     .guard = &guard,
                                                     .view = &view,
                                                     .status_schema = "{}",
                                                     .history_schema = "{}"},
                                  error, capacity);
    if (http != NULL)
        assert_true(
            http_recordings_serve(http_services(http), loop, (struct recordings *)&yard, false));
    return http;
}

static inline int start_server(void **state)
{
    char error[128] = "";
    renderings = 0;
    page_bytes = 100;
    out_of_memory = false;
    is_ready = true;
    delay_ms = 0;
    entry_count = 0;
    entries_version++;
    listings = 0;
    loop = loop_create();
    assert_non_null(loop);
    struct http *http = open_server("127.0.0.1", 0, error, sizeof error);
    assert_string_equal(error, "");
    assert_non_null(http);
    assert_true(http_port(http) > 0);
    *state = http;
    return 0;
}

static inline int stop_server(void **state)
{
    http_close(*state);
    loop_destroy(loop);
    return 0;
}

static inline int connect_client(const struct http *http)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(http_port(http))};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client >= 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&name, sizeof name), 0);
    return client;
}

// Runs what is due first.
static inline void serve(struct http *http, int longest_ms)
{
    (void)http;
    loop_wait(loop, longest_ms);
}

static inline void send_bytes(struct http *http, int client, const void *bytes, size_t size)
{
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    for (size_t sent = 0; sent < size;) {
        const ssize_t count =
            send(client, (const char *)bytes + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN)
            return; // the server has hung up, as it may
        sent += count > 0 ? (size_t)count : 0;
        serve(http, 0);
        assert_true(clock_ms() < deadline_ms);
    }
}

static inline void send_text(struct http *http, int client, const char *text)
{
    send_bytes(http, client, text, strlen(text));
}

// Serves until the server has closed the connection; returns all that it said.
static inline char *receive_all(struct http *http, int client)
{
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    size_t capacity = 1 << 16;
    size_t size = 0;
    char *text = malloc(capacity);
    assert_non_null(text);
    for (;;) {
        const ssize_t count = recv(client, text + size, capacity - 1 - size, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN))
            break;
        size += count > 0 ? (size_t)count : 0;
        if (capacity - size < 1 << 15) {
            text = realloc(text, capacity *= 2);
            assert_non_null(text);
        }
        serve(http, 5);
        assert_true(clock_ms() < deadline_ms);
    }
    text[size] = '\0';
    close(client);
    return freed(text);
}

static inline char *ask(struct http *http, const char *request)
{
    const int client = connect_client(http);
    send_text(http, client, request);
    return receive_all(http, client);
}

static inline unsigned occurrences(const char *text, const char *wanted)
{
    unsigned count = 0;
    for (; (text = strstr(text, wanted)) != NULL; text++)
        count++;
    return count;
}

static inline void assert_serves(struct http *http)
{
    char *answer = ask(http, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_non_null(strstr(answer, "HTTP/1.1 200 "));
    assert_non_null(strstr(answer, "\r\n\r\n{\"status\":\"ok\"}"));
}

static inline const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}
