// SPDX-License-Identifier: MIT
// Writes proto/session.json: snapshots that few arenas send, a recorded session of a client with
// the state that it decodes, and INPUTs that a server rejects.
#include "client_internal.h"
#include "match_internal.h"
#include "snapshot.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 16, SHOTS = 6, BULLETS = PLAYERS * SHOTS, TICK_US = 16667 };

static const struct raim_wire_limits limits = {
    .players = PLAYERS,
    .shots = SHOTS,
    .history = 64,
    .stride = 160,
    .diagonal = 113,
    .max_rewind = 9,
};

static void print_hex(const uint8_t *bytes, size_t size)
{
    printf("\"hex\": \"");
    for (size_t i = 0; i < size; i++)
        printf("%s%02x", i > 0 ? " " : "", bytes[i]);
    printf("\"");
}

static void print_frame(const struct raim_wire_frame *frame, const struct raim_wire_limits *of)
{
    const raim_wire_self *self = &frame->self;
    printf("\"value\": {\"tick\": %u, \"self\": {\"slot\": %u, \"steers\": %d, \"alive\": %d, "
           "\"timer\": %u, \"shots\": %u, \"hits\": %u, \"margin\": %d}, \"players\": {",
           frame->tick, self->slot, self->steers, self->alive, self->timer, self->shots, self->hits,
           self->margin);
    const char *comma = "";
    for (uint32_t slot = 0; slot < of->players; slot++) {
        const raim_wire_player *player = &frame->players[slot];
        if (!raim_set_has(frame->seen_players, slot))
            continue;
        printf("%s\"%u\": {\"x\": %d, \"y\": %d, \"aim\": %d, \"way\": %d, \"life\": %d, "
               "\"shield\": %d}",
               comma, slot, player->x, player->y, player->aim, player->direction, player->life,
               player->shield);
        comma = ", ";
    }
    printf("}, \"bullets\": {");
    comma = "";
    for (uint32_t slot = 0; slot < raim_wire_bullets(of); slot++) {
        const raim_wire_bullet *bullet = &frame->bullets[slot];
        if (!raim_set_has(frame->seen_bullets, slot))
            continue;
        printf("%s\"%u\": {\"x\": %d, \"y\": %d, \"tick\": %u, \"aim\": %u}", comma, slot,
               bullet->x, bullet->y, bullet->tick, bullet->aim);
        comma = ", ";
    }
    printf("}}");
}

// --- Snapshots ---

static struct raim_wire_frame new_frame(uint32_t tick)
{
    struct raim_wire_frame frame;
    raim_wire_frame_init(&frame, &limits, calloc(1, raim_wire_frame_bytes(&limits)));
    frame.tick = tick;
    frame.epoch = 1; // as in the WELCOME of the examples
    frame.self = (raim_wire_self){.slot = 2, .steers = true, .alive = true};
    return frame;
}

static void free_frame(struct raim_wire_frame *frame)
{
    free(frame->seen_players); // the first of a frame's memory
}

static void put_player(struct raim_wire_frame *frame, uint32_t slot, raim_wire_player player)
{
    frame->players[slot] = player;
    raim_set_add(frame->seen_players, slot);
}

static void put_bullet(struct raim_wire_frame *frame, uint32_t slot, raim_wire_bullet bullet)
{
    bullet.now_x = bullet.x;
    bullet.now_y = bullet.y;
    frame->bullets[slot] = bullet;
    raim_set_add(frame->seen_bullets, slot);
}

// Prints a whole snapshot and its successor as a delta, as a reader decodes them.
static void print_pair(const char *name, struct raim_wire_frame *first,
                       struct raim_wire_frame *second, const char *end)
{
    struct raim_wire_frame *frames[] = {first, second}, told[2] = {new_frame(0), new_frame(0)};
    // The tick of the WELCOME before it.
    uint32_t newest = first->tick - 1;
    printf("{\"name\": \"%s\", \"tick\": %u, \"snapshots\": [\n", name, newest);
    for (int i = 0; i < 2; i++) {
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        struct raim_snapshot_header header;
        const struct raim_wire_frame *before = i > 0 ? frames[i - 1] : NULL;
        const size_t size = raim_snapshot_write(&limits, before, frames[i], bytes, sizeof bytes);
        raim_reader reader = raim_reader_make(bytes, size);
        const bool is_read =
            raim_message_read(&reader) == RAIM_MESSAGE_SNAPSHOT &&
            raim_snapshot_read_header(&reader, &limits, newest, &header) &&
            raim_snapshot_read(&reader, &header, &limits, i > 0 ? &told[i - 1] : NULL, &told[i]);
        assert(is_read);
        newest = header.tick;
        printf("{");
        print_hex(bytes, size);
        printf(", ");
        print_frame(&told[i], &limits);
        printf("}%s\n", i == 0 ? "," : "");
    }
    printf("]}%s\n", end);
    for (int i = 0; i < 2; i++) {
        free_frame(frames[i]);
        free_frame(&told[i]);
    }
}

static void print_sizes(void)
{
    // By how much x and y differ from the prediction: the ends of each size.
    static const int32_t differences[][2] = {{0, 0},        {511, -512},   {512, -513},
                                             {2047, -2048}, {2048, -2049}, {-100000, 90000},
                                             {0, 1},        {-1, 0}};
    static const int32_t turns[] = {0, 63, -64, 64, -65, 127, -128, 300};
    struct raim_wire_frame first = new_frame(5000), second = new_frame(5003);
    for (uint32_t i = 0; i < 8; i++) {
        const raim_wire_player player = {
            .x = 1000 * (int32_t)i, .y = -500, .aim = 1000, .direction = (int32_t)i, .life = 1};
        put_player(&first, 3 + i, player);
        raim_wire_player moved = raim_wire_predict_player(&limits, &player, 3);
        moved.x += differences[i][0];
        moved.y += differences[i][1];
        moved.aim = (moved.aim + turns[i] + 1024) % 1024;
        put_player(&second, 3 + i, moved);
    }
    put_player(&first, 2, (raim_wire_player){.x = -524288, .y = 524287, .life = 7});
    put_player(&second, 2, (raim_wire_player){.x = 524287, .y = -524288, .life = 0});
    print_pair("every size of a coordinate and of an aim", &first, &second, ",");
}

static void print_replaced_bullet(void)
{
    struct raim_wire_frame first = new_frame(7000), second = new_frame(7010);
    put_bullet(&first, 12, (raim_wire_bullet){.x = 10, .y = 20, .tick = 7000, .aim = 100});
    put_bullet(&first, 13, (raim_wire_bullet){.x = 30, .y = 40, .tick = 7000, .aim = 200});
    put_bullet(&first, 14, (raim_wire_bullet){.x = 50, .y = 60, .tick = 7000, .aim = 300});
    put_bullet(&second, 12, first.bullets[12]); // flies on
    put_bullet(&second, 14,
               (raim_wire_bullet){.x = -7, .y = 8, .tick = 7010, .aim = 400}); // another
    print_pair("a bullet flies on, one ends, one is replaced", &first, &second, ",");
}

static void print_wrap(void)
{
    struct raim_wire_frame first = new_frame(0xFFFFFFFE), second = new_frame(3);
    put_player(&first, 5, (raim_wire_player){.x = 320, .y = -320, .direction = 2, .life = 1});
    put_player(&second, 5, raim_wire_predict_player(&limits, &first.players[5], 5));
    put_player(&second, 2, (raim_wire_player){.x = 1, .y = 2, .life = 1});
    put_bullet(&second, 12,
               (raim_wire_bullet){.x = 1, .y = 2, .tick = 0xFFFFFFFF, .rewind = 3, .aim = 1});
    print_pair("ticks wrap", &first, &second, "");
}

// --- A session ---

enum { SESSION_TICKS = 60, PEERS = 2 };
static const uint32_t first_tick = (uint32_t)-30; // it wraps within the session

struct test_match {
    struct raim_match *match;
    struct raim_map *map;
    struct raim_client *clients[PEERS];
    uint64_t now_us;
    const char *comma;
};

static struct raim_map *make_map(void)
{
    static const struct raim_obstacle_def box = {{{-60, 40}, {60, 40}, {60, 80}, {-60, 80}}, 4};
    static const raim_vec2 spawns[] = {{-100, 0}, {100, 0}};
    struct raim_map_problem problem;
    struct raim_map *map =
        raim_map_create(&(struct raim_map_def){.name = "session",
                                               .border = {{-400, -200}, {400, 200}},
                                               .obstacles = &box,
                                               .obstacle_count = 1,
                                               .spawns = spawns,
                                               .spawn_count = 2},
                        &problem);
    assert(map != NULL);
    return map;
}

static struct test_match open_test_match(void)
{
    struct test_match test = {.map = make_map(), .now_us = 1000000, .comma = ""};
    struct raim_match_def def = raim_match_default_def();
    def.map = test.map;
    def.tuning.max_players = PEERS;
    def.max_connections = 4;
    def.tuning.max_spectators = 0;
    def.rules.spawn_protection = 0;
    def.seed = 1;
    strcpy(def.arena, "session");
    strcpy(def.tuning.motd, "recorded");
    test.match = raim_match_create(&def);
    assert(test.match != NULL);
    test.match->world->tick = first_tick;
    return test;
}

static void close_test_match(struct test_match *test)
{
    for (int i = 0; i < PEERS; i++)
        raim_client_destroy(test->clients[i]);
    raim_match_destroy(test->match);
    raim_map_destroy(test->map);
}

static void print_message(struct test_match *test, const char *from, bool reliable,
                          const uint8_t *bytes, size_t size)
{
    printf("%s{\"from\": \"%s\", \"channel\": %d, ", test->comma, from, !reliable);
    print_hex(bytes, size);
    test->comma = ",\n";
}

static void say(struct test_match *test, uint32_t peer, bool reliable, const uint8_t *bytes,
                size_t size)
{
    if (size == 0)
        return;
    raim_match_receive(test->match, peer, reliable, bytes, size);
    if (peer > 0)
        return; // only the first client's session is recorded
    print_message(test, "client", reliable, bytes, size);
    printf("}");
}

static void join(struct test_match *test, uint32_t peer, const char *name)
{
    const uint8_t token[RAIM_TOKEN_BYTES] = {0xA0, (uint8_t)peer};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client_def def = raim_client_default_def();
    def.name = name;
    test->clients[peer] = raim_client_create(&def);
    raim_client_wants_connection(test->clients[peer], test->now_us);
    raim_match_connect(test->match, peer, token);
    say(test, peer, true, bytes,
        raim_client_write_hello(test->clients[peer], test->now_us, bytes, sizeof bytes));
}

static void deliver(struct test_match *test)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(test->match, &out)) {
        struct raim_client *client = test->clients[out.client];
        const uint64_t before = raim_client_get_stats(client)->snapshots;
        const bool is_read = raim_client_receive(client, test->now_us, out.data, out.size);
        assert(is_read);
        if (out.client > 0)
            continue;
        print_message(test, "server", out.reliable, out.data, out.size);
        if (raim_client_get_stats(client)->snapshots > before) {
            printf(", ");
            print_frame(raim_replica_frame(&client->replica, client->replica.newest_tick),
                        &client->replica.limits);
        }
        printf("}");
    }
}

// The first player runs along the box and shoots at the second one, who stands.
static raim_input think(uint32_t peer, int tick)
{
    if (peer > 0)
        return (raim_input){0};
    return (raim_input){
        .move_x = (int8_t)(tick < 20   ? 1
                           : tick < 40 ? -1
                                       : 0),
        .move_y = (int8_t)(tick < 40 ? 1 : 0),
        .fire = tick > 10,
        .aim = (raim_angle)(tick * 1000),
    };
}

static void play(struct test_match *test, int ticks)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    for (int tick = 0; tick < ticks; tick++) {
        for (uint32_t peer = 0; peer < PEERS; peer++) {
            struct raim_client *client = test->clients[peer];
            const raim_input input = think(peer, tick);
            while (client != NULL && raim_client_is_input_due(client, test->now_us))
                say(test, peer, false, bytes,
                    raim_client_write_input(client, test->now_us, &input, bytes, sizeof bytes));
        }
        if (tick == 5)
            say(test, 0, true, bytes,
                raim_client_write_chat(test->clients[0], "hi", bytes, sizeof bytes));
        if (tick == 8)
            join(test, 1, "Bob");
        raim_match_step(test->match);
        test->now_us += TICK_US;
        deliver(test);
    }
}

static void print_session(void)
{
    struct test_match test = open_test_match();
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    printf("\"session\": [\n");
    join(&test, 0, "Ada");
    play(&test, SESSION_TICKS);
    say(&test, 0, true, bytes, raim_client_write_goodbye(test.clients[0], bytes, sizeof bytes));
    printf("\n],\n");
    close_test_match(&test);
}

// --- Inputs that are rejected ---

static uint64_t rejected(const struct test_match *test, int rejection)
{
    return raim_match_counts(test->match).rejected[rejection];
}

// Sends an INPUT and prints what the server makes of it.
static void print_input(struct test_match *test, const char *name,
                        const struct raim_input_message *message, size_t cut, const char *end)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    uint64_t before[RAIM_REJECTIONS];
    const char *reason = "";
    for (int i = 0; i < RAIM_REJECTIONS; i++)
        before[i] = rejected(test, i);
    const size_t size = raim_input_write(message, bytes, sizeof bytes) - cut;
    raim_match_receive(test->match, 1, false, bytes, size);
    for (int i = 0; i < RAIM_REJECTIONS; i++)
        if (rejected(test, i) > before[i])
            reason = raim_rejection_name((enum raim_rejection)i);
    printf("{\"name\": \"%s\", \"now\": %u, ", name, test->match->world->tick);
    print_hex(bytes, size);
    printf(", \"rejected\": \"%s\"}%s\n", reason, end);
}

// The second client's newest snapshot is of the present tick, and it lacks no event.
static void print_inputs(void)
{
    struct test_match test = open_test_match();
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_outgoing out;
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "Bob"};
    raim_match_connect(test.match, 1, (const uint8_t[RAIM_TOKEN_BYTES]){1});
    raim_match_receive(test.match, 1, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    for (int i = 0; i < 40; i++) {
        raim_match_step(test.match);
        while (raim_match_outgoing(test.match, &out))
            ;
    }
    const uint32_t now = test.match->world->tick;
    const uint16_t events = (uint16_t)test.match->connections[1].events.acked;
    const uint32_t newest = test.match->connections[1].sent_tick;
    struct raim_input_message good = {
        .tick = now + 1, .has_snapshot = true, .snapshot = newest, .events = events, .count = 1};
    struct raim_input_message message = good;
    printf("\"inputs\": [\n");
    message.tick = now - 1;
    print_input(&test, "late: its tick is over", &message, 0, ",");
    message.tick = now;
    print_input(&test, "just in time", &message, 0, ",");
    message.tick = now + 63;
    print_input(&test, "the last tick that is not early", &message, 0, ",");
    message.tick = now + 64;
    print_input(&test, "early", &message, 0, ",");
    message = good;
    message.snapshot = now + 1;
    print_input(&test, "acknowledges a snapshot of the future", &message, 0, ",");
    message = good;
    message.events = (uint16_t)(events + 1);
    print_input(&test, "acknowledges an event of the future", &message, 0, ",");
    message = good;
    message.has_snapshot = false;
    print_input(&test, "has no snapshot", &message, 0, ",");
    print_input(&test, "ends early", &good, 1, "");
    printf("]}\n");
    close_test_match(&test);
}

int main(void)
{
    printf("{\"snapshots\": [\n");
    print_sizes();
    print_replaced_bullet();
    print_wrap();
    printf("],\n");
    print_session();
    print_inputs();
    return 0;
}
