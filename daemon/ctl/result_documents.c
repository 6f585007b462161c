// SPDX-License-Identifier: MIT
// Formats results and the leaderboard.
#define _GNU_SOURCE
#include "result_documents.h"

#include "duration.h"

#include <jansson.h>

#include <string.h>
#include <time.h>

// --- Queries ---

// Reads a duration before now, a day of UTC or a time of UTC; -1 for another text.
static long long read_since(const char *text)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S",
                                        "%Y-%m-%dT%H:%M:%SZ"};
    const long long duration_s = (long long)duration_read(text), now_s = time(NULL);
    if (duration_s > 0)
        return duration_s < now_s ? now_s - duration_s : 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm when = {0};
        const char *end = strptime(text, forms[i], &when);
        if (end != NULL && *end == '\0' && timegm(&when) >= 0)
            return timegm(&when);
    }
    return -1;
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

bool results_make_query(const char *path, const struct results_options *options,
                        char query[RESULTS_QUERY_BYTES], const char **problem)
{
    char since[24];
    snprintf(query, RESULTS_QUERY_BYTES, "%s", path);
    if (options->since != NULL) {
        const long long since_s = read_since(options->since);
        *problem = "--since wants a time like 90s, 15m, 2h or 7d, or 2026-01-31T18:00:00Z";
        if (since_s < 0)
            return false;
        snprintf(since, sizeof since, "%lld", since_s);
    }
    *problem = "a name is too long";
    return add(query, "since", options->since != NULL ? since : NULL) &&
           add(query, "period", options->period) && add(query, "arena", options->arena) &&
           add(query, "map", options->map) && add(query, "limit", options->limit);
}

// --- Tables ---

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "-";
}

static long long number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// Writes a text cut or padded to `width` characters and a space. Counts the characters of UTF-8 by
// skipping continuation bytes (10xxxxxx); a control character, which a terminal would obey, becomes
// a question mark.
static void write_column(FILE *out, const char *text, int width)
{
    int written = 0;
    for (; *text != '\0'; text++) {
        const bool begins = (*text & 0xC0) != 0x80;
        if (begins && written == width)
            break;
        written += begins;
        fputc((unsigned char)*text < ' ' || *text == 0x7F ? '?' : *text, out);
    }
    fprintf(out, "%*s", width - written + 1, "");
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

static void write_result(FILE *out, const json_t *result)
{
    const json_t *players = json_object_get(result, "players");
    const json_t *winner = json_is_integer(json_object_get(result, "winner"))
                               ? find_player(players, number_of(result, "winner"))
                               : NULL;
    const long long length_s = (long long)json_number_value(json_object_get(result, "length_s"));
    write_column(out, text_of(result, "end"), 19);
    write_column(out, text_of(result, "arena"), 12);
    write_column(out, text_of(result, "map"), 9);
    fprintf(out, "%3lld:%02lld ", length_s / 60, length_s % 60);
    write_column(out, text_of(result, "ended"), 8);
    fprintf(out, "%7lld ", count_players(players));
    write_column(out, winner != NULL ? text_of(winner, "name") : "-", 12);
    fputc('\n', out);
}

bool results_print(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *results = json_object_get(answer, "results"), *result;
    const bool good = json_is_array(results);
    if (good) {
        size_t i;
        fputs("ENDED (UTC)         ARENA        MAP       LENGTH BY       PLAYERS WINNER\n", out);
        json_array_foreach(results, i, result) write_result(out, result);
    }
    json_decref(answer);
    return good;
}

static void write_row(FILE *out, const json_t *row)
{
    const long long shots = number_of(row, "shots"), hits = number_of(row, "hits");
    fprintf(out, "%4lld ", number_of(row, "rank"));
    write_column(out, text_of(row, "name"), 24);
    fprintf(out, "%6lld %5lld %6lld %6lld ", number_of(row, "score"), number_of(row, "wins"),
            number_of(row, "rounds"), number_of(row, "deaths"));
    if (shots > 0)
        fprintf(out, "%3lld %% ", 100 * hits / shots);
    else
        fputs("    - ", out);
    fprintf(out, "%s\n",
            json_is_true(json_object_get(row, "verified")) ? "verified" : "unverified");
}

bool results_print_leaderboard(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *rows = json_object_get(answer, "players"), *row;
    const bool good = json_is_array(rows);
    if (good) {
        size_t i;
        fputs("RANK NAME                      SCORE  WINS ROUNDS DEATHS  HITS NAME IS\n", out);
        json_array_foreach(rows, i, row) write_row(out, row);
    }
    json_decref(answer);
    return good;
}
