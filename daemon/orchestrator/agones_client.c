// SPDX-License-Identifier: MIT
// Talks to Agones' SDK server with libcurl's multi interface.
#define _GNU_SOURCE
#include "agones_client.h"

#include "mailbox.h"

#include <curl/curl.h>

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    REQUESTS = 4, // capacity of the mailbox: a request and a watch, and one more
    UPDATES = 16, // capacity of the other: updates that the main thread has not taken
    CONNECT_MS = 1000,
    ANSWER_MS = 3000,
    IDLE_MS = 1000,                   // of a poll without an event
    ANSWER_BYTES_PER_S = 1024 * 1024, // an object of the greatest size arrives in time
    WATCH_BYTES_PER_S = 256 * 1024,   // a flood of updates costs little
    HEADER_BYTES = 64 * 1024,         // of an answer with its trailers, which libcurl keeps
    RECEIVE_BYTES = 4096,             // at once
    PAUSE_NS = 5000000, // between two rounds of receiving: what is no text, such as the
                        // extensions of chunks, is not limited by libcurl's rates
    URL_BYTES = 256,
};

// A message from the main thread, with the answer.
struct exchange {
    enum agones_kind kind;
    char method[8];
    char url[URL_BYTES];
    char *body; // owned; NULL: none
    struct agones_client_answer answer;
};

// A message to the main thread.
struct update {
    struct gameserver *gameserver; // NULL: the stream has ended
};

// One of the two transfers.
struct transfer {
    CURL *curl;
    bool is_running;
    size_t header_bytes; // received
    char error[CURL_ERROR_SIZE];
};

struct agones_client {
    uint16_t port;
    struct mailbox requests; // sender: the main thread
    struct mailbox updates;  // sender: the client's thread
    const struct wakeup *wakeup;
    CURLM *multi;
    pthread_t thread;
    bool is_started;
    _Atomic bool is_stopping;

    // The thread's.
    struct curl_slist *headers;
    struct transfer request, watch;
    struct exchange *exchange; // under way; NULL: none
    char *text;                // its answer
    size_t size;
    struct gameserver_stream stream;
    struct gameserver *newest; // an update that found no room
    bool has_ended;            // and an end that found none
};

// --- Crossings ---

static void wake_main(const struct agones_client *client)
{
    if (client->wakeup != NULL)
        wakeup_signal(client->wakeup);
}

// Passes on what waits for arena. Of updates that find none only the newest is kept: each is whole.
static void pass_updates(struct agones_client *client)
{
    const bool has_any = client->newest != NULL || client->has_ended;
    while (mailbox_completed(&client->updates) != NULL)
        mailbox_release(&client->updates);
    while (client->newest != NULL || client->has_ended) {
        struct update *update = mailbox_reserve(&client->updates);
        if (update == NULL)
            return;
        update->gameserver = client->newest;
        if (client->newest == NULL)
            client->has_ended = false;
        client->newest = NULL;
        mailbox_submit(&client->updates);
    }
    if (has_any)
        wake_main(client);
}

static void deliver(struct agones_client *client, struct gameserver *gameserver)
{
    gameserver_free(client->newest);
    client->newest = gameserver;
    pass_updates(client);
}

// --- The watch ---

static void end_watch(struct agones_client *client)
{
    if (!client->watch.is_running)
        return;
    curl_multi_remove_handle(client->multi, client->watch.curl);
    client->watch.is_running = false;
    gameserver_stream_clear(&client->stream);
}

// Takes bytes of the stream. Returning less than `count` ends the transfer.
static size_t read_watch(char *bytes, size_t one, size_t count, void *context)
{
    struct agones_client *client = context;
    const char *line, *problem;
    size_t taken = 0, line_size;
    (void)one;
    while (taken < count) {
        const size_t size = gameserver_stream_take(&client->stream, bytes + taken, count - taken,
                                                   &line, &line_size);
        if (size == 0)
            return 0;
        taken += size;
        if (line == NULL || line_size == 0)
            continue;
        struct gameserver *gameserver = gameserver_parse(line, line_size, &problem);
        if (gameserver == NULL)
            return 0;
        deliver(client, gameserver);
    }
    return count;
}

// --- Requests ---

static size_t read_answer(char *bytes, size_t one, size_t count, void *context)
{
    struct agones_client *client = context;
    (void)one;
    if (count > GAMESERVER_MAX_BYTES - client->size)
        return 0;
    char *text = realloc(client->text, client->size + count);
    if (text == NULL)
        return 0;
    client->text = text;
    memcpy(text + client->size, bytes, count);
    client->size += count;
    return count;
}

static size_t read_header(char *bytes, size_t one, size_t count, void *context)
{
    struct transfer *transfer = context;
    (void)bytes, (void)one;
    transfer->header_bytes += count;
    return transfer->header_bytes <= HEADER_BYTES ? count : 0;
}

static void set_up(const struct agones_client *client, struct transfer *transfer,
                   curl_write_callback read, curl_off_t bytes_per_s)
{
    CURL *curl = transfer->curl;
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->error);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); // whatever the environment says
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_MAX_RECV_SPEED_LARGE, bytes_per_s);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, client->headers);
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, read_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, read);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, client);
}

static void finish_request(struct agones_client *client, CURLcode code)
{
    struct exchange *exchange = client->exchange;
    struct agones_client_answer *answer = &exchange->answer;
    const char *problem;
    long status = 0;
    *answer = (struct agones_client_answer){.kind = exchange->kind, .count = -1};
    if (code == CURLE_OK)
        curl_easy_getinfo(client->request.curl, CURLINFO_RESPONSE_CODE, &status);
    answer->status = status > 0 ? (unsigned)status : 0;
    if (status == 200 && exchange->kind == AGONES_GAMESERVER)
        answer->gameserver = gameserver_parse(client->text, client->size, &problem);
    if (status == 200 && exchange->kind == AGONES_AUDIT &&
        !gameserver_parse_counter(client->text, client->size, &answer->count))
        answer->count = -1;
    if (status > 0 && status != 200)
        gameserver_parse_problem(client->text, client->size, answer->problem,
                                 sizeof answer->problem);
    curl_multi_remove_handle(client->multi, client->request.curl);
    client->request.is_running = false;
    free(client->text);
    client->text = NULL;
    client->size = 0;
    free(exchange->body);
    exchange->body = NULL;
    client->exchange = NULL;
    mailbox_complete(&client->requests);
    wake_main(client);
}

static void begin_request(struct agones_client *client, struct exchange *exchange)
{
    CURL *curl = client->request.curl;
    client->exchange = exchange;
    curl_easy_setopt(curl, CURLOPT_URL, exchange->url);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)ANSWER_MS);
    if (exchange->body != NULL) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)strlen(exchange->body));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, exchange->body);
    } else {
        curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    }
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, exchange->method);
    client->request.is_running = true;
    client->request.header_bytes = 0;
    if (curl_multi_add_handle(client->multi, curl) != CURLM_OK)
        finish_request(client, CURLE_OUT_OF_MEMORY);
}

static void begin_watch(struct agones_client *client, struct exchange *exchange)
{
    end_watch(client);
    curl_easy_setopt(client->watch.curl, CURLOPT_URL, exchange->url);
    // A connection of its own each time, so that an earlier stream cannot come first.
    curl_easy_setopt(client->watch.curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(client->watch.curl, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(client->watch.curl, CURLOPT_TCP_KEEPALIVE, 1L);
    client->watch.is_running = true;
    client->watch.header_bytes = 0;
    if (curl_multi_add_handle(client->multi, client->watch.curl) != CURLM_OK) {
        client->watch.is_running = false;
        client->has_ended = true;
        pass_updates(client);
    }
    mailbox_complete(&client->requests);
}

static void begin_next(struct agones_client *client)
{
    struct exchange *exchange;
    while (client->exchange == NULL && (exchange = mailbox_peek(&client->requests)) != NULL) {
        if (exchange->kind == AGONES_WATCH)
            begin_watch(client, exchange);
        else
            begin_request(client, exchange);
    }
}

// --- The thread ---

static void finish_transfers(struct agones_client *client)
{
    const CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE)
            continue;
        if (message->easy_handle == client->request.curl) {
            finish_request(client, message->data.result);
        } else {
            end_watch(client);
            client->has_ended = true;
            pass_updates(client);
        }
    }
}

void agones_client_run(struct agones_client *client, int timeout_ms)
{
    int running;
    pass_updates(client);
    begin_next(client);
    curl_multi_perform(client->multi, &running);
    finish_transfers(client);
    if (mailbox_peek(&client->requests) == NULL || client->exchange != NULL)
        curl_multi_poll(client->multi, NULL, 0, timeout_ms, NULL);
}

static void *run_thread(void *context)
{
    struct agones_client *client = context;
    const struct sched_param none = {0};
    pthread_setname_np(pthread_self(), "raimd-agones");
    sched_setscheduler(0, SCHED_BATCH, &none); // a wake-up does not preempt a tick: sched(7)
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    while (!client->is_stopping) {
        agones_client_run(client, IDLE_MS);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

bool agones_client_start(struct agones_client *client, const struct wakeup *wakeup)
{
    client->wakeup = wakeup;
    errno = pthread_create(&client->thread, NULL, run_thread, client);
    client->is_started = errno == 0;
    return client->is_started;
}

// --- The main thread's side ---

bool agones_client_send(struct agones_client *client, const struct agones_request *request)
{
    struct exchange *exchange = mailbox_reserve(&client->requests);
    // A completed watch has no answer; agones_client_take_answer releases it when it meets it.
    if (exchange == NULL)
        return false;
    *exchange = (struct exchange){.kind = request->kind};
    snprintf(exchange->method, sizeof exchange->method, "%s", request->method);
    snprintf(exchange->url, sizeof exchange->url, "http://127.0.0.1:%u%s", client->port,
             request->path);
    if (request->body != NULL && (exchange->body = strdup(request->body)) == NULL)
        return false;
    mailbox_submit(&client->requests);
    curl_multi_wakeup(client->multi);
    return true;
}

bool agones_client_take_answer(struct agones_client *client, struct agones_client_answer *answer)
{
    const struct exchange *exchange;
    while ((exchange = mailbox_completed(&client->requests)) != NULL) {
        const bool is_answer = exchange->kind != AGONES_WATCH;
        if (is_answer)
            *answer = exchange->answer;
        mailbox_release(&client->requests);
        if (is_answer)
            return true;
    }
    return false;
}

bool agones_client_take_update(struct agones_client *client, struct gameserver **gameserver)
{
    struct update *update = mailbox_peek(&client->updates);
    if (update == NULL)
        return false;
    *gameserver = update->gameserver;
    mailbox_complete(&client->updates);
    return true;
}

// --- Lifetime ---

struct agones_client *agones_client_create(uint16_t port, char *error, size_t capacity)
{
    struct agones_client *client = calloc(1, sizeof *client);
    snprintf(error, capacity, "out of memory");
    if (client == NULL)
        return NULL;
    client->port = port;
    // No TLS: its library need not be initialised.
    if (curl_global_init(CURL_GLOBAL_NOTHING) != CURLE_OK) {
        snprintf(error, capacity, "libcurl cannot be initialised");
        free(client);
        return NULL;
    }
    client->multi = curl_multi_init();
    client->request.curl = curl_easy_init();
    client->watch.curl = curl_easy_init();
    client->headers = curl_slist_append(NULL, "Content-Type: application/json");
    if (client->multi == NULL || client->request.curl == NULL || client->watch.curl == NULL ||
        client->headers == NULL ||
        !mailbox_create(&client->requests, REQUESTS, sizeof(struct exchange)) ||
        !mailbox_create(&client->updates, UPDATES, sizeof(struct update))) {
        agones_client_destroy(client);
        return NULL;
    }
    set_up(client, &client->request, read_answer, ANSWER_BYTES_PER_S);
    set_up(client, &client->watch, read_watch, WATCH_BYTES_PER_S);
    return client;
}

// Frees the messages that were not taken. The client's thread has ended.
static void drop_messages(struct agones_client *client)
{
    struct agones_client_answer answer;
    struct gameserver *gameserver;
    struct exchange *exchange;
    while (client->requests.messages != NULL && agones_client_take_answer(client, &answer))
        gameserver_free(answer.gameserver);
    while (client->requests.messages != NULL &&
           (exchange = mailbox_peek(&client->requests)) != NULL) {
        free(exchange->body);
        mailbox_complete(&client->requests);
    }
    while (client->updates.messages != NULL && agones_client_take_update(client, &gameserver))
        gameserver_free(gameserver);
}

void agones_client_destroy(struct agones_client *client)
{
    if (client == NULL)
        return;
    if (client->is_started) {
        client->is_stopping = true;
        curl_multi_wakeup(client->multi);
        pthread_join(client->thread, NULL);
    }
    end_watch(client);
    if (client->request.is_running)
        curl_multi_remove_handle(client->multi, client->request.curl);
    drop_messages(client);
    gameserver_free(client->newest);
    free(client->text);
    curl_easy_cleanup(client->request.curl);
    curl_easy_cleanup(client->watch.curl);
    curl_multi_cleanup(client->multi);
    curl_slist_free_all(client->headers);
    mailbox_destroy(&client->requests);
    mailbox_destroy(&client->updates);
    curl_global_cleanup();
    free(client);
}
