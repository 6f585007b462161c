// SPDX-License-Identifier: MIT
// Players who cheat stand out from bots in the measures of the audit: a stepped match in which one
// player's aim snaps to whom it sees, one follows enemies behind walls, and the others are plain.
#include "audit_measures.h"
#include "bot_fixture.h"
#include "chance.h"
#include "interest.h"
#include "map_file.h"
#include "test.h"

enum { PLAYERS = 12, TICK_HZ = 60, TICKS = 240 * TICK_HZ, AIMBOT = 0, WALLHACK = 1, LATENCY = 6 };

struct game {
    struct raim_map *map;
    struct raim_world *world;
    struct raim_bot bots[PLAYERS];
    raim_input inputs[PLAYERS];
    raim_event items[4096];
    struct raim_events events;
    struct raim_world_workspace *workspace;
    struct raim_history history;
    struct raim_interest *interest;
    uint64_t sent[PLAYERS], bullets[64];
    struct audit_measures *measures;
};

static struct game *game_create(void)
{
    struct diagnostics report = {.out = stderr};
    const struct raim_world_def def = {.rules = raim_rules_default(),
                                       .tick_hz = TICK_HZ,
                                       .max_players = PLAYERS,
                                       .max_rewind = 12,
                                       .seed = raim_random_next(&chance)};
    struct game *game = calloc(1, sizeof *game);
    game->map = map_file_load(RAIM_SOURCE_DIR "/config/maps/crossfire.conf", NULL,
                              def.rules.player_radius, &report);
    assert_non_null(game->map);
    game->world = raim_world_init(malloc(raim_world_size(&def)), &def);
    game->events = (struct raim_events){.items = game->items, .capacity = 4096};
    game->workspace = raim_world_workspace_create();
    const struct raim_wire_limits limits = raim_wire_limits_of(game->world);
    assert_true(raim_history_create(&game->history, &limits, limits.history));
    game->interest = raim_interest_create(&(struct raim_interest_def){
        .map = game->map,
        .history = &game->history,
        .rules = def.rules,
        .tick_hz = TICK_HZ,
        .view = bot_fixture_view,
        .sight = true,
        .max_latency = LATENCY,
    });
    game->measures = audit_measures_create(&(struct audit_def){
        .map = game->map,
        .rules = def.rules,
        .tick_hz = TICK_HZ,
        .max_players = PLAYERS,
        .bullets_per_player = game->world->bullets_per_player,
        .max_rewind = def.max_rewind,
        .view = bot_fixture_view,
        .sight = true,
    });
    assert_non_null(game->interest);
    assert_non_null(game->measures);
    for (int i = 0; i < PLAYERS; i++) {
        raim_world_join(game->world);
        raim_bot_init(&game->bots[i], raim_random_next(&chance));
    }
    return game;
}

static void game_destroy(struct game *game)
{
    audit_measures_destroy(game->measures);
    raim_interest_destroy(game->interest);
    raim_history_destroy(&game->history);
    raim_map_destroy(game->map);
    free(game->world);
    raim_world_workspace_destroy(game->workspace);
    free(game);
}

// The nearest living enemy on the screen of a player, in sight or behind a wall; NULL: none.
static const raim_player *nearest(const struct game *game, int own, bool in_sight)
{
    const raim_player *players = raim_world_players_const(game->world);
    const raim_player *found = NULL;
    double least = INFINITY;
    for (int i = 0; i < PLAYERS; i++) {
        const raim_vec2 away = raim_vec2_sub(players[i].position, players[own].position);
        const double distance = raim_vec2_length(away);
        if (i == own || players[i].state != RAIM_PLAYER_ALIVE ||
            fabs(away.x) > bot_fixture_view.x / 2 || fabs(away.y) > bot_fixture_view.y / 2 ||
            raim_map_sees_circle(game->map, players[own].position, players[i].position,
                                 game->world->rules.player_radius) != in_sight ||
            distance >= least)
            continue;
        least = distance;
        found = &players[i];
    }
    return found;
}

static raim_angle aim_at(const struct game *game, int own, const raim_player *enemy)
{
    const raim_vec2 away =
        raim_vec2_sub(enemy->position, raim_world_players_const(game->world)[own].position);
    const raim_vec2 stride = raim_vec2_sub(enemy->position, enemy->previous);
    const double flight = raim_vec2_length(away) / game->world->rules.bullet_speed * TICK_HZ;
    return raim_angle_of(raim_vec2_mad(away, stride, flight));
}

static raim_input think(struct game *game, int own)
{
    raim_input input =
        bot_fixture_think(game->world, game->map, &game->bots[own], (uint32_t)own, false);
    const raim_player *seen = nearest(game, own, true);
    const raim_player *hidden = nearest(game, own, false);
    if (own == AIMBOT && seen != NULL) {
        input.aim = aim_at(game, own, seen);
        input.fire = 1;
    }
    if (own == WALLHACK && seen == NULL && hidden != NULL)
        input.aim = aim_at(game, own, hidden);
    return input;
}

static void step(struct game *game)
{
    const raim_player *players = raim_world_players_const(game->world);
    static const char *const names[] = {"aimbot", "wallhack"};
    struct audit_client clients[PLAYERS];
    for (int i = 0; i < PLAYERS; i++) {
        game->inputs[i] = players[i].state == RAIM_PLAYER_ALIVE ? think(game, i) : (raim_input){0};
        clients[i] = (struct audit_client){
            .name = i < 2 ? names[i] : "plain",
            .has_traffic = true,
            .sent = game->world->tick > 0 ? &game->sent[i] : NULL,
            .arrivals = 1,
            .round_trip_ms = UINT32_MAX,
        };
    }
    raim_world_step(game->world, game->map, game->inputs, &game->events, game->workspace);
    raim_history_record(&game->history, game->world);
    raim_interest_set_tick(game->interest, game->world->tick);
    for (uint32_t i = 0; i < PLAYERS; i++)
        raim_interest_find(game->interest, &(struct raim_viewer){i, true, LATENCY}, &game->sent[i],
                           game->bullets);
    assert_true(
        audit_measures_tick(game->measures, &(struct audit_tick){game->world, &game->events,
                                                                 game->inputs, clients, false}));
}

// The aim on hidden enemies, compared with a random aim.
static double on_hidden(const struct audit_player *player)
{
    return (double)(player->sent.on_ticks + player->unsent.on_ticks) /
           (player->sent.chance + player->unsent.chance);
}

static double on_target(const struct audit_player *player)
{
    return (double)player->shots_on_target / player->shots_at_seen;
}

static void check_aimbot(const struct audit_player *player, bool is_aimbot)
{
    const double reaction = distribution_quantile(&player->reaction, 0.5);
    const double fast = distribution_share_below(&player->reaction, TICK_HZ / 10);
    assert_true(player->shots_at_seen > 60 && player->reaction.count >= 5);
    assert_true(is_aimbot ? reaction <= 3 : reaction >= 4);
    assert_true(is_aimbot ? fast > 0.7 : fast < 0.7);
    assert_true(is_aimbot ? on_target(player) > 0.97 : on_target(player) < 0.97);
    assert_true(is_aimbot ? player->flicks >= 8 : player->flicks <= 4);
}

static void check_wallhack(const struct audit_player *player, bool is_wallhack)
{
    assert_true(is_wallhack ? on_hidden(player) > 7 : on_hidden(player) < 7);
    assert_true(is_wallhack ? player->tracking_ticks > 100 : player->tracking_ticks < 100);
}

TEST(cheats_stand_out)
{
    struct game *game = game_create();
    for (int tick = 0; tick < TICKS; tick++)
        step(game);
    uint32_t count, left_out;
    const struct audit_player *const *players =
        audit_measures_players(game->measures, &count, &left_out);
    assert_int_equal(count, PLAYERS);
    assert_int_equal(left_out, 0);
    double before = 0, chance_before = 0;
    for (uint32_t i = 0; i < count; i++) {
        check_aimbot(players[i], i == AIMBOT);
        check_wallhack(players[i], i == WALLHACK);
        before += i == WALLHACK ? 0 : players[i]->aimed_before;
        chance_before += i == WALLHACK ? 0 : players[i]->aimed_before_chance;
    }
    // Of one player there are too few sightings.
    assert_true(before < 3 * chance_before);
    assert_true(players[WALLHACK]->aimed_before > 5 * players[WALLHACK]->aimed_before_chance);
    game_destroy(game);
}
