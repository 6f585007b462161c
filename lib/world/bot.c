// SPDX-License-Identifier: MIT
// The bot's decisions: it looks for fights, chases, strafes, takes cover, leads its target with an
// error, and steers around obstacles.
#include "bot.h"

#include "bot_paths.h"
#include "random.h"
#include "sweep.h"

#include <math.h>

static const double goal_timeout_s = 4;     // after this time a goal counts as unreachable
static const double goal_reach_units = 800; // largest distance of the next goal
static const double goal_reached_units = 60;
static const double near_units = 180;     // least distance from a target
static const double far_units = 380;      // approaches a target beyond this
static const double whisker_units = 60;   // distance of the obstacle probes
static const double pursuit_s = 3;        // looks for a lost target at most so long
static const double pursuit_lead_s = 0.2; // heads for where it is so much later
static const double memory_s = 1;         // recognises a target that it has lost for less
static const double arrived_units = 150;  // from a place
enum {
    GOALS_TRIED = 8,
    STUCK_DECISIONS = 5,
    SIGHT_CHECKS = 3, // nearest enemies tried for a clear line
};

// What a bot heads for while it has no target.
enum { GOAL_RANDOM, GOAL_LOST_TARGET, GOAL_PLACE };

static const struct skill {
    double decision_interval_s; // to twice as long
    int turn_per_s;             // how fast it turns its aim, as an angle
    int aim_error;              // at most so much either way
    int fire_within;            // fires when its aim is this close
    double reaction_s;          // from seeing a target to the first shot
    uint32_t fire_of_8;         // decisions of 8 in which it fires at its target
    uint32_t cover_of_8;        // decisions of 8 in which it hides while it may not fire
} skills[RAIM_BOT_SKILLS] = {
#define TURN RAIM_ANGLE_TURN
    [RAIM_BOT_WANDERS] = {0.1, TURN * 3 / 2, TURN / 72, TURN / 60, 0, 8, 0},
    [RAIM_BOT_EASY] = {0.15, TURN, TURN / 30, TURN / 30, 0.5, 4, 0},
    [RAIM_BOT_NORMAL] = {0.1, TURN * 3 / 2, TURN / 60, TURN / 60, 0.25, 6, 2},
    [RAIM_BOT_HARD] = {0.05, TURN * 2, TURN / 180, TURN / 120, 0.1, 8, 2},
#undef TURN
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

static bool is_time(uint32_t tick, uint32_t when)
{
    return raim_tick_diff(tick, when) >= 0;
}

static bool is_near(raim_vec2 a, raim_vec2 b, double units)
{
    return raim_vec2_distance_squared(a, b) < units * units;
}

// Heads for one of the busiest places, other than the present one where there are several.
static void choose_place(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    const uint32_t places = raim_bot_paths_places(sight->paths);
    const uint32_t wanted = 2 + sight->players / 2;
    const uint32_t count = places < wanted ? places : wanted;
    uint32_t place = raim_random_below(&bot->random, count);
    if (bot->goal_kind == GOAL_PLACE && place == bot->place)
        place = (place + 1) % count;
    bot->goal_kind = GOAL_PLACE;
    bot->place = place;
    bot->goal = raim_bot_paths_place(sight->paths, place);
    bot->goal_tick = sight->tick + 60 * sight->tick_hz;
}

// Returns the desired direction of a skilled bot without a target: to where it lost its last one,
// then from place to place. A bot that is stuck runs at random for a second.
static raim_vec2 search(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    const bool is_stuck = bot->stuck_decisions >= STUCK_DECISIONS;
    if (is_stuck || raim_bot_paths_places(sight->paths) == 0) {
        if (is_stuck || is_time(sight->tick, bot->goal_tick) ||
            is_near(bot->goal, sight->position, goal_reached_units))
            choose_goal(bot, sight);
        bot->goal_kind = GOAL_RANDOM;
        bot->goal_tick = sight->tick + sight->tick_hz;
        bot->stuck_decisions = 0;
    }
    const double reached = bot->goal_kind == GOAL_PLACE ? arrived_units : goal_reached_units;
    if (raim_bot_paths_places(sight->paths) > 0 &&
        (is_time(sight->tick, bot->goal_tick) || is_near(bot->goal, sight->position, reached) ||
         (bot->goal_kind == GOAL_PLACE && bot->place >= raim_bot_paths_places(sight->paths))))
        choose_place(bot, sight);
    if (bot->goal_kind != GOAL_PLACE)
        return raim_vec2_sub(bot->goal, sight->position);
    const raim_vec2 next = raim_bot_paths_next(sight->paths, sight->position, bot->place);
    return raim_vec2_sub(next, sight->position);
}

static raim_vec2 wander(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    if (is_near(bot->goal, sight->position, goal_reached_units) ||
        is_time(sight->tick, bot->goal_tick) || bot->stuck_decisions >= STUCK_DECISIONS) {
        choose_goal(bot, sight);
        bot->stuck_decisions = 0;
    }
    return raim_vec2_sub(bot->goal, sight->position);
}

// Returns the desired direction of movement, without regard to obstacles.
static raim_vec2 choose_direction(struct raim_bot *bot, const struct raim_bot_observation *sight,
                                  const struct raim_bot_enemy *target)
{
    if (target == NULL || bot->stuck_decisions >= STUCK_DECISIONS)
        return sight->skill == RAIM_BOT_WANDERS ? wander(bot, sight) : search(bot, sight);
    if (raim_random_below(&bot->random, 8) == 0)
        bot->strafe = (int8_t)-bot->strafe;
    const raim_vec2 toward = raim_vec2_sub(target->position, sight->position);
    const double distance = raim_vec2_length(toward);
    const double closing = distance > far_units ? 1.0 : distance < near_units ? -1.0 : 0.1;
    const raim_vec2 across = {-toward.y * bot->strafe, toward.x * bot->strafe};
    return raim_vec2_mad(across, toward, closing);
}

// Chooses, of the eight directions of movement, the one that best agrees with the desired direction
// and has free space ahead. With an enemy, one that leads out of its sight is better.
static void steer(struct raim_bot *bot, const struct raim_bot_observation *sight, raim_vec2 desired,
                  const struct raim_bot_enemy *hide_from)
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
        const raim_vec2 end = raim_vec2_mad(sight->position, unit, room * whisker_units);
        const bool hides =
            hide_from != NULL && !raim_map_sees(sight->map, end, hide_from->position);
        const double score = along + 2 * room + steady + (hides ? 3 : 0);
        if (score > best) {
            best = score;
            bot->move_x = x;
            bot->move_y = y;
        }
    }
}

// Remembers the target, or, once a target is out of sight, heads for where it should be.
static void remember(struct raim_bot *bot, const struct raim_bot_observation *sight,
                     const struct raim_bot_enemy *target)
{
    if (target == NULL) {
        if (bot->target != 0 && sight->skill != RAIM_BOT_WANDERS) {
            bot->goal = raim_vec2_mad(bot->seen, bot->seen_velocity, pursuit_lead_s);
            bot->goal_kind = GOAL_LOST_TARGET;
            bot->goal_tick = sight->tick + (uint32_t)(pursuit_s * sight->tick_hz);
        }
        bot->target = 0;
        return;
    }
    const uint32_t memory = (uint32_t)(memory_s * sight->tick_hz);
    if (is_time(sight->tick, bot->seen_tick + memory))
        bot->noticed_tick = sight->tick;
    bot->target = target->key;
    bot->seen = target->position;
    bot->seen_velocity = target->velocity;
    bot->seen_shielded = target->shielded;
    bot->seen_tick = sight->tick;
}

static void decide(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    const struct skill *skill = &skills[sight->skill];
    const double stride = sight->rules->player_speed * skill->decision_interval_s;
    const double moved = raim_vec2_distance_squared(sight->position, bot->decided_from);
    bot->stuck_decisions = moved < stride * stride / 16 ? bot->stuck_decisions + 1 : 0;
    bot->decided_from = sight->position;

    const struct raim_bot_enemy *target = find_target(sight);
    remember(bot, sight, target);
    bot->aim_error =
        (int16_t)((int)raim_random_below(&bot->random, 2 * (uint32_t)skill->aim_error + 1) -
                  skill->aim_error);
    bool hides = false;
    if (sight->skill != RAIM_BOT_WANDERS && target != NULL) {
        bot->holds_fire = raim_random_below(&bot->random, 8) >= skill->fire_of_8;
        hides = sight->cooldown_ticks > 0 && raim_random_below(&bot->random, 8) < skill->cover_of_8;
    }
    steer(bot, sight, choose_direction(bot, sight, target), hides ? target : NULL);
    const uint32_t every = (uint32_t)(skill->decision_interval_s * sight->tick_hz);
    bot->decision_tick = sight->tick + every + raim_random_below(&bot->random, every + 1);
}

static void turn_aim(struct raim_bot *bot, const struct raim_bot_observation *sight,
                     raim_angle wanted)
{
    const int16_t turn = (int16_t)(uint16_t)(wanted - bot->aim);
    const int turn_per_tick = skills[sight->skill].turn_per_s / (int)sight->tick_hz;
    const int16_t most = (int16_t)(turn_per_tick < INT16_MAX ? turn_per_tick : INT16_MAX);
    const int16_t taken = turn > most ? most : turn < -most ? (int16_t)-most : turn;
    bot->aim = (raim_angle)(bot->aim + taken);
}

// Finds the target as the bot knows it: a skilled one goes by what it saw when it decided.
static bool recall_target(const struct raim_bot *bot, const struct raim_bot_observation *sight,
                          struct raim_bot_enemy *target)
{
    if (bot->target == 0)
        return false;
    if (sight->skill == RAIM_BOT_WANDERS) {
        const struct raim_bot_enemy *enemy = enemy_with_key(sight, bot->target);
        if (enemy != NULL)
            *target = *enemy;
        return enemy != NULL;
    }
    const double age_s = (double)raim_tick_diff(sight->tick, bot->seen_tick) / sight->tick_hz;
    *target = (struct raim_bot_enemy){
        .position = raim_vec2_mad(bot->seen, bot->seen_velocity, age_s),
        .velocity = bot->seen_velocity,
        .shielded = bot->seen_shielded != 0,
    };
    return true;
}

// Whether a skilled bot fires at a target so far away, when its aim is right.
static bool may_fire(const struct raim_bot *bot, const struct raim_bot_observation *sight,
                     double flight_s)
{
    const uint32_t reaction = (uint32_t)(skills[sight->skill].reaction_s * sight->tick_hz);
    return bot->holds_fire == 0 && flight_s < sight->rules->bullet_lifetime &&
           is_time(sight->tick, bot->noticed_tick + reaction);
}

raim_input raim_bot_think(struct raim_bot *bot, const struct raim_bot_observation *sight)
{
    if (raim_bot_decides(bot, sight->tick))
        decide(bot, sight);

    raim_input input = {.move_x = bot->move_x, .move_y = bot->move_y};
    struct raim_bot_enemy target;
    if (recall_target(bot, sight, &target)) {
        const raim_vec2 toward = raim_vec2_sub(target.position, sight->position);
        const double flight_s = raim_vec2_length(toward) / sight->rules->bullet_speed;
        const raim_vec2 lead = raim_vec2_mad(toward, target.velocity, flight_s);
        const raim_angle wanted = (raim_angle)(raim_angle_of(lead) + bot->aim_error);
        turn_aim(bot, sight, wanted);
        const int16_t off = (int16_t)(uint16_t)(wanted - bot->aim);
        const int within = skills[sight->skill].fire_within;
        input.fire = !target.shielded && off < within && off > -within &&
                     (sight->skill == RAIM_BOT_WANDERS || may_fire(bot, sight, flight_s));
    } else {
        const bool expects = bot->goal_kind == GOAL_LOST_TARGET;
        const raim_vec2 ahead = {bot->move_x, bot->move_y};
        turn_aim(bot, sight,
                 raim_angle_of(expects ? raim_vec2_sub(bot->goal, sight->position) : ahead));
    }
    input.aim = bot->aim;
    return input;
}
