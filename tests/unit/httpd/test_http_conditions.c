// SPDX-License-Identifier: MIT
// Tests of conditional and range requests against examples of RFC 9110 and what breaks parsers.
#include "http_answer.h"
#include "test.h"

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
