// SPDX-License-Identifier: MIT
// Writes a recording of a match, for tests and benches of what reads recordings.
//     record_match OUT SECONDS bots COUNT      server-side bots alone
//     record_match OUT SECONDS clients COUNT   over a simulated network: "bot-0" aims by program,
//                                              "bot-1" follows enemies behind walls
// The same arguments give the same bytes.
#include "map_file.h"
#include "netsim.h"
#include "recording_input.h"
#include "recording_scene.h"
#include "recording_writer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AIMBOT = 0, WALLHACK = 1, SEED = 1, START_S = 1767225600 };

struct recorder {
    struct raim_match *match;
    struct raim_recording_input *records;
    struct raim_recording_writer *writer;
    FILE *out;
};

static void save(struct recorder *recorder)
{
    size_t size;
    const uint8_t *bytes = raim_recording_writer_take(recorder->writer, &size);
    if (bytes != NULL && fwrite(bytes, 1, size, recorder->out) != size) {
        perror("record_match");
        exit(EXIT_FAILURE);
    }
}

static void append(struct recorder *recorder)
{
    size_t size;
    const uint8_t *chunk = raim_recording_input_take(recorder->records, &size);
    if (chunk != NULL && !raim_recording_writer_append(recorder->writer, chunk, size))
        exit(EXIT_FAILURE);
    save(recorder);
}

static void begin(struct recorder *recorder)
{
    struct raim_recording_scene scene;
    raim_match_scene(recorder->match, &scene);
    strcpy(scene.version, RAIM_VERSION);
    uint8_t *bytes = malloc(raim_recording_scene_bound(&scene));
    const size_t size =
        raim_recording_scene_write(&scene, bytes, raim_recording_scene_bound(&scene));
    const struct raim_world *world = raim_match_world(recorder->match);
    recorder->writer = raim_recording_writer_create();
    recorder->records = raim_recording_input_init(malloc(raim_recording_input_bytes(world)), world);
    if (!raim_recording_writer_begin(recorder->writer, bytes, size, world->tick,
                                     (int64_t)START_S * 1000))
        exit(EXIT_FAILURE);
    free(bytes);
    raim_match_record(recorder->match, recorder->records, SEED);
    append(recorder);
}

// After a tick whose messages were all pulled.
static void record(struct recorder *recorder)
{
    append(recorder);
    if (raim_recording_input_wants_keyframe(recorder->records)) {
        raim_match_keyframe(recorder->match);
        append(recorder);
    }
    assert(!raim_recording_input_has_overflowed(recorder->records));
}

static void end(struct recorder *recorder)
{
    raim_match_record(recorder->match, NULL, 0);
    append(recorder);
    if (!raim_recording_writer_end(recorder->writer))
        exit(EXIT_FAILURE);
    save(recorder);
    raim_recording_writer_destroy(recorder->writer);
    free(recorder->records);
}

// --- clients ---

// The aim at an enemy of this velocity in units/s.
static raim_angle lead(const struct netsim *netsim, raim_vec2 away, raim_vec2 velocity)
{
    const double speed = raim_match_world(netsim_match(netsim))->rules.bullet_speed;
    return raim_angle_of(raim_vec2_mad(away, velocity, raim_vec2_length(away) / speed));
}

static bool is_on_screen(const struct raim_client *client, raim_vec2 position)
{
    const raim_vec2 view = raim_client_view(client);
    const raim_vec2 away = raim_vec2_sub(position, raim_client_eye(client));
    return fabs(away.x) < view.x / 2 && fabs(away.y) < view.y / 2;
}

// Aims at the nearest enemy that the client shows. Returns false when it shows none.
static bool aim_at_seen(const struct netsim *netsim, const struct raim_client *client,
                        raim_input *input)
{
    struct raim_client_player players[NETSIM_MAX_PLAYERS];
    const uint32_t count = raim_client_interpolated_players(client, players, NETSIM_MAX_PLAYERS);
    const raim_vec2 eye = raim_client_eye(client);
    const double radius = raim_client_rules(client)->player_radius;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const raim_vec2 away = raim_vec2_sub(players[i].position, eye);
        if (players[i].slot == raim_client_own_slot(client) ||
            !is_on_screen(client, players[i].position) || raim_vec2_length(away) >= nearest ||
            !raim_map_sees_circle(raim_client_map(client), eye, players[i].position, radius))
            continue;
        nearest = raim_vec2_length(away);
        input->aim = lead(netsim, away, players[i].velocity);
    }
    return nearest < INFINITY;
}

// Aims at the nearest hidden enemy, as somebody tells who sees the whole arena.
static void aim_at_hidden(const struct netsim *netsim, const struct raim_client *client,
                          raim_input *input)
{
    const struct raim_world *world = raim_match_world(netsim_match(netsim));
    const raim_player *players = raim_world_players_const(world);
    double nearest = INFINITY;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_vec2 away = raim_vec2_sub(players[slot].position, raim_client_eye(client));
        const raim_vec2 stride = raim_vec2_sub(players[slot].position, players[slot].previous);
        if (slot == raim_client_own_slot(client) || players[slot].state != RAIM_PLAYER_ALIVE ||
            !is_on_screen(client, players[slot].position) || raim_vec2_length(away) >= nearest)
            continue;
        nearest = raim_vec2_length(away);
        input->aim = lead(netsim, away, raim_vec2_scale(stride, world->tick_hz));
    }
}

static void cheat(void *context, uint32_t player, raim_input *input)
{
    const struct netsim *netsim = *(const struct netsim *const *)context;
    const struct raim_client *client = netsim_client(netsim, player);
    raim_input seen = *input;
    if (player == AIMBOT && aim_at_seen(netsim, client, input))
        input->fire = 1;
    else if (player == WALLHACK && !aim_at_seen(netsim, client, &seen))
        aim_at_hidden(netsim, client, input);
}

static int record_clients(struct recorder *recorder, const struct raim_map *map, int seconds,
                          int clients)
{
    struct netsim *netsim = NULL;
    const struct netsim_liar liar = {.context = (void *)&netsim, .press = cheat};
    struct netsim_def def = netsim_def_of(map, (uint32_t)clients, &(struct network_line){0}, SEED);
    def.liar = &liar;
    for (int i = 0; i < clients; i++)
        def.lines[i] = (struct network_line){.latency_ms = 10 + i % 12 * 3, .jitter_ms = 2};
    netsim = netsim_create(&def);
    if (netsim == NULL || !netsim_enter(netsim, 1))
        return EXIT_FAILURE;
    // Recording reads the match between its steps and reseeds its world, no more.
    recorder->match = (struct raim_match *)(uintptr_t)netsim_match(netsim);
    begin(recorder);
    for (int tick = 0; tick < seconds * 60; tick++) {
        if (!netsim_step(netsim))
            return EXIT_FAILURE;
        record(recorder);
    }
    end(recorder);
    netsim_destroy(netsim);
    return EXIT_SUCCESS;
}

// --- server-side bots ---

static int record_bots(struct recorder *recorder, const struct raim_map *map, int seconds, int bots)
{
    struct raim_match_def def = raim_match_default_def();
    def.map = map;
    def.tuning.max_players = 1;
    def.max_connections = 2;
    def.bots = (uint32_t)bots;
    def.bot_skill = RAIM_BOT_WANDERS;
    def.seed = SEED;
    recorder->match = raim_match_create(&def);
    if (recorder->match == NULL)
        return EXIT_FAILURE;
    begin(recorder);
    for (uint32_t tick = 0; tick < (uint32_t)seconds * def.tick_hz; tick++) {
        struct raim_outgoing outgoing;
        raim_match_step(recorder->match);
        while (raim_match_outgoing(recorder->match, &outgoing))
            ;
        record(recorder);
    }
    end(recorder);
    raim_match_destroy(recorder->match);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc != 5 || atoi(argv[2]) < 1 || atoi(argv[4]) < 1 || atoi(argv[4]) > NETSIM_MAX_PLAYERS)
        return EXIT_FAILURE;
    struct diagnostics report = {.out = stderr};
    struct raim_map *map = map_file_load(RAIM_SOURCE_DIR "/config/maps/crossfire.conf", NULL,
                                         raim_rules_default().player_radius, &report);
    struct recorder recorder = {.out = fopen(argv[1], "wb")};
    if (map == NULL || recorder.out == NULL)
        return EXIT_FAILURE;
    int status = strcmp(argv[3], "bots") == 0
                     ? record_bots(&recorder, map, atoi(argv[2]), atoi(argv[4]))
                     : record_clients(&recorder, map, atoi(argv[2]), atoi(argv[4]));
    if (fclose(recorder.out) != 0)
        status = EXIT_FAILURE;
    raim_map_destroy(map);
    return status;
}
