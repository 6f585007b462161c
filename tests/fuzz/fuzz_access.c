// SPDX-License-Identifier: MIT
// Fuzzes access tokens: an accepted token is written as equal bytes, and a token without a valid
// signature admits nobody.
#include "fuzz.h"

#include "access.h"
#include "access_control.h"
#include "used_tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct access_control *admission;
    const struct access_control_keys keys = {.count = 1, .keys = {{1}}};
    static struct used_tokens used;
    const struct access_control_def def = {.arena = "duel", .keys = &keys, .used = &used};
    if (admission == NULL)
        admission = access_control_create(&def);
    uint8_t written[RAIM_ACCESS_BYTES];
    char name[RAIM_MAX_NAME_BYTES + 1] = "chosen";
    struct raim_access access;
    uint8_t *token = fuzz_copy(data, size);
    const size_t signed_size = raim_access_read(token, size, &access);
    if (signed_size > 0) {
        assert(signed_size + RAIM_ACCESS_SIGNATURE_BYTES == size);
        assert(raim_access_write(&access, written) == signed_size);
        assert(memcmp(written, token, signed_size) == 0);
    }
    const int64_t now_s =
        signed_size > 0 ? (int64_t)(access.not_before / 2 + access.expiry / 2) : 0;
    const enum access_control_verdict verdict = access_control_check(admission, token, size, now_s);
    assert(verdict != ACCESS_CONTROL_ADMITTED);
    assert(access_control_admit(admission, token, size, now_s, false, name) == verdict);
    assert(strcmp(name, "chosen") == 0);
    free(token);
    return 0;
}
