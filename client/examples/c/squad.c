// SPDX-License-Identifier: MIT
// Three players that fight for ten seconds and print their shots and hits:
//     cc squad.c $(pkg-config --cflags --libs raimclient) -o squad && ./squad [HOST [PORT]]
#include <raim/link.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Runs at the nearest player in sight, or to the map's middle, and fires ahead of a player's run.
static raim_input choose(const struct raim_client *client, uint32_t tick)
{
    struct raim_client_player seen[64];
    const uint32_t count = raim_client_interpolated_players(client, seen, 64);
    const raim_vec2 eye = raim_client_eye(client);
    raim_vec2 way = raim_vec2_scale(eye, -1);
    raim_input input = {0};
    double nearest = 1000; // units; a bullet flies as far
    for (uint32_t i = 0; i < count; i++) {
        const raim_vec2 offset = raim_vec2_sub(seen[i].position, eye);
        const double distance = raim_vec2_length(offset);
        const double flight_s = distance / raim_client_rules(client)->bullet_speed;
        if (seen[i].slot == raim_client_own_slot(client) || distance > nearest ||
            !raim_map_sees(raim_client_map(client), eye, seen[i].position))
            continue;
        nearest = distance;
        way = offset;
        input.fire = 1;
        input.aim = raim_angle_of(raim_vec2_mad(way, seen[i].velocity, fmin(0.3, flight_s)));
    }
    const double side = tick % 60 < 30 ? 1 : -1, edge = 0.4 * raim_vec2_length(way);
    const raim_vec2 across = {-side * way.y, side * way.x}, run = raim_vec2_mad(across, way, 1.5);
    input.move_x = (run.x > edge) - (run.x < -edge);
    input.move_y = (run.y > edge) - (run.y < -edge);
    return input;
}

int main(int argc, char **argv)
{
    struct raim_client_def def = raim_client_default_def();
    def.name = "Squad";
    struct raim_link *links[3];
    for (int i = 0; i < 3; i++) {
        links[i] = raim_link_open(argc > 1 ? argv[1] : "127.0.0.1",
                                  (uint16_t)(argc > 2 ? atoi(argv[2]) : 7246), &def);
        if (links[i] == NULL)
            return EXIT_FAILURE;
    }
    for (const uint64_t end = raim_link_now_us() + 10000000; raim_link_now_us() < end;) {
        for (int i = 0; i < 3; i++) {
            struct raim_client *client = raim_link_client(links[i]);
            raim_link_update(links[i]);
            while (raim_link_is_input_due(links[i])) {
                raim_client_interpolate(client, raim_link_now_us());
                const raim_input input = choose(client, raim_client_tick(client));
                raim_link_send_input(links[i], &input);
            }
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    unsigned long long shots = 0, hits = 0;
    for (int i = 0; i < 3; i++) {
        const struct raim_client_stats *stats = raim_client_get_stats(raim_link_client(links[i]));
        shots += stats->shots;
        hits += stats->hits;
        raim_link_close(links[i]);
    }
    printf("%llu shots, %llu hits\n", shots, hits);
    return hits > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
