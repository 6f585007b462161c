// SPDX-License-Identifier: MIT
// Runs commands: sends a request to raimd and prints the answer, or does what raimctl does itself.
#define _GNU_SOURCE
#include "commands.h"

#include "password_prompt.h"
#include "tables.h"
#include "token.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

int commands_wrong(const struct ctl_command *command, const char *problem)
{
    fprintf(stderr, "raimctl: %s\nUsage: raimctl %s%s%s\nTry 'raimctl --help'.\n", problem,
            command->name, command->synopsis[0] != '\0' ? " " : "", command->synopsis);
    return EX_USAGE;
}

const char *commands_option(const struct call *call, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < call->option_count; i++)
        if (strcmp(call->options[i].name, name) == 0)
            value = call->options[i].value;
    return value;
}

const char *commands_argument(const struct call *call, int index)
{
    return index < call->count ? call->words[index] : NULL;
}

// --- Asking ---

int commands_send_for_file(const struct call *call, const struct request *request, FILE *file,
                           struct reply *reply)
{
    char problem[4096];
    if (!request_download(call->socket, request, file, reply)) {
        if (file != NULL && ferror(file)) {
            fputs("raimctl: what raimd sends cannot be written\n", stderr);
            return EXIT_REJECTED;
        }
        fprintf(stderr, "raimctl: cannot reach raimd at %s: %s\n", call->socket, reply->why);
        return EX_UNAVAILABLE;
    }
    if (reply->status >= 200 && reply->status < 300)
        return EXIT_SUCCESS;
    tables_problem(reply->text, problem, sizeof problem);
    fprintf(stderr, "raimctl: rejected: %s\n", problem[0] != '\0' ? problem : "no reason given");
    tables_print_mistakes(reply->text, stderr);
    free(reply->text);
    return EXIT_REJECTED;
}

static int send_request(const struct call *call, const struct request *request, struct reply *reply)
{
    return commands_send_for_file(call, request, NULL, reply);
}

int commands_not_understood(void)
{
    fputs("raimctl: rejected: the answer cannot be read\n", stderr);
    return EXIT_REJECTED;
}

// --- Answers ---

// Prints a document of JSON. Returns false if it has an unexpected structure. main checks the
// output.
typedef bool printer(const char *json, FILE *out);

// Prints it as it is.
static bool print_json(const char *json, FILE *out)
{
    const size_t size = strlen(json);
    fprintf(out, "%s%s", json, size > 0 && json[size - 1] != '\n' ? "\n" : "");
    return true;
}

// Sends a request and prints its answer: as it is with --json.
static int send_and_print(const struct call *call, const struct request *request, printer *print)
{
    struct reply reply;
    const int code = send_request(call, request, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    if (commands_option(call, "watch") != NULL)
        fputs("\033[H\033[2J", stdout);
    const bool is_json = commands_option(call, "json") != NULL;
    const bool good = (is_json ? print_json : print)(reply.text, stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : commands_not_understood();
}

// How the answers of raimd's commands are printed; other documents are shown as they are.
static const struct {
    const char *name;
    printer *print;
} printers[] = {
    {"bans", tables_bans},
    {"reload", tables_reload},
    {"arena clip", recordings_print_name},
    {"arena create", arena_print},
    {"arena list", arena_print_list},
    {"arena show", arena_print},
    {"arena change", arena_print},
    {"arena end", arena_print},
    {"arena templates", arena_print_templates},
    {"arena capacity", arena_print_capacity},
};

static printer *find_printer(const struct command_row *row)
{
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        if (strcmp(printers[i].name, row->name) == 0)
            return printers[i].print;
    return row->answer != NULL ? print_json : ban_print_done;
}

// --- Commands of raimd ---

// Sends a command as its row says.
static int run_row(const struct call *call)
{
    char path[COMMAND_PATH_BYTES], *body;
    const char *problem;
    const struct command_row *row = call->command->row;
    if (!command_request_make(call, path, &body, &problem))
        return commands_wrong(call->command, problem);
    const struct request request = {.path = path, .method = row->method, .body = body};
    const int code = send_and_print(call, &request, find_printer(row));
    free(body);
    return code;
}

static const struct request status_request = {.path = "/v1/status"};

static int run_status(const struct call *call)
{
    int code = send_and_print(call, &status_request, tables_status);
    while (commands_option(call, "watch") != NULL && code == EXIT_SUCCESS && fflush(stdout) == 0) {
        sleep(1);
        code = send_and_print(call, &status_request, tables_status);
    }
    return code;
}

int commands_check_arena(const struct call *call)
{
    struct reply reply;
    const char *name = commands_argument(call, 0);
    if (name == NULL)
        return EXIT_SUCCESS;
    const int code = send_request(call, &status_request, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    const bool has_it = tables_has_arena(reply.text, name);
    free(reply.text);
    if (!has_it)
        fprintf(stderr, "raimctl: no such arena: %s\n", name);
    return has_it ? EXIT_SUCCESS : EXIT_REJECTED;
}

// Prints what a document has of the arena that the first word names, or of all.
static int show_arena(const struct call *call, const char *path,
                      bool (*print)(const char *json, const char *arena, FILE *out))
{
    struct reply reply;
    int code = commands_check_arena(call);
    if (code == EXIT_SUCCESS)
        code = send_request(call, &(struct request){.path = path}, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    const bool good = commands_option(call, "json") != NULL
                          ? print_json(reply.text, stdout)
                          : print(reply.text, commands_argument(call, 0), stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : commands_not_understood();
}

static int run_players(const struct call *call)
{
    return show_arena(call, "/v1/players", tables_players);
}

static int run_vote_list(const struct call *call)
{
    return show_arena(call, "/v1/status", tables_votes);
}

// Sends the command, and waits until raimd has ended.
static int run_drain(const struct call *call)
{
    const struct timespec pause = {.tv_nsec = 200 * 1000 * 1000};
    const int code = run_row(call);
    if (code != EXIT_SUCCESS)
        return code;
    struct reply reply;
    long shown = -1;
    while (request_send(call->socket, &status_request, &reply)) {
        shown = tables_players_left(reply.text, shown, stdout);
        fflush(stdout);
        free(reply.text);
        nanosleep(&pause, NULL);
    }
    puts("raimd has ended");
    return EXIT_SUCCESS;
}

// --- Documents ---

static int show_results(const struct call *call, const char *path, printer *print)
{
    char query[RESULTS_QUERY_BYTES];
    const char *problem = NULL;
    return results_make_query(path, call, query, &problem)
               ? send_and_print(call, &(struct request){.path = query}, print)
               : commands_wrong(call->command, problem);
}

static int run_results(const struct call *call)
{
    return show_results(call, "/results", results_print);
}

static int run_leaderboard(const struct call *call)
{
    return show_results(call, "/leaderboard", results_print_leaderboard);
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
    const bool follows = commands_option(call, "follow") != NULL;
    struct reply reply;
    if (!results_make_query("/events.jsonl", call, query, &problem))
        return commands_wrong(call->command, problem);
    snprintf(path, sizeof path, "%s%s", query,
             !follows                     ? ""
             : strchr(query, '?') == NULL ? "?follow=1"
                                          : "&follow=1");
    bool is_inside = false;
    FILE *out = fopencookie(&is_inside, "w", (cookie_io_functions_t){.write = write_lines});
    if (out == NULL) {
        fputs("raimctl: out of memory\n", stderr);
        return EXIT_REJECTED;
    }
    setvbuf(out, NULL, _IONBF, 0);
    const struct request request = {.path = path, .is_endless = follows};
    const int code = commands_send_for_file(call, &request, out, &reply);
    fclose(out);
    if (code == EXIT_SUCCESS)
        free(reply.text);
    return code;
}

// --- Without raimd ---

static int end_token(bool made, const char *problem)
{
    if (!made)
        fprintf(stderr, "raimctl: no token: %s\n", problem);
    return made ? EXIT_SUCCESS : EXIT_REJECTED;
}

static int run_token_key(const struct call *call)
{
    char problem[TOKEN_PROBLEM_BYTES];
    const bool made = token_make_key(commands_argument(call, 0), problem);
    return end_token(made, problem);
}

static int run_token_make(const struct call *call)
{
    char problem[TOKEN_PROBLEM_BYTES];
    const struct token_options token = {
        .key = commands_option(call, "key"),
        .arena = commands_option(call, "arena"),
        .name = commands_option(call, "name"),
        .not_before = commands_option(call, "not-before"),
        .duration = commands_option(call, "for"),
        .server_key = commands_option(call, "server-key"),
    };
    if (token.key == NULL || token.arena == NULL)
        return commands_wrong(call->command, "want --key FILE and --arena NAME");
    const bool made = token_make(&token, problem);
    return end_token(made, problem);
}

static int run_token_show(const struct call *call)
{
    char problem[TOKEN_PROBLEM_BYTES];
    const bool shown = token_show(commands_argument(call, 0), stdout, problem);
    return end_token(shown, problem);
}

static int run_password(const struct call *call)
{
    const char *problem = NULL;
    (void)call;
    if (password_prompt(&problem))
        return EXIT_SUCCESS;
    fprintf(stderr, "raimctl: no password: %s\n", problem);
    return EXIT_REJECTED;
}

// --- The table ---

// raimctl's own commands, and what it does beside sending those of raimd.
static const struct ctl_command own[] = {
    {.name = "status", .run = run_status, .synopsis = "[--json] [--watch]"},
    {.name = "players", .run = run_players, .synopsis = "[ARENA] [--json]"},
    {.name = "ban",
     .run = ban_run,
     .synopsis =
         "ADDRESS[/PREFIX]|ARENA [PLAYER] [--for TIME|--until DATE] [--yes] [--wide] [REASON]",
     .help = "Reject clients of an address, a network or a player's address, and disconnect them; "
             "asks before it disconnects several, unless --yes"},
    {.name = "ban preview"}, // a part of ban
    {.name = "drain", .run = run_drain},
    {.name = "vote list",
     .run = run_vote_list,
     .synopsis = "[ARENA] [--json]",
     .help = "Show the votes that run; with --json the status that contains them"},
    {.name = "recording list",
     .run = recording_list,
     .synopsis = "[ARENA] [--json]",
     .help = "Show the recordings, the newest first"},
    {.name = "recording get",
     .run = recording_get,
     .synopsis = "NAME [FILE]",
     .help = "Copy a recording to a file, by default to its name in the current directory; - is "
             "standard output"},
    {.name = "results",
     .run = run_results,
     .synopsis = "[--since TIME] [--arena ARENA] [--limit N] [--json]",
     .help = "Show the rounds that have ended, the newest last: 100, or --limit up to 1000"},
    {.name = "leaderboard",
     .run = run_leaderboard,
     .synopsis = "[--period day|week|month|all] [--arena ARENA] [--map MAP] [--limit N] [--json]",
     .help = "Show the players with most points over all rounds, 20 or --limit up to 100; ARENA "
             "may be a template"},
    {.name = "events",
     .run = run_events,
     .synopsis = "[--since TIME] [--follow]",
     .help = "Print the stored events as lines of JSON; --follow also prints new ones"},
    {.name = "discover",
     .run = discover,
     .synopsis = "[HOST[:PORT]]... [--master HOST:PORT]... [--json]",
     .help = "Find arenas and show their names, players and maps: those of the local network, or "
             "those at addresses and in the lists of master servers"},
    {.name = "token key",
     .run = run_token_key,
     .synopsis = "FILE",
     .help = "Create a key that signs access tokens, and print its public key"},
    {.name = "token make",
     .run = run_token_make,
     .synopsis = "--key FILE --arena ARENA [--name NAME] [--not-before TIME] [--for TIME] "
                 "[--server-key HEX]",
     .help = "Create an access token for one use; valid from now or after --not-before, for 10m "
             "or --for"},
    {.name = "token show",
     .run = run_token_show,
     .synopsis = "TOKEN",
     .help = "Print the content of a token without verifying its signature"},
    {.name = "backup",
     .run = backup_run,
     .synopsis = "DIRECTORY [--state DIRECTORY]",
     .help = "Copy the state directory without recordings, while raimd runs or not, into a new "
             "directory"},
    {.name = "restore",
     .run = restore_run,
     .synopsis = "DIRECTORY [--state DIRECTORY] [--yes]",
     .help = "Replace the state directory by a backup while raimd is stopped; --yes: also where it "
             "is newer"},
    {.name = "upgrade-check",
     .run = upgrade_check,
     .synopsis = "FILE [--state DIRECTORY] [--runtime DIRECTORY] [--config FILE]",
     .help = "Have another raimd, FILE, say what it would take over, and exit with 1 if not all"},
    {.name = "password",
     .run = run_password,
     .synopsis = "",
     .help = "Read a password, from a terminal twice, and print the line for the configuration"},
};

enum { OWN = sizeof own / sizeof *own, SYNOPSIS_BYTES = 256 };

static struct ctl_command table[COMMANDS_MAX];
static char synopses[COMMANDS_MAX][SYNOPSIS_BYTES];
static int table_count;

static const struct ctl_command *find_own(const char *name)
{
    for (int i = 0; i < OWN; i++)
        if (strcmp(own[i].name, name) == 0)
            return &own[i];
    return NULL;
}

static void add_row(const struct command_row *row)
{
    const struct ctl_command *special = find_own(row->name);
    if (special != NULL && special->run == NULL)
        return;
    struct ctl_command *command = &table[table_count];
    *command = special != NULL ? *special : (struct ctl_command){.name = row->name, .run = run_row};
    command->row = row;
    if (command->synopsis == NULL) {
        command_request_synopsis(row, synopses[table_count], SYNOPSIS_BYTES);
        command->synopsis = synopses[table_count];
    }
    if (command->help == NULL)
        command->help = row->help;
    table_count++;
}

void commands_init(void)
{
    assert(command_count + OWN <= COMMANDS_MAX);
    table_count = 0;
    for (int i = 0; i < command_count; i++)
        add_row(&command_rows[i]);
    for (int i = 0; i < OWN; i++)
        if (command_find(own[i].name) == NULL)
            table[table_count++] = own[i];
}

int commands_count(void)
{
    return table_count;
}

const struct ctl_command *commands_at(int index)
{
    return &table[index];
}

// --- Synopses ---

bool commands_next_option(const char **at, char name[COMMANDS_OPTION_BYTES], bool *has_value,
                          const char **value)
{
    const char *found = strstr(*at, "--");
    if (found == NULL)
        return false;
    found += 2;
    const size_t length = strspn(found, "abcdefghijklmnopqrstuvwxyz-");
    assert(length > 0 && length < COMMANDS_OPTION_BYTES);
    snprintf(name, COMMANDS_OPTION_BYTES, "%.*s", (int)length, found);
    *has_value = found[length] == ' ' && found[length + 1] != '[' && found[length + 1] != '-';
    *value = found + length + *has_value;
    *at = found + length;
    return true;
}

// Skips spaces and options in a synopsis.
static const char *skip_options(const char *at)
{
    for (;;) {
        at += strspn(at, " ");
        if (strncmp(at, "[--", 3) == 0) {
            at = strchr(at, ']') + 1;
            at += strspn(at, ".");
        } else if (strncmp(at, "--", 2) == 0) { // with its value
            at += strcspn(at, " ");
            at += strspn(at, " ");
            at += strcspn(at, " ");
        } else {
            return at;
        }
    }
}

bool commands_word(const char *synopsis, int place, char *word, size_t capacity)
{
    int seen = 0;
    for (const char *at = skip_options(synopsis); *at != '\0'; at = skip_options(at)) {
        const size_t length = strcspn(at, " ");
        const bool repeats = strncmp(at + length - 1, ".", 1) == 0;
        if (seen++ == place || repeats) {
            snprintf(word, capacity, "%.*s", (int)length, at);
            return true;
        }
        at += length;
    }
    return false;
}

bool commands_takes(const struct ctl_command *command, int count, const char **problem)
{
    char word[64];
    int needed = 0, most = 0;
    // Words that repeat have no end.
    for (; most < 8 + count && commands_word(command->synopsis, most, word, sizeof word); most++)
        needed += word[0] != '[';
    *problem = count > most ? "too many words; quote a text with spaces" : "too few words";
    return count >= needed && count <= most;
}

bool commands_has_option(const struct ctl_command *command, const char *option)
{
    char name[COMMANDS_OPTION_BYTES];
    const char *at = command->synopsis, *value;
    bool has_value;
    while (commands_next_option(&at, name, &has_value, &value))
        if (strcmp(name, option) == 0)
            return true;
    return false;
}

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

const struct ctl_command *commands_find(int count, char **words, int *used)
{
    for (int i = 0; i < table_count; i++) {
        *used = match_words(table[i].name, count, words);
        if (*used > 0)
            return &table[i];
    }
    return NULL;
}
