// SPDX-License-Identifier: MIT
// raimctl: controls a running raimd through its Unix socket.
#define _GNU_SOURCE
#include "duration.h"
#include "request.h"
#include "tables.h"
#include "token.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    EXIT_REFUSED = 1,
    EXIT_USAGE = 64,
    EXIT_UNREACHABLE = 69,
};

struct call {
    const char *socket;
    bool json, watch;
    const char *timeout, *duration; // NULL: not given
    struct token_options token;
    int count;    // of words
    char **words; // behind the command's
};

struct command {
    const char *name;
    int (*run)(const struct call *call);
    int least, most;     // words
    const char *options; // letters of those that it takes
};

static void print_usage(FILE *file)
{
    fputs("usage: raimctl [-s SOCKET] COMMAND\n"
          "\n"
          "Controls a running raimd.\n"
          "\n"
          "  status [--json] [--watch]       arenas at a glance; again every second\n"
          "  players [ARENA] [--json]        who plays, with ids and addresses\n"
          "  say [ARENA] TEXT                tell everybody, or everybody in an arena\n"
          "  kick ARENA ID [REASON]          end a player's session\n"
          "  mute ARENA ID                   refuse what a player says\n"
          "  unmute ARENA ID\n"
          "  ban ADDRESS[/PREFIX] [--for TIME] [REASON]\n"
          "                                  let nobody in from there, and end who is in;\n"
          "                                  TIME is a number and s, m, h or d\n"
          "  unban ADDRESS[/PREFIX]\n"
          "  bans [--json]                   who is banned\n"
          "  drain [--timeout SECONDS]       let nobody in; raimd ends when all have left\n"
          "                                  or the time is up; waits until then\n"
          "  arena add NAME                  start an arena that the configuration has\n"
          "  arena remove NAME               end an arena; everybody in it is told\n"
          "  arena pause NAME                let everybody stand, and the clock as well\n"
          "  arena resume NAME\n"
          "  arena map NAME FILE             begin a new round on another map at once; FILE\n"
          "                                  as the configuration would name it\n"
          "  reload                          apply the configuration; tells what of it was\n"
          "                                  applied and what needs a restart\n"
          "  log level LEVEL                 leave out of the log what is less grave:\n"
          "                                  error, warning or info\n"
          "  token key FILE                  make a key to sign access tokens with; prints\n"
          "                                  its public half\n"
          "  token make --key FILE --arena NAME [--name NAME] [--not-before TIME]\n"
          "             [--for TIME] [--server-key HEX]\n"
          "                                  make an access token, good once: from now, or\n"
          "                                  from so much later on, for 10m or TIME\n"
          "  token show TOKEN                print what a token says, unverified\n"
          "\n"
          "  -s, --socket SOCKET  the daemon's socket (" RAIM_CONTROL_SOCKET ")\n"
          "  -V, --version        print the version\n"
          "  -h, --help           print this text\n"
          "\n"
          "Exit status: 0 done, 1 refused, 64 wrong usage, 69 raimd cannot be reached.\n",
          file);
}

static int wrong(const char *problem, const char *word)
{
    fprintf(stderr, "raimctl: %s%s%s\nTry 'raimctl --help'.\n", problem,
            word[0] != '\0' ? ": " : "", word);
    return EXIT_USAGE;
}

// --- Asking ---

// Sends a request and says what went wrong with it; on success the caller frees the reply's text.
static int ask(const struct call *call, const struct request *request, struct reply *reply)
{
    char problem[4096];
    if (!request_send(call->socket, request, reply)) {
        fprintf(stderr, "raimctl: cannot reach raimd at %s: %s\n", call->socket, reply->why);
        return EXIT_UNREACHABLE;
    }
    if (reply->status == 200)
        return EXIT_SUCCESS;
    tables_problem(reply->text, problem, sizeof problem);
    fprintf(stderr, "raimctl: refused: %s\n", problem[0] != '\0' ? problem : "for no told reason");
    tables_mistakes(reply->text, stderr);
    free(reply->text);
    return EXIT_REFUSED;
}

static int order(const struct call *call, const struct request *request)
{
    struct reply reply;
    const int code = ask(call, request, &reply);
    if (code == EXIT_SUCCESS)
        free(reply.text);
    return code;
}

static int not_understood(void)
{
    fputs("raimctl: refused: the answer cannot be read\n", stderr);
    return EXIT_REFUSED;
}

static const char *word(const struct call *call, int index)
{
    return index < call->count ? call->words[index] : NULL;
}

// --- Commands ---

// Asks for what a path tells and prints it, by the table or as it is.
static int show(const struct call *call, const char *path,
                bool (*print)(const struct call *call, const char *json))
{
    struct reply reply;
    const int code = ask(call, &(struct request){.path = path}, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    if (call->watch)
        fputs("\033[H\033[2J", stdout);
    const bool good = call->json ? puts(reply.text) >= 0 : print(call, reply.text);
    fflush(stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : not_understood();
}

static bool print_status(const struct call *call, const char *json)
{
    (void)call;
    return tables_status(json, stdout);
}

static bool print_players(const struct call *call, const char *json)
{
    return tables_players(json, word(call, 0), stdout);
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

static int run_players(const struct call *call)
{
    return show(call, "/players", print_players);
}

static int run_bans(const struct call *call)
{
    return show(call, "/bans", print_bans);
}

static int run_say(const struct call *call)
{
    const bool has_arena = call->count == 2;
    return order(call, &(struct request){
                           .path = "/say",
                           .post = true,
                           .fields = {{"arena", has_arena ? call->words[0] : NULL},
                                      {"text", call->words[has_arena ? 1 : 0]}},
                       });
}

static int run_kick(const struct call *call)
{
    return order(call, &(struct request){
                           .path = "/kick",
                           .post = true,
                           .fields = {{"arena", word(call, 0)},
                                      {"player", word(call, 1)},
                                      {"reason", word(call, 2)}},
                       });
}

static int set_mute(const struct call *call, const char *path)
{
    return order(call, &(struct request){
                           .path = path,
                           .post = true,
                           .fields = {{"arena", word(call, 0)}, {"player", word(call, 1)}},
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

static int run_ban(const struct call *call)
{
    char seconds[32];
    if (call->duration != NULL) {
        const unsigned long long time = duration_read(call->duration);
        if (time == 0)
            return wrong("--for wants a time like 90s, 15m, 2h or 7d", call->duration);
        snprintf(seconds, sizeof seconds, "%llu", time);
    }
    return order(call, &(struct request){
                           .path = "/ban",
                           .post = true,
                           .fields = {{"address", word(call, 0)},
                                      {"seconds", call->duration != NULL ? seconds : NULL},
                                      {"reason", word(call, 1)}},
                       });
}

static int run_unban(const struct call *call)
{
    return order(call, &(struct request){
                           .path = "/unban", .post = true, .fields = {{"address", word(call, 0)}}});
}

static int run_drain(const struct call *call)
{
    const struct timespec pause = {.tv_nsec = 200 * 1000 * 1000};
    const int code = order(
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

static int order_arena(const struct call *call, const char *path)
{
    return order(call, &(struct request){
                           .path = path,
                           .post = true,
                           .fields = {{"arena", word(call, 0)}, {"map", word(call, 1)}},
                       });
}

static int run_arena_add(const struct call *call)
{
    return order_arena(call, "/arena/add");
}

static int run_arena_remove(const struct call *call)
{
    return order_arena(call, "/arena/remove");
}

static int run_arena_pause(const struct call *call)
{
    return order_arena(call, "/arena/pause");
}

static int run_arena_resume(const struct call *call)
{
    return order_arena(call, "/arena/resume");
}

static int run_arena_map(const struct call *call)
{
    return order_arena(call, "/arena/map");
}

static int run_reload(const struct call *call)
{
    struct reply reply;
    const int code = ask(call, &(struct request){.path = "/reload", .post = true}, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    const bool good = tables_reload(reply.text, stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : not_understood();
}

static int run_log_level(const struct call *call)
{
    return order(call, &(struct request){
                           .path = "/log", .post = true, .fields = {{"level", word(call, 0)}}});
}

static int end_token(bool made, const char *problem)
{
    if (!made)
        fprintf(stderr, "raimctl: no token: %s\n", problem);
    return made ? EXIT_SUCCESS : EXIT_REFUSED;
}

static int run_token_key(const struct call *call)
{
    const char *problem = NULL;
    const bool made = token_make_key(word(call, 0), &problem);
    return end_token(made, problem);
}

static int run_token_make(const struct call *call)
{
    const char *problem = NULL;
    struct token_options token = call->token;
    token.duration = call->duration;
    if (token.key == NULL || token.arena == NULL)
        return wrong("want --key FILE and --arena NAME", "token make");
    const bool made = token_make(&token, &problem);
    return end_token(made, problem);
}

static int run_token_show(const struct call *call)
{
    const char *problem = NULL;
    const bool shown = token_show(word(call, 0), stdout, &problem);
    return end_token(shown, problem);
}

// --- The command line ---

static const struct command commands[] = {
    {"status", run_status, 0, 0, "jw"},
    {"players", run_players, 0, 1, "j"},
    {"say", run_say, 1, 2, ""},
    {"kick", run_kick, 2, 3, ""},
    {"mute", run_mute, 2, 2, ""},
    {"unmute", run_unmute, 2, 2, ""},
    {"ban", run_ban, 1, 2, "f"},
    {"unban", run_unban, 1, 1, ""},
    {"bans", run_bans, 0, 0, "j"},
    {"drain", run_drain, 0, 0, "t"},
    {"arena add", run_arena_add, 1, 1, ""},
    {"arena remove", run_arena_remove, 1, 1, ""},
    {"arena pause", run_arena_pause, 1, 1, ""},
    {"arena resume", run_arena_resume, 1, 1, ""},
    {"arena map", run_arena_map, 2, 2, ""},
    {"reload", run_reload, 0, 0, ""},
    {"log level", run_log_level, 1, 1, ""},
    {"token key", run_token_key, 1, 1, ""},
    {"token make", run_token_make, 0, 0, "bfkanp"},
    {"token show", run_token_show, 1, 1, ""},
};

// How many words a command is that these begin with, one or two; 0 where they begin with another.
static int match_words(const char *name, int count, char **words)
{
    const size_t length = strcspn(name, " ");
    if (strncmp(words[0], name, length) != 0 || words[0][length] != '\0')
        return 0;
    if (name[length] == '\0')
        return 1;
    return count > 1 && strcmp(words[1], name + length + 1) == 0 ? 2 : 0;
}

static const struct command *find_command(int count, char **words, int *used)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        *used = match_words(commands[i].name, count, words);
        if (*used > 0)
            return &commands[i];
    }
    return NULL;
}

// Names the commands that these words could have begun.
static int wrong_command(const char *first)
{
    char known[128] = "";
    const size_t length = strlen(first);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *name = commands[i].name;
        if (strncmp(name, first, length) != 0 || name[length] != ' ')
            continue;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", name);
    }
    return known[0] != '\0' ? wrong("want one of", known) : wrong("no such command", first);
}

static int dispatch(struct call *call, const char *options, int count, char **words)
{
    if (count == 0)
        return wrong("want a command", "");
    int used;
    const struct command *command = find_command(count, words, &used);
    if (command == NULL)
        return wrong_command(words[0]);
    if (strspn(options, command->options) != strlen(options))
        return wrong("an option that does not belong here", command->name);
    call->count = count - used;
    call->words = words + used;
    if (call->count < command->least)
        return wrong("too few words", command->name);
    if (call->count > command->most)
        return wrong("too many words; quote a text with spaces", command->name);
    if (!request_init()) {
        fputs("raimctl: cannot start libcurl\n", stderr);
        return EXIT_REFUSED;
    }
    return command->run(call);
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"socket", required_argument, NULL, 's'},
        {"json", no_argument, NULL, 'j'},
        {"watch", no_argument, NULL, 'w'},
        {"timeout", required_argument, NULL, 't'},
        {"for", required_argument, NULL, 'f'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {"key", required_argument, NULL, 'k'},
        {"arena", required_argument, NULL, 'a'},
        {"name", required_argument, NULL, 'n'},
        {"not-before", required_argument, NULL, 'b'},
        {"server-key", required_argument, NULL, 'p'},
        {NULL, 0, NULL, 0},
    };
    struct call call = {.socket = RAIM_CONTROL_SOCKET};
    char options[16] = ""; // letters of those that belong to commands
    for (int option; (option = getopt_long(argc, argv, "s:Vh", known, NULL)) != -1;) {
        if (strchr("jwtfkanpb", option) != NULL && strchr(options, option) == NULL)
            options[strlen(options)] = (char)option;
        switch (option) {
        case 's':
            call.socket = optarg;
            break;
        case 'j':
            call.json = true;
            break;
        case 'w':
            call.watch = true;
            break;
        case 't':
            call.timeout = optarg;
            break;
        case 'f':
            call.duration = optarg;
            break;
        case 'k':
            call.token.key = optarg;
            break;
        case 'a':
            call.token.arena = optarg;
            break;
        case 'n':
            call.token.name = optarg;
            break;
        case 'b':
            call.token.not_before = optarg;
            break;
        case 'p':
            call.token.server_key = optarg;
            break;
        case 'V':
            puts("raimctl " RAIM_VERSION);
            return EXIT_SUCCESS;
        case 'h':
            print_usage(stdout);
            return EXIT_SUCCESS;
        default:
            fputs("Try 'raimctl --help'.\n", stderr);
            return EXIT_USAGE;
        }
    }
    return dispatch(&call, options, argc - optind, argv + optind);
}
