// SPDX-License-Identifier: MIT
// Writes and reads heads.
#include "recording_head.h"

#include "digest.h"
#include "recording_bytes.h"
#include "recording_frame.h"
#include "recording_writer.h"

#include <stdlib.h>

// What a world's bytes follow from, beside RAIM_WORLD_LAYOUT.
static const uint16_t sizes[] = {
    sizeof(struct raim_world),
    sizeof(raim_player),
    sizeof(raim_bullet),
    sizeof(raim_position_sample),
};
enum { SIZES = sizeof sizes / sizeof *sizes };

enum { FIXED_BYTES = sizeof RAIM_RECORDING_MAGIC + 2 + 2 + 2 * SIZES + 4 + 8, DIGEST_BYTES = 8 };

bool raim_recording_is_supported(void)
{
    static const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

void raim_recording_explain(char *error, size_t capacity, const char *const *texts)
{
    size_t length = 0;
    for (; *texts != NULL; texts++)
        for (const char *c = *texts; *c != '\0' && length + 1 < capacity; c++)
            error[length++] = *c;
    if (capacity > 0)
        error[length] = '\0';
}

size_t raim_recording_head_bytes(size_t scene_size)
{
    return RAIM_SKIPPABLE_HEAD_BYTES + FIXED_BYTES + scene_size + DIGEST_BYTES;
}

void raim_recording_head_write(const uint8_t *scene, size_t scene_size, uint32_t first_tick,
                               int64_t start_unix_ms, uint8_t *bytes)
{
    const size_t contents_size = FIXED_BYTES + scene_size + DIGEST_BYTES;
    uint8_t *contents = bytes + RAIM_SKIPPABLE_HEAD_BYTES;
    raim_skippable_head(bytes, contents_size);
    raim_writer writer = raim_writer_make(contents, FIXED_BYTES);
    for (size_t i = 0; i < sizeof RAIM_RECORDING_MAGIC; i++)
        raim_write_bits(&writer, (uint8_t)RAIM_RECORDING_MAGIC[i], 8);
    raim_write_bits(&writer, RAIM_RECORDING_FORMAT, 16);
    raim_write_bits(&writer, RAIM_WORLD_LAYOUT, 16);
    for (int i = 0; i < SIZES; i++)
        raim_write_bits(&writer, sizes[i], 16);
    raim_write_bits(&writer, first_tick, 32);
    raim_write_u64(&writer, (uint64_t)start_unix_ms);
    raim_writer_finish(&writer);
    memcpy(contents + FIXED_BYTES, scene, scene_size);
    writer = raim_writer_make(contents + FIXED_BYTES + scene_size, DIGEST_BYTES);
    raim_write_u64(&writer, raim_digest(contents, FIXED_BYTES + scene_size));
    raim_writer_finish(&writer);
}

static raim_vec2 read_point(raim_reader *reader)
{
    const int32_t x = (int32_t)raim_read_bits(reader, 32), y = (int32_t)raim_read_bits(reader, 32);
    return (raim_vec2){(double)x / RAIM_MAP_STEPS, (double)y / RAIM_MAP_STEPS};
}

// The parts of a map, and the memory of its definition.
struct map_parts {
    struct raim_map_def def;
    struct raim_obstacle_def *obstacles;
    raim_vec2 *spawns;
};

static bool allocate_obstacles(raim_reader *reader, struct map_parts *parts, uint32_t count)
{
    // Each obstacle takes more than 16 bytes of the head.
    if (count > RAIM_MAX_OBSTACLES || count > reader->size / 16)
        return false;
    parts->obstacles = calloc((size_t)count + 1, sizeof *parts->obstacles);
    return parts->obstacles != NULL;
}

static void read_map(raim_reader *reader, struct map_parts *parts)
{
    parts->def.border.min = read_point(reader);
    parts->def.border.max = read_point(reader);
    const uint32_t obstacles = raim_read_bits(reader, 16);
    reader->failed = reader->failed || !allocate_obstacles(reader, parts, obstacles);
    for (uint32_t i = 0; i < obstacles && !reader->failed; i++) {
        struct raim_obstacle_def *obstacle = &parts->obstacles[i];
        obstacle->count = (int)raim_read_bits(reader, 8);
        reader->failed =
            reader->failed || obstacle->count < 3 || obstacle->count > RAIM_MAX_OUTLINE_POINTS;
        for (int p = 0; p < obstacle->count && !reader->failed; p++)
            obstacle->points[p] = read_point(reader);
    }
    const uint32_t spawns = raim_read_bits(reader, 16);
    reader->failed = reader->failed || spawns > RAIM_MAX_SPAWNS;
    if (reader->failed)
        return;
    parts->spawns = calloc((size_t)spawns + 1, sizeof *parts->spawns);
    reader->failed = parts->spawns == NULL;
    for (uint32_t i = 0; i < spawns && !reader->failed; i++)
        parts->spawns[i] = read_point(reader);
    parts->def.obstacles = parts->obstacles;
    parts->def.obstacle_count = (int)obstacles;
    parts->def.spawns = parts->spawns;
    parts->def.spawn_count = (int)spawns;
}

static void read_rules(raim_reader *reader, raim_rules *rules)
{
    reader->failed = reader->failed || raim_read_bits(reader, 8) != RAIM_RULE_COUNT;
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        *raim_rule_value(rules, i) = raim_read_double(reader);
    reader->failed = reader->failed || raim_rules_check(rules) != NULL;
}

static void read_scene(raim_reader *reader, struct raim_recording_head *head)
{
    struct raim_recording_scene *scene = &head->scene;
    raim_read_short_text(reader, scene->version, RAIM_RECORDING_VERSION_BYTES);
    raim_read_short_text(reader, scene->arena, RAIM_MAX_ARENA_BYTES);
    scene->tick_hz = raim_read_bits(reader, 16);
    scene->max_players = raim_read_bits(reader, 16);
    scene->max_rewind = raim_read_bits(reader, 16);
    scene->view_width = raim_read_bits(reader, 16);
    scene->view_height = raim_read_bits(reader, 16);
    const uint32_t sight = raim_read_bits(reader, 8);
    scene->sight = sight == 1;
    reader->failed = reader->failed || sight > 1 || scene->tick_hz < 10 || scene->tick_hz > 240 ||
                     scene->max_players < 1 || scene->max_players > RAIM_MAX_PLAYERS ||
                     scene->max_rewind > RAIM_MAX_REWIND || scene->view_width < 100 ||
                     scene->view_width > 10000 || scene->view_height < 100 ||
                     scene->view_height > 10000;
    read_rules(reader, &scene->rules);
    scene->identity = raim_read_u64(reader);
    raim_read_short_text(reader, head->map_name, RAIM_MAP_NAME_BYTES - 1);
}

static bool reject(char *error, size_t capacity, const char *why)
{
    raim_recording_explain(error, capacity, (const char *const[]){why, NULL});
    return false;
}

// Makes the map and compares what it and the rules amount to with the head.
static bool make_map(struct raim_recording_head *head, const struct map_parts *parts,
                     struct raim_map **map)
{
    struct raim_map_problem problem;
    struct raim_map *made = raim_map_create(&parts->def, &problem);
    const struct raim_world_def def = raim_recording_scene_world(&head->scene);
    void *memory = made != NULL ? malloc(raim_world_size(&def)) : NULL;
    const bool is_same = memory != NULL && raim_world_identity(raim_world_init(memory, &def),
                                                               made) == head->scene.identity;
    free(memory);
    if (!is_same) {
        raim_map_destroy(made);
        return false;
    }
    *map = made;
    head->scene.map = made;
    return true;
}

static uint32_t read_versions(raim_reader *reader, struct raim_recording_head *head)
{
    for (size_t i = 0; i < sizeof RAIM_RECORDING_MAGIC; i++)
        if (raim_read_bits(reader, 8) != (uint8_t)RAIM_RECORDING_MAGIC[i])
            reader->failed = true;
    head->format = raim_read_bits(reader, 16);
    head->layout = raim_read_bits(reader, 16);
    uint32_t different = 0;
    for (int i = 0; i < SIZES; i++)
        different |= raim_read_bits(reader, 16) ^ sizes[i];
    head->first_tick = raim_read_bits(reader, 32);
    head->start_unix_ms = (int64_t)raim_read_u64(reader);
    return different;
}

static bool reject_version(raim_reader *reader, char *error, size_t capacity)
{
    char version[RAIM_RECORDING_VERSION_BYTES + 1];
    raim_read_short_text(reader, version, RAIM_RECORDING_VERSION_BYTES);
    const char *const texts[] = {
        "it was recorded by another version, whose worlds differ: it needs ",
        reader->failed || version[0] == '\0' ? "an unknown one" : version, NULL};
    raim_recording_explain(error, capacity, texts);
    return false;
}

bool raim_recording_head_read(const uint8_t *bytes, size_t size, struct raim_recording_head *head,
                              struct raim_map **map, char *error, size_t capacity)
{
    *head = (struct raim_recording_head){0};
    if (!raim_recording_is_supported())
        return reject(error, capacity, "recordings need a little-endian machine");
    const struct raim_frame frame = raim_frame_at(bytes, size);
    if (frame.kind != RAIM_FRAME_SKIPPABLE || frame.contents_size < FIXED_BYTES + DIGEST_BYTES ||
        frame.contents_size > RAIM_RECORDING_MAX_HEAD_BYTES)
        return reject(error, capacity, "it is no recording");
    raim_reader reader = raim_reader_make(frame.contents, frame.contents_size - DIGEST_BYTES);
    const uint32_t different = read_versions(&reader, head);
    if (reader.failed)
        return reject(error, capacity, "it is no recording");
    if (head->format != RAIM_RECORDING_FORMAT || head->layout != RAIM_WORLD_LAYOUT ||
        different != 0) {
        head->is_foreign = true;
        return reject_version(&reader, error, capacity);
    }
    raim_reader digest = raim_reader_make(frame.contents + reader.size, DIGEST_BYTES);
    if (raim_read_u64(&digest) != raim_digest(frame.contents, reader.size))
        return reject(error, capacity, "its head is damaged");
    head->size = frame.size;
    read_scene(&reader, head);
    struct map_parts parts = {.def.name = head->map_name};
    bool is_good = !reader.failed;
    if (is_good && map != NULL) {
        read_map(&reader, &parts);
        is_good = raim_reader_done(&reader) && make_map(head, &parts, map);
    }
    free(parts.obstacles);
    free(parts.spawns);
    return is_good || reject(error, capacity, "its head describes no arena");
}
