// SPDX-License-Identifier: MIT
// Connects the state machine of Agones with the arenas and the client.
#define _GNU_SOURCE
#include "orchestrator.h"

#include "agones.h"
#include "agones_client.h"
#include "arena_text.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"

#include <assert.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    DEFAULT_PORT = 9358,   // of the SDK server's REST gateway
    FIND_PORTS_MS = 30000, // a sidecar may start later than raimd
    ALIVE_MS = 2500,       // an arena ticks if its newest tick is younger: ten ticks at 10 Hz twice
    LOOK_FIRST_MS = 50,    // until Ready, and
    LOOK_EVERY_MS = 500,   // afterwards at the arenas: whether they tick, and who plays
    DRAIN_LAST_MS = 1000,  // the arenas are drained so long before a drain's deadline
};

struct orchestrator {
    struct agones *agones;
    struct agones_client *client;
    struct loop_source *timer;
    struct watcher reported; // by the arenas
    struct arena_table *table;
    struct control *control;
    struct on_demand *on_demand;
    uint64_t next_look_ms;
    bool waits_for_arenas;   // the arenas are drained later, because of the arenas
    uint64_t drain_until_ms; // deadline of that wait; UINT64_MAX: none
    bool is_draining;        // every arena has been sent the drain
    bool has_ended;

    // As logged.
    enum agones_phase phase;
    bool was_connected;
    bool was_rejected[AGONES_KINDS]; // the newest request of this kind
    const char *api;
    char state[GAMESERVER_STATE_BYTES];
};

// --- Start ---

uint16_t orchestrator_port(const struct config *config)
{
    const char *text = getenv("AGONES_SDK_HTTP_PORT");
    char *end = NULL;
    const long port = text != NULL ? strtol(text, &end, 10) : 0;
    const bool is_port =
        text != NULL && end != text && *end == '\0' && port > 0 && port <= UINT16_MAX;
    if (text != NULL && !is_port && config->agones != CONFIG_AGONES_OFF)
        log_warning("agones %s: AGONES_SDK_HTTP_PORT is \"%s\", want a port",
                    config->agones == CONFIG_AGONES_ON ? "on port 9358" : "off", text);
    if (config->agones == CONFIG_AGONES_OFF || (config->agones == CONFIG_AGONES_AUTO && !is_port))
        return 0;
    return is_port ? (uint16_t)port : DEFAULT_PORT;
}

static void take_answer(void *context, const struct agones_client_answer *answer);
static void take_update(void *context, const struct gameserver *gameserver);

static void send_requests(struct orchestrator *orchestrator, uint64_t now_ms);

static bool is_ending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

// The port of the GameServer with the arena's name, or its only one.
static uint16_t find_port(const void *context, const char *arena)
{
    const struct orchestrator *orchestrator = context;
    const uint16_t port = agones_port(orchestrator->agones, arena);
    return port != 0 ? port : agones_port(orchestrator->agones, "");
}

static bool needs_ports(const struct config *config)
{
    for (int i = 0; i < config->arena_count; i++)
        if (config->arenas[i].port == 0)
            return true;
    return false;
}

static bool find_ports(struct orchestrator *orchestrator, struct loop *loop,
                       struct arena_table *table, char *error, size_t capacity)
{
    enum { STEP_MS = 50 };
    const uint64_t end_ms = monotonic_ms() + FIND_PORTS_MS;
    if (!needs_ports(table->config))
        return true;
    log_info("agones waiting for the ports of the GameServer");
    while (!agones_has_ports(orchestrator->agones)) {
        const uint64_t now_ms = monotonic_ms();
        if (is_ending() || now_ms >= end_ms) {
            snprintf(error, capacity, "the GameServer has no ports, and an arena's port is 0");
            return false;
        }
        send_requests(orchestrator, now_ms);
        loop_wait(loop, STEP_MS);
    }
    table->ports = (struct arena_ports){.context = orchestrator, .find = find_port};
    return true;
}

struct orchestrator *orchestrator_open(struct loop *loop, struct fetch *fetch, uint16_t port,
                                       struct arena_table *table, char *error, size_t capacity)
{
    struct agones_def def = agones_default_def();
    struct orchestrator *orchestrator = calloc(1, sizeof *orchestrator);
    const struct agones_client_events events = {
        .context = orchestrator, .answer = take_answer, .update = take_update};
    snprintf(error, capacity, "out of memory");
    if (orchestrator == NULL)
        return NULL;
    if (getrandom(&def.seed, sizeof def.seed, GRND_NONBLOCK) < 0)
        def.seed = monotonic_us(); // it only spreads retries
    def.drain_ms = table->config->agones_drain_s * 1000;
    def.ready_when_empty = table->config->agones_ready;
    orchestrator->agones = agones_create(&def, monotonic_ms());
    if (orchestrator->agones != NULL)
        orchestrator->client = agones_client_create(fetch, port, &events);
    if (orchestrator->client != NULL && find_ports(orchestrator, loop, table, error, capacity))
        return orchestrator;
    orchestrator_close(orchestrator);
    return NULL;
}

void orchestrator_close(struct orchestrator *orchestrator)
{
    if (orchestrator == NULL)
        return;
    agones_client_destroy(orchestrator->client);
    if (orchestrator->table != NULL)
        watchers_remove(&orchestrator->table->watchers, &orchestrator->reported);
    loop_remove(orchestrator->timer);
    agones_destroy(orchestrator->agones);
    free(orchestrator);
}

static void end_arena(void *context, const char *id, const char *cause)
{
    struct orchestrator *orchestrator = context;
    (void)cause;
    agones_arena_ended(orchestrator->agones, id, monotonic_ms());
}

static void run(void *context);

static bool join_loop(struct orchestrator *orchestrator, struct loop *loop)
{
    orchestrator->timer = loop_add_timer(loop, 0, run, orchestrator);
    orchestrator->reported = (struct watcher){.run = run, .context = orchestrator};
    watchers_add(&orchestrator->table->watchers, &orchestrator->reported);
    if (orchestrator->timer == NULL)
        return false;
    loop_set_timer(orchestrator->timer, 0);
    return true;
}

const struct agones_status *orchestrator_status(const struct orchestrator *orchestrator)
{
    return agones_status(orchestrator->agones);
}

bool orchestrator_start(struct orchestrator *orchestrator, struct loop *loop,
                        struct arena_table *table, struct control *control,
                        struct on_demand *on_demand)
{
    const struct on_demand_observer observer = {.context = orchestrator, .ended = end_arena};
    orchestrator->on_demand = on_demand;
    on_demand_observe(on_demand, &observer);
    orchestrator->table = table;
    orchestrator->control = control;
    return join_loop(orchestrator, loop);
}

// --- The arenas ---

static bool every_arena_ticks(const struct arena_list *list, uint64_t now_ms)
{
    for (int i = 0; i < list->count; i++)
        if (now_ms > arena_ticked_ms(list->arenas[i]) + ALIVE_MS)
            return false;
    return true;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// Collects the names of the players of all arenas, each once.
static void look_at_players(struct orchestrator *orchestrator)
{
    const struct arena_list *list = &orchestrator->table->running;
    const char *names[AGONES_MAX_PLAYERS];
    int count = 0, kept = 0;
    for (int i = 0; i < list->count; i++) {
        const struct arena_status *status = arena_status(list->arenas[i]);
        for (uint32_t j = 0; j < status->player_count && count < AGONES_MAX_PLAYERS; j++)
            if (!status->players[j].match.bot)
                names[count++] = status->players[j].match.name;
    }
    qsort(names, (size_t)count, sizeof *names, compare_names);
    for (int i = 0; i < count; i++)
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            names[kept++] = names[i];
    agones_set_players(orchestrator->agones, names, kept);
}

// Arenas that were made by others than Agones, or by the process before.
static void look_at_arenas(struct orchestrator *orchestrator, uint64_t now_ms)
{
    struct on_demand *on_demand = orchestrator->on_demand;
    char id[ON_DEMAND_ID_BYTES];
    const int taken = on_demand_count(on_demand);
    const bool makes_arenas = orchestrator->table->config->template_count > 0;
    const int free_arenas = on_demand_free_count(on_demand);
    agones_set_max_arenas(orchestrator->agones,
                          makes_arenas && free_arenas + taken > 0 ? free_arenas + taken : 0,
                          now_ms);
    for (int i = 0; i < on_demand_count(on_demand); i++) {
        struct on_demand_answer answer;
        strcpy(id, on_demand_id(on_demand, i));
        if (agones_arena_runs(orchestrator->agones, id))
            continue;
        on_demand_show(on_demand, id, &answer);
        const struct arena_text arena = arena_text_read(answer.status, answer.text);
        free(answer.text);
        if (arena.is_running)
            agones_arena_started(orchestrator->agones, id, arena.port, arena.name, now_ms);
    }
}

static void look(struct orchestrator *orchestrator, uint64_t now_ms)
{
    uint32_t players, bots;
    if (now_ms < orchestrator->next_look_ms)
        return;
    const bool is_starting = agones_status(orchestrator->agones)->phase <= AGONES_STARTING;
    orchestrator->next_look_ms = now_ms + (is_starting ? LOOK_FIRST_MS : LOOK_EVERY_MS);
    arena_table_count_players(orchestrator->table, &players, &bots);
    agones_set_load(orchestrator->agones, every_arena_ticks(&orchestrator->table->running, now_ms),
                    players, now_ms);
    look_at_players(orchestrator);
    look_at_arenas(orchestrator, now_ms);
}

// --- Decisions ---

static void drain_arenas(struct orchestrator *orchestrator, uint32_t drain_ms)
{
    control_drain(orchestrator->control, (drain_ms + 999) / 1000);
    orchestrator->waits_for_arenas = false;
    orchestrator->is_draining = true;
}

// A drained arena admits only resuming players, but those whom a matchmaker has given a place in a
// arena may still be on their way. So the arenas are drained when all arenas have ended, or with a
// deadline, when no player is in an arena or expected there.
static void drain_behind_arenas(struct orchestrator *orchestrator, uint64_t now_ms)
{
    const uint64_t until_ms = orchestrator->drain_until_ms;
    const bool has_deadline = until_ms != UINT64_MAX;
    const int on_demand = has_deadline ? on_demand_in_use(orchestrator->on_demand)
                                       : on_demand_count(orchestrator->on_demand);
    if (on_demand > 0 && (!has_deadline || now_ms + DRAIN_LAST_MS < until_ms))
        return;
    const uint64_t left_ms = !has_deadline ? 0 : until_ms > now_ms ? until_ms - now_ms : 1;
    drain_arenas(orchestrator, (uint32_t)left_ms);
}

// `drain_ms` 0: without a deadline.
static void begin_drain(struct orchestrator *orchestrator, uint32_t drain_ms, uint64_t now_ms)
{
    on_demand_reject_new(orchestrator->on_demand, true);
    orchestrator->waits_for_arenas = true;
    orchestrator->drain_until_ms = drain_ms > 0 ? now_ms + drain_ms : UINT64_MAX;
    drain_behind_arenas(orchestrator, now_ms);
}

static void start_arena(struct orchestrator *orchestrator, const struct agones_decision *decision,
                        uint64_t now_ms)
{
    const struct config *config = orchestrator->table->config;
    struct on_demand_answer answer = {0};
    // Before a restart of raimd: the list shows an arena for a moment longer than it runs.
    if (on_demand_has_ended(orchestrator->on_demand, decision->id)) {
        log_info("agones arena not made again id=%s", decision->id);
        agones_arena_failed(orchestrator->agones, decision->id, "it has ended already", now_ms);
        return;
    }
    // Where there is a single template, a request need not name it.
    const char *only = config->template_count == 1 ? config->templates[0].name : "";
    char *json = arena_text_request(
        decision->json, decision->template_name[0] != '\0' ? decision->template_name : only);
    if (json != NULL)
        on_demand_create(orchestrator->on_demand, decision->id, json, strlen(json), &answer);
    const struct arena_text arena = arena_text_read(answer.status, answer.text);
    free(answer.text);
    free(json);
    if (arena.is_running) {
        agones_arena_started(orchestrator->agones, decision->id, arena.port, arena.name, now_ms);
        return;
    }
    log_warning("agones arena not opened id=%s: %s", decision->id, arena.problem);
    agones_arena_failed(orchestrator->agones, decision->id, arena.problem, now_ms);
}

static void execute(struct orchestrator *orchestrator, const struct agones_decision *decision,
                    uint64_t now_ms)
{
    switch (decision->kind) {
    case AGONES_START_ARENA:
        start_arena(orchestrator, decision, now_ms);
        break;
    case AGONES_BEGIN_DRAIN:
        begin_drain(orchestrator, decision->drain_ms, now_ms);
        break;
    case AGONES_EXIT:
        orchestrator->has_ended = true;
        break;
    }
}

// A drain that the operator ordered is Agones' business, too.
static void look_at_drain(struct orchestrator *orchestrator, uint64_t now_ms)
{
    if (orchestrator->waits_for_arenas)
        drain_behind_arenas(orchestrator, now_ms);
    if (control_is_drained(orchestrator->control))
        agones_set_drained(orchestrator->agones, now_ms);
    else if (control_is_draining(orchestrator->control) && !orchestrator->is_draining) {
        orchestrator->is_draining = true;
        agones_drain(orchestrator->agones, AGONES_DRAIN_COMMAND, now_ms);
    }
}

// --- The loop ---

// Logs the first rejection in a row of each kind of request.
static void note_answer(struct orchestrator *orchestrator,
                        const struct agones_client_answer *answer, bool is_rejected)
{
    bool *was_rejected = &orchestrator->was_rejected[answer->kind];
    if (is_rejected && !*was_rejected)
        log_warning("agones rejected request=%s status=%u: %s", agones_kind_name(answer->kind),
                    answer->status, answer->problem[0] != '\0' ? answer->problem : "no message");
    *was_rejected = (*was_rejected && answer->status != 200) || is_rejected;
}

static void wake(const struct orchestrator *orchestrator)
{
    if (orchestrator->timer != NULL)
        loop_set_timer(orchestrator->timer, 0);
}

static void take_update(void *context, const struct gameserver *gameserver)
{
    struct orchestrator *orchestrator = context;
    if (gameserver != NULL)
        agones_receive_update(orchestrator->agones, gameserver, monotonic_ms());
    else
        agones_receive_watch_end(orchestrator->agones, monotonic_ms());
    wake(orchestrator);
}

static void take_answer(void *context, const struct agones_client_answer *answer)
{
    struct orchestrator *orchestrator = context;
    const struct agones_answer received = {
        .status = answer->status, .gameserver = answer->gameserver, .count = answer->count};
    note_answer(orchestrator, answer,
                !agones_receive_answer(orchestrator->agones, &received, monotonic_ms()));
    wake(orchestrator);
}

static void send_requests(struct orchestrator *orchestrator, uint64_t now_ms)
{
    struct agones_request request;
    while (agones_next_request(orchestrator->agones, now_ms, &request)) {
        if (agones_client_send(orchestrator->client, &request))
            continue;
        if (request.kind == AGONES_WATCH)
            agones_receive_watch_end(orchestrator->agones, now_ms);
        else
            agones_receive_answer(orchestrator->agones, &(struct agones_answer){.count = -1},
                                  now_ms);
    }
}

static void log_changes(struct orchestrator *orchestrator)
{
    const struct agones_status *status = agones_status(orchestrator->agones);
    if (status->is_connected != orchestrator->was_connected) {
        if (status->is_connected)
            log_info("agones connected gameserver=%s", status->name);
        else
            log_warning("agones lost: its SDK server does not answer");
        orchestrator->was_connected = status->is_connected;
    }
    if (status->phase != orchestrator->phase) {
        log_info("agones phase=\"%s\"", agones_phase_name(status->phase));
        orchestrator->phase = status->phase;
    }
    if (status->api != orchestrator->api && status->api[0] != '\0')
        log_info("agones counters and lists api=%s", status->api);
    orchestrator->api = status->api;
    if (strcmp(status->state, orchestrator->state) != 0) {
        log_info("agones state=%s", status->state);
        strcpy(orchestrator->state, status->state);
    }
}

static void run(void *context)
{
    struct orchestrator *orchestrator = context;
    const uint64_t now_ms = monotonic_ms();
    struct agones_decision decision;
    look(orchestrator, now_ms);
    look_at_drain(orchestrator, now_ms);
    send_requests(orchestrator, now_ms);
    while (agones_next_decision(orchestrator->agones, &decision))
        execute(orchestrator, &decision, now_ms);
    log_changes(orchestrator);
    const uint64_t due_ms = agones_due_ms(orchestrator->agones);
    loop_set_timer(orchestrator->timer,
                   due_ms < orchestrator->next_look_ms ? due_ms : orchestrator->next_look_ms);
}

void orchestrator_drain(struct orchestrator *orchestrator)
{
    agones_drain(orchestrator->agones, AGONES_DRAIN_SIGNAL, monotonic_ms());
    loop_set_timer(orchestrator->timer, 0);
}

bool orchestrator_has_ended(const struct orchestrator *orchestrator)
{
    return orchestrator->has_ended;
}
