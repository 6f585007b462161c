// SPDX-License-Identifier: MIT
// The bot's decisions: it wanders, chases, strafes, leads its target with an error, and steers
// around obstacles.
#include "bot.h"

#include "random.h"
#include "sweep.h"

#include <math.h>

static const double decision_interval_s = 0.1; // reaction time
static const double goal_timeout_s = 4;        // after this time a goal counts as unreachable
static const double goal_reach_units = 800;    // largest distance of the next goal
static const double goal_reached_units = 60;
static const double near_units = 180;   // least distance from a target
static const double far_units = 380;    // approaches a target beyond this
static const double whisker_units = 60; // distance of the obstacle probes
enum {
    TURN_PER_S = RAIM_ANGLE_TURN * 3 / 2, // how fast a bot turns its aim
    AIM_ERROR = RAIM_ANGLE_TURN / 72,     // at most 5 degrees either way
    FIRE_WITHIN = RAIM_ANGLE_TURN / 60,   // fires when its aim is this close
    GOALS_TRIED = 8,
    STUCK_DECISIONS = 5,
    SIGHT_CHECKS = 3, // nearest enemies tried for a clear line
};

void raim_bot_init(struct raim_bot *bot, uint64_t seed)
{
    *bot = (struct raim_bot){.random = seed, .strafe = (seed & 1) != 0 ? 1 : -1};
}

static const struct raim_bot_enemy *enemy_with_key(const struct raim_bot_observation *sight,
                                                   uint32_t key)
{
    for (uint32_t i = 0; i < sight->enemy_count; i++)
        if (sight->enemies[i].key == key)
            return &sight->enemies[i];
    return NULL;
}

// Returns the nearest visible enemy among the SIGHT_CHECKS nearest ones, or NULL.
static const struct raim_bot_enemy *find_target(const struct raim_bot_observation *sight)
{
    double beyond = -1;
    for (int check = 0; check < SIGHT_CHECKS; check++) {
        const struct raim_bot_enemy *nearest = NULL;
        double nearest_distance = INFINITY;
        for (uint32_t i = 0; i < sight->enemy_count; i++) {
            const struct raim_bot_enemy *enemy = &sight->enemies[i];
            const double distance = raim_vec2_distance_squared(enemy->position, sight->position);
            if (distance > beyond && distance < nearest_distance) {
                nearest = enemy;
                nearest_distance = distance;
            }
        }
        if (nearest == NULL)
            return NULL;
        if (raim_map_sees(sight->map, sight->position, nearest->position))
            return nearest;
        beyond = nearest_distance;
    }
    return NULL;
}

// Chooses a goal that a straight run reaches: of a few random directions, the one with the most
// free space, with a preference for the current heading.
static void choose_goal(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    const raim_vec2 heading = {bot->move_x, bot->move_y};
    double best = -INFINITY;
    for (int attempt = 0; attempt < GOALS_TRIED; attempt++) {
        const raim_angle angle = (raim_angle)raim_random_below(&bot->random, RAIM_ANGLE_TURN);
        const raim_vec2 direction = raim_angle_direction(angle);
        const double clear = fmin(1, raim_map_sweep(sight->map, sight->position,
                                                    raim_vec2_scale(direction, goal_reach_units),
                                                    sight->rules->player_radius));
        const double score = clear * (2 + raim_vec2_dot(direction, heading));
        if (score <= best)
            continue;
        best = score;
        bot->goal = raim_vec2_mad(sight->position, direction, clear * goal_reach_units);
    }
    bot->goal_tick = sight->tick + (uint32_t)(goal_timeout_s * sight->tick_hz);
}

// Returns the desired direction of movement, without regard to obstacles.
static raim_vec2 choose_direction(struct raim_bot *bot, const struct raim_bot_observation *sight,
                                  const struct raim_bot_enemy *target)
{
    if (target == NULL || bot->stuck_decisions >= STUCK_DECISIONS) {
        const double reached = goal_reached_units * goal_reached_units;
        if (raim_vec2_distance_squared(bot->goal, sight->position) < reached ||
            raim_tick_diff(sight->tick, bot->goal_tick) >= 0 ||
            bot->stuck_decisions >= STUCK_DECISIONS) {
            choose_goal(bot, sight);
            bot->stuck_decisions = 0;
        }
        return raim_vec2_sub(bot->goal, sight->position);
    }
    if (raim_random_below(&bot->random, 8) == 0)
        bot->strafe = (int8_t)-bot->strafe;
    const raim_vec2 toward = raim_vec2_sub(target->position, sight->position);
    const double distance = raim_vec2_length(toward);
    const double closing = distance > far_units ? 1.0 : distance < near_units ? -1.0 : 0.1;
    const raim_vec2 across = {-toward.y * bot->strafe, toward.x * bot->strafe};
    return raim_vec2_mad(across, toward, closing);
}

// Chooses, of the eight directions of movement, the one that best agrees with the desired direction
// and has free space ahead.
static void steer(struct raim_bot *bot, const struct raim_bot_observation *sight, raim_vec2 desired)
{
    const double length = raim_vec2_length(desired);
    double best = -INFINITY;
    if (length == 0)
        return;
    for (int direction = 0; direction < 8; direction++) {
        static const int8_t moves[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                           {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
        const int8_t x = moves[direction][0], y = moves[direction][1];
        const raim_angle angle = (raim_angle)(direction * (RAIM_ANGLE_TURN / 8));
        const raim_vec2 unit = raim_angle_direction(angle);
        const double along = raim_vec2_dot(unit, desired) / length;
        const double room = fmin(1, raim_map_sweep(sight->map, sight->position,
                                                   raim_vec2_scale(unit, whisker_units),
                                                   sight->rules->player_radius));
        // A bonus for the current direction prevents oscillation in front of an obstacle.
        const double steady = x == bot->move_x && y == bot->move_y ? 0.3 : 0;
        const double score = along + 2 * room + steady;
        if (score > best) {
            best = score;
            bot->move_x = x;
            bot->move_y = y;
        }
    }
}

static void decide(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    const double stride = sight->rules->player_speed * decision_interval_s;
    const double moved = raim_vec2_distance_squared(sight->position, bot->decided_from);
    bot->stuck_decisions = moved < stride * stride / 16 ? bot->stuck_decisions + 1 : 0;
    bot->decided_from = sight->position;

    const struct raim_bot_enemy *target = find_target(sight);
    bot->target = target != NULL ? target->key : 0;
    bot->aim_error = (int16_t)((int)raim_random_below(&bot->random, 2 * AIM_ERROR + 1) - AIM_ERROR);
    steer(bot, sight, choose_direction(bot, sight, target));
    const uint32_t every = (uint32_t)(decision_interval_s * sight->tick_hz);
    bot->decision_tick = sight->tick + every + raim_random_below(&bot->random, every + 1);
}

static void turn_aim(struct raim_bot *bot, uint32_t tick_hz, raim_angle wanted)
{
    const int16_t turn = (int16_t)(uint16_t)(wanted - bot->aim);
    const int16_t most = (int16_t)(TURN_PER_S / tick_hz);
    const int16_t taken = turn > most ? most : turn < -most ? (int16_t)-most : turn;
    bot->aim = (raim_angle)(bot->aim + taken);
}

raim_input raim_bot_think(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    if (raim_tick_diff(sight->tick, bot->decision_tick) >= 0)
        decide(bot, sight);

    raim_input input = {.move_x = bot->move_x, .move_y = bot->move_y};
    const struct raim_bot_enemy *target = enemy_with_key(sight, bot->target);
    if (bot->target != 0 && target != NULL) {
        const raim_vec2 toward = raim_vec2_sub(target->position, sight->position);
        const double flight_s = raim_vec2_length(toward) / sight->rules->bullet_speed;
        const raim_vec2 lead = raim_vec2_mad(toward, target->velocity, flight_s);
        const raim_angle wanted = (raim_angle)(raim_angle_of(lead) + bot->aim_error);
        turn_aim(bot, sight->tick_hz, wanted);
        const int16_t off = (int16_t)(uint16_t)(wanted - bot->aim);
        input.fire = !target->shielded && off < FIRE_WITHIN && off > -FIRE_WITHIN;
    } else {
        const raim_vec2 ahead = {bot->move_x, bot->move_y};
        turn_aim(bot, sight->tick_hz, raim_angle_of(ahead));
    }
    input.aim = bot->aim;
    return input;
}
