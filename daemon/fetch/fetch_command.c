// SPDX-License-Identifier: MIT
// Feeds a command and listens to its complaints with one poll.
#define _GNU_SOURCE
#include "fetch_command.h"

#include "monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_WORDS = 64,
    EXIT_MISSING = 127, // as a shell says it
    LOOK_MS = 20,       // between two looks whether the command has ended
    GRACE_MS = 500,     // that a command has when raimd ends
};

struct run {
    pid_t pid;
    int input, complaint; // pipes; -1: closed
    const char *body;
    size_t left; // of the body
    char line[FETCH_REASON_BYTES];
    size_t line_bytes;
    bool has_line; // whole
};

// Splits a text, which it changes, into words. Returns false if there are too many.
static bool split(char *text, char *words[MAX_WORDS + 1])
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (count == MAX_WORDS)
            return false;
        words[count++] = word;
    }
    words[count] = NULL;
    return count > 0;
}

// In the new process, which ends with its parent.
static void execute(pid_t parent, char **words, int input, int complaint)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_MISSING);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(input, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(complaint, STDERR_FILENO) < 0)
        _exit(EXIT_MISSING);
    execv(words[0], words);
    dprintf(STDERR_FILENO, "cannot be executed: %s\n", strerror(errno));
    _exit(EXIT_MISSING);
}

static bool begin(struct run *run, char **words)
{
    int input[2], complaint[2];
    if (pipe2(input, O_CLOEXEC) != 0)
        return false;
    if (pipe2(complaint, O_CLOEXEC) != 0) {
        close(input[0]);
        close(input[1]);
        return false;
    }
    const pid_t parent = getpid();
    run->pid = fork();
    if (run->pid == 0)
        execute(parent, words, input[0], complaint[1]);
    close(input[0]);
    close(complaint[1]);
    run->input = input[1];
    run->complaint = complaint[0];
    fcntl(run->input, F_SETFL, O_NONBLOCK);
    fcntl(run->complaint, F_SETFL, O_NONBLOCK);
    return run->pid > 0;
}

static void shut(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void feed(struct run *run)
{
    const ssize_t size = run->left > 0 ? write(run->input, run->body, run->left) : 0;
    if (size > 0) {
        run->body += size;
        run->left -= (size_t)size;
    }
    if (run->left == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        shut(&run->input); // EPIPE: it does not read
}

// Keeps the first line, and throws the others away.
static void listen_to(struct run *run)
{
    char bytes[4096];
    const ssize_t size = read(run->complaint, bytes, sizeof bytes);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        shut(&run->complaint);
    for (ssize_t i = 0; i < size && !run->has_line; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        run->has_line = byte == '\n' || run->line_bytes == FETCH_REASON_BYTES - 40;
        if (!run->has_line)
            run->line[run->line_bytes++] = byte >= 0x20 && byte <= 0x7e ? (char)byte : '?';
    }
}

// Waits for a moment, and serves both pipes. Returns false if raimd has ended.
static bool serve(struct run *run, int socket, int wait_ms)
{
    struct pollfd waits[] = {{.fd = socket},
                             {.fd = run->input, .events = POLLOUT},
                             {.fd = run->complaint, .events = POLLIN}};
    poll(waits, 3, wait_ms);
    if (waits[1].revents != 0)
        feed(run);
    if (waits[2].revents != 0)
        listen_to(run);
    return (waits[0].revents & (POLLHUP | POLLERR)) == 0;
}

static void explain(const struct run *run, bool is_late, int status, struct fetch_answer *answer)
{
    char how[32] = "";
    if (is_late)
        snprintf(how, sizeof how, "it timed out");
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "signal %d", WTERMSIG(status));
    answer->is_good = !is_late && WIFEXITED(status);
    answer->status = answer->is_good ? (unsigned)WEXITSTATUS(status) : 0;
    snprintf(answer->reason, sizeof answer->reason, "%s%s%.*s", how,
             how[0] != '\0' && run->line_bytes > 0 ? ": " : "", (int)run->line_bytes, run->line);
}

void fetch_command_run(const struct fetch_request *request, int socket, struct fetch_answer *answer)
{
    char *words[MAX_WORDS + 1], *text = strdup(request->target);
    struct run run = {
        .input = -1, .complaint = -1, .body = request->body, .left = request->body_bytes};
    *answer = (struct fetch_answer){.body = ""};
    if (text == NULL || !split(text, words) || !begin(&run, words)) {
        snprintf(answer->reason, sizeof answer->reason, "cannot start a process");
        shut(&run.input);
        shut(&run.complaint);
        free(text);
        return;
    }
    uint64_t end_ms = monotonic_ms() + request->deadline_ms;
    int status = 0;
    bool is_late = false, is_here = true;
    while (waitpid(run.pid, &status, WNOHANG) == 0 && !is_late) {
        if (!serve(&run, is_here ? socket : -1, LOOK_MS)) {
            is_here = false;
            if (end_ms > monotonic_ms() + GRACE_MS)
                end_ms = monotonic_ms() + GRACE_MS;
        }
        is_late = monotonic_ms() >= end_ms;
    }
    serve(&run, -1, 0); // its last words
    if (is_late)
        kill(run.pid, SIGKILL); // which may lead no group yet
    kill(-run.pid, SIGKILL);
    if (is_late)
        waitpid(run.pid, &status, 0);
    shut(&run.input);
    shut(&run.complaint);
    free(text);
    explain(&run, is_late, status, answer);
}
