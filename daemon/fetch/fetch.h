// SPDX-License-Identifier: MIT
// What raimd asks of others' servers and programs: HTTP requests and commands. A separate process
// does it, "raimd: fetch" or "raimd: hooks", which is started before the sandbox is entered and
// has neither the memory nor the descriptors of raimd; what a stranger's answer or a command does
// to it costs raimd nothing but that answer. A process that dies is started again by its parent,
// which does nothing else; what it had to do then fails. It ends when raimd does.
// Nothing here blocks. Thread rule: main thread only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FETCH_MAX_JOBS 8
#define FETCH_MAX_BODY_BYTES ((size_t)8 << 20) // of a request
#define FETCH_STREAM_BYTES_PER_S (256 * 1024)  // a flood costs little
#define FETCH_REASON_BYTES 256
#define FETCH_ETAG_BYTES 128

struct fetch;
struct loop;

enum fetch_role {
    FETCH_URLS,     // "raimd: fetch"
    FETCH_COMMANDS, // "raimd: hooks"
};

// Starts the process, whose answers the loop takes. Call it before any thread is started, any
// secret is read and any port is open. Of FETCH_URLS it can open TCP connections to these ports
// alone, where the kernel has Landlock of version 4; all of them must be known now. Returns NULL
// with a reason.
struct fetch *fetch_start(struct loop *loop, enum fetch_role role, const uint16_t *ports,
                          int port_count, char *error, size_t capacity);

// Takes NULL. Jobs that have not ended are not called back. The process ends what it does within
// half a second.
void fetch_close(struct fetch *fetch);

struct fetch_request {
    const char *method;  // "GET", "POST", "PUT" or "PATCH"; for a command NULL
    const char *target;  // an URL that url_read accepts; or the words of a command, separated
                         // by spaces, of which the first is its absolute path
    const char *headers; // lines, each with its line feed; NULL: none
    const void *body;    // none of a GET; or what the command reads from its standard input
    size_t body_bytes;
    size_t max_bytes;     // of the answer's body; a longer one makes the request fail
    uint32_t deadline_ms; // from now on; 0: a stream, which has neither a deadline nor a length
    // Takes a piece of a stream's body, at most FETCH_STREAM_BYTES_PER_S; may cancel the stream.
    // The answer is its end, without a body. NULL: it is no stream.
    void (*take)(void *context, const char *bytes, size_t size);
};

struct fetch_answer {
    bool is_good;                    // an answer came, or a command ended, whatever its status
    unsigned status;                 // of HTTP; or the exit status of the command
    char reason[FETCH_REASON_BYTES]; // why it failed; or the first line that a command complained
    char etag[FETCH_ETAG_BYTES];     // of an HTTP answer; "": none
    const char *body;                // valid during the call; ends in a NUL
    size_t body_bytes;
};

// Begins a request, of which nothing is borrowed. `done` is called once by the loop, unless it
// is cancelled; it may begin the next one. Redirections are not followed: they are an answer.
// Returns its number; 0 if there are too many, or when memory runs out.
uint32_t fetch_begin(struct fetch *fetch, const struct fetch_request *request,
                     void (*done)(void *context, const struct fetch_answer *answer), void *context);

// Ends a request without an answer; does nothing for a number that is 0 or done.
void fetch_cancel(struct fetch *fetch, uint32_t job);

// How often the process died.
uint64_t fetch_deaths(const struct fetch *fetch);
