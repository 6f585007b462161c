// SPDX-License-Identifier: MIT
// Bodies of requests about arenas: any bytes. Each is either good and in range, or rejected with
// mistakes that are JSON. The input's first byte chooses the kind of request. The same bytes are
// also tried as the path of a request and as a record of an arena.
#define _GNU_SOURCE
#include "fuzz.h"

#include "arena_request.h"
#include "arena_store.h"
#include "fuzz_file.h"
#include "log.h"
#include "store.h"

#include <jansson.h>

#include <unistd.h>

static struct config *config;
static struct store *store;
static char record_path[128];

static void clean_up(void)
{
    unlink(record_path);
}

static void set_up(void)
{
    static const char text[] =
        "arenas = (); on_demand = { ports = \"7300-7303\"; templates = ({ name = \"open\"; map = "
        "\"" RAIM_SOURCE_DIR
        "/config/maps/duel.conf\"; score_limit = 5; rotation = (\"" RAIM_SOURCE_DIR
        "/config/maps/crossfire.conf\"); }, { name = \"token\"; map = \"" RAIM_SOURCE_DIR
        "/config/maps/duel.conf\"; max_players = 4; access = \"token\"; access_key = "
        "\"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\"; }); };";
    char path[128];
    fuzz_make_directory("arenas");
    snprintf(path, sizeof path, "%s/raimd.conf", fuzz_directory);
    snprintf(record_path, sizeof record_path, "%s/a.arena", fuzz_directory);
    atexit(clean_up);
    log_set_level(LOG_LEVEL_ERROR);
    fuzz_write_file(path, text, sizeof text - 1);
    config = config_load(path, stderr);
    assert(config != NULL);
    unlink(path);
    store = store_create(fuzz_directory);
    assert(store != NULL);
}

// What a body's parser has reported agrees with its result, and is a list of JSON strings.
static void check_mistakes(bool good, struct text_buffer *mistakes)
{
    char *list = text_buffer_take(mistakes), *text = NULL;
    assert(list != NULL && good == (list[0] == '\0'));
    const int length = asprintf(&text, "[%s]", list);
    assert(length > 0);
    json_t *parsed = json_loads(text, 0, NULL);
    assert(parsed != NULL && json_array_size(parsed) <= 32);
    json_decref(parsed);
    free(text);
    free(list);
}

static void check_metadata(const char *metadata)
{
    json_t *parsed = json_loads(metadata, 0, NULL);
    assert(json_is_object(parsed) && json_object_size(parsed) <= ARENA_REQUEST_MAX_METADATA);
    assert(strchr(metadata, '\n') == NULL); // a line of a record
    json_decref(parsed);
}

static void try_request(const char *json, size_t size)
{
    struct arena_request request, again;
    struct text_buffer mistakes = {0};
    const bool good = arena_request_parse(&request, config, json, size, &mistakes);
    check_mistakes(good, &mistakes);
    if (good) {
        assert(raim_rules_check(&request.arena.match.rules) == NULL);
        assert(request.arena.match.tuning.max_players >= 1 &&
               request.arena.match.tuning.max_players <= 64);
        assert(request.player_count <= request.arena.match.tuning.max_players);
        assert(request.player_count == 0 || request.arena.needs_access);
        assert(request.join_within_s >= 1 && request.join_within_s <= 3600);
        assert(request.arena.match.map != NULL && strchr(request.text, '\n') == NULL);
        check_metadata(request.metadata);
        // The canonical text means the same, and is canonical.
        assert(arena_request_parse(&again, config, request.text, strlen(request.text), &mistakes));
        assert(strcmp(again.text, request.text) == 0);
        assert(strcmp(again.metadata, request.metadata) == 0);
        arena_request_clear(&again);
        check_mistakes(true, &mistakes);
    }
    arena_request_clear(&request);
}

static void try_change(const char *json, size_t size)
{
    struct arena_change change;
    struct text_buffer mistakes = {0};
    const bool good = arena_change_parse(&change, 7, json, size, &mistakes);
    check_mistakes(good, &mistakes);
    assert(!good || change.max_players <= 7);
    if (good && change.metadata != NULL)
        check_metadata(change.metadata);
    arena_change_clear(&change);
}

static void try_end(const char *json, size_t size)
{
    struct arena_end end;
    struct text_buffer mistakes = {0};
    const bool good = arena_end_parse(&end, json, size, &mistakes);
    check_mistakes(good, &mistakes);
    assert(strlen(end.reason) <= RAIM_MAX_TEXT_BYTES);
    assert(!good || end.within_s == 0 || end.drains);
}

static void take_record(void *context, struct arena_record *record)
{
    (void)context;
    assert(strcmp(record->name, "a") == 0 && strlen(record->id) < ARENA_STORE_ID_BYTES);
    arena_store_write(store, record);
    free(record->metadata);
    free(record->request);
    free(record->result);
}

static void try_record(const char *bytes, size_t size)
{
    fuzz_write_file(record_path, bytes, size);
    arena_store_read(store, NULL, take_record);
    store_flush(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (config == NULL)
        set_up();
    if (size == 0)
        return 0;
    char *text = malloc(size); // of exactly this size, so that ASan sees a read beyond
    memcpy(text, data + 1, size - 1);
    switch (data[0] & 3) {
    case 0:
    default:
        try_request(text, size - 1);
        break;
    case 1:
        try_change(text, size - 1);
        break;
    case 2:
        try_end(text, size - 1);
        break;
    case 3:
        text[size - 1] = '\0';
        arena_request_is_id(text);
        try_record(text, size - 1);
        break;
    }
    free(text);
    return 0;
}
