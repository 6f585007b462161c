// SPDX-License-Identifier: MIT
// Which names, origins and tokens the status goes by.
#include "http_access.h"
#include "test.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct http_access GUARD = {
    .host_count = 2, .hosts = {"status.example.org", "gate"}, .token = "abcdefghijklmnop"};
static const struct http_access NOTHING;

TEST(addresses_and_configured_names_are_taken)
{
    static const char *const always[] = {"127.0.0.1",  "127.0.0.1:7246", "192.0.2.9:80",
                                         "localhost",  "LocalHost:7246", "[::1]",
                                         "[::1]:7246", "[2001:db8::1]:1"};
    static const char *const named[] = {"status.example.org", "Status.Example.ORG:443", "gate:1"};
    for (size_t i = 0; i < COUNT(always); i++)
        assert_true(http_access_takes_host(&NOTHING, always[i]));
    for (size_t i = 0; i < COUNT(named); i++) {
        assert_true(http_access_takes_host(&GUARD, named[i]));
        assert_false(http_access_takes_host(&NOTHING, named[i]));
    }
    assert_true(http_access_takes_host(&NOTHING, NULL));
}

TEST(other_names_are_rejected)
{
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const others[] = {"evil.example",
                                  "evil.example:7246",
                                  "",
                                  ":80",
                                  "127.0.0.1.evil.example",
                                  "127.0.0.1evil",
                                  "localhost.evil.example",
                                  "evil.localhost",
                                  "localhost@evil.example",
                                  "status.example.org.evil.example",
                                  "xstatus.example.org",
                                  "status.example.org.",
                                  "127.1",
                                  "0x7f.1",
                                  "2130706433",
                                  "127.0.0.1:",
                                  "127.0.0.1:port",
                                  "127.0.0.1:123456",
                                  "127.0.0.1:80:80",
                                  "[::1",
                                  "[::1]x",
                                  "[]",
                                  "[evil.example]",
                                  "::1",
                                  "[127.0.0.1]",
                                  "localhost localhost",
                                  longest};
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(http_access_takes_host(&GUARD, others[i]));
}

TEST(origins_are_of_the_host_or_configured)
{
    static const char host[] = "127.0.0.1:7246";
    assert_true(http_access_takes_origin(&GUARD, NULL, host));
    assert_true(http_access_takes_origin(&GUARD, "http://127.0.0.1:7246", host));
    assert_true(http_access_takes_origin(&GUARD, "https://status.example.org", host));
    assert_true(http_access_takes_origin(&GUARD, "https://gate:8443", NULL));
    static const char *const foreign[] = {"http://evil.example",
                                          "null",
                                          "",
                                          "http://127.0.0.1",
                                          "http://127.0.0.1:7247",
                                          "http://203.0.113.5",
                                          "http://localhost",
                                          "file://",
                                          "127.0.0.1:7246",
                                          "http://evil.example/http://127.0.0.1:7246",
                                          "https://status.example.org.evil.example"};
    for (size_t i = 0; i < COUNT(foreign); i++)
        assert_false(http_access_takes_origin(&GUARD, foreign[i], host));
    assert_false(http_access_takes_origin(&GUARD, "http://127.0.0.1:7246", NULL));
}

TEST(only_the_whole_token_is_taken)
{
    assert_int_equal(http_access_check_token(&GUARD, "Bearer abcdefghijklmnop"), HTTP_TOKEN_RIGHT);
    assert_int_equal(http_access_check_token(&GUARD, "bearer abcdefghijklmnop"), HTTP_TOKEN_RIGHT);
    static const char *const wrong[] = {"Bearer ", "Bearer abcdefghijklmno",
                                        "Bearer abcdefghijklmnopq", "Bearer  abcdefghijklmnop",
                                        "Bearer abcdefghijklmnoP"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(http_access_check_token(&GUARD, wrong[i]), HTTP_TOKEN_WRONG);
        assert_int_equal(http_access_check_token(&NOTHING, wrong[i]), HTTP_TOKEN_NONE);
    }
    static const char *const none[] = {"", "Bearer", "Basic abcdefghijklmnop", "abcdefghijklmnop"};
    for (size_t i = 0; i < COUNT(none); i++)
        assert_int_equal(http_access_check_token(&GUARD, none[i]), HTTP_TOKEN_NONE);
    assert_int_equal(http_access_check_token(&GUARD, NULL), HTTP_TOKEN_NONE);
}

TEST(names_and_tokens_are_well_formed)
{
    char name[HTTP_HOST_BYTES + 1], token[HTTP_TOKEN_BYTES + 1];
    memset(name, 'a', sizeof name);
    memset(token, 'a', sizeof token);
    name[HTTP_HOST_BYTES] = token[HTTP_TOKEN_BYTES] = '\0';
    assert_false(http_access_is_name(name));
    assert_false(http_access_is_token(token));
    name[HTTP_HOST_BYTES - 1] = token[HTTP_TOKEN_BYTES - 1] = '\0';
    assert_true(http_access_is_name(name));
    assert_true(http_access_is_token(token));
    assert_true(http_access_is_name("a-1.Example"));
    static const char *const names[] = {"",   "a:1", "a/b", "*",       "*.a",
                                        ".a", "-a",  "a b", "\xc3\xa9"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_false(http_access_is_name(names[i]));
    assert_true(http_access_is_token("0123456789abc-._"));
    assert_false(http_access_is_token("0123456789abcde"));
    assert_false(http_access_is_token("0123456789abcde f"));
}
