// SPDX-License-Identifier: MIT
// Writes and reads CHAT and CHAT_REJECTED.
#include "chat.h"

static const char *const rejection_names[RAIM_CHAT_REJECTIONS] = {
    [RAIM_CHAT_RATE] = "rate",     [RAIM_CHAT_MUTED] = "muted",       [RAIM_CHAT_TEXT] = "text",
    [RAIM_CHAT_LENGTH] = "length", [RAIM_CHAT_WATCHING] = "watching", [RAIM_CHAT_BUSY] = "busy",
    [RAIM_CHAT_REPEAT] = "repeat", [RAIM_CHAT_COMMAND] = "command",
};

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

size_t raim_chat_rejected_write(uint32_t rejection, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_CHAT_REJECTED, bytes, capacity);
    raim_write_bits(&writer, rejection, 8);
    return raim_writer_finish(&writer);
}

bool raim_chat_rejected_read(raim_reader *reader, uint32_t *rejection)
{
    *rejection = raim_read_bits(reader, 8);
    return raim_reader_done(reader);
}

const char *raim_chat_rejection_name(uint32_t rejection)
{
    return rejection > 0 && rejection < RAIM_CHAT_REJECTIONS ? rejection_names[rejection]
                                                             : "unknown";
}
