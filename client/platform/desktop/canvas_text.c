// SPDX-License-Identifier: MIT
// Lines of letters by SDL_ttf, in DejaVu Sans, and in fonts that are installed for what it lacks.
// No other file of the program includes SDL_ttf.
#define _GNU_SOURCE
#include "canvas_desktop.h"

#include "utf8.h"

#include <SDL_ttf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FONTS = 64,
    FALLBACKS = 10,
    MAX_WIDTH = 8192 // pixels of a line; what is farther right is cut off
};

struct font {
    TTF_Font *font;
    int size; // pixels
    bool is_bold;
};

// A font for what DejaVu Sans lacks. It is opened at most once, and set to the size of the line in
// the making: texts of a server could otherwise have each opened again for each size.
struct fallback {
    const char *path;
    TTF_Font *font; // NULL: not needed yet, or not readable
    bool was_opened;
    int size;
};

struct canvas_fonts {
    int fallback_count;
    struct fallback fallbacks[FALLBACKS];
    int font_count;
    struct font fonts[FONTS];
};

static const char *const files[2] = {RAIM_FONT, RAIM_FONT_BOLD};

// Fonts of Debian's packages and of other distributions for what DejaVu Sans lacks. Those that are
// installed are used.
static const char *const fallback_files[] = {
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf",
    "/usr/share/fonts/truetype/nanum/NanumGothic.ttf",
    "/usr/share/fonts/truetype/noto/NotoSansArabic-Regular.ttf",
    "/usr/share/fonts/noto/NotoSansArabic-Regular.ttf",
    "/usr/share/fonts/truetype/noto/NotoSansThai-Regular.ttf",
    "/usr/share/fonts/truetype/noto/NotoSansDevanagari-Regular.ttf",
    "/usr/share/fonts/truetype/unifont/unifont.ttf",
};

static void close_fonts(struct canvas_fonts *fonts)
{
    for (int i = 0; i < fonts->font_count; i++)
        TTF_CloseFont(fonts->fonts[i].font);
    fonts->font_count = 0;
}

// NULL when the file cannot be read. A line needs one font of this kind, which is valid until that
// of another line is asked for.
static TTF_Font *font_of(struct canvas_fonts *fonts, const struct canvas_font *wanted)
{
    for (int i = 0; i < fonts->font_count; i++)
        if (fonts->fonts[i].size == wanted->em && fonts->fonts[i].is_bold == wanted->is_bold)
            return fonts->fonts[i].font;
    if (fonts->font_count == FONTS) // after many changes of the window's size
        close_fonts(fonts);
    TTF_Font *font = TTF_OpenFont(files[wanted->is_bold], wanted->em);
    if (font != NULL)
        fonts->fonts[fonts->font_count++] = (struct font){font, wanted->em, wanted->is_bold};
    return font;
}

// NULL when the file cannot be read.
static TTF_Font *open_fallback(struct fallback *fallback, int size)
{
    if (!fallback->was_opened) {
        fallback->font = TTF_OpenFont(fallback->path, size);
        fallback->size = size;
    }
    fallback->was_opened = true;
    return fallback->font;
}

// The font of a face: -1 is the wanted one, and the others are fallbacks.
static TTF_Font *face_font(struct canvas_fonts *fonts, const struct canvas_font *wanted, int face)
{
    if (face < 0)
        return font_of(fonts, wanted);
    struct fallback *fallback = &fonts->fallbacks[face];
    TTF_Font *font = open_fallback(fallback, wanted->em);
    if (font != NULL && fallback->size != wanted->em && TTF_SetFontSize(font, wanted->em) == 0)
        fallback->size = wanted->em;
    return font;
}

static void find_fallbacks(struct canvas_fonts *fonts)
{
    for (size_t i = 0; i < sizeof fallback_files / sizeof *fallback_files; i++)
        if (fonts->fallback_count < FALLBACKS && access(fallback_files[i], R_OK) == 0)
            fonts->fallbacks[fonts->fallback_count++].path = fallback_files[i];
}

struct canvas_fonts *canvas_fonts_create(void)
{
    struct canvas_fonts *fonts = calloc(1, sizeof *fonts);
    if (fonts == NULL || TTF_Init() != 0) {
        free(fonts);
        return NULL;
    }
    find_fallbacks(fonts);
    for (int i = 0; i < 2; i++) {
        if (font_of(fonts, &(struct canvas_font){.em = 16, .is_bold = i == 1}) == NULL) {
            fprintf(stderr, "raim: cannot read the font %s: install fonts-dejavu-core\n", files[i]);
            canvas_fonts_destroy(fonts);
            return NULL;
        }
    }
    return fonts;
}

void canvas_fonts_destroy(struct canvas_fonts *fonts)
{
    if (fonts == NULL)
        return;
    close_fonts(fonts);
    for (int i = 0; i < fonts->fallback_count; i++)
        if (fonts->fallbacks[i].font != NULL)
            TTF_CloseFont(fonts->fallbacks[i].font);
    TTF_Quit();
    free(fonts);
}

struct run {
    int face; // -1: the wanted font; otherwise a fallback
    bool leftward;
    size_t first, length; // bytes
};

// Whether a character is written from right to left: Hebrew, Arabic and their relatives.
static bool is_leftward(uint32_t character)
{
    return (character >= 0x0590 && character <= 0x08FF) ||
           (character >= 0xFB1D && character <= 0xFDFF) ||
           (character >= 0xFE70 && character <= 0xFEFC);
}

static int face_of(struct canvas_fonts *fonts, const struct canvas_font *wanted, uint32_t character)
{
    TTF_Font *own = character < 0x80 ? NULL : font_of(fonts, wanted);
    if (own == NULL || TTF_GlyphIsProvided32(own, character) != 0)
        return -1;
    for (int face = 0; face < fonts->fallback_count; face++) {
        TTF_Font *font = open_fallback(&fonts->fallbacks[face], wanted->em);
        if (font != NULL && TTF_GlyphIsProvided32(font, character) != 0)
            return face;
    }
    return -1;
}

// The first run of some words; false at their end. Spaces belong to the run before them.
static bool next_run(struct canvas_fonts *fonts, const struct canvas_font *wanted,
                     const char *words, size_t at, struct run *run)
{
    uint32_t character;
    *run = (struct run){.first = at};
    while (words[at] != '\0') {
        // A byte that is not UTF-8 is a character.
        const size_t size = raim_utf8_decode((const uint8_t *)words + at, &character);
        const size_t bytes = size > 0 ? size : 1;
        if (size == 0)
            character = (uint8_t)words[at];
        if (character != ' ' || run->length == 0) {
            const int face = face_of(fonts, wanted, character);
            const bool leftward = is_leftward(character);
            if (run->length > 0 && (face != run->face || leftward != run->leftward))
                break;
            run->face = face;
            run->leftward = leftward;
        }
        run->length += bytes;
        at += bytes;
    }
    // A space that separates a leftward run from what follows stands at its right.
    while (run->leftward && run->length > 1 && words[run->first + run->length - 1] == ' ')
        run->length--;
    return run->length > 0;
}

// The font of a run, turned to its direction, and the run's bytes with a NUL.
static TTF_Font *begin_run(struct canvas_fonts *fonts, const struct canvas_font *wanted,
                           const struct run *run, const char *words, char part[CANVAS_LINE_BYTES])
{
    TTF_Font *font = face_font(fonts, wanted, run->face);
    snprintf(part, CANVAS_LINE_BYTES, "%.*s", (int)run->length, words + run->first);
    if (font != NULL) {
        TTF_SetFontDirection(font, run->leftward ? TTF_DIRECTION_RTL : TTF_DIRECTION_LTR);
        TTF_SetFontScriptName(font, run->leftward ? "Arab" : "Zyyy");
    }
    return font;
}

// The width of some words, pixels.
static int measure(struct canvas_fonts *fonts, const struct canvas_font *wanted, const char *words)
{
    char part[CANVAS_LINE_BYTES];
    struct run run;
    int sum = 0;
    for (size_t at = 0; next_run(fonts, wanted, words, at, &run); at += run.length) {
        int width = 0;
        TTF_Font *font = begin_run(fonts, wanted, &run, words, part);
        if (font != NULL && TTF_SizeUTF8(font, part, &width, NULL) == 0)
            sum += width;
    }
    return sum;
}

// Copies a run to its place in a line. Runs stand on one base line.
static void blit_run(SDL_Surface *line, int base, int *x, TTF_Font *font, const char *part)
{
    SDL_Surface *surface = TTF_RenderUTF8_Blended(font, part, (SDL_Color){255, 255, 255, 255});
    if (surface == NULL)
        return;
    SDL_Rect place = {*x, base - TTF_FontAscent(font), surface->w, surface->h};
    SDL_SetSurfaceBlendMode(surface, SDL_BLENDMODE_NONE);
    SDL_BlitSurface(surface, NULL, line, &place);
    *x += surface->w;
    SDL_FreeSurface(surface);
}

// The opacity of a pixel, 0 to 1; 0 outside.
static double opacity_at(const SDL_Surface *surface, int x, int y)
{
    if (x < 0 || y < 0 || x >= surface->w || y >= surface->h)
        return 0;
    const uint32_t *row = (const uint32_t *)((const uint8_t *)surface->pixels + y * surface->pitch);
    return (row[x] >> 24) / 255.0;
}

// The pixel of a white letter over its four black shadows, which lie `away` to both sides.
static uint32_t outlined_pixel(const SDL_Surface *letters, int x, int y, int away)
{
    const double shadow_opacity = 0.6;
    double rest = 1;
    for (int i = 0; i < 4; i++)
        rest *= 1 - shadow_opacity * opacity_at(letters, x + (i < 2 ? away : -away),
                                                y + (i % 2 == 0 ? away : -away));
    const double letter = opacity_at(letters, x, y), whole = 1 - (1 - letter) * rest;
    const uint32_t grey = whole > 0 ? (uint32_t)lround(255 * letter / whole) : 0;
    return (uint32_t)lround(255 * whole) << 24 | grey << 16 | grey << 8 | grey;
}

// A copy of white letters with a black outline around it. The colour that a texture is drawn in
// multiplies the letters' colour alone, because black stays black.
static SDL_Surface *outline(const SDL_Surface *letters, int away)
{
    SDL_Surface *copy = SDL_CreateRGBSurfaceWithFormat(
        0, letters->w + 2 * away, letters->h + 2 * away, 32, SDL_PIXELFORMAT_ARGB8888);
    for (int y = 0; copy != NULL && y < copy->h; y++) {
        uint32_t *row = (uint32_t *)((uint8_t *)copy->pixels + y * copy->pitch);
        for (int x = 0; x < copy->w; x++)
            row[x] = outlined_pixel(letters, x - away, y - away, away);
    }
    return copy;
}

// A surface with the letters of a line in white; NULL for an empty line.
static SDL_Surface *render_letters(struct canvas_fonts *fonts, const struct canvas_font *wanted,
                                   const char *words)
{
    char part[CANVAS_LINE_BYTES];
    struct run run;
    TTF_Font *first = font_of(fonts, wanted);
    const int whole = measure(fonts, wanted, words);
    const int width = whole < MAX_WIDTH ? whole : MAX_WIDTH;
    if (first == NULL || width == 0)
        return NULL;
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, width, TTF_FontHeight(first), 32,
                                                          SDL_PIXELFORMAT_ARGB8888);
    int x = 0;
    for (size_t at = 0; surface != NULL && next_run(fonts, wanted, words, at, &run);
         at += run.length) {
        TTF_Font *font = begin_run(fonts, wanted, &run, words, part);
        if (font != NULL)
            blit_run(surface, TTF_FontAscent(first), &x, font, part);
    }
    return surface;
}

int canvas_measure(struct canvas *canvas, const struct canvas_font *font, const char *words)
{
    return measure(canvas->fonts, font, words);
}

void canvas_make_line(struct canvas *canvas, const struct canvas_font *font, const char *words,
                      struct canvas_line *line)
{
    SDL_Surface *surface = render_letters(canvas->fonts, font, words);
    *line = (struct canvas_line){0};
    if (surface == NULL)
        return;
    line->width = surface->w;
    line->height = surface->h;
    if (font->outline > 0) {
        SDL_Surface *outlined = outline(surface, font->outline);
        SDL_FreeSurface(surface);
        surface = outlined;
    }
    if (surface != NULL)
        line->letters = SDL_CreateTextureFromSurface(canvas->renderer, surface);
    if (line->letters != NULL)
        line->bytes = (size_t)surface->w * (size_t)surface->h * 4;
    SDL_FreeSurface(surface);
}

void canvas_free_line(struct canvas *canvas, struct canvas_line *line)
{
    (void)canvas;
    SDL_DestroyTexture(line->letters);
    *line = (struct canvas_line){0};
}

void canvas_draw_line(struct canvas *canvas, const struct canvas_line *line,
                      const struct canvas_font *font, raim_vec2 at, draw_colour colour)
{
    const double away = font->outline;
    const SDL_FRect target = {(float)(at.x - away), (float)(at.y - away),
                              (float)(line->width + 2 * away), (float)(line->height + 2 * away)};
    SDL_SetTextureColorMod(line->letters, colour.r, colour.g, colour.b);
    SDL_SetTextureAlphaMod(line->letters, colour.a);
    SDL_RenderCopyF(canvas->renderer, line->letters, NULL, &target);
}
