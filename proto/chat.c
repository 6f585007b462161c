// SPDX-License-Identifier: MIT
// Cuts texts, and names rejections.
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

struct raim_chat raim_chat_of(const char *text)
{
    struct raim_chat chat = {0};
    memcpy(chat.text, text, whole_length(text));
    return chat;
}

const char *raim_chat_rejection_name(uint32_t rejection)
{
    return rejection > 0 && rejection < RAIM_CHAT_REJECTIONS ? rejection_names[rejection]
                                                             : "unknown";
}
