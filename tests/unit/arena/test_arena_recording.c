// SPDX-License-Identifier: MIT
// When an arena is recorded, into which files, and what is left of them when the recorder is too
// slow, the disk is full or the process dies. Every file is played again to its end.
//                                                                 test_arena_recording [--seed N]
#define _GNU_SOURCE
#include "peer_fixture.h"

#include "arena_recording.h"
#include "files_fixture.h"
#include "monotonic.h"
#include "recorder_internal.h"
#include "recording.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

enum { HZ = 10, DEADLINE_MS = 30000, MAX_FILES = 16 };

static struct {
    const char *path;
    struct wakeup wakeup;
    struct recorder *recorder;
    struct test_match *test;
    struct recording_memory records;
    struct arena_recording recording;
    struct config_arena config;
} fixture;

static struct file {
    char name[NAME_MAX + 1];
    struct raim_recording_info info;
} files[MAX_FILES]; // replayed

static void set_up(void)
{
    memset(&fixture, 0, sizeof fixture);
    const struct recordings_limits plenty = {.bytes = UINT64_C(1) << 40};
    char error[256];
    fixture.path = path_in(test_directory(), "recordings");
    assert_true(wakeup_open(&fixture.wakeup));
    fixture.recorder = recorder_open(fixture.path, &plenty, &fixture.wakeup, error, sizeof error);
    assert_non_null(fixture.recorder);
    strcpy(fixture.config.name, "east");
}

static void start(void)
{
    char error[256];
    assert_true(recorder_start(fixture.recorder, error, sizeof error));
}

static void finish(void);

static void finish_at_end(void *unused)
{
    (void)unused;
    finish();
}

// Opens a match whose ticks are few, so that its hours are short.
static void open_match(struct raim_match_def def)
{
    def.tick_hz = HZ;
    fixture.test = open_test_match(def);
    test_at_end(finish_at_end, NULL);
    struct raim_match *match = fixture.test->match;
    const struct raim_world *world = raim_match_world(match);
    assert_true(recording_memory_create(&fixture.records, match));
    fixture.recording.stream =
        recorder_open_stream(fixture.recorder, raim_world_bytes(world), world->max_players);
    assert_non_null(fixture.recording.stream);
    fixture.recording.records = &fixture.records;
}

// Plays far faster than the time passes, but waits for a recorder that runs.
static void run(int count)
{
    struct record_ring *ring = &fixture.recording.stream->ring;
    while (count-- > 0) {
        tick(fixture.test);
        arena_recording_run(&fixture.recording, fixture.test->match, &fixture.config);
        while (fixture.recorder->is_started && record_ring_is_half_full(ring))
            usleep(1000);
    }
}

// Waits until the recorder has taken everything out of the ring.
static void drain(void)
{
    struct record_head head;
    const uint64_t end_ms = monotonic_ms() + DEADLINE_MS;
    wakeup_signal(&fixture.recorder->wakeup);
    while (record_ring_peek(&fixture.recording.stream->ring, &head) && monotonic_ms() < end_ms)
        usleep(1000);
    assert_false(record_ring_peek(&fixture.recording.stream->ring, &head));
}

// Finishes every file.
static void finish(void)
{
    if (fixture.test == NULL)
        return;
    arena_recording_end(&fixture.recording, fixture.test->match);
    recorder_close_stream(fixture.recording.stream);
    recorder_close(fixture.recorder);
    fixture.recorder = NULL;
    fixture.recording.stream = NULL;
    fixture.test = NULL;
    recording_memory_destroy(&fixture.records);
}

static void tear_down(void)
{
    finish();
    recorder_close(fixture.recorder);
    wakeup_close(&fixture.wakeup);
}

TEST_EACH(set_up, tear_down)

static struct recorder_counts counts_of(void)
{
    return recorder_stream_counts(fixture.recording.stream);
}

// Waits until the recorder has finished or failed to write so many files.
static void await(uint64_t finished, uint64_t failed)
{
    const uint64_t end_ms = monotonic_ms() + DEADLINE_MS;
    struct recorder_counts counts = counts_of();
    while ((counts.finished < finished || counts.failed < failed) && monotonic_ms() < end_ms) {
        usleep(1000);
        counts = counts_of();
    }
    assert_int_equal(counts.finished, finished);
    assert_int_equal(counts.failed, failed);
}

// --- Files ---

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

// Replays every finished file, in the order of their names.
static int replay_all(void)
{
    int count = 0;
    DIR *listing = opendir(fixture.path);
    assert_non_null(listing);
    for (struct dirent *item; (item = readdir(listing)) != NULL;) {
        struct recording_name parts;
        char path[PATH_MAX];
        struct stat status;
        if (!recording_name_read(item->d_name, &parts))
            continue;
        assert_true(count < MAX_FILES);
        snprintf(path, sizeof path, "%s/%s", fixture.path, item->d_name);
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

// The arena is recorded into a file with this end; "": not.
static void assert_records(const char *end)
{
    const char *name = arena_recording_name(&fixture.recording);
    assert_true(*end == '\0' ? *name == '\0' : ends_with(name, end));
}

// --- When ---

TEST(a_file_lasts_while_somebody_plays)
{
    struct raim_match_def def = usual_def();
    def.bots = 2;
    start();
    open_match(def);
    run(5 * HZ); // bots alone
    assert_records("");
    play(fixture.test, 0);
    run(25 * HZ);
    assert_records("Z-r1.raimrec");
    say_goodbye(fixture.test, 0);
    run(29 * HZ);
    play(fixture.test, 1); // before the file has ended
    run(HZ);
    say_goodbye(fixture.test, 1);
    run(RECORDING_UNPLAYED_S * HZ + 1);
    assert_records("");
    run(60 * HZ);
    finish();
    assert_int_equal(replay_all(), 1);
    assert_in_range(files[0].info.ticks, 84 * HZ, 86 * HZ);
    assert_true(files[0].info.is_complete);
    assert_int_equal(files[0].info.clients, 2);
    assert_int_equal(files[0].info.bots, 2);
    assert_string_equal(files[0].info.arena, "");
}

TEST(a_long_round_is_split)
{
    start();
    open_match(usual_def());
    play(fixture.test, 0)->is_idle = true;
    run(RECORDING_PART_S * HZ + 20 * HZ);
    assert_records("-r1-p2.raimrec");
    finish();
    assert_int_equal(replay_all(), 2);
    assert_int_equal(files[0].info.ticks, RECORDING_PART_S * HZ);
    assert_int_equal(files[1].info.first_tick, files[0].info.first_tick + files[0].info.ticks);
    assert_true(ends_with(files[1].name, "-r1-p2.raimrec"));
}

TEST(bots_are_recorded_where_all_is_and_nothing_where_nothing_is)
{
    struct raim_match_def def = usual_def();
    def.bots = 3;
    start();
    open_match(def);
    fixture.config.match.bots = 3;
    fixture.config.recording = CONFIG_RECORDING_ALL;
    run(3 * HZ);
    assert_records(".raimrec");
    fixture.config.recording = CONFIG_RECORDING_NONE; // a reload
    run(1);
    assert_records("");
    play(fixture.test, 0);
    run(20 * HZ);
    assert_records("");
    fixture.config.recording = CONFIG_RECORDING_PLAYED;
    run(HZ);
    assert_records("-r1-p2.raimrec");
    finish();
    assert_int_equal(replay_all(), 2);
    assert_int_equal(files[0].info.clients, 0);
    assert_int_equal(files[1].info.clients, 1);
}

TEST(a_pause_begins_no_file_and_ends_none)
{
    start();
    open_match(usual_def());
    raim_match_pause(fixture.test->match, true);
    run(1);
    play(fixture.test, 0);
    run(HZ);
    assert_records("");
    raim_match_pause(fixture.test->match, false);
    run(HZ);
    assert_records(".raimrec");
    raim_match_pause(fixture.test->match, true);
    run(40 * HZ);
    assert_records(".raimrec");
    finish();
    assert_int_equal(replay_all(), 1);
    assert_in_range(files[0].info.ticks, 40 * HZ, 42 * HZ);
}

TEST(a_file_tells_nothing_of_what_is_random_after_it)
{
    start();
    open_match(usual_def());
    run(1);
    const uint64_t before = raim_match_world(fixture.test->match)->random;
    play(fixture.test, 0)->is_idle = true;
    run(2);
    const uint64_t first = raim_match_world(fixture.test->match)->random;
    assert_int_not_equal(first, before);
    arena_recording_end(&fixture.recording, fixture.test->match);
    run(1);
    assert_int_not_equal(raim_match_world(fixture.test->match)->random, first);
}

// --- When it cannot be written ---

// The recorder's thread starts late.
TEST(a_full_ring_ends_the_file_with_what_is_in_it)
{
    struct raim_match_def def = usual_def();
    def.bots = 8;
    def.tuning.round_s = 300;
    def.tuning.break_s = 1;
    open_match(def);
    play(fixture.test, 0);
    int played = 0;
    for (; counts_of().dropped == 0 && played < 290 * HZ; played++)
        run(1);
    assert_int_equal(counts_of().dropped, 1);
    assert_records("");
    start();
    await(1, 0);
    assert_int_equal(replay_all(), 1);
    assert_in_range(files[0].info.ticks, played - 2, played);
    run(303 * HZ - played); // the next round
    assert_records("-r2.raimrec");
    finish();
    assert_in_range(replay_all(), 2, 3); // perhaps anew after a minute
}

// Lets no file grow beyond so many bytes, as a full disk does.
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_full_disk_keeps_the_whole_frames_and_is_tried_again)
{
    struct raim_match_def def = usual_def();
    def.bots = 8;
    start();
    open_match(def);
    play(fixture.test, 0);
    run(35 * HZ);
    drain();
    assert_in_range(counts_of().bytes, 1000, 11000);
    limit_files(12000);
    run(60 * HZ);
    await(0, 1);
    run(1); // the game goes on
    assert_records("");
    const int whole = replay_all();
    assert_in_range(whole, 0, 1); // its index may not have found room, either
    limit_files(RLIM_INFINITY);
    run(RECORDING_RETRY_S * HZ);
    assert_records("-r1-p2.raimrec");
    finish();
    assert_int_equal(replay_all(), 2);
    assert_true(files[0].info.ticks >= 10 * HZ);
    assert_true(files[0].info.is_complete);
    assert_true(ends_with(files[1].name, "-p2.raimrec"));
}

TEST(a_directory_that_is_gone_ends_the_file_and_nothing_else)
{
    start();
    open_match(usual_def());
    assert_int_equal(rmdir(fixture.path), 0);
    play(fixture.test, 0);
    run(HZ);
    await(0, 1);
    run(HZ);
    assert_records("");
    run(RECORDING_RETRY_S * HZ);
    await(0, 2);
}

// --- Clips ---

static struct recorder_answer command_clip(uint32_t seconds)
{
    struct recorder_answer clip = {0};
    const uint64_t end_ms = monotonic_ms() + DEADLINE_MS;
    assert_true(recorder_command_clip(fixture.recorder, fixture.recording.stream, seconds, 5));
    while (!recorder_take_answer(fixture.recorder, &clip) && monotonic_ms() < end_ms)
        usleep(1000);
    assert_int_equal(clip.number, 5);
    return clip;
}

TEST(a_clip_holds_the_last_seconds_and_is_listed_with_its_round)
{
    struct recording_entry entry;
    char path[PATH_MAX];
    struct raim_match_def def = usual_def();
    def.bots = 2;
    start();
    open_match(def);
    assert_string_equal(command_clip(30).problem, "the arena is not being recorded");
    play(fixture.test, 0);
    run(75 * HZ);
    const struct recorder_answer clip = command_clip(22);
    assert_string_equal(clip.problem, "");
    assert_true(ends_with(clip.clip, "-r1-clip.raimrec"));
    struct recordings *recordings = recorder_recordings(fixture.recorder);
    assert_false(recordings_find(recordings, clip.clip, &entry));
    snprintf(path, sizeof path, "%s/%s", fixture.path, clip.clip);
    const struct raim_recording_info info = replay(path);
    assert_in_range(info.ticks, 22 * HZ - 1, 32 * HZ + 1);
    assert_in_range(info.first_tick + info.ticks, 75 * HZ - 1, 75 * HZ + 1);
    usleep(1100000); // another second, another name
    const struct recorder_answer all = command_clip(600);
    assert_string_equal(all.problem, "");
    snprintf(path, sizeof path, "%s/%s", fixture.path, all.clip);
    assert_in_range(replay(path).ticks, 73 * HZ, 75 * HZ);
    arena_recording_end(&fixture.recording, fixture.test->match);
    await(1, 0);
    assert_true(recordings_find(recordings, clip.clip, &entry));
    assert_true(entry.is_clip);
    assert_string_equal(entry.arena, "east");
    assert_string_equal(entry.map, "fixture");
    assert_int_equal(entry.players, 1);
    assert_int_equal(entry.bots, 2);
    assert_int_equal(entry.best_count, 1);
    assert_string_equal(entry.best[0].name, "player");
    finish();
    assert_int_equal(replay_all(), 3);
}

static int set_up_group(void **state)
{
    (void)state;
    return signal(SIGXFSZ, SIG_IGN) == SIG_ERR;
}

TEST_GROUP(set_up_group, NULL)
