// SPDX-License-Identifier: MIT
// The keeper: when a match is written down, what the next process finds, and whom it invites.
#define _GNU_SOURCE
#include "arena_checkpoint.h"
#include "arena_fixture.h"
#include "chance.h"
#include "connectionless.h"
#include "crypto.h"
#include "handshake.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { TICK_HZ = 60, INVITES = 11 };

struct house {
    char directory[32], path[64];
    struct raim_map *map;
    struct raim_match_def def;
    struct raim_match *match;
    struct arena_checkpoint keeper;
    struct transport *transport;
    int client; // a socket where somebody has played
    struct udp_address from;
    raim_player_id player;
    uint8_t token[RAIM_TOKEN_BYTES];
};

static void send_hello(struct house *house, bool resume)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = resume, .name = "Ada"};
    if (resume)
        memcpy(hello.token, house->token, sizeof hello.token);
    raim_match_connect(house->match, 0, house->token);
    raim_match_receive(house->match, 0, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
}

static void begin_process(struct house *house)
{
    char error[128];
    house->match = raim_match_create(&house->def);
    assert_non_null(house->match);
    assert_true(arena_checkpoint_create(&house->keeper, "arena"));
    house->transport = transport_open("127.0.0.1", 0, 4, error, sizeof error);
    assert_non_null(house->transport);
}

static void end_process(struct house *house)
{
    arena_checkpoint_destroy(&house->keeper);
    raim_match_destroy(house->match);
    transport_close(house->transport);
}

static void steps(struct house *house, int count)
{
    struct raim_outgoing outgoing;
    while (count-- > 0) {
        raim_match_step(house->match);
        arena_checkpoint_run(&house->keeper, house->match, house->transport);
        while (raim_match_outgoing(house->match, &outgoing)) {
        }
        transport_flush(house->transport);
    }
}

static void open_socket(struct house *house)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    house->client = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_true(house->client >= 0);
    assert_int_equal(bind(house->client, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(house->client, (struct sockaddr *)&address, &size), 0);
    house->from = (struct udp_address){.address = ntohl(address.sin_addr.s_addr),
                                       .port = ntohs(address.sin_port)};
}

// Nobody is in it yet; bots do not fire, for there is none to be seen.
static struct house *open_house(void)
{
    struct house *house = calloc(1, sizeof *house);
    strcpy(house->directory, "/tmp/raimd-test-XXXXXX");
    assert_non_null(mkdtemp(house->directory));
    snprintf(house->path, sizeof house->path, "%s/arena.checkpoint", house->directory);
    assert_int_equal(setenv("RUNTIME_DIRECTORY", house->directory, 1), 0);
    house->map = fixture_map(NULL, 0);
    house->def = raim_match_default_def();
    house->def.map = house->map;
    house->def.max_clients = 4;
    house->def.max_connections = 8;
    house->def.bots = 1;
    for (size_t i = 0; i < sizeof house->token; i++)
        house->token[i] = (uint8_t)chance_int(0, 255);
    open_socket(house);
    begin_process(house);
    arena_checkpoint_start(&house->keeper, house->match, 30);
    return house;
}

static void close_house(struct house *house)
{
    end_process(house);
    raim_map_destroy(house->map);
    close(house->client);
    unlink(house->path);
    assert_int_equal(rmdir(house->directory), 0);
    free(house);
}

// The tick that another process would go on from.
static uint32_t kept_tick(const struct house *house)
{
    struct checkpoint_seat seats[RAIM_MAX_PLAYERS];
    struct checkpoint *checkpoint = checkpoint_create(house->directory, "arena");
    struct raim_match *match = raim_match_create(&house->def);
    const struct checkpoint_result result = checkpoint_restore(checkpoint, match, 30, seats);
    const uint32_t tick = raim_match_tick(match);
    assert_int_equal(result.verdict, CHECKPOINT_RESTORED);
    raim_match_destroy(match);
    checkpoint_destroy(checkpoint);
    return tick;
}

// Somebody plays, whom the keeper knows to play from the socket, and the process dies.
static void play_and_die(struct house *house)
{
    send_hello(house, false);
    steps(house, 10);
    struct raim_match_player rows[8];
    assert_int_equal(raim_match_players(house->match, rows, 8), 2);
    assert_string_equal(rows[1].name, "Ada");
    house->player = rows[1].id;
    struct checkpoint_seat *seat = &house->keeper.seats[raim_player_slot(house->player)];
    assert_int_equal(seat->player, house->player);
    seat->address = htonl(house->from.address);
    seat->port = house->from.port;
    checkpoint_save(house->keeper.checkpoint, house->match, house->keeper.seats);
    end_process(house);
}

// Whether an invitation has come.
static bool is_invited(const struct house *house, struct raim_invite *invite)
{
    uint8_t bytes[64];
    const ssize_t size = recv(house->client, bytes, sizeof bytes, 0);
    if (size < 0)
        return false;
    assert_int_equal(raim_connectionless_kind(bytes, (size_t)size), RAIM_CONNECTIONLESS_INVITE);
    assert_true(raim_invite_read(bytes, (size_t)size, invite));
    const uint64_t proof = raim_crypto_siphash(house->token, invite->nonce, sizeof invite->nonce);
    assert_memory_equal(invite->proof, &proof, sizeof proof);
    return true;
}

static int count_invites(const struct house *house)
{
    // All of a restart are one: whoever repeats them calls nobody twice.
    struct raim_invite invite, first = {0};
    int count = 0;
    for (; is_invited(house, &invite); count++) {
        first = count == 0 ? invite : first;
        assert_memory_equal(&invite, &first, sizeof first);
    }
    return count;
}

static void test_it_writes_once_a_second_and_when_somebody_comes(void **state)
{
    (void)state;
    struct house *house = open_house();
    const uint32_t first = house->keeper.saved_tick;
    steps(house, TICK_HZ - 1);
    assert_int_equal(house->keeper.saved_tick, first);
    steps(house, 1);
    assert_int_equal(house->keeper.saved_tick, first + TICK_HZ);
    steps(house, 5);
    send_hello(house, false); // who comes is an event
    steps(house, 1);
    assert_int_equal(house->keeper.saved_tick, first + TICK_HZ + 6);
    assert_int_equal(kept_tick(house), raim_match_tick(house->match));
    close_house(house);
}

static void test_who_played_is_invited_until_they_are_back(void **state)
{
    (void)state;
    struct house *house = open_house();
    play_and_die(house);
    begin_process(house);
    arena_checkpoint_start(&house->keeper, house->match, 30);
    steps(house, 1);
    assert_int_equal(count_invites(house), 1); // at once
    steps(house, TICK_HZ / 5);
    assert_int_equal(count_invites(house), 1);
    send_hello(house, true);
    steps(house, 3 * TICK_HZ);
    assert_int_equal(count_invites(house), 0);
    struct raim_match_player rows[8];
    assert_int_equal(raim_match_players(house->match, rows, 8), 2);
    assert_int_equal(rows[1].id, house->player);
    assert_false(rows[1].away);
    close_house(house);
}

static void test_who_does_not_come_is_invited_for_two_seconds(void **state)
{
    (void)state;
    struct house *house = open_house();
    play_and_die(house);
    begin_process(house);
    arena_checkpoint_start(&house->keeper, house->match, 30);
    steps(house, 5 * TICK_HZ);
    assert_int_equal(count_invites(house), INVITES);
    close_house(house);
}

static void test_a_match_that_ends_for_good_leaves_nothing(void **state)
{
    (void)state;
    struct house *house = open_house();
    steps(house, 10);
    arena_checkpoint_end(&house->keeper, house->match, house->transport, false);
    assert_int_not_equal(access(house->path, F_OK), 0);
    close_house(house);
}

static void test_a_match_that_goes_on_is_kept_as_it_ends(void **state)
{
    (void)state;
    struct house *house = open_house();
    send_hello(house, false);
    steps(house, 25);
    arena_checkpoint_end(&house->keeper, house->match, house->transport, true);
    assert_int_equal(kept_tick(house), raim_match_tick(house->match));
    struct raim_outgoing outgoing;
    assert_true(raim_match_outgoing(house->match, &outgoing));
    assert_true(outgoing.close);
    assert_int_equal(outgoing.reason, RAIM_REASON_RESTART);
    close_house(house);
}

static void test_orderly_ends_are_no_crashes(void **state)
{
    (void)state;
    struct house *house = open_house();
    steps(house, 5);
    for (uint32_t i = 1; i <= 3 * CHECKPOINT_MAX_RESTORES; i++) {
        arena_checkpoint_end(&house->keeper, house->match, house->transport, true);
        end_process(house);
        begin_process(house);
        arena_checkpoint_start(&house->keeper, house->match, 30);
        assert_int_equal(raim_match_tick(house->match), 5 * i);
        steps(house, 5);
    }
    close_house(house);
}

static void test_another_match_is_kept_from_its_first_step_on(void **state)
{
    (void)state;
    struct house *house = open_house();
    steps(house, 25);
    struct raim_match *before = house->match;
    house->def.bots = 3;
    house->match = raim_match_create(&house->def);
    steps(house, 1);
    assert_int_equal(kept_tick(house), 1);
    raim_match_destroy(before);
    close_house(house);
}

static void test_the_map_of_several_is_found_again(void **state)
{
    (void)state;
    struct house *house = open_house();
    steps(house, 1);
    struct raim_map other = *house->map, third = *house->map;
    strcpy(other.name, "other");
    strcpy(third.name, "third");
    struct config_arena config = {.map = &other, .rotation_count = 2};
    config.rotation[0] = &third;
    config.rotation[1] = house->map;
    assert_int_equal(arena_checkpoint_find_map(&house->keeper, &config).place, 2);
    config.rotation_count = 1;
    assert_int_equal(arena_checkpoint_find_map(&house->keeper, &config).place, 0);
    config.map = house->map;
    assert_int_equal(arena_checkpoint_find_map(&house->keeper, &config).place, 0);
    // One that is there twice is found where it was played on.
    config.rotation_count = 2;
    arena_checkpoint_note_map(&house->keeper, &(struct checkpoint_map){.place = 2});
    house->keeper.match = NULL; // as of another map
    steps(house, 1);
    assert_int_equal(arena_checkpoint_find_map(&house->keeper, &config).place, 2);
    close_house(house);
}

static void test_what_is_kept_goes_by_the_arenas_newest_name(void **state)
{
    (void)state;
    char path[80];
    struct house *house = open_house();
    snprintf(path, sizeof path, "%s/duel.checkpoint", house->directory);
    steps(house, 10);
    arena_checkpoint_rename(&house->keeper, "duel");
    assert_string_equal(house->keeper.name, "duel");
    assert_int_equal(access(house->path, F_OK), -1);
    assert_int_equal(access(path, F_OK), 0);
    arena_checkpoint_rename(&house->keeper, "arena");
    send_hello(house, false);
    steps(house, 1);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(kept_tick(house), raim_match_tick(house->match));
    close_house(house);
}

static void test_without_a_directory_nothing_is_kept(void **state)
{
    (void)state;
    struct house *house = open_house();
    end_process(house);
    assert_int_equal(setenv("RUNTIME_DIRECTORY", "", 1), 0);
    begin_process(house);
    arena_checkpoint_start(&house->keeper, house->match, 30);
    steps(house, 2 * TICK_HZ);
    arena_checkpoint_end(&house->keeper, house->match, house->transport, true);
    struct raim_outgoing outgoing;
    assert_false(raim_match_outgoing(house->match, &outgoing)); // nobody to tell
    assert_int_equal(raim_match_tick(house->match), 2 * TICK_HZ);
    close_house(house);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_writes_once_a_second_and_when_somebody_comes),
        cmocka_unit_test(test_who_played_is_invited_until_they_are_back),
        cmocka_unit_test(test_who_does_not_come_is_invited_for_two_seconds),
        cmocka_unit_test(test_a_match_that_ends_for_good_leaves_nothing),
        cmocka_unit_test(test_a_match_that_goes_on_is_kept_as_it_ends),
        cmocka_unit_test(test_orderly_ends_are_no_crashes),
        cmocka_unit_test(test_another_match_is_kept_from_its_first_step_on),
        cmocka_unit_test(test_the_map_of_several_is_found_again),
        cmocka_unit_test(test_what_is_kept_goes_by_the_arenas_newest_name),
        cmocka_unit_test(test_without_a_directory_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
