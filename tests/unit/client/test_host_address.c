// SPDX-License-Identifier: MIT
// The text of servers' addresses.
#include "host_address.h"
#include "test.h"

TEST(addresses_are_split)
{
    static const struct {
        const char *text, *host;
        uint16_t port; // 1: none given
    } good[] = {
        {"play.example.org:7246", "play.example.org", 7246},
        {"play.example.org", "play.example.org", 1},
        {"127.0.0.1:65535", "127.0.0.1", 65535},
        {"[::1]:7246", "::1", 7246},
        {"[2001:db8::7]", "2001:db8::7", 1},
        {"2001:db8::7", "2001:db8::7", 1},
        {"::", "::", 1},
        {"[::ffff:192.0.2.1]:7246", "::ffff:192.0.2.1", 7246},
        {"[fe80::1%eth0.5]:7246", "fe80::1%eth0.5", 7246},
        {"fe80::1%eth0", "fe80::1%eth0", 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char host[RAIM_LINK_HOST_BYTES] = "", printed[300];
        uint16_t port = 1;
        assert_true(raim_link_read_address(good[i].text, host, &port));
        assert_string_equal(host, good[i].host);
        assert_int_equal(port, good[i].port);
        // What is printed is read again as what it was.
        raim_host_address_print(host, 7246, printed, sizeof printed);
        char again[RAIM_LINK_HOST_BYTES];
        assert_true(raim_link_read_address(printed, again, &port));
        assert_string_equal(again, host);
        assert_int_equal(port, 7246);
    }
}

TEST(other_text_is_rejected)
{
    static const char *const bad[] = {
        "",
        ":",
        ":7246",
        "[]",
        "[]:7246",
        "host:",
        "host:0",
        "host:65536",
        "host:07246x",
        "host:-1",
        "host:+1",
        "host: 1",
        "host:99999999999999999999",
        "[::1",
        "[::1]7246",
        "[::1]:",
        "[::1]:0",
        "[host]:7246",
        "[127.0.0.1]:7246",
        "::1]:7246",
        "a b:1",
        "a/b:1",
        "host?x:1",
        "[::1%]x:1",
        "user@host:1",
        "::g",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char host[RAIM_LINK_HOST_BYTES] = "before";
        uint16_t port = 1;
        assert_false(raim_link_read_address(bad[i], host, &port));
        assert_string_equal(host, "before");
        assert_int_equal(port, 1);
    }
    char longest[RAIM_LINK_HOST_BYTES + 10], host[RAIM_LINK_HOST_BYTES];
    uint16_t port = 1;
    memset(longest, 'a', sizeof longest);
    longest[RAIM_LINK_HOST_BYTES] = '\0';
    assert_false(raim_link_read_address(longest, host, &port));
    longest[RAIM_LINK_HOST_BYTES - 1] = '\0';
    assert_true(raim_link_read_address(longest, host, &port));
}
