// SPDX-License-Identifier: MIT
// Messages about votes, and their wording in chat and in typed commands.
#pragma once

#include "message.h"
#include "votes.h"

struct raim_connection;
struct raim_match;

// Receives the VOTE of a client that plays or watches. The reader stands after the kind. The last
// rejection is reported to the client within a tenth of a second.
void raim_votes_receive(struct raim_match *match, struct raim_connection *client,
                        raim_reader *reader);

// Counts a rejected request, and reports it to the client.
void raim_votes_reject(struct raim_match *match, struct raim_connection *client, uint32_t rejection,
                       uint32_t amount);

// Writes the next VOTE for a client that receives snapshots; 0: it knows everything.
size_t raim_votes_write(const struct raim_match *match, struct raim_connection *client,
                        uint8_t *bytes, size_t capacity);

// Says in the chat that a vote runs or has ended.
void raim_votes_announce(struct raim_match *match, const struct raim_match_vote *vote);

// Tells a player who comes back after a restart that it has cancelled the vote.
void raim_votes_tell_cancelled(struct raim_match *match, struct raim_connection *client);

// What a vote is about, such as "kick Ada (spam)"; room for RAIM_MAX_TEXT_BYTES + 1.
void raim_votes_describe(const struct raim_match_vote *vote, char *text);

void raim_votes_command(struct raim_match *match, struct raim_connection *client,
                        const char *words);
void raim_votes_command_yes(struct raim_match *match, struct raim_connection *client,
                            const char *words);
void raim_votes_command_no(struct raim_match *match, struct raim_connection *client,
                           const char *words);
