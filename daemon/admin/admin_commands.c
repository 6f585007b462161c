// SPDX-License-Identifier: MIT
// Checks what the operator asks for and sees to it.
#define _GNU_SOURCE
#include "admin_commands.h"

#include "admin_fields.h"
#include "arena_command.h"
#include "arena_table_changes.h"
#include "ban_book.h"
#include "log.h"
#include "mailbox.h"
#include "monotonic.h"
#include "status.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    OK = 200,
    BAD_REQUEST = 400,
    NOT_FOUND = 404,
    CONFLICT = 409,
    FAILED = 500,
    BUSY = 503,
};

enum { ERROR_BYTES = 4096 }; // of a change's error: a map may have many mistakes

struct admin_commands {
    struct arena_table *fleet;
    uint32_t next_number;
    struct ban_book *bans;
    bool draining;
    uint32_t drain_waiting; // arenas that were asked to drain and have not answered
    uint64_t drain_end_ms;  // 0: whenever everybody has left
};

static const char no_arena[] = "no such arena";

static int64_t today_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static void refuse(struct admin_command *order, unsigned status, const char *problem)
{
    order->status = status;
    order->problem = problem;
}

// Takes an answer; NULL for memory that ran out.
static void tell(struct admin_command *order, char *text)
{
    order->text = text;
    if (text == NULL)
        refuse(order, FAILED, "out of memory");
}

// --- Asking arenas ---

// The index of the running arena that the order names, or -1.
static int find_arena(const struct admin_commands *orders, const struct admin_command *order)
{
    return arena_list_find(&orders->fleet->running, order->fields[ADMIN_ARENA]);
}

// Posts a command to one arena, unless so many are on their way that there is no room.
static void post(struct admin_command *order, struct arena *arena, const struct command *command)
{
    struct command *letter = mailbox_blank(arena_mailbox(arena));
    order->asked++;
    if (letter == NULL)
        return;
    *letter = *command;
    letter->request = order->number;
    mailbox_post(arena_mailbox(arena));
    order->waiting++;
}

// Posts a command to the arena that the order names, or to every one.
static void ask(struct admin_commands *orders, struct admin_command *order,
                const struct command *command)
{
    const struct arena_list *list = &orders->fleet->running;
    const char *name = order->fields[ADMIN_ARENA];
    const int index = find_arena(orders, order);
    for (int i = 0; i < list->count; i++)
        if (name[0] == '\0' || i == index)
            post(order, list->arenas[i], command);
    if (order->asked == 0)
        refuse(order, NOT_FOUND, no_arena);
    else if (order->waiting == 0)
        refuse(order, BUSY, "the arena has not answered what it was asked before");
}

static const char text_is_bad[] = "want 1 to 120 bytes of UTF-8 with something visible in it";
static const char player_is_bad[] = "want a player's id, the number that the list of players tells";
static const char seconds_are_bad[] = "want 1 to 1000000000 seconds";
static const char address_is_bad[] =
    "want an IPv4 address or a network like 192.0.2.0/24, without bits behind its prefix";

static void give_say(struct admin_commands *orders, struct admin_command *order)
{
    struct command command = {.kind = COMMAND_SAY};
    if (!admin_commands_read_text(order, ADMIN_TEXT, command.text))
        refuse(order, BAD_REQUEST, text_is_bad);
    else
        ask(orders, order, &command);
}

static void give_kick(struct admin_commands *orders, struct admin_command *order)
{
    struct command command = {.kind = COMMAND_KICK};
    if (!admin_commands_read_player(order, &command.player))
        refuse(order, BAD_REQUEST, player_is_bad);
    else if (!admin_commands_read_text(order, ADMIN_REASON, command.text))
        refuse(order, BAD_REQUEST, text_is_bad);
    else
        ask(orders, order, &command);
}

static void set_mute(struct admin_commands *orders, struct admin_command *order, bool on)
{
    struct command command = {.kind = COMMAND_MUTE, .on = on};
    if (!admin_commands_read_player(order, &command.player))
        refuse(order, BAD_REQUEST, player_is_bad);
    else
        ask(orders, order, &command);
}

static void give_mute(struct admin_commands *orders, struct admin_command *order)
{
    set_mute(orders, order, true);
}

static void give_unmute(struct admin_commands *orders, struct admin_command *order)
{
    set_mute(orders, order, false);
}

static void give_pause(struct admin_commands *orders, struct admin_command *order)
{
    ask(orders, order, &(struct command){.kind = COMMAND_PAUSE, .on = true});
}

static void give_resume(struct admin_commands *orders, struct admin_command *order)
{
    ask(orders, order, &(struct command){.kind = COMMAND_PAUSE});
}

// --- Changes of the server ---

// The answer to a change: what went wrong, which may be of any words.
static void conclude(struct admin_command *order, bool done, const char *error)
{
    if (done)
        return;
    order->status = CONFLICT;
    tell(order, status_problem_json(error));
}

static void give_add(struct admin_commands *orders, struct admin_command *order)
{
    const char *name = order->fields[ADMIN_ARENA];
    char error[ERROR_BYTES];
    if (find_arena(orders, order) >= 0)
        refuse(order, CONFLICT, "this arena runs already");
    else
        conclude(order, arena_table_add_arena(orders->fleet, name, error, sizeof error), error);
}

static void give_remove(struct admin_commands *orders, struct admin_command *order)
{
    const int index = find_arena(orders, order);
    char error[ERROR_BYTES];
    if (index < 0)
        refuse(order, NOT_FOUND, no_arena);
    else
        conclude(order, arena_table_remove_arena(orders->fleet, index, error, sizeof error), error);
}

static void give_map(struct admin_commands *orders, struct admin_command *order)
{
    const int index = find_arena(orders, order);
    const char *path = order->fields[ADMIN_MAP];
    char error[ERROR_BYTES];
    if (index < 0)
        refuse(order, NOT_FOUND, no_arena);
    else
        conclude(order, arena_table_change_map(orders->fleet, index, path, error, sizeof error),
                 error);
}

static void give_reload(struct admin_commands *orders, struct admin_command *order)
{
    struct reload_report outcome = {0};
    if (!arena_table_reload(orders->fleet, &outcome))
        order->status = CONFLICT;
    tell(order, status_outcome_json(&outcome));
    reload_report_clear(&outcome);
}

static void give_log(struct admin_commands *orders, struct admin_command *order)
{
    (void)orders;
    enum log_level level;
    if (!log_level_find(order->fields[ADMIN_LEVEL], &level))
        refuse(order, BAD_REQUEST, "want the level error, warning or info");
    else
        log_set_level(level);
}

// --- The end ---

static void give_drain(struct admin_commands *orders, struct admin_command *order)
{
    int64_t seconds;
    if (!admin_commands_read_seconds(order, &seconds)) {
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
    orders->drain_waiting += order->waiting;
    orders->drain_end_ms = seconds > 0 ? monotonic_ms() + (uint64_t)seconds * 1000 : 0;
}

bool admin_commands_is_drained(const struct admin_commands *orders)
{
    const struct arena_list *list = &orders->fleet->running;
    if (!orders->draining)
        return false;
    if (orders->drain_end_ms > 0 && monotonic_ms() >= orders->drain_end_ms)
        return true;
    // Until it has answered, an arena may have let in a player whom it has not counted yet.
    uint32_t players = orders->drain_waiting;
    for (int i = 0; i < list->count; i++)
        players += arena_playing(list->arenas[i]);
    return players == 0;
}

int admin_commands_timeout_ms(const struct admin_commands *orders)
{
    const uint64_t now_ms = monotonic_ms();
    if (!orders->draining || orders->drain_end_ms == 0)
        return -1;
    const uint64_t left_ms = orders->drain_end_ms > now_ms ? orders->drain_end_ms - now_ms : 0;
    return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

// --- Bans ---

static void change_bans(struct admin_commands *orders, struct admin_command *order,
                        struct bans *made)
{
    const char *problem = ban_book_replace(orders->bans, made);
    char *text = NULL;
    if (problem != NULL) {
        refuse(order, FAILED, problem);
        return;
    }
    // The answer waits until the arenas read the list: who was banned may join at once then.
    order->asked = order->waiting = ban_book_spread(orders->bans, order->number);
    tell(order, asprintf(&text, "{\"bans\":%u}\n", made->count) < 0 ? NULL : text);
}

static void give_ban(struct admin_commands *orders, struct admin_command *order)
{
    struct ban ban = {0};
    int64_t seconds;
    if (!bans_parse(order->fields[ADMIN_ADDRESS], &ban.network, &ban.prefix))
        refuse(order, BAD_REQUEST, address_is_bad);
    else if (!admin_commands_read_seconds(order, &seconds))
        refuse(order, BAD_REQUEST, seconds_are_bad);
    else if (!admin_commands_read_text(order, ADMIN_REASON, ban.why))
        refuse(order, BAD_REQUEST, text_is_bad);
    else {
        ban.until_s = seconds > 0 ? today_s() + seconds : 0;
        change_bans(orders, order, bans_with(ban_book_list(orders->bans), &ban, today_s()));
    }
}

static void give_unban(struct admin_commands *orders, struct admin_command *order)
{
    uint32_t network, prefix;
    if (!bans_parse(order->fields[ADMIN_ADDRESS], &network, &prefix))
        refuse(order, BAD_REQUEST, address_is_bad);
    else if (!bans_has(ban_book_list(orders->bans), network, prefix, today_s()))
        refuse(order, CONFLICT, order->route->failure);
    else
        change_bans(orders, order,
                    bans_without(ban_book_list(orders->bans), network, prefix, today_s()));
}

// --- Questions ---

static void give_status(struct admin_commands *orders, struct admin_command *order)
{
    tell(order, status_json(&orders->fleet->running, monotonic_ms()));
}

static void give_players(struct admin_commands *orders, struct admin_command *order)
{
    tell(order, status_players_json(&orders->fleet->running));
}

static void give_bans(struct admin_commands *orders, struct admin_command *order)
{
    tell(order, status_bans_json(ban_book_list(orders->bans), today_s()));
}

// --- Routes ---

enum {
    ARENA = 1 << ADMIN_ARENA,
    PLAYER = 1 << ADMIN_PLAYER,
    TEXT = 1 << ADMIN_TEXT,
    REASON = 1 << ADMIN_REASON,
    ADDRESS = 1 << ADMIN_ADDRESS,
    SECONDS = 1 << ADMIN_SECONDS,
    MAP = 1 << ADMIN_MAP,
    LEVEL = 1 << ADMIN_LEVEL,
};

static const char no_player[] = "no client plays as this player";

static const struct admin_commands_route routes[] = {
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
    {.method = "POST", .path = "/arena/add", .give = give_add, .needs = ARENA},
    {.method = "POST", .path = "/arena/remove", .give = give_remove, .needs = ARENA},
    {.method = "POST", .path = "/arena/pause", .give = give_pause, .needs = ARENA},
    {.method = "POST", .path = "/arena/resume", .give = give_resume, .needs = ARENA},
    {.method = "POST", .path = "/arena/map", .give = give_map, .needs = ARENA | MAP},
    {.method = "POST", .path = "/reload", .give = give_reload},
    {.method = "POST", .path = "/log", .give = give_log, .needs = LEVEL},
};

#define ROUTES (sizeof routes / sizeof *routes)

const struct admin_commands_route *admin_commands_find(const char *path, const char *method,
                                                       bool *path_is_known)
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

void admin_commands_give(struct admin_commands *orders, struct admin_command *order)
{
    for (int i = 0; i < ADMIN_FIELDS; i++) {
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

struct admin_commands *admin_commands_open(struct arena_table *fleet, char *error, size_t capacity)
{
    struct admin_commands *orders = calloc(1, sizeof *orders);
    snprintf(error, capacity, "out of memory");
    if (orders == NULL)
        return NULL;
    orders->fleet = fleet;
    orders->bans = ban_book_open(&fleet->running, error, capacity);
    if (orders->bans != NULL)
        return orders;
    admin_commands_close(orders);
    return NULL;
}

void admin_commands_close(struct admin_commands *orders)
{
    if (orders == NULL)
        return;
    ban_book_close(orders->bans);
    free(orders);
}

bool admin_commands_collect_from(struct admin_commands *orders, struct arena *arena,
                                 uint32_t *number, bool *done)
{
    const struct command *answer;
    while ((answer = mailbox_answer(arena_mailbox(arena))) != NULL) {
        const struct command command = *answer;
        mailbox_forget(arena_mailbox(arena));
        *number = command.request;
        *done = command.done || command.kind == COMMAND_BANS;
        if (command.kind == COMMAND_BANS)
            ban_book_hear(orders->bans, arena, command.bans);
        if (command.kind == COMMAND_DRAIN) {
            assert(orders->drain_waiting > 0);
            orders->drain_waiting--;
        }
        if (command.request != 0)
            return true;
    }
    return false;
}

bool admin_commands_collect(struct admin_commands *orders, uint32_t *number, bool *done)
{
    ban_book_spread(orders->bans, 0);
    const struct arena_list *list = &orders->fleet->running;
    for (int i = 0; i < list->count; i++)
        if (admin_commands_collect_from(orders, list->arenas[i], number, done))
            return true;
    return false;
}

void admin_commands_forget(struct admin_commands *orders, struct arena *arena)
{
    struct command *letter;
    while ((letter = mailbox_open(arena_mailbox(arena))) != NULL) {
        letter->done = false;
        mailbox_reply(arena_mailbox(arena));
    }
    ban_book_forget(orders->bans, arena);
}
