// SPDX-License-Identifier: MIT
// Which URLs an operator may configure, and the ports of their servers.
#include "test.h"
#include "url.h"

TEST(urls_and_their_ports)
{
    static const struct {
        const char *text;
        uint16_t port;
    } good[] = {
        {"http://a", 80},
        {"https://a.example/b?c=d#e", 443},
        {"http://127.0.0.1:8080/x", 8080},
        {"https://[::1]:65535", 65535},
        {"http://[2001:db8::1]/", 80},
        {"http://a?b", 80},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint16_t port = 0;
        assert_true(url_read(good[i].text, &port));
        assert_int_equal(port, good[i].port);
    }
}

TEST(other_texts_are_rejected)
{
    static const char *const bad[] = {
        "",           "a",          "ftp://a",         "file:///etc/passwd", "http://",
        "http:///a",  "http://a:0", "http://a:",       "http://a:65536",     "http://a:1x",
        "http://a b", "http://a\n", "http://u@a/",     "http://u:p@a/",      "http://[::1",
        "http://a\"", "HTTP://a",   "http://\xc3\xa4", "http://a{b}",        "http://[]/",
    };
    char longest[URL_BYTES + 8];
    uint16_t port;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(url_read(bad[i], &port));
    memset(longest, 'a', sizeof longest);
    memcpy(longest, "http://", 7);
    longest[URL_BYTES - 1] = '\0';
    assert_true(url_read(longest, &port));
    longest[URL_BYTES - 1] = 'a';
    longest[URL_BYTES] = '\0';
    assert_false(url_read(longest, &port));
}
