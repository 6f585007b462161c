// SPDX-License-Identifier: MIT
// A match among connections of every conduct. Behind each connection a real client receives
// everything that it is sent, must be able to read it, and must end up knowing what the match
// knows; clients lose their connections and come back. An input is three bytes of settings, then
// operations.
#include "fuzz.h"

#include "client.h"
#include "fuzz_arena.h"
#include "handshake.h"
#include "input.h"
#include "match.h"
#include "name.h"

enum {
    MOST_CLIENTS = 4,
    MOST_BOTS = 3,
    MOST_SPECTATORS = 2,
    DELAY_TICKS = 5, // of spectators
    MOST_CONNECTIONS = MOST_CLIENTS + 2,
    MOST_ROWS = MOST_CLIENTS + MOST_BOTS,
    MOST_TICKS = 400, // of one input: outlives the history, and the timeouts of the slower rates
};

struct seat {
    struct raim_client *client; // NULL where nobody reads what is sent there
    bool connected;
    bool closed;     // nothing more may be sent to it
    bool had_player; // when its connection was lost: its row
    struct raim_match_player row;
    uint32_t joined_tick;
};

struct table {
    struct raim_match *match;
    struct raim_match_def def;
    struct seat seats[MOST_CONNECTIONS];
    struct raim_match_counts counts; // as of the last look
    uint32_t ticks;
    uint32_t tokens; // given out
};

static uint64_t now_us(const struct table *table)
{
    return (uint64_t)table->ticks * 1000000 / table->def.tick_hz;
}

static bool is_local(uint32_t handle)
{
    return handle % 2 == 0;
}

// It has been welcome.
static bool is_in(const struct raim_client *client)
{
    return raim_client_state(client) == RAIM_CLIENT_ENTERING ||
           raim_client_state(client) == RAIM_CLIENT_PLAYING;
}

// Somebody sits there who can be told something.
static bool is_open(const struct seat *seat)
{
    return seat->client != NULL && seat->connected && !seat->closed;
}

static bool is_spectator(const struct seat *seat)
{
    return is_open(seat) && is_in(seat->client) && raim_client_is_spectator(seat->client);
}

// --- What must be true after every tick ---

static void check_hits(const struct table *table, const struct raim_match_hits *hits)
{
    const double most_ms = 1000 * table->def.max_rewind_s + 1000.0 / table->def.tick_hz;
    assert(hits->total >= table->counts.hits.total);
    assert(hits->rewound <= hits->total && hits->in_past <= hits->rewound);
    assert(hits->most_rewound_ms <= hits->rewound_ms && hits->most_rewound_ms <= most_ms);
    assert((hits->rewound > 0) == (hits->most_rewound_ms > 0));
}

static void check_counts(struct table *table, const struct raim_match_player *rows, uint32_t count)
{
    const struct raim_match_counts now = raim_match_counts(table->match);
    uint32_t playing = 0, away = 0, watching = 0, deaf = 0;
    for (uint32_t i = 0; i < table->def.max_connections; i++) {
        const struct seat *seat = &table->seats[i];
        watching += is_spectator(seat);
        deaf += seat->connected && !seat->closed && seat->client == NULL;
    }
    assert(now.spectators >= watching && now.spectators <= watching + deaf);
    assert(now.spectators <= table->def.max_spectators);
    for (uint32_t i = 0; i < count; i++) {
        playing += !rows[i].bot;
        away += rows[i].away;
    }
    assert(now.players == playing && playing <= table->def.max_clients);
    assert(now.away == away && (away == 0 || table->def.resume_grace_s > 0));
    check_hits(table, &now.hits);
    assert(now.bots == table->def.bots && count == playing + now.bots);
    for (int i = 0; i < RAIM_REFUSALS; i++)
        assert(now.refused[i] >= table->counts.refused[i]);
    table->counts = now;
    assert(raim_match_tick(table->match) == table->ticks);
}

static void check_rows(const struct table *table, const struct raim_match_player *rows,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char cleaned[RAIM_MAX_NAME_BYTES + 1];
        assert(raim_name_clean(rows[i].name, cleaned) && strcmp(rows[i].name, cleaned) == 0);
        assert(rows[i].id != RAIM_NOBODY && rows[i].played_ticks <= table->ticks);
        assert(rows[i].inputs_missed <= rows[i].inputs_due);
        assert(rows[i].inputs_due <= rows[i].played_ticks);
        assert(raim_player_place(rows[i].id) < table->def.max_clients + table->def.bots);
        for (uint32_t j = 0; j < i; j++) {
            assert(raim_player_place(rows[j].id) < raim_player_place(rows[i].id));
            assert(rows[i].bot || rows[j].bot || rows[i].away || rows[j].away ||
                   rows[i].client != rows[j].client);
        }
        if (rows[i].bot || rows[i].away)
            continue;
        assert(rows[i].client < table->def.max_connections);
        const struct seat *seat = &table->seats[rows[i].client];
        assert(seat->connected && !seat->closed);
    }
}

// The roster that the client was told is the match's.
static void check_roster(const struct raim_client *client, const struct raim_match_player *rows,
                         uint32_t count)
{
    for (uint32_t place = 0; place < raim_client_max_players(client); place++) {
        const struct raim_client_member *member = raim_client_member(client, place);
        const struct raim_match_player *row = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (raim_player_place(rows[i].id) == place)
                row = &rows[i];
        assert(member->id == (row != NULL ? row->id : RAIM_NOBODY));
        if (row == NULL)
            continue;
        assert(member->bot == row->bot && strcmp(member->name, row->name) == 0);
        assert(member->score == row->score && member->deaths == row->deaths);
    }
}

// Whom the client sees are those who live, where they are.
static void check_picture(const struct table *table, const struct raim_client *client)
{
    const raim_player *players = raim_world_players_const(raim_match_world(table->match));
    struct raim_client_player seen[MOST_ROWS];
    const uint32_t count = raim_client_players(client, seen, MOST_ROWS);
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *player = &players[seen[i].place];
        assert(player->state == RAIM_PLAYER_ALIVE);
        assert(raim_vec2_distance_squared(seen[i].position, player->position) < 0.05 * 0.05);
        assert(seen[i].shielded == (player->shield_ticks > 0));
    }
    const raim_player *own = &players[raim_client_viewpoint(client)];
    assert(raim_client_alive(client) == (own->state == RAIM_PLAYER_ALIVE));
    if (raim_client_is_spectator(client))
        return;
    assert(raim_client_stats(client)->shots <= own->shots);
    assert(raim_client_stats(client)->hits <= own->hits);
}

// Its player; NULL for none.
static const struct raim_match_player *row_of(uint32_t handle, const struct raim_match_player *rows,
                                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!rows[i].bot && !rows[i].away && rows[i].client == handle)
            return &rows[i];
    return NULL;
}

static void check_events(struct raim_client *client)
{
    struct raim_client_event event;
    char cleaned[RAIM_MAX_CHAT_BYTES + 1];
    while (raim_client_next_event(client, &event))
        if (event.kind == RAIM_CLIENT_CHAT)
            assert(event.player != RAIM_NOBODY &&
                   raim_text_clean(event.text, cleaned, RAIM_MAX_CHAT_BYTES) &&
                   strcmp(event.text, cleaned) == 0);
}

static void check(struct table *table)
{
    struct raim_match_player rows[MOST_ROWS + 1];
    const uint32_t count = raim_match_players(table->match, rows, MOST_ROWS + 1);
    check_counts(table, rows, count);
    check_rows(table, rows, count);
    for (uint32_t i = 0; i < table->def.max_connections; i++) {
        struct raim_client *client = table->seats[i].client;
        if (!is_open(&table->seats[i]))
            continue;
        const bool watches = is_spectator(&table->seats[i]);
        assert((row_of(i, rows, count) != NULL) == (is_in(client) && !watches));
        check_events(client);
        const struct raim_client_stats *stats = raim_client_stats(client);
        assert(stats->decode_errors == 0);
        assert(stats->events_lost == 0 && stats->events_repeated == 0);
        if (raim_client_state(client) != RAIM_CLIENT_PLAYING || (watches && !is_local(i)))
            continue;
        check_roster(client, rows, count);
        if (stats->snapshots > 0 && raim_client_tick(client) == table->ticks)
            check_picture(table, client);
    }
}

// --- Operations: each on one connection ---

static void pull(struct table *table)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(table->match, &out)) {
        assert(out.client < table->def.max_connections);
        struct seat *seat = &table->seats[out.client];
        assert(seat->connected && !seat->closed);
        assert(out.size <= RAIM_MAX_MESSAGE_BYTES && (out.reliable || !out.close));
        seat->closed = out.close;
        if (out.size == 0) { // it left by itself and knows why
            assert(out.close && out.reason == RAIM_REASON_LEFT);
            continue;
        }
        if (seat->client == NULL)
            continue; // who sat there has moved
        uint8_t *exact = fuzz_copy(out.data, out.size);
        assert(raim_client_receive(seat->client, now_us(table), exact, out.size));
        free(exact);
        assert(out.close == (raim_client_state(seat->client) == RAIM_CLIENT_ENDED));
        assert(raim_client_end(seat->client).reason == out.reason);
    }
}

static void step_times(struct table *table, uint32_t count)
{
    for (; count > 0 && table->ticks < MOST_TICKS; count--) {
        raim_match_step(table->match);
        table->ticks++;
        pull(table);
        check(table);
    }
}

static void step(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)handle, (void)input;
    step_times(table, 1);
}

static void step_many(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)handle;
    step_times(table, 1 + fuzz_byte(input) % 64);
}

static void shut_down(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)handle, (void)input;
    raim_match_shutdown(table->match);
    pull(table);
}

static void stand_up(struct seat *seat)
{
    raim_client_destroy(seat->client);
    *seat = (struct seat){0};
}

// Gives the handle to a new connection, also where there is one already: the transport may have
// used it again.
static void open_connection(struct table *table, uint32_t handle)
{
    const uint32_t number = ++table->tokens;
    uint8_t token[RAIM_MATCH_TOKEN_BYTES] = {0};
    for (int i = 0; i < 4; i++)
        token[i] = (uint8_t)(number >> 8 * i);
    raim_match_connect(table->match, handle, is_local(handle), token);
    table->seats[handle].connected = true;
    table->seats[handle].closed = false;
}

static void connect(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    uint8_t unsent[RAIM_MAX_MESSAGE_BYTES];
    stand_up(&table->seats[handle]);
    open_connection(table, handle);
    const struct raim_client_def def = raim_client_default_def();
    struct raim_client *client = raim_client_create(&def);
    assert(client != NULL && raim_client_wants_connection(client, now_us(table)));
    // What it is said to have sent is said by send_hello.
    assert(raim_client_write_hello(client, now_us(table), unsent, sizeof unsent) > 0);
    table->seats[handle].client = client;
}

static void disconnect(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    raim_match_disconnect(table->match, handle);
    stand_up(&table->seats[handle]);
}

static void send(struct table *table, uint32_t handle, bool reliable, const uint8_t *bytes,
                 size_t size)
{
    uint8_t *exact = fuzz_copy(bytes, size);
    raim_match_receive(table->match, handle, reliable, exact, size);
    free(exact);
}

static void remember_player(struct table *table, uint32_t handle)
{
    struct raim_match_player rows[MOST_ROWS + 1];
    struct seat *seat = &table->seats[handle];
    const uint32_t count = raim_match_players(table->match, rows, MOST_ROWS + 1);
    const struct raim_match_player *row = row_of(handle, rows, count);
    seat->had_player = row != NULL;
    if (row == NULL)
        return;
    seat->row = *row;
    seat->joined_tick = table->ticks - row->played_ticks;
}

// Whoever has lost its player, and would find it in the match, has it again.
static void check_come_back(const struct table *table, uint32_t handle)
{
    struct raim_match_player rows[MOST_ROWS + 1];
    const struct seat *seat = &table->seats[handle];
    const uint32_t count = raim_match_players(table->match, rows, MOST_ROWS + 1);
    for (uint32_t i = 0; seat->had_player && i < count; i++)
        if (rows[i].id == seat->row.id &&
            table->ticks - rows[i].played_ticks == seat->joined_tick) {
            assert(!rows[i].away && rows[i].client == handle);
            assert(rows[i].score >= seat->row.score && rows[i].deaths >= seat->row.deaths);
        }
}

static void come_back(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct seat *seat = &table->seats[handle];
    if (seat->connected || !raim_client_wants_connection(seat->client, now_us(table)))
        return;
    open_connection(table, handle);
    const size_t size = raim_client_write_hello(seat->client, now_us(table), bytes, sizeof bytes);
    const bool resumes = raim_client_state(seat->client) == RAIM_CLIENT_RESUMING;
    send(table, handle, true, bytes, size);
    if (resumes)
        check_come_back(table, handle);
}

// Without a word, and both ends notice.
static void lose(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    struct seat *seat = &table->seats[handle];
    if (!seat->connected)
        return;
    remember_player(table, handle);
    raim_match_disconnect(table->match, handle);
    raim_client_disconnected(seat->client, now_us(table), RAIM_REASON_NONE);
    seat->connected = false;
}

// The client comes from elsewhere, while the match still thinks that it is where it was.
static void move(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    const uint32_t to = fuzz_byte(input) % table->def.max_connections;
    struct seat *seat = &table->seats[handle];
    if (!is_open(seat) || table->seats[to].client != NULL || table->seats[to].connected)
        return;
    remember_player(table, handle);
    raim_client_disconnected(seat->client, now_us(table), RAIM_REASON_NONE);
    table->seats[to] = *seat;
    table->seats[to].connected = false;
    seat->client = NULL;
    come_back(table, to, input);
}

static void say(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    char text[RAIM_MAX_CHAT_BYTES + 8] = "";
    size_t size;
    const size_t wanted = fuzz_byte(input) % sizeof text;
    const uint8_t *block = fuzz_block(input, wanted, &size);
    memcpy(text, block, size < sizeof text ? size : sizeof text - 1);
    size = raim_client_write_chat(table->seats[handle].client, text, bytes, sizeof bytes);
    if (size > 0 && is_open(&table->seats[handle]))
        send(table, handle, true, bytes, size);
}

static void send_raw(struct table *table, uint32_t handle, bool reliable, struct fuzz_input *input)
{
    size_t size;
    const size_t wanted = fuzz_byte(input);
    const uint8_t *block = fuzz_block(input, wanted, &size);
    send(table, handle, reliable, block, size);
}

static void send_raw_reliable(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    send_raw(table, handle, true, input);
}

static void send_raw_unreliable(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    send_raw(table, handle, false, input);
}

// Well-formed, with any name, to play or to watch somebody.
static void send_hello(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    size_t size;
    const uint8_t byte = fuzz_byte(input);
    const size_t wanted = byte % 32 % (RAIM_MAX_NAME_BYTES + 1);
    hello.watch = byte >= 128;
    hello.target = hello.watch ? RAIM_MAX_PLAYERS + byte / 32 % 4 : 0;
    hello.resume = byte / 32 % 4 == 3;
    hello.token[0] = hello.resume ? fuzz_byte(input) : 0;
    const uint8_t *name = fuzz_block(input, wanted, &size);
    for (size_t i = 0; i < size && name[i] != 0; i++)
        hello.name[i] = (char)name[i];
    send(table, handle, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
}

static raim_wire_input take_keys(struct fuzz_input *input)
{
    const uint8_t keys = fuzz_byte(input);
    return (raim_wire_input){
        .move_x = (int8_t)(keys % 3 - 1),
        .move_y = (int8_t)(keys / 3 % 3 - 1),
        .fire = (keys & 0x80) != 0,
        .view_age = (keys & 0x80) != 0 ? keys % 0x80 / 2 : 0,
        .aim = (uint16_t)(fuzz_byte(input) << 8),
    };
}

// Well-formed, with any ticks around now.
static void send_input(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const int8_t ahead = (int8_t)fuzz_byte(input), age = (int8_t)fuzz_byte(input);
    struct raim_input_message message = {
        .tick = table->ticks + (uint32_t)ahead,
        .has_snapshot = age != -1,
        .snapshot = table->ticks - (uint32_t)age,
        .count = 1 + fuzz_byte(input) % RAIM_MAX_INPUTS,
    };
    for (uint32_t i = 0; i < message.count; i++)
        message.inputs[i] = take_keys(input);
    send(table, handle, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
}

// As a good client does.
static void press(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const raim_wire_input keys = take_keys(input);
    const raim_input pressed = {
        .move_x = keys.move_x, .move_y = keys.move_y, .fire = keys.fire, .aim = keys.aim};
    struct seat *seat = &table->seats[handle];
    if (!raim_client_is_due(seat->client, now_us(table)))
        return;
    const size_t size =
        raim_client_press(seat->client, now_us(table), &pressed, bytes, sizeof bytes);
    if (size > 0 && is_open(seat))
        send(table, handle, false, bytes, size);
}

// Some steps in which everybody does.
static void play(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)handle;
    for (int count = 1 + fuzz_byte(input) % 16; count > 0; count--) {
        step_times(table, 1);
        for (uint32_t i = 0; i < table->def.max_connections; i++)
            if (table->seats[i].client != NULL)
                press(table, i, input);
    }
}

static void say_goodbye(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_goodbye goodbye = {.reason = RAIM_REASON_LEFT};
    send(table, handle, true, bytes, raim_goodbye_write(&goodbye, bytes, sizeof bytes));
}

// The order is that of the corpus.
static const struct {
    void (*run)(struct table *table, uint32_t handle, struct fuzz_input *input);
    bool anytime; // otherwise only for a client
} operations[] = {
    {connect, true},
    {disconnect, true},
    {step, true},
    {step_many, true},
    {send_hello, false},
    {send_input, false},
    {press, false},
    {say_goodbye, false},
    {send_raw_reliable, false},
    {send_raw_unreliable, false},
    {shut_down, true},
    {lose, false},
    {come_back, false},
    {move, false},
    {say, false},
    {play, true},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };
static_assert(OPERATIONS == 16, "an operation is the low digit of its byte");

static void operate(struct table *table, struct fuzz_input *input)
{
    const uint8_t byte = fuzz_byte(input);
    const uint32_t handle = byte / OPERATIONS % table->def.max_connections;
    if (operations[byte % OPERATIONS].anytime || table->seats[handle].client != NULL)
        operations[byte % OPERATIONS].run(table, handle, input);
}

static struct raim_match_def take_def(const struct raim_map *map, struct fuzz_input *input)
{
    static const uint32_t rates[] = {60, 10, 240};
    static const double rewinds_s[] = {0.15, 0.25, 0}, graces_s[] = {2, 0, 1, 5};
    const uint8_t places = fuzz_byte(input), rules = fuzz_byte(input);
    struct raim_match_def def = raim_match_default_def();
    def.map = map;
    def.max_clients = 1 + places % MOST_CLIENTS;
    def.bots = places / MOST_CLIENTS % (MOST_BOTS + 1);
    def.max_connections = def.max_clients + rules % 3;
    def.max_spectators = places / 16 % (MOST_SPECTATORS + 1);
    def.tick_hz = rates[rules / 3 % 3];
    def.spectator_delay_s = (double)DELAY_TICKS / def.tick_hz;
    def.resume_grace_s = graces_s[rules / 9 % 4];
    def.sight = places < 128;
    if (rules < 128)
        def.rules = fuzz_rules();
    def.seed = fuzz_byte(input);
    def.max_rewind_s = rewinds_s[def.seed % 3];
    return def;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct raim_map *map;
    if (map == NULL)
        map = fuzz_map();
    struct fuzz_input input = {data, size};
    struct table table = {.def = take_def(map, &input)};
    table.match = raim_match_create(&table.def);
    assert(table.match != NULL);
    while (input.left > 0)
        operate(&table, &input);
    step_times(&table, 2);
    for (uint32_t i = 0; i < table.def.max_connections; i++)
        stand_up(&table.seats[i]);
    raim_match_destroy(table.match);
    return 0;
}
