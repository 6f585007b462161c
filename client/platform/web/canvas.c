// SPDX-License-Identifier: MIT
// Collects a frame in memory, which the page draws by WebGL. All lines of letters are in sheets
// whose first pixel is white: a shape without letters is drawn with that pixel.
#include "canvas_web.h"

#include "page.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS = 1024, ANY_SHEET = -1, NO_CLIP = -1 };

// The layouts of this struct and of the next one stand in client/page/drawing.js, too.
struct corner {
    struct canvas_vertex vertex;
    float u, v; // pixels of the sheet
};

static_assert(sizeof(struct corner) == 20, "CORNER and the attributes of drawing.js");

// Indices that are drawn with one sheet and one clip.
struct command {
    int sheet; // ANY_SHEET
    int first, count;
    int left, top, right, bottom; // clip; right NO_CLIP
};

static_assert(sizeof(struct command) == 7 * sizeof(int), "COMMAND of drawing.js");

// Where a line of letters is.
struct letters {
    int sheet, x, y;
};

struct canvas {
    int corner_count, corner_capacity, index_count, index_capacity, command_count;
    struct corner *corners;
    uint32_t *indices;
    struct command commands[COMMANDS];
    struct command next; // the clip of what follows
};

struct canvas *canvas_create(void)
{
    return calloc(1, sizeof(struct canvas));
}

void canvas_destroy(struct canvas *canvas)
{
    if (canvas == NULL)
        return;
    free(canvas->corners);
    free(canvas->indices);
    free(canvas);
}

void canvas_begin(struct canvas *canvas)
{
    canvas->corner_count = canvas->index_count = canvas->command_count = 0;
    canvas_clip(canvas, NULL);
}

void canvas_end(struct canvas *canvas)
{
    page_draw(canvas->corners, (size_t)canvas->corner_count * sizeof *canvas->corners,
              canvas->indices, (size_t)canvas->index_count * sizeof *canvas->indices,
              canvas->commands, (size_t)canvas->command_count * sizeof *canvas->commands);
}

// A page whose images are lost is loaded anew.
uint32_t canvas_generation(const struct canvas *canvas)
{
    (void)canvas;
    return 0;
}

static bool grow(void **array, int *capacity, int wanted, size_t size)
{
    if (wanted <= *capacity)
        return true;
    const int larger = wanted + wanted / 2 + 1024;
    void *grown = realloc(*array, (size_t)larger * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *capacity = larger;
    return true;
}

// The command for indices with a sheet. NULL: there are too many.
static struct command *command_of(struct canvas *canvas, int sheet)
{
    struct command *last =
        canvas->command_count > 0 ? &canvas->commands[canvas->command_count - 1] : NULL;
    const struct command *next = &canvas->next;
    const bool fits = last != NULL && last->left == next->left && last->top == next->top &&
                      last->right == next->right && last->bottom == next->bottom &&
                      (sheet == ANY_SHEET || last->sheet == ANY_SHEET || last->sheet == sheet);
    if (!fits) {
        if (canvas->command_count == COMMANDS)
            return NULL;
        last = &canvas->commands[canvas->command_count++];
        *last = *next;
        last->first = canvas->index_count;
    }
    if (sheet != ANY_SHEET)
        last->sheet = sheet;
    return last;
}

// Makes room for corners and indices. Returns the first corner; NULL where there is none.
static struct corner *reserve(struct canvas *canvas, int sheet, int corner_count, int index_count)
{
    if (!grow((void **)&canvas->corners, &canvas->corner_capacity,
              canvas->corner_count + corner_count, sizeof *canvas->corners) ||
        !grow((void **)&canvas->indices, &canvas->index_capacity, canvas->index_count + index_count,
              sizeof *canvas->indices))
        return NULL;
    struct command *command = command_of(canvas, sheet);
    if (command == NULL)
        return NULL;
    command->count += index_count;
    return canvas->corners + canvas->corner_count;
}

static void add_indices(struct canvas *canvas, const int *indices, int count, int corner_count)
{
    for (int i = 0; i < count; i++)
        canvas->indices[canvas->index_count++] = (uint32_t)(canvas->corner_count + indices[i]);
    canvas->corner_count += corner_count;
}

void canvas_triangles(struct canvas *canvas, const struct canvas_vertex *vertices, int vertex_count,
                      const int *indices, int index_count)
{
    struct corner *corners = reserve(canvas, ANY_SHEET, vertex_count, index_count);
    for (int i = 0; corners != NULL && i < vertex_count; i++)
        corners[i] = (struct corner){.vertex = vertices[i]};
    if (corners != NULL)
        add_indices(canvas, indices, index_count, vertex_count);
}

static void add_box(struct canvas *canvas, int sheet, raim_box box, draw_colour colour,
                    raim_box image)
{
    struct corner *corners = reserve(canvas, sheet, 4, 6);
    for (int i = 0; corners != NULL && i < 4; i++) {
        const bool is_right = i == 1 || i == 2, is_low = i >= 2;
        corners[i] = (struct corner){
            .vertex = {(float)(is_right ? box.max.x : box.min.x),
                       (float)(is_low ? box.max.y : box.min.y), colour},
            .u = (float)(is_right ? image.max.x : image.min.x),
            .v = (float)(is_low ? image.max.y : image.min.y),
        };
    }
    if (corners != NULL)
        add_indices(canvas, (const int[6]){0, 1, 2, 0, 2, 3}, 6, 4);
}

void canvas_box(struct canvas *canvas, raim_box box, draw_colour colour)
{
    add_box(canvas, ANY_SHEET, box, colour, (raim_box){0});
}

// The page fills everything with black before.
void canvas_clear(struct canvas *canvas, raim_box kept, draw_colour colour)
{
    const double far = 1e5;
    const raim_box bars[4] = {
        {{0, 0}, {far, kept.min.y}},
        {{0, kept.max.y}, {far, far}},
        {{0, kept.min.y}, {kept.min.x, kept.max.y}},
        {{kept.max.x, kept.min.y}, {far, kept.max.y}},
    };
    for (int i = 0; i < 4; i++)
        canvas_box(canvas, bars[i], colour);
}

void canvas_clip(struct canvas *canvas, const raim_box *box)
{
    canvas->next = (struct command){.sheet = ANY_SHEET, .right = NO_CLIP};
    if (box == NULL)
        return;
    canvas->next.left = (int)floor(box->min.x + 0.5);
    canvas->next.top = (int)floor(box->min.y + 0.5);
    canvas->next.right = (int)floor(box->max.x + 0.5);
    canvas->next.bottom = (int)floor(box->max.y + 0.5);
}

// --- Lines of letters ---

int canvas_measure(struct canvas *canvas, const struct canvas_font *font, const char *words)
{
    (void)canvas;
    return page_measure(words, strlen(words), font->em, font->is_bold);
}

void canvas_make_line(struct canvas *canvas, const struct canvas_font *font, const char *words,
                      struct canvas_line *line)
{
    int out[5] = {0, 0, -1, 0, 0};
    (void)canvas;
    page_make_line(words, strlen(words), font->em, font->is_bold, font->outline, out);
    *line = (struct canvas_line){.width = out[0], .height = out[1]};
    struct letters *letters = out[2] >= 0 ? malloc(sizeof *letters) : NULL;
    if (letters == NULL)
        return;
    *letters = (struct letters){out[2], out[3], out[4]};
    line->letters = letters;
    line->bytes = (size_t)out[0] * (size_t)out[1] * 4;
}

void canvas_free_line(struct canvas *canvas, struct canvas_line *line)
{
    struct letters *letters = line->letters;
    (void)canvas;
    if (letters != NULL)
        page_free_line(letters->sheet, letters->x, letters->y);
    free(letters);
    *line = (struct canvas_line){0};
}

void canvas_draw_line(struct canvas *canvas, const struct canvas_line *line,
                      const struct canvas_font *font, raim_vec2 at, draw_colour colour)
{
    const struct letters *letters = line->letters;
    const raim_vec2 away = {font->outline, font->outline};
    const raim_vec2 size = {line->width + 2 * away.x, line->height + 2 * away.y};
    const raim_vec2 corner = raim_vec2_sub(at, away), place = {letters->x, letters->y};
    add_box(canvas, letters->sheet, (raim_box){corner, raim_vec2_add(corner, size)}, colour,
            (raim_box){place, raim_vec2_add(place, size)});
}
