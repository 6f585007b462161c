// SPDX-License-Identifier: MIT
// Replays recordings as fast as the machine goes.
#define _GNU_SOURCE
#include "verify.h"

#include "mapped_file.h"
#include "monotonic.h"
#include "name.h"
#include "recording.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { DIFFERENCES = 8 };

static void print_header(FILE *out)
{
    fprintf(out, "%-10s %10s %9s %9s %9s %8s  %s\n", "RESULT", "LENGTH", "TICKS", "COMPARED",
            "TICKS/S", "SPEED", "FILE");
}

// A line for a file that could not be played.
static void print_rejection(FILE *out, const char *result, const char *path, const char *why)
{
    fprintf(out, "%-10s %10s %9s %9s %9s %8s  %s\n    %s\n", result, "-", "-", "-", "-", "-", path,
            why);
}

// Prints ticks as a time of the recording.
static void print_time(FILE *out, uint32_t tick, uint32_t tick_hz)
{
    const double seconds = (double)tick / tick_hz;
    fprintf(out, "tick %" PRIu32 " (%.2f s)", tick, seconds);
}

static void print_name(FILE *out, const struct raim_recording *recording, uint32_t slot)
{
    char clean[RAIM_MAX_NAME_BYTES + 1];
    const char *name = raim_recording_name(recording, slot, NULL);
    if (name != NULL && raim_name_clean(name, clean))
        fprintf(out, " (%s)", clean);
}

static void print_difference(FILE *out, const struct raim_recording *recording,
                             const struct world_difference *difference)
{
    const uint32_t each = raim_recording_world(recording)->bullets_per_player;
    uint32_t slot = difference->slot;
    fputs("    ", out);
    switch (difference->part) {
    case WORLD_ITSELF:
        fputs("world", out);
        break;
    case WORLD_BULLET:
        fprintf(out, "bullet %" PRIu32 " of ", slot);
        slot /= each;
        // fall through
    case WORLD_HISTORY:
    case WORLD_PLAYER:
        fprintf(out, "player %" PRIu32, slot);
        print_name(out, recording, slot);
        if (difference->part == WORLD_HISTORY)
            fprintf(out, " in the world's tick %" PRIu32, difference->tick);
        break;
    }
    fprintf(out, ": %s is %.17g in the recording and %.17g simulated, a difference of %g\n",
            difference->field, difference->recorded, difference->simulated,
            difference->simulated - difference->recorded);
}

// Names the fields in which the simulated world differs from a keyframe.
static void print_differences(FILE *out, const struct raim_recording *recording)
{
    const struct raim_world *recorded = raim_recording_expected_world(recording);
    const struct raim_world *simulated = raim_recording_world(recording);
    if (recorded == NULL || raim_world_bytes(recorded) != raim_world_bytes(simulated))
        return;
    struct world_difference differences[DIFFERENCES];
    const uint32_t count = world_difference_find(recorded, simulated, differences, DIFFERENCES);
    for (uint32_t i = 0; i < count && i < DIFFERENCES; i++)
        print_difference(out, recording, &differences[i]);
    if (count > DIFFERENCES)
        fprintf(out, "    and %" PRIu32 " more\n", count - DIFFERENCES);
}

static void print_fault(FILE *out, const struct raim_recording_fault *fault, uint32_t tick_hz)
{
    fprintf(out, "    %s: after ", fault->why);
    print_time(out, fault->tick, tick_hz);
    fputs(", right up to ", out);
    print_time(out, fault->agreed, tick_hz);
    fprintf(out, "; data frame at byte %" PRIu64 "\n", fault->offset);
}

static bool is_difference(const struct raim_recording_fault *fault)
{
    return fault != NULL && (fault->kind == RAIM_FAULT_DIGEST ||
                             fault->kind == RAIM_FAULT_KEYFRAME || fault->kind == RAIM_FAULT_KILL);
}

// Prints why the recording ended early. Where only a digest or a kill differs, goes on to the next
// keyframe, which shows the fields.
static void explain(FILE *out, struct raim_recording *recording)
{
    const struct raim_recording_info *info = raim_recording_info(recording);
    const struct raim_recording_fault fault = *raim_recording_fault(recording);
    print_fault(out, &fault, info->tick_hz);
    if (fault.kind == RAIM_FAULT_DIGEST || fault.kind == RAIM_FAULT_KILL) {
        raim_recording_overlook(recording);
        while (raim_recording_step(recording))
            ;
        const struct raim_recording_fault *next = raim_recording_fault(recording);
        if (next == NULL || next->kind != RAIM_FAULT_KEYFRAME)
            return;
        print_fault(out, next, info->tick_hz);
    }
    print_differences(out, recording);
}

static const char *result_of(const struct raim_recording *recording)
{
    const struct raim_recording_info *info = raim_recording_info(recording);
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    if (fault != NULL)
        return is_difference(fault) ? "differs" : "damaged";
    if (!info->is_complete)
        return "cut off";
    return raim_recording_comparisons(recording) > 0 ? "verified" : "unproven";
}

static enum verify_status verify_recording(struct raim_recording *recording, const char *path,
                                           FILE *out)
{
    const struct raim_recording_info *info = raim_recording_info(recording);
    raim_recording_skip_sent(recording);
    const uint64_t begin_ns = monotonic_ns();
    uint32_t ticks = 0;
    while (raim_recording_step(recording))
        ticks++;
    const double took_s = (double)(monotonic_ns() - begin_ns + 1) / 1e9;
    const double length_s = (double)ticks / info->tick_hz;
    const char *result = result_of(recording);
    const uint32_t compared = raim_recording_comparisons(recording);
    fprintf(out, "%-10s %8.1f s %9" PRIu32 " %9" PRIu32 " %9.0f %7.0fx  %s\n", result, length_s,
            ticks, compared, ticks / took_s, length_s / took_s, path);
    if (raim_recording_fault(recording) != NULL) {
        explain(out, recording);
        return VERIFY_DIFFERS;
    }
    if (!info->is_complete)
        fprintf(out, "    it has no index: its end is missing, after byte %" PRIu64 "\n",
                info->whole_bytes);
    else if (compared == 0)
        fputs("    the recording holds no digest\n", out);
    return info->is_complete && compared > 0 ? VERIFY_GOOD : VERIFY_DIFFERS;
}

static enum verify_status verify_file(const char *path, FILE *out)
{
    char error[RAIM_RECORDING_ERROR_BYTES];
    struct mapped_file file;
    if (!mapped_file_open(&file, path, error, sizeof error)) {
        print_rejection(out, "unreadable", path, error);
        return VERIFY_UNREADABLE;
    }
    enum verify_status status = VERIFY_DIFFERS;
    struct raim_recording *recording =
        raim_recording_open(file.bytes, file.size, error, sizeof error);
    if (recording != NULL) {
        status = verify_recording(recording, path, out);
        raim_recording_close(recording);
    } else if (raim_recording_is_foreign(file.bytes, file.size)) {
        status = VERIFY_OTHER_VERSION;
        print_rejection(out, "foreign", path, error);
    } else {
        print_rejection(out, "damaged", path, error);
    }
    mapped_file_close(&file);
    return status;
}

// Which of two files' statuses becomes that of all.
static enum verify_status worse(enum verify_status a, enum verify_status b)
{
    static const enum verify_status order[] = {VERIFY_DIFFERS, VERIFY_UNREADABLE,
                                               VERIFY_OTHER_VERSION};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return VERIFY_GOOD;
}

enum verify_status verify_files(char *const *paths, int count, FILE *out)
{
    enum verify_status status = VERIFY_GOOD;
    print_header(out);
    for (int i = 0; i < count; i++) {
        status = worse(status, verify_file(paths[i], out));
        fflush(out);
    }
    return status;
}

enum kind { DOUBLE, U64, U32, U16, U8 };

struct field {
    const char *name;
    enum kind kind;
    size_t offset;
};

#define FIELD(type, kind, member)                                                                  \
    {                                                                                              \
#member, kind, offsetof(type, member)                                                      \
    }

static const struct field world_fields[] = {
    FIELD(struct raim_world, U64, random),
    FIELD(struct raim_world, U32, tick),
};

static const struct field player_fields[] = {
    FIELD(raim_player, DOUBLE, position.x),
    FIELD(raim_player, DOUBLE, position.y),
    FIELD(raim_player, DOUBLE, previous.x),
    FIELD(raim_player, DOUBLE, previous.y),
    FIELD(raim_player, U32, score),
    FIELD(raim_player, U32, deaths),
    FIELD(raim_player, U32, shots),
    FIELD(raim_player, U32, hits),
    FIELD(raim_player, U16, id),
    FIELD(raim_player, U16, generation),
    FIELD(raim_player, U16, aim),
    FIELD(raim_player, U16, cooldown_ticks),
    FIELD(raim_player, U16, respawn_ticks),
    FIELD(raim_player, U16, shield_ticks),
    FIELD(raim_player, U8, state),
    FIELD(raim_player, U8, life),
    FIELD(raim_player, U8, away),
    FIELD(raim_player, U8, health),
};

static const struct field bullet_fields[] = {
    FIELD(raim_bullet, DOUBLE, origin.x),
    FIELD(raim_bullet, DOUBLE, origin.y),
    FIELD(raim_bullet, DOUBLE, direction.x),
    FIELD(raim_bullet, DOUBLE, direction.y),
    FIELD(raim_bullet, U32, born_tick),
    FIELD(raim_bullet, U16, owner),
    FIELD(raim_bullet, U16, aim),
    FIELD(raim_bullet, U16, rewind),
    FIELD(raim_bullet, U16, bounces),
    FIELD(raim_bullet, U16, flown),
};

static const struct field sample_fields[] = {
    FIELD(raim_position_sample, DOUBLE, position.x),
    FIELD(raim_position_sample, DOUBLE, position.y),
    FIELD(raim_position_sample, U8, life),
    FIELD(raim_position_sample, U8, state),
    FIELD(raim_position_sample, U8, shielded),
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

struct list {
    struct world_difference *items;
    uint32_t capacity, count;
};

static double value_of(const struct field *field, const void *object)
{
    const char *at = (const char *)object + field->offset;
    double number;
    uint64_t u64;
    uint32_t u32;
    uint16_t u16;
    switch (field->kind) {
    case DOUBLE:
        memcpy(&number, at, sizeof number);
        return number;
    case U64:
        memcpy(&u64, at, sizeof u64);
        return (double)u64;
    case U32:
        memcpy(&u32, at, sizeof u32);
        return u32;
    case U16:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case U8:
        break;
    }
    return *(const uint8_t *)at;
}

static size_t size_of(const struct field *field)
{
    static const size_t sizes[] = {sizeof(double), sizeof(uint64_t), sizeof(uint32_t),
                                   sizeof(uint16_t), sizeof(uint8_t)};
    return sizes[field->kind];
}

static void compare(struct list *list, const struct field *fields, size_t field_count,
                    const void *recorded, const void *simulated, struct world_difference where)
{
    for (size_t i = 0; i < field_count; i++) {
        const struct field *field = &fields[i];
        if (memcmp((const char *)recorded + field->offset, (const char *)simulated + field->offset,
                   size_of(field)) == 0)
            continue;
        where.field = field->name;
        where.recorded = value_of(field, recorded);
        where.simulated = value_of(field, simulated);
        if (list->count < list->capacity)
            list->items[list->count] = where;
        list->count++;
    }
}

static raim_player_id known_id(raim_player_id recorded, raim_player_id simulated)
{
    return recorded != RAIM_NOBODY ? recorded : simulated;
}

static void compare_history(struct list *list, const struct raim_world *recorded,
                            const struct raim_world *simulated)
{
    const raim_player *players = raim_world_players_const(recorded);
    const raim_player *others = raim_world_players_const(simulated);
    for (uint32_t age = recorded->history_length; age > 0; age--) {
        const uint32_t tick = recorded->tick - age;
        const raim_position_sample *one = raim_world_history_const(recorded, tick);
        const raim_position_sample *other = raim_world_history_const(simulated, tick);
        for (uint32_t slot = 0; slot < recorded->max_players; slot++)
            compare(list, sample_fields, COUNT(sample_fields), &one[slot], &other[slot],
                    (struct world_difference){.part = WORLD_HISTORY,
                                              .slot = slot,
                                              .tick = tick,
                                              .id = known_id(players[slot].id, others[slot].id)});
    }
}

uint32_t world_difference_find(const struct raim_world *recorded,
                               const struct raim_world *simulated,
                               struct world_difference *differences, uint32_t capacity)
{
    assert(raim_world_bytes(recorded) == raim_world_bytes(simulated));
    struct list list = {.items = differences, .capacity = capacity};
    compare(&list, world_fields, COUNT(world_fields), recorded, simulated,
            (struct world_difference){.part = WORLD_ITSELF});
    const raim_player *players = raim_world_players_const(recorded);
    const raim_player *other_players = raim_world_players_const(simulated);
    for (uint32_t slot = 0; slot < recorded->max_players; slot++)
        compare(
            &list, player_fields, COUNT(player_fields), &players[slot], &other_players[slot],
            (struct world_difference){.part = WORLD_PLAYER,
                                      .slot = slot,
                                      .id = known_id(players[slot].id, other_players[slot].id)});
    const raim_bullet *bullets = raim_world_bullets_const(recorded);
    const raim_bullet *other_bullets = raim_world_bullets_const(simulated);
    for (uint32_t slot = 0; slot < recorded->max_bullets; slot++)
        compare(&list, bullet_fields, COUNT(bullet_fields), &bullets[slot], &other_bullets[slot],
                (struct world_difference){
                    .part = WORLD_BULLET,
                    .slot = slot,
                    .id = known_id(bullets[slot].owner, other_bullets[slot].owner)});
    compare_history(&list, recorded, simulated);
    return list.count;
}
