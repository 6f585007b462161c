// SPDX-License-Identifier: MIT
// Replays a recording, feeds its ticks to the measures, and prints the figures as tables for people
// or as JSON (audit.schema.json).
#define _GNU_SOURCE
#include "audit.h"

#include "audit_measures.h"
#include "mapped_file.h"
#include "name.h"
#include "phase.h"
#include "recording.h"
#include "verify.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The version of the JSON. It changes when a key is removed or changes its meaning, not for new
// keys.
#define AUDIT_SCHEMA 1

// What was audited. Borrowed; the texts are printable UTF-8.
struct audit_report {
    const char *file;
    const char *version, *arena, *map;
    uint32_t round;
    int64_t start_unix_ms;
    uint32_t tick_hz;
    uint64_t ticks;    // that were audited
    const char *fault; // why the audit ended before the recording; NULL: it did not
    const struct audit_player *const *players;
    uint32_t count, left_out;
};

// The figures of an audit in the units that people read: one list drives the table and the JSON.
// Thread rule: the functions keep no state; any thread may call them.

#define AUDIT_FIGURES 72 // most of a player

struct audit_figure {
    const char *group; // heading of the table, key of an object in JSON
    const char *key;   // in JSON
    const char *title; // of the column; NULL: in JSON alone
    int decimals;
    double value; // rounded to the decimals; NAN: not known, because nothing was counted
};

struct list {
    struct audit_figure *figures;
    uint32_t count;
    const char *group;
};

static void add(struct list *list, const char *key, const char *title, int decimals, double value)
{
    assert(list->count < AUDIT_FIGURES);
    const double scale = pow(10, decimals);
    value = round(value * scale) / scale; // so that the table and the JSON agree
    list->figures[list->count++] = (struct audit_figure){list->group, key, title, decimals, value};
}

// A share in percent.
static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

// A quantile times `unit`; unknown without values.
static double quantile(const struct distribution *distribution, double share, double unit)
{
    return distribution->count > 0 ? unit * distribution_quantile(distribution, share) : NAN;
}

static double greatest(const struct distribution *distribution, double unit)
{
    return distribution->count > 0 ? unit * distribution->greatest : NAN;
}

static void add_shots(struct list *list, const struct audit_player *player, double tick_s)
{
    list->group = "shots";
    add(list, "present_s", "PRESENT s", 1, (double)player->present_ticks * tick_s);
    add(list, "alive_s", "ALIVE s", 1, (double)player->alive_ticks * tick_s);
    add(list, "kills", "KILLS", 0, player->kills);
    add(list, "deaths", "DEATHS", 0, player->deaths);
    add(list, "fired", "SHOTS", 0, player->shots);
    add(list, "hits", "HITS", 0, player->hits);
    add(list, "hit_percent", "HIT %", 1, percent(player->hits, player->shots));
    add(list, "at_moving", "AT MOVING", 0, player->shots_at_moving);
    add(list, "hits_of_moving", NULL, 0, player->hits_moving);
    add(list, "hit_percent_of_moving", "OF MOVING %", 1,
        percent(player->hits_moving, player->shots_at_moving));
    add(list, "at_seen", "AT SEEN", 0, player->shots_at_seen);
    add(list, "on_target_percent", "ON TARGET %", 1,
        percent(player->shots_on_target, player->shots_at_seen));
}

static void add_reactions(struct list *list, const struct audit_player *player, double tick_s)
{
    const struct distribution *reaction = &player->reaction;
    const double ms = 1000 * tick_s;
    list->group = "reactions";
    add(list, "sightings", "SIGHTINGS", 0, player->sightings);
    add(list, "aimed_before", "AIMED BEFORE", 0, player->aimed_before);
    add(list, "aimed_before_chance", "BY CHANCE", 1, player->aimed_before_chance);
    add(list, "reactions", "REACTIONS", 0, (double)reaction->count);
    add(list, "fastest_ms", "FASTEST ms", 0, reaction->count > 0 ? ms * reaction->least : NAN);
    add(list, "median_ms", "MEDIAN ms", 0, quantile(reaction, 0.5, ms));
    add(list, "p95_ms", "P95 ms", 0, quantile(reaction, 0.95, ms));
    add(list, "below_100_ms_percent", "< 100 ms %", 1,
        reaction->count > 0
            ? 100 * distribution_share_below(reaction, (uint32_t)ceil(AUDIT_FAST_S / tick_s))
            : NAN);
}

static void add_aim(struct list *list, const struct audit_player *player, double tick_s)
{
    const double degrees = aim_degrees(1);
    const double per_s = degrees / tick_s;
    list->group = "aim";
    add(list, "speed_median_deg_s", "SPEED deg/s", 0, quantile(&player->turn, 0.5, per_s));
    add(list, "speed_p95_deg_s", "P95", 0, quantile(&player->turn, 0.95, per_s));
    add(list, "turn_max_deg", "MAX deg/tick", 1, greatest(&player->turn, degrees));
    add(list, "snap_median_deg", "SNAP deg", 1, quantile(&player->snap, 0.5, degrees));
    add(list, "snap_p95_deg", "P95", 1, quantile(&player->snap, 0.95, degrees));
    add(list, "snap_max_deg", "MAX", 1, greatest(&player->snap, degrees));
    add(list, "snaps_percent", "SNAPS %", 1, percent(player->snaps, player->shots));
    add(list, "flicks", "FLICKS", 0, player->flicks);
    add(list, "returns", "RETURNS", 0, player->returns);
    add(list, "error_median_deg", "ERROR deg", 2, quantile(&player->aim_error, 0.5, degrees));
    add(list, "error_p95_deg", "P95", 2, quantile(&player->aim_error, 0.95, degrees));
}

static void add_hidden(struct list *list, const struct audit_player *player, double tick_s)
{
    const struct audit_hidden *sent = &player->sent, *unsent = &player->unsent;
    list->group = "hidden";
    add(list, "sent_s", "SENT s", 1, (double)sent->ticks * tick_s);
    add(list, "sent_aimed_s", "AIMED s", 2, (double)sent->on_ticks * tick_s);
    add(list, "sent_chance_s", "BY CHANCE", 2, sent->chance * tick_s);
    add(list, "sent_ratio", "RATIO", 1, ratio((double)sent->on_ticks, sent->chance));
    add(list, "sent_shots", "SHOTS", 0, sent->shots);
    add(list, "sent_hits", "HITS", 0, sent->hits);
    add(list, "unsent_s", "UNSENT s", 1, (double)unsent->ticks * tick_s);
    add(list, "unsent_aimed_s", "AIMED s", 2, (double)unsent->on_ticks * tick_s);
    add(list, "unsent_chance_s", "BY CHANCE", 2, unsent->chance * tick_s);
    add(list, "unsent_ratio", "RATIO", 1, ratio((double)unsent->on_ticks, unsent->chance));
    add(list, "unsent_shots", "SHOTS", 0, unsent->shots);
    add(list, "unsent_hits", "HITS", 0, unsent->hits);
    add(list, "tracking_s", "TRACKING s", 2, (double)player->tracking_ticks * tick_s);
    add(list, "longest_tracking_s", "LONGEST s", 2, player->longest_tracking * tick_s);
}

static void add_rewind(struct list *list, const struct audit_player *player, double tick_s)
{
    const double ms = 1000 * tick_s;
    list->group = "rewind";
    add(list, "hits", "HITS", 0, (double)player->rewind.count);
    add(list, "in_past", "IN THE PAST", 0, player->hits_in_past);
    add(list, "median_ms", "MEDIAN ms", 0, quantile(&player->rewind, 0.5, ms));
    add(list, "p95_ms", "P95 ms", 0, quantile(&player->rewind, 0.95, ms));
    add(list, "max_ms", "MAX ms", 0, greatest(&player->rewind, ms));
    add(list, "at_limit", "AT LIMIT", 0, player->hits_at_limit);
    add(list, "clamped_percent", "CLAMPED %", 1, percent(player->clamped_shots, player->shots));
}

// A figure of the traffic, which bots do not have.
static double known(const struct audit_player *player, double figure)
{
    return player->client_ticks > 0 ? figure : NAN;
}

static void add_network(struct list *list, const struct audit_player *player, double tick_s)
{
    const struct distribution *round_trip = &player->round_trip;
    const double client_s = (double)player->client_ticks * tick_s;
    list->group = "network";
    add(list, "round_trip_median_ms", "ROUND TRIP ms", 0, quantile(round_trip, 0.5, 1));
    add(list, "round_trip_p95_ms", "P95", 0, quantile(round_trip, 0.95, 1));
    add(list, "jitter_ms", "JITTER ms", 1,
        ratio(player->round_trip_changes, (double)round_trip->count - 1));
    add(list, "inputs_per_s", "INPUTS/s", 1, ratio((double)player->inputs, client_s));
    add(list, "bursts", "BURSTS", 0, known(player, player->bursts));
    add(list, "most_inputs_per_tick", "MAX/tick", 0, known(player, player->most_inputs));
    add(list, "longest_gap_ms", "GAP ms", 0, known(player, 1000 * tick_s * player->longest_gap));
    add(list, "missed_percent", "MISSED %", 2,
        percent((double)player->missed, (double)player->client_ticks));
}

// Fills the figures of a player, of the same number and order for each. Returns their number.
static uint32_t audit_figures(const struct audit_player *player, uint32_t tick_hz,
                              struct audit_figure figures[AUDIT_FIGURES])
{
    struct list list = {.figures = figures};
    const double tick_s = 1.0 / tick_hz;
    add_shots(&list, player, tick_s);
    add_reactions(&list, player, tick_s);
    add_aim(&list, player, tick_s);
    add_hidden(&list, player, tick_s);
    add_rewind(&list, player, tick_s);
    add_network(&list, player, tick_s);
    return list.count;
}

enum { NAME_WIDTH = 24 };

// Writes a name padded to NAME_WIDTH characters. Counts UTF-8 characters by skipping continuation
// bytes (10xxxxxx) and assumes one column per character.
static void print_name(const struct audit_player *player, FILE *out)
{
    int written = 0;
    for (const char *at = player->name; *at != '\0'; at++) {
        written += (*at & 0xC0) != 0x80;
        fputc(*at, out);
    }
    if (player->bot) {
        fputs(" (bot)", out);
        written += 6;
    }
    fprintf(out, "%*s", written < NAME_WIDTH ? NAME_WIDTH - written : 0, "");
}

static void print_row(const struct audit_report *report, const struct audit_player *player,
                      const char *group, FILE *out)
{
    struct audit_figure figures[AUDIT_FIGURES];
    const uint32_t count = audit_figures(player, report->tick_hz, figures);
    print_name(player, out);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(figures[i].group, group) != 0 || figures[i].title == NULL)
            continue;
        const int width = (int)strlen(figures[i].title) < 6 ? 6 : (int)strlen(figures[i].title);
        if (isnan(figures[i].value))
            fprintf(out, "  %*s", width, "-");
        else
            fprintf(out, "  %*.*f", width, figures[i].decimals, figures[i].value);
    }
    fputc('\n', out);
}

static void print_group(const struct audit_report *report, const struct audit_figure *figures,
                        uint32_t count, const char *group, FILE *out)
{
    fprintf(out, "\n%-*s", NAME_WIDTH, group);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(figures[i].group, group) == 0 && figures[i].title != NULL)
            fprintf(out, "  %6s", figures[i].title);
    fputc('\n', out);
    for (uint32_t i = 0; i < report->count; i++)
        print_row(report, report->players[i], group, out);
}

static void format_time(int64_t unix_ms, char text[32])
{
    const time_t seconds = (time_t)(unix_ms / 1000);
    struct tm date;
    if (gmtime_r(&seconds, &date) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &date) == 0)
        strcpy(text, "?");
}

static void print_tables(const struct audit_report *report, FILE *out)
{
    char start[32];
    format_time(report->start_unix_ms, start);
    fprintf(out, "%s: arena %s, map %s, round %" PRIu32 ", %s, %.1f s of %" PRIu32 " ticks/s\n",
            report->file, report->arena, report->map, report->round, start,
            (double)report->ticks / report->tick_hz, report->tick_hz);
    static const struct audit_player nobody;
    struct audit_figure figures[AUDIT_FIGURES];
    const uint32_t count = audit_figures(&nobody, report->tick_hz, figures);
    for (uint32_t i = 0; i < count && report->count > 0; i++)
        if (i == 0 || strcmp(figures[i].group, figures[i - 1].group) != 0)
            print_group(report, figures, count, figures[i].group, out);
    if (report->left_out > 0)
        fprintf(out, "\n%" PRIu32 " further players were left out\n", report->left_out);
}

// JSON. A builder that lacks memory returns NULL, which jansson's setters reject.

static json_t *player_json(const struct audit_player *player, uint32_t tick_hz)
{
    struct audit_figure figures[AUDIT_FIGURES];
    const uint32_t count = audit_figures(player, tick_hz, figures);
    json_t *object =
        json_pack("{sisssb}", "id", (int)player->id, "name", player->name, "bot", (int)player->bot);
    bool is_whole = object != NULL;
    for (uint32_t i = 0; i < count && is_whole; i++) {
        const struct audit_figure *figure = &figures[i];
        json_t *group = json_object_get(object, figure->group);
        if (group == NULL) {
            group = json_object();
            is_whole = json_object_set_new(object, figure->group, group) == 0;
        }
        json_t *value = isnan(figure->value)    ? json_null()
                        : figure->decimals == 0 ? json_integer((json_int_t)figure->value)
                                                : json_real(figure->value);
        is_whole = is_whole && json_object_set_new(group, figure->key, value) == 0;
    }
    if (is_whole)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *report_json(const struct audit_report *report)
{
    json_t *players = json_array();
    bool is_whole = players != NULL;
    for (uint32_t i = 0; i < report->count && is_whole; i++)
        is_whole =
            json_array_append_new(players, player_json(report->players[i], report->tick_hz)) == 0;
    if (!is_whole) {
        json_decref(players);
        return NULL;
    }
    json_t *file = json_string(report->file);
    if (file == NULL) // the path is not UTF-8
        file = json_null();
    return json_pack("{si so ss ss ss sI sI sI sI ss? sI so}", "schema", AUDIT_SCHEMA, "file", file,
                     "version", report->version, "arena", report->arena, "map", report->map,
                     "round", (json_int_t)report->round, "start_unix_ms",
                     (json_int_t)report->start_unix_ms, "tick_hz", (json_int_t)report->tick_hz,
                     "ticks", (json_int_t)report->ticks, "fault", report->fault, "left_out",
                     (json_int_t)report->left_out, "players", players);
}

static bool print_json(const struct audit_report *report, FILE *out)
{
    json_t *document = report_json(report);
    const bool is_printed =
        document != NULL &&
        json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0;
    json_decref(document);
    if (is_printed)
        fputc('\n', out);
    return is_printed;
}

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
        return print_json(&report, out);
    print_tables(&report, out);
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
