// SPDX-License-Identifier: MIT
// UTF-8 (RFC 3629), and the code points that no text of the game may show: the server strips them
// from names and chat, and a client from everything that a server sends.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes one code point of a NUL-terminated string. Returns its length in bytes, or 0 for bytes
// that RFC 3629 forbids: overlong forms, surrogates, values beyond U+10FFFF, truncated sequences.
size_t raim_utf8_decode(const uint8_t *bytes, uint32_t *code_point);

// Returns true for UTF-8 without a NUL, of any other characters: it can be printed, and be a string
// of C and of JSON.
bool raim_utf8_is_valid(const uint8_t *bytes, size_t size);

// Whether a code point shows nothing or changes the direction of writing: controls, line
// separators, annotations, the object replacement character, the musical null notehead, and
// Unicode's Default_Ignorable_Code_Point.
bool raim_utf8_is_invisible(uint32_t code_point);

// Removes invisible code points from a text in place, and bytes that are not UTF-8.
void raim_utf8_strip(char *text);
