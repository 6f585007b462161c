// SPDX-License-Identifier: MIT
// Text wraps between words, is cut with an ellipsis, and borrows from other fonts what DejaVu Sans
// lacks.
#define _GNU_SOURCE
#include "text.h"

#include "test.h"
#include "ui.h"
#include "window_desktop.h"

#include <unistd.h>

static const struct text_style style = {.size = 16, .colour = {255, 255, 255, 255}};

static const struct ui_view view = {.size = {320, 200}, .scale = 1};

static struct window *window;
static struct ui ui;

static int set_up(void **state)
{
    (void)state;
    const struct window_def def = {320, 200, true};
    window = window_create(&def);
    return window != NULL && ui_open(&ui, window) && ui_begin(&ui, window, &view) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ui_close(&ui);
    window_destroy(window);
    return 0;
}

// Checks that the lines are as wide as asked, and together the text without the spaces at their
// ends.
static const struct text_lines *check_wrap(const char *words, double width)
{
    char part[400];
    const struct text_lines *lines = text_wrap(ui.text, &style, words, width);
    int at = 0;
    for (int i = 0; i < lines->count; i++) {
        assert_int_equal(lines->lines[i].first, at);
        assert_true(lines->lines[i].length > 0);
        snprintf(part, sizeof part, "%.*s", lines->lines[i].length, words + at);
        assert_true(text_width(ui.text, &style, part) <= width);
        at += lines->lines[i].length;
        while (words[at] == ' ')
            at++;
    }
    assert_int_equal(words[at], '\0');
    return lines;
}

TEST(text_wraps_between_words)
{
    const char *words = "The quick brown fox jumps over the lazy dog";
    const struct text_lines *lines = check_wrap(words, 120);
    assert_in_range(lines->count, 3, 4);
    for (int i = 1; i < lines->count; i++)
        assert_int_equal(words[lines->lines[i].first - 1], ' ');
    assert_int_equal(check_wrap("one line", 300)->count, 1);
    assert_int_equal(check_wrap("", 300)->count, 0);
}

TEST(a_word_wider_than_the_line_is_broken)
{
    assert_in_range(check_wrap("WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", 120)->count, 3, 6);
    assert_in_range(check_wrap("a WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW b", 120)->count, 4, 7);
    // Of characters without spaces between them none is torn.
    const char *han = "\u4e2d\u6587\u804a\u5929\u6ca1\u6709\u7a7a\u683c\u4e5f\u8981\u6362\u884c";
    const struct text_lines *lines = check_wrap(han, 60);
    assert_in_range(lines->count, 2, 6);
    for (int i = 0; i < lines->count; i++)
        assert_int_equal(lines->lines[i].length % 3, 0);
}

TEST(more_lines_than_fit_are_left_out)
{
    const char *words = "aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa";
    assert_int_equal(text_wrap(ui.text, &style, words, 40)->count, TEXT_WRAPPED_LINES);
}

TEST(malformed_text_does_no_harm)
{
    const char *const texts[] = {"\xff", "a\xc3", "\xe4\xb8", "\x80\x80", "\xf0\x9f\x98"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        text_width(ui.text, &style, texts[i]);
        text_wrap(ui.text, &style, texts[i], 50);
        text_write_within(ui.text, (raim_vec2){0, 0}, &style, texts[i], 5);
    }
}

TEST(a_long_line_is_cut)
{
    const char *words = "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW";
    for (double width = 30; width < 300; width += 17)
        assert_true(text_write_within(ui.text, (raim_vec2){0, 0}, &style, words, width) <= width);
    assert_true(text_write_within(ui.text, (raim_vec2){0, 0}, &style, "short", 300) ==
                text_width(ui.text, &style, "short"));
}

TEST(text_is_12_pixels_at_the_least)
{
    const struct text_style tiny = {.size = 1}, small = {.size = TEXT_SMALLEST};
    assert_true(text_width(ui.text, &tiny, "raim") == text_width(ui.text, &small, "raim"));
    assert_true(text_height(&tiny) == TEXT_SMALLEST);
}

// The sum over all pixels of a frame with one line, weighted by place.
static uint64_t picture_of(const char *words)
{
    char path[] = "/tmp/raim-text-XXXXXX";
    uint64_t sum = 0;
    close(mkstemp(path));
    draw_box(ui.draw, (raim_box){{0, 0}, {320, 200}}, (draw_colour){0, 0, 0, 255});
    const struct text_style large = {.size = 40, .colour = {255, 255, 255, 255}};
    text_write(ui.text, (raim_vec2){4, 100}, &large, words);
    assert_true(ui_end(&ui, window, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    int byte;
    for (uint64_t i = 1; (byte = fgetc(file)) != EOF; i++)
        sum += i * (uint64_t)byte;
    fclose(file);
    remove(path);
    assert_true(ui_begin(&ui, window, &view));
    return sum;
}

TEST(what_dejavu_lacks_comes_from_another_font)
{
    // Where no font has them, both are the same box.
    if (picture_of("\u4e2d\u6587") == picture_of("\u6587\u4e2d")) {
        print_message("skipped: no font for Chinese (fonts-droid-fallback, fonts-noto-cjk)\n");
        skip();
    }
    const double mixed = text_width(ui.text, &style, "raim \u4e2d");
    assert_true(mixed > text_width(ui.text, &style, "raim "));
}

TEST(arabic_runs_from_right_to_left_and_is_joined)
{
    // Lam and alef join into one letter, narrower than both.
    const double joined = text_width(ui.text, &style, "\u0644\u0627");
    const double apart =
        text_width(ui.text, &style, "\u0644") + text_width(ui.text, &style, "\u0627");
    assert_true(joined > 0 && joined < apart);
}

// In each size, of one line with characters that DejaVu Sans lacks: a server may choose texts so
// that the table of fonts is full in the middle of a line.
TEST(fonts_of_many_sizes_and_faces_do_no_harm)
{
    for (int round = 0; round < 3; round++) {
        for (int size = 14; size < 160; size++) {
            const struct text_style plain = {.size = size},
                                    bold = {.size = size, .weight = TEXT_BOLD};
            char words[64];
            snprintf(words, sizeof words, "%d a\u4e2d\U0001f600\U0010fffdb", round);
            assert_true(text_width(ui.text, &plain, words) > 0);
            if (size % 3 == round)
                assert_true(text_width(ui.text, &bold, "ascii") > 0);
        }
    }
}

TEST(a_fallback_font_follows_the_size)
{
    const struct text_style large = {.size = 64};
    const double before = text_width(ui.text, &style, "\u4e2d\u6587");
    assert_true(text_width(ui.text, &large, "\u4e2d\u6587") > 3 * before);
    assert_true(text_width(ui.text, &style, "\u4e2d\u6587 ") > before);
    assert_true(text_width(ui.text, &style, "\u6587\u4e2d") < 1.2 * before);
}

TEST(ever_new_texts_have_bounded_textures)
{
    const struct text_style large = {.size = 300, .outlined = true};
    char words[400];
    memset(words, 'W', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    for (int i = 0; i < 8; i++) {
        words[0] = (char)('A' + i);
        assert_in_range((int)text_width(ui.text, &large, words), 1000, 8192);
        assert_in_range(text_texture_bytes(ui.text), 1, TEXT_TEXTURE_BYTES);
    }
    // The latest line is never the one that is forgotten.
    assert_true(text_write(ui.text, (raim_vec2){0, 0}, &large, words) > 0);
}

TEST_GROUP(set_up, tear_down)
