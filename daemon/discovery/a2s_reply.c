// SPDX-License-Identifier: MIT
// Writes A2S replies that never exceed A2S_MAX_REPLY.
#include "a2s_reply.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static_assert(sizeof(float) == 4, "seconds are an IEEE 754 single on the wire");

// Every reply begins with four bytes of 0xFF and a letter.
enum {
    INFO_REPLY = 'I',
    PLAYERS_REPLY = 'D',
    RULES_REPLY = 'E',
    // Not 48: for that version, tools expect an older engine's format of split replies.
    PROTOCOL = 17,
    DEDICATED = 'd',
    LINUX = 'l',
    HAS_PORT = 0x80,
    HAS_KEYWORDS = 0x20,
};

// A reply under construction, with a sticky error: after an overflow nothing is written.
struct writer {
    uint8_t *bytes;
    size_t size, capacity;
    bool is_full;
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
    writer->is_full = writer->is_full || size > writer->capacity - writer->size;
    if (writer->is_full)
        return;
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
}

static void put_8(struct writer *writer, uint32_t value)
{
    put(writer, &(uint8_t){(uint8_t)value}, 1);
}

static void put_16(struct writer *writer, uint32_t value)
{
    put_8(writer, value & 0xFF);
    put_8(writer, value >> 8 & 0xFF);
}

static void put_32(struct writer *writer, uint32_t value)
{
    put_16(writer, value & 0xFFFF);
    put_16(writer, value >> 16);
}

static void put_float(struct writer *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_32(writer, bits);
}

static void put_text(struct writer *writer, const char *text)
{
    put(writer, text, strlen(text) + 1);
}

static void put_count(struct writer *writer, uint32_t count)
{
    put_8(writer, count < UINT8_MAX ? count : UINT8_MAX);
}

static struct writer begin(uint8_t *reply, size_t capacity, char kind)
{
    struct writer writer = {.bytes = reply, .capacity = capacity};
    put_32(&writer, UINT32_MAX);
    put_8(&writer, (uint8_t)kind);
    return writer;
}

size_t a2s_write_info(const struct a2s_info *info, uint8_t reply[A2S_MAX_REPLY])
{
    struct writer writer = begin(reply, A2S_MAX_REPLY, INFO_REPLY);
    put_8(&writer, PROTOCOL);
    put_text(&writer, info->name);
    put_text(&writer, info->map);
    put_text(&writer, info->folder);
    put_text(&writer, info->game);
    put_16(&writer, 0); // the Steam application id: none
    put_count(&writer, info->players);
    put_count(&writer, info->max_players);
    put_count(&writer, info->bots);
    put_8(&writer, DEDICATED);
    put_8(&writer, LINUX);
    put_8(&writer, info->locked); // "a password is required"
    put_8(&writer, 0);            // no Valve Anti-Cheat
    put_text(&writer, info->version);
    const bool has_keywords = info->keywords[0] != '\0';
    put_8(&writer, has_keywords ? HAS_PORT | HAS_KEYWORDS : HAS_PORT);
    put_16(&writer, info->port);
    if (has_keywords)
        put_text(&writer, info->keywords);
    assert(!writer.is_full); // the server's own texts are all short
    return writer.size;
}

size_t a2s_write_players(const struct a2s_player *players, uint32_t count,
                         uint8_t reply[A2S_MAX_REPLY])
{
    struct writer writer = begin(reply, A2S_MAX_REPLY, PLAYERS_REPLY);
    const size_t count_at = writer.size;
    put_8(&writer, 0);
    size_t whole = writer.size;
    uint32_t written = 0;
    while (written < count && written < UINT8_MAX) {
        const struct a2s_player *player = &players[written];
        put_8(&writer, 0); // the index, which tools ignore
        put_text(&writer, player->name);
        put_32(&writer, player->score);
        put_float(&writer, player->seconds);
        if (writer.is_full)
            break;
        whole = writer.size;
        written++;
    }
    reply[count_at] = (uint8_t)written;
    return whole;
}

size_t a2s_write_rules(const struct a2s_rule *rules, uint32_t count, uint8_t reply[A2S_MAX_REPLY])
{
    struct writer writer = begin(reply, A2S_MAX_REPLY, RULES_REPLY);
    const size_t count_at = writer.size;
    put_16(&writer, 0);
    size_t whole = writer.size;
    uint32_t written = 0;
    while (written < count) {
        put_text(&writer, rules[written].key);
        put_text(&writer, rules[written].value);
        if (writer.is_full)
            break;
        whole = writer.size;
        written++;
    }
    reply[count_at] = (uint8_t)(written & 0xFF);
    reply[count_at + 1] = (uint8_t)(written >> 8);
    return whole;
}
