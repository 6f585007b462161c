// SPDX-License-Identifier: MIT
// Watches a player of a real server through the reference client and prints what it sees.
//
//   witness HOST PORT PLAYER SECONDS [bullets | switch OTHER]
//     Prints a line for each snapshot that has come: its tick, and for every player in it
//     " place:x:y:life", in grid steps; with `bullets` also " b:vx:vy" for every bullet shown, in
//     units per second. It prints what was received, not what the client predicts from it. With
//     `switch` it asks to watch OTHER halfway through, and begins each line with the slot of the
//     player whose view it is.
#define _GNU_SOURCE
#include "client_internal.h"
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAUSE_NS = 2000000 };

struct shown {
    bool bullets, views;
};

static void print_bullets(const struct raim_client *client)
{
    static struct raim_client_bullet bullets[RAIM_MAX_BULLETS];
    const uint32_t count = raim_client_bullets(client, bullets, RAIM_MAX_BULLETS);
    for (uint32_t i = 0; i < count; i++)
        printf(" b:%.0f:%.0f", bullets[i].velocity.x, bullets[i].velocity.y);
}

static void print_frame(const struct raim_client *client, const struct raim_wire_frame *frame,
                        const struct shown *shown)
{
    const uint32_t slots = client->replica.limits.players;
    if (shown->views)
        printf("%u ", frame->self.slot);
    printf("%u", frame->tick);
    for (uint32_t slot = raim_set_next(frame->seen_players, 0, slots); slot < slots;
         slot = raim_set_next(frame->seen_players, slot + 1, slots)) {
        const raim_wire_player *player = &frame->players[slot];
        printf(" %u:%d:%d:%d", slot, player->x, player->y, player->life);
    }
    if (shown->bullets)
        print_bullets(client);
    printf("\n");
    fflush(stdout);
}

// Prints the snapshots that have come since the one of tick `*printed`: a late turn finds several.
static void print_snapshots(const struct raim_client *client, const struct shown *shown,
                            uint32_t *printed)
{
    const struct raim_replica *replica = &client->replica;
    const int32_t fresh = raim_tick_diff(replica->newest_tick, *printed);
    if (fresh < 0 || fresh > (int32_t)replica->limits.history) // of another match, or the first one
        *printed = replica->newest_tick - 1;
    while (*printed != replica->newest_tick) {
        const struct raim_wire_frame *frame = raim_replica_frame(replica, ++*printed);
        if (frame != NULL)
            print_frame(client, frame, shown);
    }
}

int main(int argc, char **argv)
{
    const struct shown shown = {
        .bullets = argc == 6 && strcmp(argv[5], "bullets") == 0,
        .views = argc == 7 && strcmp(argv[5], "switch") == 0,
    };
    if (argc != 5 && !shown.bullets && !shown.views)
        return 64;
    struct raim_client_def def = raim_client_default_def();
    def.watch = true;
    def.target = (raim_player_id)atoi(argv[3]);
    struct raim_link *link = raim_link_open(argv[1], (uint16_t)atoi(argv[2]), &def);
    if (link == NULL)
        return 1;
    const struct raim_client *client = raim_link_client(link);
    const uint64_t start_us = raim_link_now_us();
    const uint64_t end_us = start_us + (uint64_t)(atof(argv[4]) * 1e6);
    bool wants_switch = shown.views;
    uint32_t printed = 0;
    while (raim_link_now_us() < end_us && raim_client_get_state(client) != RAIM_CLIENT_ENDED) {
        raim_link_update(link);
        if (raim_client_get_state(client) == RAIM_CLIENT_PLAYING && client->replica.any)
            print_snapshots(client, &shown, &printed);
        if (wants_switch && raim_link_now_us() > start_us + (end_us - start_us) / 2) {
            raim_link_send_watch(link, (raim_player_id)atoi(argv[6]));
            wants_switch = false;
        }
        while (raim_link_is_input_due(link))
            raim_link_send_input(link, &(raim_input){0});
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
    }
    const bool good = raim_client_get_stats(client)->decode_errors == 0 &&
                      raim_client_get_state(client) != RAIM_CLIENT_ENDED;
    raim_link_close(link);
    return good ? 0 : 1;
}
