// SPDX-License-Identifier: MIT
// Makes HTTP requests of Agones' requests, and reads their answers.
#define _GNU_SOURCE
#include "agones_client.h"

#include "fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MS = 3000, URL_BYTES = 256 };

struct agones_client {
    struct fetch *fetch;
    uint16_t port;
    struct agones_client_events events;
    enum agones_kind kind; // of the request that is under way
    uint32_t request, watch;
    struct gameserver_stream stream; // of the watch
};

static void end_watch(struct agones_client *client)
{
    fetch_cancel(client->fetch, client->watch);
    client->watch = 0;
    gameserver_stream_clear(&client->stream);
}

static void note_watch_end(void *context, const struct fetch_answer *answer)
{
    struct agones_client *client = context;
    (void)answer;
    end_watch(client);
    client->events.update(client->events.context, NULL);
}

static void take_watch(void *context, const char *bytes, size_t size)
{
    struct agones_client *client = context;
    const char *line, *problem;
    size_t line_size;
    while (size > 0) {
        const size_t taken =
            gameserver_stream_take(&client->stream, bytes, size, &line, &line_size);
        bytes += taken;
        size -= taken;
        if (taken > 0 && (line == NULL || line_size == 0))
            continue;
        struct gameserver *gameserver =
            taken > 0 ? gameserver_parse(line, line_size, &problem) : NULL;
        if (gameserver == NULL) {
            note_watch_end(client, NULL);
            return;
        }
        client->events.update(client->events.context, gameserver);
        gameserver_free(gameserver);
    }
}

static void take_answer(void *context, const struct fetch_answer *from)
{
    struct agones_client *client = context;
    struct agones_client_answer answer = {.kind = client->kind, .count = -1};
    struct gameserver *gameserver = NULL;
    const char *problem;
    client->request = 0;
    answer.status = from->is_good ? from->status : 0;
    if (answer.status == 200 && answer.kind == AGONES_GAMESERVER)
        gameserver = gameserver_parse(from->body, from->body_bytes, &problem);
    if (answer.status == 200 && answer.kind == AGONES_AUDIT &&
        !gameserver_parse_counter(from->body, from->body_bytes, &answer.count))
        answer.count = -1;
    if (answer.status > 0 && answer.status != 200)
        gameserver_parse_problem(from->body, from->body_bytes, answer.problem,
                                 sizeof answer.problem);
    answer.gameserver = gameserver;
    client->events.answer(client->events.context, &answer);
    gameserver_free(gameserver);
}

bool agones_client_send(struct agones_client *client, const struct agones_request *request)
{
    char url[URL_BYTES];
    const bool is_watch = request->kind == AGONES_WATCH;
    const struct fetch_request wanted = {
        .method = request->method,
        .target = url,
        .headers = "Content-Type: application/json\n",
        .body = request->body,
        .body_bytes = request->body != NULL ? strlen(request->body) : 0,
        .max_bytes = GAMESERVER_MAX_BYTES,
        .deadline_ms = is_watch ? 0 : ANSWER_MS,
        .take = is_watch ? take_watch : NULL,
    };
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", client->port, request->path);
    if (is_watch) {
        end_watch(client);
        client->watch = fetch_begin(client->fetch, &wanted, note_watch_end, client);
        return client->watch != 0;
    }
    client->kind = request->kind;
    client->request = fetch_begin(client->fetch, &wanted, take_answer, client);
    return client->request != 0;
}

struct agones_client *agones_client_create(struct fetch *fetch, uint16_t port,
                                           const struct agones_client_events *events)
{
    struct agones_client *client = calloc(1, sizeof *client);
    if (client != NULL)
        *client = (struct agones_client){.fetch = fetch, .port = port, .events = *events};
    return client;
}

void agones_client_destroy(struct agones_client *client)
{
    if (client == NULL)
        return;
    end_watch(client);
    fetch_cancel(client->fetch, client->request);
    free(client);
}
