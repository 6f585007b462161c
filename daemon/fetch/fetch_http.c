// SPDX-License-Identifier: MIT
// Transfers of libcurl's multi interface. What runs out of memory ends the process, which is
// started again.
#define _GNU_SOURCE
#include "fetch_http.h"

#include "text_buffer.h"

#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    CONNECT_MS = 5000,
    WAIT_MS = 1000,
    HEADER_BYTES = 64 * 1024, // of an answer with its trailers, which libcurl keeps
    RECEIVE_BYTES = 16384,
    PAUSE_US = 1000, // between two rounds: what is no body, such as the extensions of chunks, is
                     // not bounded by the length of the answer
};

struct transfer {
    uint32_t job;
    CURL *curl;
    struct fetch_request request;
    char *text; // holds the strings of `request`
    struct curl_slist *headers;
    struct text_buffer body;
    size_t header_bytes;
    bool is_too_long;
    char etag[FETCH_ETAG_BYTES];
    char error[CURL_ERROR_SIZE];
};

static CURLM *multi;
static struct transfer *transfers[FETCH_MAX_JOBS];
static void (*report)(uint32_t job, const struct fetch_answer *answer);
static void (*report_piece)(uint32_t job, const char *bytes, size_t size);

static void *check(void *memory)
{
    if (memory == NULL)
        _exit(EXIT_FAILURE);
    return memory;
}

// The transfer of a job; 0: a free place. NULL: there is none.
static struct transfer **find(uint32_t job)
{
    for (int i = 0; i < FETCH_MAX_JOBS; i++)
        if (job == (transfers[i] != NULL ? transfers[i]->job : 0))
            return &transfers[i];
    return NULL;
}

void fetch_http_open(void (*answer)(uint32_t job, const struct fetch_answer *answer),
                     void (*piece)(uint32_t job, const char *bytes, size_t size))
{
    report = answer;
    report_piece = piece;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = check(curl_multi_init());
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)FETCH_MAX_JOBS);
}

static size_t read_body(char *bytes, size_t one, size_t count, void *context)
{
    struct transfer *transfer = context;
    (void)one;
    if (transfer->request.deadline_ms == 0) {
        report_piece(transfer->job, bytes, count);
        return count;
    }
    if (transfer->body.size + count > transfer->request.max_bytes) {
        transfer->is_too_long = true;
        return 0;
    }
    text_buffer_add(&transfer->body, bytes, count);
    return transfer->body.no_memory ? 0 : count;
}

static size_t read_header(char *bytes, size_t one, size_t count, void *context)
{
    struct transfer *transfer = context;
    static const char name[] = "etag:";
    const size_t length = sizeof name - 1;
    (void)one;
    transfer->header_bytes += count;
    if (transfer->header_bytes > HEADER_BYTES) {
        transfer->is_too_long = true;
        return 0;
    }
    if (count <= length || strncasecmp(bytes, name, length) != 0)
        return count;
    size_t begin = length, end = count;
    while (begin < end && bytes[begin] == ' ')
        begin++;
    while (end > begin && (bytes[end - 1] == '\r' || bytes[end - 1] == '\n'))
        end--;
    bool is_printable = end - begin < FETCH_ETAG_BYTES;
    for (size_t i = begin; i < end; i++)
        is_printable = is_printable && bytes[i] >= 0x20 && bytes[i] <= 0x7e;
    transfer->etag[0] = '\0';
    if (is_printable)
        snprintf(transfer->etag, sizeof transfer->etag, "%.*s", (int)(end - begin), bytes + begin);
    return count;
}

static void add_header(struct transfer *transfer, const char *line)
{
    transfer->headers = check(curl_slist_append(transfer->headers, line));
}

static void add_headers(struct transfer *transfer)
{
    char line[1024];
    add_header(transfer, "Expect:"); // no 100-continue
    for (const char *at = transfer->request.headers; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        add_header(transfer, line);
        at += length + (at[length] != '\0');
    }
}

void fetch_http_begin(uint32_t job, const struct fetch_request *request, char *text)
{
    struct transfer *transfer = check(calloc(1, sizeof *transfer));
    struct transfer **place = check(find(0)); // NULL: raimd begins more than it may
    CURL *curl = check(curl_easy_init());
    *transfer = (struct transfer){.job = job, .curl = curl, .request = *request, .text = text};
    *place = transfer;
    add_headers(transfer);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->error);
    curl_easy_setopt(curl, CURLOPT_URL, request->target);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); // the end does not wait for a slow resolver
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "raimd/" RAIM_VERSION);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)request->deadline_ms);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, read_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, read_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer);
    if (request->deadline_ms == 0) {
        // A separate connection, so that an earlier stream cannot come first.
        curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
        curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
        curl_easy_setopt(curl, CURLOPT_MAX_RECV_SPEED_LARGE, (curl_off_t)FETCH_STREAM_BYTES_PER_S);
    }
    if (strcmp(request->method, "GET") != 0) {
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_bytes);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    }
    curl_multi_add_handle(multi, curl);
}

// Writes why a transfer failed, as printable text on one line.
static void explain(const struct transfer *transfer, CURLcode code, char *reason)
{
    const char *text = transfer->is_too_long     ? "the answer is too long"
                       : transfer->error[0] != 0 ? transfer->error
                                                 : curl_easy_strerror(code);
    snprintf(reason, FETCH_REASON_BYTES, "%s", text);
    for (char *at = reason; *at != '\0'; at++)
        if (*at < 0x20 || *at > 0x7e)
            *at = '?';
}

static void end(struct transfer **place)
{
    struct transfer *transfer = *place;
    *place = NULL;
    curl_multi_remove_handle(multi, transfer->curl);
    curl_easy_cleanup(transfer->curl);
    curl_slist_free_all(transfer->headers);
    free(text_buffer_take(&transfer->body));
    free(transfer->text);
    free(transfer);
}

void fetch_http_cancel(uint32_t job)
{
    struct transfer **place = job != 0 ? find(job) : NULL;
    if (place != NULL)
        end(place);
}

static void conclude(CURL *curl, CURLcode code)
{
    struct transfer *transfer = NULL;
    long status = 0;
    struct fetch_answer answer = {.is_good = code == CURLE_OK};
    curl_easy_getinfo(curl, CURLINFO_PRIVATE, &transfer);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    answer.status = status >= 0 && status <= 999 ? (unsigned)status : 0;
    if (answer.is_good) {
        answer.body = transfer->body.text != NULL ? transfer->body.text : "";
        answer.body_bytes = transfer->body.size;
        memcpy(answer.etag, transfer->etag, sizeof answer.etag);
    } else {
        answer.body = "";
        explain(transfer, code, answer.reason);
    }
    report(transfer->job, &answer);
    end(find(transfer->job));
}

void fetch_http_wait(int descriptor)
{
    struct curl_waitfd wait = {.fd = descriptor, .events = CURL_WAIT_POLLIN};
    int running, left;
    curl_multi_perform(multi, &running);
    for (const CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;)
        if (message->msg == CURLMSG_DONE)
            conclude(message->easy_handle, message->data.result);
    curl_multi_poll(multi, &wait, 1, WAIT_MS, NULL);
    if (running > 0)
        usleep(PAUSE_US);
}
