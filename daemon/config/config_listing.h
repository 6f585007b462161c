// SPDX-License-Identifier: MIT
// The keys by which an arena presents itself in server browsers: hostname, tags, region, website.
#pragma once

#include "reader.h"

#include <stdbool.h>

// Parse a text into the field of struct config_arena; false for one that is not accepted. "" is.
bool config_parse_hostname(const char *text, void *field);
bool config_parse_region(const char *text, void *field);
bool config_parse_website(const char *text, void *field);

// Loads the list of tags into a struct config_arena.
void config_load_tags(reader_node list, void *arena, void *loader);
