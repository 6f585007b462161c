// SPDX-License-Identifier: MIT
// Infos and summaries of recordings.
#include "recording_info.h"

#include "recording_frame.h"

#include <stdlib.h>
#include <string.h>

struct raim_recording_info raim_recording_info_of(const struct raim_recording_head *head,
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
        why = bytes == NULL ? "there is no memory for it" : "it cannot be read";
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
    uint8_t *bytes = copy(source, 0, size, RAIM_RECORDING_MOST_HEAD_BYTES, error, capacity);
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
        uint8_t *bytes = copy(source, source->size - size, size, RAIM_RECORDING_MOST_INDEX_BYTES,
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
