// SPDX-License-Identifier: MIT
// The list of servers that a master answers with.
#include "master_list.h"
#include "test.h"

// A literal's bytes without its closing NUL.
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1
#define IPV4_HEAD "\xFF\xFF\xFF\xFFgetserversResponse"
#define HEAD "\xFF\xFF\xFF\xFFgetserversExtResponse"

static struct raim_master_list list;

TEST(the_request_names_game_and_version)
{
    uint8_t request[RAIM_MASTER_REQUEST_BYTES];
    static const char expected[] = "\xFF\xFF\xFF\xFFgetserversExt Raim 7 empty full ipv4 ipv6";
    assert_int_equal(raim_master_list_write_request(request), sizeof expected - 1);
    assert_memory_equal(request, expected, sizeof expected - 1);
}

TEST(both_families_are_read_up_to_the_end)
{
    assert_true(raim_master_list_read(
        BYTES(HEAD "\\\x01\x02\x03\x04\x08\x01/0123456789abcdef\x1C\x4E\\EOT\0\0\0\\\1\1\1\1\1\1"),
        &list));
    assert_true(list.is_last);
    assert_int_equal(list.count, 2);
    assert_false(list.entries[0].is_ipv6);
    assert_memory_equal(list.entries[0].address, "\1\2\3\4", 4);
    assert_int_equal(list.entries[0].port, 2049);
    assert_true(list.entries[1].is_ipv6);
    assert_memory_equal(list.entries[1].address, "0123456789abcdef", 16);
    assert_int_equal(list.entries[1].port, 7246);
    assert_true(raim_master_list_read(BYTES(IPV4_HEAD "\\\x01\x02\x03\x04\x08\x01"), &list));
    assert_int_equal(list.count, 1);
    assert_false(list.is_last);
    assert_true(raim_master_list_read(BYTES(IPV4_HEAD "\\EOT\0\0\0"), &list));
    assert_int_equal(list.count, 0);
    assert_true(list.is_last);
}

TEST(what_is_broken_ends_the_list)
{
    assert_false(raim_master_list_read(BYTES(""), &list));
    assert_false(raim_master_list_read(BYTES("\xFF\xFF\xFF\xFFgetserversRespons"), &list));
    assert_true(raim_master_list_read(BYTES(HEAD), &list));
    assert_int_equal(list.count, 0);
    assert_true(raim_master_list_read(BYTES(HEAD "\\\1\2\3\4\5"), &list)); // truncated
    assert_int_equal(list.count, 0);
    assert_true(raim_master_list_read(BYTES(HEAD "/0123456789abcdef\1"), &list));
    assert_int_equal(list.count, 0);
    assert_true(raim_master_list_read(BYTES(HEAD "\\\1\2\3\4\0\0\\\1\2\3\4\0\1x\1\2\3\4\1\1"),
                                      &list)); // no port, then a wrong mark
    assert_int_equal(list.count, 1);
    assert_int_equal(list.entries[0].port, 1);
}

TEST(no_list_is_longer_than_its_arena)
{
    uint8_t bytes[sizeof HEAD - 1 + 7 * (RAIM_MASTER_LIST_MAX + 3)];
    memcpy(bytes, HEAD, sizeof HEAD - 1);
    for (size_t at = sizeof HEAD - 1; at < sizeof bytes; at += 7)
        memcpy(bytes + at, "\\\1\2\3\4\5\6", 7);
    assert_true(raim_master_list_read(bytes, sizeof bytes, &list));
    assert_int_equal(list.count, RAIM_MASTER_LIST_MAX);
}
