// SPDX-License-Identifier: MIT
// Fuzzes the ban file: an accepted file bans exactly its entries and survives writing; a refusal
// names the line.
#define _GNU_SOURCE
#include "fuzz.h"

#include "bans.h"
#include "fuzz_file.h"

static char path[128];

static void clean_up(void)
{
    unlink(path);
}

static void check_same(const struct bans *bans, const struct bans *again)
{
    assert(again != NULL && again->count == bans->count);
    for (uint32_t i = 0; i < bans->count; i++) {
        assert(ip_address_equal(again->items[i].network, bans->items[i].network));
        assert(again->items[i].prefix == bans->items[i].prefix);
        assert(again->items[i].until_s == bans->items[i].until_s);
        assert(strcmp(again->items[i].why, bans->items[i].why) == 0);
        assert(strcmp(again->items[i].by, bans->items[i].by) == 0);
    }
}

static void check_bans(const struct bans *bans)
{
    assert(bans->count <= BANS_MAX);
    for (uint32_t i = 0; i < bans->count; i++) {
        const struct ban *ban = &bans->items[i];
        char text[BANS_NETWORK_BYTES];
        struct ip_address network;
        uint32_t prefix;
        bans_print(ban->network, ban->prefix, text);
        assert(bans_parse(text, &network, &prefix));
        assert(ip_address_equal(network, ban->network) && prefix == ban->prefix);
        assert(ban->until_s >= 0 && strlen(ban->why) <= RAIM_MAX_TEXT_BYTES);
        assert(bans_find(bans, ban->network, 0) != NULL);
        assert(bans_has(bans, ban->network, ban->prefix, 0));
    }
    if (bans->count == 0)
        return;
    struct bans *fewer = bans_without(bans, bans->items[0].network, bans->items[0].prefix, 0);
    assert(fewer != NULL && fewer->count < bans->count);
    assert(!bans_has(fewer, bans->items[0].network, bans->items[0].prefix, 0));
    free(fewer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        fuzz_make_directory("bans");
        snprintf(path, sizeof path, "%s/bans", fuzz_directory);
        atexit(clean_up);
    }
    char error[512] = "";
    fuzz_write_file(path, data, size);
    struct bans *bans = bans_load(path, error, sizeof error);
    if (bans == NULL) {
        assert(strncmp(error, path, strlen(path)) == 0 && error[strlen(path)] == ':');
        return 0;
    }
    check_bans(bans);
    char *text = bans_text(bans, &size);
    assert(text != NULL);
    fuzz_write_file(path, text, size);
    free(text);
    struct bans *again = bans_load(path, error, sizeof error);
    check_same(bans, again);
    free(again);
    free(bans);
    return 0;
}
