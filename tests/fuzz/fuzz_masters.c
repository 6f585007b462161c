// SPDX-License-Identifier: MIT
// Fuzzes what master servers, and strangers in their name, send: getinfos to an arena, of which
// none but those that a heartbeat pays for is answered, and lists of servers to a client.
#include "fuzz.h"

#include "admission.h"
#include "master_list.h"
#include "masters.h"

enum { SENDERS = 4 }; // of whom two are masters

static bool admits_master(void *context, struct udp_address from)
{
    static int64_t now_ms;
    return masters_admit(context, from, ++now_ms);
}

static struct udp_address address_of(uint32_t who)
{
    return udp_address_v4(0xC0000200 + who, 27950);
}

static void check_list(const uint8_t *data, size_t size)
{
    struct raim_master_list list;
    if (!raim_master_list_read(data, size, &list))
        return;
    assert(list.count >= 0 && list.count <= RAIM_MASTER_LIST_MAX);
    for (int i = 0; i < list.count; i++)
        assert(list.entries[i].port != 0);
}

static void check_info(const char *challenge)
{
    uint8_t reply[MASTERS_MAX_INFO];
    const struct masters_info info = {.hostname = challenge, .map = "map", .max_clients = 1};
    const size_t size = masters_write_info(&info, challenge, reply);
    int backslashes = 0;
    for (size_t i = 4; i < size; i++)
        backslashes += reply[i] == '\\';
    assert(backslashes == 18); // nine keys and values
}

// A script of: who, whether a heartbeat precedes, how many bytes; then the bytes.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct admission admission;
    static struct masters masters;
    const struct admission_secrets secrets = {.hash = 1};
    struct masters_list list = {.count = SENDERS / 2};
    struct fuzz_input script = {data, size};
    uint64_t heartbeats = 0, answered[SENDERS / 2] = {0};
    admission_init(&admission, 7246, &secrets);
    admission.answers_queries = true;
    admission.policy =
        (struct admission_policy){.context = &masters, .admits_master = admits_master};
    masters = (struct masters){0};
    for (uint8_t i = 0; i < SENDERS / 2; i++)
        list.items[i] = (struct masters_address){.to = address_of(i), .master = i};
    masters_set_list(&masters, &list);
    for (int64_t now_ms = 0; script.left > 0; now_ms += MASTERS_HEARTBEAT_MS) {
        const uint32_t who = fuzz_byte(&script) % SENDERS;
        if ((fuzz_byte(&script) & 1) != 0)
            heartbeats += masters_beat(&masters, true, false, now_ms);
        size_t taken;
        const uint8_t length = fuzz_byte(&script);
        const uint8_t *block = fuzz_block(&script, length, &taken);
        uint8_t *datagram = fuzz_copy(block, taken);
        struct admission_answer answer;
        admission_receive(&admission, address_of(who), datagram, taken, 1000 * now_ms, &answer);
        if (answer.verdict == ADMISSION_QUERY && answer.query == QUERY_GETINFO) {
            char challenge[MASTER_CHALLENGE_BYTES];
            assert(who < SENDERS / 2);
            assert(master_request_read(datagram, taken, challenge));
            check_info(challenge);
            answered[who]++;
        }
        check_list(datagram, taken);
        free(datagram);
    }
    for (int i = 0; i < SENDERS / 2; i++) {
        assert(answered[i] == masters.report.contacts[i].asked);
        assert(answered[i] <= heartbeats * MASTERS_CREDIT);
    }
    return 0;
}
