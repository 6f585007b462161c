// SPDX-License-Identifier: MIT
// Access control: judges access tokens. An arena admits those with a token for it that one of its
// keys has signed, that is valid now, and that nobody has used before, not even before a restart
// (see used_tokens.h). Time comes from the caller. Memory is fixed.
// Thread rule: an access control belongs to one thread at a time.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCESS_CONTROL_KEY_BYTES 32 // of a public key
#define ACCESS_CONTROL_MAX_KEYS 4

#define ACCESS_CONTROL_SKEW_S 30 // by which clocks may differ

// No token is valid for longer. Each used one takes memory until it has expired, and one that gets
// about is worth something to others for so long. A matchmaker's tokens live for minutes; a day is
// for those that an operator hands out by hand.
#define ACCESS_CONTROL_MAX_LIFETIME_S (24 * 60 * 60)

// Public keys, each good for tokens: several, so that one can be replaced. No two begin with the
// same 8 bytes, by which a token names its key.
struct access_control_keys {
    int count;
    uint8_t keys[ACCESS_CONTROL_MAX_KEYS][ACCESS_CONTROL_KEY_BYTES];
};

// Reads 1 to ACCESS_CONTROL_MAX_KEYS keys of 64 hexadecimal digits with a space between them; false
// for anything else.
bool access_control_read_keys(const char *text, struct access_control_keys *keys);

// In the order in which a token is judged: what is cheap comes first.
enum access_control_verdict {
    ACCESS_CONTROL_ADMITTED,
    ACCESS_CONTROL_MALFORMED,      // no token at all, among them
    ACCESS_CONTROL_OTHER_ARENA,    // of another arena
    ACCESS_CONTROL_NOT_YET_VALID,  // not valid yet
    ACCESS_CONTROL_EXPIRED,        // not valid any more
    ACCESS_CONTROL_LIVES_TOO_LONG, // valid for longer than ACCESS_CONTROL_MAX_LIFETIME_S
    ACCESS_CONTROL_UNKNOWN_KEY,    // of no key that the arena has
    ACCESS_CONTROL_UNRECORDED, // the server cannot note that it is used, or has lost whether it was
    ACCESS_CONTROL_USED,
    ACCESS_CONTROL_BAD_SIGNATURE, // its signature is wrong
    ACCESS_CONTROL_CROWDED, // there is no room to note that it is used until another one expires
};

struct access_control;
struct used_tokens;

struct access_control_def {
    const char *arena; // at most 31 bytes
    const struct access_control_keys *keys;
    struct used_tokens *used; // borrowed; NULL: they cannot be noted, and every token is refused
};

// Copies all but the table. NULL when memory runs out.
struct access_control *access_control_create(const struct access_control_def *def);
void access_control_destroy(struct access_control *control);

// The arena has another name from now on: tokens for the one before are another arena's.
void access_control_rename(struct access_control *control, const char *arena);

// Used tokens can no longer be noted: every token is refused.
void access_control_stop_noting(struct access_control *control);

// Judges a token at a time, in seconds since 1970, and leaves it unused; never CROWDED. Costs less
// than a microsecond, but for tokens that are refused as FORGED or would be admitted: these cost
// the verification of a signature.
enum access_control_verdict access_control_check(const struct access_control *control,
                                                 const uint8_t *token, size_t size, int64_t now_s);

// Judges a token as access_control_check does. One that is admitted is used from now on; its name,
// if it has one, then replaces `name`.
enum access_control_verdict access_control_judge(struct access_control *control,
                                                 const uint8_t *token, size_t size, int64_t now_s,
                                                 char name[RAIM_MAX_NAME_BYTES + 1]);
