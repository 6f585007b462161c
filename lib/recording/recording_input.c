// SPDX-License-Identifier: MIT
// Writes the records of a match.
#include "recording_input.h"

#include "digest.h"
#include "frame.h"
#include "lowest_bit.h"
#include "recording_format.h"
#include "recording_sent.h"
#include "varint.h"

#include <assert.h>
#include <string.h>

struct raim_recording_input {
    uint8_t *bytes;
    size_t capacity, size; // of `bytes`; size: not taken yet
    bool has_overflowed;
    bool is_in_tick; // a step was recorded and its end was not
    uint32_t tick_hz, max_players, max_bullets;
    uint32_t frame_ticks; // since the keyframe
    size_t frame_bytes;   // since the keyframe, taken ones
    raim_input *inputs;   // by slot, the last recorded ones
    uint8_t *traffic;     // by slot, of the last step; `next_traffic` of the next one
    uint8_t *next_traffic;

    // What clients were sent.
    struct raim_sent_tick tick;
    uint64_t *flew;    // bullets in flight in the tick before
    uint64_t *sets;    // by slot, the last recorded ones
    uint64_t *known;   // set of the slots that have one
    uint64_t *served;  // set of the slots that were served in this tick
    uint64_t *scratch; // a set
};

// The records of a tick but those of sets take at most so many bytes: operations and chat lines are
// events, of which lib/match permits so many between two ticks, or come from connections.
static size_t most_events_bytes(const struct raim_world *world)
{
    return ((size_t)8 * world->max_players + 64) * (RAIM_MAX_CHAT_BYTES + 8);
}

enum {
    NUMBER = RAIM_VARINT_BYTES,
    ENTRY_BYTES = 1 + NUMBER + 3 + 1 + 1 + 1, // of a step
    PHASE_BYTES = 1 + 1 + 4 * NUMBER + 1 + RAIM_MAX_TITLE_BYTES,
};

static uint32_t set_words(const struct raim_world *world)
{
    return (uint32_t)(raim_set_words(world->max_players) + raim_set_words(world->max_bullets));
}

// A set is recorded as a list of slots, or as its words where that is shorter.
static size_t most_sent_bytes(uint32_t words)
{
    return 1 + 2 * NUMBER + 8 * (size_t)words;
}

static size_t most_bytes(const struct raim_world *world)
{
    const size_t slots = world->max_players;
    const size_t tick =
        slots * (ENTRY_BYTES + most_sent_bytes(set_words(world)) + 2 * NUMBER + 1) + 64;
    const size_t keyframe =
        1 + raim_world_bytes(world) + PHASE_BYTES + slots * (8 + RAIM_MAX_NAME_BYTES);
    return most_events_bytes(world) + tick + keyframe;
}

// Takes a part of the recording input's memory, aligned for a uint64_t. Without memory it only
// counts.
static void *carve(uint8_t *memory, size_t *size, size_t bytes)
{
    void *part = memory != NULL ? memory + *size : NULL;
    *size += (bytes + 7) / 8 * 8;
    return part;
}

static size_t lay_out(struct raim_recording_input *records, uint8_t *memory,
                      const struct raim_world *world)
{
    const size_t slots = world->max_players;
    size_t size = (sizeof *records + 7) / 8 * 8;
    records->flew = carve(memory, &size, raim_set_words(world->max_bullets) * 8);
    records->sets = carve(memory, &size, slots * set_words(world) * 8);
    records->known = carve(memory, &size, raim_set_words(world->max_players) * 8);
    records->served = carve(memory, &size, raim_set_words(world->max_players) * 8);
    records->scratch = carve(memory, &size, (size_t)set_words(world) * 8);
    records->tick.born = carve(memory, &size, RAIM_SENT_BORN * sizeof *records->tick.born);
    records->tick.shooters = carve(memory, &size, RAIM_SENT_BORN * sizeof *records->tick.shooters);
    records->inputs = carve(memory, &size, slots * sizeof *records->inputs);
    records->traffic = carve(memory, &size, slots);
    records->next_traffic = carve(memory, &size, slots);
    records->capacity = most_bytes(world);
    records->bytes = carve(memory, &size, records->capacity);
    return size;
}

size_t raim_recording_input_bytes(const struct raim_world *world)
{
    struct raim_recording_input records;
    return lay_out(&records, NULL, world);
}

struct raim_recording_input *raim_recording_input_init(void *memory, const struct raim_world *world)
{
    struct raim_recording_input *records = memory;
    *records = (struct raim_recording_input){
        .tick_hz = world->tick_hz,
        .max_players = world->max_players,
        .max_bullets = world->max_bullets,
        .tick.player_words = (uint32_t)raim_set_words(world->max_players),
        .tick.bullet_words = (uint32_t)raim_set_words(world->max_bullets),
        .tick.bullets_per_player = world->bullets_per_player,
    };
    lay_out(records, memory, world);
    return records;
}

const uint8_t *raim_recording_input_take(struct raim_recording_input *records, size_t *size)
{
    *size = records->size;
    records->frame_bytes += records->size;
    records->size = 0;
    return *size > 0 ? records->bytes : NULL;
}

bool raim_recording_input_wants_keyframe(const struct raim_recording_input *records)
{
    return records->frame_ticks >= RAIM_RECORDING_FRAME_S * records->tick_hz ||
           records->frame_bytes + records->size >= RAIM_RECORDING_FRAME_BYTES;
}

bool raim_recording_input_has_overflowed(const struct raim_recording_input *records)
{
    return records->has_overflowed;
}

// --- records ---

// Begins a record of at most `most` bytes with its kind. Returns where it goes on; NULL where it is
// not recorded.
static uint8_t *begin(struct raim_recording_input *records, enum raim_record_kind kind, size_t most)
{
    if (records == NULL || records->has_overflowed)
        return NULL;
    records->has_overflowed = records->capacity - records->size < 1 + most;
    if (records->has_overflowed)
        return NULL;
    records->bytes[records->size] = (uint8_t)kind;
    return records->bytes + records->size + 1;
}

static void end(struct raim_recording_input *records, const uint8_t *bytes)
{
    records->size = (size_t)(bytes - records->bytes);
    assert(records->size <= records->capacity);
}

static uint8_t *write_id(uint8_t *bytes, raim_player_id id)
{
    *bytes++ = (uint8_t)id;
    *bytes++ = (uint8_t)(id >> 8);
    return bytes;
}

// A text of at most 255 bytes after its length.
static uint8_t *write_text(uint8_t *bytes, const char *text)
{
    const size_t length = strlen(text);
    assert(length <= UINT8_MAX);
    *bytes++ = (uint8_t)length;
    memcpy(bytes, text, length);
    return bytes + length;
}

static void write_empty(struct raim_recording_input *records, enum raim_record_kind kind)
{
    const uint8_t *bytes = begin(records, kind, 0);
    if (bytes != NULL)
        end(records, bytes);
}

static void write_player(struct raim_recording_input *records, enum raim_record_kind kind,
                         raim_player_id id)
{
    uint8_t *bytes = begin(records, kind, 2);
    if (bytes != NULL)
        end(records, write_id(bytes, id));
}

static void write_named(struct raim_recording_input *records, enum raim_record_kind kind,
                        raim_player_id id, const char *name, bool is_bot)
{
    uint8_t *bytes = begin(records, kind, 2 + 1 + 1 + RAIM_MAX_NAME_BYTES);
    if (bytes == NULL)
        return;
    bytes = write_id(bytes, id);
    *bytes++ = is_bot;
    end(records, write_text(bytes, name));
}

static void write_digest(struct raim_recording_input *records, const struct raim_world *world)
{
    uint8_t *bytes = begin(records, RAIM_RECORD_DIGEST, 8);
    if (bytes == NULL)
        return;
    const uint64_t digest = raim_world_digest(world);
    for (uint32_t i = 0; i < 8; i++)
        *bytes++ = (uint8_t)(digest >> (8 * i));
    end(records, bytes);
}

void raim_recording_input_phase(struct raim_recording_input *records,
                                const struct raim_wire_phase *phase)
{
    uint8_t *bytes = begin(records, RAIM_RECORD_PHASE, PHASE_BYTES);
    if (bytes == NULL)
        return;
    *bytes++ = (uint8_t)phase->phase;
    *bytes++ = phase->has_end;
    bytes = raim_varint_write(bytes, phase->round);
    bytes = raim_varint_write(bytes, phase->end_tick);
    bytes = raim_varint_write(bytes, phase->score_limit);
    bytes = raim_varint_write(bytes, phase->winner);
    end(records, write_text(bytes, phase->next_map));
}

// Forgets all that differences refer to: a data frame stands alone.
static void reset(struct raim_recording_input *records)
{
    memset(records->inputs, 0, records->max_players * sizeof *records->inputs);
    memset(records->traffic, 0, records->max_players);
    memset(records->next_traffic, 0, records->max_players);
    memset(records->known, 0, records->tick.player_words * sizeof *records->known);
    memset(records->served, 0, records->tick.player_words * sizeof *records->served);
    records->frame_ticks = 0;
    records->frame_bytes = 0;
    records->is_in_tick = false;
}

void raim_recording_input_keyframe(struct raim_recording_input *records,
                                   const struct raim_world *world,
                                   const struct raim_wire_phase *phase)
{
    const size_t world_bytes = raim_world_bytes(world);
    uint8_t *bytes = begin(records, RAIM_RECORD_KEYFRAME, world_bytes);
    if (bytes == NULL)
        return;
    assert(records->size == 0);
    assert(world->max_players == records->max_players &&
           world->max_bullets == records->max_bullets);
    reset(records);
    memset(records->flew, 0, records->tick.bullet_words * sizeof *records->flew);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    for (uint32_t slot = 0; slot < world->max_bullets; slot++)
        if (bullets[slot].owner != RAIM_NOBODY)
            raim_set_add(records->flew, slot);
    memcpy(bytes, world, world_bytes);
    end(records, bytes + world_bytes);
    raim_recording_input_phase(records, phase);
}

void raim_recording_input_name(struct raim_recording_input *records, raim_player_id id,
                               const char *name, bool is_bot)
{
    write_named(records, RAIM_RECORD_NAME, id, name, is_bot);
}

// Forgets what differences of a slot refer to.
static void forget(struct raim_recording_input *records, raim_player_id id)
{
    const uint32_t slot = raim_player_slot(id);
    records->inputs[slot] = (raim_input){0};
    records->traffic[slot] = records->next_traffic[slot] = 0;
    raim_set_remove(records->known, slot);
}

void raim_recording_input_join(struct raim_recording_input *records, raim_player_id id,
                               const char *name, bool is_bot)
{
    write_named(records, RAIM_RECORD_JOIN, id, name, is_bot);
}

void raim_recording_input_leave(struct raim_recording_input *records, raim_player_id id,
                                uint32_t reason)
{
    uint8_t *bytes = begin(records, RAIM_RECORD_LEAVE, 3);
    if (bytes == NULL)
        return;
    bytes = write_id(bytes, id);
    *bytes++ = (uint8_t)reason;
    end(records, bytes);
    forget(records, id);
}

void raim_recording_input_set_away(struct raim_recording_input *records, raim_player_id id,
                                   bool away)
{
    write_player(records, away ? RAIM_RECORD_AWAY : RAIM_RECORD_BACK, id);
    if (records != NULL)
        raim_set_remove(records->known, raim_player_slot(id));
}

void raim_recording_input_clear_bullets(struct raim_recording_input *records)
{
    write_empty(records, RAIM_RECORD_CLEAR_BULLETS);
}

void raim_recording_input_begin_round(struct raim_recording_input *records)
{
    write_empty(records, RAIM_RECORD_BEGIN_ROUND);
}

void raim_recording_input_hold_positions(struct raim_recording_input *records)
{
    write_empty(records, RAIM_RECORD_HOLD_POSITIONS);
}

void raim_recording_input_kill(struct raim_recording_input *records, raim_player_id killer,
                               raim_player_id victim)
{
    uint8_t *bytes = begin(records, RAIM_RECORD_KILL, 4);
    if (bytes != NULL)
        end(records, write_id(write_id(bytes, killer), victim));
}

void raim_recording_input_chat(struct raim_recording_input *records, raim_player_id id,
                               const char *text)
{
    uint8_t *bytes = begin(records, RAIM_RECORD_CHAT, 2 + 1 + RAIM_MAX_CHAT_BYTES);
    if (bytes != NULL)
        end(records, write_text(write_id(bytes, id), text));
}

void raim_recording_input_rtt(struct raim_recording_input *records, uint32_t slot, uint32_t rtt_ms)
{
    uint8_t *bytes = begin(records, RAIM_RECORD_RTT, 2 * RAIM_VARINT_BYTES);
    if (bytes != NULL)
        end(records, raim_varint_write(raim_varint_write(bytes, slot), rtt_ms));
}

// --- steps ---

void raim_recording_input_traffic(struct raim_recording_input *records, uint32_t slot,
                                  uint32_t arrivals, uint32_t flags)
{
    if (records == NULL)
        return;
    const uint32_t most = arrivals < RAIM_TRAFFIC_MAX ? arrivals : RAIM_TRAFFIC_MAX;
    records->next_traffic[slot] = (uint8_t)(most << RAIM_TRAFFIC_SHIFT | flags);
}

static bool has_same_keys(const raim_input *a, const raim_input *b)
{
    return a->move_x == b->move_x && a->move_y == b->move_y && a->fire == b->fire;
}

static uint8_t *write_entry(uint8_t *bytes, uint32_t gap, uint32_t flags, const raim_input *before,
                            const raim_input *input, uint8_t traffic)
{
    const bool is_far = gap > 15;
    *bytes++ = (uint8_t)((is_far ? 0 : gap) << RAIM_STEP_GAP_SHIFT | flags);
    if (is_far)
        bytes = raim_varint_write(bytes, gap);
    if (flags & RAIM_STEP_AIM)
        bytes = raim_varint_write(bytes, raim_zigzag((int16_t)(input->aim - before->aim)));
    if (flags & RAIM_STEP_KEYS)
        *bytes++ = (uint8_t)((input->move_x + 1) * 3 + input->move_y + 1 + 9 * input->fire);
    if (flags & RAIM_STEP_REWIND)
        *bytes++ = input->rewind;
    if (flags & RAIM_STEP_TRAFFIC)
        *bytes++ = traffic;
    return bytes;
}

void raim_recording_input_step(struct raim_recording_input *records, const uint64_t *taken,
                               const raim_input *inputs)
{
    uint8_t *bytes = begin(records, RAIM_RECORD_STEP,
                           records != NULL ? (size_t)records->max_players * ENTRY_BYTES + 1 : 0);
    if (bytes == NULL)
        return;
    uint32_t next = 0; // the first slot that the next entry can be of
    for (uint32_t slot = raim_set_next(taken, 0, records->max_players); slot < records->max_players;
         slot = raim_set_next(taken, slot + 1, records->max_players)) {
        raim_input *before = &records->inputs[slot];
        const raim_input *input = &inputs[slot];
        const uint32_t flags =
            (input->aim != before->aim ? RAIM_STEP_AIM : 0u) |
            (has_same_keys(input, before) ? 0u : RAIM_STEP_KEYS) |
            (input->rewind != before->rewind ? RAIM_STEP_REWIND : 0u) |
            (records->next_traffic[slot] != records->traffic[slot] ? RAIM_STEP_TRAFFIC : 0u);
        if (flags != 0) {
            bytes = write_entry(bytes, slot + 1 - next, flags, before, input,
                                records->next_traffic[slot]);
            *before = *input;
            records->traffic[slot] = records->next_traffic[slot];
            next = slot + 1;
        }
        records->next_traffic[slot] = 0;
    }
    *bytes++ = 0;
    end(records, bytes);
    records->frame_ticks++;
    records->is_in_tick = true;
}

void raim_recording_input_skip(struct raim_recording_input *records)
{
    write_empty(records, RAIM_RECORD_SKIP);
    if (records == NULL)
        return;
    records->frame_ticks++;
    records->is_in_tick = true;
}

// --- sets ---

void raim_recording_input_begin_sent(struct raim_recording_input *records, const uint64_t *living,
                                     const uint64_t *flying)
{
    if (records == NULL)
        return;
    records->tick.living = living;
    records->tick.flying = flying;
    raim_sent_find_born(&records->tick, records->flew);
    memcpy(records->flew, flying, records->tick.bullet_words * sizeof *flying);
}

static uint32_t count_bits(const uint64_t *set, uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < words; word++)
        count += (uint32_t)__builtin_popcountll(set[word]);
    return count;
}

// Writes the differences of a set from its prediction, which are in `scratch`.
static uint8_t *write_difference(const struct raim_recording_input *records, uint8_t *bytes)
{
    const uint32_t words = raim_sent_words(&records->tick);
    const uint32_t count = count_bits(records->scratch, words);
    if (count > 4 * words) { // a slot takes one byte or two
        bytes = raim_varint_write(bytes, 1);
        for (uint32_t word = 0; word < words; word++)
            for (uint32_t i = 0; i < 8; i++)
                *bytes++ = (uint8_t)(records->scratch[word] >> (8 * i));
        return bytes;
    }
    bytes = raim_varint_write(bytes, count << 1);
    uint32_t next = 0;
    for (uint32_t word = 0; word < words; word++)
        for (uint64_t left = records->scratch[word]; left != 0; left &= left - 1) {
            const uint32_t bit = word * 64 + raim_lowest_bit(left);
            bytes = raim_varint_write(bytes, bit - next);
            next = bit + 1;
        }
    return bytes;
}

void raim_recording_input_sent(struct raim_recording_input *records, uint32_t slot,
                               const uint64_t *players, const uint64_t *bullets)
{
    if (records == NULL || records->has_overflowed)
        return;
    const struct raim_sent_tick *tick = &records->tick;
    const uint32_t words = raim_sent_words(tick);
    uint64_t *set = records->sets + (size_t)slot * words;
    const bool is_known = raim_set_has(records->known, slot);
    if (!is_known)
        memset(set, 0, words * sizeof *set);
    raim_sent_predict_players(tick, set);
    uint64_t differences = 0;
    for (uint32_t word = 0; word < tick->player_words; word++) {
        differences |= records->scratch[word] = set[word] ^ players[word];
        set[word] = players[word];
    }
    raim_sent_predict_bullets(tick, slot, set);
    for (uint32_t word = tick->player_words; word < words; word++) {
        const uint64_t sent = bullets[word - tick->player_words];
        differences |= records->scratch[word] = set[word] ^ sent;
        set[word] = sent;
    }
    raim_set_add(records->known, slot);
    raim_set_add(records->served, slot);
    if (differences == 0 && is_known)
        return;
    uint8_t *bytes = begin(records, RAIM_RECORD_SENT, most_sent_bytes(words));
    if (bytes != NULL)
        end(records, write_difference(records, raim_varint_write(bytes, slot)));
}

// A client without a snapshot in this tick keeps what it was sent, without what is gone.
static void keep_unserved(struct raim_recording_input *records)
{
    const struct raim_sent_tick *tick = &records->tick;
    const uint32_t words = raim_sent_words(tick);
    for (uint32_t slot = raim_set_next(records->known, 0, records->max_players);
         slot < records->max_players;
         slot = raim_set_next(records->known, slot + 1, records->max_players)) {
        if (raim_set_has(records->served, slot))
            continue;
        uint64_t kept[RAIM_MAX_PLAYERS / 64 + RAIM_MAX_BULLETS / 64];
        const uint64_t *set = records->sets + (size_t)slot * words;
        for (uint32_t word = 0; word < tick->player_words; word++)
            kept[word] = set[word] & tick->living[word];
        for (uint32_t word = 0; word < tick->bullet_words; word++)
            kept[tick->player_words + word] = set[tick->player_words + word] & tick->flying[word];
        raim_recording_input_sent(records, slot, kept, kept + tick->player_words);
    }
}

void raim_recording_input_end_tick(struct raim_recording_input *records,
                                   const struct raim_world *world)
{
    if (records == NULL || !records->is_in_tick)
        return;
    if (records->tick.living != NULL)
        keep_unserved(records);
    records->tick.living = NULL;
    memset(records->served, 0, records->tick.player_words * sizeof *records->served);
    if (world->tick % world->tick_hz == 0)
        write_digest(records, world);
    write_empty(records, RAIM_RECORD_END);
    records->is_in_tick = false;
}

void raim_recording_input_end(struct raim_recording_input *records, const struct raim_world *world)
{
    raim_recording_input_end_tick(records, world);
    write_digest(records, world);
}
