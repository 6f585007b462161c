// SPDX-License-Identifier: MIT
// Tests of clients against a real match: state that is not sent because both ends predict it, and
// the predicted position of the own player, equal the server's state.
#include "client.h"

#include "arena_fixture.h"
#include "chance.h"
#include "match.h"
#include "message.h"
#include "test.h"

enum { TICK_HZ = 60, PLAYERS = 2, WATCHER = 2, CLIENTS = 3 };

static uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];

struct test_match {
    struct raim_match *match;
    struct raim_map *map;
    uint64_t now_us;
    struct raim_client *clients[CLIENTS];
    bool is_cut; // snapshots get lost
    uint32_t snapshots[CLIENTS];
};

static void join(struct test_match *test, uint32_t handle)
{
    struct raim_client_def def = raim_client_default_def();
    const uint8_t token[RAIM_TOKEN_BYTES] = {(uint8_t)(handle + 1)};
    def.watch = handle == WATCHER;
    struct raim_client *client = raim_client_create(&def);
    assert_non_null(client);
    test->clients[handle] = client;
    raim_match_connect(test->match, handle, token);
    raim_match_receive(test->match, handle, true, bytes,
                       raim_client_write_hello(client, test->now_us, bytes, sizeof bytes));
}

// The client presses once a tick, in the middle between the server's ticks.
static void play_tick(struct test_match *test, const raim_input inputs[])
{
    struct raim_outgoing out;
    const uint64_t tick_us = 1000000 / TICK_HZ;
    raim_match_step(test->match);
    while (raim_match_outgoing(test->match, &out)) {
        test->snapshots[out.client] += !out.reliable;
        if (out.reliable || !test->is_cut)
            assert_true(
                raim_client_receive(test->clients[out.client], test->now_us, out.data, out.size));
    }
    test->now_us += tick_us / 2;
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        const size_t size = raim_client_write_input(test->clients[handle], test->now_us,
                                                    &inputs[handle], bytes, sizeof bytes);
        if (size > 0)
            raim_match_receive(test->match, handle, false, bytes, size);
        assert_false(raim_client_is_input_due(test->clients[handle], test->now_us));
    }
    test->now_us += tick_us - tick_us / 2;
}

// Two play and one watches them, all in view of each other, and their clocks have settled.
static struct test_match open_test_match(void)
{
    static const raim_vec2 spawns[] = {{900, 400}, {1100, 600}};
    const struct raim_map_def map_def = {
        .name = "open", .border = {{0, 0}, {2000, 1000}}, .spawns = spawns, .spawn_count = 2};
    struct raim_map_problem problem;
    struct test_match test = {.map = raim_map_create(&map_def, &problem)};
    struct raim_match_def def = raim_match_default_def();
    def.map = test.map;
    def.spectator_delay_s = 0;
    def.tick_hz = TICK_HZ;
    def.view_width = def.view_height = 4000; // all of it
    def.tuning.max_players = 2;
    def.tuning.max_spectators = 1;
    def.max_connections = CLIENTS;
    def.bots = 0;
    test.match = raim_match_create(&def);
    assert_true(test.map != NULL && test.match != NULL);
    for (uint32_t handle = 0; handle < CLIENTS; handle++)
        join(&test, handle);
    for (int i = 0; i < 5 * TICK_HZ; i++)
        play_tick(&test, (raim_input[CLIENTS]){0});
    return test;
}

static void close_test_match(struct test_match *test)
{
    for (uint32_t handle = 0; handle < CLIENTS; handle++)
        raim_client_destroy(test->clients[handle]);
    raim_match_destroy(test->match);
    raim_map_destroy(test->map);
}

// Everybody and everything is where the world has it, to the bit. Only who is told of it knows that
// a bullet has ended.
static void assert_shows_the_world(const struct test_match *test, const struct raim_client *client)
{
    const struct raim_world *world = raim_match_world(test->match);
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    struct raim_client_player seen[PLAYERS];
    struct raim_client_bullet flying[RAIM_MAX_BULLETS];
    assert_int_equal(raim_client_tick(client), world->tick);
    assert_int_equal(raim_client_players(client, seen, PLAYERS), PLAYERS);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_true(seen[i].position.x == players[i].position.x);
        assert_true(seen[i].position.y == players[i].position.y);
    }
    const uint32_t count = raim_client_bullets(client, flying, RAIM_MAX_BULLETS);
    uint32_t next = 0;
    for (uint32_t place = 0; place < world->max_bullets; place++) {
        if (bullets[place].owner == RAIM_NOBODY)
            continue;
        const uint32_t owner = raim_player_slot(bullets[place].owner);
        const raim_vec2 at =
            raim_bullet_position(&world->rules, &bullets[place], world->tick, TICK_HZ);
        while (test->is_cut && next < count && flying[next].position.x != at.x)
            next++;
        assert_true(next < count && flying[next].owner == owner);
        assert_true(flying[next].position.x == at.x && flying[next].position.y == at.y);
        next++;
    }
    assert_true(next == count || test->is_cut);
}

// All run into the same direction, another one each turn, and back in the next; they shoot away
// from each other.
static void press_keys(const struct test_match *test, raim_input inputs[], int turn, bool fire)
{
    static const int8_t directions[8][2] = {{1, 0}, {-1, 0}, {1, 1},  {-1, -1},
                                            {0, 1}, {0, -1}, {-1, 1}, {1, -1}};
    const raim_player *players = raim_world_players_const(raim_match_world(test->match));
    const bool is_left = players[0].position.x < players[1].position.x;
    for (int i = 0; i < PLAYERS; i++)
        inputs[i] = (raim_input){
            .move_x = directions[turn % 8][0],
            .move_y = directions[turn % 8][1],
            .fire = fire,
            .aim = (i == 0) == is_left ? RAIM_ANGLE_TURN / 2 : 0,
        };
}

TEST(a_client_predicts_what_a_match_does_not_report)
{
    enum { TURNS = 32, TURN = 40 };
    struct test_match test = open_test_match();
    raim_input inputs[CLIENTS] = {0};
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < TURN; i++) {
            press_keys(&test, inputs, turn, i == 5);
            play_tick(&test, inputs);
            for (uint32_t handle = 0; handle < CLIENTS; handle++)
                assert_shows_the_world(&test, test.clients[handle]);
        }
    }
    assert_int_equal(raim_client_viewpoint(test.clients[WATCHER]),
                     raim_client_own_slot(test.clients[0]));
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        // Ten a second, and besides what a turn or a shot changes until it is acknowledged.
        assert_true(test.snapshots[handle] >= TURNS * TURN / 6);
        assert_true(test.snapshots[handle] < TURNS * TURN / 2);
        assert_int_equal(raim_client_get_stats(test.clients[handle])->decode_errors, 0);
        assert_int_equal(raim_client_get_stats(test.clients[handle])->snapshots,
                         test.snapshots[handle]);
    }
    close_test_match(&test);
}

TEST(lost_snapshots_cost_nothing_while_everybody_goes_on)
{
    struct test_match test = open_test_match();
    raim_input inputs[CLIENTS] = {0};
    for (int turn = 0; turn < 16; turn++) {
        for (int i = 0; i < 25; i++) {
            press_keys(&test, inputs, turn, i == 5);
            play_tick(&test, inputs);
        }
        // The newest snapshot may be a tenth of a second old, and more than a quarter is too much.
        test.is_cut = true;
        for (int i = 0; i < TICK_HZ / 4 - TICK_HZ / 10; i++) {
            play_tick(&test, inputs);
            for (uint32_t handle = 0; handle < CLIENTS; handle++)
                assert_shows_the_world(&test, test.clients[handle]);
        }
        test.is_cut = false;
    }
    close_test_match(&test);
}

// --- One client far away ---

enum { MAILS = 64, TRUTHS = 256 };

// A message on its way.
struct mail {
    uint64_t due_us;
    bool reliable;
    size_t size;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
};

struct mailbox {
    struct mail mails[MAILS]; // ring
    uint32_t read, written;
};

// Where the own player is to be as a tick begins.
struct foreseen {
    uint32_t tick;
    raim_vec2 position;
};

struct lane {
    struct raim_match *match;
    struct raim_map *map;
    struct raim_client *client;
    uint64_t now_us, latency_us;
    struct mailbox up, down;
    struct foreseen foreseen[TRUTHS]; // by tick modulo their number
    uint32_t compared;
};

static void post(struct mailbox *box, uint64_t due_us, bool reliable, const uint8_t *data,
                 size_t size)
{
    struct mail *mail = &box->mails[box->written++ % MAILS];
    assert_true(box->written - box->read <= MAILS && size <= sizeof mail->bytes);
    *mail = (struct mail){.due_us = due_us, .reliable = reliable, .size = size};
    memcpy(mail->bytes, data, size);
}

static const struct mail *next_mail(struct mailbox *box, uint64_t now_us)
{
    if (box->read == box->written || box->mails[box->read % MAILS].due_us > now_us)
        return NULL;
    return &box->mails[box->read++ % MAILS];
}

static struct lane *open_lane(uint64_t latency_us)
{
    static const raim_box boxes[] = {
        {{-700, -700}, {-500, 300}}, {{-300, 100}, {-150, 700}}, {{-200, -600}, {300, -400}},
        {{100, -100}, {140, 800}},   {{300, -50}, {700, -20}},   {{500, 200}, {600, 900}},
    };
    const uint8_t token[RAIM_TOKEN_BYTES] = {1};
    const struct raim_client_def client_def = raim_client_default_def();
    struct raim_match_def def = raim_match_default_def();
    struct lane *lane = calloc(1, sizeof *lane);
    lane->map = fixture_map(boxes, 6);
    lane->latency_us = latency_us;
    def.map = lane->map;
    def.tick_hz = TICK_HZ;
    def.bots = 0;
    def.seed = raim_random_next(&chance);
    lane->match = raim_match_create(&def);
    lane->client = raim_client_create(&client_def);
    assert_true(lane->match != NULL && lane->client != NULL);
    raim_match_connect(lane->match, 0, token);
    post(&lane->up, latency_us, true, bytes,
         raim_client_write_hello(lane->client, 0, bytes, sizeof bytes));
    return lane;
}

static void close_lane(struct lane *lane)
{
    raim_client_destroy(lane->client);
    raim_match_destroy(lane->match);
    raim_map_destroy(lane->map);
    free(lane);
}

static void serve(struct lane *lane)
{
    struct raim_outgoing out;
    const struct mail *mail;
    while ((mail = next_mail(&lane->up, lane->now_us)) != NULL)
        raim_match_receive(lane->match, 0, mail->reliable, mail->bytes, mail->size);
    raim_match_step(lane->match);
    while (raim_match_outgoing(lane->match, &out))
        post(&lane->down, lane->now_us + lane->latency_us, out.reliable, out.data, out.size);
    const struct raim_world *world = raim_match_world(lane->match);
    const raim_player *player = raim_world_players_const(world);
    const struct foreseen *foreseen = &lane->foreseen[world->tick % TRUTHS];
    if (player->state != RAIM_PLAYER_ALIVE || foreseen->tick != world->tick)
        return;
    assert_true(foreseen->position.x == player->position.x);
    assert_true(foreseen->position.y == player->position.y);
    lane->compared++;
}

// As a press is due, the own player is shown where the tick of its input begins.
static void foresee(struct lane *lane)
{
    struct raim_client_player seen;
    raim_client_interpolate(lane->client, lane->now_us);
    if (!raim_client_alive(lane->client))
        return;
    assert_int_equal(raim_client_interpolated_players(lane->client, &seen, 1), 1);
    const uint32_t tick = (uint32_t)raim_client_own_tick(lane->client);
    assert_true(raim_client_own_tick(lane->client) == tick);
    lane->foreseen[tick % TRUTHS] = (struct foreseen){tick, seen.position};
}

static void steer(struct lane *lane, raim_input *input)
{
    const struct mail *mail;
    while ((mail = next_mail(&lane->down, lane->now_us)) != NULL)
        assert_true(raim_client_receive(lane->client, lane->now_us, mail->bytes, mail->size));
    while (raim_client_is_input_due(lane->client, lane->now_us)) {
        foresee(lane);
        if (chance_int(0, 19) == 0) {
            input->move_x = (int8_t)chance_int(-1, 1);
            input->move_y = (int8_t)chance_int(-1, 1);
            input->fire = (uint8_t)chance_int(0, 1);
        }
        input->aim = (raim_angle)chance_int(0, 65535);
        const size_t size =
            raim_client_write_input(lane->client, lane->now_us, input, bytes, sizeof bytes);
        post(&lane->up, lane->now_us + lane->latency_us, false, bytes, size);
    }
}

TEST(the_own_player_is_where_the_server_will_have_it)
{
    enum { STEPS_PER_TICK = 4, TICKS = 6000 };
    for (int latency_ms = 0; latency_ms <= 120; latency_ms += 40) {
        struct lane *lane = open_lane((uint64_t)latency_ms * 1000);
        raim_input input = {0};
        for (uint64_t step = 0; step < STEPS_PER_TICK * TICKS; step++) {
            lane->now_us = step * 1000000 / (TICK_HZ * STEPS_PER_TICK);
            if (step % STEPS_PER_TICK == 0)
                serve(lane);
            steer(lane, &input);
        }
        // All but the first ones, for which no input was in time.
        const struct raim_client_quality quality = raim_client_get_quality(lane->client);
        assert_true(lane->compared > TICKS - 200);
        assert_true(quality.predictions > TICKS / 10);
        assert_int_equal(quality.mispredictions, 0);
        assert_true(quality.corrections_units == 0);
        assert_true(quality.margin >= 1 && quality.margin <= 2);
        assert_true(fabs(quality.round_trip_ms - 2 * latency_ms) <= 1000.0 / TICK_HZ);
        close_lane(lane);
    }
}
