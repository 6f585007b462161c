// SPDX-License-Identifier: MIT
// Executes the requests about arenas.
#define _GNU_SOURCE
#include "on_demand_internal.h"

#include "crypto.h"
#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "prepared_match.h"
#include "reservations.h"
#include "socket_address.h"
#include "store.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    OK = 200,
    CREATED = 201,
    ACCEPTED = 202,
    NOT_FOUND = 404,
    CONFLICT = 409,
    INVALID = 422,
    FAILED = 500,
    BUSY = 503,
};

enum {
    ERROR_BYTES = 512,
    RETRY_AFTER_S = 5,
    NAME_PREFIX_BYTES = 22, // of an id, in the name of its arena; '-' and 8 digits follow
};

static uint64_t free_now(const void *object)
{
    const struct on_demand *on_demand = object;
    const int most = on_demand_free_count(on_demand);
    return most > 0 && !on_demand->rejects ? (uint64_t)most : 0;
}

#define COUNTS(member) METRIC_OF(struct on_demand, counts.member)

static const struct metric count_rows[] = {
    {"now", "raimd_arenas_on_demand", "Running arenas on demand.", METRIC_GAUGE,
     METRIC_OF(struct on_demand, count)},
    {"free", "raimd_free_arenas", "Arenas on demand that could be created.", METRIC_GAUGE,
     .get = free_now},
    {"made", "raimd_arenas_made_total", "Arenas on demand that were created.", METRIC_COUNTER,
     COUNTS(made)},
    {"ended", "raimd_arenas_ended_total", "Arenas on demand that have ended.", METRIC_COUNTER,
     COUNTS(ended)},
    {"rejected", "raimd_arena_requests_rejected_total", "Requests for an arena that were rejected.",
     METRIC_COUNTER, COUNTS(rejected)},
    {NULL, "raimd_arena_creation_seconds", "Time from a request for an arena to its answer.",
     METRIC_HISTOGRAM, COUNTS(creations)},
};

const struct metric_table on_demand_metrics = {
    .group = "on_demand",
    .meaning = "Arenas on demand that were created, since the start.",
    METRIC_ROWS(count_rows)};

int64_t on_demand_today_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

uint64_t on_demand_hash_of(const char *request)
{
    static const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES] = "raim on demand r"; // public
    return raim_crypto_siphash(key, request, strlen(request));
}

// --- Finding ---

struct arena_on_demand *on_demand_find(const struct on_demand *on_demand, const char *id)
{
    for (int i = 0; i < on_demand->count; i++)
        if (strcmp(on_demand->list[i]->id, id) == 0)
            return on_demand->list[i];
    return NULL;
}

const struct ended_arena *on_demand_find_ended(const struct on_demand *on_demand, const char *id)
{
    for (uint32_t i = 0; i < ON_DEMAND_REMEMBERED; i++)
        if (on_demand->ended[i].id[0] != '\0' && strcmp(on_demand->ended[i].id, id) == 0)
            return &on_demand->ended[i];
    return NULL;
}

static bool is_port_given(const struct on_demand *on_demand, uint16_t port)
{
    for (int i = 0; i < on_demand->count; i++)
        if (on_demand->list[i]->record.port == port)
            return true;
    return false;
}

int on_demand_free_count(const struct on_demand *on_demand)
{
    const struct config_ports *ports = &on_demand->table->config->ports;
    const int arenas = CONFIG_MAX_ARENAS - on_demand->table->running.count;
    int free_ports = config_port_count(ports);
    for (int i = 0; i < on_demand->count; i++) {
        const uint16_t port = on_demand->list[i]->record.port;
        free_ports -= port >= ports->first && port <= ports->last;
    }
    return free_ports < arenas ? free_ports : arenas;
}

int on_demand_count(const struct on_demand *on_demand)
{
    return on_demand->count;
}

static bool is_in_use(const struct arena_on_demand *requested)
{
    const bool is_expected =
        requested->request.ends != ARENA_ENDS_NEVER && !requested->record.was_joined;
    return requested->cause == NULL && (requested->present > 0 || is_expected);
}

int on_demand_in_use(const struct on_demand *on_demand)
{
    int count = 0;
    for (int i = 0; i < on_demand->count; i++)
        count += is_in_use(on_demand->list[i]);
    return count;
}

const char *on_demand_id(const struct on_demand *on_demand, int index)
{
    assert(index >= 0 && index < on_demand->count);
    return on_demand->list[index]->id;
}

struct event_journal *on_demand_events(struct on_demand *on_demand)
{
    return on_demand->events;
}

void on_demand_observe(struct on_demand *on_demand, const struct on_demand_observer *observer)
{
    on_demand->observer = observer != NULL ? *observer : (struct on_demand_observer){0};
}

void on_demand_reject_new(struct on_demand *on_demand, bool reject)
{
    on_demand->rejects = reject;
}

// --- Answers ---

static void answer(struct on_demand_answer *answer, unsigned status, struct text_buffer *out)
{
    *answer = (struct on_demand_answer){.status = status, .text = text_buffer_take(out)};
    if (answer->text == NULL)
        answer->status = FAILED;
}

__attribute__((format(printf, 3, 4))) static void
answer_problem(struct on_demand_answer *into, unsigned status, const char *format, ...)
{
    char problem[ERROR_BYTES];
    struct text_buffer out = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    text_buffer_print(&out, "{\"error\":");
    json_text_quote(&out, problem);
    text_buffer_print(&out, "}\n");
    answer(into, status, &out);
}

// Takes the mistakes.
static void answer_mistakes(struct on_demand_answer *into, struct text_buffer *mistakes)
{
    struct text_buffer out = {0};
    char *list = text_buffer_take(mistakes);
    if (list == NULL)
        out.no_memory = true;
    text_buffer_print(&out, "{\"error\":\"the request has mistakes\",\"mistakes\":[%s]}\n",
                      list != NULL ? list : "");
    free(list);
    answer(into, INVALID, &out);
}

static void answer_busy(const struct on_demand *on_demand, struct on_demand_answer *into,
                        const char *problem)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"error\":\"%s\",\"retry_after_s\":%d,", problem, RETRY_AFTER_S);
    on_demand_print_capacity(&out, on_demand);
    text_buffer_print(&out, "}\n");
    answer(into, BUSY, &out);
    into->retry_after_s = RETRY_AFTER_S;
}

static void answer_arena(const struct on_demand *on_demand, const struct arena_on_demand *requested,
                         unsigned status, struct on_demand_answer *into)
{
    struct text_buffer out = {0};
    on_demand_print_arena(&out, on_demand, requested, NULL);
    text_buffer_print(&out, "\n");
    answer(into, status, &out);
}

static void answer_ended(const struct ended_arena *ended, struct on_demand_answer *into)
{
    struct text_buffer out = {0};
    if (ended->text != NULL)
        text_buffer_add(&out, ended->text, strlen(ended->text));
    else
        out.no_memory = true;
    answer(into, OK, &out);
}

// Answers that there is no running arena of this id.
static void answer_absent(const struct on_demand *on_demand, const char *id,
                          struct on_demand_answer *into)
{
    const struct ended_arena *ended = on_demand_find_ended(on_demand, id);
    if (ended != NULL)
        answer_ended(ended, into);
    else
        answer_problem(into, NOT_FOUND, "there is no such arena");
}

// --- Records ---

void on_demand_store(const struct on_demand *on_demand, const struct arena_on_demand *requested)
{
    loop_set_timer(on_demand->timer, 0); // it may be due at another time now
    if (store_has_directory(on_demand->table->store))
        arena_store_write(on_demand->table->store, &requested->record);
}

void on_demand_free_arena(struct arena_on_demand *requested)
{
    if (requested == NULL)
        return;
    if (requested->record.metadata != requested->request.metadata)
        free(requested->record.metadata);
    arena_request_clear(&requested->request);
    free(requested->record.result);
    free(requested);
}

// --- Making ---

// Whether a UDP port can be bound now.
static bool is_port_free(const char *address, uint16_t port)
{
    union socket_address name;
    const int probe =
        socket_address_parse(address, port, &name) ? socket_address_bind(&name, SOCK_DGRAM) : -1;
    if (probe >= 0)
        close(probe);
    return probe >= 0;
}

// The next port of the pool, after the last one that was given, so that a port rests for as long
// as possible; 0: none is free.
static uint16_t find_port(const struct on_demand *on_demand, const char *address)
{
    const struct config_ports *ports = &on_demand->table->config->ports;
    const int count = config_port_count(ports);
    const bool is_last_in =
        on_demand->last_port >= ports->first && on_demand->last_port <= ports->last;
    const int begin = is_last_in ? on_demand->last_port - ports->first + 1 : 0;
    for (int i = 0; i < count; i++) {
        const uint16_t port = (uint16_t)(ports->first + (begin + i) % count);
        if (!is_port_given(on_demand, port) && is_port_free(address, port))
            return port;
    }
    return 0;
}

// Makes a name of the id that no other arena has had: used tokens and checkpoints go by it.
static void make_name(const char *id, char name[CONFIG_NAME_BYTES])
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    uint32_t number;
    int length = 0;
    static_assert(NAME_PREFIX_BYTES + 1 + 8 < CONFIG_NAME_BYTES, "the name fits");
    for (; length < NAME_PREFIX_BYTES && id[length] != '\0'; length++) {
        const char letter = (char)tolower((unsigned char)id[length]);
        name[length] = strchr(good, letter) != NULL ? letter : '-';
    }
    raim_crypto_random(&number, sizeof number);
    snprintf(name + length, (size_t)(CONFIG_NAME_BYTES - length), "-%08x", number);
}

bool on_demand_open_arena(struct on_demand *on_demand, struct arena_on_demand *requested,
                          char *error, size_t capacity)
{
    struct arena_table *table = on_demand->table;
    struct arena_request *request = &requested->request;
    struct reservations *reservations = NULL;
    strcpy(request->arena.template_name, request->template_name);
    strcpy(request->arena.name, requested->record.name);
    request->arena.port = requested->record.port;
    request->arena.is_reopened = requested->is_resumed;
    if (request->player_count > 0)
        reservations =
            reservations_create((const char(*)[RAIM_MAX_NAME_BYTES + 1]) request->players,
                                request->player_count, requested->join_until_ms);
    snprintf(error, capacity, "out of memory");
    if (request->player_count > 0 && reservations == NULL)
        return false;
    struct arena_slot *slot =
        arena_slot_open_on_demand(table, &request->arena, table->config, error, capacity);
    if (slot == NULL) {
        reservations_destroy(reservations);
        return false;
    }
    requested->arena = slot->arena;
    if (reservations != NULL)
        arena_set_reservations(requested->arena, reservations);
    if (arena_table_add(table, slot))
        return true;
    snprintf(error, capacity,
             "there are too many arenas, or the worker's mailbox is full: try again");
    arena_slot_close(slot);
    return false;
}

uint64_t on_demand_due_ms(int64_t until_s, uint32_t most_s)
{
    const int64_t left_s = until_s - on_demand_today_s();
    return monotonic_ms() + (left_s <= 0 ? 0 : left_s < most_s ? (uint64_t)left_s : most_s) * 1000;
}

uint64_t on_demand_join_until_ms(const struct arena_on_demand *requested)
{
    return on_demand_due_ms(requested->record.join_until_s, requested->request.join_within_s);
}

void on_demand_add(struct on_demand *on_demand, struct arena_on_demand *requested)
{
    assert(on_demand->count < ON_DEMAND_MAX);
    on_demand->list[on_demand->count++] = requested;
    on_demand->last_port = requested->record.port;
}

static void fill_record(struct arena_on_demand *requested, const char *id)
{
    struct arena_record *record = &requested->record;
    strcpy(requested->id, id);
    strcpy(record->id, id);
    make_name(id, record->name);
    record->max_players = requested->request.arena.match.tuning.max_players;
    record->made_s = on_demand_today_s();
    record->join_until_s = record->made_s + requested->request.join_within_s;
    record->metadata = requested->request.metadata;
    record->request = requested->request.text;
    requested->join_until_ms = on_demand_join_until_ms(requested);
}

// Opens an arena for a valid request. On success it owns what the request has allocated.
static bool open_arena(struct on_demand *on_demand, const char *id, struct arena_request *request,
                       struct on_demand_answer *into)
{
    char error[ERROR_BYTES];
    if (on_demand->rejects || on_demand_free_count(on_demand) <= 0) {
        answer_busy(on_demand, into,
                    on_demand->rejects ? "new arenas are not accepted" : "no port is free");
        return false;
    }
    const uint16_t port = find_port(on_demand, request->arena.address);
    struct arena_on_demand *requested = port != 0 ? calloc(1, sizeof *requested) : NULL;
    if (requested == NULL) {
        answer_busy(on_demand, into, port == 0 ? "no port is free" : "out of memory");
        return false;
    }
    requested->request = *request;
    requested->record.port = port;
    fill_record(requested, id);
    if (!on_demand_open_arena(on_demand, requested, error, sizeof error)) {
        log_warning("arena failed id=%s port=%u: %s", id, port, error);
        answer_busy(on_demand, into, "the arena could not be opened");
        free(requested); // the request stays the caller's
        return false;
    }
    on_demand_add(on_demand, requested);
    on_demand_store(on_demand, requested);
    log_arena_info(requested->record.name, "arena made id=%s arena=%s template=%s port=%u", id,
                   requested->record.name, requested->request.template_name, port);
    answer_arena(on_demand, requested, CREATED, into);
    return true;
}

// Answers a request for an arena that is there, or was. Returns false if it is neither.
static bool answer_again(const struct on_demand *on_demand, const char *id, const char *request,
                         struct on_demand_answer *into)
{
    const struct arena_on_demand *requested = on_demand_find(on_demand, id);
    const struct ended_arena *ended =
        requested == NULL ? on_demand_find_ended(on_demand, id) : NULL;
    const bool is_same = requested != NULL ? strcmp(requested->request.text, request) == 0
                         : ended != NULL   ? ended->request_hash == on_demand_hash_of(request)
                                           : false;
    if (requested == NULL && ended == NULL)
        return false;
    if (!is_same)
        answer_problem(into, CONFLICT, "another request has made an arena of this id");
    else if (requested != NULL)
        answer_arena(on_demand, requested, OK, into);
    else
        answer_ended(ended, into);
    return true;
}

static bool check_body(const char *id, size_t size, struct on_demand_answer *into)
{
    if (!arena_request_is_id(id))
        answer_problem(into, INVALID,
                       "want an id of 1 to 63 characters of A-Z, a-z, 0-9, ., _ "
                       "and -");
    else if (size > ON_DEMAND_MAX_BODY_BYTES)
        answer_problem(into, INVALID, "want a body of at most %zu bytes", ON_DEMAND_MAX_BODY_BYTES);
    else
        return true;
    return false;
}

void on_demand_create(struct on_demand *on_demand, const char *id, const char *json, size_t size,
                      struct on_demand_answer *into)
{
    const uint64_t begin_ns = monotonic_ns();
    struct arena_request request;
    struct text_buffer mistakes = {0};
    bool is_made = false;
    if (!check_body(id, size, into)) {
        on_demand->counts.rejected++;
        return;
    }
    const bool is_good =
        arena_request_parse(&request, on_demand->table->config, json, size, &mistakes);
    if (!is_good)
        answer_mistakes(into, &mistakes);
    else if (!answer_again(on_demand, id, request.text, into))
        is_made = open_arena(on_demand, id, &request, into);
    free(text_buffer_take(&mistakes));
    if (!is_made)
        arena_request_clear(&request);
    on_demand->counts.made += is_made;
    on_demand->counts.rejected += into->status >= 400;
    if (is_made)
        histogram_count(&on_demand->counts.creations, monotonic_ns() - begin_ns);
}

// --- Changing ---

bool on_demand_set_max_players(struct on_demand *on_demand, struct arena_on_demand *requested,
                               uint32_t max_players)
{
    const int index = arena_list_index(&on_demand->table->running, requested->arena);
    if (index < 0)
        return true; // it is leaving
    struct arena_slot *slot = on_demand->table->slots[index];
    struct config_arena wanted = *arena_slot_wanted(slot);
    wanted.match.tuning.max_players = max_players;
    struct prepared_match *tuning = prepared_match_create(&wanted, NULL, NULL);
    if (tuning == NULL)
        return false;
    tuning->at_once = true;
    slot->config->arenas[slot->index].match.tuning.max_players = max_players; // not shared
    arena_offer(slot->arena, tuning);
    requested->record.max_players = max_players;
    return true;
}

static void set_metadata(struct arena_on_demand *requested, char *metadata)
{
    if (requested->record.metadata != requested->request.metadata)
        free(requested->record.metadata);
    requested->record.metadata = metadata;
}

void on_demand_change(struct on_demand *on_demand, const char *id, const char *json, size_t size,
                      struct on_demand_answer *into)
{
    struct arena_change change;
    struct text_buffer mistakes = {0};
    struct arena_on_demand *requested = on_demand_find(on_demand, id);
    if (!check_body(id, size, into))
        return;
    if (requested == NULL) {
        const bool is_known = on_demand_find_ended(on_demand, id) != NULL;
        answer_problem(into, is_known ? CONFLICT : NOT_FOUND,
                       is_known ? "the arena has ended" : "there is no such arena");
        return;
    }
    if (!arena_change_parse(&change, requested->request.arena.match.tuning.max_players, json, size,
                            &mistakes)) {
        answer_mistakes(into, &mistakes);
    } else if (change.max_players > 0 &&
               !on_demand_set_max_players(on_demand, requested, change.max_players)) {
        answer_problem(into, FAILED, "out of memory");
    } else {
        if (change.metadata != NULL)
            set_metadata(requested, change.metadata);
        change.metadata = NULL;
        if (requested->cause == NULL)
            on_demand_store(on_demand, requested);
        answer_arena(on_demand, requested, OK, into);
    }
    free(text_buffer_take(&mistakes));
    arena_change_clear(&change);
}

// --- Ending ---

static void begin_drain(struct on_demand *on_demand, struct arena_on_demand *requested,
                        const struct arena_end *end)
{
    char text[RAIM_MAX_TEXT_BYTES + 1];
    const uint64_t end_ms = end->within_s > 0 ? monotonic_ms() + end->within_s * UINT64_C(1000) : 0;
    snprintf(text, sizeof text, "%s",
             end->reason[0] != '\0' ? end->reason : "This arena ends when everybody has left.");
    requested->record.drain_until_s = end->within_s > 0 ? on_demand_today_s() + end->within_s : 0;
    on_demand_begin_drain(on_demand, requested, text, end_ms);
}

void on_demand_end(struct on_demand *on_demand, const char *id, const char *json, size_t size,
                   struct on_demand_answer *into)
{
    struct arena_end end;
    struct text_buffer mistakes = {0};
    struct arena_on_demand *requested = on_demand_find(on_demand, id);
    if (!check_body(id, size, into))
        return;
    if (!arena_end_parse(&end, json, size, &mistakes)) {
        answer_mistakes(into, &mistakes);
        return;
    }
    free(text_buffer_take(&mistakes));
    if (requested == NULL) {
        answer_absent(on_demand, id, into);
        return;
    }
    if (requested->cause == NULL && end.drains)
        begin_drain(on_demand, requested, &end);
    else if (requested->cause == NULL || strcmp(requested->cause, "round") == 0)
        on_demand_begin_end(on_demand, requested, "deleted", end.reason, monotonic_ms());
    answer_arena(on_demand, requested, ACCEPTED, into);
}

// --- Showing ---

void on_demand_show(struct on_demand *on_demand, const char *id, struct on_demand_answer *into)
{
    const struct arena_on_demand *requested = on_demand_find(on_demand, id);
    if (requested != NULL)
        answer_arena(on_demand, requested, OK, into);
    else
        answer_absent(on_demand, id, into);
}

void on_demand_list(struct on_demand *on_demand, struct on_demand_answer *into)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"arenas\":[");
    for (int i = 0; i < on_demand->count; i++) {
        if (i > 0)
            text_buffer_add(&out, ",", 1);
        on_demand_print_arena(&out, on_demand, on_demand->list[i], NULL);
    }
    text_buffer_print(&out, "]}\n");
    answer(into, OK, &out);
}

void on_demand_templates(const struct on_demand *on_demand, struct on_demand_answer *into)
{
    struct text_buffer out = {0};
    on_demand_print_templates(&out, on_demand);
    answer(into, OK, &out);
}

void on_demand_capacity(const struct on_demand *on_demand, struct on_demand_answer *into)
{
    struct text_buffer out = {0};
    text_buffer_add(&out, "{", 1);
    on_demand_print_capacity(&out, on_demand);
    text_buffer_print(&out, "}\n");
    answer(into, OK, &out);
}
