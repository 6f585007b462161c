// SPDX-License-Identifier: MIT
// Wraps SDL. No other file of the program includes <SDL.h> directly.
#include "window.h"

#include "palette.h"
#include "viewport.h"

#include <SDL.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_HZ = 60, MOUSE = SDL_NUM_SCANCODES };

// A stick below this deflection is at rest.
static const double dead_zone = 0.15;
static const double trigger_point = 0.3;

// A frame is begun earlier than its drawing time requires, by this margin.
static const double spare_s = 0.004;

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    struct draw *draw;
    struct text *text;
    SDL_GameController *pad;
    bool waits_for_display; // presenting takes as long as a frame
    bool headless;
    bool fine;
    SDL_Texture *canvas; // twice as wide and as high as the window, for fine frames
    double frame_s;      // time for which the display shows a frame
    double drawn_s;      // largest recent drawing time of a frame
    double begun_s;      // when the last frame was begun
    double next_s;       // when to begin the next one
    char *settings;
};

static double now_s(void)
{
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

static bool fail(const char *what)
{
    fprintf(stderr, "raim: %s: %s\n", what, SDL_GetError());
    return false;
}

static bool open_renderer(struct window *window)
{
    if (!window->headless)
        window->renderer = SDL_CreateRenderer(window->window, -1,
                                              SDL_RENDERER_ACCELERATED | SDL_RENDERER_PRESENTVSYNC);
    if (window->renderer == NULL)
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_SOFTWARE);
    if (window->renderer == NULL)
        return fail("cannot draw");
    // The software renderer claims to wait for the display, but does not without a visible window.
    SDL_RendererInfo info;
    window->waits_for_display = !window->headless &&
                                SDL_GetRendererInfo(window->renderer, &info) == 0 &&
                                (info.flags & SDL_RENDERER_PRESENTVSYNC) != 0;
    SDL_DisplayMode mode;
    const int index = SDL_GetWindowDisplayIndex(window->window);
    const bool known = SDL_GetCurrentDisplayMode(index, &mode) == 0 && mode.refresh_rate > 0;
    window->frame_s = 1.0 / (known ? mode.refresh_rate : FRAME_HZ);
    return true;
}

static bool open_all(struct window *window, const struct window_def *def)
{
    if (def->headless)
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy");
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
    const uint32_t parts = SDL_INIT_VIDEO | (def->headless ? 0 : SDL_INIT_GAMECONTROLLER);
    if (SDL_Init(parts) != 0)
        return fail("cannot start SDL");
    window->window =
        SDL_CreateWindow("raim", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, def->width,
                         def->height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (window->window == NULL)
        return fail("cannot open a window");
    SDL_SetWindowMinimumSize(window->window, 320, 180);
    SDL_StopTextInput();
    if (!open_renderer(window))
        return false;
    window->draw = draw_create(window->renderer);
    window->text = window->draw != NULL ? text_create(window->renderer, window->draw) : NULL;
    window->settings = def->headless ? NULL : SDL_GetPrefPath("", "raim");
    return window->text != NULL;
}

struct window *window_create(const struct window_def *def)
{
    struct window *window = calloc(1, sizeof *window);
    if (window == NULL)
        return NULL;
    window->headless = def->headless;
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
    text_destroy(window->text);
    draw_destroy(window->draw);
    if (window->pad != NULL)
        SDL_GameControllerClose(window->pad);
    SDL_DestroyTexture(window->canvas);
    if (window->renderer != NULL)
        SDL_DestroyRenderer(window->renderer);
    if (window->window != NULL)
        SDL_DestroyWindow(window->window);
    SDL_free(window->settings);
    SDL_Quit();
    free(window);
}

// --- drawing ---

// The renderer's output: the window in pixels of the display or, in a fine frame, the canvas.
raim_vec2 window_size(const struct window *window)
{
    int width = 1, height = 1;
    SDL_GetRendererOutputSize(window->renderer, &width, &height);
    return (raim_vec2){width, height};
}

static void open_canvas(struct window *window)
{
    const raim_vec2 size = raim_vec2_scale(window_size(window), 2);
    SDL_DestroyTexture(window->canvas);
    window->canvas = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_ARGB8888,
                                       SDL_TEXTUREACCESS_TARGET, (int)size.x, (int)size.y);
    window->fine =
        window->canvas != NULL && SDL_SetRenderTarget(window->renderer, window->canvas) == 0;
}

struct ui window_begin(struct window *window, raim_vec2 view, bool fine)
{
    window->begun_s = now_s();
    if (fine)
        open_canvas(window);
    const struct viewport viewport = viewport_fit(view, window_size(window));
    const raim_box area = viewport_area(&viewport);
    draw_clear(window->draw, PALETTE_BAR);
    // Text stays legible in small windows.
    const double smallest = window->fine ? 1.6 : 0.8;
    return (struct ui){
        .draw = window->draw,
        .text = window->text,
        .area = area,
        .unit = fmax((area.max.x - area.min.x) / 1280, smallest),
    };
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
    window->drawn_s = fmax(drawn_s, 0.95 * window->drawn_s + 0.05 * drawn_s);
    // With vertical synchronization the display has just begun to show a frame. A minimized window
    // is not synchronized.
    const bool hidden = (SDL_GetWindowFlags(window->window) & SDL_WINDOW_MINIMIZED) != 0;
    if (window->waits_for_display && !hidden)
        window->next_s = now + window->frame_s - fmin(window->drawn_s + spare_s, window->frame_s);
    else
        window->next_s = fmax(window->next_s + 1.0 / FRAME_HZ, now);
    if (window->next_s > now + 1)
        window->next_s = now;
}

bool window_end(struct window *window, const char *file)
{
    draw_flush(window->draw);
    if (window->fine) {
        SDL_SetRenderTarget(window->renderer, NULL);
        SDL_RenderCopy(window->renderer, window->canvas, NULL, NULL);
        window->fine = false;
    }
    const bool saved = file == NULL || save(window, file);
    const double drawn_s = now_s() - window->begun_s;
    SDL_RenderPresent(window->renderer);
    plan_next_frame(window, drawn_s);
    return saved;
}

bool window_is_early(struct window *window)
{
    if (now_s() >= window->next_s)
        return false;
    SDL_Delay(1);
    return true;
}

// --- input ---

static enum window_command command_of_key(SDL_Keycode key)
{
    switch (key) {
    case SDLK_UP:
        return COMMAND_UP;
    case SDLK_DOWN:
        return COMMAND_DOWN;
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
        return COMMAND_ACCEPT;
    case SDLK_ESCAPE:
        return COMMAND_BACK;
    case SDLK_BACKSPACE:
        return COMMAND_ERASE;
    default:
        return COMMAND_NONE;
    }
}

static enum window_command command_of_pad(uint8_t button)
{
    switch (button) {
    case SDL_CONTROLLER_BUTTON_DPAD_UP:
        return COMMAND_UP;
    case SDL_CONTROLLER_BUTTON_DPAD_DOWN:
        return COMMAND_DOWN;
    case SDL_CONTROLLER_BUTTON_A:
        return COMMAND_ACCEPT;
    case SDL_CONTROLLER_BUTTON_B:
    case SDL_CONTROLLER_BUTTON_START:
        return COMMAND_BACK;
    default:
        return COMMAND_NONE;
    }
}

static void switch_full_screen(struct window *window)
{
    const bool full = (SDL_GetWindowFlags(window->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    SDL_SetWindowFullscreen(window->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

// Uses the first gamepad; after it is unplugged, the next one that is plugged in.
static void take_pad(struct window *window, const SDL_Event *event)
{
    if (event->type == SDL_CONTROLLERDEVICEADDED && window->pad == NULL)
        window->pad = SDL_GameControllerOpen(event->cdevice.which);
    if (event->type != SDL_CONTROLLERDEVICEREMOVED || window->pad == NULL ||
        SDL_GameControllerGetAttached(window->pad))
        return;
    SDL_GameControllerClose(window->pad);
    window->pad = NULL;
}

// Translates an event of SDL's. False for events that are handled here or ignored.
static bool translate(struct window *window, const SDL_Event *event, struct window_event *out)
{
    *out = (struct window_event){.kind = WINDOW_PRESSED};
    switch (event->type) {
    case SDL_QUIT:
        out->kind = WINDOW_CLOSED;
        return true;
    case SDL_KEYDOWN:
        if (event->key.keysym.sym == SDLK_F11) {
            if (event->key.repeat == 0)
                switch_full_screen(window);
            return false;
        }
        out->button = event->key.keysym.scancode;
        out->command = command_of_key(event->key.keysym.sym);
        // A held key repeats only where it moves the selection or erases.
        return event->key.repeat == 0 || out->command == COMMAND_UP ||
               out->command == COMMAND_DOWN || out->command == COMMAND_ERASE;
    case SDL_MOUSEBUTTONDOWN:
        out->button = MOUSE + event->button.button;
        out->clicked = event->button.button == SDL_BUTTON_LEFT;
        return true;
    case SDL_CONTROLLERBUTTONDOWN:
        out->command = command_of_pad(event->cbutton.button);
        return out->command != COMMAND_NONE;
    case SDL_MOUSEMOTION:
        out->kind = WINDOW_POINTED;
        return true;
    case SDL_TEXTINPUT:
        out->kind = WINDOW_TYPED;
        snprintf(out->text, sizeof out->text, "%s", event->text.text);
        return true;
    default:
        take_pad(window, event);
        return false;
    }
}

bool window_next_event(struct window *window, struct window_event *event)
{
    for (SDL_Event sdl; SDL_PollEvent(&sdl) != 0;)
        if (translate(window, &sdl, event))
            return true;
    return false;
}

bool window_is_held(const struct window *window, window_button button)
{
    (void)window;
    if (button > MOUSE)
        return (SDL_GetMouseState(NULL, NULL) & SDL_BUTTON(button - MOUSE)) != 0;
    int count = 0;
    const uint8_t *keys = SDL_GetKeyboardState(&count);
    return button > 0 && button < count && keys[button] != 0;
}

raim_vec2 window_mouse(const struct window *window)
{
    int x = 0, y = 0, width = 1, height = 1;
    const raim_vec2 size = window_size(window);
    if (window->headless)
        return (raim_vec2){0.7 * size.x, 0.5 * size.y};
    SDL_GetMouseState(&x, &y);
    // Desktop pixels may differ from the display's pixels.
    SDL_GetWindowSize(window->window, &width, &height);
    return (raim_vec2){x * size.x / fmax(width, 1), y * size.y / fmax(height, 1)};
}

static raim_vec2 stick(SDL_GameController *pad, SDL_GameControllerAxis x, SDL_GameControllerAxis y)
{
    const raim_vec2 way = {SDL_GameControllerGetAxis(pad, x) / 32767.0,
                           SDL_GameControllerGetAxis(pad, y) / -32767.0};
    return raim_vec2_length(way) < dead_zone ? (raim_vec2){0, 0} : way;
}

struct window_pad window_pad(const struct window *window)
{
    if (window->pad == NULL)
        return (struct window_pad){0};
    const int16_t trigger =
        SDL_GameControllerGetAxis(window->pad, SDL_CONTROLLER_AXIS_TRIGGERRIGHT);
    return (struct window_pad){
        .left = stick(window->pad, SDL_CONTROLLER_AXIS_LEFTX, SDL_CONTROLLER_AXIS_LEFTY),
        .right = stick(window->pad, SDL_CONTROLLER_AXIS_RIGHTX, SDL_CONTROLLER_AXIS_RIGHTY),
        .fire = trigger > trigger_point * 32767 ||
                SDL_GameControllerGetButton(window->pad, SDL_CONTROLLER_BUTTON_RIGHTSHOULDER) != 0,
    };
}

void window_show_pointer(struct window *window, bool shown)
{
    if (!window->headless)
        SDL_ShowCursor(shown ? SDL_ENABLE : SDL_DISABLE);
}

void window_take_text(struct window *window, bool wanted)
{
    if (window->headless)
        return;
    if (wanted)
        SDL_StartTextInput();
    else
        SDL_StopTextInput();
}

// --- names ---

void window_button_name(window_button button, char *name, size_t capacity)
{
    if (button > MOUSE)
        snprintf(name, capacity, "Mouse %d", button - MOUSE);
    else
        snprintf(name, capacity, "%s", SDL_GetScancodeName((SDL_Scancode)button));
}

window_button window_button_named(const char *name)
{
    int number;
    if (sscanf(name, "Mouse %d", &number) == 1)
        return number >= 1 && number <= 31 ? MOUSE + number : 0;
    return (window_button)SDL_GetScancodeFromName(name);
}

void window_button_label(window_button button, char *label, size_t capacity)
{
    static const char *const mouse[] = {"Left button", "Middle button", "Right button"};
    const int number = button - MOUSE;
    if (number >= 1 && number <= 3)
        snprintf(label, capacity, "%s", mouse[number - 1]);
    else if (number > 0)
        snprintf(label, capacity, "Button %d", number);
    else
        snprintf(label, capacity, "%s",
                 SDL_GetKeyName(SDL_GetKeyFromScancode((SDL_Scancode)button)));
}

const char *window_settings_directory(struct window *window)
{
    return window->settings != NULL ? window->settings : "";
}
