// SPDX-License-Identifier: MIT
// Confusable names: what two names that look alike have in common, by the skeletons of UTS #39
// (Unicode Security Mechanisms) with case, spaces and marks left out. Nobody takes a name that
// looks like the operator's, and two players who would look alike are told apart by a number.
#pragma once

#include "message.h"

struct raim_name_key {
    uint64_t skeleton; // hash of the skeleton, but for a number in parentheses at its end
    uint32_t number;   // that number, 1 to 9999; 0: none
};

// Names that look alike have the same key. The name is clean.
struct raim_name_key raim_name_key_of(const char *name);

static inline bool raim_name_keys_match(struct raim_name_key one, struct raim_name_key other)
{
    return one.skeleton == other.skeleton && one.number == other.number;
}

// Whether a clean name passes for the server or who runs it: "server", "raimd", "admin" and others
// in any spelling that looks like them, with any signs, spaces and digits around them.
bool raim_name_is_reserved(const char *name);

// Writes a name with a number behind it, "Ada (2)", and cuts as much of its end as that takes.
void raim_name_append_number(const char *name, uint32_t number,
                             char numbered[RAIM_MAX_NAME_BYTES + 1]);
