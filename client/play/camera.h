// SPDX-License-Identifier: MIT
// Takes pictures of what a client shows. It keeps its own copy of the map, so that the last picture
// stays good while the client gets back to an arena.
#pragma once

#include "client.h"
#include "picture.h"

#include <stdbool.h>

// Start from all zero; end with camera_clear.
struct camera {
    struct raim_map *map;
    bool alive;
    double since_s;                                      // when the own player rose, or fell
    struct raim_client_bullet bullets[RAIM_MAX_BULLETS]; // room to work in
};

void camera_clear(struct camera *camera);

// The client has just entered an arena: copies its map. False when memory runs out.
bool camera_enter(struct camera *camera, const struct raim_client *client);

// Takes a picture of what is to be seen; false, and the picture stays as it is, where there is no
// scene yet.
bool camera_take(struct camera *camera, const struct raim_client *client, double now_s,
                 struct picture *picture);

// Seconds until the own player may rise; 0 while it lives.
double camera_rises_in(const struct camera *camera, const struct raim_client *client, double now_s);
