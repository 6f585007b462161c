// SPDX-License-Identifier: MIT
// Compares two worlds by tables of their fields.
#include "world_difference.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum kind { DOUBLE, U64, U32, U16, U8 };

struct field {
    const char *name;
    enum kind kind;
    size_t offset;
};

#define FIELD(type, kind, member)                                                                  \
    {                                                                                              \
#member, kind, offsetof(type, member)                                                      \
    }

static const struct field world_fields[] = {
    FIELD(struct raim_world, U64, random),
    FIELD(struct raim_world, U32, tick),
};

static const struct field player_fields[] = {
    FIELD(raim_player, DOUBLE, position.x),
    FIELD(raim_player, DOUBLE, position.y),
    FIELD(raim_player, DOUBLE, previous.x),
    FIELD(raim_player, DOUBLE, previous.y),
    FIELD(raim_player, U32, score),
    FIELD(raim_player, U32, deaths),
    FIELD(raim_player, U32, shots),
    FIELD(raim_player, U32, hits),
    FIELD(raim_player, U16, id),
    FIELD(raim_player, U16, generation),
    FIELD(raim_player, U16, aim),
    FIELD(raim_player, U16, cooldown_ticks),
    FIELD(raim_player, U16, respawn_ticks),
    FIELD(raim_player, U16, shield_ticks),
    FIELD(raim_player, U8, state),
    FIELD(raim_player, U8, life),
    FIELD(raim_player, U8, away),
};

static const struct field bullet_fields[] = {
    FIELD(raim_bullet, DOUBLE, origin.x),
    FIELD(raim_bullet, DOUBLE, origin.y),
    FIELD(raim_bullet, DOUBLE, direction.x),
    FIELD(raim_bullet, DOUBLE, direction.y),
    FIELD(raim_bullet, U32, born_tick),
    FIELD(raim_bullet, U16, owner),
    FIELD(raim_bullet, U16, aim),
    FIELD(raim_bullet, U16, rewind),
};

static const struct field sample_fields[] = {
    FIELD(raim_position_sample, DOUBLE, position.x),
    FIELD(raim_position_sample, DOUBLE, position.y),
    FIELD(raim_position_sample, U8, life),
    FIELD(raim_position_sample, U8, state),
    FIELD(raim_position_sample, U8, shielded),
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

struct list {
    struct world_difference *items;
    uint32_t capacity, count;
};

static double value_of(const struct field *field, const void *object)
{
    const char *at = (const char *)object + field->offset;
    double number;
    uint64_t u64;
    uint32_t u32;
    uint16_t u16;
    switch (field->kind) {
    case DOUBLE:
        memcpy(&number, at, sizeof number);
        return number;
    case U64:
        memcpy(&u64, at, sizeof u64);
        return (double)u64;
    case U32:
        memcpy(&u32, at, sizeof u32);
        return u32;
    case U16:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case U8:
        break;
    }
    return *(const uint8_t *)at;
}

static size_t size_of(const struct field *field)
{
    static const size_t sizes[] = {sizeof(double), sizeof(uint64_t), sizeof(uint32_t),
                                   sizeof(uint16_t), sizeof(uint8_t)};
    return sizes[field->kind];
}

static void compare(struct list *list, const struct field *fields, size_t field_count,
                    const void *recorded, const void *simulated, struct world_difference where)
{
    for (size_t i = 0; i < field_count; i++) {
        const struct field *field = &fields[i];
        if (memcmp((const char *)recorded + field->offset, (const char *)simulated + field->offset,
                   size_of(field)) == 0)
            continue;
        where.field = field->name;
        where.recorded = value_of(field, recorded);
        where.simulated = value_of(field, simulated);
        if (list->count < list->capacity)
            list->items[list->count] = where;
        list->count++;
    }
}

static raim_player_id known_id(raim_player_id recorded, raim_player_id simulated)
{
    return recorded != RAIM_NOBODY ? recorded : simulated;
}

static void compare_history(struct list *list, const struct raim_world *recorded,
                            const struct raim_world *simulated)
{
    const raim_player *players = raim_world_players_const(recorded);
    const raim_player *others = raim_world_players_const(simulated);
    for (uint32_t age = recorded->history_length; age > 0; age--) {
        const uint32_t tick = recorded->tick - age;
        const raim_position_sample *one = raim_world_history_const(recorded, tick);
        const raim_position_sample *other = raim_world_history_const(simulated, tick);
        for (uint32_t slot = 0; slot < recorded->max_players; slot++)
            compare(list, sample_fields, COUNT(sample_fields), &one[slot], &other[slot],
                    (struct world_difference){.part = WORLD_HISTORY,
                                              .slot = slot,
                                              .tick = tick,
                                              .id = known_id(players[slot].id, others[slot].id)});
    }
}

uint32_t world_difference_find(const struct raim_world *recorded,
                               const struct raim_world *simulated,
                               struct world_difference *differences, uint32_t capacity)
{
    assert(raim_world_bytes(recorded) == raim_world_bytes(simulated));
    struct list list = {.items = differences, .capacity = capacity};
    compare(&list, world_fields, COUNT(world_fields), recorded, simulated,
            (struct world_difference){.part = WORLD_ITSELF});
    const raim_player *players = raim_world_players_const(recorded);
    const raim_player *other_players = raim_world_players_const(simulated);
    for (uint32_t slot = 0; slot < recorded->max_players; slot++)
        compare(
            &list, player_fields, COUNT(player_fields), &players[slot], &other_players[slot],
            (struct world_difference){.part = WORLD_PLAYER,
                                      .slot = slot,
                                      .id = known_id(players[slot].id, other_players[slot].id)});
    const raim_bullet *bullets = raim_world_bullets_const(recorded);
    const raim_bullet *other_bullets = raim_world_bullets_const(simulated);
    for (uint32_t slot = 0; slot < recorded->max_bullets; slot++)
        compare(&list, bullet_fields, COUNT(bullet_fields), &bullets[slot], &other_bullets[slot],
                (struct world_difference){
                    .part = WORLD_BULLET,
                    .slot = slot,
                    .id = known_id(bullets[slot].owner, other_bullets[slot].owner)});
    compare_history(&list, recorded, simulated);
    return list.count;
}
