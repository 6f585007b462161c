// SPDX-License-Identifier: MIT
// A match and its clients, message by message, with random loss instead of a network.
#include "client_internal.h"
#include "match_fixture.h"
#include "match_internal.h"

#include <math.h>

// A map of crosses and stars, so that OBSTACLES contain pieces with seams.
static struct raim_map *map_of_stars(void)
{
    struct raim_obstacle_def obstacles[12];
    for (int i = 0; i < 12; i++) {
        const raim_vec2 centre = {-750 + 500 * (i % 4), -600 + 600 * (i / 4)};
        const raim_angle turn = (raim_angle)chance_int(0, 65535);
        obstacles[i].count = 2 * chance_int(3, 12);
        for (int p = 0; p < obstacles[i].count; p++)
            obstacles[i].points[p] = raim_vec2_mad(
                centre,
                raim_angle_direction((raim_angle)(turn + p * RAIM_ANGLE_TURN / obstacles[i].count)),
                p % 2 == 0 ? 150 : 60);
    }
    const raim_vec2 spawn = {-950, -950};
    struct raim_map_problem problem;
    struct raim_map *map =
        raim_map_create(&(struct raim_map_def){.name = "stars",
                                               .border = {{-1000, -1000}, {1000, 1000}},
                                               .obstacles = obstacles,
                                               .obstacle_count = 12,
                                               .spawns = &spawn,
                                               .spawn_count = 1},
                        &problem);
    assert_non_null(map);
    return map;
}

TEST(a_client_collides_with_the_servers_pieces_to_the_bit)
{
    for (int round = 0; round < 20; round++) {
        struct test_match *test = open_test_match_on(map_of_stars(), NULL, 2, 0);
        struct raim_client *client = join(test, 0, "Ada");
        tick(test);
        assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
        const struct raim_map *told = raim_client_map(client), *map = test->map;
        const size_t cells = (size_t)map->grid.columns * (size_t)map->grid.rows;
        assert_true(map->obstacle_count > map->outline_count && map->obstacles[0].seams != 0);
        assert_int_equal(told->obstacle_count, map->obstacle_count);
        assert_memory_equal(told->obstacles, map->obstacles,
                            (size_t)map->obstacle_count * sizeof map->obstacles[0]);
        assert_memory_equal(told->grid.starts, map->grid.starts, (cells + 1) * sizeof(int));
        close_test_match(test);
    }
}

TEST(a_client_is_told_everything_it_needs)
{
    raim_rules rules = raim_rules_default();
    rules.bullet_speed = 1234.5;
    struct test_match *test = open_test_match(&rules, 8, 3);
    struct raim_client *client = join(test, 5, "Ada");
    ticks(test, 5);
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
    assert_memory_equal(raim_client_rules(client), &rules, sizeof rules);
    assert_int_equal(raim_client_tick_hz(client), 60);
    assert_true(raim_client_view(client).x == 1600 && raim_client_view(client).y == 861);
    const struct raim_map *map = raim_client_map(client);
    assert_string_equal(map->name, "fixture");
    assert_int_equal(map->obstacle_count, 3);
    assert_memory_equal(map->obstacles, test->map->obstacles, 3 * sizeof map->obstacles[0]);
    assert_memory_equal(&map->border, &test->map->border, sizeof map->border);
    int members = 0, bots = 0;
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        members += member->id != RAIM_NOBODY;
        bots += member->bot;
    }
    assert_int_equal(members, 4);
    assert_int_equal(bots, 3);
    assert_string_equal(raim_client_get_roster_entry(client, raim_client_own_slot(client))->name,
                        "Ada");
    assert_true(raim_client_alive(client));
}

static void reject_hello(const struct raim_hello *hello, uint32_t reason,
                         enum raim_rejection rejection)
{
    struct test_match *test = open_test_match(NULL, 2, 0);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_client_def def = raim_client_default_def();
    test->clients[0] = raim_client_create(&def);
    connect(test, 0);
    to_match(test, 0, true, bytes, raim_hello_write(hello, bytes, sizeof bytes));
    tick(test);
    assert_int_equal(raim_client_get_end(test->clients[0]).reason, reason);
    assert_true(raim_client_get_end(test->clients[0]).text[0] != '\0');
    assert_true(test->closed[0]);
    assert_int_equal(rejected(test, rejection), 1);
    assert_int_equal(raim_match_counts(test->match).players, 0);
}

TEST(another_version_is_rejected)
{
    reject_hello(&(struct raim_hello){.version = RAIM_PROTOCOL_VERSION + 1, .name = "new"},
                 RAIM_REASON_VERSION, RAIM_REJECTED_VERSION);
}

// What a later client may send: capabilities and kinds of messages that this server does not know.
TEST(what_only_later_servers_know_is_ignored)
{
    struct test_match *test = open_test_match(NULL, 2, 0);
    const struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION, .capabilities = 0xFFFFFFFF, .name = "later"};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_client_def def = raim_client_default_def();
    test->clients[0] = raim_client_create(&def);
    connect(test, 0);
    to_match(test, 0, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    assert_true(raim_match_is_admitted(test->match, 0));
    for (uint32_t kind = RAIM_MESSAGE_KINDS; kind <= RAIM_MESSAGE_MAX_KIND; kind++) {
        const uint8_t unknown[] = {(uint8_t)(kind << 1), 0xFF, 0x12};
        to_match(test, 0, true, unknown, sizeof unknown);
        to_match(test, 0, false, unknown, sizeof unknown);
    }
    ticks(test, 5);
    for (int rejection = 0; rejection < RAIM_REJECTIONS; rejection++)
        assert_int_equal(rejected(test, (enum raim_rejection)rejection),
                         rejection == RAIM_REJECTED_UNEXPECTED
                             ? 2 * (RAIM_MESSAGE_MAX_KIND + 1 - RAIM_MESSAGE_KINDS)
                             : 0);
    assert_true(raim_match_is_admitted(test->match, 0));
}

TEST(a_connection_with_one_channel_is_told_why_it_ends)
{
    struct test_match *test = open_test_match(NULL, 2, 0);
    const struct raim_client_def def = raim_client_default_def();
    test->clients[0] = raim_client_create(&def);
    connect(test, 0);
    raim_match_reject(test->match, 0, RAIM_REASON_CHANNELS);
    tick(test);
    assert_int_equal(raim_client_get_end(test->clients[0]).reason, RAIM_REASON_CHANNELS);
    assert_true(raim_client_get_end(test->clients[0]).text[0] != '\0');
    assert_true(test->closed[0]);
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 1);
}

TEST(a_garbage_name_is_rejected)
{
    reject_hello(&(struct raim_hello){.version = RAIM_PROTOCOL_VERSION, .name = "\xff\xfe\x80"},
                 RAIM_REASON_NAME, RAIM_REJECTED_NAME);
    reject_hello(&(struct raim_hello){.version = RAIM_PROTOCOL_VERSION, .name = "\x01 \x7f "},
                 RAIM_REASON_NAME, RAIM_REJECTED_NAME);
}

TEST(a_silent_connection_ends)
{
    struct test_match *test = open_test_match(NULL, 2, 0);
    const struct raim_client_def def = raim_client_default_def();
    test->clients[0] = raim_client_create(&def);
    connect(test, 0);
    ticks(test, 299);
    assert_false(test->closed[0]);
    ticks(test, 3);
    assert_true(test->closed[0]);
    assert_int_equal(raim_client_get_end(test->clients[0]).reason, RAIM_REASON_SILENT);
    assert_int_equal(rejected(test, RAIM_REJECTED_SILENT), 1);
}

// True for players in plain sight of a player.
static bool is_due(const struct test_match *test, const raim_player *self, const raim_player *other)
{
    return other->state == RAIM_PLAYER_ALIVE &&
           fabs(other->position.x - self->position.x) <= 1600 / 2.0 &&
           fabs(other->position.y - self->position.y) <= 861 / 2.0 &&
           raim_map_sees_circle(test->map, self->position, other->position,
                                raim_match_world(test->match)->rules.player_radius);
}

// Compares the newest snapshot of a client with the world of its tick.
static void assert_sees_the_truth(const struct test_match *test, const struct raim_client *client)
{
    static struct raim_client_player seen[RAIM_MAX_PLAYERS];
    const struct raim_world *world = raim_match_world(test->match);
    const raim_player *players = raim_world_players_const(world);
    const uint32_t own_slot = raim_client_own_slot(client);
    const raim_player *self = &players[own_slot];
    const uint32_t count = raim_client_players(client, seen, RAIM_MAX_PLAYERS);
    uint32_t due = 0;
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        due += is_due(test, self, &players[slot]);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *truth = &players[seen[i].slot];
        assert_int_equal(truth->state, RAIM_PLAYER_ALIVE);
        assert_true(seen[i].position.x == truth->position.x);
        assert_true(seen[i].position.y == truth->position.y);
        assert_true(seen[i].slot == own_slot || abs((int16_t)(seen[i].aim - truth->aim)) <= 32);
        assert_int_equal(seen[i].shielded, truth->shield_ticks > 0);
        inside += is_due(test, self, truth);
    }
    assert_int_equal(inside, due);
    assert_int_equal(raim_client_alive(client), self->state == RAIM_PLAYER_ALIVE);
}

static void assert_scores_agree(const struct test_match *test, const struct raim_client *client)
{
    struct raim_match_player rows[CLIENTS + 8];
    const uint32_t count = raim_match_players(test->match, rows, CLIENTS + 8);
    for (uint32_t i = 0; i < count; i++) {
        const struct raim_client_roster_entry *member =
            raim_client_get_roster_entry(client, raim_player_slot(rows[i].id));
        assert_int_equal(member->id, rows[i].id);
        assert_int_equal(member->score, rows[i].score);
        assert_int_equal(member->deaths, rows[i].deaths);
        assert_string_equal(member->name, rows[i].name);
    }
}

static void play_and_compare(double loss)
{
    struct test_match *test = open_test_match(NULL, CLIENTS - 8, 4);
    test->loss = loss;
    uint32_t compared = 0;
    for (uint32_t i = 0; i < 20; i++)
        join(test, i, "player");
    for (int i = 0; i < 1500; i++) {
        tick(test);
        for (uint32_t handle = 0; handle < CLIENTS; handle++) {
            const struct raim_client *client = test->clients[handle];
            // After a lost snapshot the client's prediction may differ.
            if (client == NULL || !test->fresh[handle] ||
                raim_client_get_state(client) != RAIM_CLIENT_PLAYING ||
                raim_client_tick(client) != raim_match_tick(test->match))
                continue;
            assert_sees_the_truth(test, client);
            if (client->roster.next_sequence == test->match->log.end)
                assert_scores_agree(test, client);
            compared += client->roster.next_sequence == test->match->log.end;
        }
        // Clients keep joining and leaving, some without GOODBYE.
        if (i % 20 == 0) {
            const uint32_t handle = (uint32_t)chance_int(0, CLIENTS - 9);
            if (test->clients[handle] == NULL)
                join(test, handle, "late");
            else if (chance_int(0, 1) == 0)
                leave(test, handle);
            else
                lose(test, handle);
        }
    }
    uint64_t kills = 0;
    for (uint32_t handle = 0; handle < CLIENTS; handle++) {
        if (test->clients[handle] == NULL)
            continue;
        const struct raim_client_stats *stats = raim_client_get_stats(test->clients[handle]);
        assert_int_equal(stats->decode_errors, 0);
        assert_true(loss > 0 || stats->events_ahead == 0);
        kills += stats->kills_seen;
    }
    assert_true(kills > 0 && compared > 1000);
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 0);
    assert_int_equal(rejected(test, RAIM_REJECTED_ACK), 0);
}

TEST(clients_see_the_truth)
{
    play_and_compare(0);
}

TEST(clients_see_the_truth_through_loss)
{
    play_and_compare(0.2);
    play_and_compare(0.7);
}

TEST(an_interval_serves_the_clients_in_turn)
{
    enum { PLAYERS = 9, TICKS = 60 };
    for (uint32_t interval = 1; interval <= RAIM_MAX_SNAPSHOT_INTERVAL; interval++) {
        struct test_match *test = open_test_match(NULL, PLAYERS, 0);
        for (uint32_t i = 0; i < PLAYERS; i++)
            join(test, i, "Ada");
        ticks(test, 30);
        raim_match_set_snapshot_interval(test->match, interval);
        uint32_t served[PLAYERS] = {0};
        for (int i = 0; i < TICKS; i++) {
            uint32_t in_tick = 0;
            tick(test);
            for (uint32_t j = 0; j < PLAYERS; j++) {
                in_tick += test->fresh[j];
                served[j] += test->fresh[j];
            }
            assert_true(in_tick <= (PLAYERS + interval - 1) / interval);
        }
        for (uint32_t j = 0; j < PLAYERS; j++) {
            // Ten a second are sent where nothing happens, fewer by the interval.
            assert_true(served[j] <= TICKS / interval && served[j] >= TICKS / interval / 6);
            assert_int_equal(raim_client_get_state(test->clients[j]), RAIM_CLIENT_PLAYING);
        }
        assert_int_equal(rejected(test, RAIM_REJECTED_ACK), 0);
        close_test_match(test);
    }
}
