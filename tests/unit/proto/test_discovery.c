// SPDX-License-Identifier: MIT
// Discovery of servers in the local network: what is written is read, and nothing else is.
#include "discovery.h"
#include "test.h"

TEST(a_request_is_read)
{
    uint8_t request[RAIM_DISCOVERY_BYTES];
    uint64_t nonce = 0;
    raim_discovery_write_request(UINT64_C(0x0807060504030201), request);
    assert_memory_equal(request, "\xFF\xFF\xFF\xFFRAIM\x10\1\1\2\3\4\5\6\7\x08\0\0", 20);
    assert_true(raim_discovery_read_request(request, sizeof request, &nonce));
    assert_true(nonce == UINT64_C(0x0807060504030201));
    // A shorter one could be answered by more bytes than it has.
    assert_false(raim_discovery_read_request(request, sizeof request - 1, &nonce));
    request[9] = 2;
    assert_false(raim_discovery_read_request(request, sizeof request, &nonce));
    assert_false(raim_discovery_read_request(request, 0, &nonce));
}

TEST(an_answer_is_read)
{
    uint8_t answer[RAIM_DISCOVERY_BYTES];
    struct raim_discovery read;
    const struct raim_discovery two = {
        .nonce = 7, .server = UINT64_MAX, .count = 2, .ports = {7246, 65535}};
    static const char expected[] = "\xFF\xFF\xFF\xFFRAIM\x11\1"
                                   "\x07\0\0\0\0\0\0\0"
                                   "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\2\0\x4E\x1C\xFF\xFF";
    assert_int_equal(raim_discovery_write(&two, answer), sizeof expected - 1);
    assert_memory_equal(answer, expected, sizeof expected - 1);
    assert_true(raim_discovery_read(answer, sizeof expected - 1, &read));
    assert_int_equal(read.count, 2);
    assert_true(read.nonce == 7 && read.server == UINT64_MAX);
    assert_int_equal(read.ports[0], 7246);
    assert_int_equal(read.ports[1], 65535);
    for (size_t size = 0; size < sizeof expected - 1; size++)
        assert_false(raim_discovery_read(answer, size, &read));
    assert_false(raim_discovery_read(answer, sizeof expected, &read));
    answer[28] = answer[29] = 0; // a port that is none
    assert_false(raim_discovery_read(answer, sizeof expected - 1, &read));
}

TEST(the_largest_answer_is_as_large_as_a_request)
{
    uint8_t answer[RAIM_DISCOVERY_BYTES];
    struct raim_discovery most = {.count = RAIM_DISCOVERY_MAX};
    for (int i = 0; i < RAIM_DISCOVERY_MAX; i++)
        most.ports[i] = (uint16_t)(i + 1);
    assert_int_equal(raim_discovery_write(&most, answer), RAIM_DISCOVERY_BYTES);
    assert_true(raim_discovery_read(answer, sizeof answer, &most));
    answer[26] = 0xFF;
    answer[27] = 0xFF;
    assert_false(raim_discovery_read(answer, sizeof answer, &most));
}
