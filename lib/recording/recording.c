// SPDX-License-Identifier: MIT
// Opens recordings, and goes to their ticks.
#include "recording.h"

#include "frame.h"
#include "recording_info.h"
#include "recording_internal.h"
#include "recording_scan.h"

#include <stdlib.h>
#include <string.h>

static bool refuse(char *error, size_t capacity, const char *why)
{
    raim_recording_explain(error, capacity, (const char *const[]){why, NULL});
    return false;
}

// Allocates what follows from the scene.
static bool allocate(struct raim_recording *recording)
{
    const struct raim_world_def def = raim_recording_scene_world(&recording->head.scene);
    const uint32_t slots = def.max_players;
    const uint32_t bullets = slots * raim_world_bullets_per_player(&def);
    struct raim_recording_sets *sent = &recording->sent;
    sent->tick.player_words = (uint32_t)raim_set_words(slots);
    sent->tick.bullet_words = (uint32_t)raim_set_words(bullets);
    sent->tick.bullets_per_player = raim_world_bullets_per_player(&def);
    const size_t words = raim_sent_words(&sent->tick);
    void *world = malloc(raim_world_size(&def));
    recording->world = world != NULL ? raim_world_init(world, &def) : NULL;
    recording->expected = malloc(raim_world_size(&def));
    recording->events.capacity = raim_events_bound(slots, bullets);
    recording->events.items = calloc(recording->events.capacity, sizeof *recording->events.items);
    recording->workspace = raim_world_workspace_create();
    recording->inputs = calloc(slots, sizeof *recording->inputs);
    recording->traffic = calloc(slots, sizeof *recording->traffic);
    recording->rtts = calloc(slots, sizeof *recording->rtts);
    recording->members = calloc(slots, sizeof *recording->members);
    recording->reader.inputs = recording->inputs;
    recording->reader.difference = calloc(words, sizeof(uint64_t));
    sent->living = calloc(sent->tick.player_words, sizeof(uint64_t));
    sent->known = calloc(sent->tick.player_words, sizeof(uint64_t));
    sent->changed = calloc(sent->tick.player_words, sizeof(uint64_t));
    sent->flying = calloc(sent->tick.bullet_words, sizeof(uint64_t));
    sent->flew = calloc(sent->tick.bullet_words, sizeof(uint64_t));
    sent->sets = calloc(slots * words, sizeof(uint64_t));
    sent->tick.born = calloc(RAIM_SENT_BORN, sizeof *sent->tick.born);
    sent->tick.shooters = calloc(RAIM_SENT_BORN, sizeof *sent->tick.shooters);
    sent->tick.living = sent->living;
    sent->tick.flying = sent->flying;
    return recording->world != NULL && recording->expected != NULL &&
           recording->events.items != NULL && recording->workspace != NULL &&
           recording->inputs != NULL && recording->traffic != NULL && recording->rtts != NULL &&
           recording->members != NULL && recording->reader.difference != NULL &&
           sent->living != NULL && sent->known != NULL && sent->changed != NULL &&
           sent->flying != NULL && sent->flew != NULL && sent->sets != NULL &&
           sent->tick.born != NULL && sent->tick.shooters != NULL;
}

static bool find_frames(struct raim_recording *recording, char *error, size_t capacity)
{
    const bool is_complete =
        raim_recording_index_find(&recording->index, recording->bytes, recording->size);
    if (!is_complete) {
        raim_recording_index_free(&recording->index);
        if (!raim_recording_scan(&recording->index, recording->packer, &recording->head,
                                 recording->bytes, recording->size))
            return refuse(error, capacity, "there is no memory for it");
        if (recording->index.frame_count == 0)
            return refuse(error, capacity, "it holds no whole frame");
    }
    recording->info = raim_recording_info_of(&recording->head, &recording->index);
    recording->info.is_complete = is_complete;
    return true;
}

static bool open_file(struct raim_recording *recording, char *error, size_t capacity)
{
    if (!raim_recording_head_read(recording->bytes, recording->size, &recording->head,
                                  &recording->map, error, capacity))
        return false;
    recording->packer = raim_packer_create();
    if (recording->packer == NULL || !allocate(recording))
        return refuse(error, capacity, "there is no memory for it");
    return find_frames(recording, error, capacity) &&
           (raim_replay_load(recording, 0, false) || refuse(error, capacity, recording->fault.why));
}

struct raim_recording *raim_recording_open(const uint8_t *bytes, size_t size, char *error,
                                           size_t capacity)
{
    struct raim_recording *recording = calloc(1, sizeof *recording);
    if (recording == NULL) {
        refuse(error, capacity, "there is no memory for it");
        return NULL;
    }
    recording->bytes = bytes;
    recording->size = size;
    if (open_file(recording, error, capacity))
        return recording;
    raim_recording_close(recording);
    return NULL;
}

void raim_recording_close(struct raim_recording *recording)
{
    if (recording == NULL)
        return;
    raim_recording_index_free(&recording->index);
    raim_map_destroy(recording->map);
    raim_packer_destroy(recording->packer);
    free(recording->contents);
    free(recording->world);
    free(recording->expected);
    free(recording->events.items);
    raim_world_workspace_destroy(recording->workspace);
    free(recording->inputs);
    free(recording->traffic);
    free(recording->rtts);
    free(recording->members);
    free(recording->reader.difference);
    free(recording->sent.living);
    free(recording->sent.flying);
    free(recording->sent.flew);
    free(recording->sent.sets);
    free(recording->sent.known);
    free(recording->sent.changed);
    free(recording->sent.tick.born);
    free(recording->sent.tick.shooters);
    free(recording);
}

// The last frame that begins before a tick, so that the tick is the result of a step.
static uint32_t find_frame(const struct raim_recording *recording, uint32_t tick)
{
    const struct raim_recording_index *index = &recording->index;
    uint32_t low = 0, high = index->frame_count; // low begins before the tick or is the first
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (index->frames[middle].tick - index->frames[0].tick < tick)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool raim_recording_seek(struct raim_recording *recording, uint32_t tick)
{
    if (tick > recording->info.ticks)
        return false;
    const uint32_t frame = find_frame(recording, tick);
    const bool is_ahead = !recording->has_fault && recording->frame == frame &&
                          recording->tick <= tick && recording->tick > 0;
    if (!is_ahead && !raim_replay_load(recording, frame, false))
        return false;
    while (recording->tick < tick)
        if (!raim_replay_tick(recording))
            return false;
    return true;
}

bool raim_recording_step(struct raim_recording *recording)
{
    const uint32_t before = recording->tick;
    return !recording->has_fault && raim_replay_tick(recording) && recording->tick > before;
}

void raim_recording_skip_sent(struct raim_recording *recording)
{
    free(recording->reader.difference);
    recording->reader.difference = NULL;
    recording->sent.is_skipped = true;
}

const struct raim_recording_info *raim_recording_info(const struct raim_recording *recording)
{
    return &recording->info;
}

const struct raim_chapter *raim_recording_chapters(const struct raim_recording *recording,
                                                   uint32_t *count)
{
    *count = recording->index.chapter_count;
    return recording->index.chapters;
}

const struct raim_recording_player *raim_recording_players(const struct raim_recording *recording,
                                                           uint32_t *count)
{
    *count = recording->index.player_count;
    return recording->index.players;
}

uint32_t raim_recording_tick(const struct raim_recording *recording)
{
    return recording->tick;
}

const struct raim_recording_fault *raim_recording_fault(const struct raim_recording *recording)
{
    return recording->has_fault ? &recording->fault : NULL;
}

void raim_recording_overlook(struct raim_recording *recording)
{
    const enum raim_recording_fault_kind kind = recording->fault.kind;
    if (!recording->has_fault || (kind != RAIM_FAULT_DIGEST && kind != RAIM_FAULT_KILL))
        return;
    recording->has_fault = false;
    recording->overlooks = true;
}

uint32_t raim_recording_comparisons(const struct raim_recording *recording)
{
    return recording->compared;
}

const struct raim_world *raim_recording_expected_world(const struct raim_recording *recording)
{
    const bool differs = recording->has_fault && recording->fault.kind == RAIM_FAULT_KEYFRAME;
    return differs ? recording->expected : NULL;
}

const struct raim_map *raim_recording_map(const struct raim_recording *recording)
{
    return recording->map;
}

const struct raim_world *raim_recording_world(const struct raim_recording *recording)
{
    return recording->world;
}

const struct raim_events *raim_recording_events(const struct raim_recording *recording)
{
    return &recording->events;
}

const raim_input *raim_recording_inputs(const struct raim_recording *recording)
{
    return recording->inputs;
}

// The player in a slot; NULL: it is free.
static const raim_player *player_in(const struct raim_recording *recording, uint32_t slot)
{
    if (slot >= recording->info.max_players)
        return NULL;
    const raim_player *player = &raim_world_players_const(recording->world)[slot];
    return player->id != RAIM_NOBODY ? player : NULL;
}

const char *raim_recording_name(const struct raim_recording *recording, uint32_t slot, bool *is_bot)
{
    if (player_in(recording, slot) == NULL)
        return NULL;
    if (is_bot != NULL)
        *is_bot = recording->members[slot].is_bot;
    return recording->members[slot].name;
}

const struct raim_wire_phase *raim_recording_phase(const struct raim_recording *recording)
{
    return &recording->phase;
}

const struct raim_recording_line *raim_recording_chat(const struct raim_recording *recording,
                                                      uint32_t *count)
{
    *count = recording->chat_count;
    return recording->chat;
}

bool raim_recording_sent(struct raim_recording *recording, uint32_t slot, const uint64_t **players,
                         const uint64_t **bullets)
{
    const struct raim_recording_sets *sent = &recording->sent;
    if (slot >= recording->info.max_players || !raim_set_has(sent->known, slot))
        return false;
    *players = sent->sets + (size_t)slot * raim_sent_words(&sent->tick);
    *bullets = *players + sent->tick.player_words;
    return true;
}

struct raim_recording_traffic raim_recording_traffic(const struct raim_recording *recording,
                                                     uint32_t slot)
{
    if (player_in(recording, slot) == NULL)
        return (struct raim_recording_traffic){.rtt_ms = UINT32_MAX};
    const uint32_t traffic = recording->traffic[slot];
    return (struct raim_recording_traffic){
        .arrivals = traffic >> RAIM_TRAFFIC_SHIFT,
        .is_guessed = (traffic & RAIM_TRAFFIC_GUESSED) != 0,
        .is_missed = (traffic & RAIM_TRAFFIC_MISSED) != 0,
        .is_clamped = (traffic & RAIM_TRAFFIC_CLAMPED) != 0,
        .rtt_ms = recording->rtts[slot],
    };
}
