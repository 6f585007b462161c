// SPDX-License-Identifier: MIT
// Says in plain words why there is no connection, what to do, and when to try again. Pure.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { END_TEXT_BYTES = 360 };

struct end_text {
    char title[END_TEXT_BYTES];
    char text[END_TEXT_BYTES];
    double retry_s; // seconds until the next try; 0: trying again would not help
};

struct end_text_case {
    const char *where;    // HOST:PORT
    bool is_resolved;     // the host's name has an address
    bool was_entered;     // the player has been in the arena
    bool had_password;    // one was sent, where one was wanted
    bool had_access;      // a token was sent, where one was wanted
    bool shows_other_key; // the server has another key than the stored one
    uint32_t reason;      // of raim_client_get_end
    const char *text;     // of raim_client_get_end
};

struct end_text end_text_of(const struct end_text_case *end);
