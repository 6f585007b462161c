// SPDX-License-Identifier: MIT
// Receives what players type: chat, and commands such as "/help".
#pragma once

#include "message.h"

struct raim_connection;
struct raim_match;

// Receives the CHAT of a client that plays or watches. The reader stands after the kind. The last
// rejection is reported to the client within a tenth of a second.
void raim_chat_receive(struct raim_match *match, struct raim_connection *client,
                       raim_reader *reader);

// Executes a command of a player, "/help" or "help". Answers go to its client alone.
void raim_chat_command(struct raim_match *match, struct raim_connection *client, const char *line);

// Receives the NOTICE of a client that plays or watches. The reader stands after the kind.
void raim_notices_receive(struct raim_match *match, struct raim_connection *client,
                          raim_reader *reader);
