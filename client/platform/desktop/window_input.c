// SPDX-License-Identifier: MIT
// Events, and the state of keys, mouse and gamepad.
#include "window_desktop.h"

#include "window_common.h"

#include <SDL.h>
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int16_t trigger_point = (int16_t)(WINDOW_TRIGGER_POINT * INT16_MAX);

static enum window_command command_of_key(SDL_Keycode key)
{
    switch (key) {
    case SDLK_UP:
        return COMMAND_UP;
    case SDLK_DOWN:
        return COMMAND_DOWN;
    case SDLK_LEFT:
        return COMMAND_LEFT;
    case SDLK_RIGHT:
        return COMMAND_RIGHT;
    case SDLK_TAB:
        return COMMAND_NEXT;
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
        return COMMAND_ACCEPT;
    case SDLK_ESCAPE:
        return COMMAND_BACK;
    case SDLK_BACKSPACE:
        return COMMAND_ERASE;
    case SDLK_DELETE:
        return COMMAND_DELETE;
    case SDLK_HOME:
        return COMMAND_HOME;
    case SDLK_END:
        return COMMAND_END;
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
    case SDL_CONTROLLER_BUTTON_DPAD_LEFT:
        return COMMAND_LEFT;
    case SDL_CONTROLLER_BUTTON_DPAD_RIGHT:
        return COMMAND_RIGHT;
    case SDL_CONTROLLER_BUTTON_A:
        return COMMAND_ACCEPT;
    case SDL_CONTROLLER_BUTTON_B:
    case SDL_CONTROLLER_BUTTON_START:
        return COMMAND_BACK;
    default:
        return COMMAND_NONE;
    }
}

static void set_full_screen(struct window *window, bool full)
{
    const bool is_full = (SDL_GetWindowFlags(window->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    if (full != is_full && !window->headless)
        SDL_SetWindowFullscreen(window->window, full ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    window->style.full_screen = full;
}

bool window_is_full_screen(const struct window *window)
{
    return window->style.full_screen;
}

void window_configure(struct window *window, const struct window_style *style)
{
    window->style = *style;
    window_set_frame_cap(window, style->frame_cap_hz);
    set_full_screen(window, style->full_screen);
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

static raim_vec2 to_canvas(const struct window *window, double x, double y)
{
    int width = 1, height = 1;
    const raim_vec2 size = window_size(window);
    // Desktop pixels may differ from the display's pixels.
    SDL_GetWindowSize(window->window, &width, &height);
    return (raim_vec2){x * size.x / fmax(width, 1), y * size.y / fmax(height, 1)};
}

static void paste(struct window_event *out)
{
    char *text = SDL_GetClipboardText();
    window_type(out, text != NULL ? text : "");
    SDL_free(text);
}

static bool translate_key(struct window *window, const SDL_KeyboardEvent *event,
                          struct window_event *out)
{
    if (event->keysym.sym == SDLK_F11) {
        if (event->repeat == 0)
            set_full_screen(window, !window->style.full_screen);
        return false;
    }
    const bool edits = SDL_IsTextInputActive() == SDL_TRUE;
    const bool has_control = edits && (event->keysym.mod & KMOD_CTRL) != 0;
    if (has_control && event->keysym.sym == SDLK_v) {
        paste(out);
        return true;
    }
    out->button = event->repeat == 0 ? (window_button)event->keysym.scancode : 0;
    out->command = has_control && event->keysym.sym == SDLK_a ? COMMAND_SELECT_ALL
                                                              : command_of_key(event->keysym.sym);
    out->opens_menu = event->keysym.sym == SDLK_ESCAPE;
    return event->repeat == 0 || window_repeats(out->command, edits);
}

// A trigger is pressed where it passes the trigger point.
static bool translate_trigger(struct window *window, const SDL_ControllerAxisEvent *event,
                              struct window_event *out)
{
    if (event->axis != SDL_CONTROLLER_AXIS_TRIGGERLEFT &&
        event->axis != SDL_CONTROLLER_AXIS_TRIGGERRIGHT)
        return false;
    const bool was_pulled = window->is_pulled[event->axis];
    window->is_pulled[event->axis] = event->value > trigger_point;
    out->button = PAD_AXIS + event->axis;
    return event->value > trigger_point && !was_pulled;
}

static void move_pointer(struct window *window, int x, int y)
{
    int width = 1, height = 1;
    SDL_GetWindowSize(window->window, &width, &height);
    const double factor = window->style.sensitivity;
    window->pointer.x = fmin(fmax(window->pointer.x + x * factor, 0), width - 1);
    window->pointer.y = fmin(fmax(window->pointer.y + y * factor, 0), height - 1);
}

const struct window_finger *window_fingers(const struct window *window)
{
    return window->fingers;
}

bool window_has_fingers(const struct window *window)
{
    return window->has_fingers;
}

void window_take_fingers(struct window *window, bool wanted)
{
    if (wanted == window->takes_fingers)
        return;
    memset(window->fingers, 0, sizeof window->fingers);
    SDL_SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, wanted ? "0" : "1");
    window->takes_fingers = wanted;
}

// Follows a finger. Whether it was put down.
static bool take_finger(struct window *window, const SDL_TouchFingerEvent *event,
                        struct window_event *out)
{
    struct window_finger *finger = NULL;
    for (int i = 0; i < WINDOW_FINGERS && finger == NULL; i++)
        if (window->fingers[i].is_down && window->finger_ids[i] == event->fingerId)
            finger = &window->fingers[i];
    for (int i = 0; i < WINDOW_FINGERS && finger == NULL; i++) {
        if (window->fingers[i].is_down || event->type != SDL_FINGERDOWN)
            continue;
        finger = &window->fingers[i];
        window->finger_ids[i] = event->fingerId;
    }
    if (finger == NULL || !window->takes_fingers)
        return false;
    finger->at = (raim_vec2){event->x * window->size.x, event->y * window->size.y};
    finger->is_down = event->type != SDL_FINGERUP;
    if (event->type == SDL_FINGERDOWN)
        finger->from = finger->at;
    out->kind = WINDOW_TOUCHED;
    out->mouse = finger->at;
    return event->type == SDL_FINGERDOWN;
}

static bool has_fingers_after(const struct window *window, const SDL_Event *event)
{
    switch (event->type) {
    case SDL_FINGERDOWN:
        return true;
    case SDL_KEYDOWN:
    case SDL_CONTROLLERBUTTONDOWN:
        return false;
    case SDL_MOUSEBUTTONDOWN: // SDL also makes them of fingers
        return event->button.which == SDL_TOUCH_MOUSEID;
    default:
        return window->has_fingers;
    }
}

// Translates an event of SDL's. False for events that are handled here or ignored.
static bool translate(struct window *window, const SDL_Event *event, struct window_event *out)
{
    *out = (struct window_event){.kind = WINDOW_PRESSED, .mouse = window_mouse(window)};
    window->has_fingers = has_fingers_after(window, event);
    switch (event->type) {
    case SDL_QUIT:
        out->kind = WINDOW_CLOSED;
        return true;
    case SDL_KEYDOWN:
        return translate_key(window, &event->key, out);
    case SDL_FINGERDOWN:
    case SDL_FINGERMOTION:
    case SDL_FINGERUP:
        return take_finger(window, &event->tfinger, out);
    case SDL_MOUSEBUTTONDOWN:
        out->button = MOUSE + event->button.button;
        out->clicked = event->button.button == SDL_BUTTON_LEFT;
        if (!window->is_relative)
            out->mouse = to_canvas(window, event->button.x, event->button.y);
        return true;
    case SDL_CONTROLLERBUTTONDOWN:
        out->button = PAD + 1 + event->cbutton.button;
        out->command = command_of_pad(event->cbutton.button);
        out->opens_menu = event->cbutton.button == SDL_CONTROLLER_BUTTON_START;
        return true;
    case SDL_CONTROLLERAXISMOTION:
        return translate_trigger(window, &event->caxis, out);
    case SDL_MOUSEWHEEL:
        out->command = event->wheel.y > 0 ? COMMAND_UP : COMMAND_DOWN;
        out->wheel = event->wheel.y > 0 ? 1 : -1;
        return event->wheel.y != 0;
    case SDL_MOUSEMOTION:
        if (window->is_relative)
            move_pointer(window, event->motion.xrel, event->motion.yrel);
        out->kind = WINDOW_POINTED;
        return true;
    case SDL_TEXTINPUT:
        window_type(out, event->text.text);
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

static bool is_held_on_pad(SDL_GameController *pad, window_button button)
{
    if (pad == NULL)
        return false;
    if (button >= PAD_AXIS)
        return SDL_GameControllerGetAxis(pad, (SDL_GameControllerAxis)(button - PAD_AXIS)) >
               trigger_point;
    return SDL_GameControllerGetButton(pad, (SDL_GameControllerButton)(button - PAD - 1)) != 0;
}

bool window_is_held(const struct window *window, window_button button)
{
    if (button > PAD)
        return is_held_on_pad(window->pad, button);
    if (button > MOUSE)
        return (SDL_GetMouseState(NULL, NULL) & SDL_BUTTON(button - MOUSE)) != 0;
    int count = 0;
    const uint8_t *keys = SDL_GetKeyboardState(&count);
    return button > 0 && button < count && keys[button] != 0;
}

raim_vec2 window_mouse(const struct window *window)
{
    int x = 0, y = 0;
    const raim_vec2 size = window_size(window);
    if (window->headless)
        return (raim_vec2){0.7 * size.x, 0.5 * size.y};
    if (window->is_relative)
        return to_canvas(window, window->pointer.x, window->pointer.y);
    SDL_GetMouseState(&x, &y);
    return to_canvas(window, x, y);
}

static raim_vec2 stick(SDL_GameController *pad, SDL_GameControllerAxis x, SDL_GameControllerAxis y)
{
    return window_stick(SDL_GameControllerGetAxis(pad, x) / 32767.0,
                        SDL_GameControllerGetAxis(pad, y) / -32767.0);
}

struct window_pad window_pad(const struct window *window)
{
    if (window->pad == NULL)
        return (struct window_pad){0};
    return (struct window_pad){
        .left = stick(window->pad, SDL_CONTROLLER_AXIS_LEFTX, SDL_CONTROLLER_AXIS_LEFTY),
        .right = stick(window->pad, SDL_CONTROLLER_AXIS_RIGHTX, SDL_CONTROLLER_AXIS_RIGHTY),
    };
}

void window_rumble(struct window *window, double strength, double seconds)
{
    const uint16_t part = (uint16_t)(fmin(fmax(strength, 0), 1) * UINT16_MAX);
    if (window->pad != NULL)
        SDL_GameControllerRumble(window->pad, part, part, (uint32_t)(seconds * 1000));
}

// While its pointer is hidden, a mouse with another sensitivity than the desktop's moves a position
// of our own.
static void set_relative(struct window *window, bool relative)
{
    int x = 0, y = 0;
    if (relative == window->is_relative)
        return;
    SDL_GetMouseState(&x, &y);
    if (relative)
        window->pointer = (raim_vec2){x, y};
    window->is_relative = relative;
    SDL_SetRelativeMouseMode(relative ? SDL_TRUE : SDL_FALSE);
    if (!relative)
        SDL_WarpMouseInWindow(window->window, (int)window->pointer.x, (int)window->pointer.y);
}

void window_show_pointer(struct window *window, bool shown)
{
    if (window->headless)
        return;
    const bool is_focused = (SDL_GetWindowFlags(window->window) & SDL_WINDOW_INPUT_FOCUS) != 0;
    const bool grabs = !shown && is_focused && window->style.confines_mouse;
    set_relative(window, !shown && is_focused && window->style.sensitivity != 1);
    if (grabs != (SDL_GetWindowMouseGrab(window->window) == SDL_TRUE))
        SDL_SetWindowMouseGrab(window->window, grabs ? SDL_TRUE : SDL_FALSE);
    SDL_ShowCursor(shown ? SDL_ENABLE : SDL_DISABLE);
}

void window_take_text(struct window *window, bool wanted)
{
    if (window->headless)
        return;
    if (wanted == (SDL_IsTextInputActive() == SDL_TRUE))
        return;
    if (wanted)
        SDL_StartTextInput();
    else
        SDL_StopTextInput();
}

static_assert((int)SDL_NUM_SCANCODES <= MOUSE, "every scancode is below the mouse's buttons");
static_assert(PAD + 1 + (int)SDL_CONTROLLER_BUTTON_MAX <= PAD_AXIS, "buttons are below the axes");
static_assert((int)SDL_CONTROLLER_AXIS_MAX <= PAD_AXES, "every axis has a number");

bool window_button_is_pad(window_button button)
{
    return button > PAD;
}

void window_button_name(window_button button, char *name, size_t capacity)
{
    if (button >= PAD_AXIS)
        snprintf(name, capacity, "Pad %s",
                 SDL_GameControllerGetStringForAxis((SDL_GameControllerAxis)(button - PAD_AXIS)));
    else if (button > PAD)
        snprintf(
            name, capacity, "Pad %s",
            SDL_GameControllerGetStringForButton((SDL_GameControllerButton)(button - PAD - 1)));
    else if (button > MOUSE)
        snprintf(name, capacity, "Mouse %d", button - MOUSE);
    else
        snprintf(name, capacity, "%s", SDL_GetScancodeName((SDL_Scancode)button));
}

static window_button pad_button_named(const char *name)
{
    const SDL_GameControllerAxis axis = SDL_GameControllerGetAxisFromString(name);
    if (axis == SDL_CONTROLLER_AXIS_TRIGGERLEFT || axis == SDL_CONTROLLER_AXIS_TRIGGERRIGHT)
        return PAD_AXIS + axis;
    const SDL_GameControllerButton button = SDL_GameControllerGetButtonFromString(name);
    return button != SDL_CONTROLLER_BUTTON_INVALID ? PAD + 1 + button : 0;
}

window_button window_button_named(const char *name)
{
    int number;
    if (sscanf(name, "Mouse %d", &number) == 1)
        return number >= 1 && number <= 31 ? MOUSE + number : 0;
    if (strncmp(name, "Pad ", 4) == 0)
        return pad_button_named(name + 4);
    return (window_button)SDL_GetScancodeFromName(name);
}

// The print on a gamepad's buttons: that of a PlayStation's, or else of an Xbox's.
static const char *label_on_pad(SDL_GameController *pad, window_button button)
{
    static const char *const labels[][2] = {
        [SDL_CONTROLLER_BUTTON_A] = {"A", "Cross"},
        [SDL_CONTROLLER_BUTTON_B] = {"B", "Circle"},
        [SDL_CONTROLLER_BUTTON_X] = {"X", "Square"},
        [SDL_CONTROLLER_BUTTON_Y] = {"Y", "Triangle"},
        [SDL_CONTROLLER_BUTTON_BACK] = {"Back", "Share"},
        [SDL_CONTROLLER_BUTTON_GUIDE] = {"Guide", "PS"},
        [SDL_CONTROLLER_BUTTON_START] = {"Start", "Options"},
        [SDL_CONTROLLER_BUTTON_LEFTSTICK] = {"Left stick", "L3"},
        [SDL_CONTROLLER_BUTTON_RIGHTSTICK] = {"Right stick", "R3"},
        [SDL_CONTROLLER_BUTTON_LEFTSHOULDER] = {"LB", "L1"},
        [SDL_CONTROLLER_BUTTON_RIGHTSHOULDER] = {"RB", "R1"},
        [SDL_CONTROLLER_BUTTON_DPAD_UP] = {"D-pad up", "D-pad up"},
        [SDL_CONTROLLER_BUTTON_DPAD_DOWN] = {"D-pad down", "D-pad down"},
        [SDL_CONTROLLER_BUTTON_DPAD_LEFT] = {"D-pad left", "D-pad left"},
        [SDL_CONTROLLER_BUTTON_DPAD_RIGHT] = {"D-pad right", "D-pad right"},
    };
    const SDL_GameControllerType type =
        pad != NULL ? SDL_GameControllerGetType(pad) : SDL_CONTROLLER_TYPE_UNKNOWN;
    const int column = type == SDL_CONTROLLER_TYPE_PS3 || type == SDL_CONTROLLER_TYPE_PS4 ||
                       type == SDL_CONTROLLER_TYPE_PS5;
    const int number = button - PAD - 1;
    if (button == PAD_AXIS + SDL_CONTROLLER_AXIS_TRIGGERLEFT)
        return column == 0 ? "LT" : "L2";
    if (button >= PAD_AXIS)
        return column == 0 ? "RT" : "R2";
    return number < (int)(sizeof labels / sizeof *labels)
               ? labels[number][column]
               : SDL_GameControllerGetStringForButton((SDL_GameControllerButton)number);
}

void window_button_label(const struct window *window, window_button button, char *label,
                         size_t capacity)
{
    static const char *const mouse[] = {"Left button", "Middle button", "Right button"};
    const int number = button - MOUSE;
    if (button > PAD)
        snprintf(label, capacity, "%s", label_on_pad(window->pad, button));
    else if (number >= 1 && number <= 3)
        snprintf(label, capacity, "%s", mouse[number - 1]);
    else if (number > 0)
        snprintf(label, capacity, "Button %d", number);
    else
        snprintf(label, capacity, "%s",
                 SDL_GetKeyName(SDL_GetKeyFromScancode((SDL_Scancode)button)));
}
