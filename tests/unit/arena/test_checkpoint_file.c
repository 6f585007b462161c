// SPDX-License-Identifier: MIT
// The file of a checkpoint: its newest good slot is restored, damage anywhere is refused or costs
// no more than the newest slot, and what was restored in vain too often is set aside.
#define _GNU_SOURCE
#include "arena_fixture.h"
#include "chance.h"
#include "checkpoint.h"
#include "digest.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// What stands where, for those who change it knowingly.
enum {
    FRONT_BYTES = 64,
    SLOT_BYTES_AT = 12, // in the front
    SAVED_AT = 16,      // in a slot
    BOOT_AT = 24,
    PLACES_AT = 32,
    MATCH_BYTES_AT = 36,
    PATH_BYTES_AT = 44,
    SLOT_HEAD_BYTES = 48,
};

static const double grace_s = 30;

struct shelf {
    char directory[32], path[64], bad_path[72];
    struct raim_map *map;
    struct raim_match_def def;
    struct raim_match *match;
    struct checkpoint *checkpoint;
    struct checkpoint_map played;
    struct checkpoint_seat seats[RAIM_MAX_PLAYERS];
    uint64_t older, newer; // digests of the worlds in the slots
    uint8_t *bytes;        // of the file
    size_t size;
};

static void read_bytes(struct shelf *shelf)
{
    FILE *file = fopen(shelf->path, "rb");
    struct stat status;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    free(shelf->bytes);
    shelf->size = (size_t)status.st_size;
    shelf->bytes = malloc(shelf->size);
    assert_int_equal(fread(shelf->bytes, 1, shelf->size, file), shelf->size);
    fclose(file);
}

static void write_bytes(const struct shelf *shelf, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(shelf->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static uint64_t digest(const struct shelf *shelf)
{
    return raim_world_digest(raim_match_world(shelf->match));
}

static void steps(struct shelf *shelf, int count)
{
    struct raim_outgoing outgoing;
    while (count-- > 0) {
        raim_match_step(shelf->match);
        while (raim_match_outgoing(shelf->match, &outgoing)) {
        }
    }
}

// Another process: a match that has not played, and nothing in its hands.
static void begin_process(struct shelf *shelf)
{
    raim_match_destroy(shelf->match);
    checkpoint_destroy(shelf->checkpoint);
    shelf->def.seed = raim_random_next(&chance);
    shelf->match = raim_match_create(&shelf->def);
    shelf->checkpoint = checkpoint_create(shelf->directory, "arena");
    assert_non_null(shelf->match);
    assert_non_null(shelf->checkpoint);
    memset(shelf->seats, 0, sizeof shelf->seats);
}

static void bind_checkpoint(struct shelf *shelf)
{
    char error[256];
    assert_true(checkpoint_bind(shelf->checkpoint, shelf->match, &shelf->played, shelf->seats,
                                error, sizeof error));
}

// A process that has played and written down twice, and another that has just begun.
static struct shelf *open_shelf(void)
{
    struct shelf *shelf = calloc(1, sizeof *shelf);
    strcpy(shelf->directory, "/tmp/raimd-test-XXXXXX");
    assert_non_null(mkdtemp(shelf->directory));
    snprintf(shelf->path, sizeof shelf->path, "%s/arena.checkpoint", shelf->directory);
    snprintf(shelf->bad_path, sizeof shelf->bad_path, "%s.bad", shelf->path);
    shelf->map = fixture_map(NULL, 0);
    shelf->def = raim_match_default_def();
    shelf->def.map = shelf->map;
    shelf->def.max_clients = 1;
    shelf->def.max_spectators = 0;
    shelf->def.max_connections = 2;
    shelf->def.max_rewind_s = 0.05;
    shelf->def.bots = 2;
    begin_process(shelf);
    steps(shelf, 200);
    shelf->seats[1] = (struct checkpoint_seat){.address = 7, .port = 8, .player = 1025};
    bind_checkpoint(shelf);
    shelf->older = digest(shelf);
    steps(shelf, 20);
    checkpoint_save(shelf->checkpoint, shelf->match, shelf->seats);
    shelf->newer = digest(shelf);
    read_bytes(shelf);
    begin_process(shelf);
    return shelf;
}

static void close_shelf(struct shelf *shelf)
{
    raim_match_destroy(shelf->match);
    checkpoint_destroy(shelf->checkpoint);
    raim_map_destroy(shelf->map);
    unlink(shelf->path);
    unlink(shelf->bad_path);
    assert_int_equal(rmdir(shelf->directory), 0); // nothing else was left in it
    free(shelf->bytes);
    free(shelf);
}

static struct checkpoint_result restore(struct shelf *shelf)
{
    return checkpoint_restore(shelf->checkpoint, shelf->match, grace_s, shelf->seats);
}

static void assert_refused(struct shelf *shelf, const char *why)
{
    const uint64_t before = digest(shelf);
    const struct checkpoint_result result = restore(shelf);
    assert_int_equal(result.verdict, CHECKPOINT_REFUSED);
    assert_string_equal(result.why, why);
    assert_int_equal(digest(shelf), before);
}

static uint32_t slot_bytes(const struct shelf *shelf)
{
    uint32_t bytes;
    memcpy(&bytes, shelf->bytes + SLOT_BYTES_AT, sizeof bytes);
    return bytes;
}

// Changes a number in both slots, and makes them whole again.
static void forge(struct shelf *shelf, size_t at, uint64_t value)
{
    for (int i = 0; i < 2; i++) {
        uint8_t *slot = shelf->bytes + FRONT_BYTES + (size_t)i * slot_bytes(shelf);
        uint32_t places, match_bytes, path_bytes;
        memcpy(slot + at, &value, sizeof value);
        memcpy(&places, slot + PLACES_AT, sizeof places);
        memcpy(&match_bytes, slot + MATCH_BYTES_AT, sizeof match_bytes);
        memcpy(&path_bytes, slot + PATH_BYTES_AT, sizeof path_bytes);
        const uint64_t whole =
            raim_digest(slot + 8, SLOT_HEAD_BYTES - 8 + places * 8 + match_bytes + path_bytes);
        memcpy(slot, &whole, sizeof whole);
    }
    write_bytes(shelf, shelf->bytes, shelf->size);
}

static void test_the_newest_slot_is_restored(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    struct stat status;
    assert_int_equal(stat(shelf->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    const struct checkpoint_result result = restore(shelf);
    assert_int_equal(result.verdict, CHECKPOINT_RESTORED);
    assert_true(result.age_ms < 10000);
    assert_int_equal(digest(shelf), shelf->newer);
    assert_int_equal(shelf->seats[1].address, 7);
    assert_int_equal(shelf->seats[1].port, 8);
    close_shelf(shelf);
}

static void test_without_a_file_nothing_is_restored(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    assert_int_equal(unlink(shelf->path), 0);
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_NONE);
    checkpoint_save(shelf->checkpoint, shelf->match, shelf->seats);
    checkpoint_trust(shelf->checkpoint);
    checkpoint_remove(shelf->checkpoint);
    assert_int_not_equal(access(shelf->path, F_OK), 0);
    close_shelf(shelf);
}

static void test_damage_at_any_byte_costs_one_slot_at_most(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    uint32_t refused = 0, newer = 0, older = 0;
    for (size_t at = 0; at < shelf->size; at++) {
        const uint8_t good = shelf->bytes[at];
        shelf->bytes[at] ^= (uint8_t)(1 << chance_int(0, 7));
        write_bytes(shelf, shelf->bytes, shelf->size);
        shelf->bytes[at] = good;
        const uint64_t before = digest(shelf);
        const struct checkpoint_result result = restore(shelf);
        const uint64_t after = digest(shelf);
        if (result.verdict == CHECKPOINT_RESTORED) {
            newer += after == shelf->newer;
            older += after == shelf->older;
            assert_true(after == shelf->newer || after == shelf->older);
        } else {
            assert_int_equal(result.verdict, CHECKPOINT_REFUSED);
            assert_int_equal(after, before);
            refused++;
        }
    }
    assert_true(refused >= 24); // the front
    assert_true(refused <= FRONT_BYTES);
    const uint32_t slot = slot_bytes(shelf);
    assert_true(older > slot - FRONT_BYTES && older <= slot);
    assert_true(newer >= slot);
    close_shelf(shelf);
}

static void test_damage_in_both_slots_is_refused(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    uint8_t *bytes = malloc(shelf->size);
    const uint32_t slot = slot_bytes(shelf);
    const uint32_t held = SLOT_HEAD_BYTES + 8 * raim_match_world(shelf->match)->max_players +
                          (uint32_t)raim_match_checkpoint_size(shelf->match);
    for (uint32_t at = 0; at < held; at++) {
        memcpy(bytes, shelf->bytes, shelf->size);
        bytes[FRONT_BYTES + at] ^= (uint8_t)chance_int(1, 255);
        bytes[FRONT_BYTES + slot + at] ^= (uint8_t)chance_int(1, 255);
        write_bytes(shelf, bytes, shelf->size);
        assert_refused(shelf, "it is damaged");
    }
    free(bytes);
    close_shelf(shelf);
}

static void test_a_file_cut_short_at_any_byte_is_refused(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    for (size_t size = 0; size < shelf->size; size++) {
        write_bytes(shelf, shelf->bytes, size);
        assert_refused(shelf, "it is damaged");
    }
    close_shelf(shelf);
}

static void test_another_start_of_the_machine_and_age_are_told(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    uint64_t boot, saved_ms;
    memcpy(&boot, shelf->bytes + FRONT_BYTES + BOOT_AT, sizeof boot);
    memcpy(&saved_ms, shelf->bytes + FRONT_BYTES + SAVED_AT, sizeof saved_ms);
    forge(shelf, BOOT_AT, boot + 1);
    assert_refused(shelf, "the machine has been started since");
    forge(shelf, BOOT_AT, boot);
    forge(shelf, SAVED_AT, saved_ms + 3600 * 1000);
    assert_refused(shelf, "the machine has been started since");
    forge(shelf, SAVED_AT, saved_ms - 31 * 1000);
    assert_refused(shelf, "it is too old");
    forge(shelf, SAVED_AT, saved_ms - 10 * 1000);
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
    close_shelf(shelf);
}

static void test_somebody_elses_file_is_refused(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    if (geteuid() == 0) {
        assert_int_equal(chown(shelf->path, 65534, 65534), 0);
        assert_refused(shelf, "it belongs to another user");
    }
    close_shelf(shelf);
}

static void test_a_match_of_other_places_takes_it_over(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    shelf->def.max_clients = 2;
    begin_process(shelf);
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
    close_shelf(shelf);
}

static void test_a_match_of_other_ticks_is_refused(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    shelf->def.tick_hz = 30;
    begin_process(shelf);
    assert_refused(shelf, "it is of another map, or of other ticks");
    close_shelf(shelf);
}

static void test_what_is_restored_in_vain_twice_is_set_aside(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    for (int i = 0; i < CHECKPOINT_MAX_RESTORES; i++) {
        assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
        if (i % 2 == 1)
            bind_checkpoint(shelf); // whether it comes to that or dies before
        begin_process(shelf);
    }
    const struct checkpoint_result result = restore(shelf);
    assert_int_equal(result.verdict, CHECKPOINT_SET_ASIDE);
    assert_int_equal(access(shelf->bad_path, F_OK), 0);
    begin_process(shelf);
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_NONE);
    close_shelf(shelf);
}

static void test_what_ran_well_in_between_is_trusted_again(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    for (int i = 0; i < 3 * CHECKPOINT_MAX_RESTORES; i++) {
        assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
        bind_checkpoint(shelf);
        checkpoint_trust(shelf->checkpoint);
        begin_process(shelf);
    }
    close_shelf(shelf);
}

static void test_another_match_gets_another_file(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
    bind_checkpoint(shelf);
    struct raim_match *before = shelf->match;
    shelf->def.bots = 5;
    shelf->match = raim_match_create(&shelf->def);
    bind_checkpoint(shelf);
    raim_match_destroy(before);
    steps(shelf, 50);
    checkpoint_save(shelf->checkpoint, shelf->match, shelf->seats);
    const uint64_t last = digest(shelf);
    begin_process(shelf);
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
    assert_int_equal(digest(shelf), last);
    close_shelf(shelf);
}

static void test_an_ordered_map_is_found_by_its_path(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    struct checkpoint_map found;
    char name[RAIM_MAP_NAME_BYTES];
    shelf->played.place = 3;
    strcpy(shelf->played.path, "/maps/elsewhere.conf");
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
    bind_checkpoint(shelf);
    begin_process(shelf);
    assert_true(checkpoint_find_map(shelf->checkpoint, &found, name));
    assert_string_equal(name, shelf->map->name);
    assert_string_equal(found.path, "/maps/elsewhere.conf");
    assert_int_equal(found.place, 3);
    close_shelf(shelf);
}

static void test_a_name_takes_what_is_kept_along(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
    bind_checkpoint(shelf);
    assert_true(checkpoint_rename(shelf->checkpoint, "another"));
    assert_int_not_equal(access(shelf->path, F_OK), 0);
    steps(shelf, 50);
    checkpoint_save(shelf->checkpoint, shelf->match, shelf->seats);
    const uint64_t last = digest(shelf);
    begin_process(shelf);
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_NONE);
    assert_true(checkpoint_rename(shelf->checkpoint, "another"));
    assert_int_equal(restore(shelf).verdict, CHECKPOINT_RESTORED);
    assert_int_equal(digest(shelf), last);
    bind_checkpoint(shelf);
    checkpoint_remove(shelf->checkpoint);
    close_shelf(shelf);
}

static void test_no_room_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    struct shelf *shelf = open_shelf();
    char error[256];
    char away[64];
    snprintf(away, sizeof away, "%s.away", shelf->directory);
    assert_int_equal(rename(shelf->directory, away), 0);
    assert_false(checkpoint_bind(shelf->checkpoint, shelf->match, &shelf->played, shelf->seats,
                                 error, sizeof error));
    assert_non_null(strstr(error, "No such file or directory"));
    checkpoint_save(shelf->checkpoint, shelf->match, shelf->seats);
    assert_int_equal(rename(away, shelf->directory), 0);
    close_shelf(shelf);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_newest_slot_is_restored),
        cmocka_unit_test(test_without_a_file_nothing_is_restored),
        cmocka_unit_test(test_damage_at_any_byte_costs_one_slot_at_most),
        cmocka_unit_test(test_damage_in_both_slots_is_refused),
        cmocka_unit_test(test_a_file_cut_short_at_any_byte_is_refused),
        cmocka_unit_test(test_another_start_of_the_machine_and_age_are_told),
        cmocka_unit_test(test_somebody_elses_file_is_refused),
        cmocka_unit_test(test_a_match_of_other_places_takes_it_over),
        cmocka_unit_test(test_a_match_of_other_ticks_is_refused),
        cmocka_unit_test(test_what_is_restored_in_vain_twice_is_set_aside),
        cmocka_unit_test(test_what_ran_well_in_between_is_trusted_again),
        cmocka_unit_test(test_another_match_gets_another_file),
        cmocka_unit_test(test_an_ordered_map_is_found_by_its_path),
        cmocka_unit_test(test_a_name_takes_what_is_kept_along),
        cmocka_unit_test(test_no_room_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
