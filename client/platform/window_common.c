// SPDX-License-Identifier: MIT
// Decides what windows of all platforms decide alike.
#include "window_common.h"

#include <string.h>

// A stick below this deflection is at rest.
static const double dead_zone = 0.15;

void window_type(struct window_event *event, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof event->text) {
        length = sizeof event->text - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
            length--;
    }
    event->kind = WINDOW_TYPED;
    for (size_t i = 0; i < length; i++)
        event->text[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    event->text[length] = '\0';
}

bool window_repeats(enum window_command command, bool edits)
{
    return command == COMMAND_UP || command == COMMAND_DOWN || command == COMMAND_ERASE ||
           command == COMMAND_DELETE ||
           (edits && (command == COMMAND_LEFT || command == COMMAND_RIGHT));
}

raim_vec2 window_stick(double x, double y)
{
    const raim_vec2 way = {x, y};
    return raim_vec2_length(way) < dead_zone ? (raim_vec2){0, 0} : way;
}
