// SPDX-License-Identifier: MIT
// Tests of the HTTP server: routes, response headers and streams.
#define _GNU_SOURCE
#include "http_fixture.h"

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
    // What may be kept has a tag to ask for.
    assert_true((strstr(answer, "\r\nCache-Control: no-store\r\n") != NULL) !=
                (strstr(answer, "\r\nETag: \"") != NULL));
    assert_int_equal(strncmp(body_of(answer), body, strlen(body)), 0);
}

TEST(arenas_are_found_by_name, start_server, stop_server)
{
    static const char json[] = "application/json";
    // Alternates between the paths, so that a mixed-up cache entry is noticed.
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

// Some are left open, for the end of the server to find asleep.
TEST(streams_go_on_until_either_side_ends, start_server, stop_server)
{
    int viewers[5];
    for (int i = 0; i < 5; i++) {
        viewers[i] = connect_client(*state);
        send_text(*state, viewers[i], "GET /arenas/yard/stream HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    char *answer = ask_for(*state, "HEAD", "/arenas/yard/stream");
    assert_non_null(strstr(answer, "\r\nContent-Type: text/event-stream\r\n"));
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

static void assert_status(struct http *http, const char *path, const char *headers, int status)
{
    char request[512], wanted[32];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n%sConnection: close\r\n\r\n", path,
             headers);
    char *answer = ask(http, request);
    snprintf(wanted, sizeof wanted, "HTTP/1.1 %d ", status);
    if (strncmp(answer, wanted, strlen(wanted)) != 0)
        fail_msg("want %s for %s with %s, got %s", wanted, path, headers, answer);
    assert_non_null(strstr(answer, "\r\nContent-Type: "));
    assert_null(strstr(answer, "Access-Control"));
}

// The first event of a stream for a request with these headers.
static void assert_hello(struct http *http, const char *headers, const char *hello)
{
    char request[512], text[4096] = "";
    size_t size = 0;
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    const int viewer = connect_client(http);
    snprintf(request, sizeof request, "GET /arenas/yard/stream HTTP/1.1\r\nHost: x\r\n%s\r\n",
             headers);
    send_text(http, viewer, request);
    while (strstr(text, "delay_ms") == NULL && strstr(text, "error") == NULL) {
        const ssize_t count = recv(viewer, text + size, sizeof text - 1 - size, MSG_DONTWAIT);
        size += count > 0 ? (size_t)count : 0;
        serve(http, 10);
        assert_true(clock_ms() < deadline_ms);
    }
    if (strstr(text, hello) == NULL)
        fail_msg("want %s with %s, got %s", hello, headers, text);
    close(viewer);
    serve(http, 0);
}

TEST(only_the_token_sees_without_delay, start_server, stop_server)
{
    static const char late[] = "{\"delay_ms\":5000}", now[] = "{\"delay_ms\":0}";
    static const char *const others[] = {"",
                                         "X-Forwarded-For: 127.0.0.1\r\n",
                                         "CF-Connecting-IP: 127.0.0.1\r\n",
                                         "True-Client-IP: 127.0.0.1\r\n",
                                         "X-Forwarded-Host: x\r\n",
                                         "Cookie: token=0123456789abcdef\r\n"};
    delay_ms = 5000;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_hello(*state, others[i], late);
    assert_hello(*state, "Authorization: Bearer 0123456789abcdef\r\n", now);
    assert_hello(*state, "Authorization: Bearer 0123456789abcdeF\r\n", "invalid token");
    assert_status(*state, "/arenas/yard/stream", "Host: x\r\nAuthorization: Bearer x\r\n", 401);
    assert_hello(*state, "Authorization: Basic 0123456789abcdef\r\n", late);
    assert_status(*state, "/status", "Host: x\r\nAuthorization: Basic x\r\n", 200);
}

TEST(idle_server_asks_for_no_wake_up, start_server, stop_server)
{
    assert_false(loop_wait(loop, 100));
}

TEST(flood_renders_each_page_once_an_interval, start_server, stop_server)
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
    }
    assert_in_range(renderings, 2, 2 * ((clock_ms() - start_ms) / 100 + 1));
}

TEST(page_survives_its_replacement_while_it_is_sent, start_server, stop_server)
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
        ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert_true(clock_ms() < deadline_ms);
    }
    char *answer = receive_all(*state, slow);
    assert_int_equal(strlen(body_of(answer)), LARGE_PAGE);
}

TEST(no_memory_for_the_page_is_503, start_server, stop_server)
{
    out_of_memory = true;
    char *answer = ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(answer, "HTTP/1.1 503 ", 13), 0);
    assert_string_equal(body_of(answer), "{\"error\":\"out of memory\"}");
    out_of_memory = false;
    answer = ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
}

TEST(port_is_free_again_after_close, start_server, stop_server)
{
    char error[128] = "";
    struct http *http = open_server("127.0.0.1", 0, error, sizeof error);
    assert_non_null(http);
    const uint16_t port = http_port(http);
    const int client = connect_client(http); // left open: its port stays half in use
    serve(http, 0);
    http_close(http);
    http = open_server("127.0.0.1", port, error, sizeof error);
    assert_string_equal(error, "");
    assert_non_null(http);
    http_close(http);
    http_close(NULL);
    close(client);
}
