// SPDX-License-Identifier: MIT
// Fuzzes the ban file: an accepted file bans exactly its entries and survives writing; a rejection
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

// What was not understood stays byte for byte.
static void check_unread(const struct bans_unread *one, const struct bans_unread *other)
{
    assert(one->lines == other->lines && one->text.size == other->text.size);
    assert(one->lines == 0 || memcmp(one->text.text, other->text.text, one->text.size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        fuzz_make_directory("bans");
        snprintf(path, sizeof path, "%s/bans", fuzz_directory);
        atexit(clean_up);
    }
    char error[512] = "";
    const bool is_second = size > 11 && memcmp(data, "raimd bans ", 11) == 0;
    fuzz_write_file(path, data, size);
    struct bans_unread unread = {0}, unread_again = {0};
    struct bans *bans = bans_load(path, &unread, error, sizeof error);
    assert(bans != NULL);
    check_bans(bans);
    char *text = bans_text(bans, &unread, &size);
    assert(text != NULL);
    fuzz_write_file(path, text, size);
    free(text);
    struct bans *again = bans_load(path, &unread_again, error, sizeof error);
    assert(again != NULL);
    // What the first form does not understand may be a ban of the second, as which it is saved.
    if (is_second || unread.lines == 0)
        check_same(bans, again);
    if (is_second)
        check_unread(&unread, &unread_again);
    free(text_buffer_take(&unread.text));
    free(text_buffer_take(&unread_again.text));
    free(again);
    free(bans);
    return 0;
}
