// SPDX-License-Identifier: MIT
// A worker that runs an arena: the events that wake the main thread, and what wakes the worker.
#define _GNU_SOURCE
#include "arena_command.h"
#include "monotonic.h"
#include "test.h"
#include "worker.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEADLINE_MS = 10000, GOODBYE_MS = 100 };

struct fixture {
    struct config *config;
    struct socket_activation sockets; // empty
    struct wakeup wakeup;
    struct arena *arena;
    struct worker *worker;
};

static struct fixture fixture;

static int start_with(uint32_t bots)
{
    char error[256] = "";
    fixture = (struct fixture){.config = config_demo(NULL, &(struct diagnostics){.out = stderr})};
    fixture.config->arenas[0].port = 0;
    fixture.config->arenas[0].match.bots = bots;
    fixture.config->arenas[0].queries = true;
    assert_true(wakeup_open(&fixture.wakeup));
    fixture.arena = arena_create(fixture.config, &fixture.config->arenas[0], &fixture.sockets, NULL,
                                 &fixture.wakeup, error, sizeof error);
    assert_string_equal(error, "");
    arena_restore(fixture.arena);
    fixture.worker = worker_start(0, &fixture.arena, 1, error, sizeof error);
    assert_string_equal(error, "");
    return 0;
}

static int start(void **state)
{
    (void)state;
    return start_with(1);
}

static int start_empty(void **state)
{
    (void)state;
    return start_with(0);
}

static int stop(void **state)
{
    (void)state;
    worker_stop(fixture.worker, GOODBYE_MS);
    worker_join(fixture.worker);
    arena_destroy(fixture.arena);
    wakeup_close(&fixture.wakeup);
    config_unload(fixture.config);
    return 0;
}

// Sleeps like the main thread. Only the worker wakes it before the timeout.
static void sleep_until_woken(void)
{
    struct pollfd set = {.fd = fixture.wakeup.descriptor, .events = POLLIN};
    assert_int_equal(poll(&set, 1, DEADLINE_MS), 1);
    wakeup_clear(&fixture.wakeup);
}

TEST(an_idle_worker_wakes_nobody, start, stop)
{
    const uint32_t begin = arena_ticks(fixture.arena);
    struct pollfd set = {.fd = fixture.wakeup.descriptor, .events = POLLIN};
    while (arena_ticks(fixture.arena) - begin < 20)
        assert_int_equal(poll(&set, 1, 10), 0);
}

TEST(an_answered_command_wakes, start, stop)
{
    struct mailbox *commands = arena_mailbox(fixture.arena);
    for (int i = 0; i < 5; i++) {
        struct command *command = mailbox_reserve(commands);
        *command = (struct command){.kind = COMMAND_SAY, .request = 7, .text = "hello"};
        mailbox_submit(commands);
        while (mailbox_completed(commands) == NULL)
            sleep_until_woken();
        const struct command *answer = mailbox_completed(commands);
        assert_int_equal(answer->request, 7);
        assert_true(answer->done);
        mailbox_release(commands);
    }
}

TEST(a_match_that_was_given_back_wakes, start, stop)
{
    for (int i = 0; i < 5; i++) {
        struct prepared_match *prepared =
            arena_prepare(fixture.arena, &fixture.config->arenas[0], fixture.config);
        assert_non_null(prepared);
        prepared->at_once = true;
        arena_offer(fixture.arena, prepared);
        while (!arena_collect(fixture.arena))
            sleep_until_woken();
        assert_ptr_equal(arena_prepared_match(fixture.arena), prepared);
    }
}

TEST(an_arena_that_was_let_go_wakes, start, stop)
{
    assert_true(worker_remove(fixture.worker, fixture.arena, GOODBYE_MS));
    while (!arena_is_released(fixture.arena))
        sleep_until_woken();
}

// --- An arena in which nobody is ---

// How often a thread of this name has gone to sleep; 0: no such thread.
static long sleeps_of(const char *name)
{
    long sleeps = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[64], line[128], wanted[32];
        snprintf(path, sizeof path, "/proc/self/task/%.20s/status", task->d_name);
        snprintf(wanted, sizeof wanted, "Name:\t%s\n", name);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fgets(line, sizeof line, file) != NULL && strcmp(line, wanted) == 0)
            while (fgets(line, sizeof line, file) != NULL)
                sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
        fclose(file);
    }
    closedir(tasks);
    return sleeps;
}

static void wait_ticks(uint32_t ticks)
{
    const uint32_t begin = arena_ticks(fixture.arena);
    while (arena_ticks(fixture.arena) - begin < ticks)
        poll(NULL, 0, 1);
}

static int open_stranger(void)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(arena_port(fixture.arena)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(stranger >= 0);
    assert_int_equal(connect(stranger, (const struct sockaddr *)&to, sizeof to), 0);
    return stranger;
}

TEST(an_empty_arena_ticks_on, start_empty, stop)
{
    wait_ticks(30);
    // The ticks are counted within the time, however long this thread is held up in between.
    const uint64_t begin_ms = monotonic_ms();
    const uint32_t begin = arena_ticks(fixture.arena);
    wait_ticks(60);
    const uint32_t ticks = arena_ticks(fixture.arena) - begin;
    const uint64_t ms = monotonic_ms() - begin_ms;
    assert_true(ticks * 1000 / 60 <= ms + 40);
}

TEST(an_empty_arena_reads_what_arrives, start_empty, stop)
{
    const char query[] = "\xFF\xFF\xFF\xFFTSource Engine Query";
    const int stranger = open_stranger();
    uint32_t fewest = UINT32_MAX;
    wait_ticks(30);
    for (int i = 0; i < 20; i++) {
        struct pollfd reply = {.fd = stranger, .events = POLLIN};
        char bytes[64];
        const uint32_t before = arena_ticks(fixture.arena);
        assert_int_equal(send(stranger, query, sizeof query, 0), sizeof query);
        assert_int_equal(poll(&reply, 1, DEADLINE_MS), 1);
        assert_true(recv(stranger, bytes, sizeof bytes, 0) > 5);
        const uint32_t ticks = arena_ticks(fixture.arena) - before;
        fewest = ticks < fewest ? ticks : fewest;
    }
    assert_true(fewest <= 2); // others may have the processor now and then
    close(stranger);
}

TEST(datagrams_do_not_wake_the_worker_of_an_empty_arena, start_empty, stop)
{
    const int stranger = open_stranger();
    wait_ticks(30);
    const long before = sleeps_of("raimd-worker-0");
    const uint32_t ticks_before = arena_ticks(fixture.arena);
    while (arena_ticks(fixture.arena) - ticks_before < 60)
        for (int i = 0; i < 20; i++) {
            send(stranger, "?", 1, 0);
            poll(NULL, 0, 1);
        }
    const uint32_t ticks = arena_ticks(fixture.arena) - ticks_before;
    assert_true(before > 0 && sleeps_of("raimd-worker-0") - before <= ticks + ticks / 4 + 5);
    close(stranger);
}

static int set_up_group(void **state)
{
    (void)state;
    return unsetenv("RUNTIME_DIRECTORY") | unsetenv("STATE_DIRECTORY");
}

TEST_GROUP(set_up_group, NULL)
