// SPDX-License-Identifier: MIT
// Draws the ground. What has no place in the map, such as cracks and boulders, follows from numbers
// that are hashed from the place, so that it is the same in every frame and for everybody.
#include "ground.h"

#include "palette.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static const double cell_units = 100;         // of the floor's grid
static const double boulder_units = 140;      // of the grid beyond the border
static const double halo_units = 14;          // shade around obstacles
static const double bevel_units = 7;          // rims of obstacles
static const double glow_units = 16;          // light on the faces in sight
static const double rim_units = 36;           // of the arena
static const raim_vec2 light = {-0.5, 0.866}; // where the light of the bevels comes from
static const double debris_s = 6, debris_fades_s = 2, debris_flies_s = 0.6;

// The colours of this map's materials.
struct ground {
    const struct paint *paint;
    draw_colour rock, floor, dark, wall, lit, border;
};

static struct ground ground_of(const struct paint *paint)
{
    const unsigned material = palette_material(paint->picture->map->name);
    return (struct ground){
        .paint = paint,
        .rock = palette_tinted(draw_mixed(PALETTE_ROCK, PALETTE_WALL, 0.22), material),
        .floor = palette_tinted(PALETTE_FLOOR, material),
        .dark = palette_tinted(PALETTE_DARK, material),
        .wall = palette_tinted(PALETTE_WALL, material),
        .lit = palette_tinted(PALETTE_LIT, material),
        .border = palette_tinted(PALETTE_BORDER, material),
    };
}

static raim_box screen_box(const struct paint *paint, raim_box world)
{
    const raim_vec2 a = paint_at(paint, world.min), b = paint_at(paint, world.max);
    return (raim_box){{a.x, b.y}, {b.x, a.y}};
}

static draw_colour shade(double strength)
{
    return draw_faded((draw_colour){0, 0, 0, 255}, strength);
}

// A number for a cell of the world (Jenkins's one-at-a-time hash of its coordinates).
static uint32_t hash_of(int x, int y)
{
    const uint32_t words[2] = {(uint32_t)x, (uint32_t)y};
    uint32_t hash = 0;
    for (int i = 0; i < 8; i++) {
        hash += words[i / 4] >> i % 4 * 8 & 255;
        hash += hash << 10;
        hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    return hash + (hash << 15);
}

// A part of a hash as a number from 0 to 1.
static double part_of(uint32_t hash, int bit)
{
    return (hash >> bit & 31) / 31.0;
}

// Draws the visible area as a triangle fan around the eye.
static void paint_sight(const struct ground *ground, const raim_vec2 *corners, int count)
{
    const struct paint *paint = ground->paint;
    const raim_vec2 eye = paint_at(paint, paint->picture->eye);
    for (int i = 0; i < count; i++) {
        const raim_vec2 triangle[3] = {eye, paint_at(paint, corners[i]),
                                       paint_at(paint, corners[i + 1 < count ? i + 1 : 0])};
        draw_triangle(paint->draw, triangle, ground->floor);
    }
}

static void paint_grid(const struct paint *paint)
{
    const raim_box seen = paint->seen;
    const double width = paint->ui->unit;
    for (double x = ceil(seen.min.x / cell_units) * cell_units; x < seen.max.x; x += cell_units)
        draw_line(paint->draw, paint_at(paint, (raim_vec2){x, seen.min.y}),
                  paint_at(paint, (raim_vec2){x, seen.max.y}), width, PALETTE_GRID, PALETTE_GRID);
    for (double y = ceil(seen.min.y / cell_units) * cell_units; y < seen.max.y; y += cell_units)
        draw_line(paint->draw, paint_at(paint, (raim_vec2){seen.min.x, y}),
                  paint_at(paint, (raim_vec2){seen.max.x, y}), width, PALETTE_GRID, PALETTE_GRID);
}

static void fill_quad(const struct paint *paint, raim_box world, draw_colour colour)
{
    const raim_vec2 corners[4] = {
        paint_at(paint, world.min), paint_at(paint, (raim_vec2){world.max.x, world.min.y}),
        paint_at(paint, world.max), paint_at(paint, (raim_vec2){world.min.x, world.max.y})};
    draw_quad(paint->draw, corners, (draw_colour[4]){colour, colour, colour, colour});
}

// Draws a strip along an edge that fades towards the side.
static void fade_strip(const struct paint *paint, raim_vec2 a, raim_vec2 b, raim_vec2 side,
                       draw_colour colour)
{
    const draw_colour none = draw_faded(colour, 0);
    const raim_vec2 corners[4] = {paint_at(paint, a), paint_at(paint, b),
                                  paint_at(paint, raim_vec2_add(b, side)),
                                  paint_at(paint, raim_vec2_add(a, side))};
    draw_quad(paint->draw, corners, (draw_colour[4]){colour, colour, none, none});
}

// Draws what is missing between two such strips at a corner.
static void fade_corner(const struct paint *paint, raim_vec2 corner, raim_vec2 side,
                        raim_vec2 turned, draw_colour colour)
{
    const draw_colour none = draw_faded(colour, 0);
    const raim_vec2 far = raim_vec2_mad(corner, raim_vec2_add(side, turned), 0.7);
    const raim_vec2 corners[4] = {
        paint_at(paint, corner), paint_at(paint, raim_vec2_add(corner, side)), paint_at(paint, far),
        paint_at(paint, raim_vec2_add(corner, turned))};
    draw_quad(paint->draw, corners, (draw_colour[4]){colour, none, none, none});
}

// Draws a plate of the floor: some are worn or stained, and some have a crack.
static void paint_plate(const struct ground *ground, raim_box plate, uint32_t hash)
{
    const struct paint *paint = ground->paint;
    const double size = plate.max.x - plate.min.x;
    raim_vec2 from = {plate.min.x + size * part_of(hash, 5),
                      plate.min.y + size * part_of(hash, 10)};
    double way = 2 * pi * part_of(hash, 15);
    if (!raim_box_overlaps(plate, paint->picture->map->border))
        return;
    if (hash % 4 == 0)
        fill_quad(paint, plate, hash & 4 ? shade(0.11) : draw_faded(PALETTE_WHITE, 0.022));
    for (int i = 0; i < 3 && (hash >> 3 & 3) == 0; i++) {
        const raim_vec2 to = raim_vec2_mad(from, (raim_vec2){cos(way), sin(way)},
                                           (0.1 + 0.16 * part_of(hash, 20)) * size);
        draw_line(paint->draw, paint_at(paint, from), paint_at(paint, to), 1.5 * paint->ui->unit,
                  shade(0.3 - 0.1 * i), shade(0.2 - 0.1 * i));
        from = to;
        way += 1.4 * part_of(hash, 25 - 5 * i) - 0.7;
    }
}

// Draws a boulder beyond the border.
static void paint_boulder(const struct ground *ground, raim_box cell, uint32_t hash)
{
    enum { CORNERS = 6 };
    const struct paint *paint = ground->paint;
    const double size = cell.max.x - cell.min.x, radius = (0.28 + 0.26 * part_of(hash, 5)) * size;
    const raim_vec2 centre = {cell.min.x + size * (0.3 + 0.4 * part_of(hash, 10)),
                              cell.min.y + size * (0.3 + 0.4 * part_of(hash, 15))};
    const draw_colour colour =
        draw_mixed(ground->rock, ground->wall, 0.12 + 0.25 * part_of(hash, 20));
    const draw_colour edge = draw_mixed(colour, ground->wall, 0.5);
    const raim_box taken = raim_box_grow((raim_box){centre, centre}, radius);
    if (hash % 4 == 3 ||
        raim_box_overlaps(taken, raim_box_grow(paint->picture->map->border, rim_units)))
        return;
    raim_vec2 corners[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        const double angle = 2 * pi * (i + 0.5 * part_of(hash, 2 * i)) / CORNERS;
        corners[i] = raim_vec2_mad(centre, (raim_vec2){cos(angle), sin(angle)},
                                   radius * (0.75 + 0.25 * part_of(hash, 3 * i)));
    }
    for (int i = 1; i + 1 < CORNERS; i++)
        draw_triangle(paint->draw,
                      (raim_vec2[3]){paint_at(paint, corners[0]), paint_at(paint, corners[i]),
                                     paint_at(paint, corners[i + 1])},
                      colour);
    for (int i = 0; i < CORNERS; i++) {
        const raim_vec2 a = corners[i], b = corners[(i + 1) % CORNERS];
        const raim_vec2 out = {b.y - a.y, a.x - b.x};
        if (raim_vec2_dot(out, light) > 0)
            draw_line(paint->draw, paint_at(paint, a), paint_at(paint, b), 1.5 * paint->ui->unit,
                      edge, edge);
    }
}

// Paints the cells of a grid that are seen. A view of a whole arena gets larger ones.
static void paint_cells(const struct ground *ground, double size,
                        void (*paint_cell)(const struct ground *, raim_box, uint32_t))
{
    enum { MOST = 40 };
    const raim_box seen = ground->paint->seen;
    while (seen.max.x - seen.min.x > MOST * size)
        size *= 2;
    for (int x = (int)floor(seen.min.x / size); x * size < seen.max.x; x++)
        for (int y = (int)floor(seen.min.y / size); y * size < seen.max.y; y++)
            paint_cell(ground, (raim_box){{x * size, y * size}, {(x + 1) * size, (y + 1) * size}},
                       hash_of(x, y));
}

// Draws what is left of who was destroyed.
static void paint_debris(const struct paint *paint, const struct effect *burst)
{
    enum { PIECES = 11 };
    const double age_s = paint->picture->now_s - burst->born_s;
    const double flight = 1 - fmin(fmax(age_s / debris_flies_s, 0), 1);
    const draw_colour colour = draw_faded(draw_mixed(palette_player(burst->player), shade(1), 0.4),
                                          (debris_s - age_s) / debris_fades_s);
    for (int i = 0; i < PIECES && age_s >= 0 && age_s < debris_s; i++) {
        const uint32_t hash = hash_of((int)(burst->born_s * 1000), i);
        const double way = 2 * pi * (i + part_of(hash, 0)) / PIECES;
        const double reach = 18 + 62 * part_of(hash, 5), size = 3 + 4 * part_of(hash, 10);
        const double turn = way + 9 * part_of(hash, 15) * (1 - flight * flight);
        const raim_vec2 centre = raim_vec2_mad(burst->position, (raim_vec2){cos(way), sin(way)},
                                               reach * (1 - flight * flight));
        raim_vec2 corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = paint_at(
                paint,
                raim_vec2_mad(centre, (raim_vec2){cos(turn + 2.3 * k), sin(turn + 2.3 * k)}, size));
        draw_triangle(paint->draw, corners, colour);
    }
}

static void paint_all_debris(const struct paint *paint, const struct effects *effects)
{
    const uint32_t count = effects->count < EFFECTS ? effects->count : EFFECTS;
    for (uint32_t i = 0; i < count; i++)
        if (effects->items[i].kind == EFFECT_BURST)
            paint_debris(paint, &effects->items[i]);
}

// Draws what lies beyond the border, the rim that rises there, and the border itself.
static void paint_border(const struct ground *ground)
{
    const struct paint *paint = ground->paint;
    const raim_box border = paint->picture->map->border;
    const raim_box seen = raim_box_grow(paint->seen, rim_units);
    const raim_box beyond[4] = {
        {{seen.min.x, seen.min.y}, {border.min.x, seen.max.y}},
        {{border.max.x, seen.min.y}, {seen.max.x, seen.max.y}},
        {{border.min.x, seen.min.y}, {border.max.x, border.min.y}},
        {{border.min.x, border.max.y}, {border.max.x, seen.max.y}},
    };
    if (raim_box_contains(border, seen.min) && raim_box_contains(border, seen.max))
        return;
    for (int i = 0; i < 4; i++)
        if (beyond[i].min.x < beyond[i].max.x && beyond[i].min.y < beyond[i].max.y)
            draw_box(paint->draw, screen_box(paint, beyond[i]), ground->rock);
    paint_cells(ground, boulder_units, paint_boulder);
    const raim_vec2 corners[5] = {border.min,
                                  {border.max.x, border.min.y},
                                  border.max,
                                  {border.min.x, border.max.y},
                                  border.min};
    static const raim_vec2 outward[4] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    for (int i = 0; i < 4; i++) {
        const raim_vec2 a = corners[i], b = corners[i + 1];
        const raim_vec2 side = raim_vec2_scale(outward[i], rim_units);
        const raim_vec2 turned = raim_vec2_scale(outward[(i + 1) % 4], rim_units);
        fade_strip(paint, a, b, side, ground->wall);
        fade_corner(paint, b, side, turned, ground->wall);
        fade_strip(paint, a, b, raim_vec2_scale(outward[i], -halo_units), PALETTE_HALO);
        draw_line(paint->draw, paint_at(paint, a), paint_at(paint, b), 3 * paint->ui->unit,
                  ground->border, ground->border);
    }
}

static bool is_visible(const struct paint *paint, const raim_polygon *obstacle)
{
    return raim_box_overlaps(obstacle->bounds, raim_box_grow(paint->seen, halo_units));
}

// Draws the shade around an obstacle: a strip along each face, and a wedge at each corner.
static void paint_halo(const struct paint *paint, const raim_polygon *obstacle)
{
    const draw_colour dark = PALETTE_HALO, none = draw_faded(PALETTE_HALO, 0);
    for (int i = 0; i < obstacle->count; i++) {
        const int next = raim_polygon_next(obstacle, i);
        if (raim_polygon_is_seam(obstacle, i))
            continue;
        const raim_vec2 a = obstacle->points[i], b = obstacle->points[next];
        const raim_vec2 out = obstacle->normals[i];
        const raim_vec2 corners[4] = {paint_at(paint, a), paint_at(paint, b),
                                      paint_at(paint, raim_vec2_mad(b, out, halo_units)),
                                      paint_at(paint, raim_vec2_mad(a, out, halo_units))};
        draw_quad(paint->draw, corners, (draw_colour[4]){dark, dark, none, none});
        if (raim_polygon_is_seam(obstacle, next))
            continue;
        const raim_vec2 turned = obstacle->normals[next];
        const raim_vec2 between = raim_vec2_add(out, turned);
        const double length = raim_vec2_length(between);
        const raim_vec2 wedge[4] = {
            paint_at(paint, b), paint_at(paint, raim_vec2_mad(b, out, halo_units)),
            paint_at(paint, raim_vec2_mad(b, between, halo_units / fmax(length, 0.1))),
            paint_at(paint, raim_vec2_mad(b, turned, halo_units))};
        draw_quad(paint->draw, wedge, (draw_colour[4]){dark, none, none, none});
    }
}

static void paint_obstacle(const struct ground *ground, const raim_polygon *obstacle)
{
    const struct paint *paint = ground->paint;
    const draw_colour wall = ground->wall;
    for (int i = 1; i + 1 < obstacle->count; i++) {
        const raim_vec2 triangle[3] = {paint_at(paint, obstacle->points[0]),
                                       paint_at(paint, obstacle->points[i]),
                                       paint_at(paint, obstacle->points[i + 1])};
        draw_triangle(paint->draw, triangle, wall);
    }
    for (int i = 0; i < obstacle->count; i++) {
        const raim_vec2 a = obstacle->points[i];
        const raim_vec2 b = obstacle->points[raim_polygon_next(obstacle, i)];
        const raim_vec2 out = obstacle->normals[i];
        const double lit = raim_vec2_dot(out, light);
        if (raim_polygon_is_seam(obstacle, i))
            continue;
        draw_line(paint->draw, paint_at(paint, a), paint_at(paint, b), 1.5 * paint->ui->unit, wall,
                  wall);
        fade_strip(paint, a, b, raim_vec2_scale(out, -bevel_units),
                   lit > 0 ? draw_faded(ground->lit, 0.45 * lit) : shade(-0.45 * lit));
    }
}

// Whether an edge of the visible area lies on the face of an obstacle. Otherwise it is a line of
// sight past a corner, or an edge of the view.
static bool is_face(const struct paint *paint, raim_vec2 a, raim_vec2 b)
{
    const raim_vec2 from = raim_vec2_sub(a, paint->picture->eye);
    const raim_vec2 to = raim_vec2_sub(b, paint->picture->eye);
    const double lengths = raim_vec2_length(from) * raim_vec2_length(to);
    const raim_box inside = raim_box_grow(paint->seen, -0.01);
    const raim_vec2 middle = raim_vec2_scale(raim_vec2_add(a, b), 0.5);
    return raim_vec2_cross(from, to) > 1e-6 * lengths && raim_box_contains(inside, middle);
}

// Lights the faces in sight, the nearer the brighter.
static void paint_faces(const struct ground *ground, const raim_vec2 *corners, int count)
{
    const struct paint *paint = ground->paint;
    for (int i = 0; i < count; i++) {
        const raim_vec2 a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];
        if (!is_face(paint, a, b))
            continue;
        const raim_vec2 along = raim_vec2_sub(b, a);
        const raim_vec2 inward =
            raim_vec2_scale((raim_vec2){along.y, -along.x}, glow_units / raim_vec2_length(along));
        const raim_vec2 middle = raim_vec2_mad(a, along, 0.5);
        const double far = sqrt(raim_vec2_distance_squared(middle, paint->picture->eye));
        fade_strip(paint, a, b, inward, draw_faded(ground->lit, fmax(0.6 - far / 1500, 0.1)));
        draw_line(paint->draw, paint_at(paint, a), paint_at(paint, b), 2 * paint->ui->unit,
                  ground->lit, ground->lit);
    }
}

void ground_paint(const struct paint *paint, const struct effects *effects)
{
    enum { CORNERS = 2048 };
    const struct raim_map *map = paint->picture->map;
    const struct ground ground = ground_of(paint);
    raim_vec2 *corners = paint->picture->is_flown ? NULL : malloc(CORNERS * sizeof *corners);
    int count = 0; // without memory everything is drawn as hidden
    if (corners != NULL)
        count = raim_map_visible_area(map, paint->picture->eye, paint->seen, corners, CORNERS);
    if (count > CORNERS)
        count = CORNERS;
    const bool is_dark = paint->picture->sight && !paint->picture->is_flown;
    draw_box(paint->draw, paint->ui->area, is_dark ? ground.dark : ground.floor);
    paint_sight(&ground, corners, count);
    paint_grid(paint);
    paint_cells(&ground, cell_units, paint_plate);
    paint_all_debris(paint, effects);
    for (int i = 0; i < map->obstacle_count; i++)
        if (is_visible(paint, &map->obstacles[i]))
            paint_halo(paint, &map->obstacles[i]);
    paint_border(&ground);
    for (int i = 0; i < map->obstacle_count; i++)
        if (is_visible(paint, &map->obstacles[i]))
            paint_obstacle(&ground, &map->obstacles[i]);
    paint_faces(&ground, corners, count);
    free(corners);
}
