// SPDX-License-Identifier: MIT
// A long match of bots on a shipped map. Every step is tested against the rules of motion.
// With RAIM_SOAK=1 it has a million ticks, otherwise a tenth of them.
#include "bot_fixture.h"
#include "chance_outlines.h"
#include "map_file.h"
#include "test.h"

enum { BOTS = 12, TICK_HZ = 60, STUCK_TICKS = 2 * TICK_HZ, REWIND = 9 };

// The time for which a bot has tried to move without leaving its position.
struct stall {
    int ticks;
    raim_vec2 from;
};

struct game {
    struct raim_map *map;
    raim_box bounds[RAIM_MAX_OBSTACLES]; // of the map's outlines
    struct raim_world *world;
    raim_player *players;
    struct raim_bot bots[BOTS];
    struct stall stalls[BOTS];
    raim_input inputs[BOTS];
    raim_event items[16384];
    struct raim_events events;
    struct raim_world_workspace *workspace;
};

static struct game *begin(const char *map_path)
{
    struct diagnostics report = {.out = stderr};
    const struct raim_world_def def = {.rules = raim_rules_default(),
                                       .tick_hz = TICK_HZ,
                                       .max_players = BOTS,
                                       .max_rewind = REWIND,
                                       .seed = raim_random_next(&chance)};
    struct game *game = calloc(1, sizeof *game);
    game->map = map_file_load(map_path, NULL, def.rules.player_radius, &report);
    assert_non_null(game->map);
    for (int i = 0; i < game->map->outline_count; i++) {
        const struct raim_map_outline *outline = &game->map->outlines[i];
        game->bounds[i] = (raim_box){outline->points[0], outline->points[0]};
        for (int p = 1; p < outline->count; p++)
            game->bounds[i] = raim_box_include(game->bounds[i], outline->points[p]);
    }
    game->world = raim_world_init(malloc(raim_world_size(&def)), &def);
    game->players = raim_world_players(game->world);
    game->events = (struct raim_events){.items = game->items, .capacity = 16384};
    game->workspace = raim_world_workspace_create();
    for (int i = 0; i < BOTS; i++) {
        raim_world_join(game->world);
        raim_bot_init(&game->bots[i], raim_random_next(&chance));
    }
    return game;
}

static void end(struct game *game)
{
    raim_map_destroy(game->map);
    free(game->world);
    raim_world_workspace_destroy(game->workspace);
    free(game);
}

static void fail_at(const struct game *game, int slot, const char *what)
{
    const raim_player *player = &game->players[slot];
    fail_msg("tick %u: player %d at (%.17g, %.17g), before at (%.17g, %.17g), input %d %d, %s",
             game->world->tick, slot, player->position.x, player->position.y, player->previous.x,
             player->previous.y, game->inputs[slot].move_x, game->inputs[slot].move_y, what);
}

// Returns an upper bound of a movement. Rounding and sliding around a corner may lengthen a stride
// slightly, and every player nearby may push by up to a radius.
static double longest_move(const struct game *game, int slot)
{
    const raim_rules *rules = &game->world->rules;
    const double stride = rules->player_speed / TICK_HZ;
    const double reach = 2 * rules->player_radius + 4 * stride;
    double longest = 1.1 * stride;
    for (int other = 0; other < BOTS; other++)
        if (other != slot && game->players[other].state == RAIM_PLAYER_ALIVE &&
            raim_vec2_distance_squared(game->players[other].previous,
                                       game->players[slot].previous) < reach * reach)
            longest += rules->player_radius;
    return longest;
}

// The oracle uses the outlines as drawn, not the pieces that the game made of them.
static double gap_around(const struct game *game, raim_vec2 centre)
{
    const raim_box border = game->map->border;
    const double near = 2 * game->world->rules.player_radius;
    double gap = fmin(fmin(centre.x - border.min.x, border.max.x - centre.x),
                      fmin(centre.y - border.min.y, border.max.y - centre.y));
    for (int i = 0; i < game->map->outline_count; i++) {
        const struct raim_map_outline *outline = &game->map->outlines[i];
        if (raim_box_contains(raim_box_grow(game->bounds[i], near), centre))
            gap = fmin(gap, slow_outline_distance(outline->points, outline->count, centre));
    }
    return gap;
}

static void check_stall(const struct game *game, int slot, struct stall *stall)
{
    const raim_player *player = &game->players[slot];
    const raim_input *input = &game->inputs[slot];
    const bool idle = input->move_x == 0 && input->move_y == 0;
    const double gone = raim_vec2_distance_squared(player->position, stall->from);
    if (idle || gone > 2 * 2)
        *stall = (struct stall){0, player->position};
    else if (++stall->ticks > STUCK_TICKS)
        fail_at(game, slot, "stuck");
}

static void check(struct game *game, int slot)
{
    const raim_player *player = &game->players[slot];
    const double radius = game->world->rules.player_radius;
    struct stall *stall = &game->stalls[slot];
    if (player->state != RAIM_PLAYER_ALIVE) {
        stall->ticks = 0;
        return;
    }
    const raim_vec2 rounded = raim_map_round(player->position);
    if (player->position.x != rounded.x || player->position.y != rounded.y)
        fail_at(game, slot, "off the grid");
    if (gap_around(game, player->position) < radius - 1e-6)
        fail_at(game, slot, "in a wall");
    const double longest = longest_move(game, slot);
    if (raim_vec2_distance_squared(player->position, player->previous) > longest * longest)
        fail_at(game, slot, "too far");
    check_stall(game, slot, stall);
}

static void play(const char *map_path)
{
    const int ticks = getenv("RAIM_SOAK") != NULL ? 1000000 : chance_rounds(100000);
    struct game *game = begin(map_path);
    uint32_t kills = 0;
    for (int tick = 0; tick < ticks; tick++) {
        for (uint32_t slot = 0; slot < BOTS; slot++) {
            if (game->players[slot].state == RAIM_PLAYER_ALIVE)
                game->inputs[slot] =
                    bot_fixture_think(game->world, game->map, &game->bots[slot], slot, false);
            game->inputs[slot].rewind =
                (uint8_t)(slot % (REWIND + 1)); // a constant rewind for each player
        }
        raim_world_step(game->world, game->map, game->inputs, &game->events, game->workspace);
        for (uint32_t i = 0; i < game->events.count; i++)
            kills += game->events.items[i].kind == RAIM_EVENT_KILL;
        for (int slot = 0; slot < BOTS; slot++)
            check(game, slot);
    }
    print_message("%s: %d ticks, %u kills\n", game->map->name, ticks, kills);
    assert_true(kills > (uint32_t)ticks / 2000);
    end(game);
}

#define MAPS RAIM_SOURCE_DIR "/config/maps/"

TEST(duel)
{
    play(MAPS "duel.conf");
}

TEST(crossfire)
{
    play(MAPS "crossfire.conf");
}

TEST(ruins)
{
    play(MAPS "ruins.conf");
}
