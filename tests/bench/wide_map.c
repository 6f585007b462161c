// SPDX-License-Identifier: MIT
// The map module with a larger capacity than the wire allows, to measure how the cost grows with
// the number of obstacles. A bench links it instead of the library's. Lines of sight keep the
// library's limit.
#include "map.h"

#include "scene.h"

#undef RAIM_MAX_OBSTACLES
#define RAIM_MAX_OBSTACLES SCENE_MAX_OBSTACLES
#include "map.c"
