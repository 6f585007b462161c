// SPDX-License-Identifier: MIT
// Binds buttons, and reads and writes the file of bindings.
#include "bindings.h"

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 32, FILE_BYTES = (int)BINDING_DEVICES * ACTION_COUNT * (2 * NAME_BYTES + 4) };

static const struct {
    const char *name;                     // in the file
    const char *title;                    // on the screen
    const char *buttons[BINDING_DEVICES]; // defaults; "": none
} actions[ACTION_COUNT] = {
    [ACTION_UP] = {"up", "Move up", {"W", "Pad dpup"}},
    [ACTION_DOWN] = {"down", "Move down", {"S", "Pad dpdown"}},
    [ACTION_LEFT] = {"left", "Move left", {"A", "Pad dpleft"}},
    [ACTION_RIGHT] = {"right", "Move right", {"D", "Pad dpright"}},
    [ACTION_FIRE] = {"fire", "Fire", {"Mouse 1", "Pad righttrigger"}},
    [ACTION_CHAT] = {"chat", "Chat", {"Return", ""}},
    [ACTION_SCORES] = {"scores", "All scores", {"Tab", "Pad back"}},
    [ACTION_NETWORK] = {"network", "Network graph", {"F3", ""}},
    [ACTION_VOTE_YES] = {"voteyes", "Vote yes", {"F1", ""}},
    [ACTION_VOTE_NO] = {"voteno", "Vote no", {"F2", ""}},
    [ACTION_PAUSE] = {"pause", "Recording: pause", {"Space", "Pad a"}},
    [ACTION_SLOWER] = {"slower", "Recording: slower", {"-", ""}},
    [ACTION_FASTER] = {"faster", "Recording: faster", {"=", ""}},
    [ACTION_STEP_BACK] = {"stepback", "Recording: a tick back", {",", ""}},
    [ACTION_STEP_FORWARD] = {"step", "Recording: a tick on", {".", ""}},
    [ACTION_JUMP_BACK] = {"jumpback", "Recording: 5 s back", {"J", "Pad leftshoulder"}},
    [ACTION_JUMP_FORWARD] = {"jump", "Recording: 5 s on", {"L", "Pad rightshoulder"}},
    [ACTION_PREVIOUS_PLAYER] = {"previous", "Recording: player before", {"Q", "Pad x"}},
    [ACTION_NEXT_PLAYER] = {"next", "Recording: next player", {"E", "Pad y"}},
    [ACTION_FLY] = {"fly", "Recording: fly", {"F", "Pad b"}},
    [ACTION_SENT] = {"sent", "Recording: as sent", {"V", ""}},
};

const char *bindings_title(enum action action)
{
    return actions[action].title;
}

struct bindings bindings_default(void)
{
    struct bindings bindings;
    for (int device = 0; device < BINDING_DEVICES; device++)
        for (int i = 0; i < ACTION_COUNT; i++)
            bindings.buttons[device][i] = window_button_named(actions[i].buttons[device]);
    return bindings;
}

static bool is_of_recordings(enum action action)
{
    return action >= ACTION_PAUSE;
}

static bool is_of_matches(enum action action)
{
    return action == ACTION_FIRE || action == ACTION_CHAT || action == ACTION_VOTE_YES ||
           action == ACTION_VOTE_NO;
}

// Whether two actions may have one button: they are never possible at the same time.
static bool may_share(enum action a, enum action b)
{
    return (is_of_recordings(a) && is_of_matches(b)) || (is_of_recordings(b) && is_of_matches(a));
}

void bindings_bind(struct bindings *bindings, enum action action, window_button button)
{
    window_button *buttons =
        bindings->buttons[window_button_is_pad(button) ? BINDING_PAD : BINDING_KEYS];
    for (int i = 0; i < ACTION_COUNT; i++)
        if (buttons[i] == button && !may_share((enum action)i, action))
            buttons[i] = buttons[action];
    buttons[action] = button;
}

bool bindings_triggers(const struct bindings *bindings, enum action action, window_button button)
{
    return button != 0 && (bindings->buttons[BINDING_KEYS][action] == button ||
                           bindings->buttons[BINDING_PAD][action] == button);
}

bool bindings_are_held(const struct bindings *bindings, enum action action,
                       const struct window *window)
{
    return window_is_held(window, bindings->buttons[BINDING_KEYS][action]) ||
           window_is_held(window, bindings->buttons[BINDING_PAD][action]);
}

static bool open_path(const char *directory, char path[FILES_PATH_BYTES])
{
    const int length = snprintf(path, FILES_PATH_BYTES, "%skeys", directory);
    return directory[0] != '\0' && length < FILES_PATH_BYTES;
}

// False for a line that binds no known button to a known action.
static bool read_line(struct bindings *bindings, const char *line)
{
    char action[NAME_BYTES], name[NAME_BYTES];
    if (sscanf(line, " %31[a-z] = %31[^\n]", action, name) != 2)
        return false;
    const window_button button = window_button_named(name);
    for (int i = 0; i < ACTION_COUNT && button != 0; i++) {
        if (strcmp(actions[i].name, action) == 0) {
            bindings_bind(bindings, (enum action)i, button);
            return true;
        }
    }
    return false;
}

void bindings_load(struct bindings *bindings, const char *directory)
{
    char path[FILES_PATH_BYTES];
    size_t size;
    char *text = open_path(directory, path) ? files_read(path, &size) : NULL;
    char *line = text;
    for (int number = 1; line != NULL && *line != '\0'; number++) {
        char *end = line + strcspn(line, "\n");
        const bool is_last = *end == '\0';
        *end = '\0';
        if (!read_line(bindings, line))
            fprintf(stderr, "raim: %s:%d: expected 'action = button', got '%s'\n", path, number,
                    line);
        line = is_last ? end : end + 1;
    }
    free(text);
}

bool bindings_save(const struct bindings *bindings, const char *directory)
{
    char path[FILES_PATH_BYTES], text[FILE_BYTES], name[NAME_BYTES];
    size_t size = 0;
    if (!open_path(directory, path))
        return false;
    for (int device = 0; device < BINDING_DEVICES; device++) {
        for (int i = 0; i < ACTION_COUNT; i++) {
            window_button_name(bindings->buttons[device][i], name, sizeof name);
            if (name[0] != '\0')
                size += (size_t)snprintf(text + size, sizeof text - size, "%s = %s\n",
                                         actions[i].name, name);
        }
    }
    return files_replace(path, text, size);
}
