// SPDX-License-Identifier: MIT
// Fuzzes ban lists by URL: an accepted list bans its networks and no wide one; a rejection says
// why.
#include "fuzz.h"

#include "bans.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[128] = "";
    char *text = malloc(size + 1);
    assert(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    struct bans *bans = ban_list_read(text, size, error, sizeof error);
    assert((bans != NULL) == (error[0] == '\0'));
    for (uint32_t i = 0; bans != NULL && i < bans->count; i++) {
        const struct ban *ban = &bans->items[i];
        assert(!bans_is_wide(ban->network, ban->prefix));
        assert(ban->until_s >= 0 && strlen(ban->why) <= RAIM_MAX_TEXT_BYTES);
        assert(bans_has(bans, ban->network, ban->prefix, ban->until_s > 0 ? ban->until_s - 1 : 0));
        assert(bans_find(bans, ban->network, 0) != NULL);
    }
    free(bans);
    free(text);
    return 0;
}
