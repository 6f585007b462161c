// SPDX-License-Identifier: MIT
// Interpolates between snapshots.
#include "interpolation.h"

#include "projectile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double fade_s = 0.1; // within which an error fades to a third
// Within which an error of an aim does. A hand turns so fast that an error of a tick is large, and
// so unsteadily that a change hides in the next one.
static const double aim_fade_s = 0.03;
// Ticks within which an aim turns from a snapshot to the next one, at most: the server may leave
// out one tick that brings nothing but aims.
static const uint32_t most_turn_ticks = 2;
static const double beyond_s = 0.25; // longest extrapolation beyond the newest snapshot
static const double share_in_time = 0.95;
static const double most_slew = 0.1; // largest share by which the shown time runs fast or slow
static const double settle_s = 0.5;  // within which it follows a new delay, as far as slew allows
// The largest error that fades, as a time of running; a player with a larger one jumps. A player
// that turns back where the snapshots stop is off by twice beyond_s, and the rest of an earlier
// error may be added.
static const double most_fading_s = 0.6;

bool raim_interpolation_create(struct raim_interpolation *interpolation, uint32_t tick_hz,
                               uint32_t slots, raim_vec2 eye)
{
    *interpolation = (struct raim_interpolation){.tick_hz = tick_hz, .eye = eye};
    interpolation->tracks = calloc(slots, sizeof *interpolation->tracks);
    interpolation->rows = calloc(slots, sizeof *interpolation->rows);
    return interpolation->tracks != NULL && interpolation->rows != NULL;
}

void raim_interpolation_destroy(struct raim_interpolation *interpolation)
{
    free(interpolation->tracks);
    free(interpolation->rows);
}

static double to_ticks(const struct raim_interpolation *interpolation, int64_t us)
{
    return (double)us * 1e-6 * interpolation->tick_hz;
}

static double to_ms(const struct raim_interpolation *interpolation, double ticks)
{
    return ticks * 1e3 / interpolation->tick_hz;
}

void raim_interpolation_receive(struct raim_interpolation *interpolation,
                                const struct raim_replica *replica, uint64_t now_us)
{
    if (!interpolation->any) {
        interpolation->any = true;
        interpolation->start_tick = replica->newest_tick;
        interpolation->start_us = now_us;
    }
    const int64_t ticks = raim_tick_diff(replica->newest_tick, interpolation->start_tick);
    raim_jitter_estimator_add(&interpolation->jitter, (int64_t)(now_us - interpolation->start_us) -
                                                          ticks * 1000000 / interpolation->tick_hz);
    interpolation->is_news = true;
}

double raim_interpolation_age(const struct raim_interpolation *interpolation,
                              struct raim_interpolation_time time)
{
    return raim_tick_diff(time.tick, interpolation->start_tick) + time.part - interpolation->ahead;
}

uint32_t raim_interpolation_tick(const struct raim_interpolation *interpolation,
                                 uint32_t newest_tick)
{
    return interpolation->looked
               ? interpolation->start_tick + (uint32_t)(int64_t)floor(interpolation->ahead)
               : newest_tick;
}

double raim_interpolation_jitter_ms(const struct raim_interpolation *interpolation)
{
    const int64_t late_us = raim_jitter_estimator_percentile(&interpolation->jitter, share_in_time);
    return (double)(late_us - raim_jitter_estimator_percentile(&interpolation->jitter, 0)) * 1e-3;
}

double raim_interpolation_delay_ms(const struct raim_interpolation *interpolation)
{
    if (!interpolation->looked)
        return 0;
    const int64_t since_us = (int64_t)(interpolation->looked_us - interpolation->start_us);
    const int64_t earliest_us = raim_jitter_estimator_percentile(&interpolation->jitter, 0);
    return to_ms(interpolation,
                 to_ticks(interpolation, since_us - earliest_us) - interpolation->ahead);
}

// --- Where a player is between snapshots ---

// A time, and the snapshots before and after it.
struct span {
    const struct raim_wire_frame *before, *after; // `after` NULL: beyond the newest snapshot
    struct raim_interpolation_time time;          // not before `before`
};

static struct span span_at(const struct raim_interpolation *interpolation,
                           const struct raim_replica *replica, double ahead)
{
    const double whole = floor(ahead);
    struct span span = {
        .time = {interpolation->start_tick + (uint32_t)(int64_t)whole, ahead - whole},
    };
    raim_replica_around(replica, span.time.tick, &span.before, &span.after);
    if (span.before == NULL) {
        span.before = span.after;
        span.time = (struct raim_interpolation_time){span.before->tick, 0};
        raim_replica_around(replica, span.time.tick, &span.before, &span.after);
    }
    return span;
}

// A straight line between two points of the grid, and the fraction of it that has been covered.
struct stretch {
    int32_t from[2], to[2];
    double part;
    uint32_t ticks; // for the whole line
};

static struct stretch stretch_of(const raim_wire_player *from, const raim_wire_player *to,
                                 double part, uint32_t ticks)
{
    return (struct stretch){{from->x, from->y}, {to->x, to->y}, part, ticks};
}

// Whether a player can run from one point to another within some ticks.
static bool is_run(const struct raim_wire_limits *limits, const raim_wire_player *from,
                   const raim_wire_player *to, uint32_t ticks)
{
    const int64_t x = (int64_t)to->x - from->x, y = (int64_t)to->y - from->y;
    const int64_t straight = limits->stride, diagonal = limits->diagonal;
    const int64_t longest = straight * straight > 2 * diagonal * diagonal ? straight * straight
                                                                          : 2 * diagonal * diagonal;
    return x * x + y * y <= longest * ticks * ticks;
}

// Where a player is at a time between two snapshots. The server sends a snapshot as soon as a tick
// differs from the prediction in more than aims, so a player moves as predicted until the tick
// before the next snapshot. Only a lost snapshot breaks this; it shows where the last tick would
// have to be longer than a player can run. Then the player is drawn on a straight line through the
// fewest ticks in which it can have run that far.
static struct stretch stretch_at(const struct raim_replica *replica, const struct span *span,
                                 uint32_t slot)
{
    const struct raim_wire_limits *limits = &replica->limits;
    const raim_wire_player *known = &span->before->players[slot];
    const uint32_t age = span->time.tick - span->before->tick;
    const raim_wire_player from = raim_wire_predict_player(limits, known, age);
    const raim_wire_player to = raim_wire_predict_player(limits, known, age + 1);
    if (span->after == NULL || !raim_set_has(span->after->seen_players, slot) ||
        span->after->players[slot].life != known->life)
        return stretch_of(&from, &to, span->time.part, 1);
    const raim_wire_player *next = &span->after->players[slot];
    const uint32_t gap = span->after->tick - span->before->tick;
    raim_wire_player last = raim_wire_predict_player(limits, known, gap - 1);
    uint32_t ticks = 1;
    while (ticks < gap && !is_run(limits, &last, next, ticks))
        last = raim_wire_predict_player(limits, known, gap - ++ticks);
    if (age < gap - ticks)
        return stretch_of(&from, &to, span->time.part, 1);
    return stretch_of(&last, next, (age - (gap - ticks) + span->time.part) / ticks, ticks);
}

// The aim at a time: it turns in the last ticks before the next snapshot, by the shorter angle.
static raim_angle aim_at(const struct span *span, uint32_t slot)
{
    const int shift = 16 - RAIM_WIRE_AIM_BITS;
    const struct raim_wire_frame *before = span->before, *after = span->after;
    const uint32_t aim = (uint32_t)before->players[slot].aim << shift;
    if (after == NULL || !raim_set_has(after->seen_players, slot))
        return (raim_angle)aim;
    const uint32_t gap = after->tick - before->tick;
    const double ticks = gap < most_turn_ticks ? gap : most_turn_ticks;
    const double left = raim_tick_diff(after->tick, span->time.tick) - span->time.part;
    const uint32_t next = (uint32_t)after->players[slot].aim << shift;
    return (raim_angle)(aim + (int32_t)(fmax(0, 1 - left / ticks) * (int16_t)(next - aim)));
}

// False where the player is not visible.
static bool player_at(const struct raim_replica *replica, const struct span *span, uint32_t slot,
                      struct raim_client_player *player)
{
    if (!raim_set_has(span->before->seen_players, slot))
        return false;
    const struct stretch stretch = stretch_at(replica, span, slot);
    const raim_vec2 from = raim_replica_units(stretch.from[0], stretch.from[1]);
    const raim_vec2 direction =
        raim_vec2_sub(raim_replica_units(stretch.to[0], stretch.to[1]), from);
    *player = (struct raim_client_player){
        .slot = slot,
        .position = raim_vec2_mad(from, direction, stretch.part),
        .velocity = raim_vec2_scale(direction, replica->tick_hz / (double)stretch.ticks),
        .aim = aim_at(span, slot),
        .life = (uint8_t)span->before->players[slot].life,
        .shielded = span->before->players[slot].shield != 0,
        .health = raim_replica_health(replica, &span->before->players[slot]),
    };
    return true;
}

// --- Errors that fade ---

// The track of a row of the last update. Only a player who was drawn has an error.
static struct raim_interpolation_track *track_of(struct raim_interpolation *interpolation,
                                                 uint32_t row)
{
    return &interpolation->tracks[interpolation->rows[row].slot];
}

static void fade(struct raim_interpolation *interpolation, uint64_t now_us)
{
    const double past_s = (double)(now_us - interpolation->looked_us) * 1e-6;
    const double kept = exp(-past_s / fade_s), aim_kept = exp(-past_s / aim_fade_s);
    interpolation->own.error = raim_vec2_scale(interpolation->own.error, kept);
    for (uint32_t row = 0; row < interpolation->row_count; row++) {
        struct raim_interpolation_track *track = track_of(interpolation, row);
        track->error = raim_vec2_scale(track->error, kept);
        track->aim_error *= aim_kept;
    }
}

// Corrects the last drawn position of a player by newer snapshots, without moving what was drawn.
static void absorb_correction(struct raim_interpolation_track *track, raim_vec2 position)
{
    track->error = raim_vec2_add(track->error, raim_vec2_sub(track->position, position));
    track->position = position;
}

// Corrects the last drawn aim by newer snapshots, without turning what was drawn. Of two errors
// that give the same aim it keeps the smaller one.
static void absorb_aim_correction(struct raim_interpolation_track *track, raim_angle aim)
{
    track->aim_error = remainder(track->aim_error + track->aim - aim, RAIM_ANGLE_TURN);
    track->aim = aim;
}

static void absorb_corrections(struct raim_interpolation *interpolation,
                               const struct raim_replica *replica)
{
    const struct span span = span_at(interpolation, replica, interpolation->ahead);
    for (uint32_t row = 0; row < interpolation->row_count; row++) {
        struct raim_client_player player;
        struct raim_interpolation_track *track = track_of(interpolation, row);
        if (track->seen && player_at(replica, &span, interpolation->rows[row].slot, &player) &&
            player.life == track->life) {
            absorb_correction(track, player.position);
            absorb_aim_correction(track, player.aim);
        }
    }
}

// Returns where to draw a player that is at a position.
static raim_vec2 place(struct raim_interpolation_track *track, raim_vec2 position, uint8_t life,
                       double most)
{
    if (!track->seen || track->life != life)
        track->aim_error = 0;
    if (!track->seen || track->life != life || raim_vec2_length_squared(track->error) > most * most)
        track->error = (raim_vec2){0, 0};
    track->seen = true;
    track->life = life;
    track->position = position;
    return raim_vec2_add(position, track->error);
}

static raim_angle place_aim(struct raim_interpolation_track *track, raim_angle aim)
{
    track->aim = aim;
    return (raim_angle)(aim + (int32_t)track->aim_error);
}

static double most_fading(const struct raim_replica *replica)
{
    return replica->rules.player_speed * most_fading_s;
}

// The local player's health as of the newest snapshot.
static uint8_t own_health(const struct raim_replica *replica, uint32_t slot)
{
    const struct raim_wire_frame *frame = raim_replica_frame(replica, replica->newest_tick);
    return frame != NULL && raim_set_has(frame->seen_players, slot)
               ? raim_replica_health(replica, &frame->players[slot])
               : (uint8_t)replica->rules.health;
}

// Fills the row of the local player. False while it is down; then only the position counts.
static bool place_own(struct raim_interpolation *interpolation, const struct raim_replica *replica,
                      const struct raim_prediction *prediction, struct raim_interpolation_time time,
                      struct raim_client_player *player)
{
    struct raim_interpolation_track *track = &interpolation->own;
    const struct raim_prediction_state *before = raim_prediction_at(prediction, time.tick);
    const struct raim_prediction_state *now = raim_prediction_at(prediction, time.tick + 1);
    const raim_vec2 position = raim_prediction_position(prediction, time.tick, time.part);
    // An error does not carry over to another life.
    if (track->seen && (!now->alive || track->life == now->life))
        absorb_correction(track, raim_prediction_position(prediction, interpolation->own_time.tick,
                                                          interpolation->own_time.part));
    interpolation->own_time = time;
    const bool goes_on = before->alive && now->alive && before->life == now->life;
    const raim_vec2 direction = raim_vec2_sub(now->position, before->position);
    *player = (struct raim_client_player){
        .slot = raim_player_slot(prediction->id),
        .position =
            place(track, position, now->alive ? now->life : track->life, most_fading(replica)),
        .velocity = goes_on ? raim_vec2_scale(direction, replica->tick_hz) : (raim_vec2){0, 0},
        .life = now->life,
        .shielded = now->shielded,
        .health = own_health(replica, raim_player_slot(prediction->id)),
    };
    return now->alive;
}

// Forgets who was drawn in the last update, and fills the set of them.
static void take_seen(struct raim_interpolation *interpolation,
                      const struct raim_client_player *own, uint64_t *were_seen)
{
    for (uint32_t row = 0; row < interpolation->row_count; row++) {
        struct raim_interpolation_track *track = track_of(interpolation, row);
        const uint32_t slot = interpolation->rows[row].slot;
        if (!track->seen || (own != NULL && own->slot == slot))
            continue;
        raim_set_add(were_seen, slot);
        track->seen = false;
    }
    interpolation->row_count = 0;
}

static void place_others(struct raim_interpolation *interpolation,
                         const struct raim_replica *replica, const struct raim_client_player *own)
{
    enum { WORDS = RAIM_WIRE_PLAYERS / 64 };
    uint64_t drawn[WORDS], were_seen[WORDS] = {0};
    const struct span span = span_at(interpolation, replica, interpolation->ahead);
    const uint32_t slots = replica->limits.players;
    interpolation->ahead =
        raim_tick_diff(span.time.tick, interpolation->start_tick) + span.time.part;
    take_seen(interpolation, own, were_seen);
    memcpy(drawn, span.before->seen_players, raim_set_words(slots) * sizeof *drawn);
    if (own != NULL)
        raim_set_add(drawn, own->slot);
    for (uint32_t slot = raim_set_next(drawn, 0, slots); slot < slots;
         slot = raim_set_next(drawn, slot + 1, slots)) {
        struct raim_client_player *row = &interpolation->rows[interpolation->row_count];
        struct raim_interpolation_track *track = &interpolation->tracks[slot];
        if (own != NULL && own->slot == slot) {
            *row = *own;
            interpolation->row_count++;
            continue;
        }
        if (raim_wire_is_own(span.before, slot) || !player_at(replica, &span, slot, row))
            continue;
        track->seen = raim_set_has(were_seen, slot);
        row->position = place(track, row->position, row->life, most_fading(replica));
        row->aim = place_aim(track, row->aim);
        interpolation->row_count++;
        if (!span.before->self.steers && span.before->self.slot == slot)
            interpolation->eye = row->position;
    }
}

// The tick to show: delayed by the 95th percentile of the snapshots' delay, plus one tick so that a
// snapshot lies on both sides.
static double wanted_ahead(const struct raim_interpolation *interpolation, uint64_t now_us)
{
    const int64_t since_us = (int64_t)(now_us - interpolation->start_us);
    return to_ticks(interpolation, since_us - raim_jitter_estimator_percentile(
                                                  &interpolation->jitter, share_in_time)) -
           1;
}

// Moves the shown time on: slews towards the wanted delay, and never goes back. Returns whether it
// jumped, as after the program was stopped.
static bool move_on(struct raim_interpolation *interpolation, const struct raim_replica *replica,
                    uint64_t now_us)
{
    const double ticks = to_ticks(interpolation, (int64_t)(now_us - interpolation->looked_us));
    const double wanted = wanted_ahead(interpolation, now_us);
    const double most_off = beyond_s * interpolation->tick_hz;
    const double most = raim_tick_diff(replica->newest_tick, interpolation->start_tick) + most_off;
    const double behind = wanted - (interpolation->ahead + ticks);
    if (!interpolation->looked || behind > most_off) {
        interpolation->ahead = fmin(wanted, most);
        return true;
    }
    const double at_once = behind * fmin(1, ticks / (settle_s * interpolation->tick_hz));
    const double slew = fmax(-most_slew * ticks, fmin(most_slew * ticks, at_once));
    interpolation->ahead =
        fmax(interpolation->ahead, fmin(most, interpolation->ahead + ticks + slew));
    return false;
}

void raim_interpolation_update(struct raim_interpolation *interpolation,
                               const struct raim_replica *replica,
                               const struct raim_prediction *prediction,
                               struct raim_interpolation_time own_time, raim_angle aim,
                               uint64_t now_us)
{
    struct raim_client_player own;
    fade(interpolation, now_us);
    if (interpolation->looked && interpolation->is_news)
        absorb_corrections(interpolation, replica);
    if (move_on(interpolation, replica, now_us) && interpolation->looked)
        absorb_corrections(interpolation, replica);
    const bool any_own = prediction != NULL && prediction->any;
    const bool is_own = any_own && place_own(interpolation, replica, prediction, own_time, &own);
    if (any_own) {
        own.aim = aim;
        interpolation->eye = own.position;
    }
    place_others(interpolation, replica, is_own ? &own : NULL);
    interpolation->looked = true;
    interpolation->looked_us = now_us;
    interpolation->is_news = false;
}

// --- Bullets ---

// The local player's bullet in a slot, from the first snapshot at or after the time that has one,
// because the shooter sees its bullets as soon as it fires. NULL: none.
static const raim_wire_bullet *own_launch(const struct raim_replica *replica,
                                          const struct span *span, uint32_t slot)
{
    for (uint32_t tick = span->before->tick; raim_tick_diff(tick, replica->newest_tick) <= 0;
         tick++) {
        const struct raim_wire_frame *frame = raim_replica_frame(replica, tick);
        if (frame != NULL && raim_set_has(frame->seen_bullets, slot))
            return &frame->bullets[slot];
    }
    return NULL;
}

// Another player's bullet in a slot, if it has been fired by this time and has not ended. NULL:
// none.
static const raim_wire_bullet *launch_at(const struct span *span, uint32_t slot)
{
    const struct raim_wire_frame *before = span->before, *after = span->after;
    const raim_wire_bullet *old =
        raim_set_has(before->seen_bullets, slot) ? &before->bullets[slot] : NULL;
    if (after == NULL || !raim_set_has(after->seen_bullets, slot))
        return old;
    const raim_wire_bullet *new = &after->bullets[slot];
    const uint32_t fired_tick = new->tick + new->rewind;
    const bool is_same = old != NULL && raim_wire_same_launch(old, new);
    return is_same || raim_tick_diff(span->time.tick, fired_tick) < 0 ? old : new;
}

// The position of a bullet, `age` ticks after its launch; at the muzzle before it.
static raim_vec2 bullet_at(const struct raim_replica *replica, const raim_bullet *bullet,
                           double age)
{
    const double flown_s = fmax(0, age) / replica->tick_hz;
    return raim_vec2_mad(bullet->origin, bullet->direction,
                         replica->rules.player_radius + replica->rules.bullet_speed * flown_s);
}

// Ticks from a bullet's launch to a time.
static double age_at(const raim_bullet *bullet, struct raim_interpolation_time time)
{
    return raim_tick_diff(time.tick, bullet->born_tick) + time.part;
}

// Fills the row of a bullet. False where it has ended: by age, or by an obstacle on the way from
// `from`. With `from` NULL the snapshots show that no obstacle has stopped it.
static bool fill(const struct raim_replica *replica, const raim_bullet *bullet,
                 struct raim_interpolation_time time, const raim_vec2 *from,
                 struct raim_client_bullet *row)
{
    const double age = age_at(bullet, time);
    if (age + bullet->flown >= raim_replica_bullet_ticks(replica))
        return false;
    const raim_vec2 position = bullet_at(replica, bullet, age);
    const double wall = from != NULL
                            ? raim_map_sweep(replica->map, *from, raim_vec2_sub(position, *from),
                                             replica->rules.bullet_radius)
                            : RAIM_SWEEP_MISS;
    if (wall <= 1 && bullet->bounces >= replica->rules.bounces)
        return false;
    // A bullet that is reflected rests at the obstacle until the tick ends.
    row->position =
        wall <= 1 ? raim_vec2_mad(*from, raim_vec2_sub(position, *from), wall) : position;
    row->velocity = raim_vec2_scale(bullet->direction, replica->rules.bullet_speed);
    return true;
}

static bool fill_received(const struct raim_replica *replica, const struct span *span,
                          const raim_wire_bullet *received, struct raim_client_bullet *row)
{
    const raim_bullet bullet = {
        .origin = raim_replica_units(received->x, received->y),
        .direction = raim_angle_direction(received->aim),
        .born_tick = received->tick,
    };
    // Beyond the newest snapshot only the map shows whether an obstacle stops the bullet, and
    // within a tick where one reflects it.
    const struct raim_interpolation_time known = {span->before->tick, 0};
    const raim_vec2 from = bullet_at(replica, &bullet, age_at(&bullet, known));
    const bool may_touch = span->after == NULL || replica->rules.bounces > 0;
    return fill(replica, &bullet, span->time, may_touch ? &from : NULL, row);
}

// Flies a bullet of the local player past obstacles up to a tick. Returns false where it has ended.
static bool fly(const struct raim_replica *replica, raim_bullet *bullet, uint32_t until)
{
    for (uint32_t tick = bullet->born_tick;
         replica->rules.bounces > 0 && raim_tick_diff(until, tick) > 0; tick++)
        if (!raim_bullet_pass(bullet, replica->map, &replica->rules, replica->tick_hz, tick))
            return false;
    return true;
}

static bool fill_predicted(const struct raim_replica *replica, raim_bullet bullet,
                           struct raim_interpolation_time time, struct raim_client_bullet *row)
{
    if (!fly(replica, &bullet, time.tick))
        return false;
    const raim_vec2 from = bullet.bounces == 0 ? bullet.origin : bullet_at(replica, &bullet, 0);
    return fill(replica, &bullet, time, &from, row);
}

// Fills the row of the local player's bullet that snapshots only show after a reflection which the
// time has not reached: it flew through recorded ticks when it was fired. Until then it flies as
// predicted.
static bool fill_before_reflection(const struct raim_replica *replica,
                                   const struct raim_prediction *prediction,
                                   struct raim_interpolation_time time,
                                   const raim_wire_bullet *received, struct raim_client_bullet *row)
{
    for (uint32_t late = 0; late <= RAIM_MAX_REWIND; late++) {
        raim_bullet shot[RAIM_MAX_PELLETS];
        const uint32_t pellets =
            raim_prediction_bullets(prediction, received->tick - 1 + late, shot);
        for (uint32_t i = 0; i < pellets; i++) {
            raim_bullet later = shot[i];
            if (fly(replica, &later, received->tick) && later.born_tick == received->tick &&
                later.aim == received->aim)
                return fill_predicted(replica, shot[i], time, row);
        }
    }
    return false;
}

uint32_t raim_interpolation_bullets(const struct raim_interpolation *interpolation,
                                    const struct raim_replica *replica,
                                    const struct raim_prediction *prediction,
                                    struct raim_client_bullet *bullets, uint32_t capacity)
{
    if (!interpolation->looked)
        return 0;
    const struct span span = span_at(interpolation, replica, interpolation->ahead);
    const uint32_t shots = replica->limits.shots, slots = raim_wire_bullets(&replica->limits);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < slots && count < capacity; slot++) {
        const raim_wire_bullet *received = raim_wire_is_own(span.before, slot / shots)
                                               ? own_launch(replica, &span, slot)
                                               : launch_at(&span, slot);
        if (received == NULL)
            continue;
        const bool is_early =
            replica->rules.bounces > 0 && prediction != NULL &&
            raim_tick_diff(received->tick, span.time.tick) > 0 &&
            fill_before_reflection(replica, prediction, span.time, received, &bullets[count]);
        if (is_early || fill_received(replica, &span, received, &bullets[count]))
            bullets[count++].owner = slot / shots;
    }
    if (prediction == NULL || !prediction->any)
        return count;
    for (uint32_t tick = prediction->base_tick; tick != prediction->tick; tick++) {
        raim_bullet shot[RAIM_MAX_PELLETS];
        const uint32_t pellets = raim_prediction_bullets(prediction, tick, shot);
        for (uint32_t i = 0; i < pellets && count < capacity; i++)
            if (fill_predicted(replica, shot[i], span.time, &bullets[count]))
                bullets[count++].owner = raim_player_slot(prediction->id);
    }
    return count;
}

// The index of the first sorted delay that is not below this one.
static uint32_t find(const struct raim_jitter_estimator *jitter, int64_t delay_us)
{
    uint32_t low = 0, high = jitter->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (jitter->sorted[middle] < delay_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void raim_jitter_estimator_add(struct raim_jitter_estimator *jitter, int64_t delay_us)
{
    int64_t *sorted = jitter->sorted;
    if (jitter->count == RAIM_JITTER_ESTIMATOR_SAMPLES) {
        const uint32_t oldest = find(jitter, jitter->samples[jitter->next]);
        jitter->count--;
        memmove(&sorted[oldest], &sorted[oldest + 1], (jitter->count - oldest) * sizeof *sorted);
    }
    const uint32_t index = find(jitter, delay_us);
    memmove(&sorted[index + 1], &sorted[index], (jitter->count - index) * sizeof *sorted);
    sorted[index] = delay_us;
    jitter->count++;
    jitter->samples[jitter->next] = delay_us;
    jitter->next = (jitter->next + 1) % RAIM_JITTER_ESTIMATOR_SAMPLES;
}

int64_t raim_jitter_estimator_percentile(const struct raim_jitter_estimator *jitter, double share)
{
    if (jitter->count == 0)
        return 0;
    const uint32_t above = (uint32_t)ceil(share * jitter->count);
    return jitter->sorted[above > 0 ? above - 1 : 0];
}
