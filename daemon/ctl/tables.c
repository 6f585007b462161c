// SPDX-License-Identifier: MIT
// Formats JSON documents as tables.
#define _GNU_SOURCE
#include "tables.h"

#include "columns.h"
#include "duration.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NAMES = 8 }; // of an arena that drains

// Formats seconds as "3d 04:05:06", without days if there are none.
static void format_duration(char text[32], long long seconds)
{
    int length = 0;
    if (seconds >= 86400)
        length = snprintf(text, 32, "%lldd ", seconds / 86400);
    snprintf(text + length, (size_t)(32 - length), "%02lld:%02lld:%02lld", seconds / 3600 % 24,
             seconds / 60 % 60, seconds % 60);
}

// Adds the cells of a row; `context` is the caller's.
typedef void add_row_function(struct columns *columns, const json_t *row, const char *context);

// Prints a list of a document as a table. Returns false if there is no such list.
static bool print_rows(const json_t *document, const char *list, const char *titles,
                       add_row_function *add_row, const char *context, FILE *out)
{
    const json_t *rows = json_object_get(document, list), *row;
    size_t i;
    if (!json_is_array(rows))
        return false;
    struct columns *columns = columns_create(titles);
    json_array_foreach(rows, i, row) add_row(columns, row, context);
    return columns_print(columns, out);
}

// The same of the text of a document.
static bool print_table(const char *text, const char *list, const char *titles,
                        add_row_function *add_row, const char *context, FILE *out)
{
    json_t *document = json_loads(text, 0, NULL);
    const bool is_good = print_rows(document, list, titles, add_row, context, out);
    json_decref(document);
    return is_good;
}

static void add_arena(struct columns *columns, const json_t *arena, const char *context)
{
    (void)context;
    const json_t *tick_us = json_object_get(arena, "tick_us");
    const json_t *players = json_object_get(arena, "players"), *player;
    long long bots = 0;
    size_t i;
    json_array_foreach(players, i, player) bots += json_is_true(json_object_get(player, "bot"));
    columns_add(columns, text_of(arena, "name"));
    columns_add(columns, text_of(arena, "map"));
    columns_add(columns, text_of(json_object_get(arena, "round"), "phase"));
    columns_add_number(columns, number_of(arena, "port"));
    columns_add_number(columns, (long long)json_array_size(players) - bots);
    columns_add_number(columns, bots);
    columns_add_number(columns, number_of(arena, "spectators"));
    columns_add_number(columns, number_of(tick_us, "p50"));
    columns_add_number(columns, number_of(tick_us, "p99"));
    columns_add_number(columns, number_of(arena, "late_ticks"));
    const char *hostname = text_of(arena, "hostname");
    columns_add(columns, strcmp(hostname, "-") != 0 && strcmp(hostname, text_of(arena, "name")) != 0
                             ? hostname
                             : "");
}

bool tables_status(const char *text, FILE *out)
{
    json_t *status = json_loads(text, 0, NULL);
    const json_t *players = json_object_get(status, "players");
    bool good = json_is_array(json_object_get(status, "arenas")) && json_is_object(players);
    if (good) {
        char uptime[32];
        format_duration(uptime, number_of(status, "uptime_s"));
        fprintf(out,
                "raimd %s, up %s, workers %lld, players %lld of %lld, bots %lld, spectators "
                "%lld\n",
                text_of(status, "version"), uptime, number_of(status, "workers"),
                number_of(players, "now"), number_of(players, "max"), number_of(players, "bots"),
                number_of(players, "spectators"));
        good = print_rows(
            status, "arenas",
            "ARENA|MAP|PHASE|>PORT|>PLAYERS|>BOTS|>WATCH|>P50(us)|>P99(us)|>LATE|HOSTNAME",
            add_arena, NULL, out);
    }
    json_decref(status);
    return good;
}

static void add_player(struct columns *columns, const json_t *player, const char *arena)
{
    if (arena != NULL && strcmp(arena, text_of(player, "arena")) != 0)
        return;
    columns_add(columns, text_of(player, "arena"));
    columns_add_number(columns, number_of(player, "id"));
    columns_add(columns, text_of(player, "name"));
    columns_add(columns, text_of(player, "address"));
    columns_add_number(columns, number_of(player, "score"));
    columns_add_number(columns, number_of(player, "deaths"));
    columns_add_number(columns, number_of(player, "ping_ms"));
    columns_add(columns, json_is_true(json_object_get(player, "bot"))     ? "bot"
                         : json_is_true(json_object_get(player, "away"))  ? "away"
                         : json_is_true(json_object_get(player, "muted")) ? "muted"
                                                                          : "");
}

bool tables_players(const char *text, const char *arena, FILE *out)
{
    return print_table(text, "players", "ARENA|>ID|NAME|ADDRESS|>SCORE|>DEATHS|>PING|", add_player,
                       arena, out);
}

// Writes a time of UTC; "-" for none.
static void format_date(char *text, size_t capacity, const json_t *seconds)
{
    struct tm date;
    const time_t when = (time_t)json_integer_value(seconds);
    if (!json_is_integer(seconds) || gmtime_r(&when, &date) == NULL ||
        strftime(text, capacity, "%Y-%m-%dT%H:%M:%SZ", &date) == 0)
        snprintf(text, capacity, "-");
}

static void add_ban(struct columns *columns, const json_t *ban, const char *context)
{
    (void)context;
    const json_t *left = json_object_get(ban, "left_s");
    char shown[32] = "for ever";
    if (json_is_integer(left))
        format_duration(shown, (long long)json_integer_value(left));
    columns_add(columns, text_of(ban, "address"));
    columns_add(columns, shown);
    format_date(shown, sizeof shown, json_object_get(ban, "until_s"));
    columns_add(columns, shown);
    columns_add(columns, text_of(ban, "by"));
    columns_add(columns, text_of(ban, "reason"));
}

bool tables_bans(const char *text, FILE *out)
{
    return print_table(text, "bans", "ADDRESS|LEFT|UNTIL|BY|REASON", add_ban, NULL, out);
}

static void add_vote(struct columns *columns, const json_t *arena, const char *name)
{
    char minutes[32];
    const json_t *vote = json_object_get(arena, "vote");
    if (!json_is_object(vote) || (name != NULL && strcmp(name, text_of(arena, "name")) != 0))
        return;
    const char *about = text_of(vote, "target");
    if (json_is_string(json_object_get(vote, "map")))
        about = text_of(vote, "map");
    if (json_is_integer(json_object_get(vote, "minutes"))) {
        snprintf(minutes, sizeof minutes, "%lld min", number_of(vote, "minutes"));
        about = minutes;
    }
    columns_add(columns, text_of(arena, "name"));
    columns_add(columns, text_of(vote, "kind"));
    columns_add(columns, about);
    columns_add(columns, text_of(vote, "caller"));
    columns_add_number(columns, number_of(vote, "yes"));
    columns_add_number(columns, number_of(vote, "no"));
    columns_add_number(columns, number_of(vote, "needed"));
    columns_add_number(columns, (long long)json_number_value(json_object_get(vote, "left_s")));
    columns_add(columns, text_of(vote, "reason"));
}

bool tables_votes(const char *text, const char *name, FILE *out)
{
    return print_table(text, "arenas", "ARENA|VOTE|ABOUT|CALLER|>YES|>NO|>NEEDED|>LEFT(s)|REASON",
                       add_vote, name, out);
}

// Writes each line of a list after the prefix `what`; returns the number of lines.
static size_t write_lines(FILE *out, const json_t *list, const char *what)
{
    size_t i;
    const json_t *line;
    json_array_foreach(list, i, line)
    {
        fputs(what, out);
        columns_write_text(out, json_string_value(line));
        fputc('\n', out);
    }
    return json_array_size(list);
}

bool tables_reload(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *applied = json_object_get(answer, "applied");
    const json_t *restart = json_object_get(answer, "restart");
    const bool good = json_is_array(applied) && json_is_array(restart);
    if (good) {
        write_lines(out, json_object_get(answer, "warnings"), "");
        const size_t changes =
            write_lines(out, applied, "applied: ") + write_lines(out, restart, "needs a restart: ");
        if (changes == 0)
            fputs("nothing has changed\n", out);
    }
    json_decref(answer);
    return good;
}

void tables_print_mistakes(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    write_lines(out, json_object_get(answer, "mistakes"), "");
    json_decref(answer);
}

void tables_problem(const char *text, char *problem, size_t capacity)
{
    json_t *answer = json_loads(text, 0, NULL);
    const char *words = json_string_value(json_object_get(answer, "error"));
    snprintf(problem, capacity, "%s", words != NULL ? words : "");
    json_decref(answer);
}

bool tables_has_arena(const char *text, const char *name)
{
    json_t *status = json_loads(text, 0, NULL);
    const json_t *arenas = json_object_get(status, "arenas"), *arena;
    bool has_it = false;
    size_t i;
    json_array_foreach(arenas, i, arena) has_it |= strcmp(text_of(arena, "name"), name) == 0;
    json_decref(status);
    return has_it;
}

// Writes the names of an arena's connected players, the first few of many.
static void write_names(FILE *out, const json_t *arena)
{
    size_t i;
    int names = 0;
    const json_t *player;
    json_array_foreach(json_object_get(arena, "players"), i, player)
    {
        if (json_is_true(json_object_get(player, "bot")) ||
            json_is_true(json_object_get(player, "away")) || names++ > MOST_NAMES)
            continue;
        if (names == 1)
            fprintf(out, "; %s: ", text_of(arena, "name"));
        else
            fputs(", ", out);
        columns_write_text(out, names <= MOST_NAMES ? text_of(player, "name") : "...");
    }
}

long tables_players_left(const char *text, long shown, FILE *out)
{
    size_t i;
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *arena, *now = json_object_get(json_object_get(answer, "players"), "now");
    const long count = json_is_integer(now) ? (long)json_integer_value(now) : -1;
    if (count != shown) {
        fprintf(out, "draining: %ld player%s left", count, count == 1 ? "" : "s");
        json_array_foreach(json_object_get(answer, "arenas"), i, arena) write_names(out, arena);
        fputc('\n', out);
    }
    json_decref(answer);
    return count;
}

// Writes a line of a document; the text may be anybody's.
static void print_line(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%-10s ", name);
    columns_write_text(out, text);
    fputc('\n', out);
}

// Writes the strings of a list with commas between them; nothing if there are none.
static void print_list(FILE *out, const char *name, const json_t *list)
{
    size_t i;
    const json_t *value;
    json_array_foreach(list, i, value)
    {
        fprintf(out, "%-*s", i == 0 ? 11 : 2, i == 0 ? name : ",");
        columns_write_text(out, json_string_value(value));
    }
    if (json_array_size(list) > 0)
        fputc('\n', out);
}

bool arena_print(const char *json, FILE *out)
{
    json_t *arena = json_loads(json, 0, NULL);
    const json_t *access = json_object_get(arena, "access"), *value;
    const bool good = json_is_string(json_object_get(arena, "id"));
    const char *name;
    if (good) {
        print_line(out, "id", text_of(arena, "id"));
        print_line(out, "state", text_of(arena, "state"));
        print_line(out, "template", text_of(arena, "template"));
        print_line(out, "map", text_of(arena, "map"));
        const char *address = text_of(arena, "address");
        const bool is_v6 = strchr(address, ':') != NULL;
        fprintf(out, "%-10s %s%s%s:%lld\n", "address", is_v6 ? "[" : "", address, is_v6 ? "]" : "",
                number_of(arena, "port"));
        fprintf(out, "%-10s %lld of %lld\n", "players", number_of(arena, "players"),
                number_of(arena, "max_players"));
        if (json_is_object(access))
            print_line(out, "audience", text_of(access, "audience"));
        print_list(out, "reserved", json_object_get(arena, "reserved"));
        print_line(out, "ends", text_of(arena, "ends"));
        if (json_is_string(json_object_get(arena, "cause")))
            print_line(out, "cause", text_of(arena, "cause"));
        json_object_foreach(json_object_get(arena, "metadata"), name, value)
        {
            fprintf(out, "%-10s %s=", "metadata", name);
            columns_write_text(out, json_string_value(value));
            fputc('\n', out);
        }
    }
    json_decref(arena);
    return good;
}

static void add_arena_on_demand(struct columns *columns, const json_t *arena, const char *context)
{
    (void)context;
    columns_add(columns, text_of(arena, "id"));
    columns_add(columns, text_of(arena, "state"));
    columns_add(columns, text_of(arena, "template"));
    columns_add(columns, text_of(arena, "map"));
    columns_add_number(columns, number_of(arena, "port"));
    columns_add_format(columns, "%lld/%lld", number_of(arena, "players"),
                       number_of(arena, "max_players"));
}

bool arena_print_list(const char *json, FILE *out)
{
    return print_table(json, "arenas", "ID|STATE|TEMPLATE|MAP|>PORT|>PLAYERS", add_arena_on_demand,
                       NULL, out);
}

// A list of strings as one cell, with spaces between them.
static void add_list(struct columns *columns, const json_t *list)
{
    char *text = NULL;
    size_t size, i;
    const json_t *value;
    FILE *out = open_memstream(&text, &size);
    json_array_foreach(list, i, value)
    {
        if (out != NULL)
            fprintf(out, "%s%s", i > 0 ? " " : "", json_string_value(value));
    }
    const bool good = out != NULL && fclose(out) == 0;
    columns_add(columns, good ? text : "-");
    free(text);
}

static void add_template(struct columns *columns, const json_t *template, const char *context)
{
    (void)context;
    columns_add(columns, text_of(template, "name"));
    columns_add_number(columns, number_of(template, "max_players"));
    columns_add_number(columns, number_of(template, "bots"));
    columns_add(columns, text_of(template, "access"));
    add_list(columns, json_object_get(template, "maps"));
}

bool arena_print_templates(const char *json, FILE *out)
{
    return print_table(json, "templates", "TEMPLATE|>MAX_PLAYERS|>BOTS|ACCESS|MAPS", add_template,
                       NULL, out);
}

bool arena_print_capacity(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const bool good = json_is_integer(json_object_get(answer, "free"));
    if (good)
        fprintf(out, "free %lld, on demand %lld, ports %lld, arenas %lld of %lld%s\n",
                number_of(answer, "free"), number_of(answer, "on_demand"),
                number_of(answer, "ports"), number_of(answer, "arenas"),
                number_of(answer, "max_arenas"),
                json_is_true(json_object_get(answer, "accepts")) ? "" : ", no new ones are taken");
    json_decref(answer);
    return good;
}

// Reads a duration before now, a day of UTC or a time of UTC; -1 for another text.
static long long read_since(const char *text)
{
    const long long duration_s = (long long)duration_read(text), now_s = time(NULL);
    if (duration_s > 0)
        return duration_s < now_s ? now_s - duration_s : 0;
    return date_read(text);
}

// Appends an argument, percent-encoded. Returns false if it does not fit.
static bool add(char query[RESULTS_QUERY_BYTES], const char *name, const char *value)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    size_t size = strlen(query);
    if (value == NULL)
        return true;
    size += (size_t)snprintf(query + size, RESULTS_QUERY_BYTES - size,
                             "%c%s=", strchr(query, '?') == NULL ? '?' : '&', name);
    for (; *value != '\0' && size + 4 < RESULTS_QUERY_BYTES; value++)
        size += (size_t)snprintf(query + size, RESULTS_QUERY_BYTES - size,
                                 strchr(plain, *value) != NULL ? "%c" : "%%%02X",
                                 (unsigned char)*value);
    return *value == '\0';
}

bool results_make_query(const char *path, const struct call *call, char query[RESULTS_QUERY_BYTES],
                        const char **problem)
{
    static const struct {
        const char *name, *problem;
    } options[] = {{"period", "--period is too long"},
                   {"arena", "--arena is too long"},
                   {"map", "--map is too long"},
                   {"limit", "--limit is too long"}};
    char text[24];
    const char *since = commands_option(call, "since");
    snprintf(query, RESULTS_QUERY_BYTES, "%s", path);
    if (since != NULL) {
        const long long since_s = read_since(since);
        *problem = "--since wants a time like 90s, 15m, 2h or 7d, or 2026-01-31T18:00:00Z";
        if (since_s < 0)
            return false;
        snprintf(text, sizeof text, "%lld", since_s);
    }
    bool fits = add(query, "since", since != NULL ? text : NULL);
    for (size_t i = 0; i < sizeof options / sizeof *options && fits; i++) {
        *problem = options[i].problem;
        fits = add(query, options[i].name, commands_option(call, options[i].name));
    }
    return fits;
}

// The player of a round with an id; NULL: none.
static const json_t *find_player(const json_t *players, long long id)
{
    const json_t *player;
    size_t i;
    json_array_foreach(players, i, player) if (number_of(player, "id") == id) return player;
    return NULL;
}

// Counts the players who are no bots.
static long long count_players(const json_t *players)
{
    const json_t *player;
    long long count = 0;
    size_t i;
    json_array_foreach(players, i, player) count += !json_is_true(json_object_get(player, "bot"));
    return count;
}

static void add_result(struct columns *columns, const json_t *result, const char *context)
{
    (void)context;
    const json_t *players = json_object_get(result, "players");
    const json_t *winner = json_is_integer(json_object_get(result, "winner"))
                               ? find_player(players, number_of(result, "winner"))
                               : NULL;
    const long long length_s = (long long)json_number_value(json_object_get(result, "length_s"));
    columns_add(columns, text_of(result, "end"));
    columns_add(columns, text_of(result, "arena"));
    columns_add(columns, text_of(result, "map"));
    columns_add_format(columns, "%lld:%02lld", length_s / 60, length_s % 60);
    columns_add(columns, text_of(result, "ended"));
    columns_add_number(columns, count_players(players));
    columns_add(columns, text_of(winner, "name"));
}

bool results_print(const char *text, FILE *out)
{
    return print_table(text, "results", "ENDED (UTC)|ARENA|MAP|>LENGTH|BY|>PLAYERS|WINNER",
                       add_result, NULL, out);
}

static void add_rank(struct columns *columns, const json_t *row, const char *context)
{
    (void)context;
    const long long shots = number_of(row, "shots"), hits = number_of(row, "hits");
    columns_add_number(columns, number_of(row, "rank"));
    columns_add(columns, text_of(row, "name"));
    columns_add_number(columns, number_of(row, "score"));
    columns_add_number(columns, number_of(row, "wins"));
    columns_add_number(columns, number_of(row, "rounds"));
    columns_add_number(columns, number_of(row, "deaths"));
    if (shots > 0)
        columns_add_format(columns, "%lld %%", 100 * hits / shots);
    else
        columns_add(columns, "-");
    columns_add(columns,
                json_is_true(json_object_get(row, "verified")) ? "verified" : "unverified");
}

bool results_print_leaderboard(const char *text, FILE *out)
{
    return print_table(text, "players", ">RANK|NAME|>SCORE|>WINS|>ROUNDS|>DEATHS|>HITS|NAME IS",
                       add_rank, NULL, out);
}

const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "-";
}

long long number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}
