// SPDX-License-Identifier: MIT
// Reads orders about bans, and answers them.
#define _GNU_SOURCE
#include "admin_bans.h"

#include "admin_fields.h"
#include "json_text.h"
#include "server_events.h"
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 200, BAD_REQUEST = 400, NOT_FOUND = 404, CONFLICT = 409, FAILED = 500 };

static int64_t today_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static bool refuse(struct admin_command *command, unsigned status, const char *problem)
{
    command->status = status;
    command->problem = problem;
    return false;
}

static void set_answer(struct admin_command *command, char *text)
{
    command->text = text;
    if (text == NULL)
        refuse(command, FAILED, "out of memory");
}

// --- What to ban ---

static const struct arena_player *find_player(const struct arena *arena, raim_player_id id)
{
    const struct arena_status *status = arena_status((struct arena *)arena);
    for (uint32_t i = 0; i < status->player_count; i++)
        if (status->players[i].match.id == id)
            return &status->players[i];
    return NULL;
}

// Finds the address of the player whom an order names. The text of it is that of a host.
static bool read_player(const struct arena_table *table, struct admin_command *command,
                        char address[BANS_NETWORK_BYTES])
{
    raim_player_id id;
    const int index = arena_list_find(&table->running, command->fields[ADMIN_ARENA]);
    if (index < 0)
        return refuse(command, NOT_FOUND, "no such arena");
    if (!admin_commands_read_player(command, &id))
        return refuse(command, BAD_REQUEST,
                      "want a player's id, the number in the list of players");
    const struct arena_player *player = find_player(table->running.arenas[index], id);
    if (player == NULL || ip_address_is_none(player->address))
        return refuse(command, CONFLICT, "no client plays as this player");
    bans_print_address(player->address, address);
    return true;
}

// Reads the network that an order names, or that of its player.
static bool read_network(const struct arena_table *table, struct admin_command *command,
                         struct ban *ban)
{
    const char *text = command->fields[ADMIN_ADDRESS];
    const bool has_player = command->fields[ADMIN_PLAYER][0] != '\0';
    char address[BANS_NETWORK_BYTES];
    if ((text[0] != '\0') == has_player)
        return refuse(command, BAD_REQUEST, "want an address, or an arena and a player");
    if (has_player && !read_player(table, command, address))
        return false;
    if (!bans_parse(has_player ? address : text, &ban->network, &ban->prefix))
        return refuse(
            command, BAD_REQUEST,
            "want an address or a network like 192.0.2.0/24 or 2001:db8::/32, with no bits "
            "set behind its prefix");
    return true;
}

static bool is_everybody(const struct ban *ban)
{
    return ban->prefix == 0 || (ip_address_is_v4(ban->network) && ban->prefix <= IP_V4_PREFIX);
}

// Whether a ban keeps away the operator, whose address is only known where it was told.
static bool covers_giver(const struct admin_command *command, const struct ban *ban)
{
    struct ip_address from;
    char text[ADMIN_FIELD_BYTES + 8];
    uint32_t prefix;
    // With a prefix an address of IPv6 stays itself.
    snprintf(text, sizeof text, "%s%s", command->fields[ADMIN_FROM],
             strchr(command->fields[ADMIN_FROM], ':') != NULL ? "/128" : "");
    return bans_parse(text, &from, &prefix) && bans_covers(ban->network, ban->prefix, from);
}

static bool read_ban(const struct arena_table *table, struct admin_command *command,
                     struct ban *ban)
{
    int64_t seconds;
    *ban = (struct ban){0};
    if (!read_network(table, command, ban))
        return false;
    if (is_everybody(ban))
        return refuse(command, CONFLICT, "this would ban everybody");
    if (bans_is_wide(ban->network, ban->prefix) && strcmp(command->fields[ADMIN_WIDE], "yes") != 0)
        return refuse(command, CONFLICT,
                      "this network is wider than /8, or /16 of IPv6; say so with --wide");
    if (covers_giver(command, ban) && strcmp(command->fields[ADMIN_WIDE], "yes") != 0)
        return refuse(command, CONFLICT, "this would ban your own address; say so with --wide");
    if (!admin_commands_read_seconds(command, &seconds))
        return refuse(command, BAD_REQUEST, "want 1 to 1000000000 seconds");
    if (!admin_commands_read_text(command, ADMIN_REASON, ban->why))
        return refuse(command, BAD_REQUEST,
                      "want 1 to 120 bytes of UTF-8 with a visible character");
    ban->until_s = seconds > 0 ? today_s() + seconds : 0;
    snprintf(ban->by, sizeof ban->by, "%.*s", BANS_BY_BYTES - 1, command->by);
    return true;
}

// --- Changes ---

static void note(struct arena_table *table, const char *kind, const struct ban *ban)
{
    char network[BANS_NETWORK_BYTES];
    struct text_buffer text = {0};
    bans_print(ban->network, ban->prefix, network);
    text_buffer_print(&text, "{\"by\":");
    json_text_quote(&text, ban->by);
    text_buffer_print(&text, ",\"reason\":");
    json_text_quote(&text, ban->why);
    text_buffer_print(&text, ",\"until_s\":%lld,\"private\":{\"network\":\"%s\"}}",
                      (long long)ban->until_s, network);
    server_events_add(table->events, kind, NULL, text_buffer_take(&text));
}

static bool change(struct ban_book *book, struct admin_command *command, struct bans *made)
{
    const char *problem = ban_book_replace(book, made);
    if (problem != NULL)
        return refuse(command, FAILED, problem);
    // The answer waits until the arenas use the list: after an unban the address may join at once.
    command->asked = command->waiting = ban_book_publish(book, command->number);
    command->changes_bans = true;
    command->change = ban_book_change(book);
    return true;
}

void admin_bans_answer(struct ban_book *book, struct admin_command *command)
{
    char *text = NULL;
    const int size = asprintf(&text, "{\"bans\":%u,\"stored\":%s}\n", ban_book_list(book)->count,
                              ban_book_is_stored(book, command->change) ? "true" : "false");
    set_answer(command, size >= 0 ? text : NULL);
}

void admin_bans_ban(struct arena_table *table, struct ban_book *book, struct admin_command *command)
{
    struct ban ban;
    if (read_ban(table, command, &ban) &&
        change(book, command, bans_with(ban_book_list(book), &ban, today_s())))
        note(table, "ban", &ban);
}

const char *admin_bans_add(struct arena_table *table, struct ban_book *book, const struct ban *ban)
{
    const char *problem = ban_book_add(book, ban);
    if (problem == NULL)
        note(table, "ban", ban);
    return problem;
}

void admin_bans_unban(struct arena_table *table, struct ban_book *book,
                      struct admin_command *command)
{
    struct ban ban = {0};
    if (!bans_parse(command->fields[ADMIN_ADDRESS], &ban.network, &ban.prefix))
        refuse(command, BAD_REQUEST, "want an address or a network");
    else if (!bans_has(ban_book_list(book), ban.network, ban.prefix, today_s()))
        refuse(command, CONFLICT, command->route->failure);
    else if (change(book, command,
                    bans_without(ban_book_list(book), ban.network, ban.prefix, today_s()))) {
        snprintf(ban.by, sizeof ban.by, "%.*s", BANS_BY_BYTES - 1, command->by);
        note(table, "unban", &ban);
    }
}

// --- Questions ---

static void print_player(struct text_buffer *text, const char *arena,
                         const struct raim_match_player *player, bool is_first)
{
    text_buffer_print(text, "%s{\"arena\":\"%s\",\"id\":%u,\"name\":", is_first ? "" : ",", arena,
                      player->id);
    json_text_quote(text, player->name);
    text_buffer_print(text, "}");
}

void admin_bans_preview(struct arena_table *table, struct ban_book *book,
                        struct admin_command *command)
{
    struct ban ban;
    struct text_buffer text = {0};
    char network[BANS_NETWORK_BYTES];
    uint32_t count = 0;
    (void)book;
    if (!read_ban(table, command, &ban))
        return;
    bans_print(ban.network, ban.prefix, network);
    text_buffer_print(&text, "{\"network\":\"%s\",\"players\":[", network);
    for (int i = 0; i < table->running.count; i++) {
        struct arena *arena = table->running.arenas[i];
        const struct arena_status *status = arena_status(arena);
        for (uint32_t j = 0; j < status->player_count; j++) {
            const struct arena_player *player = &status->players[j];
            if (!ip_address_is_none(player->address) &&
                bans_covers(ban.network, ban.prefix, player->address))
                print_player(&text, arena_config(arena)->name, &player->match, count++ == 0);
        }
    }
    text_buffer_print(&text, "]}\n");
    set_answer(command, text_buffer_take(&text));
}

void admin_bans_list(struct ban_book *book, struct admin_command *command)
{
    set_answer(command, status_bans_json(ban_book_list(book), today_s()));
}
