// SPDX-License-Identifier: MIT
// Makes calls to an SDK server of Agones with raimd's own client, for its conformance test:
// agones_call PORT [METHOD PATH BODY]... prints the status of each call, one a line; with the
// method WATCH it waits for an update. A BODY of "-" stands for none.
#include "agones_client.h"
#include "fetch.h"
#include "fetch_process.h"
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_MS = 20, STEPS = 250 };

struct heard {
    bool is_done;
    unsigned status;
};

static void hear_answer(void *context, const struct agones_client_answer *answer)
{
    *(struct heard *)context = (struct heard){.is_done = true, .status = answer->status};
}

static void hear_update(void *context, const struct gameserver *gameserver)
{
    *(struct heard *)context =
        (struct heard){.is_done = true, .status = gameserver != NULL ? 200 : 0};
}

int main(int argc, char **argv)
{
    char error[256] = "out of memory";
    struct heard heard;
    const struct agones_client_events events = {
        .context = &heard, .answer = hear_answer, .update = hear_update};
    if (fetch_process_is(argc, argv))
        fetch_process_main(argc, argv);
    if (argc < 2 || (argc - 2) % 3 != 0)
        return 64;
    const uint16_t port = (uint16_t)atoi(argv[1]);
    struct loop *loop = loop_create();
    struct fetch *fetch =
        loop != NULL ? fetch_start(loop, FETCH_URLS, &port, 1, error, sizeof error) : NULL;
    struct agones_client *client =
        fetch != NULL ? agones_client_create(fetch, port, &events) : NULL;
    if (client == NULL) {
        fprintf(stderr, "agones_call: %s\n", error);
        return EXIT_FAILURE;
    }
    for (int i = 2; i < argc; i += 3) {
        const bool is_watch = strcmp(argv[i], "WATCH") == 0;
        const struct agones_request request = {
            .kind = is_watch ? AGONES_WATCH : AGONES_LABEL,
            .method = is_watch ? "GET" : argv[i],
            .path = is_watch ? "/watch/gameserver" : argv[i + 1],
            .body = strcmp(argv[i + 2], "-") == 0 ? NULL : argv[i + 2],
        };
        heard = (struct heard){0};
        heard.is_done = !agones_client_send(client, &request);
        for (int step = 0; step < STEPS && !heard.is_done; step++)
            loop_wait(loop, STEP_MS);
        printf("%u\n", heard.status);
    }
    agones_client_destroy(client);
    fetch_close(fetch);
    loop_destroy(loop);
    return EXIT_SUCCESS;
}
