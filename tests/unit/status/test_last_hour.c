// SPDX-License-Identifier: MIT
// Tests of the history and the feed, over arenas and workers that are made up here.
#include "fake_arena.h"
#include "last_hour.h"
#include "summary_json.h"
#include "test.h"

#define MS UINT64_C(1000000) // in nanoseconds

static struct fixture {
    struct arena arenas[2];
    struct worker worker, *crew[1];
    struct arena_list list;
    struct last_hour *history;
    struct status_view view;
} * fixture;

static void make_fixture(void)
{
    fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    for (int i = 0; i < 2; i++) {
        struct arena *arena = &fixture->arenas[i];
        arena->status = calloc(1, sizeof *arena->status + 3 * sizeof *arena->status->players);
        assert_non_null(arena->status);
        snprintf(arena->config.name, CONFIG_NAME_BYTES, "%s", i == 0 ? "one" : "two");
        snprintf(arena->map.name, sizeof arena->map.name, "%s", "Th\"e</script>");
        arena->config.match.map = &arena->map;
        arena->config.match.tuning.max_players = 16;
    }
    fixture->crew[0] = &fixture->worker;
    fixture->list = (struct arena_list){.arenas = {&fixture->arenas[0], &fixture->arenas[1]},
                                        .count = 2,
                                        .worker_count = 1,
                                        .workers = fixture->crew};
    fixture->history = last_hour_create(&fixture->list, 0);
    assert_non_null(fixture->history);
    fixture->view = (struct status_view){.list = &fixture->list, .last_hour = fixture->history};
}

static void free_fixture(void)
{
    last_hour_destroy(fixture->history);
    free(fixture->arenas[0].status);
    free(fixture->arenas[1].status);
    free(fixture);
}

TEST_EACH(make_fixture, free_fixture)

static void assert_has(char *text, const char *part)
{
    assert_non_null(text);
    if (strstr(text, part) == NULL)
        fail_msg("no %s in %s", part, text);
}

// The columns of an arena.
static char *columns_of(const char *name)
{
    bool missing;
    return freed(last_hour_arena_json(fixture->history, name, 20000, &missing));
}

static void assert_no_sample(const char *name)
{
    char *text = columns_of(name);
    if (text != NULL)
        assert_has(text, "\"count\":0,");
}

TEST(sample_is_what_happened_since_the_last_one)
{
    struct arena_status *status = fixture->arenas[0].status;
    assert_no_sample("one");
    last_hour_run(fixture->history, 999);
    assert_no_sample("one");
    status->skipped_ticks = 3;
    status->counts.joins = 5;
    status->counts.leaves[RAIM_REASON_LEFT] = 1;
    status->counts.leaves[RAIM_REASON_LOST] = 1;
    status->counts.rejected[0] = 4;
    status->transport.bytes_out = 2000;
    fixture->worker.busy_ns = 500 * MS;
    last_hour_run(fixture->history, 1000);
    char *text = columns_of("one");
    assert_has(text, "\"skipped_ticks\":[3]");
    assert_has(text, "\"joins\":[5]");
    assert_has(text, "\"leaves\":[2]");
    assert_has(text, "\"rejections\":[4]");
    assert_has(text, "\"bytes_out_s\":[2000]");
    assert_has(text, "\"tick_p50_us\":[0]");
    status->skipped_ticks = 4;
    status->transport.bytes_out = 22000;
    status->counts.players = 2;
    fixture->arenas[0].overload.is_on = true;
    for (int i = 0; i < 100; i++)
        histogram_count(&status->durations, 600 * MS / 1000); // between 0.5 and 1 ms
    for (int i = 0; i < 100; i++)
        histogram_count_by(&status->pings, histogram_ping_bounds_ns, 40 * MS);
    fixture->worker.busy_ns += 1000 * MS;
    last_hour_run(fixture->history, 11000);
    text = columns_of("one");
    assert_has(text, "\"skipped_ticks\":[3,1]");
    assert_has(text, "\"bytes_out_s\":[2000,2000]");
    assert_has(text, "\"tick_p50_us\":[0,750]");
    assert_has(text, "\"tick_p99_us\":[0,995]");
    assert_has(text, "\"ping_p50_ms\":[0,40]");
    assert_has(text, "\"overloaded\":[0,1]");
    text = freed(last_hour_json(fixture->history, 13000));
    assert_has(text, "{\"every_s\":10,\"age_s\":2,\"count\":2,");
    assert_has(text, "\"players\":[0,2],");
    assert_has(text, ",\"skipped_ticks\":[3,1],");
    assert_has(text, ",\"workers_permille\":[[500,100]]}");
}

TEST(lateness_is_that_of_the_newest_sample)
{
    assert_int_equal(last_hour_late_p99_us(fixture->history, "one"), 0);
    for (int i = 0; i < 100; i++)
        histogram_count(&fixture->arenas[0].status->latenesses, 600 * MS / 1000);
    last_hour_run(fixture->history, 1000);
    assert_int_equal(last_hour_late_p99_us(fixture->history, "one"), 995);
    assert_int_equal(last_hour_late_p99_us(fixture->history, "nobody"), 0);
}

static void assert_sampled(const char *name)
{
    char *text = columns_of(name);
    assert_has(text, "\"count\":1,");
}

TEST(ring_keeps_the_last_hour)
{
    bool missing;
    for (uint32_t i = 0; i < LAST_HOUR_SAMPLES + 5; i++) {
        fixture->arenas[1].status->counts.players = i;
        last_hour_run(fixture->history, LAST_HOUR_FIRST_MS + (uint64_t)i * LAST_HOUR_EVERY_MS);
    }
    char *text = freed(last_hour_arena_json(fixture->history, "two", 0, &missing));
    assert_has(text, "\"count\":360,");
    assert_has(text, "\"players\":[5,6,7,");
    assert_has(text, ",363,364],\"bots\"");
    assert_null(last_hour_arena_json(fixture->history, "three", 0, &missing));
    assert_true(missing);
}

TEST(series_ends_with_its_arena)
{
    last_hour_run(fixture->history, 1000);
    assert_sampled("two");
    strcpy(fixture->arenas[0].config.name, "other"); // another arena at the same place
    fixture->list.count = 1;
    last_hour_run(fixture->history, 11000);
    assert_no_sample("one");
    assert_no_sample("two");
    assert_sampled("other");
}

TEST(counter_that_begins_anew_is_no_fall)
{
    fixture->arenas[0].status->late_ticks = 100;
    last_hour_run(fixture->history, 1000);
    fixture->arenas[0].status->late_ticks = 7;
    last_hour_run(fixture->history, 11000);
    char *text = columns_of("one");
    assert_has(text, "\"late_ticks\":[100,7]");
}

TEST(feed_tells_each_arena_in_a_few_hundred_bytes)
{
    struct arena_status *status = fixture->arenas[0].status;
    status->player_count = 3;
    status->players[0].ping_ms = 90;
    status->players[1].ping_ms = 30;
    status->players[2].match.bot = true;
    char *text = freed(summary_json(&fixture->view, 5000));
    assert_has(
        text,
        "\"uptime_s\":5,\"page\":null,\"workers_busy_ms\":[0],\"arenas\":[{\"name\":\"one\",");
    assert_has(text, "\"map\":\"Th\\\"e</script>\"");
    assert_has(text, "\"ping_ms\":[30,90,90]");
    assert_has(text, "\"ping_ms\":null");
    assert_true(strlen(text) < 1000);
}
