// SPDX-License-Identifier: MIT
// Writes scenes.
#include "recording_scene.h"

#include "recording_bytes.h"

#include <assert.h>

size_t raim_recording_scene_bound(const struct raim_recording_scene *scene)
{
    size_t bytes = 1024 + 8 * (size_t)scene->map->spawn_count;
    for (int i = 0; i < scene->map->outline_count; i++)
        bytes += 1 + 8 * (size_t)scene->map->outlines[i].count;
    return bytes;
}

static void write_point(raim_writer *writer, raim_vec2 point)
{
    raim_write_bits(writer, (uint32_t)(int32_t)(point.x * RAIM_MAP_STEPS), 32);
    raim_write_bits(writer, (uint32_t)(int32_t)(point.y * RAIM_MAP_STEPS), 32);
}

static void write_map(raim_writer *writer, const struct raim_map *map)
{
    assert(map->outline_count > 0 || map->obstacle_count == 0);
    raim_write_short_text(writer, map->name);
    write_point(writer, map->border.min);
    write_point(writer, map->border.max);
    raim_write_bits(writer, (uint32_t)map->outline_count, 16);
    for (int i = 0; i < map->outline_count; i++) {
        raim_write_bits(writer, (uint32_t)map->outlines[i].count, 8);
        for (int p = 0; p < map->outlines[i].count; p++)
            write_point(writer, map->outlines[i].points[p]);
    }
    raim_write_bits(writer, (uint32_t)map->spawn_count, 16);
    for (int i = 0; i < map->spawn_count; i++)
        write_point(writer, map->spawns[i]);
}

size_t raim_recording_scene_write(const struct raim_recording_scene *scene, uint8_t *bytes,
                                  size_t capacity)
{
    raim_writer writer = raim_writer_make(bytes, capacity);
    raim_rules rules = scene->rules;
    raim_write_short_text(&writer, scene->version);
    raim_write_short_text(&writer, scene->arena);
    raim_write_bits(&writer, scene->tick_hz, 16);
    raim_write_bits(&writer, scene->max_players, 16);
    raim_write_bits(&writer, scene->max_rewind, 16);
    raim_write_bits(&writer, scene->view_width, 16);
    raim_write_bits(&writer, scene->view_height, 16);
    raim_write_bits(&writer, scene->sight, 8);
    raim_write_bits(&writer, RAIM_RULE_COUNT, 8);
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        raim_write_double(&writer, *raim_rule_value(&rules, i));
    raim_write_u64(&writer, scene->identity);
    write_map(&writer, scene->map);
    return raim_writer_finish(&writer);
}

struct raim_world_def raim_recording_scene_world(const struct raim_recording_scene *scene)
{
    return (struct raim_world_def){
        .rules = scene->rules,
        .tick_hz = scene->tick_hz,
        .max_players = scene->max_players,
        .max_rewind = scene->max_rewind,
    };
}
