// SPDX-License-Identifier: MIT
// Edits and draws a line of UTF-8.
#include "entry.h"

#include "palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void entry_clear(struct entry *entry)
{
    *entry = (struct entry){0};
}

void entry_set(struct entry *entry, const char *text)
{
    entry_clear(entry);
    entry_type(entry, text, ENTRY_BYTES - 1);
    entry_select(entry);
}

void entry_select(struct entry *entry)
{
    entry->caret = strlen(entry->text);
    entry->is_selected = entry->caret > 0;
}

// Whether a byte continues a character of UTF-8.
static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static size_t before(const struct entry *entry)
{
    size_t at = entry->caret;
    while (at > 0 && continues(entry->text[at - 1]))
        at--;
    return at > 0 ? at - 1 : 0;
}

static size_t behind(const struct entry *entry)
{
    size_t at = entry->caret;
    at += entry->text[at] != '\0';
    while (continues(entry->text[at]))
        at++;
    return at;
}

static void erase(struct entry *entry, size_t from, size_t to)
{
    memmove(entry->text + from, entry->text + to, strlen(entry->text + to) + 1);
    entry->caret = from;
}

static void erase_selected(struct entry *entry)
{
    if (entry->is_selected)
        entry_clear(entry);
}

void entry_type(struct entry *entry, const char *text, size_t most)
{
    erase_selected(entry);
    size_t used = strlen(entry->text);
    while (*text != '\0') {
        size_t bytes = 1;
        while (continues(text[bytes]))
            bytes++;
        if (used + bytes > most || used + bytes >= ENTRY_BYTES)
            break;
        char *place = entry->text + entry->caret;
        memmove(place + bytes, place, used - entry->caret + 1);
        memcpy(place, text, bytes);
        entry->caret += bytes;
        used += bytes;
        text += bytes;
    }
}

static void move(struct entry *entry, size_t caret)
{
    entry->caret = caret;
    entry->is_selected = false;
}

bool entry_handle(struct entry *entry, const struct window_event *event, size_t most)
{
    if (event->kind == WINDOW_TYPED)
        entry_type(entry, event->text, most);
    if (event->kind != WINDOW_PRESSED)
        return event->kind == WINDOW_TYPED;
    const bool was_selected = entry->is_selected;
    switch (event->command) {
    case COMMAND_ERASE:
    case COMMAND_DELETE:
        erase_selected(entry);
        if (was_selected)
            break;
        if (event->command == COMMAND_ERASE)
            erase(entry, before(entry), entry->caret);
        else
            erase(entry, entry->caret, behind(entry));
        break;
    case COMMAND_LEFT:
        move(entry, was_selected ? 0 : before(entry));
        break;
    case COMMAND_RIGHT:
        move(entry, behind(entry));
        break;
    case COMMAND_HOME:
        move(entry, 0);
        break;
    case COMMAND_END:
        move(entry, strlen(entry->text));
        break;
    case COMMAND_SELECT_ALL:
        entry_select(entry);
        break;
    default:
        return false;
    }
    return true;
}

void entry_draw(const struct entry *entry, const struct ui *ui, raim_vec2 at,
                const struct text_style *style, double width, bool has_caret, bool is_focused)
{
    char head[ENTRY_BYTES];
    const double unit = ui->unit, bottom = at.y + text_height(style);
    snprintf(head, sizeof head, "%.*s", (int)entry->caret, entry->text);
    // Of a long text the part before the caret is shown.
    const char *shown = text_end_within(ui->text, style, head, width);
    const double caret = at.x + text_width(ui->text, style, shown) + 1.5 * unit;
    shown = entry->text + (shown - head);
    if (entry->is_selected && is_focused)
        draw_box(ui->draw,
                 (raim_box){{at.x - unit, at.y - unit},
                            {at.x + fmin(text_width(ui->text, style, shown), width) + unit,
                             bottom + unit}},
                 PALETTE_CHOSEN);
    text_write_within(ui->text, at, style, shown, width + unit);
    if (has_caret)
        draw_line(ui->draw, (raim_vec2){caret, at.y - unit}, (raim_vec2){caret, bottom + unit},
                  1.5 * unit, PALETTE_WHITE, PALETTE_WHITE);
}
