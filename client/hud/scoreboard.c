// SPDX-License-Identifier: MIT
// Copies the scoreboard.
#include "scoreboard.h"

#include <string.h>

static void take_scores(struct scoreboard *scoreboard, const struct raim_client *client)
{
    scoreboard->score_count = 0;
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        if (member->id == RAIM_NOBODY)
            continue;
        const bool own = slot == raim_client_own_slot(client);
        struct hud_score *score = &scoreboard->scores[scoreboard->score_count++];
        *score = (struct hud_score){
            .id = member->id,
            .own = own,
            .bot = member->bot,
            .score = member->score,
            .deaths = member->deaths,
            .ping_ms = own ? raim_client_get_quality(client).round_trip_ms : member->ping_ms,
        };
        memcpy(score->name, member->name, sizeof score->name);
    }
    hud_sort(scoreboard->scores, scoreboard->score_count);
}

uint32_t scoreboard_row(const struct scoreboard *scoreboard, raim_player_id id)
{
    uint32_t row = 0;
    while (row < scoreboard->score_count && scoreboard->scores[row].id != id)
        row++;
    return row;
}

void scoreboard_take(struct scoreboard *scoreboard, const struct raim_client *client)
{
    scoreboard->phase = raim_client_get_phase(client);
    strcpy(scoreboard->next_map, raim_client_next_map(client));
    scoreboard->is_spectator = raim_client_is_spectator(client);
    scoreboard->is_alive = raim_client_alive(client);
    scoreboard->awaits_spawn = raim_client_awaits_spawn(client);
    scoreboard->respawn_delay_s = raim_client_rules(client)->respawn_delay;
    scoreboard->watched = raim_client_get_roster_entry(client, raim_client_viewpoint(client))->id;
    take_scores(scoreboard, client);
}
