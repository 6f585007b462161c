// SPDX-License-Identifier: MIT
// Checks what the operator asks for and sees to it.
#define _GNU_SOURCE
#include "orders.h"

#include "command.h"
#include "log.h"
#include "mailbox.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static_assert(BANS_WHY_BYTES == RAIM_MATCH_TEXT_BYTES, "every reason can be told");

enum {
    OK = 200,
    BAD_REQUEST = 400,
    NOT_FOUND = 404,
    CONFLICT = 409,
    FAILED = 500,
    BUSY = 503,
};

// No player is counted in a status that was published before the drain began.
#define DRAIN_SETTLE_MS 500U
#define LOOK_MS 50 // how often what goes on by itself is looked at
#define MAX_SECONDS INT64_C(1000000000)

struct orders {
    const struct status_source *source;
    uint32_t next_number;
    char bans_path[PATH_MAX]; // "": they are not kept
    struct bans *lists;       // every one that is in use, the newest first
    bool draining;
    uint64_t drain_began_ms;
    uint64_t drain_end_ms; // 0: whenever everybody has left
};

static uint64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int64_t today_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static void refuse(struct order *order, unsigned status, const char *problem)
{
    order->status = status;
    order->problem = problem;
}

// Takes an answer; NULL for memory that ran out.
static void tell(struct order *order, char *text)
{
    order->text = text;
    if (text == NULL)
        refuse(order, FAILED, "out of memory");
}

// --- Asking arenas ---

// Posts a command to the arena that the order names, or to every one.
static void ask(struct orders *orders, struct order *order, const struct command *command)
{
    const char *name = order->fields[ORDERS_ARENA];
    bool is_known = false;
    for (int i = 0; i < orders->source->arena_count; i++) {
        struct arena *arena = orders->source->arenas[i];
        if (name[0] != '\0' && strcmp(name, arena_config(arena)->name) != 0)
            continue;
        struct command *letter = mailbox_blank(arena_mailbox(arena));
        is_known = true;
        order->asked++;
        if (letter == NULL)
            continue; // so many are on their way that it does not answer
        *letter = *command;
        letter->request = order->number;
        mailbox_post(arena_mailbox(arena));
        order->waiting++;
    }
    if (!is_known)
        refuse(order, NOT_FOUND, "no such arena");
    else if (order->waiting == 0)
        refuse(order, BUSY, "the arena has not answered what it was asked before");
}

static bool read_player(const struct order *order, raim_player_id *player)
{
    const char *text = order->fields[ORDERS_PLAYER];
    const size_t length = strspn(text, "0123456789");
    const long id = length >= 1 && length <= 5 && text[length] == '\0' ? atol(text) : 0;
    *player = (raim_player_id)id;
    return id > 0 && id <= UINT16_MAX;
}

// A duration in seconds, 0 where none is given.
static bool read_seconds(const struct order *order, int64_t *seconds)
{
    const char *text = order->fields[ORDERS_SECONDS];
    const size_t length = strspn(text, "0123456789");
    *seconds = length <= 10 ? atoll(text) : MAX_SECONDS + 1;
    return text[length] == '\0' && *seconds <= MAX_SECONDS && (length == 0 || *seconds > 0);
}

// A text that can be told; where there is none, an empty one.
static bool read_text(const struct order *order, enum orders_field_kind field, char *text)
{
    text[0] = '\0';
    return order->fields[field][0] == '\0' || raim_match_clean(order->fields[field], text);
}

static const char text_is_bad[] = "want 1 to 120 bytes of UTF-8 with something visible in it";
static const char player_is_bad[] = "want the id of a player, as players tells";
static const char seconds_are_bad[] = "want 1 to 1000000000 seconds";
static const char address_is_bad[] =
    "want an IPv4 address or a network like 192.0.2.0/24, without bits behind its prefix";

static void give_say(struct orders *orders, struct order *order)
{
    struct command command = {.kind = COMMAND_SAY};
    if (!read_text(order, ORDERS_TEXT, command.text))
        refuse(order, BAD_REQUEST, text_is_bad);
    else
        ask(orders, order, &command);
}

static void give_kick(struct orders *orders, struct order *order)
{
    struct command command = {.kind = COMMAND_KICK};
    if (!read_player(order, &command.player))
        refuse(order, BAD_REQUEST, player_is_bad);
    else if (!read_text(order, ORDERS_REASON, command.text))
        refuse(order, BAD_REQUEST, text_is_bad);
    else
        ask(orders, order, &command);
}

static void set_mute(struct orders *orders, struct order *order, bool on)
{
    struct command command = {.kind = COMMAND_MUTE, .on = on};
    if (!read_player(order, &command.player))
        refuse(order, BAD_REQUEST, player_is_bad);
    else
        ask(orders, order, &command);
}

static void give_mute(struct orders *orders, struct order *order)
{
    set_mute(orders, order, true);
}

static void give_unmute(struct orders *orders, struct order *order)
{
    set_mute(orders, order, false);
}

// --- The end ---

static void give_drain(struct orders *orders, struct order *order)
{
    int64_t seconds;
    if (!read_seconds(order, &seconds)) {
        refuse(order, BAD_REQUEST, seconds_are_bad);
        return;
    }
    struct command command = {.kind = COMMAND_DRAIN, .on = true};
    if (seconds > 0)
        snprintf(command.text, sizeof command.text,
                 "This server ends in %lld seconds, or earlier when everybody has left.",
                 (long long)seconds);
    else
        snprintf(command.text, sizeof command.text, "This server ends when everybody has left.");
    ask(orders, order, &command);
    if (order->problem != NULL)
        return;
    orders->draining = true;
    orders->drain_began_ms = monotonic_ms();
    orders->drain_end_ms = seconds > 0 ? orders->drain_began_ms + (uint64_t)seconds * 1000 : 0;
}

bool orders_is_drained(const struct orders *orders)
{
    const uint64_t now_ms = monotonic_ms();
    if (!orders->draining || now_ms < orders->drain_began_ms + DRAIN_SETTLE_MS)
        return false;
    uint32_t players = 0;
    for (int i = 0; i < orders->source->arena_count; i++)
        players += arena_status(orders->source->arenas[i])->counts.players;
    return players == 0 || (orders->drain_end_ms > 0 && now_ms >= orders->drain_end_ms);
}

// --- Bans ---

// Makes a list the one in force, which the arenas are told of as soon as they listen.
static void change_bans(struct orders *orders, struct order *order, struct bans *made)
{
    char error[PATH_MAX + 128];
    if (made == NULL) {
        refuse(order, FAILED, "too many bans, or out of memory");
        return;
    }
    if (orders->bans_path[0] != '\0' && !bans_save(made, orders->bans_path, error, sizeof error)) {
        log_error("bans failed: %s", error);
        free(made);
        refuse(order, FAILED, "the bans cannot be kept: see the log");
        return;
    }
    made->next = orders->lists;
    orders->lists = made;
    char *text = NULL;
    tell(order, asprintf(&text, "{\"bans\":%u}\n", made->count) < 0 ? NULL : text);
}

static void give_ban(struct orders *orders, struct order *order)
{
    struct ban ban = {0};
    int64_t seconds;
    if (!bans_parse(order->fields[ORDERS_ADDRESS], &ban.network, &ban.prefix))
        refuse(order, BAD_REQUEST, address_is_bad);
    else if (!read_seconds(order, &seconds))
        refuse(order, BAD_REQUEST, seconds_are_bad);
    else if (!read_text(order, ORDERS_REASON, ban.why))
        refuse(order, BAD_REQUEST, text_is_bad);
    else {
        ban.until_s = seconds > 0 ? today_s() + seconds : 0;
        change_bans(orders, order, bans_with(orders->lists, &ban, today_s()));
    }
}

static void give_unban(struct orders *orders, struct order *order)
{
    uint32_t network, prefix;
    if (!bans_parse(order->fields[ORDERS_ADDRESS], &network, &prefix))
        refuse(order, BAD_REQUEST, address_is_bad);
    else if (!bans_has(orders->lists, network, prefix, today_s()))
        refuse(order, CONFLICT, order->route->failure);
    else
        change_bans(orders, order, bans_without(orders->lists, network, prefix, today_s()));
}

// Tells the newest list to the arenas that have not heard of it.
static void spread_bans(struct orders *orders)
{
    for (int i = 0; i < orders->source->arena_count; i++) {
        struct mailbox *mailbox = arena_mailbox(orders->source->arenas[i]);
        const struct bans **told = arena_told(orders->source->arenas[i]);
        struct command *letter = *told != orders->lists ? mailbox_blank(mailbox) : NULL;
        if (letter == NULL)
            continue;
        *letter = (struct command){.kind = COMMAND_BANS, .bans = orders->lists};
        *told = orders->lists;
        orders->lists->readers++;
        mailbox_post(mailbox);
    }
}

// An arena reads a list no more; nobody reads it: it is freed, unless it is the newest.
static void release_bans(struct orders *orders, const struct bans *before)
{
    if (before == NULL)
        return;
    for (struct bans **link = &orders->lists; *link != NULL; link = &(*link)->next) {
        struct bans *bans = *link;
        if (bans != before)
            continue;
        bans->readers--;
        if (bans->readers == 0 && bans != orders->lists) {
            *link = bans->next;
            free(bans);
        }
        return;
    }
}

// --- Questions ---

static void give_status(struct orders *orders, struct order *order)
{
    tell(order, status_json(orders->source, monotonic_ms()));
}

static void give_players(struct orders *orders, struct order *order)
{
    tell(order, status_players_json(orders->source));
}

static void give_bans(struct orders *orders, struct order *order)
{
    tell(order, status_bans_json(orders->lists, today_s()));
}

// --- Routes ---

enum {
    ARENA = 1 << ORDERS_ARENA,
    PLAYER = 1 << ORDERS_PLAYER,
    TEXT = 1 << ORDERS_TEXT,
    REASON = 1 << ORDERS_REASON,
    ADDRESS = 1 << ORDERS_ADDRESS,
    SECONDS = 1 << ORDERS_SECONDS,
};

static const char no_player[] = "no client plays as this player";

static const struct orders_route routes[] = {
    {.method = "GET", .path = "/status", .give = give_status},
    {.method = "GET", .path = "/players", .give = give_players},
    {.method = "GET", .path = "/bans", .give = give_bans},
    {.method = "POST",
     .path = "/say",
     .give = give_say,
     .needs = TEXT,
     .takes = ARENA,
     .failure = "too much waits to be told"},
    {.method = "POST",
     .path = "/kick",
     .give = give_kick,
     .needs = ARENA | PLAYER,
     .takes = REASON,
     .failure = no_player},
    {.method = "POST",
     .path = "/mute",
     .give = give_mute,
     .needs = ARENA | PLAYER,
     .failure = no_player},
    {.method = "POST",
     .path = "/unmute",
     .give = give_unmute,
     .needs = ARENA | PLAYER,
     .failure = no_player},
    {.method = "POST",
     .path = "/ban",
     .give = give_ban,
     .needs = ADDRESS,
     .takes = SECONDS | REASON},
    {.method = "POST",
     .path = "/unban",
     .give = give_unban,
     .needs = ADDRESS,
     .failure = "no such ban"},
    {.method = "POST", .path = "/drain", .give = give_drain, .takes = SECONDS},
};

#define ROUTES (sizeof routes / sizeof *routes)

const struct orders_route *orders_find(const char *path, const char *method, bool *path_is_known)
{
    *path_is_known = false;
    for (size_t i = 0; i < ROUTES; i++) {
        if (strcmp(path, routes[i].path) != 0)
            continue;
        *path_is_known = true;
        if (strcmp(method, routes[i].method) == 0)
            return &routes[i];
    }
    return NULL;
}

static const char *const field_names[ORDERS_FIELDS] = {
    [ORDERS_ARENA] = "arena",   [ORDERS_PLAYER] = "player",   [ORDERS_TEXT] = "text",
    [ORDERS_REASON] = "reason", [ORDERS_ADDRESS] = "address", [ORDERS_SECONDS] = "seconds",
};

char *orders_field(struct order *order, const char *name)
{
    for (int i = 0; i < ORDERS_FIELDS; i++)
        if (strcmp(name, field_names[i]) == 0)
            return order->fields[i];
    return NULL;
}

void orders_log(const struct order *order)
{
    if (strcmp(order->route->method, "POST") != 0)
        return;
    char line[ORDERS_FIELDS * ORDERS_FIELD_BYTES];
    int length = snprintf(line, sizeof line, "control order=%s", order->route->path + 1);
    for (int i = 0; i < ORDERS_FIELDS; i++)
        if (order->fields[i][0] != '\0' && length < (int)sizeof line)
            length += snprintf(line + length, sizeof line - (size_t)length,
                               i == ORDERS_TEXT || i == ORDERS_REASON ? " %s=\"%s\"" : " %s=%s",
                               field_names[i], order->fields[i]);
    log_info("%s", line);
}

void orders_give(struct orders *orders, struct order *order)
{
    for (int i = 0; i < ORDERS_FIELDS; i++) {
        const uint32_t bit = UINT32_C(1) << i;
        const bool given = order->fields[i][0] != '\0';
        if (!given && (order->route->needs & bit) != 0)
            refuse(order, BAD_REQUEST, "a field is missing");
        if (given && ((order->route->needs | order->route->takes) & bit) == 0)
            refuse(order, BAD_REQUEST, "a field does not belong here");
    }
    if (order->problem != NULL)
        return;
    order->number = ++orders->next_number;
    order->route->give(orders, order);
}

// --- Life ---

// The bans are kept where the service manager wants state to be kept.
static bool load_bans(struct orders *orders, char *error, size_t capacity)
{
    const char *directory = getenv("STATE_DIRECTORY");
    if (directory == NULL) {
        orders->lists = bans_without(NULL, 0, 0, 0);
        return orders->lists != NULL;
    }
    const int length = (int)strcspn(directory, ":"); // the first of several
    if (snprintf(orders->bans_path, sizeof orders->bans_path, "%.*s/bans", length, directory) >=
        (int)sizeof orders->bans_path) {
        snprintf(error, capacity, "the state directory's path is too long");
        return false;
    }
    orders->lists = bans_load(orders->bans_path, error, capacity);
    return orders->lists != NULL;
}

struct orders *orders_open(const struct status_source *source, char *error, size_t capacity)
{
    struct orders *orders = calloc(1, sizeof *orders);
    snprintf(error, capacity, "out of memory");
    if (orders == NULL)
        return NULL;
    orders->source = source;
    if (!load_bans(orders, error, capacity)) {
        orders_close(orders);
        return NULL;
    }
    spread_bans(orders); // before the first tick
    return orders;
}

void orders_close(struct orders *orders)
{
    if (orders == NULL)
        return;
    while (orders->lists != NULL) {
        struct bans *next = orders->lists->next;
        free(orders->lists);
        orders->lists = next;
    }
    free(orders);
}

bool orders_collect_from(struct orders *orders, struct arena *arena, uint32_t *number, bool *done)
{
    struct mailbox *mailbox = arena_mailbox(arena);
    const struct command *answer;
    while ((answer = mailbox_answer(mailbox)) != NULL) {
        const struct command command = *answer;
        mailbox_forget(mailbox);
        if (command.kind != COMMAND_BANS) {
            *number = command.request;
            *done = command.done;
            return true;
        }
        release_bans(orders, command.bans);
    }
    return false;
}

bool orders_collect(struct orders *orders, uint32_t *number, bool *done)
{
    spread_bans(orders);
    for (int i = 0; i < orders->source->arena_count; i++)
        if (orders_collect_from(orders, orders->source->arenas[i], number, done))
            return true;
    return false;
}

void orders_retrieve(struct arena *arena)
{
    arena_open_mail(arena);
    struct mailbox *mailbox = arena_mailbox(arena);
    struct command *letter = mailbox_blank(mailbox);
    if (letter == NULL)
        return;
    *letter = (struct command){.kind = COMMAND_BANS};
    mailbox_post(mailbox);
    arena_open_mail(arena);
}

int orders_timeout_ms(const struct orders *orders)
{
    for (int i = 0; i < orders->source->arena_count; i++)
        if (*arena_told(orders->source->arenas[i]) != orders->lists)
            return LOOK_MS;
    return orders->draining ? LOOK_MS : -1;
}
