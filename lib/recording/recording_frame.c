// SPDX-License-Identifier: MIT
// Compresses and finds frames by libzstd.
#include "recording_frame.h"

#include "recording_format.h"

#include <zstd.h>

#include <assert.h>
#include <stdlib.h>

// zstd's default: the recorder's thread compresses an hour of 64 players in seconds.
enum { LEVEL = 3 };

// The frame header's descriptor, after the magic number (RFC 8878, 3.1.1.1.1).
enum { DESCRIPTOR = 4, HAS_CHECKSUM = 4 };

// The two contexts of libzstd are its own opaque types.

struct raim_packer *raim_packer_create(void)
{
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    if (compressor != NULL &&
        (ZSTD_isError(ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, LEVEL)) ||
         ZSTD_isError(ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1)))) {
        ZSTD_freeCCtx(compressor);
        compressor = NULL;
    }
    return (struct raim_packer *)compressor;
}

void raim_packer_destroy(struct raim_packer *packer)
{
    ZSTD_freeCCtx((ZSTD_CCtx *)packer);
}

struct raim_unpacker *raim_unpacker_create(void)
{
    return (struct raim_unpacker *)ZSTD_createDCtx();
}

void raim_unpacker_destroy(struct raim_unpacker *unpacker)
{
    ZSTD_freeDCtx((ZSTD_DCtx *)unpacker);
}

size_t raim_packed_bound(size_t size)
{
    return ZSTD_compressBound(size);
}

size_t raim_pack(struct raim_packer *packer, const uint8_t *contents, size_t size, uint8_t *frame,
                 size_t capacity)
{
    const size_t packed = ZSTD_compress2((ZSTD_CCtx *)packer, frame, capacity, contents, size);
    return ZSTD_isError(packed) ? 0 : packed;
}

static uint32_t read_u32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static struct raim_frame data_frame_at(const uint8_t *bytes, size_t size)
{
    const struct raim_frame none = {.kind = RAIM_FRAME_NONE};
    const unsigned long long contents = ZSTD_getFrameContentSize(bytes, size);
    if (contents == ZSTD_CONTENTSIZE_UNKNOWN || contents == ZSTD_CONTENTSIZE_ERROR ||
        contents == 0 || contents > RAIM_RECORDING_MAX_FRAME_BYTES ||
        (bytes[DESCRIPTOR] & HAS_CHECKSUM) == 0)
        return none;
    const size_t packed = ZSTD_findFrameCompressedSize(bytes, size);
    if (ZSTD_isError(packed))
        return none;
    return (struct raim_frame){RAIM_FRAME_DATA, packed, (size_t)contents, NULL};
}

struct raim_frame raim_frame_at(const uint8_t *bytes, size_t size)
{
    const struct raim_frame none = {.kind = RAIM_FRAME_NONE};
    if (size < RAIM_SKIPPABLE_HEAD_BYTES)
        return none;
    if (read_u32(bytes) == ZSTD_MAGICNUMBER)
        return data_frame_at(bytes, size);
    const size_t contents = read_u32(bytes + 4);
    if (read_u32(bytes) != RAIM_RECORDING_SKIPPABLE || contents > size - RAIM_SKIPPABLE_HEAD_BYTES)
        return none;
    return (struct raim_frame){RAIM_FRAME_SKIPPABLE, RAIM_SKIPPABLE_HEAD_BYTES + contents, contents,
                               bytes + RAIM_SKIPPABLE_HEAD_BYTES};
}

bool raim_unpack(struct raim_unpacker *unpacker, const uint8_t *bytes,
                 const struct raim_frame *frame, uint8_t *contents)
{
    assert(frame->kind == RAIM_FRAME_DATA);
    return ZSTD_decompressDCtx((ZSTD_DCtx *)unpacker, contents, frame->contents_size, bytes,
                               frame->size) == frame->contents_size;
}

void raim_skippable_head(uint8_t head[RAIM_SKIPPABLE_HEAD_BYTES], size_t size)
{
    assert(size <= UINT32_MAX);
    for (uint32_t i = 0; i < 4; i++) {
        head[i] = (uint8_t)(RAIM_RECORDING_SKIPPABLE >> (8 * i));
        head[4 + i] = (uint8_t)(size >> (8 * i));
    }
}

uint64_t raim_skippable_size(const uint8_t head[RAIM_SKIPPABLE_HEAD_BYTES])
{
    return read_u32(head) == RAIM_RECORDING_SKIPPABLE
               ? (uint64_t)RAIM_SKIPPABLE_HEAD_BYTES + read_u32(head + 4)
               : 0;
}
