// SPDX-License-Identifier: MIT
// The names of keys and buttons.
#include "window_desktop.h"

#include <SDL.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

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
