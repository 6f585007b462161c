// SPDX-License-Identifier: MIT
// Begins and ends the frames of the page's canvas.
#include "window_web.h"

#include "canvas_web.h"
#include "page.h"

#include <math.h>

extern struct window web_window; // of window_input.c

struct window *window_open(void)
{
    struct window *window = &web_window;
    window->canvas = canvas_create();
    return window->canvas != NULL ? window : NULL;
}

void window_configure(struct window *window, const struct window_style *style)
{
    if (style->full_screen != window->style.full_screen)
        page_fill_screen(style->full_screen);
    window->style = *style;
}

bool window_is_full_screen(const struct window *window)
{
    return window->style.full_screen;
}

struct canvas *window_canvas(struct window *window)
{
    return window->canvas;
}

raim_vec2 window_size(const struct window *window)
{
    return window->size;
}

double window_pixel_ratio(const struct window *window)
{
    return window->pixel_ratio;
}

bool window_begin(struct window *window, bool fine)
{
    (void)fine; // the display's own pixels are as fine as it gets
    canvas_begin(window->canvas);
    return true;
}

bool window_end(struct window *window, const char *file)
{
    (void)file;
    canvas_end(window->canvas);
    return true;
}

bool window_is_early(struct window *window, double now_s)
{
    const double cap_s = window->style.frame_cap_hz > 0 ? 1.0 / window->style.frame_cap_hz : 0;
    const double margin_s = 0.002; // by which a display's frames come too early
    if (now_s + margin_s < window->next_s)
        return true;
    window->next_s = fmax(window->next_s + cap_s, now_s);
    return false;
}
