// SPDX-License-Identifier: MIT
// The API over TCP, through libmicrohttpd: any bytes of three clients, in any pieces,
// while events happen. What is answered is HTTP, and nothing is answered well without the bearer
// token.
#define _GNU_SOURCE
#include "fuzz_talk.h"

#include "control_tcp.h"
#include "event_journal.h"
#include "fuzz_arenas.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

static const char token[] = "0123456789abcdef";

static struct on_demand *on_demand;
static struct control *control;
static struct control_tcp *tcp;
static bool has_token; // somewhere in the input

static int dial(void)
{
    const struct sockaddr_in name = {.sin_family = AF_INET,
                                     .sin_port = htons(control_tcp_port(tcp)),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int rejected = connect(made, (const struct sockaddr *)&name, sizeof name);
    assert(rejected == 0 || errno == EINPROGRESS);
    return made;
}

static void command(uint8_t command)
{
    const unsigned count = command == 'E' ? EVENT_JOURNAL_MAX + 1 : 1;
    for (unsigned i = 0; i < count; i++)
        event_journal_add(on_demand_events(on_demand), "arena_ready", strdup("{\"id\":\"x\"}"));
}

static void hear(int status, const char *method)
{
    (void)method;
    assert(status < 200 || status >= 300 || has_token);
    assert(status != 201); // there are no templates
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[512];
    struct config_control config = {.listen = {.is_on = true, .address = "127.0.0.1"}};
    strcpy(config.token, token);
    fuzz_make_arenas();
    fuzz_fleet.config = fuzz_config;
    fuzz_talk_begin();
    has_token = memmem(data, size, token, strlen(token)) != NULL;
    on_demand = on_demand_open(fuzz_talk_loop, &fuzz_fleet, error, sizeof error);
    control = on_demand != NULL
                  ? control_open(fuzz_talk_loop, "off", &fuzz_fleet, on_demand, error, sizeof error)
                  : NULL;
    tcp = control != NULL
              ? control_tcp_open(fuzz_talk_loop, &config, control, NULL, error, sizeof error)
              : NULL;
    assert(tcp != NULL);
    const struct fuzz_server server = {.dial = dial, .command = command, .hear = hear};
    fuzz_talk(&server, data, size);
    control_end(control);
    control_tcp_close(tcp);
    fuzz_empty_mailboxes();
    control_close(control);
    fuzz_talk_end();
    on_demand_close(on_demand);
    return 0;
}
