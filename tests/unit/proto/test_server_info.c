// SPDX-License-Identifier: MIT
// A2S_INFO as the game asks it and reads its untrusted replies.
#include "master_list.h"
#include "server_info.h"
#include "test.h"

static const uint8_t answer[] = "\xFF\xFF\xFF\xFFI\x11"
                                "duel\0Duel\x07map\0raim\0raim\0"
                                "\0\0"
                                "\x09\x46\x06"
                                "dl\x01\0"
                                "0.1.0";

TEST(an_answer_is_read)
{
    struct raim_server_info info;
    uint32_t challenge = 7;
    assert_int_equal(raim_server_info_read(answer, sizeof answer, &challenge, &info),
                     RAIM_SERVER_INFO_ANSWER);
    assert_string_equal(info.name, "duel");
    assert_string_equal(info.map, "Duel map"); // without controls
    assert_int_equal(info.players, 3);
    assert_int_equal(info.bots, 6);
    assert_int_equal(info.most_players, 64);
    assert_true(info.locked);
    assert_int_equal(challenge, 7);
}

TEST(tags_are_read_where_they_are)
{
    static const uint8_t with_tags[] = "\xFF\xFF\xFF\xFFI\x11"
                                       "duel\0map\0raim\0raim\0\0\0\0\0\0"
                                       "dl\0\0"
                                       "0.1\0\xF0\x4E\x1C"
                                       "steam id\x01\x02tv\0ffa,no-bots";
    struct raim_server_info info;
    uint32_t challenge;
    assert_int_equal(raim_server_info_read(with_tags, sizeof with_tags, &challenge, &info),
                     RAIM_SERVER_INFO_ANSWER);
    assert_string_equal(info.tags, "ffa,no-bots");
    // Without its end it is none, and the rest is read.
    assert_int_equal(raim_server_info_read(with_tags, sizeof with_tags - 1, &challenge, &info),
                     RAIM_SERVER_INFO_ANSWER);
    assert_string_equal(info.tags, "");
    assert_int_equal(raim_server_info_read(answer, sizeof answer, &challenge, &info),
                     RAIM_SERVER_INFO_ANSWER);
    assert_string_equal(info.tags, "");
}

TEST(a_challenge_is_answered)
{
    struct raim_server_info info;
    uint32_t challenge = 0;
    const uint8_t reply[] = {0xFF, 0xFF, 0xFF, 0xFF, 'A', 1, 2, 3, 4};
    uint8_t request[RAIM_SERVER_INFO_REQUEST_BYTES];
    assert_int_equal(raim_server_info_read(reply, sizeof reply, &challenge, &info),
                     RAIM_SERVER_INFO_CHALLENGE);
    assert_int_equal(challenge, 0x04030201);
    assert_int_equal(raim_server_info_write_request(0, request), 25);
    assert_memory_equal(request, "\xFF\xFF\xFF\xFFTSource Engine Query", 25);
    assert_int_equal(raim_server_info_write_request(challenge, request), 29);
    assert_memory_equal(request + 25, "\1\2\3\4", 4);
}

TEST(nothing_else_is_read)
{
    struct raim_server_info info, before;
    uint32_t challenge = 9;
    memset(&info, 0x5A, sizeof info);
    before = info;
    // Everything behind the map's lock may be missing.
    for (size_t size = 0; size < sizeof answer - 8; size++)
        assert_int_equal(raim_server_info_read(answer, size, &challenge, &info),
                         RAIM_SERVER_INFO_OTHER);
    for (size_t i = 0; i < 5; i++) {
        uint8_t broken[sizeof answer];
        memcpy(broken, answer, sizeof answer);
        broken[i] ^= 0x20;
        assert_int_equal(raim_server_info_read(broken, sizeof broken, &challenge, &info),
                         RAIM_SERVER_INFO_OTHER);
    }
    const uint8_t other_game[] = "\xFF\xFF\xFF\xFFI\x11n\0m\0cstrike\0g\0\0\0\1\2\3dl\0\0v";
    assert_int_equal(raim_server_info_read(other_game, sizeof other_game, &challenge, &info),
                     RAIM_SERVER_INFO_OTHER);
    const uint8_t no_challenge[] = {0xFF, 0xFF, 0xFF, 0xFF, 'A', 0, 0, 0, 0};
    assert_int_equal(raim_server_info_read(no_challenge, sizeof no_challenge, &challenge, &info),
                     RAIM_SERVER_INFO_OTHER);
    assert_memory_equal(&info, &before, sizeof info);
    assert_int_equal(challenge, 9);
}

TEST(long_names_are_cut_in_whole_characters)
{
    uint8_t data[400] = "\xFF\xFF\xFF\xFFI\x11";
    size_t size = 6;
    for (int i = 0; i < 50; i++) { // 100 bytes
        data[size++] = 0xC3;
        data[size++] = 0xA9;
    }
    static const uint8_t rest[] = "\0m\0raim\0raim\0\0\0\0\0\0dl\0\0v";
    memcpy(data + size, rest, sizeof rest);
    struct raim_server_info info;
    uint32_t challenge;
    assert_int_equal(raim_server_info_read(data, size + sizeof rest, &challenge, &info),
                     RAIM_SERVER_INFO_ANSWER);
    assert_int_equal(strlen(info.name), 70);
}

// --- Master list ---

// The list of servers that a master answers with.

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
    assert_true(
        raim_master_list_read(BYTES(HEAD "\\\1\2\3\4\0\0\\\1\2\3\4\0\1x\1\2\3\4\1\1"),
                              &list)); // the first has port 0, the third 'x' for a backslash
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
