// SPDX-License-Identifier: MIT
// Whom an arena with access tokens lets in: those with a token for it, signed by one of its keys,
// not expired, and not used before. Time comes from the caller. Memory is fixed.
// Thread rule: an admission belongs to one thread at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADMISSION_KEY_BYTES 32 // of a public key
#define ADMISSION_MAX_KEYS 4

#define ADMISSION_SKEW_S 30     // by which clocks may differ
#define ADMISSION_TOKENS 8192   // used ones that are remembered, until they have expired
#define ADMISSION_NAME_BYTES 25 // with the closing NUL

// Public keys, each good for tokens: several, so that one can be replaced.
struct admission_keys {
    int count;
    uint8_t keys[ADMISSION_MAX_KEYS][ADMISSION_KEY_BYTES];
};

// Reads 1 to ADMISSION_MAX_KEYS keys of 64 hexadecimal digits with a space between them; false for
// anything else.
bool admission_read_keys(const char *text, struct admission_keys *keys);

enum admission_verdict {
    ADMISSION_ADMITTED,
    ADMISSION_MALFORMED, // no token at all, among them
    ADMISSION_FOREIGN,   // of another arena
    ADMISSION_EXPIRED,
    ADMISSION_USED,
    ADMISSION_CROWDED, // ADMISSION_TOKENS used ones have not expired
    ADMISSION_FORGED,
    ADMISSION_VERDICTS
};

struct admission;

// That of an arena of that name, at most 31 bytes, with at least one key. Copies all. NULL when
// memory runs out.
struct admission *admission_create(const char *arena, const struct admission_keys *keys);
void admission_destroy(struct admission *admission);

// The arena has another name from now on: tokens for the one before are another arena's.
void admission_rename(struct admission *admission, const char *arena);

// Judges a token at a time, in seconds since 1970. One that is admitted is used from now on; its
// name, if it has one, then replaces `name`.
enum admission_verdict admission_judge(struct admission *admission, const uint8_t *token,
                                       size_t size, int64_t now_s, char name[ADMISSION_NAME_BYTES]);

// The name of a verdict ("expired", ...).
const char *admission_verdict_name(enum admission_verdict verdict);
