// SPDX-License-Identifier: MIT
// Every message of the wire except SNAPSHOT: a random value, the writer and the reader, also for
// the fuzzer.
#pragma once

#include "chat.h"
#include "events_fixture.h"
#include "handshake.h"
#include "hostile.h"
#include "input.h"
#include "pings.h"
#include "roster.h"
#include "vote.h"

enum { MAX_LISTED = 300 }; // entries or obstacles, more than fit in a message

// What a codec draws, writes and reads.
#define PLAIN_MEMBER(name, kind, LIST) struct raim_##name name;
union message {
    RAIM_PLAIN_MESSAGES(PLAIN_MEMBER)
    struct raim_hello hello;
    struct raim_welcome welcome;
    struct raim_input_message input;
    struct raim_events_message events;
    struct raim_vote_request vote_request;
    struct {
        struct raim_vote_report report;
        struct raim_vote_offer offer;
    } vote;
    struct raim_pings pings;
    struct {
        uint32_t count;
        struct raim_wire_obstacle items[MAX_LISTED];
    } obstacles;
    struct {
        uint32_t count;
        struct raim_roster_entry items[MAX_LISTED];
    } roster;
};

struct codec {
    const char *name;
    enum raim_message_kind kind;
    void (*draw)(union message *message);                                     // into zeros
    size_t (*write)(union message *message, uint8_t *bytes, size_t capacity); // or 0
    bool (*read)(raim_reader *reader, union message *message);                // after the kind
};

extern const struct codec codecs[];
extern const size_t codec_count;

static inline const struct codec *codec_of(const char *name)
{
    for (size_t i = 0; i < codec_count; i++)
        if (strcmp(codecs[i].name, name) == 0)
            return &codecs[i];
    fail_msg("no message is called %s", name);
    return NULL;
}

// Whether the bytes are a message of the codec.
bool codec_read(const struct codec *codec, const uint8_t *bytes, size_t size,
                union message *message);
