// SPDX-License-Identifier: MIT
// The map with room for more obstacles than the wire can tell, to see how their cost grows. Linked
// into a bench, it takes the place of the library's. Lines of sight keep the library's limit.
#include "map.h"

#include "scene.h"

#undef RAIM_MAX_OBSTACLES
#define RAIM_MAX_OBSTACLES SCENE_MAX_OBSTACLES
#include "map.c"
