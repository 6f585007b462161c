// SPDX-License-Identifier: MIT
// Fuzzes server queries, second by second: a sender is admitted only with the challenge that its
// own address and port were told, for at least one epoch and less than two, and no datagram is
// answered by a larger one before.
#include "fuzz.h"

#include "query_guard.h"

enum { STRANGERS = 4, LETTER = 4, INFO_CHALLENGE = 25, CHALLENGE = 5, CHALLENGE_BYTES = 4 };

struct stranger {
    bool was_told;
    uint8_t challenge[CHALLENGE_BYTES]; // the newest
    int64_t told_ms;
};

static const struct stranger *find_told(const struct stranger *strangers, const uint8_t *challenge)
{
    for (uint32_t i = 0; i < STRANGERS; i++)
        if (strangers[i].was_told &&
            memcmp(strangers[i].challenge, challenge, CHALLENGE_BYTES) == 0)
            return &strangers[i];
    return NULL;
}

// The challenge in a query; NULL: it has none.
static uint8_t *find_challenge(enum query_kind kind, uint8_t *datagram, size_t size)
{
    const size_t at = kind == QUERY_INFO ? INFO_CHALLENGE : CHALLENGE;
    return kind != QUERY_NONE && size >= at + CHALLENGE_BYTES ? datagram + at : NULL;
}

// A script of: who, how many tenths of a second later, how many bytes, whose challenge is put into
// the query, if anybody's; then the bytes.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct query_guard guard;
    struct fuzz_input script = {data, size};
    struct stranger strangers[STRANGERS] = {0};
    int64_t now_ms = 0;
    static const uint8_t secret[CHALLENGE_SECRET_BYTES] = {1};
    query_guard_init(&guard, 1, secret);
    while (script.left > 0) {
        const uint32_t who = fuzz_byte(&script) % STRANGERS;
        struct stranger *stranger = &strangers[who];
        now_ms += 100 * fuzz_byte(&script);
        const uint8_t length = fuzz_byte(&script);
        const uint32_t whose = fuzz_byte(&script) % (STRANGERS + 1); // STRANGERS: nobody's
        size_t taken;
        const uint8_t *block = fuzz_block(&script, length, &taken);
        uint8_t *datagram = fuzz_copy(block, taken);
        const struct query query = query_read(datagram, taken);
        assert((unsigned)query.kind < QUERY_KINDS);
        uint8_t *challenge = find_challenge(query.kind, datagram, taken);
        const struct stranger *source = NULL; // who was told the challenge in the query
        if (challenge != NULL) {
            if (whose < STRANGERS && strangers[whose].was_told)
                memcpy(challenge, strangers[whose].challenge, CHALLENGE_BYTES);
            source = find_told(strangers, challenge);
            // libFuzzer sees what its bytes are compared with, so that it guesses a challenge of 31
            // bits at once. No challenge has the highest bit.
            if (source == NULL)
                challenge[CHALLENGE_BYTES - 1] |= 0x80;
        }

        enum query_kind kind = QUERY_NONE;
        uint8_t reply[QUERY_CHALLENGE_REPLY] = {0};
        // Each shares its address with another, by another port.
        const struct udp_address from =
            udp_address_v4(0x7F000001 + (who % 2 << 8), (uint16_t)(1000 + who / 2));
        const enum query_verdict verdict =
            query_guard_judge(&guard, from, datagram, taken, now_ms, &kind, reply);
        const int64_t age_ms = now_ms - stranger->told_ms;
        assert((verdict == QUERY_REJECTED) == (query.kind == QUERY_NONE));
        if (verdict == QUERY_ADMITTED)
            assert(source == stranger && age_ms < 2 * CHALLENGE_EPOCH_MS && kind == query.kind);
        if (verdict == QUERY_CHALLENGED) {
            assert(source != stranger || age_ms > CHALLENGE_EPOCH_MS);
            assert(taken >= sizeof reply && reply[LETTER] == 'A');
            memcpy(stranger->challenge, reply + CHALLENGE, CHALLENGE_BYTES);
            stranger->told_ms = now_ms;
            stranger->was_told = true;
        }
        free(datagram);
    }
    return 0;
}
