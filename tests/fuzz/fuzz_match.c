// SPDX-License-Identifier: MIT
// Fuzzes a match with arbitrary connections. Behind each connection a real client receives every
// message, must be able to read it, and must converge to the match's state; clients lose their
// connections and resume; the operator pauses, tunes, and replaces the match by successors. An
// input is three bytes of settings, then operations.
#include "fuzz_arena.h"
#include "fuzz_table.h"

#include "input.h"

// --- Operations: each on one connection ---

static void pull(struct table *table)
{
    struct raim_outgoing out;
    while (raim_match_outgoing(table->match, &out)) {
        assert(out.client < table->def.max_connections);
        struct peer *peer = &table->peers[out.client];
        assert(peer->connected && !peer->closed);
        assert(out.size <= RAIM_MAX_MESSAGE_BYTES && (out.reliable || !out.close));
        peer->closed = out.close;
        if (out.size == 0) { // it left by itself and knows why
            assert(out.close && out.reason == RAIM_REASON_LEFT);
            continue;
        }
        if (peer->client == NULL)
            continue; // who sat there has moved
        uint8_t *exact = fuzz_copy(out.data, out.size);
        assert(raim_client_receive(peer->client, now_us(table), exact, out.size));
        free(exact);
        const enum raim_client_state state = raim_client_get_state(peer->client);
        // Who resumes takes it for news of the connection before: here, a thief has the session.
        if (out.close && out.reason == RAIM_REASON_RESUMED && state == RAIM_CLIENT_RESUMING)
            continue;
        assert(out.close == (state == RAIM_CLIENT_ENDED));
        assert(raim_client_get_end(peer->client).reason == out.reason);
    }
}

static void step_times(struct table *table, uint32_t count)
{
    for (; count > 0 && table->ticks < MAX_TICKS; count--) {
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

static void leave(struct peer *peer)
{
    raim_client_destroy(peer->client);
    *peer = (struct peer){0};
}

// Gives the handle to a new connection, also where there is one already: the transport may have
// used it again.
static void open_connection(struct table *table, uint32_t handle)
{
    const uint32_t number = ++table->tokens;
    uint8_t token[RAIM_TOKEN_BYTES] = {0};
    for (int i = 0; i < 4; i++)
        token[i] = (uint8_t)(number >> 8 * i);
    raim_match_connect(table->match, handle, token);
    table->peers[handle].connected = true;
    table->peers[handle].closed = false;
}

static void connect(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    uint8_t unsent[RAIM_MAX_MESSAGE_BYTES];
    leave(&table->peers[handle]);
    open_connection(table, handle);
    const struct raim_client_def def = raim_client_default_def();
    struct raim_client *client = raim_client_create(&def);
    assert(client != NULL && raim_client_wants_connection(client, now_us(table)));
    // What it is said to have sent is said by send_hello.
    assert(raim_client_write_hello(client, now_us(table), unsent, sizeof unsent) > 0);
    table->peers[handle].client = client;
}

static void disconnect(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    raim_match_disconnect(table->match, handle);
    leave(&table->peers[handle]);
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
    struct raim_match_player rows[MAX_ROWS + 1];
    struct peer *peer = &table->peers[handle];
    const uint32_t count = raim_match_players(table->match, rows, MAX_ROWS + 1);
    const struct raim_match_player *row = row_of(handle, rows, count);
    peer->had_player = row != NULL;
    if (row == NULL)
        return;
    peer->row = *row;
    peer->joined_tick = table->ticks - row->played_ticks;
    peer->round = raim_match_round(table->match).round;
}

// Whoever has lost its player, and would find it in the match, has it again.
static void check_come_back(const struct table *table, uint32_t handle)
{
    struct raim_match_player rows[MAX_ROWS + 1];
    const struct peer *peer = &table->peers[handle];
    const uint32_t count = raim_match_players(table->match, rows, MAX_ROWS + 1);
    for (uint32_t i = 0; peer->had_player && i < count; i++)
        if (rows[i].id == peer->row.id &&
            table->ticks - rows[i].played_ticks == peer->joined_tick) {
            assert(!rows[i].away && rows[i].client == handle);
            if (peer->round == raim_match_round(table->match).round)
                assert(rows[i].score >= peer->row.score && rows[i].deaths >= peer->row.deaths);
        }
}

static void come_back(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct peer *peer = &table->peers[handle];
    if (peer->connected || !raim_client_wants_connection(peer->client, now_us(table)))
        return;
    open_connection(table, handle);
    const size_t size = raim_client_write_hello(peer->client, now_us(table), bytes, sizeof bytes);
    const bool resumes = raim_client_get_state(peer->client) == RAIM_CLIENT_RESUMING;
    send(table, handle, true, bytes, size);
    if (resumes)
        check_come_back(table, handle);
}

// Without a word, and both ends notice.
static void lose(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)input;
    struct peer *peer = &table->peers[handle];
    if (!peer->connected)
        return;
    remember_player(table, handle);
    raim_match_disconnect(table->match, handle);
    raim_client_disconnected(peer->client, now_us(table), RAIM_REASON_NONE);
    peer->connected = false;
}

// The client comes from elsewhere, while the match still thinks that it is where it was.
static void move(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    const uint32_t to = fuzz_byte(input) % table->def.max_connections;
    struct peer *peer = &table->peers[handle];
    if (!is_open(peer) || table->peers[to].client != NULL || table->peers[to].connected)
        return;
    remember_player(table, handle);
    raim_client_disconnected(peer->client, now_us(table), RAIM_REASON_NONE);
    table->peers[to] = *peer;
    table->peers[to].connected = false;
    peer->client = NULL;
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
    size = raim_client_write_chat(table->peers[handle].client, text, bytes, sizeof bytes);
    if (size > 0 && is_open(&table->peers[handle]))
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
    struct peer *peer = &table->peers[handle];
    if (!raim_client_is_input_due(peer->client, now_us(table)))
        return;
    const size_t size =
        raim_client_write_input(peer->client, now_us(table), &pressed, bytes, sizeof bytes);
    if (size > 0 && is_open(peer))
        send(table, handle, false, bytes, size);
}

// Some steps in which everybody does.
static void play(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    (void)handle;
    for (int count = 1 + fuzz_byte(input) % 16; count > 0; count--) {
        step_times(table, 1);
        for (uint32_t i = 0; i < table->def.max_connections; i++)
            if (table->peers[i].client != NULL)
                press(table, i, input);
    }
}

static void say_goodbye(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_client *client = table->peers[handle].client;
    const uint8_t *token = client != NULL ? raim_client_token(client) : NULL;
    struct raim_client_goodbye client_goodbye = {.reason = RAIM_REASON_LEFT};
    if (token != NULL)
        memcpy(client_goodbye.token, token, sizeof client_goodbye.token);
    client_goodbye.token[0] ^= fuzz_byte(input) == 0; // now and then forged
    send(table, handle, true, bytes,
         raim_client_goodbye_write(&client_goodbye, bytes, sizeof bytes));
}

// --- What the operator does ---

static void shut_down(struct table *table, struct fuzz_input *input)
{
    (void)input;
    table->ended = true;
    raim_match_shutdown(table->match);
    pull(table);
}

static void pause(struct table *table, struct fuzz_input *input)
{
    raim_match_pause(table->match, fuzz_byte(input) % 2 == 0);
}

static double take_seconds(struct fuzz_input *input)
{
    return fuzz_byte(input) % 16 / 16.0;
}

static void tune(struct table *table, struct fuzz_input *input)
{
    const uint8_t slots = fuzz_byte(input);
    struct raim_match_tuning tuning = table->def.tuning;
    tuning.max_players = 1 + slots % table->def.tuning.max_players;
    tuning.max_spectators = slots / 16 % (table->def.tuning.max_spectators + 1);
    tuning.round_s = take_seconds(input);
    tuning.break_s = take_seconds(input);
    tuning.score_limit = fuzz_byte(input) % 4;
    strcpy(tuning.motd, "tuned");
    raim_match_tune(table->match, &tuning);
}

// The next match has room for everybody, be it elsewhere and among more or fewer bots.
static void succeed(struct table *table, struct fuzz_input *input)
{
    static struct raim_map *maps[2];
    const uint8_t slots = fuzz_byte(input), byte = fuzz_byte(input);
    const struct raim_match_counts counts = raim_match_counts(table->match);
    struct raim_match_def def = table->def;
    if (table->ended || table->ticks >= MAX_TICKS)
        return;
    if (maps[0] == NULL) {
        maps[0] = fuzz_map();
        maps[1] = fuzz_empty_map();
    }
    def.map = maps[byte % 2];
    def.tuning.max_players = 1 + slots % table->def.max_connections % MAX_CLIENTS;
    if (def.tuning.max_players < counts.players)
        def.tuning.max_players = counts.players;
    def.tuning.max_spectators = table->def.tuning.max_spectators; // some may watch unseen
    def.bots = slots / MAX_CLIENTS % (MAX_BOTS + 1);
    def.sight = byte < 128;
    def.seed = byte;
    struct raim_match *next = raim_match_create(&def);
    assert(next != NULL);
    const bool keeps_round = byte / 2 % 2 == 0;
    const uint32_t round = raim_match_round(table->match).round;
    raim_match_transfer(next, table->match, keeps_round);
    raim_match_destroy(table->match);
    assert(raim_match_round(next).round == round + !keeps_round);
    table->match = next;
    table->def = def;
    table->successions++;
    table->still.holds = false;
    step_times(table, 1); // nothing comes in between
}

// Somebody of those who are there.
static raim_player_id take_player(const struct table *table, struct fuzz_input *input)
{
    struct raim_match_player rows[MAX_ROWS];
    const uint32_t count = raim_match_players(table->match, rows, MAX_ROWS);
    const uint8_t byte = fuzz_byte(input);
    return count > 0 ? rows[byte % count].id : RAIM_MAX_PLAYERS + byte;
}

static void kick(struct table *table, struct fuzz_input *input)
{
    raim_match_kick(table->match, take_player(table, input), "why");
    pull(table);
}

static void mute(struct table *table, struct fuzz_input *input)
{
    const raim_player_id player = take_player(table, input);
    raim_match_mute(table->match, player, fuzz_byte(input) % 2 == 0);
}

static void announce(struct table *table, struct fuzz_input *input)
{
    (void)input;
    raim_match_say(table->match, "hear, hear");
}

static void drain(struct table *table, struct fuzz_input *input)
{
    raim_match_drain(table->match, fuzz_byte(input) % 2 == 0);
}

// The order is that of the corpus.
static void order(struct table *table, uint32_t handle, struct fuzz_input *input)
{
    static void (*const orders[])(struct table * table, struct fuzz_input * input) = {
        pause, succeed, shut_down, tune, kick, mute, announce, drain,
    };
    (void)handle;
    orders[fuzz_byte(input) % (sizeof orders / sizeof orders[0])](table, input);
}

// Likewise.
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
    {order, true},
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
    if (operations[byte % OPERATIONS].anytime || table->peers[handle].client != NULL)
        operations[byte % OPERATIONS].run(table, handle, input);
}

static struct raim_match_def take_def(const struct raim_map *map, struct fuzz_input *input)
{
    static const uint32_t rates[] = {60, 10, 240}, delays[] = {DELAY_TICKS, 0};
    static const uint32_t rewinds_ms[] = {150, 250, 0};
    static const double graces_s[] = {2, 0, 1, 5};
    static const double rounds_s[] = {0, 0.1, 0.5, 2}, breaks_s[] = {0.05, 0, 0.3};
    const uint8_t slots = fuzz_byte(input), rules = fuzz_byte(input);
    struct raim_match_def def = raim_match_default_def();
    def.map = map;
    def.tuning.max_players = 1 + slots % MAX_CLIENTS;
    def.bots = slots / MAX_CLIENTS % (MAX_BOTS + 1);
    def.max_connections = def.tuning.max_players + rules % 3;
    def.tuning.max_spectators = slots / 16 % (MAX_SPECTATORS + 1);
    def.tick_hz = rates[rules / 3 % 3];
    def.spectator_delay_s = (double)delays[rules / 36 % 2] / def.tick_hz;
    def.tuning.resume_grace_s = graces_s[rules / 9 % 4];
    def.sight = slots < 128;
    if (rules < 128)
        def.rules = fuzz_rules();
    def.seed = fuzz_byte(input);
    def.lag_compensation_ms = rewinds_ms[def.seed % 3];
    def.tuning.round_s = rounds_s[def.seed / 3 % 4];
    def.tuning.score_limit = (uint32_t)(def.seed / 12 % 3);
    def.tuning.break_s = breaks_s[def.seed / 36 % 3];
    strcpy(def.tuning.motd, def.seed % 2 == 0 ? "" : "be nice");
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
        leave(&table.peers[i]);
    raim_match_destroy(table.match);
    return 0;
}
