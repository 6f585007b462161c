// SPDX-License-Identifier: MIT
// Checks the commands that arenas execute, and posts them to the arenas' mailboxes.
#include "admin_messages.h"

#include "admin_fields.h"
#include "http_answer.h"
#include "mailbox.h"

static void refuse(struct admin_command *command, unsigned status, const char *problem)
{
    command->status = status;
    command->problem = problem;
}

// Posts a message to one arena, unless its mailbox is full.
static void post(struct admin_command *command, struct arena *arena, const struct command *message)
{
    struct command *blank = mailbox_reserve(arena_mailbox(arena));
    command->asked++;
    if (blank == NULL)
        return;
    *blank = *message;
    blank->request = command->number;
    mailbox_submit(arena_mailbox(arena));
    command->waiting++;
}

void admin_messages_ask(const struct admin_commands *admin, struct admin_command *command,
                        const struct command *message)
{
    const struct arena_list *list = admin_commands_arenas(admin);
    const char *name = command->fields[ADMIN_ARENA];
    const int index = arena_list_find(list, name);
    for (int i = 0; i < list->count; i++)
        if (name[0] == '\0' || i == index)
            post(command, list->arenas[i], message);
    if (command->asked == 0)
        refuse(command, HTTP_NOT_FOUND, "no such arena");
    else if (command->waiting == 0)
        refuse(command, HTTP_UNAVAILABLE, "the arena has not answered its earlier commands");
}

static const char text_is_bad[] = "want 1 to 120 bytes of UTF-8 with a visible character";
static const char player_is_bad[] = "want a player's id, the number in the list of players";

void admin_messages_say(struct admin_commands *admin, struct admin_command *command)
{
    struct command message = {.kind = COMMAND_SAY};
    if (!admin_commands_read_text(command, ADMIN_TEXT, message.text))
        refuse(command, HTTP_BAD_REQUEST, text_is_bad);
    else
        admin_messages_ask(admin, command, &message);
}

void admin_messages_kick(struct admin_commands *admin, struct admin_command *command)
{
    struct command message = {.kind = COMMAND_KICK};
    if (!admin_commands_read_player(command, &message.player))
        refuse(command, HTTP_BAD_REQUEST, player_is_bad);
    else if (!admin_commands_read_text(command, ADMIN_REASON, message.text))
        refuse(command, HTTP_BAD_REQUEST, text_is_bad);
    else
        admin_messages_ask(admin, command, &message);
}

static void set_mute(struct admin_commands *admin, struct admin_command *command, bool on)
{
    struct command message = {.kind = COMMAND_MUTE, .on = on};
    if (!admin_commands_read_player(command, &message.player))
        refuse(command, HTTP_BAD_REQUEST, player_is_bad);
    else
        admin_messages_ask(admin, command, &message);
}

void admin_messages_mute(struct admin_commands *admin, struct admin_command *command)
{
    set_mute(admin, command, true);
}

void admin_messages_unmute(struct admin_commands *admin, struct admin_command *command)
{
    set_mute(admin, command, false);
}

void admin_messages_pause(struct admin_commands *admin, struct admin_command *command)
{
    admin_messages_ask(admin, command, &(struct command){.kind = COMMAND_PAUSE, .on = true});
}

void admin_messages_resume(struct admin_commands *admin, struct admin_command *command)
{
    admin_messages_ask(admin, command, &(struct command){.kind = COMMAND_PAUSE});
}

static void decide_vote(struct admin_commands *admin, struct admin_command *command,
                        uint32_t outcome)
{
    admin_messages_ask(admin, command, &(struct command){.kind = COMMAND_VOTE, .outcome = outcome});
}

void admin_messages_vote_cancel(struct admin_commands *admin, struct admin_command *command)
{
    decide_vote(admin, command, RAIM_VOTE_CANCELLED);
}

void admin_messages_vote_pass(struct admin_commands *admin, struct admin_command *command)
{
    decide_vote(admin, command, RAIM_VOTE_PASSED);
}

void admin_messages_vote_fail(struct admin_commands *admin, struct admin_command *command)
{
    decide_vote(admin, command, RAIM_VOTE_FAILED);
}
