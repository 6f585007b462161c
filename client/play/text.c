// SPDX-License-Identifier: MIT
// Writes lines of text, and caches the latest ones as textures. No other file of the program
// includes SDL_ttf.
#include "text.h"

#include <SDL_ttf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 256, LINE_BYTES = 192, FONTS = 24, SMALLEST = 6, LARGEST = 400 };

// A cached line.
struct line {
    char text[LINE_BYTES];
    int size;
    enum text_weight weight;
    SDL_Texture *texture;
    int width, height;
    uint64_t used;
};

struct font {
    TTF_Font *font;
    int size;
    enum text_weight weight;
};

struct text {
    SDL_Renderer *renderer;
    struct draw *draw;
    uint64_t uses;
    int font_count;
    struct font fonts[FONTS];
    struct line lines[LINES];
};

static const char *const files[TEXT_WEIGHTS] = {RAIM_FONT, RAIM_FONT_BOLD};

static void forget_lines(struct text *text)
{
    for (int i = 0; i < LINES; i++)
        SDL_DestroyTexture(text->lines[i].texture);
    memset(text->lines, 0, sizeof text->lines);
}

static void close_fonts(struct text *text)
{
    for (int i = 0; i < text->font_count; i++)
        TTF_CloseFont(text->fonts[i].font);
    text->font_count = 0;
}

// NULL when the file cannot be read.
static TTF_Font *font_of(struct text *text, int size, enum text_weight weight)
{
    for (int i = 0; i < text->font_count; i++)
        if (text->fonts[i].size == size && text->fonts[i].weight == weight)
            return text->fonts[i].font;
    if (text->font_count == FONTS) // after many changes of the window's size
        close_fonts(text);
    TTF_Font *font = TTF_OpenFont(files[weight], size);
    if (font != NULL)
        text->fonts[text->font_count++] = (struct font){font, size, weight};
    return font;
}

struct text *text_create(struct SDL_Renderer *renderer, struct draw *draw)
{
    struct text *text = calloc(1, sizeof *text);
    if (text == NULL || TTF_Init() != 0) {
        free(text);
        return NULL;
    }
    text->renderer = renderer;
    text->draw = draw;
    for (int i = 0; i < TEXT_WEIGHTS; i++) {
        if (font_of(text, 16, (enum text_weight)i) == NULL) {
            fprintf(stderr, "raim: cannot read the font %s: install fonts-dejavu-core\n", files[i]);
            text_destroy(text);
            return NULL;
        }
    }
    return text;
}

void text_destroy(struct text *text)
{
    if (text == NULL)
        return;
    forget_lines(text);
    close_fonts(text);
    TTF_Quit();
    free(text);
}

// Makes the texture of a line; an empty line has none.
static void render(struct text *text, struct line *line)
{
    TTF_Font *font = font_of(text, line->size, line->weight);
    if (font == NULL || line->text[0] == '\0')
        return;
    SDL_Surface *surface =
        TTF_RenderUTF8_Blended(font, line->text, (SDL_Color){255, 255, 255, 255});
    if (surface == NULL)
        return;
    line->texture = SDL_CreateTextureFromSurface(text->renderer, surface);
    line->width = surface->w;
    line->height = surface->h;
    SDL_FreeSurface(surface);
}

static struct line *line_of(struct text *text, const struct text_style *style, const char *words)
{
    const double limited = fmin(fmax(style->size, SMALLEST), LARGEST);
    // A line of DejaVu Sans is 1.16 times as high as its em.
    const int size = (int)lround(limited / 1.16);
    struct line *oldest = &text->lines[0];
    text->uses++;
    for (struct line *line = text->lines; line < text->lines + LINES; line++) {
        if (line->used != 0 && line->size == size && line->weight == style->weight &&
            strncmp(line->text, words, LINE_BYTES - 1) == 0) {
            line->used = text->uses;
            return line;
        }
        if (line->used < oldest->used)
            oldest = line;
    }
    SDL_DestroyTexture(oldest->texture);
    *oldest = (struct line){.size = size, .weight = style->weight, .used = text->uses};
    snprintf(oldest->text, sizeof oldest->text, "%s", words);
    render(text, oldest);
    return oldest;
}

double text_width(struct text *text, const struct text_style *style, const char *line)
{
    return line_of(text, style, line)->width;
}

static void put(struct text *text, const struct line *line, double x, double y, draw_colour colour)
{
    const SDL_FRect target = {(float)x, (float)y, (float)line->width, (float)line->height};
    SDL_SetTextureColorMod(line->texture, colour.r, colour.g, colour.b);
    SDL_SetTextureAlphaMod(line->texture, colour.a);
    SDL_RenderCopyF(text->renderer, line->texture, NULL, &target);
}

double text_write(struct text *text, raim_vec2 top, const struct text_style *style,
                  const char *words)
{
    const struct line *line = line_of(text, style, words);
    if (line->texture == NULL || style->colour.a == 0)
        return line->width;
    draw_flush(text->draw);
    const double shift = style->align == TEXT_LEFT ? 0 : style->align == TEXT_CENTRE ? 0.5 : 1;
    // Letters are sharp only on whole pixels.
    const double x = floor(top.x - shift * line->width + 0.5), y = floor(top.y + 0.5);
    if (style->outlined) {
        const double away = fmax(1, floor(style->size / 14));
        const draw_colour dark = {0, 0, 0, (uint8_t)(style->colour.a * 3 / 5)};
        for (int i = 0; i < 4; i++)
            put(text, line, x + (i < 2 ? away : -away), y + (i % 2 == 0 ? away : -away), dark);
    }
    put(text, line, x, y, style->colour);
    return line->width;
}
