// SPDX-License-Identifier: MIT
// Asks raimd what a ban would do before it bans.
#define _GNU_SOURCE
#include "commands.h"

#include "columns.h"
#include "duration.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

enum { FROM_BYTES = 64 };

// Only an address has one of these characters, and no arena's name does.
static bool is_address(const char *word)
{
    return strpbrk(word, ".:/") != NULL;
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

// Sets how long the ban lasts, or when it ends. Returns false for wrong options.
static bool set_end(const struct call *call, json_t *fields)
{
    const char *duration = commands_option(call, "for"), *until = commands_option(call, "until");
    const long long seconds = duration != NULL ? (long long)duration_read(duration) : 0;
    const long long until_s = until != NULL ? date_read(until) : 0;
    if (duration != NULL)
        json_object_set_new(fields, "seconds", json_integer(seconds));
    if (until != NULL)
        json_object_set_new(fields, "until_s", json_integer(until_s));
    return (duration == NULL || (seconds > 0 && until == NULL)) &&
           (until == NULL || until_s > (long long)time(NULL));
}

// Prints the players that the ban disconnects.
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

// Asks whether to ban. Returns an exit status, EXIT_SUCCESS for yes.
static int confirm(const char *network)
{
    char answer[8] = "";
    if (!isatty(STDIN_FILENO)) {
        fputs("raimctl: nobody is banned: to ban them, add --yes\n", stderr);
        return EX_USAGE;
    }
    fprintf(stderr, "Ban %s? [y/N] ", network);
    if (fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
        return EXIT_SUCCESS;
    fputs("raimctl: nobody is banned\n", stderr);
    return EXIT_REJECTED;
}

// Prints an error if an answer tells that a change is not stored.
static void report_stored(const json_t *answer)
{
    if (json_is_false(json_object_get(answer, "stored")))
        fputs("raimctl: in force, but not stored: it ends with the process\n", stderr);
}

bool ban_print_done(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const bool good = answer != NULL;
    (void)out;
    report_stored(answer);
    json_decref(answer);
    return good;
}

// Sends fields of a ban. On EXIT_SUCCESS the caller releases the answer.
static int send_ban(const struct call *call, const char *path, const json_t *fields,
                    json_t **answer)
{
    struct reply reply;
    char *body = json_dumps(fields, JSON_COMPACT);
    const struct request request = {.path = path, .method = "POST", .body = body};
    const int code = commands_send_for_file(call, &request, NULL, &reply);
    free(body);
    if (code != EXIT_SUCCESS)
        return code;
    *answer = json_loads(reply.text, 0, NULL);
    free(reply.text);
    report_stored(*answer);
    return *answer != NULL ? EXIT_SUCCESS : commands_not_understood();
}

// Bans what the preview shows, so that a player is looked up once.
static int confirm_and_ban(const struct call *call, json_t *fields, const json_t *preview)
{
    const json_t *players = json_object_get(preview, "players");
    const char *network = json_string_value(json_object_get(preview, "network"));
    if (network == NULL || !json_is_array(players))
        return commands_not_understood();
    const bool asks = json_array_size(players) > 1 && commands_option(call, "yes") == NULL;
    if (asks)
        print_players(stderr, network, players);
    int code = asks ? confirm(network) : EXIT_SUCCESS;
    if (code != EXIT_SUCCESS)
        return code;
    json_t *answer;
    json_object_del(fields, "arena");
    json_object_del(fields, "player");
    json_object_set_new(fields, "address", json_string(network));
    code = send_ban(call, "/v1/commands/ban", fields, &answer);
    if (code == EXIT_SUCCESS) {
        if (!asks)
            print_players(stdout, network, players);
        json_decref(answer);
    }
    return code;
}

// The fields that the command line names.
static json_t *read_fields(const struct call *call, bool by_address)
{
    char from[FROM_BYTES];
    const char *reason = commands_argument(call, by_address ? 1 : 2);
    json_t *fields = json_object();
    read_from(from);
    if (by_address) {
        json_object_set_new(fields, "address", json_string(call->words[0]));
    } else {
        json_object_set_new(fields, "arena", json_string(call->words[0]));
        json_object_set_new(fields, "player", json_integer(atoll(call->words[1])));
    }
    if (reason != NULL)
        json_object_set_new(fields, "reason", json_string(reason));
    if (commands_option(call, "wide") != NULL)
        json_object_set_new(fields, "wide", json_true());
    if (from[0] != '\0')
        json_object_set_new(fields, "from", json_string(from));
    return fields;
}

int ban_run(const struct call *call)
{
    const bool by_address = call->count == 1 || is_address(call->words[0]);
    if (by_address && call->count > 2)
        return commands_wrong(call->command, "too many words; quote a text with spaces");
    if (!by_address && !command_check(FIELD_PLAYER, call->words[1]))
        return commands_wrong(call->command, command_fields[FIELD_PLAYER].wrong);
    json_t *preview, *fields = read_fields(call, by_address);
    if (!set_end(call, fields)) {
        json_decref(fields);
        return commands_wrong(call->command,
                              "want --for with a time like 90s, 15m, 2h or 7d, or --until with a "
                              "later time of UTC like 2026-01-31 or 2026-01-31T18:00:00Z");
    }
    int code = send_ban(call, "/v1/commands/ban-preview", fields, &preview);
    if (code == EXIT_SUCCESS) {
        code = confirm_and_ban(call, fields, preview);
        json_decref(preview);
    }
    json_decref(fields);
    return code;
}
