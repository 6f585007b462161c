// SPDX-License-Identifier: MIT
// Agones' GameServer as its SDK server sends it in JSON: `GET /gameserver`, and one object a line
// in the stream of `GET /watch/gameserver`. Reads only what raimd uses. No I/O, no clock; any
// thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The most bytes of an object. Kubernetes limits annotations to 256 KiB and an object to 1.5 MiB.
#define GAMESERVER_MAX_BYTES (1536 * 1024)

#define GAMESERVER_MAX_PORTS 256
#define GAMESERVER_PORT_NAME_BYTES 64 // a name of Kubernetes has at most 63
#define GAMESERVER_MAX_ARENAS 256     // values of the list `arenas`; further ones are not read
#define GAMESERVER_VALUE_BYTES 128    // of a value with the closing NUL; longer ones are not read
#define GAMESERVER_MAX_PLAYERS 1000   // values of the list `players`: Agones' own limit
#define GAMESERVER_STATE_BYTES 32
#define GAMESERVER_NAME_BYTES 254
#define GAMESERVER_TIME_BYTES 64

// Names that raimd and a Fleet agree on.
#define GAMESERVER_ARENAS "arenas"         // a counter and a list
#define GAMESERVER_PLAYERS "players"       // a list
#define GAMESERVER_ARENA_KEY "raimd/arena" // annotation: the request for an arena, in JSON
#define GAMESERVER_DRAIN_KEY "raimd/drain" // label or annotation: the server shall drain

struct gameserver_port {
    char name[GAMESERVER_PORT_NAME_BYTES];
    uint16_t port;
};

// The list of players.
struct gameserver_players {
    uint64_t digest; // see gameserver_digest; the sum over all values
    int count;       // of the values that are kept
    char values[GAMESERVER_MAX_PLAYERS][GAMESERVER_VALUE_BYTES];
};

struct gameserver {
    char name[GAMESERVER_NAME_BYTES];
    char state[GAMESERVER_STATE_BYTES]; // "Ready", "Allocated", ...
    bool is_deleting;                   // has a deletion timestamp
    bool is_drain_wanted;               // GAMESERVER_DRAIN_KEY has a value other than "false"
    char last_allocated[GAMESERVER_TIME_BYTES]; // of the newest allocation; "": none
    char *arena;                                // value of GAMESERVER_ARENA_KEY; NULL: none; owned
    char arena_id[GAMESERVER_VALUE_BYTES];      // its member "id"; "": it has none

    bool health_is_disabled;
    uint32_t health_period_s; // 0: unknown

    int port_count;
    struct gameserver_port ports[GAMESERVER_MAX_PORTS];

    bool has_arena_counter, has_arena_list, has_player_list;
    int64_t arenas, arena_capacity; // of the counter
    int64_t arena_list_capacity, player_capacity;
    int arena_value_count;
    char arena_values[GAMESERVER_MAX_ARENAS][GAMESERVER_VALUE_BYTES];
    struct gameserver_players players;
};

// Parses one object, plain or as {"result": {...}}. Returns NULL and a reason if it is none, or
// when memory runs out. The caller frees it with gameserver_free, which takes NULL.
struct gameserver *gameserver_parse(const char *text, size_t size, const char **problem);
void gameserver_free(struct gameserver *gameserver);

// The port of this name; with the name "" the only port. 0: none.
uint16_t gameserver_port(const struct gameserver *gameserver, const char *name);

// Parses a counter, {"name": ..., "count": "3", "capacity": "10"}. False if it is none.
bool gameserver_parse_counter(const char *text, size_t size, int64_t *count);

// Copies the message of a rejection, {"code": 2, "message": ..., "details": []}; "" if it has none.
void gameserver_parse_problem(const char *text, size_t size, char *problem, size_t capacity);

// A 64-bit hash (FNV-1a) of a list's value.
uint64_t gameserver_digest(const char *value);

// Splits the stream of a watch into lines. All zero: empty.
struct gameserver_stream {
    char *line; // owned; the bytes of the incomplete line
    size_t size, capacity;
    bool is_failed; // a line was too long, or memory ran out: the stream cannot be continued
};

// Takes bytes up to the end of the next line, and returns how many. With `line` set to the line,
// the stream owns it until the next call; NULL: none is complete. After a failure nothing is taken.
size_t gameserver_stream_take(struct gameserver_stream *stream, const char *bytes, size_t size,
                              const char **line, size_t *line_size);

// Frees the stream's memory and empties it.
void gameserver_stream_clear(struct gameserver_stream *stream);
