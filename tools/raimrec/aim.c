// SPDX-License-Identifier: MIT
// Angles between aims and targets.
#include "aim.h"

#include <math.h>

uint32_t aim_turn(raim_angle a, raim_angle b)
{
    const int32_t turn = (int16_t)(uint16_t)(a - b);
    return (uint32_t)(turn < 0 ? -turn : turn);
}

double aim_degrees(double turn)
{
    return turn * 360 / RAIM_ANGLE_TURN;
}

struct aim_target aim_target_at(raim_vec2 eye, raim_vec2 position, raim_vec2 velocity,
                                double radius, double bullet_speed, double lifetime)
{
    const raim_vec2 now = raim_vec2_sub(position, eye);
    const double flight_s = fmin(raim_vec2_length(now) / bullet_speed, lifetime);
    return (struct aim_target){now, raim_vec2_mad(now, velocity, flight_s), radius};
}

bool aim_is_on(raim_angle aim, const struct aim_target *target)
{
    const raim_vec2 direction = raim_angle_direction(aim);
    const double now = raim_vec2_cross(direction, target->now);
    const double lead = raim_vec2_cross(direction, target->lead);
    const double now_ahead = raim_vec2_dot(direction, target->now);
    const double lead_ahead = raim_vec2_dot(direction, target->lead);
    if ((now < 0) != (lead < 0)) { // the ray's line crosses the way from one to the other
        const double share = now / (now - lead);
        return now_ahead + share * (lead_ahead - now_ahead) > 0;
    }
    return (fabs(now) <= target->radius && now_ahead > 0) ||
           (fabs(lead) <= target->radius && lead_ahead > 0);
}

// The angle between the directions to both centres.
static uint32_t lead_angle(const struct aim_target *target)
{
    return aim_turn(raim_angle_of(target->now), raim_angle_of(target->lead));
}

uint32_t aim_error(raim_angle aim, const struct aim_target *target)
{
    const uint32_t now = aim_turn(aim, raim_angle_of(target->now));
    const uint32_t lead = aim_turn(aim, raim_angle_of(target->lead));
    if (now + lead <= lead_angle(target) + 1) // rounded
        return 0;
    return now < lead ? now : lead;
}

uint32_t aim_width(const struct aim_target *target)
{
    const double distance = fmin(raim_vec2_length(target->now), raim_vec2_length(target->lead));
    if (distance <= target->radius)
        return RAIM_ANGLE_TURN;
    const double pi = 3.14159265358979323846;
    const double half = asin(target->radius / distance) * RAIM_ANGLE_TURN / (2 * pi);
    const double width = 2 * half + lead_angle(target);
    return width < RAIM_ANGLE_TURN ? (uint32_t)width : RAIM_ANGLE_TURN;
}
