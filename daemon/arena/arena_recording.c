// SPDX-License-Identifier: MIT
// Begins, feeds and ends the recordings of an arena.
#define _GNU_SOURCE
#include "arena_recording.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static uint32_t ticks_of(const struct raim_match *match, uint32_t seconds)
{
    return seconds * raim_match_world(match)->tick_hz;
}

// Hands over what is in the recording input. Returns false if the recorder has no room for it.
static bool put(struct arena_recording *recording, const struct raim_match *match,
                bool has_keyframe)
{
    size_t size;
    const uint8_t *chunk = raim_recording_input_take(recording->running, &size);
    return chunk == NULL ||
           recorder_put(recording->stream, raim_match_tick(match), has_keyframe, chunk, size);
}

static void forget(struct arena_recording *recording)
{
    recording->running = NULL;
    recording->name[0] = '\0';
}

// Gives a recording up that cannot be written. It is begun anew later.
static void lose(struct arena_recording *recording, struct raim_match *match)
{
    raim_match_record(match, NULL, 0);
    forget(recording);
    recording->retry_ticks = ticks_of(match, RECORDING_RETRY_S);
}

void arena_recording_end(struct arena_recording *recording, struct raim_match *match)
{
    if (recording->running == NULL)
        return;
    raim_match_record(match, NULL, 0); // writes a digest
    if (put(recording, match, false))
        recorder_end(recording->stream);
    forget(recording);
}

// Names the next file. The times in an arena's names ascend, so no two are equal.
static void choose_name(struct arena_recording *recording, const struct config_arena *config,
                        uint32_t round, int64_t now_s)
{
    recording->part = round == recording->round ? recording->part + 1 : 1;
    recording->round = round;
    recording->begun_s = now_s > recording->begun_s ? now_s : recording->begun_s + 1;
    struct recording_name name = {
        .start_s = recording->begun_s, .round = round, .part = recording->part};
    memcpy(name.arena, config->name, sizeof name.arena);
    recording_name_write(&name, recording->name);
}

static void begin(struct arena_recording *recording, struct raim_match *match,
                  const struct config_arena *config)
{
    struct timespec now;
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    choose_name(recording, config, raim_match_round(match).round, now.tv_sec);
    struct recorder_begin head = {
        .tick_hz = raim_match_world(match)->tick_hz,
        .first_tick = raim_match_tick(match),
        .start_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000,
    };
    memcpy(head.name, recording->name, sizeof head.name);
    memcpy(head.arena, config->name, sizeof head.arena);
    recording->running =
        raim_recording_input_init(recording->records->memory, raim_match_world(match));
    recording->ticks = recording->unplayed_ticks = recording->retry_ticks = 0;
    raim_match_record(match, recording->running, seed);
    if (!recorder_begin(recording->stream, &head, recording->records->scene,
                        recording->records->scene_size) ||
        !put(recording, match, true))
        lose(recording, match);
}

// Whether the match has a player whose play is to be recorded.
static bool is_played(const struct raim_match *match, const struct config_arena *config)
{
    return raim_match_playing(match) > 0 ||
           (config->recording == CONFIG_RECORDING_ALL && config->match.bots > 0);
}

// Records a tick of the file in progress.
static void feed(struct arena_recording *recording, struct raim_match *match)
{
    if (recorder_has_failed(recording->stream) ||
        raim_recording_input_has_overflowed(recording->running)) {
        arena_recording_end(recording, match);
        recording->retry_ticks = ticks_of(match, RECORDING_RETRY_S);
        return;
    }
    recording->ticks++;
    if (!put(recording, match, false)) {
        lose(recording, match);
        return;
    }
    if (!raim_recording_input_wants_keyframe(recording->running))
        return;
    raim_match_keyframe(match);
    if (!put(recording, match, true))
        lose(recording, match);
}

void arena_recording_run(struct arena_recording *recording, struct raim_match *match,
                         const struct config_arena *config)
{
    if (recording->stream == NULL || recording->records->memory == NULL)
        return;
    if (recording->running == NULL && config->recording == CONFIG_RECORDING_NONE)
        return;
    const bool plays = is_played(match, config);
    if (recording->running == NULL && !plays)
        return;
    const struct raim_match_round round = raim_match_round(match);
    const bool is_wanted = config->recording != CONFIG_RECORDING_NONE;
    if (recording->running != NULL) {
        feed(recording, match);
        recording->unplayed_ticks = plays ? 0 : recording->unplayed_ticks + 1;
        if (!is_wanted || round.phase == RAIM_MATCH_BREAK || round.round != recording->round ||
            recording->unplayed_ticks >= ticks_of(match, RECORDING_UNPLAYED_S) ||
            recording->ticks >= ticks_of(match, RECORDING_PART_S))
            arena_recording_end(recording, match);
    }
    if (recording->retry_ticks > 0 && round.round == recording->round)
        recording->retry_ticks--;
    else if (recording->running == NULL && is_wanted && plays && round.phase == RAIM_MATCH_PLAY)
        begin(recording, match, config);
}

const char *arena_recording_name(const struct arena_recording *recording)
{
    return recording->name;
}
