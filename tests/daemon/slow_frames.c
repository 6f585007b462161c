// SPDX-License-Identifier: MIT
// Plays with slow frames, as a game does whose display holds it up, and clicks in some of them.
//
//   slow_frames HOST PORT SECONDS FRAME_MS thread|frame
//     `thread` lets the link's service thread send and receive, `frame` does so once per frame.
//     Prints "state= frames= clicks= shots= round_trip_ms= wait_ms=", the last being the longest
//     time that a frame waited for the link.
#define _GNU_SOURCE
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A click lasts for none of the frame; so many frames are without one, so that the gun is loaded.
enum { FRAMES_PER_CLICK = 4, GOODBYE_MS = 1000 };

static struct {
    uint32_t frames, clicks;
    uint64_t longest_wait_us;
    const struct raim_map *map;
} game;

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

// Copies what a frame draws. Returns whether the client plays.
static bool copy_scene(struct raim_client *client)
{
    static struct raim_client_player players[RAIM_MAX_PLAYERS];
    static struct raim_client_bullet bullets[RAIM_MAX_BULLETS];
    struct raim_client_event event;
    while (raim_client_next_event(client, &event))
        continue;
    if (raim_client_get_state(client) != RAIM_CLIENT_PLAYING)
        return false;
    raim_client_interpolate(client, raim_link_now_us());
    game.map = raim_client_map(client);
    if (!raim_client_can_draw(client))
        return false;
    raim_client_interpolated_players(client, players, RAIM_MAX_PLAYERS);
    raim_client_interpolated_bullets(client, bullets, RAIM_MAX_BULLETS);
    return true;
}

static void click(struct raim_link *link)
{
    raim_input input = {.fire = 1, .aim = (raim_angle)(game.clicks * 5000)};
    raim_link_set_input(link, &input);
    input.fire = 0;
    raim_link_set_input(link, &input);
    game.clicks++;
}

static void play_frame(struct raim_link *link, bool has_thread)
{
    if (!has_thread) {
        raim_link_update(link);
        while (raim_link_is_input_due(link))
            raim_link_send_input(link, &(raim_input){0});
    }
    const uint64_t begun_us = raim_link_now_us();
    raim_link_lock(link);
    const uint64_t waited_us = raim_link_now_us() - begun_us;
    const bool plays = copy_scene(raim_link_client(link));
    raim_link_unlock(link);
    if (waited_us > game.longest_wait_us)
        game.longest_wait_us = waited_us;
    game.frames += plays;
    if (plays && has_thread && game.frames % FRAMES_PER_CLICK == 0)
        click(link);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 64;
    struct raim_client_def def = raim_client_default_def();
    const bool has_thread = strcmp(argv[5], "thread") == 0;
    struct raim_link *link = raim_link_open(argv[1], (uint16_t)atoi(argv[2]), &def);
    if (link == NULL || (has_thread && !raim_link_start_thread(link)))
        return 1;
    const uint64_t end_us = raim_link_now_us() + (uint64_t)(atof(argv[3]) * 1e6);
    while (raim_link_now_us() < end_us) {
        play_frame(link, has_thread);
        pause_ms(atol(argv[4]));
    }
    raim_link_lock(link);
    const struct raim_client *client = raim_link_client(link);
    printf("state=%d frames=%u clicks=%u shots=%llu round_trip_ms=%.1f wait_ms=%.2f\n",
           (int)raim_client_get_state(client), game.frames, game.clicks,
           (unsigned long long)raim_client_get_stats(client)->shots,
           raim_client_get_quality(client).round_trip_ms, (double)game.longest_wait_us / 1000);
    raim_link_unlock(link);
    raim_link_leave(link);
    for (int ms = 0; ms < GOODBYE_MS && raim_link_is_open(link); ms++) {
        if (!has_thread)
            raim_link_update(link);
        pause_ms(1);
    }
    const bool is_closed = !raim_link_is_open(link);
    raim_link_close(link);
    return is_closed ? 0 : 1;
}
