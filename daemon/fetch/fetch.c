// SPDX-License-Identifier: MIT
// The side of raimd: cuts requests into packets and puts answers together, as far as the socket
// takes and has them.
#define _GNU_SOURCE
#include "fetch.h"

#include "fetch_message.h"
#include "fetch_process.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PACKETS_PER_RUN = 64, // at most 1 MB is read at once
    RETRY_MS = 10,        // after the socket took no more
    LATE_MS = 2000,       // an answer that is so late does not come any more
};

struct job {
    uint32_t number;        // 0: none
    struct text_buffer out; // the request
    size_t sent;            // of it
    struct text_buffer in;  // the answer
    size_t max_bytes;       // of it
    uint64_t due_ms;        // CLOCK_MONOTONIC
    void (*take)(void *context, const char *bytes, size_t size);
    void (*done)(void *context, const struct fetch_answer *answer); // NULL: to be cancelled
    void *context;
};

struct fetch {
    enum fetch_role role;
    int socket; // -1: the process has ended for good
    struct loop_source *answers, *timer;
    uint32_t newest;
    uint64_t begins; // of the process
    struct job jobs[FETCH_MAX_JOBS];
};

static const char *const names[] = {[FETCH_URLS] = "fetch", [FETCH_COMMANDS] = "hooks"};

static void run(void *context);

// Waits for answers. Returns false when memory runs out.
static bool listen_to(struct fetch *fetch, struct loop *loop)
{
    fetch->answers = loop_add_descriptor(loop, fetch->socket, run, fetch);
    fetch->timer = loop_add_timer(loop, 0, run, fetch);
    return fetch->answers != NULL && fetch->timer != NULL;
}

struct fetch *fetch_start(struct loop *loop, enum fetch_role role, const uint16_t *ports,
                          int port_count, char *error, size_t capacity)
{
    int sockets[2];
    struct fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    fetch->role = role;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets) != 0) {
        snprintf(error, capacity, "cannot create a socket: %s", strerror(errno));
        free(fetch);
        return NULL;
    }
    fetch->socket = sockets[0];
    const bool good =
        listen_to(fetch, loop) && fetch_process_start(role, ports, port_count, sockets[1]);
    if (!good)
        snprintf(error, capacity, "cannot start a process: %s", strerror(errno));
    close(sockets[1]);
    if (good)
        return fetch;
    fetch_close(fetch);
    return NULL;
}

static void clear(struct job *job)
{
    free(text_buffer_take(&job->out));
    free(text_buffer_take(&job->in));
    *job = (struct job){0};
}

void fetch_close(struct fetch *fetch)
{
    if (fetch == NULL)
        return;
    for (int i = 0; i < FETCH_MAX_JOBS; i++)
        clear(&fetch->jobs[i]);
    loop_remove(fetch->answers);
    loop_remove(fetch->timer);
    if (fetch->socket >= 0)
        close(fetch->socket);
    free(fetch);
}

static void end(struct job *job, const struct fetch_answer *answer)
{
    struct job ended = *job;
    const bool is_sent_in_part = job->sent > 0 && job->sent < job->out.size;
    // The process must forget a part of a request. Otherwise `done` may begin a job in this place.
    *job = is_sent_in_part ? (struct job){.number = ended.number, .due_ms = LOOP_NEVER}
                           : (struct job){0};
    if (ended.done != NULL)
        ended.done(ended.context, answer);
    clear(&ended);
}

static void fail(struct job *job, const char *reason)
{
    struct fetch_answer answer = {.body = ""};
    snprintf(answer.reason, sizeof answer.reason, "%s", reason);
    end(job, &answer);
}

static bool has_packets(const struct job *job)
{
    return job->number != 0 && (job->sent < job->out.size || job->done == NULL);
}

// Sends packets of a request, or that it is cancelled. Returns false if the socket takes no more.
static bool send_packets(const struct fetch *fetch, struct job *job)
{
    struct fetch_packet packet = {.job = job->number, .is_last = 1};
    if (job->done == NULL) {
        if (send(fetch->socket, &packet, FETCH_PACKET_HEAD_BYTES, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            return false;
        clear(job);
    }
    while (job->sent < job->out.size) {
        const size_t left = job->out.size - job->sent;
        const size_t size = left < FETCH_PACKET_BYTES ? left : FETCH_PACKET_BYTES;
        packet.is_last = size == left;
        memcpy(packet.bytes, job->out.text + job->sent, size);
        if (send(fetch->socket, &packet, FETCH_PACKET_HEAD_BYTES + size,
                 MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            return false;
        job->sent += size;
    }
    return true;
}

static void send_all(struct fetch *fetch)
{
    for (int i = 0; i < FETCH_MAX_JOBS && fetch->socket >= 0; i++)
        if (has_packets(&fetch->jobs[i]) && !send_packets(fetch, &fetch->jobs[i]))
            return;
}

// Sets the timer to the deadline of the first job that has one, and to the next attempt to send.
static void set_timer(struct fetch *fetch)
{
    uint64_t due_ms = LOOP_NEVER;
    for (int i = 0; i < FETCH_MAX_JOBS; i++) {
        const struct job *job = &fetch->jobs[i];
        if (job->number == 0)
            continue;
        const uint64_t retry_ms = has_packets(job) ? monotonic_ms() + RETRY_MS : LOOP_NEVER;
        const uint64_t next_ms = retry_ms < job->due_ms ? retry_ms : job->due_ms;
        due_ms = next_ms < due_ms ? next_ms : due_ms;
    }
    loop_set_timer(fetch->timer, due_ms);
}

uint32_t fetch_begin(struct fetch *fetch, const struct fetch_request *request,
                     void (*done)(void *context, const struct fetch_answer *answer), void *context)
{
    assert((request->method == NULL) == (fetch->role == FETCH_COMMANDS));
    assert((request->take == NULL) == (request->deadline_ms > 0));
    int index = 0;
    while (index < FETCH_MAX_JOBS && fetch->jobs[index].number != 0)
        index++;
    if (index == FETCH_MAX_JOBS || fetch->socket < 0 || request->body_bytes > FETCH_MAX_BODY_BYTES)
        return 0;
    struct job *job = &fetch->jobs[index];
    fetch->newest = fetch->newest < UINT32_MAX ? fetch->newest + 1 : 1;
    *job = (struct job){.number = fetch->newest,
                        .max_bytes = request->max_bytes + FETCH_ANSWER_HEAD_BYTES,
                        .due_ms = request->take != NULL
                                      ? LOOP_NEVER
                                      : monotonic_ms() + request->deadline_ms + LATE_MS,
                        .take = request->take,
                        .done = done,
                        .context = context};
    fetch_message_write_request(&job->out, request);
    if (job->out.no_memory) {
        clear(job);
        return 0;
    }
    send_packets(fetch, job);
    set_timer(fetch);
    return job->number;
}

static struct job *find(struct fetch *fetch, uint32_t number)
{
    for (int i = 0; i < FETCH_MAX_JOBS && number != 0; i++)
        if (fetch->jobs[i].number == number)
            return &fetch->jobs[i];
    return NULL;
}

void fetch_cancel(struct fetch *fetch, uint32_t number)
{
    struct job *job = find(fetch, number);
    if (job == NULL)
        return;
    job->done = NULL; // what comes of it is ignored
    job->due_ms = LOOP_NEVER;
    send_packets(fetch, job);
    set_timer(fetch);
}

// The process has begun again: it knows of nothing that it was asked.
static void note_begin(struct fetch *fetch)
{
    if (fetch->begins++ == 0)
        return;
    log_warning("process died name=\"raimd: %s\"; raimd started it again", names[fetch->role]);
    for (int i = 0; i < FETCH_MAX_JOBS; i++)
        if (fetch->jobs[i].number != 0)
            fail(&fetch->jobs[i], "the process died");
}

static void take_packet(struct fetch *fetch, const struct fetch_packet *packet, size_t size)
{
    struct job *job = find(fetch, packet->job);
    struct fetch_answer answer;
    if (packet->job == 0)
        note_begin(fetch);
    if (job == NULL || job->done == NULL)
        return; // cancelled
    if (job->take != NULL && !packet->is_last) {
        job->take(job->context, packet->bytes, size);
        return;
    }
    text_buffer_add(&job->in, packet->bytes, size);
    if (job->in.no_memory || job->in.size > job->max_bytes)
        fail(job, job->in.no_memory ? "out of memory" : "the answer is too long");
    else if (packet->is_last && job->in.text != NULL &&
             fetch_message_read_answer(job->in.text, job->in.size, &answer))
        end(job, &answer);
    else if (packet->is_last)
        fail(job, "the answer is malformed");
}

static void end_all(struct fetch *fetch)
{
    log_error("process ended name=\"raimd: %s\": restart raimd to start it again",
              names[fetch->role]);
    loop_remove(fetch->answers);
    fetch->answers = NULL;
    close(fetch->socket);
    fetch->socket = -1;
    for (int i = 0; i < FETCH_MAX_JOBS; i++)
        if (fetch->jobs[i].number != 0)
            fail(&fetch->jobs[i], "the process has ended");
    for (int i = 0; i < FETCH_MAX_JOBS; i++)
        clear(&fetch->jobs[i]);
}

static void run(void *context)
{
    struct fetch *fetch = context;
    struct fetch_packet packet;
    for (int i = 0; i < PACKETS_PER_RUN && fetch->socket >= 0; i++) {
        const ssize_t size = recv(fetch->socket, &packet, sizeof packet, MSG_DONTWAIT);
        if (size < 0)
            break;
        if (size == 0)
            end_all(fetch);
        else if ((size_t)size >= FETCH_PACKET_HEAD_BYTES)
            take_packet(fetch, &packet, (size_t)size - FETCH_PACKET_HEAD_BYTES);
    }
    send_all(fetch);
    const uint64_t now_ms = monotonic_ms();
    for (int i = 0; i < FETCH_MAX_JOBS; i++)
        if (fetch->jobs[i].number != 0 && now_ms >= fetch->jobs[i].due_ms)
            fail(&fetch->jobs[i], "no answer in time");
    set_timer(fetch);
}

uint64_t fetch_deaths(const struct fetch *fetch)
{
    return fetch->begins > 0 ? fetch->begins - 1 : 0;
}
