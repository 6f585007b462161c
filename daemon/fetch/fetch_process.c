// SPDX-License-Identifier: MIT
// Starts the processes, keeps the second one running, and puts its requests together.
#define _GNU_SOURCE
#include "fetch_process.h"

#include "fetch_command.h"
#include "fetch_http.h"
#include "fetch_message.h"
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#define ARGUMENT "--serve-requests"

enum {
    SOCKET = 3,
    MAX_PORTS = 32,
    PORTS_BYTES = MAX_PORTS * 6 + 1,
    RESTART_MS = 250,
    STALLED_S = 5, // a process that does nothing for so long is ended
    NICE = 10,
};

// What a process inherits of the environment: nothing that names a secret or the service manager.
static const char *const inherited[] = {
    "LANG", "LC_ALL", "TZ", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH",
};

#define INHERITED (sizeof inherited / sizeof *inherited)

// --- Starting ---

static void execute(enum fetch_role role, const char *ports, int socket)
{
    static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    static char texts[INHERITED][512];
    char *environment[INHERITED + 2] = {path};
    int count = 1;
    for (size_t i = 0; i < INHERITED; i++) {
        const char *value = getenv(inherited[i]);
        if (value != NULL &&
            snprintf(texts[i], sizeof texts[i], "%s=%s", inherited[i], value) < 512)
            environment[count++] = texts[i];
    }
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
        return;
    if (socket == SOCKET ? fcntl(SOCKET, F_SETFD, 0) != 0 : dup2(socket, SOCKET) < 0)
        return;
    close_range(SOCKET + 1, UINT_MAX, 0);
    const char *const arguments[] = {role == FETCH_URLS ? "raimd: fetch" : "raimd: hooks", ARGUMENT,
                                     role == FETCH_URLS ? "urls" : "commands", ports, NULL};
    execve("/proc/self/exe", (char *const *)arguments, environment);
}

bool fetch_process_start(enum fetch_role role, const uint16_t *ports, int port_count, int socket)
{
    char list[PORTS_BYTES] = "";
    size_t used = 0;
    for (int i = 0; i < port_count && i < MAX_PORTS; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%u,", ports[i]);
    const pid_t child = fork();
    if (child == 0) {
        // Not a child of raimd, which never waits for one: its parent is gone at once.
        if (fork() == 0)
            execute(role, list, socket);
        _exit(0);
    }
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0;
}

bool fetch_process_is(int argc, char **argv)
{
    return argc >= 2 && strcmp(argv[1], ARGUMENT) == 0;
}

// --- Working ---

struct part {
    uint32_t job; // 0: none
    struct text_buffer text;
};

struct server {
    enum fetch_role role;
    struct part parts[FETCH_MAX_JOBS];
};

// Waits until the socket takes it. A raimd that has ended takes nothing: the process ends, too.
static void send_packet(const struct fetch_packet *packet, size_t size)
{
    while (send(SOCKET, packet, FETCH_PACKET_HEAD_BYTES + size, MSG_NOSIGNAL) < 0) {
        struct pollfd wait = {.fd = SOCKET, .events = POLLOUT};
        if (errno != EAGAIN && errno != EINTR)
            _exit(0);
        alarm(0); // raimd's stall is not the process's
        poll(&wait, 1, -1);
    }
}

static void send_bytes(uint32_t job, const char *bytes, size_t count, bool are_last)
{
    struct fetch_packet packet = {.job = job};
    while (count > 0) {
        const size_t size = count < FETCH_PACKET_BYTES ? count : FETCH_PACKET_BYTES;
        packet.is_last = are_last && size == count;
        memcpy(packet.bytes, bytes, size);
        send_packet(&packet, size);
        bytes += size;
        count -= size;
    }
}

static void send_piece(uint32_t job, const char *bytes, size_t size)
{
    send_bytes(job, bytes, size, false);
}

static void send_answer(uint32_t job, const struct fetch_answer *answer)
{
    struct text_buffer out = {0};
    fetch_message_write_answer(&out, answer);
    if (out.no_memory)
        _exit(EXIT_FAILURE);
    send_bytes(job, out.text, out.size, true);
    free(text_buffer_take(&out));
}

// Adds a packet to its request. Returns the part if it is whole; else NULL.
static struct part *take_packet(struct server *server, const struct fetch_packet *packet,
                                size_t size)
{
    struct part *part = NULL;
    for (int i = 0; i < FETCH_MAX_JOBS && part == NULL; i++)
        if (server->parts[i].job == packet->job)
            part = &server->parts[i];
    for (int i = 0; i < FETCH_MAX_JOBS && part == NULL; i++)
        if (server->parts[i].job == 0)
            part = &server->parts[i];
    if (part == NULL)
        _exit(EXIT_FAILURE); // more than raimd may ask for
    part->job = packet->job;
    text_buffer_add(&part->text, packet->bytes, size);
    if (part->text.no_memory)
        _exit(EXIT_FAILURE);
    return packet->is_last ? part : NULL;
}

// Begins what is asked for. `text` is taken.
static void begin(const struct server *server, uint32_t job, char *text, size_t size)
{
    struct fetch_request request;
    struct fetch_answer answer = {.body = "", .reason = "the request is malformed"};
    const bool is_good = text != NULL && fetch_message_read_request(text, size, &request) &&
                         (request.method == NULL) == (server->role == FETCH_COMMANDS);
    if (is_good && server->role == FETCH_URLS) {
        fetch_http_begin(job, &request, text);
        return;
    }
    if (is_good)
        fetch_command_run(&request, SOCKET, &answer);
    send_answer(job, &answer);
    free(text);
}

// Reads one packet. Returns false if there is none.
static bool receive(struct server *server)
{
    struct fetch_packet packet;
    const ssize_t size = recv(SOCKET, &packet, sizeof packet, MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        _exit(0); // raimd has ended
    if (size < (ssize_t)FETCH_PACKET_HEAD_BYTES)
        return false;
    struct part *part = take_packet(server, &packet, (size_t)size - FETCH_PACKET_HEAD_BYTES);
    if (part == NULL)
        return true;
    struct part whole = *part;
    *part = (struct part){0};
    if (size > (ssize_t)FETCH_PACKET_HEAD_BYTES) {
        begin(server, whole.job, whole.text.text, whole.text.size);
    } else {
        free(text_buffer_take(&whole.text));
        fetch_http_cancel(whole.job);
    }
    return true;
}

// Connections to these ports alone, no programs, and files to read that resolving names and
// certificates need.
static void restrict_to(const char *ports)
{
    static const char *const files[] = {
        "/etc",
        "/usr",
        "/lib",
        "/lib64",
        "/run/systemd/resolve",
        "/run/resolvconf",
        "/dev/null",
        "/dev/urandom",
        "/var/lib/ca-certificates",
#ifdef RAIM_SANITIZED
        "/proc",
#endif
    };
    const int rules = landlock_version() > 0 ? landlock_open() : -1;
    if (rules < 0)
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        landlock_allow(rules, files[i], LANDLOCK_READ);
    for (const char *at = ports; *at != '\0'; at += strcspn(at, ",") + 1)
        landlock_allow_connect(rules, (uint16_t)atoi(at));
    landlock_allow_connect(rules, 53); // DNS, for long answers
    landlock_enter(rules);
    close(rules);
}

// `is_again`: in the place of a process that has died.
static void serve(enum fetch_role role, const char *ports, bool is_again)
{
    struct server server = {.role = role};
    const struct fetch_packet hello = {.is_last = 1};
    char byte;
    if (role == FETCH_URLS) {
        restrict_to(ports);
        fetch_http_open(send_answer, send_piece);
    }
    // What raimd asked of the process that died fails, so what the socket holds must not be done.
    // What raimd asks from here on until it has read the hello fails, too, but is done.
    while (is_again && recv(SOCKET, &byte, sizeof byte, MSG_DONTWAIT) > 0)
        continue;
    send_packet(&hello, 0);
    while (true) {
        if (role == FETCH_URLS) {
            alarm(STALLED_S);
            fetch_http_wait(SOCKET);
        } else {
            struct pollfd wait = {.fd = SOCKET, .events = POLLIN};
            poll(&wait, 1, -1);
        }
        while (receive(&server))
            continue;
    }
}

// --- The first process ---

static bool has_raimd_ended(void)
{
    struct pollfd wait = {.fd = SOCKET};
    return poll(&wait, 1, 0) > 0 && (wait.revents & (POLLHUP | POLLERR)) != 0;
}

static void prepare(void)
{
    const struct rlimit none = {0};
    const struct sched_param batch = {0};
    sigset_t nothing;
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // After the threads that tick, as far as the system allows.
    sched_setscheduler(0, SCHED_BATCH, &batch);
    setpriority(PRIO_PROCESS, 0, NICE);
    // A signal to the whole service, or from a terminal, is for raimd: it ends when raimd has.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
}

// Returns the status of a child's end. A stopped child is killed, because it would answer no
// requests.
static int wait_for(pid_t child)
{
    int status = 0;
    pid_t found;
    do {
        found = waitpid(child, &status, WUNTRACED);
        if (found == child && WIFSTOPPED(status))
            kill(child, SIGKILL);
    } while (found == child ? WIFSTOPPED(status) : errno == EINTR);
    return status;
}

_Noreturn void fetch_process_main(int argc, char **argv)
{
    if (argc != 4 || (strcmp(argv[2], "urls") != 0 && strcmp(argv[2], "commands") != 0) ||
        fcntl(SOCKET, F_SETFD, FD_CLOEXEC) != 0)
        _exit(EX_USAGE);
    prepare();
    for (bool is_again = false; !has_raimd_ended(); is_again = true) {
        const pid_t parent = getpid(), child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent)
                serve(strcmp(argv[2], "urls") == 0 ? FETCH_URLS : FETCH_COMMANDS, argv[3],
                      is_again);
            _exit(0);
        }
        const int status = child > 0 ? wait_for(child) : 0;
        if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        nanosleep(&(struct timespec){.tv_nsec = RESTART_MS * 1000000L}, NULL);
    }
    _exit(EXIT_SUCCESS);
}
