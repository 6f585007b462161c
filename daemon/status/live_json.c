// SPDX-License-Identifier: MIT
// Writes maps and live events as JSON with printf, because events contain only integers and are
// rendered ten times per second.
#define _GNU_SOURCE
#include "live_json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Maximum bytes of each element including its separator.
#define FRAME_BYTES 64
#define PLAYER_BYTES (sizeof "[65535,-16000,-16000,65535,1],")
#define BULLET_BYTES (sizeof "[-16000,-16000],")

uint64_t live_delay_ms(const struct arena_list *list, int arena)
{
    return (uint64_t)ceil(arena_config(list->arenas[arena])->match.spectator_delay_s * 1000);
}

static uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT32_C(16777619);
    return hash;
}

static void write_outline(FILE *out, const raim_vec2 *points, int count)
{
    fputc('[', out);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.8g,%.8g", i > 0 ? "," : "", points[i].x, points[i].y);
    fputc(']', out);
}

// Hash (FNV-1a) of the drawn properties of a map: the dashboard reloads the map when it changes.
static uint32_t map_hash(const struct config_arena *config)
{
    const struct raim_map *map = config->match.map;
    uint32_t hash = UINT32_C(2166136261);
    hash = hash_bytes(hash, &map->border, sizeof map->border);
    for (int i = 0; i < map->outline_count; i++)
        hash = hash_bytes(hash, map->outlines[i].points,
                          (size_t)map->outlines[i].count * sizeof(raim_vec2));
    return hash_bytes(hash, &config->match.rules.player_radius,
                      sizeof config->match.rules.player_radius);
}

// Omits the map's name, which would need JSON escaping; the dashboard has it from the status.
static void write_map(FILE *out, const struct config_arena *config)
{
    const struct raim_map *map = config->match.map;
    const raim_vec2 border[] = {map->border.min, map->border.max};
    fprintf(out, "{\"name\":\"%s\",\"hash\":%u,\"border\":", config->name, map_hash(config));
    write_outline(out, border, 2);
    fputs(",\"obstacles\":[", out);
    for (int i = 0; i < map->outline_count; i++) {
        if (i > 0)
            fputc(',', out);
        write_outline(out, map->outlines[i].points, map->outlines[i].count);
    }
    fprintf(out, "],\"player_radius\":%.8g}", config->match.rules.player_radius);
}

char *live_map_json(const struct arena_list *list, const char *name, bool *missing)
{
    const int arena = arena_list_find(list, name);
    char *text = NULL;
    size_t size;
    *missing = arena < 0;
    FILE *out = arena < 0 ? NULL : open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    write_map(out, arena_config(list->arenas[arena]));
    const bool whole = ferror(out) == 0;
    if (fclose(out) == 0 && whole)
        return text;
    free(text);
    return NULL;
}

static char *write_players(char *text, const struct arena_status *status)
{
    const char *separator = "";
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct arena_player *player = &status->players[i];
        if (!player->alive)
            continue;
        text += sprintf(text, "%s[%u,%d,%d,%u,%d]", separator, player->match.id, player->spot.x,
                        player->spot.y, player->aim, player->shielded);
        separator = ",";
    }
    return text;
}

static char *write_bullets(char *text, const struct arena_status *status)
{
    for (uint32_t i = 0; i < status->bullet_count; i++)
        text += sprintf(text, "%s[%d,%d]", i > 0 ? "," : "", status->bullets[i].x,
                        status->bullets[i].y);
    return text;
}

char *live_event(const struct arena_list *list, int arena, uint32_t *tick, size_t *size)
{
    const struct arena_status *status = arena_status(list->arenas[arena]);
    if (status->tick == *tick)
        return NULL;
    const size_t capacity =
        2 * FRAME_BYTES + status->player_count * PLAYER_BYTES + status->bullet_count * BULLET_BYTES;
    char *text = malloc(capacity);
    if (text == NULL)
        return NULL;
    *tick = status->tick;
    char *end = text + sprintf(text, "data: {\"tick\":%u,\"map\":%u,\"players\":[", status->tick,
                               map_hash(arena_config(list->arenas[arena])));
    end = stpcpy(write_players(end, status), "],\"bullets\":[");
    end = stpcpy(write_bullets(end, status), "]}\n\n");
    *size = (size_t)(end - text);
    assert(*size < capacity);
    return text;
}
