// SPDX-License-Identifier: MIT
// raimctl token: makes keys and access tokens, for tests and small deployments. It asks no daemon.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// What a token is made of, as it was typed; NULL: not given.
struct token_options {
    const char *key; // file of the secret key
    const char *arena;
    const char *name;       // of the player
    const char *not_before; // from so much later on the token is good
    const char *duration;   // for so long
    const char *server_key; // 64 hexadecimal digits
};

// Makes a key pair: the secret half goes into a new file that is its owner's alone, the public half
// is printed. False with the reason in `problem`.
bool token_make_key(const char *path, const char **problem);

// Makes a token and prints it. False with the reason in `problem`.
bool token_make(const struct token_options *options, const char **problem);

// Writes what a token says, for people; its signature is not verified. False with the reason in
// `problem`.
bool token_show(const char *text, FILE *file, const char **problem);
