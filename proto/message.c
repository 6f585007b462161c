// SPDX-License-Identifier: MIT
// Writes and reads kinds and the messages of plain fields, and names the reasons.
#include "message.h"

enum { KIND_BITS = 4 };

static const struct {
    const char *name, *text;
} reasons[RAIM_REASONS] = {
    [RAIM_REASON_NONE] = {"none", ""},
    [RAIM_REASON_LEFT] = {"left", ""},
    [RAIM_REASON_LOST] = {"lost", ""},
    [RAIM_REASON_SHUTDOWN] = {"shutdown", "the server is shutting down"},
    [RAIM_REASON_VERSION] = {"version", "this server speaks protocol version "},
    [RAIM_REASON_FULL] = {"full", "the arena is full: "},
    [RAIM_REASON_NAME] = {"name",
                          "a name is visible, of 1 to 24 bytes of UTF-8, and unlike \"admin\""},
    [RAIM_REASON_SILENT] = {"silent", "no HELLO came in time"},
    [RAIM_REASON_MALFORMED] = {"malformed", "the HELLO could not be read"},
    [RAIM_REASON_RESUMED] = {"resumed", "the session was resumed by another connection"},
    [RAIM_REASON_KICKED] = {"kicked", ""},
    [RAIM_REASON_DRAINING] = {"draining", "the server will shut down and admits no new players"},
    [RAIM_REASON_BANNED] = {"banned", ""},
    [RAIM_REASON_RESTART] = {"restart", "the server is restarting"},
    [RAIM_REASON_ACCESS] = {"access", "this arena needs an access token that is valid for it"},
    [RAIM_REASON_IDLE] = {"idle", "the arena is full, and you were idle"},
    [RAIM_REASON_CHANNELS] = {"channels", "connect with two channels"},
    [RAIM_REASON_PASSWORD] = {"password", "this arena needs its password"},
};

const char *raim_reason_name(uint32_t reason)
{
    return reason < RAIM_REASONS ? reasons[reason].name : "unknown";
}

const char *raim_reason_text(enum raim_reason reason)
{
    assert(reason < RAIM_REASONS);
    return reasons[reason].text;
}

raim_writer raim_message_write(enum raim_message_kind kind, uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_writer_make(bytes, capacity);
    if (kind == RAIM_MESSAGE_SNAPSHOT)
        raim_write_bool(&writer, true);
    else
        raim_write_bits(&writer, (uint32_t)kind << 1, 1 + KIND_BITS);
    return writer;
}

uint32_t raim_message_read(raim_reader *reader)
{
    if (raim_read_bool(reader))
        return RAIM_MESSAGE_SNAPSHOT;
    const uint32_t kind = raim_read_bits(reader, KIND_BITS);
    return kind != RAIM_MESSAGE_SNAPSHOT ? kind : 0;
}

#define DEFINE_PLAIN(name, kind, LIST)                                                             \
    size_t raim_##name##_write(const struct raim_##name *message, uint8_t *bytes, size_t capacity) \
    {                                                                                              \
        raim_writer begun = raim_message_write(RAIM_MESSAGE_##kind, bytes, capacity);              \
        raim_writer *writer = &begun;                                                              \
        LIST(RAIM_WRITE)                                                                           \
        return raim_writer_finish(writer);                                                         \
    }                                                                                              \
    bool raim_##name##_read(raim_reader *reader, struct raim_##name *message)                      \
    {                                                                                              \
        LIST(RAIM_READ)                                                                            \
        return raim_reader_done(reader);                                                           \
    }
RAIM_PLAIN_MESSAGES(DEFINE_PLAIN)
