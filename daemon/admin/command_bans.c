// SPDX-License-Identifier: MIT
// Commands that ban and lift bans: of an address, a network, or a player's address.
#define _GNU_SOURCE
#include "commands_internal.h"
#include "json_writer.h"
#include "server_events.h"
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t today_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static const struct arena_player *find_player(struct arena *arena, raim_player_id id)
{
    const struct arena_status *status = arena_status(arena);
    for (uint32_t i = 0; i < status->player_count; i++)
        if (status->players[i].match.id == id)
            return &status->players[i];
    return NULL;
}

// Finds the address of the player that a command names, as the text of a host.
static bool read_player(const struct commands *commands, struct command_call *call,
                        char address[BANS_NETWORK_BYTES])
{
    const int index = command_find_arena(commands, call);
    if (index < 0)
        return false;
    const struct arena_player *player = find_player(
        commands->table->running.arenas[index], (raim_player_id)command_number(call, FIELD_PLAYER));
    if (player == NULL || ip_address_is_none(player->address))
        return command_reject(call, HTTP_CONFLICT,
                              "no such player id, or its client is disconnected");
    bans_print_address(player->address, address);
    return true;
}

// Reads the network that a command names, or that of its player.
static bool read_network(const struct commands *commands, struct command_call *call,
                         struct ban *ban)
{
    const char *text = call->fields[FIELD_ADDRESS];
    const bool has_player = call->fields[FIELD_PLAYER][0] != '\0';
    char address[BANS_NETWORK_BYTES];
    if ((text[0] != '\0') == has_player)
        return command_reject(call, HTTP_BAD_REQUEST, "want an address, or an arena and a player");
    if (has_player && !read_player(commands, call, address))
        return false;
    return bans_parse(has_player ? address : text, &ban->network, &ban->prefix) ||
           command_reject(call, HTTP_BAD_REQUEST,
                          "want an address or a network like 192.0.2.0/24 or 2001:db8::/32, with "
                          "no bits set after its prefix");
}

static bool is_everybody(const struct ban *ban)
{
    return ban->prefix == 0 || (ip_address_is_v4(ban->network) && ban->prefix <= IP_V4_PREFIX);
}

// Whether a ban covers the address of the operator who gives it, where that is known.
static bool covers_own_address(const struct command_call *call, const struct ban *ban)
{
    struct ip_address from;
    char text[COMMAND_FIELD_BYTES + 8];
    uint32_t prefix;
    // With a prefix an address of IPv6 stays itself.
    snprintf(text, sizeof text, "%s%s", call->fields[FIELD_FROM],
             strchr(call->fields[FIELD_FROM], ':') != NULL ? "/128" : "");
    return bans_parse(text, &from, &prefix) && bans_covers(ban->network, ban->prefix, from);
}

static bool read_ban(const struct commands *commands, struct command_call *call, struct ban *ban)
{
    const bool is_wide = strcmp(call->fields[FIELD_WIDE], "true") == 0;
    const int64_t seconds = command_number(call, FIELD_SECONDS), now_s = today_s();
    *ban = (struct ban){0};
    if (!read_network(commands, call, ban))
        return false;
    if (is_everybody(ban))
        return command_reject(call, HTTP_CONFLICT, "this would ban everybody");
    if (bans_is_wide(ban->network, ban->prefix) && !is_wide)
        return command_reject(
            call, HTTP_CONFLICT,
            "this network is wider than /8, or /16 of IPv6; to ban it, add --wide");
    if (covers_own_address(call, ban) && !is_wide)
        return command_reject(call, HTTP_CONFLICT,
                              "this would ban your own address; to ban it, add --wide");
    if (call->fields[FIELD_UNTIL][0] != '\0' &&
        (seconds > 0 || command_number(call, FIELD_UNTIL) <= now_s))
        return command_reject(call, HTTP_BAD_REQUEST, "want a duration, or an end in the future");
    if (!command_text(call, FIELD_REASON, ban->why))
        return false;
    ban->until_s = seconds > 0 ? now_s + seconds : command_number(call, FIELD_UNTIL);
    snprintf(ban->by, sizeof ban->by, "%.*s", BANS_BY_BYTES - 1, call->by);
    return true;
}

static void note(const struct commands *commands, const char *kind, const struct ban *ban)
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
    server_events_add(commands->table->events, kind, NULL, text_buffer_take(&text));
}

static bool change(struct commands *commands, struct command_call *call, struct bans *made)
{
    const char *problem = ban_store_replace(commands->bans, made);
    if (problem != NULL)
        return command_reject(call, HTTP_SERVER_ERROR, problem);
    // The answer waits until the arenas use the list: after an unban the address may join at once.
    call->asked = call->waiting = ban_store_publish(commands->bans, call->number);
    call->changes_bans = true;
    call->change = ban_store_change(commands->bans);
    return true;
}

void command_answer_bans(struct commands *commands, struct command_call *call)
{
    char *text = NULL;
    const int size =
        asprintf(&text, "{\"bans\":%u,\"stored\":%s}\n", ban_store_list(commands->bans)->count,
                 ban_store_is_stored(commands->bans, call->change) ? "true" : "false");
    command_set_answer(call, size >= 0 ? text : NULL);
}

void command_ban(struct commands *commands, struct command_call *call)
{
    struct ban ban;
    if (read_ban(commands, call, &ban) &&
        change(commands, call, bans_with(ban_store_list(commands->bans), &ban, today_s())))
        note(commands, "ban", &ban);
}

const char *commands_ban(struct commands *commands, const struct ban *ban)
{
    const char *problem = ban_store_add(commands->bans, ban);
    if (problem == NULL)
        note(commands, "ban", ban);
    return problem;
}

void command_unban(struct commands *commands, struct command_call *call)
{
    struct ban ban = {0};
    const struct bans *list = ban_store_list(commands->bans);
    if (!bans_parse(call->fields[FIELD_ADDRESS], &ban.network, &ban.prefix))
        command_reject(call, HTTP_BAD_REQUEST, "want an address or a network");
    else if (!bans_has(list, ban.network, ban.prefix, today_s()))
        command_reject(call, HTTP_CONFLICT, call->row->failure);
    else if (change(commands, call, bans_without(list, ban.network, ban.prefix, today_s()))) {
        snprintf(ban.by, sizeof ban.by, "%.*s", BANS_BY_BYTES - 1, call->by);
        note(commands, "unban", &ban);
    }
}

static void print_player(struct text_buffer *text, const char *arena,
                         const struct raim_match_player *player, bool is_first)
{
    text_buffer_print(text, "%s{\"arena\":\"%s\",\"id\":%u,\"name\":", is_first ? "" : ",", arena,
                      player->id);
    json_text_quote(text, player->name);
    text_buffer_print(text, "}");
}

void command_ban_preview(struct commands *commands, struct command_call *call)
{
    const struct arena_list *list = &commands->table->running;
    struct ban ban;
    struct text_buffer text = {0};
    char network[BANS_NETWORK_BYTES];
    uint32_t count = 0;
    if (!read_ban(commands, call, &ban))
        return;
    bans_print(ban.network, ban.prefix, network);
    text_buffer_print(&text, "{\"network\":\"%s\",\"players\":[", network);
    for (int i = 0; i < list->count; i++) {
        const struct arena_status *status = arena_status(list->arenas[i]);
        for (uint32_t j = 0; j < status->player_count; j++) {
            const struct arena_player *player = &status->players[j];
            if (!ip_address_is_none(player->address) &&
                bans_covers(ban.network, ban.prefix, player->address))
                print_player(&text, arena_config(list->arenas[i])->name, &player->match,
                             count++ == 0);
        }
    }
    text_buffer_print(&text, "]}\n");
    command_set_answer(call, text_buffer_take(&text));
}

void command_bans(struct commands *commands, struct command_call *call)
{
    command_set_answer(call, status_bans_json(ban_store_list(commands->bans), today_s()));
}
