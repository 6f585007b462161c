// SPDX-License-Identifier: MIT
// Prints players and arenas as lines.
#include "command_line_list.h"

#include <stdarg.h>
#include <stdio.h>

// A text that is being printed.
struct page {
    char *text;
    size_t length, capacity;
};

// Appends to a text what fits.
__attribute__((format(printf, 2, 3))) static void append(struct page *page, const char *format, ...)
{
    va_list arguments;
    const size_t room = page->capacity - page->length;
    va_start(arguments, format);
    const int printed = vsnprintf(page->text + page->length, room, format, arguments);
    va_end(arguments);
    if (printed > 0)
        page->length += (size_t)printed < room ? (size_t)printed : room - 1;
}

static void list_arena_players(struct page *page, struct arena *arena)
{
    const struct arena_status *status = arena_status(arena);
    append(page, "%s: %u players\n", arena_config(arena)->name, status->player_count);
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct arena_player *player = &status->players[i];
        append(page, "%u %s: %u points, ", player->match.id, player->match.name,
               player->match.score);
        if (player->match.bot)
            append(page, "bot\n");
        else if (player->match.away)
            append(page, "away\n");
        else
            append(page, "%u ms%s\n", player->ping_ms, player->match.muted ? ", muted" : "");
    }
}

static void list_arena_status(struct page *page, struct arena *arena)
{
    const struct arena_status *status = arena_status(arena);
    const struct config_arena *config = arena_config(arena);
    uint32_t bots = 0;
    for (uint32_t i = 0; i < status->player_count; i++)
        bots += status->players[i].match.bot;
    append(page, "hostname: %s\nversion : %s/17\nudp/ip  : %s:%u\nmap     : %s\n",
           config_shown_name(config), RAIM_VERSION, config->address, arena_port(arena),
           config->match.map->name);
    append(page, "players : %u humans, %u bots (%u max)\n\n", status->player_count - bots, bots,
           config->match.tuning.max_players);
    append(page, "# userid name uniqueid connected ping loss state\n");
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct arena_player *player = &status->players[i];
        const uint32_t seconds = player->match.played_ticks / config->match.tick_hz;
        if (player->match.bot)
            append(page, "# %u \"%s\" BOT active\n", player->match.id, player->match.name);
        else
            append(page, "# %u \"%s\" raim:%u %02u:%02u %u 0 %s\n", player->match.id,
                   player->match.name, player->match.id, seconds / 60, seconds % 60,
                   player->ping_ms, player->match.away ? "away" : "active");
    }
    append(page, "#end\n");
}

void command_line_list_players(const struct arena_list *arenas, struct arena *arena, char *answer,
                               size_t capacity)
{
    struct page page = {.text = answer, .capacity = capacity};
    for (int i = 0; i < arenas->count; i++)
        if (arena == NULL || arenas->arenas[i] == arena)
            list_arena_players(&page, arenas->arenas[i]);
}

void command_line_list_status(const struct arena_list *arenas, struct arena *arena, char *answer,
                              size_t capacity)
{
    struct page page = {.text = answer, .capacity = capacity};
    for (int i = 0; i < arenas->count; i++)
        if (arena == NULL || arenas->arenas[i] == arena)
            list_arena_status(&page, arenas->arenas[i]);
}
