// SPDX-License-Identifier: MIT
// Tests of the status document, over arenas that are made up here.
#include "fake_arena.h"
#include "status.h"
#include "test.h"

#include <jansson.h>
#include <math.h>

#define PLAYERS 3

// A module that counts.
struct module {
    uint64_t lines;
};

static const struct metric module_rows[] = {
    {"lines", NULL, "Lines.", METRIC_GAUGE, METRIC_OF(struct module, lines),
     .defect = "state was not understood, see the log"},
};

static const struct metric_table module_metrics = {METRIC_ROWS(module_rows)};

struct fixture {
    struct arena arenas[2];
    struct arena_list list;
    struct module module;
    struct metric_source source;
    struct status_view view;
};

static void make_arena(struct arena *arena, const char *name, uint16_t port)
{
    const size_t players_size = PLAYERS * sizeof(struct arena_player);
    *arena = (struct arena){.port = port};
    snprintf(arena->config.name, sizeof arena->config.name, "%s", name);
    snprintf(arena->config.address, sizeof arena->config.address, "192.0.2.77");
    snprintf(arena->map.name, sizeof arena->map.name, "yard");
    arena->config.match.map = &arena->map;
    arena->config.match.tuning.max_players = 16;
    arena->config.match.tick_hz = 60;
    arena->config.match.lag_compensation_ms = 150;
    arena->status = calloc(1, sizeof *arena->status + players_size);
    assert_non_null(arena->status);
}

static void set_player(struct arena_player *player, const char *name, bool bot, uint32_t score)
{
    *player = (struct arena_player){.ping_ms = bot ? 0 : 31};
    snprintf(player->match.name, sizeof player->match.name, "%s", name);
    player->match.bot = bot;
    player->match.away = score == 4;
    player->match.inputs_due = 700;
    player->match.inputs_missed = score;
    player->match.id = (raim_player_id)(1024 + score);
    player->match.score = score;
    player->match.deaths = 2 * score;
    player->match.played_ticks = 745; // 12.41666 s
}

static int make_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    make_arena(&fixture->arenas[0], "alpha", 7246);
    make_arena(&fixture->arenas[1], "beta", 7247);
    struct arena_status *status = fixture->arenas[0].status;
    status->tick = 1000;
    status->late_ticks = 5;
    status->skipped_ticks = 6;
    status->recordings = (struct recorder_counts){.begun = 31,
                                                  .finished = 32,
                                                  .dropped = 33,
                                                  .failed = 34,
                                                  .bytes = 7000000000,
                                                  .is_running = true};
    status->counts.players = 2;
    status->counts.bots = 1;
    status->counts.spectators = 4;
    status->counts.away = 1;
    status->counts.hits = (struct raim_match_hits){.total = 40,
                                                   .rewound = 3,
                                                   .in_past = 2,
                                                   .clamped = 7,
                                                   .rewound_ms = 200,
                                                   .most_rewound_ms = 133.34};
    fixture->arenas[1].status->counts.spectators = 2;
    status->transport.bytes_in = 5000000000;
    status->transport.bytes_out = 6000000000;
    status->transport.packets_in = 71;
    status->transport.packets_out = 72;
    status->transport.queries = 73;
    status->transport.queries_limited = 74;
    status->player_count = PLAYERS;
    set_player(&status->players[0], "Ren\xc3\xa9 \"<\\", false, 3);
    set_player(&status->players[1], "Bo", false, 4);
    set_player(&status->players[2], "bot 1", true, 5);
    fixture->list = (struct arena_list){
        .arenas = {&fixture->arenas[0], &fixture->arenas[1]}, .count = 2, .worker_count = 2};
    fixture->source = (struct metric_source){&module_metrics, &fixture->module};
    fixture->view = (struct status_view){
        .list = &fixture->list, .sources = &fixture->source, .source_count = 1, .started_ms = 1000};
    *state = fixture;
    return 0;
}

static int free_fixture(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->arenas[0].status);
    free(fixture->arenas[1].status);
    free(fixture);
    return 0;
}

static json_t *parse(char *text)
{
    assert_non_null(text);
    json_error_t error;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        fail_msg("%s in %s", error.text, text);
    free(text);
    return document;
}

static void assert_keys(json_t *object, const char *const *keys, size_t count)
{
    assert_int_equal(json_object_size(object), count);
    size_t i = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        (void)value;
        assert_string_equal(key, keys[i++]);
    }
}

#define ASSERT_KEYS(object, ...)                                                                   \
    do {                                                                                           \
        const char *const keys[] = {__VA_ARGS__};                                                  \
        assert_keys(object, keys, sizeof keys / sizeof *keys);                                     \
    } while (0)

// An object that is made of rows has these keys among others.
#define ASSERT_HAS_KEYS(object, ...)                                                               \
    do {                                                                                           \
        const char *const keys[] = {__VA_ARGS__};                                                  \
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)                                    \
            if (json_object_get(object, keys[i]) == NULL)                                          \
                fail_msg("no %s", keys[i]);                                                        \
    } while (0)

static json_int_t integer_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static json_t *arena_at(const json_t *document, size_t index)
{
    json_t *arena = json_array_get(json_object_get(document, "arenas"), index);
    assert_non_null(arena);
    return arena;
}

TEST(document_reports_all_and_in_order, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    json_t *document = parse(status_json(&fixture->view, 62999));
    ASSERT_KEYS(document, "schema", "version", "uptime_s", "workers", "overloaded_workers",
                "players", "lines", "arenas");
    assert_int_equal(integer_at(document, "schema"), 1);
    assert_true(json_string_length(json_object_get(document, "version")) > 0);
    assert_int_equal(integer_at(document, "uptime_s"), 61);
    assert_int_equal(integer_at(document, "workers"), 2);
    json_t *players = json_object_get(document, "players");
    ASSERT_KEYS(players, "now", "bots", "spectators", "max");
    assert_int_equal(integer_at(players, "now"), 2);
    assert_int_equal(integer_at(players, "bots"), 1);
    assert_int_equal(integer_at(players, "spectators"), 6);
    assert_int_equal(integer_at(players, "max"), 32);
    assert_int_equal(json_array_size(json_object_get(document, "arenas")), 2);
    json_decref(document);
}

TEST(arena_reports_its_numbers, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    json_t *document = parse(status_json(&fixture->view, 2000));
    json_t *arena = arena_at(document, 0);
    ASSERT_HAS_KEYS(arena, "name", "hostname", "tags", "region", "website", "locked", "port", "map",
                    "state", "round", "vote", "tick_us", "stages_us", "overload_cause", "tick",
                    "late_ticks", "skipped_ticks", "snapshot_interval", "spectators", "away",
                    "overloaded", "tick_hz", "lag_compensation_ms", "bytes_in", "bytes_out",
                    "packets_in", "packets_out", "queries", "queries_limited", "masters",
                    "recording", "hits", "rejections", "players");
    assert_string_equal(json_string_value(json_object_get(arena, "name")), "alpha");
    assert_string_equal(json_string_value(json_object_get(arena, "hostname")), "alpha");
    assert_string_equal(json_string_value(json_object_get(arena, "map")), "yard");
    assert_int_equal(integer_at(arena, "port"), 7246);
    assert_int_equal(integer_at(arena, "tick"), 1000);
    assert_int_equal(integer_at(arena, "tick_hz"), 60);
    assert_int_equal(integer_at(arena, "late_ticks"), 5);
    assert_int_equal(integer_at(arena, "skipped_ticks"), 6);
    assert_int_equal(integer_at(arena, "bytes_in"), 5000000000);
    assert_int_equal(integer_at(arena, "bytes_out"), 6000000000);
    assert_int_equal(integer_at(arena, "packets_in"), 71);
    assert_int_equal(integer_at(arena, "packets_out"), 72);
    assert_int_equal(integer_at(arena, "queries"), 73);
    assert_int_equal(integer_at(arena, "queries_limited"), 74);
    assert_int_equal(integer_at(arena, "lag_compensation_ms"), 150);
    assert_int_equal(integer_at(arena, "spectators"), 4);
    assert_int_equal(integer_at(arena, "away"), 1);
    json_t *recording = json_object_get(arena, "recording");
    ASSERT_HAS_KEYS(recording, "now", "begun", "finished", "dropped", "failed", "bytes");
    assert_true(json_is_true(json_object_get(recording, "now")));
    assert_int_equal(integer_at(recording, "begun"), 31);
    assert_int_equal(integer_at(recording, "finished"), 32);
    assert_int_equal(integer_at(recording, "dropped"), 33);
    assert_int_equal(integer_at(recording, "failed"), 34);
    assert_int_equal(integer_at(recording, "bytes"), 7000000000);
    json_decref(document);
}

static json_t *round_of(struct fixture *fixture, json_t **document)
{
    *document = parse(status_json(&fixture->view, 2000));
    json_t *round = json_object_get(arena_at(*document, 0), "round");
    ASSERT_KEYS(round, "number", "phase", "left_s", "score_limit", "winner");
    return round;
}

TEST(arena_reports_where_its_round_stands, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    struct raim_match_round *round = &fixture->arenas[0].status->round;
    json_t *document;
    *round = (struct raim_match_round){.round = 3, .left_ticks = 600, .score_limit = 20};
    json_t *told = round_of(fixture, &document);
    assert_int_equal(integer_at(told, "number"), 3);
    assert_int_equal(integer_at(told, "score_limit"), 20);
    assert_string_equal(json_string_value(json_object_get(told, "phase")), "play");
    assert_true(json_is_null(json_object_get(told, "left_s"))); // nothing ends it
    assert_true(json_is_null(json_object_get(told, "winner")));
    json_decref(document);

    *round = (struct raim_match_round){
        .phase = RAIM_MATCH_BREAK, .has_end = true, .left_ticks = 745, .winner = 1024 + 4};
    told = round_of(fixture, &document);
    assert_string_equal(json_string_value(json_object_get(told, "phase")), "break");
    assert_true(json_real_value(json_object_get(told, "left_s")) == 12.4);
    assert_string_equal(json_string_value(json_object_get(told, "winner")), "Bo");
    json_decref(document);

    *round = (struct raim_match_round){.phase = RAIM_MATCH_PAUSED, .winner = 1};
    told = round_of(fixture, &document);
    assert_string_equal(json_string_value(json_object_get(told, "phase")), "paused");
    assert_true(json_is_null(json_object_get(told, "winner"))); // who has left
    json_decref(document);
}

TEST(arena_reports_what_was_rewound, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    char *text = status_json(&fixture->view, 2000);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"rewound_ms_mean\":66.7,\"rewound_ms_max\":133.3}"));
    assert_non_null(strstr(text, "\"rewound_ms_mean\":0.0,\"rewound_ms_max\":0.0}"));
    json_t *document = parse(text);
    json_t *hits = json_object_get(arena_at(document, 0), "hits");
    ASSERT_HAS_KEYS(hits, "total", "rewound", "in_past", "clamped", "rewound_ms_mean",
                    "rewound_ms_max");
    assert_int_equal(integer_at(hits, "total"), 40);
    assert_int_equal(integer_at(hits, "rewound"), 3);
    assert_int_equal(integer_at(hits, "in_past"), 2);
    assert_int_equal(integer_at(hits, "clamped"), 7);
    json_decref(document);
}

TEST(arena_is_starting_until_its_first_tick, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    json_t *document = parse(status_json(&fixture->view, 2000));
    assert_string_equal(json_string_value(json_object_get(arena_at(document, 0), "state")),
                        "running");
    assert_string_equal(json_string_value(json_object_get(arena_at(document, 1), "state")),
                        "starting");
    assert_int_equal(integer_at(json_object_get(arena_at(document, 1), "tick_us"), "p99"), 0);
    json_decref(document);
}

TEST(player_reports_its_numbers, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    fixture->arenas[0].status->players[1].match.played_ticks = 6;
    char *text = status_json(&fixture->view, 2000);
    assert_non_null(strstr(text, "\"connected_s\":12.4}"));
    assert_non_null(strstr(text, "\"connected_s\":0.1}"));
    json_t *document = parse(text);
    json_t *players = json_object_get(arena_at(document, 0), "players");
    assert_int_equal(json_array_size(players), PLAYERS);
    json_t *player = json_array_get(players, 0);
    ASSERT_KEYS(player, "id", "name", "bot", "away", "score", "deaths", "ping_ms", "inputs_due",
                "inputs_missed", "connected_s");
    assert_string_equal(json_string_value(json_object_get(player, "name")), "Ren\xc3\xa9 \"<\\");
    assert_true(json_is_false(json_object_get(player, "bot")));
    assert_int_equal(integer_at(player, "id"), 1027);
    assert_int_equal(integer_at(player, "score"), 3);
    assert_int_equal(integer_at(player, "deaths"), 6);
    assert_int_equal(integer_at(player, "ping_ms"), 31);
    assert_int_equal(integer_at(player, "inputs_due"), 700);
    assert_int_equal(integer_at(player, "inputs_missed"), 3);
    assert_true(json_is_false(json_object_get(player, "away")));
    assert_true(json_is_true(json_object_get(json_array_get(players, 1), "away")));
    assert_true(json_is_true(json_object_get(json_array_get(players, 2), "bot")));
    json_decref(document);
}

static void assert_percentiles(struct fixture *fixture, json_int_t p50, json_int_t p99,
                               json_int_t max)
{
    json_t *document = parse(status_json(&fixture->view, 2000));
    json_t *tick_us = json_object_get(arena_at(document, 0), "tick_us");
    ASSERT_KEYS(tick_us, "p50", "p99", "max");
    assert_int_equal(integer_at(tick_us, "p50"), p50);
    assert_int_equal(integer_at(tick_us, "p99"), p99);
    assert_int_equal(integer_at(tick_us, "max"), max);
    json_decref(document);
}

TEST(percentiles_are_of_the_nearest_rank, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    struct arena_status *status = fixture->arenas[0].status;
    assert_percentiles(fixture, 0, 0, 0);
    status->tick_us_count = 1;
    status->tick_us[0] = 4000000000;
    assert_percentiles(fixture, 4000000000, 4000000000, 4000000000);
    status->tick_us_count = 2;
    status->tick_us[1] = 10;
    assert_percentiles(fixture, 10, 4000000000, 4000000000);
    const uint32_t counts[] = {100, 101, 200, ARENA_TICK_WINDOW};
    const json_int_t wanted[][2] = {{50, 99}, {51, 100}, {100, 198}, {512, 1014}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        status->tick_us_count = counts[i];
        for (uint32_t j = 0; j < counts[i]; j++)
            status->tick_us[j] = (j * 37 + 5) % counts[i] + 1; // 1 to count, shuffled
        assert_percentiles(fixture, wanted[i][0], wanted[i][1], counts[i]);
    }
}

static double number_at(const json_t *object, const char *key)
{
    return json_real_value(json_object_get(object, key));
}

static void assert_stage(json_t *document, const char *name, double p50, double p99, double percent)
{
    json_t *stage = json_object_get(json_object_get(arena_at(document, 0), "stages_us"), name);
    ASSERT_KEYS(stage, "p50", "p99", "percent");
    assert_true(fabs(number_at(stage, "p50") - p50) < 1e-6);
    assert_true(fabs(number_at(stage, "p99") - p99) < 1e-6);
    assert_true(fabs(number_at(stage, "percent") - percent) < 1e-6);
}

TEST(stages_have_their_share, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    struct tick_profile *profile = &fixture->arenas[0].status->profile;
    json_t *document = parse(status_json(&fixture->view, 2000));
    assert_stage(document, "send", 0, 0, 0);
    json_decref(document);
    profile->count = 2 * TICK_PROFILE_WINDOW;
    for (uint32_t i = 0; i < TICK_PROFILE_WINDOW; i++) {
        profile->ns[TICK_STAGE_INTEREST][i] = 3040;
        profile->ns[TICK_STAGE_SEND][i] = i < 4 ? 65000 : 0;
    }
    document = parse(status_json(&fixture->view, 2000));
    assert_stage(document, "receive", 0, 0, 0);
    assert_stage(document, "interest", 3, 3, 75);
    assert_stage(document, "send", 0, 65, 25);
    json_decref(document);
}

TEST(every_reason_of_rejection_is_there, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    struct arena_status *status = fixture->arenas[0].status;
    json_int_t sum = 0;
    for (int i = 0; i < RAIM_REJECTIONS; i++) {
        status->counts.rejected[i] = 1000 + (uint64_t)i;
        sum += 1000 + i;
    }
    for (int i = 0; i < DATAGRAM_VERDICTS; i++) {
        status->transport.rejected[i] = 2000 + (uint64_t)i;
        sum += i == DATAGRAM_OK ? 0 : 2000 + i;
    }
    json_t *document = parse(status_json(&fixture->view, 2000));
    for (size_t i = 0; i < 2; i++) {
        json_t *rejected = json_object_get(arena_at(document, i), "rejections");
        assert_non_null(json_object_get(rejected, raim_rejection_name(RAIM_REJECTED_FULL)));
        assert_non_null(json_object_get(rejected, raim_rejection_name(RAIM_REJECTED_ACK)));
        assert_non_null(json_object_get(rejected, datagram_verdict_name(DATAGRAM_OVERSIZE)));
        assert_non_null(json_object_get(rejected, datagram_verdict_name(DATAGRAM_COMPRESSED)));
        assert_null(json_object_get(rejected, datagram_verdict_name(DATAGRAM_OK)));
    }
    // Reasons of equal names are added, so nothing may be lost.
    json_t *rejected = json_object_get(arena_at(document, 0), "rejections");
    const char *key;
    json_t *value;
    json_object_foreach(rejected, key, value)
    {
        sum -= json_integer_value(value);
    }
    assert_int_equal(sum, 0);
    assert_int_equal(integer_at(rejected, raim_rejection_name(RAIM_REJECTED_ACK)),
                     1000 + RAIM_REJECTED_ACK);
    assert_int_equal(integer_at(rejected, datagram_verdict_name(DATAGRAM_FRAGMENT)),
                     2000 + DATAGRAM_FRAGMENT);
    json_decref(document);
}

TEST(bad_name_is_replaced_and_costs_nothing_else, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    struct raim_match_player *match = &fixture->arenas[0].status->players[1].match;
    static const struct {
        const char *name, *shown;
    } bad[] = {{"\xff", "?"}, {"a\xc3", "a?"}, {"\xed\xa0\x80", "???"}, {"\xc0\x80", "??"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(match->name, sizeof match->name, "%s", bad[i].name);
        json_t *document = parse(status_json(&fixture->view, 2000));
        json_t *players = json_object_get(arena_at(document, 0), "players");
        assert_int_equal(json_array_size(players), PLAYERS);
        json_t *name = json_object_get(json_array_get(players, 1), "name");
        assert_string_equal(json_string_value(name), bad[i].shown);
        json_decref(document);
    }
}

TEST(no_address_and_no_blank_is_reported, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    snprintf(fixture->arenas[0].status->players[0].match.name, RAIM_MAX_NAME_BYTES + 1, "a");
    snprintf(fixture->arenas[0].status->players[2].match.name, RAIM_MAX_NAME_BYTES + 1, "b");
    char *text = status_json(&fixture->view, 2000);
    assert_non_null(text);
    assert_null(strstr(text, "192.0.2"));
    assert_null(strchr(text, ' '));
    assert_null(strchr(text, '\n'));
    free(text);
}

TEST(no_arena_is_a_document_too)
{
    const struct arena_list list = {.worker_count = 1};
    const struct status_view view = {.list = &list};
    json_t *document = parse(status_json(&view, 999));
    assert_int_equal(integer_at(document, "uptime_s"), 0);
    assert_int_equal(json_array_size(json_object_get(document, "arenas")), 0);
    assert_int_equal(integer_at(json_object_get(document, "players"), "max"), 0);
    json_decref(document);
}

TEST(health_is_ok_and_reports_the_uptime, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    char *text = status_health_json(&fixture->view, 4000);
    assert_string_equal(text, "{\"status\":\"ok\",\"uptime_s\":3}");
    free(text);
    fixture->arenas[1].overload.is_on = true;
    text = status_health_json(&fixture->view, 4000);
    assert_string_equal(text, "{\"status\":\"overloaded\",\"uptime_s\":3}");
    free(text);
}

TEST(one_arena_is_its_object_of_the_status, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    json_t *document = parse(status_json(&fixture->view, 2000));
    for (size_t i = 0; i < 2; i++) {
        bool missing = true;
        json_t *alone =
            parse(status_arena_json(&fixture->list, fixture->arenas[i].config.name, &missing));
        assert_false(missing);
        assert_true(json_equal(alone, arena_at(document, i)));
        json_decref(alone);
    }
    static const char *const nobody[] = {"", "alph", "alphaa", "Alpha"};
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        bool missing = false;
        assert_null(status_arena_json(&fixture->list, nobody[i], &missing));
        assert_true(missing);
    }
    json_decref(document);
}

static void assert_ready(struct fixture *fixture, uint64_t now_ms, bool wanted, const char *silent)
{
    bool ready = !wanted;
    char text[256];
    char *told = status_ready_json(&fixture->view, now_ms, &ready);
    snprintf(text, sizeof text,
             "{\"status\":\"%s\",\"reason\":\"%s\",\"silent\":%s,\"overloaded\":[],\"overloaded_"
             "workers\":[],\"lines\":0}",
             wanted ? "ready" : "not ready",
             wanted ? "every arena has ticked within a second"
                    : "not every arena has ticked within a second",
             silent);
    assert_string_equal(told, text);
    assert_int_equal(ready, wanted);
    free(told);
}

TEST(readiness_is_that_every_arena_has_ticked_lately, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    struct arena *arenas = fixture->arenas;
    arenas[0].ticked_ms = 5000;
    assert_ready(fixture, 5500, false, "[{\"name\":\"beta\",\"silent_ms\":null}]");
    arenas[1].ticked_ms = 5501; // since now was read
    assert_ready(fixture, 5500, true, "[]");
    assert_ready(fixture, 5999, true, "[]");
    assert_ready(fixture, 6000, false, "[{\"name\":\"alpha\",\"silent_ms\":1000}]");
    assert_ready(fixture, 7000, false,
                 "[{\"name\":\"alpha\",\"silent_ms\":2000},"
                 "{\"name\":\"beta\",\"silent_ms\":1499}]");
}

TEST(an_overloaded_arena_is_named_and_nobody_is_sent_there, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    bool ready = true;
    fixture->arenas[0].ticked_ms = fixture->arenas[1].ticked_ms = 5000;
    fixture->arenas[1].overload = (struct overload){.is_on = true,
                                                    .is_of_machine = true,
                                                    .late_in_window = 500,
                                                    .skipped_in_window = 40,
                                                    .due = 600};
    char *told = status_ready_json(&fixture->view, 5000, &ready);
    assert_false(ready);
    assert_string_equal(
        told,
        "{\"status\":\"not ready\",\"reason\":\"an arena is overloaded: its "
        "ticks are late or skipped\",\"silent\":[],\"overloaded\":[{\"name\":"
        "\"beta\",\"cause\":\"machine\",\"late_ticks\":500,\"skipped_ticks\":40,\"due_ticks\":600}]"
        ",\"overloaded_workers\":[],\"lines\":0}");
    free(told);
    json_t *document = parse(status_json(&fixture->view, 5000));
    assert_false(json_is_true(json_object_get(arena_at(document, 0), "overloaded")));
    assert_true(json_is_true(json_object_get(arena_at(document, 1), "overloaded")));
    assert_string_equal(json_string_value(json_object_get(arena_at(document, 1), "overload_cause")),
                        "machine");
    json_decref(document);
}

TEST(a_busy_worker_degrades_but_the_server_stays_ready, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    bool ready = false;
    fixture->arenas[0].ticked_ms = fixture->arenas[1].ticked_ms = 5000;
    fixture->list.loads[1] = (struct worker_load){.is_on = true, .percent = 97};
    char *told = status_ready_json(&fixture->view, 5000, &ready);
    assert_true(ready);
    assert_string_equal(
        told, "{\"status\":\"degraded\",\"reason\":\"a worker is busy for more than 90 % of "
              "the time\",\"silent\":[],\"overloaded\":[],\"overloaded_workers\":"
              "[{\"worker\":1,\"busy_percent\":97}],\"lines\":0}");
    free(told);
    json_t *document = parse(status_json(&fixture->view, 5000));
    assert_int_equal(json_array_size(json_object_get(document, "overloaded_workers")), 1);
    json_decref(document);
}

TEST(state_that_was_not_understood_degrades, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    bool ready = false;
    fixture->arenas[0].ticked_ms = fixture->arenas[1].ticked_ms = 5000;
    fixture->module.lines = 3;
    char *told = status_ready_json(&fixture->view, 5000, &ready);
    assert_true(ready);
    assert_string_equal(told, "{\"status\":\"degraded\",\"reason\":\"state was not understood, see "
                              "the log\",\"silent\":[],\"overloaded\":[],\"overloaded_workers\":[],"
                              "\"lines\":3}");
    free(told);
}

static char *alpha_json(const struct status_view *view, uint64_t now_ms)
{
    (void)now_ms;
    bool missing;
    return status_arena_json(view->list, "alpha", &missing);
}

static char *ready_json(const struct status_view *view, uint64_t now_ms)
{
    bool ready;
    return status_ready_json(view, now_ms, &ready);
}

// The linker wraps the allocations of our own code. A leak fails the test under ASan.
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
static long allocations_left = -1; // no limit

void *__wrap_realloc(void *memory, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return __real_realloc(memory, size);
}

// Runs out of memory at every allocation in turn, until there is enough; returns how many that is.
static long starve(char *(*render)(const struct status_view *, uint64_t),
                   const struct status_view *view)
{
    long enough = 0;
    char *text = NULL;
    for (; text == NULL; enough++) {
        allocations_left = enough;
        text = render(view, 2000);
    }
    allocations_left = -1;
    json_decref(parse(text));
    return enough;
}

TEST(running_out_of_memory_gives_nothing_and_leaks_nothing, make_fixture, free_fixture)
{
    struct fixture *fixture = *state;
    assert_true(starve(status_json, &fixture->view) > 5);
    assert_true(starve(status_health_json, &fixture->view) > 1);
    assert_true(starve(alpha_json, &fixture->view) > 3);
    assert_true(starve(ready_json, &fixture->view) > 1); // where both are silent
}
