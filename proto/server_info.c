// SPDX-License-Identifier: MIT
// Writes and reads A2S_INFO with bounds checks.
#include "server_info.h"

#include "utf8.h"

#include <string.h>

static const uint8_t request_bytes[25] = "\xFF\xFF\xFF\xFFTSource Engine Query";
static const char folder[] = "raim";

// Bytes being read, with a sticky error.
struct reader {
    const uint8_t *data;
    size_t size, at;
    bool failed;
};

static uint8_t read_8(struct reader *reader)
{
    if (reader->at >= reader->size) {
        reader->failed = true;
        return 0;
    }
    return reader->data[reader->at++];
}

// Copies a text that ends with NUL as far as it fits, in whole characters, without invisible ones.
static void read_text(struct reader *reader, char *text, size_t capacity)
{
    size_t length = 0;
    bool is_cut = false;
    for (uint8_t byte = read_8(reader); byte != 0; byte = read_8(reader)) {
        is_cut = is_cut || length == capacity - 1;
        if (!is_cut)
            text[length++] = (char)(byte < 0x20 || byte == 0x7F ? ' ' : byte);
    }
    while (is_cut && length > 0 && ((uint8_t)text[length - 1] & 0xC0) == 0x80)
        length--;
    if (is_cut && length > 0 && (uint8_t)text[length - 1] >= 0x80)
        length--;
    text[length] = '\0';
    raim_utf8_strip(text);
}

size_t raim_server_info_write_request(uint32_t challenge,
                                      uint8_t bytes[RAIM_SERVER_INFO_REQUEST_BYTES])
{
    memcpy(bytes, request_bytes, sizeof request_bytes);
    if (challenge == 0)
        return sizeof request_bytes;
    for (int i = 0; i < 4; i++)
        bytes[sizeof request_bytes + (size_t)i] = (uint8_t)(challenge >> 8 * i);
    return RAIM_SERVER_INFO_REQUEST_BYTES;
}

// Reads the version and what may follow it, of which nothing need be there: a port, a Steam id, a
// spectator port and name, keywords.
static void read_tags(struct reader reader, char tags[RAIM_SERVER_INFO_TAGS_BYTES])
{
    enum { HAS_PORT = 0x80, HAS_ID = 0x10, HAS_SPECTATORS = 0x40, HAS_KEYWORDS = 0x20 };
    char other[RAIM_SERVER_INFO_TEXT_BYTES];
    read_8(&reader); // Valve Anti-Cheat
    read_text(&reader, other, sizeof other);
    const unsigned flags = read_8(&reader);
    const int skipped = ((flags & HAS_PORT) != 0 ? 2 : 0) + ((flags & HAS_ID) != 0 ? 8 : 0) +
                        ((flags & HAS_SPECTATORS) != 0 ? 2 : 0);
    for (int i = 0; i < skipped; i++)
        read_8(&reader);
    if ((flags & HAS_SPECTATORS) != 0)
        read_text(&reader, other, sizeof other);
    if ((flags & HAS_KEYWORDS) != 0 && !reader.failed)
        read_text(&reader, tags, RAIM_SERVER_INFO_TAGS_BYTES);
    if (reader.failed)
        tags[0] = '\0';
}

static enum raim_server_info_reply read_info(struct reader *reader, struct raim_server_info *info)
{
    struct raim_server_info read = {.players = 0};
    char directory[RAIM_SERVER_INFO_TEXT_BYTES], game[RAIM_SERVER_INFO_TEXT_BYTES];
    read_8(reader); // protocol of the query
    read_text(reader, read.name, sizeof read.name);
    read_text(reader, read.map, sizeof read.map);
    read_text(reader, directory, sizeof directory);
    read_text(reader, game, sizeof game);
    read_8(reader); // Steam's application id
    read_8(reader);
    const uint32_t present = read_8(reader);
    read.most_players = read_8(reader);
    read.bots = read_8(reader);
    read_8(reader); // kind and operating system
    read_8(reader);
    read.locked = read_8(reader) != 0;
    if (!reader->failed)
        read_tags(*reader, read.tags);
    read.players = present > read.bots ? present - read.bots : 0;
    read.most_players = read.most_players > read.bots ? read.most_players - read.bots : 0;
    if (reader->failed || strcmp(directory, folder) != 0)
        return RAIM_SERVER_INFO_OTHER;
    *info = read;
    return RAIM_SERVER_INFO_ANSWER;
}

enum raim_server_info_reply raim_server_info_read(const uint8_t *data, size_t size,
                                                  uint32_t *challenge,
                                                  struct raim_server_info *info)
{
    struct reader reader = {.data = data, .size = size};
    for (int i = 0; i < 4; i++)
        reader.failed = read_8(&reader) != 0xFF || reader.failed;
    const uint8_t kind = read_8(&reader);
    if (reader.failed)
        return RAIM_SERVER_INFO_OTHER;
    if (kind == 'I')
        return read_info(&reader, info);
    uint32_t read = 0;
    for (int i = 0; i < 4; i++)
        read |= (uint32_t)read_8(&reader) << 8 * i;
    if (kind != 'A' || reader.failed || read == 0)
        return RAIM_SERVER_INFO_OTHER;
    *challenge = read;
    return RAIM_SERVER_INFO_CHALLENGE;
}
