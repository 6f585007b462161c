// SPDX-License-Identifier: MIT
// Logs votes, makes events of them, and bans the addresses of kicked players from which nobody else
// plays.
#define _GNU_SOURCE
#include "vote_report.h"

#include "arena_command.h"
#include "arena_feed.h"
#include "bans.h"
#include "control.h"
#include "json_writer.h"
#include "log.h"
#include "mailbox.h"
#include "server_events.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *outcome_of(const struct raim_match_vote *vote)
{
    return vote->outcome == 0 ? "called" : raim_vote_outcome_name(vote->outcome);
}

static void print_player(struct text_buffer *out, const char *key, raim_player_id id,
                         const char *name)
{
    text_buffer_print(out, ",\"%s\":{\"id\":%u,\"name\":", key, id);
    json_text_quote(out, name);
    text_buffer_print(out, "}");
}

static void print_text(struct text_buffer *out, const char *key, const char *text)
{
    text_buffer_print(out, ",\"%s\":", key);
    json_text_quote(out, text);
}

static char *fields_of(const struct raim_match_vote *vote)
{
    const struct raim_vote_subject *subject = &vote->subject;
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"vote\":\"%s\",\"number\":%u,\"outcome\":\"%s\"",
                      raim_vote_kind_name(subject->kind), vote->number, outcome_of(vote));
    text_buffer_print(&out, ",\"by_operator\":%s,\"yes\":%u,\"no\":%u,\"electors\":%u",
                      vote->by_operator ? "true" : "false", vote->tally.yes, vote->tally.no,
                      vote->tally.electors);
    print_player(&out, "caller", vote->caller, vote->caller_name);
    if (raim_vote_has_player(subject->kind))
        print_player(&out, "target", (raim_player_id)subject->player, vote->target_name);
    if (subject->kind == RAIM_VOTE_MAP)
        print_text(&out, "map", subject->map);
    if (subject->kind == RAIM_VOTE_EXTEND)
        text_buffer_print(&out, ",\"minutes\":%u", subject->minutes);
    print_text(&out, "reason", subject->reason);
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

// Whether others play from the address that a ban would meet, in this arena or another one.
static bool meets_others(const struct arena_reports *reports, const struct arena *arena,
                         const struct arena_feed_item *item, const struct ban *ban)
{
    const struct arena_list *running = &reports->table->running;
    bool found = item->vote.shares_address;
    for (int i = 0; i < running->count && !found; i++) {
        if (running->arenas[i] == arena)
            continue; // the match knows it, and its status may be of before the vote's end
        const struct arena_status *status = arena_status(running->arenas[i]);
        for (uint32_t j = 0; j < status->player_count && !found; j++)
            found = !ip_address_is_none(status->players[j].address) &&
                    bans_covers(ban->network, ban->prefix, status->players[j].address);
    }
    return found;
}

// Lets the arena refuse the name of the player whom its vote has kicked; where its mailbox is full
// the player may return.
static void bar(const struct arena *arena, uint32_t number)
{
    struct mailbox *mailbox = arena_mailbox((struct arena *)arena);
    struct command *command = mailbox_reserve(mailbox);
    if (command == NULL)
        return;
    *command = (struct command){.kind = COMMAND_BAR, .number = number};
    mailbox_submit(mailbox);
}

static void ban(const struct arena_reports *reports, const struct arena *arena,
                const struct arena_feed_item *item)
{
    const struct config_arena *config = arena_config(arena);
    const char *reason = item->vote.subject.reason;
    char address[BANS_NETWORK_BYTES];
    struct ban made = {0};
    struct timespec now;
    if (config->match.tuning.votes.kick_minutes == 0 || ip_address_is_none(item->address))
        return;
    bans_print_address(item->address, address);
    if (!bans_parse(address, &made.network, &made.prefix)) // an IPv6 address becomes its /64
        return;
    if (meets_others(reports, arena, item, &made)) {
        log_arena_info(config->name, "vote without ban arena=%s: others play from the address",
                       config->name);
        bar(arena, item->vote.number);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    strcpy(made.by, "vote");
    made.until_s = now.tv_sec + 60 * (int64_t)config->match.tuning.votes.kick_minutes;
    snprintf(made.why, sizeof made.why, "voted off%s%s", reason[0] != '\0' ? ": " : "", reason);
    const char *problem =
        reports->control != NULL ? control_ban(reports->control, &made) : "the server ends";
    if (problem != NULL)
        log_arena_warning(config->name, "vote without ban arena=%s: %s", config->name, problem);
}

void vote_report_note(const struct arena_reports *reports, const struct arena *arena,
                      const struct arena_feed_item *item)
{
    const char *name = arena_config(arena)->name;
    const struct raim_match_vote *vote = &item->vote;
    log_write(LOG_LEVEL_AUDIT, &(struct log_subject){.arena = name},
              "vote %s arena=%s kind=%s caller=%u target=%u yes=%u no=%u electors=%u%s",
              outcome_of(vote), name, raim_vote_kind_name(vote->subject.kind), vote->caller,
              vote->subject.player, vote->tally.yes, vote->tally.no, vote->tally.electors,
              vote->by_operator ? " by=operator" : "");
    server_events_add(reports->table->events, "vote", name, fields_of(vote));
    if (vote->outcome == RAIM_VOTE_PASSED && vote->subject.kind == RAIM_VOTE_KICK)
        ban(reports, arena, item);
}
