// SPDX-License-Identifier: MIT
// Datagrams at a sealed arena, with and without tickets, from those with a session and from others:
// nothing is opened but what a session's own client has sealed.
#include "fuzz.h"

#include "envelope.h"
#include "seals.h"

enum { PEERS = 4, MOST = 2048 };

static const uint8_t plain_word[10] = "anything";

static bool is_ticket(void *context, uint32_t address, uint32_t ticket)
{
    (void)context;
    return address != 0 && ticket % 2 == 0;
}

// Lets the client of one peer in, whose envelope then is as it should be.
static void let_in(struct seals *seals, struct seals_peer peer, struct raim_envelope *client)
{
    static const uint8_t connect[52] = {0x8F, 0xFF, 0, 0, 0x82, 0xFF};
    uint8_t sealed[MOST], plain[MOST];
    struct raim_ticket ticket = {.ticket = 2};
    enum datagram_verdict verdict;
    seals_offer(seals, 0, &ticket);
    raim_envelope_begin(client, &ticket);
    size_t size = raim_envelope_close(client, connect, sizeof connect, sealed);
    assert(seals_open(seals, peer, sealed, size, 0, plain, &verdict) == sizeof connect);
    size = seals_close(seals, peer, connect, sizeof connect, sealed);
    assert(raim_envelope_open(client, sealed, size, plain) == sizeof connect);
}

// A script of: who sends, how many tenths of a second later, how many bytes of what was sealed are
// kept in front, how many others follow; then these.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct seals_def def = {.capacity = 2, .secret = {1}, .is_ticket = is_ticket};
    struct fuzz_input script = {data, size};
    struct seals *seals = seals_create(&def, 0);
    struct raim_envelope client;
    int64_t now_ms = 0;
    let_in(seals, (struct seals_peer){.address = 1}, &client);
    while (script.left > 0) {
        const struct seals_peer peer = {.address = fuzz_byte(&script) % PEERS};
        now_ms += 100 * fuzz_byte(&script);
        uint8_t own[MOST] = {0}, sent[MOST], plain[MOST];
        const size_t whole = raim_envelope_close(&client, plain_word, sizeof plain_word, own);
        const size_t kept = fuzz_byte(&script) % (whole + 1);
        size_t taken;
        const uint8_t *block = fuzz_block(&script, fuzz_byte(&script), &taken);
        memcpy(sent, own, kept);
        memcpy(sent + kept, block, taken);
        uint8_t *exact = fuzz_copy(sent, kept + taken);
        const bool is_own = kept + taken == whole && memcmp(exact, own, whole) == 0;
        enum datagram_verdict verdict = DATAGRAM_VERDICTS;
        const size_t opened = seals_open(seals, peer, exact, kept + taken, now_ms, plain, &verdict);
        assert(verdict < DATAGRAM_VERDICTS);
        assert((opened > 0) == (verdict == DATAGRAM_OK || verdict == DATAGRAM_CONNECTIONLESS));
        assert(verdict != DATAGRAM_OK || (peer.address == 1 && is_own));
        assert(raim_envelope_open(&client, exact, kept + taken, plain) == 0);
        free(exact);
    }
    seals_destroy(seals);
    return 0;
}
