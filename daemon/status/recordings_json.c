// SPDX-License-Identifier: MIT
// Writes a page of the list of recordings.
#include "recordings_json.h"

#include "json_writer.h"

static const char *text_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static double length_s(const struct recording_entry *entry)
{
    return entry->tick_hz > 0 ? (double)entry->ticks / entry->tick_hz : 0;
}

// The players with most points.
static void write_best(struct json_writer *json, const struct recording_entry *entry)
{
    json_write_array(json, "best");
    for (uint32_t i = 0; i < entry->best_count && i < RECORDING_BEST; i++) {
        json_write_object(json, NULL);
        json_write_text(json, "name", text_or_null(entry->best[i].name));
        json_write_number(json, "score", (int)entry->best[i].score);
        json_write_number(json, "deaths", (int)entry->best[i].deaths);
        json_write_end(json);
    }
    json_write_end(json);
}

static void write_entry(struct json_writer *json, const struct recording_entry *entry)
{
    json_write_object(json, NULL);
    json_write_text(json, "name", entry->name);
    json_write_text(json, "arena", entry->arena);
    json_write_text(json, "map", text_or_null(entry->map));
    json_write_number(json, "round", (int)entry->round);
    json_write_number(json, "part", (int)entry->part);
    json_write_number(json, "started_at", (int64_t)(entry->start_ms / 1000));
    json_write_tenths(json, "length_s", length_s(entry));
    json_write_number(json, "bytes", (int64_t)entry->size);
    json_write_number(json, "players", (int)entry->players);
    json_write_number(json, "bots", (int)entry->bots);
    write_best(json, entry);
    json_write_text(json, "winner", text_or_null(entry->winner));
    json_write_flag(json, "complete", entry->is_complete);
    json_write_flag(json, "clip", entry->is_clip);
    json_write_flag(json, "kept", entry->is_kept);
    json_write_end(json);
}

char *recordings_json(struct recordings *recordings, const char *before)
{
    struct recording_entry entries[RECORDINGS_PAGE + 1]; // one more tells whether there is more
    struct json_writer json = {0};
    uint64_t bytes = 0;
    const uint32_t all = recordings != NULL ? recordings_count(recordings, &bytes) : 0;
    const uint32_t count =
        recordings != NULL ? recordings_list(recordings, before, entries, RECORDINGS_PAGE + 1) : 0;
    json_write_object(&json, NULL);
    json_write_array(&json, "recordings");
    for (uint32_t i = 0; i < count && i < RECORDINGS_PAGE; i++)
        write_entry(&json, &entries[i]);
    json_write_end(&json);
    json_write_text(&json, "next",
                    count > RECORDINGS_PAGE ? entries[RECORDINGS_PAGE - 1].name : NULL);
    json_write_count(&json, "count", all);
    json_write_count(&json, "bytes", bytes);
    json_write_end(&json);
    return json_write_take(&json);
}
