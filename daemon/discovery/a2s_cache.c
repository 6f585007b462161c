// SPDX-License-Identifier: MIT
// Writes an arena's A2S replies from its configuration and its match.
#include "a2s_cache.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_PLAYERS = UINT8_MAX, // the most that a reply can count
    ARENA_RULES = 9,         // at most, besides the rules of the game
    VALUE_BYTES = CONFIG_WEBSITE_BYTES,
};

struct rule_list {
    uint32_t count;
    struct a2s_rule rules[ARENA_RULES + RAIM_RULE_COUNT];
    char values[ARENA_RULES + RAIM_RULE_COUNT][VALUE_BYTES];
};

// Joins the tags with commas.
static void join_tags(const struct config_tags *tags, char joined[sizeof tags->words])
{
    joined[0] = '\0';
    for (int i = 0; i < tags->count; i++) {
        strcat(joined, i > 0 ? "," : "");
        strcat(joined, tags->words[i]);
    }
}

static size_t write_info(const struct a2s_cache_subject *subject, uint8_t *reply)
{
    const struct raim_match_counts counts = raim_match_counts(subject->match);
    const struct config_arena *config = subject->config;
    char keywords[sizeof config->tags.words];
    join_tags(&config->tags, keywords);
    const struct a2s_info info = {
        .name = config_shown_name(config),
        .map = config->match.map->name,
        .folder = "raim",
        .game = "raim",
        .version = RAIM_VERSION,
        .players = counts.players + counts.bots,
        .max_players = config->match.tuning.max_players + counts.bots,
        .bots = counts.bots,
        .locked = config_is_locked(config),
        .port = subject->port,
        .keywords = keywords,
    };
    return a2s_write_info(&info, reply);
}

static size_t write_players(const struct a2s_cache_subject *subject, uint8_t *reply)
{
    struct a2s_player players[MAX_PLAYERS];
    const uint32_t present = raim_match_players(subject->match, subject->rows, subject->row_count);
    const uint32_t count = present < MAX_PLAYERS ? present : MAX_PLAYERS;
    for (uint32_t i = 0; i < count; i++) {
        const struct raim_match_player *row = &subject->rows[i];
        players[i] = (struct a2s_player){
            // Query tools take a player without a name for one that is still connecting.
            .name = row->bot || subject->config->query_names ? row->name : "player",
            .score = row->score,
            .seconds = row->bot ? A2S_BOT_SECONDS
                                : (float)row->played_ticks / (float)subject->config->match.tick_hz,
        };
    }
    return a2s_write_players(players, count, reply);
}

__attribute__((format(printf, 3, 4))) static void add_rule(struct rule_list *list, const char *key,
                                                           const char *format, ...)
{
    char *value = list->values[list->count];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, VALUE_BYTES, format, arguments);
    va_end(arguments);
    list->rules[list->count++] = (struct a2s_rule){.key = key, .value = value};
}

static size_t write_rules(const struct a2s_cache_subject *subject, uint8_t *reply)
{
    const struct config_arena *config = subject->config;
    struct rule_list list = {.count = 0};
    add_rule(&list, "tick_hz", "%u", config->match.tick_hz);
    add_rule(&list, "view_width", "%u", config->match.view_width);
    add_rule(&list, "view_height", "%u", config->match.view_height);
    add_rule(&list, "sight", "%s", config->match.sight ? "true" : "false");
    add_rule(&list, "lag_compensation", "%u", config->match.lag_compensation_ms);
    add_rule(&list, "round_time", "%.9g", config->match.tuning.round_s);
    add_rule(&list, "score_limit", "%u", config->match.tuning.score_limit);
    if (config->region[0] != '\0')
        add_rule(&list, "region", "%s", config->region);
    if (config->website[0] != '\0')
        add_rule(&list, "website", "%s", config->website);
    assert(list.count <= ARENA_RULES);
    raim_rules rules = config->match.rules;
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        add_rule(&list, raim_rule_at(i)->name, "%.9g", *raim_rule_value(&rules, i));
    return a2s_write_rules(list.rules, list.count, reply);
}

static size_t write_answer(const struct a2s_cache_subject *subject, enum query_kind kind,
                           uint8_t *reply)
{
    switch (kind) {
    case QUERY_INFO:
        return write_info(subject, reply);
    case QUERY_PLAYERS:
        return write_players(subject, reply);
    case QUERY_RULES:
        return write_rules(subject, reply);
    case QUERY_NONE:
    case QUERY_GETINFO:
        break;
    }
    assert(false);
    return 0;
}

const struct a2s_cached_reply *a2s_cache_get(struct a2s_cache *cache,
                                             const struct a2s_cache_subject *subject,
                                             enum query_kind kind, int64_t now_ms)
{
    struct a2s_cached_reply *reply = &cache->kinds[kind];
    if (reply->size == 0 || now_ms - reply->written_ms >= A2S_CACHE_MAX_AGE_MS) {
        reply->size = write_answer(subject, kind, reply->bytes);
        reply->written_ms = now_ms;
    }
    return reply;
}
