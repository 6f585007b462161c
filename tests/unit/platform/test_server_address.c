// SPDX-License-Identifier: MIT
// Addresses of servers as people type them.
#include "server_address.h"
#include "test.h"

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
