// SPDX-License-Identifier: MIT
// Makes calls to an SDK server of Agones with raimd's own client, for its conformance test:
// agones_call PORT [METHOD PATH BODY]... prints the status of each call, one a line; with the
// method WATCH it waits for an update. A BODY of "-" stands for none.
#include "agones_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_MS = 20, STEPS = 250 };

static unsigned call(struct agones_client *client, const struct agones_request *request)
{
    struct agones_client_answer answer = {0};
    if (!agones_client_send(client, request))
        return 0;
    for (int i = 0; i < STEPS && !agones_client_take_answer(client, &answer); i++)
        agones_client_run(client, STEP_MS);
    gameserver_free(answer.gameserver);
    return answer.status;
}

static unsigned watch(struct agones_client *client)
{
    const struct agones_request request = {
        .kind = AGONES_WATCH, .method = "GET", .path = "/watch/gameserver"};
    struct gameserver *gameserver = NULL;
    if (!agones_client_send(client, &request))
        return 0;
    for (int i = 0; i < STEPS && !agones_client_take_update(client, &gameserver); i++)
        agones_client_run(client, STEP_MS);
    const unsigned status = gameserver != NULL ? 200 : 0;
    gameserver_free(gameserver);
    return status;
}

int main(int argc, char **argv)
{
    char error[256];
    if (argc < 2 || (argc - 2) % 3 != 0)
        return 64;
    struct agones_client *client =
        agones_client_create((uint16_t)atoi(argv[1]), error, sizeof error);
    if (client == NULL) {
        fprintf(stderr, "agones_call: %s\n", error);
        return EXIT_FAILURE;
    }
    for (int i = 2; i < argc; i += 3) {
        const struct agones_request request = {
            .kind = AGONES_LABEL,
            .method = argv[i],
            .path = argv[i + 1],
            .body = strcmp(argv[i + 2], "-") == 0 ? NULL : argv[i + 2],
        };
        const bool is_watch = strcmp(request.method, "WATCH") == 0;
        printf("%u\n", is_watch ? watch(client) : call(client, &request));
    }
    agones_client_destroy(client);
    return EXIT_SUCCESS;
}
