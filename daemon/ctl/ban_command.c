// SPDX-License-Identifier: MIT
// Asks raimd what a ban would do before it orders one.
#define _GNU_SOURCE
#include "ban_command.h"

#include "columns.h"
#include "duration.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_BYTES = 32, FROM_BYTES = 64 };

// Only an address has one of these characters, and no arena's name does.
static bool is_address(const char *word)
{
    return strpbrk(word, ".:/") != NULL;
}

static const char *word(const struct call *call, int index)
{
    return index < call->count ? call->words[index] : NULL;
}

// Copies the address from which the operator came by ssh(1); "": none.
static void read_from(char from[FROM_BYTES])
{
    const char *client = getenv("SSH_CLIENT"); // "ADDRESS PORT PORT"
    const size_t length = client != NULL ? strcspn(client, " ") : 0;
    from[0] = '\0';
    if (length < FROM_BYTES)
        snprintf(from, FROM_BYTES, "%.*s", (int)length, length > 0 ? client : "");
}

// Writes how long the ban lasts; "": until it is lifted. Returns false for wrong options.
static bool read_seconds(const struct call *call, char seconds[SECONDS_BYTES])
{
    unsigned long long count = 0;
    seconds[0] = '\0';
    if (call->duration == NULL && call->until == NULL)
        return true;
    if (call->duration != NULL && call->until != NULL)
        return false;
    if (call->duration != NULL) {
        count = duration_read(call->duration);
    } else {
        const long long left = date_read(call->until) - (long long)time(NULL);
        count = left > 0 ? (unsigned long long)left : 0;
    }
    snprintf(seconds, SECONDS_BYTES, "%llu", count);
    return count > 0;
}

// Names the players whom the ban disconnects.
static void print_players(FILE *out, const char *network, const json_t *players)
{
    size_t i;
    const json_t *player;
    const size_t count = json_array_size(players);
    fprintf(out, "%s%s disconnects %zu player%s%s", out == stderr ? "raimctl: " : "", network,
            count, count == 1 ? "" : "s", count > 0 ? ": " : "\n");
    json_array_foreach(players, i, player)
    {
        columns_write_text(out, json_string_value(json_object_get(player, "name")));
        fprintf(out, " (%s)%s", json_string_value(json_object_get(player, "arena")),
                i + 1 < count ? ", " : "\n");
    }
}

// Whether the operator means it. Returns an exit status, EXIT_SUCCESS for yes.
static int confirm(const char *network, size_t players)
{
    char answer[8] = "";
    if (!isatty(STDIN_FILENO)) {
        fprintf(stderr, "raimctl: %s disconnects %zu players: say so with --yes\n", network,
                players);
        return EX_USAGE;
    }
    fprintf(stderr, "Ban %s? [y/N] ", network);
    if (fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
        return EXIT_SUCCESS;
    fputs("raimctl: nobody is banned\n", stderr);
    return EXIT_REFUSED;
}

int ban_send(const struct call *call, const struct request *request)
{
    struct reply reply;
    const int code = commands_send_for_file(call, request, NULL, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    json_t *document = json_loads(reply.text, 0, NULL);
    free(reply.text);
    if (json_is_false(json_object_get(document, "stored")))
        fputs("raimctl: in force, but not stored: it ends with the process\n", stderr);
    json_decref(document);
    return EXIT_SUCCESS;
}

// Orders the ban of what the preview shows, so that a player is looked up once.
static int order(const struct call *call, const struct request *preview, const json_t *document)
{
    const json_t *players = json_object_get(document, "players");
    const char *network = json_string_value(json_object_get(document, "network"));
    if (network == NULL || !json_is_array(players))
        return commands_not_understood();
    const bool asks = json_array_size(players) > 1 && !call->yes;
    print_players(asks ? stderr : stdout, network, players);
    fflush(stdout);
    const int code = asks ? confirm(network, json_array_size(players)) : EXIT_SUCCESS;
    if (code != EXIT_SUCCESS)
        return code;
    struct request request = *preview;
    request.path = "/ban";
    request.fields[0].value = network;
    request.fields[1].value = request.fields[2].value = NULL;
    return ban_send(call, &request);
}

int ban_run(const struct call *call)
{
    char seconds[SECONDS_BYTES], from[FROM_BYTES];
    struct reply reply;
    const bool by_address = call->count == 1 || is_address(call->words[0]);
    if (by_address && call->count > 2)
        return commands_wrong(call->command, "too many words; quote a text with spaces");
    if (!read_seconds(call, seconds))
        return commands_wrong(call->command,
                              "want --for with a time like 90s, 15m, 2h or 7d, or --until with a "
                              "later time of UTC like 2026-01-31 or 2026-01-31T18:00:00Z");
    read_from(from);
    const struct request preview = {
        .path = "/ban/preview",
        .post = true,
        .fields = {{"address", by_address ? call->words[0] : NULL},
                   {"arena", by_address ? NULL : call->words[0]},
                   {"player", by_address ? NULL : call->words[1]},
                   {"seconds", seconds[0] != '\0' ? seconds : NULL},
                   {"reason", word(call, by_address ? 1 : 2)},
                   {"wide", call->wide ? "yes" : NULL},
                   {"from", from[0] != '\0' ? from : NULL}},
    };
    int code = commands_send_for_file(call, &preview, NULL, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    json_t *document = json_loads(reply.text, 0, NULL);
    free(reply.text);
    code = order(call, &preview, document);
    json_decref(document);
    return code;
}
