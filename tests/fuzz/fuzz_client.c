// SPDX-License-Identifier: MIT
// Fuzzes a client with an arbitrary server: a rejected message changes nothing that the client
// shows, everything shown is within the arena, and the client's messages are well-formed. An input
// is a byte that says whether it is welcomed properly first, and as a player or a spectator, and
// then what the server does, with presses of keys and looks in between; time passes, and
// connections are lost and found again.
#include "fuzz.h"

#include "chat.h"
#include "client.h"
#include "events_fixture.h"
#include "handshake.h"
#include "input.h"
#include "roster.h"
#include "snapshot.h"

#include <math.h>

enum { TICK_HZ = 60, PLAYERS = 8, SHOTS = 3, FIRST_TICK = 100, FIRST_EVENT = 7, MAX_REWIND = 9 };

static uint64_t now_us;

// --- What the client shows, as a digest ---

static void mix(uint64_t *digest, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) // FNV-1a
        *digest = (*digest ^ at[i]) * 0x100000001B3u;
}

static void mix_members(uint64_t *digest, const struct raim_client *client)
{
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        const uint32_t numbers[] = {member->id, member->bot, member->score, member->deaths};
        mix(digest, numbers, sizeof numbers);
        mix(digest, member->name, strlen(member->name));
        assert(strlen(member->name) <= RAIM_MAX_NAME_BYTES);
    }
}

static bool is_finite(raim_vec2 v)
{
    return isfinite(v.x) && isfinite(v.y);
}

static struct raim_client_player players[RAIM_MAX_PLAYERS];
static struct raim_client_bullet bullets[RAIM_MAX_BULLETS];

static void mix_rows(uint64_t *digest, uint32_t slots, uint32_t player_count, uint32_t bullet_count)
{
    assert(player_count <= slots);
    for (uint32_t i = 0; i < player_count; i++) {
        assert(players[i].slot < slots);
        assert(is_finite(players[i].position) && is_finite(players[i].velocity));
        mix(digest, &players[i].position, sizeof players[i].position);
        mix(digest, &players[i].velocity, sizeof players[i].velocity);
        mix(digest, &players[i].aim, sizeof players[i].aim);
    }
    for (uint32_t i = 0; i < bullet_count; i++) {
        assert(bullets[i].owner < slots);
        assert(is_finite(bullets[i].position) && is_finite(bullets[i].velocity));
        mix(digest, &bullets[i].position, sizeof bullets[i].position);
    }
}

static void mix_picture(uint64_t *digest, const struct raim_client *client)
{
    const uint32_t slots = raim_client_max_players(client);
    uint32_t player_count = raim_client_players(client, players, RAIM_MAX_PLAYERS);
    uint32_t bullet_count = raim_client_bullets(client, bullets, RAIM_MAX_BULLETS);
    mix_rows(digest, slots, player_count, bullet_count);
    player_count = raim_client_interpolated_players(client, players, RAIM_MAX_PLAYERS);
    bullet_count = raim_client_interpolated_bullets(client, bullets, RAIM_MAX_BULLETS);
    mix_rows(digest, slots, player_count, bullet_count);
    assert(is_finite(raim_client_eye(client)));
}

static uint64_t digest_of(const struct raim_client *client)
{
    uint64_t digest = 0xCBF29CE484222325u;
    const enum raim_client_state state = raim_client_get_state(client);
    const uint32_t numbers[] = {state, raim_client_get_end(client).reason};
    mix(&digest, numbers, sizeof numbers);
    if (state != RAIM_CLIENT_PLAYING)
        return digest;
    const uint32_t more[] = {raim_client_tick(client), raim_client_viewpoint(client),
                             raim_client_alive(client)};
    mix(&digest, more, sizeof more);
    mix_members(&digest, client);
    mix_picture(&digest, client);
    return digest;
}

// --- What the server does ---

static void receive(struct raim_client *client, const uint8_t *bytes, size_t size)
{
    const uint64_t digest = digest_of(client);
    const enum raim_client_state state = raim_client_get_state(client);
    const uint64_t errors = raim_client_get_stats(client)->decode_errors;
    uint8_t *exact = fuzz_copy(bytes, size);
    const bool good = raim_client_receive(client, now_us, exact, size);
    free(exact);
    const struct raim_client_stats *stats = raim_client_get_stats(client);
    assert(stats->decode_errors == errors + !good);
    const bool is_anew =
        state == RAIM_CLIENT_PLAYING && raim_client_get_state(client) == RAIM_CLIENT_ENTERING;
    assert(raim_client_get_state(client) >= state || state == RAIM_CLIENT_RESUMING || is_anew);
    // An arena that cannot be played ends the client.
    assert(good || raim_client_get_state(client) == RAIM_CLIENT_ENDED ||
           digest_of(client) == digest);
}

static void receive_raw(struct raim_client *client, struct fuzz_input *input)
{
    size_t size;
    const size_t wanted = fuzz_pair(input) % (RAIM_MAX_MESSAGE_BYTES + 1);
    const uint8_t *block = fuzz_block(input, wanted, &size);
    receive(client, block, size);
}

static struct raim_wire_limits limits_of_arena(void)
{
    const raim_rules rules = raim_rules_default();
    const struct raim_stride stride = raim_world_stride(&rules, TICK_HZ);
    return (struct raim_wire_limits){.players = PLAYERS,
                                     .shots = SHOTS,
                                     .history = raim_wire_history(TICK_HZ),
                                     .stride = stride.straight,
                                     .diagonal = stride.diagonal,
                                     .max_rewind = MAX_REWIND};
}

// A snapshot from around the tick shown with a good header, any body behind it.
static void receive_snapshot(struct raim_client *client, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_wire_limits limits = limits_of_arena();
    const uint32_t tick = raim_client_tick(client) + (uint32_t)(int8_t)fuzz_byte(input);
    const uint32_t baseline_age = fuzz_byte(input) % limits.history;
    raim_writer writer = raim_message_write(RAIM_MESSAGE_SNAPSHOT, bytes, sizeof bytes);
    raim_write_ranged(&writer, baseline_age, 0, limits.history - 1);
    if (baseline_age > 0)
        raim_write_ranged(&writer, tick % (2 * limits.history), 0, 2 * limits.history - 1);
    else {
        raim_write_bits(&writer, fuzz_byte(input) % 8 == 0, RAIM_EPOCH_BITS);
        raim_write_bits(&writer, tick, 32);
    }
    for (uint32_t i = fuzz_byte(input); i > 0 && input->left > 0; i--)
        raim_write_bits(&writer, fuzz_byte(input), 8);
    receive(client, bytes, raim_writer_finish(&writer));
}

// A whole snapshot in which some run, wherever they are, and shoot.
static void receive_picture(struct raim_client *client, struct fuzz_input *input)
{
    uint64_t memory[256] = {0};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_wire_limits limits = limits_of_arena();
    struct raim_wire_frame frame;
    assert(raim_wire_frame_bytes(&limits) <= sizeof memory);
    raim_wire_frame_init(&frame, &limits, memory);
    frame.tick = raim_client_tick(client) + fuzz_byte(input);
    frame.self.steers = !raim_client_is_spectator(client);
    frame.self.alive = true;
    frame.self.slot = fuzz_byte(input) % PLAYERS;
    frame.self.margin = (int8_t)(fuzz_byte(input) % 63 - RAIM_MAX_MARGIN);
    for (uint32_t slot = 0; slot < PLAYERS; slot++) {
        const uint8_t kind = fuzz_byte(input);
        if (kind % 2 == 0)
            continue;
        const int32_t x = (int16_t)fuzz_pair(input) * 16, y = (int16_t)fuzz_pair(input) * 16;
        raim_set_add(frame.seen_players, slot);
        frame.players[slot] =
            (raim_wire_player){.x = x, .y = y, .direction = kind / 2 % RAIM_DIRECTIONS};
        raim_set_add(frame.seen_bullets, slot * SHOTS + kind % SHOTS);
        frame.bullets[slot * SHOTS + kind % SHOTS] = (raim_wire_bullet){
            .tick = frame.tick, .now_x = x, .now_y = y, .aim = (uint16_t)(kind << 8)};
    }
    receive(client, bytes, raim_snapshot_write(&limits, NULL, &frame, bytes, sizeof bytes));
}

// Events about any players, numbered around the first one.
static void receive_events(struct raim_client *client, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const int8_t ahead = (int8_t)fuzz_byte(input);
    struct raim_events_message message = {
        .epoch = ahead == INT8_MIN,
        .sequence = (uint16_t)(FIRST_EVENT + (uint32_t)ahead),
        .count = 1 + fuzz_byte(input) % 4,
    };
    for (uint32_t i = 0; i < message.count; i++) {
        struct raim_wire_event *event = &message.events[i];
        event->kind = (enum raim_wire_event_kind)(fuzz_byte(input) % RAIM_WIRE_EVENT_KINDS);
        event->player = RAIM_MAX_PLAYERS + fuzz_byte(input) % (PLAYERS + 1);
        event->victim = RAIM_MAX_PLAYERS + fuzz_byte(input) % (PLAYERS + 1);
        event->score = event->deaths = fuzz_byte(input);
        event->rewind = event->score % (RAIM_WIRE_REWIND + 1);
        memset(event->text, 'a', event->score % sizeof event->text);
        event->by_operator = event->score / 128 != 0;
        event->type = event->score;
        event->size = event->score % sizeof event->text;
        event->phase = (struct raim_wire_phase){
            .phase = (enum raim_phase)(event->score % RAIM_PHASES), .round = event->score / 16};
        event->entry = (struct raim_roster_entry){.player = event->player, .name = "event"};
    }
    receive(client, bytes, write_events(&message, bytes, sizeof bytes));
}

static void press(struct raim_client *client, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint8_t keys = fuzz_byte(input);
    const raim_input pressed = {
        .move_x = (int8_t)(keys % 3 - 1),
        .move_y = (int8_t)(keys / 3 % 3 - 1),
        .fire = keys >> 7,
        .aim = fuzz_pair(input),
    };
    const uint32_t shown = raim_client_tick(client);
    for (int i = 0; i < 20 && !raim_client_is_input_due(client, now_us); i++)
        now_us += 1000;
    const size_t size = raim_client_write_input(client, now_us, &pressed, bytes, sizeof bytes);
    assert(raim_client_tick(client) - shown <= 1);
    if (size == 0)
        return;
    struct raim_input_message message;
    raim_reader reader = raim_reader_make(bytes, size);
    assert(raim_message_read(&reader) == RAIM_MESSAGE_INPUT);
    assert(raim_input_read(&reader, &message));
    assert(raim_client_tick(client) - message.snapshot <= TICK_HZ / 4);
    const bool is_spectator = raim_client_is_spectator(client);
    // In breaks and pauses the keys count as released.
    assert(message.inputs[0].move_x == 0 || message.inputs[0].move_x == pressed.move_x);
    assert(!is_spectator || message.inputs[0].move_x == 0);
    assert(message.inputs[0].aim == (is_spectator ? 0 : pressed.aim));
}

static void read_events(struct raim_client *client, struct fuzz_input *input)
{
    struct raim_client_event event;
    for (uint32_t i = fuzz_byte(input); i > 0 && raim_client_next_event(client, &event); i--)
        assert(event.kind != RAIM_CLIENT_CHAT || strlen(event.text) <= RAIM_MAX_TEXT_BYTES);
}

// --- A proper welcome ---

static void receive_welcome(struct raim_client *client, bool is_spectator)
{
    static const struct raim_wire_obstacle squares[] = {
        {4, 2, {{3200, 3200}, {6400, 3200}, {6400, 6400}, {3200, 6400}}},
        {4, 8, {{6400, 3200}, {9600, 3200}, {9600, 6400}, {6400, 6400}}},
    };
    struct raim_welcome welcome = {
        .version = RAIM_PROTOCOL_VERSION,
        .player = is_spectator ? RAIM_NOBODY : RAIM_MAX_PLAYERS,
        .tick = FIRST_TICK,
        .event_sequence = FIRST_EVENT,
        .tick_hz = TICK_HZ,
        .max_players = PLAYERS,
        .shots = SHOTS,
        .max_rewind = MAX_REWIND,
        .grace_s = 30,
        .view_width = 1600,
        .view_height = 861,
        .obstacle_count = 2,
        .roster_count = 2,
        .border = {0, 0, 32000, 32000},
        .rule_count = RAIM_RULE_COUNT,
        .map_name = "fuzz",
    };
    raim_rules rules = raim_rules_default();
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        welcome.rules[i] = *raim_rule_value(&rules, i);
    const struct raim_roster_entry roster[] = {
        {.player = RAIM_MAX_PLAYERS, .name = "own"},
        {.player = RAIM_MAX_PLAYERS + 3, .bot = true, .score = 2, .name = "Bot 1"},
    };
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    uint32_t written;
    receive(client, bytes, raim_welcome_write(&welcome, bytes, sizeof bytes));
    receive(client, bytes, raim_obstacles_write(squares, 2, &written, bytes, sizeof bytes));
    receive(client, bytes, raim_roster_write(roster, 2, &written, bytes, sizeof bytes));
    assert(raim_client_get_state(client) == RAIM_CLIENT_PLAYING);
}

// --- What else happens ---

static void lose_connection(struct raim_client *client, struct fuzz_input *input)
{
    raim_client_disconnected(client, now_us, fuzz_byte(input));
    assert(raim_client_get_state(client) >= RAIM_CLIENT_RESUMING);
}

// A frame of a display, or up to a quarter of a second without one.
static void look(struct raim_client *client, struct fuzz_input *input)
{
    const double scene_tick = raim_client_interpolated_tick(client);
    now_us += fuzz_byte(input) * (uint64_t)1000;
    raim_client_interpolate(client, now_us);
    assert(isfinite(raim_client_interpolated_tick(client)) &&
           isfinite(raim_client_own_tick(client)));
    assert(raim_client_interpolated_tick(client) >= scene_tick);
    const struct raim_client_quality quality = raim_client_get_quality(client);
    assert(quality.mispredictions <= quality.predictions);
    assert(raim_client_get_phase(client).left_s >= 0 && raim_client_get_phase(client).left_s < 1e9);
    assert(strlen(raim_client_motd(client)) <= RAIM_MAX_TEXT_BYTES);
    assert(isfinite(quality.view_delay_ms) && isfinite(quality.corrections_units));
}

// Up to 13 seconds pass; where it then wishes for a connection, it says hello, and maybe is
// welcomed again.
static void wait(struct raim_client *client, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_hello hello;
    const uint8_t choice = fuzz_byte(input);
    now_us += choice * (uint64_t)50000;
    if (!raim_client_wants_connection(client, now_us))
        return;
    assert(!raim_client_wants_connection(client, now_us));
    const size_t size = raim_client_write_hello(client, now_us, bytes, sizeof bytes);
    raim_reader reader = raim_reader_make(bytes, size);
    assert(raim_message_read(&reader) == RAIM_MESSAGE_HELLO && raim_hello_read(&reader, &hello));
    assert(!hello.resume || raim_client_get_state(client) == RAIM_CLIENT_RESUMING);
    if (choice % 2 != 0)
        receive_welcome(client, hello.watch);
}

// The server goes on to another arena.
static void welcome_anew(struct raim_client *client, struct fuzz_input *input)
{
    (void)input;
    const enum raim_client_state state = raim_client_get_state(client);
    if (state == RAIM_CLIENT_PLAYING || state == RAIM_CLIENT_ENTERING)
        receive_welcome(client, raim_client_is_spectator(client));
}

static void say(struct raim_client *client, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_chat chat;
    char text[256];
    size_t length;
    const uint8_t *block = fuzz_block(input, fuzz_byte(input), &length);
    memcpy(text, block, length);
    text[length] = '\0';
    const size_t size = raim_client_write_chat(client, text, bytes, sizeof bytes);
    if (size == 0)
        return;
    raim_reader reader = raim_reader_make(bytes, size);
    assert(raim_message_read(&reader) == RAIM_MESSAGE_CHAT && raim_chat_read(&reader, &chat));
}

static void watch_another(struct raim_client *client, struct fuzz_input *input)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_watch watch;
    const raim_player_id player = RAIM_MAX_PLAYERS + fuzz_byte(input);
    const size_t size = raim_client_write_watch(client, player, bytes, sizeof bytes);
    if (size == 0)
        return;
    raim_reader reader = raim_reader_make(bytes, size);
    assert(raim_message_read(&reader) == RAIM_MESSAGE_WATCH && raim_watch_read(&reader, &watch));
    assert(watch.target == player && raim_client_is_spectator(client));
}

// The order is that of the corpus.
static void (*const operations[])(struct raim_client *client, struct fuzz_input *input) = {
    receive_raw,     receive_snapshot, press, receive_events, read_events,
    lose_connection, receive_picture,  look,  wait,           say,
    welcome_anew,    watch_another,
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    const uint8_t start = fuzz_byte(&input);
    now_us = 1;
    struct raim_client_def def = raim_client_default_def();
    def.watch = (start & 2) != 0;
    struct raim_client *client = raim_client_create(&def);
    assert(client != NULL && raim_client_wants_connection(client, now_us));
    if ((start & 1) != 0)
        receive_welcome(client, def.watch);
    while (input.left > 0)
        operations[fuzz_byte(&input) % OPERATIONS](client, &input);
    digest_of(client);
    raim_client_destroy(client);
    return 0;
}
