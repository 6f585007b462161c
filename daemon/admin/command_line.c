// SPDX-License-Identifier: MIT
// Splits lines into words, finds their verbs, and fills in the fields of commands.
#define _GNU_SOURCE
#include "command_line.h"

#include "admin_fields.h"
#include "bans.h"
#include "command_line_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 3 };

// What the words behind a verb are. The last one, if it is a text, is the rest of the line.
enum word {
    WORD_NONE,
    WORD_PLAYER,   // an id or a name
    WORD_ADDRESS,  // or a player, whose address is meant
    WORD_DURATION, // may be left out: "90s", "10m", "2h", "7d"
    WORD_SECONDS,  // may be left out
    WORD_NAME,     // of an arena
    WORD_MAP,
    WORD_LEVEL,
    WORD_TEXT,   // the rest
    WORD_REASON, // the rest; may be left out
};

// Which arena a command is for.
enum scope { ANY_ARENA, ONE_ARENA, EVERY_ARENA };

struct line {
    const struct arena_list *arenas;
    const struct command_line_giver *giver;
    struct admin_command *command;
    char *answer;
    const char *rest; // not read yet
    const struct verb *verb;
    struct arena *arena; // that is meant; NULL: none or all
    char text[ADMIN_FIELD_BYTES];
};

typedef void list(const struct arena_list *arenas, struct arena *arena, char *answer,
                  size_t capacity);

struct verb {
    const char *name, *usage, *help;
    enum config_admin_level level;
    enum scope scope;
    const char *path; // of the command's route; NULL: `list` answers
    list *list;
    enum word words[MOST_WORDS];
};

static const struct verb verbs[] = {
    {"help", "help", "lists what you may do", CONFIG_ADMIN_HELP, ANY_ARENA, NULL, NULL, {0}},
    {"list",
     "list",
     "players with their ids",
     CONFIG_ADMIN_HELP,
     EVERY_ARENA,
     NULL,
     command_line_list_players,
     {0}},
    {"players",
     "players",
     "the same",
     CONFIG_ADMIN_HELP,
     EVERY_ARENA,
     NULL,
     command_line_list_players,
     {0}},
    {"status",
     "status",
     "arenas and players, as tools for Source servers read it",
     CONFIG_ADMIN_HELP,
     EVERY_ARENA,
     NULL,
     command_line_list_status,
     {0}},
    {"say",
     "say TEXT",
     "speaks as the server",
     CONFIG_ADMIN_HELP,
     EVERY_ARENA,
     "/say",
     NULL,
     {WORD_TEXT}},
    {"mute",
     "mute PLAYER",
     "refuses a player's chat",
     CONFIG_ADMIN_HELP,
     ONE_ARENA,
     "/mute",
     NULL,
     {WORD_PLAYER}},
    {"unmute",
     "unmute PLAYER",
     "lifts the mute",
     CONFIG_ADMIN_HELP,
     ONE_ARENA,
     "/unmute",
     NULL,
     {WORD_PLAYER}},
    {"kick",
     "kick PLAYER [REASON]",
     "ends a session",
     CONFIG_ADMIN_MODERATE,
     ONE_ARENA,
     "/kick",
     NULL,
     {WORD_PLAYER, WORD_REASON}},
    {"ban",
     "ban PLAYER|ADDRESS[/PREFIX] [90s|10m|2h|7d] [REASON]",
     "keeps an address away",
     CONFIG_ADMIN_MODERATE,
     ANY_ARENA,
     "/ban",
     NULL,
     {WORD_ADDRESS, WORD_DURATION, WORD_REASON}},
    {"unban",
     "unban ADDRESS[/PREFIX]",
     "lifts a ban",
     CONFIG_ADMIN_MODERATE,
     ANY_ARENA,
     "/unban",
     NULL,
     {WORD_ADDRESS}},
    {"pause",
     "pause",
     "stops the round",
     CONFIG_ADMIN_MODERATE,
     ONE_ARENA,
     "/arena/pause",
     NULL,
     {0}},
    {"resume", "resume", "goes on", CONFIG_ADMIN_MODERATE, ONE_ARENA, "/arena/resume", NULL, {0}},
    {"map",
     "map FILE",
     "begins a round on another map",
     CONFIG_ADMIN_MODERATE,
     ONE_ARENA,
     "/arena/map",
     NULL,
     {WORD_MAP}},
    {"reload",
     "reload",
     "reads the configuration again",
     CONFIG_ADMIN_OPERATE,
     ANY_ARENA,
     "/reload",
     NULL,
     {0}},
    {"add",
     "add ARENA",
     "starts an arena of the configuration",
     CONFIG_ADMIN_OPERATE,
     ANY_ARENA,
     "/arena/add",
     NULL,
     {WORD_NAME}},
    {"remove",
     "remove ARENA",
     "ends an arena",
     CONFIG_ADMIN_OPERATE,
     ANY_ARENA,
     "/arena/remove",
     NULL,
     {WORD_NAME}},
    {"drain",
     "drain [SECONDS]",
     "admits nobody, and ends",
     CONFIG_ADMIN_OPERATE,
     ANY_ARENA,
     "/drain",
     NULL,
     {WORD_SECONDS}},
    {"log",
     "log LEVEL",
     "error, warning or info",
     CONFIG_ADMIN_OPERATE,
     ANY_ARENA,
     "/log",
     NULL,
     {WORD_LEVEL}},
};

#define VERBS (sizeof verbs / sizeof *verbs)

// Answers the line with a problem. Returns false.
__attribute__((format(printf, 2, 3))) static bool refuse(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->answer, COMMAND_LINE_ANSWER_BYTES - 1, format, arguments);
    va_end(arguments);
    strcat(line->answer, "\n");
    return false;
}

// --- Words ---

// Reads the next word into `text`; "a name" is one word. Returns false, with "", at the end of the
// line; a word that is too long is cut.
static bool next_word(struct line *line)
{
    const char *at = line->rest + strspn(line->rest, " ");
    const char end = *at == '"' ? '"' : ' ';
    size_t length = 0;
    at += end == '"';
    for (; *at != '\0' && *at != end; at++)
        if (length < sizeof line->text - 1)
            line->text[length++] = *at;
    line->text[length] = '\0';
    line->rest = at + (*at != '\0');
    return length > 0;
}

// Reads the rest of the line.
static bool next_text(struct line *line)
{
    const char *at = line->rest + strspn(line->rest, " ");
    snprintf(line->text, sizeof line->text, "%.*s", (int)sizeof line->text - 1, at);
    line->rest = at + strlen(at);
    return line->text[0] != '\0';
}

static void set_field(struct line *line, enum admin_commands_field_kind field, const char *value)
{
    snprintf(line->command->fields[field], ADMIN_FIELD_BYTES, "%s", value);
}

static bool is_number(const char *text)
{
    const size_t length = strspn(text, "0123456789");
    return length > 0 && length <= 9 && text[length] == '\0';
}

// The player whom a word names by its id or its whole name, in the arena that is meant or in all.
static const struct arena_player *find_player(struct line *line, struct arena **where)
{
    const bool is_id = is_number(line->text);
    const struct arena_player *found = NULL;
    uint32_t count = 0;
    for (int i = 0; i < line->arenas->count; i++) {
        struct arena *arena = line->arenas->arenas[i];
        if (line->arena != NULL && arena != line->arena)
            continue;
        const struct arena_status *status = arena_status(arena);
        for (uint32_t p = 0; p < status->player_count; p++) {
            const struct arena_player *player = &status->players[p];
            if (is_id ? player->match.id != (uint32_t)atol(line->text)
                      : strcasecmp(player->match.name, line->text) != 0)
                continue;
            found = player;
            *where = arena;
            count++;
        }
    }
    if (count == 1)
        return found;
    if (count == 0)
        refuse(line, "no player \"%s\": want an id or a whole name of the list", line->text);
    else
        refuse(line, "\"%s\" is in %u arenas: put @ARENA in front", line->text, count);
    return NULL;
}

static bool read_player(struct line *line)
{
    char id[16];
    struct arena *where;
    const struct arena_player *player = find_player(line, &where);
    if (player == NULL)
        return false;
    snprintf(id, sizeof id, "%u", player->match.id);
    set_field(line, ADMIN_PLAYER, id);
    line->arena = where;
    return true;
}

static bool read_address(struct line *line)
{
    struct ip_address network;
    uint32_t prefix;
    struct arena *where;
    char text[BANS_NETWORK_BYTES];
    if (bans_parse(line->text, &network, &prefix)) {
        set_field(line, ADMIN_ADDRESS, line->text);
        return true;
    }
    const struct arena_player *player = find_player(line, &where);
    if (player == NULL)
        return false;
    if (ip_address_is_none(player->address))
        return refuse(line, "\"%s\" has no address", line->text);
    bans_print_address(player->address, text);
    set_field(line, ADMIN_ADDRESS, text);
    return true;
}

// Whether a word is a duration; it is then the field.
static bool take_duration(struct line *line)
{
    static const char units[] = "smhd";
    static const long seconds[] = {1, 60, 3600, 86400};
    const size_t length = strspn(line->text, "0123456789");
    const char *unit = line->text[length] != '\0' ? strchr(units, line->text[length]) : NULL;
    char text[32];
    if (length < 1 || length > 6 || unit == NULL || line->text[length + 1] != '\0')
        return false;
    snprintf(text, sizeof text, "%ld", atol(line->text) * seconds[unit - units]);
    set_field(line, ADMIN_SECONDS, text);
    return true;
}

static bool read_word(struct line *line, enum word word)
{
    const char *before = line->rest;
    const bool is_rest = word == WORD_TEXT || word == WORD_REASON;
    const bool has_word = is_rest ? next_text(line) : next_word(line);
    const bool is_optional = word == WORD_DURATION || word == WORD_SECONDS || word == WORD_REASON;
    if (!has_word)
        return is_optional || refuse(line, "want: %s", line->verb->usage);
    switch (word) {
    case WORD_PLAYER:
        return read_player(line);
    case WORD_ADDRESS:
        return read_address(line);
    case WORD_DURATION:
        if (!take_duration(line))
            line->rest = before; // the reason begins here
        return true;
    case WORD_SECONDS:
        set_field(line, ADMIN_SECONDS, line->text);
        return true;
    case WORD_NAME:
        set_field(line, ADMIN_ARENA, line->text);
        return true;
    case WORD_MAP:
        set_field(line, ADMIN_MAP, line->text);
        return true;
    case WORD_LEVEL:
        set_field(line, ADMIN_LEVEL, line->text);
        return true;
    case WORD_TEXT:
        set_field(line, ADMIN_TEXT, line->text);
        return true;
    case WORD_REASON:
        set_field(line, ADMIN_REASON, line->text);
        return true;
    case WORD_NONE:
        break;
    }
    return true;
}

// --- Lines ---

static struct arena *find_arena(const struct arena_list *arenas, const char *name)
{
    const int index = arena_list_find(arenas, name);
    return index >= 0 ? arenas->arenas[index] : NULL;
}

// Reads "@ARENA", if the line begins so; otherwise the giver's arena is meant.
static bool read_arena(struct line *line)
{
    line->rest += strspn(line->rest, " ");
    if (line->rest[0] != '@') {
        if (line->giver->arena[0] != '\0')
            line->arena = find_arena(line->arenas, line->giver->arena);
        return true;
    }
    line->rest++;
    next_word(line);
    line->arena = find_arena(line->arenas, line->text);
    return line->arena != NULL || refuse(line, "no such arena: \"%s\"", line->text);
}

// Whether the rest of a line begins with a verb, which may be of two words.
static bool begins_with(const struct line *line, const char *verb)
{
    const size_t length = strlen(verb);
    return strncmp(line->rest, verb, length) == 0 &&
           (line->rest[length] == ' ' || line->rest[length] == '\0');
}

static bool read_verb(struct line *line)
{
    line->rest += strspn(line->rest, " ");
    for (size_t i = 0; i < VERBS && line->verb == NULL; i++)
        if (begins_with(line, verbs[i].name))
            line->verb = &verbs[i];
    if (line->verb == NULL) {
        next_word(line);
        return refuse(line, "no such command: \"%s\"; help lists them", line->text);
    }
    line->rest += strlen(line->verb->name);
    if (line->giver->level < line->verb->level)
        return refuse(line, "\"%s\" is for the level %s, and yours is %s", line->verb->name,
                      config_admin_level_name(line->verb->level),
                      config_admin_level_name(line->giver->level));
    return true;
}

static void answer_help(const struct line *line)
{
    size_t length = 0;
    for (size_t i = 0; i < VERBS; i++)
        if (line->giver->level >= verbs[i].level)
            length += (size_t)snprintf(line->answer + length, COMMAND_LINE_ANSWER_BYTES - length,
                                       "%s: %s\n", verbs[i].usage, verbs[i].help);
}

// Fills in the arena of a command that has none yet.
static bool set_arena(struct line *line)
{
    if (line->verb->scope == ANY_ARENA)
        return true;
    if (line->arena == NULL && line->arenas->count == 1)
        line->arena = line->arenas->arenas[0];
    if (line->arena == NULL)
        return line->verb->scope == EVERY_ARENA ||
               refuse(line, "several arenas run: put @ARENA in front");
    set_field(line, ADMIN_ARENA, arena_config(line->arena)->name);
    return true;
}

static bool read_words(struct line *line)
{
    for (int i = 0; i < MOST_WORDS && line->verb->words[i] != WORD_NONE; i++)
        if (!read_word(line, line->verb->words[i]))
            return false;
    if (line->rest[strspn(line->rest, " ")] != '\0')
        return refuse(line, "want: %s", line->verb->usage);
    return set_arena(line);
}

bool command_line_read(const struct arena_list *arenas, const struct command_line_giver *giver,
                       const char *text, struct admin_command *command,
                       char answer[COMMAND_LINE_ANSWER_BYTES])
{
    struct line line = {
        .arenas = arenas, .giver = giver, .command = command, .answer = answer, .rest = text};
    bool path_is_known;
    *command = (struct admin_command){.via = giver->via};
    answer[0] = '\0';
    if (!read_arena(&line) || !read_verb(&line) || !read_words(&line))
        return false;
    if (line.verb->path == NULL) {
        if (line.verb->list != NULL)
            line.verb->list(arenas, line.arena, answer, COMMAND_LINE_ANSWER_BYTES);
        else
            answer_help(&line);
        return false;
    }
    command->route = admin_commands_find(line.verb->path, "POST", &path_is_known);
    order_log_set_by(command->by, giver->by);
    return true;
}

// --- Answers ---

// Copies the text of {"error":"..."}, or another document as it is.
static void print_document(const char *document, char *answer)
{
    static const char begin[] = "{\"error\":\"";
    size_t length = 0;
    if (strncmp(document, begin, sizeof begin - 1) != 0) {
        snprintf(answer, COMMAND_LINE_ANSWER_BYTES, "%s", document);
        return;
    }
    for (const char *at = document + sizeof begin - 1; *at != '\0' && *at != '"'; at++) {
        at += *at == '\\' && at[1] != '\0';
        if (length < COMMAND_LINE_ANSWER_BYTES - 2)
            answer[length++] = at[-1] == '\\' && *at == 'n' ? '\n' : *at;
    }
    strcpy(answer + length, "\n");
}

// Whether the document that a command answers with says no more than that it is done.
static bool has_plain_answer(const struct admin_commands_route *route)
{
    return strcmp(route->path, "/ban") == 0 || strcmp(route->path, "/unban") == 0;
}

void command_line_answer(const struct admin_command *command,
                         char answer[COMMAND_LINE_ANSWER_BYTES])
{
    if (command->problem != NULL)
        snprintf(answer, COMMAND_LINE_ANSWER_BYTES, "%s\n", command->problem);
    else if (command->text != NULL && (command->status != 0 || !has_plain_answer(command->route)))
        print_document(command->text, answer);
    else
        strcpy(answer, "done\n");
}
