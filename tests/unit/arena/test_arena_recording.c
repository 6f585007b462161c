// SPDX-License-Identifier: MIT
// When an arena is recorded, into which files, and what is left of them when the recorder is too
// slow, the disk is full or the process dies. Every file is played again to its end.
//                                                                 test_arena_recording [--seed N]
#define _GNU_SOURCE
#include "peer_fixture.h"

#include "arena_recording.h"
#include "monotonic.h"
#include "recorder_internal.h"
#include "recording.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HZ = 10, DEADLINE_MS = 30000, MAX_FILES = 16 };

struct fixture {
    char directory[32], path[48];
    struct wakeup wakeup;
    struct recorder *recorder;
    struct test_match *test;
    struct recording_memory records;
    struct arena_recording recording;
    struct config_arena config;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const struct recordings_limits plenty = {.bytes = UINT64_C(1) << 40};
    char error[256];
    strcpy(fixture->directory, "/tmp/raimd-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    snprintf(fixture->path, sizeof fixture->path, "%s/recordings", fixture->directory);
    assert_true(wakeup_open(&fixture->wakeup));
    fixture->recorder =
        recorder_open(fixture->path, &plenty, &fixture->wakeup, error, sizeof error);
    assert_non_null(fixture->recorder);
    strcpy(fixture->config.name, "east");
    *state = fixture;
    return 0;
}

static void start(struct fixture *fixture)
{
    char error[256];
    assert_true(recorder_start(fixture->recorder, error, sizeof error));
}

// Opens a match whose ticks are few, so that its hours are short.
static void open_match(struct fixture *fixture, struct raim_match_def def)
{
    def.tick_hz = HZ;
    fixture->test = open_test_match(def);
    struct raim_match *match = fixture->test->match;
    const struct raim_world *world = raim_match_world(match);
    assert_true(recording_memory_create(&fixture->records, match));
    fixture->recording.stream =
        recorder_open_stream(fixture->recorder, raim_world_bytes(world), world->max_players);
    assert_non_null(fixture->recording.stream);
    fixture->recording.records = &fixture->records;
}

// Plays far faster than the time passes, but waits for a recorder that runs.
static void run(struct fixture *fixture, int count)
{
    struct record_ring *ring = &fixture->recording.stream->ring;
    while (count-- > 0) {
        tick(fixture->test);
        arena_recording_run(&fixture->recording, fixture->test->match, &fixture->config);
        while (fixture->recorder->is_started && record_ring_is_half_full(ring))
            usleep(1000);
    }
}

// Waits until the recorder has taken everything out of the ring.
static void drain(const struct fixture *fixture)
{
    struct record_head head;
    const uint64_t end_ms = monotonic_ms() + DEADLINE_MS;
    wakeup_signal(&fixture->recorder->wakeup);
    while (record_ring_peek(&fixture->recording.stream->ring, &head) && monotonic_ms() < end_ms)
        usleep(1000);
    assert_false(record_ring_peek(&fixture->recording.stream->ring, &head));
}

// Finishes every file.
static void finish(struct fixture *fixture)
{
    if (fixture->test == NULL)
        return;
    arena_recording_end(&fixture->recording, fixture->test->match);
    recorder_close_stream(fixture->recording.stream);
    recorder_close(fixture->recorder);
    fixture->recorder = NULL;
    fixture->recording.stream = NULL;
    close_test_match(fixture->test);
    fixture->test = NULL;
    recording_memory_destroy(&fixture->records);
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char command[64];
    finish(fixture);
    recorder_close(fixture->recorder);
    wakeup_close(&fixture->wakeup);
    snprintf(command, sizeof command, "rm -r %s", fixture->directory);
    const int result = system(command);
    free(fixture);
    return result;
}

static struct recorder_counts counts_of(const struct fixture *fixture)
{
    return recorder_stream_counts(fixture->recording.stream);
}

// Waits until the recorder has finished or failed to write so many files.
static void await(const struct fixture *fixture, uint64_t finished, uint64_t failed)
{
    const uint64_t end_ms = monotonic_ms() + DEADLINE_MS;
    struct recorder_counts counts = counts_of(fixture);
    while ((counts.finished < finished || counts.failed < failed) && monotonic_ms() < end_ms) {
        usleep(1000);
        counts = counts_of(fixture);
    }
    assert_int_equal(counts.finished, finished);
    assert_int_equal(counts.failed, failed);
}

// --- Files ---

struct file {
    char name[NAME_MAX + 1];
    struct raim_recording_info info;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

// Plays a file to its end, and returns what its head tells.
static struct raim_recording_info replay(const char *path)
{
    static uint8_t bytes[1 << 22];
    char error[RAIM_RECORDING_ERROR_BYTES] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    struct raim_recording *recording = raim_recording_open(bytes, size, error, sizeof error);
    if (recording == NULL)
        fail_msg("%s: %s", path, error);
    while (raim_recording_step(recording))
        continue;
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    if (fault != NULL)
        fail_msg("%s: %s", path, fault->why);
    const struct raim_recording_info info = *raim_recording_info(recording);
    assert_int_equal(raim_recording_tick(recording), info.ticks);
    raim_recording_close(recording);
    return info;
}

// Replays every finished file of a directory, in the order of their names.
static int replay_all(const char *directory, struct file files[MAX_FILES])
{
    int count = 0;
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    for (struct dirent *item; (item = readdir(listing)) != NULL;) {
        struct recording_name parts;
        char path[PATH_MAX];
        struct stat status;
        if (!recording_name_read(item->d_name, &parts))
            continue;
        assert_true(count < MAX_FILES);
        snprintf(path, sizeof path, "%s/%s", directory, item->d_name);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0600);
        strcpy(files[count].name, item->d_name);
        files[count++].info = replay(path);
    }
    closedir(listing);
    qsort(files, (size_t)count, sizeof *files, compare_names);
    return count;
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

// --- When ---

TEST(a_file_lasts_while_somebody_plays, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    struct raim_match_def def = usual_def();
    def.bots = 2;
    start(fixture);
    open_match(fixture, def);
    run(fixture, 5 * HZ); // bots alone
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    play(fixture->test, 0);
    run(fixture, 25 * HZ);
    assert_true(ends_with(arena_recording_name(&fixture->recording), "Z-r1.raimrec"));
    say_goodbye(fixture->test, 0);
    run(fixture, 29 * HZ);
    play(fixture->test, 1); // before the file has ended
    run(fixture, HZ);
    say_goodbye(fixture->test, 1);
    run(fixture, RECORDING_UNPLAYED_S * HZ + 1);
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    run(fixture, 60 * HZ);
    finish(fixture);
    assert_int_equal(replay_all(fixture->path, files), 1);
    assert_in_range(files[0].info.ticks, 84 * HZ, 86 * HZ);
    assert_true(files[0].info.is_complete);
    assert_int_equal(files[0].info.clients, 2);
    assert_int_equal(files[0].info.bots, 2);
    assert_string_equal(files[0].info.arena, "");
}

TEST(each_round_has_a_file, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    struct raim_match_def def = usual_def();
    def.tuning.round_s = 12;
    def.tuning.break_s = 3;
    start(fixture);
    open_match(fixture, def);
    play(fixture->test, 0);
    run(fixture, 13 * HZ);
    assert_string_equal(arena_recording_name(&fixture->recording), ""); // in the break
    run(fixture, 3 * HZ);
    assert_true(ends_with(arena_recording_name(&fixture->recording), "-r2.raimrec"));
    run(fixture, 15 * HZ);
    finish(fixture);
    assert_int_equal(replay_all(fixture->path, files), 3);
    for (uint32_t i = 0; i < 3; i++) {
        char end[32];
        snprintf(end, sizeof end, "-r%u.raimrec", i + 1);
        assert_true(ends_with(files[i].name, end));
        assert_int_equal(files[i].info.round, i + 1);
        assert_in_range(files[i].info.ticks, i < 2 ? 12 * HZ - 2 : 1, 12 * HZ);
    }
}

TEST(a_long_round_is_split, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    start(fixture);
    open_match(fixture, usual_def());
    play(fixture->test, 0)->is_idle = true;
    run(fixture, RECORDING_PART_S * HZ + 20 * HZ);
    assert_true(ends_with(arena_recording_name(&fixture->recording), "-r1-p2.raimrec"));
    finish(fixture);
    assert_int_equal(replay_all(fixture->path, files), 2);
    assert_int_equal(files[0].info.ticks, RECORDING_PART_S * HZ);
    assert_int_equal(files[1].info.first_tick, files[0].info.first_tick + files[0].info.ticks);
    assert_true(ends_with(files[1].name, "-r1-p2.raimrec"));
}

TEST(bots_are_recorded_where_all_is_and_nothing_where_nothing_is, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    struct raim_match_def def = usual_def();
    def.bots = 3;
    start(fixture);
    open_match(fixture, def);
    fixture->config.match.bots = 3;
    fixture->config.recording = CONFIG_RECORDING_ALL;
    run(fixture, 3 * HZ);
    assert_string_not_equal(arena_recording_name(&fixture->recording), "");
    fixture->config.recording = CONFIG_RECORDING_NONE; // a reload
    run(fixture, 1);
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    play(fixture->test, 0);
    run(fixture, 20 * HZ);
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    fixture->config.recording = CONFIG_RECORDING_PLAYED;
    run(fixture, HZ);
    assert_true(ends_with(arena_recording_name(&fixture->recording), "-r1-p2.raimrec"));
    finish(fixture);
    assert_int_equal(replay_all(fixture->path, files), 2);
    assert_int_equal(files[0].info.clients, 0);
    assert_int_equal(files[1].info.clients, 1);
}

TEST(a_pause_begins_no_file_and_ends_none, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    start(fixture);
    open_match(fixture, usual_def());
    raim_match_pause(fixture->test->match, true);
    run(fixture, 1);
    play(fixture->test, 0);
    run(fixture, HZ);
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    raim_match_pause(fixture->test->match, false);
    run(fixture, HZ);
    assert_string_not_equal(arena_recording_name(&fixture->recording), "");
    raim_match_pause(fixture->test->match, true);
    run(fixture, 40 * HZ);
    assert_string_not_equal(arena_recording_name(&fixture->recording), "");
    finish(fixture);
    assert_int_equal(replay_all(fixture->path, files), 1);
    assert_in_range(files[0].info.ticks, 40 * HZ, 42 * HZ);
}

TEST(a_file_tells_nothing_of_what_is_random_after_it, set_up, tear_down)
{
    struct fixture *fixture = *state;
    start(fixture);
    open_match(fixture, usual_def());
    run(fixture, 1);
    const uint64_t before = raim_match_world(fixture->test->match)->random;
    play(fixture->test, 0)->is_idle = true;
    run(fixture, 2);
    const uint64_t first = raim_match_world(fixture->test->match)->random;
    assert_int_not_equal(first, before);
    arena_recording_end(&fixture->recording, fixture->test->match);
    run(fixture, 1);
    assert_int_not_equal(raim_match_world(fixture->test->match)->random, first);
}

// --- When it cannot be written ---

// The recorder's thread starts late.
TEST(a_full_ring_ends_the_file_with_what_is_in_it, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    struct raim_match_def def = usual_def();
    def.bots = 8;
    def.tuning.round_s = 300;
    def.tuning.break_s = 1;
    open_match(fixture, def);
    play(fixture->test, 0);
    int played = 0;
    for (; counts_of(fixture).dropped == 0 && played < 290 * HZ; played++)
        run(fixture, 1);
    assert_int_equal(counts_of(fixture).dropped, 1);
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    start(fixture);
    await(fixture, 1, 0);
    assert_int_equal(replay_all(fixture->path, files), 1);
    assert_in_range(files[0].info.ticks, played - 2, played);
    run(fixture, 303 * HZ - played); // the next round
    assert_true(ends_with(arena_recording_name(&fixture->recording), "-r2.raimrec"));
    finish(fixture);
    assert_in_range(replay_all(fixture->path, files), 2, 3); // perhaps anew after a minute
}

// Lets no file grow beyond so many bytes, as a full disk does.
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_full_disk_keeps_the_whole_frames_and_is_tried_again, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    struct raim_match_def def = usual_def();
    def.bots = 8;
    start(fixture);
    open_match(fixture, def);
    play(fixture->test, 0);
    run(fixture, 35 * HZ);
    drain(fixture);
    assert_in_range(counts_of(fixture).bytes, 1000, 11000);
    limit_files(12000);
    run(fixture, 60 * HZ);
    await(fixture, 0, 1);
    run(fixture, 1); // the game goes on
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    const int whole = replay_all(fixture->path, files);
    assert_in_range(whole, 0, 1); // its index may not have found room, either
    limit_files(RLIM_INFINITY);
    run(fixture, RECORDING_RETRY_S * HZ);
    assert_true(ends_with(arena_recording_name(&fixture->recording), "-r1-p2.raimrec"));
    finish(fixture);
    assert_int_equal(replay_all(fixture->path, files), 2);
    assert_true(files[0].info.ticks >= 10 * HZ);
    assert_true(files[0].info.is_complete);
    assert_true(ends_with(files[1].name, "-p2.raimrec"));
}

TEST(a_directory_that_is_gone_ends_the_file_and_nothing_else, set_up, tear_down)
{
    struct fixture *fixture = *state;
    start(fixture);
    open_match(fixture, usual_def());
    assert_int_equal(rmdir(fixture->path), 0);
    play(fixture->test, 0);
    run(fixture, HZ);
    await(fixture, 0, 1);
    run(fixture, HZ);
    assert_string_equal(arena_recording_name(&fixture->recording), "");
    run(fixture, RECORDING_RETRY_S * HZ);
    await(fixture, 0, 2);
}

// --- When the process dies ---

static void copy_file(const char *from, const char *to)
{
    char command[2 * PATH_MAX];
    snprintf(command, sizeof command, "cp %s %s", from, to);
    assert_int_equal(system(command), 0);
}

TEST(a_crash_costs_ten_seconds_at_most, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    char error[256], part[PATH_MAX], other[64];
    const struct recordings_limits plenty = {.bytes = UINT64_C(1) << 40};
    start(fixture);
    open_match(fixture, usual_def());
    play(fixture->test, 0);
    run(fixture, 39 * HZ);
    snprintf(part, sizeof part, "%s/%s.part", fixture->path,
             arena_recording_name(&fixture->recording));
    drain(fixture);
    snprintf(other, sizeof other, "%s/other", fixture->directory);
    struct recordings *crashed = recordings_open(other, &plenty, NULL, error, sizeof error);
    assert_non_null(crashed);
    copy_file(part, other);
    assert_int_equal(replay_all(fixture->path, files), 0);
    // The file that is being written stays, because it is locked.
    struct recordings *same = recordings_open(fixture->path, &plenty, NULL, error, sizeof error);
    recordings_scan(same);
    recordings_close(same);
    assert_int_equal(access(part, F_OK), 0);
    recordings_scan(crashed);
    uint64_t bytes;
    assert_int_equal(recordings_count(crashed, &bytes), 1);
    recordings_close(crashed);
    assert_int_equal(replay_all(other, files), 1);
    assert_true(files[0].info.is_complete);
    assert_in_range(files[0].info.ticks, 29 * HZ - 2, 39 * HZ);
}

// --- Clips ---

static struct recorder_answer command_clip(const struct fixture *fixture, uint32_t seconds)
{
    struct recorder_answer clip = {0};
    const uint64_t end_ms = monotonic_ms() + DEADLINE_MS;
    assert_true(recorder_command_clip(fixture->recorder, fixture->recording.stream, seconds, 5));
    while (!recorder_take_answer(fixture->recorder, &clip) && monotonic_ms() < end_ms)
        usleep(1000);
    assert_int_equal(clip.number, 5);
    return clip;
}

TEST(a_clip_holds_the_last_seconds_and_is_listed_with_its_round, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct file files[MAX_FILES];
    struct recording_entry entry;
    char path[PATH_MAX];
    struct raim_match_def def = usual_def();
    def.bots = 2;
    start(fixture);
    open_match(fixture, def);
    assert_string_equal(command_clip(fixture, 30).problem, "the arena is not being recorded");
    play(fixture->test, 0);
    run(fixture, 75 * HZ);
    const struct recorder_answer clip = command_clip(fixture, 22);
    assert_string_equal(clip.problem, "");
    assert_true(ends_with(clip.clip, "-r1-clip.raimrec"));
    struct recordings *recordings = recorder_recordings(fixture->recorder);
    assert_false(recordings_find(recordings, clip.clip, &entry));
    snprintf(path, sizeof path, "%s/%s", fixture->path, clip.clip);
    const struct raim_recording_info info = replay(path);
    assert_in_range(info.ticks, 22 * HZ - 1, 32 * HZ + 1);
    assert_in_range(info.first_tick + info.ticks, 75 * HZ - 1, 75 * HZ + 1);
    usleep(1100000); // another second, another name
    const struct recorder_answer all = command_clip(fixture, 600);
    assert_string_equal(all.problem, "");
    snprintf(path, sizeof path, "%s/%s", fixture->path, all.clip);
    assert_in_range(replay(path).ticks, 73 * HZ, 75 * HZ);
    arena_recording_end(&fixture->recording, fixture->test->match);
    await(fixture, 1, 0);
    assert_true(recordings_find(recordings, clip.clip, &entry));
    assert_true(entry.is_clip);
    assert_string_equal(entry.arena, "east");
    assert_string_equal(entry.map, "fixture");
    assert_int_equal(entry.players, 1);
    assert_int_equal(entry.bots, 2);
    assert_int_equal(entry.best_count, 1);
    assert_string_equal(entry.best[0].name, "player");
    finish(fixture);
    assert_int_equal(replay_all(fixture->path, files), 3);
}

static int set_up_group(void **state)
{
    (void)state;
    return signal(SIGXFSZ, SIG_IGN) == SIG_ERR;
}

TEST_GROUP(set_up_group, NULL)
