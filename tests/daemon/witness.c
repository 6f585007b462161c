// SPDX-License-Identifier: MIT
// Watches a player of a real server through the reference client and prints what it sees.
//
//   witness HOST PORT PLAYER SECONDS
//     Prints a line for each snapshot that has just come: its tick, and for every player in it
//     " place:x:y:life", in grid steps. Where the client has predicted a later tick meanwhile, it
//     shows that one, and nothing is printed: a prediction is not what the server sent.
#define _GNU_SOURCE
#include "client_internal.h"
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS_PER_UNIT = 32, PAUSE_NS = 2000000 };

static void print_players(const struct raim_client *client)
{
    struct raim_client_player players[RAIM_MAX_PLAYERS];
    const uint32_t count = raim_client_players(client, players, RAIM_MAX_PLAYERS);
    printf("%u", raim_client_tick(client));
    for (uint32_t i = 0; i < count; i++)
        printf(" %u:%.0f:%.0f:%u", players[i].slot, players[i].position.x * STEPS_PER_UNIT,
               players[i].position.y * STEPS_PER_UNIT, players[i].life);
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 64;
    struct raim_client_def def = raim_client_default_def();
    def.watch = true;
    def.target = (raim_player_id)atoi(argv[3]);
    struct raim_link *link = raim_link_open(argv[1], (uint16_t)atoi(argv[2]), &def);
    if (link == NULL)
        return 1;
    const struct raim_client *client = raim_link_client(link);
    const uint64_t end_us = raim_link_now_us() + (uint64_t)(atof(argv[4]) * 1e6);
    uint64_t printed = 0;
    while (raim_link_now_us() < end_us && raim_client_state(client) != RAIM_CLIENT_ENDED) {
        raim_link_service(link);
        const uint64_t snapshots = raim_client_stats(client)->snapshots;
        if (raim_client_state(client) == RAIM_CLIENT_PLAYING && snapshots != printed) {
            if (raim_client_tick(client) == client->replica.newest_tick)
                print_players(client);
            printed = snapshots;
        }
        while (raim_link_is_input_due(link))
            raim_link_send_input(link, &(raim_input){0});
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
    }
    const bool good = raim_client_stats(client)->decode_errors == 0 &&
                      raim_client_state(client) != RAIM_CLIENT_ENDED;
    raim_link_close(link);
    return good ? 0 : 1;
}
