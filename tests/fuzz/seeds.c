// SPDX-License-Identifier: MIT
// Prints the binary seeds of the corpora, `TARGET NAME: HEX` a line: messages of a real match and
// of real clients, and scripts for the targets that play. corpus.py takes them, and the examples of
// proto/vectors.json as seeds of the target messages.
#include "fuzz.h"

#include "client.h"
#include "fuzz_arena.h"
#include "fuzz_baseline.h"
#include "match.h"

#include <stdbool.h>
#include <stdio.h>

enum { SEED_BYTES = 8192 };

// A seed in the making.
struct seed {
    size_t size;
    uint8_t bytes[SEED_BYTES];
};

static void add(struct seed *seed, const void *bytes, size_t size)
{
    assert(size <= SEED_BYTES - seed->size);
    memcpy(seed->bytes + seed->size, bytes, size);
    seed->size += size;
}

static void add_byte(struct seed *seed, unsigned byte)
{
    add(seed, &(uint8_t){(uint8_t)byte}, 1);
}

static void save(const char *target, const char *name, const struct seed *seed)
{
    printf("%s %s: ", target, name);
    for (size_t i = 0; i < seed->size; i++)
        printf("%02x", seed->bytes[i]);
    printf("\n");
}

// --- One message each ---

static void save_message(const char *name, uint8_t chooser, const uint8_t *bytes, size_t size)
{
    struct seed seed = {0};
    add_byte(&seed, chooser);
    add(&seed, bytes, size);
    save("messages", name, &seed);
}

// Whom the baseline had: goes on as predicted, turns, or ends up elsewhere.
static raim_wire_player change_player(const struct raim_wire_limits *limits,
                                      const raim_wire_player *from, uint32_t slot, uint32_t age)
{
    raim_wire_player player = raim_wire_predict_player(limits, from, age);
    player.aim = (player.aim + (int32_t)slot) & 0x3FF;
    if (slot % 3 == 1) {
        player = raim_wire_predict_player(limits, from, age - 1);
        player.direction = (from->direction + 1) % RAIM_DIRECTIONS;
        player = raim_wire_predict_player(limits, &player, 1);
    } else if (slot % 3 == 2) {
        player.shield ^= 1;
        player.x /= slot % 2 != 0 ? 2 : 1;
        player.health += limits->has_health;
    }
    if (limits->has_health && player.health == 0)
        player.health = 3;
    return player;
}

// What follows a baseline: some stay, some move, some are gone, some are new.
static void change_frame(struct raim_wire_frame *frame, const struct raim_wire_frame *baseline,
                         const struct raim_wire_limits *limits)
{
    const uint32_t age = frame->tick - baseline->tick;
    frame->self = raim_wire_predict_self(&baseline->self, age);
    for (uint32_t slot = 0; slot < limits->players; slot++) {
        if (raim_set_has(baseline->seen_players, slot) ? slot % 5 == 0 : slot % 7 != 0)
            continue;
        raim_set_add(frame->seen_players, slot);
        frame->players[slot] = change_player(limits, &baseline->players[slot], slot, age);
    }
    for (uint32_t slot = 0; slot < raim_wire_bullets(limits); slot++) {
        const bool known = raim_set_has(baseline->seen_bullets, slot);
        if (known ? slot % 4 == 0 : slot % 50 != 0)
            continue;
        raim_set_add(frame->seen_bullets, slot);
        frame->bullets[slot] = baseline->bullets[slot];
        if (!known || slot % 3 == 0) { // fired a moment ago
            const uint32_t rewind = slot % (limits->max_rewind + 1);
            frame->bullets[slot].rewind = (uint8_t)rewind;
            frame->bullets[slot].tick = frame->tick - 1 - rewind;
            frame->bullets[slot].x = frame->players[slot / limits->shots].x;
            frame->bullets[slot].y = frame->players[slot / limits->shots].y;
        }
    }
}

static void save_snapshots(void)
{
    enum { TICK = FUZZ_NEAR_TICK, AGE = 3 };
    for (uint32_t i = 0; i < 2 * (FUZZ_LIMITS - 1); i++) { // the largest arena is for the fuzzer
        const bool whole = i % 2 == 0;
        const struct raim_wire_limits *limits = &fuzz_limits[i / 2];
        struct raim_wire_frame baseline = fuzz_frame(limits), frame = fuzz_frame(limits);
        const uint8_t chooser = fuzz_chooser(i / 2, 5 + i);
        fuzz_fill_baseline(&baseline, limits, TICK - AGE, 5 + i);
        frame.tick = TICK;
        change_frame(&frame, &baseline, limits);
        frame.self.margin = -2;
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        const size_t size =
            raim_snapshot_write(limits, whole ? NULL : &baseline, &frame, bytes, sizeof bytes);
        char name[32];
        snprintf(name, sizeof name, "snapshot-%s-%u", whole ? "whole" : "delta", i / 2);
        assert(size > 0);
        save_message(name, chooser, bytes, size);
        free(baseline.seen_players); // where the frame's memory begins
        free(frame.seen_players);
    }
}

// --- What a client receives and sends, from a real match ---

// Plays some ticks with a client that goes around and shoots, and records its side as an input of
// fuzz_client.
static void save_session(const char *name, uint32_t bots, int ticks)
{
    struct raim_map *map = fuzz_map();
    struct raim_match_def def = raim_match_default_def();
    def.map = map;
    def.tuning.max_players = 2;
    def.max_connections = 2;
    def.bots = bots;
    def.rules = fuzz_rules();
    struct raim_match *match = raim_match_create(&def);
    const struct raim_client_def client_def = raim_client_default_def();
    struct raim_client *client = raim_client_create(&client_def);
    assert(match != NULL && client != NULL);
    struct seed seed = {0};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint8_t token[RAIM_TOKEN_BYTES] = {1};
    raim_match_connect(match, 0, token);
    raim_match_receive(match, 0, true, bytes,
                       raim_client_write_hello(client, 0, bytes, sizeof bytes));
    add_byte(&seed, 0);
    for (int tick = 0; tick < ticks; tick++) {
        struct raim_outgoing out;
        const uint64_t now_us = (uint64_t)tick * 1000000 / def.tick_hz;
        if (tick == 4)
            raim_match_receive(match, 0, true, bytes,
                               raim_client_write_chat(client, "hello", bytes, sizeof bytes));
        raim_match_step(match);
        while (raim_match_outgoing(match, &out)) {
            add_byte(&seed, 0); // receive_raw
            add_byte(&seed, out.size & 0xFF);
            add_byte(&seed, (unsigned)(out.size >> 8));
            add(&seed, out.data, out.size);
            raim_client_receive(client, now_us, out.data, out.size);
        }
        const raim_input input = {.move_x = 1, .fire = 1, .aim = (raim_angle)(tick << 12)};
        const size_t size = raim_client_write_input(client, now_us, &input, bytes, sizeof bytes);
        if (size > 0)
            raim_match_receive(match, 0, false, bytes, size);
        add_byte(&seed, 2); // press
        add_byte(&seed, 0x80 | (2 + 3));
        add_byte(&seed, 0);
        add_byte(&seed, (unsigned)tick << 4);
    }
    save("client", name, &seed);
    raim_client_destroy(client);
    raim_match_destroy(match);
    raim_map_destroy(map);
}

// --- Scripts: operation numbers as in the targets ---

static void save_script(const char *target, const char *name, const char *script, size_t size)
{
    struct seed seed = {0};
    add(&seed, script, size);
    save(target, name, &seed);
}

#define SAVE_SCRIPT(target, name, script) save_script(target, name, script, sizeof(script) - 1)

// fuzz_match: operation + 16 * handle, its arguments behind it.
static void save_match_scripts(void)
{
    // connect, hello, steps, presses
    SAVE_SCRIPT("match", "join",
                "\x05\x01\x07"
                "\x00\x04\x03"
                "Ada\x02\x02\x02\x06\x85\x10\x02\x06\x80\x20\x02\x03\x20");
    // two clients duel: each presses and shoots between steps; one leaves
    SAVE_SCRIPT("match", "duel",
                "\x01\x00\x01"
                "\x00\x10\x04\x01"
                "A\x14\x01"
                "B\x02\x02\x02\x02\x06\x85\x00\x16\x83\x80\x02\x06\x85\x00\x16\x83\x80\x02"
                "\x06\x85\x00\x16\x83\x80\x02\x06\x85\x00\x16\x83\x80\x02\x07\x02\x11\x02");
    // a player, a bot, and two who watch: one late, one at once; the player leaves
    SAVE_SCRIPT("match", "watch",
                "\x25\x02\x01"
                "\x00\x10\x20\x04\x01"
                "A\x14\x81"
                "B\x24\xA1"
                "C\x02\x02\x06\x85\x00\x16\x85\x00\x26\x85\x00\x02\x03\x09"
                "\x16\x85\x00\x26\x85\x00\x02\x07\x03\x09\x11\x03\x09");
    // crowded out, silent, and told that the server ends
    SAVE_SCRIPT("match", "full",
                "\x00\x02\x01"
                "\x00\x10\x20\x04\x01"
                "A\x14\x01"
                "B\x02\x02\x03\xFF\x03\xFF\x0A\x02");
    // acks and inputs out of time
    SAVE_SCRIPT("match", "out-of-time",
                "\x00\x00\x01"
                "\x00\x04\x01"
                "A\x02\x02\x02\x02\x05\x02\x00\x03\x01\x02\x03\x04\x05\x06\x07\x08\x02"
                "\x05\x7F\x00\x00\x01\x02\x05\x80\x02\x00\x01\x02\x05\x02\x80\x00\x01\x02\x02");
    // two players: one is lost and comes back, and is lost until it is too late
    SAVE_SCRIPT("match", "come-back",
                "\x01\x01\x01"
                "\x00\x10\x04\x01"
                "A\x14\x01"
                "B\x02\x02\x03\x10\x0B\x03\x20\x0C\x02\x02\x03\x10"
                "\x0B\x03\x3F\x03\x3F\x03\x3F\x0C\x02\x02\x0F\x0F");
    // one moves to another address, and somebody tries the tokens of both
    SAVE_SCRIPT("match", "move",
                "\x02\x02\x01"
                "\x00\x10\x04\x01"
                "A\x02\x02\x0D\x02\x02\x02\x14\x61\x01"
                "B\x02\x02\x2D\x00\x01\x02\x00\x2D\x00\x02");
    // rounds of a tenth of a second; a pause; others follow on another map, with the scores and
    // not; tuned, kicked, muted, announced, drained
    SAVE_SCRIPT(
        "match", "rounds",
        "\x25\x02\x03"
        "\x00\x10\x20\x04\x01"
        "A\x14\x01"
        "B\x24\xA1"
        "C\x02\x02\x06\x85\x00\x16\x85\x00\x03\x10\x0A\x00\x00\x03\x04\x0A\x00\x01\x02"
        "\x0A\x01\x05\x01\x06\x85\x00\x03\x05\x0A\x01\x02\x82\x03\x08\x0A\x03\x11\x04\x01\x02"
        "\x03\x09\x0A\x05\x01\x00\x0A\x06\x02\x0B\x0A\x01\x0F\x00\x03\x04\x0C\x02\x02"
        "\x0A\x07\x00\x0A\x04\x00\x03\x09\x0A\x02\x02");
    // everybody talks, one too much
    SAVE_SCRIPT("match", "chat",
                "\x21\x00\x01"
                "\x00\x10\x04\x01"
                "A\x14\x01"
                "B\x02\x02\x0E\x02hi\x1E\x02yo\x02"
                "\x0E\x01.\x0E\x01.\x0E\x01.\x0E\x01.\x0E\x01.\x0E\x01\x01\x02\x02");
    // a spectator wants another view, a player's, whoever's and nobody's; a player does, too
    SAVE_SCRIPT("match", "switch",
                "\x25\x02\x03"
                "\x00\x10\x04\x01"
                "A\x14\x81"
                "B\x02\x02\x02\x18\x03\x56\x80\x00\x02\x18\x03\x16\x00\x00\x03\x08"
                "\x18\x03\x16\x80\x00\x03\x08\x18\x03\xF6\xFF\x1F\x02\x08\x03\x56\x80\x00\x02");
}

// Three clients and three bots; who is hit rises again; each client has keys and an aim of its own.
static void save_game(void)
{
    enum { CONNECT = 0, STEP = 2, HELLO = 4, PRESS = 6, HANDLE = 16, CLIENTS = 3, TICKS = 50 };
    struct seed seed = {0};
    add(&seed, "\x0E\x01\x09", 3);
    for (unsigned handle = 0; handle < CLIENTS; handle++) {
        add_byte(&seed, CONNECT + HANDLE * handle);
        add_byte(&seed, HELLO + HANDLE * handle);
        add_byte(&seed, 1);
        add_byte(&seed, 'A' + handle);
    }
    for (unsigned tick = 0; tick < TICKS; tick++) {
        add_byte(&seed, STEP);
        for (unsigned handle = 0; handle < CLIENTS; handle++) {
            add_byte(&seed, PRESS + HANDLE * handle);
            add_byte(&seed, 0x80 | (tick / 8 + handle) % 9);
            add_byte(&seed, 11 * tick + 80 * handle);
        }
    }
    save("match", "game", &seed);
}

// fuzz_client: a byte for the welcome, then operations. The body of an empty whole snapshot is
// \x18\x00\x80, that of an empty delta that brings nothing new is \x01.
static void save_client_scripts(void)
{
    // one, a press, the next against it, more presses
    SAVE_SCRIPT("client", "snapshots",
                "\x01"
                "\x01\x64\x00\x03\x18\x00\x80"
                "\x02\x85\x00\x10"
                "\x01\x01\x01\x01\x01"
                "\x02\x85\x00\x10\x02\x85\x00\x10\x02\x85\x00\x10");
    // rejected ones between good ones: one for the place of the newest in the history
    SAVE_SCRIPT("client", "rejected-snapshot",
                "\x01"
                "\x01\x64\x00\x03\x18\x00\x80"
                "\x01\x40\x00\x02\xFF\xFF"
                "\x01\x01\x00\x03\x18\x00\x80");
    // one from before the first
    SAVE_SCRIPT("client", "early-snapshot",
                "\x01"
                "\x01\x64\x00\x03\x18\x00\x80"
                "\x01\xFE\x00\x03\x18\x00\x80");
    // a spectator sees four run and shoot, and goes on a few ticks
    SAVE_SCRIPT("client", "pictures",
                "\x03"
                "\x06\x64\x03\x21\x05\x00\x10\x00\x20\x07\x40\x10\x40\x20"
                "\x13\x80\x10\x80\x20\x01\x00\x11\x00\x21\x00\x00\x00\x00"
                "\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00"
                "\x06\x02\x04\x21\x05\x00\x10\x00\x20\x07\x40\x10\x40\x20\x00\x00\x00\x00\x00\x00"
                "\x02\x00\x00\x00\x02\x00\x00\x00");
    // a player sees four run, shoots, looks, loses the connection in silence, is welcomed again
    SAVE_SCRIPT("client", "resume",
                "\x01"
                "\x06\x64\x00\x21\x05\x00\x10\x00\x20\x07\x40\x10\x40\x20"
                "\x13\x80\x10\x80\x20\x01\x00\x11\x00\x21\x00\x00\x00\x00"
                "\x07\x10\x02\x85\x00\x10\x07\x10\x02\x85\x00\x10\x07\x40"
                "\x09\x02hi\x08\x1F"
                "\x06\x64\x00\x21\x05\x00\x10\x00\x20\x00\x00\x00\x00\x00\x00\x00"
                "\x07\x10\x02\x85\x00\x10");
    // a join, a leave and a kill; all read; then a run that ends with a place beyond the arena
    SAVE_SCRIPT("client", "events",
                "\x01"
                "\x03\x00\x02\x00\x01\x00\x05\x01\x01\x00\x05\x02\x00\x03\x09"
                "\x04\xFF"
                "\x03\x03\x01\x00\x05\x00\x05\x00\x08\x00\x05"
                "\x05\x02");
    // a kill, a break, the next round; then another arena, and a press without a snapshot
    SAVE_SCRIPT("client", "anew",
                "\x01"
                "\x06\x64\x00\x21\x05\x00\x10\x00\x20\x00\x00\x00\x00\x00\x00\x00"
                "\x03\x00\x02\x02\x00\x03\x09\x04\x00\x00\x31\x04\x00\x00\x42"
                "\x02\x85\x00\x10\x0A\x02\x85\x00\x10"
                "\x06\x64\x00\x21\x05\x00\x10\x00\x20\x00\x00\x00\x00\x00\x00\x00"
                "\x07\x10\x02\x85\x00\x10");
}

static void save_datagrams(void)
{
    static const uint8_t connect[52] = {0x8F, 0xFF, 0x12, 0x34, 0x82, 0xFF, 0x00, 0x01};
    struct seed seed = {0};
    add(&seed, connect, sizeof connect);
    save("datagram", "connect", &seed);
    // acknowledge, ping, a reliable message, an unreliable one
    SAVE_SCRIPT("datagram", "play",
                "\x80\x03\x12\x34"
                "\x01\x00\x00\x01\x00\x01\x12\x34"
                "\x85\xFF\x00\x02"
                "\x86\x00\x00\x03\x00\x03"
                "abc\x07\x01\x00\x00\x00\x04\x00\x02"
                "de");
    SAVE_SCRIPT("datagram", "leave", "\x10\x03\x44\xFF\x00\x00\x00\x00\x00\x01");
    SAVE_SCRIPT("datagram", "tune",
                "\x80\x03\x12\x34\x8A\xFF\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00"
                "\x8B\xFF\x00\x02\x00\x00\x13\x88\x00\x00\x00\x20\x00\x00\x00\x00"
                "\x49\x01\x00\x00\x00\x01\x00\x01x");
    SAVE_SCRIPT("datagram", "fragment",
                "\x80\x03\x12\x34\x88\x00\x00\x01\x00\x00\x00\x01\x00\x10\x00\x00"
                "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    SAVE_SCRIPT("datagram", "query", "\xFF\xFF\xFF\xFFTSource Engine Query");
}

int main(void)
{
    static const char name[] = " \xE2\x80\x8FName\xF0\x9F\x99\x82 ";
    save_message("name", 0, (const uint8_t *)name, sizeof name - 1);
    save_snapshots();
    save_session("session", 0, 8);
    save_session("session-bots", 2, 24);
    save_match_scripts();
    save_game();
    save_client_scripts();
    save_datagrams();
    return 0;
}
