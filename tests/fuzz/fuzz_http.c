// SPDX-License-Identifier: MIT
// Fuzzes the HTTP status through libmicrohttpd and real sockets: any bytes of three clients in any
// pieces, which close, read or do not, while time passes, arenas end, and recordings are
// downloaded. Every answer is HTTP, and only GET and HEAD return content.
#define _GNU_SOURCE
#include "fuzz_talk.h"

#include "fuzz_arenas.h"
#include "http.h"
#include "http_recordings.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>

static struct http *http;
static struct recordings *recordings;

static const char recording[] = "/a-20260101T000000Z-r1.raimrec";
static char directory[] = "/tmp/raimd-fuzz-XXXXXX";

static void remove_recordings(void)
{
    char path[sizeof directory + sizeof recording];
    recordings_close(recordings);
    snprintf(path, sizeof path, "%s%s", directory, recording);
    unlink(path);
    rmdir(directory);
}

// Makes a directory with one recording, once for the process: nothing here changes it.
static void make_recordings(void)
{
    static struct wakeup wakeup;
    static const char block[1000];
    static const struct recordings_limits limits = {.bytes = UINT64_MAX};
    char error[256], path[sizeof directory + sizeof recording];
    if (recordings != NULL)
        return;
    assert(mkdtemp(directory) != NULL && wakeup_open(&wakeup));
    snprintf(path, sizeof path, "%s%s", directory, recording);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    for (int i = 0; i < 200; i++)
        assert(write(file, block, sizeof block) == sizeof block);
    close(file);
    recordings = recordings_open(directory, &limits, &wakeup, error, sizeof error);
    assert(recordings != NULL);
    recordings_scan(recordings);
    atexit(remove_recordings);
}

static int dial(void)
{
    const struct sockaddr_in name = {.sin_family = AF_INET,
                                     .sin_port = htons(http_port(http)),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connect(made, (const struct sockaddr *)&name, sizeof name) != 0)
        assert(errno == EINPROGRESS);
    return made;
}

// An arena leaves and comes back; the streams of the others are left alone.
static void command(uint8_t command)
{
    struct arena_list *list = &fuzz_fleet.running;
    const struct arena_list before = *list;
    list->arenas[command % FUZZ_ARENAS] = list->arenas[--list->count];
    http_end_stale(http);
    *list = before;
}

static void hear(int status, const char *method)
{
    const bool reads = strncmp(method, "GET ", 4) == 0 || strncmp(method, "HEAD ", 5) == 0;
    assert((status != 200 && status != 206 && status != 304) || reads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256];
    fuzz_make_arenas();
    make_recordings();
    fuzz_talk_begin();
    const struct http_access guard = {.host_count = 1, .hosts = {"a"}, .token = "0123456789abcdef"};
    const struct status_view view = {.list = &fuzz_fleet.running, .started_ms = 1000};
    http = http_open(&(struct http_def){.loop = fuzz_talk_loop,
                                        .address = "127.0.0.1",
                                        .guard = &guard,
                                        .view = &view,
                                        .status_schema = "{}",
                                        .history_schema = "{}"},
                     error, sizeof error);
    assert(http != NULL);
    const bool is_served =
        http_recordings_serve(http_services(http), fuzz_talk_loop, recordings, false);
    assert(is_served);
    const struct fuzz_server server = {.dial = dial, .command = command, .hear = hear};
    fuzz_talk(&server, data, size);
    http_close(http);
    fuzz_talk_end();
    return 0;
}
