// SPDX-License-Identifier: MIT
// Types what it reads into the chat of an arena, and prints what it sees.
//
//   typist HOST PORT NAME [KEYFILE]
//     Each line of the standard input is a chat line. Prints "playing", "chat NAME: TEXT",
//     "operator: TEXT", "notice: TEXT", "rejected: REASON" and "ended REASON: TEXT", until the
//     standard input ends.
#define _GNU_SOURCE
#include "link.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 1024, FRAME_MS = 5 };

static void print_event(const struct raim_client *client, const struct raim_client_event *event)
{
    const char *name = "";
    if (event->player != RAIM_NOBODY)
        name = raim_client_get_roster_entry(client, raim_player_slot(event->player))->name;
    if (event->kind == RAIM_CLIENT_CHAT && event->by_operator)
        printf("operator: %s\n", event->text);
    else if (event->kind == RAIM_CLIENT_CHAT)
        printf("chat %s: %s\n", name, event->text);
    else if (event->kind == RAIM_CLIENT_NOTICE)
        printf("notice: %s\n", event->text);
    else if (event->kind == RAIM_CLIENT_CHAT_REJECTED)
        printf("rejected: %s\n", raim_client_chat_rejection_name(event->chat_rejection));
}

// Sends the whole lines that wait on the standard input. Returns false at its end.
static bool type(struct raim_link *link)
{
    static char lines[LINE_BYTES];
    static size_t size;
    const ssize_t got = read(STDIN_FILENO, lines + size, sizeof lines - 1 - size);
    if (got == 0)
        return false;
    size += got > 0 ? (size_t)got : 0;
    lines[size] = '\0';
    for (char *end; (end = strchr(lines, '\n')) != NULL;) {
        *end = '\0';
        raim_link_send_chat(link, lines);
        size -= (size_t)(end + 1 - lines);
        memmove(lines, end + 1, size + 1);
    }
    return true;
}

static void run(struct raim_link *link)
{
    struct raim_client *client = raim_link_client(link);
    struct raim_client_event event;
    bool was_playing = false;
    const raim_input still = {.aim = 0};
    do {
        raim_link_update(link);
        while (raim_link_is_input_due(link))
            raim_link_send_input(link, &still);
        while (raim_client_next_event(client, &event))
            print_event(client, &event);
        if (!was_playing && raim_client_get_state(client) == RAIM_CLIENT_PLAYING) {
            was_playing = true;
            puts("playing");
        }
        if (raim_client_get_state(client) == RAIM_CLIENT_ENDED) {
            const struct raim_client_end end = raim_client_get_end(client);
            printf("ended %s: %s\n", raim_client_reason_name(end.reason), end.text);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = FRAME_MS * 1000000}, NULL);
    } while (!was_playing || type(link));
}

int main(int argc, char **argv)
{
    uint8_t key[RAIM_KEY_BYTES];
    struct raim_client_def def = raim_client_default_def();
    if (argc < 4 || (argc > 4 && !raim_link_read_admin_key(argv[4], key)))
        return 64;
    setvbuf(stdout, NULL, _IOLBF, 0);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    def.name = argv[3];
    def.admin_key = argc > 4 ? key : NULL;
    struct raim_link *link = raim_link_open(argv[1], (uint16_t)atoi(argv[2]), &def);
    if (link == NULL)
        return 1;
    run(link);
    raim_link_leave(link);
    raim_link_close(link);
    return 0;
}
