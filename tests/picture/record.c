// SPDX-License-Identifier: MIT
// Records a match of clients and bots, which is stepped as fast as it can be, into a file:
//     record MAP.conf OUT.raimrec SECONDS CLIENTS BOTS [SEED]
// Rounds last for two minutes, breaks for three seconds. Client 0 is called Ada, and says something
// every ten seconds. The same seed makes the same file.
#include "client.h"
#include "map_file.h"
#include "match.h"
#include "random.h"
#include "recording_input.h"
#include "recording_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_HZ = 60, MESSAGE_BYTES = 1200, MAX_CLIENTS = 64 };

struct recorder {
    struct raim_match *match;
    struct raim_recording_input *records;
    struct raim_recording_writer *writer;
    FILE *out;
    uint64_t now_us, random;
    uint32_t client_count;
    struct raim_client *clients[MAX_CLIENTS];
    raim_input inputs[MAX_CLIENTS];
};

static void fail(const char *what)
{
    fprintf(stderr, "record: %s\n", what);
    exit(EXIT_FAILURE);
}

static void check(bool is_good, const char *what)
{
    if (!is_good)
        fail(what);
}

// --- the file ---

static void write_out(struct recorder *recorder)
{
    size_t size;
    for (;;) {
        const uint8_t *bytes = raim_recording_writer_take(recorder->writer, &size);
        if (bytes == NULL)
            return;
        check(fwrite(bytes, 1, size, recorder->out) == size, "cannot write");
    }
}

static void take_chunk(struct recorder *recorder)
{
    size_t size;
    const uint8_t *chunk = raim_recording_input_take(recorder->records, &size);
    if (chunk != NULL)
        check(raim_recording_writer_append(recorder->writer, chunk, size), "no memory");
}

static void begin(struct recorder *recorder)
{
    const int64_t start_ms = 1795400000000; // in 2026
    struct raim_recording_scene scene = {.arena = ""};
    const struct raim_world *world = raim_match_world(recorder->match);
    raim_match_scene(recorder->match, &scene);
    snprintf(scene.version, sizeof scene.version, "%s", RAIM_VERSION);
    const size_t bound = raim_recording_scene_bound(&scene);
    uint8_t *bytes = malloc(bound);
    void *memory = malloc(raim_recording_input_bytes(world));
    recorder->writer = raim_recording_writer_create();
    check(bytes != NULL && memory != NULL && recorder->writer != NULL, "no memory");
    recorder->records = raim_recording_input_init(memory, world);
    const size_t size = raim_recording_scene_write(&scene, bytes, bound);
    raim_match_record(recorder->match, recorder->records, raim_random_next(&recorder->random));
    check(raim_recording_writer_begin(recorder->writer, bytes, size, world->tick, start_ms),
          "no memory");
    free(bytes);
    take_chunk(recorder);
}

static void end(struct recorder *recorder)
{
    raim_match_record(recorder->match, NULL, 0);
    take_chunk(recorder);
    check(raim_recording_writer_end(recorder->writer), "no memory");
    write_out(recorder);
    check(fclose(recorder->out) == 0, "cannot write");
    raim_recording_writer_destroy(recorder->writer);
    free(recorder->records);
}

// --- the clients ---

static void join(struct recorder *recorder, uint32_t handle)
{
    static const char *const names[] = {"Ada", "Grace", "Niklaus", "Barbara", "Edsger", "Dennis"};
    uint8_t bytes[MESSAGE_BYTES], token[RAIM_TOKEN_BYTES];
    struct raim_client_def def = raim_client_default_def();
    char name[24];
    snprintf(name, sizeof name, "Player %u", handle + 1);
    def.name = handle < sizeof names / sizeof *names ? names[handle] : name;
    struct raim_client *client = raim_client_create(&def);
    check(client != NULL && raim_client_wants_connection(client, recorder->now_us), "no client");
    for (size_t i = 0; i < sizeof token; i++)
        token[i] = (uint8_t)raim_random_next(&recorder->random);
    raim_match_connect(recorder->match, handle, token);
    raim_match_receive(recorder->match, handle, true, bytes,
                       raim_client_write_hello(client, recorder->now_us, bytes, sizeof bytes));
    recorder->clients[handle] = client;
}

// Runs about, and fires at the nearest player whom the client sees.
static void choose_input(struct recorder *recorder, uint32_t handle)
{
    struct raim_client_player players[RAIM_MAX_PLAYERS];
    const struct raim_client *client = recorder->clients[handle];
    raim_input *input = &recorder->inputs[handle];
    const uint32_t own = raim_client_own_slot(client);
    const uint32_t count = raim_client_players(client, players, RAIM_MAX_PLAYERS);
    raim_vec2 at = {0, 0};
    double nearest = 1e9;
    if (raim_random_next(&recorder->random) % 40 == 0) {
        input->move_x = (int8_t)(raim_random_next(&recorder->random) % 3) - 1;
        input->move_y = (int8_t)(raim_random_next(&recorder->random) % 3) - 1;
    }
    for (uint32_t i = 0; i < count; i++)
        if (players[i].slot == own)
            at = players[i].position;
    input->fire = 0;
    for (uint32_t i = 0; i < count; i++) {
        const raim_vec2 way = raim_vec2_sub(players[i].position, at);
        const double away = raim_vec2_length(way);
        if (players[i].slot == own || away >= nearest)
            continue;
        nearest = away;
        input->fire = 1;
        input->aim =
            (raim_angle)(raim_angle_of(way) + raim_random_next(&recorder->random) % 1200 - 600);
    }
}

static void play(struct recorder *recorder, uint32_t handle)
{
    uint8_t bytes[MESSAGE_BYTES];
    struct raim_client *client = recorder->clients[handle];
    if (raim_client_get_state(client) != RAIM_CLIENT_PLAYING)
        return;
    choose_input(recorder, handle);
    raim_match_set_rtt(recorder->match, handle, 20 + 5 * handle, 2);
    while (raim_client_is_input_due(client, recorder->now_us)) {
        const size_t size = raim_client_write_input(client, recorder->now_us,
                                                    &recorder->inputs[handle], bytes, sizeof bytes);
        if (size > 0)
            raim_match_receive(recorder->match, handle, false, bytes, size);
    }
    if (handle == 0 && raim_match_tick(recorder->match) % (10 * TICK_HZ) == 2 * TICK_HZ) {
        const size_t size =
            raim_client_write_chat(client, "Good shot, everybody", bytes, sizeof bytes);
        if (size > 0)
            raim_match_receive(recorder->match, handle, true, bytes, size);
    }
}

static void tick(struct recorder *recorder)
{
    struct raim_outgoing message;
    recorder->now_us += 1000000 / TICK_HZ;
    for (uint32_t i = 0; i < recorder->client_count; i++)
        play(recorder, i);
    raim_match_step(recorder->match);
    while (raim_match_outgoing(recorder->match, &message))
        if (message.size > 0)
            raim_client_receive(recorder->clients[message.client], recorder->now_us, message.data,
                                message.size);
    take_chunk(recorder);
    if (raim_recording_input_wants_keyframe(recorder->records)) {
        raim_match_keyframe(recorder->match);
        take_chunk(recorder);
    }
    write_out(recorder);
}

int main(int argc, char **argv)
{
    struct diagnostics report = {.out = stderr};
    if (argc < 6)
        fail("usage: record MAP.conf OUT.raimrec SECONDS CLIENTS BOTS [SEED]");
    struct recorder recorder = {
        .random = argc > 6 ? strtoull(argv[6], NULL, 10) : 1,
        .client_count = (uint32_t)strtoul(argv[4], NULL, 10),
        .now_us = 1000000,
        .out = fopen(argv[2], "wb"),
    };
    check(recorder.client_count <= MAX_CLIENTS && recorder.out != NULL, "cannot begin");
    struct raim_match_def def = raim_match_default_def();
    struct raim_map *map = map_file_load(argv[1], NULL, def.rules.player_radius, &report);
    check(map != NULL, "no map");
    def.map = map;
    def.tuning.max_players = recorder.client_count > 0 ? recorder.client_count : 1;
    def.max_connections = MAX_CLIENTS + 1;
    def.bots = (uint32_t)strtoul(argv[5], NULL, 10);
    def.tuning.round_s = 120;
    def.tuning.break_s = 3;
    def.seed = raim_random_next(&recorder.random);
    snprintf(def.arena, sizeof def.arena, "crossfire");
    recorder.match = raim_match_create(&def);
    check(recorder.match != NULL, "no memory");
    for (uint32_t i = 0; i < recorder.client_count; i++)
        join(&recorder, i);
    begin(&recorder);
    for (long left = strtol(argv[3], NULL, 10) * TICK_HZ; left > 0; left--)
        tick(&recorder);
    end(&recorder);
    for (uint32_t i = 0; i < recorder.client_count; i++)
        raim_client_destroy(recorder.clients[i]);
    raim_match_destroy(recorder.match);
    raim_map_destroy(map);
    return EXIT_SUCCESS;
}
