// SPDX-License-Identifier: MIT
// Fills a picture from a client. It keeps its own copy of the map, so that the last picture stays
// valid while the client resumes its session.
#pragma once

#include "client.h"
#include "picture.h"

#include <stdbool.h>

// Start from all zero; end with camera_clear.
struct camera {
    struct raim_map *map;
    bool alive;
    double since_s; // when the local player spawned or fell
    // Scratch memory.
    struct raim_client_player players[RAIM_MAX_PLAYERS];
    struct raim_client_bullet bullets[RAIM_MAX_BULLETS];
};

void camera_clear(struct camera *camera);

// Copies the map of the arena that the client has just entered. False when memory runs out.
bool camera_enter(struct camera *camera, const struct raim_client *client);

// Fills a picture with what is visible. False, with the picture unchanged, where the client has
// nothing to draw yet.
bool camera_take(struct camera *camera, const struct raim_client *client, double now_s,
                 struct picture *picture);

// Seconds until the local player may spawn; 0 while it is alive.
double camera_spawns_in(const struct camera *camera, double respawn_delay_s, double now_s);
