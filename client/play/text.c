// SPDX-License-Identifier: MIT
// Writes lines of text, and caches the latest ones as textures. No other file of the program
// includes SDL_ttf.
#define _GNU_SOURCE
#include "text.h"

#include <SDL_ttf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINES = 512,
    LINE_BYTES = 400,
    FONTS = 64,
    SMALLEST_EM = 12, // pixels
    LARGEST_EM = 340,
    FALLBACKS = 10,
    WRAPS = 64,
    MOST_WIDTH = 8192 // pixels of a line; what is farther right is cut off
};

// A line of DejaVu Sans is 1.16 times as high as its em.
static const double height_of_em = 1.16;

// A cached line.
struct line {
    char text[LINE_BYTES];
    int size;
    enum text_weight weight;
    int outline; // width of the dark outline in the texture, pixels; 0: none
    SDL_Texture *texture;
    size_t texture_bytes;
    int width, height; // without the outline
    uint64_t used;
};

struct font {
    TTF_Font *font;
    int size;
    enum text_weight weight;
};

// A font for what DejaVu Sans lacks. It is opened at most once, and set to the size of the line in
// the making: texts of a server could otherwise have each opened again for each size.
struct fallback {
    const char *path;
    TTF_Font *font; // NULL: not needed yet, or not readable
    bool was_opened;
    int size;
};

// A text that was wrapped.
struct wrap {
    char text[LINE_BYTES];
    int size, width;
    enum text_weight weight;
    struct text_lines lines;
};

struct text {
    SDL_Renderer *renderer;
    struct draw *draw;
    uint64_t uses;
    int fallback_count;
    struct fallback fallbacks[FALLBACKS];
    int font_count;
    struct font fonts[FONTS];
    size_t texture_bytes; // of all lines
    struct line lines[LINES];
    uint32_t wrap_count; // ever made; `wraps` is a ring
    struct wrap wraps[WRAPS];
};

static const char *const files[TEXT_WEIGHTS] = {RAIM_FONT, RAIM_FONT_BOLD};

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

// Forgets a line; an unused one is fine.
static void forget(struct text *text, struct line *line)
{
    SDL_DestroyTexture(line->texture);
    text->texture_bytes -= line->texture_bytes;
    *line = (struct line){0};
}

static void close_fonts(struct text *text)
{
    for (int i = 0; i < text->font_count; i++)
        TTF_CloseFont(text->fonts[i].font);
    text->font_count = 0;
}

// NULL when the file cannot be read. A line needs one font of this kind, which is valid until that
// of another line is asked for.
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

// The font of a face: -1 is that of the weight, and the others are fallbacks.
static TTF_Font *face_font(struct text *text, int size, enum text_weight weight, int face)
{
    if (face < 0)
        return font_of(text, size, weight);
    struct fallback *fallback = &text->fallbacks[face];
    TTF_Font *font = open_fallback(fallback, size);
    if (font != NULL && fallback->size != size && TTF_SetFontSize(font, size) == 0)
        fallback->size = size;
    return font;
}

static void find_fallbacks(struct text *text)
{
    for (size_t i = 0; i < sizeof fallback_files / sizeof *fallback_files; i++)
        if (text->fallback_count < FALLBACKS && access(fallback_files[i], R_OK) == 0)
            text->fallbacks[text->fallback_count++].path = fallback_files[i];
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
    find_fallbacks(text);
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
    for (int i = 0; i < LINES; i++)
        forget(text, &text->lines[i]);
    close_fonts(text);
    for (int i = 0; i < text->fallback_count; i++)
        if (text->fallbacks[i].font != NULL)
            TTF_CloseFont(text->fallbacks[i].font);
    TTF_Quit();
    free(text);
}

size_t text_texture_bytes(const struct text *text)
{
    return text->texture_bytes;
}

// --- runs: parts of a line in one font and direction ---

struct run {
    int face; // -1: that of the weight; otherwise a fallback
    bool leftward;
    size_t first, length; // bytes
};

// Reads a character of UTF-8 and returns its size in bytes; a malformed byte is a character.
static size_t read_character(const char *words, uint32_t *character)
{
    const uint8_t *bytes = (const uint8_t *)words;
    const size_t size = bytes[0] < 0xC0 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    *character = size == 1 ? bytes[0] : bytes[0] & (0x7FU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            *character = bytes[0];
            return 1;
        }
        *character = *character << 6 | (bytes[i] & 0x3FU);
    }
    return size;
}

// Whether a character is written from right to left: Hebrew, Arabic and their relatives.
static bool is_leftward(uint32_t character)
{
    return (character >= 0x0590 && character <= 0x08FF) ||
           (character >= 0xFB1D && character <= 0xFDFF) ||
           (character >= 0xFE70 && character <= 0xFEFC);
}

static int face_of(struct text *text, int size, enum text_weight weight, uint32_t character)
{
    TTF_Font *own = character < 0x80 ? NULL : font_of(text, size, weight);
    if (own == NULL || TTF_GlyphIsProvided32(own, character) != 0)
        return -1;
    for (int face = 0; face < text->fallback_count; face++) {
        TTF_Font *font = open_fallback(&text->fallbacks[face], size);
        if (font != NULL && TTF_GlyphIsProvided32(font, character) != 0)
            return face;
    }
    return -1;
}

// The first run of some words; false at their end. Spaces belong to the run before them.
static bool next_run(struct text *text, int size, enum text_weight weight, const char *words,
                     size_t at, struct run *run)
{
    uint32_t character;
    *run = (struct run){.first = at};
    while (words[at] != '\0') {
        const size_t bytes = read_character(words + at, &character);
        if (character != ' ' || run->length == 0) {
            const int face = face_of(text, size, weight, character);
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
static TTF_Font *begin_run(struct text *text, int size, enum text_weight weight,
                           const struct run *run, const char *words, char part[LINE_BYTES])
{
    TTF_Font *font = face_font(text, size, weight, run->face);
    snprintf(part, LINE_BYTES, "%.*s", (int)run->length, words + run->first);
    if (font != NULL) {
        TTF_SetFontDirection(font, run->leftward ? TTF_DIRECTION_RTL : TTF_DIRECTION_LTR);
        TTF_SetFontScriptName(font, run->leftward ? "Arab" : "Zyyy");
    }
    return font;
}

// The width of some words, pixels.
static int measure(struct text *text, int size, enum text_weight weight, const char *words)
{
    char part[LINE_BYTES];
    struct run run;
    int sum = 0;
    for (size_t at = 0; next_run(text, size, weight, words, at, &run); at += run.length) {
        int width = 0;
        TTF_Font *font = begin_run(text, size, weight, &run, words, part);
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
static SDL_Surface *render_letters(struct text *text, const struct line *line)
{
    char part[LINE_BYTES];
    struct run run;
    TTF_Font *first = font_of(text, line->size, line->weight);
    const int whole = measure(text, line->size, line->weight, line->text);
    const int width = whole < MOST_WIDTH ? whole : MOST_WIDTH;
    if (first == NULL || width == 0)
        return NULL;
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, width, TTF_FontHeight(first), 32,
                                                          SDL_PIXELFORMAT_ARGB8888);
    int x = 0;
    for (size_t at = 0;
         surface != NULL && next_run(text, line->size, line->weight, line->text, at, &run);
         at += run.length) {
        TTF_Font *font = begin_run(text, line->size, line->weight, &run, line->text, part);
        if (font != NULL)
            blit_run(surface, TTF_FontAscent(first), &x, font, part);
    }
    return surface;
}

// Makes the texture of a line; an empty line has none.
static void render(struct text *text, struct line *line)
{
    SDL_Surface *surface = render_letters(text, line);
    if (surface == NULL)
        return;
    line->width = surface->w;
    line->height = surface->h;
    if (line->outline > 0) {
        SDL_Surface *outlined = outline(surface, line->outline);
        SDL_FreeSurface(surface);
        surface = outlined;
    }
    if (surface != NULL)
        line->texture = SDL_CreateTextureFromSurface(text->renderer, surface);
    if (line->texture != NULL)
        line->texture_bytes = (size_t)surface->w * (size_t)surface->h * 4;
    text->texture_bytes += line->texture_bytes;
    SDL_FreeSurface(surface);
}

// --- lines ---

static int em_of(const struct text_style *style)
{
    return (int)lround(fmin(fmax(style->size / height_of_em, SMALLEST_EM), LARGEST_EM));
}

double text_height(const struct text_style *style)
{
    return fmax(style->size, TEXT_SMALLEST);
}

// The line that was used least recently, an unused one first.
static struct line *oldest_of(struct text *text)
{
    struct line *oldest = &text->lines[0];
    for (struct line *line = text->lines; line < text->lines + LINES; line++)
        if (line->used < oldest->used)
            oldest = line;
    return oldest;
}

// Forgets the lines that were used least recently until the textures fit into their bound. The
// latest line has a texture far below it.
static void forget_oldest(struct text *text)
{
    while (text->texture_bytes > TEXT_TEXTURE_BYTES) {
        struct line *victim = NULL;
        for (struct line *line = text->lines; line < text->lines + LINES; line++)
            if (line->texture != NULL && (victim == NULL || line->used < victim->used))
                victim = line;
        forget(text, victim);
    }
}

static struct line *line_of(struct text *text, const struct text_style *style, const char *words)
{
    const int size = em_of(style);
    const int outline_width = style->outlined ? (int)fmax(1, floor(style->size / 14)) : 0;
    text->uses++;
    for (struct line *line = text->lines; line < text->lines + LINES; line++) {
        if (line->used != 0 && line->size == size && line->weight == style->weight &&
            line->outline == outline_width && strncmp(line->text, words, LINE_BYTES - 1) == 0) {
            line->used = text->uses;
            return line;
        }
    }
    struct line *oldest = oldest_of(text);
    forget(text, oldest);
    *oldest = (struct line){
        .size = size, .weight = style->weight, .outline = outline_width, .used = text->uses};
    snprintf(oldest->text, sizeof oldest->text, "%s", words);
    render(text, oldest);
    forget_oldest(text);
    return oldest;
}

double text_width(struct text *text, const struct text_style *style, const char *line)
{
    return line_of(text, style, line)->width;
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
    const double away = line->outline;
    const SDL_FRect target = {(float)(x - away), (float)(y - away), (float)(line->width + 2 * away),
                              (float)(line->height + 2 * away)};
    SDL_SetTextureColorMod(line->texture, style->colour.r, style->colour.g, style->colour.b);
    SDL_SetTextureAlphaMod(line->texture, style->colour.a);
    SDL_RenderCopyF(text->renderer, line->texture, NULL, &target);
    return line->width;
}

double text_write_within(struct text *text, raim_vec2 top, const struct text_style *style,
                         const char *words, double width)
{
    static const char ellipsis[] = "\u2026";
    char cut[LINE_BYTES];
    if (text_width(text, style, words) <= width)
        return text_write(text, top, style, words);
    size_t fits = 0, too_long = strlen(words);
    if (too_long > LINE_BYTES - sizeof ellipsis)
        too_long = LINE_BYTES - sizeof ellipsis;
    while (fits + 1 < too_long) {
        const size_t middle = (fits + too_long) / 2;
        snprintf(cut, sizeof cut, "%.*s%s", (int)middle, words, ellipsis);
        if (measure(text, em_of(style), style->weight, cut) <= width)
            fits = middle;
        else
            too_long = middle;
    }
    while (fits > 0 && ((uint8_t)words[fits] & 0xC0) == 0x80)
        fits--;
    snprintf(cut, sizeof cut, "%.*s%s", (int)fits, words, ellipsis);
    return text_write(text, top, style, cut);
}

const char *text_end_within(struct text *text, const struct text_style *style, const char *words,
                            double width)
{
    while (*words != '\0' && measure(text, em_of(style), style->weight, words) > width)
        do
            words++;
        while (((unsigned char)*words & 0xC0) == 0x80);
    return words;
}

// --- wrapping ---

// The bytes of the longest beginning that is at most `width` wide: up to a space where there is
// one, otherwise in whole characters, and one character at least.
static int fitting(struct text *text, const struct wrap *wrap, const char *words)
{
    char part[LINE_BYTES];
    uint32_t character;
    size_t fits = 0, space = 0;
    for (size_t at = 0; words[at] != '\0';) {
        at += read_character(words + at, &character);
        const bool ends_word = words[at] == ' ' || words[at] == '\0';
        // A measure costs the more, the longer the part: one for each word, and then by character.
        if (!ends_word && character < 0x2E80 && at < 40)
            continue;
        snprintf(part, sizeof part, "%.*s", (int)at, words);
        if (measure(text, wrap->size, wrap->weight, part) > wrap->width)
            break;
        fits = at;
        if (ends_word)
            space = at;
        if (words[at] == '\0')
            return (int)at;
    }
    if (space > 0)
        return (int)space;
    for (size_t at = fits; words[at] != '\0'; fits = at) {
        at += read_character(words + at, &character);
        snprintf(part, sizeof part, "%.*s", (int)at, words);
        if (fits > 0 && measure(text, wrap->size, wrap->weight, part) > wrap->width)
            break;
    }
    return (int)fits;
}

static void break_lines(struct text *text, struct wrap *wrap)
{
    int at = 0;
    while (wrap->text[at] != '\0' && wrap->lines.count < TEXT_WRAPPED_LINES) {
        const int length = fitting(text, wrap, wrap->text + at);
        wrap->lines.lines[wrap->lines.count].first = at;
        wrap->lines.lines[wrap->lines.count++].length = length;
        at += length;
        while (wrap->text[at] == ' ')
            at++;
    }
}

const struct text_lines *text_wrap(struct text *text, const struct text_style *style,
                                   const char *words, double width)
{
    const int size = em_of(style);
    for (uint32_t i = 0; i < WRAPS && i < text->wrap_count; i++) {
        const struct wrap *wrap = &text->wraps[i];
        if (wrap->size == size && wrap->width == (int)width && wrap->weight == style->weight &&
            strncmp(wrap->text, words, LINE_BYTES - 1) == 0)
            return &wrap->lines;
    }
    struct wrap *wrap = &text->wraps[text->wrap_count++ % WRAPS];
    *wrap = (struct wrap){.size = size, .width = (int)width, .weight = style->weight};
    snprintf(wrap->text, sizeof wrap->text, "%s", words);
    break_lines(text, wrap);
    return &wrap->lines;
}

double text_write_wrapped(struct text *text, raim_vec2 top, const struct text_style *style,
                          const char *words, double width)
{
    char part[LINE_BYTES];
    const struct text_lines wrapped = *text_wrap(text, style, words, width);
    for (int i = 0; i < wrapped.count; i++) {
        snprintf(part, sizeof part, "%.*s", wrapped.lines[i].length,
                 words + wrapped.lines[i].first);
        text_write(text, (raim_vec2){top.x, top.y + i * text_height(style)}, style, part);
    }
    return wrapped.count * text_height(style);
}
