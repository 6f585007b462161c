// SPDX-License-Identifier: MIT
// Writes maps as SVG.
#include "map_draw.h"

#include "match.h"
#include "rules.h"
#include "text_buffer.h"

static const double grid_units = 500;
static const double longest_pixels = 1600;

static const char STYLE[] =
    "rect.paper { fill: #eceff1 }\n"
    "rect.floor { fill: #ffffff; stroke: #263238; stroke-width: %.15g }\n"
    "line.grid { stroke: #dde3e6; stroke-width: %.15g }\n"
    "polygon.piece { fill: #90a4ae; stroke: #eceff1; stroke-width: %.15g }\n"
    "polygon.outline { fill: none; stroke: #37474f; stroke-width: %.15g;"
    " stroke-linejoin: round }\n"
    "circle.spawn { fill: #a5d6a7; stroke: #2e7d32; stroke-width: %.15g }\n"
    "rect.view { fill: none; stroke: #e65100; stroke-width: %.15g;"
    " stroke-dasharray: %.15g }\n"
    "text { font: %.15gpx sans-serif; fill: #263238 }\n"
    "text.small { font-size: %.15gpx; fill: #78909c }\n"
    "text.view { font-size: %.15gpx; fill: #e65100; stroke: #ffffff;"
    " stroke-width: %.15g; paint-order: stroke }\n"
    "text.spawn { font-size: %.15gpx; text-anchor: middle }\n";

// Sizes in units; `pixel` is about the size of a screen pixel.
struct sheet {
    struct text_buffer *out;
    const struct raim_map *map;
    double pixel;
    raim_box paper;
};

static struct sheet lay_out(const struct raim_map *map, struct text_buffer *out)
{
    const double width = map->border.max.x - map->border.min.x;
    const double height = map->border.max.y - map->border.min.y;
    const double pixel = fmax(width, height) / longest_pixels;
    raim_box paper = raim_box_grow(map->border, 36 * pixel);
    paper.max.y += 36 * pixel; // for the title
    return (struct sheet){out, map, pixel, paper};
}

static void begin(const struct sheet *sheet)
{
    const double pixel = sheet->pixel;
    const double width = sheet->paper.max.x - sheet->paper.min.x;
    const double height = sheet->paper.max.y - sheet->paper.min.y;
    text_buffer_print(sheet->out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                      "viewBox=\"%.15g %.15g %.15g %.15g\">\n<style>\n",
                      width / pixel, height / pixel, sheet->paper.min.x, -sheet->paper.max.y, width,
                      height);
    text_buffer_print(sheet->out, STYLE, 3 * pixel, pixel, 0.75 * pixel, 1.5 * pixel, pixel,
                      1.5 * pixel, 8 * pixel, 26 * pixel, 13 * pixel, 13 * pixel, 4 * pixel,
                      11 * pixel);
    text_buffer_print(sheet->out, "</style>\n");
}

static void draw_box(const struct sheet *sheet, const char *kind, raim_box box)
{
    text_buffer_print(
        sheet->out,
        "<rect class=\"%s\" x=\"%.15g\" y=\"%.15g\" width=\"%.15g\" height=\"%.15g\"/>\n", kind,
        box.min.x, -box.max.y, box.max.x - box.min.x, box.max.y - box.min.y);
}

static void draw_grid_line(const struct sheet *sheet, raim_vec2 from, raim_vec2 to, double value)
{
    text_buffer_print(
        sheet->out, "<line class=\"grid\" x1=\"%.15g\" y1=\"%.15g\" x2=\"%.15g\" y2=\"%.15g\"/>\n",
        from.x, -from.y, to.x, -to.y);
    text_buffer_print(sheet->out, "<text class=\"small\" x=\"%.15g\" y=\"%.15g\">%.15g</text>\n",
                      from.x + 4 * sheet->pixel, -from.y - 4 * sheet->pixel, value);
}

static double next_line(double value)
{
    return (floor(value / grid_units) + 1) * grid_units;
}

static void draw_grid(const struct sheet *sheet)
{
    const raim_box border = sheet->map->border;
    for (double x = next_line(border.min.x); x < border.max.x; x += grid_units)
        draw_grid_line(sheet, (raim_vec2){x, border.min.y}, (raim_vec2){x, border.max.y}, x);
    for (double y = next_line(border.min.y); y < border.max.y; y += grid_units)
        draw_grid_line(sheet, (raim_vec2){border.min.x, y}, (raim_vec2){border.max.x, y}, y);
}

static void draw_polygon(const struct sheet *sheet, const char *kind, const raim_vec2 *points,
                         int count)
{
    text_buffer_print(sheet->out, "<polygon class=\"%s\" points=\"", kind);
    for (int i = 0; i < count; i++)
        text_buffer_print(sheet->out, "%s%.15g,%.15g", i == 0 ? "" : " ", points[i].x,
                          -points[i].y);
    text_buffer_print(sheet->out, "\"/>\n");
}

static void draw_obstacles(const struct sheet *sheet)
{
    const struct raim_map *map = sheet->map;
    for (int i = 0; i < map->obstacle_count; i++)
        draw_polygon(sheet, "piece", map->obstacles[i].points, map->obstacles[i].count);
    for (int i = 0; i < map->outline_count; i++)
        draw_polygon(sheet, "outline", map->outlines[i].points, map->outlines[i].count);
}

static void draw_spawns(const struct sheet *sheet)
{
    const double radius = raim_rules_default().player_radius;
    for (int i = 0; i < sheet->map->spawn_count; i++) {
        const raim_vec2 spawn = sheet->map->spawns[i];
        text_buffer_print(sheet->out,
                          "<circle class=\"spawn\" cx=\"%.15g\" cy=\"%.15g\" r=\"%.15g\"/>\n"
                          "<text class=\"spawn\" x=\"%.15g\" y=\"%.15g\">%d</text>\n",
                          spawn.x, -spawn.y, radius, spawn.x, 4 * sheet->pixel - spawn.y, i);
    }
}

// The view of a player in the middle of the map.
static void draw_view(const struct sheet *sheet)
{
    const raim_box border = sheet->map->border;
    const raim_vec2 middle = raim_vec2_scale(raim_vec2_add(border.min, border.max), 0.5);
    const struct raim_match_def def = raim_match_default_def();
    const raim_vec2 half = {def.view_width / 2.0, def.view_height / 2.0};
    const raim_box view = {raim_vec2_sub(middle, half), raim_vec2_add(middle, half)};
    draw_box(sheet, "view", view);
    text_buffer_print(sheet->out,
                      "<text class=\"view\" x=\"%.15g\" y=\"%.15g\">a view, %u x %u</text>\n",
                      view.min.x + 6 * sheet->pixel, 16 * sheet->pixel - view.max.y, def.view_width,
                      def.view_height);
}

static void draw_title(const struct sheet *sheet)
{
    const struct raim_map *map = sheet->map;
    const raim_box border = map->border;
    const double y = -border.max.y - 16 * sheet->pixel;
    text_buffer_print(sheet->out, "<text x=\"%.15g\" y=\"%.15g\">%s</text>\n", border.min.x, y,
                      map->name);
    text_buffer_print(
        sheet->out,
        "<text class=\"small\" x=\"%.15g\" y=\"%.15g\" text-anchor=\"end\">%.15g x %.15g "
        "units, %d obstacles of %d convex pieces, %d spawns</text>\n",
        border.max.x, y, border.max.x - border.min.x, border.max.y - border.min.y,
        map->outline_count, map->obstacle_count, map->spawn_count);
}

void map_draw(const struct raim_map *map, struct text_buffer *out)
{
    const struct sheet sheet = lay_out(map, out);
    begin(&sheet);
    draw_box(&sheet, "paper", sheet.paper);
    draw_box(&sheet, "floor", map->border);
    draw_grid(&sheet);
    draw_obstacles(&sheet);
    draw_spawns(&sheet);
    draw_view(&sheet);
    draw_title(&sheet);
    text_buffer_print(out, "</svg>\n");
}
