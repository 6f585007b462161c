// SPDX-License-Identifier: MIT
// Confusable detection for names: a key that names which look alike share, from the skeletons of
// UTS #39 (Unicode Security Mechanisms) without case, spaces and marks. A name that looks like the
// operator's is refused; of two players whose names look alike the later one gets a number.
#pragma once

#include "message.h"

struct raim_name_key {
    uint64_t skeleton; // hash of the skeleton without a number in parentheses at its end
    uint32_t number;   // that number, 1 to 9999; 0: none
};

// Names that look alike have equal keys. The name must be clean.
struct raim_name_key raim_name_key_of(const char *name);

static inline bool raim_name_keys_match(struct raim_name_key one, struct raim_name_key other)
{
    return one.skeleton == other.skeleton && one.number == other.number;
}

// Whether a clean name looks like the server's or its operator's: "server", "raimd", "admin" and
// others in any confusable spelling, with any signs, spaces and digits around them.
bool raim_name_is_reserved(const char *name);

// Appends a number to a name, as in "Ada (2)", and shortens the name as far as needed.
void raim_name_append_number(const char *name, uint32_t number,
                             char numbered[RAIM_MAX_NAME_BYTES + 1]);
