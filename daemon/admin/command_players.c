// SPDX-License-Identifier: MIT
// Commands about players and votes, which arenas execute.
#include "commands_internal.h"

void command_say(struct commands *commands, struct command_call *call)
{
    struct command message = {.kind = COMMAND_SAY};
    if (command_text(call, FIELD_TEXT, message.text))
        command_post(commands, call, &message);
}

void command_kick(struct commands *commands, struct command_call *call)
{
    struct command message = {.kind = COMMAND_KICK,
                              .player = (raim_player_id)command_number(call, FIELD_PLAYER)};
    if (command_text(call, FIELD_REASON, message.text))
        command_post(commands, call, &message);
}

static void set_mute(struct commands *commands, struct command_call *call, bool on)
{
    command_post(commands, call,
                 &(struct command){.kind = COMMAND_MUTE,
                                   .on = on,
                                   .player = (raim_player_id)command_number(call, FIELD_PLAYER)});
}

void command_mute(struct commands *commands, struct command_call *call)
{
    set_mute(commands, call, true);
}

void command_unmute(struct commands *commands, struct command_call *call)
{
    set_mute(commands, call, false);
}

static void decide_vote(struct commands *commands, struct command_call *call, uint32_t outcome)
{
    command_post(commands, call, &(struct command){.kind = COMMAND_VOTE, .outcome = outcome});
}

void command_vote_cancel(struct commands *commands, struct command_call *call)
{
    decide_vote(commands, call, RAIM_VOTE_CANCELLED);
}

void command_vote_pass(struct commands *commands, struct command_call *call)
{
    decide_vote(commands, call, RAIM_VOTE_PASSED);
}

void command_vote_fail(struct commands *commands, struct command_call *call)
{
    decide_vote(commands, call, RAIM_VOTE_FAILED);
}
