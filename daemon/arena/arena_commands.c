// SPDX-License-Identifier: MIT
// Reads an arena's mailbox and executes its commands.
#include "arena_commands.h"

void arena_commands_receive(struct arena_commands *commands, struct raim_match *match,
                            const struct transport *transport, uint32_t peer)
{
    const char *why = bans_reason(commands->bans, transport_source(transport, peer).ip);
    if (why != NULL)
        raim_match_ban(match, peer, why);
}

// Puts another list of bans in force, and disconnects every client that it covers.
static void change_bans(struct arena_commands *commands, struct raim_match *match,
                        const struct transport *transport, const struct command *command)
{
    commands->bans = command->bans;
    for (uint32_t peer = 0; peer < transport_capacity(transport); peer++)
        if (transport_is_connected(transport, peer))
            arena_commands_receive(commands, match, transport, peer);
}

// Ends the session of every player.
static void end_sessions(struct raim_match *match, const char *why)
{
    const struct raim_world *world = raim_match_world(match);
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player_id id = raim_world_players_const(world)[slot].id;
        if (id != RAIM_NOBODY)
            raim_match_kick(match, id, why); // false for a bot
    }
}

static bool execute(struct arena_commands *commands, struct raim_match *match,
                    const struct transport *transport, const struct command *command)
{
    switch (command->kind) {
    case COMMAND_SAY:
        return raim_match_say(match, command->text);
    case COMMAND_KICK:
        return raim_match_kick(match, command->player, command->text);
    case COMMAND_MUTE:
        return raim_match_mute(match, command->player, command->on);
    case COMMAND_DRAIN:
        raim_match_drain(match, command->on);
        raim_match_say(match, command->text); // may fail: the event queue may be full
        return true;
    case COMMAND_END:
        raim_match_drain(match, true);
        if (command->on)
            end_sessions(match, command->text);
        else
            raim_match_say(match, command->text); // "", or a full event queue, sends nothing
        return true;
    case COMMAND_BANS:
        change_bans(commands, match, transport, command);
        return true;
    case COMMAND_NOTICE:
        return raim_match_send_notice(match, command->player, command->epoch, command->text);
    case COMMAND_CHALLENGE:
        return raim_match_send_challenge(match, command->player, command->epoch, command->text);
    case COMMAND_ADMIN:
        return raim_match_set_admin(match, command->player, command->epoch, command->level,
                                    command->text);
    case COMMAND_PAUSE:
        raim_match_pause(match, command->on);
        return true;
    case COMMAND_VOTE:
        return raim_match_decide_vote(match, command->outcome);
    case COMMAND_BAR:
        return raim_match_bar_kicked(match, command->number);
    }
    return false;
}

void arena_commands_run(struct arena_commands *commands, struct mailbox *mailbox,
                        struct raim_match *match, struct transport *transport)
{
    struct command *command;
    while ((command = mailbox_peek_ahead(mailbox, commands->executed)) != NULL) {
        command->done = execute(commands, match, transport, command);
        commands->executed++;
    }
}

void arena_commands_answer(struct arena_commands *commands, struct mailbox *mailbox)
{
    for (; commands->executed > 0; commands->executed--)
        mailbox_complete(mailbox);
}
