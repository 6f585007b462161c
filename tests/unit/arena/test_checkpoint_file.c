// SPDX-License-Identifier: MIT
// Checkpoint files: the newest intact slot is restored, damage at any byte costs at most the newest
// slot, and a checkpoint that was restored too often is set aside.
#define _GNU_SOURCE
#include "arena_fixture.h"
#include "chance.h"
#include "checkpoint_file.h"
#include "digest.h"
#include "monotonic.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Offsets in the file, for the tests that forge it.
enum {
    FRONT_BYTES = 64,
    SLOT_BYTES_AT = 12, // in the header
    SAVED_AT = 16,      // in a slot
    BOOT_AT = 24,
    PLACES_AT = 32,
    MATCH_BYTES_AT = 36,
    PATH_BYTES_AT = 44,
    SLOT_HEAD_BYTES = 48,
};

static double max_age_s;

static struct fixture {
    char directory[32], path[64], bad_path[72];
    uint64_t begin_ms;
    struct raim_map *map;
    struct raim_match_def def;
    struct raim_match *match;
    struct checkpoint *checkpoint;
    struct checkpoint_map played;
    struct checkpoint_address addresses[RAIM_MAX_PLAYERS];
    uint64_t older, newer; // digests of the worlds in the slots
    uint8_t *bytes;        // of the file
    size_t size;
} * fixture;

static void read_bytes(void)
{
    FILE *file = fopen(fixture->path, "rb");
    struct stat status;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    free(fixture->bytes);
    fixture->size = (size_t)status.st_size;
    fixture->bytes = malloc(fixture->size);
    assert_int_equal(fread(fixture->bytes, 1, fixture->size, file), fixture->size);
    fclose(file);
}

static void write_bytes(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(fixture->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static uint64_t digest(void)
{
    return raim_world_digest(raim_match_world(fixture->match));
}

static void steps(int count)
{
    struct raim_outgoing outgoing;
    while (count-- > 0) {
        raim_match_step(fixture->match);
        while (raim_match_outgoing(fixture->match, &outgoing)) {
        }
    }
}

// Begins another process: a new match, and no open file.
static void begin_process(void)
{
    raim_match_destroy(fixture->match);
    checkpoint_destroy(fixture->checkpoint);
    fixture->def.seed = raim_random_next(&chance);
    fixture->match = raim_match_create(&fixture->def);
    fixture->checkpoint = checkpoint_create(fixture->directory, "arena");
    assert_non_null(fixture->match);
    assert_non_null(fixture->checkpoint);
    memset(fixture->addresses, 0, sizeof fixture->addresses);
}

static void bind_checkpoint(void)
{
    char error[256];
    assert_true(checkpoint_bind(fixture->checkpoint, fixture->match, &fixture->played,
                                fixture->addresses, error, sizeof error));
}

// A process that has played and saved twice, followed by a new one.
static void open_fixture(void)
{
    fixture = calloc(1, sizeof *fixture);
    fixture->begin_ms = monotonic_ms();
    max_age_s = 3600; // however long a busy machine takes
    strcpy(fixture->directory, "/tmp/raimd-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    snprintf(fixture->path, sizeof fixture->path, "%s/arena.checkpoint", fixture->directory);
    snprintf(fixture->bad_path, sizeof fixture->bad_path, "%s.bad", fixture->path);
    fixture->map = fixture_map(NULL, 0);
    fixture->def = raim_match_default_def();
    fixture->def.map = fixture->map;
    fixture->def.tuning.max_players = 1;
    fixture->def.tuning.max_spectators = 0;
    fixture->def.max_connections = 2;
    fixture->def.lag_compensation_ms = 50;
    fixture->def.bots = 2;
    begin_process();
    steps(200);
    fixture->addresses[1] = (struct checkpoint_address){.low = 7, .port = 8, .player = 1025};
    bind_checkpoint();
    fixture->older = digest();
    steps(20);
    checkpoint_save(fixture->checkpoint, fixture->match, fixture->addresses);
    fixture->newer = digest();
    read_bytes();
    begin_process();
}

static void close_fixture(void)
{
    raim_match_destroy(fixture->match);
    checkpoint_destroy(fixture->checkpoint);
    raim_map_destroy(fixture->map);
    unlink(fixture->path);
    unlink(fixture->bad_path);
    assert_int_equal(rmdir(fixture->directory), 0); // no other file was left in it
    free(fixture->bytes);
    free(fixture);
}

TEST_EACH(open_fixture, close_fixture)

static struct checkpoint_result restore(void)
{
    return checkpoint_restore(fixture->checkpoint, fixture->match, max_age_s, fixture->addresses);
}

static void assert_rejected(const char *why)
{
    const uint64_t before = digest();
    const struct checkpoint_result result = restore();
    assert_int_equal(result.verdict, CHECKPOINT_REJECTED);
    assert_string_equal(result.why, why);
    assert_int_equal(digest(), before);
}

static uint32_t slot_bytes(void)
{
    uint32_t bytes;
    memcpy(&bytes, fixture->bytes + SLOT_BYTES_AT, sizeof bytes);
    return bytes;
}

// Changes a number in both slots and updates their digests.
static void forge(size_t at, uint64_t value)
{
    for (int i = 0; i < 2; i++) {
        uint8_t *slot = fixture->bytes + FRONT_BYTES + (size_t)i * slot_bytes();
        uint32_t places, match_bytes, path_bytes;
        memcpy(slot + at, &value, sizeof value);
        memcpy(&places, slot + PLACES_AT, sizeof places);
        memcpy(&match_bytes, slot + MATCH_BYTES_AT, sizeof match_bytes);
        memcpy(&path_bytes, slot + PATH_BYTES_AT, sizeof path_bytes);
        const uint64_t whole =
            raim_digest(slot + 8, SLOT_HEAD_BYTES - 8 + places * sizeof(struct checkpoint_address) +
                                      match_bytes + path_bytes);
        memcpy(slot, &whole, sizeof whole);
    }
    write_bytes(fixture->bytes, fixture->size);
}

TEST(the_newest_slot_is_restored)
{
    struct stat status;
    assert_int_equal(stat(fixture->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    const struct checkpoint_result result = restore();
    assert_int_equal(result.verdict, CHECKPOINT_RESTORED);
    assert_true(result.age_ms <= monotonic_ms() - fixture->begin_ms);
    assert_int_equal(digest(), fixture->newer);
    assert_int_equal(fixture->addresses[1].low, 7);
    assert_int_equal(fixture->addresses[1].port, 8);
}

TEST(without_a_file_nothing_is_restored)
{
    assert_int_equal(unlink(fixture->path), 0);
    assert_int_equal(restore().verdict, CHECKPOINT_NONE);
    checkpoint_save(fixture->checkpoint, fixture->match, fixture->addresses);
    checkpoint_trust(fixture->checkpoint);
    checkpoint_remove(fixture->checkpoint);
    assert_int_not_equal(access(fixture->path, F_OK), 0);
}

TEST(damage_at_any_byte_costs_one_slot_at_most)
{
    uint32_t rejected = 0, newer = 0, older = 0;
    for (size_t at = 0; at < fixture->size; at++) {
        const uint8_t good = fixture->bytes[at];
        fixture->bytes[at] ^= (uint8_t)(1 << chance_int(0, 7));
        write_bytes(fixture->bytes, fixture->size);
        fixture->bytes[at] = good;
        const uint64_t before = digest();
        const struct checkpoint_result result = restore();
        const uint64_t after = digest();
        if (result.verdict == CHECKPOINT_RESTORED) {
            newer += after == fixture->newer;
            older += after == fixture->older;
            assert_true(after == fixture->newer || after == fixture->older);
        } else {
            assert_int_equal(result.verdict, CHECKPOINT_REJECTED);
            assert_int_equal(after, before);
            rejected++;
        }
    }
    assert_true(rejected >= 24); // the header
    assert_true(rejected <= FRONT_BYTES);
    const uint32_t slot = slot_bytes();
    assert_true(older > slot - FRONT_BYTES && older <= slot);
    assert_true(newer >= slot);
}

TEST(a_file_cut_short_at_any_byte_is_rejected)
{
    for (size_t size = 0; size < fixture->size; size++) {
        write_bytes(fixture->bytes, size);
        assert_rejected("it is damaged");
    }
}

TEST(a_reboot_and_age_are_reported)
{
    uint64_t boot, saved_ms;
    memcpy(&boot, fixture->bytes + FRONT_BYTES + BOOT_AT, sizeof boot);
    memcpy(&saved_ms, fixture->bytes + FRONT_BYTES + SAVED_AT, sizeof saved_ms);
    forge(BOOT_AT, boot + 1);
    assert_rejected("the machine has been rebooted since");
    forge(BOOT_AT, boot);
    forge(SAVED_AT, saved_ms + 3600 * 1000);
    assert_rejected("the machine has been rebooted since");
    forge(SAVED_AT, saved_ms - 31 * 1000);
    const struct checkpoint_result result = restore();
    assert_int_equal(result.verdict, CHECKPOINT_RESTORED);
    assert_true(result.age_ms >= 31 * 1000);
    max_age_s = 30;
    const uint64_t before = digest();
    assert_int_equal(restore().verdict, CHECKPOINT_EXPIRED);
    assert_int_equal(digest(), before);
    struct checkpoint_map map;
    char name[RAIM_MAP_NAME_BYTES];
    assert_false(checkpoint_find_map(fixture->checkpoint, max_age_s, &map, name));
}

// As in a unit with ProcSubset=pid.
TEST(a_check_from_outside_takes_a_boot_that_raimd_could_not_read)
{
    uint64_t boot;
    memcpy(&boot, fixture->bytes + FRONT_BYTES + BOOT_AT, sizeof boot);
    forge(BOOT_AT, 0);
    assert_rejected("the machine has been rebooted since");
    checkpoint_only_check(fixture->checkpoint);
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    forge(BOOT_AT, boot + 1);
    assert_rejected("the machine has been rebooted since");
}

TEST(a_file_of_another_user_is_rejected)
{
    if (geteuid() == 0) {
        assert_int_equal(chown(fixture->path, 65534, 65534), 0);
        assert_rejected("it belongs to another user");
    }
}

TEST(a_match_with_other_slots_restores_it)
{
    fixture->def.tuning.max_players = 2;
    begin_process();
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
}

TEST(a_checkpoint_restored_twice_without_trust_is_set_aside)
{
    for (int i = 0; i < CHECKPOINT_MAX_RESTORES; i++) {
        assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
        if (i % 2 == 1)
            bind_checkpoint(); // a crash may come before or after it
        begin_process();
    }
    const struct checkpoint_result result = restore();
    assert_int_equal(result.verdict, CHECKPOINT_SET_ASIDE);
    assert_int_equal(access(fixture->bad_path, F_OK), 0);
    begin_process();
    assert_int_equal(restore().verdict, CHECKPOINT_NONE);
}

// A process that restores, runs `ticks` ticks, and dies in the last of them, or behind it.
static void die(int ticks, bool is_in_tick)
{
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    bind_checkpoint();
    for (int i = 0; i < ticks; i++) {
        checkpoint_set_in_tick(fixture->checkpoint, true);
        steps(1);
        checkpoint_set_in_tick(fixture->checkpoint, is_in_tick && i == ticks - 1);
    }
    begin_process();
}

TEST(a_suspect_died_in_its_tick_each_time)
{
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_INNOCENT);
    die(1, true);
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_INNOCENT);
    die(20, true);
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_SUSPECT);
    assert_int_equal(restore().verdict, CHECKPOINT_SET_ASIDE);
    begin_process();
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_INNOCENT);
}

TEST(who_crashes_in_its_tick_is_the_culprit)
{
    int status;
    die(1, true);
    const pid_t child = fork();
    if (child == 0) {
        restore();
        bind_checkpoint();
        checkpoint_note_crashes();
        checkpoint_set_in_tick(fixture->checkpoint, true);
        abort();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    begin_process();
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_CULPRIT);
}

TEST(a_restore_that_crashes_makes_a_suspect)
{
    for (int i = 0; i < CHECKPOINT_MAX_RESTORES; i++) {
        assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
        begin_process();
    }
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_SUSPECT);
}

TEST(an_excused_checkpoint_counts_anew)
{
    die(1, true); // by chance
    die(1, false);
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_INNOCENT);
    checkpoint_excuse(fixture->checkpoint);
    die(1, true); // a second suspect, which died behind the first so far
    die(1, true);
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_SUSPECT);
}

TEST(trust_forgets_deaths)
{
    die(1, true);
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    bind_checkpoint();
    checkpoint_trust(fixture->checkpoint);
    begin_process();
    die(1, false);
    die(1, true);
    assert_int_equal(checkpoint_guilt(fixture->checkpoint), CHECKPOINT_INNOCENT);
    assert_int_equal(restore().verdict, CHECKPOINT_SET_ASIDE);
}

TEST(another_match_gets_another_file)
{
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    bind_checkpoint();
    struct raim_match *before = fixture->match;
    fixture->def.bots = 5;
    fixture->match = raim_match_create(&fixture->def);
    bind_checkpoint();
    raim_match_destroy(before);
    steps(50);
    checkpoint_save(fixture->checkpoint, fixture->match, fixture->addresses);
    const uint64_t last = digest();
    begin_process();
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    assert_int_equal(digest(), last);
}

TEST(a_map_of_the_operator_is_found_by_its_path)
{
    struct checkpoint_map found;
    char name[RAIM_MAP_NAME_BYTES];
    fixture->played.index = 3;
    strcpy(fixture->played.path, "/maps/elsewhere.conf");
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    bind_checkpoint();
    begin_process();
    assert_true(checkpoint_find_map(fixture->checkpoint, max_age_s, &found, name));
    assert_string_equal(name, fixture->map->name);
    assert_string_equal(found.path, "/maps/elsewhere.conf");
    assert_int_equal(found.index, 3);
}

TEST(renaming_moves_the_file)
{
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    bind_checkpoint();
    assert_true(checkpoint_rename(fixture->checkpoint, "another"));
    assert_int_not_equal(access(fixture->path, F_OK), 0);
    steps(50);
    checkpoint_save(fixture->checkpoint, fixture->match, fixture->addresses);
    const uint64_t last = digest();
    begin_process();
    assert_int_equal(restore().verdict, CHECKPOINT_NONE);
    assert_true(checkpoint_rename(fixture->checkpoint, "another"));
    assert_int_equal(restore().verdict, CHECKPOINT_RESTORED);
    assert_int_equal(digest(), last);
    bind_checkpoint();
    checkpoint_remove(fixture->checkpoint);
}

TEST(a_failed_write_is_reported_and_leaves_nothing)
{
    char error[256];
    char away[64];
    snprintf(away, sizeof away, "%s.away", fixture->directory);
    assert_int_equal(rename(fixture->directory, away), 0);
    assert_false(checkpoint_bind(fixture->checkpoint, fixture->match, &fixture->played,
                                 fixture->addresses, error, sizeof error));
    assert_non_null(strstr(error, "No such file or directory"));
    checkpoint_save(fixture->checkpoint, fixture->match, fixture->addresses);
    assert_int_equal(rename(away, fixture->directory), 0);
}
