// SPDX-License-Identifier: MIT
// The state machine against a simulated Agones: an SDK server that batches writes, shows them late,
// rejects, falls silent and starts again, and an allocator that works at the same time. Whatever
// happened, once it is quiet the counter and the list agree with the arenas that run, no arena was
// made twice, and requests were few.
#include "agones.h"

#include "chance.h"
#include "test.h"

enum { MAX_ARENAS = 6, MAX_IDS = 400, MAX_WRITES = 64, STEP_MS = 50, BATCH_MS = 1000 };

// A write that the SDK server has accepted and not sent to Kubernetes yet.
struct write {
    uint64_t due_ms;
    enum agones_kind kind;
    int64_t number;
    char value[GAMESERVER_VALUE_BYTES];
};

static struct agones *agones;
static uint64_t now_ms;
static struct gameserver truth; // in Kubernetes
static struct gameserver copy;  // of the SDK server, which answers from it
static uint64_t copy_due_ms;    // when it becomes the truth; 0: it is
static struct write writes[MAX_WRITES];
static int write_count;
static uint64_t update_due_ms; // of the watch; 0: nothing has changed
static bool watch_is_open;
static struct agones_request pending; // without its texts
static char pending_body[AGONES_BODY_BYTES];
static uint64_t answer_due_ms; // 0: no request is under way
static unsigned answer_status;
static struct gameserver answer_copy; // what it had when it was asked: updates may overtake it
static int64_t answer_arenas;
static bool is_stormy; // whether anything goes wrong
static bool is_out;    // Kubernetes takes neither writes nor allocations
static int ids, runs[MAX_IDS], starts[MAX_IDS];
static bool failed[MAX_IDS]; // raimd has reported why the arena is not there
static int requests;
static int lost; // allocations whose value was cut off for lack of room in the list

static void change(void)
{
    if (copy_due_ms == 0)
        copy_due_ms = now_ms + (uint64_t)(chance_int(0, 500) == 0 ? 5000 : chance_int(0, 200));
}

static void refresh_copy(void)
{
    if (copy_due_ms == 0 || now_ms < copy_due_ms)
        return;
    copy_due_ms = 0;
    copy = truth;
    if (update_due_ms == 0)
        update_due_ms = now_ms + (uint64_t)chance_int(0, 300);
}

static int find_value(const char *value)
{
    for (int i = 0; i < truth.arena_value_count; i++)
        if (strcmp(truth.arena_values[i], value) == 0)
            return i;
    return -1;
}

static void add_value(const char *value)
{
    if (find_value(value) >= 0)
        return;
    if (truth.arena_value_count < truth.arena_list_capacity) // cut off in silence, as Agones does
        strcpy(truth.arena_values[truth.arena_value_count++], value);
}

static void apply(const struct write *write)
{
    const int index = find_value(write->value);
    if (write->kind == AGONES_READY)
        strcpy(truth.state, "Ready");
    if (write->kind == AGONES_ALLOCATE) {
        strcpy(truth.state, "Allocated");
        snprintf(truth.last_allocated, sizeof truth.last_allocated, "own-%llu",
                 (unsigned long long)now_ms);
    }
    if (write->kind == AGONES_CAPACITY)
        truth.arena_capacity = write->number;
    if (write->kind == AGONES_COUNT)
        truth.arenas += write->number;
    if (write->kind == AGONES_COUNT && truth.arenas > truth.arena_capacity)
        truth.arenas = truth.arena_capacity; // silently, as Agones does
    if (write->kind == AGONES_COUNT && truth.arenas < 0)
        truth.arenas = 0;
    if (write->kind == AGONES_ADD)
        add_value(write->value);
    if (write->kind == AGONES_REMOVE && index >= 0)
        memmove(truth.arena_values[index], truth.arena_values[index + 1],
                (size_t)(--truth.arena_value_count - index) * GAMESERVER_VALUE_BYTES);
    change();
}

// The counter with the writes that are not applied yet, as the SDK server shows it.
static int64_t projected_arenas(void)
{
    int64_t count = copy.arenas;
    for (int i = 0; i < write_count; i++)
        count += writes[i].kind == AGONES_COUNT ? writes[i].number : 0;
    return count < 0 ? 0 : count;
}

// Whether the SDK server accepts a write; takes it.
static bool take_write(enum agones_kind kind, const char *body)
{
    struct write write = {.due_ms = now_ms + (uint64_t)chance_int(0, BATCH_MS), .kind = kind};
    long long number = 0;
    const bool is_value = sscanf(body, "{\"value\":\"%63[^\"]\"}", write.value) == 1;
    if (sscanf(body, "{\"countDiff\":\"%lld\"}", &number) != 1)
        sscanf(body, "{\"capacity\":\"%lld\"}", &number);
    write.number = number;
    if (kind == AGONES_COUNT &&
        (projected_arenas() + number < 0 || projected_arenas() + number > truth.arena_capacity))
        return false;
    if (kind == AGONES_REMOVE && (!is_value || find_value(write.value) < 0))
        return false;
    assert_true(write_count < MAX_WRITES);
    writes[write_count++] = write;
    return true;
}

static void apply_writes(bool all)
{
    int kept = 0;
    for (int i = 0; i < write_count; i++) {
        if (all || (writes[i].due_ms <= now_ms && !is_out))
            apply(&writes[i]);
        else
            writes[kept++] = writes[i];
    }
    write_count = kept;
}

// The arenas that a report calls failed.
static void read_report(const char *body)
{
    char text[40];
    for (int i = 0; i < ids; i++) {
        snprintf(text, sizeof text, "\\\"m-%d\\\":{\\\"error\\\"", i);
        failed[i] = failed[i] || strstr(body, text) != NULL;
    }
}

static void receive_request(const struct agones_request *request)
{
    requests++;
    if (request->kind == AGONES_WATCH) {
        watch_is_open = !is_stormy || chance_int(0, 3) > 0;
        if (watch_is_open)
            update_due_ms = now_ms + (uint64_t)chance_int(0, 100);
        else
            agones_receive_watch_end(agones, now_ms);
        return;
    }
    assert_int_equal(answer_due_ms, 0); // one at a time
    pending = *request;
    strcpy(pending_body, request->body != NULL ? request->body : "");
    if (request->kind == AGONES_REPORT)
        read_report(pending_body);
    const int fate = is_stormy ? chance_int(0, 9) : 9;
    answer_due_ms = now_ms + (uint64_t)(fate < 2 ? 3000 : chance_int(1, 500));
    answer_status = fate < 2 ? 0 : fate < 4 ? 500 : 200;
    const bool is_executed = fate >= 4 || fate == 0; // executed, but its answer is lost
    const bool is_write = request->kind != AGONES_GAMESERVER && request->kind != AGONES_AUDIT &&
                          request->kind != AGONES_HEALTH && request->kind != AGONES_PLAYERS &&
                          request->kind != AGONES_LABEL && request->kind != AGONES_REPORT;
    answer_copy = copy;
    answer_arenas = projected_arenas();
    if (is_executed && is_write && !take_write(request->kind, pending_body) && answer_status == 200)
        answer_status = 500;
}

static void send_answer(void)
{
    if (answer_due_ms == 0 || now_ms < answer_due_ms)
        return;
    const struct agones_answer answer = {
        .status = answer_status,
        .gameserver =
            answer_status == 200 && pending.kind == AGONES_GAMESERVER ? &answer_copy : NULL,
        .count = answer_status == 200 && pending.kind == AGONES_AUDIT ? answer_arenas : -1};
    answer_due_ms = 0;
    agones_receive_answer(agones, &answer, now_ms);
}

static void send_update(void)
{
    if (!watch_is_open || update_due_ms == 0 || now_ms < update_due_ms)
        return;
    update_due_ms = 0;
    agones_receive_update(agones, &copy, now_ms);
}

// In a storm the counter may be too low: a change whose answer was lost is made twice, and one that
// was rejected is given up until an audit finds it. An allocation that asks the counter alone is
// then cut off in silence, which happened to 218 of 1,875. Those of deploy/ ask the list, too.
static void allocate(bool asks_list)
{
    const bool is_ready =
        strcmp(truth.state, "Ready") == 0 || strcmp(truth.state, "Allocated") == 0;
    char value[32];
    if (!is_ready || is_out || truth.arenas >= truth.arena_capacity || ids == MAX_IDS)
        return;
    if (asks_list && truth.arena_value_count == truth.arena_list_capacity)
        return;
    snprintf(value, sizeof value, "m-%d", ids++);
    strcpy(truth.state, "Allocated");
    snprintf(truth.last_allocated, sizeof truth.last_allocated, "%llu", (unsigned long long)now_ms);
    truth.arenas++;
    lost += truth.arena_value_count == truth.arena_list_capacity;
    add_value(value);
    change();
}

static void execute_decisions(void)
{
    struct agones_decision decision;
    while (agones_next_decision(agones, &decision)) {
        assert_int_equal(decision.kind, AGONES_START_ARENA);
        const int id = atoi(decision.id + 2);
        assert_in_range(id, 0, MAX_IDS - 1);
        starts[id]++;
        assert_int_equal(starts[id], 1);
        if (is_stormy && chance_int(0, 4) == 0) {
            agones_arena_failed(agones, decision.id, "no port is free", now_ms);
        } else {
            runs[id] = 1;
            agones_arena_started(agones, decision.id, (uint16_t)(7300 + id), "arena", now_ms);
        }
    }
}

static void end_arenas(void)
{
    char id[32];
    for (int i = 0; i < ids; i++) {
        if (runs[i] == 0 || chance_int(0, 400) != 0)
            continue;
        runs[i] = 0;
        snprintf(id, sizeof id, "m-%d", i);
        agones_arena_ended(agones, id, now_ms);
    }
}

// Made by the control API.
static void make_room(void)
{
    char id[32];
    if (ids == MAX_IDS || agones_status(agones)->arenas >= MAX_ARENAS)
        return;
    snprintf(id, sizeof id, "m-%d", ids);
    runs[ids] = starts[ids] = 1;
    ids++;
    agones_arena_started(agones, id, 7300, "arena", now_ms);
}

static void disturb(void)
{
    if (chance_int(0, 60) == 0)
        allocate(true);
    if (chance_int(0, 300) == 0)
        make_room();
    end_arenas();
    if (chance_int(0, 400) == 0 && watch_is_open) { // the SDK server starts again
        watch_is_open = false;
        apply_writes(true);
        agones_receive_watch_end(agones, now_ms);
    }
    if (chance_int(0, 400) == 0)
        watch_is_open = false; // it dies silently
}

static void step(bool disturbs)
{
    struct agones_request request;
    now_ms += STEP_MS;
    if (disturbs)
        disturb();
    apply_writes(false);
    refresh_copy();
    send_answer();
    send_update();
    agones_set_load(agones, true, 0, now_ms);
    while (agones_next_request(agones, now_ms, &request))
        receive_request(&request);
    execute_decisions();
}

static int running(void)
{
    int count = 0;
    for (int i = 0; i < ids; i++)
        count += runs[i];
    return count;
}

static void start(void)
{
    struct agones_def def = agones_default_def();
    def.max_arenas = MAX_ARENAS;
    def.seed = raim_random_next(&chance);
    now_ms = 1000;
    truth = (struct gameserver){.state = "Scheduled",
                                .name = "raimd",
                                .health_period_s = 5,
                                .has_arena_counter = true,
                                .has_arena_list = true,
                                .arena_list_capacity = MAX_ARENAS,
                                .arena_capacity = 1000};
    write_count = 0;
    copy = truth;
    copy_due_ms = update_due_ms = answer_due_ms = 0;
    watch_is_open = false;
    ids = requests = 0;
    memset(runs, 0, sizeof runs);
    memset(starts, 0, sizeof starts);
    memset(failed, 0, sizeof failed);
    agones = agones_create(&def, now_ms);
    assert_non_null(agones);
}

TEST(after_any_storm_counter_and_list_are_what_runs)
{
    int all = 0;
    for (int run = 0; run < 60; run++) {
        start();
        is_stormy = true;
        for (int i = 0; i < 4000; i++)
            step(true);
        is_stormy = false;
        for (int i = 0; i < 3000; i++)
            step(false);
        assert_int_equal(truth.arenas, running());
        assert_int_equal(truth.arena_value_count, running());
        for (int i = 0; i < truth.arena_value_count; i++)
            assert_int_equal(runs[atoi(truth.arena_values[i] + 2)], 1);
        assert_int_equal(truth.arena_capacity, MAX_ARENAS);
        for (int i = 0; i < ids; i++)
            assert_true(starts[i] == 1 || failed[i]); // no allocation was lost
        assert_int_equal(agones_status(agones)->arenas, running());
        all += ids;
        // 350 seconds with all disturbances: a few requests a second.
        assert_in_range(requests, 100, 350 * 8);
        agones_destroy(agones);
    }
    assert_true(all > 60 * 20);
}

// Nearly always full, with the allocations that ask the counter alone.
static void play(void)
{
    if (chance_int(0, 10) == 0)
        allocate(false);
    end_arenas();
    step(false);
}

static void start_playing(void)
{
    start();
    is_stormy = false;
    for (int i = 0; i < 200; i++)
        step(false); // until the capacity is set
    lost = 0;
}

TEST(in_ordinary_play_no_allocation_is_lost)
{
    for (int run = 0; run < 5; run++) {
        start_playing();
        for (int i = 0; i < 20000; i++) {
            is_out = i % 2400 < 600; // 30 s of 120
            play();
        }
        is_out = false;
        assert_true(ids > 100);
        assert_int_equal(lost, 0);
        agones_destroy(agones);
    }
}

// How far the counter is off while arenas come and go: the least by which it exceeds the list in
// ten seconds. An arena that has ended leaves the counter later than the list.
static int64_t drift(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 10000 / STEP_MS; i++) {
        const int64_t excess = truth.arenas - truth.arena_value_count;
        least = excess < least ? excess : least;
        play();
    }
    return least;
}

TEST(a_drifted_counter_is_repaired_during_play)
{
    enum { ROUNDS = 40, REPAIRED_MS = 40000 };
    for (int i = 0; i < ROUNDS; i++) {
        start_playing();
        for (int j = 0; j < 400; j++)
            play();
        truth.arenas += i % 2 == 0 && truth.arenas > 0 ? -1 : 1;
        change();
        for (int j = 0; j < REPAIRED_MS / STEP_MS; j++)
            play();
        assert_int_equal(drift(), 0);
        agones_destroy(agones);
    }
}
