// SPDX-License-Identifier: MIT
// Access control: verifies signed single-use access tokens (proto/access.h). A token admits when it
// names this arena, is signed by one of the arena's keys, is valid now, and has never been used,
// which includes the time before a restart (see used_tokens.h). Time comes from the caller. Memory
// is fixed. Thread rule: an access control belongs to one thread at a time.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCESS_CONTROL_KEY_BYTES 32 // of a public key
#define ACCESS_CONTROL_MAX_KEYS 4

#define ACCESS_CONTROL_SKEW_S 30 // tolerated difference between the signer's clock and ours

// The longest lifetime of a token. A used token takes memory until it expires, and a leaked token
// is usable until then. A matchmaker's tokens live for minutes; a day is for tokens that an
// operator hands out by hand.
#define ACCESS_CONTROL_MAX_LIFETIME_S (24 * 60 * 60)

// Public keys whose signatures are accepted. There may be several, so that a key can be replaced.
// Their first 8 bytes differ, because a token names its key by these.
struct access_control_keys {
    int count;
    uint8_t keys[ACCESS_CONTROL_MAX_KEYS][ACCESS_CONTROL_KEY_BYTES];
};

// Reads 1 to ACCESS_CONTROL_MAX_KEYS keys of 64 hexadecimal digits, separated by one space. False
// for any other text.
bool access_control_read_keys(const char *text, struct access_control_keys *keys);

// The result of verifying a token, in the order of the checks: cheap checks come first.
enum access_control_verdict {
    ACCESS_CONTROL_ADMITTED,
    ACCESS_CONTROL_MALFORMED,      // not a token, or empty
    ACCESS_CONTROL_OTHER_ARENA,    // names another arena
    ACCESS_CONTROL_NOT_YET_VALID,  // not valid yet
    ACCESS_CONTROL_EXPIRED,        // not valid any more
    ACCESS_CONTROL_LIVES_TOO_LONG, // its lifetime exceeds ACCESS_CONTROL_MAX_LIFETIME_S
    ACCESS_CONTROL_UNKNOWN_KEY,    // names a key that the arena does not have
    ACCESS_CONTROL_UNRECORDED, // its use cannot be recorded, or the record of earlier uses is lost
    ACCESS_CONTROL_USED,
    ACCESS_CONTROL_BAD_SIGNATURE, // its signature is wrong
    ACCESS_CONTROL_RESERVED,      // the free slots are reserved for others
    ACCESS_CONTROL_FULL, // the table of used tokens has no room until another token expires
};

struct access_control;
struct used_tokens;

struct access_control_def {
    const char *arena; // at most 31 bytes
    const struct access_control_keys *keys;
    struct used_tokens
        *used; // borrowed; NULL: uses cannot be recorded, and every token is rejected
};

// Copies everything but the table of used tokens. NULL when memory runs out.
struct access_control *access_control_create(const struct access_control_def *def);
void access_control_destroy(struct access_control *control);

// Renames the arena: tokens for its old name are rejected from now on.
void access_control_set_arena(struct access_control *control, const char *arena);

// Decides whether the bearer of a valid token may take a slot. `name` is the name in the token, or
// "".
typedef bool access_control_may_join(void *context, const char *name);

// Makes access_control_admit ask `may_join` before a token of a player is used up.
void access_control_reserve(struct access_control *control, access_control_may_join *may_join,
                            void *context);

// Rejects every token from now on, because uses can no longer be recorded.
void access_control_stop_recording(struct access_control *control);

// Verifies a token without using it up. `now_s` is in seconds since 1970. Never returns
// ACCESS_CONTROL_FULL. Takes less than a microsecond unless the result is ADMITTED or
// BAD_SIGNATURE, which cost the verification of a signature.
enum access_control_verdict access_control_check(const struct access_control *control,
                                                 const uint8_t *token, size_t size, int64_t now_s);

// Verifies a token as access_control_check does and, when it is admitted, records it as used. A
// player name in an admitted token replaces `name`. A bearer who `watches` needs no slot.
enum access_control_verdict access_control_admit(struct access_control *control,
                                                 const uint8_t *token, size_t size, int64_t now_s,
                                                 bool watches, char name[RAIM_MAX_NAME_BYTES + 1]);
