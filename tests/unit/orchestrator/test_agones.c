// SPDX-License-Identifier: MIT
// The state machine of a game server under Agones, driven by hand.
#include "agones.h"
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

static void end(void)
{
    agones_destroy(fixture.agones);
    fixture.agones = NULL;
}

TEST_EACH(NULL, end)

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

TEST(ready_waits_for_every_arena_and_comes_once)
{
    start();
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY] + fixture.sent[AGONES_HEALTH], 0);
    assert_int_equal(agones_port(fixture.agones, "default"), 7777);
    load(true, 0);
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY], 1);
    // One that is allocated when it starts is not made ready, and health may be switched off.
    start();
    strcpy(fixture.gameserver.state, "Allocated");
    fixture.gameserver.health_is_disabled = true;
    load(true, 0);
    pass(SOON_MS);
    assert_int_equal(fixture.sent[AGONES_READY] + fixture.sent[AGONES_HEALTH], 0);
    assert_int_equal(agones_status(fixture.agones)->phase, AGONES_SERVING);
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

// --- Use ---

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

// Lets time pass until a request of this kind is due, and leaves that one without an answer.
static void pass_until(enum agones_kind kind, struct agones_request *request)
{
    const uint64_t end_ms = fixture.now_ms + SOON_MS;
    do {
        while (!agones_next_request(fixture.agones, fixture.now_ms, request)) {
            fixture.now_ms = agones_due_ms(fixture.agones);
            assert_true(fixture.now_ms < end_ms);
        }
        if (request->kind != kind)
            answer(request);
    } while (request->kind != kind);
}

TEST(an_answer_that_an_update_has_overtaken_is_dropped)
{
    struct agones_request request;
    start_and_serve();
    pass_until(AGONES_GAMESERVER, &request);
    struct gameserver old = fixture.gameserver;
    allocate("2026-01-01T00:00:00Z", "m-1");
    update();
    agones_arena_started(fixture.agones, "m-1", 7300, "m-1-ab", fixture.now_ms);
    const struct agones_answer late = {.status = 200, .gameserver = &old, .count = -1};
    agones_receive_answer(fixture.agones, &late, fixture.now_ms);
    agones_arena_ended(fixture.agones, "m-1", fixture.now_ms);
    pass(1000);
    // Its value is listed, so that it is removed before the counter falls.
    assert_int_equal(fixture.sent[AGONES_REMOVE], 1);
    assert_int_equal(fixture.sent[AGONES_COUNT], 0);
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
