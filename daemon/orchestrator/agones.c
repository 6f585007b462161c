// SPDX-License-Identifier: MIT
// Phases of a game server under Agones, and when each kind of request is due.
#define _GNU_SOURCE
#include "agones.h"

#include "agones_internal.h"
#include "json_writer.h"
#include "metric.h"
#include "random.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_RETRY_MS = 100,      // after a request without an answer; doubles
    LAST_RETRY_MS = 5000,      // up to this
    LOST_SILENCES = 2,         // unanswered in a row: one request alone may hang
    FIRST_REJECTED_MS = 500,   // after an answer other than 200; doubles
    LAST_REJECTED_MS = 30000,  // up to this
    REPEAT_MS = 3000,          // what was accepted may take this long to be seen in the GameServer
    CONFIRM_MS = 2500,         // after it, the GameServer is asked whether it was
    BATCH_MS = 1000,           // the SDK server sends changes to Kubernetes once a second
    OWN_ALLOCATION_MS = 10000, // time for the effect of POST /allocate to be seen
    POLL_MS = 30000,           // GET /gameserver, should the watch have died silently
    AUDIT_MS = 10000,          // GET of the counter
    WATCH_ANSWER_MS = 5000,    // the first object of a watch comes at once
    DEFAULT_PERIOD_MS = 5000,  // of Health: Agones' own
    FIRST_HEALTH_MS = 500,     // the shortest and the longest time between two
    LAST_HEALTH_MS = 30000,
    EMPTY_MS = 2000,             // before an empty server returns to Ready
    SHUTDOWN_SIGNAL_MS = 2000,   // for Shutdown to be accepted, after a signal
    SHUTDOWN_AWAITED_MS = 10000, // for the signal that follows Shutdown
};

#define NEVER UINT64_MAX

static void write_words(const void *object, struct json_writer *json, uint64_t now_ms)
{
    const struct agones_status *status = object;
    struct agones_counts sum = {0};
    (void)now_ms;
    for (int i = 0; i < AGONES_KINDS; i++) {
        sum.accepted += status->counts[i].accepted;
        sum.rejected += status->counts[i].rejected;
        sum.unanswered += status->counts[i].unanswered;
    }
    json_write_text(json, "phase", agones_phase_name(status->phase));
    json_write_text(json, "gameserver", status->name);
    json_write_text(json, "state", status->state);
    json_begin_object(json, "requests");
    json_write_count(json, "accepted", sum.accepted);
    json_write_count(json, "rejected", sum.rejected);
    json_write_count(json, "unanswered", sum.unanswered);
    json_write_end(json);
}

static void write_requests(struct text_buffer *out, int kind, const char *result, uint64_t count)
{
    text_buffer_print(out, "raimd_agones_requests_total{kind=\"%s\",result=\"%s\"} %" PRIu64 "\n",
                      agones_kind_name((enum agones_kind)kind), result, count);
}

static void write_families(const void *object, struct text_buffer *out, uint64_t now_ms)
{
    const struct agones_status *status = object;
    (void)now_ms;
    metric_text_family(out, "raimd_agones_phase", METRIC_GAUGE,
                       "Phase under Agones as a label; the value is always 1.");
    text_buffer_print(out, "raimd_agones_phase{phase=\"%s\"} 1\n",
                      agones_phase_name(status->phase));
    metric_text_family(out, "raimd_agones_requests_total", METRIC_COUNTER,
                       "Requests to Agones' SDK server since its first answer.");
    for (int i = 0; i < AGONES_KINDS; i++) {
        write_requests(out, i, "accepted", status->counts[i].accepted);
        write_requests(out, i, "rejected", status->counts[i].rejected);
        write_requests(out, i, "unanswered", status->counts[i].unanswered);
    }
}

#define STATUS(member) METRIC_OF(struct agones_status, member)

static const struct metric status_rows[] = {
    {"connected", "raimd_agones_up",
     "1 while Agones' SDK server answers one of two requests, else 0.", METRIC_FLAG,
     STATUS(is_connected)},
    {"watching", NULL, "Whether the stream of updates is open.", METRIC_FLAG, STATUS(is_watching)},
    {"arenas", NULL, "Arenas that run or are being made.", METRIC_GAUGE, STATUS(arenas)},
    {"updates", "raimd_agones_updates_total", "Updates of the GameServer received.", METRIC_COUNTER,
     STATUS(updates)},
    {"malformed", "raimd_agones_malformed_total",
     "Answers, updates and requests for arenas that could not be read.", METRIC_COUNTER,
     STATUS(malformed)},
};

const struct metric_table agones_metrics = {.group = "agones",
                                            .meaning = "raimd under Agones; null: it is not.",
                                            METRIC_ROWS(status_rows),
                                            .is_optional = true,
                                            .write_members = write_words,
                                            .write_families = write_families};

struct agones_def agones_default_def(void)
{
    return (struct agones_def){.seed = 1, .drain_ms = 25000};
}

struct agones *agones_create(const struct agones_def *def, uint64_t now_ms)
{
    struct agones *agones = calloc(1, sizeof *agones);
    if (agones == NULL)
        return NULL;
    agones->names = calloc(AGONES_MAX_PLAYERS, sizeof *agones->names);
    if (agones->names == NULL) {
        free(agones);
        return NULL;
    }
    agones->def = *def;
    agones->random = def->seed;
    agones->due_ms = now_ms;
    agones->empty_since_ms = now_ms;
    agones->audited = -1;
    agones->confirm_ms = NEVER;
    agones->accepts_label = -1;
    agones->status.api = "";
    return agones;
}

void agones_destroy(struct agones *agones)
{
    if (agones == NULL)
        return;
    agones_arenas_clear(agones);
    free(agones->names);
    free(agones);
}

// --- Time ---

// Exponential backoff: half of the delay is random, so that the servers of a node do not retry in
// step.
static uint64_t backoff_ms(struct agones *agones, uint32_t failures, uint64_t first_ms,
                           uint64_t last_ms)
{
    const uint64_t long_ms = first_ms << (failures < 16 ? failures : 16);
    const uint64_t delay_ms = long_ms < last_ms ? long_ms : last_ms;
    return delay_ms / 2 + raim_random_next(&agones->random) % (delay_ms / 2 + 1);
}

static uint64_t health_every_ms(const struct agones *agones)
{
    const uint64_t period_s = agones->seen.health_period_s;
    const uint64_t half_ms = (period_s > 0 ? period_s * 1000 : DEFAULT_PERIOD_MS) / 2;
    if (half_ms < FIRST_HEALTH_MS)
        return FIRST_HEALTH_MS;
    return half_ms < LAST_HEALTH_MS ? half_ms : LAST_HEALTH_MS;
}

// --- States of Agones ---

static bool is_state(const struct agones *agones, const char *state)
{
    return strcmp(agones->status.state, state) == 0;
}

// Whether the GameServer has not been Ready yet. An SDK server that has lost its state reports the
// same.
static bool is_before_ready(const struct agones *agones)
{
    static const char *const states[] = {"", "PortAllocation", "Creating", "Starting", "Scheduled"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (is_state(agones, states[i]))
            return true;
    return false;
}

static bool is_in_use(const struct agones *agones)
{
    return agones->status.arenas > 0 || agones->players > 0;
}

// Whether the server was used and is empty again.
static bool wants_ready_again(const struct agones *agones)
{
    return agones->def.ready_when_empty && is_state(agones, "Allocated") && agones->was_used &&
           !is_in_use(agones);
}

static bool counts_arenas(const struct agones *agones)
{
    return agones->def.max_arenas > 0 && agones->seen.has_arena_counter;
}

static bool has_any_counter_or_list(const struct agones *agones)
{
    return agones->seen.has_arena_counter || agones->seen.has_arena_list ||
           agones->seen.has_player_list;
}

// The counter's capacity while arenas are accepted; later what is taken, so that none is free.
static int64_t wanted_capacity(const struct agones *agones)
{
    return agones->status.phase < AGONES_DRAINING ? agones->def.max_arenas : agones->seen.arenas;
}

// --- What is due ---

static uint64_t ready_due_ms(const struct agones *agones)
{
    const enum agones_phase phase = agones->status.phase;
    if (!agones->every_arena_ticks)
        return NEVER;
    if (phase == AGONES_STARTING)
        return 0;
    // Only a state that was seen long after Ready counts. A GameServer whose change to Ready has
    // not been seen yet may be allocated already, and Ready would end that.
    if (phase == AGONES_SERVING && is_before_ready(agones))
        return agones->seen_ms >= agones->ready_ms + CONFIRM_MS ? 0 : NEVER;
    return phase == AGONES_SERVING && wants_ready_again(agones) ? agones->empty_since_ms + EMPTY_MS
                                                                : NEVER;
}

static uint64_t watch_due_ms(const struct agones *agones)
{
    if (!agones->watch_is_open)
        return 0;
    return agones->status.is_watching ? NEVER : agones->watch_opened_ms + WATCH_ANSWER_MS;
}

// When a kind of request is due by what is known, without regard to failures.
static uint64_t wanted_ms(struct agones *agones, enum agones_kind kind, uint64_t now_ms)
{
    const enum agones_phase phase = agones->status.phase;
    const bool is_serving = phase == AGONES_SERVING;
    const bool is_up = is_serving || phase == AGONES_DRAINING;
    if (phase == AGONES_ENDED ||
        (agones_uses_api(kind) && kind != AGONES_API && agones->status.api[0] == '\0'))
        return NEVER;
    switch (kind) {
    case AGONES_SHUTDOWN:
        return phase == AGONES_SHUTTING_DOWN && !agones->shutdown_is_accepted ? 0 : NEVER;
    case AGONES_HEALTH:
        return agones->is_known && agones->every_arena_ticks && !agones->seen.health_is_disabled
                   ? agones->next_health_ms
                   : NEVER;
    case AGONES_WATCH:
        return phase <= AGONES_DRAINING ? watch_due_ms(agones) : NEVER;
    case AGONES_GAMESERVER:
        if (phase > AGONES_DRAINING)
            return NEVER;
        // After a counter: its list. After a request that hung: whether others are answered.
        if (!agones->is_known || agones->audited >= 0 || agones->silences > 0)
            return 0;
        return agones->confirm_ms < agones->seen_ms + POLL_MS ? agones->confirm_ms
                                                              : agones->seen_ms + POLL_MS;
    case AGONES_READY:
        return ready_due_ms(agones);
    case AGONES_ALLOCATE:
        return is_serving && is_state(agones, "Ready") && is_in_use(agones) ? 0 : NEVER;
    case AGONES_API:
        return is_up && has_any_counter_or_list(agones) && agones->status.api[0] == '\0' ? 0
                                                                                         : NEVER;
    case AGONES_CAPACITY:
        return is_up && counts_arenas(agones) &&
                       agones->seen.arena_capacity != wanted_capacity(agones)
                   ? 0
                   : NEVER;
    case AGONES_COUNT:
        return is_serving && counts_arenas(agones) && agones->count_diff != 0 ? 0 : NEVER;
    case AGONES_REMOVE:
        return is_up && agones->seen.has_arena_list &&
                       agones_arenas_removable(agones, now_ms) != NULL
                   ? 0
                   : NEVER;
    case AGONES_ADD:
        return is_serving && agones->seen.has_arena_list &&
                       agones_arenas_addable(agones, now_ms) != NULL
                   ? 0
                   : NEVER;
    case AGONES_PLAYERS:
        return is_up && agones->seen.has_player_list && agones_players_differ(agones) ? 0 : NEVER;
    case AGONES_LABEL:
        return is_up && agones->accepts_label != is_serving ? 0 : NEVER;
    case AGONES_REPORT:
        return is_up && agones->def.max_arenas > 0 &&
                       agones->report_digest != agones_arenas_digest(agones)
                   ? 0
                   : NEVER;
    case AGONES_AUDIT:
        return is_serving && counts_arenas(agones) && agones->count_diff == 0
                   ? agones->count_ms + CONFIRM_MS
                   : NEVER;
    case AGONES_KINDS:
        break;
    }
    return NEVER;
}

static uint64_t due_ms(struct agones *agones, enum agones_kind kind, uint64_t now_ms)
{
    const uint64_t wanted = wanted_ms(agones, kind, now_ms);
    const uint64_t allowed = agones->retries[kind].not_before_ms;
    if (wanted == NEVER)
        return NEVER;
    const uint64_t due = wanted > allowed ? wanted : allowed;
    return due > agones->silent_until_ms ? due : agones->silent_until_ms;
}

// --- Phases ---

static void enter(struct agones *agones, enum agones_phase phase, uint64_t now_ms)
{
    assert(phase > agones->status.phase);
    agones->status.phase = phase;
    if (phase != AGONES_SHUTTING_DOWN)
        return;
    agones->shutdown_ms = now_ms;
    agones->silent_until_ms = 0; // little time is left for Shutdown
    agones->silences = 0;
}

void agones_drain(struct agones *agones, enum agones_drain_reason reason, uint64_t now_ms)
{
    const enum agones_drain_reason before = agones->reason;
    const bool is_begun = agones->status.phase >= AGONES_DRAINING;
    agones->reason = reason > before ? reason : before;
    if (!is_begun)
        enter(agones, AGONES_DRAINING, now_ms);
    else if (agones->reason > before && agones->status.phase == AGONES_DRAINING)
        // A deadline is new; that of a drain that has one stays.
        agones->drain_is_announced = agones->drain_is_announced && before > AGONES_DRAIN_COMMAND;
    else if (agones->reason > before && agones->status.phase == AGONES_SHUTTING_DOWN)
        agones->shutdown_ms = now_ms;
    agones->due_ms = now_ms;
}

void agones_set_drained(struct agones *agones, uint64_t now_ms)
{
    if (agones->status.phase < AGONES_DRAINING)
        enter(agones, AGONES_DRAINING, now_ms);
    if (agones->status.phase == AGONES_DRAINING)
        enter(agones, AGONES_SHUTTING_DOWN, now_ms);
}

// When AGONES_SHUTTING_DOWN ends in any case.
static uint64_t end_ms(const struct agones *agones)
{
    return agones->shutdown_ms +
           (agones->reason == AGONES_DRAIN_SIGNAL ? SHUTDOWN_SIGNAL_MS : SHUTDOWN_AWAITED_MS);
}

static void end_in_time(struct agones *agones, uint64_t now_ms)
{
    if (agones->status.phase != AGONES_SHUTTING_DOWN)
        return;
    if (now_ms >= end_ms(agones) ||
        (agones->reason == AGONES_DRAIN_SIGNAL && agones->shutdown_is_accepted))
        enter(agones, AGONES_ENDED, now_ms);
}

// --- Outputs ---

static void count_unanswered(struct agones *agones, enum agones_kind kind)
{
    if (agones->status.phase != AGONES_CONNECTING)
        agones->status.counts[kind].unanswered++;
}

// Chooses the subject of a request and notes what it will have said.
static void begin(struct agones *agones, enum agones_kind kind, uint64_t now_ms)
{
    if (kind == AGONES_HEALTH)
        agones->next_health_ms = now_ms + health_every_ms(agones);
    if (kind == AGONES_ALLOCATE)
        agones->own_allocation_ms = now_ms + OWN_ALLOCATION_MS;
    if (kind == AGONES_CAPACITY)
        agones->sent_number = wanted_capacity(agones);
    if (kind == AGONES_COUNT) {
        agones->sent_number = agones->count_diff;
        agones->count_ms = now_ms;
        agones->audited = -1;
    }
    if (kind == AGONES_GAMESERVER)
        agones->sent_updates = agones->status.updates;
    if (kind == AGONES_LABEL)
        agones->sent_number = agones->status.phase == AGONES_SERVING;
    if (kind == AGONES_REMOVE)
        agones->subject = agones_arenas_removable(agones, now_ms);
    if (kind == AGONES_ADD)
        agones->subject = agones_arenas_addable(agones, now_ms);
    if (kind == AGONES_WATCH) {
        if (agones->watch_is_open)
            count_unanswered(agones, kind); // it has sent no object
        agones->watch_is_open = true;
        agones->watch_opened_ms = now_ms;
        agones->status.is_watching = false;
    } else {
        agones->is_waiting = true;
        agones->kind = kind;
    }
}

bool agones_next_request(struct agones *agones, uint64_t now_ms, struct agones_request *request)
{
    end_in_time(agones, now_ms);
    agones_arenas_forget(agones, now_ms);
    agones->due_ms = agones->status.phase == AGONES_SHUTTING_DOWN ? end_ms(agones) : NEVER;
    for (int i = 0; i < AGONES_KINDS; i++) {
        const enum agones_kind kind = (enum agones_kind)i;
        if (agones->is_waiting && kind != AGONES_WATCH)
            continue; // its answer will be an input
        const uint64_t due = due_ms(agones, kind, now_ms);
        if (due <= now_ms) {
            begin(agones, kind, now_ms);
            agones_compose(agones, kind, request);
            agones->due_ms = now_ms;
            return true;
        }
        agones->due_ms = due < agones->due_ms ? due : agones->due_ms;
    }
    return false;
}

uint64_t agones_due_ms(const struct agones *agones)
{
    return agones->due_ms;
}

// --- Inputs ---

static void learn_state(struct agones *agones, const struct gameserver *gameserver, uint64_t now_ms)
{
    strcpy(agones->status.name, gameserver->name);
    strcpy(agones->status.state, gameserver->state);
    if (agones->status.phase == AGONES_CONNECTING)
        enter(agones, AGONES_STARTING, now_ms);
    // A process that was started again does not become Ready while players may be assigned to it.
    if (agones->status.phase == AGONES_STARTING &&
        (is_state(agones, "Allocated") || is_state(agones, "Reserved")))
        enter(agones, AGONES_SERVING, now_ms);
    if (agones->status.phase > AGONES_DRAINING)
        return; // it has asked for the end itself
    if (is_state(agones, "Shutdown") || gameserver->is_deleting)
        agones_drain(agones, AGONES_DRAIN_DELETED, now_ms);
    else if (gameserver->is_drain_wanted)
        agones_drain(agones, AGONES_DRAIN_COMMAND, now_ms);
}

static void receive(struct agones *agones, const struct gameserver *gameserver, uint64_t now_ms)
{
    learn_state(agones, gameserver, now_ms);
    agones->seen = *gameserver;
    agones->seen.arena = NULL; // the caller's
    agones->seen_ms = now_ms;
    if (now_ms >= agones->confirm_ms)
        agones->confirm_ms = NEVER;
    agones_arenas_update(agones, gameserver, now_ms);
    agones_players_update(agones, gameserver, now_ms);
    agones->is_known = true;
}

void agones_receive_update(struct agones *agones, const struct gameserver *gameserver,
                           uint64_t now_ms)
{
    agones->status.updates++;
    agones->status.counts[AGONES_WATCH].accepted += !agones->status.is_watching;
    agones->status.is_watching = true;
    agones->retries[AGONES_WATCH].failures = 0;
    agones->due_ms = now_ms;
    receive(agones, gameserver, now_ms);
}

void agones_receive_watch_end(struct agones *agones, uint64_t now_ms)
{
    struct agones_retry *retry = &agones->retries[AGONES_WATCH];
    if (!agones->status.is_watching)
        count_unanswered(agones, AGONES_WATCH);
    agones->watch_is_open = false;
    agones->status.is_watching = false;
    agones->due_ms = now_ms;
    retry->not_before_ms =
        now_ms + backoff_ms(agones, retry->failures++, FIRST_RETRY_MS, LAST_RETRY_MS);
}

// How long after a success the next request of this kind may be sent.
static uint64_t repeat_ms(enum agones_kind kind)
{
    switch (kind) {
    case AGONES_HEALTH:
    case AGONES_GAMESERVER:
    case AGONES_SHUTDOWN:
    case AGONES_REMOVE: // the next value
    case AGONES_ADD:
        return 0;
    case AGONES_COUNT:
    case AGONES_LABEL:
    case AGONES_REPORT:
    case AGONES_PLAYERS:
        return BATCH_MS;
    case AGONES_AUDIT:
        return AUDIT_MS;
    default:
        return REPEAT_MS;
    }
}

// Takes what an accepted request has changed, before the next GameServer shows it.
static void accept(struct agones *agones, const struct agones_answer *answer, uint64_t now_ms)
{
    switch (agones->kind) {
    case AGONES_READY:
        agones->was_used = false;
        agones->ready_ms = now_ms;
        agones->confirm_ms = now_ms + CONFIRM_MS;
        if (agones->status.phase == AGONES_STARTING)
            enter(agones, AGONES_SERVING, now_ms);
        break;
    case AGONES_ALLOCATE:
        agones->confirm_ms = now_ms + CONFIRM_MS;
        break;
    case AGONES_SHUTDOWN:
        agones->shutdown_is_accepted = true;
        end_in_time(agones, now_ms);
        break;
    case AGONES_GAMESERVER:
        if (agones->sent_updates != agones->status.updates) {
            // An update that came meanwhile, by the other connection, may be newer.
            agones->audited = -1;
            break;
        }
        receive(agones, answer->gameserver, now_ms);
        agones_arenas_audit(agones);
        break;
    case AGONES_API:
        agones->status.api = agones_apis[agones->api];
        break;
    case AGONES_CAPACITY:
        agones->seen.arena_capacity = agones->sent_number;
        break;
    case AGONES_COUNT:
        agones->count_diff -= agones->sent_number;
        break;
    case AGONES_REMOVE:
        agones->subject->removed_ms = now_ms;
        break;
    case AGONES_ADD:
        agones->subject->is_listed = true;
        break;
    case AGONES_PLAYERS:
        agones_players_note_accepted(agones, now_ms);
        break;
    case AGONES_LABEL:
        agones->accepts_label = (int)agones->sent_number;
        break;
    case AGONES_REPORT:
        agones->report_digest = agones->sent_digest;
        break;
    case AGONES_AUDIT:
        agones->audited = answer->count;
        break;
    default:
        break;
    }
}

// Gives up what was rejected. A counter or list is then different from what was believed, which the
// next audit or GameServer shows.
static void reject(struct agones *agones, uint64_t now_ms)
{
    agones->status.counts[agones->kind].rejected++;
    if (agones->kind == AGONES_COUNT)
        agones->count_diff -= agones->sent_number;
    if (agones->kind == AGONES_REMOVE)
        agones->subject->removed_ms = now_ms;
    if (agones->kind == AGONES_ADD)
        agones->subject->is_listed = true;
    if (agones->kind == AGONES_PLAYERS)
        agones_players_note_rejected(agones, now_ms);
}

// After a 404 to a request of counters and lists: asks for the next version. True if the last one
// was rejected, too.
static bool is_without_api(struct agones *agones)
{
    agones->status.api = "";
    agones->api = agones->kind == AGONES_API ? (agones->api + 1) % AGONES_APIS : 0;
    return agones->api == 0;
}

bool agones_receive_answer(struct agones *agones, const struct agones_answer *answer,
                           uint64_t now_ms)
{
    struct agones_retry *retry = &agones->retries[agones->kind];
    assert(agones->is_waiting);
    agones->is_waiting = false;
    agones->due_ms = now_ms;
    if (answer->status == 0) {
        count_unanswered(agones, agones->kind);
        agones->silent_until_ms =
            now_ms + backoff_ms(agones, agones->silences++, FIRST_RETRY_MS, LAST_RETRY_MS);
        retry->not_before_ms =
            now_ms + backoff_ms(agones, retry->failures++, FIRST_RETRY_MS, LAST_RETRY_MS);
        if (agones->silences >= LOST_SILENCES)
            agones->status.is_connected = false;
        return true;
    }
    const bool is_unreadable = agones->kind == AGONES_GAMESERVER && answer->gameserver == NULL;
    agones->status.is_connected = true;
    agones->silences = 0;
    if (answer->status == 200 && !is_unreadable) {
        agones->status.counts[agones->kind].accepted++;
        retry->failures = 0;
        retry->not_before_ms =
            now_ms +
            (agones->kind == AGONES_PLAYERS && agones->sends_values ? 0 : repeat_ms(agones->kind));
        accept(agones, answer, now_ms);
        return true;
    }
    if (answer->status == 404 && agones_uses_api(agones->kind) && !is_without_api(agones))
        return true;
    if (answer->status == 200)
        agones->status.malformed++;
    else
        reject(agones, now_ms);
    retry->not_before_ms =
        now_ms + backoff_ms(agones, retry->failures++, FIRST_REJECTED_MS,
                            agones->kind == AGONES_HEALTH ? FIRST_REJECTED_MS : LAST_REJECTED_MS);
    return answer->status == 200;
}

void agones_set_max_arenas(struct agones *agones, int max_arenas, uint64_t now_ms)
{
    if (agones->def.max_arenas != max_arenas)
        agones->due_ms = now_ms;
    agones->def.max_arenas = max_arenas;
}

void agones_set_load(struct agones *agones, bool every_arena_ticks, uint32_t players,
                     uint64_t now_ms)
{
    const bool was_in_use = is_in_use(agones);
    if (agones->every_arena_ticks != every_arena_ticks || agones->players != players)
        agones->due_ms = now_ms;
    agones->every_arena_ticks = every_arena_ticks;
    agones->players = players;
    if (was_in_use || is_in_use(agones))
        agones->empty_since_ms = now_ms;
    agones->was_used = agones->was_used || is_in_use(agones);
}

// --- State ---

const struct agones_status *agones_status(const struct agones *agones)
{
    return &agones->status;
}

const char *agones_phase_name(enum agones_phase phase)
{
    static const char *const names[] = {
        [AGONES_CONNECTING] = "connecting",
        [AGONES_STARTING] = "starting",
        [AGONES_SERVING] = "serving",
        [AGONES_DRAINING] = "draining",
        [AGONES_SHUTTING_DOWN] = "shutting down",
        [AGONES_ENDED] = "ended",
    };
    return names[phase];
}

uint16_t agones_port(const struct agones *agones, const char *name)
{
    return agones->is_known ? gameserver_port(&agones->seen, name) : 0;
}

bool agones_has_ports(const struct agones *agones)
{
    return agones->is_known && agones->seen.port_count > 0;
}
