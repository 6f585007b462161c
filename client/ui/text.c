// SPDX-License-Identifier: MIT
// Writes lines of text, and caches the latest ones.
#include "text.h"

#include "utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 512,
    LINE_BYTES = CANVAS_LINE_BYTES,
    SMALLEST_EM = 12, // pixels
    LARGEST_EM = 340,
    WRAPS = 64
};

// A line of DejaVu Sans is 1.16 times as high as its em.
static const double height_of_em = 1.16;

// A cached line.
struct line {
    char text[LINE_BYTES];
    struct canvas_font font;
    struct canvas_line made;
    uint64_t used;
};

// A text that was wrapped.
struct wrap {
    char text[LINE_BYTES];
    struct canvas_font font;
    int width;
    struct text_lines lines;
};

struct text {
    struct canvas *canvas;
    struct draw *draw;
    uint32_t generation; // of the canvas, in which the lines were made
    uint64_t uses;
    size_t texture_bytes; // of all lines
    struct line lines[LINES];
    uint32_t wrap_count; // ever made; `wraps` is a ring
    struct wrap wraps[WRAPS];
};

struct text *text_create(struct canvas *canvas, struct draw *draw)
{
    struct text *text = calloc(1, sizeof *text);
    if (text == NULL)
        return NULL;
    text->canvas = canvas;
    text->draw = draw;
    text->generation = canvas_generation(canvas);
    return text;
}

// Forgets a line; an unused one is fine.
static void forget(struct text *text, struct line *line)
{
    text->texture_bytes -= line->made.bytes;
    canvas_free_line(text->canvas, &line->made);
    *line = (struct line){0};
}

// Forgets the lines that the canvas has lost.
static void follow_canvas(struct text *text)
{
    const uint32_t generation = canvas_generation(text->canvas);
    if (generation == text->generation)
        return;
    text->generation = generation;
    text->texture_bytes = 0;
    memset(text->lines, 0, sizeof text->lines);
}

void text_destroy(struct text *text)
{
    if (text == NULL)
        return;
    follow_canvas(text);
    for (int i = 0; i < LINES; i++)
        forget(text, &text->lines[i]);
    free(text);
}

size_t text_texture_bytes(const struct text *text)
{
    return text->texture_bytes;
}

static struct canvas_font font_of(const struct text_style *style)
{
    return (struct canvas_font){
        .em = (int)lround(fmin(fmax(style->size / height_of_em, SMALLEST_EM), LARGEST_EM)),
        .is_bold = style->weight == TEXT_BOLD,
        .outline = style->outlined ? (int)fmax(1, floor(style->size / 14)) : 0,
    };
}

static bool is_same(const struct canvas_font *a, const struct canvas_font *b)
{
    return a->em == b->em && a->is_bold == b->is_bold && a->outline == b->outline;
}

// The width of some words, which are not cached, pixels.
static int measure(struct text *text, const struct text_style *style, const char *words)
{
    const struct canvas_font font = font_of(style);
    return canvas_measure(text->canvas, &font, words);
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
            if (line->made.bytes > 0 && (victim == NULL || line->used < victim->used))
                victim = line;
        forget(text, victim);
    }
}

static struct line *line_of(struct text *text, const struct text_style *style, const char *words)
{
    const struct canvas_font font = font_of(style);
    follow_canvas(text);
    text->uses++;
    for (struct line *line = text->lines; line < text->lines + LINES; line++) {
        if (line->used != 0 && is_same(&line->font, &font) &&
            strncmp(line->text, words, LINE_BYTES - 1) == 0) {
            line->used = text->uses;
            return line;
        }
    }
    struct line *oldest = oldest_of(text);
    forget(text, oldest);
    *oldest = (struct line){.font = font, .used = text->uses};
    snprintf(oldest->text, sizeof oldest->text, "%s", words);
    canvas_make_line(text->canvas, &font, oldest->text, &oldest->made);
    text->texture_bytes += oldest->made.bytes;
    forget_oldest(text);
    return oldest;
}

double text_width(struct text *text, const struct text_style *style, const char *line)
{
    return line_of(text, style, line)->made.width;
}

double text_write(struct text *text, raim_vec2 top, const struct text_style *style,
                  const char *words)
{
    const struct line *line = line_of(text, style, words);
    const int width = line->made.width;
    if (line->made.bytes == 0 || style->colour.a == 0)
        return width;
    draw_flush(text->draw);
    const double shift = style->align == TEXT_LEFT ? 0 : style->align == TEXT_CENTRE ? 0.5 : 1;
    // Letters are sharp only on whole pixels.
    const raim_vec2 at = {floor(top.x - shift * width + 0.5), floor(top.y + 0.5)};
    canvas_draw_line(text->canvas, &line->made, &line->font, at, style->colour);
    return width;
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
        if (measure(text, style, cut) <= width)
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
    while (*words != '\0' && measure(text, style, words) > width)
        do
            words++;
        while (((unsigned char)*words & 0xC0) == 0x80);
    return words;
}

// Reads a character and returns its bytes; a byte that is not UTF-8 is a character.
static size_t read_character(const char *words, uint32_t *character)
{
    const size_t size = raim_utf8_decode((const uint8_t *)words, character);
    if (size == 0)
        *character = (uint8_t)*words;
    return size > 0 ? size : 1;
}

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
        if (canvas_measure(text->canvas, &wrap->font, part) > wrap->width)
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
        if (fits > 0 && canvas_measure(text->canvas, &wrap->font, part) > wrap->width)
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
    const struct canvas_font font = font_of(style);
    for (uint32_t i = 0; i < WRAPS && i < text->wrap_count; i++) {
        const struct wrap *wrap = &text->wraps[i];
        if (is_same(&wrap->font, &font) && wrap->width == (int)width &&
            strncmp(wrap->text, words, LINE_BYTES - 1) == 0)
            return &wrap->lines;
    }
    struct wrap *wrap = &text->wraps[text->wrap_count++ % WRAPS];
    *wrap = (struct wrap){.font = font, .width = (int)width};
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
