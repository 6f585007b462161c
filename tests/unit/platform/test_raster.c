// SPDX-License-Identifier: MIT
// What the rasterizer fills: every pixel of a shape once, nothing outside of it or of the clip.
#include "raster.h"
#include "test.h"

#include <math.h>

enum { WIDTH = 97, HEIGHT = 71, MARGIN = 8, FAN = 23, ROUNDS = 200 };

static const uint32_t untouched = 0x123456;
static uint32_t pixels[WIDTH * HEIGHT];

static struct raster clipped(void)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = untouched;
    return (struct raster){
        .pixels = pixels,
        .stride = WIDTH,
        .left = MARGIN,
        .top = MARGIN,
        .right = WIDTH - MARGIN,
        .bottom = HEIGHT - MARGIN,
    };
}

static uint32_t pixel(int x, int y)
{
    return pixels[y * WIDTH + x];
}

static bool is_clipped(int x, int y)
{
    return x < MARGIN || y < MARGIN || x >= WIDTH - MARGIN || y >= HEIGHT - MARGIN;
}

static double random_within(double least, double most)
{
    return least + (most - least) * rand() / RAND_MAX;
}

static struct canvas_vertex vertex(double x, double y, draw_colour colour)
{
    return (struct canvas_vertex){(float)x, (float)y, colour};
}

// Blends a fan around a random point, with corners on or far outside of the screen.
static void blend_fan(const struct raster *raster, draw_colour colour)
{
    const double x = random_within(0, WIDTH), y = random_within(0, HEIGHT);
    struct canvas_vertex rim[FAN];
    for (int i = 0; i < FAN; i++) {
        const double angle = 2 * 3.14159265358979 * i / FAN, far = random_within(1, 300);
        rim[i] = vertex(x + far * cos(angle), y + far * sin(angle), colour);
        if (far > 10 && rand() % 4 == 0) { // exactly on the middles of pixels
            rim[i].x = floorf(rim[i].x) + 0.5F;
            rim[i].y = floorf(rim[i].y) + 0.5F;
        }
    }
    for (int i = 0; i < FAN; i++) {
        struct canvas_vertex corners[3] = {vertex(x, y, colour), rim[i], rim[(i + 1) % FAN]};
        const struct canvas_vertex first = corners[0];
        if (i % 2 == 1) { // in any order
            corners[0] = corners[2];
            corners[2] = first;
        }
        raster_triangle(raster, corners);
    }
}

TEST(a_fan_covers_no_pixel_twice)
{
    const draw_colour colour = {255, 255, 255, 128};
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        const struct raster raster = clipped();
        blend_fan(&raster, colour);
        uint32_t once = 0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            if (pixels[i] == untouched)
                continue;
            assert_false(is_clipped(i % WIDTH, i / WIDTH));
            once = once == 0 ? pixels[i] : once;
            assert_int_equal(pixels[i], once);
        }
        assert_int_not_equal(once, 0);
    }
}

TEST(a_quad_of_two_triangles_is_full)
{
    const struct raster raster = clipped();
    const draw_colour colour = {10, 20, 30, 255};
    const struct canvas_vertex quad[4] = {vertex(20, 20, colour), vertex(70, 20, colour),
                                          vertex(70, 50, colour), vertex(20, 50, colour)};
    raster_triangle(&raster, (struct canvas_vertex[3]){quad[0], quad[1], quad[2]});
    raster_triangle(&raster, (struct canvas_vertex[3]){quad[0], quad[2], quad[3]});
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const bool inside = x >= 20 && x < 70 && y >= 20 && y < 50;
            assert_int_equal(pixel(x, y), inside ? 0x0a141e : untouched);
        }
    }
}

TEST(a_box_stays_within_the_clip)
{
    const struct raster raster = clipped();
    raster_box(&raster, -1000, 30, 1000, 40, (draw_colour){0, 0, 0, 255});
    raster_box(&raster, 50, 60, 40, 50, (draw_colour){0, 0, 0, 255});
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            assert_int_equal(pixel(x, y) == 0, y >= 30 && y < 40 && !is_clipped(x, y));
}

TEST(opacity_fades_from_corner_to_corner)
{
    struct raster raster = clipped();
    raster_box(&raster, 0, 0, WIDTH, HEIGHT, (draw_colour){0, 0, 0, 255});
    const draw_colour none = {200, 200, 200, 0}, full = {200, 200, 200, 255};
    raster_triangle(&raster, (struct canvas_vertex[3]){vertex(10, 10, none), vertex(80, 10, full),
                                                       vertex(10, 60, none)});
    for (int x = 12; x < 78; x++) {
        const int wanted = (int)(200 * (x + 0.5 - 10) / 70);
        assert_in_range((int)(pixel(x, 11) & 255), wanted - 4, wanted + 4);
    }
}

TEST(colours_change_from_corner_to_corner)
{
    const struct raster raster = clipped();
    const draw_colour red = {255, 0, 0, 255}, blue = {0, 0, 255, 255};
    raster_triangle(&raster, (struct canvas_vertex[3]){vertex(10, 10, red), vertex(80, 10, blue),
                                                       vertex(10, 60, red)});
    for (int x = 12; x < 76; x++) {
        const int wanted = (int)(255 * (x + 0.5 - 10) / 70);
        assert_in_range((int)(pixel(x, 11) & 255), wanted - 4, wanted + 4);
        assert_in_range((int)(pixel(x, 11) >> 16), 255 - wanted - 4, 255 - wanted + 4);
    }
}

TEST(impossible_coordinates_do_no_harm)
{
    static const float wrong[] = {NAN, INFINITY, -INFINITY, 1e30F, -1e30F, 3e9F, 0, 40};
    const int count = (int)(sizeof wrong / sizeof *wrong);
    const struct raster raster = clipped();
    srand(2);
    for (int i = 0; i < 20000; i++) {
        struct canvas_vertex corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] =
                vertex(wrong[rand() % count], wrong[rand() % count],
                       (draw_colour){(uint8_t)rand(), (uint8_t)(rand() % 3), 3, (uint8_t)rand()});
        }
        raster_triangle(&raster, corners);
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        if (is_clipped(i % WIDTH, i / WIDTH))
            assert_int_equal(pixels[i], untouched);
}
