// SPDX-License-Identifier: MIT
// Reads and replays recordings: rebuilds the map and the world, and steps them through the
// recorded inputs. No byte is trusted: a file that no match can have written is rejected, or stops
// with a fault, and costs bounded memory and time.
// A tick is counted from the recording's first: offset 0 is the first keyframe, offset n the world
// after n steps. Ids, scores and names are as in lib/world and on the wire; names and chat are
// UTF-8 of strangers. Thread rule: a recording belongs to one thread at a time. It borrows the
// file's bytes, which must not change.
#pragma once

#include "phase.h"
#include "recording_format.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_recording;

#define RAIM_RECORDING_ERROR_BYTES 160 // of an explanation, with the closing NUL

struct raim_recording_info {
    uint32_t format;
    uint32_t layout;                                // RAIM_WORLD_LAYOUT of its program
    char version[RAIM_RECORDING_VERSION_BYTES + 1]; // of its program
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    char map[RAIM_MAP_NAME_BYTES];
    uint32_t round; // in which it begins
    uint32_t tick_hz, max_players;
    uint32_t view_width, view_height; // units
    bool sight;
    raim_rules rules;
    int64_t start_unix_ms; // of its first tick
    uint32_t first_tick;
    uint32_t ticks;   // steps from the first keyframe to the end
    bool is_complete; // it has its index. Otherwise it holds the whole frames before a crash or
                      // damage, `whole_bytes` of them with the head
    uint64_t whole_bytes;
    uint32_t clients, bots;               // players ever, without and with a client
    char winner[RAIM_MAX_NAME_BYTES + 1]; // of the last round that ended; "": none, or a draw
};

enum raim_chapter_kind {
    RAIM_CHAPTER_ROUND,     // a round begins; `round` is its number
    RAIM_CHAPTER_ROUND_END, // a break begins; `player` won, RAIM_NOBODY: a draw
    RAIM_CHAPTER_KILL,      // `player` destroyed `victim`
    RAIM_CHAPTER_JOIN,
    RAIM_CHAPTER_LEAVE,
    RAIM_CHAPTER_KINDS
};

struct raim_chapter {
    uint32_t tick; // offset of the tick that shows it
    enum raim_chapter_kind kind;
    raim_player_id player, victim;
    uint32_t round;
};

// A player of the recording. One who left and joined again is two; ids are used again after a
// while.
struct raim_recording_player {
    char name[RAIM_MAX_NAME_BYTES + 1];
    raim_player_id id;
    bool is_bot;
    uint32_t score, deaths; // at the end, or when it left
    uint32_t joined, left;  // offsets; `left` is UINT32_MAX for one who stayed
};

// Opens a recording. Returns NULL with a reason in English in `error`: no recording, of another
// version (then the reason says which one), damaged, or without a whole frame.
struct raim_recording *raim_recording_open(const uint8_t *bytes, size_t size, char *error,
                                           size_t capacity);
void raim_recording_close(struct raim_recording *recording);

// Whether the bytes begin a recording of another version of the format or the world, which this
// program cannot replay, however whole it is.
bool raim_recording_is_foreign(const uint8_t *bytes, size_t size);

// A file to look into, without having all of its bytes. `read` copies `count` bytes from an offset;
// false where they are not there.
struct raim_recording_source {
    uint64_t size;
    bool (*read)(void *context, uint64_t offset, void *bytes, size_t count);
    void *context;
};

// What a listing shows of a recording. It holds no pointers.
#define RAIM_RECORDING_LISTED 16
struct raim_recording_summary {
    struct raim_recording_info info;
    uint32_t listed; // the clients' players with most points, the best first
    struct {
        char name[RAIM_MAX_NAME_BYTES + 1];
        uint32_t score, deaths;
    } players[RAIM_RECORDING_LISTED];
};

// Reads the head and the index of a file, without making the map or decompressing a frame. Rejects
// a file without an index. It reads and allocates RAIM_RECORDING_MAX_HEAD_BYTES and
// RAIM_RECORDING_MAX_INDEX_BYTES at most.
bool raim_recording_peek(const struct raim_recording_source *source,
                         struct raim_recording_summary *summary, char *error, size_t capacity);

const struct raim_recording_info *raim_recording_info(const struct raim_recording *recording);

// The chapters in order of their ticks, and everybody in the order of joining. Of a long recording
// the last ones may be missing.
const struct raim_chapter *raim_recording_chapters(const struct raim_recording *recording,
                                                   uint32_t *count);
const struct raim_recording_player *raim_recording_players(const struct raim_recording *recording,
                                                           uint32_t *count);

// Goes to the state after `tick` steps, 0 to the info's ticks, from the keyframe before it. Returns
// false at a fault. An opened recording is at tick 0. Going back clears a fault that lies ahead.
bool raim_recording_seek(struct raim_recording *recording, uint32_t tick);

// Plays the next tick. Returns false at the end, where what happened after the last tick is
// applied and compared, too, and at a fault, where the world is as far as it was simulated.
bool raim_recording_step(struct raim_recording *recording);

// Leaves out what clients were sent from now on, for a replay that does not ask for it: it takes a
// part of its time.
void raim_recording_skip_sent(struct raim_recording *recording);

// The present offset.
uint32_t raim_recording_tick(const struct raim_recording *recording);

enum raim_recording_fault_kind {
    RAIM_FAULT_FRAME,    // a data frame is damaged, or not what the index says
    RAIM_FAULT_RECORD,   // a record is invalid
    RAIM_FAULT_DIGEST,   // the world differs from the recorded digest
    RAIM_FAULT_KEYFRAME, // the world differs from the next keyframe's
    RAIM_FAULT_KILL,     // the kills of a step are not the recorded ones
    RAIM_FAULT_MEMORY,
    RAIM_FAULT_KINDS
};

struct raim_recording_fault {
    enum raim_recording_fault_kind kind;
    uint64_t offset; // in the file, of the data frame
    uint32_t tick;   // offset of the last tick that was played before it
    uint32_t agreed; // offset of the last tick whose digest or keyframe was right
    char why[RAIM_RECORDING_ERROR_BYTES];
};

// Why the last step or seek failed. NULL: it did not, or the end was reached.
const struct raim_recording_fault *raim_recording_fault(const struct raim_recording *recording);

// After RAIM_FAULT_DIGEST or RAIM_FAULT_KILL: goes on, without looking at digests and kills, to the
// next keyframe, where the worlds can be compared: there, a step fails by RAIM_FAULT_KEYFRAME.
void raim_recording_overlook(struct raim_recording *recording);

// Returns the number of digests and keyframes that were compared since raim_recording_open.
uint32_t raim_recording_comparisons(const struct raim_recording *recording);

// At RAIM_FAULT_KEYFRAME, the recorded world, of the same tick and sizes as
// raim_recording_world's. NULL otherwise.
const struct raim_world *raim_recording_expected_world(const struct raim_recording *recording);

// --- The present tick ---

const struct raim_map *raim_recording_map(const struct raim_recording *recording);
const struct raim_world *raim_recording_world(const struct raim_recording *recording);

// The events and inputs, by slot, of the last step; none after raim_recording_seek to 0.
const struct raim_events *raim_recording_events(const struct raim_recording *recording);
const raim_input *raim_recording_inputs(const struct raim_recording *recording);

// The name of the player in a slot; NULL: the slot is free. `is_bot` may be NULL.
const char *raim_recording_name(const struct raim_recording *recording, uint32_t slot,
                                bool *is_bot);

// The phase of the match, `end_tick` of it in the world's ticks.
const struct raim_wire_phase *raim_recording_phase(const struct raim_recording *recording);

// The chat of the last tick.
struct raim_recording_line {
    raim_player_id player; // RAIM_NOBODY: the operator
    char text[RAIM_MAX_CHAT_BYTES + 1];
};
const struct raim_recording_line *raim_recording_chat(const struct raim_recording *recording,
                                                      uint32_t *count);

// The sets of players and bullets, by slot, that the snapshots sent to the client of the player in
// `slot` show after the last tick; valid until the next call. Returns false where nothing is known:
// a bot, a client that enters, or before the first step after a keyframe.
bool raim_recording_sent(struct raim_recording *recording, uint32_t slot, const uint64_t **players,
                         const uint64_t **bullets);

// What came from a player's client.
struct raim_recording_traffic {
    uint32_t arrivals; // INPUT messages since the step before, up to 31; 0 of bots
    bool is_guessed;   // the last step's input had not arrived: an earlier one was repeated
    bool is_missed;    // an earlier tick was played with other keys than were pressed
    bool is_clamped;   // the last step's shot claimed an older view than its client can have had
    uint32_t rtt_ms;   // round trip, measured in the last second; UINT32_MAX: not known
};
struct raim_recording_traffic raim_recording_traffic(const struct raim_recording *recording,
                                                     uint32_t slot);
