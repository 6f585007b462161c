// SPDX-License-Identifier: MIT
// The constants of the format of recordings, which proto/RECORDING.md specifies.
#pragma once

#include "wire_limits.h"

#include <stdint.h>

// The version of the format. Change it with any change of the bytes' meaning.
#define RAIM_RECORDING_FORMAT 1

#define RAIM_RECORDING_MAGIC "RAIMREC" // at the beginning of the head's contents, with its NUL
#define RAIM_RECORDING_TAIL "RAIMEND"  // the last bytes of a complete file, with its NUL
#define RAIM_RECORDING_SKIPPABLE 0x184D2A50u // the frame of zstd that decoders skip (RFC 8878)

#define RAIM_RECORDING_FRAME_S 10             // of a data frame
#define RAIM_RECORDING_FRAME_BYTES (8u << 20) // of a data frame's contents, from which on it ends
#define RAIM_RECORDING_MAX_FRAME_BYTES (24u << 20) // a larger one is rejected
#define RAIM_RECORDING_MAX_HEAD_BYTES (5u << 20)
#define RAIM_RECORDING_MAX_INDEX_BYTES (2u << 20)
#define RAIM_RECORDING_MAX_FRAMES 4096
#define RAIM_RECORDING_MAX_CHAPTERS 65536 // later ones are left out
#define RAIM_RECORDING_MAX_PLAYERS 8192   // rows of the player table; later ones are left out
#define RAIM_RECORDING_MAX_CHAT 64        // lines of a tick; later ones are left out
#define RAIM_RECORDING_VERSION_BYTES 31   // of the recording program's version

// The kinds of records, the first byte of each.
enum raim_record_kind {
    RAIM_RECORD_KEYFRAME = 1, // the first of a data frame, and only there
    RAIM_RECORD_NAME,
    RAIM_RECORD_JOIN,
    RAIM_RECORD_LEAVE,
    RAIM_RECORD_AWAY,
    RAIM_RECORD_BACK,
    RAIM_RECORD_CLEAR_BULLETS,
    RAIM_RECORD_BEGIN_ROUND,
    RAIM_RECORD_STEP,
    RAIM_RECORD_SKIP,
    RAIM_RECORD_HOLD_POSITIONS,
    RAIM_RECORD_KILL,
    RAIM_RECORD_PHASE,
    RAIM_RECORD_CHAT,
    RAIM_RECORD_RTT,
    RAIM_RECORD_SENT,
    RAIM_RECORD_DIGEST,
    RAIM_RECORD_END, // of a tick
    RAIM_RECORD_KINDS
};

// An entry of a STEP: the flags of its head.
enum { RAIM_STEP_AIM = 1, RAIM_STEP_KEYS = 2, RAIM_STEP_REWIND = 4, RAIM_STEP_TRAFFIC = 8 };
#define RAIM_STEP_GAP_SHIFT                                                                        \
    4 // above the flags: the distance to the entry's slot, 0: a number follows

// The traffic of a client in a tick, in a byte: the messages that arrived, up to the most, above
// the flags.
enum {
    RAIM_TRAFFIC_GUESSED = 1,
    RAIM_TRAFFIC_MISSED = 2,
    RAIM_TRAFFIC_CLAMPED = 4,
    RAIM_TRAFFIC_SHIFT = 3
};
#define RAIM_TRAFFIC_MAX 31
