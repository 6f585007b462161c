// SPDX-License-Identifier: MIT
// Tests of the HTTP server: routes, response headers and streams.
#define _GNU_SOURCE
#include "http_fixture.h"

TEST(status_is_json_that_nobody_may_keep, start_server, stop_server)
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
    // What may be kept has a tag to ask for.
    assert_true((strstr(answer, "\r\nCache-Control: no-store\r\n") != NULL) !=
                (strstr(answer, "\r\nETag: \"") != NULL));
    assert_int_equal(strncmp(body_of(answer), body, strlen(body)), 0);
    free(answer);
}

TEST(metrics_have_the_type_that_prometheus_wants, start_server, stop_server)
{
    assert_answer(*state, "/metrics", 200, "text/plain; version=0.0.4; charset=utf-8",
                  "raimd_players{arena=\"yard\"} 3\n");
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

TEST(dashboard_may_load_nothing_from_elsewhere, start_server, stop_server)
{
    static const char *const paths[] = {"/", "/dashboard/dashboard.css", "/dashboard/net.js"};
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

TEST(maps_are_found_by_the_arenas_name, start_server, stop_server)
{
    static const char json[] = "application/json";
    assert_answer(*state, "/arenas/yard/map", 200, json, "{\"border\":[0,0,1,1]}");
    assert_answer(*state, "/arenas/pit/map", 404, json, "{\"error\":\"not found\",");
    assert_answer(*state, "/arenas/pit/stream", 404, json, "{\"error\":\"not found\",");
    assert_answer(*state, "/arenas//map", 404, json, "{\"error\":\"not found\",");
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

TEST(readiness_is_reported_by_the_status_too, start_server, stop_server)
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

TEST(head_reports_the_length_without_the_body, start_server, stop_server)
{
    char *answer = ask(*state, "HEAD /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
    assert_non_null(strstr(answer, "\r\nContent-Length: 100\r\n"));
    assert_string_equal(body_of(answer), "");
    free(answer);
}

TEST(unknown_path_is_404_in_json, start_server, stop_server)
{
    static const char *const paths[] = {"/arenas/yard/map/", "/status/", "/Status",
                                        "/../etc/passwd", "/a%01b"};
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

// From 1.0.10 on the library rejects it by itself.
TEST(a_path_with_a_nul_in_it_is_no_page, start_server, stop_server)
{
    char *answer = ask(*state, "GET /a%00b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_true(strncmp(answer, "HTTP/1.1 404 ", 13) == 0 ||
                strncmp(answer, "HTTP/1.1 400 ", 13) == 0);
    free(answer);
    assert_int_equal(renderings, 0);
}

TEST(other_method_is_405_and_receives_what_is_allowed, start_server, stop_server)
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
    free(answer);
}

TEST(pages_from_elsewhere_get_nothing, start_server, stop_server)
{
    static const char *const paths[] = {
        "/",        "/status",  "/arenas/yard",        "/arenas/yard/map",
        "/metrics", "/healthz", "/arenas/yard/stream", "/none"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_status(*state, paths[i], "Host: evil.example\r\n", 421);
        assert_status(*state, paths[i], "Host: x\r\nOrigin: http://evil.example\r\n", 403);
        assert_status(*state, paths[i], "Host: x\r\nOrigin: null\r\n", 403);
    }
    assert_int_equal(renderings, 0);
    assert_status(*state, "/status", "Host: x:80\r\n", 200);
    assert_status(*state, "/status", "Host: 192.0.2.1\r\n", 200);
    assert_status(*state, "/status", "Host: localhost:1\r\nOrigin: http://localhost:1\r\n", 200);
    char *answer =
        ask(*state, "GET /status HTTP/1.0\r\n\r\n"); // no browser, which would name a host
    assert_non_null(strstr(answer, " 200 "));
    assert_non_null(strstr(answer, "\r\nCross-Origin-Resource-Policy: same-origin\r\n"));
    assert_non_null(strstr(answer, "\r\nX-Content-Type-Options: nosniff\r\n"));
    free(answer);
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
        free(answer);
    }
    assert_in_range(renderings, 2, 2 * ((clock_ms() - start_ms) / 100 + 1));
}

TEST(status_is_rendered_anew_after_the_interval, start_server, stop_server)
{
    const uint64_t deadline_ms = clock_ms() + DEADLINE_MS;
    while (renderings < 2) {
        free(ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        assert_true(clock_ms() < deadline_ms);
    }
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
        free(ask(*state, "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        assert_true(clock_ms() < deadline_ms);
    }
    char *answer = receive_all(*state, slow);
    assert_int_equal(strlen(body_of(answer)), LARGE_PAGE);
    free(answer);
}

TEST(no_memory_for_the_page_is_503, start_server, stop_server)
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

TEST(port_in_use_is_named_in_the_error, start_server, stop_server)
{
    char error[128];
    char wanted[128];
    const uint16_t port = http_port(*state);
    assert_null(open_server("127.0.0.1", port, error, sizeof error));
    snprintf(wanted, sizeof wanted, "cannot bind tcp 127.0.0.1:%u: Address already in use", port);
    assert_string_equal(error, wanted);
    assert_serves(*state);
}

TEST(address_that_is_none_is_named_in_the_error, start_server, stop_server)
{
    char error[128];
    assert_null(open_server("localhost", 80, error, sizeof error));
    assert_string_equal(error, "cannot bind tcp localhost port 80: not an IPv4 or IPv6 address");
    assert_null(open_server("203.0.113.1", 8080, error, sizeof error));
    assert_string_equal(error, "cannot bind tcp 203.0.113.1:8080: Cannot assign requested address");
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
