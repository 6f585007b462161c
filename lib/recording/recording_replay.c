// SPDX-License-Identifier: MIT
// Applies records to the world.
#include "recording_internal.h"

#include "digest.h"
#include "frame.h"
#include "validate.h"

#include <stdlib.h>
#include <string.h>

bool raim_replay_fail(struct raim_recording *recording, enum raim_recording_fault_kind kind,
                      const char *why)
{
    recording->has_fault = true;
    recording->fault.kind = kind;
    recording->fault.offset = recording->index.frames[recording->frame].offset;
    recording->fault.tick = recording->tick;
    recording->fault.agreed = recording->agreed;
    raim_recording_explain(recording->fault.why, sizeof recording->fault.why,
                           (const char *const[]){why, NULL});
    return false;
}

static bool fail_record(struct raim_recording *recording, const char *why)
{
    return raim_replay_fail(recording, RAIM_FAULT_RECORD, why);
}

// --- frames ---

// Finds and decompresses a frame.
static bool unpack(struct raim_recording *recording)
{
    const struct raim_recording_index *index = &recording->index;
    const uint64_t start = index->frames[recording->frame].offset;
    const uint64_t next = recording->frame + 1 < index->frame_count
                              ? index->frames[recording->frame + 1].offset
                              : index->end;
    const struct raim_frame frame =
        raim_frame_at(recording->bytes + start, (size_t)(index->end - start));
    if (frame.kind != RAIM_FRAME_DATA || frame.size != next - start)
        return raim_replay_fail(recording, RAIM_FAULT_FRAME,
                                "there is no data frame where the index says");
    if (frame.contents_size > recording->contents_capacity) {
        free(recording->contents);
        recording->contents = malloc(frame.contents_size);
        recording->contents_capacity = recording->contents != NULL ? frame.contents_size : 0;
    }
    if (recording->contents == NULL)
        return raim_replay_fail(recording, RAIM_FAULT_MEMORY, "out of memory");
    if (!raim_unpack(recording->unpacker, recording->bytes + start, &frame, recording->contents))
        return raim_replay_fail(recording, RAIM_FAULT_FRAME, "the data frame is damaged");
    raim_input *inputs = recording->reader.inputs;
    uint64_t *difference = recording->reader.difference;
    recording->reader = raim_recording_input_reader_make(&recording->head.scene,
                                                         recording->contents, frame.contents_size);
    recording->reader.inputs = inputs;
    recording->reader.traffic = recording->traffic;
    recording->reader.difference = difference;
    return true;
}

// Whether a world has the rules and sizes of the recording, and could be.
static bool is_valid(const struct raim_recording *recording, const struct raim_world *world)
{
    struct raim_world lasting = *recording->world;
    lasting.random = world->random;
    lasting.tick = world->tick;
    return memcmp(&lasting, world, sizeof lasting) == 0 &&
           raim_world_is_valid(world, recording->map);
}

// Notes a comparison of the world of the present tick. Returns whether it was right.
static bool agree(struct raim_recording *recording, bool is_same)
{
    recording->compared++;
    if (is_same)
        recording->agreed = recording->tick + recording->is_in_tick;
    return is_same;
}

static bool take_keyframe(struct raim_recording *recording, const uint8_t *bytes, bool continues)
{
    const size_t size = raim_world_bytes(recording->world);
    const uint32_t tick = recording->index.frames[recording->frame].tick;
    memcpy(recording->expected, bytes, size);
    if (recording->expected->tick != tick)
        return raim_replay_fail(recording, RAIM_FAULT_FRAME,
                                "the data frame begins at another tick than the index says");
    if (continues)
        return agree(recording, memcmp(recording->expected, recording->world, size) == 0) ||
               raim_replay_fail(recording, RAIM_FAULT_KEYFRAME,
                                "the world differs from the next keyframe");
    if (!is_valid(recording, recording->expected))
        return raim_replay_fail(recording, RAIM_FAULT_FRAME,
                                "the keyframe is no world of this recording");
    memcpy(recording->world, recording->expected, size);
    return true;
}

static uint32_t slots_of(const struct raim_recording *recording)
{
    return recording->head.scene.max_players;
}

// The player with an id; NULL: there is none.
static raim_player *find_player(struct raim_recording *recording, raim_player_id id)
{
    const uint32_t slot = raim_player_slot(id);
    if (id == RAIM_NOBODY || slot >= slots_of(recording))
        return NULL;
    raim_player *player = &raim_world_players(recording->world)[slot];
    return player->id == id ? player : NULL;
}

static void set_member(struct raim_recording *recording, const struct raim_record *record)
{
    struct raim_recording_member *member = &recording->members[raim_player_slot(record->id)];
    memcpy(member->name, record->text, sizeof member->name);
    member->is_bot = record->is_bot;
}

// Reads the name records that follow the keyframe: one per player, in slot order.
static bool read_names(struct raim_recording *recording)
{
    const raim_player *players = raim_world_players_const(recording->world);
    struct raim_record record;
    for (uint32_t slot = 0; slot < slots_of(recording); slot++) {
        if (players[slot].id == RAIM_NOBODY)
            continue;
        if (!raim_recording_input_read(&recording->reader, &record) ||
            record.kind != RAIM_RECORD_NAME || record.id != players[slot].id)
            return fail_record(recording, "a keyframe's player has no name");
        set_member(recording, &record);
    }
    return true;
}

// Finds the bullets in flight, and the players alive.
static void find_entities(struct raim_recording *recording)
{
    struct raim_recording_sets *sent = &recording->sent;
    const struct raim_world *world = recording->world;
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    memset(sent->living, 0, sent->tick.player_words * sizeof *sent->living);
    memset(sent->flying, 0, sent->tick.bullet_words * sizeof *sent->flying);
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        if (players[slot].state == RAIM_PLAYER_ALIVE)
            raim_set_add(sent->living, slot);
    for (uint32_t slot = 0; slot < world->max_bullets; slot++)
        if (bullets[slot].owner != RAIM_NOBODY)
            raim_set_add(sent->flying, slot);
}

// Forgets all that differences refer to.
static void reset(struct raim_recording *recording)
{
    struct raim_recording_sets *sent = &recording->sent;
    memset(recording->inputs, 0, slots_of(recording) * sizeof *recording->inputs);
    memset(recording->traffic, 0, slots_of(recording));
    memset(recording->rtts, 0xFF, slots_of(recording) * sizeof *recording->rtts);
    memset(sent->known, 0, sent->tick.player_words * sizeof *sent->known);
    recording->is_in_tick = recording->may_hold = false;
    find_entities(recording);
    memcpy(sent->flew, sent->flying, sent->tick.bullet_words * sizeof *sent->flew);
}

bool raim_replay_load(struct raim_recording *recording, uint32_t frame, bool continues)
{
    struct raim_record record;
    if (!continues) {
        recording->has_fault = recording->overlooks = false;
        recording->events.count = recording->chat_count = 0;
        recording->tick = recording->index.frames[frame].tick - recording->index.frames[0].tick;
        recording->agreed = recording->tick;
    }
    recording->frame = frame;
    if (!unpack(recording))
        return false;
    if (!raim_recording_input_read(&recording->reader, &record) ||
        record.kind != RAIM_RECORD_KEYFRAME)
        return fail_record(recording, "a data frame begins without a keyframe");
    if (!take_keyframe(recording, record.world, continues))
        return false;
    if (!raim_recording_input_read(&recording->reader, &record) || record.kind != RAIM_RECORD_PHASE)
        return fail_record(recording, "a keyframe has no phase");
    recording->phase = record.phase;
    reset(recording);
    return read_names(recording);
}

// --- what clients were sent ---

// Begins the sets of the tick, when its world is complete.
static void begin_sets(struct raim_recording *recording)
{
    struct raim_recording_sets *sent = &recording->sent;
    if (!sent->is_due)
        return;
    sent->is_due = false;
    memcpy(sent->flew, sent->flying, sent->tick.bullet_words * sizeof *sent->flew);
    find_entities(recording);
    raim_sent_find_born(&sent->tick, sent->flew);
    memset(sent->changed, 0, sent->tick.player_words * sizeof *sent->changed);
}

static uint64_t *set_at(struct raim_recording_sets *sent, uint32_t slot)
{
    return sent->sets + (size_t)slot * raim_sent_words(&sent->tick);
}

static void read_set(struct raim_recording *recording, uint32_t slot)
{
    struct raim_recording_sets *sent = &recording->sent;
    const uint32_t words = raim_sent_words(&sent->tick);
    const uint64_t *difference = recording->reader.difference;
    begin_sets(recording);
    uint64_t *set = set_at(sent, slot);
    if (!raim_set_has(sent->known, slot))
        memset(set, 0, words * sizeof *set);
    raim_sent_predict_players(&sent->tick, set);
    for (uint32_t word = 0; word < sent->tick.player_words; word++)
        set[word] ^= difference[word];
    raim_sent_predict_bullets(&sent->tick, slot, set);
    for (uint32_t word = sent->tick.player_words; word < words; word++)
        set[word] ^= difference[word];
    raim_set_add(sent->known, slot);
    raim_set_add(sent->changed, slot);
}

// The sets that have not been read are as predicted.
static void end_sets(struct raim_recording *recording)
{
    struct raim_recording_sets *sent = &recording->sent;
    begin_sets(recording);
    for (uint32_t slot = raim_set_next(sent->known, 0, slots_of(recording));
         slot < slots_of(recording);
         slot = raim_set_next(sent->known, slot + 1, slots_of(recording)))
        if (!raim_set_has(sent->changed, slot)) {
            raim_sent_predict_players(&sent->tick, set_at(sent, slot));
            raim_sent_predict_bullets(&sent->tick, slot, set_at(sent, slot));
        }
}

// --- records ---

static bool join(struct raim_recording *recording, const struct raim_record *record)
{
    if (record->id == RAIM_NOBODY || raim_world_join(recording->world) != record->id)
        return fail_record(recording, "a player joins with another id than the world gives");
    set_member(recording, record);
    return true;
}

static bool leave(struct raim_recording *recording, raim_player_id id)
{
    if (find_player(recording, id) == NULL)
        return fail_record(recording, "a player leaves who is not there");
    const uint32_t slot = raim_player_slot(id);
    raim_world_leave(recording->world, id);
    recording->inputs[slot] = (raim_input){0};
    recording->traffic[slot] = 0;
    recording->rtts[slot] = UINT32_MAX;
    raim_set_remove(recording->sent.known, slot);
    return true;
}

static bool set_away(struct raim_recording *recording, raim_player_id id, bool away)
{
    if (find_player(recording, id) == NULL)
        return fail_record(recording, "a player is away who is not there");
    raim_world_set_away(recording->world, id, away);
    raim_set_remove(recording->sent.known, raim_player_slot(id));
    return true;
}

static bool begin_tick(struct raim_recording *recording)
{
    if (recording->is_in_tick)
        return fail_record(recording, "a tick begins within another one");
    recording->is_in_tick = recording->may_hold = true;
    recording->next_event = 0;
    recording->sent.is_due = true;
    return true;
}

static bool step(struct raim_recording *recording)
{
    if (!begin_tick(recording))
        return false;
    raim_world_step(recording->world, recording->map, recording->inputs, &recording->events,
                    recording->workspace);
    return true;
}

static bool skip(struct raim_recording *recording)
{
    const raim_player *players = raim_world_players_const(recording->world);
    for (uint32_t slot = 0; slot < slots_of(recording); slot++)
        if (players[slot].id != RAIM_NOBODY)
            return fail_record(recording, "a step is skipped amid players");
    if (!begin_tick(recording))
        return false;
    recording->events.count = 0;
    raim_world_skip_tick(recording->world);
    return true;
}

static bool hold_positions(struct raim_recording *recording)
{
    if (!recording->may_hold)
        return fail_record(recording, "positions are held without a step");
    recording->may_hold = false;
    raim_world_hold_positions(recording->world);
    return true;
}

// The next kill of the last step; NULL: there is none.
static const raim_event *next_kill(struct raim_recording *recording)
{
    while (recording->next_event < recording->events.count) {
        const raim_event *event = &recording->events.items[recording->next_event++];
        if (event->kind == RAIM_EVENT_KILL)
            return event;
    }
    return NULL;
}

static bool check_kill(struct raim_recording *recording, const struct raim_record *record)
{
    const raim_event *kill = recording->is_in_tick ? next_kill(recording) : NULL;
    return recording->overlooks ||
           (kill != NULL && kill->actor == record->id && kill->victim == record->victim) ||
           raim_replay_fail(recording, RAIM_FAULT_KILL, "a recorded kill did not happen");
}

static bool end_tick(struct raim_recording *recording)
{
    if (!recording->is_in_tick)
        return fail_record(recording, "a tick ends without a step");
    if (next_kill(recording) != NULL && !recording->overlooks)
        return raim_replay_fail(recording, RAIM_FAULT_KILL, "a kill was not recorded");
    if (!recording->sent.is_skipped)
        end_sets(recording);
    recording->is_in_tick = recording->may_hold = false;
    recording->tick++;
    return true;
}

static void add_line(struct raim_recording *recording, const struct raim_record *record)
{
    if (recording->chat_count == RAIM_RECORDING_MAX_CHAT)
        return;
    struct raim_recording_line *line = &recording->chat[recording->chat_count++];
    line->player = record->id;
    memcpy(line->text, record->text, sizeof line->text);
}

// What an operation may cost in visited slots; 0: nothing to speak of.
static uint32_t cost_of(const struct raim_recording *recording, enum raim_record_kind kind)
{
    switch (kind) {
    case RAIM_RECORD_JOIN:
    case RAIM_RECORD_LEAVE:
        return 1;
    case RAIM_RECORD_CLEAR_BULLETS:
    case RAIM_RECORD_BEGIN_ROUND:
    case RAIM_RECORD_DIGEST:
        return slots_of(recording);
    default:
        return 0;
    }
}

static bool apply(struct raim_recording *recording, const struct raim_record *record)
{
    switch (record->kind) {
    case RAIM_RECORD_JOIN:
        return join(recording, record);
    case RAIM_RECORD_LEAVE:
        return leave(recording, record->id);
    case RAIM_RECORD_AWAY:
    case RAIM_RECORD_BACK:
        return set_away(recording, record->id, record->kind == RAIM_RECORD_AWAY);
    case RAIM_RECORD_CLEAR_BULLETS:
        raim_world_clear_bullets(recording->world);
        return true;
    case RAIM_RECORD_BEGIN_ROUND:
        raim_world_begin_round(recording->world);
        return true;
    case RAIM_RECORD_STEP:
        return step(recording);
    case RAIM_RECORD_SKIP:
        return skip(recording);
    case RAIM_RECORD_HOLD_POSITIONS:
        return hold_positions(recording);
    case RAIM_RECORD_KILL:
        return check_kill(recording, record);
    case RAIM_RECORD_PHASE:
        recording->phase = record->phase;
        return true;
    case RAIM_RECORD_CHAT:
        add_line(recording, record);
        return true;
    case RAIM_RECORD_RTT:
        recording->rtts[record->slot] = record->rtt_ms;
        return true;
    case RAIM_RECORD_SENT:
        if (!recording->is_in_tick)
            return fail_record(recording, "something is sent outside a tick");
        if (!recording->sent.is_skipped)
            read_set(recording, record->slot);
        return true;
    case RAIM_RECORD_DIGEST:
        return recording->overlooks ||
               agree(recording, raim_world_digest(recording->world) == record->digest) ||
               raim_replay_fail(recording, RAIM_FAULT_DIGEST,
                                "the world differs from the recorded digest");
    case RAIM_RECORD_END:
        return end_tick(recording);
    case RAIM_RECORD_KEYFRAME:
    case RAIM_RECORD_NAME:
    case RAIM_RECORD_KINDS:
        break;
    }
    return fail_record(recording, "a record is out of place");
}

bool raim_replay_tick(struct raim_recording *recording)
{
    struct raim_record record;
    const uint32_t before = recording->tick;
    // A match logs at most eight joins and leaves per slot between two ticks.
    uint32_t left = 16 * slots_of(recording) + 64;
    recording->events.count = recording->chat_count = 0;
    while (recording->tick == before) {
        if (raim_recording_input_read(&recording->reader, &record)) {
            const uint32_t cost = cost_of(recording, record.kind);
            if (cost > left)
                return fail_record(recording, "a tick has more operations than a match makes");
            left -= cost;
            if (!apply(recording, &record))
                return false;
        } else if (recording->reader.has_failed) {
            return fail_record(recording, "a record is cut short, or none");
        } else if (recording->is_in_tick) { // the recording was dropped within a tick
            if (!end_tick(recording))
                return false;
        } else if (recording->frame + 1 < recording->index.frame_count) {
            if (!raim_replay_load(recording, recording->frame + 1, true))
                return false;
        } else {
            return recording->tick == recording->info.ticks ||
                   raim_replay_fail(recording, RAIM_FAULT_FRAME,
                                    "the last data frame ends before the index says");
        }
    }
    return recording->tick <= recording->info.ticks ||
           raim_replay_fail(recording, RAIM_FAULT_FRAME,
                            "the last data frame ends after the tick that the index says");
}
