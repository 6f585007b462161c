// SPDX-License-Identifier: MIT
// The store: nobody waits for a disk that stalls, what is newer takes the place of what is older,
// and what cannot be written is counted and told.
#define _GNU_SOURCE
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "store.h"
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char directory[] = "/tmp/test_store_XXXXXX";
static struct loop *loop;
static struct store *store;

// A disk that stalls: fsync waits for it. Each is synced twice, with its directory.
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int syncs;

int fsync(int file)
{
    syncs++;
    pthread_mutex_lock(&disk);
    pthread_mutex_unlock(&disk);
    return (int)syscall(SYS_fsync, file);
}

static int open_store(void **state)
{
    (void)state;
    store = store_create(directory);
    loop = loop_create();
    return store != NULL && loop != NULL ? 0 : -1;
}

static int close_store(void **state)
{
    (void)state;
    char path[PATH_MAX];
    const char *const names[] = {"a", "b", "c"};
    pthread_mutex_trylock(&disk); // a test that failed may have it
    pthread_mutex_unlock(&disk);
    store_close(store);
    loop_destroy(loop);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    syncs = 0;
    return 0;
}

static uint64_t replace(const char *name, const char *text, enum state_file_durability durability)
{
    return store_replace(store, name, strdup(text), strlen(text), durability);
}

static uint64_t append(const char *name, const char *text)
{
    return store_append(store, name, strdup(text), strlen(text));
}

static void assert_content(const char *name, const char *expected)
{
    char path[PATH_MAX], text[256] = "";
    assert_true(store_path(store, name, path));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (expected == NULL) {
        assert_int_equal(file, -1);
        return;
    }
    assert_true(file >= 0);
    assert_true(read(file, text, sizeof text - 1) >= 0);
    close(file);
    assert_string_equal(text, expected);
}

static void wait_for(const char *name, uint64_t number, enum store_outcome outcome)
{
    const uint64_t end_ms = monotonic_ms() + 10000;
    while (store_outcome(store, name, number) == STORE_WAITS)
        assert_true(monotonic_ms() < end_ms);
    assert_int_equal(store_outcome(store, name, number), outcome);
}

static void count_call(void *context)
{
    ++*(int *)context;
}

TEST(changes_are_written_in_their_order, open_store, close_store)
{
    assert_true(store_start(store, loop));
    replace("a", "one ", STATE_FILE_PROCESS);
    append("a", "two ");
    const uint64_t last = append("a", "three");
    const uint64_t gone = store_remove(store, "b"); // is not there
    wait_for("a", last, STORE_WRITTEN);
    wait_for("b", gone, STORE_WRITTEN);
    assert_content("a", "one two three");
    struct watcher watcher = {.run = count_call, .context = &(int){0}};
    store_watch(store, &watcher);
    assert_true(loop_wait(loop, 0)); // what was written so far
    assert_int_equal(*(int *)watcher.context, 1);
    store_unwatch(store, &watcher);
    wait_for("a", store_remove(store, "a"), STORE_WRITTEN);
    assert_content("a", NULL);
    assert_true(store_lost(store) == 0);
}

TEST(names_are_known_before_they_are_written, open_store, close_store)
{
    assert_true(store_start(store, loop));
    pthread_mutex_lock(&disk);
    replace("a", "one", STATE_FILE_DISK);
    replace("b", "two", STATE_FILE_PROCESS);
    store_remove(store, "a");
    assert_true(!store_has(store, "a") && store_has(store, "b"));
    pthread_mutex_unlock(&disk);
    store_close(store);
    store = store_create(directory);
    assert_true(!store_has(store, "a") && store_has(store, "b"));
}

TEST(one_sync_follows_many_changes, open_store, close_store)
{
    assert_true(store_start(store, loop));
    pthread_mutex_lock(&disk);
    replace("a", "one", STATE_FILE_PROCESS);
    const uint64_t number = replace("b", "two", STATE_FILE_PROCESS);
    const uint64_t sync = store_sync(store);
    wait_for("b", number, STORE_WRITTEN);
    assert_int_equal(store_outcome(store, "", sync), STORE_WAITS);
    pthread_mutex_unlock(&disk);
    wait_for("", sync, STORE_WRITTEN);
    assert_int_equal(syncs, 1);
}

TEST(a_stopped_store_writes_in_its_flushes, open_store, close_store)
{
    assert_true(store_start(store, loop));
    const uint64_t before = replace("a", "one", STATE_FILE_DISK);
    store_stop(store);
    assert_int_equal(store_outcome(store, "a", before), STORE_WRITTEN);
    const uint64_t after = replace("a", "two", STATE_FILE_DISK);
    assert_int_equal(store_outcome(store, "a", after), STORE_WAITS);
    store_flush(store);
    assert_content("a", "two");
}

TEST(a_disk_that_stalls_stops_nobody, open_store, close_store)
{
    assert_true(store_start(store, loop));
    pthread_mutex_lock(&disk);
    const uint64_t first = replace("a", "one", STATE_FILE_DISK);
    while (syncs == 0)
        sched_yield();
    const uint64_t newest = replace("a", "two", STATE_FILE_DISK);
    replace("b", "x", STATE_FILE_PROCESS);
    append("b", "y");
    assert_int_equal(store_outcome(store, "a", first), STORE_WAITS);
    int calls = 0;
    struct watcher watcher = {.run = count_call, .context = &calls};
    store_watch(store, &watcher);
    assert_true(loop_wait(loop, 10000)); // who waits hears when it is late
    assert_int_equal(calls, 1);
    assert_true(store_is_late(store));
    store_unwatch(store, &watcher);
    pthread_mutex_unlock(&disk);
    wait_for("a", newest, STORE_WRITTEN);
    wait_for("b", append("b", "z"), STORE_WRITTEN);
    assert_content("a", "two");
    assert_content("b", "xyz");
    assert_false(store_is_late(store));
}

TEST(a_newer_content_takes_the_place_of_what_waits, open_store, close_store)
{
    const uint64_t old = replace("a", "old", STATE_FILE_DISK);
    append("a", "er");
    const uint64_t other = replace("b", "b", STATE_FILE_PROCESS);
    replace("c", "c", STATE_FILE_PROCESS);
    store_remove(store, "c");
    const uint64_t newer = replace("a", "newer", STATE_FILE_DISK);
    assert_true(old < other && other < newer);
    store_flush(store);
    assert_int_equal(syncs, 2); // of one file and its directory
    assert_int_equal(store_outcome(store, "a", old), STORE_WRITTEN);
    assert_int_equal(store_outcome(store, "a", newer), STORE_WRITTEN);
    assert_content("a", "newer");
    assert_content("b", "b");
    assert_content("c", NULL);
}

TEST(what_waits_is_bounded, open_store, close_store)
{
    enum { PART = 1 << 20 };
    int taken = 0;
    while (store_append(store, "a", calloc(1, PART), PART) != 0)
        taken++;
    assert_int_equal(taken, STORE_WAITING_BYTES / PART - 1);
    assert_true(store_lost(store) == 1);
    assert_true(append("b", "small") != 0);
    // A new content is smaller than what it makes unnecessary.
    assert_true(store_replace(store, "a", calloc(1, 2 * PART), 2 * PART, STATE_FILE_PROCESS) != 0);
    assert_true(store_append(store, "c", calloc(1, PART), PART) != 0);
    assert_true(store_lost(store) == 1);
}

TEST(what_cannot_be_written_is_counted, open_store, close_store)
{
    char path[PATH_MAX];
    store_path(store, "a.new", path);
    assert_int_equal(mkdir(path, 0700), 0);
    const uint64_t first = replace("a", "lost", STATE_FILE_DISK), second = append("a", "lost");
    const uint64_t other = replace("b", "kept", STATE_FILE_DISK);
    store_flush(store);
    assert_int_equal(store_outcome(store, "a", first), STORE_FAILED);
    assert_int_equal(store_outcome(store, "a", second), STORE_FAILED);
    assert_int_equal(store_outcome(store, "b", other), STORE_WRITTEN);
    assert_true(store_failures(store, "a") == 2 && store_lost(store) == 2);
    assert_int_equal(rmdir(path), 0);
    append("a", "a part of what was lost");
    const uint64_t whole = replace("a", "whole", STATE_FILE_DISK);
    store_flush(store);
    assert_int_equal(store_outcome(store, "a", whole), STORE_WRITTEN);
    append("a", " again");
    store_flush(store);
    assert_content("a", "whole again");
}

TEST(without_a_directory_nothing_is_kept, open_store, close_store)
{
    struct store *none = store_create(NULL);
    assert_false(store_has_directory(none));
    assert_false(store_has_directory(NULL));
    assert_true(store_replace(none, "a", strdup("x"), 1, STATE_FILE_DISK) == 0);
    assert_true(store_lost(none) == 0);
    store_close(none);
}

static char *double_text(const char *bytes, size_t *size)
{
    char *text = malloc(2 * *size);
    memcpy(text, bytes, *size);
    memcpy(text + *size, bytes, *size);
    *size *= 2;
    return text;
}

static char *run_out_of_memory(const char *bytes, size_t *size)
{
    (void)bytes;
    (void)size;
    return NULL;
}

TEST(a_content_is_made_when_it_is_written, open_store, close_store)
{
    const uint64_t number = store_replace_encoded(store, "a", strdup("ab"), 2, double_text);
    store_flush(store);
    assert_int_equal(store_outcome(store, "a", number), STORE_WRITTEN);
    assert_content("a", "abab");
    const uint64_t failed = store_replace_encoded(store, "a", strdup("c"), 1, run_out_of_memory);
    store_flush(store);
    assert_int_equal(store_outcome(store, "a", failed), STORE_FAILED);
    assert_content("a", "abab");
}

TEST(an_absolute_path_is_written_without_a_directory, open_store, close_store)
{
    char path[PATH_MAX];
    assert_true(store_path(store, "b", path));
    struct store *without = store_create(NULL);
    assert_int_equal(store_replace(without, "b", strdup("x"), 1, STATE_FILE_PROCESS), 0);
    store_replace(without, path, strdup("y"), 1, STATE_FILE_PROCESS);
    store_flush(without);
    assert_content("b", "y");
    store_remove(without, path);
    store_flush(without);
    assert_content("b", NULL);
    assert_int_equal(store_lost(without), 0);
    store_close(without);
}

static int set_up_group(void **state)
{
    (void)state;
    log_set_level(LOG_LEVEL_ERROR);
    return mkdtemp(directory) != NULL ? 0 : -1;
}

static int tear_down_group(void **state)
{
    (void)state;
    return rmdir(directory);
}

TEST_GROUP(set_up_group, tear_down_group)
