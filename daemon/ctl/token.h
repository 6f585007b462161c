// SPDX-License-Identifier: MIT
// raimctl token: makes keys and access tokens, for tests and small deployments. It asks no daemon.
#pragma once

#include <stdbool.h>

// What a token is made of, as it was typed; NULL: not given.
struct token_options {
    const char *key; // file of the secret key
    const char *arena;
    const char *name;       // of the player
    const char *duration;   // for which the token is good
    const char *server_key; // 64 hexadecimal digits
};

// Makes a key pair: the secret half goes into a new file that is its owner's alone, the public half
// is printed. False with the reason in `problem`.
bool token_make_key(const char *path, const char **problem);

// Makes a token and prints it. Likewise.
bool token_make(const struct token_options *options, const char **problem);
