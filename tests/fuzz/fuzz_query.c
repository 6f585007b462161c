// SPDX-License-Identifier: MIT
// Fuzzes server queries, second by second: no sender is admitted without the challenge for its own
// address, and no datagram below nine bytes is answered before.
#include "fuzz.h"

#include "query_guard.h"

enum { STRANGERS = 4 };

// A script of: who, how many tenths of a second later, how many bytes, whether the challenge that
// this one was told is put over the last four; then the bytes.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct query_guard guard;
    struct fuzz_input script = {data, size};
    uint32_t told[STRANGERS] = {0};
    bool was_sent[STRANGERS] = {false};
    int64_t now_ms = 0;
    static const uint8_t secret[CHALLENGE_SECRET_BYTES] = {1};
    query_guard_init(&guard, 1, secret);
    while (script.left > 0) {
        const uint32_t who = fuzz_byte(&script) % STRANGERS;
        now_ms += 100 * fuzz_byte(&script);
        const uint8_t length = fuzz_byte(&script);
        const bool answers = (fuzz_byte(&script) & 1) != 0 && was_sent[who];
        size_t taken;
        const uint8_t *block = fuzz_block(&script, length, &taken);
        uint8_t *datagram = fuzz_copy(block, taken);
        if (answers && taken >= sizeof told[who])
            memcpy(datagram + taken - sizeof told[who], &told[who], sizeof told[who]);
        const struct query query = query_read(datagram, taken);
        assert((unsigned)query.kind < QUERY_KINDS);

        enum query_kind kind = QUERY_NONE;
        uint8_t reply[QUERY_CHALLENGE_REPLY] = {0};
        const struct udp_address from = udp_address_v4(0x7F000001 + (who << 8), 1000);
        const enum query_verdict verdict =
            query_guard_judge(&guard, from, datagram, taken, now_ms, &kind, reply);
        assert((verdict == QUERY_REJECTED) == (query.kind == QUERY_NONE));
        if (verdict == QUERY_CHALLENGED) {
            assert(taken >= sizeof reply && reply[4] == 'A');
            memcpy(&told[who], reply + 5, sizeof told[who]);
            was_sent[who] = true;
        }
        if (verdict == QUERY_ADMITTED)
            assert(was_sent[who] && kind == query.kind);
        free(datagram);
    }
    return 0;
}
