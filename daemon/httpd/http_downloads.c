// SPDX-License-Identifier: MIT
// Reads files for their downloads: each block waits in a queue until the shared rate allows it,
// with its connection suspended.
#define _GNU_SOURCE // pread, st_mtim
#include "http_downloads.h"

#include "http_answer.h"
#include "http_listener.h"
#include "loop.h"
#include "monotonic.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Kernel send buffer of a download. Without a limit it grows to megabytes for a slow client.
#define SEND_BYTES (1 << 16)

enum {
    BURST_US = 250 * 1000,  // what the shared rate saves up without downloads
    RETRY_AFTER_S = 10,     // for a client that finds too many downloads
    HEADER_BYTES = 160,     // of a header's value
    TAG_BYTES = 3 * 17 + 2, // three hexadecimal numbers and what is between and around them
};

struct download {
    struct http_downloads *all;
    struct download *next;  // in the list of all downloads
    struct download *later; // in the queue
    struct MHD_Connection *connection;
    struct http_client *client; // NULL: without a deadline
    int descriptor;
    uint64_t first, count;    // bytes of the file
    uint64_t sent;            // of these
    bool is_queued, may_read; // waits for its block, or was given it; at most one of them
};

struct http_downloads {
    struct http_downloads_def def;
    struct loop_source *timer; // to the next block
    struct download *list;
    struct download *queue, **queue_end; // those that wait for a block, in the order of asking
    uint64_t paid_us; // GCRA: when the blocks that were given out are paid for, by CLOCK_MONOTONIC
    bool is_closing;
};

static void give_blocks(void *context);

struct http_downloads *http_downloads_create(struct loop *loop,
                                             const struct http_downloads_def *def)
{
    struct http_downloads *downloads = calloc(1, sizeof *downloads);
    if (downloads == NULL)
        return NULL;
    downloads->def = *def;
    downloads->queue_end = &downloads->queue;
    downloads->timer = loop_add_timer(loop, 0, give_blocks, downloads);
    if (downloads->timer != NULL)
        return downloads;
    free(downloads);
    return NULL;
}

void http_downloads_destroy(struct http_downloads *downloads)
{
    if (downloads == NULL)
        return;
    assert(downloads->list == NULL);
    loop_remove(downloads->timer);
    free(downloads);
}

// --- The queue ---

static void enqueue(struct download *download)
{
    download->is_queued = true;
    download->later = NULL;
    *download->all->queue_end = download;
    download->all->queue_end = &download->later;
}

static void dequeue(struct download *download)
{
    struct http_downloads *all = download->all;
    struct download **link = &all->queue;
    while (*link != download)
        link = &(*link)->later;
    *link = download->later;
    if (all->queue_end == &download->later)
        all->queue_end = link;
    download->is_queued = false;
}

static bool may_give_block(const struct http_downloads *downloads, uint64_t now_us)
{
    return downloads->def.bytes_per_s == 0 || downloads->paid_us <= now_us + BURST_US;
}

static void give_block(struct download *download, uint64_t now_us)
{
    struct http_downloads *all = download->all;
    const uint64_t left = download->count - download->sent;
    const uint64_t bytes = left < HTTP_DOWNLOAD_BLOCK_BYTES ? left : HTTP_DOWNLOAD_BLOCK_BYTES;
    download->may_read = true;
    if (all->def.bytes_per_s == 0)
        return;
    if (all->paid_us < now_us)
        all->paid_us = now_us;
    all->paid_us += bytes * 1000000 / all->def.bytes_per_s;
}

static void set_timer(const struct http_downloads *downloads)
{
    uint64_t due_ms = LOOP_NEVER;
    if (downloads->queue != NULL)
        due_ms = downloads->paid_us > BURST_US ? (downloads->paid_us - BURST_US) / 1000 + 1 : 0;
    loop_set_timer(downloads->timer, due_ms);
}

static void give_blocks(void *context)
{
    struct http_downloads *downloads = context;
    const uint64_t now_us = monotonic_us();
    while (downloads->queue != NULL && may_give_block(downloads, now_us)) {
        struct download *download = downloads->queue;
        dequeue(download);
        give_block(download, now_us);
        http_connection_resume(download->connection);
    }
    set_timer(downloads);
}

void http_downloads_close(struct http_downloads *downloads)
{
    downloads->is_closing = true;
    while (downloads->queue != NULL) {
        struct download *download = downloads->queue;
        dequeue(download);
        http_connection_resume(download->connection);
    }
}

// --- One download ---

static ssize_t read_block(void *context, uint64_t position, char *bytes, size_t capacity)
{
    struct download *download = context;
    const uint64_t now_us = monotonic_us();
    assert(!download->is_queued);
    if (download->all->is_closing)
        return HTTP_STREAM_BROKEN;
    download->sent = position;
    if (download->client != NULL && position > 0) // it has taken the block before
        http_client_renew(download->client, now_us / 1000);
    if (!download->may_read && download->all->queue == NULL &&
        may_give_block(download->all, now_us))
        give_block(download, now_us);
    if (!download->may_read) {
        enqueue(download);
        set_timer(download->all);
        http_connection_suspend(download->connection);
        return 0;
    }
    download->may_read = false;
    ssize_t size;
    do
        size = pread(download->descriptor, bytes, capacity, (off_t)(download->first + position));
    while (size < 0 && errno == EINTR);
    return size > 0 ? size : HTTP_STREAM_BROKEN; // an error, or a file that was cut
}

static void end_download(void *context)
{
    struct download *download = context;
    struct download **link = &download->all->list;
    if (download->is_queued)
        dequeue(download);
    while (*link != download)
        link = &(*link)->next;
    *link = download->next;
    close(download->descriptor);
    free(download);
}

// Whether one more download would be too many, in all or of this client's address.
static bool is_full(const struct http_downloads *downloads, const struct http_client *client)
{
    unsigned count = 0, of_address = 0;
    for (const struct download *other = downloads->list; other != NULL; other = other->next) {
        count++;
        of_address +=
            client != NULL && other->client != NULL && other->client->address == client->address;
    }
    return count >= downloads->def.max || of_address >= downloads->def.max_of_address;
}

// --- Answers ---

// A strong entity tag: a recording never changes once it has its name, and whatever takes its place
// has another inode or time.
static void print_tag(const struct stat *file, char tag[TAG_BYTES])
{
    const uint64_t time_ns =
        (uint64_t)file->st_mtim.tv_sec * 1000000000 + (uint64_t)file->st_mtim.tv_nsec;
    snprintf(tag, TAG_BYTES, "\"%" PRIx64 "-%" PRIx64 "-%" PRIx64 "\"", (uint64_t)file->st_ino,
             time_ns, (uint64_t)file->st_size);
}

static bool answer_too_many(struct MHD_Connection *connection)
{
    char seconds[16];
    struct MHD_Response *response =
        http_answer_constant(HTTP_JSON_TYPE, "{\"error\":\"too many downloads\"}", false);
    snprintf(seconds, sizeof seconds, "%d", RETRY_AFTER_S);
    if (response != NULL && !http_answer_add_header(response, "Retry-After", seconds)) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(connection, HTTP_UNAVAILABLE, response);
}

// The response with the selected bytes, or none. Takes the descriptor. NULL when memory runs out.
static struct MHD_Response *open_download(struct http_downloads *downloads,
                                          struct MHD_Connection *connection, int descriptor,
                                          const struct http_selection *selection)
{
    struct download *download = calloc(1, sizeof *download);
    if (download == NULL) {
        close(descriptor);
        return NULL;
    }
    *download = (struct download){.all = downloads,
                                  .next = downloads->list,
                                  .connection = connection,
                                  .client = http_connection_client(connection),
                                  .descriptor = descriptor,
                                  .first = selection->first,
                                  .count = selection->count};
    downloads->list = download;
    struct MHD_Response *response =
        http_answer_blocks("application/octet-stream", selection->count, HTTP_DOWNLOAD_BLOCK_BYTES,
                           read_block, end_download, download);
    if (response == NULL)
        return NULL;
    if (download->client != NULL) {
        http_client_stream(download->client);
        http_connection_ignore_idle(connection);
    }
    http_connection_limit_buffer(connection, SEND_BYTES);
    return response;
}

static bool add_headers(struct MHD_Response *response, const struct http_selection *selection,
                        uint64_t size, const char *tag, const char *name)
{
    char range[HEADER_BYTES], disposition[HEADER_BYTES];
    snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", name);
    if (selection->status == HTTP_PARTIAL_CONTENT)
        snprintf(range, sizeof range, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, selection->first,
                 selection->first + selection->count - 1, size);
    else
        snprintf(range, sizeof range, "bytes */%" PRIu64, size);
    const bool has_range = selection->status == HTTP_PARTIAL_CONTENT ||
                           selection->status == HTTP_RANGE_NOT_SATISFIABLE;
    return http_answer_add_header(response, "ETag", tag) &&
           http_answer_add_header(response, "Accept-Ranges", "bytes") &&
           http_answer_add_header(response, "Content-Disposition", disposition) &&
           (!has_range || http_answer_add_header(response, "Content-Range", range));
}

bool http_downloads_answer(struct http_downloads *downloads, struct MHD_Connection *connection,
                           bool is_head, int descriptor, const char *name)
{
    char tag[TAG_BYTES];
    struct stat file;
    if (is_full(downloads, http_connection_client(connection))) {
        close(descriptor);
        return answer_too_many(connection);
    }
    if (fstat(descriptor, &file) < 0) {
        close(descriptor);
        return false;
    }
    print_tag(&file, tag);
    const struct http_conditions conditions = {
        .is_head = is_head,
        .if_match = http_connection_header(connection, "If-Match"),
        .if_none_match = http_connection_header(connection, "If-None-Match"),
        .if_range = http_connection_header(connection, "If-Range"),
        .range = http_connection_header(connection, "Range"),
    };
    const struct http_selection selection =
        http_conditions_select(&conditions, tag, (uint64_t)file.st_size);
    struct MHD_Response *response = open_download(downloads, connection, descriptor, &selection);
    if (response != NULL && !add_headers(response, &selection, (uint64_t)file.st_size, tag, name)) {
        http_answer_release(response);
        return false;
    }
    return http_answer_send_once(connection, selection.status, response);
}
