// SPDX-License-Identifier: MIT
// Replays a recording and feeds its ticks to the measures.
#include "audit.h"

#include "audit_measures.h"
#include "audit_report.h"
#include "name.h"
#include "phase.h"
#include "recording.h"
#include "verify.h"

#include <stdlib.h>
#include <string.h>

enum { SET_WORDS = RAIM_MAX_PLAYERS / 64 };

// What the recording says of each slot in a tick.
struct observer {
    struct audit_client clients[RAIM_MAX_PLAYERS];
    uint64_t sent[RAIM_MAX_PLAYERS][SET_WORDS];
};

static void observe(struct raim_recording *recording, uint32_t slot, bool is_second,
                    struct observer *observer)
{
    const struct raim_world *world = raim_recording_world(recording);
    struct audit_client *client = &observer->clients[slot];
    *client = (struct audit_client){.round_trip_ms = UINT32_MAX};
    client->name = raim_recording_name(recording, slot, &client->bot);
    if (client->name == NULL || client->bot || raim_world_players_const(world)[slot].away)
        return;
    const uint64_t *players, *bullets;
    if (raim_recording_sent(recording, slot, &players, &bullets)) {
        // The sets hold until the next call.
        memcpy(observer->sent[slot], players, (world->max_players + 63) / 64 * sizeof *players);
        client->sent = observer->sent[slot];
    }
    const struct raim_recording_traffic traffic = raim_recording_traffic(recording, slot);
    client->has_traffic = true;
    client->arrivals = traffic.arrivals;
    client->missed = traffic.is_missed;
    client->clamped = traffic.is_clamped;
    if (is_second)
        client->round_trip_ms = traffic.rtt_ms;
}

// Plays the recording. Returns false when memory runs out.
static bool play(struct raim_recording *recording, struct audit_measures *measures,
                 struct observer *observer)
{
    const struct raim_recording_info *info = raim_recording_info(recording);
    for (uint32_t tick = 1; raim_recording_step(recording); tick++) {
        for (uint32_t slot = 0; slot < info->max_players; slot++)
            observe(recording, slot, tick % info->tick_hz == 0, observer);
        const struct audit_tick played = {
            .world = raim_recording_world(recording),
            .events = raim_recording_events(recording),
            .inputs = raim_recording_inputs(recording),
            .clients = observer->clients,
            .frozen = raim_recording_phase(recording)->phase != RAIM_PHASE_PLAY,
        };
        if (!audit_measures_tick(measures, &played))
            return false;
    }
    return true;
}

// Copies a text of a stranger's file without what could command a terminal.
static void clean(char *to, const char *from, uint32_t max)
{
    if (!raim_text_clean(from, to, max))
        strcpy(to, "?");
}

static bool report(const struct raim_recording *recording, const struct audit_measures *measures,
                   const char *path, bool json, FILE *out)
{
    const struct raim_recording_info *info = raim_recording_info(recording);
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    char version[sizeof info->version], arena[sizeof info->arena], map[sizeof info->map];
    clean(version, info->version, sizeof version - 1);
    clean(arena, info->arena, sizeof arena - 1);
    clean(map, info->map, sizeof map - 1);
    struct audit_report report = {
        .file = path,
        .version = version,
        .arena = arena,
        .map = map,
        .round = info->round,
        .start_unix_ms = info->start_unix_ms,
        .tick_hz = info->tick_hz,
        .ticks = audit_measures_ticks(measures),
        .fault = fault != NULL ? fault->why : NULL,
    };
    report.players = audit_measures_players(measures, &report.count, &report.left_out);
    if (json)
        return audit_report_print_json(&report, out);
    audit_report_print(&report, out);
    return true;
}

static bool measure_and_report(struct raim_recording *recording, const char *path, bool json,
                               FILE *out)
{
    const struct raim_recording_info *info = raim_recording_info(recording);
    const struct raim_world *world = raim_recording_world(recording);
    struct audit_measures *measures = audit_measures_create(&(struct audit_def){
        .map = raim_recording_map(recording),
        .rules = info->rules,
        .tick_hz = info->tick_hz,
        .max_players = info->max_players,
        .bullets_per_player = world->bullets_per_player,
        .max_rewind = world->max_rewind,
        .view = {info->view_width, info->view_height},
        .sight = info->sight,
    });
    struct observer *observer = calloc(1, sizeof *observer);
    const bool is_done = measures != NULL && observer != NULL &&
                         play(recording, measures, observer) &&
                         report(recording, measures, path, json, out);
    free(observer);
    audit_measures_destroy(measures);
    return is_done;
}

static enum verify_status audit_recording(struct raim_recording *recording, const char *path,
                                          bool json, FILE *out, FILE *problems)
{
    if (!measure_and_report(recording, path, json, out)) {
        fputs("raimd: out of memory\n", problems);
        return VERIFY_DIFFERS;
    }
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    if (fault != NULL)
        fprintf(problems, "raimd: %s: audited up to the fault: %s\n", path, fault->why);
    else if (!raim_recording_info(recording)->is_complete)
        fprintf(problems, "raimd: %s: audited up to its end, which is missing: it has no index\n",
                path);
    else
        return VERIFY_GOOD;
    return VERIFY_DIFFERS;
}

enum verify_status audit_file(const char *path, bool json, FILE *out, FILE *problems)
{
    char error[RAIM_RECORDING_ERROR_BYTES];
    struct mapped_file file;
    if (!mapped_file_open(&file, path, error, sizeof error)) {
        fprintf(problems, "raimd: %s: %s\n", path, error);
        return VERIFY_UNREADABLE;
    }
    enum verify_status status = VERIFY_DIFFERS;
    struct raim_recording *recording =
        raim_recording_open(file.bytes, file.size, error, sizeof error);
    if (recording != NULL) {
        status = audit_recording(recording, path, json, out, problems);
        raim_recording_close(recording);
    } else {
        fprintf(problems, "raimd: %s: %s\n", path, error);
        if (raim_recording_is_foreign(file.bytes, file.size))
            status = VERIFY_OTHER_VERSION;
    }
    mapped_file_close(&file);
    return status;
}
