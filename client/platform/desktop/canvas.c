// SPDX-License-Identifier: MIT
// Draws triangles and boxes by SDL or, for a renderer in software, by the rasterizer.
#include "canvas_desktop.h"

#include <SDL.h>

#include <math.h>
#include <stdlib.h>

struct canvas *canvas_create(void)
{
    struct canvas *canvas = calloc(1, sizeof *canvas);
    if (canvas == NULL)
        return NULL;
    canvas->fonts = canvas_fonts_create();
    if (canvas->fonts == NULL) {
        canvas_destroy(canvas);
        return NULL;
    }
    return canvas;
}

void canvas_destroy(struct canvas *canvas)
{
    if (canvas == NULL)
        return;
    canvas_fonts_destroy(canvas->fonts);
    free(canvas);
}

void canvas_use_renderer(struct canvas *canvas, struct SDL_Renderer *renderer)
{
    canvas->renderer = renderer;
    canvas->generation++;
    if (renderer != NULL)
        SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
}

uint32_t canvas_generation(const struct canvas *canvas)
{
    return canvas->generation;
}

void canvas_use_pixels(struct canvas *canvas, uint32_t *pixels, int width, int height, int stride)
{
    canvas->has_raster = pixels != NULL;
    canvas->width = width;
    canvas->height = height;
    canvas->raster =
        (struct raster){.pixels = pixels, .stride = stride, .right = width, .bottom = height};
}

static SDL_Rect whole_pixels(raim_box box)
{
    const int left = (int)floor(box.min.x + 0.5), top = (int)floor(box.min.y + 0.5);
    const int right = (int)floor(box.max.x + 0.5), bottom = (int)floor(box.max.y + 0.5);
    return (SDL_Rect){left, top, right - left, bottom - top};
}

// The rasterizer fills the bars beside the box alone, which is quicker.
void canvas_clear(struct canvas *canvas, raim_box kept, draw_colour colour)
{
    if (!canvas->has_raster) {
        SDL_SetRenderDrawColor(canvas->renderer, colour.r, colour.g, colour.b, colour.a);
        SDL_RenderClear(canvas->renderer);
        return;
    }
    const raim_vec2 size = {canvas->width, canvas->height};
    const raim_box bars[4] = {
        {{0, 0}, {size.x, kept.min.y}},
        {{0, kept.max.y}, size},
        {{0, kept.min.y}, {kept.min.x, kept.max.y}},
        {{kept.max.x, kept.min.y}, {size.x, kept.max.y}},
    };
    for (int i = 0; i < 4; i++)
        if (bars[i].min.x < bars[i].max.x && bars[i].min.y < bars[i].max.y)
            canvas_box(canvas, bars[i], colour);
}

void canvas_clip(struct canvas *canvas, const raim_box *box)
{
    const SDL_Rect all = {0, 0, canvas->width, canvas->height};
    const SDL_Rect rect = box != NULL ? whole_pixels(*box) : all;
    SDL_RenderSetClipRect(canvas->renderer, box != NULL ? &rect : NULL);
    SDL_Rect clip = {0};
    if (canvas->has_raster)
        SDL_IntersectRect(&all, &rect, &clip);
    canvas->raster.left = clip.x;
    canvas->raster.top = clip.y;
    canvas->raster.right = clip.x + clip.w;
    canvas->raster.bottom = clip.y + clip.h;
}

// Draws the triangles over what SDL has drawn.
static void rasterize(const struct canvas *canvas, const struct canvas_vertex *vertices,
                      const int *indices, int index_count)
{
    SDL_RenderFlush(canvas->renderer);
    for (int i = 0; i < index_count; i += 3)
        raster_triangle(&canvas->raster,
                        (struct canvas_vertex[3]){vertices[indices[i]], vertices[indices[i + 1]],
                                                  vertices[indices[i + 2]]});
}

void canvas_triangles(struct canvas *canvas, const struct canvas_vertex *vertices, int vertex_count,
                      const int *indices, int index_count)
{
    const int stride = sizeof *vertices;
    if (canvas->has_raster)
        rasterize(canvas, vertices, indices, index_count);
    else
        SDL_RenderGeometryRaw(canvas->renderer, NULL, &vertices->x, stride,
                              (const void *)&vertices->colour, stride, NULL, 0, vertex_count,
                              indices, index_count, sizeof *indices);
}

void canvas_box(struct canvas *canvas, raim_box box, draw_colour colour)
{
    if (canvas->has_raster) {
        const SDL_Rect rect = whole_pixels(box);
        SDL_RenderFlush(canvas->renderer);
        raster_box(&canvas->raster, rect.x, rect.y, rect.x + rect.w, rect.y + rect.h, colour);
        return;
    }
    const SDL_FRect rect = {(float)box.min.x, (float)box.min.y, (float)(box.max.x - box.min.x),
                            (float)(box.max.y - box.min.y)};
    SDL_SetRenderDrawColor(canvas->renderer, colour.r, colour.g, colour.b, colour.a);
    SDL_RenderFillRectF(canvas->renderer, &rect);
}
