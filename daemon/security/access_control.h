// SPDX-License-Identifier: MIT
// Access control: judges access tokens. An arena admits those with a token for it that one of its
// keys has signed, that is valid now, and that nobody has used before, not even before a restart.
// Time comes from the caller. Memory is fixed.
// Thread rule: an admission belongs to one thread at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADMISSION_KEY_BYTES 32 // of a public key
#define ADMISSION_MAX_KEYS 4

#define ADMISSION_SKEW_S 30     // by which clocks may differ
#define ADMISSION_NAME_BYTES 25 // with the closing NUL

// No token is valid for longer. Each used one takes memory until it has expired, and one that gets
// about is worth something to others for so long. A matchmaker's tokens live for minutes; a day is
// for those that an operator hands out by hand.
#define ADMISSION_MAX_LIFETIME_S (24 * 60 * 60)

// Public keys, each good for tokens: several, so that one can be replaced. No two begin with the
// same 8 bytes, by which a token names its key.
struct admission_keys {
    int count;
    uint8_t keys[ADMISSION_MAX_KEYS][ADMISSION_KEY_BYTES];
};

// Reads 1 to ADMISSION_MAX_KEYS keys of 64 hexadecimal digits with a space between them; false for
// anything else.
bool admission_read_keys(const char *text, struct admission_keys *keys);

// In the order in which a token is judged: what is cheap comes first.
enum admission_verdict {
    ADMISSION_ADMITTED,
    ADMISSION_MALFORMED,  // no token at all, among them
    ADMISSION_FOREIGN,    // of another arena
    ADMISSION_EARLY,      // not valid yet
    ADMISSION_EXPIRED,    // not valid any more
    ADMISSION_LASTING,    // valid for longer than ADMISSION_MAX_LIFETIME_S
    ADMISSION_UNKNOWN,    // of no key that the arena has
    ADMISSION_UNRECORDED, // the server cannot note that it is used, or has lost whether it was
    ADMISSION_USED,
    ADMISSION_FORGED,  // its signature is wrong
    ADMISSION_CROWDED, // there is no room to note that it is used until another one expires
};

struct admission;

struct admission_def {
    const char *arena; // at most 31 bytes
    const struct admission_keys *keys;
    const char *runtime; // directories where used tokens are noted, see used_tokens.h; NULL: none
    const char *state;
    int64_t now_s; // seconds since 1970
};

// Copies all. NULL when memory runs out. Where used tokens cannot be noted, every token is refused,
// and where it is unknown which were used, those issued until now; then `error` tells the operator,
// and is empty otherwise.
struct admission *admission_create(const struct admission_def *def, char *error, size_t capacity);
void admission_destroy(struct admission *admission);

// The arena has another name from now on: tokens for the one before are another arena's. Where used
// tokens can no longer be noted, every token is refused, and `error` gets the reason; it is empty
// otherwise.
void admission_rename(struct admission *admission, const char *arena, int64_t now_s, char *error,
                      size_t capacity);

// Judges a token at a time, in seconds since 1970, and leaves it unused; never CROWDED. Costs less
// than a microsecond, but for tokens that are refused as FORGED or would be admitted: these cost
// the verification of a signature.
enum admission_verdict admission_check(const struct admission *admission, const uint8_t *token,
                                       size_t size, int64_t now_s);

// Judges a token as admission_check does. One that is admitted is used from now on; its name, if it
// has one, then replaces `name`.
enum admission_verdict admission_judge(struct admission *admission, const uint8_t *token,
                                       size_t size, int64_t now_s, char name[ADMISSION_NAME_BYTES]);
