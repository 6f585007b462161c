// SPDX-License-Identifier: MIT
// Formats JSON documents as tables.
#include "tables.h"

#include <jansson.h>

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "-";
}

static long long number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// Writes a text cut or padded to `width` characters and a space. Counts UTF-8 characters by
// skipping continuation bytes (10xxxxxx) and assumes one column per character.
static void write_column(FILE *out, const char *text, int width)
{
    int written = 0;
    for (; *text != '\0'; text++) {
        const bool begins = (*text & 0xC0) != 0x80;
        if (begins && written == width)
            break;
        written += begins;
        fputc(*text, out);
    }
    fprintf(out, "%*s", width - written + 1, "");
}

// Formats seconds as "3d 04:05:06", without days if there are none.
static void format_duration(char text[32], long long seconds)
{
    int length = 0;
    if (seconds >= 86400)
        length = snprintf(text, 32, "%lldd ", seconds / 86400);
    snprintf(text + length, (size_t)(32 - length), "%02lld:%02lld:%02lld", seconds / 3600 % 24,
             seconds / 60 % 60, seconds % 60);
}

static void write_arena(FILE *out, const json_t *arena, long long players)
{
    const json_t *tick_us = json_object_get(arena, "tick_us");
    char clients[24];
    long long bots = 0;
    size_t i;
    const json_t *player;
    json_array_foreach(json_object_get(arena, "players"), i, player) bots +=
        json_is_true(json_object_get(player, "bot"));
    snprintf(clients, sizeof clients, "%lld", players - bots);
    write_column(out, text_of(arena, "name"), 15);
    write_column(out, text_of(arena, "map"), 10);
    write_column(out, text_of(json_object_get(arena, "round"), "phase"), 6);
    fprintf(out, "%5lld %7s %4lld %5lld %7lld %7lld %5lld", number_of(arena, "port"), clients, bots,
            number_of(arena, "spectators"), number_of(tick_us, "p50"), number_of(tick_us, "p99"),
            number_of(arena, "late_ticks"));
    const char *hostname = text_of(arena, "hostname");
    const bool is_shown =
        strcmp(hostname, "-") != 0 && strcmp(hostname, text_of(arena, "name")) != 0;
    fprintf(out, "%s%s\n", is_shown ? "  " : "", is_shown ? hostname : "");
}

bool tables_status(const char *text, FILE *out)
{
    json_t *status = json_loads(text, 0, NULL);
    const json_t *arenas = json_object_get(status, "arenas"), *arena;
    const json_t *players = json_object_get(status, "players");
    const bool good = json_is_array(arenas) && json_is_object(players);
    if (good) {
        size_t i;
        char uptime[32];
        format_duration(uptime, number_of(status, "uptime_s"));
        fprintf(out,
                "raimd %s, up %s, workers %lld, players %lld of %lld, bots %lld, spectators "
                "%lld\n",
                text_of(status, "version"), uptime, number_of(status, "workers"),
                number_of(players, "now"), number_of(players, "max"), number_of(players, "bots"),
                number_of(players, "spectators"));
        fprintf(out, "ARENA           MAP        PHASE   PORT PLAYERS BOTS WATCH P50(us) P99(us)"
                     "  LATE\n");
        json_array_foreach(arenas, i, arena)
            write_arena(out, arena, (long long)json_array_size(json_object_get(arena, "players")));
    }
    json_decref(status);
    return good;
}

// The width of the column of addresses: those of IPv6 have 3 to 43 characters.
static int address_width(const json_t *rows, int least)
{
    const json_t *row;
    size_t i;
    int width = least;
    json_array_foreach(rows, i, row)
    {
        const int length = (int)strlen(text_of(row, "address"));
        width = length > width ? length : width;
    }
    return width;
}

static void write_player(FILE *out, const json_t *player, int width)
{
    const bool bot = json_is_true(json_object_get(player, "bot"));
    write_column(out, text_of(player, "arena"), 11);
    fprintf(out, "%5lld ", number_of(player, "id"));
    write_column(out, text_of(player, "name"), 20);
    write_column(out, text_of(player, "address"), width);
    fprintf(out, "%5lld %6lld %4lld %s\n", number_of(player, "score"), number_of(player, "deaths"),
            number_of(player, "ping_ms"),
            bot                                              ? "bot"
            : json_is_true(json_object_get(player, "away"))  ? "away"
            : json_is_true(json_object_get(player, "muted")) ? "muted"
                                                             : "");
}

bool tables_players(const char *text, const char *arena, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *players = json_object_get(answer, "players"), *player;
    const bool good = json_is_array(players);
    if (good) {
        size_t i;
        const int width = address_width(players, 15);
        fprintf(out, "ARENA          ID NAME                 %-*s SCORE DEATHS PING\n", width,
                "ADDRESS");
        json_array_foreach(players, i, player) if (arena == NULL ||
                                                   strcmp(arena, text_of(player, "arena")) == 0)
            write_player(out, player, width);
    }
    json_decref(answer);
    return good;
}

bool tables_bans(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *bans = json_object_get(answer, "bans"), *ban;
    const bool good = json_is_array(bans);
    if (good) {
        size_t i;
        const int width = address_width(bans, 18);
        fprintf(out, "%-*s LEFT           REASON\n", width, "ADDRESS");
        json_array_foreach(bans, i, ban)
        {
            const json_t *left = json_object_get(ban, "left_s");
            char shown[32] = "for ever";
            if (json_is_integer(left))
                format_duration(shown, (long long)json_integer_value(left));
            write_column(out, text_of(ban, "address"), width);
            write_column(out, shown, 14);
            fprintf(out, "%s\n", text_of(ban, "reason"));
        }
    }
    json_decref(answer);
    return good;
}

// Writes each line of a list after the prefix `what`; returns the number of lines.
static size_t write_lines(FILE *out, const json_t *list, const char *what)
{
    size_t i;
    const json_t *line;
    json_array_foreach(list, i, line) fprintf(out, "%s%s\n", what, json_string_value(line));
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

long tables_count_players(const char *text)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *now = json_object_get(json_object_get(answer, "players"), "now");
    const long count = json_is_integer(now) ? (long)json_integer_value(now) : -1;
    json_decref(answer);
    return count;
}
