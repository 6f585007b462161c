// SPDX-License-Identifier: MIT
// Reads records.
#include "recording_input_reader.h"

#include "frame.h"
#include "utf8.h"
#include "varint.h"

#include <string.h>

struct raim_recording_input_reader
raim_recording_input_reader_make(const struct raim_recording_scene *scene, const uint8_t *contents,
                                 size_t size)
{
    const struct raim_world_def def = raim_recording_scene_world(scene);
    const uint32_t bullets = def.max_players * raim_world_bullets_per_player(&def);
    return (struct raim_recording_input_reader){
        .next = contents,
        .end = contents + size,
        .max_players = def.max_players,
        .max_rewind = def.max_rewind,
        .world_bytes = raim_world_size(&def),
        .words = (uint32_t)(raim_set_words(def.max_players) + raim_set_words(bullets)),
    };
}

static void fail(struct raim_recording_input_reader *reader)
{
    reader->has_failed = true;
    reader->next = reader->end;
}

// Reads `count` bytes. Returns NULL where there are not so many.
static const uint8_t *read_bytes(struct raim_recording_input_reader *reader, size_t count)
{
    if ((size_t)(reader->end - reader->next) < count) {
        fail(reader);
        return NULL;
    }
    const uint8_t *bytes = reader->next;
    reader->next += count;
    return bytes;
}

static uint32_t read_byte(struct raim_recording_input_reader *reader)
{
    const uint8_t *byte = read_bytes(reader, 1);
    return byte != NULL ? *byte : 0;
}

static uint32_t read_number(struct raim_recording_input_reader *reader)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 7 * RAIM_VARINT_BYTES; shift += 7) {
        const uint32_t byte = read_byte(reader);
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            if (value > UINT32_MAX)
                fail(reader);
            return (uint32_t)value;
        }
    }
    fail(reader);
    return 0;
}

static raim_player_id read_id(struct raim_recording_input_reader *reader)
{
    const uint8_t *bytes = read_bytes(reader, 2);
    const uint32_t id = bytes != NULL ? bytes[0] | (uint32_t)bytes[1] << 8 : RAIM_NOBODY;
    return (raim_player_id)id;
}

static uint64_t read_digest(struct raim_recording_input_reader *reader)
{
    const uint8_t *bytes = read_bytes(reader, 8);
    uint64_t digest = 0;
    for (uint32_t i = 0; bytes != NULL && i < 8; i++)
        digest |= (uint64_t)bytes[i] << (8 * i);
    return digest;
}

static void read_text(struct raim_recording_input_reader *reader, char *text, uint32_t max)
{
    const uint32_t length = read_byte(reader);
    const uint8_t *bytes = length <= max ? read_bytes(reader, length) : NULL;
    text[0] = '\0';
    if (bytes == NULL || !raim_utf8_is_valid(bytes, length)) {
        fail(reader);
        return;
    }
    memcpy(text, bytes, length);
    text[length] = '\0';
}

static bool read_flag(struct raim_recording_input_reader *reader)
{
    const uint32_t byte = read_byte(reader);
    if (byte > 1)
        fail(reader);
    return byte == 1;
}

static void read_named(struct raim_recording_input_reader *reader, struct raim_record *record)
{
    record->id = read_id(reader);
    record->is_bot = read_flag(reader);
    read_text(reader, record->text, RAIM_MAX_NAME_BYTES);
}

static void read_phase(struct raim_recording_input_reader *reader, struct raim_wire_phase *phase)
{
    const uint32_t kind = read_byte(reader);
    phase->has_end = read_flag(reader);
    phase->round = read_number(reader);
    phase->end_tick = read_number(reader);
    phase->score_limit = read_number(reader);
    phase->winner = read_number(reader);
    read_text(reader, phase->next_map, RAIM_MAX_TITLE_BYTES);
    phase->phase = kind < RAIM_PHASES ? (enum raim_phase)kind : RAIM_PHASE_PLAY;
    if (kind >= RAIM_PHASES || phase->round > UINT16_MAX || phase->winner > UINT16_MAX)
        fail(reader);
}

static void read_keys(struct raim_recording_input_reader *reader, raim_input *input)
{
    const uint32_t keys = read_byte(reader);
    if (keys >= 18)
        fail(reader);
    input->fire = keys >= 9;
    input->move_x = (int8_t)((int32_t)(keys % 9 / 3) - 1);
    input->move_y = (int8_t)((int32_t)(keys % 3) - 1);
}

static void read_entry(struct raim_recording_input_reader *reader, uint32_t flags,
                       raim_input *input, uint8_t *traffic)
{
    if (flags & RAIM_STEP_AIM) {
        const uint32_t turn = read_number(reader);
        if (turn > UINT16_MAX)
            fail(reader);
        input->aim = (raim_angle)(input->aim + (uint32_t)raim_unzigzag(turn));
    }
    if (flags & RAIM_STEP_KEYS)
        read_keys(reader, input);
    if (flags & RAIM_STEP_REWIND) {
        const uint32_t rewind = read_byte(reader);
        if (rewind > reader->max_rewind)
            fail(reader);
        input->rewind = (uint8_t)rewind;
    }
    if (flags & RAIM_STEP_TRAFFIC)
        *traffic = (uint8_t)read_byte(reader);
}

static void read_step(struct raim_recording_input_reader *reader)
{
    uint32_t next = 0;
    for (uint32_t head = read_byte(reader); head != 0; head = read_byte(reader)) {
        const uint32_t near = head >> RAIM_STEP_GAP_SHIFT;
        const uint32_t gap = near > 0 ? near : read_number(reader);
        if (gap == 0 || gap > reader->max_players - next) {
            fail(reader);
            return;
        }
        next += gap;
        raim_input skipped = {0}, *inputs = reader->inputs;
        uint8_t skipped_traffic = 0;
        read_entry(reader, head & ((1 << RAIM_STEP_GAP_SHIFT) - 1),
                   inputs != NULL ? &inputs[next - 1] : &skipped,
                   inputs != NULL ? &reader->traffic[next - 1] : &skipped_traffic);
    }
}

static void read_difference(struct raim_recording_input_reader *reader)
{
    uint64_t *difference = reader->difference;
    const uint32_t words = reader->words, bits = words * 64;
    const uint32_t head = read_number(reader);
    if (head == 1) {
        const uint8_t *bytes = read_bytes(reader, (size_t)words * 8);
        if (bytes != NULL && difference != NULL)
            memcpy(difference, bytes, (size_t)words * 8);
        return;
    }
    if ((head & 1) != 0 || head / 2 > bits) {
        fail(reader);
        return;
    }
    if (difference != NULL)
        memset(difference, 0, words * sizeof *difference);
    for (uint32_t left = head / 2, next = 0; left > 0; left--) {
        const uint32_t gap = read_number(reader);
        if (gap >= bits - next) {
            fail(reader);
            return;
        }
        next += gap + 1;
        if (difference != NULL)
            difference[(next - 1) / 64] |= (uint64_t)1 << (next - 1) % 64;
        if (next == bits && left > 1) {
            fail(reader);
            return;
        }
    }
}

bool raim_recording_input_read(struct raim_recording_input_reader *reader,
                               struct raim_record *record)
{
    if (reader->next == reader->end)
        return false;
    record->kind = (enum raim_record_kind)read_byte(reader);
    switch (record->kind) {
    case RAIM_RECORD_KEYFRAME:
        record->world = read_bytes(reader, reader->world_bytes);
        break;
    case RAIM_RECORD_NAME:
    case RAIM_RECORD_JOIN:
        read_named(reader, record);
        break;
    case RAIM_RECORD_LEAVE:
        record->id = read_id(reader);
        record->reason = read_byte(reader);
        break;
    case RAIM_RECORD_AWAY:
    case RAIM_RECORD_BACK:
        record->id = read_id(reader);
        break;
    case RAIM_RECORD_KILL:
        record->id = read_id(reader);
        record->victim = read_id(reader);
        break;
    case RAIM_RECORD_STEP:
        read_step(reader);
        break;
    case RAIM_RECORD_PHASE:
        read_phase(reader, &record->phase);
        break;
    case RAIM_RECORD_CHAT:
        record->id = read_id(reader);
        read_text(reader, record->text, RAIM_MAX_CHAT_BYTES);
        break;
    case RAIM_RECORD_RTT:
        record->slot = read_number(reader);
        record->rtt_ms = read_number(reader);
        break;
    case RAIM_RECORD_SENT:
        record->slot = read_number(reader);
        read_difference(reader);
        break;
    case RAIM_RECORD_DIGEST:
        record->digest = read_digest(reader);
        break;
    case RAIM_RECORD_CLEAR_BULLETS:
    case RAIM_RECORD_BEGIN_ROUND:
    case RAIM_RECORD_SKIP:
    case RAIM_RECORD_HOLD_POSITIONS:
    case RAIM_RECORD_END:
        break;
    case RAIM_RECORD_KINDS:
    default:
        fail(reader);
    }
    if (!reader->has_failed &&
        (record->kind == RAIM_RECORD_RTT || record->kind == RAIM_RECORD_SENT) &&
        record->slot >= reader->max_players)
        fail(reader);
    return !reader->has_failed;
}
