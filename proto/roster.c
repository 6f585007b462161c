// SPDX-License-Identifier: MIT
// Writes and reads ROSTER and EVENTS.
#include "roster.h"

enum { REASON_BITS = 8, REWIND_BITS = 6, SEQUENCE_BITS = 16 };
static_assert(RAIM_WIRE_REWIND < 1 << REWIND_BITS, "a rewind fits its bits");

RAIM_PART_CODEC(roster_entry, RAIM_ROSTER_ENTRY_FIELDS)

size_t raim_roster_write(const struct raim_roster_entry *entries, uint32_t count, uint32_t *written,
                         uint8_t *bytes, size_t capacity)
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_ROSTER, bytes, capacity);
    for (*written = 0; *written < count; ++*written) {
        const raim_writer before = writer;
        raim_write_bool(&writer, true);
        write_roster_entry(&writer, &entries[*written]);
        if (!raim_writer_has_room(&writer)) { // for the list's closing bit
            writer = before;
            break;
        }
    }
    raim_write_bool(&writer, false);
    return *written > 0 ? raim_writer_finish(&writer) : 0;
}

bool raim_roster_read(raim_reader *reader, struct raim_roster_entry *entries, uint32_t capacity,
                      uint32_t *count)
{
    *count = 0;
    while (raim_read_bool(reader)) {
        if (*count == capacity)
            return false;
        read_roster_entry(reader, &entries[(*count)++]);
    }
    return raim_reader_done(reader) && *count > 0;
}

static void write_other(raim_writer *writer, const struct raim_wire_event *event)
{
    raim_write_bits(writer, event->type, 8);
    raim_write_ranged(writer, event->size, 0, RAIM_MAX_CHAT_BYTES);
    for (uint32_t i = 0; i < event->size; i++)
        raim_write_bits(writer, (uint8_t)event->text[i], 8);
}

static void read_other(raim_reader *reader, struct raim_wire_event *event)
{
    event->type = raim_read_bits(reader, 8);
    event->size = raim_read_ranged(reader, 0, RAIM_MAX_CHAT_BYTES);
    for (uint32_t i = 0; i < event->size; i++)
        event->text[i] = (char)raim_read_bits(reader, 8);
}

static void write_event(raim_writer *writer, const struct raim_wire_event *event)
{
    raim_write_ranged(writer, event->kind, 0, RAIM_WIRE_EVENT_KINDS - 1);
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        write_roster_entry(writer, &event->entry);
        break;
    case RAIM_WIRE_LEFT:
        raim_write_bits(writer, event->player, RAIM_PLAYER_ID_BITS);
        raim_write_bits(writer, event->reason, REASON_BITS);
        break;
    case RAIM_WIRE_KILL:
        raim_write_bits(writer, event->player, RAIM_PLAYER_ID_BITS);
        raim_write_bits(writer, event->victim, RAIM_PLAYER_ID_BITS);
        raim_write_count(writer, event->score);
        raim_write_count(writer, event->deaths);
        raim_write_bits(writer, event->rewind, REWIND_BITS);
        break;
    case RAIM_WIRE_CHAT:
        raim_write_bool(writer, event->by_operator);
        if (!event->by_operator)
            raim_write_bits(writer, event->player, RAIM_PLAYER_ID_BITS);
        raim_write_text(writer, event->text, RAIM_MAX_CHAT_BYTES);
        break;
    case RAIM_WIRE_PHASE:
        raim_phase_write(writer, &event->phase);
        break;
    case RAIM_WIRE_OTHER:
    case RAIM_WIRE_EVENT_KINDS:
        write_other(writer, event);
        break;
    }
}

static void read_event(raim_reader *reader, struct raim_wire_event *event)
{
    *event = (struct raim_wire_event){0};
    event->kind = (enum raim_wire_event_kind)raim_read_ranged(reader, 0, RAIM_WIRE_EVENT_KINDS - 1);
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        read_roster_entry(reader, &event->entry);
        event->player = event->entry.player;
        break;
    case RAIM_WIRE_LEFT:
        event->player = raim_read_bits(reader, RAIM_PLAYER_ID_BITS);
        event->reason = raim_read_bits(reader, REASON_BITS);
        break;
    case RAIM_WIRE_KILL:
        event->player = raim_read_bits(reader, RAIM_PLAYER_ID_BITS);
        event->victim = raim_read_bits(reader, RAIM_PLAYER_ID_BITS);
        event->score = raim_read_count(reader);
        event->deaths = raim_read_count(reader);
        event->rewind = raim_read_bits(reader, REWIND_BITS);
        break;
    case RAIM_WIRE_CHAT:
        event->by_operator = raim_read_bool(reader);
        event->player = raim_read_bits(reader, event->by_operator ? 0 : RAIM_PLAYER_ID_BITS);
        raim_read_text(reader, event->text, RAIM_MAX_CHAT_BYTES);
        break;
    case RAIM_WIRE_PHASE:
        raim_phase_read(reader, &event->phase);
        break;
    case RAIM_WIRE_OTHER:
    case RAIM_WIRE_EVENT_KINDS:
        read_other(reader, event);
        break;
    }
}

size_t raim_events_write_head(uint32_t epoch, uint32_t sequence, uint32_t count,
                              uint8_t bytes[RAIM_EVENTS_HEAD_BYTES])
{
    raim_writer writer = raim_message_write(RAIM_MESSAGE_EVENTS, bytes, RAIM_EVENTS_HEAD_BYTES);
    raim_write_bits(&writer, epoch, RAIM_EPOCH_BITS);
    raim_write_bits(&writer, (uint16_t)sequence, SEQUENCE_BITS);
    raim_write_ranged(&writer, count, 1, RAIM_MAX_EVENTS_MESSAGE);
    return raim_writer_finish(&writer);
}

size_t raim_event_write(const struct raim_wire_event *event, uint8_t bytes[RAIM_MAX_EVENT_BYTES])
{
    raim_writer writer = raim_writer_make(bytes, RAIM_MAX_EVENT_BYTES);
    write_event(&writer, event);
    const size_t size = raim_writer_finish(&writer);
    assert(size > 0);
    return size;
}

bool raim_events_read(raim_reader *reader, struct raim_events_message *message)
{
    message->epoch = raim_read_bits(reader, RAIM_EPOCH_BITS);
    message->sequence = (uint16_t)raim_read_bits(reader, SEQUENCE_BITS);
    message->count = raim_read_ranged(reader, 1, RAIM_MAX_EVENTS_MESSAGE);
    raim_read_padding(reader);
    for (uint32_t i = 0; i < message->count && !reader->failed; i++) {
        read_event(reader, &message->events[i]);
        raim_read_padding(reader);
    }
    return !reader->failed;
}
