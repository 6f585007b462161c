// SPDX-License-Identifier: MIT
// Text files that the build puts into the program (cmake/embed.cmake), NUL-terminated.
#pragma once

extern const char embedded_map_duel[];
extern const char embedded_map_crossfire[];
