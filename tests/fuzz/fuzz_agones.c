// SPDX-License-Identifier: MIT
// Fuzzes what Agones' SDK server sends: the watch stream, cut anywhere, and the answers to
// requests, with the events of arenas and signals in between. Every GameServer that is read is
// within its limits; at most one request waits for an answer; every body is a JSON object of
// bounded size; the machine asks for nothing more once it has ended.
#define _GNU_SOURCE
#include "fuzz.h"

#include "agones.h"
#include "arena_text.h"

#include <stdbool.h>
#include <stdio.h>

enum { MAX_ARENAS = 8 };

static struct agones *agones;
static uint64_t now_ms;
static bool is_waiting;
static enum agones_kind waiting_kind;
static char last_id[AGONES_ARENA_ID_BYTES];

static void check_gameserver(const struct gameserver *gameserver)
{
    assert(gameserver->port_count >= 0 && gameserver->port_count <= GAMESERVER_MAX_PORTS);
    for (int i = 0; i < gameserver->port_count; i++)
        assert(gameserver->ports[i].port > 0);
    assert(gameserver->arena_value_count <= GAMESERVER_MAX_ARENAS);
    assert(gameserver->arenas >= 0 && gameserver->arena_capacity >= 0);
    assert(strlen(gameserver->state) < GAMESERVER_STATE_BYTES);
}

// Feeds bytes to the stream in pieces whose sizes the input chooses, and its objects to the
// machine.
static void feed_stream(struct gameserver_stream *stream, struct fuzz_input *input)
{
    size_t size, line_size;
    const char *line, *problem;
    const uint8_t *bytes = fuzz_block(input, fuzz_pair(input), &size);
    while (size > 0) {
        const size_t taken =
            gameserver_stream_take(stream, (const char *)bytes, size, &line, &line_size);
        if (taken == 0)
            return;
        assert(taken <= size);
        bytes += taken;
        size -= taken;
        if (line == NULL)
            continue;
        struct gameserver *gameserver = gameserver_parse(line, line_size, &problem);
        assert(gameserver != NULL || problem != NULL);
        if (gameserver == NULL) {
            agones_receive_watch_end(agones, now_ms);
            continue;
        }
        check_gameserver(gameserver);
        agones_receive_update(agones, gameserver, now_ms);
        gameserver_free(gameserver);
    }
}

static void answer_request(struct fuzz_input *input)
{
    static const unsigned statuses[] = {200, 200, 0, 500};
    size_t size;
    const char *problem;
    struct agones_answer answer = {.status = statuses[fuzz_byte(input) % 4], .count = -1};
    struct gameserver *gameserver = NULL;
    const uint8_t *bytes = fuzz_block(input, fuzz_pair(input), &size);
    if (!is_waiting)
        return;
    is_waiting = false;
    if (answer.status == 200 && waiting_kind == AGONES_GAMESERVER)
        gameserver = gameserver_parse((const char *)bytes, size, &problem);
    if (answer.status == 200 && waiting_kind == AGONES_AUDIT &&
        !gameserver_parse_counter((const char *)bytes, size, &answer.count))
        answer.count = -1;
    if (gameserver != NULL)
        check_gameserver(gameserver);
    answer.gameserver = gameserver;
    agones_receive_answer(agones, &answer, now_ms);
    gameserver_free(gameserver);
}

static void take_requests(void)
{
    struct agones_request request;
    for (int i = 0; agones_next_request(agones, now_ms, &request); i++) {
        assert(i < 2); // a request and a watch
        assert(agones_status(agones)->phase != AGONES_ENDED);
        assert(request.path[0] == '/');
        if (request.body != NULL) {
            const size_t size = strlen(request.body);
            assert(size >= 2 && size < AGONES_BODY_BYTES);
            assert(request.body[0] == '{' && request.body[size - 1] == '}');
        }
        if (request.kind == AGONES_WATCH)
            continue;
        assert(!is_waiting);
        is_waiting = true;
        waiting_kind = request.kind;
    }
    assert(agones_due_ms(agones) > now_ms || is_waiting);
}

static void take_decisions(void)
{
    struct agones_decision decision;
    while (agones_next_decision(agones, &decision)) {
        if (decision.kind != AGONES_START_ARENA)
            continue;
        assert(decision.id[0] != '\0' && strpbrk(decision.id, "/\" {}") == NULL);
        strcpy(last_id, decision.id);
        char *json = arena_text_request(decision.json, decision.template_name);
        assert(json != NULL);
        free(json);
    }
    assert(agones_status(agones)->arenas <= MAX_ARENAS + 4);
}

// What on_demand.h answered, as text.
static void read_arena(struct fuzz_input *input)
{
    size_t size;
    const unsigned status = fuzz_byte(input) % 2 != 0 ? 201 : 422;
    const uint8_t *bytes = fuzz_block(input, fuzz_byte(input), &size);
    char *text = malloc(size + 1);
    assert(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    const struct arena_text arena = arena_text_read(status, text);
    assert(!arena.is_running || arena.port > 0);
    assert(strlen(arena.problem) < ARENA_TEXT_PROBLEM_BYTES);
    if (arena.is_running)
        agones_arena_started(agones, last_id, arena.port, arena.name, now_ms);
    else
        agones_arena_failed(agones, last_id, arena.problem, now_ms);
    free(text);
}

static void act(struct gameserver_stream *stream, struct fuzz_input *input)
{
    const uint8_t kind = fuzz_byte(input);
    switch (kind % 10) {
    case 0:
    case 1:
        feed_stream(stream, input);
        break;
    case 2:
    case 3:
        answer_request(input);
        break;
    case 4:
        now_ms += fuzz_pair(input);
        break;
    case 5:
        agones_set_load(agones, (kind & 16) == 0, fuzz_byte(input) % 3, now_ms);
        break;
    case 6:
        read_arena(input);
        break;
    case 7:
        agones_arena_ended(agones, last_id, now_ms);
        break;
    case 8:
        agones_receive_watch_end(agones, now_ms);
        break;
    default:
        if (kind >= 200)
            agones_drain(agones, (enum agones_drain_reason)(fuzz_byte(input) % 3), now_ms);
        else if (kind >= 150)
            agones_set_drained(agones, now_ms);
        else
            agones_set_players(agones, &(const char *){"Ada \"\\\x01"}, kind % 2);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct agones_def def = agones_default_def();
    struct gameserver_stream stream = {0};
    struct fuzz_input input = {data, size};
    def.max_arenas = MAX_ARENAS;
    def.ready_when_empty = true;
    now_ms = 1000;
    is_waiting = false;
    strcpy(last_id, "none");
    agones = agones_create(&def, now_ms);
    assert(agones != NULL);
    while (input.left > 0) {
        act(&stream, &input);
        take_requests();
        take_decisions();
    }
    gameserver_stream_clear(&stream);
    agones_destroy(agones);
    return 0;
}
