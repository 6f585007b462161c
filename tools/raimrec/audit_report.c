// SPDX-License-Identifier: MIT
// Writes the figures of an audit, a table for each group.
#define _GNU_SOURCE
#include "audit_report.h"

#include "audit_figures.h"

#include <jansson.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

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

void audit_report_print(const struct audit_report *report, FILE *out)
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

// --- JSON. A builder that lacks memory returns NULL, which jansson's setters refuse. ---

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

bool audit_report_print_json(const struct audit_report *report, FILE *out)
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
