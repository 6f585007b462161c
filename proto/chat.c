// SPDX-License-Identifier: MIT
// Writes and reads CHAT.
#include "chat.h"

// The length of a text, cut to RAIM_MAX_CHAT_BYTES at a character's boundary.
static size_t whole_length(const char *text)
{
    size_t whole = 0;
    for (size_t i = 0; i <= RAIM_MAX_CHAT_BYTES; i++) {
        const bool amid_character = ((uint8_t)text[i] & 0xC0) == 0x80;
        whole = amid_character ? whole : i;
        if (text[i] == '\0')
            break;
    }
    return whole;
}

size_t raim_chat_write(const char *text, uint8_t *bytes, size_t capacity)
{
    char kept[RAIM_MAX_CHAT_BYTES + 1] = "";
    memcpy(kept, text, whole_length(text));
    raim_writer writer = raim_message_write(RAIM_MESSAGE_CHAT, bytes, capacity);
    raim_write_text(&writer, kept, RAIM_MAX_CHAT_BYTES);
    return raim_writer_finish(&writer);
}

bool raim_chat_read(raim_reader *reader, char *text)
{
    raim_read_text(reader, text, RAIM_MAX_CHAT_BYTES);
    return raim_reader_done(reader);
}
