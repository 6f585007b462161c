// SPDX-License-Identifier: MIT
// A recording input: everything that changes a match's world from outside, as bytes, while the
// match plays. The bytes are records (recording_format.h) and the contents of a recording's data
// frames. lib/match writes the records; its caller takes the bytes, once a tick, and hands them to
// a raim_recording_writer.
//
// How to record: raim_recording_input_init, raim_match_record, then after every tick whose messages
// were all pulled: raim_recording_input_take, and where raim_recording_input_wants_keyframe is
// true, raim_match_keyframe and raim_recording_input_take again. Each taken chunk goes to the
// writer whole.
//
// Thread rule: a recording input belongs to the thread of its match. Nothing allocates; the memory
// is the caller's.
#pragma once

#include "phase.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_recording_input;

// Returns the bytes of memory that a recording input of this world takes. Most of it is room for
// rare ticks and is not touched before.
size_t raim_recording_input_bytes(const struct raim_world *world);

// Makes an empty recording input in memory of raim_recording_input_bytes, aligned as by malloc. It
// holds no reference to the world, but serves only worlds of its sizes.
struct raim_recording_input *raim_recording_input_init(void *memory,
                                                       const struct raim_world *world);

// Takes the bytes that were written since the last call; they are valid until the next call of a
// function that writes. Returns NULL where there are none. Call it between two ticks.
const uint8_t *raim_recording_input_take(struct raim_recording_input *records, size_t *size);

// Whether the data frame has lasted for RAIM_RECORDING_FRAME_S seconds, or holds
// RAIM_RECORDING_FRAME_BYTES, so that it should end here: call raim_match_keyframe.
bool raim_recording_input_wants_keyframe(const struct raim_recording_input *records);

// Whether a record did not fit since raim_recording_input_init. What was taken so far is valid and
// can be replayed; nothing is recorded after it. Begin a new recording.
bool raim_recording_input_has_overflowed(const struct raim_recording_input *records);

// --- Called by lib/match alone. Where `recording input` is NULL, these functions do nothing. ---

// Begins a data frame between two ticks: the world, and the phase. All bytes of the frame before
// must have been taken. The names of all players follow by raim_recording_input_name.
void raim_recording_input_keyframe(struct raim_recording_input *records,
                                   const struct raim_world *world,
                                   const struct raim_wire_phase *phase);
void raim_recording_input_name(struct raim_recording_input *records, raim_player_id id,
                               const char *name, bool is_bot);

// The operations on the world, when they are done. `name` and `text` are as in lib/match: at most
// RAIM_MAX_NAME_BYTES and RAIM_MAX_CHAT_BYTES.
void raim_recording_input_join(struct raim_recording_input *records, raim_player_id id,
                               const char *name, bool is_bot);
void raim_recording_input_leave(struct raim_recording_input *records, raim_player_id id,
                                uint32_t reason);
void raim_recording_input_set_away(struct raim_recording_input *records, raim_player_id id,
                                   bool away);
void raim_recording_input_clear_bullets(struct raim_recording_input *records);
void raim_recording_input_begin_round(struct raim_recording_input *records);
void raim_recording_input_hold_positions(struct raim_recording_input *records);

// What arrived of the player in `slot` since the last step: the number of its INPUT messages, and
// RAIM_TRAFFIC_ flags, see struct raim_recording_traffic. Call it before raim_recording_input_step.
void raim_recording_input_traffic(struct raim_recording_input *records, uint32_t slot,
                                  uint32_t arrivals, uint32_t flags);

// A step with `inputs` by slot, of the slots in the set `taken`; a tick skipped while dormant.
void raim_recording_input_step(struct raim_recording_input *records, const uint64_t *taken,
                               const raim_input *inputs);
void raim_recording_input_skip(struct raim_recording_input *records);

// A kill of the last step; a chat line, from the operator where `id` is RAIM_NOBODY; a phase that
// begins; the round trip of a player's client, in ms.
void raim_recording_input_kill(struct raim_recording_input *records, raim_player_id killer,
                               raim_player_id victim);
void raim_recording_input_chat(struct raim_recording_input *records, raim_player_id id,
                               const char *text);
void raim_recording_input_phase(struct raim_recording_input *records,
                                const struct raim_wire_phase *phase);
void raim_recording_input_rtt(struct raim_recording_input *records, uint32_t slot, uint32_t rtt_ms);

// What each client was sent in the tick, as sets of slots. First the sets of all players alive and
// of all bullets in flight, then the set of each client that plays and was served, then the end of
// the tick with its world, whose digest is recorded once a second.
void raim_recording_input_begin_sent(struct raim_recording_input *records, const uint64_t *living,
                                     const uint64_t *flying);
void raim_recording_input_sent(struct raim_recording_input *records, uint32_t slot,
                               const uint64_t *players, const uint64_t *bullets);
void raim_recording_input_end_tick(struct raim_recording_input *records,
                                   const struct raim_world *world);

// Ends the recording with the digest of the world.
void raim_recording_input_end(struct raim_recording_input *records, const struct raim_world *world);
