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

static struct fixture {
    struct arena arenas[2];
    struct arena_list list;
    struct module module;
    struct metric_source source;
    struct status_view view;
} * fixture;

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

static void make_fixture(void)
{
    fixture = calloc(1, sizeof *fixture);
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
}

static void free_fixture(void)
{
    free(fixture->arenas[0].status);
    free(fixture->arenas[1].status);
    free(fixture);
}

TEST_EACH(make_fixture, free_fixture)

static void release(void *document)
{
    json_decref(document);
}

// The document is released after the test.
static json_t *parse(char *text)
{
    assert_non_null(text);
    json_error_t error;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        fail_msg("%s in %s", error.text, text);
    test_at_end(release, document);
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

// The status must contain this text.
static void assert_says(const char *part)
{
    const char *text = freed(status_json(&fixture->view, 2000));
    assert_non_null(text);
    if (strstr(text, part) == NULL)
        fail_msg("no %s in %s", part, text);
}

TEST(arena_reports_where_its_round_stands)
{
    struct raim_match_round *round = &fixture->arenas[0].status->round;
    *round = (struct raim_match_round){.round = 3, .left_ticks = 600, .score_limit = 20};
    assert_says("\"round\":{\"number\":3,\"phase\":\"play\",\"left_s\":null," // nothing ends it
                "\"score_limit\":20,\"winner\":null}");
    *round = (struct raim_match_round){
        .phase = RAIM_MATCH_BREAK, .has_end = true, .left_ticks = 745, .winner = 1024 + 4};
    assert_says("\"phase\":\"break\",\"left_s\":12.4,\"score_limit\":0,\"winner\":\"Bo\"}");
    *round = (struct raim_match_round){.phase = RAIM_MATCH_PAUSED, .winner = 1}; // who has left
    assert_says("\"phase\":\"paused\",\"left_s\":null,\"score_limit\":0,\"winner\":null}");
}

TEST(arena_reports_what_was_rewound)
{
    assert_says("\"hits\":{\"total\":40,\"rewound\":3,\"in_past\":2,\"clamped\":7,"
                "\"rewound_ms_mean\":66.7,\"rewound_ms_max\":133.3}");
    assert_says("\"rewound_ms_mean\":0.0,\"rewound_ms_max\":0.0}");
}

TEST(arena_is_starting_until_its_first_tick)
{
    json_t *document = parse(status_json(&fixture->view, 2000));
    assert_string_equal(json_string_value(json_object_get(arena_at(document, 0), "state")),
                        "running");
    assert_string_equal(json_string_value(json_object_get(arena_at(document, 1), "state")),
                        "starting");
    assert_int_equal(integer_at(json_object_get(arena_at(document, 1), "tick_us"), "p99"), 0);
}

TEST(player_reports_its_numbers)
{
    fixture->arenas[0].status->players[1].match.played_ticks = 6;
    assert_says("{\"id\":1027,\"name\":\"Ren\xc3\xa9 \\\"<\\\\\",\"bot\":false,\"away\":false,"
                "\"score\":3,\"deaths\":6,\"ping_ms\":31,\"inputs_due\":700,\"inputs_missed\":3,"
                "\"connected_s\":12.4}");
    assert_says("\"name\":\"Bo\",\"bot\":false,\"away\":true,");
    assert_says("\"connected_s\":0.1}");
    assert_says("\"name\":\"bot 1\",\"bot\":true,\"away\":false,");
}

static void assert_percentiles(json_int_t p50, json_int_t p99, json_int_t max)
{
    json_t *document = parse(status_json(&fixture->view, 2000));
    json_t *tick_us = json_object_get(arena_at(document, 0), "tick_us");
    ASSERT_KEYS(tick_us, "p50", "p99", "max");
    assert_int_equal(integer_at(tick_us, "p50"), p50);
    assert_int_equal(integer_at(tick_us, "p99"), p99);
    assert_int_equal(integer_at(tick_us, "max"), max);
}

TEST(percentiles_are_of_the_nearest_rank)
{
    struct arena_status *status = fixture->arenas[0].status;
    assert_percentiles(0, 0, 0);
    status->tick_us_count = 1;
    status->tick_us[0] = 4000000000;
    assert_percentiles(4000000000, 4000000000, 4000000000);
    status->tick_us_count = 2;
    status->tick_us[1] = 10;
    assert_percentiles(10, 4000000000, 4000000000);
    const uint32_t counts[] = {100, 101, 200, ARENA_TICK_WINDOW};
    const json_int_t wanted[][2] = {{50, 99}, {51, 100}, {100, 198}, {512, 1014}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        status->tick_us_count = counts[i];
        for (uint32_t j = 0; j < counts[i]; j++)
            status->tick_us[j] = (j * 37 + 5) % counts[i] + 1; // 1 to count, shuffled
        assert_percentiles(wanted[i][0], wanted[i][1], counts[i]);
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

TEST(stages_have_their_share)
{
    struct tick_profile *profile = &fixture->arenas[0].status->profile;
    json_t *document = parse(status_json(&fixture->view, 2000));
    assert_stage(document, "send", 0, 0, 0);
    profile->count = 2 * TICK_PROFILE_WINDOW;
    for (uint32_t i = 0; i < TICK_PROFILE_WINDOW; i++) {
        profile->ns[TICK_STAGE_INTEREST][i] = 3040;
        profile->ns[TICK_STAGE_SEND][i] = i < 4 ? 65000 : 0;
    }
    document = parse(status_json(&fixture->view, 2000));
    assert_stage(document, "receive", 0, 0, 0);
    assert_stage(document, "interest", 3, 3, 75);
    assert_stage(document, "send", 0, 65, 25);
}

TEST(bad_name_is_replaced_and_costs_nothing_else)
{
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
    }
}

TEST(no_address_and_no_blank_is_reported)
{
    snprintf(fixture->arenas[0].status->players[0].match.name, RAIM_MAX_NAME_BYTES + 1, "a");
    snprintf(fixture->arenas[0].status->players[2].match.name, RAIM_MAX_NAME_BYTES + 1, "b");
    const char *text = freed(status_json(&fixture->view, 2000));
    assert_non_null(text);
    assert_null(strstr(text, "192.0.2"));
    assert_null(strchr(text, ' '));
    assert_null(strchr(text, '\n'));
}

TEST(health_is_ok_and_reports_the_uptime)
{
    char *text = freed(status_health_json(&fixture->view, 4000));
    assert_string_equal(text, "{\"status\":\"ok\",\"uptime_s\":3}");
    fixture->arenas[1].overload.is_on = true;
    text = freed(status_health_json(&fixture->view, 4000));
    assert_string_equal(text, "{\"status\":\"overloaded\",\"uptime_s\":3}");
}

TEST(one_arena_is_its_object_of_the_status)
{
    json_t *document = parse(status_json(&fixture->view, 2000));
    for (size_t i = 0; i < 2; i++) {
        bool missing = true;
        json_t *alone =
            parse(status_arena_json(&fixture->list, fixture->arenas[i].config.name, &missing));
        assert_false(missing);
        assert_true(json_equal(alone, arena_at(document, i)));
    }
    static const char *const nobody[] = {"", "alph", "alphaa", "Alpha"};
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        bool missing = false;
        assert_null(status_arena_json(&fixture->list, nobody[i], &missing));
        assert_true(missing);
    }
}

static void assert_ready(uint64_t now_ms, bool wanted, const char *silent)
{
    bool ready = !wanted;
    char text[256];
    char *told = freed(status_ready_json(&fixture->view, now_ms, &ready));
    snprintf(text, sizeof text,
             "{\"status\":\"%s\",\"reason\":\"%s\",\"silent\":%s,\"overloaded\":[],\"overloaded_"
             "workers\":[],\"lines\":0}",
             wanted ? "ready" : "not ready",
             wanted ? "every arena has ticked within a second"
                    : "not every arena has ticked within a second",
             silent);
    assert_string_equal(told, text);
    assert_int_equal(ready, wanted);
}

TEST(readiness_is_that_every_arena_has_ticked_lately)
{
    struct arena *arenas = fixture->arenas;
    arenas[0].ticked_ms = 5000;
    assert_ready(5500, false, "[{\"name\":\"beta\",\"silent_ms\":null}]");
    arenas[1].ticked_ms = 5501; // since now was read
    assert_ready(5500, true, "[]");
    assert_ready(5999, true, "[]");
    assert_ready(6000, false, "[{\"name\":\"alpha\",\"silent_ms\":1000}]");
    assert_ready(7000, false,
                 "[{\"name\":\"alpha\",\"silent_ms\":2000},"
                 "{\"name\":\"beta\",\"silent_ms\":1499}]");
}

TEST(an_overloaded_arena_is_named_and_nobody_is_sent_there)
{
    bool ready = true;
    fixture->arenas[0].ticked_ms = fixture->arenas[1].ticked_ms = 5000;
    fixture->arenas[1].overload = (struct overload){.is_on = true,
                                                    .is_of_machine = true,
                                                    .late_in_window = 500,
                                                    .skipped_in_window = 40,
                                                    .due = 600};
    char *told = freed(status_ready_json(&fixture->view, 5000, &ready));
    assert_false(ready);
    assert_string_equal(
        told,
        "{\"status\":\"not ready\",\"reason\":\"an arena is overloaded: its "
        "ticks are late or skipped\",\"silent\":[],\"overloaded\":[{\"name\":"
        "\"beta\",\"cause\":\"machine\",\"late_ticks\":500,\"skipped_ticks\":40,\"due_ticks\":600}]"
        ",\"overloaded_workers\":[],\"lines\":0}");
    json_t *document = parse(status_json(&fixture->view, 5000));
    assert_false(json_is_true(json_object_get(arena_at(document, 0), "overloaded")));
    assert_true(json_is_true(json_object_get(arena_at(document, 1), "overloaded")));
    assert_string_equal(json_string_value(json_object_get(arena_at(document, 1), "overload_cause")),
                        "machine");
}

TEST(a_busy_worker_degrades_but_the_server_stays_ready)
{
    bool ready = false;
    fixture->arenas[0].ticked_ms = fixture->arenas[1].ticked_ms = 5000;
    fixture->list.loads[1] = (struct worker_load){.is_on = true, .percent = 97};
    char *told = freed(status_ready_json(&fixture->view, 5000, &ready));
    assert_true(ready);
    assert_string_equal(
        told, "{\"status\":\"degraded\",\"reason\":\"a worker is busy for more than 90 % of "
              "the time\",\"silent\":[],\"overloaded\":[],\"overloaded_workers\":"
              "[{\"worker\":1,\"busy_percent\":97}],\"lines\":0}");
    json_t *document = parse(status_json(&fixture->view, 5000));
    assert_int_equal(json_array_size(json_object_get(document, "overloaded_workers")), 1);
}

TEST(state_that_was_not_understood_degrades)
{
    bool ready = false;
    fixture->arenas[0].ticked_ms = fixture->arenas[1].ticked_ms = 5000;
    fixture->module.lines = 3;
    char *told = freed(status_ready_json(&fixture->view, 5000, &ready));
    assert_true(ready);
    assert_string_equal(told, "{\"status\":\"degraded\",\"reason\":\"state was not understood, see "
                              "the log\",\"silent\":[],\"overloaded\":[],\"overloaded_workers\":[],"
                              "\"lines\":3}");
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
    parse(text);
    return enough;
}

TEST(running_out_of_memory_gives_nothing_and_leaks_nothing)
{
    assert_true(starve(status_json, &fixture->view) > 5);
    assert_true(starve(status_health_json, &fixture->view) > 1);
    assert_true(starve(alpha_json, &fixture->view) > 3);
    assert_true(starve(ready_json, &fixture->view) > 1); // where both are silent
}
