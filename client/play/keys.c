// SPDX-License-Identifier: MIT
// Binds keys, and reads and writes the file of them.
#include "keys.h"

#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 1024, LINE_BYTES = 128, NAME_BYTES = 32 };

static const struct {
    const char *name;   // in the file
    const char *title;  // on the screen
    const char *button; // default
} actions[KEY_ACTIONS] = {
    [KEY_UP] = {"up", "Move up", "W"},
    [KEY_DOWN] = {"down", "Move down", "S"},
    [KEY_LEFT] = {"left", "Move left", "A"},
    [KEY_RIGHT] = {"right", "Move right", "D"},
    [KEY_FIRE] = {"fire", "Fire", "Mouse 1"},
    [KEY_CHAT] = {"chat", "Chat", "Return"},
    [KEY_SCORES] = {"scores", "All scores", "Tab"},
    [KEY_NETWORK] = {"network", "Network graph", "F3"},
};

const char *keys_title(enum key_action action)
{
    return actions[action].title;
}

struct keys keys_default(void)
{
    struct keys keys;
    for (int i = 0; i < KEY_ACTIONS; i++)
        keys.buttons[i] = window_button_named(actions[i].button);
    return keys;
}

void keys_bind(struct keys *keys, enum key_action action, window_button button)
{
    for (int i = 0; i < KEY_ACTIONS; i++)
        if (keys->buttons[i] == button)
            keys->buttons[i] = keys->buttons[action];
    keys->buttons[action] = button;
}

static bool open_path(const char *directory, char path[PATH_BYTES])
{
    const int length = snprintf(path, PATH_BYTES, "%skeys", directory);
    return directory[0] != '\0' && length < PATH_BYTES;
}

// False for a line that binds no known key to a known action.
static bool read_line(struct keys *keys, const char *line)
{
    char action[NAME_BYTES], name[NAME_BYTES];
    if (sscanf(line, " %31[a-z] = %31[^\n]", action, name) != 2)
        return false;
    const window_button button = window_button_named(name);
    for (int i = 0; i < KEY_ACTIONS && button != 0; i++) {
        if (strcmp(actions[i].name, action) == 0) {
            keys_bind(keys, (enum key_action)i, button);
            return true;
        }
    }
    return false;
}

void keys_load(struct keys *keys, const char *directory)
{
    char path[PATH_BYTES], line[LINE_BYTES];
    FILE *file = open_path(directory, path) ? fopen(path, "r") : NULL;
    if (file == NULL)
        return;
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++)
        if (!read_line(keys, line))
            fprintf(stderr, "raim: %s:%d: expected 'action = key', got '%.*s'\n", path, number,
                    (int)strcspn(line, "\n"), line);
    fclose(file);
}

bool keys_save(const struct keys *keys, const char *directory)
{
    char path[PATH_BYTES], name[NAME_BYTES];
    FILE *file = open_path(directory, path) ? fopen(path, "w") : NULL;
    if (file == NULL)
        return false;
    for (int i = 0; i < KEY_ACTIONS; i++) {
        window_button_name(keys->buttons[i], name, sizeof name);
        fprintf(file, "%s = %s\n", actions[i].name, name);
    }
    const bool written = ferror(file) == 0;
    return fclose(file) == 0 && written;
}
