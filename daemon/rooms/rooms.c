// SPDX-License-Identifier: MIT
// Executes the requests about rooms.
#define _GNU_SOURCE
#include "rooms_internal.h"

#include "crypto.h"
#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "prepared_match.h"
#include "seats.h"
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
    const struct rooms *rooms = object;
    const int most = rooms_free(rooms);
    return most > 0 && !rooms->refuses ? (uint64_t)most : 0;
}

#define COUNTS(member) METRIC_OF(struct rooms, counts.member)

static const struct metric count_rows[] = {
    {"now", "raimd_rooms", "Running arenas on demand.", METRIC_GAUGE,
     METRIC_OF(struct rooms, count)},
    {"free", "raimd_free_rooms", "Arenas on demand that could be created.", METRIC_GAUGE,
     .get = free_now},
    {"made", "raimd_rooms_made_total", "Arenas on demand that were created.", METRIC_COUNTER,
     COUNTS(made)},
    {"ended", "raimd_rooms_ended_total", "Arenas on demand that have ended.", METRIC_COUNTER,
     COUNTS(ended)},
    {"refused", "raimd_room_requests_refused_total", "Requests for an arena that were refused.",
     METRIC_COUNTER, COUNTS(refused)},
    {NULL, "raimd_room_creation_seconds", "Time from a request for an arena to its answer.",
     METRIC_HISTOGRAM, COUNTS(creations)},
};

const struct metric_table rooms_metrics = {
    .group = "rooms",
    .meaning = "Arenas on demand that were created, since the start.",
    METRIC_ROWS(count_rows)};

int64_t rooms_today_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

uint64_t rooms_hash_of(const char *request)
{
    static const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES] = "raim room reques"; // public
    return raim_crypto_siphash(key, request, strlen(request));
}

// --- Finding ---

struct room *rooms_find(const struct rooms *rooms, const char *id)
{
    for (int i = 0; i < rooms->count; i++)
        if (strcmp(rooms->list[i]->id, id) == 0)
            return rooms->list[i];
    return NULL;
}

const struct ended_room *rooms_find_ended(const struct rooms *rooms, const char *id)
{
    for (uint32_t i = 0; i < ROOMS_REMEMBERED; i++)
        if (rooms->ended[i].id[0] != '\0' && strcmp(rooms->ended[i].id, id) == 0)
            return &rooms->ended[i];
    return NULL;
}

static bool is_port_given(const struct rooms *rooms, uint16_t port)
{
    for (int i = 0; i < rooms->count; i++)
        if (rooms->list[i]->record.port == port)
            return true;
    return false;
}

int rooms_free(const struct rooms *rooms)
{
    const struct config_ports *ports = &rooms->table->config->ports;
    const int arenas = CONFIG_MAX_ARENAS - rooms->table->running.count;
    int free_ports = config_port_count(ports);
    for (int i = 0; i < rooms->count; i++) {
        const uint16_t port = rooms->list[i]->record.port;
        free_ports -= port >= ports->first && port <= ports->last;
    }
    return free_ports < arenas ? free_ports : arenas;
}

int rooms_count(const struct rooms *rooms)
{
    return rooms->count;
}

static bool is_in_use(const struct room *room)
{
    const bool is_expected = room->request.ends != ROOM_ENDS_NEVER && !room->record.was_joined;
    return room->cause == NULL && (room->present > 0 || is_expected);
}

int rooms_in_use(const struct rooms *rooms)
{
    int count = 0;
    for (int i = 0; i < rooms->count; i++)
        count += is_in_use(rooms->list[i]);
    return count;
}

const char *rooms_id(const struct rooms *rooms, int index)
{
    assert(index >= 0 && index < rooms->count);
    return rooms->list[index]->id;
}

struct event_journal *rooms_events(struct rooms *rooms)
{
    return rooms->events;
}

void rooms_observe(struct rooms *rooms, const struct rooms_observer *observer)
{
    rooms->observer = observer != NULL ? *observer : (struct rooms_observer){0};
}

void rooms_refuse_new(struct rooms *rooms, bool refuse)
{
    rooms->refuses = refuse;
}

// --- Answers ---

static void answer(struct rooms_answer *answer, unsigned status, struct text_buffer *out)
{
    *answer = (struct rooms_answer){.status = status, .text = text_buffer_take(out)};
    if (answer->text == NULL)
        answer->status = FAILED;
}

__attribute__((format(printf, 3, 4))) static void
answer_problem(struct rooms_answer *into, unsigned status, const char *format, ...)
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
static void answer_mistakes(struct rooms_answer *into, struct text_buffer *mistakes)
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

static void answer_busy(const struct rooms *rooms, struct rooms_answer *into, const char *problem)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"error\":\"%s\",\"retry_after_s\":%d,", problem, RETRY_AFTER_S);
    rooms_print_capacity(&out, rooms);
    text_buffer_print(&out, "}\n");
    answer(into, BUSY, &out);
    into->retry_after_s = RETRY_AFTER_S;
}

static void answer_room(const struct rooms *rooms, const struct room *room, unsigned status,
                        struct rooms_answer *into)
{
    struct text_buffer out = {0};
    rooms_print_room(&out, rooms, room, NULL);
    text_buffer_print(&out, "\n");
    answer(into, status, &out);
}

static void answer_ended(const struct ended_room *ended, struct rooms_answer *into)
{
    struct text_buffer out = {0};
    if (ended->text != NULL)
        text_buffer_add(&out, ended->text, strlen(ended->text));
    else
        out.no_memory = true;
    answer(into, OK, &out);
}

// Answers that there is no running room of this id.
static void answer_absent(const struct rooms *rooms, const char *id, struct rooms_answer *into)
{
    const struct ended_room *ended = rooms_find_ended(rooms, id);
    if (ended != NULL)
        answer_ended(ended, into);
    else
        answer_problem(into, NOT_FOUND, "there is no such arena");
}

// --- Records ---

void rooms_store(const struct rooms *rooms, const struct room *room)
{
    loop_set_timer(rooms->timer, 0); // it may be due at another time now
    if (store_has_directory(rooms->table->store))
        room_store_write(rooms->table->store, &room->record);
}

void rooms_free_room(struct room *room)
{
    if (room == NULL)
        return;
    if (room->record.metadata != room->request.metadata)
        free(room->record.metadata);
    room_request_clear(&room->request);
    free(room->record.result);
    free(room);
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

// The next port of the pool, behind the last one that was given, so that a port rests for as long
// as possible; 0: none is free.
static uint16_t find_port(const struct rooms *rooms, const char *address)
{
    const struct config_ports *ports = &rooms->table->config->ports;
    const int count = config_port_count(ports);
    const bool is_last_in = rooms->last_port >= ports->first && rooms->last_port <= ports->last;
    const int begin = is_last_in ? rooms->last_port - ports->first + 1 : 0;
    for (int i = 0; i < count; i++) {
        const uint16_t port = (uint16_t)(ports->first + (begin + i) % count);
        if (!is_port_given(rooms, port) && is_port_free(address, port))
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

bool rooms_open_arena(struct rooms *rooms, struct room *room, char *error, size_t capacity)
{
    struct arena_table *table = rooms->table;
    struct room_request *request = &room->request;
    struct seats *seats = NULL;
    strcpy(request->arena.template_name, request->template_name);
    strcpy(request->arena.name, room->record.name);
    request->arena.port = room->record.port;
    request->arena.is_reopened = room->is_resumed;
    if (request->player_count > 0)
        seats = seats_create((const char(*)[RAIM_MAX_NAME_BYTES + 1]) request->players,
                             request->player_count, room->join_until_ms);
    snprintf(error, capacity, "out of memory");
    if (request->player_count > 0 && seats == NULL)
        return false;
    struct arena_slot *slot =
        arena_slot_open_room(table, &request->arena, table->config, error, capacity);
    if (slot == NULL) {
        seats_destroy(seats);
        return false;
    }
    room->arena = slot->arena;
    if (seats != NULL)
        arena_reserve_seats(room->arena, seats);
    if (arena_table_add(table, slot))
        return true;
    snprintf(error, capacity, "the worker is busy");
    arena_slot_close(slot);
    return false;
}

uint64_t rooms_due_ms(int64_t until_s, uint32_t most_s)
{
    const int64_t left_s = until_s - rooms_today_s();
    return monotonic_ms() + (left_s <= 0 ? 0 : left_s < most_s ? (uint64_t)left_s : most_s) * 1000;
}

uint64_t rooms_join_until_ms(const struct room *room)
{
    return rooms_due_ms(room->record.join_until_s, room->request.join_within_s);
}

void rooms_add(struct rooms *rooms, struct room *room)
{
    assert(rooms->count < ROOMS_MAX);
    rooms->list[rooms->count++] = room;
    rooms->last_port = room->record.port;
}

static void fill_record(struct room *room, const char *id)
{
    struct room_record *record = &room->record;
    strcpy(room->id, id);
    strcpy(record->id, id);
    make_name(id, record->name);
    record->places = room->request.arena.match.tuning.max_players;
    record->made_s = rooms_today_s();
    record->join_until_s = record->made_s + room->request.join_within_s;
    record->metadata = room->request.metadata;
    record->request = room->request.text;
    room->join_until_ms = rooms_join_until_ms(room);
}

// Makes a room of a good request, which it takes on success.
static bool make_room(struct rooms *rooms, const char *id, struct room_request *request,
                      struct rooms_answer *into)
{
    char error[ERROR_BYTES];
    if (rooms->refuses || rooms_free(rooms) <= 0) {
        answer_busy(rooms, into, rooms->refuses ? "no new arenas are taken" : "no port is free");
        return false;
    }
    const uint16_t port = find_port(rooms, request->arena.address);
    struct room *room = port != 0 ? calloc(1, sizeof *room) : NULL;
    if (room == NULL) {
        answer_busy(rooms, into, port == 0 ? "no port is free" : "out of memory");
        return false;
    }
    room->request = *request;
    room->record.port = port;
    fill_record(room, id);
    if (!rooms_open_arena(rooms, room, error, sizeof error)) {
        log_warning("room failed id=%s port=%u: %s", id, port, error);
        answer_busy(rooms, into, "the arena could not be opened");
        free(room); // the request stays the caller's
        return false;
    }
    rooms_add(rooms, room);
    rooms_store(rooms, room);
    log_arena_info(room->record.name, "room made id=%s arena=%s template=%s port=%u", id,
                   room->record.name, room->request.template_name, port);
    answer_room(rooms, room, CREATED, into);
    return true;
}

// Answers a request for a room that is there, or was. Returns false if it is neither.
static bool answer_again(const struct rooms *rooms, const char *id, const char *request,
                         struct rooms_answer *into)
{
    const struct room *room = rooms_find(rooms, id);
    const struct ended_room *ended = room == NULL ? rooms_find_ended(rooms, id) : NULL;
    const bool is_same = room != NULL    ? strcmp(room->request.text, request) == 0
                         : ended != NULL ? ended->request_hash == rooms_hash_of(request)
                                         : false;
    if (room == NULL && ended == NULL)
        return false;
    if (!is_same)
        answer_problem(into, CONFLICT, "another request has made an arena of this id");
    else if (room != NULL)
        answer_room(rooms, room, OK, into);
    else
        answer_ended(ended, into);
    return true;
}

static bool check_body(const char *id, size_t size, struct rooms_answer *into)
{
    if (!room_request_is_id(id))
        answer_problem(into, INVALID,
                       "want an id of 1 to 63 characters of A-Z, a-z, 0-9, ., _ "
                       "and -");
    else if (size > ROOMS_MAX_BODY_BYTES)
        answer_problem(into, INVALID, "want a body of at most %zu bytes", ROOMS_MAX_BODY_BYTES);
    else
        return true;
    return false;
}

void rooms_create(struct rooms *rooms, const char *id, const char *json, size_t size,
                  struct rooms_answer *into)
{
    const uint64_t begin_ns = monotonic_ns();
    struct room_request request;
    struct text_buffer mistakes = {0};
    bool is_made = false;
    if (!check_body(id, size, into)) {
        rooms->counts.refused++;
        return;
    }
    const bool is_good = room_request_parse(&request, rooms->table->config, json, size, &mistakes);
    if (!is_good)
        answer_mistakes(into, &mistakes);
    else if (!answer_again(rooms, id, request.text, into))
        is_made = make_room(rooms, id, &request, into);
    free(text_buffer_take(&mistakes));
    if (!is_made)
        room_request_clear(&request);
    rooms->counts.made += is_made;
    rooms->counts.refused += into->status >= 400;
    if (is_made)
        histogram_count(&rooms->counts.creations, monotonic_ns() - begin_ns);
}

// --- Changing ---

bool rooms_change_places(struct rooms *rooms, struct room *room, uint32_t places)
{
    const int index = arena_list_index(&rooms->table->running, room->arena);
    if (index < 0)
        return true; // it is leaving
    struct arena_slot *slot = rooms->table->slots[index];
    struct config_arena wanted = *arena_slot_wanted(slot);
    wanted.match.tuning.max_players = places;
    struct prepared_match *tuning = prepared_match_create(&wanted, NULL, NULL);
    if (tuning == NULL)
        return false;
    tuning->at_once = true;
    slot->config->arenas[slot->index].match.tuning.max_players = places; // nobody shares it
    arena_offer(slot->arena, tuning);
    room->record.places = places;
    return true;
}

static void set_metadata(struct room *room, char *metadata)
{
    if (room->record.metadata != room->request.metadata)
        free(room->record.metadata);
    room->record.metadata = metadata;
}

void rooms_change(struct rooms *rooms, const char *id, const char *json, size_t size,
                  struct rooms_answer *into)
{
    struct room_change change;
    struct text_buffer mistakes = {0};
    struct room *room = rooms_find(rooms, id);
    if (!check_body(id, size, into))
        return;
    if (room == NULL) {
        const bool is_known = rooms_find_ended(rooms, id) != NULL;
        answer_problem(into, is_known ? CONFLICT : NOT_FOUND,
                       is_known ? "the arena has ended" : "there is no such arena");
        return;
    }
    if (!room_change_parse(&change, room->request.arena.match.tuning.max_players, json, size,
                           &mistakes)) {
        answer_mistakes(into, &mistakes);
    } else if (change.places > 0 && !rooms_change_places(rooms, room, change.places)) {
        answer_problem(into, FAILED, "out of memory");
    } else {
        if (change.metadata != NULL)
            set_metadata(room, change.metadata);
        change.metadata = NULL;
        if (room->cause == NULL)
            rooms_store(rooms, room);
        answer_room(rooms, room, OK, into);
    }
    free(text_buffer_take(&mistakes));
    room_change_clear(&change);
}

// --- Ending ---

static void begin_drain(struct rooms *rooms, struct room *room, const struct room_end *end)
{
    char text[RAIM_MAX_TEXT_BYTES + 1];
    const uint64_t end_ms = end->within_s > 0 ? monotonic_ms() + end->within_s * UINT64_C(1000) : 0;
    snprintf(text, sizeof text, "%s",
             end->reason[0] != '\0' ? end->reason : "This arena ends when everybody has left.");
    room->record.drain_until_s = end->within_s > 0 ? rooms_today_s() + end->within_s : 0;
    rooms_begin_drain(rooms, room, text, end_ms);
}

void rooms_end(struct rooms *rooms, const char *id, const char *json, size_t size,
               struct rooms_answer *into)
{
    struct room_end end;
    struct text_buffer mistakes = {0};
    struct room *room = rooms_find(rooms, id);
    if (!check_body(id, size, into))
        return;
    if (!room_end_parse(&end, json, size, &mistakes)) {
        answer_mistakes(into, &mistakes);
        return;
    }
    free(text_buffer_take(&mistakes));
    if (room == NULL) {
        answer_absent(rooms, id, into);
        return;
    }
    if (room->cause == NULL && end.drains)
        begin_drain(rooms, room, &end);
    else if (room->cause == NULL || strcmp(room->cause, "round") == 0)
        rooms_begin_end(rooms, room, "deleted", end.reason, monotonic_ms());
    answer_room(rooms, room, ACCEPTED, into);
}

// --- Showing ---

void rooms_show(struct rooms *rooms, const char *id, struct rooms_answer *into)
{
    const struct room *room = rooms_find(rooms, id);
    if (room != NULL)
        answer_room(rooms, room, OK, into);
    else
        answer_absent(rooms, id, into);
}

void rooms_list(struct rooms *rooms, struct rooms_answer *into)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"arenas\":[");
    for (int i = 0; i < rooms->count; i++) {
        if (i > 0)
            text_buffer_add(&out, ",", 1);
        rooms_print_room(&out, rooms, rooms->list[i], NULL);
    }
    text_buffer_print(&out, "]}\n");
    answer(into, OK, &out);
}

void rooms_templates(const struct rooms *rooms, struct rooms_answer *into)
{
    struct text_buffer out = {0};
    rooms_print_templates(&out, rooms);
    answer(into, OK, &out);
}

void rooms_capacity(const struct rooms *rooms, struct rooms_answer *into)
{
    struct text_buffer out = {0};
    text_buffer_add(&out, "{", 1);
    rooms_print_capacity(&out, rooms);
    text_buffer_print(&out, "}\n");
    answer(into, OK, &out);
}
