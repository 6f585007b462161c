// SPDX-License-Identifier: MIT
// raimctl token: creates keys and access tokens for tests and small deployments. It does not
// contact the daemon.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define TOKEN_PROBLEM_BYTES 512 // of a reason, which names the file that it is about

// Options of a token as typed; NULL if not given.
struct token_options {
    const char *key; // file of the secret key
    const char *arena;
    const char *name;       // of the player
    const char *not_before; // delay until the token becomes valid
    const char *duration;   // period of validity
    const char *server_key; // 64 hexadecimal digits
};

// Creates a key pair: writes the secret seed to a new file of mode 0600 and prints the public key.
// Returns false with the reason in `problem`.
bool token_make_key(const char *path, char problem[TOKEN_PROBLEM_BYTES]);

// Creates a token and prints it. Returns false with the reason in `problem`.
bool token_make(const struct token_options *options, char problem[TOKEN_PROBLEM_BYTES]);

// Writes the content of a token as text without verifying its signature. Returns false with the
// reason in `problem`.
bool token_show(const char *text, FILE *file, char problem[TOKEN_PROBLEM_BYTES]);
