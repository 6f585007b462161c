// SPDX-License-Identifier: MIT
// Fuzzes a matchmaker's answer. An accepted one has an ID that may be part of a URL, and, if it
// names an arena, an address that may be printed and a port; a rejected one names no arena.
#include "fuzz.h"

#include "matchmaker.h"

#include <ctype.h>

static void check_text(const char *text, const char *marks)
{
    assert(text[0] != '\0');
    for (; *text != '\0'; text++)
        assert(isalnum((unsigned char)*text) || strchr(marks, *text) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct matchmaker_answer answer, again;
    uint8_t *copy = fuzz_copy(data, size);
    const bool good = matchmaker_read((const char *)copy, size, &answer);
    assert(good || !answer.is_placed);
    if (good) {
        assert(strlen(answer.id) < sizeof answer.id);
        check_text(answer.id, "_-");
    }
    if (answer.is_placed) {
        assert(strlen(answer.arena.address) < sizeof answer.arena.address);
        check_text(answer.arena.address, "_-.:");
        assert(answer.arena.port > 0);
        assert(strlen(answer.arena.access) < sizeof answer.arena.access);
    }
    assert(matchmaker_read((const char *)copy, size, &again) == good);
    assert(memcmp(&answer, &again, sizeof answer) == 0);
    free(copy);
    return 0;
}
