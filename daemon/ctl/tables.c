// SPDX-License-Identifier: MIT
// Formats JSON documents as tables.
#define _GNU_SOURCE
#include "tables.h"

#include "columns.h"
#include "members.h"

#include <jansson.h>

#include <string.h>
#include <time.h>

// Formats seconds as "3d 04:05:06", without days if there are none.
static void format_duration(char text[32], long long seconds)
{
    int length = 0;
    if (seconds >= 86400)
        length = snprintf(text, 32, "%lldd ", seconds / 86400);
    snprintf(text + length, (size_t)(32 - length), "%02lld:%02lld:%02lld", seconds / 3600 % 24,
             seconds / 60 % 60, seconds % 60);
}

static void add_arena(struct columns *columns, const json_t *arena)
{
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
    const json_t *arenas = json_object_get(status, "arenas"), *arena;
    const json_t *players = json_object_get(status, "players");
    bool good = json_is_array(arenas) && json_is_object(players);
    if (good) {
        size_t i;
        char uptime[32];
        struct columns *columns = columns_create(
            "ARENA|MAP|PHASE|>PORT|>PLAYERS|>BOTS|>WATCH|>P50(us)|>P99(us)|>LATE|HOSTNAME");
        format_duration(uptime, number_of(status, "uptime_s"));
        fprintf(out,
                "raimd %s, up %s, workers %lld, players %lld of %lld, bots %lld, spectators "
                "%lld\n",
                text_of(status, "version"), uptime, number_of(status, "workers"),
                number_of(players, "now"), number_of(players, "max"), number_of(players, "bots"),
                number_of(players, "spectators"));
        json_array_foreach(arenas, i, arena) add_arena(columns, arena);
        good = columns_print(columns, out);
    }
    json_decref(status);
    return good;
}

static void add_player(struct columns *columns, const json_t *player)
{
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
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *players = json_object_get(answer, "players"), *player;
    bool good = json_is_array(players);
    if (good) {
        size_t i;
        struct columns *columns = columns_create("ARENA|>ID|NAME|ADDRESS|>SCORE|>DEATHS|>PING|");
        json_array_foreach(players, i, player)
        {
            if (arena == NULL || strcmp(arena, text_of(player, "arena")) == 0)
                add_player(columns, player);
        }
        good = columns_print(columns, out);
    }
    json_decref(answer);
    return good;
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

bool tables_bans(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *bans = json_object_get(answer, "bans"), *ban;
    bool good = json_is_array(bans);
    if (good) {
        size_t i;
        struct columns *columns = columns_create("ADDRESS|LEFT|UNTIL|BY|REASON");
        json_array_foreach(bans, i, ban)
        {
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
        good = columns_print(columns, out);
    }
    json_decref(answer);
    return good;
}

static void add_vote(struct columns *columns, const json_t *arena, const json_t *vote)
{
    char minutes[32];
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
    json_t *status = json_loads(text, 0, NULL);
    const json_t *arenas = json_object_get(status, "arenas"), *arena;
    bool good = json_is_array(arenas);
    if (good) {
        size_t i;
        struct columns *columns =
            columns_create("ARENA|VOTE|ABOUT|CALLER|>YES|>NO|>NEEDED|>LEFT(s)|REASON");
        json_array_foreach(arenas, i, arena)
        {
            const json_t *vote = json_object_get(arena, "vote");
            if (json_is_object(vote) && (name == NULL || strcmp(name, text_of(arena, "name")) == 0))
                add_vote(columns, arena, vote);
        }
        good = columns_print(columns, out);
    }
    json_decref(status);
    return good;
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

void tables_mistakes(const char *text, FILE *out)
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

long tables_count_players(const char *text)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *now = json_object_get(json_object_get(answer, "players"), "now");
    const long count = json_is_integer(now) ? (long)json_integer_value(now) : -1;
    json_decref(answer);
    return count;
}
