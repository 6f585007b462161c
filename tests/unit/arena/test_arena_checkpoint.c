// SPDX-License-Identifier: MIT
// Checkpoints of an arena: when the match is saved, what the next process restores, and which
// clients it invites.
#define _GNU_SOURCE
#include "arena_checkpoint.h"
#include "arena_fixture.h"
#include "chance.h"
#include "connectionless.h"
#include "crypto.h"
#include "handshake.h"
#include "store.h"
#include "test.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TICK_HZ = 60, INVITES = 11 };

static struct fixture {
    char directory[32], path[64], portable_path[64];
    struct raim_map *map;
    struct raim_match_def def;
    struct raim_match *match;
    struct arena_checkpoint checkpoint;
    struct store *store; // without a thread: what is posted is written by store_flush
    struct transport *transport;
    int client; // the socket of a client that has played
    struct udp_address from;
    raim_player_id player;
    uint8_t token[RAIM_TOKEN_BYTES];
} * fixture;

static void send_hello(bool resume)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = resume, .name = "Ada"};
    if (resume)
        memcpy(hello.token, fixture->token, sizeof hello.token);
    raim_match_connect(fixture->match, 0, fixture->token);
    raim_match_receive(fixture->match, 0, true, bytes,
                       raim_hello_write(&hello, bytes, sizeof bytes));
}

static void begin_process(void)
{
    char error[128];
    fixture->match = raim_match_create(&fixture->def);
    assert_non_null(fixture->match);
    assert_true(arena_checkpoint_create(&fixture->checkpoint, "arena", 8));
    fixture->transport = transport_open("127.0.0.1", 0, 4, error, sizeof error);
    assert_non_null(fixture->transport);
}

static void end_process(void)
{
    arena_checkpoint_destroy(&fixture->checkpoint, fixture->store);
    raim_match_destroy(fixture->match);
    transport_close(fixture->transport);
}

static void steps(int count)
{
    struct raim_outgoing outgoing;
    while (count-- > 0) {
        raim_match_step(fixture->match);
        arena_checkpoint_run(&fixture->checkpoint, fixture->match, fixture->transport);
        while (raim_match_outgoing(fixture->match, &outgoing)) {
        }
        transport_flush(fixture->transport);
    }
}

static void open_socket(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    fixture->client = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_true(fixture->client >= 0);
    assert_int_equal(bind(fixture->client, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fixture->client, (struct sockaddr *)&address, &size), 0);
    fixture->from = udp_address_v4(ntohl(address.sin_addr.s_addr), ntohs(address.sin_port));
}

// An arena without clients. Its bot does not fire, because it sees no other player.
static void open_fixture(void)
{
    fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->directory, "/tmp/raimd-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    snprintf(fixture->path, sizeof fixture->path, "%s/arena.checkpoint", fixture->directory);
    snprintf(fixture->portable_path, sizeof fixture->portable_path, "%s/arena.match",
             fixture->directory);
    fixture->store = store_create(NULL);
    assert_int_equal(setenv("RUNTIME_DIRECTORY", fixture->directory, 1), 0);
    fixture->map = fixture_map(NULL, 0);
    fixture->def = raim_match_default_def();
    fixture->def.map = fixture->map;
    fixture->def.tuning.max_players = 4;
    fixture->def.max_connections = 8;
    fixture->def.bots = 1;
    for (size_t i = 0; i < sizeof fixture->token; i++)
        fixture->token[i] = (uint8_t)chance_int(0, 255);
    open_socket();
    begin_process();
    arena_checkpoint_start(&fixture->checkpoint, fixture->match);
}

static void close_fixture(void)
{
    end_process();
    raim_map_destroy(fixture->map);
    close(fixture->client);
    unlink(fixture->path);
    unlink(fixture->portable_path);
    store_close(fixture->store);
    assert_int_equal(rmdir(fixture->directory), 0);
    free(fixture);
}

TEST_EACH(open_fixture, close_fixture)

// The tick of the saved match, as another process would restore it.
static uint32_t kept_tick(void)
{
    struct checkpoint_address addresses[RAIM_MAX_PLAYERS];
    struct checkpoint *checkpoint = checkpoint_create(fixture->directory, "arena");
    struct raim_match *match = raim_match_create(&fixture->def);
    const struct checkpoint_result result = checkpoint_restore(checkpoint, match, 30, addresses);
    const uint32_t tick = raim_match_tick(match);
    assert_int_equal(result.verdict, CHECKPOINT_RESTORED);
    raim_match_destroy(match);
    checkpoint_destroy(checkpoint);
    return tick;
}

// A client plays, with its address set to that of the socket.
static void play_from_socket(void)
{
    send_hello(false);
    steps(10);
    struct raim_match_player rows[8];
    assert_int_equal(raim_match_players(fixture->match, rows, 8), 2);
    assert_string_equal(rows[1].name, "Ada");
    fixture->player = rows[1].id;
    struct checkpoint_address *address =
        &fixture->checkpoint.addresses[raim_player_slot(fixture->player)];
    assert_int_equal(address->player, fixture->player);
    address->host = ip_address_host(fixture->from.ip);
    address->high = fixture->from.ip.high;
    address->low = fixture->from.ip.low;
    address->port = fixture->from.port;
}

static void play_and_die(void)
{
    play_from_socket();
    checkpoint_save(fixture->checkpoint.file, fixture->match, fixture->checkpoint.addresses);
    end_process();
}

// Whether an invitation was received.
static bool is_invited(struct raim_invite *invite)
{
    uint8_t bytes[64];
    const ssize_t size = recv(fixture->client, bytes, sizeof bytes, 0);
    if (size < 0)
        return false;
    assert_int_equal(raim_connectionless_kind(bytes, (size_t)size), RAIM_CONNECTIONLESS_INVITE);
    assert_true(raim_invite_read(bytes, (size_t)size, invite));
    const uint64_t proof = raim_crypto_siphash(fixture->token, invite->nonce, sizeof invite->nonce);
    assert_memory_equal(invite->proof, &proof, sizeof proof);
    return true;
}

static int count_invites(void)
{
    // Every invitation of a restart is equal, so that repetitions do not invite a client twice.
    struct raim_invite invite, first = {0};
    int count = 0;
    for (; is_invited(&invite); count++) {
        first = count == 0 ? invite : first;
        assert_memory_equal(&invite, &first, sizeof first);
    }
    return count;
}

TEST(it_saves_once_a_second_and_when_a_player_joins)
{
    const uint32_t first = fixture->checkpoint.saved_tick;
    steps(TICK_HZ - 1);
    assert_int_equal(fixture->checkpoint.saved_tick, first);
    steps(1);
    assert_int_equal(fixture->checkpoint.saved_tick, first + TICK_HZ);
    steps(5);
    send_hello(false); // a new player is an event
    steps(1);
    assert_int_equal(fixture->checkpoint.saved_tick, first + TICK_HZ + 6);
    assert_int_equal(kept_tick(), raim_match_tick(fixture->match));
}

TEST(players_are_invited_until_they_return)
{
    play_and_die();
    begin_process();
    arena_checkpoint_start(&fixture->checkpoint, fixture->match);
    steps(1);
    assert_int_equal(count_invites(), 1); // at once
    steps(TICK_HZ / 5);
    assert_int_equal(count_invites(), 1);
    send_hello(true);
    steps(3 * TICK_HZ);
    assert_int_equal(count_invites(), 0);
    struct raim_match_player rows[8];
    assert_int_equal(raim_match_players(fixture->match, rows, 8), 2);
    assert_int_equal(rows[1].id, fixture->player);
    assert_false(rows[1].away);
}

TEST(absent_players_are_invited_for_two_seconds)
{
    play_and_die();
    begin_process();
    arena_checkpoint_start(&fixture->checkpoint, fixture->match);
    steps(5 * TICK_HZ);
    assert_int_equal(count_invites(), INVITES);
}

TEST(a_match_that_ends_for_good_leaves_nothing)
{
    steps(10);
    arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, false);
    end_process();
    assert_int_not_equal(access(fixture->path, F_OK), 0);
    assert_int_not_equal(access(fixture->portable_path, F_OK), 0);
    begin_process();
}

TEST(a_match_that_continues_is_saved_at_the_end)
{
    send_hello(false);
    steps(25);
    arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, true);
    assert_int_equal(kept_tick(), raim_match_tick(fixture->match));
    struct raim_outgoing outgoing;
    assert_true(raim_match_outgoing(fixture->match, &outgoing));
    assert_true(outgoing.close);
    assert_int_equal(outgoing.reason, RAIM_REASON_RESTART);
}

TEST(orderly_ends_are_no_crashes)
{
    steps(5);
    for (uint32_t i = 1; i <= 3 * CHECKPOINT_MAX_RESTORES; i++) {
        arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, true);
        end_process();
        begin_process();
        arena_checkpoint_start(&fixture->checkpoint, fixture->match);
        assert_int_equal(raim_match_tick(fixture->match), 5 * i);
        steps(5);
    }
}

TEST(another_match_is_saved_from_its_first_step_on)
{
    steps(25);
    struct raim_match *before = fixture->match;
    fixture->def.bots = 3;
    fixture->match = raim_match_create(&fixture->def);
    steps(1);
    assert_int_equal(kept_tick(), 1);
    raim_match_destroy(before);
}

TEST(the_map_is_found_in_the_rotation)
{
    steps(1);
    struct raim_map other = *fixture->map, third = *fixture->map;
    strcpy(other.name, "other");
    strcpy(third.name, "third");
    struct config_arena config = {.match.map = &other, .rotation_count = 2};
    config.rotation[0] = &third;
    config.rotation[1] = fixture->map;
    assert_int_equal(arena_checkpoint_find_map(&fixture->checkpoint, &config).index, 2);
    config.rotation_count = 1;
    assert_int_equal(arena_checkpoint_find_map(&fixture->checkpoint, &config).index, 0);
    config.match.map = fixture->map;
    assert_int_equal(arena_checkpoint_find_map(&fixture->checkpoint, &config).index, 0);
    // A map that is in the rotation twice is found at the index where it was played.
    config.rotation_count = 2;
    arena_checkpoint_note_map(&fixture->checkpoint, &(struct checkpoint_map){.index = 2});
    fixture->checkpoint.match = NULL; // as for a match on another map
    steps(1);
    assert_int_equal(arena_checkpoint_find_map(&fixture->checkpoint, &config).index, 2);
}

TEST(renaming_the_arena_renames_its_checkpoint)
{
    char path[80];
    snprintf(path, sizeof path, "%s/duel.checkpoint", fixture->directory);
    steps(10);
    arena_checkpoint_rename(&fixture->checkpoint, "duel");
    assert_string_equal(fixture->checkpoint.name, "duel");
    assert_int_equal(access(fixture->path, F_OK), -1);
    assert_int_equal(access(path, F_OK), 0);
    arena_checkpoint_rename(&fixture->checkpoint, "arena");
    send_hello(false);
    steps(1);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(kept_tick(), raim_match_tick(fixture->match));
}

// Writes the newest block, and reads the file. The caller frees it.
static struct portable_checkpoint *read_portable(void)
{
    char *kept;
    const char *why;
    arena_checkpoint_post(&fixture->checkpoint, fixture->store);
    store_flush(fixture->store);
    struct portable_checkpoint *found =
        portable_checkpoint_read(fixture->portable_path, &kept, &why);
    assert_non_null(found);
    free(kept);
    return found;
}

static uint32_t portable_tick(void)
{
    struct portable_checkpoint *found = read_portable();
    const uint32_t tick = found->match.tick;
    assert_string_equal(found->arena, "arena");
    free(found);
    return tick;
}

static void write_byte(const char *path, long at, int byte)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    fputc(byte, file);
    fclose(file);
}

static void make_another_layout(void)
{
    write_byte(fixture->path, 8, 99);
}

TEST(the_portable_one_is_of_the_last_second)
{
    const uint32_t first = portable_tick();
    steps(10);
    send_hello(false);
    steps(TICK_HZ - 11);
    assert_int_equal(portable_tick(), first);
    steps(1);
    assert_int_equal(portable_tick(), first + TICK_HZ);
    raim_match_disconnect(fixture->match, 0);
    steps(40 * TICK_HZ); // the session ends, and only a bot is there, which meets nobody
    const uint32_t last = portable_tick();
    steps(5 * TICK_HZ);
    assert_int_equal(portable_tick(), last);
}

TEST(a_match_of_another_layout_continues_from_the_portable_one)
{
    send_hello(false);
    steps(TICK_HZ);
    struct raim_match_player before[8], after[8];
    assert_int_equal(raim_match_players(fixture->match, before, 8), 2);
    arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, true);
    end_process();
    make_another_layout();
    begin_process();
    arena_checkpoint_start(&fixture->checkpoint, fixture->match);
    assert_int_equal(fixture->checkpoint.rejected, 1);
    assert_int_equal(raim_match_tick(fixture->match), TICK_HZ);
    assert_true(raim_match_has_session(fixture->match, fixture->token));
    assert_int_equal(raim_match_players(fixture->match, after, 8), 2);
    assert_string_equal(after[1].name, "Ada");
    assert_int_equal(after[1].id, before[1].id);
    steps(1);
    assert_int_equal(kept_tick(), TICK_HZ); // and is saved in this layout
}

TEST(its_players_are_invited)
{
    play_from_socket();
    raim_match_disconnect(fixture->match, 0);
    arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, true);
    end_process();
    make_another_layout();
    begin_process();
    arena_checkpoint_start(&fixture->checkpoint, fixture->match);
    steps(1);
    assert_int_equal(count_invites(), 1);
    assert_true(arena_checkpoint_has_address(&fixture->checkpoint, fixture->from.ip)); // an own one
}

// A document that is whole, of a state that no match can have.
static void make_unsound(void)
{
    struct portable_checkpoint *found = read_portable();
    size_t size = portable_checkpoint_size(portable_checkpoint_rows(found));
    found->match.round = 0;
    char *text = portable_checkpoint_encode((const char *)found, &size);
    FILE *file = fopen(fixture->portable_path, "w");
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(text);
    free(found);
}

TEST(a_portable_one_that_is_damaged_missing_or_unsound_is_not_used)
{
    static const uint32_t rejected[] = {2, 1, 2}; // the one of another layout, too
    for (int fault = 0; fault < 3; fault++) {
        send_hello(false);
        steps(TICK_HZ);
        arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, true);
        end_process();
        make_another_layout();
        if (fault == 0)
            write_byte(fixture->portable_path, 20, '9');
        if (fault == 1)
            unlink(fixture->portable_path);
        if (fault == 2)
            make_unsound();
        begin_process();
        arena_checkpoint_start(&fixture->checkpoint, fixture->match);
        assert_int_equal(fixture->checkpoint.rejected, rejected[fault]);
        assert_int_equal(fixture->checkpoint.lost, 1);
        assert_int_equal(raim_match_playing(fixture->match), 0);
        assert_int_equal(raim_match_tick(fixture->match), 0);
    }
}

TEST(a_match_that_nobody_has_run_for_an_hour_has_ended_and_is_not_lost)
{
    for (int layout = 0; layout < 2; layout++) {
        send_hello(false);
        steps(TICK_HZ);
        arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, true);
        end_process();
        if (layout == 1)
            make_another_layout();
        begin_process();
        assert_true(fixture->checkpoint.max_age_s == 3600);
        fixture->checkpoint.max_age_s = -1;
        arena_checkpoint_start(&fixture->checkpoint, fixture->match);
        assert_int_equal(fixture->checkpoint.lost, 0);
        assert_int_equal(raim_match_playing(fixture->match), 0);
        assert_int_equal(raim_match_tick(fixture->match), 0);
        assert_int_equal(arena_checkpoint_gap_ms(&fixture->checkpoint, 0), 0);
    }
}

TEST(members_of_a_newer_version_survive_a_process_that_does_not_know_them)
{
    char *kept;
    const char *why;
    steps(TICK_HZ);
    fixture->checkpoint.kept = strdup("{\"match\":{\"mode\":\"teams\"}}");
    for (int restart = 0; restart < 2; restart++) {
        arena_checkpoint_end(&fixture->checkpoint, fixture->match, fixture->transport, true);
        end_process();
        begin_process();
        arena_checkpoint_start(&fixture->checkpoint, fixture->match);
        free(portable_checkpoint_read(fixture->portable_path, &kept, &why));
        assert_string_equal(kept, "{\"match\":{\"mode\":\"teams\"}}");
        free(kept);
    }
}

TEST(renaming_the_arena_renames_the_portable_one)
{
    steps(10);
    free(read_portable());
    arena_checkpoint_rename(&fixture->checkpoint, "duel");
    send_hello(false);
    steps(TICK_HZ);
    arena_checkpoint_post(&fixture->checkpoint, fixture->store);
    store_flush(fixture->store);
    assert_int_equal(access(fixture->portable_path, F_OK), -1);
    arena_checkpoint_rename(&fixture->checkpoint, "arena");
    steps(TICK_HZ);
    free(read_portable());
}
