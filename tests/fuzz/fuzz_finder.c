// SPDX-License-Identifier: MIT
// Fuzzes the finder of servers with what servers, masters and strangers send: a datagram causes at
// most one, to its sender, and an address that somebody else named is asked a few times only.
#include "fuzz.h"

#include "discovery.h"
#include "master_list.h"
#include "server_finder.h"

enum { SENDERS = 8, GIVEN = 0, HOST = 1, MASTER = 2, MAX_QUERIES = 6 };

static struct {
    int count;
    struct raim_finder_datagram last;
    int queries[SENDERS]; // with is_once: to each sender's own port
} sent;

static struct raim_address address_of(uint8_t who)
{
    static const uint16_t ports[SENDERS] = {RAIM_FINDER_PORT, RAIM_DISCOVERY_PORT, RAIM_MASTER_PORT,
                                            RAIM_FINDER_PORT, RAIM_DISCOVERY_PORT, 20000,
                                            RAIM_FINDER_PORT, RAIM_DISCOVERY_PORT};
    return (struct raim_address){.is_ipv6 = who >= 6, .bytes = {10, 0, 0, who}, .port = ports[who]};
}

static void note(void *context, const struct raim_finder_datagram *datagram)
{
    (void)context;
    assert(datagram->size > 0 && datagram->size <= RAIM_FINDER_BYTES);
    sent.count++;
    sent.last = *datagram;
    for (uint8_t who = 0; who < SENDERS; who++) {
        const struct raim_address own = address_of(who);
        if (datagram->to == RAIM_FINDER_TO_ADDRESS &&
            datagram->size <= RAIM_SERVER_INFO_REQUEST_BYTES &&
            raim_address_is_same(&datagram->address, &own))
            sent.queries[who]++;
    }
}

static void check_rows(const struct raim_finder *finder)
{
    assert(raim_finder_count(finder) <= RAIM_FINDER_SERVERS);
    for (int i = 0; i < raim_finder_count(finder); i++) {
        const struct raim_finder_row *row = raim_finder_at(finder, i);
        assert(row->address_count == 1 && row->answering == 0);
        assert(!row->answers || (row->answer_count > 0 && row->ping_ms >= 0));
    }
}

// A script of: the modes; then who, where it is, how long before, how many bytes; then the bytes.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input script = {data, size};
    const uint8_t modes = fuzz_byte(&script);
    const bool is_once = (modes & 1) != 0;
    const struct raim_address given = address_of(GIVEN), host = address_of(HOST),
                              master = address_of(MASTER);
    double now_s = 100;
    memset(&sent, 0, sizeof sent);
    struct raim_finder *finder = raim_finder_create(&(struct raim_finder_def){
        .nonce = 7, .is_once = is_once, .has_network = (modes & 2) != 0, .send = note});
    assert(finder != NULL);
    raim_finder_add(finder, &given, 1);
    raim_finder_add_host(finder, &host);
    raim_finder_add_master(finder, &master, 1);
    while (script.left > 0) {
        const struct raim_address from = address_of(fuzz_byte(&script) % SENDERS);
        const enum raim_finder_place place = (enum raim_finder_place)(fuzz_byte(&script) % 3);
        now_s += fuzz_byte(&script) * 0.01;
        raim_finder_update(finder, now_s);
        size_t taken;
        const uint16_t length = fuzz_pair(&script) % 1500;
        const uint8_t *block = fuzz_block(&script, length, &taken);
        uint8_t *datagram = fuzz_copy(block, taken);
        const int before = sent.count;
        raim_finder_take(finder, &from, place, datagram, taken, now_s);
        assert(sent.count - before <= 1);
        assert(sent.count == before || raim_address_is_same(&sent.last.address, &from));
        free(datagram);
    }
    for (int i = 0; i < SENDERS && is_once; i++)
        assert(sent.queries[i] <= MAX_QUERIES); // three, and one for a challenge after each
    check_rows(finder);
    raim_finder_destroy(finder);
    return 0;
}
