// SPDX-License-Identifier: MIT
// Splits lines into words, finds their commands, and fills in the fields.
#define _GNU_SOURCE
#include "text_commands.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)COMMAND_NOBODY == CONFIG_ADMIN_NONE && (int)COMMAND_HELP == CONFIG_ADMIN_HELP &&
                  (int)COMMAND_MODERATE == CONFIG_ADMIN_MODERATE &&
                  (int)COMMAND_OPERATE == CONFIG_ADMIN_OPERATE,
              "the levels of commands are those of admins");

struct line {
    const struct arena_list *arenas;
    const struct text_commands_source *source;
    struct command_call *call;
    char *answer;
    const char *rest;    // not read yet
    struct arena *arena; // that is meant; NULL: none or all
    char text[COMMAND_FIELD_BYTES];
};

// --- Lists ---

// A text that is being printed.
struct page {
    char *text;
    size_t length, capacity;
};

// Appends to a text what fits.
__attribute__((format(printf, 2, 3))) static void append(struct page *page, const char *format, ...)
{
    va_list arguments;
    const size_t room = page->capacity - page->length;
    va_start(arguments, format);
    const int printed = vsnprintf(page->text + page->length, room, format, arguments);
    va_end(arguments);
    if (printed > 0)
        page->length += (size_t)printed < room ? (size_t)printed : room - 1;
}

static void list_arena_players(struct page *page, struct arena *arena)
{
    const struct arena_status *status = arena_status(arena);
    append(page, "%s: %u players\n", arena_config(arena)->name, status->player_count);
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct arena_player *player = &status->players[i];
        append(page, "%u %s: %u points, ", player->match.id, player->match.name,
               player->match.score);
        if (player->match.bot)
            append(page, "bot\n");
        else if (player->match.away)
            append(page, "away\n");
        else
            append(page, "%u ms%s\n", player->ping_ms, player->match.muted ? ", muted" : "");
    }
}

static void list_arena_status(struct page *page, struct arena *arena)
{
    const struct arena_status *status = arena_status(arena);
    const struct config_arena *config = arena_config(arena);
    uint32_t bots = 0;
    for (uint32_t i = 0; i < status->player_count; i++)
        bots += status->players[i].match.bot;
    append(page, "hostname: %s\nversion : %s/17\nudp/ip  : %s:%u\nmap     : %s\n",
           config_shown_name(config), RAIM_VERSION, config->address, arena_port(arena),
           config->match.map->name);
    append(page, "players : %u humans, %u bots (%u max)\n\n", status->player_count - bots, bots,
           config->match.tuning.max_players);
    append(page, "# userid name uniqueid connected ping loss state\n");
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct arena_player *player = &status->players[i];
        const uint32_t seconds = player->match.played_ticks / config->match.tick_hz;
        if (player->match.bot)
            append(page, "# %u \"%s\" BOT active\n", player->match.id, player->match.name);
        else
            append(page, "# %u \"%s\" raim:%u %02u:%02u %u 0 %s\n", player->match.id,
                   player->match.name, player->match.id, seconds / 60, seconds % 60,
                   player->ping_ms, player->match.away ? "away" : "active");
    }
    append(page, "#end\n");
}

// The players of an arena, or of all with `arena` NULL: "1026 Ada: 3 points, 42 ms".
static void list_players(const struct arena_list *arenas, struct arena *arena, char *answer,
                         size_t capacity)
{
    struct page page = {.text = answer, .capacity = capacity};
    for (int i = 0; i < arenas->count; i++)
        if (arena == NULL || arenas->arenas[i] == arena)
            list_arena_players(&page, arenas->arenas[i]);
}

// As the command `status` of Source servers, for tools that know those: a block for each arena.
static void list_status(const struct arena_list *arenas, struct arena *arena, char *answer,
                        size_t capacity)
{
    struct page page = {.text = answer, .capacity = capacity};
    for (int i = 0; i < arenas->count; i++)
        if (arena == NULL || arenas->arenas[i] == arena)
            list_arena_status(&page, arenas->arenas[i]);
}

// What is answered here, as text.
static const struct question {
    const char *name, *help;
    void (*answer)(const struct arena_list *arenas, struct arena *arena, char *answer,
                   size_t capacity); // NULL: the list of commands
} questions[] = {
    {"help", "lists your commands", NULL},
    {"list", "players with their ids", list_players},
    {"players", "the same", list_players},
    {"status", "arenas and players, as tools for Source servers read it", list_status},
};

#define QUESTIONS (sizeof questions / sizeof *questions)

// Answers the line with a problem. Returns false.
__attribute__((format(printf, 2, 3))) static bool reject(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->answer, TEXT_COMMANDS_ANSWER_BYTES - 1, format, arguments);
    va_end(arguments);
    strcat(line->answer, "\n");
    return false;
}

// --- Names and usage ---

// The name of a command in a line.
static const char *name_of(const struct command_row *row)
{
    static const char arena[] = "arena ";
    return strncmp(row->name, arena, sizeof arena - 1) == 0 ? row->name + sizeof arena - 1
                                                            : row->name;
}

static void print_usage(const struct command_row *row, char *usage, size_t capacity)
{
    int length = snprintf(usage, capacity, "%s", name_of(row));
    for (int i = 0; i < COMMAND_FIELDS; i++) {
        const enum command_field field = (enum command_field)i;
        if (!command_is_word_of_text(row, field))
            continue;
        const bool is_needed = command_needs_word_of_text(row, field);
        const bool is_player = i == FIELD_ADDRESS && command_has(row, FIELD_PLAYER);
        length +=
            snprintf(usage + length, capacity - (size_t)length, is_needed ? " %s%s" : " [%s%s]",
                     is_player ? "PLAYER|" : "", command_fields[i].word);
    }
}

// Answers the line with how it is written. Returns false.
static bool reject_words(struct line *line)
{
    char usage[256];
    print_usage(line->call->row, usage, sizeof usage);
    return reject(line, "want: %s", usage);
}

static void answer_help(const struct line *line)
{
    size_t length = 0;
    for (size_t i = 0; i < QUESTIONS; i++)
        length += (size_t)snprintf(line->answer + length, TEXT_COMMANDS_ANSWER_BYTES - length,
                                   "%s: %s\n", questions[i].name, questions[i].help);
    for (int i = 0; i < command_count; i++) {
        char usage[256];
        const struct command_row *row = &command_rows[i];
        if (row->level == COMMAND_NOBODY || (int)line->source->level < (int)row->level)
            continue;
        print_usage(row, usage, sizeof usage);
        length += (size_t)snprintf(line->answer + length, TEXT_COMMANDS_ANSWER_BYTES - length,
                                   "%s: %s\n", usage, row->help);
    }
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

static bool set_field(struct line *line, enum command_field field, const char *value)
{
    snprintf(line->call->fields[field], COMMAND_FIELD_BYTES, "%s", value);
    return true;
}

static bool is_number(const char *text)
{
    const size_t length = strspn(text, "0123456789");
    return length > 0 && length <= 9 && text[length] == '\0';
}

// The player with a word as id or whole name, in the given arena or in all.
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
        reject(line, "no player \"%s\": give an id or a full name from the list", line->text);
    else
        reject(line, "\"%s\" is in %u arenas: begin with @ARENA", line->text, count);
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
    line->arena = where;
    return set_field(line, FIELD_PLAYER, id);
}

static bool read_address(struct line *line)
{
    struct ip_address network;
    uint32_t prefix;
    struct arena *where;
    char text[BANS_NETWORK_BYTES];
    if (bans_parse(line->text, &network, &prefix))
        return set_field(line, FIELD_ADDRESS, line->text);
    const struct arena_player *player = find_player(line, &where);
    if (player == NULL)
        return false;
    if (ip_address_is_none(player->address))
        return reject(line, "\"%s\" has no address", line->text);
    bans_print_address(player->address, text);
    return set_field(line, FIELD_ADDRESS, text);
}

// Whether a word is a duration: "90s", "10m", "2h", "7d"; it is then the field.
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
    return set_field(line, FIELD_SECONDS, text);
}

static bool read_field(struct line *line, enum command_field field)
{
    const char *before = line->rest;
    const bool is_rest = field == FIELD_TEXT || field == FIELD_REASON;
    if (!(is_rest ? next_text(line) : next_word(line)))
        return !command_needs_word_of_text(line->call->row, field) || reject_words(line);
    if (field == FIELD_PLAYER)
        return read_player(line);
    if (field == FIELD_ADDRESS)
        return read_address(line);
    if (field != FIELD_SECONDS)
        return set_field(line, field, line->text);
    if (!take_duration(line))
        line->rest = before; // the reason begins here
    return true;
}

// --- Lines ---

static struct arena *find_arena(const struct arena_list *arenas, const char *name)
{
    const int index = arena_list_find(arenas, name);
    return index >= 0 ? arenas->arenas[index] : NULL;
}

// Reads "@ARENA", if the line begins so; otherwise the arena of who gives it is meant.
static bool read_arena(struct line *line)
{
    line->rest += strspn(line->rest, " ");
    if (line->rest[0] != '@') {
        if (line->source->arena[0] != '\0')
            line->arena = find_arena(line->arenas, line->source->arena);
        return true;
    }
    line->rest++;
    next_word(line);
    line->arena = find_arena(line->arenas, line->text);
    line->rest += strspn(line->rest, " ");
    return line->arena != NULL || reject(line, "no such arena: \"%s\"", line->text);
}

// Whether the rest of a line begins with a name, which may be of two words.
static bool begins_with(const struct line *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line->rest, name, length) == 0 &&
           (line->rest[length] == ' ' || line->rest[length] == '\0');
}

// The question that a line asks; NULL: none.
static const struct question *find_question(const struct line *line)
{
    for (size_t i = 0; i < QUESTIONS; i++)
        if (begins_with(line, questions[i].name))
            return &questions[i];
    return NULL;
}

static bool answer_question(struct line *line, const struct question *question)
{
    if (line->rest[strlen(question->name)] != '\0')
        return reject(line, "want: %s", question->name);
    if (question->answer != NULL)
        question->answer(line->arenas, line->arena, line->answer, TEXT_COMMANDS_ANSWER_BYTES);
    else
        answer_help(line);
    return false;
}

// Reads the name of a command.
static bool read_name(struct line *line)
{
    const struct command_row *row = NULL;
    for (int i = 0; i < command_count && row == NULL; i++)
        if (command_rows[i].level != COMMAND_NOBODY &&
            (begins_with(line, command_rows[i].name) ||
             begins_with(line, name_of(&command_rows[i]))))
            row = &command_rows[i];
    if (row == NULL) {
        next_word(line);
        return reject(line, "no such command: \"%s\"; help lists them", line->text);
    }
    line->rest += strlen(begins_with(line, row->name) ? row->name : name_of(row));
    line->call->row = row;
    return (int)line->source->level >= (int)row->level ||
           reject(line, "\"%s\" needs the level %s; yours is %s", name_of(row),
                  config_admin_level_name((enum config_admin_level)row->level),
                  config_admin_level_name(line->source->level));
}

// Fills in the arena of a command that has none yet.
static bool set_arena(struct line *line)
{
    const struct command_row *row = line->call->row;
    if (!command_has(row, FIELD_ARENA) || command_has(row, FIELD_ADDRESS) ||
        command_is_word_of_text(row, FIELD_ARENA))
        return true;
    if (line->arena == NULL && line->arenas->count == 1)
        line->arena = line->arenas->arenas[0];
    if (line->arena == NULL)
        return (row->needs & COMMAND_BIT(FIELD_ARENA)) == 0 ||
               reject(line, "several arenas are running: begin with @ARENA");
    return set_field(line, FIELD_ARENA, arena_config(line->arena)->name);
}

static bool read_fields(struct line *line)
{
    for (int i = 0; i < COMMAND_FIELDS; i++)
        if (command_is_word_of_text(line->call->row, (enum command_field)i) &&
            !read_field(line, (enum command_field)i))
            return false;
    if (line->rest[strspn(line->rest, " ")] != '\0')
        return reject_words(line);
    return set_arena(line);
}

bool text_commands_read(const struct arena_list *arenas, const struct text_commands_source *source,
                        const char *text, struct command_call *call,
                        char answer[TEXT_COMMANDS_ANSWER_BYTES])
{
    struct line line = {
        .arenas = arenas, .source = source, .call = call, .answer = answer, .rest = text};
    *call = (struct command_call){.via = source->via};
    answer[0] = '\0';
    if (!read_arena(&line))
        return false;
    const struct question *question = find_question(&line);
    if (question != NULL && source->level > CONFIG_ADMIN_NONE)
        return answer_question(&line, question);
    if (!read_name(&line) || !read_fields(&line))
        return false;
    command_log_set_by(call->by, source->by);
    return true;
}

// --- Answers ---

// Copies the text of {"error":"..."}, or another document as it is.
static void print_document(const char *document, char *answer)
{
    static const char begin[] = "{\"error\":\"", line_feed[] = "\\u000a";
    size_t length = 0;
    if (strncmp(document, begin, sizeof begin - 1) != 0) {
        snprintf(answer, TEXT_COMMANDS_ANSWER_BYTES, "%s", document);
        return;
    }
    for (const char *at = document + sizeof begin - 1; *at != '\0' && *at != '"'; at++) {
        const bool is_line_feed = strncmp(at, line_feed, sizeof line_feed - 1) == 0;
        if (is_line_feed)
            at += sizeof line_feed - 2;
        else
            at += *at == '\\' && at[1] != '\0';
        if (length < TEXT_COMMANDS_ANSWER_BYTES - 2)
            answer[length++] = is_line_feed ? '\n' : *at;
    }
    strcpy(answer + length, "\n");
}

void text_commands_answer(const struct command_call *call, char answer[TEXT_COMMANDS_ANSWER_BYTES])
{
    // The document about changed bans says no more than that it is done.
    if (call->problem != NULL)
        snprintf(answer, TEXT_COMMANDS_ANSWER_BYTES, "%s\n", call->problem);
    else if (call->text != NULL && !call->changes_bans)
        print_document(call->text, answer);
    else
        strcpy(answer, "done\n");
}
