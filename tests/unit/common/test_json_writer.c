// SPDX-License-Identifier: MIT
// Tests of the writer of JSON documents.
#include "json_writer.h"
#include "test.h"

#include <math.h>

static void assert_document(struct json_writer *json, const char *expected)
{
    char *text = json_write_take(json);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

TEST(members_are_separated_in_every_container)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_begin_array(&json, "empty");
    json_write_end(&json);
    json_begin_array(&json, "numbers");
    json_write_count(&json, NULL, UINT64_MAX);
    json_write_number(&json, NULL, INT64_MIN);
    json_begin_object(&json, NULL);
    json_write_end(&json);
    json_write_null(&json, NULL);
    json_write_end(&json);
    json_write_flag(&json, "yes", true);
    json_begin_object(&json, "no");
    json_write_flag(&json, "is", false);
    json_write_end(&json);
    json_write_end(&json);
    assert_document(&json, "{\"empty\":[],\"numbers\":[18446744073709551615,-9223372036854775808,"
                           "{},null],\"yes\":true,\"no\":{\"is\":false}}");
}

TEST(tenths_are_rounded)
{
    struct json_writer json = {0};
    json_begin_array(&json, NULL);
    json_write_tenths(&json, NULL, 0);
    json_write_tenths(&json, NULL, 0.05);
    json_write_tenths(&json, NULL, 2.96);
    json_write_tenths(&json, NULL, 1e9);
    json_write_end(&json);
    assert_document(&json, "[0.0,0.1,3.0,1000000000.0]");
}

TEST(text_is_valid_whatever_it_holds)
{
    struct json_writer json = {0};
    json_begin_array(&json, NULL);
    json_write_text(&json, NULL, "Ren\xc3\xa9 \"<\\\n\x01");
    json_write_text(&json, NULL,
                    "\xff"
                    "a\xc3");
    json_write_text(&json, NULL, "\xed\xa0\x80");
    json_write_text(&json, NULL, NULL);
    json_write_end(&json);
    assert_document(&json, "[\"Ren\xc3\xa9 \\\"<\\\\\\u000a\\u0001\",\"?a?\",\"???\",null]");
}

TEST(document_in_a_document)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_write_count(&json, "a", 1);
    json_write_document(&json, "b", "[2]");
    json_write_count(&json, "c", 3);
    json_write_end(&json);
    assert_document(&json, "{\"a\":1,\"b\":[2],\"c\":3}");
}

TEST(error_is_kept_until_the_end)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    json_write_document(&json, "lost", NULL);
    json_write_count(&json, "a", 1);
    json_write_end(&json);
    assert_null(json_write_take(&json));
    json_write_count(&json, NULL, 1); // the writer is empty again
    assert_document(&json, "1");
}
