// SPDX-License-Identifier: MIT
// A tape: everything that changes a match's world from outside, as bytes, while the match plays.
// The bytes are records (recording_format.h) and the contents of a recording's data frames.
// lib/match writes the records; its caller takes the bytes, once a tick, and hands them to a
// raim_recording_writer.
//
// How to record: raim_tape_init, raim_match_record, then after every tick whose messages were all
// pulled: raim_tape_take, and where raim_tape_wants_keyframe is true, raim_match_keyframe and
// raim_tape_take again. Each taken chunk goes to the writer whole.
//
// Thread rule: a tape belongs to the thread of its match. Nothing allocates; the memory is the
// caller's.
#pragma once

#include "phase.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_tape;

// Returns the bytes of memory that a tape of this world takes. Most of it is room for rare ticks
// and is not touched before.
size_t raim_tape_bytes(const struct raim_world *world);

// Makes an empty tape in memory of raim_tape_bytes, aligned as by malloc. It holds no reference to
// the world, but serves only worlds of its sizes.
struct raim_tape *raim_tape_init(void *memory, const struct raim_world *world);

// Takes the bytes that were written since the last call; they are valid until the next call of a
// function that writes. Returns NULL where there are none. Call it between two ticks.
const uint8_t *raim_tape_take(struct raim_tape *tape, size_t *size);

// Whether the data frame has lasted for RAIM_RECORDING_FRAME_S seconds, or holds
// RAIM_RECORDING_FRAME_BYTES, so that it should end here: call raim_match_keyframe.
bool raim_tape_wants_keyframe(const struct raim_tape *tape);

// Whether a record did not fit since raim_tape_init. What was taken so far is valid and can be
// replayed; nothing is recorded after it. Begin a new recording.
bool raim_tape_has_overflowed(const struct raim_tape *tape);

// --- Called by lib/match alone. Where `tape` is NULL, these functions do nothing. ---

// Begins a data frame between two ticks: the world, and the phase. All bytes of the frame before
// must have been taken. The names of all players follow by raim_tape_name.
void raim_tape_keyframe(struct raim_tape *tape, const struct raim_world *world,
                        const struct raim_wire_phase *phase);
void raim_tape_name(struct raim_tape *tape, raim_player_id id, const char *name, bool is_bot);

// The operations on the world, when they are done. `name` and `text` are as in lib/match: at most
// RAIM_MAX_NAME_BYTES and RAIM_MAX_CHAT_BYTES.
void raim_tape_join(struct raim_tape *tape, raim_player_id id, const char *name, bool is_bot);
void raim_tape_leave(struct raim_tape *tape, raim_player_id id, uint32_t reason);
void raim_tape_set_away(struct raim_tape *tape, raim_player_id id, bool away);
void raim_tape_clear_bullets(struct raim_tape *tape);
void raim_tape_begin_round(struct raim_tape *tape);
void raim_tape_hold_positions(struct raim_tape *tape);

// What arrived of the player in `slot` since the last step: the number of its INPUT messages, and
// RAIM_TRAFFIC_ flags, see struct raim_recording_traffic. Call it before raim_tape_step.
void raim_tape_traffic(struct raim_tape *tape, uint32_t slot, uint32_t arrivals, uint32_t flags);

// A step with `inputs` by slot, of the slots in the set `taken`; a tick skipped while dormant.
void raim_tape_step(struct raim_tape *tape, const uint64_t *taken, const raim_input *inputs);
void raim_tape_skip(struct raim_tape *tape);

// A kill of the last step; a chat line, from the operator where `id` is RAIM_NOBODY; a phase that
// begins; the round trip of a player's client, in ms.
void raim_tape_kill(struct raim_tape *tape, raim_player_id killer, raim_player_id victim);
void raim_tape_chat(struct raim_tape *tape, raim_player_id id, const char *text);
void raim_tape_phase(struct raim_tape *tape, const struct raim_wire_phase *phase);
void raim_tape_rtt(struct raim_tape *tape, uint32_t slot, uint32_t rtt_ms);

// What each client was sent in the tick, as sets of slots. First the sets of all players alive and
// of all bullets in flight, then the set of each client that plays and was served, then the end of
// the tick with its world, whose digest is recorded once a second.
void raim_tape_begin_sent(struct raim_tape *tape, const uint64_t *living, const uint64_t *flying);
void raim_tape_sent(struct raim_tape *tape, uint32_t slot, const uint64_t *players,
                    const uint64_t *bullets);
void raim_tape_end_tick(struct raim_tape *tape, const struct raim_world *world);

// Ends the recording with the digest of the world.
void raim_tape_end(struct raim_tape *tape, const struct raim_world *world);
