// SPDX-License-Identifier: MIT
// Says in plain words why there is no connection, what to do, and when to try again. Pure.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { END_WORDS_BYTES = 360 };

struct end_words {
    char title[END_WORDS_BYTES];
    char text[END_WORDS_BYTES];
    double retry_s; // seconds until the next try; 0: trying again would not help
};

struct end_words_case {
    const char *where;    // HOST:PORT
    bool is_resolved;     // the host's name has an address
    bool was_entered;     // the player has been in the arena
    bool had_password;    // one was sent, where one was wanted
    bool had_access;      // a token was sent, where one was wanted
    bool shows_other_key; // the server has another key than the stored one
    uint32_t reason;      // of raim_client_get_end
    const char *text;     // of raim_client_get_end
};

struct end_words end_words_of(const struct end_words_case *end);
