// SPDX-License-Identifier: MIT
// What to draw: everybody but the own player between snapshots, as late as the network's jitter
// makes needful, and the own one as far ahead as its inputs. What a snapshot shows to be otherwise
// than it was drawn is not jumped to; the difference fades within a tenth of a second.
// See Bernier (2001), named in world.h, on interpolation; and Fiedler, Snapshot Interpolation,
// 2014, on the delay that it costs.
#pragma once

#include "jitter_estimator.h"
#include "prediction.h"
#include "replica.h"

// What was drawn of a player last.
struct raim_scene_track {
    bool seen;
    uint8_t life;
    raim_vec2 position; // as the snapshots had it
    raim_vec2 error;    // that is added to it, and fades
};

// A tick and a part of it, 0 to 1.
struct raim_scene_time {
    uint32_t tick;
    double part;
};

struct raim_scene {
    uint32_t tick_hz;

    // How snapshots come.
    bool any, is_news; // since the last look
    uint32_t start_tick;
    uint64_t start_us;
    struct raim_lateness lateness;

    // The last look.
    bool looked;
    uint64_t looked_us;
    double ahead; // ticks beyond start_tick of what is shown of the others
    struct raim_scene_time own_time;
    struct raim_scene_track own, *tracks; // by place
    struct raim_client_player *rows;
    uint32_t row_count;
    raim_vec2 eye;
};

// False where memory runs out; it is to be destroyed either way. `eye` is where to look while
// nothing is known.
bool raim_scene_create(struct raim_scene *scene, uint32_t tick_hz, uint32_t places, raim_vec2 eye);
void raim_scene_destroy(struct raim_scene *scene);

// The image's newest snapshot has just come.
void raim_scene_hear(struct raim_scene *scene, const struct raim_image *image, uint64_t now_us);

// Moves the picture on. Of a spectator `pilot` is NULL; else its player is shown at `own_time`,
// aiming at `aim`. The image holds a snapshot.
void raim_scene_look(struct raim_scene *scene, const struct raim_image *image,
                     const struct raim_pilot *pilot, struct raim_scene_time own_time,
                     raim_angle aim, uint64_t now_us);

// Fills at most `capacity` rows.
uint32_t raim_scene_bullets(const struct raim_scene *scene, const struct raim_image *image,
                            const struct raim_pilot *pilot, struct raim_client_bullet *bullets,
                            uint32_t capacity);

// Ticks from what is shown of the others to a tick.
double raim_scene_age(const struct raim_scene *scene, struct raim_scene_time time);

// In ms: by which 95 % of the snapshots came late at most, against the earliest; and by which the
// others are shown behind the earliest.
double raim_scene_jitter_ms(const struct raim_scene *scene);
double raim_scene_delay_ms(const struct raim_scene *scene);
