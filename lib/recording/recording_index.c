// SPDX-License-Identifier: MIT
// Writes and reads indexes.
#include "recording_index.h"

#include "digest.h"
#include "recording_bytes.h"
#include "recording_frame.h"

#include <stdlib.h>

// Bytes of the parts of an index.
enum {
    FIXED = 4 + 4 + 2 + 2 + 1 + RAIM_MAX_NAME_BYTES + 8 + 3 * 4, // at most
    FRAME = 8 + 4,
    CHAPTER = 4 + 1 + 2 + 2 + 2,
    PLAYER = 2 + 1 + 4 * 4 + 1 + RAIM_MAX_NAME_BYTES, // at most
    DIGEST = 8,
    FOOTER = 4 + sizeof RAIM_RECORDING_TAIL,
};

// A frame is of this many ticks at most, at the highest tick rate.
enum { MAX_FRAME_TICKS = 2 * RAIM_RECORDING_FRAME_S * 240 };

void raim_recording_index_free(struct raim_recording_index *index)
{
    free(index->frames);
    free(index->chapters);
    free(index->players);
    *index = (struct raim_recording_index){0};
}

static void write_tables(raim_writer *writer, const struct raim_recording_index *index)
{
    raim_write_bits(writer, index->frame_count, 32);
    for (uint32_t i = 0; i < index->frame_count; i++) {
        raim_write_u64(writer, index->frames[i].offset);
        raim_write_bits(writer, index->frames[i].tick, 32);
    }
    raim_write_bits(writer, index->chapter_count, 32);
    for (uint32_t i = 0; i < index->chapter_count; i++) {
        const struct raim_chapter *chapter = &index->chapters[i];
        // What happens after the last tick is shown by it.
        raim_write_bits(writer, chapter->tick < index->ticks ? chapter->tick : index->ticks, 32);
        raim_write_bits(writer, chapter->kind, 8);
        raim_write_bits(writer, chapter->player, 16);
        raim_write_bits(writer, chapter->victim, 16);
        raim_write_bits(writer, chapter->round, 16);
    }
    raim_write_bits(writer, index->player_count, 32);
    for (uint32_t i = 0; i < index->player_count; i++) {
        const struct raim_recording_player *player = &index->players[i];
        raim_write_bits(writer, player->id, 16);
        raim_write_bits(writer, player->is_bot, 8);
        raim_write_bits(writer, player->score, 32);
        raim_write_bits(writer, player->deaths, 32);
        raim_write_bits(writer, player->joined, 32);
        raim_write_bits(writer, player->left, 32);
        raim_write_short_text(writer, player->name);
    }
}

uint8_t *raim_recording_index_write(const struct raim_recording_index *index, size_t *size)
{
    const size_t most = FIXED + (size_t)index->frame_count * FRAME +
                        (size_t)index->chapter_count * CHAPTER +
                        (size_t)index->player_count * PLAYER;
    uint8_t *frame = malloc(RAIM_SKIPPABLE_HEAD_BYTES + most + DIGEST + FOOTER);
    if (frame == NULL)
        return NULL;
    uint8_t *contents = frame + RAIM_SKIPPABLE_HEAD_BYTES;
    raim_writer writer = raim_writer_make(contents, most);
    raim_write_bits(&writer, index->ticks, 32);
    raim_write_bits(&writer, index->round, 32);
    raim_write_bits(&writer, index->clients, 16);
    raim_write_bits(&writer, index->bots, 16);
    raim_write_short_text(&writer, index->winner);
    raim_write_u64(&writer, index->end);
    write_tables(&writer, index);
    const size_t written = raim_writer_finish(&writer);
    *size = RAIM_SKIPPABLE_HEAD_BYTES + written + DIGEST + FOOTER;
    raim_skippable_head(frame, *size - RAIM_SKIPPABLE_HEAD_BYTES);
    writer = raim_writer_make(contents + written, DIGEST + FOOTER);
    raim_write_u64(&writer, raim_digest(contents, written));
    raim_write_bits(&writer, (uint32_t)*size, 32);
    for (size_t i = 0; i < sizeof RAIM_RECORDING_TAIL; i++)
        raim_write_bits(&writer, (uint8_t)RAIM_RECORDING_TAIL[i], 8);
    raim_writer_finish(&writer);
    return frame;
}

// Reads the number of a table's rows, of at least `bytes` bytes each, and allocates it.
static void *read_table(raim_reader *reader, uint32_t most, uint32_t bytes, size_t row_size,
                        uint32_t *count)
{
    const uint32_t rows = raim_read_bits(reader, 32);
    void *table = NULL;
    if (!reader->failed && rows <= most && rows <= (reader->size - reader->offset / 8) / bytes)
        table = calloc((size_t)rows + 1, row_size);
    reader->failed = reader->failed || table == NULL;
    *count = table != NULL ? rows : 0;
    return table;
}

static void read_frames(raim_reader *reader, struct raim_recording_index *index)
{
    index->frames = read_table(reader, RAIM_RECORDING_MAX_FRAMES, FRAME, sizeof *index->frames,
                               &index->frame_count);
    for (uint32_t i = 0; i < index->frame_count; i++) {
        index->frames[i].offset = raim_read_u64(reader);
        index->frames[i].tick = raim_read_bits(reader, 32);
        const uint32_t offset = index->frames[i].tick - index->frames[0].tick;
        const uint32_t length = i > 0 ? index->frames[i].tick - index->frames[i - 1].tick : 1;
        if (offset > index->ticks || index->frames[i].offset >= index->end || length == 0 ||
            length > MAX_FRAME_TICKS ||
            (i > 0 && index->frames[i].offset <= index->frames[i - 1].offset))
            reader->failed = true;
    }
    if (index->frame_count == 0 ||
        index->ticks + index->frames[0].tick - index->frames[index->frame_count - 1].tick >
            MAX_FRAME_TICKS)
        reader->failed = true;
}

static void read_chapters(raim_reader *reader, struct raim_recording_index *index)
{
    index->chapters = read_table(reader, RAIM_RECORDING_MAX_CHAPTERS, CHAPTER,
                                 sizeof *index->chapters, &index->chapter_count);
    for (uint32_t i = 0; i < index->chapter_count; i++) {
        struct raim_chapter *chapter = &index->chapters[i];
        chapter->tick = raim_read_bits(reader, 32);
        const uint32_t kind = raim_read_bits(reader, 8);
        chapter->kind = (enum raim_chapter_kind)(kind % RAIM_CHAPTER_KINDS);
        chapter->player = (raim_player_id)raim_read_bits(reader, 16);
        chapter->victim = (raim_player_id)raim_read_bits(reader, 16);
        chapter->round = raim_read_bits(reader, 16);
        if (kind >= RAIM_CHAPTER_KINDS || chapter->tick > index->ticks ||
            (i > 0 && chapter->tick < index->chapters[i - 1].tick))
            reader->failed = true;
    }
}

static void read_players(raim_reader *reader, struct raim_recording_index *index)
{
    index->players = read_table(reader, RAIM_RECORDING_MAX_PLAYERS, PLAYER - RAIM_MAX_NAME_BYTES,
                                sizeof *index->players, &index->player_count);
    for (uint32_t i = 0; i < index->player_count; i++) {
        struct raim_recording_player *player = &index->players[i];
        player->id = (raim_player_id)raim_read_bits(reader, 16);
        const uint32_t is_bot = raim_read_bits(reader, 8);
        player->is_bot = is_bot == 1;
        player->score = raim_read_bits(reader, 32);
        player->deaths = raim_read_bits(reader, 32);
        player->joined = raim_read_bits(reader, 32);
        player->left = raim_read_bits(reader, 32);
        raim_read_short_text(reader, player->name, RAIM_MAX_NAME_BYTES);
        reader->failed = reader->failed || is_bot > 1 || player->id == RAIM_NOBODY;
    }
}

size_t raim_recording_index_size(const uint8_t footer[RAIM_RECORDING_FOOTER_BYTES])
{
    static_assert(FOOTER == RAIM_RECORDING_FOOTER_BYTES, "a size and the tail");
    raim_reader reader = raim_reader_make(footer, 4);
    const size_t size = raim_read_bits(&reader, 32);
    return memcmp(footer + 4, RAIM_RECORDING_TAIL, sizeof RAIM_RECORDING_TAIL) == 0 ? size : 0;
}

bool raim_recording_index_find(struct raim_recording_index *index, const uint8_t *bytes,
                               size_t size)
{
    const size_t index_size = size >= FOOTER ? raim_recording_index_size(bytes + size - FOOTER) : 0;
    *index = (struct raim_recording_index){0};
    return index_size > 0 && index_size <= size &&
           raim_recording_index_read(index, bytes + size - index_size, index_size,
                                     size - index_size);
}

bool raim_recording_index_read(struct raim_recording_index *index, const uint8_t *bytes,
                               size_t size, uint64_t offset)
{
    *index = (struct raim_recording_index){0};
    const struct raim_frame frame = raim_frame_at(bytes, size);
    if (frame.kind != RAIM_FRAME_SKIPPABLE || frame.size != size ||
        size > RAIM_RECORDING_MAX_INDEX_BYTES || frame.contents_size < DIGEST + FOOTER)
        return false;
    const size_t contents_size = frame.contents_size - DIGEST - FOOTER;
    raim_reader digest = raim_reader_make(frame.contents + contents_size, DIGEST);
    if (raim_read_u64(&digest) != raim_digest(frame.contents, contents_size))
        return false;
    raim_reader reader = raim_reader_make(frame.contents, contents_size);
    index->ticks = raim_read_bits(&reader, 32);
    index->round = raim_read_bits(&reader, 32);
    index->clients = raim_read_bits(&reader, 16);
    index->bots = raim_read_bits(&reader, 16);
    raim_read_short_text(&reader, index->winner, RAIM_MAX_NAME_BYTES);
    index->end = raim_read_u64(&reader);
    if (!reader.failed)
        read_frames(&reader, index);
    if (!reader.failed)
        read_chapters(&reader, index);
    if (!reader.failed)
        read_players(&reader, index);
    return raim_reader_done(&reader) && index->end == offset;
}
