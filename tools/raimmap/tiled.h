// SPDX-License-Identifier: MIT
// Maps of the editor Tiled: import of its files, TMX (XML) and TMJ (JSON), and export as TMX.
// Objects become obstacles and spawns; tiles and images are not read. The middle of the border is
// the origin, and y points up, while in Tiled it points down.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct diagnostics;
struct json_t; // jansson's
struct raim_map;
struct text_buffer;

// The number of corners that an ellipse becomes: those of one convex piece.
#define TILED_ELLIPSE_CORNERS 16

// Reads a map of Tiled from a text and returns it as a map file, checked as raimd checks it for
// players of the default radius. The caller frees it. Returns NULL after reporting every mistake
// with the object it is in. `path` is what messages call the text, `map_path` where the map file
// will be, which names a map without a name.
char *tiled_import(const char *path, const char *text, size_t size, const char *map_path,
                   struct diagnostics *diagnostics);

// Writes a map as TMX. Its import is the same map, except for comments.
void tiled_export(const struct raim_map *map, struct text_buffer *out);

// Reads TMX as the document that Tiled writes as TMJ, with numbers as texts and the line of each
// layer and object as "line". Returns NULL after reporting the mistake. The caller releases it.
struct json_t *tiled_read_xml(const char *path, const char *text, size_t size,
                              struct diagnostics *diagnostics);
