// SPDX-License-Identifier: MIT
// Tests of the metrics, over arenas and workers that are made up here.
#include "fake_arena.h"
#include "metrics.h"
#include "test.h"

#define MS UINT64_C(1000000) // in nanoseconds

static struct fixture {
    struct arena arenas[2];
    struct worker workers[2];
    struct worker *crew[2];
    struct arena_list list;
} * fixture;

static void make_fixture(void)
{
    fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    for (int i = 0; i < 2; i++) {
        fixture->arenas[i].status = calloc(1, sizeof(struct arena_status));
        assert_non_null(fixture->arenas[i].status);
        snprintf(fixture->arenas[i].config.name, CONFIG_NAME_BYTES, "%s", i == 0 ? "one" : "two");
        fixture->crew[i] = &fixture->workers[i];
    }
    fixture->list = (struct arena_list){.arenas = {&fixture->arenas[0], &fixture->arenas[1]},
                                        .count = 2,
                                        .worker_count = 2,
                                        .workers = fixture->crew};
}

static void free_fixture(void)
{
    free(fixture->arenas[0].status);
    free(fixture->arenas[1].status);
    free(fixture);
}

TEST_EACH(make_fixture, free_fixture)

static char *render(void)
{
    const struct status_view view = {.list = &fixture->list, .started_ms = 1000};
    char *text = metrics_text(&view, 3500);
    assert_non_null(text);
    return freed(text);
}

// How many lines of the text begin so.
static unsigned lines_with(const char *text, const char *begin)
{
    unsigned count = 0;
    for (const char *line = text; line != NULL && *line != '\0';) {
        count += strncmp(line, begin, strlen(begin)) == 0;
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return count;
}

static void assert_line(const char *text, const char *line)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s\n", line);
    if (lines_with(text, whole) != 1)
        fail_msg("not once \"%s\" in\n%s", line, text);
}

TEST(duration_goes_into_the_first_bucket_that_holds_it)
{
    for (int i = 0; i < HISTOGRAM_BOUNDS; i++) {
        struct histogram histogram = {0};
        const uint64_t bound = histogram_bounds_ns[i];
        assert_true(i == 0 || bound > histogram_bounds_ns[i - 1]);
        histogram_count(&histogram, bound);
        histogram_count(&histogram, bound + 1);
        assert_int_equal(histogram.buckets[i], 1);
        assert_int_equal(histogram.buckets[i + 1], 1);
        assert_int_equal(histogram.sum_ns, 2 * bound + 1);
    }
    struct histogram histogram = {0};
    histogram_count(&histogram, 0);
    histogram_count(&histogram, UINT64_C(1) << 60);
    assert_int_equal(histogram.buckets[0], 1);
    assert_int_equal(histogram.buckets[HISTOGRAM_BOUNDS], 1);
}

TEST(tick_that_takes_its_whole_period_is_within_it)
{
    histogram_count(&fixture->arenas[0].status->durations, 1000000000 / 60);
    histogram_count(&fixture->arenas[0].status->latenesses, 1000000000 / 60 / 4);
    char *text = render();
    assert_line(text, "raimd_tick_duration_seconds_bucket{arena=\"one\",le=\"0.008333334\"} 0");
    assert_line(text, "raimd_tick_duration_seconds_bucket{arena=\"one\",le=\"0.016666667\"} 1");
    assert_line(text, "raimd_tick_lateness_seconds_bucket{arena=\"one\",le=\"0.0025\"} 0");
    assert_line(text, "raimd_tick_lateness_seconds_bucket{arena=\"one\",le=\"0.004166667\"} 1");
}

TEST(buckets_hold_all_that_is_shorter)
{
    struct histogram *durations = &fixture->arenas[1].status->durations;
    histogram_count(durations, 10);
    histogram_count(durations, 3 * MS);
    histogram_count(durations, 4 * MS);
    histogram_count(durations, 2000 * MS);
    char *text = render();
    assert_line(text, "raimd_tick_duration_seconds_bucket{arena=\"two\",le=\"0.00005\"} 1");
    assert_line(text, "raimd_tick_duration_seconds_bucket{arena=\"two\",le=\"0.0025\"} 1");
    assert_line(text, "raimd_tick_duration_seconds_bucket{arena=\"two\",le=\"0.004166667\"} 3");
    assert_line(text, "raimd_tick_duration_seconds_bucket{arena=\"two\",le=\"1\"} 3");
    assert_line(text, "raimd_tick_duration_seconds_bucket{arena=\"two\",le=\"+Inf\"} 4");
    assert_line(text, "raimd_tick_duration_seconds_sum{arena=\"two\"} 2.00700001");
    assert_line(text, "raimd_tick_duration_seconds_count{arena=\"two\"} 4");
    assert_line(text, "raimd_tick_duration_seconds_count{arena=\"one\"} 0");
}

TEST(stages_have_a_label)
{
    histogram_count(&fixture->arenas[1].status->profile.stages[TICK_STAGE_INTEREST], 3 * MS);
    char *text = render();
    assert_line(text, "raimd_tick_stage_seconds_bucket{arena=\"two\",stage=\"interest\","
                      "le=\"0.0025\"} 0");
    assert_line(text, "raimd_tick_stage_seconds_bucket{arena=\"two\",stage=\"interest\","
                      "le=\"+Inf\"} 1");
    assert_line(text, "raimd_tick_stage_seconds_sum{arena=\"two\",stage=\"interest\"} 0.003");
    assert_line(text, "raimd_tick_stage_seconds_count{arena=\"two\",stage=\"send\"} 0");
    assert_line(text, "# TYPE raimd_tick_stage_seconds histogram");
}

TEST(every_number_finds_its_family)
{
    struct arena_status *status = fixture->arenas[0].status;
    status->late_ticks = 11;
    status->skipped_ticks = 12;
    status->round = (struct raim_match_round){.phase = RAIM_MATCH_PAUSED, .round = 26};
    status->recordings = (struct recorder_counts){
        .begun = 31, .finished = 32, .dropped = 33, .failed = 34, .bytes = 7000000000};
    status->counts.players = 13;
    status->counts.bots = 14;
    status->counts.spectators = 15;
    status->counts.away = 16;
    status->counts.snapshots = 17;
    status->counts.inputs_due = 18;
    status->counts.inputs_missed = 19;
    status->counts.hits.total = 20;
    status->counts.hits.rewound = 21;
    status->counts.hits.clamped = 22;
    status->transport.bytes_in = 5000000000;
    status->transport.bytes_out = 6000000000;
    status->transport.packets_in = 22;
    status->transport.packets_out = 23;
    status->transport.send_errors = 24;
    status->transport.overflows = 25;
    fixture->arenas[1].overload.is_on = true;
    char *text = render();
    assert_line(text, "raimd_arena_overloaded{arena=\"one\"} 0");
    assert_line(text, "raimd_arena_overloaded{arena=\"two\"} 1");
    assert_line(text, "raimd_late_ticks_total{arena=\"one\"} 11");
    assert_line(text, "raimd_skipped_ticks_total{arena=\"one\"} 12");
    assert_line(text, "raimd_round_number{arena=\"one\"} 26");
    assert_line(text, "raimd_arena_paused{arena=\"one\"} 1");
    assert_line(text, "raimd_arena_paused{arena=\"two\"} 0");
    assert_line(text, "raimd_players{arena=\"one\"} 13");
    assert_line(text, "raimd_bots{arena=\"one\"} 14");
    assert_line(text, "raimd_spectators{arena=\"one\"} 15");
    assert_line(text, "raimd_away_players{arena=\"one\"} 16");
    assert_line(text, "raimd_snapshots_total{arena=\"one\"} 17");
    assert_line(text, "raimd_inputs_due_total{arena=\"one\"} 18");
    assert_line(text, "raimd_inputs_missed_total{arena=\"one\"} 19");
    assert_line(text, "raimd_hits_total{arena=\"one\"} 20");
    assert_line(text, "raimd_rewound_hits_total{arena=\"one\"} 21");
    assert_line(text, "raimd_clamped_shots_total{arena=\"one\"} 22");
    assert_line(text, "raimd_received_bytes_total{arena=\"one\"} 5000000000");
    assert_line(text, "raimd_sent_bytes_total{arena=\"one\"} 6000000000");
    assert_line(text, "raimd_received_packets_total{arena=\"one\"} 22");
    assert_line(text, "raimd_sent_packets_total{arena=\"one\"} 23");
    assert_line(text, "raimd_send_errors_total{arena=\"one\"} 24");
    assert_line(text, "raimd_slow_peers_total{arena=\"one\"} 25");
    assert_line(text, "raimd_players{arena=\"two\"} 0");
    assert_line(text, "raimd_recordings_begun_total{arena=\"one\"} 31");
    assert_line(text, "raimd_recordings_finished_total{arena=\"one\"} 32");
    assert_line(text, "raimd_recordings_dropped_total{arena=\"one\"} 33");
    assert_line(text, "raimd_recordings_failed_total{arena=\"one\"} 34");
    assert_line(text, "raimd_recorded_bytes_total{arena=\"one\"} 7000000000");
}

TEST(process_reports_version_uptime_and_busy_workers)
{
    fixture->workers[0].busy_ns = 1500 * MS;
    fixture->workers[1].busy_ns = 61;
    fixture->list.loads[1].is_on = true;
    char *text = render();
    assert_int_equal(lines_with(text, "raimd_build_info{version=\"" RAIM_VERSION
                                      "\",protocol=\"7\",compiler=\""),
                     1);
    assert_line(text, "raimd_workers 2");
    assert_line(text, "raimd_worker_overloaded{worker=\"0\"} 0");
    assert_line(text, "raimd_worker_overloaded{worker=\"1\"} 1");
    assert_line(text, "raimd_arenas 2");
    assert_int_equal(lines_with(text, "process_"), 0); // nobody has opened /proc

    assert_line(text, "raimd_uptime_seconds 2.5");
    assert_line(text, "raimd_worker_busy_seconds_total{worker=\"0\"} 1.5");
    assert_line(text, "raimd_worker_busy_seconds_total{worker=\"1\"} 0.000000061");
}

TEST(every_reason_of_rejection_is_there_once)
{
    struct arena_status *status = fixture->arenas[0].status;
    uint64_t sum = 0;
    for (int i = 0; i < RAIM_REJECTIONS; i++)
        sum += status->counts.rejected[i] = 1000 + (uint64_t)i;
    for (int i = DATAGRAM_OK + 1; i < DATAGRAM_VERDICTS; i++)
        sum += status->transport.rejected[i] = 2000 + (uint64_t)i;
    status->transport.rejected[DATAGRAM_OK] = 1000000; // no rejection
    char *text = render();
    char begin[128];
    for (int i = 0; i < RAIM_REJECTIONS; i++) {
        snprintf(begin, sizeof begin, "raimd_rejections_total{arena=\"two\",reason=\"%s\"} 0\n",
                 raim_rejection_name((enum raim_rejection)i));
        assert_int_equal(lines_with(text, begin), 1);
    }
    for (int i = DATAGRAM_OK + 1; i < DATAGRAM_VERDICTS; i++) {
        snprintf(begin, sizeof begin, "raimd_rejections_total{arena=\"two\",reason=\"%s\"} 0\n",
                 datagram_verdict_name((enum datagram_verdict)i));
        assert_int_equal(lines_with(text, begin), 1);
    }
    // Reasons of equal names are added, so nothing may be lost.
    for (const char *line = text;
         (line = strstr(line, "\nraimd_rejections_total{arena=\"one\"")) != NULL;)
        sum -= strtoull(strchr(++line, '}') + 2, NULL, 10);
    assert_int_equal(sum, 0);
}

TEST(labels_are_escaped)
{
    snprintf(fixture->arenas[0].config.name, CONFIG_NAME_BYTES, "a\\b\"c\nd");
    char *text = render();
    assert_line(text, "raimd_players{arena=\"a\\\\b\\\"c\\nd\"} 0");
    assert_line(text, "raimd_tick_duration_seconds_count{arena=\"a\\\\b\\\"c\\nd\"} 0");
}

// A family's help and type stand once, before its samples, which stand together.
TEST(families_stand_together_behind_help_and_type)
{
    char *text = render();
    char family[64] = "";
    unsigned samples = 0, families = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            char kind[16];
            assert_true(families == 0 || samples > 0);
            assert_int_equal(sscanf(line, "# HELP %63s", family), 1);
            line = strtok(NULL, "\n");
            char same[64];
            assert_int_equal(sscanf(line, "# TYPE %63s %15s", same, kind), 2);
            assert_string_equal(same, family);
            families++;
            samples = 0;
            continue;
        }
        assert_int_equal(strncmp(line, family, strlen(family)), 0);
        assert_non_null(strchr("{ _", line[strlen(family)]));
        samples++;
    }
    assert_true(families > 20 && samples > 0);
}

TEST(every_family_reports_of_the_same_moment)
{
    render();
    assert_int_equal(fixture->arenas[0].asked, 1);
    assert_int_equal(fixture->arenas[1].asked, 1);
}

TEST(pings_have_bounds_of_their_own)
{
    struct histogram *pings = &fixture->arenas[0].status->pings;
    histogram_count_by(pings, histogram_ping_bounds_ns, 20 * MS);
    histogram_count_by(pings, histogram_ping_bounds_ns, 151 * MS);
    char *text = render();
    assert_line(text, "raimd_ping_seconds_bucket{arena=\"one\",le=\"0.01\"} 0");
    assert_line(text, "raimd_ping_seconds_bucket{arena=\"one\",le=\"0.02\"} 1");
    assert_line(text, "raimd_ping_seconds_bucket{arena=\"one\",le=\"0.15\"} 1");
    assert_line(text, "raimd_ping_seconds_bucket{arena=\"one\",le=\"0.2\"} 2");
    assert_line(text, "raimd_ping_seconds_sum{arena=\"one\"} 0.171");
}
