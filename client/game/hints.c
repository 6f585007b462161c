// SPDX-License-Identifier: MIT
// Chooses and writes hints.
#include "hints.h"

#include <stdio.h>
#include <string.h>

// In the settings, and on the screen after a label. None is a part of another.
static const char *const names[HINTS] = {
    [HINT_MOVE] = "move",     [HINT_AIM] = "aim",   [HINT_FIRE] = "fire",
    [HINT_SCORES] = "scores", [HINT_CHAT] = "chat", [HINT_MENU] = "menu",
};

bool hints_have(const char *learned, enum hint hint)
{
    return strstr(learned, names[hint]) != NULL;
}

bool hints_learn(char learned[SETTINGS_LEARNED_BYTES], enum hint hint)
{
    const size_t used = strlen(learned);
    if (hints_have(learned, hint))
        return false;
    snprintf(learned + used, SETTINGS_LEARNED_BYTES - used, "%s%s", used > 0 ? " " : "",
             names[hint]);
    return true;
}

enum hint hints_next(const char *learned, const char *const labels[HINTS])
{
    int next = 0;
    while (next < HINTS && (labels[next][0] == '\0' || hints_have(learned, (enum hint)next)))
        next++;
    return (enum hint)next;
}

void hints_write(const char *learned, const char *const labels[HINTS], char *text, size_t capacity)
{
    const int first = hints_next(learned, labels);
    text[0] = '\0';
    for (int i = first; i < HINTS && (i == first || i <= HINT_FIRE); i++) {
        const size_t used = strlen(text);
        if (labels[i][0] != '\0' && !hints_have(learned, (enum hint)i))
            snprintf(text + used, capacity - used, "%s%s: %s", used > 0 ? "     " : "", labels[i],
                     names[i]);
    }
}
