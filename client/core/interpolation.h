// SPDX-License-Identifier: MIT
// Snapshot interpolation: where to draw everybody. Other players are interpolated between
// snapshots, delayed by as much as the network's jitter makes necessary, which a jitter estimator
// measures; the local player is predicted. A correction does not make a player jump: the error of
// what was drawn fades within a tenth of a second. See Bernier (2001), named in world.h, on
// interpolation; and Fiedler, Snapshot Interpolation, 2014, on its delay.
#pragma once

#include "prediction.h"
#include "replica.h"

#include <stdint.h>

// The jitter estimator gives percentiles of the delay of the newest packets of a steady stream.

#define RAIM_JITTER_ESTIMATOR_SAMPLES 128

// Delays are microseconds with a constant but unknown offset. Start from all zero.
struct raim_jitter_estimator {
    uint32_t count, next;
    int64_t samples[RAIM_JITTER_ESTIMATOR_SAMPLES]; // ring
    int64_t sorted[RAIM_JITTER_ESTIMATOR_SAMPLES];  // `samples` in ascending order
};

// Adds a delay. The newest RAIM_JITTER_ESTIMATOR_SAMPLES count.
void raim_jitter_estimator_add(struct raim_jitter_estimator *jitter, int64_t delay_us);

// The delay that a share of the samples, 0 to 1, did not exceed; 0 without samples.
int64_t raim_jitter_estimator_percentile(const struct raim_jitter_estimator *jitter, double share);

// Where a player was drawn last.
struct raim_interpolation_track {
    bool seen;
    uint8_t life;
    raim_vec2 position; // by the snapshots
    raim_vec2 error;    // added to the position for drawing; fades
    raim_angle aim;     // by the snapshots
    double aim_error;   // added to the aim for drawing, in binary angle; fades
};

// A tick and a fraction of it, 0 to 1.
struct raim_interpolation_time {
    uint32_t tick;
    double part;
};

struct raim_interpolation {
    uint32_t tick_hz;

    // Arrival of snapshots.
    bool any, is_news; // a snapshot has come: at all, and since the last look
    uint32_t start_tick;
    uint64_t start_us;
    struct raim_jitter_estimator jitter;

    // State at the last raim_interpolation_update.
    bool looked;
    uint64_t looked_us;
    double ahead; // ticks from start_tick to the tick at which the others are shown
    struct raim_interpolation_time own_time;
    struct raim_interpolation_track own, *tracks; // by slot
    struct raim_client_player *rows;
    uint32_t row_count;
    raim_vec2 eye;
};

// False when memory runs out; the caller destroys it in both cases. `eye` is the point of view, in
// units, until the first snapshot.
bool raim_interpolation_create(struct raim_interpolation *interpolation, uint32_t tick_hz,
                               uint32_t slots, raim_vec2 eye);
void raim_interpolation_destroy(struct raim_interpolation *interpolation);

// Notes that the replica's newest snapshot has just come.
void raim_interpolation_receive(struct raim_interpolation *interpolation,
                                const struct raim_replica *replica, uint64_t now_us);

// The tick shown at the last update; before the first one `newest_tick`.
uint32_t raim_interpolation_tick(const struct raim_interpolation *interpolation,
                                 uint32_t newest_tick);

// Interpolates to a time. The local player is shown at `own_time` with the aim `aim`; a spectator
// passes NULL for `prediction`. The replica must hold a snapshot.
void raim_interpolation_update(struct raim_interpolation *interpolation,
                               const struct raim_replica *replica,
                               const struct raim_prediction *prediction,
                               struct raim_interpolation_time own_time, raim_angle aim,
                               uint64_t now_us);

// Fills at most `capacity` rows and returns their number.
uint32_t raim_interpolation_bullets(const struct raim_interpolation *interpolation,
                                    const struct raim_replica *replica,
                                    const struct raim_prediction *prediction,
                                    struct raim_client_bullet *bullets, uint32_t capacity);

// Ticks from the time at which the others are shown to another time.
double raim_interpolation_age(const struct raim_interpolation *interpolation,
                              struct raim_interpolation_time time);

// Delays in ms above the smallest delay of a snapshot: the 95th percentile of the snapshots' delay,
// and the delay at which the others are shown.
double raim_interpolation_jitter_ms(const struct raim_interpolation *interpolation);
double raim_interpolation_delay_ms(const struct raim_interpolation *interpolation);
