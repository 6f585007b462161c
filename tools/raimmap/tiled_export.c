// SPDX-License-Identifier: MIT
// Writes a map as TMX, with the corner of its border at Tiled's origin.
#include "tiled.h"

#include "map.h"
#include "text_buffer.h"

#include <math.h>

static const double tile_units = 50; // of the grid that Tiled shows and snaps to

static void begin_layer(struct text_buffer *out, int id, const char *name, const char *attributes)
{
    text_buffer_print(out, " <objectgroup id=\"%d\" name=\"%s\" %s>\n", id, name, attributes);
}

static void write_point(struct text_buffer *out, int id, const char *attributes, raim_vec2 at)
{
    text_buffer_print(out,
                      "  <object id=\"%d\"%s x=\"%.15g\" y=\"%.15g\">\n   <point/>\n  </object>\n",
                      id, attributes, at.x, at.y);
}

void tiled_export(const struct raim_map *map, struct text_buffer *out)
{
    const raim_box border = map->border;
    const raim_vec2 size = raim_vec2_sub(border.max, border.min);
    int id = 1;
    text_buffer_print(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<map version=\"1.8\" orientation=\"orthogonal\" renderorder=\"right-down\" "
                      "width=\"%.0f\" height=\"%.0f\" tilewidth=\"%.0f\" tileheight=\"%.0f\" "
                      "infinite=\"0\" nextlayerid=\"4\" nextobjectid=\"%d\">\n"
                      " <properties>\n"
                      "  <property name=\"name\" value=\"%s\"/>\n"
                      " </properties>\n",
                      ceil(size.x / tile_units), ceil(size.y / tile_units), tile_units, tile_units,
                      map->outline_count + map->spawn_count + 3, map->name);
    begin_layer(out, 1, "border", "color=\"#37474f\" locked=\"1\""); // not moved by accident
    text_buffer_print(out,
                      "  <object id=\"%d\" x=\"0\" y=\"0\" width=\"%.15g\" height=\"%.15g\"/>\n",
                      id++, size.x, size.y);
    write_point(out, id++, " type=\"origin\"", (raim_vec2){-border.min.x, border.max.y});
    text_buffer_print(out, " </objectgroup>\n");
    begin_layer(out, 2, "obstacles", "color=\"#90a4ae\"");
    for (int i = 0; i < map->outline_count; i++) {
        const struct raim_map_outline *outline = &map->outlines[i];
        const raim_vec2 first = outline->points[0];
        text_buffer_print(out,
                          "  <object id=\"%d\" x=\"%.15g\" y=\"%.15g\">\n   <polygon points=\"",
                          id++, first.x - border.min.x, border.max.y - first.y);
        for (int j = 0; j < outline->count; j++)
            text_buffer_print(out, "%s%.15g,%.15g", j == 0 ? "" : " ",
                              outline->points[j].x - first.x, first.y - outline->points[j].y);
        text_buffer_print(out, "\"/>\n  </object>\n");
    }
    text_buffer_print(out, " </objectgroup>\n");
    begin_layer(out, 3, "spawns", "color=\"#2e7d32\"");
    for (int i = 0; i < map->spawn_count; i++)
        write_point(out, id++, "",
                    (raim_vec2){map->spawns[i].x - border.min.x, border.max.y - map->spawns[i].y});
    text_buffer_print(out, " </objectgroup>\n</map>\n");
}
