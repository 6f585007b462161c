// SPDX-License-Identifier: MIT
// A matchmaker's regions: answers good and hostile, and what is measured of addresses that accept
// connections, reject them, and do not exist.
#include "regions.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static bool reads(const char *text, struct regions *regions)
{
    return regions_read(text, strlen(text), regions);
}

TEST(regions_are_read)
{
    struct regions regions;
    assert_true(reads("{\"regions\":{}}", &regions));
    assert_int_equal(regions.count, 0);
    assert_true(
        reads("{\"regions\":{\"eu\":\"eu1.example.org:80\",\"us\":\"[::1]:7246\"}}", &regions));
    assert_int_equal(regions.count, 2);
    assert_string_equal(regions.list[0].name, "eu");
    assert_string_equal(regions.list[0].address, "eu1.example.org:80");
    assert_string_equal(regions.list[1].address, "[::1]:7246");
    assert_true(regions.list[0].ping_ms < 0);
}

TEST(anything_else_is_rejected)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{",
        "{\"regions\":[]}",
        "{\"regions\":{\"eu\":7}}",
        "{\"regions\":{\"eu\":\"a:1\",\"us\":null}}",
        "{\"regions\":{\"eu\":\"nowhere\"}}",
        "{\"regions\":{\"eu\":\"a:1/path\"}}",
        "{\"regions\":{\"eu\":\"me@a:1\"}}",
        "{\"regions\":{\"eu\":\"a:1?x\"}}",
        "{\"regions\":{\"eu\":\"a b:1\"}}",
        "{\"regions\":{\"eu\":\"a:1\\u0000\"}}",
        "{\"regions\":{\"a-name-that-is-much-longer-than-32\":\"a:1\"}}",
    };
    struct regions regions;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(reads(texts[i], &regions));
        assert_int_equal(regions.count, 0);
    }
}

TEST(there_are_not_too_many)
{
    char text[1024] = "{\"regions\":{";
    struct regions regions;
    for (int i = 0; i <= REGIONS_MAX; i++) {
        char whole[1024 + 8];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"r%d\":\"a:1\"",
                 i > 0 ? "," : "", i);
        snprintf(whole, sizeof whole, "%s}}", text);
        assert_int_equal(reads(whole, &regions), i < REGIONS_MAX);
    }
}

// --- Measuring ---

// Listens on loopback; nobody has to accept for a handshake to succeed.
static int listen_on(uint16_t *port)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&name, &size), 0);
    *port = ntohs(name.sin_port);
    return listener;
}

struct stub {
    int listener;
    char body[256];
};

// A matchmaker that answers one request.
static void *answer_once(void *context)
{
    const struct stub *stub = context;
    char request[1024] = "", answer[512];
    const int connection = accept(stub->listener, NULL, NULL);
    if (recv(connection, request, sizeof request - 1, 0) > 0 &&
        strncmp(request, "GET /v1/regions ", 16) == 0) {
        const int size =
            snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
                     strlen(stub->body), stub->body);
        send(connection, answer, (size_t)size, 0);
    }
    close(connection);
    return NULL;
}

TEST(pings_are_those_of_handshakes)
{
    uint16_t port, near, closed;
    struct stub stub = {.listener = listen_on(&port)};
    const int near_listener = listen_on(&near);
    char url[64];
    pthread_t thread;
    struct regions regions;
    close(listen_on(&closed));
    snprintf(stub.body, sizeof stub.body,
             "{\"regions\":{\"near\":\"127.0.0.1:%u\",\"closed\":\"127.0.0.1:%u\","
             "\"unknown\":\"no-such-host.invalid:1\"}}",
             near, closed);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
    assert_int_equal(pthread_create(&thread, NULL, answer_once, &stub), 0);
    regions_measure(url, &regions);
    pthread_join(thread, NULL);
    assert_int_equal(regions.count, 3);
    for (int i = 0; i < 3; i++) {
        const bool is_near = strcmp(regions.list[i].name, "near") == 0;
        assert_int_equal(regions.list[i].ping_ms >= 0, is_near);
        assert_true(regions.list[i].ping_ms < 400);
    }
    close(near_listener);
    close(stub.listener);
}

TEST(without_a_matchmaker_there_are_none)
{
    uint16_t closed;
    char url[64];
    struct regions regions;
    close(listen_on(&closed));
    snprintf(url, sizeof url, "http://127.0.0.1:%u", closed);
    regions_measure(url, &regions);
    assert_int_equal(regions.count, 0);
}
