// SPDX-License-Identifier: MIT
// Collects an index from data frames.
#include "recording_index.h"

#include "recording_input_reader.h"

#include <stdlib.h>
#include <string.h>

// The state of adding a frame.
struct collecting {
    struct raim_recording_index *index;
    const struct raim_recording_scene *scene;
    const uint8_t *world; // of the keyframe
    uint32_t steps;       // up to now
    bool is_in_tick;
    enum raim_index_result result;
};

// Makes room for another row of a table. Returns the table, NULL where memory runs out.
static void *grow(void *rows, uint32_t count, uint32_t *capacity, size_t row_size)
{
    if (count < *capacity)
        return rows;
    const uint32_t more = *capacity > 0 ? 2 * *capacity : 64;
    void *grown = realloc(rows, more * row_size);
    if (grown != NULL)
        *capacity = more;
    return grown;
}

// The offset of the tick that shows what happens now.
static uint32_t tick_now(const struct collecting *collecting)
{
    return collecting->steps + !collecting->is_in_tick;
}

static void add_chapter(struct collecting *collecting, struct raim_chapter chapter)
{
    struct raim_recording_index *index = collecting->index;
    if (index->chapter_count == RAIM_RECORDING_MAX_CHAPTERS)
        return;
    struct raim_chapter *chapters =
        grow(index->chapters, index->chapter_count, &index->chapter_capacity, sizeof chapter);
    if (chapters == NULL) {
        collecting->result = RAIM_INDEX_MEMORY;
        return;
    }
    index->chapters = chapters;
    chapters[index->chapter_count++] = chapter;
}

static struct raim_recording_player *player_at(struct raim_recording_index *index, uint32_t slot)
{
    const uint32_t row = index->rows[slot];
    return row > 0 ? &index->players[row - 1] : NULL;
}

// The present player with an id; NULL: there is none, or no row was left.
static struct raim_recording_player *find_player(struct raim_recording_index *index,
                                                 raim_player_id id)
{
    struct raim_recording_player *player = player_at(index, raim_player_slot(id));
    return player != NULL && player->id == id ? player : NULL;
}

static void add_player(struct collecting *collecting, const struct raim_record *record,
                       uint32_t joined)
{
    struct raim_recording_index *index = collecting->index;
    index->rows[raim_player_slot(record->id)] = 0;
    if (index->player_count == RAIM_RECORDING_MAX_PLAYERS)
        return;
    struct raim_recording_player *players =
        grow(index->players, index->player_count, &index->player_capacity, sizeof *index->players);
    if (players == NULL) {
        collecting->result = RAIM_INDEX_MEMORY;
        return;
    }
    index->players = players;
    struct raim_recording_player *player = &players[index->player_count++];
    *player = (struct raim_recording_player){
        .id = record->id,
        .is_bot = record->is_bot,
        .joined = joined,
        .left = UINT32_MAX,
    };
    memcpy(player->name, record->text, sizeof player->name);
    index->rows[raim_player_slot(record->id)] = index->player_count;
    *(record->is_bot ? &index->bots : &index->clients) += 1;
}

// A player of the keyframe, who may have been there in the frame before.
static void name_player(struct collecting *collecting, const struct raim_record *record)
{
    struct raim_recording_index *index = collecting->index;
    const uint32_t slot = raim_player_slot(record->id);
    raim_player state; // the contents of a frame are not aligned
    memcpy(&state, collecting->world + sizeof(struct raim_world) + slot * sizeof state,
           sizeof state);
    if (state.id != record->id) {
        collecting->result = RAIM_INDEX_INVALID;
        return;
    }
    if (find_player(index, record->id) == NULL)
        add_player(collecting, record, collecting->steps);
    struct raim_recording_player *player = find_player(index, record->id);
    if (player == NULL)
        return;
    player->score = state.score;
    player->deaths = state.deaths;
}

static void join(struct collecting *collecting, const struct raim_record *record)
{
    add_player(collecting, record, tick_now(collecting));
    add_chapter(collecting, (struct raim_chapter){.tick = tick_now(collecting),
                                                  .kind = RAIM_CHAPTER_JOIN,
                                                  .player = record->id});
}

static void leave(struct collecting *collecting, raim_player_id id)
{
    struct raim_recording_index *index = collecting->index;
    struct raim_recording_player *player = find_player(index, id);
    if (player != NULL)
        player->left = tick_now(collecting);
    index->rows[raim_player_slot(id)] = 0;
    add_chapter(collecting, (struct raim_chapter){.tick = tick_now(collecting),
                                                  .kind = RAIM_CHAPTER_LEAVE,
                                                  .player = id});
}

static void count_kill(struct collecting *collecting, const struct raim_record *record)
{
    struct raim_recording_player *killer = find_player(collecting->index, record->id);
    struct raim_recording_player *victim = find_player(collecting->index, record->victim);
    if (killer != NULL)
        killer->score++;
    if (victim != NULL)
        victim->deaths++;
    add_chapter(collecting, (struct raim_chapter){.tick = tick_now(collecting),
                                                  .kind = RAIM_CHAPTER_KILL,
                                                  .player = record->id,
                                                  .victim = record->victim});
}

static void reset_scores(struct raim_recording_index *index, uint32_t slots)
{
    for (uint32_t slot = 0; slot < slots; slot++) {
        struct raim_recording_player *player = player_at(index, slot);
        if (player != NULL)
            player->score = player->deaths = 0;
    }
}

static void change_phase(struct collecting *collecting, const struct raim_wire_phase *phase)
{
    struct raim_recording_index *index = collecting->index;
    struct raim_chapter chapter = {.tick = tick_now(collecting), .round = phase->round};
    if (phase->phase == RAIM_PHASE_PLAY && phase->round != index->present_round) {
        index->present_round = phase->round;
        chapter.kind = RAIM_CHAPTER_ROUND;
        add_chapter(collecting, chapter);
    } else if (phase->phase == RAIM_PHASE_BREAK && index->present_round != 0) {
        const struct raim_recording_player *winner =
            find_player(index, (raim_player_id)phase->winner);
        index->present_round = 0;
        memset(index->winner, 0, sizeof index->winner);
        if (winner != NULL)
            memcpy(index->winner, winner->name, sizeof index->winner);
        chapter.kind = RAIM_CHAPTER_ROUND_END;
        chapter.player = (raim_player_id)phase->winner;
        add_chapter(collecting, chapter);
    }
}

// The first two records of a frame: the world and the phase.
static void begin(struct collecting *collecting, struct raim_recording_input_reader *reader)
{
    struct raim_recording_index *index = collecting->index;
    struct raim_record keyframe, phase;
    struct raim_world world;
    collecting->result = RAIM_INDEX_INVALID;
    if (!raim_recording_input_read(reader, &keyframe) || keyframe.kind != RAIM_RECORD_KEYFRAME ||
        !raim_recording_input_read(reader, &phase) || phase.kind != RAIM_RECORD_PHASE)
        return;
    memcpy(&world, keyframe.world, sizeof world);
    if (index->frame_count > 0 && (world.tick - index->frames[0].tick != index->ticks ||
                                   world.tick == index->frames[index->frame_count - 1].tick))
        return;
    collecting->result = RAIM_INDEX_OK;
    collecting->world = keyframe.world;
    struct raim_frame_entry *frames =
        grow(index->frames, index->frame_count, &index->frame_capacity, sizeof *frames);
    if (frames == NULL) {
        collecting->result = RAIM_INDEX_MEMORY;
        return;
    }
    index->frames = frames;
    frames[index->frame_count].tick = world.tick;
    collecting->is_in_tick = true; // the keyframe shows its phase
    change_phase(collecting, &phase.phase);
    collecting->is_in_tick = false;
    if (index->frame_count == 0)
        index->round = phase.phase.round;
}

static void collect(struct collecting *collecting, const struct raim_record *record)
{
    switch (record->kind) {
    case RAIM_RECORD_NAME:
        name_player(collecting, record);
        break;
    case RAIM_RECORD_JOIN:
        join(collecting, record);
        break;
    case RAIM_RECORD_LEAVE:
        leave(collecting, record->id);
        break;
    case RAIM_RECORD_KILL:
        count_kill(collecting, record);
        break;
    case RAIM_RECORD_BEGIN_ROUND:
        reset_scores(collecting->index, collecting->scene->max_players);
        break;
    case RAIM_RECORD_PHASE:
        change_phase(collecting, &record->phase);
        break;
    case RAIM_RECORD_STEP:
    case RAIM_RECORD_SKIP:
        collecting->steps++;
        collecting->is_in_tick = true;
        break;
    case RAIM_RECORD_END:
        collecting->is_in_tick = false;
        break;
    case RAIM_RECORD_KEYFRAME:
        collecting->result = RAIM_INDEX_INVALID;
        break;
    case RAIM_RECORD_AWAY:
    case RAIM_RECORD_BACK:
    case RAIM_RECORD_CLEAR_BULLETS:
    case RAIM_RECORD_HOLD_POSITIONS:
    case RAIM_RECORD_CHAT:
    case RAIM_RECORD_RTT:
    case RAIM_RECORD_SENT:
    case RAIM_RECORD_DIGEST:
    case RAIM_RECORD_KINDS:
        break;
    }
}

// Whether an id is one that a player of this recording can have.
static bool is_id(const struct raim_recording_scene *scene, raim_player_id id)
{
    return id >= RAIM_MAX_PLAYERS && raim_player_slot(id) < scene->max_players;
}

static bool has_ids(const struct raim_recording_scene *scene, const struct raim_record *record)
{
    switch (record->kind) {
    case RAIM_RECORD_NAME:
    case RAIM_RECORD_JOIN:
    case RAIM_RECORD_LEAVE:
        return is_id(scene, record->id);
    case RAIM_RECORD_KILL:
        return is_id(scene, record->id) && is_id(scene, record->victim);
    case RAIM_RECORD_PHASE:
        return record->phase.winner == RAIM_NOBODY ||
               is_id(scene, (raim_player_id)record->phase.winner);
    default:
        return true;
    }
}

enum raim_index_result raim_recording_index_add(struct raim_recording_index *index,
                                                const struct raim_recording_scene *scene,
                                                uint64_t offset, size_t size,
                                                const uint8_t *contents, size_t contents_size)
{
    struct raim_recording_input_reader reader =
        raim_recording_input_reader_make(scene, contents, contents_size);
    struct collecting collecting = {.index = index, .scene = scene, .steps = index->ticks};
    const struct raim_recording_index before = *index; // 4 KB, once in ten seconds
    if (index->frame_count == RAIM_RECORDING_MAX_FRAMES)
        return RAIM_INDEX_INVALID;
    begin(&collecting, &reader);
    struct raim_record record;
    while (collecting.result == RAIM_INDEX_OK && raim_recording_input_read(&reader, &record)) {
        if (has_ids(scene, &record))
            collect(&collecting, &record);
        else
            collecting.result = RAIM_INDEX_INVALID;
    }
    if (collecting.result == RAIM_INDEX_OK &&
        (reader.has_failed ||
         collecting.steps - index->ticks > 2 * RAIM_RECORDING_FRAME_S * scene->tick_hz))
        collecting.result = RAIM_INDEX_INVALID;
    if (collecting.result != RAIM_INDEX_OK) {
        index->chapter_count = before.chapter_count;
        index->player_count = before.player_count;
        index->clients = before.clients;
        index->bots = before.bots;
        memcpy(index->winner, before.winner, sizeof index->winner);
        return collecting.result;
    }
    index->frames[index->frame_count++].offset = offset;
    index->end = offset + size;
    index->ticks = collecting.steps;
    return RAIM_INDEX_OK;
}
