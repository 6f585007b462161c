// SPDX-License-Identifier: MIT
// Requests of the processes "raimd: fetch" and "raimd: hooks", which are this program again: what
// answers, what fails and why, and that nothing waits for a server or a command that hangs.
#define _GNU_SOURCE
#include "fetch.h"
#include "fetch_process.h"
#include "loop.h"
#include "monotonic.h"
#include "test.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

// --- A server that answers as its path says ---

static int listener;
static uint16_t port, other_port;
static _Atomic int streams; // that are open

static void answer_all(int connection, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t count = send(connection, text, size, MSG_NOSIGNAL);
        if (count <= 0)
            return;
        text += count;
        size -= (size_t)count;
    }
}

static void *serve_one(void *argument)
{
    const int connection = (int)(intptr_t)argument;
    static const char good[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"e1\"\r\n"
                               "Connection: close\r\n\r\nhello";
    static const char redirect[] = "HTTP/1.1 302 Found\r\nLocation: /good\r\nContent-Length: 0\r\n"
                                   "Connection: close\r\n\r\n";
    char request[8192] = "", big[65536];
    size_t size = 0;
    ssize_t count;
    while (strstr(request, "\r\n\r\n") == NULL && size < sizeof request - 1 &&
           (count = recv(connection, request + size, sizeof request - 1 - size, 0)) > 0)
        size += (size_t)count;
    if (strncmp(request, "GET /good", 9) == 0) {
        answer_all(connection, good, sizeof good - 1);
    } else if (strncmp(request, "GET /redirect", 13) == 0) {
        answer_all(connection, redirect, sizeof redirect - 1);
    } else if (strncmp(request, "GET /huge", 9) == 0) {
        static const char head[] = "HTTP/1.1 200 OK\r\n\r\n";
        answer_all(connection, head, sizeof head - 1);
        memset(big, 'x', sizeof big);
        for (int i = 0; i < 64; i++)
            answer_all(connection, big, sizeof big);
    } else if (strncmp(request, "GET /headers", 12) == 0) {
        answer_all(connection, "HTTP/1.1 200 OK\r\n", 17);
        for (int i = 0; i < 100000; i++)
            answer_all(connection, "X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 43);
    } else if (strncmp(request, "GET /garbage", 12) == 0) {
        answer_all(connection, "\x16\x03\x01\x00garbage", 11);
    } else if (strncmp(request, "GET /slow", 9) == 0) {
        struct pollfd wait = {.fd = connection, .events = POLLIN};
        poll(&wait, 1, 20000); // until the client goes
    } else if (strncmp(request, "GET /stream", 11) == 0) {
        static const char head[] = "HTTP/1.1 200 OK\r\n\r\n";
        answer_all(connection, head, sizeof head - 1);
        streams++;
        for (const char *piece = "abc"; *piece != '\0'; piece++) {
            answer_all(connection, piece, 1);
            usleep(50000);
        }
        struct pollfd wait = {.fd = connection, .events = POLLIN};
        if (strncmp(request, "GET /stream/ends", 16) != 0)
            poll(&wait, 1, 20000); // until the client goes
        streams--;
    } else if (strncmp(request, "POST /echo", 10) == 0) {
        const char *sign = strstr(request, "X-Sign: "), *body = strstr(request, "\r\n\r\n") + 4;
        char text[512];
        while (strlen(body) < 9 && (count = recv(connection, request + size, 100, 0)) > 0)
            size += (size_t)count;
        const int length =
            snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%.4s %s",
                     sign != NULL ? sign + 8 : "none", body);
        answer_all(connection, text, (size_t)length);
    }
    close(connection);
    return NULL;
}

static void *serve(void *argument)
{
    (void)argument;
    int connection;
    while ((connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)connection), 0);
        pthread_detach(thread);
    }
    return NULL;
}

static int listen_on(uint16_t *number)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(socket_, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(socket_, 16), 0);
    assert_int_equal(getsockname(socket_, (struct sockaddr *)&address, &size), 0);
    *number = ntohs(address.sin_port);
    return socket_;
}

static struct loop *loop;

static void hang(void)
{
    sleep(30);
}

// As a busy machine does.
static void begin_late(void)
{
    usleep(100000);
}

// The program starts itself again as the process that fetches, which runs nothing at its exit, and
// whose children begin late.
__attribute__((constructor)) static void be_fetch_process(int argc, char **argv)
{
    if (!fetch_process_is(argc, argv))
        return;
    atexit(hang);
    pthread_atfork(NULL, NULL, begin_late);
    fetch_process_main(argc, argv);
}

static int start_server(void **state)
{
    (void)state;
    pthread_t thread;
    setsid(); // so that only processes of this test are found
    listener = listen_on(&port);
    listen_on(&other_port);
    loop = loop_create();
    return loop == NULL || pthread_create(&thread, NULL, serve, NULL) != 0;
}

// --- Requests ---

struct heard {
    int count;
    struct fetch_answer answer;
    char body[64];
};

static void hear(void *context, const struct fetch_answer *answer)
{
    struct heard *heard = context;
    heard->count++;
    heard->answer = *answer;
    snprintf(heard->body, sizeof heard->body, "%s", answer->body);
    heard->answer.body = NULL;
}

static void wait_for(const struct heard *heard, int count)
{
    const uint64_t end_ms = monotonic_ms() + 40000;
    while (heard->count < count) {
        assert_true(monotonic_ms() < end_ms);
        loop_wait(loop, 50);
    }
}

static struct fetch *start(enum fetch_role role)
{
    char error[256];
    struct fetch *fetch = fetch_start(loop, role, &port, 1, error, sizeof error);
    assert_non_null(fetch);
    return fetch;
}

static struct heard ask(struct fetch *fetch, struct fetch_request request)
{
    struct heard heard = {0};
    if (request.max_bytes == 0)
        request.max_bytes = 1000;
    if (request.deadline_ms == 0)
        request.deadline_ms = 30000;
    assert_true(fetch_begin(fetch, &request, hear, &heard) != 0);
    wait_for(&heard, 1);
    return heard;
}

static struct heard get(struct fetch *fetch, const char *path, uint32_t deadline_ms)
{
    char url[128];
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", port, path);
    return ask(fetch,
               (struct fetch_request){.method = "GET", .target = url, .deadline_ms = deadline_ms});
}

static struct heard run(struct fetch *fetch, const char *command, const char *input,
                        uint32_t deadline_ms)
{
    return ask(fetch, (struct fetch_request){.target = command,
                                             .body = input,
                                             .body_bytes = strlen(input),
                                             .deadline_ms = deadline_ms});
}

TEST(an_answer_has_its_status_tag_and_body)
{
    struct fetch *fetch = start(FETCH_URLS);
    struct heard heard = get(fetch, "/good", 0);
    assert_true(heard.answer.is_good);
    assert_int_equal(heard.answer.status, 200);
    assert_string_equal(heard.answer.etag, "\"e1\"");
    assert_string_equal(heard.body, "hello");
    heard = get(fetch, "/redirect", 0); // is not followed
    assert_true(heard.answer.is_good);
    assert_int_equal(heard.answer.status, 302);
    char url[128];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/echo", port);
    heard = ask(fetch, (struct fetch_request){.method = "POST",
                                              .target = url,
                                              .headers = "X-Sign: abcd\nX-More: 1\n",
                                              .body = "some body",
                                              .body_bytes = 9});
    assert_string_equal(heard.body, "abcd some body");
    fetch_close(fetch);
}

TEST(bad_servers_are_told_apart)
{
    struct fetch *fetch = start(FETCH_URLS);
    struct heard heard = get(fetch, "/huge", 0);
    assert_false(heard.answer.is_good);
    assert_string_equal(heard.answer.reason, "the answer is too long");
    heard = get(fetch, "/headers", 0);
    assert_false(heard.answer.is_good);
    heard = get(fetch, "/garbage", 0);
    assert_false(heard.answer.is_good);
    heard = get(fetch, "/closes", 0);
    assert_false(heard.answer.is_good);
    const uint64_t begin_ms = monotonic_ms();
    heard = get(fetch, "/slow", 300);
    assert_false(heard.answer.is_good);
    assert_true(monotonic_ms() - begin_ms >= 300);
    assert_true(heard.answer.reason[0] != '\0');
    heard = ask(fetch, (struct fetch_request){.method = "GET", .target = "http://127.0.0.1:1/"});
    assert_false(heard.answer.is_good);
    assert_true(fetch_deaths(fetch) == 0);
    fetch_close(fetch);
}

TEST(a_slow_server_delays_no_other_request)
{
    struct heard slow = {0};
    char url[128];
    struct fetch *fetch = start(FETCH_URLS);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/slow", port);
    const struct fetch_request request = {
        .method = "GET", .target = url, .max_bytes = 10, .deadline_ms = 15000};
    for (int i = 0; i < FETCH_MAX_JOBS - 1; i++)
        assert_true(fetch_begin(fetch, &request, hear, &slow) != 0);
    assert_string_equal(get(fetch, "/good", 0).body, "hello");
    const uint32_t last = fetch_begin(fetch, &request, hear, &slow);
    assert_true(last != 0);
    assert_int_equal(fetch_begin(fetch, &request, hear, &slow), 0); // too many
    fetch_cancel(fetch, last);
    assert_string_equal(get(fetch, "/good", 0).body, "hello");
    assert_int_equal(slow.count, 0);
    fetch_close(fetch);
}

static void hear_piece(void *context, const char *bytes, size_t size)
{
    struct heard *heard = context;
    assert_true(strlen(heard->body) + size < sizeof heard->body);
    strncat(heard->body, bytes, size);
}

static void hear_end(void *context, const struct fetch_answer *answer)
{
    struct heard *heard = context;
    heard->count++;
    heard->answer = *answer;
}

TEST(a_stream_comes_in_pieces_until_it_ends_or_is_cancelled)
{
    char url[128];
    struct fetch *fetch = start(FETCH_URLS);
    struct fetch_request request = {.method = "GET", .target = url, .take = hear_piece};
    snprintf(url, sizeof url, "http://127.0.0.1:%u/stream/ends", port);
    struct heard ends = {0};
    assert_true(fetch_begin(fetch, &request, hear_end, &ends) != 0);
    wait_for(&ends, 1);
    assert_true(ends.answer.is_good && ends.answer.status == 200);
    assert_string_equal(ends.body, "abc");
    snprintf(url, sizeof url, "http://127.0.0.1:%u/stream", port);
    struct heard goes_on = {0};
    const uint32_t job = fetch_begin(fetch, &request, hear_end, &goes_on);
    const uint64_t end_ms = monotonic_ms() + 20000;
    while (strcmp(goes_on.body, "abc") != 0 && monotonic_ms() < end_ms)
        loop_wait(loop, 50);
    assert_string_equal(goes_on.body, "abc");
    assert_int_equal(streams, 1);
    fetch_cancel(fetch, job);
    while (streams > 0 && monotonic_ms() < end_ms)
        loop_wait(loop, 50);
    assert_int_equal(streams, 0);
    assert_int_equal(goes_on.count, 0);
    fetch_close(fetch);
}

TEST(other_ports_cannot_be_reached)
{
    char url[128];
    struct fetch *fetch = start(FETCH_URLS);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", other_port);
    const struct heard heard =
        ask(fetch, (struct fetch_request){.method = "GET", .target = url, .deadline_ms = 300});
    // That server accepts and never answers; without Landlock this fails later.
    assert_false(heard.answer.is_good);
    fetch_close(fetch);
}

TEST(a_command_reads_its_input_and_its_status_counts)
{
    struct fetch *fetch = start(FETCH_COMMANDS);
    struct heard heard = run(fetch, "/usr/bin/grep -q word", "a word\n", 0);
    assert_true(heard.answer.is_good);
    assert_int_equal(heard.answer.status, 0);
    heard = run(fetch, "/usr/bin/grep -q other", "a word\n", 0);
    assert_true(heard.answer.is_good);
    assert_int_equal(heard.answer.status, 1);
    heard = run(fetch, "/usr/bin/ls /nonexistent", "", 0);
    assert_int_equal(heard.answer.status, 2);
    assert_non_null(strstr(heard.answer.reason, "/nonexistent"));
    heard = run(fetch, "/nonexistent/program", "", 0);
    assert_int_equal(heard.answer.status, 127);
    assert_non_null(strstr(heard.answer.reason, "No such file"));
    heard = run(fetch, "/usr/bin/true", "not read\n", 0);
    assert_int_equal(heard.answer.status, 0);
    fetch_close(fetch);
}

// Runs a command that takes longer than its deadline. The process ends it, unless a busy machine
// holds the process up for so long that raimd gives the answer up.
static void run_late(struct fetch *fetch, const char *command, uint32_t deadline_ms)
{
    const uint64_t end_ms = monotonic_ms() + 20000; // before the longest ends by itself
    struct heard heard;
    do {
        heard = run(fetch, command, "", deadline_ms);
        assert_false(heard.answer.is_good);
        assert_true(monotonic_ms() < end_ms);
    } while (strcmp(heard.answer.reason, "no answer in time") == 0);
    assert_string_equal(heard.answer.reason, "it timed out");
}

TEST(a_command_that_hangs_or_floods_is_ended)
{
    struct fetch *fetch = start(FETCH_COMMANDS);
    run_late(fetch, "/usr/bin/sleep 60", 300);
    run_late(fetch, "/usr/bin/yes", 300);
    run_late(fetch, "/usr/bin/cat /dev/zero /dev/stdin", 200);
    // A large input that nobody reads, and a body of more than a packet that is read.
    char *large = malloc(300001);
    memset(large, 'a', 300000);
    large[300000] = '\0';
    struct heard heard = run(fetch, "/usr/bin/sleep 0", large, 0);
    assert_true(heard.answer.is_good && heard.answer.status == 0);
    large[299999] = 'b';
    heard = run(fetch, "/usr/bin/grep -q b$", large, 0);
    assert_true(heard.answer.is_good && heard.answer.status == 0);
    free(large);
    fetch_close(fetch);
}

TEST(a_command_is_ended_before_it_has_begun)
{
    struct fetch *fetch = start(FETCH_COMMANDS);
    run_late(fetch, "/usr/bin/sleep 60", 1);
    fetch_close(fetch);
}

#define OURS "-s 0" // of this test's session
#define ANYWHERE "" // a command has a session of its own

// Returns the newest process whose command line begins so and that is `where`; 0: none.
static long find_process(const char *where, const char *name)
{
    char command[128], line[64] = "";
    snprintf(command, sizeof command, "pgrep -n %s -f '^%s'", where, name);
    FILE *out = popen(command, "r");
    const char *read = fgets(line, sizeof line, out);
    pclose(out);
    return read != NULL ? atol(line) : 0;
}

static void wait_child(long process)
{
    char path[64], children[64] = "";
    const uint64_t end_ms = monotonic_ms() + 10000;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", process, process);
    while (children[0] == '\0') {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        if (fgets(children, sizeof children, file) == NULL)
            assert_true(monotonic_ms() < end_ms);
        fclose(file);
    }
}

static void wait_end(const char *where, const char *name)
{
    const uint64_t end_ms = monotonic_ms() + 10000;
    while (find_process(where, name) != 0) {
        assert_true(monotonic_ms() < end_ms);
        usleep(20000);
    }
}

// While a command begins, which ends with the process.
static void harm_worker(int harm)
{
    struct heard heard = {0};
    struct fetch *fetch = start(FETCH_COMMANDS);
    char command[64];
    snprintf(command, sizeof command, "/usr/bin/sleep 30.%ld", (long)getpid());
    const struct fetch_request request = {
        .target = command, .body = "", .max_bytes = 10, .deadline_ms = 30000};
    assert_int_equal(run(fetch, "/usr/bin/true", "", 0).answer.status, 0);
    // The newest one works; a command has this name, too, for a moment.
    const long worker = find_process(OURS, "raimd: hooks");
    assert_true(worker > 1);
    assert_true(fetch_begin(fetch, &request, hear, &heard) != 0);
    wait_child(worker);
    assert_int_equal(kill((pid_t)worker, harm), 0);
    wait_for(&heard, 1);
    assert_false(heard.answer.is_good);
    assert_string_equal(heard.answer.reason, "the process died");
    assert_true(fetch_deaths(fetch) == 1);
    assert_true(run(fetch, "/usr/bin/true", "", 0).answer.is_good);
    wait_end(ANYWHERE, command);
    fetch_close(fetch);
}

TEST(a_process_that_dies_or_is_stopped_is_started_again)
{
    harm_worker(SIGKILL);
    harm_worker(SIGSTOP);
}

TEST(the_processes_end_with_raimd)
{
    struct fetch *fetch = start(FETCH_COMMANDS), *urls = start(FETCH_URLS);
    assert_int_equal(run(fetch, "/usr/bin/true", "", 0).answer.status, 0);
    assert_string_equal(get(urls, "/good", 0).body, "hello");
    fetch_close(fetch);
    fetch_close(urls);
    wait_end(OURS, "raimd: hooks");
    wait_end(OURS, "raimd: fetch");
    fetch_close(NULL);
}

TEST_GROUP(start_server, NULL)
