// SPDX-License-Identifier: MIT
// Prints answers about arenas made on request.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Each function takes the JSON of a response and returns false if it has an unexpected structure.
bool arena_print(const char *json, FILE *out);
bool arena_print_list(const char *json, FILE *out);
bool arena_print_templates(const char *json, FILE *out);
bool arena_print_capacity(const char *json, FILE *out);
