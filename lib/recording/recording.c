// SPDX-License-Identifier: MIT
// Opens recordings, and goes to their ticks.
#include "recording.h"

#include "frame.h"
#include "recording_frame.h"
#include "recording_index.h"
#include "recording_internal.h"
#include "recording_writer.h"

#include <stdlib.h>
#include <string.h>

// Collects the index of a file that has none, from all of its whole data frames.
// Thread rule: the functions keep no state; any thread may call them.

// All frames together are at most this many bytes of contents, so that a small file cannot take
// long.
static const uint64_t most_contents = (uint64_t)16 << 30;

// Fills an empty index with the whole frames after the head, up to the first bytes that are no
// frame continuing those before. Returns false where memory runs out.
static bool raim_recording_scan(struct raim_recording_index *index, struct raim_unpacker *unpacker,
                                const struct raim_recording_head *head, const uint8_t *bytes,
                                size_t size)
{
    uint8_t *contents = NULL;
    size_t capacity = 0;
    uint64_t total = 0;
    bool has_memory = true;
    for (size_t at = head->size; at < size;) {
        const struct raim_frame frame = raim_frame_at(bytes + at, size - at);
        total += frame.contents_size;
        if (frame.kind != RAIM_FRAME_DATA || total > most_contents)
            break;
        if (frame.contents_size > capacity) {
            free(contents);
            contents = malloc(frame.contents_size);
            capacity = frame.contents_size;
        }
        has_memory = contents != NULL;
        if (!has_memory || !raim_unpack(unpacker, bytes + at, &frame, contents))
            break;
        const enum raim_index_result result = raim_recording_index_add(
            index, &head->scene, at, frame.size, contents, frame.contents_size);
        has_memory = result != RAIM_INDEX_MEMORY;
        if (result != RAIM_INDEX_OK)
            break;
        at += frame.size;
    }
    free(contents);
    return has_memory;
}

size_t raim_recording_head_size(const uint8_t *bytes, size_t size)
{
    struct raim_recording_head head;
    char error[RAIM_RECORDING_ERROR_BYTES];
    return raim_recording_head_read(bytes, size, &head, NULL, error, sizeof error) ? head.size : 0;
}

static bool rebuild(const uint8_t *bytes, size_t size, const struct raim_recording_head *head,
                    struct raim_recording_rest *rest, char *error, size_t capacity)
{
    struct raim_recording_index index;
    const bool is_complete = raim_recording_index_find(&index, bytes, size);
    raim_recording_index_free(&index);
    if (is_complete) {
        rest->keep = size;
        return true;
    }
    struct raim_unpacker *unpacker = raim_unpacker_create();
    const bool has_memory =
        unpacker != NULL && raim_recording_scan(&index, unpacker, head, bytes, size);
    raim_unpacker_destroy(unpacker);
    if (has_memory && index.frame_count > 0) {
        rest->keep = (size_t)index.end;
        rest->index = raim_recording_index_write(&index, &rest->index_size);
    }
    raim_recording_index_free(&index);
    if (rest->index == NULL)
        raim_recording_explain(
            error, capacity,
            (const char *const[]){
                rest->keep > 0 || !has_memory ? "out of memory" : "it holds no whole frame", NULL});
    return rest->index != NULL;
}

bool raim_recording_rebuild(const uint8_t *bytes, size_t size, struct raim_recording_rest *rest,
                            char *error, size_t capacity)
{
    struct raim_recording_head head;
    *rest = (struct raim_recording_rest){0};
    return raim_recording_head_read(bytes, size, &head, NULL, error, capacity) &&
           rebuild(bytes, size, &head, rest, error, capacity);
}

// What a head and an index tell of a recording.
// Thread rule: the functions are pure; any thread may call them.

// The info of a recording with at least one frame; `is_complete` is not set.
static struct raim_recording_info raim_recording_info_of(const struct raim_recording_head *head,
                                                         const struct raim_recording_index *index)
{
    const struct raim_recording_scene *scene = &head->scene;
    struct raim_recording_info info = {
        .format = head->format,
        .layout = head->layout,
        .round = index->round,
        .tick_hz = scene->tick_hz,
        .max_players = scene->max_players,
        .view_width = scene->view_width,
        .view_height = scene->view_height,
        .sight = scene->sight,
        .rules = scene->rules,
        .first_tick = index->frames[0].tick,
        .ticks = index->ticks,
        .whole_bytes = index->end,
        .clients = index->clients,
        .bots = index->bots,
    };
    // A clip begins later than the head says.
    const int64_t late = (int64_t)(info.first_tick - head->first_tick) * 1000 / scene->tick_hz;
    info.start_unix_ms = (int64_t)((uint64_t)head->start_unix_ms + (uint64_t)late);
    memcpy(info.version, scene->version, sizeof info.version);
    memcpy(info.arena, scene->arena, sizeof info.arena);
    memcpy(info.map, head->map_name, sizeof info.map);
    memcpy(info.winner, index->winner, sizeof info.winner);
    return info;
}

// Copies `count` bytes of a file, which the caller frees. Returns NULL, with a reason, where that
// is more than `most`, or not there.
static uint8_t *copy(const struct raim_recording_source *source, uint64_t offset, uint64_t count,
                     uint64_t most, char *error, size_t capacity)
{
    const char *why = "it is no recording, or cut short";
    uint8_t *bytes = NULL;
    if (count <= most && count <= source->size && offset <= source->size - count) {
        bytes = malloc((size_t)count);
        why = bytes == NULL ? "out of memory" : "it cannot be read";
        if (bytes != NULL && source->read(source->context, offset, bytes, (size_t)count))
            return bytes;
    }
    free(bytes);
    raim_recording_explain(error, capacity, (const char *const[]){why, NULL});
    return NULL;
}

static bool read_head(const struct raim_recording_source *source, struct raim_recording_head *head,
                      char *error, size_t capacity)
{
    uint8_t *start = copy(source, 0, RAIM_SKIPPABLE_HEAD_BYTES, UINT64_MAX, error, capacity);
    const uint64_t size = start != NULL ? raim_skippable_size(start) : 0;
    free(start);
    if (start == NULL)
        return false;
    uint8_t *bytes = copy(source, 0, size, RAIM_RECORDING_MAX_HEAD_BYTES, error, capacity);
    const bool is_good =
        bytes != NULL && raim_recording_head_read(bytes, (size_t)size, head, NULL, error, capacity);
    free(bytes);
    return is_good;
}

static bool read_index(const struct raim_recording_source *source,
                       struct raim_recording_index *index, char *error, size_t capacity)
{
    const uint64_t tail = RAIM_RECORDING_FOOTER_BYTES;
    uint8_t *footer = copy(source, source->size - tail, tail, UINT64_MAX, error, capacity);
    const uint64_t size = footer != NULL ? raim_recording_index_size(footer) : 0;
    free(footer);
    if (footer == NULL)
        return false;
    if (size > 0) {
        uint8_t *bytes = copy(source, source->size - size, size, RAIM_RECORDING_MAX_INDEX_BYTES,
                              error, capacity);
        const bool is_good = bytes != NULL && raim_recording_index_read(index, bytes, (size_t)size,
                                                                        source->size - size);
        free(bytes);
        if (is_good)
            return true;
    }
    raim_recording_explain(
        error, capacity,
        (const char *const[]){"it has no index: it was not finished, or is damaged", NULL});
    return false;
}

static int by_score(const void *left, const void *right)
{
    const struct raim_recording_player *a = left, *b = right;
    if (a->is_bot != b->is_bot)
        return a->is_bot ? 1 : -1;
    return (a->score < b->score) - (a->score > b->score);
}

bool raim_recording_peek(const struct raim_recording_source *source,
                         struct raim_recording_summary *summary, char *error, size_t capacity)
{
    struct raim_recording_head head;
    struct raim_recording_index index = {0};
    *summary = (struct raim_recording_summary){0};
    const bool is_good =
        read_head(source, &head, error, capacity) && read_index(source, &index, error, capacity);
    if (is_good) {
        summary->info = raim_recording_info_of(&head, &index);
        summary->info.is_complete = true;
        qsort(index.players, index.player_count, sizeof *index.players, by_score);
        for (uint32_t i = 0; i < index.player_count && i < RAIM_RECORDING_LISTED; i++) {
            const struct raim_recording_player *player = &index.players[i];
            if (player->is_bot)
                break;
            memcpy(summary->players[i].name, player->name, sizeof player->name);
            summary->players[i].score = player->score;
            summary->players[i].deaths = player->deaths;
            summary->listed++;
        }
    }
    raim_recording_index_free(&index);
    return is_good;
}

bool raim_recording_is_foreign(const uint8_t *bytes, size_t size)
{
    struct raim_recording_head head;
    char error[RAIM_RECORDING_ERROR_BYTES];
    return !raim_recording_head_read(bytes, size, &head, NULL, error, sizeof error) &&
           head.is_foreign;
}

static bool reject(char *error, size_t capacity, const char *why)
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
        if (!raim_recording_scan(&recording->index, recording->unpacker, &recording->head,
                                 recording->bytes, recording->size))
            return reject(error, capacity, "out of memory");
        if (recording->index.frame_count == 0)
            return reject(error, capacity, "it holds no whole frame");
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
    recording->unpacker = raim_unpacker_create();
    if (recording->unpacker == NULL || !allocate(recording))
        return reject(error, capacity, "out of memory");
    return find_frames(recording, error, capacity) &&
           (raim_replay_load(recording, 0, false) || reject(error, capacity, recording->fault.why));
}

struct raim_recording *raim_recording_open(const uint8_t *bytes, size_t size, char *error,
                                           size_t capacity)
{
    struct raim_recording *recording = calloc(1, sizeof *recording);
    if (recording == NULL) {
        reject(error, capacity, "out of memory");
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
    raim_unpacker_destroy(recording->unpacker);
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
