// SPDX-License-Identifier: MIT
// Writes and reads results with jansson.
#define _GNU_SOURCE
#include "result_json.h"

#include "json_writer.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const end_names[] = {
    [ROUND_END_CLOCK] = "clock",
    [ROUND_END_SCORE] = "score",
    [ROUND_END_CHANGED] = "changed",
    [ROUND_END_SHUTDOWN] = "shutdown",
};

static bool read_time(const json_t *value, int64_t *ms)
{
    const char *text = json_string_value(value);
    struct tm when = {0};
    unsigned milliseconds;
    int length = 0;
    const char *rest = text != NULL ? strptime(text, "%Y-%m-%dT%H:%M:%S", &when) : NULL;
    if (rest == NULL || sscanf(rest, ".%3uZ%n", &milliseconds, &length) != 1 || length != 5 ||
        rest[length] != '\0')
        return false;
    *ms = (int64_t)timegm(&when) * 1000 + milliseconds;
    return *ms > 0;
}

// Takes the value. Returns false if it is NULL or memory runs out.
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new_nocheck(object, key, value) == 0;
}

static json_t *time_json(int64_t ms)
{
    char text[JSON_TEXT_TIME_BYTES];
    json_text_time(ms, text);
    return json_string_nocheck(text);
}

static json_t *rules_json(const struct round_report *report)
{
    raim_rules rules = report->rules;
    json_t *object = json_object();
    bool good = put(object, "tick_hz", json_integer(report->tick_hz)) &&
                put(object, "round_time", json_real(report->round_s)) &&
                put(object, "score_limit", json_integer(report->score_limit)) &&
                put(object, "sight", json_boolean(report->sight));
    for (int i = 0; good && i < RAIM_RULE_COUNT; i++)
        good = put(object, raim_rule_at(i)->name, json_real(*raim_rule_value(&rules, i)));
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *player_json(const struct round_player *player)
{
    json_t *object = json_object();
    const bool has_ping = player->ping_ms != ROUND_NO_PING;
    const bool is_verified = player->subject[0] != '\0';
    if (put(object, "id", json_integer(player->id)) &&
        put(object, "name", json_string(player->name)) &&
        put(object, "verified", json_boolean(is_verified)) &&
        put(object, "subject", is_verified ? json_string(player->subject) : json_null()) &&
        put(object, "bot", json_boolean(player->bot)) &&
        put(object, "left", json_boolean(player->left)) &&
        put(object, "score", json_integer(player->score)) &&
        put(object, "deaths", json_integer(player->deaths)) &&
        put(object, "shots", json_integer(player->shots)) &&
        put(object, "hits", json_integer(player->hits)) &&
        put(object, "ping_ms", has_ping ? json_integer(player->ping_ms) : json_null()))
        return object;
    json_decref(object);
    return NULL;
}

// Most points first, then fewest deaths, then the lower id.
static int compare(const void *left, const void *right)
{
    const struct round_player *a = *(const struct round_player *const *)left;
    const struct round_player *b = *(const struct round_player *const *)right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->deaths != b->deaths)
        return a->deaths < b->deaths ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static json_t *players_json(const struct round_report *report)
{
    const uint32_t count = report->player_count;
    const struct round_player **order = malloc((count + 1) * sizeof *order);
    json_t *array = json_array();
    for (uint32_t i = 0; order != NULL && i < count; i++)
        order[i] = &report->players[i];
    if (order != NULL)
        qsort(order, count, sizeof *order, compare);
    bool good = order != NULL && array != NULL;
    for (uint32_t i = 0; good && i < count; i++)
        good = json_array_append_new(array, player_json(order[i])) == 0;
    free(order);
    if (good)
        return array;
    json_decref(array);
    return NULL;
}

char *result_json_write(const struct round_report *report)
{
    json_t *object = json_object();
    const bool has_template = report->template_name[0] != '\0';
    const double length_s = (double)report->played_ticks / report->tick_hz;
    char *text = NULL;
    if (put(object, "schema", json_integer(1)) &&
        put(object, "arena", json_string(report->arena)) &&
        put(object, "template", has_template ? json_string(report->template_name) : json_null()) &&
        put(object, "map", json_string(report->map)) &&
        put(object, "round", json_integer(report->round)) &&
        put(object, "start", time_json(report->start_ms)) &&
        put(object, "end", time_json(report->end_ms)) &&
        put(object, "length_s", json_real(length_s)) &&
        put(object, "ended", json_string(end_names[report->ended])) &&
        put(object, "winner",
            report->winner != RAIM_NOBODY ? json_integer(report->winner) : json_null()) &&
        put(object, "players", players_json(report)) &&
        put(object, "omitted", json_integer(report->omitted)) &&
        put(object, "rules", rules_json(report)) &&
        put(object, "recording",
            report->recording[0] != '\0' ? json_string(report->recording) : json_null()))
        text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(10));
    json_decref(object);
    return text;
}

bool result_json_has_players(const struct round_report *report)
{
    for (uint32_t i = 0; i < report->player_count; i++)
        if (!report->players[i].bot)
            return true;
    return false;
}

// Copies a text that is not empty. Returns false if it does not fit.
static bool read_text(const json_t *object, const char *key, char *text, size_t capacity)
{
    const char *value = json_string_value(json_object_get(object, key));
    if (value == NULL || value[0] == '\0' || strlen(value) >= capacity)
        return false;
    strcpy(text, value);
    return true;
}

static bool read_count(const json_t *object, const char *key, uint32_t *count)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_integer_value(value);
    *count = (uint32_t)number;
    return json_is_integer(value) && number >= 0 && number <= UINT32_MAX;
}

// Reads a player, whom a leaderboard counts if `is_counted`.
static bool read_player(const json_t *object, json_int_t winner, struct result_player *player,
                        bool *is_counted)
{
    uint32_t id;
    *player = (struct result_player){.verified = json_is_true(json_object_get(object, "verified"))};
    if (!read_text(object, player->verified ? "subject" : "name", player->name,
                   sizeof player->name) ||
        !read_count(object, "id", &id) || id > UINT16_MAX ||
        !read_count(object, "score", &player->score) ||
        !read_count(object, "deaths", &player->deaths) ||
        !read_count(object, "shots", &player->shots) || !read_count(object, "hits", &player->hits))
        return false;
    player->id = (raim_player_id)id;
    player->has_won = winner == id && !json_is_true(json_object_get(object, "left"));
    *is_counted = !json_is_true(json_object_get(object, "bot")) &&
                  (player->score > 0 || player->deaths > 0 || player->shots > 0);
    return true;
}

static bool read_players(const json_t *object, struct result *result)
{
    const json_t *array = json_object_get(object, "players"), *player;
    const json_int_t winner = json_integer_value(json_object_get(object, "winner"));
    size_t i;
    result->players =
        json_is_array(array) ? calloc(json_array_size(array) + 1, sizeof *result->players) : NULL;
    if (result->players == NULL)
        return false;
    json_array_foreach(array, i, player)
    {
        bool is_counted;
        if (!read_player(player, winner, &result->players[result->player_count], &is_counted))
            return false;
        result->player_count += is_counted;
    }
    return true;
}

bool result_json_read(const char *line, size_t size, struct result *result)
{
    json_t *object = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
    *result = (struct result){0};
    const bool is_good =
        json_integer_value(json_object_get(object, "schema")) == 1 &&
        read_text(object, "arena", result->arena, sizeof result->arena) &&
        read_text(object, "map", result->map, sizeof result->map) &&
        (json_is_null(json_object_get(object, "template"))
             ? strcpy(result->group, result->arena) != NULL
             : read_text(object, "template", result->group, sizeof result->group)) &&
        read_time(json_object_get(object, "start"), &result->start_ms) &&
        read_time(json_object_get(object, "end"), &result->end_ms) && read_players(object, result);
    json_decref(object);
    if (!is_good)
        result_json_clear(result);
    return is_good;
}

void result_json_clear(struct result *result)
{
    free(result->players);
    *result = (struct result){0};
}

static json_t *row_json(const struct leaderboard_row *row, uint32_t rank)
{
    json_t *object = json_object();
    if (put(object, "rank", json_integer(rank)) && put(object, "name", json_string(row->name)) &&
        put(object, "verified", json_boolean(row->verified)) &&
        put(object, "rounds", json_integer(row->rounds)) &&
        put(object, "wins", json_integer(row->wins)) &&
        put(object, "score", json_integer(row->score)) &&
        put(object, "deaths", json_integer(row->deaths)) &&
        put(object, "shots", json_integer(row->shots)) &&
        put(object, "hits", json_integer(row->hits)))
        return object;
    json_decref(object);
    return NULL;
}

char *result_json_leaderboard(const char *period, const char *arena, const char *map,
                              const struct leaderboard_row *rows, uint32_t count)
{
    json_t *object = json_object(), *array = json_array();
    bool good = put(object, "schema", json_integer(1)) &&
                put(object, "period", json_string(period)) &&
                put(object, "arena", arena[0] != '\0' ? json_string(arena) : json_null()) &&
                put(object, "map", map[0] != '\0' ? json_string(map) : json_null());
    for (uint32_t i = 0; good && i < count; i++)
        good = json_array_append_new(array, row_json(&rows[i], i + 1)) == 0;
    good = put(object, "players", array) && good;
    char *text = good ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return text;
}
