// SPDX-License-Identifier: MIT
// Common part of the HTTP targets: scripted traffic of three clients with one server in a single
// thread, on a clock that only the script advances.
//
// A script is what is sent, as it is. A 0 byte and one more command: '0' to '2' which client goes
// on, 'x' it closes, 'w' it sends no more, 'r' it reads, 't' three seconds pass; any other is left
// to the target. So a request is its own seed.
#pragma once

#include "fuzz.h"

#include "loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FUZZ_CLIENTS = 3, FUZZ_ROUNDS = 40, FUZZ_METHOD_BYTES = 8 };

struct fuzz_server {
    int (*dial)(void);                            // a connected socket that does not block
    void (*run)(void);                            // before the loop; NULL: nothing
    void (*command)(uint8_t command);             // that is none of those above
    void (*hear)(int status, const char *method); // the first answer to a client
};

struct fuzz_caller {
    int socket;                     // -1: none
    char method[FUZZ_METHOD_BYTES]; // how what it sent begins, without empty lines before that
    size_t method_size;
    char line[12]; // how what it heard begins
    size_t line_size;
    bool is_heard;
};

static int64_t fuzz_talk_now_ms;
static struct loop *fuzz_talk_loop;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE)
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){.tv_sec = fuzz_talk_now_ms / 1000,
                             .tv_nsec = fuzz_talk_now_ms % 1000 * 1000000};
    return 0;
}

// Begins a script. The loop's timers follow the clock above.
static inline void fuzz_talk_begin(void)
{
    fuzz_talk_now_ms = 1000000;
    if (fuzz_talk_loop == NULL)
        fuzz_talk_loop = loop_create();
    assert(fuzz_talk_loop != NULL);
}

// Until nothing is left to do now, within reason.
static inline void fuzz_talk_settle(const struct fuzz_server *server)
{
    for (int i = 0; i < FUZZ_ROUNDS; i++) {
        if (server->run != NULL)
            server->run();
        if (!loop_wait(fuzz_talk_loop, 0))
            break;
    }
}

// What comes first is a whole status line's beginning, or nothing.
static inline void fuzz_talk_hear(const struct fuzz_server *server, struct fuzz_caller *caller)
{
    char bytes[4096];
    ssize_t size;
    while (caller->socket >= 0 && (size = recv(caller->socket, bytes, sizeof bytes, 0)) > 0)
        for (ssize_t i = 0; i < size && caller->line_size < sizeof caller->line; i++)
            caller->line[caller->line_size++] = bytes[i];
    if (caller->is_heard || caller->line_size < sizeof caller->line)
        return;
    caller->is_heard = true;
    int status;
    char method[FUZZ_METHOD_BYTES + 1] = "";
    memcpy(method, caller->method, caller->method_size);
    assert(memcmp(caller->line, "HTTP/1.", 7) == 0 && caller->line[8] == ' ');
    const char digits[] = {caller->line[9], caller->line[10], caller->line[11], '\0'};
    status = atoi(digits);
    assert(status >= 100 && status < 600);
    server->hear(status, method);
}

static inline void fuzz_talk_send(const struct fuzz_server *server, struct fuzz_caller *caller,
                                  const uint8_t *bytes, size_t size)
{
    if (caller->socket < 0) {
        *caller = (struct fuzz_caller){.socket = server->dial()};
        assert(caller->socket >= 0);
    }
    for (size_t i = 0; i < size; i++) {
        const bool is_before = caller->method_size == 0 && (bytes[i] == '\r' || bytes[i] == '\n');
        if (!is_before && caller->method_size < FUZZ_METHOD_BYTES)
            caller->method[caller->method_size++] = (char)bytes[i];
    }
    // What the server does not take, or does not want any more, is lost.
    if (send(caller->socket, bytes, size, MSG_NOSIGNAL) < 0)
        assert(errno == EAGAIN || errno == EPIPE || errno == ECONNRESET);
}

// Without a state of TIME_WAIT, of which there is not room for thousands each second.
static inline void fuzz_talk_close(struct fuzz_caller *caller)
{
    const struct linger at_once = {.l_onoff = 1};
    if (caller->socket < 0)
        return;
    setsockopt(caller->socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(caller->socket);
    *caller = (struct fuzz_caller){.socket = -1};
}

static inline void fuzz_talk_command(const struct fuzz_server *server, uint8_t command,
                                     struct fuzz_caller *caller)
{
    if (command == 'x') {
        fuzz_talk_close(caller);
    } else if (command == 'w') {
        if (caller->socket >= 0)
            shutdown(caller->socket, SHUT_WR);
    } else if (command == 't') {
        fuzz_talk_now_ms += 3000;
    } else if (command == 'r') {
        fuzz_talk_hear(server, caller);
    } else {
        server->command(command);
    }
    fuzz_talk_settle(server);
}

// The caller closes the server afterwards, while the clients that are left are still there, and
// then calls fuzz_talk_end.
static struct fuzz_caller fuzz_callers[FUZZ_CLIENTS];

static inline void fuzz_talk(const struct fuzz_server *server, const uint8_t *data, size_t size)
{
    struct fuzz_caller *caller = &fuzz_callers[0];
    for (int i = 0; i < FUZZ_CLIENTS; i++)
        fuzz_callers[i] = (struct fuzz_caller){.socket = -1};
    for (size_t at = 0; at < size;) {
        if (data[at] == 0) {
            const uint8_t command = at + 1 < size ? data[at + 1] : 0;
            if (command >= '0' && command < '0' + FUZZ_CLIENTS)
                caller = &fuzz_callers[command - '0'];
            else
                fuzz_talk_command(server, command, caller);
            at += 2;
            continue;
        }
        const uint8_t *end = memchr(data + at, 0, size - at);
        const size_t length = end != NULL ? (size_t)(end - data) - at : size - at;
        fuzz_talk_send(server, caller, data + at, length);
        fuzz_talk_settle(server);
        at += length;
    }
    for (int i = 0; i < FUZZ_CLIENTS; i++)
        fuzz_talk_hear(server, &fuzz_callers[i]);
}

static inline void fuzz_talk_end(void)
{
    for (int i = 0; i < FUZZ_CLIENTS; i++)
        fuzz_talk_close(&fuzz_callers[i]);
}
