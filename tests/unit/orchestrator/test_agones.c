// SPDX-License-Identifier: MIT
// The state machine of a game server under Agones, driven by hand.
#include "agones.h"
#include "chance.h"
#include "gameserver.h"
#include "test.h"

enum { FIRST_MS = 1000, PERIOD_MS = 4000, SOON_MS = 60000 };

struct fixture {
    struct agones *agones;
    uint64_t now_ms;
    struct gameserver gameserver; // what Agones would send now
    bool is_deaf;                 // no request is answered
    bool ignores_players;         // nor is the list of players
    bool is_rejecting;            // every request is answered with 500
    const char *api;              // the version of counters and lists; NULL: any
    bool rejects_lists;           // of players, as a whole
    int rejections;
    int sent[AGONES_KINDS];
    char bodies[AGONES_KINDS][AGONES_BODY_BYTES]; // the last of each kind
    int arenas, drains, exits;                    // decisions
    struct agones_decision last_arena;
    char last_json[256];
    struct agones_decision last_drain;
};

static struct fixture fixture;
static char duel[] = "{\"template\":\"duel\"}";

static void start_with(const struct agones_def *def)
{
    agones_destroy(fixture.agones);
    fixture = (struct fixture){.now_ms = FIRST_MS};
    fixture.agones = agones_create(def, fixture.now_ms);
    assert_non_null(fixture.agones);
    struct gameserver *gameserver = &fixture.gameserver;
    strcpy(gameserver->name, "raimd-x7");
    strcpy(gameserver->state, "Scheduled");
    gameserver->health_period_s = PERIOD_MS / 1000;
    gameserver->port_count = 1;
    gameserver->ports[0] = (struct gameserver_port){"default", 7777};
    gameserver->has_arena_counter = gameserver->has_arena_list = gameserver->has_player_list = true;
    gameserver->arena_capacity = gameserver->arena_list_capacity = 8;
    gameserver->player_capacity = 100;
}

static void start(void)
{
    struct agones_def def = agones_default_def();
    def.max_arenas = 8;
    start_with(&def);
}

static int tear_down(void **state)
{
    (void)state;
    agones_destroy(fixture.agones);
    fixture.agones = NULL;
    return 0;
}

// Adds or removes a player's name; rejected changes fail the test.
static void change_players(const struct agones_request *request)
{
    struct gameserver_players *listed = &fixture.gameserver.players;
    char value[GAMESERVER_VALUE_BYTES];
    int index = 0;
    assert_int_equal(sscanf(request->body, "{\"value\":\"%127[^\"]\"}", value), 1);
    while (index < listed->count && strcmp(listed->values[index], value) != 0)
        index++;
    if (strstr(request->path, ":addValue") != NULL) {
        assert_int_equal(index, listed->count);
        strcpy(listed->values[listed->count++], value);
        listed->digest += gameserver_digest(value);
    } else {
        assert_true(index < listed->count);
        memmove(listed->values[index], listed->values[--listed->count], sizeof listed->values[0]);
        listed->digest -= gameserver_digest(value);
    }
}

// Applies what the SDK server would.
static void serve(const struct agones_request *request)
{
    struct gameserver *gameserver = &fixture.gameserver;
    long long number;
    if (request->kind == AGONES_READY)
        strcpy(gameserver->state, "Ready");
    if (request->kind == AGONES_ALLOCATE)
        strcpy(gameserver->state, "Allocated");
    if (request->kind == AGONES_SHUTDOWN)
        strcpy(gameserver->state, "Shutdown");
    if (request->kind == AGONES_PLAYERS && request->method[1] == 'O')
        change_players(request);
    if (request->kind == AGONES_CAPACITY &&
        sscanf(request->body, "{\"capacity\":\"%lld\"}", &number) == 1)
        gameserver->arena_capacity = number;
    if (request->kind == AGONES_COUNT &&
        sscanf(request->body, "{\"countDiff\":\"%lld\"}", &number) == 1)
        gameserver->arenas += number;
}

static void answer(const struct agones_request *request)
{
    struct agones_answer answer = {.status = 200, .count = -1};
    if (request->kind == AGONES_WATCH) {
        if (fixture.is_deaf || fixture.is_rejecting)
            agones_receive_watch_end(fixture.agones, fixture.now_ms);
        else
            agones_receive_update(fixture.agones, &fixture.gameserver, fixture.now_ms);
        return;
    }
    if (fixture.is_deaf || (fixture.ignores_players && request->kind == AGONES_PLAYERS))
        answer.status = 0;
    else if (fixture.is_rejecting)
        answer.status = 500;
    else if (fixture.rejects_lists && request->kind == AGONES_PLAYERS &&
             strcmp(request->method, "PATCH") == 0)
        answer.status = 500;
    else
        serve(request);
    char prefix[16];
    snprintf(prefix, sizeof prefix, "/%s/", fixture.api != NULL ? fixture.api : "");
    if (fixture.api != NULL && strstr(request->path, "/arenas") != NULL &&
        strncmp(request->path, prefix, strlen(prefix)) != 0)
        answer.status = 404;
    if (answer.status == 200 && request->kind == AGONES_GAMESERVER)
        answer.gameserver = &fixture.gameserver;
    if (answer.status == 200 && request->kind == AGONES_AUDIT)
        answer.count = fixture.gameserver.arenas;
    fixture.rejections += !agones_receive_answer(fixture.agones, &answer, fixture.now_ms);
}

static void decide(void)
{
    struct agones_decision decision;
    while (agones_next_decision(fixture.agones, &decision)) {
        if (decision.kind == AGONES_START_ARENA) {
            fixture.arenas++;
            fixture.last_arena = decision;
            snprintf(fixture.last_json, sizeof fixture.last_json, "%s",
                     decision.json != NULL ? decision.json : "");
        }
        if (decision.kind == AGONES_BEGIN_DRAIN) {
            fixture.drains++;
            fixture.last_drain = decision;
        }
        fixture.exits += decision.kind == AGONES_EXIT;
    }
}

// Sends what is due now, and answers it.
static void step(void)
{
    struct agones_request request;
    while (agones_next_request(fixture.agones, fixture.now_ms, &request)) {
        assert_non_null(request.method);
        assert_int_equal(request.path[0], '/');
        fixture.sent[request.kind]++;
        strcpy(fixture.bodies[request.kind], request.body != NULL ? request.body : "");
        answer(&request);
    }
    decide();
}

// Lets time pass, stopping whenever something is due.
static void pass(uint64_t ms)
{
    const uint64_t end_ms = fixture.now_ms + ms;
    step();
    while (fixture.now_ms < end_ms) {
        const uint64_t due_ms = agones_due_ms(fixture.agones);
        assert_true(due_ms > fixture.now_ms); // otherwise the main loop would spin
        fixture.now_ms = due_ms < end_ms ? due_ms : end_ms;
        step();
    }
}

static void update(void)
{
    agones_receive_update(fixture.agones, &fixture.gameserver, fixture.now_ms);
    decide();
}

static void load(bool every_arena_ticks, uint32_t players)
{
    agones_set_load(fixture.agones, every_arena_ticks, players, fixture.now_ms);
}

static void start_and_serve(void)
{
    start();
    load(true, 0);
    pass(100);
    update();
    assert_int_equal(agones_status(fixture.agones)->phase, AGONES_SERVING);
}

static void forget_sent(void)
{
    memset(fixture.sent, 0, sizeof fixture.sent);
}

static void allocate(const char *when, const char *value)
{
    struct gameserver *gameserver = &fixture.gameserver;
    strcpy(gameserver->state, "Allocated");
    strcpy(gameserver->last_allocated, when);
    gameserver->arenas++;
    if (value != NULL)
        strcpy(gameserver->arena_values[gameserver->arena_value_count++], value);
}

// --- Ready and Health ---

TEST(ready_waits_until_every_arena_ticks)
{
    start();
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY], 0);
    assert_int_equal(fixture.sent[AGONES_HEALTH], 0);
    assert_int_equal(agones_port(fixture.agones, "default"), 7777);
    load(true, 0);
    pass(10);
    assert_int_equal(fixture.sent[AGONES_READY], 1);
    assert_int_equal(agones_status(fixture.agones)->phase, AGONES_SERVING);
    update();
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY], 1);
}

TEST(health_is_sent_every_half_period_while_every_arena_ticks)
{
    start_and_serve();
    forget_sent();
    pass(10 * PERIOD_MS);
    assert_int_equal(fixture.sent[AGONES_HEALTH], 20);
    assert_string_equal(fixture.bodies[AGONES_HEALTH], "{}");
    load(false, 0);
    forget_sent();
    pass(10 * PERIOD_MS);
    assert_int_equal(fixture.sent[AGONES_HEALTH], 0);
    load(true, 0);
    step();
    assert_int_equal(fixture.sent[AGONES_HEALTH], 1);
}

TEST(health_is_not_sent_where_it_is_disabled)
{
    start();
    fixture.gameserver.health_is_disabled = true;
    load(true, 0);
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_HEALTH], 0);
    assert_int_equal(fixture.sent[AGONES_READY], 1);
}

TEST(an_allocated_server_does_not_become_ready_at_its_start)
{
    start();
    strcpy(fixture.gameserver.state, "Allocated");
    load(true, 0);
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY], 0);
    assert_int_equal(agones_status(fixture.agones)->phase, AGONES_SERVING);
}

TEST(ready_is_sent_anew_when_agones_has_lost_it)
{
    start_and_serve();
    forget_sent();
    agones_receive_watch_end(fixture.agones, fixture.now_ms);
    strcpy(fixture.gameserver.state, "Scheduled");
    pass(10000);
    assert_int_equal(fixture.sent[AGONES_READY], 1);
}

TEST(a_silent_server_is_asked_ever_less_often)
{
    start();
    fixture.is_deaf = true;
    load(true, 3);
    pass(600000);
    assert_false(agones_status(fixture.agones)->is_connected);
    assert_in_range(fixture.sent[AGONES_GAMESERVER], 100, 300);
    assert_in_range(fixture.sent[AGONES_WATCH], 100, 300);
    // It may start later than raimd.
    assert_int_equal(agones_status(fixture.agones)->counts[AGONES_GAMESERVER].unanswered, 0);
    assert_int_equal(agones_status(fixture.agones)->counts[AGONES_WATCH].unanswered, 0);
    fixture.is_deaf = false;
    pass(6000);
    assert_true(agones_status(fixture.agones)->is_connected);
    assert_int_equal(fixture.sent[AGONES_READY], 1);
}

TEST(a_request_that_hangs_alone_is_no_loss)
{
    start_and_serve();
    fixture.ignores_players = true;
    agones_set_players(fixture.agones, (const char *const[]){"Ada"}, 1);
    for (int i = 0; i < 600; i++) {
        pass(100);
        assert_true(agones_status(fixture.agones)->is_connected);
    }
    const struct agones_counts *counts = agones_status(fixture.agones)->counts;
    assert_in_range(counts[AGONES_PLAYERS].unanswered, 10, 600);
    assert_int_equal(counts[AGONES_HEALTH].unanswered + counts[AGONES_PLAYERS].accepted, 0);
    fixture.is_deaf = true;
    pass(10000);
    assert_false(agones_status(fixture.agones)->is_connected);
}

TEST(a_rejecting_server_is_asked_ever_less_often)
{
    start_and_serve();
    forget_sent();
    fixture.is_rejecting = true;
    agones_arena_started(fixture.agones, "m-1", 7300, "arena", fixture.now_ms);
    load(true, 3);
    pass(600000);
    for (int kind = 0; kind < AGONES_KINDS; kind++)
        if (kind != AGONES_HEALTH && kind != AGONES_WATCH)
            assert_in_range(fixture.sent[kind], 0, 60);
    assert_in_range(fixture.sent[AGONES_HEALTH], 280, 3000);
}

TEST(a_watch_without_an_object_is_opened_anew)
{
    struct agones_request request;
    start();
    int opened = 0;
    for (int ms = 0; ms < 20000; ms += 100, fixture.now_ms += 100)
        while (agones_next_request(fixture.agones, fixture.now_ms, &request))
            opened += request.kind == AGONES_WATCH; // the GET is never answered
    assert_in_range(opened, 4, 5);
}

// --- Use ---

TEST(a_server_in_use_allocates_itself)
{
    start_and_serve();
    load(true, 1);
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_ALLOCATE], 1);
    load(true, 0);
    update();
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY], 1); // it stays allocated
}

TEST(an_empty_server_becomes_ready_again_where_configured)
{
    struct agones_def def = agones_default_def();
    def.ready_when_empty = true;
    start_with(&def);
    load(true, 0);
    pass(100);
    update();
    allocate("2026-01-01T00:00:00Z", NULL);
    update();
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY], 1); // its players are still to come
    load(true, 2);
    pass(1000);
    load(true, 0);
    pass(1000);
    assert_int_equal(fixture.sent[AGONES_READY], 1); // a player may come back
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY], 2);
}

TEST(the_list_of_players_is_kept)
{
    static const char *const names[] = {"Ada \"the\" \\ first", "Bob"};
    start_and_serve();
    agones_set_players(fixture.agones, names, 2);
    pass(2000);
    assert_string_equal(fixture.bodies[AGONES_PLAYERS],
                        "{\"values\":[\"Ada \\\"the\\\" \\\\ first\",\"Bob\"]}");
    fixture.gameserver.players.digest = gameserver_digest(names[0]) + gameserver_digest(names[1]);
    const int sent = fixture.sent[AGONES_PLAYERS];
    pass(20000);
    assert_int_equal(fixture.sent[AGONES_PLAYERS], sent);
    fixture.gameserver.player_capacity = 1;
    update();
    pass(2000);
    assert_string_equal(fixture.bodies[AGONES_PLAYERS],
                        "{\"values\":[\"Ada \\\"the\\\" \\\\ first\"]}");
}

// Agones 1.56 and later answer 500 to the whole list.
TEST(a_rejected_list_of_players_is_sent_by_values)
{
    static const char *const names[] = {"Ada", "Bob"}, *const others[] = {"Bob", "Cyd"};
    struct gameserver_players *listed = &fixture.gameserver.players;
    start_and_serve();
    fixture.rejects_lists = true;
    strcpy(listed->values[0], "Eve");
    listed->count = 1;
    listed->digest = gameserver_digest("Eve");
    update();
    agones_set_players(fixture.agones, names, 2);
    pass(5000);
    assert_int_equal(fixture.rejections, 1);
    assert_int_equal(listed->count, 2);
    agones_set_players(fixture.agones, others, 2);
    pass(5000);
    update();
    assert_int_equal(listed->count, 2);
    assert_int_equal(listed->digest, gameserver_digest("Bob") + gameserver_digest("Cyd"));
    const int sent = fixture.sent[AGONES_PLAYERS];
    pass(20000);
    assert_int_equal(fixture.sent[AGONES_PLAYERS], sent);
    assert_int_equal(fixture.rejections, 1);
}

// --- Arenas ---

TEST(a_value_of_the_list_makes_an_arena_once)
{
    start_and_serve();
    allocate("2026-01-01T00:00:00Z", "duel/m-1");
    update();
    update();
    assert_int_equal(fixture.arenas, 1);
    assert_string_equal(fixture.last_arena.id, "m-1");
    assert_string_equal(fixture.last_arena.template_name, "duel");
    assert_null(fixture.last_arena.json);
    assert_true(agones_arena_started(fixture.agones, "m-1", 7300, "arena", fixture.now_ms));
    pass(SOON_MS);
    update();
    assert_int_equal(fixture.arenas, 1);
    assert_int_equal(fixture.sent[AGONES_COUNT], 0);
    assert_int_equal(fixture.sent[AGONES_ADD], 0);
    assert_string_equal(fixture.bodies[AGONES_REPORT],
                        "{\"key\":\"raimd-arenas\",\"value\":\"{\\\"m-1\\\":{\\\"port\\\":7300,"
                        "\\\"name\\\":\\\"arena\\\"}}\"}");
}

TEST(the_annotation_describes_the_arenas_that_the_list_names)
{
    start_and_serve();
    allocate("2026-01-01T00:00:00Z", "m-1");
    fixture.gameserver.arena = duel;
    update();
    assert_int_equal(fixture.arenas, 1);
    assert_string_equal(fixture.last_arena.id, "m-1");
    assert_string_equal(fixture.last_json, "{\"template\":\"duel\"}");
}

TEST(an_annotation_alone_makes_one_arena_for_an_allocation)
{
    start_and_serve();
    allocate("2026-01-01T00:00:00Z", NULL);
    fixture.gameserver.arena = duel;
    update();
    update();
    assert_int_equal(fixture.arenas, 1);
    char first[AGONES_ARENA_ID_BYTES];
    strcpy(first, fixture.last_arena.id);
    allocate("2026-01-01T00:00:01Z", NULL);
    update();
    assert_int_equal(fixture.arenas, 2);
    assert_string_not_equal(first, fixture.last_arena.id);
    // With an id, only another text is another request.
    strcpy(fixture.gameserver.arena_id, "m-7");
    update();
    assert_int_equal(fixture.arenas, 3);
    agones_arena_started(fixture.agones, "m-7", 7300, "arena", fixture.now_ms);
    agones_arena_ended(fixture.agones, "m-7", fixture.now_ms);
    pass(2 * SOON_MS);
    allocate("2026-01-01T00:00:02Z", NULL);
    update();
    assert_int_equal(fixture.arenas, 3);
}

TEST(its_own_allocation_requests_no_arena)
{
    start_and_serve();
    fixture.gameserver.arena = duel;
    update();
    load(true, 1);
    step();
    assert_int_equal(fixture.sent[AGONES_ALLOCATE], 1);
    strcpy(fixture.gameserver.last_allocated, "2026-01-01T00:00:00Z");
    update();
    assert_int_equal(fixture.arenas, 0);
}

TEST(the_port_of_the_node_is_reported)
{
    start();
    fixture.gameserver.port_count = 2;
    fixture.gameserver.ports[1] = (struct gameserver_port){"arena-7300", 40123};
    load(true, 0);
    pass(100);
    agones_arena_started(fixture.agones, "m-1", 7300, "m-1-ab", fixture.now_ms);
    agones_arena_started(fixture.agones, "m-2", 7301, "m-2-cd", fixture.now_ms);
    pass(1000);
    assert_string_equal(
        fixture.bodies[AGONES_REPORT],
        "{\"key\":\"raimd-arenas\",\"value\":\"{\\\"m-1\\\":{\\\"port\\\":40123,\\\"name\\\":"
        "\\\"m-1-ab\\\"},\\\"m-2\\\":{\\\"port\\\":7301,\\\"name\\\":\\\"m-2-cd\\\"}}\"}");
}

TEST(the_pool_may_grow)
{
    start_and_serve();
    agones_set_max_arenas(fixture.agones, 9, fixture.now_ms);
    pass(5000);
    assert_int_equal(fixture.gameserver.arena_capacity, 9);
    assert_true(agones_arena_runs(fixture.agones, "m-1") == false);
    agones_arena_started(fixture.agones, "m-1", 7300, "m-1-ab", fixture.now_ms);
    assert_true(agones_arena_runs(fixture.agones, "m-1"));
}

TEST(the_end_of_an_arena_is_counted_and_its_value_removed)
{
    start_and_serve();
    allocate("2026-01-01T00:00:00Z", "m-1");
    allocate("2026-01-01T00:00:01Z", "m-2");
    update();
    agones_arena_started(fixture.agones, "m-1", 7300, "arena", fixture.now_ms);
    agones_arena_started(fixture.agones, "m-2", 7301, "arena", fixture.now_ms);
    pass(5000);
    agones_arena_ended(fixture.agones, "m-1", fixture.now_ms);
    step();
    assert_string_equal(fixture.bodies[AGONES_REMOVE], "{\"value\":\"m-1\"}");
    update(); // as the SDK server had it before: the arena must not be made again
    assert_int_equal(fixture.arenas, 2);
    pass(1000);
    assert_int_equal(fixture.sent[AGONES_REMOVE], 1);
    assert_int_equal(fixture.sent[AGONES_COUNT], 0); // it is listed: no allocation would find room
    strcpy(fixture.gameserver.arena_values[0], "m-2");
    fixture.gameserver.arena_value_count = 1;
    update();
    pass(SOON_MS);
    assert_int_equal(fixture.gameserver.arenas, 1);
    assert_int_equal(fixture.arenas, 2);
    assert_int_equal(fixture.sent[AGONES_COUNT], 1);
    assert_int_equal(fixture.sent[AGONES_REMOVE], 1);
    assert_string_equal(fixture.bodies[AGONES_COUNT], "{\"countDiff\":\"-1\"}");
}

TEST(a_arena_that_fails_is_reported_and_given_back)
{
    start_and_serve();
    allocate("2026-01-01T00:00:00Z", "m-1");
    update();
    agones_arena_failed(fixture.agones, "m-1", "no port is \"free\"", fixture.now_ms);
    pass(1000);
    assert_string_equal(fixture.bodies[AGONES_REMOVE], "{\"value\":\"m-1\"}");
    fixture.gameserver.arena_value_count = 0;
    update();
    pass(1000);
    assert_string_equal(fixture.bodies[AGONES_COUNT], "{\"countDiff\":\"-1\"}");
    assert_string_equal(fixture.bodies[AGONES_REPORT],
                        "{\"key\":\"raimd-arenas\",\"value\":\"{\\\"m-1\\\":{\\\"error\\\":\\\"no "
                        "port is \\\\\\\"free\\\\\\\"\\\"}}\"}");
}

TEST(a_arena_of_the_control_api_is_counted_and_listed)
{
    start_and_serve();
    assert_true(agones_arena_started(fixture.agones, "own", 7300, "arena", fixture.now_ms));
    assert_true(agones_arena_started(fixture.agones, "own", 7300, "arena", fixture.now_ms));
    pass(5000);
    assert_string_equal(fixture.bodies[AGONES_COUNT], "{\"countDiff\":\"1\"}");
    assert_string_equal(fixture.bodies[AGONES_ADD], "{\"value\":\"own\"}");
    assert_int_equal(fixture.sent[AGONES_ALLOCATE], 1);
    assert_int_equal(fixture.gameserver.arenas, 1);
}

TEST(more_arenas_than_there_is_arena_for_are_rejected)
{
    char value[16];
    start_and_serve();
    for (int i = 0; i < 10; i++) {
        snprintf(value, sizeof value, "m-%d", i);
        allocate("2026-01-01T00:00:00Z", value);
    }
    update();
    assert_int_equal(fixture.arenas, 8);
    pass(1000);
    assert_int_equal(fixture.sent[AGONES_REMOVE], 2);
    assert_int_equal(fixture.gameserver.arenas, 10);
    fixture.gameserver.arena_value_count = 8;
    update();
    pass(5000);
    assert_int_equal(fixture.gameserver.arenas, 8);
}

TEST(names_that_are_no_ids_are_rejected)
{
    static const char *const bad[] = {
        "",
        "/",
        "a/",
        "/a",
        "a/b/c",
        "a b",
        "\xC3\xA4",
        "a\"",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb/a"};
    start_and_serve();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        allocate("2026-01-01T00:00:00Z", bad[i]);
    update();
    assert_int_equal(fixture.arenas, 0);
    assert_int_equal(agones_status(fixture.agones)->malformed, sizeof bad / sizeof *bad);
}

TEST(the_version_that_is_served_is_used)
{
    start();
    fixture.api = "v1";
    load(true, 0);
    fixture.gameserver.arena_capacity = 3;
    pass(SOON_MS);
    assert_string_equal(agones_status(fixture.agones)->api, "v1");
    assert_int_equal(fixture.sent[AGONES_API], 2);
    assert_int_equal(fixture.rejections, 0);
    assert_int_equal(fixture.gameserver.arena_capacity, 8);
    fixture.api = "v1beta1"; // of another SDK server
    fixture.gameserver.arena_capacity = 3;
    pass(SOON_MS);
    assert_string_equal(agones_status(fixture.agones)->api, "v1beta1");
    assert_int_equal(fixture.rejections, 1);
    assert_int_equal(fixture.gameserver.arena_capacity, 8);
}

TEST(a_server_without_counters_is_asked_ever_less_often)
{
    start();
    fixture.api = "v2";
    load(true, 0);
    pass(SOON_MS);
    assert_int_equal(agones_status(fixture.agones)->phase, AGONES_SERVING);
    assert_in_range(fixture.sent[AGONES_API], 6, 30);
    assert_int_equal(fixture.rejections, fixture.sent[AGONES_API] / 2);
    assert_int_equal(agones_status(fixture.agones)->counts[AGONES_API].rejected,
                     fixture.rejections);
    assert_int_equal(fixture.sent[AGONES_CAPACITY] + fixture.sent[AGONES_AUDIT], 0);
}

TEST(a_wrong_counter_is_corrected_after_two_audits)
{
    start_and_serve();
    agones_arena_started(fixture.agones, "own", 7300, "arena", fixture.now_ms);
    pass(5000);
    fixture.gameserver.arenas = 6;
    pass(9000);
    assert_int_equal(fixture.gameserver.arenas, 6);
    pass(25000);
    assert_int_equal(fixture.gameserver.arenas, 1);
}

TEST(the_capacity_is_that_of_the_pool)
{
    start();
    fixture.gameserver.arena_capacity = 1000;
    load(true, 0);
    pass(5000);
    assert_string_equal(fixture.bodies[AGONES_CAPACITY], "{\"capacity\":\"8\"}");
    assert_int_equal(fixture.gameserver.arena_capacity, 8);
}

TEST(a_server_without_arenas_leaves_counters_alone)
{
    const struct agones_def def = agones_default_def();
    start_with(&def);
    load(true, 0);
    pass(100);
    allocate("2026-01-01T00:00:00Z", "m-1");
    update();
    pass(SOON_MS);
    assert_int_equal(fixture.arenas, 0);
    assert_int_equal(fixture.sent[AGONES_CAPACITY] + fixture.sent[AGONES_COUNT] +
                         fixture.sent[AGONES_REMOVE] + fixture.sent[AGONES_AUDIT],
                     0);
}

// --- The end ---

TEST(a_signal_drains_and_then_sends_shutdown)
{
    start_and_serve();
    allocate("2026-01-01T00:00:00Z", "m-1");
    update();
    agones_arena_started(fixture.agones, "m-1", 7300, "arena", fixture.now_ms);
    load(true, 2);
    pass(1000);
    agones_drain(fixture.agones, AGONES_DRAIN_SIGNAL, fixture.now_ms);
    step();
    assert_int_equal(fixture.drains, 1);
    assert_int_equal(fixture.last_drain.drain_ms, 25000);
    assert_string_equal(fixture.bodies[AGONES_LABEL],
                        "{\"key\":\"raimd-accepts\",\"value\":\"false\"}");
    pass(5000);
    assert_int_equal(fixture.gameserver.arena_capacity, 1); // none is free
    allocate("2026-01-01T00:00:01Z", "m-2");
    update();
    assert_int_equal(fixture.arenas, 1); // no new one
    pass(5000);
    assert_int_equal(fixture.sent[AGONES_SHUTDOWN], 0);
    assert_true(fixture.sent[AGONES_HEALTH] > 3); // it is healthy until it is gone
    agones_set_drained(fixture.agones, fixture.now_ms);
    step();
    assert_int_equal(fixture.sent[AGONES_SHUTDOWN], 1);
    assert_int_equal(fixture.exits, 1);
    assert_int_equal(agones_status(fixture.agones)->phase, AGONES_ENDED);
}

TEST(a_label_drains_without_a_deadline_and_waits_for_the_signal)
{
    start_and_serve();
    fixture.gameserver.is_drain_wanted = true;
    update();
    assert_int_equal(fixture.drains, 1);
    assert_int_equal(fixture.last_drain.drain_ms, 0);
    agones_set_drained(fixture.agones, fixture.now_ms);
    pass(1000);
    assert_int_equal(fixture.sent[AGONES_SHUTDOWN], 1);
    update(); // Shutdown, which it has asked for itself
    pass(5000);
    assert_int_equal(fixture.exits, 0); // a container that ends too early is started again
    agones_drain(fixture.agones, AGONES_DRAIN_SIGNAL, fixture.now_ms);
    step();
    assert_int_equal(fixture.exits, 1);
    assert_int_equal(fixture.sent[AGONES_SHUTDOWN], 1);
}

TEST(a_deleted_gameserver_gives_a_drain_a_deadline)
{
    start_and_serve();
    fixture.gameserver.is_drain_wanted = true;
    update();
    assert_int_equal(fixture.last_drain.drain_ms, 0);
    fixture.gameserver.is_deleting = true;
    update();
    update();
    agones_drain(fixture.agones, AGONES_DRAIN_SIGNAL, fixture.now_ms);
    decide();
    assert_int_equal(fixture.drains, 2);
    assert_int_equal(fixture.last_drain.drain_ms, 25000);
}

TEST(without_an_answer_the_process_still_ends)
{
    start_and_serve();
    fixture.is_deaf = true;
    pass(SOON_MS); // it is asked seldom by now
    agones_drain(fixture.agones, AGONES_DRAIN_SIGNAL, fixture.now_ms);
    agones_set_drained(fixture.agones, fixture.now_ms);
    pass(2000);
    assert_true(fixture.sent[AGONES_SHUTDOWN] > 2);
    assert_int_equal(fixture.exits, 1);
    forget_sent();
    pass(SOON_MS);
    for (int kind = 0; kind < AGONES_KINDS; kind++)
        assert_int_equal(fixture.sent[kind], 0);
}

TEST_GROUP(NULL, tear_down)

// --- Gameserver ---

// GameServers in the JSON of Agones' SDK server, and the lines of its watch stream.

// As sdk-server v1.56 writes it, shortened by keys that nobody reads.
#define WHOLE                                                                                      \
    "{\"object_meta\":{\"name\":\"raimd-x7\",\"namespace\":\"default\",\"uid\":\"1234\","          \
    "\"resource_version\":\"v1\",\"generation\":\"1\",\"creation_timestamp\":\"1795378448\","      \
    "\"deletion_timestamp\":\"0\",\"annotations\":{\"agones.dev/last-allocated\":"                 \
    "\"2026-11-22T20:14:08Z\",\"raimd/arena\":\"{\\\"id\\\": \\\"m-1\\\", \\\"template\\\": "      \
    "\\\"duel\\\"}\"},\"labels\":{\"raimd/drain\":\"true\"}},\"spec\":{\"health\":{\"disabled\":"  \
    "false,\"period_seconds\":3,\"failure_threshold\":5,\"initial_delay_seconds\":10}},"           \
    "\"status\":{\"state\":\"Allocated\",\"address\":\"127.0.0.1\",\"addresses\":[],\"ports\":"    \
    "[{\"name\":\"default\",\"port\":7777},{\"name\":\"duel\",\"port\":7778}],\"players\":null,"   \
    "\"counters\":{\"arenas\":{\"count\":\"1\",\"capacity\":\"10\"}},\"lists\":{\"players\":"      \
    "{\"capacity\":\"100\",\"values\":[\"Ada\",\"Bob\"]},\"arenas\":{\"capacity\":\"64\","         \
    "\"values\":[\"m-1\",\"duel/m-2\"]}}}}"

static struct gameserver *parse(const char *text)
{
    const char *problem = NULL;
    struct gameserver *gameserver = gameserver_parse(text, strlen(text), &problem);
    assert_true(gameserver != NULL || problem != NULL);
    return gameserver;
}

static void assert_is_whole(const struct gameserver *gameserver)
{
    assert_non_null(gameserver);
    assert_string_equal(gameserver->name, "raimd-x7");
    assert_string_equal(gameserver->state, "Allocated");
    assert_string_equal(gameserver->last_allocated, "2026-11-22T20:14:08Z");
    assert_string_equal(gameserver->arena_id, "m-1");
    assert_string_equal(gameserver->arena, "{\"template\":\"duel\"}");
    assert_false(gameserver->is_deleting);
    assert_true(gameserver->is_drain_wanted);
    assert_int_equal(gameserver->health_period_s, 3);
    assert_int_equal(gameserver_port(gameserver, "default"), 7777);
    assert_int_equal(gameserver_port(gameserver, "duel"), 7778);
    assert_int_equal(gameserver_port(gameserver, "other"), 0);
    assert_int_equal(gameserver_port(gameserver, ""), 0); // there are two
    assert_int_equal(gameserver->arenas, 1);
    assert_int_equal(gameserver->arena_capacity, 10);
    assert_int_equal(gameserver->arena_value_count, 2);
    assert_string_equal(gameserver->arena_values[1], "duel/m-2");
    assert_int_equal(gameserver->players.count, 2);
    assert_int_equal(gameserver->players.digest,
                     gameserver_digest("Bob") + gameserver_digest("Ada"));
}

TEST(a_gameserver_is_read_plain_and_as_a_result)
{
    struct gameserver *plain = parse(WHOLE);
    struct gameserver *result = parse("{\"result\":" WHOLE "}");
    assert_is_whole(plain);
    assert_is_whole(result);
    gameserver_free(plain);
    gameserver_free(result);
}

TEST(what_is_absent_is_empty)
{
    struct gameserver *gameserver = parse("{\"object_meta\":{},\"status\":{}}");
    assert_non_null(gameserver);
    assert_string_equal(gameserver->state, "");
    assert_null(gameserver->arena);
    assert_int_equal(gameserver->port_count, 0);
    assert_false(gameserver->has_arena_counter);
    assert_false(gameserver->has_arena_list);
    assert_false(gameserver->has_player_list);
    gameserver_free(gameserver);
}

TEST(a_arena_that_is_no_object_is_kept_for_its_rejection)
{
    struct gameserver *gameserver =
        parse("{\"object_meta\":{\"annotations\":{\"raimd/arena\":\"duel\"}},\"status\":{}}");
    assert_non_null(gameserver);
    assert_string_equal(gameserver->arena, "duel");
    assert_string_equal(gameserver->arena_id, "");
    gameserver_free(gameserver);
}

TEST(anything_else_is_rejected)
{
    static const char *const bad[] = {
        "",
        "\"text\"",
        "null",
        "[]",
        "{}",
        "{\"error\":{\"code\":14}}",
        "{\"object_meta\":{},\"status\":[]}",
        "{\"object_meta\":{},\"status\":{}} x",
        "{\"object_meta\":{\"deletion_timestamp\":\"soon\"},\"status\":{}}",
        "{\"object_meta\":{\"deletion_timestamp\":\"\"},\"status\":{}}",
        "{\"object_meta\":{},\"status\":{\"state\":7}}",
        "{\"object_meta\":{},\"status\":{\"state\":\"a state longer than any state of Agones\"}}",
        "{\"object_meta\":{},\"status\":{\"ports\":[{\"name\":\"a\",\"port\":0}]}}",
        "{\"object_meta\":{},\"status\":{\"ports\":[{\"name\":\"a\",\"port\":65536}]}}",
        "{\"object_meta\":{},\"status\":{\"ports\":[7]}}",
        "{\"object_meta\":{},\"status\":{\"counters\":{\"arenas\":{\"count\":\"-1\"}}}}",
        ("{\"object_meta\":{},\"status\":{\"counters\":{\"arenas\":{\"count\":"
         "\"99999999999999999999\"}}}}"),
        "{\"object_meta\":{},\"spec\":{\"health\":{\"period_seconds\":-5}},\"status\":{}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i]) != NULL)
            fail_msg("accepted: %s", bad[i]);
}

TEST(values_beyond_the_limits_are_left_out)
{
    char text[8192], *end = text;
    end += sprintf(
        end, "{\"object_meta\":{},\"status\":{\"lists\":{\"arenas\":{\"values\":[\"%0200d\"", 7);
    for (int i = 0; i < 2 * GAMESERVER_MAX_ARENAS; i++)
        end += sprintf(end, ",\"r-%d\"", i);
    strcpy(end, "]}}}}");
    struct gameserver *gameserver = parse(text);
    assert_non_null(gameserver);
    assert_int_equal(gameserver->arena_value_count, GAMESERVER_MAX_ARENAS);
    assert_string_equal(gameserver->arena_values[0], "r-0");
    gameserver_free(gameserver);
}

TEST(a_counter_is_read)
{
    int64_t count = 0;
    static const char good[] = "{\"name\":\"arenas\",\"count\":\"3\",\"capacity\":\"10\"}";
    static const char bad[] = "{\"name\":\"arenas\",\"count\":\"three\"}";
    assert_true(gameserver_parse_counter(good, strlen(good), &count));
    assert_int_equal(count, 3);
    assert_false(gameserver_parse_counter(bad, strlen(bad), &count));
    assert_false(gameserver_parse_counter("{}", 2, &count));
    assert_false(gameserver_parse_counter("", 0, &count));
}

TEST(a_stream_has_the_same_lines_however_it_is_cut)
{
    enum { LINES = 20, BYTES = 20000 };
    char text[LINES * BYTES], *end = text;
    for (int i = 0; i < LINES; i++) {
        const int size = chance_int(0, chance_int(0, BYTES - 1));
        memset(end, 'a' + i, (size_t)size);
        end[size] = '\n';
        end += size + 1;
    }
    struct gameserver_stream stream = {0};
    const char *at = text, *expected = text, *line;
    size_t line_size;
    int lines = 0;
    while (at < end) {
        const size_t cut = (size_t)chance_int(1, 5000);
        const size_t left = (size_t)(end - at) < cut ? (size_t)(end - at) : cut;
        const size_t taken = gameserver_stream_take(&stream, at, left, &line, &line_size);
        assert_in_range(taken, 1, left);
        at += taken;
        if (line == NULL)
            continue;
        assert_memory_equal(line, expected, line_size);
        assert_int_equal(expected[line_size], '\n');
        expected += line_size + 1;
        lines++;
    }
    assert_int_equal(lines, LINES);
    gameserver_stream_clear(&stream);
}

TEST(an_endless_line_ends_the_stream_in_bounded_memory)
{
    static char bytes[65536];
    struct gameserver_stream stream = {0};
    const char *line;
    size_t line_size, sum = 0;
    memset(bytes, ' ', sizeof bytes);
    while (!stream.is_failed) {
        sum += gameserver_stream_take(&stream, bytes, sizeof bytes, &line, &line_size);
        assert_null(line);
        assert_in_range(sum, 0, GAMESERVER_MAX_BYTES);
        assert_in_range(stream.capacity, 0, 2 * GAMESERVER_MAX_BYTES);
    }
    assert_int_equal(gameserver_stream_take(&stream, "\n", 1, &line, &line_size), 0);
    gameserver_stream_clear(&stream);
}
