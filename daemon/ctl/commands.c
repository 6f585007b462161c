// SPDX-License-Identifier: MIT
// The commands of raimctl: each sends a request to raimd and prints the response.
#define _GNU_SOURCE
#include "commands.h"

#include "ban_command.h"
#include "discover.h"
#include "password_prompt.h"
#include "recording_commands.h"
#include "request.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

int commands_wrong(const struct command *command, const char *problem)
{
    fprintf(stderr, "raimctl: %s\nUsage: raimctl %s%s%s\nTry 'raimctl --help'.\n", problem,
            command->name, command->arguments[0] != '\0' ? " " : "", command->arguments);
    return EX_USAGE;
}

// --- Asking ---

int commands_send_for_file(const struct call *call, const struct request *request, FILE *file,
                           struct reply *reply)
{
    char problem[4096];
    if (!request_download(call->socket, request, file, reply)) {
        fprintf(stderr, "raimctl: cannot reach raimd at %s: %s\n", call->socket, reply->why);
        return EXIT_UNREACHABLE;
    }
    if (reply->status >= 200 && reply->status < 300)
        return EXIT_SUCCESS;
    tables_problem(reply->text, problem, sizeof problem);
    fprintf(stderr, "raimctl: refused: %s\n", problem[0] != '\0' ? problem : "no reason given");
    tables_mistakes(reply->text, stderr);
    free(reply->text);
    return EXIT_REFUSED;
}

static int send_request(const struct call *call, const struct request *request, struct reply *reply)
{
    return commands_send_for_file(call, request, NULL, reply);
}

int commands_send(const struct call *call, const struct request *request)
{
    struct reply reply;
    const int code = send_request(call, request, &reply);
    if (code == EXIT_SUCCESS)
        free(reply.text);
    return code;
}

int commands_not_understood(void)
{
    fputs("raimctl: refused: the answer cannot be read\n", stderr);
    return EXIT_REFUSED;
}

static const char *argument(const struct call *call, int index)
{
    return index < call->count ? call->words[index] : NULL;
}

// --- Commands ---

// Requests a document and prints it as a table or as JSON.
static int show(const struct call *call, const char *path,
                bool (*print)(const struct call *call, const char *json))
{
    struct reply reply;
    const int code = send_request(call, &(struct request){.path = path}, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    if (call->watch)
        fputs("\033[H\033[2J", stdout);
    const bool good = call->json ? puts(reply.text) >= 0 : print(call, reply.text);
    fflush(stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : commands_not_understood();
}

static bool print_status(const struct call *call, const char *json)
{
    (void)call;
    return tables_status(json, stdout);
}

static bool print_players(const struct call *call, const char *json)
{
    return tables_players(json, argument(call, 0), stdout);
}

static bool print_bans(const struct call *call, const char *json)
{
    (void)call;
    return tables_bans(json, stdout);
}

static int run_status(const struct call *call)
{
    int code = show(call, "/status", print_status);
    while (call->watch && code == EXIT_SUCCESS) {
        sleep(1);
        code = show(call, "/status", print_status);
    }
    return code;
}

int commands_check_arena(const struct call *call)
{
    struct reply reply;
    const char *name = argument(call, 0);
    if (name == NULL)
        return EXIT_SUCCESS;
    const int code = send_request(call, &(struct request){.path = "/status"}, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    const bool has_it = tables_has_arena(reply.text, name);
    free(reply.text);
    if (!has_it)
        fprintf(stderr, "raimctl: no such arena: %s\n", name);
    return has_it ? EXIT_SUCCESS : EXIT_REFUSED;
}

static int run_players(const struct call *call)
{
    const int code = commands_check_arena(call);
    return code != EXIT_SUCCESS ? code : show(call, "/players", print_players);
}

static int run_bans(const struct call *call)
{
    return show(call, "/bans", print_bans);
}

static int run_say(const struct call *call)
{
    const bool has_arena = call->count == 2;
    return commands_send(call, &(struct request){
                                   .path = "/say",
                                   .post = true,
                                   .fields = {{"arena", has_arena ? call->words[0] : NULL},
                                              {"text", call->words[has_arena ? 1 : 0]}},
                               });
}

static int run_kick(const struct call *call)
{
    return commands_send(call, &(struct request){
                                   .path = "/kick",
                                   .post = true,
                                   .fields = {{"arena", argument(call, 0)},
                                              {"player", argument(call, 1)},
                                              {"reason", argument(call, 2)}},
                               });
}

static int set_mute(const struct call *call, const char *path)
{
    return commands_send(
        call, &(struct request){
                  .path = path,
                  .post = true,
                  .fields = {{"arena", argument(call, 0)}, {"player", argument(call, 1)}},
              });
}

static int run_mute(const struct call *call)
{
    return set_mute(call, "/mute");
}

static int run_unmute(const struct call *call)
{
    return set_mute(call, "/unmute");
}

static int run_unban(const struct call *call)
{
    return ban_send(call, &(struct request){.path = "/unban",
                                            .post = true,
                                            .fields = {{"address", argument(call, 0)}}});
}

static int run_drain(const struct call *call)
{
    const struct timespec pause = {.tv_nsec = 200 * 1000 * 1000};
    const int code = commands_send(
        call,
        &(struct request){.path = "/drain", .post = true, .fields = {{"seconds", call->timeout}}});
    if (code != EXIT_SUCCESS)
        return code;
    struct reply reply;
    long shown = -1;
    while (request_send(call->socket, &(struct request){.path = "/status"}, &reply)) {
        const long players = tables_count_players(reply.text);
        free(reply.text);
        if (players != shown) {
            printf("draining: %ld player%s left\n", players, players == 1 ? "" : "s");
            fflush(stdout);
        }
        shown = players;
        nanosleep(&pause, NULL);
    }
    puts("raimd has ended");
    return EXIT_SUCCESS;
}

static int send_arena_command(const struct call *call, const char *path)
{
    return commands_send(call,
                         &(struct request){
                             .path = path,
                             .post = true,
                             .fields = {{"arena", argument(call, 0)}, {"map", argument(call, 1)}},
                         });
}

static int run_arena_add(const struct call *call)
{
    return send_arena_command(call, "/arena/add");
}

static int run_arena_remove(const struct call *call)
{
    return send_arena_command(call, "/arena/remove");
}

static int run_arena_pause(const struct call *call)
{
    return send_arena_command(call, "/arena/pause");
}

static int run_arena_resume(const struct call *call)
{
    return send_arena_command(call, "/arena/resume");
}

static int run_arena_map(const struct call *call)
{
    return send_arena_command(call, "/arena/map");
}

// --- Votes ---

static bool print_votes(const struct call *call, const char *json)
{
    return tables_votes(json, argument(call, 0), stdout);
}

static int run_vote_list(const struct call *call)
{
    const int code = commands_check_arena(call);
    return code != EXIT_SUCCESS ? code : show(call, "/status", print_votes);
}

static int run_vote_cancel(const struct call *call)
{
    return send_arena_command(call, "/vote/cancel");
}

static int run_vote_force(const struct call *call)
{
    const char *choice = argument(call, 1);
    const bool passes = choice == NULL || strcmp(choice, "yes") == 0;
    if (!passes && strcmp(choice, "no") != 0)
        return commands_wrong(call->command, "want yes or no");
    return commands_send(call, &(struct request){.path = passes ? "/vote/pass" : "/vote/fail",
                                                 .post = true,
                                                 .fields = {{"arena", argument(call, 0)}}});
}

// --- Results ---

static bool print_results(const struct call *call, const char *json)
{
    (void)call;
    return results_print(json, stdout);
}

static bool print_leaderboard(const struct call *call, const char *json)
{
    (void)call;
    return results_print_leaderboard(json, stdout);
}

// The options --arena and --map are also those of tokens and rooms.
static int show_results(const struct call *call, const char *path,
                        bool (*print)(const struct call *call, const char *json))
{
    char query[RESULTS_QUERY_BYTES];
    const char *problem = NULL;
    struct results_options options = call->results;
    options.arena = call->token.arena;
    options.map = call->room.map;
    return results_make_query(path, &options, query, &problem)
               ? show(call, query, print)
               : commands_wrong(call->command, problem);
}

static int run_results(const struct call *call)
{
    return show_results(call, "/results", print_results);
}

static int run_leaderboard(const struct call *call)
{
    return show_results(call, "/leaderboard", print_leaderboard);
}

// Writes a stream of lines to the standard output without the empty ones, which show that the
// connection lives.
static ssize_t write_lines(void *context, const char *bytes, size_t size)
{
    bool *is_inside = context; // of a line
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n' || *is_inside)
            putchar(bytes[i]);
        *is_inside = bytes[i] != '\n';
    }
    return fflush(stdout) == 0 ? (ssize_t)size : -1;
}

static int run_events(const struct call *call)
{
    char query[RESULTS_QUERY_BYTES], path[RESULTS_QUERY_BYTES + 16];
    const char *problem;
    struct reply reply;
    if (!results_make_query("/events.jsonl", &call->results, query, &problem))
        return commands_wrong(call->command, problem);
    snprintf(path, sizeof path, "%s%s", query,
             !call->follows               ? ""
             : strchr(query, '?') == NULL ? "?follow=1"
                                          : "&follow=1");
    bool is_inside = false;
    FILE *out = fopencookie(&is_inside, "w", (cookie_io_functions_t){.write = write_lines});
    if (out == NULL) {
        fputs("raimctl: out of memory\n", stderr);
        return EXIT_REFUSED;
    }
    setvbuf(out, NULL, _IONBF, 0);
    const struct request request = {.path = path, .is_endless = call->follows};
    const int code = commands_send_for_file(call, &request, out, &reply);
    fclose(out);
    if (code == EXIT_SUCCESS)
        free(reply.text);
    return code;
}

// --- Rooms ---

// The path of the room that the command names; false after an error.
static bool room_path(const struct call *call, const char *id, char path[128])
{
    snprintf(path, 128, "/v1/arenas/%s", id != NULL && room_is_id(id) ? id : "");
    if (id != NULL && room_is_id(id))
        return true;
    commands_wrong(call->command, "want an id of 1 to 63 characters of A-Z, a-z, 0-9, ., _ and -");
    return false;
}

// Sends a body, which it frees, and prints the room of the answer.
static int send_body(const struct call *call, const char *id, const char *method, char *body,
                     const char *problem)
{
    char path[128];
    struct reply reply;
    if (body == NULL)
        return commands_wrong(call->command, problem);
    if (!room_path(call, id, path)) {
        free(body);
        return EX_USAGE;
    }
    const int code =
        send_request(call, &(struct request){.path = path, .method = method, .body = body}, &reply);
    free(body);
    if (code != EXIT_SUCCESS)
        return code;
    const bool good = call->json ? fputs(reply.text, stdout) >= 0 : room_print(reply.text, stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : commands_not_understood();
}

static int run_arena_create(const struct call *call)
{
    const char *problem = NULL;
    if (call->room.id == NULL || call->room.template_name == NULL)
        return commands_wrong(call->command, "want --template NAME and --id ID");
    char *body = room_create_body(&call->room, &problem);
    return send_body(call, call->room.id, "PUT", body, problem);
}

static int run_arena_change(const struct call *call)
{
    const char *problem = NULL;
    char *body = room_change_body(&call->room, &problem);
    return send_body(call, argument(call, 0), "PATCH", body, problem);
}

static int run_arena_end(const struct call *call)
{
    const char *problem = NULL;
    struct room_options options = call->room;
    options.reason = argument(call, 1);
    options.within = call->timeout;
    char *body = room_end_body(&options, &problem);
    return send_body(call, argument(call, 0), "DELETE", body, problem);
}

static bool print_room(const struct call *call, const char *json)
{
    (void)call;
    return room_print(json, stdout);
}

static bool print_rooms(const struct call *call, const char *json)
{
    (void)call;
    return room_print_list(json, stdout);
}

static bool print_templates(const struct call *call, const char *json)
{
    (void)call;
    return room_print_templates(json, stdout);
}

static bool print_capacity(const struct call *call, const char *json)
{
    (void)call;
    return room_print_capacity(json, stdout);
}

static int run_arena_show(const struct call *call)
{
    char path[128];
    return room_path(call, argument(call, 0), path) ? show(call, path, print_room) : EX_USAGE;
}

static int run_arena_list(const struct call *call)
{
    return show(call, "/v1/arenas", print_rooms);
}

static int run_arena_templates(const struct call *call)
{
    return show(call, "/v1/templates", print_templates);
}

static int run_arena_capacity(const struct call *call)
{
    return show(call, "/v1/capacity", print_capacity);
}

static int run_reload(const struct call *call)
{
    struct reply reply;
    const int code = send_request(call, &(struct request){.path = "/reload", .post = true}, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    const bool good = tables_reload(reply.text, stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : commands_not_understood();
}

static int run_log_level(const struct call *call)
{
    return commands_send(
        call,
        &(struct request){.path = "/log", .post = true, .fields = {{"level", argument(call, 0)}}});
}

static int end_token(bool made, const char *problem)
{
    if (!made)
        fprintf(stderr, "raimctl: no token: %s\n", problem);
    return made ? EXIT_SUCCESS : EXIT_REFUSED;
}

static int run_token_key(const struct call *call)
{
    char problem[TOKEN_PROBLEM_BYTES];
    const bool made = token_make_key(argument(call, 0), problem);
    return end_token(made, problem);
}

static int run_token_make(const struct call *call)
{
    char problem[TOKEN_PROBLEM_BYTES];
    struct token_options token = call->token;
    token.duration = call->duration;
    if (token.key == NULL || token.arena == NULL)
        return commands_wrong(call->command, "want --key FILE and --arena NAME");
    const bool made = token_make(&token, problem);
    return end_token(made, problem);
}

static int run_token_show(const struct call *call)
{
    char problem[TOKEN_PROBLEM_BYTES];
    const bool shown = token_show(argument(call, 0), stdout, problem);
    return end_token(shown, problem);
}

static int run_password(const struct call *call)
{
    const char *problem = NULL;
    (void)call;
    if (password_prompt(&problem))
        return EXIT_SUCCESS;
    fprintf(stderr, "raimctl: no password: %s\n", problem);
    return EXIT_REFUSED;
}

// --- The table ---

const struct command commands[] = {
    {"status", run_status, 0, 0, "jw", "[--json] [--watch]",
     "Show an overview of the arenas; --watch repeats it every second"},
    {"players", run_players, 0, 1, "j", "[ARENA] [--json]",
     "Show the players with their ids and addresses"},
    {"say", run_say, 1, 2, "", "[ARENA] TEXT",
     "Send a message to all clients, or to those of one arena"},
    {"kick", run_kick, 2, 3, "", "ARENA ID [REASON]", "End a player's session"},
    {"mute", run_mute, 2, 2, "", "ARENA ID", "Reject the chat messages of a player"},
    {"unmute", run_unmute, 2, 2, "", "ARENA ID", "Accept the chat messages of a player again"},
    {"ban", ban_run, 1, 3, "fuyW",
     "ADDRESS[/PREFIX]|ARENA ID [--for TIME|--until DATE] [--yes] [--wide] [REASON]",
     "Reject clients of an address, a network or a player's address, and disconnect those present, "
     "which are shown first; TIME is a number with s, m, h or d, DATE is one of UTC. Several "
     "players are a question, or --yes; a network wider than /8, or /16 of IPv6, needs --wide"},
    {"unban", run_unban, 1, 1, "", "ADDRESS[/PREFIX]", "Lift a ban"},
    {"bans", run_bans, 0, 0, "j", "[--json]", "Show the bans, who gave them and for how long"},
    {"results", run_results, 0, 0, "jSal", "[--since TIME] [--arena NAME] [--limit N] [--json]",
     "Show the rounds that have ended, the newest last; TIME is a number with s, m, h or d, or a "
     "time of UTC such as 2026-01-31 or 2026-01-31T18:00:00Z"},
    {"leaderboard", run_leaderboard, 0, 0, "joaMl",
     "[--period day|week|month|all] [--arena NAME] [--map MAP] [--limit N] [--json]",
     "Show the players with most points over all rounds; NAME may be a template"},
    {"events", run_events, 0, 0, "SF", "[--since TIME] [--follow]",
     "Print the events of the server that are kept, each as a line of JSON; --follow goes on with "
     "those to come. TIME is as above"},
    {"discover", discover, 0, 64, "jR", "[HOST[:PORT]...] [--master HOST:PORT]... [--json]",
     "Find arenas and show their names, players and maps: those of the local network, or those at "
     "addresses and in the lists of master servers"},
    {"drain", run_drain, 0, 0, "t", "[--timeout SECONDS]",
     "Admit no new clients; raimd ends when all have left or the time is up; waits until then"},
    {"arena add", run_arena_add, 1, 1, "", "NAME", "Start an arena of the configuration"},
    {"arena remove", run_arena_remove, 1, 1, "", "NAME",
     "End an arena and disconnect its clients with a message"},
    {"arena pause", run_arena_pause, 1, 1, "", "NAME",
     "Pause an arena: players cannot move, and the round clock stops"},
    {"arena resume", run_arena_resume, 1, 1, "", "NAME", "Resume a paused arena"},
    {"arena map", run_arena_map, 2, 2, "", "NAME FILE",
     "Start a new round on another map at once; FILE is a path as in the configuration"},
    {"vote list", run_vote_list, 0, 1, "j", "[ARENA] [--json]",
     "Show the votes that run; with --json the status that contains them"},
    {"vote cancel", run_vote_cancel, 1, 1, "", "ARENA", "End the running vote without a result"},
    {"vote force", run_vote_force, 1, 2, "", "ARENA [yes|no]",
     "Decide the running vote: let it pass, or fail"},
    {"arena clip", recording_clip, 1, 2, "", "NAME [SECONDS]",
     "Save the last seconds of an arena that records (30) as a recording"},
    {"arena create", run_arena_create, 0, 0, "jTiPeMNJm",
     "--template NAME --id ID [--players NAME,...] [--ends empty|round|never] [--map MAP] "
     "[--places N] [--join-within SECONDS] [--metadata NAME=VALUE]... [--json]",
     "Make an arena of a template; the same request may be repeated"},
    {"arena list", run_arena_list, 0, 0, "j", "[--json]", "Show the arenas made on request"},
    {"arena show", run_arena_show, 1, 1, "j", "ID [--json]",
     "Show an arena that was made on request, even if it has ended"},
    {"arena change", run_arena_change, 1, 1, "jNm",
     "ID [--places N] [--metadata NAME=VALUE]... [--json]",
     "Change the places or the metadata of an arena made on request"},
    {"arena end", run_arena_end, 1, 2, "jdt", "ID [--drain [--timeout SECONDS]] [REASON] [--json]",
     "End an arena made on request, at once or when all have left; players are shown the reason"},
    {"arena templates", run_arena_templates, 0, 0, "j", "[--json]",
     "Show what arenas can be made of"},
    {"arena capacity", run_arena_capacity, 0, 0, "j", "[--json]",
     "Show how many more arenas can be made"},
    {"recording list", recording_list, 0, 1, "j", "[ARENA] [--json]",
     "Show the recordings, the newest first"},
    {"recording get", recording_get, 1, 2, "", "NAME [FILE]",
     "Copy a recording to a file, by default of its name and in this directory; - is the standard "
     "output"},
    {"recording delete", recording_delete, 1, 1, "", "NAME", "Delete a recording"},
    {"recording keep", recording_keep, 1, 1, "", "NAME",
     "Exempt a recording from the limits that delete old ones"},
    {"recording unkeep", recording_unkeep, 1, 1, "", "NAME",
     "Let the limits delete a recording again"},
    {"reload", run_reload, 0, 0, "", "",
     "Reload the configuration; prints the applied changes and those that need a restart"},
    {"log level", run_log_level, 1, 1, "", "LEVEL",
     "Set the lowest severity that is logged: error, warning or info"},
    {"token key", run_token_key, 1, 1, "", "FILE",
     "Create a key that signs access tokens, and print its public key"},
    {"token make", run_token_make, 0, 0, "bfkanp",
     "--key FILE --arena NAME [--name NAME] [--not-before TIME] [--for TIME] [--server-key HEX]",
     "Create an access token for one use; valid from now or after --not-before, for 10m or --for"},
    {"token show", run_token_show, 1, 1, "", "TOKEN",
     "Print the content of a token without verifying its signature"},
    {"password", run_password, 0, 0, "", "",
     "Read a password, twice from a terminal or one line of the standard input, and print the line "
     "that the configuration has in its place"},
};

const int commands_count = sizeof commands / sizeof *commands;

// Number of words (1 or 2) of the command name if `words` begins with it, otherwise 0.
static int match_words(const char *name, int count, char **words)
{
    const size_t length = strcspn(name, " ");
    if (strncmp(words[0], name, length) != 0 || words[0][length] != '\0')
        return 0;
    if (name[length] == '\0')
        return 1;
    return count > 1 && strcmp(words[1], name + length + 1) == 0 ? 2 : 0;
}

const struct command *commands_find(int count, char **words, int *used)
{
    for (int i = 0; i < commands_count; i++) {
        *used = match_words(commands[i].name, count, words);
        if (*used > 0)
            return &commands[i];
    }
    return NULL;
}
