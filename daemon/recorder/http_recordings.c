// SPDX-License-Identifier: MIT
// Serves the list of recordings and their files.
#include "http_recordings.h"

#include "http_answer.h"
#include "http_document.h"
#include "http_downloads.h"
#include "json_writer.h"
#include "recordings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// JSON document of `GET /recordings`, see recordings.schema.json. Main thread only.

#define RECORDINGS_PAGE 50 // entries of a document

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
    json_begin_array(json, "best");
    for (uint32_t i = 0; i < entry->best_count && i < RECORDING_BEST; i++) {
        json_begin_object(json, NULL);
        json_write_text(json, "name", text_or_null(entry->best[i].name));
        json_write_number(json, "score", (int)entry->best[i].score);
        json_write_number(json, "deaths", (int)entry->best[i].deaths);
        json_write_end(json);
    }
    json_write_end(json);
}

static void write_entry(struct json_writer *json, const struct recording_entry *entry)
{
    json_begin_object(json, NULL);
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

// A page of the list, the newest first: the first one, or the one after the recording named
// `before`. Where nothing is recorded (`recordings` NULL) it is empty. The caller frees the text;
// NULL when memory runs out.
static char *recordings_json(struct recordings *recordings, const char *before)
{
    struct recording_entry entries[RECORDINGS_PAGE + 1]; // one more tells whether there is more
    struct json_writer json = {0};
    uint64_t bytes = 0;
    const uint32_t all = recordings != NULL ? recordings_count(recordings, &bytes) : 0;
    const uint32_t count =
        recordings != NULL ? recordings_list(recordings, before, entries, RECORDINGS_PAGE + 1) : 0;
    json_begin_object(&json, NULL);
    json_begin_array(&json, "recordings");
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

static const char root[] = "/recordings";

struct http_recordings {
    struct recordings *list; // NULL: nothing is recorded
    struct http_downloads *downloads;
    struct http_document newest; // the first page of the list; none: not rendered yet
    uint64_t newest_version;     // of the list, when it was rendered
};

static void destroy(void *context)
{
    struct http_recordings *recordings = context;
    http_document_clear(&recordings->newest);
    http_downloads_destroy(recordings->downloads);
    free(recordings);
}

bool http_recordings_takes(const char *path)
{
    const size_t length = sizeof root - 1;
    return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

// Sends the first page, which is rendered once for each change of the list.
static bool answer_newest(struct http_recordings *recordings, struct MHD_Connection *connection)
{
    struct recordings *list = recordings->list;
    const uint64_t version = list != NULL ? recordings_version(list) : 0;
    if (recordings->newest.plain == NULL || recordings->newest_version != version) {
        http_document_clear(&recordings->newest);
        http_document_take(&recordings->newest, HTTP_JSON_TYPE, recordings_json(list, NULL));
        recordings->newest_version = version;
    }
    return recordings->newest.plain != NULL &&
           http_document_send(&recordings->newest, connection, HTTP_OK);
}

static bool answer_list(struct http_recordings *recordings, struct MHD_Connection *connection)
{
    struct recording_name parts;
    const char *before = http_connection_argument(connection, "before");
    if (before == NULL)
        return answer_newest(recordings, connection);
    if (!recording_name_read(before, &parts))
        return http_answer_send_problem(connection, HTTP_BAD_REQUEST,
                                        "the parameter before is not the name of a recording",
                                        NULL);
    return http_answer_send_once(
        connection, HTTP_OK,
        http_answer_text(HTTP_JSON_TYPE, recordings_json(recordings->list, before)));
}

static bool answer_file(struct http_recordings *recordings, const struct http_request *request,
                        const char *name)
{
    struct recording_name parts;
    struct recording_entry entry;
    struct recordings *list = recordings->list;
    if (list == NULL || !recording_name_read(name, &parts))
        return http_answer_send_problem(request->connection, HTTP_NOT_FOUND, "no such recording",
                                        NULL);
    const int file = recordings_open_file(list, name, &entry);
    if (file >= 0)
        return http_downloads_answer(recordings->downloads, request->connection,
                                     strcmp(request->method, "HEAD") == 0, file, name);
    if (errno == ENOENT)
        return http_answer_send_problem(request->connection, HTTP_NOT_FOUND, "no such recording",
                                        NULL);
    return http_answer_send_problem(request->connection, HTTP_UNAVAILABLE,
                                    "the recording cannot be opened", NULL);
}

static bool answer(void *context, const struct http_request *request)
{
    struct http_recordings *recordings = context;
    const char *rest = request->path + sizeof root - 1;
    return *rest == '\0' ? answer_list(recordings, request->connection)
                         : answer_file(recordings, request, rest + 1);
}

static void end(void *context)
{
    struct http_recordings *recordings = context;
    http_downloads_close(recordings->downloads);
}

// The arenas need the uplink, too: all downloads together get 4 MB a second, and an address has at
// most 4 of the 16.
static const struct http_downloads_def public_limits = {
    .max = 16, .max_of_address = 4, .bytes_per_s = 4 << 20};
// The operator's downloads have no rate to share, so none ever waits.
static const struct http_downloads_def operator_limits = {.max = 4, .max_of_address = 4};

static struct http_recordings *create(struct loop *loop, struct recordings *list,
                                      const struct http_downloads_def *limits)
{
    struct http_recordings *recordings = calloc(1, sizeof *recordings);
    if (recordings == NULL)
        return NULL;
    recordings->list = list;
    recordings->downloads = http_downloads_create(loop, limits);
    if (recordings->downloads != NULL)
        return recordings;
    free(recordings);
    return NULL;
}

bool http_recordings_serve(struct http_services *services, struct loop *loop,
                           struct recordings *list, bool is_for_operators)
{
    struct http_recordings *recordings =
        create(loop, list, is_for_operators ? &operator_limits : &public_limits);
    return http_services_add(
        services, (struct http_service){http_recordings_takes, answer, end, destroy, recordings});
}
