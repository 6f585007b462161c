// SPDX-License-Identifier: MIT
// Plays a seeded match of scripted players and prints a digest of the world's named fields every
// 1000 ticks. The output must not depend on the compiler, the optimisation level or the byte order.
#include "digest.h"
#include "random.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLAYERS = 24, TICKS = 10000, EVERY = 1000, OBSTACLES = 40, REWIND = 13 };

// Scatters regular polygons of three to eight sides over the map; they may overlap.
static struct raim_map *make_map(uint64_t *random)
{
    static struct raim_obstacle_def obstacles[OBSTACLES];
    raim_vec2 spawns[16];
    const raim_box border = {{-1500, -1000}, {1500, 1000}};
    for (int i = 0; i < OBSTACLES; i++) {
        const int sides = 3 + (int)raim_random_below(random, 6);
        const double radius = 40 + 80 * raim_random_unit(random);
        const raim_angle turn = (raim_angle)raim_random_next(random);
        const raim_vec2 centre = {-1300 + 2600 * raim_random_unit(random),
                                  -600 + 1200 * raim_random_unit(random)};
        obstacles[i].count = sides;
        for (int corner = 0; corner < sides; corner++) {
            const raim_angle angle = (raim_angle)(turn + corner * RAIM_ANGLE_TURN / sides);
            obstacles[i].points[corner] =
                raim_vec2_mad(centre, raim_angle_direction(angle), radius);
        }
    }
    // Two rows of spawns, out of reach of the obstacles.
    for (int i = 0; i < 16; i++)
        spawns[i] = (raim_vec2){-1400 + 400 * (i % 8), i < 8 ? -900 : 900};
    const struct raim_map_def def = {
        .name = "golden",
        .border = border,
        .obstacles = obstacles,
        .obstacle_count = OBSTACLES,
        .spawns = spawns,
        .spawn_count = 16,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert(map != NULL);
    return map;
}

// A scripted player: it runs in random directions and shoots at its nearest opponent, with an
// error. Its thinking belongs to this test, so that better bots do not change the digests.
struct script {
    uint64_t random;
    uint32_t turn_tick; // when it runs in another direction and aims with another error
    int8_t move_x, move_y;
    int16_t error;
};

static const raim_player *nearest_opponent(const struct raim_world *world, uint32_t own)
{
    const raim_player *players = raim_world_players_const(world), *nearest = NULL;
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        if (slot != own && players[slot].state == RAIM_PLAYER_ALIVE &&
            (nearest == NULL ||
             raim_vec2_distance_squared(players[slot].position, players[own].position) <
                 raim_vec2_distance_squared(nearest->position, players[own].position)))
            nearest = &players[slot];
    return nearest;
}

static raim_input play(const struct raim_world *world, struct script *script, uint32_t own)
{
    enum { LONGEST_RUN = 60, ERROR = RAIM_ANGLE_TURN / 90 };
    const raim_player *self = &raim_world_players_const(world)[own];
    const raim_player *target = nearest_opponent(world, own);
    if (self->state != RAIM_PLAYER_ALIVE || target == NULL)
        return (raim_input){.aim = self->aim};
    const uint32_t rewind = raim_random_below(&script->random, REWIND + 1);
    // The opponent as this player saw it, `rewind` ticks ago.
    const raim_vec2 step = raim_vec2_sub(target->position, target->previous);
    const raim_vec2 seen = raim_vec2_mad(target->position, step, -(double)rewind);
    const raim_vec2 toward = raim_vec2_sub(seen, self->position);
    if (raim_tick_diff(world->tick, script->turn_tick) >= 0) {
        const bool chases = raim_random_below(&script->random, 4) != 0;
        const int x = (int)raim_random_below(&script->random, 3) - 1;
        const int y = (int)raim_random_below(&script->random, 3) - 1;
        script->move_x = (int8_t)(chases ? (toward.x > 0) - (toward.x < 0) : x);
        script->move_y = (int8_t)(chases ? (toward.y > 0) - (toward.y < 0) : y);
        script->turn_tick = world->tick + 1 + raim_random_below(&script->random, LONGEST_RUN);
        script->error = (int16_t)((int)raim_random_below(&script->random, 2 * ERROR + 1) - ERROR);
    }
    return (raim_input){
        .move_x = script->move_x,
        .move_y = script->move_y,
        .fire = raim_random_below(&script->random, 4) != 0,
        .rewind = (uint8_t)rewind,
        .aim = (raim_angle)(raim_angle_of(toward) + script->error),
    };
}

// A member whose value the digest covers. A member that is not named here, such as a new one, does
// not change the digest.
struct field {
    size_t offset, size;
};
#define FIELD(type, member)                                                                        \
    {                                                                                              \
        offsetof(type, member), sizeof(((type *)0)->member)                                        \
    }

static const struct field world_fields[] = {
    FIELD(struct raim_world, random),
    FIELD(struct raim_world, tick),
};

static const struct field player_fields[] = {
    FIELD(raim_player, position.x),
    FIELD(raim_player, position.y),
    FIELD(raim_player, previous.x),
    FIELD(raim_player, previous.y),
    FIELD(raim_player, score),
    FIELD(raim_player, deaths),
    FIELD(raim_player, shots),
    FIELD(raim_player, hits),
    FIELD(raim_player, id),
    FIELD(raim_player, aim),
    FIELD(raim_player, cooldown_ticks),
    FIELD(raim_player, respawn_ticks),
    FIELD(raim_player, shield_ticks),
    FIELD(raim_player, state),
    FIELD(raim_player, life),
    FIELD(raim_player, away),
};

static const struct field bullet_fields[] = {
    FIELD(raim_bullet, origin.x),    FIELD(raim_bullet, origin.y),  FIELD(raim_bullet, direction.x),
    FIELD(raim_bullet, direction.y), FIELD(raim_bullet, born_tick), FIELD(raim_bullet, owner),
    FIELD(raim_bullet, aim),         FIELD(raim_bullet, rewind),
};

static const struct field sample_fields[] = {
    FIELD(raim_position_sample, position.x), FIELD(raim_position_sample, position.y),
    FIELD(raim_position_sample, life),       FIELD(raim_position_sample, state),
    FIELD(raim_position_sample, shielded),
};

// The values of the fields, each in little-endian order.
struct canonical {
    uint8_t bytes[256 * 1024];
    size_t size;
};

static void put(struct canonical *to, const void *from, const struct field *fields, size_t count)
{
    const uint16_t one = 1;
    const bool is_big_endian = *(const uint8_t *)&one == 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *value = (const uint8_t *)from + fields[i].offset;
        const size_t size = fields[i].size;
        assert(to->size + size <= sizeof to->bytes);
        for (size_t byte = 0; byte < size; byte++)
            to->bytes[to->size++] = value[is_big_endian ? size - 1 - byte : byte];
    }
}
#define PUT(to, from, fields) put(to, from, fields, sizeof(fields) / sizeof((fields)[0]))

// Returns the digest of the named fields. Of the bullets it takes those in flight.
static uint64_t canonical_digest(const struct raim_world *world)
{
    static struct canonical canonical;
    static const struct field index[] = {{0, sizeof(uint32_t)}};
    canonical.size = 0;
    PUT(&canonical, world, world_fields);
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        PUT(&canonical, &raim_world_players_const(world)[slot], player_fields);
    for (uint32_t i = 0; i < world->max_bullets; i++) {
        const raim_bullet *bullet = &raim_world_bullets_const(world)[i];
        if (bullet->owner == RAIM_NOBODY)
            continue;
        PUT(&canonical, &i, index);
        PUT(&canonical, bullet, bullet_fields);
    }
    for (uint32_t tick = 0; tick < world->history_length; tick++)
        for (uint32_t slot = 0; slot < world->max_players; slot++)
            PUT(&canonical, &raim_world_history_const(world, tick)[slot], sample_fields);
    return raim_digest(canonical.bytes, canonical.size);
}

int main(void)
{
    static struct script scripts[PLAYERS];
    static raim_input inputs[PLAYERS];
    static raim_event items[4096];
    struct raim_events events = {.items = items, .capacity = 4096};
    struct raim_world_def def = {
        .rules = raim_rules_default(),
        .tick_hz = 60,
        .max_players = PLAYERS,
        .max_rewind = REWIND,
        .seed = 7246,
    };
    def.rules.bullet_speed = 4800; // so fast that many bullets hit in the past
    uint64_t random = 2026;
    struct raim_map *map = make_map(&random);
    void *memory = malloc(raim_world_size(&def));
    assert(memory != NULL);
    struct raim_world *world = raim_world_init(memory, &def);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        raim_world_join(world);
        scripts[i].random = raim_random_next(&random);
    }
    struct raim_world_workspace *workspace = raim_world_workspace_create();
    assert(workspace != NULL);
    uint32_t kills = 0, in_past = 0;
    for (int tick = 1; tick <= TICKS; tick++) {
        for (uint32_t slot = 0; slot < PLAYERS; slot++)
            inputs[slot] = play(world, &scripts[slot], slot);
        raim_world_step(world, map, inputs, &events, workspace);
        for (uint32_t i = 0; i < events.count; i++) {
            kills += events.items[i].kind == RAIM_EVENT_KILL;
            in_past += events.items[i].in_past;
        }
        if (tick % EVERY == 0)
            printf("%d %016" PRIx64 " kills %" PRIu32 " in the past %" PRIu32 "\n", tick,
                   canonical_digest(world), kills, in_past);
    }
    free(memory);
    raim_world_workspace_destroy(workspace);
    raim_map_destroy(map);
    return 0;
}
