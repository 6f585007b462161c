// SPDX-License-Identifier: MIT
// Opens the window, paces frames and shows them.
#include "window_desktop.h"

#include <SDL.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAME_HZ = 60 };

// A frame is begun earlier than its drawing time requires, by this margin.
static const double spare_s = 0.004;

static double now_s(void)
{
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

static bool fail(const char *what)
{
    fprintf(stderr, "raim: %s: %s\n", what, SDL_GetError());
    return false;
}

// Whether the processor does the graphics card's work. The game's own rasterizer is then faster.
static bool is_emulated(SDL_Renderer *renderer)
{
    enum { GL_RENDERER = 0x1F01 };
    const unsigned char *(*get_string)(unsigned) = NULL;
    SDL_RendererInfo info;
    if (SDL_GetRendererInfo(renderer, &info) == 0 && (info.flags & SDL_RENDERER_SOFTWARE) != 0)
        return true;
    if (SDL_GL_GetCurrentContext() != NULL)
        *(void **)&get_string = SDL_GL_GetProcAddress("glGetString");
    const char *name = get_string != NULL ? (const char *)get_string(GL_RENDERER) : NULL;
    return name != NULL && (strstr(name, "llvmpipe") != NULL || strstr(name, "softpipe") != NULL ||
                            strstr(name, "SwiftShader") != NULL);
}

// Whether presenting waits for the display, as measured with empty frames: a renderer that claims
// so may not, and copying a large window takes its time too. The first frames fill the queue.
static bool measure_waiting(struct window *window)
{
    enum { QUEUED = 3, MEASURED = 4 };
    double begun_s = 0;
    for (int i = 0; i < QUEUED + MEASURED; i++) {
        if (i == QUEUED)
            begun_s = now_s();
        SDL_RenderClear(window->renderer);
        SDL_RenderPresent(window->renderer);
    }
    const double frames = (now_s() - begun_s) / MEASURED / window->frame_s;
    return frames > 0.9 && frames < 1.1;
}

static void open_accelerated(struct window *window)
{
    window->renderer = SDL_CreateRenderer(window->window, -1,
                                          SDL_RENDERER_ACCELERATED | SDL_RENDERER_PRESENTVSYNC);
    if (window->renderer == NULL)
        return;
    if (is_emulated(window->renderer)) {
        SDL_DestroyRenderer(window->renderer);
        window->renderer = NULL;
    } else {
        window->waits_for_display = measure_waiting(window);
    }
}

// Draws into the window's own surface. False where it has other pixels than the rasterizer's.
static bool open_surface(struct window *window)
{
    window->surface = SDL_GetWindowSurface(window->window);
    if (window->surface == NULL || window->surface->format->format != SDL_PIXELFORMAT_RGB888) {
        window->surface = NULL;
        return false;
    }
    window->renderer = SDL_CreateSoftwareRenderer(window->surface);
    return window->renderer != NULL;
}

static void use_surface(struct window *window)
{
    if (window->surface != NULL)
        canvas_use_pixels(window->canvas, window->surface->pixels, window->surface->w,
                          window->surface->h, window->surface->pitch / (int)sizeof(uint32_t));
}

static void close_renderer(struct window *window)
{
    SDL_DestroyTexture(window->fine_texture);
    if (window->renderer != NULL)
        SDL_DestroyRenderer(window->renderer);
    window->fine_texture = NULL;
    window->renderer = NULL;
}

static void measure_size(struct window *window)
{
    int width = 1, height = 1;
    SDL_GetRendererOutputSize(window->renderer, &width, &height);
    window->size = (raim_vec2){width, height};
}

static bool open_renderer(struct window *window)
{
    SDL_DisplayMode mode;
    const int index = SDL_GetWindowDisplayIndex(window->window);
    const bool known = SDL_GetCurrentDisplayMode(index, &mode) == 0 && mode.refresh_rate > 0;
    window->frame_s = 1.0 / (known ? mode.refresh_rate : FRAME_HZ);
    if (!window->headless)
        open_accelerated(window);
    if (window->renderer == NULL && !open_surface(window))
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_SOFTWARE);
    if (window->renderer == NULL)
        return fail("cannot create a renderer");
    measure_size(window);
    canvas_use_renderer(window->canvas, window->renderer);
    use_surface(window);
    return true;
}

// Takes the new surface of a window that has changed its size. False where that fails.
static bool follow_surface(struct window *window)
{
    SDL_Surface *surface = SDL_GetWindowSurface(window->window);
    if (surface != NULL && surface == window->surface && surface->w == (int)window->size.x &&
        surface->h == (int)window->size.y)
        return true;
    close_renderer(window);
    if (!open_surface(window))
        return false;
    canvas_use_renderer(window->canvas, window->renderer);
    use_surface(window);
    return true;
}

// Without a display, SDL chooses a driver that shows nothing, unless one was asked for.
static bool has_display(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    return SDL_GetHint(SDL_HINT_VIDEODRIVER) != NULL ||
           (strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0);
}

static bool open_all(struct window *window, const struct window_def *def)
{
    if (def->headless)
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy");
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
    // Without this the surface is copied to the window by a renderer, which takes twice as long.
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    const uint32_t parts = SDL_INIT_VIDEO | (def->headless ? 0 : SDL_INIT_GAMECONTROLLER);
    if (SDL_Init(parts) != 0)
        return fail("cannot start SDL");
    if (!def->headless && !has_display()) {
        fprintf(stderr, "raim: there is no display: neither DISPLAY nor WAYLAND_DISPLAY leads to "
                        "one. With --headless the game opens no window.\n");
        return false;
    }
    window->window =
        SDL_CreateWindow("raim", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, def->width,
                         def->height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (window->window == NULL)
        return fail("cannot open a window");
    SDL_SetWindowMinimumSize(window->window, 320, 180);
    SDL_StopTextInput();
    window->canvas = canvas_create();
    return window->canvas != NULL && open_renderer(window);
}

struct window *window_create(const struct window_def *def)
{
    struct window *window = calloc(1, sizeof *window);
    if (window == NULL)
        return NULL;
    window->headless = def->headless;
    window->style = (struct window_style){.sensitivity = 1};
    if (!open_all(window, def)) {
        window_destroy(window);
        return NULL;
    }
    return window;
}

void window_destroy(struct window *window)
{
    if (window == NULL)
        return;
    close_renderer(window);
    canvas_destroy(window->canvas);
    if (window->pad != NULL)
        SDL_GameControllerClose(window->pad);
    if (window->window != NULL)
        SDL_DestroyWindow(window->window);
    SDL_Quit();
    free(window);
}

// The renderer's output: the window in pixels of the display or, in a fine frame, the canvas.
raim_vec2 window_size(const struct window *window)
{
    return window->size;
}

double window_pixel_ratio(const struct window *window)
{
    return window->fine ? 2 : 1;
}

struct canvas *window_canvas(struct window *window)
{
    return window->canvas;
}

static void open_fine(struct window *window)
{
    const raim_vec2 size = raim_vec2_scale(window->size, 2);
    SDL_DestroyTexture(window->fine_texture);
    window->fine_texture = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_ARGB8888,
                                             SDL_TEXTUREACCESS_TARGET, (int)size.x, (int)size.y);
    window->fine = window->fine_texture != NULL &&
                   SDL_SetRenderTarget(window->renderer, window->fine_texture) == 0;
    if (!window->fine)
        return;
    window->size = size;
    canvas_use_pixels(window->canvas, NULL, 0, 0, 0);
}

static void close_fine(struct window *window)
{
    SDL_SetRenderTarget(window->renderer, NULL);
    SDL_RenderCopy(window->renderer, window->fine_texture, NULL, NULL);
    window->fine = false;
    measure_size(window);
    use_surface(window);
}

bool window_begin(struct window *window, bool fine)
{
    window->begun_s = now_s();
    if (window->surface != NULL && !follow_surface(window))
        return fail("cannot create a renderer");
    measure_size(window);
    if (fine)
        open_fine(window);
    return true;
}

static bool save(struct window *window, const char *file)
{
    const raim_vec2 size = window_size(window);
    SDL_Surface *surface =
        SDL_CreateRGBSurfaceWithFormat(0, (int)size.x, (int)size.y, 24, SDL_PIXELFORMAT_BGR24);
    const bool saved = surface != NULL &&
                       SDL_RenderReadPixels(window->renderer, NULL, surface->format->format,
                                            surface->pixels, surface->pitch) == 0 &&
                       SDL_SaveBMP(surface, file) == 0;
    SDL_FreeSurface(surface);
    return saved || fail(file);
}

// Computes when to begin the next frame, after drawing the last one has taken `drawn_s`.
static void plan_next_frame(struct window *window, double drawn_s)
{
    const double now = now_s();
    const double cap_s = window->frame_cap_hz > 0 ? 1.0 / window->frame_cap_hz : window->frame_s;
    window->drawn_s = fmax(drawn_s, 0.95 * window->drawn_s + 0.05 * drawn_s);
    // The display has just begun to show a frame.
    if (window->waits_for_display)
        window->next_s =
            now + fmax(cap_s, window->frame_s) - fmin(window->drawn_s + spare_s, window->frame_s);
    else
        window->next_s = fmax(window->next_s + cap_s, now);
    if (window->next_s > now + 1)
        window->next_s = now;
}

bool window_end(struct window *window, const char *file)
{
    if (window->fine)
        close_fine(window);
    const bool saved = file == NULL || save(window, file);
    const double drawn_s = now_s() - window->begun_s;
    if (window->surface != NULL) {
        SDL_RenderFlush(window->renderer);
        SDL_UpdateWindowSurface(window->window);
    } else {
        SDL_RenderPresent(window->renderer);
    }
    plan_next_frame(window, drawn_s);
    return saved;
}

const uint32_t *window_frame_pixels(const struct window *window, int *stride)
{
    if (!window->headless || window->surface == NULL)
        return NULL;
    *stride = window->surface->pitch / (int)sizeof(uint32_t);
    return window->surface->pixels;
}

// Whether nothing of the window can be visible. It has no frames then.
static bool is_hidden(const struct window *window)
{
    const uint32_t hidden = SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN;
    return !window->headless && (SDL_GetWindowFlags(window->window) & hidden) != 0;
}

bool window_is_early(struct window *window)
{
    const bool hidden = is_hidden(window);
    const double left_s = window->next_s - now_s();
    if (!hidden && left_s <= 0)
        return false;
    // SDL_Delay sleeps for whole milliseconds only.
    const double pause_s = hidden ? 0.001 : fmin(left_s, 0.001);
    nanosleep(&(struct timespec){.tv_nsec = (long)(pause_s * 1e9)}, NULL);
    return true;
}

void window_set_frame_cap(struct window *window, int hz)
{
    window->frame_cap_hz = hz;
}
