// SPDX-License-Identifier: MIT
// Which names, origins and tokens the status goes by.
#include "http_access.h"
#include "http_answer.h"
#include "http_document.h"
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

// --- Http conditions ---

// Tests of conditional and range requests against examples of RFC 9110 and what breaks parsers.

#define TAG "\"a-b\""
#define MAX UINT64_C(18446744073709551615)

static void assert_range(const char *range, uint64_t size, enum http_status status, uint64_t first,
                         uint64_t count)
{
    const struct http_selection got =
        http_conditions_select(&(struct http_conditions){.range = range}, TAG, size);
    if (got.status != status || got.first != first || got.count != count)
        fail_msg("%s of %" PRIu64 ": %d, %" PRIu64 " bytes from %" PRIu64, range, size,
                 (int)got.status, got.count, got.first);
}

TEST(one_range_selects_its_bytes)
{
    assert_range("bytes=0-499", 10000, HTTP_PARTIAL_CONTENT, 0, 500);
    assert_range("bytes=500-999", 10000, HTTP_PARTIAL_CONTENT, 500, 500);
    assert_range("bytes=-500", 10000, HTTP_PARTIAL_CONTENT, 9500, 500);
    assert_range("bytes=9500-", 10000, HTTP_PARTIAL_CONTENT, 9500, 500);
    assert_range("bytes=0-0", 10000, HTTP_PARTIAL_CONTENT, 0, 1);
    assert_range("BYTES= 1-2 ", 10000, HTTP_PARTIAL_CONTENT, 1, 2);
    assert_range("bytes=0-", 10000, HTTP_PARTIAL_CONTENT, 0, 10000);
    assert_range("bytes=9999-20000", 10000, HTTP_PARTIAL_CONTENT, 9999, 1);
    assert_range("bytes=-20000", 10000, HTTP_PARTIAL_CONTENT, 0, 10000);
}

TEST(range_behind_the_end_is_not_satisfiable)
{
    assert_range("bytes=10000-", 10000, HTTP_RANGE_NOT_SATISFIABLE, 0, 0);
    assert_range("bytes=10000-10001", 10000, HTTP_RANGE_NOT_SATISFIABLE, 0, 0);
    assert_range("bytes=-0", 10000, HTTP_RANGE_NOT_SATISFIABLE, 0, 0);
    assert_range("bytes=0-", 0, HTTP_RANGE_NOT_SATISFIABLE, 0, 0);
    assert_range("bytes=-1", 0, HTTP_RANGE_NOT_SATISFIABLE, 0, 0);
}

TEST(numbers_do_not_overflow)
{
    assert_range("bytes=0-18446744073709551616", 10, HTTP_PARTIAL_CONTENT, 0, 10);
    assert_range("bytes=18446744073709551616-", 10, HTTP_RANGE_NOT_SATISFIABLE, 0, 0);
    assert_range("bytes=-99999999999999999999999", 10, HTTP_PARTIAL_CONTENT, 0, 10);
    assert_range("bytes=0-18446744073709551615", MAX, HTTP_PARTIAL_CONTENT, 0, MAX);
    assert_range("bytes=18446744073709551614-", MAX, HTTP_PARTIAL_CONTENT, MAX - 1, 1);
}

TEST(anything_else_is_ignored)
{
    static const char *const ranges[] = {
        "",           "bytes",       "bytes=",      "bytes=-",       "bytes=2-1",
        "bytes=a-b",  "bytes=1",     "bytes=1-2-3", "bytes=+1-2",    "bytes=1-2;",
        "items=0-1",  "bytes 0-1",   "bytes=--1",   "bytes=0x1-2",   "bytes=0-0,0-0",
        "bytes=,0-1", "bytes=0-1,,", "bytes=1 - 2", "bytes=0-1,3-4", "bytes=\xFF-1",
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        assert_range(ranges[i], 10, HTTP_OK, 0, 10);
    assert_range(NULL, 10, HTTP_OK, 0, 10);
}

static enum http_status status_of(const struct http_conditions *conditions)
{
    return http_conditions_select(conditions, TAG, 10).status;
}

TEST(if_range_with_another_tag_selects_the_whole_file)
{
    static const char *const others[] = {
        "\"a-c\"", ("W/" TAG), "a-b", "\"a-b", "Mon, 23 Nov 2026 03:00:00 GMT", "*", ""};
    struct http_conditions conditions = {.range = "bytes=1-2", .if_range = TAG};
    assert_int_equal(status_of(&conditions), HTTP_PARTIAL_CONTENT);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        conditions.if_range = others[i];
        assert_int_equal(status_of(&conditions), HTTP_OK);
    }
    conditions = (struct http_conditions){.range = "bytes=99-", .if_range = "\"a-c\""};
    assert_int_equal(status_of(&conditions), HTTP_OK);
}

TEST(head_has_no_range)
{
    const struct http_conditions conditions = {.is_head = true, .range = "bytes=1-2"};
    const struct http_selection got = http_conditions_select(&conditions, TAG, 10);
    assert_int_equal(got.status, HTTP_OK);
    assert_int_equal(got.count, 10);
}

TEST(tags_are_found_in_lists)
{
    static const struct {
        const char *list;
        bool matches_weakly, matches_strongly;
    } cases[] = {
        {TAG, true, true},
        {"*", true, true},
        {"\"x\", " TAG ",\"y\"", true, true},
        {" ,, " TAG, true, true},
        {"W/" TAG, true, false},
        {"\"x\"", false, false},
        {"\"a-b", false, false},
        {"a-b", false, false},
        {"\"x, " TAG, false, false}, // the quote of the tag closes the one before
        {"W/", false, false},
        {"", false, false},
        {"\"a-b \"", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct http_conditions none = {.if_none_match = cases[i].list, .range = "bytes=0-1"};
        const struct http_conditions match = {.if_match = cases[i].list};
        assert_int_equal(status_of(&none),
                         cases[i].matches_weakly ? HTTP_NOT_MODIFIED : HTTP_PARTIAL_CONTENT);
        assert_int_equal(status_of(&match),
                         cases[i].matches_strongly ? HTTP_OK : HTTP_PRECONDITION_FAILED);
    }
    const struct http_conditions both = {.if_match = "\"x\"", .if_none_match = TAG};
    assert_int_equal(status_of(&both), HTTP_PRECONDITION_FAILED);
}

// --- Gzip ---

// Tests of Accept-Encoding and of what is compressed.

TEST(accept_encoding_is_read_as_the_rfc_says)
{
    static const char *const accepted[] = {
        "gzip",        "GZIP",   "deflate, gzip", "br;q=1.0, gzip;q=0.8", "gzip;q=0.001", "*",
        "br, *;q=0.1", " gzip ", ",,gzip",        "gzip ; q=1",           "gzip;a=q=0"};
    static const char *const rejected[] = {"",          "identity", "gzipped",
                                           "x-gzip-2",  "gzip;q=0", "gzip;q=0.000",
                                           "gzip; q=0", "*;q=0",    "*, gzip;q=0",
                                           "deflate",   "br;q=1",   ";",
                                           ",",         ";q=0,",    "identity;q=1, *;q=0"};
    assert_false(http_coding_is_accepted(NULL, "gzip"));
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
        if (!http_coding_is_accepted(accepted[i], "gzip"))
            fail_msg("rejected \"%s\"", accepted[i]);
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
        if (http_coding_is_accepted(rejected[i], "gzip"))
            fail_msg("accepted \"%s\"", rejected[i]);
}

TEST(text_becomes_shorter_and_keeps_its_length)
{
    static char text[100000];
    size_t packed_bytes;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "raimd_players "[i % 14];
    char *packed = gzip_text(text, sizeof text, &packed_bytes);
    const uint8_t *bytes = (const uint8_t *)packed;
    assert_non_null(packed);
    assert_true(packed_bytes < 2000);
    assert_int_equal(bytes[0], 0x1F); // RFC 1952, 2.3: magic, deflate, at the end the length
    assert_int_equal(bytes[1], 0x8B);
    assert_int_equal(bytes[2], 8);
    assert_int_equal(bytes[packed_bytes - 4] | bytes[packed_bytes - 3] << 8 |
                         bytes[packed_bytes - 2] << 16,
                     sizeof text);
    free(packed);
    for (size_t i = 0; i < sizeof text; i++) // what cannot be compressed fits, too
        text[i] = (char)((i * 2654435761U) >> 13);
    packed = gzip_text(text, sizeof text, &packed_bytes);
    assert_non_null(packed);
    assert_true(packed_bytes > 1000);
    free(packed);
}
