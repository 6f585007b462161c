// SPDX-License-Identifier: MIT
// Events, and the state of keys, mouse, gamepad and fingers, as the page tells them.
#include "window_web.h"

#include "page.h"
#include "web.h"
#include "window_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct window web_window = {.pixel_ratio = 1,
                            .size = {1280, 720},
                            .mouse = {900, 360},
                            .style = {.sensitivity = 1},
                            .is_pointer_shown = true};

bool window_next_event(struct window *window, struct window_event *event)
{
    if (window->taken == window->queued)
        return false;
    *event = window->events[window->taken++ % WINDOW_EVENTS];
    return true;
}

bool window_is_held(const struct window *window, window_button button)
{
    return button > 0 && button < BUTTONS && window->held[button];
}

raim_vec2 window_mouse(const struct window *window)
{
    return window->mouse;
}

struct window_pad window_pad(const struct window *window)
{
    return window->pad;
}

void window_rumble(struct window *window, double strength, double seconds)
{
    (void)window;
    page_rumble(strength, seconds * 1000);
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
    if (wanted != window->takes_fingers)
        memset(window->fingers, 0, sizeof window->fingers);
    window->takes_fingers = wanted;
}

void window_show_pointer(struct window *window, bool shown)
{
    const struct window_style *style = &window->style;
    if (shown != window->is_pointer_shown)
        page_show_pointer(shown, style->confines_mouse || style->sensitivity != 1);
    window->is_pointer_shown = shown;
}

void window_take_text(struct window *window, bool wanted)
{
    if (wanted != window->takes_text)
        page_take_text(wanted);
    window->takes_text = wanted;
}

// --- Names of buttons ---

// Keys by the browser's code, and by the name in the file of bindings, which is the desktop's.
static const struct {
    const char *code, *name;
} keys[] = {
    {"", ""},
    {"Enter", "Return"},
    {"Escape", "Escape"},
    {"Backspace", "Backspace"},
    {"Tab", "Tab"},
    {"Space", "Space"},
    {"Minus", "-"},
    {"Equal", "="},
    {"BracketLeft", "["},
    {"BracketRight", "]"},
    {"Backslash", "\\"},
    {"Semicolon", ";"},
    {"Quote", "'"},
    {"Backquote", "`"},
    {"Comma", ","},
    {"Period", "."},
    {"Slash", "/"},
    {"CapsLock", "CapsLock"},
    {"PrintScreen", "PrintScreen"},
    {"ScrollLock", "ScrollLock"},
    {"Pause", "Pause"},
    {"Insert", "Insert"},
    {"Home", "Home"},
    {"PageUp", "PageUp"},
    {"Delete", "Delete"},
    {"End", "End"},
    {"PageDown", "PageDown"},
    {"ArrowRight", "Right"},
    {"ArrowLeft", "Left"},
    {"ArrowDown", "Down"},
    {"ArrowUp", "Up"},
    {"NumpadDivide", "Keypad /"},
    {"NumpadMultiply", "Keypad *"},
    {"NumpadSubtract", "Keypad -"},
    {"NumpadAdd", "Keypad +"},
    {"NumpadEnter", "Keypad Enter"},
    {"NumpadDecimal", "Keypad ."},
    {"IntlBackslash", "NonUSBackslash"},
    {"ContextMenu", "Application"},
    {"ControlLeft", "Left Ctrl"},
    {"ShiftLeft", "Left Shift"},
    {"AltLeft", "Left Alt"},
    {"MetaLeft", "Left GUI"},
    {"ControlRight", "Right Ctrl"},
    {"ShiftRight", "Right Shift"},
    {"AltRight", "Right Alt"},
    {"MetaRight", "Right GUI"},
};

// Keys whose code is a prefix and a letter or number, and whose name is another prefix and the
// same.
static const struct {
    const char *code, *name;
    int first, count; // of the letter or number
} rows[] = {
    {"Key", "", 'A', 26},
    {"Digit", "", 0, 10},
    {"Numpad", "Keypad ", 0, 10},
    {"F", "F", 1, 24},
};
enum { KEYS = sizeof keys / sizeof *keys, ROWS = sizeof rows / sizeof *rows };

// The gamepad's buttons in the order of the "standard" mapping, by the names in the file.
static const struct {
    const char *name, *label;
    enum window_command command;
} pad_buttons[PAD_BUTTONS] = {
    {"a", "A", COMMAND_ACCEPT},
    {"b", "B", COMMAND_BACK},
    {"x", "X", COMMAND_NONE},
    {"y", "Y", COMMAND_NONE},
    {"leftshoulder", "LB", COMMAND_NONE},
    {"rightshoulder", "RB", COMMAND_NONE},
    {"lefttrigger", "LT", COMMAND_NONE},
    {"righttrigger", "RT", COMMAND_NONE},
    {"back", "Back", COMMAND_NONE},
    {"start", "Start", COMMAND_BACK},
    {"leftstick", "Left stick", COMMAND_NONE},
    {"rightstick", "Right stick", COMMAND_NONE},
    {"dpup", "D-pad up", COMMAND_UP},
    {"dpdown", "D-pad down", COMMAND_DOWN},
    {"dpleft", "D-pad left", COMMAND_LEFT},
    {"dpright", "D-pad right", COMMAND_RIGHT},
    {"guide", "Guide", COMMAND_NONE},
};
enum { PAD_START = 9 };

// Writes the code or the name of a key; "": there is no such key.
static void write_key(window_button key, bool is_code, char *text, size_t capacity)
{
    text[0] = '\0';
    if (key < KEYS)
        snprintf(text, capacity, "%s", is_code ? keys[key].code : keys[key].name);
    int number = key - KEYS;
    for (int i = 0; i < ROWS && number >= 0; number -= rows[i++].count) {
        const char *prefix = is_code ? rows[i].code : rows[i].name;
        const int last = rows[i].first + number;
        if (number < rows[i].count)
            snprintf(text, capacity, last >= 'A' ? "%s%c" : "%s%d", prefix, last);
    }
}

static window_button find_key(const char *wanted, bool is_code)
{
    char text[32];
    if (wanted[0] == '\0')
        return 0;
    for (window_button key = 1;; key++) {
        write_key(key, is_code, text, sizeof text);
        if (text[0] == '\0')
            return 0;
        if (strcmp(text, wanted) == 0)
            return key;
    }
}

bool window_button_is_pad(window_button button)
{
    return button > PAD;
}

void window_button_name(window_button button, char *name, size_t capacity)
{
    if (button > PAD)
        snprintf(name, capacity, "Pad %s", pad_buttons[button - PAD - 1].name);
    else if (button > MOUSE)
        snprintf(name, capacity, "Mouse %d", button - MOUSE);
    else
        write_key(button, false, name, capacity);
}

window_button window_button_named(const char *name)
{
    int number;
    if (sscanf(name, "Mouse %d", &number) == 1)
        return number >= 1 && number <= MOUSE_BUTTONS ? MOUSE + number : 0;
    for (int i = 0; strncmp(name, "Pad ", 4) == 0 && i < PAD_BUTTONS; i++)
        if (strcmp(name + 4, pad_buttons[i].name) == 0)
            return PAD + 1 + i;
    return find_key(name, false);
}

void window_button_label(const struct window *window, window_button button, char *label,
                         size_t capacity)
{
    static const char *const mouse[] = {"Left button", "Middle button", "Right button"};
    const int number = button - MOUSE;
    if (button > PAD)
        snprintf(label, capacity, "%s", pad_buttons[button - PAD - 1].label);
    else if (number >= 1 && number <= 3)
        snprintf(label, capacity, "%s", mouse[number - 1]);
    else if (number > 0)
        snprintf(label, capacity, "Button %d", number);
    else if (window->labels[button][0] != '\0')
        snprintf(label, capacity, "%s", window->labels[button]);
    else
        write_key(button, false, label, capacity);
}

// --- From the page ---

char *web_buffer(size_t size)
{
    static char *buffer;
    free(buffer);
    buffer = malloc(size);
    return buffer;
}

// An event to be filled; the ones beyond WINDOW_EVENTS are lost.
static struct window_event *queue(enum window_event_kind kind)
{
    static struct window_event lost;
    struct window *window = &web_window;
    const bool has_room = window->queued - window->taken < WINDOW_EVENTS;
    struct window_event *event =
        has_room ? &window->events[window->queued++ % WINDOW_EVENTS] : &lost;
    *event = (struct window_event){.kind = kind, .mouse = window->mouse};
    return event;
}

void web_resize(int width, int height, double pixel_ratio, bool is_coarse)
{
    web_window.size = (raim_vec2){width, height};
    web_window.pixel_ratio = pixel_ratio;
    web_window.has_fingers = web_window.has_fingers || is_coarse;
}

static enum window_command command_of(const char *code)
{
    static const struct {
        const char *code;
        enum window_command command;
    } commands[] = {
        {"ArrowUp", COMMAND_UP},         {"ArrowDown", COMMAND_DOWN}, {"ArrowLeft", COMMAND_LEFT},
        {"ArrowRight", COMMAND_RIGHT},   {"Tab", COMMAND_NEXT},       {"Enter", COMMAND_ACCEPT},
        {"NumpadEnter", COMMAND_ACCEPT}, {"Escape", COMMAND_BACK},    {"Backspace", COMMAND_ERASE},
        {"Delete", COMMAND_DELETE},      {"Home", COMMAND_HOME},      {"End", COMMAND_END},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].code, code) == 0)
            return commands[i].command;
    return COMMAND_NONE;
}

void web_key(const char *code, const char *label, bool down, bool repeats, bool control)
{
    struct window *window = &web_window;
    const window_button key = find_key(code, true);
    const bool selects = window->takes_text && control && strcmp(code, "KeyA") == 0;
    const enum window_command command = selects ? COMMAND_SELECT_ALL : command_of(code);
    window->held[key] = down;
    window->has_fingers = false;
    if (key > 0 && label[0] != '\0')
        snprintf(window->labels[key], sizeof window->labels[key], "%s", label);
    if (!down || (repeats && !window_repeats(command, window->takes_text)))
        return;
    struct window_event *event = queue(WINDOW_PRESSED);
    event->button = repeats ? 0 : key;
    event->command = command;
    event->opens_menu = command == COMMAND_BACK;
}

static void press_mouse(int button)
{
    struct window_event *event = queue(WINDOW_PRESSED);
    event->button = MOUSE + button;
    event->clicked = button == 1;
}

void web_mouse(int button, bool down, double x, double y)
{
    struct window *window = &web_window;
    window->has_fingers = false;
    if (x >= 0)
        window->mouse = (raim_vec2){x, y};
    if (button < 1 || button > MOUSE_BUTTONS)
        queue(WINDOW_POINTED);
    else if (down && !window->held[MOUSE + button])
        press_mouse(button);
    if (button >= 1 && button <= MOUSE_BUTTONS)
        window->held[MOUSE + button] = down;
}

void web_move_mouse(double x, double y)
{
    struct window *window = &web_window;
    const double factor = window->style.sensitivity;
    window->mouse.x = fmin(fmax(window->mouse.x + x * factor, 0), window->size.x - 1);
    window->mouse.y = fmin(fmax(window->mouse.y + y * factor, 0), window->size.y - 1);
    queue(WINDOW_POINTED);
}

void web_wheel(int way)
{
    struct window_event *event = queue(WINDOW_PRESSED);
    event->command = way > 0 ? COMMAND_UP : COMMAND_DOWN;
    event->wheel = way;
}

// The finger with this number, or a free place for it; NULL: there are too many.
static struct window_finger *find_finger(struct window *window, int id)
{
    struct window_finger *free_place = NULL;
    for (int i = 0; i < WINDOW_FINGERS; i++) {
        if (window->fingers[i].is_down && window->finger_ids[i] == id)
            return &window->fingers[i];
        if (!window->fingers[i].is_down && free_place == NULL) {
            free_place = &window->fingers[i];
            window->finger_ids[i] = id;
        }
    }
    return free_place;
}

void web_finger(int id, bool down, double x, double y)
{
    struct window *window = &web_window;
    struct window_finger *finger = find_finger(window, id);
    if (finger == NULL)
        return;
    const bool was_down = finger->is_down;
    finger->is_down = down;
    finger->at = (raim_vec2){x, y};
    if (down && !was_down)
        finger->from = finger->at;
    if (!window->takes_fingers)
        web_mouse(down == was_down ? 0 : 1, down, x, y);
    else if (down && !was_down)
        queue(WINDOW_TOUCHED)->mouse = finger->at;
    window->has_fingers = true;
}

void web_text(const char *text)
{
    window_type(queue(WINDOW_TYPED), text);
}

void web_full_screen(bool full)
{
    web_window.style.full_screen = full;
}

void web_release_all(void)
{
    memset(web_window.held, 0, sizeof web_window.held);
    memset(web_window.fingers, 0, sizeof web_window.fingers);
}

void web_pad(double left_x, double left_y, double right_x, double right_y)
{
    web_window.pad =
        (struct window_pad){window_stick(left_x, -left_y), window_stick(right_x, -right_y)};
}

void web_pad_button(int index, bool pressed, double value)
{
    struct window *window = &web_window;
    if (index < 0 || index >= PAD_BUTTONS)
        return;
    bool *is_held = &window->held[PAD + 1 + index];
    const bool is_down = pressed || value > WINDOW_TRIGGER_POINT;
    if (is_down && !*is_held) {
        window->has_fingers = false;
        struct window_event *event = queue(WINDOW_PRESSED);
        event->button = PAD + 1 + index;
        event->command = pad_buttons[index].command;
        event->opens_menu = index == PAD_START;
    }
    *is_held = is_down;
}
