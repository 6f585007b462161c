// SPDX-License-Identifier: MIT
// Text files that the build embeds in the program (tools/generate/embed.cmake), NUL-terminated.
#pragma once

extern const char embedded_config_demo[];
extern const char embedded_map_duel[];
extern const char embedded_map_crossfire[];
extern const char embedded_dashboard_html[];
extern const char embedded_dashboard_css[];
extern const char embedded_script_arena[];
extern const char embedded_script_arenas[];
extern const char embedded_script_dashboard[];
extern const char embedded_script_live_map[];
extern const char embedded_script_net[];
extern const char embedded_script_commands[];
extern const char embedded_script_page[];
extern const char embedded_script_plots[];
extern const char embedded_script_results[];
extern const char embedded_schema_status[];
extern const char embedded_schema_summary[];
extern const char embedded_schema_history[];
extern const char embedded_schema_recordings[];
extern const char embedded_schema_events[];
extern const char embedded_schema_results[];
extern const char embedded_schema_leaderboard[];
