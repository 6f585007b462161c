// SPDX-License-Identifier: MIT
// Writes the list of recordings with jansson, which escapes the names of maps and players.
#include "recordings_json.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>

// Without digits that come from binary fractions.
#define FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(12))

// A text of a file, or null for "" and for what is not UTF-8.
static json_t *text_or_null(const char *text)
{
    json_t *value = text[0] != '\0' ? json_string(text) : NULL;
    return value != NULL ? value : json_null();
}

// The length in seconds, to the tenth.
static double length_s(const struct recording_entry *entry)
{
    return entry->tick_hz > 0 ? round(10.0 * entry->ticks / entry->tick_hz) / 10 : 0;
}

// The players with most points; NULL when memory runs out.
static json_t *best_json(const struct recording_entry *entry)
{
    json_t *best = json_array();
    for (uint32_t i = 0; best != NULL && i < entry->best_count && i < RECORDING_BEST; i++) {
        json_t *player = json_pack("{so, si, si}", "name", text_or_null(entry->best[i].name), //
                                   "score", (int)entry->best[i].score,                        //
                                   "deaths", (int)entry->best[i].deaths);
        if (json_array_append_new(best, player) == 0)
            continue;
        json_decref(best);
        best = NULL;
    }
    return best;
}

static json_t *entry_json(const struct recording_entry *entry)
{
    return json_pack("{ss, ss, so, si, si, sI, sf, sI, si, si, so, so, sb, sb, sb}", //
                     "name", entry->name, "arena", entry->arena,                     //
                     "map", text_or_null(entry->map),                                //
                     "round", (int)entry->round, "part", (int)entry->part,           //
                     "started_at", (json_int_t)(entry->start_ms / 1000),             //
                     "length_s", length_s(entry),                                    //
                     "bytes", (json_int_t)entry->size,                               //
                     "players", (int)entry->players, "bots", (int)entry->bots,       //
                     "best", best_json(entry),                                       //
                     "winner", text_or_null(entry->winner),                          //
                     "complete", entry->is_complete, "clip", entry->is_clip,         //
                     "kept", entry->is_kept);
}

static json_t *page_json(struct recordings *recordings, const struct recording_entry *entries,
                         uint32_t count)
{
    uint64_t bytes = 0;
    const uint32_t all = recordings != NULL ? recordings_count(recordings, &bytes) : 0;
    json_t *list = json_array();
    bool complete = list != NULL;
    for (uint32_t i = 0; complete && i < count && i < RECORDINGS_PAGE; i++)
        complete = json_array_append_new(list, entry_json(&entries[i])) == 0;
    if (!complete) {
        json_decref(list);
        return NULL;
    }
    const char *next = count > RECORDINGS_PAGE ? entries[RECORDINGS_PAGE - 1].name : NULL;
    return json_pack("{so, ss?, sI, sI}", "recordings", list, "next", next, //
                     "count", (json_int_t)all, "bytes", (json_int_t)bytes);
}

char *recordings_json(struct recordings *recordings, const char *before)
{
    struct recording_entry entries[RECORDINGS_PAGE + 1]; // one more tells whether there is more
    const uint32_t count =
        recordings != NULL ? recordings_list(recordings, before, entries, RECORDINGS_PAGE + 1) : 0;
    json_t *page = page_json(recordings, entries, count);
    char *text = page != NULL ? json_dumps(page, FLAGS) : NULL;
    json_decref(page);
    return text;
}
