// SPDX-License-Identifier: MIT
// The server browser against a server of the test's own on loopback, and one that is hostile.
#define _GNU_SOURCE
#include "browser.h"
#include "discovery.h"
#include "master_list.h"
#include "server_address.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint8_t answer[] = "\xFF\xFF\xFF\xFFI\x11"
                                "test\0Ruins\0raim\0raim\0\0\0\x02\x10\x01"
                                "dl\0\0"
                                "0.1.0";

struct server {
    int descriptor;
    uint16_t port;
    uint32_t challenge;
    int requests;
    bool only_challenges;
};

static void open_server(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    *server = (struct server){.challenge = 77};
    server->descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_true(server->descriptor >= 0);
    assert_int_equal(bind(server->descriptor, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(server->descriptor, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
}

// Answers everything that has arrived.
static void serve(struct server *server)
{
    uint8_t data[256];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    ssize_t size;
    while ((size = recvfrom(server->descriptor, data, sizeof data, 0, (struct sockaddr *)&from,
                            &length)) > 0) {
        uint32_t challenge = 0;
        server->requests++;
        if (size == RAIM_SERVER_INFO_REQUEST_BYTES)
            memcpy(&challenge, data + 25, 4);
        if (challenge == server->challenge && !server->only_challenges) {
            sendto(server->descriptor, answer, sizeof answer, 0, (struct sockaddr *)&from, length);
            continue;
        }
        uint8_t reply[9] = {0xFF, 0xFF, 0xFF, 0xFF, 'A'};
        server->challenge += server->only_challenges;
        memcpy(reply + 5, &server->challenge, 4);
        sendto(server->descriptor, reply, sizeof reply, 0, (struct sockaddr *)&from, length);
    }
}

static struct browser *open_browser(const struct server *server)
{
    struct browser *browser = browser_open();
    assert_non_null(browser);
    struct server_address address = {.host = "127.0.0.1", .port = server->port};
    browser_add(browser, &address, true);
    return browser;
}

// Steps of 10 ms of the test's own clock.
static void run(struct browser *browser, struct server *server, double *now_s, int steps)
{
    for (int i = 0; i < steps; i++) {
        browser_update(browser, *now_s += 0.01);
        serve(server);
    }
}

TEST(a_server_is_found_and_lost)
{
    struct server server;
    double now_s = 100;
    open_server(&server);
    struct browser *browser = open_browser(&server);
    assert_int_equal(browser_count(browser), 1);
    assert_false(browser_at(browser, 0)->found->answers);
    run(browser, &server, &now_s, 10);
    const struct browser_row *row = browser_at(browser, 0);
    assert_true(row->found->answers);
    assert_string_equal(row->found->info.name, "test");
    assert_string_equal(row->found->info.map, "Ruins");
    assert_int_equal(row->found->info.players, 1);
    assert_int_equal(row->found->info.bots, 1);
    assert_true(row->found->ping_ms > 0 && row->found->ping_ms < 50);
    // The challenge is kept: a query a time is enough.
    const int before = server.requests;
    run(browser, &server, &now_s, 1000); // ten seconds
    assert_in_range(server.requests - before, 4, 7);
    close(server.descriptor);
    for (int i = 0; i < 1500; i++)
        browser_update(browser, now_s += 0.01);
    assert_false(browser_at(browser, 0)->found->answers);
    browser_close(browser);
}

TEST(a_row_keeps_its_index)
{
    struct server late, early;
    double now_s = 100;
    open_server(&late);
    open_server(&early);
    struct browser *browser = browser_open();
    assert_non_null(browser);
    browser_add(browser, &(struct server_address){.host = "127.0.0.1", .port = late.port}, false);
    browser_add(browser, &(struct server_address){.host = "127.0.0.1", .port = early.port}, false);
    run(browser, &early, &now_s, 10);
    assert_int_equal(browser_count(browser), 1);
    const struct browser_row *first = browser_at(browser, 0);
    run(browser, &late, &now_s, 300);
    assert_int_equal(browser_count(browser), 2);
    assert_ptr_equal(browser_at(browser, 0), first);
    close(early.descriptor);
    run(browser, &late, &now_s, 1500);
    assert_ptr_equal(browser_at(browser, 0), first);
    assert_false(first->found->answers);
    assert_true(browser_at(browser, 1)->found->answers);
    browser_close(browser);
    close(late.descriptor);
}

TEST(a_server_of_nothing_but_challenges_gets_few_queries)
{
    struct server server;
    double now_s = 100;
    open_server(&server);
    server.only_challenges = true;
    struct browser *browser = open_browser(&server);
    run(browser, &server, &now_s, 1000); // ten seconds
    assert_in_range(server.requests, 4, 14);
    assert_false(browser_at(browser, 0)->found->answers);
    browser_close(browser);
    close(server.descriptor);
}

TEST(only_servers_that_answer_are_found)
{
    struct browser *browser = browser_open();
    assert_non_null(browser);
    browser_scan(browser, "127.254.253.252");
    assert_int_equal(browser_count(browser), 0);
    struct server_address address = {.host = "127.254.253.252", .port = SERVER_DEFAULT_PORT};
    browser_add(browser, &address, true);
    browser_add(browser, &address, true);
    assert_int_equal(browser_count(browser), 1);
    assert_null(browser_at(browser, 1));
    // More servers than it can keep are ignored.
    for (int i = 0; i < 2 * RAIM_FINDER_SERVERS; i++) {
        address.port = (uint16_t)(10000 + i);
        browser_add(browser, &address, true);
    }
    assert_int_equal(browser_count(browser), RAIM_FINDER_SERVERS - RAIM_FINDER_PORTS + 1);
    browser_close(browser);
    browser_close(NULL);
}

// A socket of another address of the loopback network, which stands for another machine.
static int open_neighbour(int number, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(0x7F400000U + (uint32_t)number);
    const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return descriptor;
}

static void say(int number, uint16_t port, const struct sockaddr_in *to, const void *data,
                size_t size)
{
    const int descriptor = open_neighbour(number, port);
    assert_int_equal(sendto(descriptor, data, size, 0, (const struct sockaddr *)to, sizeof *to),
                     size);
    close(descriptor);
}

// The address of the browser, to which its servers reply.
static struct sockaddr_in address_of(struct browser *browser, const struct server *server,
                                     double now_s)
{
    uint8_t data[64];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    browser_update(browser, now_s);
    assert_true(
        recvfrom(server->descriptor, data, sizeof data, 0, (struct sockaddr *)&from, &length) > 0);
    return from;
}

TEST(only_who_was_asked_by_broadcast_is_found)
{
    static const uint8_t challenge[] = {0xFF, 0xFF, 0xFF, 0xFF, 'A', 1, 2, 3, 4};
    struct server server;
    double now_s = 100;
    open_server(&server);
    struct browser *browser = open_browser(&server);
    const struct sockaddr_in to = address_of(browser, &server, now_s);
    // Ports that no broadcast goes to.
    for (int i = 0; i < 200; i++) {
        say(1, (uint16_t)(20000 + i), &to, answer, sizeof answer);
        if (i % 50 == 49)
            browser_update(browser, now_s += 0.001);
    }
    assert_int_equal(browser_count(browser), 1);
    // Strangers of nothing but challenges hold no place for long.
    for (int i = 0; i < 100; i++) {
        say(2 + i, SERVER_DEFAULT_PORT, &to, challenge, sizeof challenge);
        if (i % 50 == 49)
            browser_update(browser, now_s += 0.001);
    }
    assert_int_equal(browser_count(browser), 1);
    browser_update(browser, now_s += 10); // it broadcasts
    say(200, SERVER_DEFAULT_PORT + 1, &to, answer, sizeof answer);
    browser_update(browser, now_s += 0.001);
    assert_int_equal(browser_count(browser), 2);
    assert_string_equal(browser_at(browser, 1)->address, "127.64.0.200:7247");
    assert_true(browser_at(browser, 1)->found->answers);
    browser_close(browser);
    close(server.descriptor);
}

TEST(only_the_first_answer_to_a_query_counts)
{
    struct server server;
    double now_s = 100;
    open_server(&server);
    struct browser *browser = open_browser(&server);
    const struct sockaddr_in to = address_of(browser, &server, now_s);
    uint8_t other[sizeof answer];
    memcpy(other, answer, sizeof other);
    other[6] = 'b'; // "best"
    for (int i = 0; i < 50; i++)
        sendto(server.descriptor, i == 0 ? answer : other, sizeof other, 0,
               (const struct sockaddr *)&to, sizeof to);
    browser_update(browser, now_s += 0.05);
    assert_string_equal(browser_at(browser, 0)->found->info.name, "test");
    assert_true(browser_at(browser, 0)->found->ping_ms > 49);
    browser_close(browser);
    close(server.descriptor);
}

// Answers the request for a list with one server, as somebody else or as the master itself.
static void list(struct server *master, uint16_t port, bool as_other)
{
    uint8_t data[256], reply[64], request[RAIM_MASTER_REQUEST_BYTES];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    static const char head[] = "\xFF\xFF\xFF\xFFgetserversExtResponse\\\x7F\0\0\1";
    const size_t head_size = sizeof head - 1, reply_size = head_size + 9;
    const ssize_t size =
        recvfrom(master->descriptor, data, sizeof data, 0, (struct sockaddr *)&from, &length);
    assert_int_equal(size, raim_master_list_write_request(request));
    assert_memory_equal(data, request, (size_t)size);
    memcpy(reply, head, head_size);
    reply[head_size] = (uint8_t)(port >> 8);
    reply[head_size + 1] = (uint8_t)port;
    memcpy(reply + head_size + 2, "\\EOT\0\0\0", 7);
    if (as_other)
        say(7, 27950, &from, reply, reply_size);
    else
        sendto(master->descriptor, reply, reply_size, 0, (struct sockaddr *)&from, length);
}

static struct browser *open_with_master(const struct server *master)
{
    struct browser *browser = browser_open();
    assert_non_null(browser);
    browser_add_master(browser,
                       &(struct server_address){.host = "127.0.0.1", .port = master->port});
    return browser;
}

TEST(a_silent_server_of_a_list_is_asked_a_few_times)
{
    struct server silent, master;
    uint8_t data[64];
    int requests = 0;
    double now_s = 100;
    open_server(&silent);
    open_server(&master);
    struct browser *browser = open_with_master(&master);
    browser_update(browser, now_s += 0.01);
    list(&master, silent.port, false);
    for (int i = 0; i < 3000; i++) { // half a minute
        browser_update(browser, now_s += 0.01);
        while (recv(silent.descriptor, data, sizeof data, 0) > 0)
            requests++;
    }
    assert_int_equal(requests, 3);
    assert_int_equal(browser_count(browser), 0);
    browser_close(browser);
    close(silent.descriptor);
    close(master.descriptor);
}

TEST(a_discovery_of_another_nonce_is_not_believed)
{
    struct server server;
    uint8_t bytes[RAIM_DISCOVERY_BYTES];
    double now_s = 100;
    open_server(&server);
    struct browser *browser = open_browser(&server);
    const struct sockaddr_in to = address_of(browser, &server, now_s);
    const struct raim_discovery found = {.nonce = 1, .server = 2, .count = 1, .ports = {20000}};
    say(1, RAIM_DISCOVERY_PORT, &to, bytes, raim_discovery_write(&found, bytes));
    const int neighbour = open_neighbour(1, 20000);
    run(browser, &server, &now_s, 100);
    assert_true(recv(neighbour, bytes, sizeof bytes, 0) < 0); // nobody asked it
    close(neighbour);
    browser_close(browser);
    close(server.descriptor);
}

// --- Server address ---

// Addresses of servers as people type them.

TEST(what_people_type_is_read)
{
    static const struct {
        const char *text, *host, *written;
        uint16_t port;
    } cases[] = {
        {"play.example.org", "play.example.org", "play.example.org:7246", 7246},
        {"play.example.org:7250", "play.example.org", "play.example.org:7250", 7250},
        {"  10.0.0.1:1 ", "10.0.0.1", "10.0.0.1:1", 1},
        {"[::1]", "::1", "[::1]:7246", 7246},
        {"[2001:db8::7]:65535", "2001:db8::7", "[2001:db8::7]:65535", 65535},
        {"fe80::1%eth0", "fe80::1%eth0", "[fe80::1%eth0]:7246", 7246},
        {"localhost", "localhost", "localhost:7246", 7246},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server_address address;
        char text[SERVER_ADDRESS_BYTES];
        if (!server_address_read(cases[i].text, &address))
            fail_msg("'%s' is not read", cases[i].text);
        assert_string_equal(address.host, cases[i].host);
        assert_int_equal(address.port, cases[i].port);
        server_address_write(&address, text);
        assert_string_equal(text, cases[i].written);
    }
}

TEST(everything_else_is_rejected)
{
    static const char *const texts[] = {
        "",        " ",        ":7246",       "host:",     "host:0",    "host:65536",
        "host:7x", "ho st",    "host/path",   "[::1",      "[::1]7246", "[]:1",
        "[::1]:",  "http://h", "host:999999", "[::1]:12 3"};
    struct server_address address;
    char longest[400];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (server_address_read(texts[i], &address))
            fail_msg("'%s' is read", texts[i]);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(server_address_read(longest, &address));
}
