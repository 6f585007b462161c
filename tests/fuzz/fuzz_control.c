// SPDX-License-Identifier: MIT
// The operator's socket, through libmicrohttpd: any bytes of three clients, in any pieces,
// while arenas answer, are late or leave. What is answered is HTTP; nothing is done but
// by POST; the list of bans stays one that can be read.
#define _GNU_SOURCE
#include "fuzz_talk.h"

#include "commands.h"
#include "control.h"
#include "fuzz_arenas.h"
#include "fuzz_file.h"
#include "status.h"
#include "store.h"

#include <sys/un.h>

static struct control *control;
static char bans_path[128], control_name[128];

static int dial(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    strcpy(name.sun_path, control_name);
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int rejected = connect(made, (const struct sockaddr *)&name, sizeof name);
    assert(rejected == 0);
    return made;
}

static void run(void)
{
    store_flush(fuzz_fleet.store);
}

static void command(uint8_t command)
{
    if (command == 'f')
        control_forget(control, fuzz_arenas[0]);
    else
        fuzz_answer(fuzz_arenas[command & 1], (command & 2) != 0);
    watchers_call(&fuzz_fleet.watchers);
}

static void hear(int status, const char *method)
{
    const bool reads = strncmp(method, "GET ", 4) == 0, acts = strncmp(method, "POST ", 5) == 0;
    assert(status != 200 || reads || acts);
}

static void clean_up(void)
{
    unlink(bans_path);
    unlink(control_name);
}

static void set_up(void)
{
    fuzz_make_directory("control");
    snprintf(bans_path, sizeof bans_path, "%s/bans", fuzz_directory);
    snprintf(control_name, sizeof control_name, "%s/socket", fuzz_directory);
    fuzz_fleet.store = store_create(fuzz_directory);
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[512];
    if (bans_path[0] == '\0')
        set_up();
    fuzz_make_arenas();
    unlink(bans_path);
    fuzz_talk_begin();
    control = control_open(fuzz_talk_loop, control_name, &fuzz_fleet, NULL, error, sizeof error);
    assert(control != NULL);
    const struct status_view view = {.list = &fuzz_fleet.running};
    commands_serve_status(control_commands(control), &view);
    const struct fuzz_server server = {.dial = dial, .run = run, .command = command, .hear = hear};
    fuzz_talk(&server, data, size);
    control_close(control);
    fuzz_talk_end();
    fuzz_empty_mailboxes();
    store_flush(fuzz_fleet.store);
    struct bans_unread unread = {0};
    struct bans *bans = bans_load(bans_path, &unread, error, sizeof error);
    assert(bans != NULL && unread.lines == 0);
    free(bans);
    return 0;
}
