// SPDX-License-Identifier: MIT
// Tests of the HTTP server: raw sockets talk to it from the thread that runs it.
#define _GNU_SOURCE
#include "http.h"

#include "http_clients.h"
#include "live.h"
#include "metrics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define DEADLINE_MS 10000U
#define LARGE_PAGE ((size_t)8 << 20)

static uint64_t seed;
static const struct status_source source = {.arena_count = 1, .workers = 2};

// What the rendering below does, and how often it was asked to.
static unsigned renderings;
static size_t page_bytes;
static bool out_of_memory;
static bool is_ready;

char *status_json(const struct status_source *given, uint64_t now_ms)
{
    assert_ptr_equal(given, &source);
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

char *status_health_json(const struct status_source *given, uint64_t now_ms)
{
    (void)given, (void)now_ms;
    return strdup("{\"status\":\"ok\"}");
}

char *status_arena_json(const struct status_source *given, const char *name, bool *missing)
{
    assert_ptr_equal(given, &source);
    renderings++;
    *missing = strcmp(name, "yard") != 0 && strcmp(name, "pit") != 0;
    char *text = NULL;
    assert_true(*missing || asprintf(&text, "{\"name\":\"%s\"}", name) > 0);
    return text;
}

int live_find(const struct status_source *given, const char *name)
{
    (void)given;
    return strcmp(name, "yard") == 0 ? 0 : -1;
}

uint64_t live_delay_ms(const struct status_source *given, int arena)
{
    (void)given, (void)arena;
    return 0;
}

char *live_map_json(const struct status_source *given, const char *name, bool *missing)
{
    *missing = live_find(given, name) < 0;
    return *missing ? NULL : strdup("{\"border\":[0,0,1,1]}");
}

char *live_event(const struct status_source *given, int arena, uint32_t *tick, size_t *size)
{
    (void)given, (void)arena;
    static const char event[] = "data: {}\n\n";
    ++*tick;
    *size = strlen(event);
    return strdup(event);
}

char *status_ready_json(const struct status_source *given, uint64_t now_ms, bool *ready)
{
    (void)given, (void)now_ms;
    *ready = is_ready;
    return strdup(is_ready ? "{\"status\":\"ready\"}" : "{\"status\":\"not ready\"}");
}

char *metrics_text(const struct status_source *given, uint64_t now_ms)
{
    (void)given, (void)now_ms;
    return strdup("raimd_players{arena=\"yard\"} 3\n");
}

static uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int start_server(void **state)
{
    char error[128] = "";
    renderings = 0;
    page_bytes = 100;
    out_of_memory = false;
    is_ready = true;
    struct http *http = http_open("127.0.0.1", 0, &source, error, sizeof error);
    assert_string_equal(error, "");
    assert_non_null(http);
    assert_true(http_port(http) > 0);
    *state = http;
    return 0;
}

static int stop_server(void **state)
{
    http_close(*state);
    return 0;
}

static int connect_client(const struct http *http)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(http_port(http))};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client >= 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&name, sizeof name), 0);
    return client;
}

// One turn of the loop that http.h asks of its caller.
static void serve(struct http *http, int longest_ms)
{
    struct pollfd set = {.fd = http_descriptor(http), .events = POLLIN};
    const int timeout_ms = http_timeout_ms(http);
    poll(&set, 1, timeout_ms < 0 || timeout_ms > longest_ms ? longest_ms : timeout_ms);
    http_run(http);
}

static void send_bytes(struct http *http, int client, const void *bytes, size_t size)
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

static void send_text(struct http *http, int client, const char *text)
{
    send_bytes(http, client, text, strlen(text));
}

// Serves until the server has closed the connection; returns all that it said, to be freed.
static char *receive_all(struct http *http, int client)
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
    return text;
}

static char *ask(struct http *http, const char *request)
{
    const int client = connect_client(http);
    send_text(http, client, request);
    return receive_all(http, client);
}

static unsigned occurrences(const char *text, const char *wanted)
{
    unsigned count = 0;
    for (; (text = strstr(text, wanted)) != NULL; text++)
        count++;
    return count;
}

static void assert_serves(struct http *http)
{
    char *answer = ask(http, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_non_null(strstr(answer, "HTTP/1.1 200 "));
    assert_non_null(strstr(answer, "\r\n\r\n{\"status\":\"ok\"}"));
    free(answer);
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}

static void test_status_is_json_that_nobody_may_keep(void **state)
{
    char *answer = ask(*state, "GET /status?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
    assert_non_null(strstr(answer, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(answer, "\r\nCache-Control: no-store\r\n"));
    assert_non_null(strstr(answer, "\r\nContent-Length: 100\r\n"));
    assert_int_equal(strlen(body_of(answer)), 100);
    free(answer);
    assert_serves(*state);
}

static char *ask_for(struct http *http, const char *method, const char *path)
{
    char request[256];
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
             method, path);
    return ask(http, request);
}

static void assert_answer(struct http *http, const char *path, int status, const char *type,
                          const char *body)
{
    char wanted[128];
    char *answer = ask_for(http, "GET", path);
    snprintf(wanted, sizeof wanted, "HTTP/1.1 %d ", status);
    assert_int_equal(strncmp(answer, wanted, strlen(wanted)), 0);
    snprintf(wanted, sizeof wanted, "\r\nContent-Type: %s\r\n", type);
    assert_non_null(strstr(answer, wanted));
    assert_non_null(strstr(answer, "\r\nCache-Control: no-store\r\n"));
    assert_int_equal(strncmp(body_of(answer), body, strlen(body)), 0);
    free(answer);
}

static void test_metrics_have_the_type_that_prometheus_wants(void **state)
{
    assert_answer(*state, "/metrics", 200, "text/plain; version=0.0.4; charset=utf-8",
                  "raimd_players{arena=\"yard\"} 3\n");
}

static void test_arenas_are_found_by_name(void **state)
{
    static const char json[] = "application/json";
    // In turn, so that one would be seen in the other's place.
    for (int i = 0; i < 2; i++) {
        assert_answer(*state, "/arenas/yard", 200, json, "{\"name\":\"yard\"}");
        assert_answer(*state, "/arenas/pit?a=b", 200, json, "{\"name\":\"pit\"}");
        assert_answer(*state, "/arenas/%70%69t", 200, json, "{\"name\":\"pit\"}");
    }
    assert_in_range(renderings, 2, 6);
    static const char *const nobody[] = {"/arenas/none", "/arenas/yard/", "/arenas/yardx",
                                         "/arenas/Yard", "/arenas/yard%20"};
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
        assert_answer(*state, nobody[i], 404, json, "{\"error\":\"not found\",");
    renderings = 0;
    char longest[200] = "/arenas/";
    memset(longest + strlen(longest), 'a', 150);
    static const char *const nothing[] = {"/arenas", "/arenas/", "//arenas/yard"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_answer(*state, nothing[i], 404, json, "{\"error\":\"not found\",");
    assert_answer(*state, longest, 404, json, "{\"error\":\"not found\",");
    assert_int_equal(renderings, 0);
}

static void test_dashboard_may_load_nothing_from_elsewhere(void **state)
{
    static const char *const paths[] = {"/", "/dashboard.css", "/dashboard.js"};
    static const char *const types[] = {"text/html", "text/css", "text/javascript"};
    for (int i = 0; i < 3; i++) {
        char type[64];
        snprintf(type, sizeof type, "%s; charset=utf-8", types[i]);
        assert_answer(*state, paths[i], 200, type, "");
        char *answer = ask_for(*state, "HEAD", paths[i]);
        assert_non_null(strstr(answer, "\r\nContent-Security-Policy: default-src 'none'; "));
        assert_null(strstr(answer, "unsafe"));
        free(answer);
        answer = ask_for(*state, "POST", paths[i]);
        assert_int_equal(strncmp(answer, "HTTP/1.1 405 ", 13), 0);
        free(answer);
    }
}

static void test_maps_are_found_by_the_arenas_name(void **state)
{
    static const char json[] = "application/json";
    assert_answer(*state, "/arenas/yard/map", 200, json, "{\"border\":[0,0,1,1]}");
    assert_answer(*state, "/arenas/pit/map", 404, json, "{\"error\":\"not found\",");
    assert_answer(*state, "/arenas/pit/stream", 404, json, "{\"error\":\"not found\",");
    assert_answer(*state, "/arenas//map", 404, json, "{\"error\":\"not found\",");
}

// Some are left open, for the end of the server to find asleep.
static void test_streams_go_on_until_either_side_ends(void **state)
{
    int viewers[5];
    for (int i = 0; i < 5; i++) {
        viewers[i] = connect_client(*state);
        send_text(*state, viewers[i], "GET /arenas/yard/stream HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    char *answer = ask_for(*state, "HEAD", "/arenas/yard/stream");
    assert_non_null(strstr(answer, "\r\nContent-Type: text/event-stream\r\n"));
    free(answer);
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    for (int i = 0; i < 5; i++) {
        char text[4096];
        size_t size = 0;
        unsigned events = 0;
        while (events < 5) {
            const ssize_t count =
                recv(viewers[i], text + size, sizeof text - 1 - size, MSG_DONTWAIT);
            assert_true(count > 0 || (count < 0 && errno == EAGAIN));
            size += count > 0 ? (size_t)count : 0;
            text[size] = '\0';
            events = occurrences(text, "data: {}\n\n");
            serve(*state, 100);
            assert_true(clock_ms() < deadline_ms);
        }
        assert_non_null(strstr(text, "event: hello\ndata: {\"delay_ms\":0}\n\n"));
        if (i < 3)
            close(viewers[i]);
    }
    assert_serves(*state);
}

static void test_readiness_is_told_by_the_status_too(void **state)
{
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    assert_answer(*state, "/readyz", 200, "application/json", "{\"status\":\"ready\"}");
    is_ready = false;
    char *answer = ask_for(*state, "GET", "/readyz");
    while (strncmp(answer, "HTTP/1.1 200 ", 13) == 0 && clock_ms() < deadline_ms) {
        free(answer); // rendered less than an interval ago
        answer = ask_for(*state, "GET", "/readyz");
    }
    assert_int_equal(strncmp(answer, "HTTP/1.1 503 ", 13), 0);
    assert_string_equal(body_of(answer), "{\"status\":\"not ready\"}");
    free(answer);
    answer = ask_for(*state, "HEAD", "/readyz");
    assert_int_equal(strncmp(answer, "HTTP/1.1 503 ", 13), 0);
    assert_string_equal(body_of(answer), "");
    free(answer);
}

static void test_head_tells_the_length_without_the_body(void **state)
{
    char *answer = ask(*state, "HEAD /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
    assert_non_null(strstr(answer, "\r\nContent-Length: 100\r\n"));
    assert_string_equal(body_of(answer), "");
    free(answer);
}

static void test_unknown_path_is_404_in_json(void **state)
{
    static const char *const paths[] = {"/arenas/yard/map/", "/status/", "/Status",
                                        "/../etc/passwd", "/a%00b"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char request[128];
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                 paths[i]);
        char *answer = ask(*state, request);
        assert_int_equal(strncmp(answer, "HTTP/1.1 404 ", 13), 0);
        assert_non_null(strstr(answer, "\r\nContent-Type: application/json\r\n"));
        assert_int_equal(strncmp(body_of(answer), "{\"error\":\"not found\",", 21), 0);
        free(answer);
    }
    assert_int_equal(renderings, 0);
}

static void test_other_method_is_405_and_hears_what_is_allowed(void **state)
{
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char request[128];
        snprintf(request, sizeof request,
                 "%s /status HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                 methods[i]);
        char *answer = ask(*state, request);
        assert_int_equal(strncmp(answer, "HTTP/1.1 405 ", 13), 0);
        assert_non_null(strstr(answer, "\r\nAllow: GET, HEAD\r\n"));
        assert_non_null(strstr(answer, "\r\nContent-Type: application/json\r\n"));
        assert_int_equal(strncmp(body_of(answer), "{\"error\":\"method not allowed\"", 29), 0);
        free(answer);
    }
    assert_int_equal(renderings, 0);
}

static void test_pipelined_requests_are_answered_in_order(void **state)
{
    char *answer = ask(*state, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                               "HEAD /status HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const char *health = strstr(answer, "{\"status\":\"ok\"}");
    const char *missing = strstr(answer, "HTTP/1.1 404 ");
    const char *page = strstr(answer, "xxxxx");
    assert_true(health != NULL && missing != NULL && page != NULL);
    assert_true(health < missing && missing < page);
    assert_int_equal(occurrences(answer, "HTTP/1.1 200 "), 3);
    assert_int_equal(occurrences(answer, "HTTP/1.1 "), 4);
    free(answer);
}

static void test_slow_request_delays_nobody(void **state)
{
    const int slow = connect_client(*state);
    send_text(*state, slow, "GET /heal");
    assert_serves(*state);
    send_text(*state, slow, "thz HTTP/1.1\r\nHost: x\r\nConn");
    assert_serves(*state);
    send_text(*state, slow, "ection: close\r\n\r\n");
    char *answer = receive_all(*state, slow);
    assert_non_null(strstr(answer, "{\"status\":\"ok\"}"));
    free(answer);
}

static void test_silent_connection_is_closed_by_the_timeout_alone(void **state)
{
    const uint64_t start_ms = clock_ms();
    const int silent = connect_client(*state);
    send_text(*state, silent, "GET /stat");
    // receive_all would also wake up by itself: here only the promised timeout may.
    struct pollfd client = {.fd = silent, .events = POLLIN};
    while (poll(&client, 1, 0) == 0) {
        const int timeout_ms = http_timeout_ms(*state);
        assert_in_range(timeout_ms, 0, 5100);
        serve(*state, timeout_ms);
        assert_true(clock_ms() - start_ms < DEADLINE_MS);
    }
    assert_in_range(clock_ms() - start_ms, 4000, 8000);
    free(receive_all(*state, silent));
    assert_serves(*state);
}

// One drips its request and one sips its answer, so that neither is ever idle; and one asks again
// and again, which is its right.
static void test_who_drips_or_sips_is_ended_by_the_deadline(void **state)
{
    static const char next[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    struct http *http = *state;
    const uint64_t start_ms = clock_ms();
    const int dripping = connect_client(http), sipping = connect_client(http);
    const int busy = connect_client(http);
    const int small = 1 << 16;
    setsockopt(sipping, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    page_bytes = LARGE_PAGE;
    send_text(http, dripping, "GET /status HTTP/1.1\r\nHost: x\r\nX: ");
    send_text(http, sipping, "GET /status HTTP/1.1\r\nHost: x\r\n\r\n");
    uint64_t ended_ms = 0;
    size_t sipped = 0;
    char bytes[4096];
    for (uint64_t turn_ms = start_ms; turn_ms < start_ms + HTTP_DEADLINE_MS + 1500;) {
        serve(http, 20);
        if (clock_ms() < turn_ms + 100)
            continue;
        turn_ms = clock_ms();
        if (ended_ms == 0 && recv(dripping, bytes, sizeof bytes, MSG_DONTWAIT) == 0)
            ended_ms = turn_ms;
        if (ended_ms == 0)
            assert_int_equal(send(dripping, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL), 1);
        sipped += recv(sipping, bytes, 1, MSG_DONTWAIT) == 1;
        assert_int_equal(send(busy, next, strlen(next), MSG_DONTWAIT | MSG_NOSIGNAL), strlen(next));
        assert_true(recv(busy, bytes, sizeof bytes, MSG_DONTWAIT) != 0);
    }
    assert_in_range(ended_ms - start_ms, HTTP_DEADLINE_MS, HTTP_DEADLINE_MS + 1000);
    close(dripping);
    // What the kernels had taken still comes, then the end.
    char *rest = receive_all(http, sipping);
    assert_true(sipped > 50 && sipped + strlen(rest) < LARGE_PAGE);
    free(rest);
    close(busy);
    assert_serves(http);
}

static void test_clients_keep_their_own_deadlines(void **state)
{
    (void)state;
    struct http_clients clients = {0};
    int ends[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(http_clients_timeout_ms(&clients, 7), -1);
    struct http_client *first = http_clients_join(&clients, ends[0], 1000);
    struct http_client *second = http_clients_join(&clients, ends[0], 2000);
    assert_true(first != NULL && second != NULL && first != second);
    assert_int_equal(http_clients_timeout_ms(&clients, 1000), HTTP_DEADLINE_MS);
    http_client_renew(first, 3000);
    assert_int_equal(http_clients_timeout_ms(&clients, 3000), HTTP_DEADLINE_MS - 1000);
    http_client_leave(second);
    assert_int_equal(http_clients_timeout_ms(&clients, 3000), HTTP_DEADLINE_MS);
    http_clients_end_late(&clients, 3000 + HTTP_DEADLINE_MS - 1);
    assert_true(recv(ends[1], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    assert_int_equal(http_clients_timeout_ms(&clients, 4000 + HTTP_DEADLINE_MS), 0);
    http_clients_end_late(&clients, 3000 + HTTP_DEADLINE_MS);
    assert_int_equal(recv(ends[1], &byte, 1, MSG_DONTWAIT), 0);
    // It is still there until the library has seen its end, but there is no more to wait for.
    assert_int_equal(http_clients_timeout_ms(&clients, 4000 + HTTP_DEADLINE_MS), -1);
    http_client_leave(first);
    for (size_t i = 0; i < HTTP_MAX_CLIENTS; i++)
        assert_non_null(http_clients_join(&clients, ends[0], 1));
    assert_null(http_clients_join(&clients, ends[0], 1));
    close(ends[0]);
    close(ends[1]);
}

static void test_idle_server_asks_for_no_wake_up(void **state)
{
    assert_int_equal(http_timeout_ms(*state), -1);
}

static void test_more_clients_than_places_wait_for_one(void **state)
{
    int clients[HTTP_MAX_CLIENTS + 6];
    const int count = sizeof clients / sizeof *clients;
    for (int i = 0; i < count; i++) {
        clients[i] = connect_client(*state);
        serve(*state, 0);
    }
    const int late = clients[count - 1];
    send_text(*state, late, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    char byte;
    for (int i = 0; i < 20; i++)
        serve(*state, 1);
    assert_true(recv(late, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    for (int i = 0; i < count - 1; i++)
        close(clients[i]);
    char *answer = receive_all(*state, late);
    assert_non_null(strstr(answer, "{\"status\":\"ok\"}"));
    free(answer);
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static void test_garbage_bytes_stop_nothing(void **state)
{
    static const char valid[] = "GET /status HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n";
    print_message("seed %" PRIu64 "\n", seed);
    uint64_t random = seed | 1;
    for (int round = 0; round < 200; round++) {
        unsigned char bytes[512];
        const size_t size = 1 + next_random(&random) % sizeof bytes;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)next_random(&random);
        if (round % 2 == 1) { // damage a request in a few places instead
            memcpy(bytes, valid, sizeof valid - 1);
            for (int i = 0; i < 3; i++) {
                bytes[next_random(&random) % (sizeof valid - 1)] =
                    (unsigned char)next_random(&random);
            }
        }
        const int client = connect_client(*state);
        send_bytes(*state, client, bytes, size);
        serve(*state, 0); // reads the bytes before the end of the stream comes
        close(client);
        serve(*state, 0);
    }
    assert_serves(*state);
}

static void test_endless_header_is_refused(void **state)
{
    const int client = connect_client(*state);
    send_text(*state, client, "GET /status HTTP/1.1\r\nHost: x\r\nX: ");
    char block[1024];
    memset(block, 'a', sizeof block);
    for (int i = 0; i < 64; i++)
        send_bytes(*state, client, block, sizeof block);
    char *answer = receive_all(*state, client);
    assert_null(strstr(answer, " 200 "));
    free(answer);
    assert_int_equal(renderings, 0);
    assert_serves(*state);
}

static void test_body_is_never_taken_for_a_request(void **state)
{
    static const char *const methods[] = {"GET", "HEAD", "POST"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char request[256];
        snprintf(request, sizeof request,
                 "%s /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 45\r\n\r\n"
                 "GET /status HTTP/1.1\r\nConnection: close\r\n\r\n..",
                 methods[i]);
        const int client = connect_client(*state);
        send_text(*state, client, request);
        char *answer = receive_all(*state, client);
        assert_int_equal(occurrences(answer, "HTTP/1.1 "), 1);
        free(answer);
    }
    assert_int_equal(renderings, 0);
}

static void test_flood_renders_each_page_once_an_interval(void **state)
{
    const uint64_t start_ms = clock_ms();
    for (int i = 0; i < 20; i++) {
        char requests[32 * 64] = "";
        for (int j = 0; j < 31; j++)
            strcat(requests, j % 2 == 0 ? "GET /arenas/pit HTTP/1.1\r\nHost: x\r\n\r\n"
                                        : "GET /status HTTP/1.1\r\nHost: x\r\n\r\n");
        strcat(requests, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        char *answer = ask(*state, requests);
        assert_int_equal(occurrences(answer, "HTTP/1.1 200 "), 32);
        free(answer);
    }
    assert_in_range(renderings, 2, 2 * ((clock_ms() - start_ms) / 100 + 1));
}

static void test_status_is_rendered_anew_after_the_interval(void **state)
{
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    while (renderings < 2) {
        free(ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        assert_true(clock_ms() < deadline_ms);
    }
}

static void test_page_survives_its_replacement_while_it_is_sent(void **state)
{
    page_bytes = LARGE_PAGE;
    const int slow = connect_client(*state);
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    send_text(*state, slow, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    while (renderings == 0) {
        serve(*state, 5);
        assert_true(clock_ms() < deadline_ms);
    }
    page_bytes = 100;
    while (renderings < 2) {
        free(ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        assert_true(clock_ms() < deadline_ms);
    }
    char *answer = receive_all(*state, slow);
    assert_int_equal(strlen(body_of(answer)), LARGE_PAGE);
    free(answer);
}

static void test_client_that_hangs_up_early_raises_no_signal(void **state)
{
    page_bytes = LARGE_PAGE;
    for (int i = 0; i < 8; i++) {
        const int client = connect_client(*state);
        send_text(*state, client, "GET /status HTTP/1.1\r\nHost: x\r\n\r\n");
        const struct linger reset = {.l_onoff = i % 2, .l_linger = 0};
        setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(client);
        for (int j = 0; j < 5; j++)
            serve(*state, 1);
    }
    assert_serves(*state);
}

static void test_no_memory_for_the_page_is_503(void **state)
{
    out_of_memory = true;
    char *answer = ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(answer, "HTTP/1.1 503 ", 13), 0);
    assert_string_equal(body_of(answer), "{\"error\":\"out of memory\"}");
    free(answer);
    out_of_memory = false;
    answer = ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
    free(answer);
}

static void test_port_in_use_is_named_in_the_error(void **state)
{
    char error[128];
    char wanted[128];
    const uint16_t port = http_port(*state);
    assert_null(http_open("127.0.0.1", port, &source, error, sizeof error));
    snprintf(wanted, sizeof wanted, "cannot bind tcp 127.0.0.1:%u: Address already in use", port);
    assert_string_equal(error, wanted);
    assert_serves(*state);
}

static void test_address_that_is_none_is_named_in_the_error(void **state)
{
    (void)state;
    char error[128];
    assert_null(http_open("localhost", 80, &source, error, sizeof error));
    assert_string_equal(error, "cannot bind tcp localhost:80: not an IPv4 address");
    assert_null(http_open("203.0.113.1", 8080, &source, error, sizeof error));
    assert_string_equal(error, "cannot bind tcp 203.0.113.1:8080: Cannot assign requested address");
}

static void test_port_is_free_again_after_close(void **state)
{
    (void)state;
    char error[128] = "";
    struct http *http = http_open("127.0.0.1", 0, &source, error, sizeof error);
    assert_non_null(http);
    const uint16_t port = http_port(http);
    const int client = connect_client(http); // left open: its port stays half in use
    serve(http, 0);
    http_close(http);
    http = http_open("127.0.0.1", port, &source, error, sizeof error);
    assert_string_equal(error, "");
    assert_non_null(http);
    http_close(http);
    http_close(NULL);
    close(client);
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, start_server, stop_server)

int main(int argc, char **argv)
{
    seed = clock_ms();
    if (argc == 3 && strcmp(argv[1], "--seed") == 0)
        seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        SERVED(test_status_is_json_that_nobody_may_keep),
        SERVED(test_head_tells_the_length_without_the_body),
        SERVED(test_metrics_have_the_type_that_prometheus_wants),
        SERVED(test_arenas_are_found_by_name),
        SERVED(test_readiness_is_told_by_the_status_too),
        SERVED(test_dashboard_may_load_nothing_from_elsewhere),
        SERVED(test_maps_are_found_by_the_arenas_name),
        SERVED(test_streams_go_on_until_either_side_ends),
        SERVED(test_unknown_path_is_404_in_json),
        SERVED(test_other_method_is_405_and_hears_what_is_allowed),
        SERVED(test_pipelined_requests_are_answered_in_order),
        SERVED(test_slow_request_delays_nobody),
        SERVED(test_silent_connection_is_closed_by_the_timeout_alone),
        SERVED(test_who_drips_or_sips_is_ended_by_the_deadline),
        cmocka_unit_test(test_clients_keep_their_own_deadlines),
        SERVED(test_idle_server_asks_for_no_wake_up),
        SERVED(test_more_clients_than_places_wait_for_one),
        SERVED(test_garbage_bytes_stop_nothing),
        SERVED(test_endless_header_is_refused),
        SERVED(test_body_is_never_taken_for_a_request),
        SERVED(test_flood_renders_each_page_once_an_interval),
        SERVED(test_status_is_rendered_anew_after_the_interval),
        SERVED(test_page_survives_its_replacement_while_it_is_sent),
        SERVED(test_client_that_hangs_up_early_raises_no_signal),
        SERVED(test_no_memory_for_the_page_is_503),
        SERVED(test_port_in_use_is_named_in_the_error),
        cmocka_unit_test(test_address_that_is_none_is_named_in_the_error),
        cmocka_unit_test(test_port_is_free_again_after_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
