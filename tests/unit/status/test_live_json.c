// SPDX-License-Identifier: MIT
// Tests of the dashboard's JSON and of the event streams, with a fake arena.
#include "fake_arena.h"
#include "live_json.h"

#include "live_stream.h"
#include "test.h"

#include <jansson.h>

#define PLAYERS 1000

static struct arena yard;
static struct raim_map bare;   // a map of nothing
static struct arena_list list; // of the yard
static unsigned woken;

static void wake(void *connection)
{
    assert_ptr_equal(connection, &yard);
    woken++;
}

static void make_yard(void)
{
    woken = 0;
    yard = (struct arena){.config = {.name = "yard", .match.spectator_delay_s = 1}};
    yard.config.match.rules.player_radius = 16;
    yard.config.match.map = &bare;
    yard.status = calloc(1, sizeof *yard.status + PLAYERS * sizeof *yard.status->players);
    assert_non_null(yard.status);
    yard.status->tick = 7;
    list = (struct arena_list){.arenas = {&yard}, .count = 1};
}

static void free_yard(void)
{
    free(yard.status);
}

TEST_EACH(make_yard, free_yard)

// The document in an event, to be released.
static json_t *parse_event(char *text, size_t size)
{
    static const char begin[] = "data: ", end[] = "\n\n";
    json_error_t error;
    assert_int_equal(strlen(text), size);
    assert_memory_equal(text, begin, strlen(begin));
    assert_string_equal(text + size - strlen(end), end);
    assert_null(memchr(text, '\n', size - strlen(end)));
    json_t *document = json_loads(text + strlen(begin), 0, &error);
    assert_non_null(document);
    free(text);
    return document;
}

TEST(event_reports_the_living_and_bullets)
{
    uint32_t tick = 0;
    size_t size;
    yard.status->player_count = 3;
    for (int i = 0; i < 3; i++)
        yard.status->players[i] = (struct arena_player){.match.id = (raim_player_id)(1024 + i),
                                                        .spot = {(int16_t)(10 * i), -5},
                                                        .aim = 16384,
                                                        .alive = i != 1,
                                                        .shielded = i == 2};
    yard.status->bullet_count = 2;
    yard.status->bullets[1] = (struct arena_spot){-3, 4};
    char *text = live_event(&list, 0, &tick, &size);
    static const char begin[] = "data: {\"tick\":7,\"map\":";
    assert_memory_equal(text, begin, strlen(begin));
    assert_string_equal(strchr(text + strlen(begin), ','),
                        ",\"players\":[[1024,0,-5,16384,0],[1026,20,-5,16384,1]],"
                        "\"bullets\":[[0,0],[-3,4]]}\n\n");
    assert_int_equal(tick, 7);
    json_decref(parse_event(text, size));
    assert_null(live_event(&list, 0, &tick, &size));
}

TEST(event_of_the_longest_numbers_fits)
{
    uint32_t tick = 0;
    size_t size;
    yard.status->tick = UINT32_MAX;
    yard.status->player_count = PLAYERS;
    for (int i = 0; i < PLAYERS; i++)
        yard.status->players[i] = (struct arena_player){.match.id = UINT16_MAX,
                                                        .spot = {-16000, -16000},
                                                        .aim = UINT16_MAX,
                                                        .alive = true,
                                                        .shielded = true};
    yard.status->bullet_count = ARENA_SHOWN_BULLETS;
    for (int i = 0; i < ARENA_SHOWN_BULLETS; i++)
        yard.status->bullets[i] = (struct arena_spot){-16000, -16000};
    char *text = live_event(&list, 0, &tick, &size);
    json_t *event = parse_event(text, size);
    assert_int_equal(json_array_size(json_object_get(event, "players")), PLAYERS);
    assert_int_equal(json_array_size(json_object_get(event, "bullets")), ARENA_SHOWN_BULLETS);
    json_decref(event);
}

TEST(map_reports_border_and_outlines)
{
    struct raim_obstacle_def obstacle = {
        .points = {{0, 0}, {50.5, 0}, {50.5, 30}, {20, 10}, {0, 30}}, .count = 5};
    const struct raim_map_def def = {.name = "a \"map\"",
                                     .border = {{-200, -100}, {200, 100}},
                                     .obstacles = &obstacle,
                                     .obstacle_count = 1};
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert_non_null(map);
    yard.config.match.map = map;
    bool missing;
    char *text = live_map_json(&list, "yard", &missing);
    assert_false(missing);
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    json_t *outlines = json_object_get(document, "obstacles");
    assert_int_equal(json_array_size(json_object_get(document, "border")), 4);
    assert_int_equal(json_array_size(outlines), 1);
    assert_int_equal(json_array_size(json_array_get(outlines, 0)), 10);
    assert_non_null(strstr(text, "50.5,30"));
    assert_null(live_map_json(&list, "pit", &missing));
    assert_true(missing);
    json_decref(document);
    free(text);
    raim_map_destroy(map);
}

static json_int_t hash_of_map(void)
{
    bool missing;
    char *text = live_map_json(&list, "yard", &missing);
    json_t *document = json_loads(text, 0, NULL);
    const json_int_t hash = json_integer_value(json_object_get(document, "hash"));
    json_decref(document);
    free(text);
    return hash;
}

static json_int_t mark_of_event(void)
{
    uint32_t tick = 0;
    size_t size;
    char *text = live_event(&list, 0, &tick, &size);
    json_t *document = parse_event(text, size);
    const json_int_t hash = json_integer_value(json_object_get(document, "map"));
    json_decref(document);
    return hash;
}

TEST(events_report_when_the_map_is_another)
{
    const json_int_t first = hash_of_map();
    assert_int_equal(mark_of_event(), first);
    struct raim_map_outline outline = {.points = {{0, 0}, {50, 0}, {50, 30}}, .count = 3};
    struct raim_map other = {.outlines = &outline, .outline_count = 1};
    yard.config.match.map = &other;
    const json_int_t second = hash_of_map();
    assert_int_equal(mark_of_event(), second);
    assert_int_not_equal(second, first);
    outline.points[2].y = 31;
    assert_int_not_equal(mark_of_event(), second);
    outline.points[2].y = 30;
    assert_int_equal(mark_of_event(), second);
    yard.config.match.rules.player_radius = 17;
    assert_int_not_equal(mark_of_event(), second);
}

// Everything that a viewer can read now, in at most so many bytes.
static const char *read_all(struct viewer *viewer, uint64_t now_ms)
{
    static char text[4096];
    size_t size = 0, count;
    while ((count = viewer_read(viewer, text + size, 7, now_ms)) > 0)
        size += count;
    text[size] = '\0';
    return text;
}

static void publish_and_run(struct live_stream *viewers, uint32_t tick, uint64_t now_ms)
{
    yard.status->tick = tick;
    live_stream_run(viewers, now_ms, wake);
}

TEST(viewers_elsewhere_see_everything_late)
{
    struct live_stream *viewers = live_stream_create(&list);
    struct viewer *here = live_stream_join(viewers, 0, true, &yard, NULL, 5000);
    struct viewer *elsewhere = live_stream_join(viewers, 0, false, &yard, NULL, 5000);
    assert_string_equal(read_all(here, 5000), "event: hello\ndata: {\"delay_ms\":0}\n\n");
    assert_string_equal(read_all(elsewhere, 5000), "event: hello\ndata: {\"delay_ms\":1000}\n\n");
    for (uint32_t i = 0; i < 30; i++) {
        const uint64_t now_ms = 5000 + 100 * i;
        char wanted[32];
        publish_and_run(viewers, 10 + i, now_ms);
        snprintf(wanted, sizeof wanted, "data: {\"tick\":%u,", 10 + i);
        assert_memory_equal(read_all(here, now_ms), wanted, strlen(wanted));
        snprintf(wanted, sizeof wanted, "data: {\"tick\":%u,", i);
        const char *late = read_all(elsewhere, now_ms);
        assert_memory_equal(late, i < 10 ? "" : wanted, i < 10 ? 1 : strlen(wanted));
    }
    assert_int_equal(woken, 30 + 20);
    viewer_leave(here);
    viewer_leave(elsewhere);
    assert_true(live_stream_due_ms(viewers) == UINT64_MAX);
    live_stream_destroy(viewers);
}

TEST(viewers_see_nothing_more_of_an_arena_that_has_left)
{
    struct live_stream *viewers = live_stream_create(&list);
    struct viewer *viewer = live_stream_join(viewers, 0, true, &yard, NULL, 0);
    publish_and_run(viewers, 8, 0);
    read_all(viewer, 0);
    assert_false(viewer_is_over(viewer));
    list.count = 0;
    live_stream_run(viewers, 1, wake); // at once, whenever the next event is due
    assert_true(viewer_is_over(viewer));
    assert_int_equal(woken, 1);
    live_stream_run(viewers, 1000, wake);
    assert_int_equal(woken, 1);
    // A new arena at the old one's address is a different arena.
    list.count = 1;
    struct viewer *next = live_stream_join(viewers, 0, true, &yard, NULL, 1000);
    live_stream_run(viewers, 1001, wake);
    assert_true(viewer_is_over(viewer));
    assert_false(viewer_is_over(next));
    viewer_leave(viewer);
    viewer_leave(next);
    live_stream_destroy(viewers);
}

TEST(viewers_see_nothing_more_of_an_arena_with_another_delay)
{
    struct live_stream *viewers = live_stream_create(&list);
    struct viewer *viewer = live_stream_join(viewers, 0, false, &yard, NULL, 0);
    publish_and_run(viewers, 8, 0);
    read_all(viewer, 0);
    yard.config.match.spectator_delay_s = 2;
    live_stream_run(viewers, 1, wake);
    assert_true(viewer_is_over(viewer));
    assert_int_equal(woken, 1);
    viewer_leave(viewer);
    live_stream_destroy(viewers);
}

TEST(slow_viewer_ends_its_event_and_misses_others)
{
    struct live_stream *viewers = live_stream_create(&list);
    struct viewer *slow = live_stream_join(viewers, 0, true, &yard, NULL, 0);
    char bytes[5] = "";
    read_all(slow, 0);
    publish_and_run(viewers, 1, 0);
    assert_int_equal(viewer_read(slow, bytes, 4, 0), 4);
    assert_string_equal(bytes, "data");
    for (uint32_t tick = 2; tick < 9; tick++)
        publish_and_run(viewers, tick, 100 * tick);
    const unsigned hash = (unsigned)hash_of_map();
    char wanted[256];
    snprintf(wanted, sizeof wanted,
             ": {\"tick\":1,\"map\":%u,\"players\":[],\"bullets\":[]}\n\n"
             "data: {\"tick\":8,\"map\":%u,\"players\":[],\"bullets\":[]}\n\n",
             hash, hash);
    assert_string_equal(read_all(slow, 900), wanted);
    viewer_leave(slow);
    live_stream_destroy(viewers);
}

TEST(only_who_reads_nothing_has_a_deadline)
{
    struct live_stream *viewers = live_stream_create(&list);
    struct http_client lazy = {.state = HTTP_CLIENT_STREAMING}, keen = lazy;
    struct viewer *sleeper = live_stream_join(viewers, 0, true, &yard, &lazy, 0);
    struct viewer *reader = live_stream_join(viewers, 0, true, &yard, &keen, 0);
    read_all(sleeper, 0);
    for (uint32_t tick = 1; tick < 9; tick++) {
        read_all(reader, 100 * tick);
        publish_and_run(viewers, tick, 100 * tick);
    }
    assert_int_equal(keen.due_ms, 800 + HTTP_DEADLINE_MS);
    assert_int_equal(lazy.due_ms, 100 + HTTP_DEADLINE_MS);
    viewer_leave(sleeper);
    viewer_leave(reader);
    live_stream_destroy(viewers);
}

TEST(viewers_are_so_many_and_no_more)
{
    struct live_stream *viewers = live_stream_create(&list);
    struct viewer *all[LIVE_STREAM_MAX];
    for (size_t i = 0; i < LIVE_STREAM_MAX; i++)
        assert_non_null(all[i] = live_stream_join(viewers, 0, true, &yard, NULL, 0));
    assert_null(live_stream_join(viewers, 0, true, &yard, NULL, 0));
    viewer_leave(all[5]);
    assert_non_null(all[5] = live_stream_join(viewers, 0, false, &yard, NULL, 0));
    for (size_t i = 0; i < LIVE_STREAM_MAX; i++)
        viewer_leave(all[i]);
    live_stream_destroy(viewers);
}

// Two addresses take all slots; a third and a fourth address with fewer viewers get some of them.
TEST(the_address_with_most_viewers_makes_arena)
{
    struct live_stream *viewers = live_stream_create(&list);
    struct http_clients clients = {.limit = HTTP_MAX_CLIENTS};
    struct viewer *all[LIVE_STREAM_MAX + 4];
    size_t count = 0;
    for (size_t i = 0; i < LIVE_STREAM_MAX + 4; i++) {
        const uint32_t address = i < 100 ? 1 : i < LIVE_STREAM_MAX ? 2 : (uint32_t)i;
        struct http_client *client = http_clients_join(&clients, -1, address, 0);
        http_client_renew(client, 0);
        http_client_stream(client);
        assert_non_null(all[count++] = live_stream_join(viewers, 0, true, &yard, client, 0));
    }
    size_t over[3] = {0};
    for (size_t i = 0; i < count; i++)
        over[i < 100 ? 0 : i < LIVE_STREAM_MAX ? 1 : 2] += viewer_is_over(all[i]);
    assert_int_equal(over[0], 4);
    assert_int_equal(over[1] + over[2], 0);
    // Nobody has two more than one that has nearly as many.
    struct http_client *same = http_clients_join(&clients, -1, 1, 0);
    assert_null(live_stream_join(viewers, 0, true, &yard, same, 0));
    for (size_t i = 0; i < count; i++)
        viewer_leave(all[i]);
    assert_true(live_stream_due_ms(viewers) == UINT64_MAX);
    live_stream_destroy(viewers);
}
