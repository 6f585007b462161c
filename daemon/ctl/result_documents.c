// SPDX-License-Identifier: MIT
// Formats results and the leaderboard.
#define _GNU_SOURCE
#include "result_documents.h"

#include "columns.h"
#include "duration.h"
#include "members.h"

#include <jansson.h>

#include <string.h>
#include <time.h>

// --- Queries ---

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
    static const char *const options[] = {"period", "arena", "map", "limit"};
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
    *problem = "a name is too long";
    bool fits = add(query, "since", since != NULL ? text : NULL);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        fits = fits && add(query, options[i], commands_option(call, options[i]));
    return fits;
}

// --- Tables ---

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

static void add_result(struct columns *columns, const json_t *result)
{
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
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *results = json_object_get(answer, "results"), *result;
    bool good = json_is_array(results);
    if (good) {
        size_t i;
        struct columns *columns =
            columns_create("ENDED (UTC)|ARENA|MAP|>LENGTH|BY|>PLAYERS|WINNER");
        json_array_foreach(results, i, result) add_result(columns, result);
        good = columns_print(columns, out);
    }
    json_decref(answer);
    return good;
}

static void add_row(struct columns *columns, const json_t *row)
{
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
    json_t *answer = json_loads(text, 0, NULL);
    const json_t *rows = json_object_get(answer, "players"), *row;
    bool good = json_is_array(rows);
    if (good) {
        size_t i;
        struct columns *columns =
            columns_create(">RANK|NAME|>SCORE|>WINS|>ROUNDS|>DEATHS|>HITS|NAME IS");
        json_array_foreach(rows, i, row) add_row(columns, row);
        good = columns_print(columns, out);
    }
    json_decref(answer);
    return good;
}
